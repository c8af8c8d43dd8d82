"""A path in space as a motion of the joints: inverse kinematics at knots, smooth pieces between them, a time law along it.

    q(t) = Q(s(t)),   v = Q' s',   a = Q'' s'^2 + Q' s''

Q is a spline of fifth degree through the solved knots, so velocity and acceleration are the exact derivatives of position, and
knots are added until the tool is within `CLOSE_ENOUGH` of the path between them too. The time law runs up to a constant speed
and down again, from rest to rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bifilar.control.cartesian_path import CartesianPath
from bifilar.control.inverse_kinematics import Posture, Target, pose_error, solve_poses
from bifilar.control.unreachable import unreachable
from bifilar.dynamics.state import table
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError, RobotError
from bifilar.experiment.checks import inside, positive
from bifilar.experiment.piecewise import Piecewise, hermite
from bifilar.experiment.trajectory import Curve, Derivatives
from bifilar.robot.robot import Robot

CLOSE_ENOUGH = 1e-6  # [m], [rad] of the tool from its path, between the knots
REACHED = 1e-7  # [m], [rad] of the tool from its path, at the knots
FIRST_KNOTS, MOST_KNOTS = 24, 1600  # per unit of s, and in all
STARTS = 24  # postures that are tried at the beginning of a path
JUMP = 1.0  # [rad] or [m] from one knot to the next: another branch of the solution, not the same motion


@dataclass(frozen=True, eq=False, repr=False)
class PathMotion(Curve):
    """A joint path Q(s) and a time law s(t); what `cartesian_motion` makes.

    >>> robot = bf.Robot.load("panda")
    >>> motion = bf.cartesian_motion(robot, bf.Circle([0.45, 0.0, 0.5], 0.1), duration=4.0)
    >>> motion.duration, motion.at(0.0).velocity.any()
    (4.0, np.False_)
    """

    path: Piecewise  # joints over s
    law: Piecewise  # s over time
    target: CartesianPath
    frame: str  # of the robot, that follows the path
    rotation: Array | None = None  # (3, 3) held on the whole way, where the path itself has no orientation

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint_names", self.path.joint_names)

    @property
    def duration(self) -> float:
        """Length in seconds.

        >>> robot = bf.Robot.load("panda")
        >>> bf.cartesian_motion(robot, bf.Line([0.4, 0, 0.5], [0.4, 0.2, 0.5]), duration=2.0).duration
        2.0
        """
        return self.law.duration

    def with_law(self, law: Piecewise) -> PathMotion:
        """The same path by another time law.

        >>> robot = bf.Robot.load("panda")
        >>> motion = bf.cartesian_motion(robot, bf.Line([0.4, 0, 0.5], [0.4, 0.2, 0.5]), duration=2.0)
        >>> motion.with_law(time_law(1.0, 5.0)).duration
        5.0
        """
        return PathMotion(self.path, law, self.target, self.frame, self.rotation)

    def wanted(self, time: ArrayLike) -> Target:
        """Where the tool is asked to be at these instants.

        >>> robot = bf.Robot.load("panda")
        >>> line = bf.Line([0.4, 0, 0.5], [0.4, 0.2, 0.5])
        >>> bf.cartesian_motion(robot, line, duration=2.0).wanted([0.0, 2.0]).point.round(9) + 0.0
        array([[0.4, 0. , 0.5],
               [0.4, 0.2, 0.5]])
        """
        return Target.along(self.target, self.law.at(time).position[:, 0], self.rotation)

    def _derivatives(self, time: Array) -> Derivatives:
        law = self.law.at(time)
        s, ds, dds = law.position[:, 0], law.velocity, law.acceleration
        Q = self.path.at(s)
        q, v, a = Q.position.copy(), Q.velocity * ds, Q.acceleration * ds**2 + Q.velocity * dds
        assert Q.jerk is not None and law.jerk is not None
        return q, v, a, Q.jerk * ds**3 + 3 * Q.acceleration * ds * dds + Q.velocity * law.jerk


def cartesian_motion(
    robot: Robot,
    path: CartesianPath,
    *,
    duration: float,
    frame: str | None = None,
    orientation: Literal["free", "held"] = "free",
    start: ArrayLike | None = None,
    ramp: float | None = None,
) -> PathMotion:
    """Joints that take a frame of the robot along a path in `duration` seconds, from rest to rest, inside their limits.

    `frame`: what follows the path; the end of the arm if left out. `orientation`: "held" keeps the one at the beginning; a path
    of poses has its own. `start`: a posture to begin near (joints,), which also tells the orientation that is held; left out,
    the one farthest from the stops. `ramp` [s] to full speed; a fifth of the duration if left out.

    >>> motion = bf.cartesian_motion(bf.Robot.load("kuka_lwr4"), bf.Circle([-0.4, 0.0, 0.6], 0.12, plane="yz"), duration=4.0)
    >>> motion.at(2.0).position.shape
    (1, 7)
    """
    if robot.is_floating:
        raise RobotError("robot.floating/cartesian", name=robot.name)
    law = time_law(path.turns, duration, ramp)
    frame = frame or end_frame(robot)
    begin = None if start is None else table("start", start, robot.joint_names)[0]
    if begin is not None:
        inside("start", begin, robot.joint_names, robot.limits)
    if orientation not in ("free", "held"):
        raise MotionError("orientation.unknown", orientation=orientation)
    held = None
    if orientation == "held" and path.rotation(np.zeros(1)) is None:
        held = _held(robot, frame, path, begin)
    joints = _joint_path(robot, frame, path, held, begin)
    return PathMotion(joints, law, path, frame, held)


def time_law(turns: float, duration: float, ramp: float | None = None) -> Piecewise:
    """s from 0 to `turns`, from rest to rest: up to a constant speed in `ramp` seconds, and down again.

    >>> law = time_law(1.0, 4.0, 1.0)
    >>> law.at([0.0, 2.0, 4.0]).position.ravel(), law.at(2.0).velocity.round(9)
    (array([0. , 0.5, 1. ]), array([[0.33333333]]))
    """
    T = positive("the duration", duration, "s")
    r = T / 5 if ramp is None else positive("the ramp", ramp, "s")
    if r > T / 2:
        raise MotionError("duration.ramps", r=r, t=T, t_2=T / 2)
    speed = turns / (T - r)
    flat = T - 2 * r > 1e-9 * T
    times = [0.0, r, T - r, T] if flat else [0.0, r, T]
    places = [0.0, speed * r / 2, turns - speed * r / 2, turns] if flat else [0.0, turns / 2, turns]
    speeds = [0.0, speed, speed, 0.0] if flat else [0.0, speed, 0.0]
    columns = (np.array(places)[:, None], np.array(speeds)[:, None], np.zeros((len(times), 1)))
    return hermite(("s",), np.array(times), *columns)


def end_frame(robot: Robot) -> str:
    """The end of an arm: the link that most moving joints carry, of those that nothing hangs on.

    >>> end_frame(bf.Robot.load("kuka_lwr4")), end_frame(bf.Robot.load("panda"))
    ('link7', 'flange')
    """
    parents = {joint.parent for joint in robot.joints}
    ends = {name: place.body for name, place in robot.link_map().items() if name not in parents and place.body}
    carried = {
        name: int((np.abs(robot.jacobian(name, np.zeros(len(robot.joint_names)))).max(axis=0) > 0).sum()) for name in ends
    }
    best = [name for name, count in carried.items() if count == max(carried.values())]
    if len(best) != 1:
        raise RobotError("frame.ambiguous", name=robot.name, best_count=len(best), best=best or robot.frame_names)
    return best[0]


def _held(robot: Robot, frame: str, path: CartesianPath, begin: Array | None) -> Array:
    """The orientation that is held: that of the start, or of the most comfortable posture at the path's first point."""
    if begin is not None:
        return robot.pose(frame, begin)[0][0]
    first = _first(robot, frame, Target.along(path, np.zeros(1), None), None)
    if not first:
        raise unreachable(robot, frame, path, None, 0.0, np.zeros(len(robot.joint_names)))
    return robot.pose(frame, first[0])[0]


