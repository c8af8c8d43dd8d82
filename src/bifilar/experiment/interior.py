"""Maximise a smooth function of x inside bounds, every iterate strictly inside: a primal-dual interior-point method.

    minimise  -f(x) - mu sum log(room),     mu from `barrier` down to `finish`

Rooms are those of a `Box`, upper - A x and A x - lower with the same rows A for every joint, so that its part of the Hessian is
a small block per joint, and of a `Fence`, any smooth functions of x with slopes G. Newton's matrix is H + A' diag(z / room) A +
G' diag(z / room) G: the multipliers z are iterates of their own that approach mu / room, which keeps the steps good when mu
is lowered. H is a BFGS estimate for the Lagrangian (Nocedal and Wright 2006, chapter 19; 18.3 for the damping). Since every
iterate is feasible, the search can be stopped at any time and what it has is usable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array

Judge = Callable[[Array], tuple[float, Callable[[], Array]]]  # value, and its gradient for whoever wants it
Watch = Callable[[int, float, Array], None]
HALVINGS = 30
STOPPED = "stopped by the user"


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where the search ended, and how.

    >>> Optimum(np.zeros(1), 0.0, 3, "converged").iterations
    3
    """

    x: Array
    value: float
    iterations: int
    status: str  # converged, stopped by the user, or out of iterations
    path: tuple[Array, ...] = ()  # where each barrier's search ended, from the middle outwards


class Fence(Protocol):
    """Functions of x that must stay positive.

    >>> from bifilar.experiment.interior import Fence
    """

    def rooms(self, x: Array) -> Array:
        """Their values, (m,).

        >>> from bifilar.experiment.interior import Fence
        """

    def sloped(self, x: Array) -> tuple[Array, Array]:
        """Their values and slopes, (m,) and (m, n).

        >>> from bifilar.experiment.interior import Fence
        """


@dataclass(frozen=True, eq=False)
class Box:
    """lower <= A x_j <= upper for every joint j; rows without a bound are infinite.

    >>> Box(np.ones((1, 1)), np.zeros((2, 1)), np.ones((2, 1))).slacks(np.array([0.25, 0.5]))[0]
    array([[0.75], [0.5 ]])
    """

    rows: Array  # (m, n) A, the same for every joint
    lower: Array  # (joints, m)
    upper: Array

    def slacks(self, x: Array) -> tuple[Array, Array]:
        """Room above and below, (joints, m) each.

        >>> Box(np.ones((1, 1)), np.zeros((2, 1)), np.ones((2, 1))).slacks(np.array([0.25, 0.5]))[1]
        array([[0.25], [0.5 ]])
        """
        y = x.reshape(len(self.lower), -1) @ self.rows.T
        return self.upper - y, y - self.lower

    def pulled(self, above: Array, below: Array) -> Array:
        """Gradient of sum(above * slack above) + sum(below * slack below), (joints n,).

        >>> Box(np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1))).pulled(np.ones((1, 1)), np.zeros((1, 1)))
        array([-1.])
        """
        return ((below - above) @ self.rows).ravel()

    def weighted(self, weight: Array) -> Array:
        """A' diag(weight) A as one block per joint.

        >>> Box(np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1))).weighted(np.full((1, 1), 3.0))
        array([[[3.]]])
        """
        return (weight[:, None, :] * self.rows.T) @ self.rows

    def moved(self, step: Array) -> Array:
        """A times a step, (joints, m).

        >>> Box(np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1))).moved(np.array([0.25]))
        array([[0.25]])
        """
        return step.reshape(len(self.lower), -1) @ self.rows.T

    def farthest(self, slacks: tuple[Array, Array], step: Array) -> float:
        """The largest multiple of a step that stays inside.

        >>> box = Box(np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1)))
        >>> box.farthest(box.slacks(np.array([0.5])), np.array([0.25]))
        2.0
        """
        (above, below), moved = slacks, self.moved(step)
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = np.where(moved > 0, above / moved, np.where(moved < 0, -below / moved, np.inf))
        return float(limits.min())


