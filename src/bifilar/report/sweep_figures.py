"""Sweeps of one joint at a time: what was read over the joint's angle, and the sinusoid that a model has there.

Poses are a joint's sweep where they follow each other, the other joints stand still and this one turns: the widest such
stretch is drawn. At rest torque over one joint's angle is a sinusoid (Ma and Hollerbach 1996), which the line is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.report.plot import Line, Plot

STANDS = 0.02  # [rad] other joints move less during a sweep
WIDE = 0.3  # [rad] that a sweep has at least
MOST = 3000  # rows that are looked through
SWEEP_KEYS = (("measured", "ink", "points"), ("fitted sinusoid", "identified", "line"))
SWEEP_WORDS = "One joint turns, the others stand still: the widest such stretch of every joint."


def widest_sweep(position: Array, joint: int) -> NDArray[np.int64] | None:
    """Rows of the widest sweep of a joint; nothing where it was never turned alone.

    >>> q = np.array([[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [1.0, 0.7]])
    >>> widest_sweep(q, 0), widest_sweep(q[:, :1], 0)
    (array([0, 1, 2]), array([0, 1, 2, 3]))
    """
    places = np.arange(0, len(position), max(1, -(-len(position) // MOST)))
    q = np.asarray(position, dtype=float)[places]
    others, own = np.delete(q, joint, axis=1), q[:, joint]
    best, first = slice(0, 0), 0
    for k in range(1, len(q) + 1):
        if k < len(q) and np.all(np.abs(others[k] - others[first]) < STANDS):
            continue
        if np.ptp(own[first:k]) > (np.ptp(own[best]) if best.stop else WIDE):
            best = slice(first, k)
        first = k
    return places[best] if best.stop else None


def sweep_plots(
    names: Sequence[str],
    position: Array,
    measured: Array,
    model: Callable[[Array], Array],
    *,
    unit: str = "N m",
    where: str = "",
) -> list[Plot]:
    """One drawing per joint that was swept: points as measured, and what the model says at every angle between.

    >>> robot = bf.Robot.load("pendulum")
    >>> q = np.linspace(-1, 1, 9)[:, None]
    >>> [len(plot.lines) for plot in sweep_plots(robot.joint_names, q, robot.gravity_torque(q), robot.gravity_torque)]
    [2]
    """
    plots = []
    for j, name in enumerate(names):
        rows = widest_sweep(position, j)
        if rows is None or not np.isfinite(measured[rows, j]).any():
            continue
        angle = position[rows, j]
        poses = np.repeat(np.median(position[rows], axis=0)[None], 121, axis=0)
        poses[:, j] = np.linspace(angle.min(), angle.max(), len(poses))
        lines = [
            Line(np.degrees(poses[:, j]), model(poses)[:, j], "identified", SWEEP_KEYS[1][0]),
            Line(np.degrees(angle), measured[rows, j], "ink", SWEEP_KEYS[0][0], "points"),
        ]
        plots.append(Plot(f"{name}{where}", f"[{unit}]", lines, x_unit="deg", y_unit=unit))
    return plots


def against_plots(names: Sequence[str], predicted: Array, measured: Array, *, unit: str = "N m") -> list[Plot]:
    """One drawing per joint: what was measured over what was predicted, and the line on which both are the same.

    >>> [plot.title for plot in against_plots(("a", "b"), np.zeros((3, 2)), np.ones((3, 2)))]
    ['a', 'b']
    """
    plots = []
    for j, name in enumerate(names):
        kept = np.isfinite(measured[:, j])
        x, y = predicted[kept, j], measured[kept, j]
        ends = np.array([min(x.min(), y.min()), max(x.max(), y.max())]) if len(x) else np.zeros(2)
        lines = [Line(ends, ends, "quiet", "the same", "dashed"), Line(x, y, "ink", "measured", "points")]
        plots.append(Plot(name, f"measured over predicted [{unit}]", lines, x_unit=unit, y_unit=unit))
    return plots
