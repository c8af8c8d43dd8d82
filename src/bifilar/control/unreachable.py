"""The letter about a path that a robot cannot follow: where along it, how far out of reach, and what would go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.control.cartesian_path import CartesianPath
from bifilar.control.inverse_kinematics import Posture, Target, nearest, solve_poses
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError, Remedy
from bifilar.robot.robot import Robot

PROBES = 24  # places along the path that are tried
AT_STOP = 0.02  # of its range from a joint's stop counts as at it
HALVINGS = 7  # of the search for the largest path


def unreachable(robot: Robot, frame: str, path: CartesianPath, held: Array | None, s: float, near: Array) -> MotionError:
    """What to say of a path that was lost at s, the joints being at `near`.

    >>> robot, above = bf.Robot.load("pendulum"), bf.Line([0, 0, 5.0], [0, 0, 5.1])
    >>> print(unreachable(robot, "link1", above, None, 0.0, np.zeros(1)).what)
    the path cannot be followed: at 92 % of the way 'link1' stays 5.1 m away from it
    """
    worst = _worst(robot, frame, path, held, s, near)
    kind = type(path).__name__.lower()
    point = path.point(np.array([worst.s]))[0]
    reached = robot.pose(frame, worst.q)[1].reshape(3)
    facts = {"point": _point(point), "reached": _point(reached)} if worst.distance > 1e-4 else {"point": _point(point)}
    far, turned = worst.distance > 1e-4, worst.turn > 1e-3
    return MotionError(
        "path.jump/far" if far else "path.jump/turned" if turned else "path.jump/posture",
        share=worst.s / path.turns,
        frame=frame,
        distance=worst.distance,
        degrees=float(np.degrees(worst.turn)),
        where=f"{kind} at s = {worst.s:.3g} of {path.turns:g}",
        likely=_why(robot, worst),
        remedy=_what_goes(
            robot, frame, path, held, near, "the way from point to reached" if worst.distance > 1e-4 else "to another place"
        ),
        **facts,
    )


def _point(place: Array) -> str:
    return "(" + ", ".join(f"{round(x, 6) + 0.0:.4g}" for x in place.tolist()) + ") m"


@dataclass(frozen=True, eq=False)
class _Worst:
    s: float
    distance: float  # [m] that are left
    turn: float  # [rad] that are left
    q: Array


def _worst(robot: Robot, frame: str, path: CartesianPath, held: Array | None, s: float, near: Array) -> _Worst:
    """The place of the whole path that is farthest out of reach; where it was lost, if all of it can be reached somehow."""
    found, posture, rng = [], Posture.of(robot, near), np.random.default_rng(0)
    starts = [near, *(posture.middle + 0.7 * posture.half * rng.uniform(-1, 1, (2, len(near))))]  # one alone may be a saddle
    for at in np.unique(np.concatenate([[s], np.linspace(0, path.turns, PROBES // 2, endpoint=False)])):
        target = Target.along(path, np.array([at]), held)
        q, left = min((nearest(robot, frame, target, start) for start in starts), key=lambda one: np.linalg.norm(one[1]))
        found.append(_Worst(float(at), float(np.linalg.norm(left[:3])), float(np.linalg.norm(left[3:])), q))
    worst = max(found, key=lambda one: (one.distance > 1e-4, one.distance, one.turn))
    return worst if worst.distance > 1e-4 or worst.turn > 1e-3 else next(one for one in found if one.s == s)


def _why(robot: Robot, worst: _Worst) -> str:
    lower, upper = robot.limits.lower, robot.limits.upper
    span = np.where(np.isfinite(upper - lower), upper - lower, np.inf)
    close = np.minimum(worst.q - lower, upper - worst.q) < AT_STOP * span
    names = [name for name, there in zip(robot.joint_names, close & np.isfinite(span), strict=True) if there]
    if names:
        return f"{', '.join(names)} at the end of {'its' if len(names) == 1 else 'their'} range"
    return "the arm is stretched out" if worst.distance > 1e-4 else "an orientation that the arm cannot have there"


def _what_goes(robot: Robot, frame: str, path: CartesianPath, held: Array | None, near: Array, whither: str) -> str:
    """The largest path of this shape, or a free orientation, or another place."""
    fixed = held is not None or path.rotation(np.zeros(1)) is not None
    if fixed and _reaches(robot, frame, path, held, near, free=True):
        return Remedy(
            "(orientation='free', points without rotations)",
            cli="(without --held or quaternions)",
            lead="leave the orientation free ",
        )
    if not _reaches(robot, frame, path.shrunk(1e-3), held, near):
        if fixed and _reaches(robot, frame, path.shrunk(1e-3), held, near, free=True):
            return Remedy(
                "(start=...)",
                cli="(--start)",
                lead="leave the orientation free and make the path smaller, or begin in another posture ",
            )
        return f"move the path {whither}"
    low, high = 1e-3, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _reaches(robot, frame, path.shrunk(middle), held, near) else (low, middle)
    if high == 1.0 and low > 0.98:
        return Remedy(
            "(start=...), or leave the orientation free",
            cli="(--start), or leave the orientation free",
            lead="begin in another posture ",
        )
    kind = {"Circle": "a radius", "Line": "a length"}.get(type(path).__name__, "an extent")
    return f"{kind} of up to {low * path.size:.3g} m about the same middle goes; or move the path {whither}"


def _reaches(robot: Robot, frame: str, path: CartesianPath, held: Array | None, near: Array, *, free: bool = False) -> bool:
    """Whether every place can be reached, each from the nearest posture found there."""
    s = np.linspace(0, path.turns, PROBES, endpoint=False)
    target = Target.along(path, s, held)
    if free:
        target = Target(target.point)
    rng = np.random.default_rng(0)
    posture = Posture.of(robot, near)
    ok = np.zeros(len(s), dtype=bool)
    for spread in (0.0, 0.5, 1.0, 1.0):  # from here, then from elsewhere
        rest = np.flatnonzero(~ok)
        if not len(rest):
            break
        begin = near + spread * posture.half * rng.uniform(-0.9, 0.9, (len(rest), len(near)))
        some = target.at(rest)
        ok[rest] = solve_poses(robot, frame, some, begin, posture)[1] < 1e-6
    return bool(ok.all())
