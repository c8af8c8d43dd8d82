"""Many joints in the wrong place: a search among orders that no chain of single gainful exchanges finds.

The best `BEAM` orders are kept, and every exchange of two tried on each, until none gains. Friction is projected out of every
column once, so that a trial costs one evaluation of the equations of motion. Of torques alone the best order is an assignment,
and found exactly.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.recording.checks_model import FLOOR, drive
from bifilar.recording.checks_view import View
from bifilar.robot.robot import Robot

BEAM = 12  # orders kept
ROWS = 120  # samples are enough here: what is found is compared again on more
OUTSIDE = 1.5  # nats that a joint outside its limits is worth
FAR = 0.05  # of its range, to be clearly outside

Order = NDArray[np.int64]


class Columns:
    """Columns of a log whose joints are in doubt.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> columns = Columns(View.of(recording, robot))
    >>> columns.value(np.array([0, 1])) > columns.value(np.array([1, 0]))
    True
    """

    def __init__(self, view: View) -> None:
        assert view.robot is not None and view.torque is not None
        rows = slice(None, None, -(-len(view.time) // ROWS))
        self.robot = view.robot.with_friction(None) if len(view.robot.drive_values) else view.robot
        self.q, self.v, self.a = (np.ascontiguousarray(x[rows]) for x in (view.position, view.velocity, view.acceleration))
        torque = np.asarray(view.torque[rows])
        self.n = torque.shape[1]
        self.moves = view.moves
        # (joints, rows, 4): friction, rotor and offset of each column, orthonormal
        self.basis = np.stack([np.linalg.qr(drive(self.v[:, c], self.a[:, c]))[0] for c in range(self.n)])
        self.spread = np.maximum(torque.std(axis=0), 1e-300) * np.sqrt(len(torque))
        self.torque = torque / self.spread

    def value(self, order: Order) -> float:
        """How much is explained if column k belongs to joint order[k], in nats over all joints."""
        back = np.argsort(order)
        q, v, a = (np.ascontiguousarray(x[:, back]) for x in (self.q, self.v, self.a))
        model = np.asarray(self.robot.inverse_dynamics(q, v, a))
        pairs = self._told(model, self.basis[back], self.torque[:, back])
        total = np.where(self.moves[back], pairs, 0.0).sum(axis=1).max()
        return float(total) - OUTSIDE * outside(self.robot, q, v)

    def torques(self) -> Order:
        """The order of the torques that explains most, motion being right.

        >>> from bifilar.recording.check import example
        >>> recording, robot = example()
        >>> Columns(View.of(recording.with_channel("torque", recording.torque[:, ::-1]), robot)).torques()
        array([1, 0])
        """
        from scipy.optimize import linear_sum_assignment

        model = np.asarray(self.robot.inverse_dynamics(self.q, self.v, self.a))
        each = [self._told(model, self.basis, np.repeat(self.torque[:, [c]], self.n, axis=1)) for c in range(self.n)]
        gains = np.array(each)  # (column, sign, joint)
        signs = [(s, linear_sum_assignment(-gains[:, s])) for s in (0, 1)]
        _, best = max(signs, key=lambda pair: float(gains[:, pair[0]][pair[1]].sum()))
        return np.asarray(best[1], dtype=np.int64)

    def _told(self, model: Array, basis: Array, torque: Array) -> Array:
        """-log of what is left of each torque, for both signs of all torques, (2, joints)."""
        with np.errstate(all="ignore"):
            rest = torque - np.einsum("jmk,kj->mj", basis, np.einsum("jmk,mj->kj", basis, torque))
            rigid = model - np.einsum("jmk,kj->mj", basis, np.einsum("jmk,mj->kj", basis, model))
            size, match = (rigid**2).sum(axis=0), (rigid * rest).sum(axis=0)
            alone = (rest**2).sum(axis=0)
            left = alone - np.where(size > 0, match**2 / size, 0.0)
        without, with_model = (-0.5 * np.log(np.maximum(np.nan_to_num(x, nan=1.0), FLOOR**2)) for x in (alone, left))
        return np.stack([np.where(match > 0, with_model, without), np.where(match < 0, with_model, without)])


def best_order(columns: Columns) -> Order:
    """The order of whole joints that explains most.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> best_order(Columns(View.of(recording, robot)))
    array([0, 1])
    """
    start = np.arange(columns.n)
    known: dict[tuple[int, ...], float] = {tuple(range(columns.n)): columns.value(start)}
    beam = list(known)
    for _ in range(columns.n):
        new = {_exchanged(order, i, j) for order in beam for i, j in combinations(range(columns.n), 2)} - set(known)
        known |= {order: columns.value(np.array(order)) for order in sorted(new)}
        ranked = sorted(known, key=known.__getitem__, reverse=True)[:BEAM]
        if ranked == beam:
            break
        beam = ranked
    return np.array(beam[0], dtype=np.int64)


def outside(robot: Robot, q: Array, v: Array) -> int:
    """How many joints would clearly be outside their limits of position or speed.

    >>> robot = bf.Robot.load("two_link")
    >>> outside(robot, np.zeros((1, 2)), np.zeros((1, 2)))
    0
    """
    lower, upper, speed = robot.limits.lower, robot.limits.upper, robot.limits.velocity
    room = FAR * (upper - lower)
    beyond = (q.max(axis=0) > upper + room) | (q.min(axis=0) < lower - room)
    return int(np.sum(beyond | (np.abs(v).max(axis=0) > 1.5 * speed)))


def order_within_limits(view: View) -> Order | None:
    """An order in which every joint stays within its limits, where as recorded two or more do not; None if there is none.

    >>> view = View.of(bf.Recording(joint_names=("a",), time=np.arange(100), position=np.sin(np.arange(100))[:, None]))
    >>> order_within_limits(view) is None
    True
    """
    from scipy.optimize import linear_sum_assignment

    if view.robot is None:
        return None
    lower, upper = view.robot.limits.lower, view.robot.limits.upper
    room = np.where(np.isfinite(upper - lower), FAR * (upper - lower), 0.0)
    low, high = view.position.min(axis=0), view.position.max(axis=0)
    bad = (high[:, None] > upper + room) | (low[:, None] < lower - room)  # (column, joint)
    if np.diag(bad).sum() < 2:
        return None
    stays = 1e-3 * (1 - np.eye(len(bad)))  # as few joints as possible change places
    place = linear_sum_assignment(bad + stays)[1]
    return None if bad[np.arange(len(bad)), place].any() else np.asarray(place, dtype=np.int64)


def _exchanged(order: tuple[int, ...], i: int, j: int) -> tuple[int, ...]:
    other = list(order)
    other[i], other[j] = other[j], other[i]
    return tuple(other)
