"""Which poses to hold for a gravity model: every joint turned through its range, the others held where gravity bends it most.

A joint feels gravity by the part that is normal to its axis. If the axis is nearly parallel to gravity, the sinusoid is lost in
the noise; so each joint is swept at the pose of the others, among many inside the limits, in which most of gravity is normal
to its axis, and which the motors can hold. The others may also be pressed on their stops: there they cannot give way. Every
pose may be approached from both sides, so that stiction cancels. Clearances are not looked at.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.engine import current
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.files import save_motion
from bifilar.experiment.poses import PoseSequence, pose_sequence
from bifilar.robot.robot import Robot

TRIED = 2000  # poses among which each joint's is chosen
LOOKED = 200  # of them, best first, that are looked at for torque
PARALLEL = 1e-6  # share of gravity normal to an axis below which the axis is parallel to it
PAST = 0.05  # [rad] beyond the ends of a sweep, from where they are approached; a fifth of it [m] for sliding joints
SECONDS = 2.0  # of a move where the robot states no limit of velocity
BLIND = "no clearance was looked at: run it slowly first, above the table"


@dataclass(frozen=True, eq=False, repr=False)
class SweepPlan:
    """Poses to hold, and which joints they show; made by `bf.design(robot, kind="sweep")`.

    >>> bf.design(bf.Robot.load("panda"), kind="sweep").unseen
    ('joint1',)
    """

    robot: Robot
    motion: PoseSequence
    joint: tuple[str, ...]  # that each held pose sweeps
    held: tuple[bool, ...]  # False: only on the way, to come from the other side
    normal: Array  # (joints,) share of gravity that is normal to the joint's axis in its sweep
    unseen: tuple[str, ...]  # joints that gravity cannot show in any pose: their axis stays parallel to it

    def save(self, path: str | os.PathLike[str], *, rate: float = 100.0) -> None:
        """Write the motion (.csv or .parquet), `rate` samples per second.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "sweeps.csv")
        >>> bf.design(bf.Robot.load("two_link"), kind="sweep").save(file)
        >>> len(bf.load_motion(file)) > 1000
        True
        """
        notes = [f"sweeps of {self.robot.name}: {sum(self.held)} poses", BLIND]
        units = dict.fromkeys(self.robot.sliding, "m")
        save_motion(path, self.motion.sample(rate), units=units or None, comments=notes)

    def __repr__(self) -> str:
        lost = f", not {', '.join(self.unseen)}" if self.unseen else ""
        return f"SweepPlan({sum(self.held)} poses in {self.motion.duration:.0f} s{lost})"


def plan_sweeps(
    robot: Robot,
    *,
    count: int = 9,
    hold: float = 1.5,
    both_sides: bool = True,
    at_stops: bool = False,
    margin: float = 0.05,
    seed: int = 0,
) -> SweepPlan:
    """What `bf.design(robot, kind="sweep")` does; the words are explained there.

    >>> plan_sweeps(bf.Robot.load("ur10e"), count=5, both_sides=False)
    SweepPlan(25 poses in ... s, not joint1)
    """
    if count < 4:
        raise MotionError("sweep.poses", count=count)
    lower, upper, room = _range(robot, margin)
    tried = _tried(robot, lower, upper, at_stops, np.random.default_rng(seed))
    share = _normal(robot, tried)
    poses, owner, kept, normal = [], [], [], np.zeros(len(lower))
    for j, name in enumerate(robot.joint_names):
        angles = np.linspace(lower[j], upper[j], count)
        if share[:, j].max() < PARALLEL:
            continue
        chosen = _held_by_motors(robot, tried, share[:, j], j, angles)
        normal[j] = share[chosen, j]
        for q in _turned(tried[chosen], j, angles, both_sides, room[j]):
            poses.append(q[0])
            owner.append(name)
            kept.append(q[1])
    unseen = tuple(name for name, s in zip(robot.joint_names, normal, strict=True) if s < PARALLEL)
    if not poses:
        raise MotionError("gravity.not_shown")
    return SweepPlan(robot, held_poses(robot, np.array(poses), hold), tuple(owner), tuple(kept), normal, unseen)


def _tried(robot: Robot, lower: Array, upper: Array, at_stops: bool, rng: np.random.Generator) -> Array:
    """Poses among which each joint's is chosen: anywhere inside the limits, or each joint on one of its stops."""
    if not at_stops:
        return rng.uniform(lower, upper, (TRIED, len(lower)))
    stops = np.stack([robot.limits.lower, robot.limits.upper])
    if not np.isfinite(stops).all():
        name = robot.joint_names[int(np.argmin(np.isfinite(stops).all(axis=0)))]
        raise MotionError("limits.no_stops", name=name)
    ends = rng.integers(0, 2, (TRIED, len(lower)))
    return np.asarray(stops[ends, np.arange(len(lower))])


