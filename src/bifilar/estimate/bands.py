"""Bands around a predicted torque: how far it may be off because values are not known exactly, and because torque is noisy.

variance of a joint's torque = y' C y  (+ noise^2),          y: the row of the regressor, C: covariance of the values

Bands of few rows are wider, by Student's quantile of the least freedom among the values (`freedom`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.freedom import quantile
from bifilar.estimate.sources import Data, equations_of
from bifilar.robot.reduction import dense_rows


@dataclass(frozen=True, eq=False)
class Band:
    """Torque and how far it may be off, (rows, joints) each.

    >>> Band(np.zeros((1, 1)), np.ones((1, 1)), 0.95).high.round(2)
    array([[1.96]])
    """

    torque: Array
    deviation: Array
    level: float
    freedom: float = np.inf  # independent errors that told the deviations, at least

    @property
    def low(self) -> Array:
        """Lower end.

        >>> Band(np.zeros((1, 1)), np.ones((1, 1)), 0.95).low.round(2)
        array([[-1.96]])
        """
        return self.torque - self._reach

    @property
    def high(self) -> Array:
        """Upper end.

        >>> Band(np.ones((1, 1)), np.zeros((1, 1)), 0.95).high
        array([[1.]])
        """
        return self.torque + self._reach

    @property
    def _reach(self) -> Array:
        return quantile(self.level, self.freedom) * self.deviation

    def covers(self, torque: Array) -> Array:
        """Share of the rows inside, joint by joint.

        >>> Band(np.zeros((2, 1)), np.ones((2, 1)), 0.95).covers(np.array([[0.0], [3.0]]))
        array([0.5])
        """
        return np.mean((torque >= self.low) & (torque <= self.high), axis=0)


def band(estimate: BaseEstimate, recording: Data, *, level: float = 0.95, noise: bool = False) -> Band:
    """Around the torque that an estimate predicts at the rows of a recording. `noise`: for the torque as it is measured.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 200, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e
    >>> bool(band(bf.LeastSquares().fit(robot, data), data, noise=True).covers(data[3])[0] > 0.9)
    True
    """
    if not 0 < level < 1:
        raise SolveError("level.wrong/bands", level=level)
    robot, base = estimate.described, estimate.base
    known = np.isfinite(np.diag(estimate.covariance))
    covariance = np.where(np.outer(known, known), estimate.covariance, 0.0)
    own = np.square(estimate.noise) if noise else np.zeros(len(estimate.noise))
    torque, deviation = [], []
    for chunk in equations_of(recording, robot, estimate.recipe).chunks(robot):
        y = dense_rows(robot, chunk, base.columns)
        variance = np.einsum("tjp,pq,tjq->tj", y, covariance, y, optimize=True)
        lost = np.any(y[..., ~known] != 0, axis=2)
        torque.append(y @ estimate.values)
        deviation.append(np.where(lost, np.inf, np.sqrt(np.maximum(variance, 0.0) + own)))
    least = np.inf if estimate.freedom is None else float(np.min(estimate.freedom[known], initial=np.inf))
    return Band(np.concatenate(torque), np.concatenate(deviation), level, least)
