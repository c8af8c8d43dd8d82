"""How much to believe the prior: chosen on blocks of the training data that are held out in turn.

The weight w of the log-det prior means: every body is known beforehand to about 1 / sqrt(w), relative, in units of the torque
noise. Recorded noise is not white, so the formula cannot be trusted to say which w is best; held-out motion can. Folds are
stretches of time, because neighbouring samples are alike.

Held-out motion speaks only of what torque shows. One weight for everything lets what it shows decide what it does not: inertias
that are plainly wrong (rotors that no file states) ask for a weak prior, and masses that no torque tells run away with it. So
every weight is tried twice: with the masses as free as the rest, and with masses known to `1 / sqrt(MASSES)` by themselves.
Those are the masses that somebody stated and that the best fit with free ones does not identify. With the errors e_k of K
folds, d_k = e_k(a candidate) - e_k(the best), a candidate is clearly worse if

    mean(d) > max( std(d) / sqrt(K),  1 / rows )        one standard error of the paired difference (Breiman and others 1984)

and, below the second, if all held-out rows together speak against it by less than one squared noise: that is no evidence, and
where two models predict alike the first is rounding. Of what is not clearly worse the strongest is taken: masses known, if they
may be; then the weight, upwards from the best of that kind while the next is not clearly worse. A description that is badly
wrong in what is seen is clearly worse in every fold, so the data win. Paired, not against the scatter of the errors themselves:
with noise e, d = 2 e'Yx + |Yx|^2 for a shift Yx of all predictions, so what passes moved them by about two noises in the
whole log, less than what a dozen of parameters make by chance.

Where nothing speaks against a pull, nothing speaks for it either. The best weight with masses free tells how far off the
description is where that is seen; error bars take that for its spread everywhere (`believed`), not the weight that was chosen.

Without evidence nobody is believed to better than `TRUSTED`: stronger priors have to be the best. No description is right to a
tenth of a percent, whatever held-out motion of the same machine prefers by chance: a prior that claims more than `BELIEVABLE`
has to be better by more than the standard error, and a note says so. Few blocks make large standard errors, which leaves the
description; masses that are made up from shapes are not held. The rule "best" takes the smallest mean, masses free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.problem import Problem

Rule = Literal["best", "one standard error"]
GRID = tuple(10.0 ** np.arange(-2, 6.1, 1.0))
QUIET = 1e-9  # of the torque: held-out errors below this are rounding, and equal
TIE = 1e-7  # relative difference of two means that the solver's tolerance makes
FOLDS = 5
TRUSTED = 1e2  # links known to 10 % before the data: what descriptions are good for
MASSES = 1e2  # masses known to 10 %, likewise
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
    masses: Array | None = None  # (weights,) of the masses by themselves, 1/(relative error)^2; None: 0, as free as the rest

    @property
    def mass_weight(self) -> float:
        """Of the masses by themselves; 0: they are as free as the rest.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.array([1.0, 1.0]), np.ones((2, 3)), "best", 1, np.array([0.0, 100.0])).mass_weight
        100.0
        """
        return 0.0 if self.masses is None else float(self.masses[self.chosen])

    @property
    def believed(self) -> float:
        """The weight that error bars take for true: of the smallest error with masses free, at most the chosen one.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.array([1.0, 10.0]), np.array([[1.0, 1.1], [1.1, 1.2]]), "one standard error", 1).believed
        1.0
        """
        if not np.isfinite(self.errors).all():
            return self.weight
        free = np.ones(len(self.weights), dtype=bool) if self.masses is None else self.masses == 0
        return min(self.weight, float(self.weights[free][_best(self.errors[free], self.weights[free])]))

    @property
    def weight(self) -> float:
        """The choice.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.array([1.0, 10.0]), np.ones((2, 3)), "best", 1).weight
        10.0
        """
        return float(self.weights[self.chosen])

    @property
    def notes(self) -> tuple[Note, ...]:
        """What should be known about the choice; empty if it is an ordinary one.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.array([1.0, 1e6]), np.array([[2.0, 2.1], [1.0, 1.1]]), "best", 1).notes[0].code
        'prior.strong'
        """
        if not np.isfinite(self.errors).all():
            return (Note("prior.too_few_blocks"),)
        mean = self.errors.mean(axis=1)
        best = float(self.weights[_least(mean)])
        known = f"{percent(1.0 / np.sqrt(self.weight))}" if self.weight > 0 else ""
        notes = []
        if self.weight > BELIEVABLE:
            notes.append(Note("prior.strong", spread=known))
        elif best > BELIEVABLE:
            closer = percent(1.0 / np.sqrt(best))
            notes.append(Note("prior.capped", spread=closer))
        if self.masses is not None and self.masses.any() and not self.mass_weight:
            kept = percent(1.0 / np.sqrt(float(self.masses.max())))
            notes.append(Note("prior.masses_free", spread=kept))
        if self.weights.min() < self.weights.max() and self.weight in (self.weights.min(), self.weights.max()):
            end = "weakest" if self.weight == self.weights.min() else "strongest"
            notes.append(Note("prior.at_end", end=end))
        return tuple(notes)

    def text(self) -> str:
        """A line per weight; errors are root mean squares.

        >>> from bifilar.estimate.prior_strength import PriorStrength
        >>> PriorStrength(np.array([100.0]), np.ones((1, 3)), "best", 0).text().splitlines()[1]
        '       100      10 %               1  chosen'
        """
        held = np.zeros(len(self.weights)) if self.masses is None else self.masses
        lines = [f"{'weight':>10}  {'known to':>8}  {'held-out error':>14}"]
        for k, (weight, errors) in enumerate(zip(self.weights, self.errors, strict=True)):
            known = percent(1.0 / np.sqrt(weight)) if weight > 0 else "-"
            mark = f"  masses {percent(1.0 / np.sqrt(held[k]))}" if held[k] > 0 else ""
            mark += "  chosen" if k == self.chosen else ""
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
    holding: Callable[[float], Solver | None] | None = None,
    weights: Sequence[float] = GRID,
    rule: Rule = "one standard error",
    folds: int = FOLDS,
) -> PriorStrength:
    """Tries every weight on every fold; `solver` gives the values of all columns for a factor of the base columns.

    `holding`: for the best of these weights the same solver with masses known by `MASSES`, or None where there are none to
    hold; the rule "best" does not ask it.

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
    ask = (lambda weight: None) if holding is None or rule == "best" else holding
    if len(parts) < 2:
        plain = int(np.argmin(np.abs(tried - 1.0)))
        held = ask(float(tried[plain])) is not None
        return PriorStrength(tried, np.full((len(tried), 1), np.nan), rule, plain, np.full(len(tried), MASSES * held))
    errors, masses = _errors(problem, parts, row_weights, solver, tried), np.zeros(len(tried))
    other = ask(float(tried[_best(errors, tried)]))
    if other is not None:
        errors = np.vstack([errors, _errors(problem, parts, row_weights, other, tried)])
        tried, masses = np.tile(tried, 2), np.repeat([0.0, MASSES], len(tried))
    silent = 1.0 / (problem.reduction.samples * len(problem.row_names))
    return PriorStrength(tried, errors, rule, choice(errors, rule, tried, masses, silent), masses)


