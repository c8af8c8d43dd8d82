"""Joint positions that put a frame where it is asked to be, with the joints as far from their stops as that allows.

    minimise  P(q) = - sum_i log(1 - z_i^2) + weak/2 z_i^2        z = (q - middle) / half range
    so that   pose(q) = target

One step is Newton's for both at once, with L = P - l (pose - target), H = L'' + r J'J, g = P', e = target - pose:

    dq = H^-1 (-g + J' m),     m = (J H^-1 J' + d)^-1 (e + J H^-1 g)

r does not change the step, but makes H positive where L'' is so only on the null space; d damps where J has no full rank.
Second derivatives of a pose are products of the columns of J (axis x lever). Steps are shortened so that no joint reaches its
stop. What remains free after the pose, the null space, goes to the middle of the ranges. At the solution nothing is left to
chance: a closed path in space is a closed path of the joints, which a pseudo-inverse followed step by step does not give.
Joints without stops are drawn weakly to where they began.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.control.cartesian_path import CartesianPath
from bifilar.control.rotations import turn_of
from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.robot.robot import Robot

WEAK = 0.05  # pull to the middle beside the barrier
DAMPING = 1e-12  # of the largest diagonal element of J W^-1 J'
LONGEST = 0.5  # [rad] or [m] of one step
NEAR_STOP = 0.9  # share of the way to a stop that one step may go
STEPS = 60
STIFF = 100.0  # weight of J'J beside the bends of P
LEAST = 0.1  # of the smallest bend of P: no direction is softer
CLOSE = 1e-10  # [m], [rad] of the pose
SETTLED = 1e-9  # [rad] of the last step


@dataclass(frozen=True, eq=False)
class Target:
    """Where a frame is asked to be: points (N, 3), and orientations (N, 3, 3) unless those are free.

    >>> Target(np.zeros((2, 3))).count
    2
    """

    point: Array
    rotation: Array | None = None

    @property
    def count(self) -> int:
        """How many.

        >>> Target(np.zeros((2, 3))).count
        2
        """
        return len(self.point)

    @classmethod
    def along(cls, path: CartesianPath, s: Array, held: Array | None = None) -> Target:
        """Places along a path; an orientation that is held (3, 3) counts where the path has none of its own.

        >>> Target.along(bf.Circle([0, 0, 0], 1.0), np.zeros(2)).count
        2
        """
        rotation = path.rotation(s)
        if rotation is None and held is not None:
            rotation = np.broadcast_to(held, (len(s), 3, 3))
        return cls(path.point(s), rotation)

    def at(self, rows: slice | np.ndarray) -> Target:
        """Some of them.

        >>> Target(np.zeros((2, 3))).at(slice(1)).count
        1
        """
        return Target(self.point[rows], None if self.rotation is None else self.rotation[rows])


@dataclass(frozen=True, eq=False)
class Posture:
    """P(q): what the null space follows.

    >>> posture = Posture.of(bf.Robot.load("two_link"), np.zeros(2))
    >>> posture.slope(np.zeros((1, 2)))[0]
    array([[0., 0.]])
    """

    middle: Array  # (joints,)
    half: Array  # (joints,) half of the range; 1 where there is none
    stops: np.ndarray  # (joints,) whether there is a range

    @classmethod
    def of(cls, robot: Robot, start: Array) -> Posture:
        """Of a robot's limits; joints without them are drawn to `start`.

        >>> Posture.of(bf.Robot.load("panda"), np.zeros(7)).stops.all()
        np.True_
        """
        lower, upper = robot.limits.lower, robot.limits.upper
        stops = np.isfinite(lower) & np.isfinite(upper)
        low, high = np.where(stops, lower, start - np.pi), np.where(stops, upper, start + np.pi)
        return cls(0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-9), stops)

    def slope(self, q: Array) -> tuple[Array, Array]:
        """P' and P'', each (N, joints).

        >>> Posture.of(bf.Robot.load("two_link"), np.zeros(2)).slope(np.zeros((1, 2)))[1].shape
        (1, 2)
        """
        z = (q - self.middle) / self.half
        left = np.where(self.stops, np.maximum(1 - z**2, 1e-12), 1.0)
        barrier = np.where(self.stops, 2 * z / left, 0.0)
        bend = np.where(self.stops, 2 * (1 + z**2) / left**2, 0.0)
        return (barrier + WEAK * z) / self.half, (bend + WEAK) / self.half**2

    def cost(self, q: Array) -> Array:
        """P, (N,): smaller is farther from the stops.

        >>> Posture.of(bf.Robot.load("two_link"), np.zeros(2)).cost(np.zeros((1, 2)))
        array([0.])
        """
        z = (q - self.middle) / self.half
        left = np.where(self.stops, np.maximum(1 - z**2, 1e-12), 1.0)
        return (-np.log(left) + 0.5 * WEAK * z**2).sum(axis=1)

    def share(self, q: Array, dq: Array) -> Array:
        """How much of a step (N, joints) may be gone, (N, 1).

        >>> Posture.of(bf.Robot.load("two_link"), np.zeros(2)).share(np.zeros((1, 2)), np.full((1, 2), 0.1))
        array([[1.]])
        """
        room = np.where(dq > 0, self.middle + self.half - q, q - self.middle + self.half)
        limit = np.where(self.stops & (dq != 0), NEAR_STOP * room / np.maximum(np.abs(dq), 1e-300), np.inf)
        longest = LONGEST / np.maximum(np.abs(dq).max(axis=1), 1e-300)
        return np.minimum(1.0, np.minimum(limit.min(axis=1), longest))[:, None]


def pose_error(robot: Robot, frame: str, q: Array, target: Target) -> Array:
    """Target minus pose, (N, 3) or (N, 6): metres, then radians, axes of the root frame.

    >>> robot = bf.Robot.load("panda")
    >>> q = np.zeros((1, 7))
    >>> bool(np.abs(pose_error(robot, "link7", q, Target(*robot.pose("link7", q)[::-1]))).max() < 1e-12)
    True
    """
    rotation, point = robot.pose(frame, q)
    off = target.point - point
    if target.rotation is None:
        return off
    return np.hstack([off, turn_of(target.rotation @ np.swapaxes(rotation, 1, 2))])


def solve_poses(robot: Robot, frame: str, target: Target, start: Array, posture: Posture) -> tuple[Array, Array]:
    """Joint positions (N, joints) for targets, each from its own start (N, joints), and what is left of the error (N,).

    >>> robot = bf.Robot.load("panda")
    >>> q = np.array([[0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0]])
    >>> target = Target(robot.pose("link7", q)[1] + [0.0, 0.05, 0.0])
    >>> solved, left = solve_poses(robot, "link7", target, q, Posture.of(robot, q[0]))
    >>> bool(left[0] < 1e-9)
    True
    """
    q = _away_from_stops(start, posture)
    rows = 3 if target.rotation is None else 6
    open_ = np.arange(len(q))  # those that are not there yet
    for _ in range(STEPS):
        e = pose_error(robot, frame, q[open_], target.at(open_))
        dq = _step(robot, robot.jacobian(frame, q[open_]), rows, e, *posture.slope(q[open_]))
        q[open_] += posture.share(q[open_], dq) * dq
        open_ = open_[(np.abs(dq).max(axis=1) > SETTLED) | (np.linalg.norm(e, axis=1) > CLOSE)]
        if not len(open_):
            break
    return q, np.linalg.norm(pose_error(robot, frame, q, target), axis=1)


def _step(robot: Robot, whole: Array, rows: int, e: Array, slope: Array, bend: Array) -> Array:
    """One step of Newton's method, (N, joints); `whole` is the Jacobian with all six rows."""
    J = whole[:, :rows]
    turn = np.swapaxes(J, 1, 2)
    ease = J / bend[:, None, :]
    multiplier = _solved(ease @ turn, np.einsum("nij,nj->ni", ease, slope))
    H = np.zeros((len(J), J.shape[2], J.shape[2]))
    H[:, range(J.shape[2]), range(J.shape[2])] = bend
    H -= _second(robot, whole, rows, multiplier)
    weight = STIFF * np.abs(bend).max(axis=1) / np.maximum((J**2).sum(axis=(1, 2)), 1e-9)
    H += weight[:, None, None] * (turn @ J)
    values, vectors = decompose.eigh(H)
    values = np.maximum(np.abs(values), LEAST * bend.min(axis=1)[:, None])  # a saddle is left along its negative direction
    inverse = (vectors / values[:, None, :]) @ np.swapaxes(vectors, 1, 2)
    ease = J @ inverse
    pull = _solved(ease @ turn, e + np.einsum("nij,nj->ni", ease, slope))
    return np.einsum("nij,nj->ni", inverse, np.einsum("nij,ni->nj", J, pull) - slope)


