"""Maximise a smooth function of x inside linear bounds, every iterate strictly inside: a log barrier with damped BFGS.

    minimise  -f(x) - mu sum log(slack),     slack = upper - A x and A x - lower,   mu from 1 down to `finish`

The same rows A serve every joint (block diagonal), so the barrier's Hessian is a small block per joint; f contributes a BFGS
estimate (Nocedal and Wright 2006, 18.3 for the damping). Since every iterate is feasible, the search can be stopped at any
time and what it has is usable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array

Judge = Callable[[Array], tuple[float, Array]]
HALVINGS = 30


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

    def barrier(self, x: Array) -> tuple[float, Array, Array]:
        """-sum log(slack), its gradient, and its Hessian as one block per joint.

        >>> Box(np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1))).barrier(np.array([0.5]))[1]
        array([0.])
        """
        above, below = self.slacks(x)
        if min(above.min(), below.min()) <= 0:
            return np.inf, np.zeros_like(x), np.zeros((len(self.lower), self.rows.shape[1], self.rows.shape[1]))
        value = -np.sum(np.log(above), where=np.isfinite(above)) - np.sum(np.log(below), where=np.isfinite(below))
        gradient = (1 / above - 1 / below) @ self.rows
        curvature = ((1 / above**2 + 1 / below**2)[:, None, :] * self.rows.T) @ self.rows
        return float(value), gradient.ravel(), curvature

    def farthest(self, x: Array, step: Array) -> float:
        """The largest multiple of a step that stays inside.

        >>> Box(np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1))).farthest(np.array([0.5]), np.array([0.25]))
        2.0
        """
        above, below = self.slacks(x)
        moved = step.reshape(len(self.lower), -1) @ self.rows.T
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = np.where(moved > 0, above / moved, np.where(moved < 0, -below / moved, np.inf))
        return float(limits.min())


def maximise(
    judge: Judge,
    box: Box,
    start: Array,
    *,
    finish: float = 1e-3,
    most: int = 400,
    watch: Callable[[int, float], None] | None = None,
) -> Optimum:
    """Climb from a strictly feasible start; `watch(iteration, value)` is told after every step. Ctrl-C keeps the best so far.

    >>> box = Box(np.eye(2), np.full((1, 2), -1.0), np.full((1, 2), 1.0))
    >>> maximise(lambda x: (-np.sum((x - 3) ** 2), -2 * (x - 3)), box, np.zeros(2)).x.round(2)
    array([1., 1.])
    """
    search = _Search(judge, box, start)
    mu, status = 1.0, "out of iterations"
    try:
        with one_blas_thread():
            while search.iterations < most and status != "converged":
                while search.iterations < most and search.step(mu):
                    if watch is not None:
                        watch(search.iterations, search.value)
                status = "converged" if mu <= finish and search.iterations < most else status
                mu *= 0.2
    except KeyboardInterrupt:
        status = "stopped by the user"
    return Optimum(search.x, search.value, search.iterations, status)


class _Search:
    """The iterate, its gradient and the curvature learnt so far."""

    def __init__(self, judge: Judge, box: Box, start: Array) -> None:
        self.judge, self.box, self.x = judge, box, start
        self.value, gradient = judge(start)
        self.slope = -gradient  # of what is minimised
        self.hessian = np.eye(len(start)) * max(float(np.linalg.norm(gradient)), 1.0)
        self.iterations = 0

    def step(self, mu: float) -> bool:
        """One Newton step of the barrier problem; False where there is nothing left to gain."""
        height, rise, blocks = self.box.barrier(self.x)
        gradient = self.slope + mu * rise
        direction: Array = -np.linalg.solve(self.hessian + mu * _diagonal(blocks), gradient)  # type: ignore[assignment]
        gain = -gradient @ direction
        if not gain > max(0.3 * mu, 1e-6):
            return False
        length = min(1.0, 0.95 * self.box.farthest(self.x, direction))
        goal = -self.value + mu * height
        for _ in range(HALVINGS):
            x = self.x + length * direction
            value, uphill = self.judge(x)
            if -value + mu * self.box.barrier(x)[0] <= goal - 1e-4 * length * gain:
                self._learn(x - self.x, -uphill - self.slope)
                self.x, self.value, self.slope = x, value, -uphill
                self.iterations += 1
                return True
            length *= 0.5
        return False

    def _learn(self, s: Array, y: Array) -> None:
        """Damped BFGS: the estimate stays positive definite."""
        hs = self.hessian @ s
        curved, seen = s @ hs, s @ y
        share = 1.0 if seen >= 0.2 * curved else 0.8 * curved / (curved - seen)
        r = share * y + (1 - share) * hs
        self.hessian = self.hessian - np.outer(hs, hs) / curved + np.outer(r, r) / (s @ r)


def _diagonal(blocks: Array) -> Array:
    joints, n, _ = blocks.shape
    whole = np.zeros((joints, n, joints, n))
    whole[np.arange(joints), :, np.arange(joints), :] = blocks
    return whole.reshape(joints * n, joints * n)
