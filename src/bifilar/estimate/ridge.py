"""Ridge: least squares drawn to the description.

    least |R x - z|^2 + strength |G (x - prior)|^2

The strength counts rows: 10 is as much as if ten rows of random motion had measured the torque of the description itself. So
directions that the recording sees with fewer rows' worth of torque stay near the description; all others follow the data.
The covariance takes the description to be wrong by as much as the strength says (noise / sqrt(strength) in torque).
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.estimate.inner_blocks import Choice, chosen
from bifilar.estimate.prior_metric import Whitened
from bifilar.estimate.problem import Problem

STEPS = 25  # of the strengths that are tried


def strength(problem: Problem, weights: Array, g: Array, seen: Whitened) -> Choice:
    """Strengths tried on inner blocks: none, and from the least to the most that changes anything.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    >>> triangle = problem.triangle(np.ones(1))
    >>> seen = Whitened.of(triangle[:3, :3], triangle[:3, 3], np.eye(3), problem.prior())
    >>> len(strength(problem, np.ones(1), np.eye(3), seen).candidates)
    26
    """
    largest = float(seen.sizes[0]) ** 2
    least = max(float(seen.sizes[-1]) ** 2, 1e-12 * largest)
    tried = np.geomspace(0.01 * least, largest, STEPS) if largest > 0 else np.ones(STEPS)
    return chosen(problem, weights, g, (0.0, *tried), Whitened.ridge)
