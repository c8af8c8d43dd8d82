"""Truncated singular values: directions that the data hardly see stay the description's, all others follow the data alone.

    x = prior + sum over the kept directions of  v u'(z - R prior) / s          in coordinates of torque (`prior_metric`)

A number is the smallest singular value that is kept, relative to the largest; "auto" tries every count on inner blocks.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.estimate.inner_blocks import Choice, chosen
from bifilar.estimate.linear import Linear
from bifilar.estimate.prior_metric import Whitened
from bifilar.estimate.problem import Problem


def kept(seen: Whitened, least: float) -> int:
    """How many singular values are at least such a share of the largest.

    >>> kept(Whitened.of(np.diag([2.0, 1.0, 0.1]), np.zeros(3), np.eye(3), np.zeros(3)), 0.2)
    2
    """
    return int(np.sum(seen.sizes >= least * seen.sizes[0]))


def count(problem: Problem, weights: Array, g: Array) -> Choice:
    """Counts of directions tried on inner blocks; 0 is the description.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, 2 * a)), friction=())
    >>> count(problem, np.ones(1), np.eye(3)).candidates
    (0.0, 1.0, 2.0, 3.0)
    """
    return chosen(problem, weights, g, range(len(problem.base) + 1), _truncated)


def _truncated(seen: Whitened, count: float) -> Linear:
    return seen.truncated(int(count))