def _first(robot: Robot, frame: str, target: Target, begin: Array | None) -> list[Array]:
    """Postures that reach the first target, the most comfortable one first; a given posture leads the list."""
    rng = np.random.default_rng(0)
    lower, upper = (np.where(np.isfinite(x), x, y) for x, y in zip(robot.limits[:2], (-np.pi, np.pi), strict=True))
    tries = rng.uniform(0.8 * lower + 0.2 * upper, 0.2 * lower + 0.8 * upper, (STARTS, len(lower)))
    starts = tries if begin is None else np.vstack([begin, tries])
    posture = Posture.of(robot, np.zeros(len(lower)) if begin is None else begin[0])
    many = Target(
        np.repeat(target.point, len(starts), axis=0),
        None if target.rotation is None else np.repeat(target.rotation, len(starts), axis=0),
    )
    q, left = solve_poses(robot, frame, many, starts, posture)
    order = np.argsort(posture.cost(q), kind="stable")
    if begin is not None:
        order = np.concatenate([[0], order[order != 0]])
    found: list[Array] = []
    for k in order:
        if left[k] < REACHED and all(np.abs(q[k] - other).max() > 1e-3 for other in found):
            found.append(q[k])
    return found


def _joint_path(robot: Robot, frame: str, path: CartesianPath, held: Array | None, begin: Array | None) -> Piecewise:
    """Q(s); other beginnings are tried before the path is called unreachable."""
    s = np.linspace(0, path.turns, max(int(np.ceil(FIRST_KNOTS * path.turns)), 8) + 1)
    lost = _Lost(0.0, np.zeros(len(robot.joint_names)) if begin is None else begin[0])
    for first in _first(robot, frame, Target.along(path, s[:1], held), begin):
        try:
            return _refined(robot, frame, path, held, s, _followed(robot, frame, Target.along(path, s, held), s, first))
        except _Lost as here:
            lost = here if here.s > lost.s else lost
    raise unreachable(robot, frame, path, held, lost.s, lost.q)


