"""Joint motions beside their limits: a drawing per joint, and all joints together in shares of their limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.envelope import envelope
from bifilar.report.plot import Level, Line, Plot, colour
from bifilar.report.sections.motion import window
from bifilar.report.usage import Use


def joint_plots(time: Array, use: Use, joint_names: Sequence[str]) -> list[Plot]:
    """A drawing per joint: the quantity over time, its limits as red lines, what is forbidden shaded.

    >>> from bifilar.report.usage import used
    >>> robot = bf.Robot.load("two_link")
    >>> motion = bf.quintic(robot.joint_names, [[0.0, 0.0], [1.0, -1.0]], [0.0, 2.0]).sample(100)
    >>> len(joint_plots(motion.time, used(robot, motion)[0], robot.joint_names))
    2
    """
    return [_joint(time, use, k, name) for k, name in enumerate(joint_names)]


def _joint(time: Array, use: Use, k: int, name: str) -> Plot:
    values, unit = use.values[:, k], use.units[k]
    low, high = window([values], use.lower[k], use.upper[k])
    levels = [Level(use.lower[k], beyond=-1), Level(use.upper[k], beyond=1)]
    shown = [level for level in levels if np.isfinite(level.y) and low <= level.y <= high]
    line = Line(*envelope(time, values), colour(k), use.quantity)
    return Plot(name, f"{use.quantity} [{unit}]", [line], levels=shown, y_range=(low, high), y_unit=unit, height=140)


def shares_plots(time: Array, uses: Sequence[Use], joint_names: Sequence[str]) -> list[Plot]:
    """All joints together, a drawing per quantity, in percent of their limits; a quantity without limits is left out.

    >>> from bifilar.report.usage import used
    >>> robot = bf.Robot.load("two_link")
    >>> motion = bf.quintic(robot.joint_names, [[0.0, 0.0], [1.0, -1.0]], [0.0, 2.0]).sample(100)
    >>> len(shares_plots(motion.time, used(robot, motion), robot.joint_names)[0].lines)
    2
    """
    drawn = []
    for use in uses:
        if not np.isfinite(use.share).any():
            continue
        shares = [100 * use.shares[:, k] for k in range(len(joint_names))]
        lines = [
            Line(*envelope(time, share), colour(k), joint_names[k])
            for k, share in enumerate(shares)
            if np.isfinite(use.share[k])
        ]
        reach = 100 * max(1.0, float(np.nanmax(np.abs(use.shares)))) + 12
        walls = [Level(-100.0, beyond=-1), Level(100.0, beyond=1)]
        what = "in percent of the limits"
        drawn.append(Plot(use.quantity, what, lines, levels=walls, y_range=(-reach, reach), y_unit="%", height=150))
    return drawn


def joint_keys(joint_names: Sequence[str]) -> list[tuple[str, str, str]]:
    """A legend of joints.

    >>> joint_keys(["elbow"])
    [('elbow', 'j0', 'line')]
    """
    return [(name, colour(k), "line") for k, name in enumerate(joint_names)]
