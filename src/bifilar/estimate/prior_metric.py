"""How far values are from the description, measured by torque: whitened coordinates for ridge and truncation.

    u = G (values - prior),       |u|^2 = mean square of the torque that the difference causes, in units of the noise

G is a factor of the regressor at random states, joints divided by their noise. A distance in torque is the same in any
units, for any link frames and any choice of base parameters; a distance in parameter values is none of that: kilograms and
kilogram metres squared do not add.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.random_states import random_states
from bifilar.dynamics.tree import Array
from bifilar.estimate.linear import Linear
from bifilar.estimate.problem import Problem

STATES = 1000


def metric(problem: Problem, weights: Array, seed: int = 0) -> Array:
    """G: (base parameters, base parameters), for given weights of the joints.

    >>> robot = bf.Robot.load("pendulum")
    >>> problem = Problem.of(robot, tuple(np.zeros((4, 9, 1))), friction=())
    >>> bool(np.allclose(metric(problem, np.full(1, 2.0)), 2 * metric(problem, np.ones(1))))
    True
    """
    robot = problem.robot
    drives, rng = robot.drive_columns.columns, np.random.default_rng(seed)
    state = random_states(robot.tree, drives, STATES, rng)
    from bifilar.dynamics import engine

    columns = engine.current().regressor(
        robot.tree, state.q, state.v, state.a, state.root, robot._rows(None), drives, state.load if drives.count else None
    )
    dense = (columns[:, :, problem.base.columns] * weights[:, None]).reshape(-1, len(problem.base))
    factor: Array = np.linalg.qr(dense, mode="r")  # type: ignore[assignment]
    return factor / np.sqrt(STATES)


@dataclass(frozen=True, eq=False)
class Whitened:
    """Weighted equations R x = z in those coordinates: singular values, and what the data say along each direction.

    >>> Whitened.of(np.diag([2.0, 1.0]), np.array([2.0, 3.0]), np.eye(2), np.zeros(2)).sizes
    array([2., 1.])
    """

    prior: Array
    sizes: Array  # s: (parameters,), falling
    told: Array  # U'(z - R prior)
    spread: Array  # G^-1 V: values = prior + spread @ coordinates
    back: Array  # V' G

    @classmethod
    def of(cls, r: Array, z: Array, g: Array, prior: Array) -> Whitened:
        """By a singular value decomposition of R G^-1.

        >>> Whitened.of(np.eye(1), np.ones(1), np.full((1, 1), 2.0), np.zeros(1)).sizes
        array([0.5])
        """
        inverse = np.linalg.inv(g)
        left, sizes, right = decompose.svd(r @ inverse)
        return cls(prior, sizes, left.T @ (z - r @ prior), inverse @ right.T, right @ g)

    def ridge(self, strength: float) -> Linear:
        """Least |R x - z|^2 + strength |u|^2.

        >>> Whitened.of(np.eye(1), np.ones(1), np.eye(1), np.zeros(1)).ridge(1.0).values
        array([0.5])
        """
        squares = self.sizes**2
        floor = 1e-26 * max(squares[0], 1e-300)  # what is not seen at all is the prior's, however weak
        bread = 1.0 / (squares + max(strength, floor))
        return self._linear(bread, strength * bread**2)

    def truncated(self, kept: int) -> Linear:
        """Least squares along the directions the data see best, the prior along all others.

        What the description is wrong by along those is taken to be what it is wrong by along the kept ones.

        >>> Whitened.of(np.diag([2.0, 1.0]), np.array([2.0, 3.0]), np.eye(2), np.zeros(2)).truncated(1).values
        array([1., 0.])
        """
        keep = (np.arange(len(self.sizes)) < kept) & (self.sizes > 0)
        bread = np.where(keep, 1.0, 0.0) / np.where(keep, self.sizes, 1.0) ** 2
        moved = (self.told[keep] / self.sizes[keep]) ** 2
        return self._linear(bread, np.where(keep, 0.0, float(np.mean(moved)) if len(moved) else np.inf))

    def _linear(self, bread: Array, prior: Array) -> Linear:
        values = self.prior + self.spread @ (bread * self.sizes * self.told)
        resolution = np.einsum("ik,k,ki->i", self.spread, self.sizes**2 * bread, self.back)
        return Linear(values, self.spread, bread, prior, np.zeros((0, len(values))), resolution)
