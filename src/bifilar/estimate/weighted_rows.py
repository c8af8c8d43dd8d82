"""Equations with their weights: what a solver of the least-squares family takes, and what its error bars take.

The two differ where outliers were found: the answer comes from rows that have lost their weight, error bars from all rows
and from what an error still pulls (Huber 1964: variance = mean of rho'^2 / (mean of rho'')^2, times that of least squares).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.reduce import BlockFactor
from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.joint_covariance import joint_covariance
from bifilar.estimate.linear import Linear
from bifilar.estimate.prior_metric import Whitened
from bifilar.estimate.problem import Problem
from bifilar.estimate.robust import RobustFit
from bifilar.estimate.status import Status
from bifilar.estimate.uncertainty import Fitted
from bifilar.robot.solve import TOUCHED, WeightedFit, inverted, unseen, weighted_fit

MILDER = 'robust="huber" settles where "tukey" does not; look at the rows with the largest errors'
APART = 'weights="per joint" needs no covariance of the joints'


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Equations with their weights: for the answer, and for its error bars.

    >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
    >>> WeightedRows.of(Problem.of(robot, (still, still, still, still), friction=()), np.ones(1)).status.code
    'rank deficient'
    """

    problem: Problem  # rows reweighted
    triangle: Array  # of [W torque], for the answer
    weights: Array  # (joints,)
    told: BlockFactor  # of rows before outliers lost their weight
    mix: Array  # what rows are multiplied by for error bars
    bar_weights: Array  # (joints,) weights whose information is the inverse of the bread
    fit: WeightedFit | None = None
    bar_triangle: Array | None = None
    own_noise: Array | None = None
    outliers: RobustFit | None = None
    notes: tuple[Note, ...] = ()
    iterations: Status = field(default_factory=Status)
    tables: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem, weights: Array | None) -> WeightedRows:
        """Given weights of the joints, or weights that settle.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        >>> rows.weights
        array([1.])
        """
        factor = problem.factor()
        fit = weighted_fit(problem.base.independent, factor, weights, problem.prior())
        return cls(problem, problem.triangle(fit.weights), fit.weights, factor, fit.weights, fit.weights, fit)

    @classmethod
    def robust(cls, problem: Problem, found: RobustFit) -> WeightedRows:
        """Outliers without their weight.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        """
        again = problem.reweighted(found.weights)
        weights = 1.0 / found.scale
        bars = np.sqrt(found.slope) / found.scale
        return cls(
            problem=again,
            triangle=again.triangle(weights),
            weights=weights,
            told=problem.factor(),
            mix=weights,
            bar_weights=bars,
            bar_triangle=problem.triangle(bars),
            own_noise=found.scale,
            outliers=found,
            notes=(Note("outliers.share", share=found.outliers),),
            iterations=Status() if found.converged else Status("not converged", Note("outliers.not_converged")),
            tables={"robust cost": found.costs},
        )

    def correlated(self) -> WeightedRows:
        """Weights from the covariance of all joints.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        >>> rows.correlated().mix.shape
        (1, 1)
        """
        if self.fit is None or not self.fit.each_row_tells:
            return replace(self, notes=(Note("joint_covariance.too_few"),))
        found = joint_covariance(self.problem, self.fit)
        width = len(found.z)
        triangle = np.zeros((width + 1, width + 1))
        triangle[:width, :width], triangle[:width, width] = found.r, found.z
        ends = Status() if found.converged else Status("not converged", Note("joint_covariance.not_converged"))
        tables = {"joint covariance": found.covariance}
        new = replace(self, triangle=triangle, mix=found.mix, own_noise=found.noise, fit=None)
        return replace(new, iterations=ends, tables=tables)

    def whitened(self, g: Array, triangle: Array | None = None) -> Whitened:
        """In coordinates of torque.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        >>> rows.whitened(np.eye(3)).sizes.shape
        (3,)
        """
        r = self.triangle if triangle is None else triangle
        return Whitened.of(r[:-1, :-1], r[:-1, -1], g, self.problem.prior())

    def plain(self) -> Linear:
        """Least squares; along open directions the values are the prior's.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        >>> rows.plain().values.round(9)
        array([0.25      , 0.1019368 , 0.08335833])
        """
        return Linear.plain(self.fit) if self.fit is not None else _plain(self.triangle, self.problem.prior())

    def plain_bars(self) -> Linear:
        """The same as error bars see it.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        >>> rows.plain_bars().resolution
        array([0., 1., 0.])
        """
        return self.plain() if self.bar_triangle is None else _plain(self.bar_triangle, self.problem.prior())

    def used(self, bars: Linear) -> float:
        """Effective number of parameters: trace of what turns torque into predicted torque.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        >>> round(rows.used(rows.plain()), 9)
        1.0
        """
        r = self.triangle if self.bar_triangle is None else self.bar_triangle
        return float(np.sum((r[:-1, :-1] @ bars.spread) ** 2 * bars.bread))

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Which values the data leave open.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        >>> rows.lost
        array([ True, False,  True])
        """
        open_directions = inverted(self.triangle[:-1, :-1])[1]
        none = np.zeros(len(self.triangle) - 1, dtype=bool)
        return np.abs(open_directions).max(axis=0) > TOUCHED if len(open_directions) else none

    @property
    def status(self) -> Status:
        """Whether the data leave anything open.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        >>> rows.status.code
        'rank deficient'
        """
        open_directions = inverted(self.triangle[:-1, :-1])[1]
        if not len(open_directions):
            return Status()
        letter = unseen(self.problem.base.independent, open_directions)
        return Status("rank deficient", Note("parameters.open", thing=letter.what, remedy=letter.remedy, **letter.facts))

    def fitted(self, answer: Linear, bars: Linear) -> Fitted:
        """The answer as its covariance sees it, with the noise of every joint.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> rows = WeightedRows.of(problem, np.ones(1))
        >>> rows.fitted(rows.plain(), rows.plain()).noise.shape
        (1,)
        """
        line = replace(bars, values=answer.values)
        noise = self.own_noise if self.own_noise is not None else _noise(line, self.told, self.weights)
        if self.outliers is not None:  # the scale is of residuals, which are smaller than errors
            noise = noise * _shrunk(line, self.told, self.bar_weights)
        weights = self.weights if self.outliers is not None or self.mix.ndim == 2 else self.bar_weights
        return Fitted(line, self.told, weights, self.mix, noise, self.outliers)


def _plain(triangle: Array, prior: Array) -> Linear:
    r, z = triangle[:-1, :-1], triangle[:-1, -1]
    inverse, open_directions = inverted(r)
    start = prior if len(open_directions) else np.zeros(len(z))
    ones = np.ones(inverse.shape[1])
    seen = 1.0 * (np.abs(open_directions).max(axis=0) <= TOUCHED) if len(open_directions) else np.ones(len(z))
    return Linear(start + inverse @ (z - r @ start), inverse, ones, 0 * ones, open_directions, seen)


def _shrunk(line: Linear, factor: BlockFactor, weights: Array) -> Array:
    """Errors over residuals by what the values have used up, joint by joint; infinite if nothing is left."""
    rows = np.array([row.samples for row in factor.rows], dtype=float)
    free = rows - line.leverage(factor, weights)
    if np.all((free >= 1) | (rows == 0)):
        return np.sqrt(np.where(rows > 0, rows / np.where(rows > 0, free, 1.0), 1.0))
    return np.full(len(rows), np.sqrt(rows.sum() / free.sum()) if free.sum() > 1e-9 else np.inf)


def _noise(line: Linear, factor: BlockFactor, weights: Array) -> Array:
    """Of every joint by itself, or of all together where one cannot tell."""
    rows = np.array([row.samples for row in factor.rows], dtype=float)
    free = rows - line.leverage(factor, weights)
    residuals = np.array([row.residual(line.values) for row in factor.rows])
    torque = np.array([np.linalg.norm(row.triangle[:, -1]) for row in factor.rows]) / np.sqrt(np.maximum(rows, 1))
    floor = 1e-12 * np.where(torque > 0, torque, max(torque.max(initial=0.0), 1.0))
    if np.all(free >= 1):
        return np.maximum(residuals / np.sqrt(free), floor)
    spare = free.sum()
    common = np.sqrt(np.sum((weights * residuals) ** 2) / spare) if spare > 1e-9 else np.inf
    return np.maximum(common / weights, floor)