def maximise(
    judge: Judge,
    box: Box,
    start: Array,
    *,
    fence: Fence | None = None,
    barrier: float = 0.2,
    finish: float = 1e-5,
    accuracy: float = 0.01,
    most: int = 400,
    watch: Watch | None = None,
) -> Optimum:
    """Climb from a strictly feasible start until less than `accuracy` is left to gain; Ctrl-C keeps the best so far.

    `judge(x)` gives the value and a function that gives its gradient; `watch(iteration, value, x)` is told after every step.

    >>> box = Box(np.eye(2), np.full((1, 2), -1.0), np.full((1, 2), 1.0))
    >>> maximise(lambda x: (-np.sum((x - 3) ** 2), lambda: -2 * (x - 3)), box, np.zeros(2)).x.round(2)
    array([1., 1.])
    """
    climb = Climb(judge, box, start, fence=fence, barrier=barrier, accuracy=accuracy, most=most, watch=watch)
    climb.to(finish)
    return climb.result


class Climb:
    """A search that can be paused at a barrier and go on from there.

    >>> box = Box(np.eye(2), np.full((1, 2), -1.0), np.full((1, 2), 1.0))
    >>> climb = Climb(lambda x: (-np.sum((x - 3) ** 2), lambda: -2 * (x - 3)), box, np.zeros(2))
    >>> climb.to(0.01)
    >>> before = climb.result.value
    >>> climb.to(1e-5)
    >>> bool(before <= climb.result.value)
    True
    """

    def __init__(
        self,
        judge: Judge,
        box: Box,
        start: Array,
        *,
        fence: Fence | None = None,
        barrier: float = 0.2,
        accuracy: float = 0.01,
        most: int = 400,
        watch: Watch | None = None,
    ) -> None:
        self._search = _Search(judge, box, fence, start, barrier)
        self._barrier, self._accuracy, self._most, self._watch = barrier, accuracy, most, watch
        self._path, self._status = [start], "not begun"

    def to(self, finish: float) -> None:
        """Climb until the barrier is as low as this, or Ctrl-C.

        >>> box = Box(np.eye(1), -np.ones((1, 1)), np.ones((1, 1)))
        >>> climb = Climb(lambda x: (-np.sum(x**2), lambda: -2 * x), box, np.zeros(1))
        >>> climb.to(1e-3)
        >>> climb.result.status
        'converged'
        """
        search, self._status = self._search, "out of iterations"
        try:
            with one_blas_thread():
                while search.iterations < self._most:
                    mu = self._barrier
                    enough = max(self._accuracy, 10 * mu) if mu > finish else self._accuracy
                    while search.iterations < self._most and search.step(mu, enough):
                        if self._watch is not None:
                            self._watch(search.iterations, search.value, search.x)
                    self._path.append(search.x)
                    if mu <= finish and search.iterations < self._most:
                        self._status = "converged"
                        return
                    self._barrier = min(0.2 * mu, mu**1.5)
        except KeyboardInterrupt:
            self._status = STOPPED

    @property
    def result(self) -> Optimum:
        """Where it is.

        >>> box = Box(np.eye(1), -np.ones((1, 1)), np.ones((1, 1)))
        >>> climb = Climb(lambda x: (-np.sum(x**2), lambda: -2 * x), box, np.zeros(1))
        >>> climb.result.status
        'not begun'
        """
        search = self._search
        return Optimum(search.x, search.value, search.iterations, self._status, tuple(self._path))