def _errors(problem: Problem, parts: list[list[int]], row_weights: Array, solver: Solver, tried: Array) -> Array:
    """Mean squared error of a held-out row for every weight and fold, (weights, folds)."""
    errors = np.zeros((len(tried), len(parts)))
    held = [problem.choose(part) for part in parts]
    triangles = [fold.triangle(row_weights) for fold in held]
    count = len(problem.base)
    rows = problem.reduction.samples * len(problem.row_names)
    least = QUIET**2 * sum(float(outer[:, count] @ outer[:, count]) for outer in triangles) / max(rows, 1)
    for column, (fold, outer) in enumerate(zip(held, triangles, strict=True)):
        inner = np.asarray(np.linalg.qr(np.vstack([each for each in triangles if each is not outer]), mode="r"))
        found = solver(inner[:count, :count], inner[:count, count], tried[::-1].tolist())  # the strongest first
        for row, values in enumerate(reversed(found)):
            error = outer[:, :count] @ problem.base.from_full(values) - outer[:, count]
            errors[row, column] = max(float(error @ error) / (fold.reduction.samples * len(problem.row_names)), least)
    return errors


def choice(errors: Array, rule: Rule, weights: Array | None = None, masses: Array | None = None, silent: float = 0.0) -> int:
    """Which candidate (row) to take, from errors (candidates, folds) with the weights of each kind in rising order.

    `masses`: weight of the masses by themselves, a kind of candidates for each. `silent`: excess of a mean that is no evidence.

    >>> from bifilar.estimate.prior_strength import choice
    >>> errors = np.array([[2.0, 2.0, 2.0], [1.0, 1.1, 1.2], [1.0, 1.0, 1.5]])
    >>> choice(errors, "best"), choice(errors, "one standard error")
    (1, 2)
    >>> choice(errors[:2], "best", np.array([1.0, 1e6])), choice(errors[[2, 1]], "best", np.array([1.0, 1e6]))
    (1, 0)
    """
    mean = errors.mean(axis=1)
    best = _best(errors, weights)
    if rule == "best":
        return best
    kinds = np.zeros(len(errors)) if masses is None else masses
    claims = np.zeros(len(errors)) if weights is None else weights

    def worse(row: int) -> bool:
        return bool(mean[row] - mean[best] > max(_spread(errors, row, best), silent, TIE * mean[best]))

    for kind in sorted(set(kinds.tolist()), reverse=True):
        rows = [int(k) for k in np.flatnonzero((kinds == kind) & (claims <= max(BELIEVABLE, claims[best])))]
        own = rows[_least(mean[rows])]
        if worse(own):
            continue
        for row in rows[rows.index(own) + 1 :]:
            if claims[row] > TRUSTED or worse(row):
                break
            own = row
        return own
    return best


def _best(errors: Array, weights: Array | None) -> int:
    """The smallest mean; of claims beyond what is believable only if it is clearly smaller."""
    mean = errors.mean(axis=1)
    best = _least(mean)
    usual = None if weights is None else np.flatnonzero(weights <= BELIEVABLE)
    if usual is None or not len(usual) or best in usual:
        return best
    other = int(usual[_least(mean[usual])])
    return best if mean[best] + _spread(errors, best, other) < mean[other] else other


def _least(mean: Array) -> int:
    """The first of the smallest means; what rounding and the solver's tolerance make of equal ones does not decide."""
    return int(np.argmax(mean <= (1.0 + TIE) * mean.min()))


def _spread(errors: Array, one: int, other: int) -> float:
    """Standard error of the difference of two means over the same folds."""
    return float(np.std(errors[one] - errors[other], ddof=1) / np.sqrt(errors.shape[1]))