def _second(robot: Robot, whole: Array, rows: int, multiplier: Array) -> Array:
    """Second derivatives of the pose times multipliers, (N, joints, joints): axis of the inner joint x column of the outer."""
    tree = robot.tree
    rank = np.array([int(np.flatnonzero(tree.coordinate == c)[0]) for c in range(tree.n_coordinates)])
    lever, axis = whole[:, :3], whole[:, 3:]
    inner = (rank[:, None] <= rank[None, :])[None]
    product = np.einsum("nki,nkj->nij", axis, np.cross(lever, multiplier[:, :3, None], axis=1))
    half = np.where(inner, product, 0.0)
    both = half + np.swapaxes(half, 1, 2)
    n = len(rank)
    both[:, range(n), range(n)] *= 0.5
    if rows == 6:
        spin = np.einsum("nki,nkj->nij", axis, np.cross(axis, multiplier[:, 3:, None], axis=1))
        half = np.where(inner & ~np.eye(n, dtype=bool), 0.5 * spin, 0.0)
        both += half + np.swapaxes(half, 1, 2)
    return both


def _solved(square: Array, right: Array) -> Array:
    """Damped where the matrix has no full rank."""
    k = range(square.shape[1])
    damped = square.copy()
    damped[:, k, k] += DAMPING * np.maximum(np.einsum("nii->ni", square).max(axis=1), 1e-12)[:, None]
    return np.asarray(np.linalg.solve(damped, right[..., None])[..., 0], dtype=np.float64)


def nearest(robot: Robot, frame: str, target: Target, start: Array) -> tuple[Array, Array]:
    """As close to one target as the joints' limits allow: joint positions (joints,) and the error left (3,) or (6,).

    >>> robot = bf.Robot.load("two_link")
    >>> _, error = nearest(robot, "link2", Target(np.array([[0.0, 0.0, 9.0]])), np.array([0.1, 0.1]))
    >>> bool(np.linalg.norm(error) > 1)
    True
    """
    from scipy.optimize import least_squares

    lower, upper = robot.limits.lower, robot.limits.upper
    rows = 3 if target.rotation is None else 6
    begin = np.clip(start, lower + 1e-6, upper - 1e-6)
    found = least_squares(
        lambda q: pose_error(robot, frame, q[None], target)[0],
        begin,
        jac=lambda q: -robot.jacobian(frame, q)[:rows],
        bounds=(lower, upper),
        max_nfev=200,
    )
    return found.x, pose_error(robot, frame, found.x[None], target)[0]


def _away_from_stops(start: Array, posture: Posture) -> Array:
    reach = 0.98 * posture.half
    inside = np.clip(start, posture.middle - reach, posture.middle + reach)
    return np.where(posture.stops, inside, start)
