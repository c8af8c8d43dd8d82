"""Which poses to hold for a gravity model: every joint turned through its range, the others held where gravity bends it most.

A joint feels gravity by the part that is normal to its axis. If the axis is nearly parallel to gravity, the sinusoid is lost in
the noise; so each joint is swept at the pose of the others, among many inside the limits, in which most of gravity is normal
to its axis. Every pose may be approached from both sides, so that stiction cancels. Clearances are not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.engine import current
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.poses import PoseSequence, pose_sequence
from bifilar.robot.robot import Robot

TRIED = 2000  # poses among which each joint's is chosen
PAST = 0.05  # [rad] beyond the ends of a sweep, from where they are approached; a fifth of it [m] for sliding joints
SECONDS = 2.0  # of a move where the robot states no limit of velocity


@dataclass(frozen=True, eq=False, repr=False)
class SweepPlan:
    """Poses to hold, and which joints they show; made by `plan_sweeps`.

    >>> bf.plan_sweeps(bf.Robot.load("panda")).unseen
    ('joint1',)
    """

    motion: PoseSequence
    joint: tuple[str, ...]  # that each held pose sweeps
    held: tuple[bool, ...]  # False: only on the way, to come from the other side
    normal: Array  # (joints,) share of gravity that is normal to the joint's axis in its sweep
    unseen: tuple[str, ...]  # joints that gravity cannot show in any pose: their axis stays parallel to it

    def __repr__(self) -> str:
        lost = f", not {', '.join(self.unseen)}" if self.unseen else ""
        return f"SweepPlan({sum(self.held)} poses in {self.motion.duration:.0f} s{lost})"


def plan_sweeps(
    robot: Robot, *, count: int = 9, hold: float = 1.5, both_sides: bool = True, margin: float = 0.1, seed: int = 0
) -> SweepPlan:
    """Sweeps of every joint through `count` poses inside the limits (less `margin` [rad]), each held for `hold` seconds.

    >>> plan = bf.plan_sweeps(bf.Robot.load("ur10e"), count=5, both_sides=False)
    >>> plan
    SweepPlan(25 poses in ... s, not joint1)
    """
    if count < 4:
        raise MotionError(f"{count} poses of a joint tell no sinusoid with an offset", remedy="count=5 or more")
    lower, upper, room = _range(robot, margin)
    tried = np.random.default_rng(seed).uniform(lower, upper, (TRIED, len(lower)))
    share = _normal(robot, tried)
    best = np.argmax(share, axis=0)
    normal = share[best, np.arange(len(lower))]
    unseen = tuple(name for name, s in zip(robot.joint_names, normal, strict=True) if s < 1e-6)
    poses, owner, kept = [], [], []
    for j, name in enumerate(robot.joint_names):
        if name in unseen:
            continue
        for q in _turned(tried[best[j]], j, np.linspace(lower[j], upper[j], count), both_sides, room[j]):
            poses.append(q[0])
            owner.append(name)
            kept.append(q[1])
    return SweepPlan(_moved(robot, np.array(poses), hold), tuple(owner), tuple(kept), normal, unseen)


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
    if not (np.isfinite(margin) and margin >= 0):
        raise MotionError(f"a margin of {margin}", remedy="zero or more")
    low, high = np.array(robot.limits.lower), np.array(robot.limits.upper)
    slides = np.zeros(len(low), dtype=bool)
    slides[robot.tree.coordinate[robot.tree.prismatic]] = True
    endless = ~(np.isfinite(low) & np.isfinite(high))
    if np.any(slides & endless):
        name = robot.joint_names[int(np.argmax(slides & endless))]
        raise MotionError(f"sliding joint '{name}' has no limits to sweep between", remedy="robot.with_limits(...)")
    middle = np.where(endless, np.clip(0.0, low, high), np.clip(0.0, low + np.pi, np.maximum(high - np.pi, low + np.pi)))
    lower = np.where(slides, low, np.maximum(low, middle - np.pi))
    upper = np.where(slides, high, np.minimum(high, middle + np.pi))
    spare = np.where(slides, np.minimum(margin, 0.1 * (upper - lower)), margin)
    past = np.where(slides, 0.2, 1.0) * PAST
    lower, upper = lower + spare + past, upper - spare - past
    short = upper - lower < np.where(slides, 0.01, 0.2)
    if short.any():
        name = robot.joint_names[int(np.argmax(short))]
        raise MotionError(f"joint '{name}' has no room for a sweep", remedy="a smaller margin, or lock the joint")
    return lower, upper, past


def _normal(robot: Robot, q: Array) -> Array:
    """Share of gravity that is normal to every joint's axis, (poses, joints); sliding joints: along it."""
    tree = robot.tree
    axis = np.einsum("njab,jb->nja", current().poses(tree, q)[0][:, 1:], tree.axis)
    size = float(np.linalg.norm(tree.gravity))
    if size == 0:
        raise MotionError("there is no gravity to measure", remedy="robot.with_gravity(...)")
    along = np.clip(np.abs(axis @ tree.gravity) / size, 0, 1)
    felt = np.where(tree.prismatic, along, np.sqrt(1 - along**2))
    out = np.zeros_like(q)
    for j, k in enumerate(tree.coordinate):
        out[:, k] = np.maximum(out[:, k], felt[:, j])
    return out


def _moved(robot: Robot, poses: Array, hold: float) -> PoseSequence:
    limited = np.isfinite(robot.limits.velocity).all()
    if limited:
        return pose_sequence(robot.joint_names, poses, hold=hold, limits=robot.limits, margin=0.3)
    return pose_sequence(robot.joint_names, poses, hold=hold, move=SECONDS)
