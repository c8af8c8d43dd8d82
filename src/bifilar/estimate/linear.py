"""How values follow from weighted equations, and how errors of the torque become errors of the values.

    values - truth = T diag(d) T' sum over rows (W' error)          T: (parameters, coordinates), W and error weighted

Every method of the least-squares family has this form. Plain least squares: T = R^-1 and d = 1. Ridge and truncation:
T from a singular value decomposition and d = 1/(s^2 + strength), or 1/s^2 and 0. So one formula gives all covariances,

    covariance = T (D K D + E) T',        K = T' (covariance of W' error) T,        E: what the prior leaves open

and K is what differs between errors that are white and errors that follow each other (`sandwich`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.reduce import BlockFactor
from bifilar.dynamics.tree import Array
from bifilar.robot.solve import TOUCHED, WeightedFit

SEEN = 0.5  # of a change of the truth that must arrive in a value, or it is the description's


@dataclass(frozen=True, eq=False)
class Linear:
    """Values and the way they came about.

    >>> Linear(np.ones(1), np.eye(1), np.ones(1), np.zeros(1), np.zeros((0, 1)), np.ones(1)).covariance(np.eye(1))
    array([[1.]])
    """

    values: Array  # (parameters,)
    spread: Array  # T: (parameters, coordinates)
    bread: Array  # d: (coordinates,)
    prior: Array  # diagonal of E: (coordinates,), in squares of the weighted noise
    open: Array  # (k, parameters) directions of which the data say nothing
    resolution: Array  # (parameters,) share of a change of the truth that arrives in the value

    @classmethod
    def plain(cls, fit: WeightedFit) -> Linear:
        """Of least squares.

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
        >>> Linear.plain(WeightedFit.of(("a",), block, np.ones(1))).spread
        array([[0.5]])
        """
        ones = np.ones(fit.inverse.shape[1])
        seen = np.ones(len(fit.values)) if not len(fit.open) else 1.0 * (np.abs(fit.open).max(axis=0) <= TOUCHED)
        return cls(fit.values, fit.inverse, ones, 0 * ones, fit.open, seen)

    def covariance(self, meat: Array) -> Array:
        """From K; infinite on the diagonal for values that are the description's rather than the data's.

        >>> line = Linear(np.ones(1), np.eye(1), np.ones(1), np.zeros(1), np.zeros((0, 1)), np.zeros(1))
        >>> line.covariance(np.eye(1))
        array([[inf]])
        """
        inner = meat * self.bread[:, None] * self.bread + np.diag(self.prior)
        if not np.isfinite(inner).all():  # nothing tells the noise
            return np.full((len(self.values), len(self.values)), np.inf)
        covariance: Array = self.spread @ inner @ self.spread.T
        covariance = 0.5 * (covariance + covariance.T)
        lost = np.flatnonzero(self.resolution < SEEN)
        covariance[lost, lost] = np.inf
        return covariance

    def leverage(self, block: BlockFactor, weights: Array) -> Array:
        """Equations of each row that the values have used up; their sum is the effective number of parameters.

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
        >>> Linear.plain(WeightedFit.of(("a",), block, np.ones(1))).leverage(block, np.ones(1))
        array([1.])
        """
        return np.array([np.sum(part**2 * self.bread) for part in self.parts(block, weights)])

    def white(self, block: BlockFactor, weights: Array, variance: Array) -> Array:
        """K if the errors of different rows are independent, with the variance of each weighted joint.

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
        >>> Linear.plain(WeightedFit.of(("a",), block, np.ones(1))).white(block, np.ones(1), np.full(1, 3.0))
        array([[3.]])
        """
        meat = np.zeros((len(self.bread), len(self.bread)))
        for part, square in zip(self.parts(block, weights), variance, strict=True):
            meat += square * (part.T @ part)
        return meat

    def parts(self, block: BlockFactor, weights: Array) -> list[Array]:
        """Weighted factors of every row in the coordinates of the fit.

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
        >>> Linear.plain(WeightedFit.of(("a",), block, np.ones(1))).parts(block, np.ones(1))[0].ravel()
        array([1., 0.])
        """
        return [w * row.triangle[:, :-1] @ self.spread[row.columns] for w, row in zip(weights, block.rows, strict=True)]
