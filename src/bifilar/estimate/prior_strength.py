"""How much to believe the prior: chosen on blocks of the training data that are held out in turn.

The weight w of the log-det prior means: every body is known beforehand to about 1 / sqrt(w), relative, in units of the torque
noise. Recorded noise is not white, so the formula cannot be trusted to say which w is best; held-out motion can. Folds are
stretches of time, because neighbouring samples are alike. With the errors e_k(w) of K folds the choice is the smallest mean,
or, asked for, the strongest prior whose mean is within one standard error of it (Breiman and others 1984).

No description is right to a tenth of a percent, whatever held-out motion of the same machine prefers by chance: a prior that
claims more than `BELIEVABLE` is chosen only where it is better by more than the standard error, and a note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.estimate.problem import Problem

Rule = Literal["best", "one standard error"]
GRID = tuple(10.0 ** np.arange(-2, 6.1, 1.0))
FOLDS = 5
BELIEVABLE = 1e4  # links known to 1 % before the data: what weighing parts and good drawings give

Solver = Callable[[Array, Array, list[float]], list[Array]]  # factor, target, falling weights -> values for each


@dataclass(frozen=True, eq=False)
class PriorStrength:
    """Held-out errors of every weight tried, and the choice.

    >>> from bifilar.estimate.prior_strength import PriorStrength
    >>> table = PriorStrength(np.array([1.0, 10.0]), np.array([[1.0, 1.2], [1.1, 1.3]]), "best", 0)
    >>> print(table.text())
        weight  known to  held-out error
             1     100 %           1.049  chosen
            10      32 %           1.095
    """

    weights: Array  # tried
    errors: Array  # (weights, folds) mean squared error of a held-out row, in units of the noise
    rule: Rule
    chosen: int

    @property
    def weight(self) -> float:
        """The choice.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.array([1.0, 10.0]), np.ones((2, 3)), "best", 1).weight
        10.0
        """
        return float(self.weights[self.chosen])

    @property
    def notes(self) -> tuple[str, ...]:
        """What should be known about the choice; empty if it is an ordinary one.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> print(PriorStrength(np.array([1.0, 1e6]), np.array([[2.0, 2.1], [1.0, 1.1]]), "best", 1).notes[0])
        held-out motion is told best by links that are as described to 0.1 %, closer than descriptions are
        """
        if not np.isfinite(self.errors).all():
            return ("too few blocks to choose the prior's weight on: links may differ from the description by 100 %",)
        best = float(self.weights[np.argmin(self.errors.mean(axis=1))])
        known = f"{percent(1.0 / np.sqrt(self.weight))}" if self.weight > 0 else ""
        notes = []
        if self.weight > BELIEVABLE:
            notes.append(
                f"held-out motion is told best by links that are as described to {known}, closer than descriptions are"
            )
        elif best > BELIEVABLE:
            closer = percent(1.0 / np.sqrt(best))
            notes.append(f"links as described to {closer} would tell held-out motion as well, but none are known so closely")
        if len(self.weights) > 1 and self.chosen in (0, len(self.weights) - 1):
            end = "weakest" if self.chosen == 0 else "strongest"
            notes.append(f"this is the {end} prior that was tried; prior_weight= sets another")
        return tuple(notes)

    def text(self) -> str:
        """A line per weight; errors are root mean squares.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.array([100.0]), np.ones((1, 3)), "best", 0).text().splitlines()[1]
        '       100      10 %               1  chosen'
        """
        lines = [f"{'weight':>10}  {'known to':>8}  {'held-out error':>14}"]
        for k, (weight, errors) in enumerate(zip(self.weights, self.errors, strict=True)):
            known = percent(1.0 / np.sqrt(weight)) if weight > 0 else "-"
            mark = "  chosen" if k == self.chosen else ""
            lines.append(f"{weight:>10.3g}  {known:>8}  {np.sqrt(errors.mean()):>14.4g}{mark}")
        return "\n".join(lines)


def percent(share: float) -> str:
    """A share in words.

    >>> from bifilar.estimate.prior_strength import percent
    >>> percent(1.0), percent(0.0316)
    ('100 %', '3.2 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def folds_of(problem: Problem, folds: int = FOLDS) -> list[list[int]]:
    """Blocks of time, a stretch per fold; fewer folds if there are fewer blocks.

    >>> from bifilar.estimate.prior_strength import folds_of
    >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
    >>> [len(fold) for fold in folds_of(bf.Problem.of(robot, (still, still, still, still), friction=()), 3)]
    [4, 4, 4]
    """
    blocks = len(problem.reduction.blocks)
    return [list(map(int, part)) for part in np.array_split(np.arange(blocks), min(folds, blocks)) if len(part)]


def prior_strength(
    problem: Problem,
    row_weights: Array,
    solver: Solver,
    *,
    weights: Sequence[float] = GRID,
    rule: Rule = "best",
    folds: int = FOLDS,
) -> PriorStrength:
    """Tries every weight on every fold; `solver` gives the values of all columns for a factor of the base columns.

    >>> from bifilar.estimate.prior_strength import prior_strength
    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 90, 1))
    >>> problem = bf.Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    >>> description = lambda factor, target, weights: [robot.parameters().values for _ in weights]
    >>> prior_strength(problem, np.ones(1), description, weights=[1.0]).errors.max() < 1e-12
    np.True_
    """
    parts = folds_of(problem, folds)
    tried = np.sort(np.asarray(weights, dtype=float))
    if len(parts) < 2:
        return PriorStrength(tried, np.full((len(tried), 1), np.nan), rule, int(np.argmin(np.abs(tried - 1.0))))
    errors = np.zeros((len(tried), len(parts)))
    held = [problem.choose(part) for part in parts]
    triangles = [fold.triangle(row_weights) for fold in held]
    count = len(problem.base)
    for column, (fold, outer) in enumerate(zip(held, triangles, strict=True)):
        inner = np.asarray(np.linalg.qr(np.vstack([each for each in triangles if each is not outer]), mode="r"))
        found = solver(inner[:count, :count], inner[:count, count], tried[::-1].tolist())  # the strongest first
        for row, values in enumerate(reversed(found)):
            error = outer[:, :count] @ problem.base.from_full(values) - outer[:, count]
            errors[row, column] = float(error @ error) / (fold.reduction.samples * len(problem.row_names))
    return PriorStrength(tried, errors, rule, choice(errors, rule, tried))


def choice(errors: Array, rule: Rule, weights: Array | None = None) -> int:
    """Which weight (row) to take, from errors (weights, folds) with the weights in rising order.

    >>> from bifilar.estimate.prior_strength import choice
    >>> errors = np.array([[2.0, 2.0, 2.0], [1.0, 1.1, 1.2], [1.0, 1.0, 1.5]])
    >>> choice(errors, "best"), choice(errors, "one standard error")
    (1, 2)
    >>> choice(errors[:2], "best", np.array([1.0, 1e6])), choice(errors[[2, 1]], "best", np.array([1.0, 1e6]))
    (1, 0)
    """
    mean = errors.mean(axis=1)
    best = int(np.argmin(mean))
    if rule == "best":
        usual = None if weights is None else np.flatnonzero(weights <= BELIEVABLE)
        if usual is None or not len(usual) or best in usual:
            return best
        other = int(usual[np.argmin(mean[usual])])
        return best if mean[best] + _spread(errors, best, other) < mean[other] else other
    spread = np.array([_spread(errors, best, row) for row in range(len(errors))])
    within = np.flatnonzero(mean <= mean[best] + spread)
    return int(within.max(initial=best))


def _spread(errors: Array, one: int, other: int) -> float:
    """Standard error of the difference of two means over the same folds."""
    return float(np.std(errors[one] - errors[other], ddof=1) / np.sqrt(errors.shape[1]))
