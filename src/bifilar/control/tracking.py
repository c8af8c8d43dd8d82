"""How well a loop followed: errors of the joints and of the tool, what a push did, what was left of the torque.

tool       distance between where the tool was and where it should have been at that instant
path       distance to the nearest place of the path, whenever: what the tool draws
push       the pushed run less the same run without the push; overshoot and settling count from its end
margin     1 - |torque| / limit, the least over the run
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.control.cartesian import PathMotion
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.robot.robot import Robot
from bifilar.simulate.closed_loop import LoopRun

SETTLED = 0.05  # of the deviation at the end of a push
THEORY = 4.744  # omega t at which a critically damped error has fallen to a twentieth: (1 + x) exp(-x) = 0.05
FINE = 4000  # places of a path that are looked at


@dataclass(frozen=True, eq=False)
class Tracking:
    """Of one run; lengths in m, angles in rad.

    >>> robot = bf.Robot.load("pendulum")
    >>> run = bf.run_loop(robot, bf.ComputedTorque(robot, omega=20.0), bf.quintic(["joint1"], [[0.0], [0.5]], [0.0, 1.0]))
    >>> found = tracking(robot, run, "link1")
    >>> bool(found.joint_rms[0] < 1e-3), found.tool.shape
    (True, (1001,))
    """

    joint_names: tuple[str, ...]
    joint_rms: Array  # (joints,) of reference less position
    joint_max: Array  # (joints,)
    tool: Array  # (ticks,) [m] distance of the tool from where it should be
    path: Array | None  # (ticks,) [m] distance of the tool from its path, where it has one
    margin: Array  # (joints,) least share of the torque limits that was left; negative where more was asked for
    saturated: Array  # (joints,) share of the ticks at which the drive gave all it has

    @property
    def tool_rms(self) -> float:
        """Root mean square [m].

        >>> Tracking(("a",), *np.zeros((2, 1)), np.full(4, 2.0), None, *np.zeros((2, 1))).tool_rms
        2.0
        """
        return rms(self.tool)

    @property
    def path_rms(self) -> float | None:
        """Root mean square [m]; None for a motion that has no path.

        >>> Tracking(("a",), *np.zeros((2, 1)), np.zeros(4), np.full(4, 2.0), *np.zeros((2, 1))).path_rms
        2.0
        """
        return None if self.path is None else rms(self.path)


def tracking(
    robot: Robot, run: LoopRun, frame: str, *, motion: PathMotion | None = None, limits: Array | None = None
) -> Tracking:
    """Errors of a run; `motion` is the path that was asked for, `limits` those of the drives (the robot's if left out).

    >>> robot = bf.Robot.load("pendulum")
    >>> run = bf.run_loop(robot, bf.ComputedTorque(robot, omega=20.0), bf.quintic(["joint1"], [[0.0], [0.5]], [0.0, 1.0]))
    >>> bool(tracking(robot, run, "link1").margin[0] > 0)
    True
    """
    tool = robot.pose(frame, run.position)[1]
    wanted = robot.pose(frame, run.reference.position)[1]
    top = robot.limits.effort if limits is None else np.broadcast_to(limits, robot.limits.effort.shape)
    path = None if motion is None else distance_to_path(tool, motion)
    return Tracking(
        joint_names=run.joint_names,
        joint_rms=np.sqrt((run.error**2).mean(axis=0)),
        joint_max=np.abs(run.error).max(axis=0),
        tool=np.linalg.norm(tool - wanted, axis=1),
        path=path,
        margin=1 - np.abs(run.command).max(axis=0) / top,
        saturated=(np.abs(run.torque) >= top * (1 - 1e-9)).mean(axis=0),
    )


def distance_to_path(points: Array, motion: PathMotion) -> Array:
    """From every point (N, 3) to the nearest place of a path [m], (N,).

    >>> robot = bf.Robot.load("panda")
    >>> motion = bf.cartesian_motion(robot, bf.Circle([0.45, 0.0, 0.5], 0.1), duration=4.0)
    >>> distance_to_path(np.array([[0.45, 0.0, 0.5]]), motion).round(3)
    array([0.1])
    """
    from scipy.spatial import cKDTree

    fine = motion.target.point(np.linspace(0, motion.target.turns, FINE + 1))
    near = cKDTree(fine).query(points)[1]
    best = np.full(len(points), np.inf)
    for first in (np.maximum(near - 1, 0), np.minimum(near, FINE - 1)):  # the two pieces that meet at the nearest place
        start, way = fine[first], fine[first + 1] - fine[first]
        share = np.clip(((points - start) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-300), 0, 1)
        best = np.minimum(best, np.linalg.norm(points - start - share[:, None] * way, axis=1))
    return best


@dataclass(frozen=True)
class PushResponse:
    """What a push on one joint did.

    >>> PushResponse("joint4", 0.15, 0.01, 0.25, 0.24).joint
    'joint4'
    """

    joint: str
    deviation: float  # [rad] or [m] when the push ended
    overshoot: float  # share of it by which the joint swung to the other side
    settling: float  # [s] until it stayed below a twentieth
    theory: float  # [s] the same for critically damped error dynamics


def push_response(pushed: LoopRun, undisturbed: LoopRun, joint: str, stop: float, omega: float) -> PushResponse:
    """Overshoot and settling of a joint after a push that ended at `stop` [s].

    >>> robot = bf.Robot.load("pendulum")
    >>> move, law = bf.quintic(["joint1"], [[0.0], [0.5]], [0.0, 2.0]), bf.ComputedTorque(robot, omega=20.0)
    >>> push = bf.JointPush(joint="joint1", torque=2.0, start=0.5, stop=1.0)
    >>> found = push_response(bf.run_loop(robot, law, move, pushes=push), bf.run_loop(robot, law, move), "joint1", 1.0, 20.0)
    >>> bool(found.overshoot < 0.05), round(found.theory, 3)
    (True, 0.237)
    """
    k, j = int(np.searchsorted(pushed.time, stop - 1e-9)), pushed.joint_names.index(joint)
    if k >= len(pushed.time) - 1 or len(pushed.time) != len(undisturbed.time):
        raise ShapeError("push.too_late")
    off = (pushed.position - undisturbed.position)[k:, j]
    if off[0] == 0:
        return PushResponse(joint, 0.0, 0.0, 0.0, THEORY / omega)
    share = off / off[0]
    outside = np.flatnonzero(np.abs(share) > SETTLED)
    settling = float(pushed.time[k + outside[-1]] - pushed.time[k]) if len(outside) else 0.0
    return PushResponse(joint, float(off[0]), float(max(-share.min(), 0.0)), settling, THEORY / omega)


def rms(x: Array) -> float:
    """Root mean square.

    >>> rms(np.array([2.0, -2.0]))
    2.0
    """
    return float(np.sqrt(np.mean(np.square(x))))
