"""A tool that the description carries and the robot did not.

    torque - model without tool = x (torque of the tool) + friction,        x = 1: carried,  x = 0: not

The tool is what is fixed to the last moving link (and fingers, locked). x is one number for all joints: a share of the tool.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place
from bifilar.recording.checks_model import Comparison, drive, parts
from bifilar.recording.checks_view import View
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot

ABSENT = 0.35  # largest share of a tool that was not there
HELPS = 0.85  # left without the tool over left with it


def tool(view: View, comparison: Comparison) -> Iterator[Finding]:
    """A finding if the torques deny the tool.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording, robot)
    >>> list(tool(view, Comparison.of(view)))
    []
    """
    if view.robot is None or view.torque is None:
        return
    links = carried(view.robot)
    told = np.flatnonzero(comparison.speaks & (comparison.scale > 0.3) & (comparison.scale < 3))
    if not links or len(told) < 2:
        return
    bare = view.robot.with_inertia(dict.fromkeys(links, Inertia.zero()))
    without = sum(parts(bare, view.position, view.velocity, view.acceleration))
    effect = comparison.gravity + comparison.inertial - without
    share, before, after = _share(view, np.asarray(without), effect, told)
    if share > ABSENT or after > HELPS * before:
        return
    mass = sum(view.robot.link(name).inertia.mass for name in links)
    names = ", ".join(f"'{name}'" for name in links)
    yield Finding(
        "tool",
        "warning",
        f"description: {names}",
        mass=mass,
        share=share,
        share_2=1 - after / before,
        at=(Place("torque", view.joint_names[told[-1]], float(view.time[0]), float(view.time[-1])),),
    )


def carried(robot: Robot) -> tuple[str, ...]:
    """Links with mass that are fixed to the last moving link of a chain.

    >>> carried(bf.Robot.load("pendulum"))
    ()
    """
    ends = set(range(1, robot.tree.n_joints + 1)) - {int(parent) for parent in robot.tree.parent}
    own = set(robot.body_names)
    fixed = [name for name, place in robot.link_map().items() if place.body in ends and name not in own]
    return tuple(name for name in fixed if robot.link(name).inertia.mass > 0)


def _share(view: View, without: Array, effect: Array, told: NDArray[np.intp]) -> tuple[float, float, float]:
    """x, and what is left with and without the tool; every joint counted in its own spread."""
    assert view.torque is not None
    top = bottom = before = after = 0.0
    for i in told:
        friction = drive(view.velocity[:, i], view.acceleration[:, i])
        q, _ = np.linalg.qr(friction)
        rest, tool = (x - q @ (q.T @ x) for x in (view.torque[:, i] - without[:, i], effect[:, i]))
        spread = float(view.torque[:, i].std()) ** 2
        top, bottom = top + float(tool @ rest) / spread, bottom + float(tool @ tool) / spread
        before, after = before + float(np.sum((rest - tool) ** 2)) / spread, after + float(rest @ rest) / spread
    return top / bottom if bottom else 1.0, float(np.sqrt(before)), float(np.sqrt(after))
