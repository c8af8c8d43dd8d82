"""Somebody pushes the robot: a torque at a joint, or a force and a moment on a link, for a while.

    what acts on the joints = torque of the push,   or   J(q)' (force, moment)

Forces and moments keep their direction in the world while the link moves; they act at a point that moves with the link.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError, near_names
from bifilar.robot.model import Model


@dataclass(frozen=True, kw_only=True)
class JointPush:
    """A torque on one joint, from the outside: its drive does not feel it.

    >>> JointPush(joint="joint4", torque=20.0, start=2.0, stop=2.5).acts(2.4)
    True
    """

    joint: str
    torque: float  # [N m] or [N]
    start: float  # [s]
    stop: float  # [s]

    def __post_init__(self) -> None:
        _checked(self, "torque")

    def acts(self, time: float) -> bool:
        """Whether it pushes at this instant.

        >>> JointPush(joint="joint4", torque=20.0, start=2.0, stop=2.5).acts(2.5)
        False
        """
        return self.start <= time < self.stop


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkPush:
    """A force and a moment on a link, axes of the world.

    >>> LinkPush(link="link7", force=[0.0, 0.0, -20.0], start=1.0, stop=2.0).moment
    array([0., 0., 0.])
    """

    link: str
    start: float  # [s]
    stop: float  # [s]
    force: Array = field(default_factory=lambda: np.zeros(3))  # [N]
    moment: Array = field(default_factory=lambda: np.zeros(3))  # [N m]
    point: Array = field(default_factory=lambda: np.zeros(3))  # [m] where the force acts, in the link's frame

    def __post_init__(self) -> None:
        for name in ("force", "moment", "point"):
            object.__setattr__(self, name, _three(name, getattr(self, name)))
        _checked(self, "force", "moment", "point")

    def acts(self, time: float) -> bool:
        """Whether it pushes at this instant.

        >>> LinkPush(link="link7", force=[0.0, 0.0, -20.0], start=1.0, stop=2.0).acts(0.5)
        False
        """
        return self.start <= time < self.stop


Push = JointPush | LinkPush


def known(pushes: Any, model: Model) -> tuple[Push, ...]:
    """The pushes as a tuple, if this robot has what they push.

    >>> known([JointPush(joint="elbow", torque=1.0, start=0.0, stop=1.0)], bf.Robot.load("pendulum"))
    Traceback (most recent call last):
    bifilar.errors.RobotError: a push on 'elbow', which the robot does not have
      names   joint1
    """
    pushes = (pushes,) if isinstance(pushes, Push) else tuple(pushes)
    for push in pushes:
        if not isinstance(push, Push):
            raise ShapeError("push.form/pushes", push=push)
        joint = isinstance(push, JointPush)
        name, names = (push.joint, model.joint_names) if isinstance(push, JointPush) else (push.link, model.frame_names)
        if name not in names:
            raise RobotError(
                "link.unknown/pushes", names=names if joint else names[:12], name=name, near=near_names(name, names)
            )
    return pushes


def joint_torque(pushes: tuple[Push, ...], joint_names: tuple[str, ...], time: float) -> Array:
    """Sum of the joint pushes at an instant, (joints,).

    >>> joint_torque((JointPush(joint="a", torque=2.0, start=0.0, stop=1.0),), ("b", "a"), 0.5)
    array([0., 2.])
    """
    total = np.zeros(len(joint_names))
    for push in pushes:
        if isinstance(push, JointPush) and push.acts(time):
            total[joint_names.index(push.joint)] += push.torque
    return total


def _checked(push: Push, *names: str) -> None:
    if not all(np.isfinite(getattr(push, name)).all() for name in (*names, "start", "stop")) or push.stop <= push.start:
        raise ShapeError("push.form/checked", push=push)


def _three(name: str, value: ArrayLike) -> Array:
    array = np.array(value, dtype=float)
    if array.shape != (3,):
        raise ShapeError("push.form/three", name=name, value=value)
    array.flags.writeable = False
    return array