class _Lost(Exception):
    """The way ends at s, the joints being at q."""

    def __init__(self, s: float, q: Array) -> None:
        self.s, self.q = s, q


def _followed(robot: Robot, frame: str, target: Target, s: Array, first: Array) -> Array:
    """Joints at the knots, each from the ones before."""
    posture, q = Posture.of(robot, first), [first]
    for k in range(1, len(s)):
        guess = q[-1] if k == 1 else 2 * q[-1] - q[-2]
        solved, left = solve_poses(robot, frame, target.at(slice(k, k + 1)), guess[None], posture)
        if left[0] > REACHED or np.abs(solved[0] - q[-1]).max() > JUMP:
            raise _Lost(float(s[k]), q[-1])
        q.append(solved[0])
    return np.array(q)


def _refined(robot: Robot, frame: str, path: CartesianPath, held: Array | None, s: Array, q: Array) -> Piecewise:
    """Knots are doubled until the spline through them is on the path between them; a jump is where that does not help."""
    posture, worst = Posture.of(robot, q[0]), [np.inf]
    while True:
        spline = _spline(robot.joint_names, s, q)
        middle = 0.5 * (s[1:] + s[:-1])
        guess, target = spline.at(middle).position, Target.along(path, middle, held)
        off = np.linalg.norm(pose_error(robot, frame, guess, target), axis=1)
        k = int(np.argmax(off))
        if off[k] < CLOSE_ENOUGH:
            inside("the path, knot", guess, robot.joint_names, robot.limits)
            return spline
        worst.append(off[k])
        if len(s) > MOST_KNOTS or (len(worst) > 3 and worst[-1] > 0.25 * worst[-3]):
            raise _Lost(float(middle[k]), q[k])
        solved, left = solve_poses(robot, frame, target, guess, posture)
        if left.max() > REACHED:
            raise _Lost(float(middle[np.argmax(left)]), q[np.argmax(left)])
        s, order = np.unique(np.concatenate([s, middle]), return_index=True)
        q = np.concatenate([q, solved])[order]


def _spline(names: tuple[str, ...], s: Array, q: Array) -> Piecewise:
    """Fifth degree through the knots, without a condition at the ends; continuous up to the fourth derivative."""
    from scipy.interpolate import make_interp_spline

    spline = make_interp_spline(s, q, k=5)
    return hermite(names, s, q, spline(s, 1), spline(s, 2))
