"""Torques of a robot and of the file it was written to, at states that excite everything.

    difference = largest |torque of the file - torque of the robot|, relative to the largest torque of the same joint

(relative to a thousandth of the largest torque of all where a joint's own is smaller). The robot's torque here is that of its
bodies and of the friction that the format can carry; everything else is named as lost, so the comparison is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.random_states import random_states
from bifilar.dynamics.state import BaseMotion
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.export.carried_friction import as_stated
from bifilar.export.formats import Format
from bifilar.robot.robot import Robot

SAMPLES = 40
LARGEST = 1e-9  # relative difference that is still the same robot
LEAST_SCALE = 1e-3  # of the largest torque: what a joint's difference is measured against at least


@dataclass(frozen=True, eq=False)
class States:
    """Motions to compare torques at; `base` only of a robot that floats.

    >>> states_of(bf.Robot.load("two_link")).q.shape
    (40, 2)
    """

    q: Array
    v: Array
    a: Array
    base: BaseMotion | None


def states_of(robot: Robot, samples: int = SAMPLES) -> States:
    """Random states, the same every time: joints over the whole circle, a base that turns, leans and accelerates.

    >>> states_of(bf.Robot.load("pendulum", floating=True)).base.samples
    40
    """
    rng = np.random.default_rng(20)
    state = random_states(robot.tree, Columns.none(robot.tree.n_coordinates), samples, rng)
    if not robot.is_floating:
        return States(state.q, state.v, state.a, None)
    pose = rng.normal(size=(samples, 7))
    pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    return States(state.q, state.v, state.a, BaseMotion(pose, *(2 * rng.normal(size=(2, samples, 6)))))


def carried_torque(robot: Robot, format: Format, states: States) -> Array:
    """What the file must give: bodies, and the friction that the format's joints can state.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Offset(), {"joint1.offset": 5.0})
    >>> states = states_of(robot)
    >>> torque = carried_torque(robot, "URDF", states)
    >>> bool(np.allclose(torque, robot.with_friction(None).inverse_dynamics(states.q, states.v, states.a)))
    True
    """
    return as_stated(robot, format).inverse_dynamics(states.q, states.v, states.a, base=states.base)


def difference(read: Array, wanted: Array) -> float:
    """Largest difference, relative to the torque's size; infinite where a torque is not finite.

    >>> difference(np.array([[1.0, 2.0]]), np.array([[1.0, 2.2]])) < 0.1
    True
    """
    if read.shape != wanted.shape or not np.isfinite(read).all():
        return float("inf")
    if not wanted.size:
        return 0.0
    size = np.max(np.abs(wanted), axis=0)
    scale = np.maximum(size, LEAST_SCALE * size.max())
    off = np.max(np.abs(read - wanted), axis=0)
    return float(np.max(np.divide(off, scale, out=off.copy(), where=scale > 0)))


def demand(off: float, reader: str, where: str) -> None:
    """Refuse a file that is another robot.

    >>> demand(1e-3, "MuJoCo", "arm.xml")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: joint torques of the written file, read again by MuJoCo, are off by 0.001 of their size
    ...
    """
    if not off <= LARGEST:
        raise RobotError("export.torque_differs", where=where, reader=reader, off=off, largest=LARGEST)
