"""`LeastSquares`: base parameters that leave the least torque error, joints weighted by their noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data
from bifilar.estimate.status import Status
from bifilar.robot.robot import Robot
from bifilar.robot.solve import WeightedFit, row_weights, unseen, weighted_fit


@dataclass(frozen=True, kw_only=True)
class LeastSquares:
    """Settings of weighted least squares.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    BaseEstimate(4 of 6 base parameters identified by weighted least squares, ok)
    """

    weights: Literal["per joint", "equal"] | Sequence[float] = "per joint"  # of the joints: 1/noise, alike, or given

    def fit(self, robot: Robot, recordings: Data | Iterable[Data], *, strict: bool = False, **problem: Any) -> BaseEstimate:
        """Build the problem (settings as in `Problem.of`) and solve it; `strict` raises unless the status is ok.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=()).values.round(6)
        array([ 0.25    , -0.      ,  0.083358])
        """
        start = perf_counter()
        built = Problem.of(robot, recordings, **problem)
        return self.solve(built, strict=strict, built=perf_counter() - start)

    def solve(self, problem: Problem, *, strict: bool = False, built: float = 0.0) -> BaseEstimate:
        """Solve a problem that was built before.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> LeastSquares().solve(Problem.of(robot, (still, still, still, still), friction=())).status.code
        'rank deficient'
        """
        start = perf_counter()
        names = problem.base.independent
        weights = "per row" if isinstance(self.weights, str) and self.weights == "per joint" else self.weights
        fit = weighted_fit(names, problem.factor(), row_weights(weights, problem.row_names), problem.prior())
        status = _status(names, fit)
        if strict:
            status.insist()
        return BaseEstimate(
            described=problem.robot,
            base=problem.base,
            values=fit.values,
            covariance=fit.covariance,
            noise=fit.noise,
            status=status,
            method="least squares" if weights == "equal" else "weighted least squares",
            rows=problem.reduction.samples,
            recipe=problem.recipe,
            notes=problem.notes,
            timings={"problem": built, "solve": perf_counter() - start},
        )


def _status(names: tuple[str, ...], fit: WeightedFit) -> Status:
    if not len(fit.open):
        return Status()
    letter = unseen(names, fit.open)
    return Status("rank deficient", letter.what, letter.remedy)
