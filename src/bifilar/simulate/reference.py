"""The motion a virtual robot is to play, on the controller's clock and in the robot's order of joints.

A trajectory (anything with `joint_names`, `duration` and `at(time)`) is asked at every tick. Samples (a Motion, a Recording, or
time, position, velocity) are joined by cubics that have these velocities.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers, states
from bifilar.dynamics.tree import Array
from bifilar.errors import Remedy, RobotError, ShapeError, near_names
from bifilar.experiment.trajectory import Motion, Trajectory
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

RENAMED = Remedy(
    "robot.renamed(...) gives other names", cli="rename the columns of the motion, or the joints of the description"
)

MOST_TICKS = 50_000_000
SLACK = 1e-6  # [rad] or [m] beyond a limit that is rounding


Playable = Trajectory | Motion | Recording | tuple[ArrayLike, ArrayLike, ArrayLike]


class Reference(NamedTuple):
    """Wanted positions and velocities, one row per tick of the controller.

    >>> Reference(np.zeros(3), np.zeros((3, 1)), np.zeros((3, 1))).time.shape
    (3,)
    """

    time: Array  # (ticks,) [s]
    position: Array  # (ticks, joints)
    velocity: Array


def reference(robot: Robot, motion: Playable, rate: float) -> Reference:
    """A motion at `rate` ticks per second, first and last instant included.

    >>> time, swing = np.array([0.0, 1.0]), np.array([[0.0], [0.5]])
    >>> reference(bf.Robot.load("pendulum"), (time, swing, 0 * swing), 4.0).position.ravel()
    array([0.      , 0.078125, 0.25    , 0.421875, 0.5     ])
    """
    return Reference(*_played(robot, motion, rate, ("position", "velocity")))


def wanted_motion(robot: Robot, motion: Playable, rate: float) -> Motion:
    """The same with accelerations; those of joined samples are the cubics'.

    >>> move = bf.quintic(["joint1"], [[0.0], [0.5]], [0.0, 1.0])
    >>> wanted_motion(bf.Robot.load("pendulum"), move, 4.0).acceleration[2]
    array([0.])
    """
    names = ("position", "velocity", "acceleration")
    time, *states_of = _played(robot, motion, rate, names)
    return Motion(joint_names=robot.joint_names, time=time, **dict(zip(names, states_of)))


def _played(robot: Robot, motion: Playable, rate: float, parts: tuple[str, ...]) -> list[Array]:
    """Times, then these parts of the motion at each of them, in the robot's order."""
    if _is_trajectory(motion):
        order = _order(robot, motion.joint_names)
        time = ticks(float(motion.duration), rate)
        found = motion.at(time)
        lacking = [name for name in parts if getattr(found, name, None) is None]
        if lacking:
            raise ShapeError("motion.channel_missing/reference", lacking=lacking[0], parts=parts)
        rows, _ = states(motion.joint_names, floating=False, **{name: getattr(found, name) for name in parts})
    else:
        names, stamps, position, velocity = _samples(robot, motion)
        order = _order(robot, names)
        (q, v), _ = states(names, position=position, velocity=velocity)
        time = ticks(float(stamps[-1] - stamps[0]), rate)
        rows = list(_joined(stamps - stamps[0], q, v, time)[: len(parts)])
    if len(rows[0]) != len(time):
        raise ShapeError("motion.length/reference", row_count=len(rows[0]), time_count=len(time))
    rows = [np.ascontiguousarray(x[:, order]) for x in rows]
    _inside(robot, time, rows[0])
    return [time, *rows]


def _is_trajectory(motion: object) -> TypeGuard[Trajectory]:
    return all(hasattr(motion, name) for name in ("joint_names", "duration", "at"))