class _Search:
    """The iterate, its gradient, the multipliers and the curvature learnt so far."""

    def __init__(self, judge: Judge, box: Box, fence: Fence | None, start: Array, mu: float) -> None:
        self.judge, self.box, self.fence, self.x = judge, box, fence, start
        self.value, gradient = judge(start)
        self.slope = -gradient()  # of what is minimised
        self.hessian = np.eye(len(start)) * max(float(np.linalg.norm(self.slope)), 1.0)
        self.iterations = 0
        self.slacks = box.slacks(start)
        self.fenced = fence.sloped(start) if fence is not None else _nothing(len(start))
        self.multipliers = [mu / slack for slack in self.slacks]
        self.fence_multipliers = mu / self.fenced[0]

    def step(self, mu: float, enough: float) -> bool:
        """One Newton step of the barrier problem; False where not enough is left to gain."""
        (above, below), (rooms, slopes) = self.slacks, self.fenced
        gradient = self.slope - mu * self.box.pulled(1 / above, 1 / below) - mu * ((1 / rooms) @ slopes)
        blocks = self.box.weighted(self.multipliers[0] / above + self.multipliers[1] / below)
        scaled = np.sqrt(self.fence_multipliers / rooms)[:, None] * slopes
        direction = -_solved(self.hessian + _diagonal(blocks) + scaled.T @ scaled, gradient)
        gain = -float(gradient @ direction)
        if not gain > enough:
            return False
        length = min(1.0, 0.99 * self.box.farthest(self.slacks, direction))
        closing = -float(
            (slopes @ direction / rooms).min(initial=0.0)
        )  # in the linear view a room is used up after 1 / closing
        length = min(length, 0.99 / closing) if closing > 0 else length
        return self._search(direction, gain, length, mu)

    def _search(self, direction: Array, gain: float, length: float, mu: float) -> bool:
        goal = -self.value + mu * _height(self.slacks, self.fenced[0])
        for _ in range(HALVINGS):
            x = self.x + length * direction
            slacks = self.box.slacks(x)
            if min(slack.min() for slack in slacks) > 0:
                rooms = self.fence.rooms(x) if self.fence is not None else self.fenced[0]
                if rooms.min(initial=1.0) > 0:
                    value, gradient = self.judge(x)
                    if -value + mu * _height(slacks, rooms) <= goal - 1e-4 * length * gain:
                        self._accept(x, length * direction, value, -gradient(), slacks, mu)
                        return True
            length *= 0.5
        return False

    def _accept(self, x: Array, step: Array, value: float, slope: Array, slacks: tuple[Array, Array], mu: float) -> None:
        fenced = self.fence.sloped(x) if self.fence is not None else self.fenced
        moved = self.box.moved(step)
        changes = (-moved, moved)
        self.multipliers = [
            _next(z, s, change, new, mu) for z, s, change, new in zip(self.multipliers, self.slacks, changes, slacks)
        ]
        before, slopes = self.fenced
        self.fence_multipliers = _next(self.fence_multipliers, before, slopes @ step, fenced[0], mu)
        curved = slope - self.slope - self.fence_multipliers @ (fenced[1] - slopes)  # of the Lagrangian
        self._learn(step, curved)
        self.x, self.value, self.slope, self.slacks, self.fenced = x, value, slope, slacks, fenced
        self.iterations += 1

    def _learn(self, s: Array, y: Array) -> None:
        """Damped BFGS: the estimate stays positive definite."""
        hs = self.hessian @ s
        curved, seen = s @ hs, s @ y
        share = 1.0 if seen >= 0.2 * curved else 0.8 * curved / (curved - seen)
        r = share * y + (1 - share) * hs
        self.hessian = self.hessian - np.outer(hs, hs) / curved + np.outer(r, r) / (s @ r)


def _next(z: Array, room: Array, change: Array, new_room: Array, mu: float) -> Array:
    """Newton's step of the multipliers, kept within a wide band about mu / room."""
    target = mu / new_room
    with np.errstate(invalid="ignore"):
        z = z + (mu - z * (room + change)) / room
    return np.clip(np.where(np.isfinite(z), z, 0.0), 1e-2 * target, 1e2 * target)


def _height(slacks: tuple[Array, Array], rooms: Array) -> float:
    """-sum log(room); sides without a bound do not count."""
    total = sum(float(np.sum(np.log(slack), where=np.isfinite(slack))) for slack in slacks)
    return -total - float(np.log(rooms).sum())


def _nothing(size: int) -> tuple[Array, Array]:
    return np.zeros(0), np.zeros((0, size))


def _diagonal(blocks: Array) -> Array:
    joints, n, _ = blocks.shape
    whole = np.zeros((joints, n, joints, n))
    whole[np.arange(joints), :, np.arange(joints), :] = blocks
    return whole.reshape(joints * n, joints * n)


def _solved(matrix: Array, right: Array) -> Array:
    """The solution; the shortest one where rounding leaves the matrix singular, as beside many active walls."""
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        return np.asarray(decompose.lstsq(matrix, right, rcond=None)[0])
