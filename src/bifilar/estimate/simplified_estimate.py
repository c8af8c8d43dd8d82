"""A model with some of the parameters as an ordinary estimate: dropped ones are exactly zero, the others have error bars.

    T = R_kept^-1 in the rows of the kept parameters, zero in the others        see linear.py

so covariances come from the same formulas as those of the full model. They are those of the model that was taken; that it was
chosen by the data is in no error bar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from bifilar.errors import Note
from bifilar.estimate.doubts import doubts
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.ladder import Ladder
from bifilar.estimate.linear import Linear
from bifilar.estimate.problem import Problem
from bifilar.estimate.status import Status
from bifilar.estimate.subset import Triangle
from bifilar.estimate.uncertainty import Uncertainty, covariance
from bifilar.estimate.weighted_rows import WeightedRows

TABLE = "simplify"  # where an estimate keeps its ladder


def estimate_of(
    problem: Problem,
    rows: WeightedRows,
    kept: Sequence[int],
    uncertainty: Uncertainty,
    ladder: Ladder | None,
    timings: Mapping[str, float],
) -> BaseEstimate:
    """Of the parameters `kept`; a ladder is remembered in its tables and notes.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 200, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e), friction=())
    >>> estimate_of(problem, WeightedRows.of(problem, None), (0, 2), "robust", None, {}).values[1]
    np.float64(0.0)
    """
    start = perf_counter()
    line = _line(problem, rows, kept)
    fitted = rows.fitted(line, line)
    sure = covariance(problem, fitted, uncertainty)
    names = problem.base.independent
    gone = [name for k, name in enumerate(names) if k not in set(kept)]
    notes = [*problem.notes, *rows.notes, *sure.notes]
    tables = dict(problem.tables) | {"degrees of freedom": float(len(kept))}
    if ladder is not None:
        facts: dict[str, Any] = {"parameters": len(names), "kept": len(kept), "rule": ladder.rule, "zero": len(gone)}
        notes.append(Note("model.simplified", **facts))
        tables[TABLE] = ladder.facts()
    status = doubts(problem)
    return BaseEstimate(
        described=problem.robot,
        base=problem.base,
        values=line.values,
        covariance=sure.covariance,
        freedom=sure.freedom,
        noise=fitted.noise,
        status=Status() if status.ok else status,
        method="weighted least squares" + ("" if ladder is None else f", simplified by {ladder.rule}"),
        rows=problem.reduction.samples,
        recipe=problem.recipe,
        notes=tuple(notes),
        timings=dict(timings) | {"error bars": perf_counter() - start},
        tables=tables,
    )


def _line(problem: Problem, rows: WeightedRows, kept: Sequence[int]) -> Linear:
    count = len(problem.base)
    model = Triangle(problem.base.independent, rows.triangle, 0).solved(kept)
    spread = np.zeros((count, len(kept)))
    spread[list(kept)] = model.inverse
    ones = np.ones(len(kept))
    return Linear(model.values, spread, ones, 0 * ones, np.zeros((0, count)), np.ones(count))