def _order(robot: Robot, names: tuple[str, ...]) -> list[int]:
    """Where the robot's joints are among the motion's."""
    names = tuple(names)
    unknown = [name for name in names if name not in robot.joint_names]
    missing = [name for name in robot.joint_names if name not in names]
    facts: dict[str, Any] = {"motion": list(names), "robot": list(robot.joint_names)}
    if unknown:
        raise RobotError(
            "motion.joints_unknown",
            list=_list(unknown),
            name=robot.name,
            near=near_names(unknown[0], robot.joint_names),
            **facts,
        )
    if missing or len(names) != len(robot.joint_names):
        raise RobotError(
            "motion.joints_missing/reference" if missing else "motion.joints_missing/order", list=_list(missing), **facts
        )
    return [names.index(name) for name in robot.joint_names]


def _list(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def ticks(duration: float, rate: float) -> Array:
    """Instants of a clock, first and last included, (ticks,) [s].

    >>> ticks(1.0, 2.0)
    array([0. , 0.5, 1. ])
    """
    if not 0 < duration < np.inf:
        raise ShapeError("motion.duration", duration=duration)
    if duration * rate > MOST_TICKS:
        raise ShapeError("motion.too_long/reference", duration=duration, rate=rate, most_ticks=MOST_TICKS)
    return np.arange(int(np.floor(duration * rate + 1e-9)) + 1) / rate


def _samples(robot: Robot, motion: Any) -> tuple[tuple[str, ...], Array, ArrayLike, ArrayLike]:
    """Joint names, stamps, positions and velocities of a table of samples."""
    if all(hasattr(motion, name) for name in ("joint_names", "time", "position", "velocity")):
        names, parts = tuple(motion.joint_names), (motion.time, motion.position, motion.velocity)
    elif isinstance(motion, (tuple, list)) and len(motion) == 3:
        names, parts = robot.joint_names, tuple(motion)
    else:
        raise ShapeError("motion.form", kind=type(motion).__name__)
    if parts[2] is None:
        raise ShapeError("motion.no_velocity")
    stamps = numbers("time", parts[0])
    if stamps.ndim != 1 or len(stamps) < 2 or not np.isfinite(stamps).all() or np.any(np.diff(stamps) <= 0):
        raise ShapeError("clock.not_rising/reference")
    lengths = {name: len(numbers(name, part)) for name, part in zip(("position", "velocity"), parts[1:])}
    wrong = [name for name, length in lengths.items() if length != len(stamps)]
    if wrong:
        raise ShapeError("motion.length/samples", wrong=wrong[0], length=lengths[wrong[0]], stamp_count=len(stamps))
    return names, stamps, parts[1], parts[2]


def _joined(stamps: Array, q: Array, v: Array, time: Array) -> tuple[Array, Array, Array]:
    """Cubic Hermite interpolation, and its derivatives."""
    k = np.clip(np.searchsorted(stamps, time, side="right") - 1, 0, len(stamps) - 2)
    width = np.diff(stamps)[k][:, None]
    s = np.clip((time - stamps[k])[:, None] / width, 0.0, 1.0)
    start, stop, rise, fall = q[k], q[k + 1], width * v[k], width * v[k + 1]
    bend, twist = 3 * (stop - start) - 2 * rise - fall, 2 * (start - stop) + rise + fall
    way, speed = start + s * (rise + s * (bend + s * twist)), (rise + s * (2 * bend + 3 * s * twist)) / width
    return way, speed, (2 * bend + 6 * s * twist) / width**2


def _inside(robot: Robot, time: Array, q: Array) -> None:
    """Refuse positions that the joints cannot reach: the plant has no end stops."""
    lower, upper = robot.limits.lower, robot.limits.upper
    for k, name in enumerate(robot.joint_names):
        over = np.maximum(lower[k] - q[:, k], q[:, k] - upper[k])
        worst = int(np.argmax(over))
        if over[worst] > SLACK:
            limits = f"{lower[k]:.4g} to {upper[k]:.4g}"
            raise RobotError("motion.outside_limits", limits=limits, name=name, q=q[worst, k], time=time[worst])
