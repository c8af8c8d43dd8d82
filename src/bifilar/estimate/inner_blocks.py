"""Strengths chosen on inner blocks: each part of the training data is predicted from the others, nothing else is looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.reduce import merge_blocks, stack
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.linear import Linear
from bifilar.estimate.prior_metric import Whitened
from bifilar.estimate.problem import Problem, chosen_columns

PARTS = 6


@dataclass(frozen=True)
class Choice:
    """Candidates, the error each left on blocks it had not seen, and the best.

    >>> Choice((0.0, 1.0), (2.0, 1.5)).best
    1.0
    """

    candidates: tuple[float, ...]
    errors: tuple[float, ...]  # root mean square, in units of the noise

    @property
    def best(self) -> float:
        """The candidate with the least error.

        >>> Choice((0.0, 1.0), (1.0, 1.5)).best
        0.0
        """
        return self.candidates[int(np.argmin(self.errors))]


def folds(problem: Problem, parts: int = PARTS) -> list[tuple[list[int], list[int]]]:
    """Blocks to fit and blocks to predict: consecutive ones together, every block predicted once.

    >>> robot = bf.Robot.load("pendulum")
    >>> folds(Problem.of(robot, tuple(np.zeros((4, 32, 1))), friction=(), blocks=4), 2)
    [([2, 3], [0, 1]), ([0, 1], [2, 3])]
    """
    count = len(problem.reduction.blocks)
    if count < 2:
        raise SolveError("blocks.too_few/inner_blocks")
    held = [part.tolist() for part in np.array_split(np.arange(count), min(parts, count))]
    return [([k for k in range(count) if k not in part], part) for part in held]


def chosen(
    problem: Problem,
    weights: Array,
    g: Array,
    candidates: Sequence[float],
    solve: Callable[[Whitened, float], Linear],
) -> Choice:
    """Errors of every candidate on blocks that its fit had not seen.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> problem = Problem.of(robot, (q, v, a, 2 * robot.inverse_dynamics(q, v, a)), friction=())
    >>> chosen(problem, np.ones(1), np.eye(3), (0.0, 1e9), Whitened.ridge).best
    0.0
    """
    prior, width = problem.prior(), len(problem.base)
    with one_blas_thread():
        small = [chosen_columns(block, problem.base.columns) for block in problem.reduction.blocks]
        total, rows = np.zeros(len(candidates)), 0
        for inside, outside in folds(problem):
            fitted = stack(merge_blocks([small[k] for k in inside]), weights, width)
            held = stack(merge_blocks([small[k] for k in outside]), weights, width)
            seen = Whitened.of(fitted[:width, :width], fitted[:width, width], g, prior)
            for k, candidate in enumerate(candidates):
                total[k] += np.sum((held[:, :width] @ solve(seen, candidate).values - held[:, width]) ** 2)
            rows += sum(row.samples for k in outside for row in small[k].rows)
    return Choice(tuple(float(c) for c in candidates), tuple(float(x) for x in np.sqrt(total / max(rows, 1))))
