"""Block bootstrap: what a method would have answered had other stretches of the motion been recorded.

Blocks of time are drawn with repetition, as many as there are, and the method solves each draw as it would the original, with
all its constraints: so it also tells how sure an estimate at the border of what is physical can be, where no formula holds.
Blocks are long beside the time over which errors follow each other, so nothing is assumed about that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.reduce import BlockFactor, RowFactor
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.problem import Problem, chosen_columns

FEWEST = 6  # blocks that are worth drawing from


class Solver(Protocol):
    """Any method of estimation."""

    def solve(self, problem: Problem) -> Any:
        """Something with values."""
        ...


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Values of every draw.

    >>> Bootstrap(np.array([[1.0], [3.0]])).deviations
    array([1.41421356])
    """

    draws: Array  # (draws, parameters)

    @property
    def covariance(self) -> Array:
        """Of the values.

        >>> Bootstrap(np.array([[1.0], [3.0]])).covariance
        array([[2.]])
        """
        return np.atleast_2d(np.cov(self.draws, rowvar=False))

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values.

        >>> Bootstrap(np.array([[1.0, 1.0], [3.0, 1.0]])).deviations[1]
        np.float64(0.0)
        """
        return np.sqrt(np.diag(self.covariance))

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Between which values the middle share of the draws lies.

        >>> Bootstrap(np.arange(101.0)[:, None]).interval(0.9)
        (array([5.]), array([95.]))
        """
        low, high = np.quantile(self.draws, [0.5 - level / 2, 0.5 + level / 2], axis=0)
        return low, high


def bootstrap(
    problem: Problem,
    method: Solver | Callable[[Problem], Array],
    *,
    count: int = 200,
    seed: int = 0,
    columns: str = "all",
) -> Bootstrap:
    """Draw blocks and solve, so many times. `method`: a method, or a function from a problem to values.

    `columns="base"` is faster, for methods that only look at base parameters.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a, noise = np.random.default_rng(0).normal(size=(4, 200, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.01 * noise), friction=())
    >>> bootstrap(problem, lambda some: bf.LeastSquares(uncertainty="white").solve(some).values, count=20).draws.shape
    (20, 3)
    """
    blocks = len(problem.reduction.blocks)
    if blocks < FEWEST:
        raise SolveError("blocks.too_few/bootstrap", blocks=blocks)
    solve = method if not hasattr(method, "solve") else lambda some: method.solve(some).values
    source = slim(problem) if columns == "base" else problem
    rng = np.random.default_rng(seed)
    return Bootstrap(np.array([solve(source.choose(rng.integers(blocks, size=blocks).tolist())) for _ in range(count)]))


def slim(problem: Problem) -> Problem:
    """The same problem with factors of the base columns only: smaller blocks.

    >>> robot = bf.Robot.load("pendulum")
    >>> problem = Problem.of(robot, tuple(np.zeros((4, 9, 1))), friction=())
    >>> slim(problem).reduction.blocks[0].rows[0].columns
    array([1, 2, 9])
    """
    places = problem.base.columns
    with one_blas_thread():
        small = [chosen_columns(block, places) for block in problem.reduction.blocks]
    named = [
        BlockFactor(tuple(RowFactor(places[row.columns], row.triangle, row.samples) for row in block.rows), block.samples)
        for block in small
    ]
    return replace(problem, reduction=replace(problem.reduction, blocks=tuple(named)))
