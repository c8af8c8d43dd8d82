"""`LeastSquares`: base parameters that leave the least torque error.

rows      weighted alike, by each joint's noise, or by the covariance of all joints       joint_covariance.py
outliers  lose their weight (Huber, Tukey)                                                robust.py
prior     the description, with a strength (ridge) or where data see little (truncate)    ridge.py, truncated.py
bars      for errors that follow each other, for white ones, or by drawing blocks         uncertainty.py
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate import ridge, truncated
from bifilar.estimate.bootstrap import bootstrap
from bifilar.estimate.doubts import doubts
from bifilar.estimate.estimate import BaseEstimate, torque_of_unit
from bifilar.estimate.inner_blocks import Choice
from bifilar.estimate.likely import fitted_by
from bifilar.estimate.linear import SEEN, Linear
from bifilar.estimate.prior_metric import metric
from bifilar.estimate.problem import Problem
from bifilar.estimate.robust import Kind, robust_fit
from bifilar.estimate.sources import Data
from bifilar.estimate.status import Status
from bifilar.estimate.uncertainty import Fitted, Sure, Uncertainty, covariance, free
from bifilar.estimate.weighted_rows import WeightedRows
from bifilar.robot.robot import Robot
from bifilar.robot.solve import row_weights

Weights = Literal["per joint", "equal", "full"] | Sequence[float]


@dataclass(frozen=True, kw_only=True)
class LeastSquares:
    """Settings of weighted least squares.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    BaseEstimate(6 of 6 base parameters identified by weighted least squares, ok)
    """

    weights: Weights = "per joint"  # of the joints: 1/noise, alike, the inverse of their full covariance, or given
    robust: Kind | None = None  # "huber": outliers count linearly; "tukey": far ones not at all
    ridge: float | Literal["auto"] | None = None  # rows of random motion that the description is worth; auto: inner blocks tell
    truncate: float | Literal["auto"] | None = (
        None  # least singular value that is kept, of the largest; auto: inner blocks tell
    )
    uncertainty: Uncertainty = "robust"  # error bars: of errors that follow each other, of white ones, or by drawing blocks

    def __post_init__(self) -> None:
        _check(self)

    def fit(self, robot: Robot, recordings: Data | Iterable[Data], *, strict: bool = False, **problem: Any) -> BaseEstimate:
        """Build the problem (settings as in `Problem.of`) and solve it; `strict` raises unless the status is ok.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=()).values.round(6) + 0.0
        array([0.25    , 0.      , 0.083358])
        """
        return fitted_by(self, robot, recordings, strict, **problem)

    def solve(self, problem: Problem, *, strict: bool = False, built: float = 0.0) -> BaseEstimate:
        """Solve a problem that was built before.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> LeastSquares().solve(Problem.of(robot, (still, still, still, still), friction=())).status.code
        'rank deficient'
        """
        start = perf_counter()
        with one_blas_thread():
            rows = self._rows(problem)
            answer, bars, tables = self._regularised(rows)
            fitted = rows.fitted(answer, bars)
        solved = perf_counter()
        sure = self._covariance(problem, rows, fitted, tables)
        status = rows.status if self.ridge is None and self.truncate is None else Status()
        estimate = BaseEstimate(
            described=problem.robot,
            base=problem.base,
            values=answer.values,
            covariance=sure.covariance,
            freedom=sure.freedom,
            importance=torque_of_unit(problem.factor(), fitted.noise, len(problem.base)),
            noise=fitted.noise,
            status=status.worse(rows.iterations),
            method=self._words(),
            rows=problem.reduction.samples,
            recipe=problem.recipe,
            notes=(*problem.notes, *rows.notes, *_prior_notes(answer, tables), *sure.notes),
            timings={"problem": built, "solve": solved - start, "error bars": perf_counter() - solved},
            tables=dict(problem.tables) | tables | dict(rows.tables) | {"degrees of freedom": rows.used(bars)},
        )
        estimate = replace(estimate, status=estimate.status.worse(doubts(problem)))
        if strict:
            estimate.status.insist()
        return estimate

    def _rows(self, problem: Problem) -> WeightedRows:
        """Weights of rows and joints."""
        if self.robust is not None:
            return WeightedRows.robust(problem, robust_fit(problem, self.robust))
        weights = "per row" if isinstance(self.weights, str) and self.weights in ("per joint", "full") else self.weights
        rows = WeightedRows.of(problem, row_weights(weights, problem.row_names))
        if isinstance(self.weights, str) and self.weights == "full":
            return rows.correlated()
        return rows

    def _regularised(self, rows: WeightedRows) -> tuple[Linear, Linear, dict[str, Any]]:
        """The answer, and the same with the weights that error bars take."""
        if self.ridge is None and self.truncate is None:
            return rows.plain(), rows.plain_bars(), {}
        g = metric(rows.problem, rows.weights)
        seen = rows.whitened(g)
        bars = seen if rows.bar_triangle is None else rows.whitened(g, rows.bar_triangle)
        if self.ridge is not None:
            choice = ridge.strength(rows.problem, rows.weights, g, seen) if self.ridge == "auto" else None
            strength = choice.best if choice is not None else float(self.ridge)
            return seen.ridge(strength), bars.ridge(strength), _table("ridge", choice, strength)
        choice = truncated.count(rows.problem, rows.weights, g) if self.truncate == "auto" else None
        kept = int(choice.best) if choice is not None else truncated.kept(seen, float(self.truncate or 0.0))
        return seen.truncated(kept), bars.truncated(kept), _table("truncate", choice, float(kept))

    def _covariance(self, problem: Problem, rows: WeightedRows, fitted: Fitted, tables: dict[str, Any]) -> Sure:
        if self.uncertainty != "bootstrap":
            return covariance(problem, fitted, self.uncertainty)
        held = replace(self, robust=None, uncertainty="white", weights=tuple(rows.weights))
        if self.ridge is not None:
            held = replace(held, ridge=tables["ridge"]["chosen"])
        if self.truncate is not None:
            least = fitted.line.bread[fitted.line.bread > 0]
            held = replace(held, truncate=float(np.sqrt(least[0] / least[-1])) if len(least) else 1.0)
        line = fitted.line
        matrix = bootstrap(rows.problem, lambda some: held._values(some), columns="base").covariance
        matrix = matrix + line.covariance(np.zeros((len(line.bread),) * 2))  # what the prior leaves open
        lost = np.flatnonzero((line.resolution < SEEN) | rows.lost)
        matrix[lost, lost] = np.inf
        return Sure(matrix, np.minimum(free(fitted), len(problem.reduction.blocks) - 1.0), ())

    def _values(self, problem: Problem) -> Array:
        """The values alone: what a draw of blocks is asked for."""
        with one_blas_thread():
            return self._regularised(self._rows(problem))[0].values

    def _words(self) -> str:
        rows = {"equal": "least squares", "full": "least squares with the covariance of all joints"}
        words = rows.get(self.weights, "weighted least squares") if isinstance(self.weights, str) else "weighted least squares"
        words = f"robust {words} ({self.robust.title()})" if self.robust else words
        words += ", ridge to the description" if self.ridge is not None else ""
        return words + (", truncated" if self.truncate is not None else "")


def _table(name: str, choice: Choice | None, chosen: float) -> dict[str, Any]:
    tried = {} if choice is None else {"candidates": choice.candidates, "errors": choice.errors}
    return {name: {"chosen": chosen} | tried}


def _prior_notes(answer: Linear, tables: dict[str, Any]) -> tuple[Note, ...]:
    notes = [Note("ridge.chosen", name=name, value=entry["chosen"]) for name, entry in tables.items() if len(entry) > 1]
    from_prior = int(np.sum(answer.resolution < SEEN))
    if tables and from_prior:
        notes.append(Note("parameters.from_prior", count=from_prior, of=len(answer.values)))
    return tuple(notes)


def _check(settings: LeastSquares) -> None:
    """Refuses settings that mean nothing, or do not go together."""
    names = ("per joint", "equal", "full")
    if isinstance(settings.weights, str) and settings.weights not in names:
        raise SolveError("weights.unknown/least_squares", weights=settings.weights, names=names)
    if settings.robust not in (None, "huber", "tukey"):
        raise SolveError("robust.unknown/least_squares", robust=settings.robust)
    if settings.uncertainty not in ("robust", "white", "bootstrap"):
        raise SolveError("uncertainty.unknown/least_squares", uncertainty=settings.uncertainty)
    for name in ("ridge", "truncate"):
        value = getattr(settings, name)
        if value is not None and value != "auto" and (isinstance(value, str) or not 0 <= value < np.inf):
            raise SolveError("setting.wrong/least_squares", name=name, value=value)
    if settings.ridge is not None and settings.truncate is not None:
        raise SolveError("setting.exclusive/least_squares")
    if settings.robust is not None and settings.weights != "per joint":
        raise SolveError("setting.exclusive/check")
    if settings.weights == "full" and settings.uncertainty == "bootstrap":
        raise SolveError("setting.exclusive/least_squares_check")