def _held_by_motors(robot: Robot, tried: Array, share: Array, j: int, angles: Array) -> int:
    """The pose with most of gravity normal to the joint's axis whose whole sweep the motors can hold."""
    order = np.argsort(-share, kind="stable")
    for k in map(int, order[:: max(1, len(order) // LOOKED)]):
        q = np.repeat(tried[k][None], len(angles), axis=0)
        q[:, j] = angles
        if np.all(np.abs(robot.gravity_torque(q)) <= robot.limits.effort) and share[k] >= PARALLEL:
            return k
    raise MotionError("sweep.no_pose", joint_name=robot.joint_names[j])


def _turned(pose: Array, j: int, angles: Array, both: bool, past: float) -> list[tuple[Array, bool]]:
    """Upwards from below the first, and back downwards from beyond the last if both sides are asked for."""
    ways = [(angle, True) for angle in angles]
    if both:
        ways = [(angles[0] - past, False), *ways, (angles[-1] + past, False), *reversed(ways)]
    out = []
    for angle, held in ways:
        q = pose.copy()
        q[j] = angle
        out.append((q, held))
    return out


def _range(robot: Robot, margin: float) -> tuple[Array, Array, Array]:
    """Limits less the margin, of at most one turn; and how far beyond a sweep may be approached from."""
    if not (isinstance(margin, (int, float, np.number)) and 0 <= margin < 1):
        raise MotionError("margin.wrong/envelope", margin=margin)
    low, high = np.array(robot.limits.lower), np.array(robot.limits.upper)
    slides = np.isin(robot.joint_names, list(robot.sliding))
    endless = ~(np.isfinite(low) & np.isfinite(high))
    if np.any(slides & endless):
        name = robot.joint_names[int(np.argmax(slides & endless))]
        raise MotionError("limits.missing/sweep_plan", name=name)
    with np.errstate(invalid="ignore"):
        spare = np.where(endless, 0.0, 0.5 * margin * (high - low))
    low, high = low + spare, high - spare
    middle = np.where(endless, np.clip(0.0, low, high), np.clip(0.0, low + np.pi, np.maximum(high - np.pi, low + np.pi)))
    lower = np.where(slides, low, np.maximum(low, middle - np.pi))
    upper = np.where(slides, high, np.minimum(high, middle + np.pi))
    past = np.where(slides, 0.2, 1.0) * PAST
    lower, upper = lower + past, upper - past
    short = upper - lower < np.where(slides, 0.01, 0.2)
    if short.any():
        name = robot.joint_names[int(np.argmax(short))]
        raise MotionError("limits.no_room/sweep_plan", name=name)
    return lower, upper, past


def _normal(robot: Robot, q: Array) -> Array:
    """Share of gravity that is normal to every joint's axis, (poses, joints); sliding joints: along it."""
    tree = robot.tree
    axis = np.einsum("njab,jb->nja", current().poses(tree, q)[0][:, 1:], tree.axis)
    size = float(np.linalg.norm(tree.gravity))
    if size == 0:
        raise MotionError("gravity.none/sweep_plan")
    along = np.clip(np.abs(axis @ tree.gravity) / size, 0, 1)
    felt = np.where(tree.prismatic, along, np.sqrt(1 - along**2))
    out = np.zeros_like(q)
    for j, k in enumerate(tree.coordinate):
        out[:, k] = np.maximum(out[:, k], felt[:, j])
    return out


def held_poses(robot: Robot, poses: Array, hold: float) -> PoseSequence:
    """A motion that holds every pose, at a third of the robot's limits of velocity between them.

    >>> held_poses(bf.Robot.load("two_link"), np.zeros((3, 2)), 1.5).poses.shape
    (3, 2)
    """
    limited = np.isfinite(robot.limits.velocity).all()
    if limited:
        return pose_sequence(robot.joint_names, poses, hold=hold, limits=robot.limits, margin=0.3)
    return pose_sequence(robot.joint_names, poses, hold=hold, move=SECONDS)
