"""Many nested friction models from one reduction: cross-validated errors with the scatter over blocks.

A trial is solved as the fit that follows will be solved: friction that no drive can have (a negative coefficient) is not
allowed, and inertial parameters stay within what the nominal model leaves open. Otherwise a term would be chosen or refused for
what a negative viscous friction or a runaway inertia explains.

    minimise  |W x + D y - tau|^2 / noise^2 + (x - x0)' P (x - x0) + |y / size|^2      y_k >= 0 if it is friction

P     curvature of the log-det prior at the nominal model, links known to 100 % (weight 1), in base parameters
size  coefficient with which a column alone would be as large as the torque of its joint

For a block b of rows, G_b = [W D tau]'[W D tau]. The inertial parameters x are eliminated once per fold (a Schur complement),
what remains is a small quadratic programme in y. The errors of a held-out block are a quadratic form in (y, -1).
Joints are weighted by the noise that the first model leaves. Gains are counted in errors, not in squares: one block that a poor
model extrapolates into would outweigh all. Half of the digits are lost by squaring; comparing models needs three of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.bodies import curvatures
from bifilar.estimate.physical_prior import physical_prior
from bifilar.estimate.problem import Problem, chosen_columns
from bifilar.estimate.sources import Equations
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.friction import Friction, Term
from bifilar.robot.robot import Robot
from bifilar.robot.solve import weighted_fit

QUIET = 1e-6  # of the torque: what products of columns leave of it by rounding, and no candidate explains
TINY = 1e-11  # added to the diagonal: columns that say the same share what they explain
ROUNDS = 30  # of the search for coefficients that are held at zero
SLACK = 1e-9  # of a coefficient's own scale: rounding, not a sign
CLOSER = 12  # candidates that are solved exactly, of those that promise most

Columns = NDArray[np.int64]


class Evidence(NamedTuple):
    """How much better a model predicts than another.

    >>> Evidence(0.9, 0.19, 0.02).gain
    0.19
    """

    error: float  # root mean square of the cross-validated errors, in units of the joints' noise
    gain: float  # mean over blocks of the error that is gone, as a share of the other model's
    standard_error: float  # of the gain, over blocks


class _Fold(NamedTuple):
    """One part of the time: what the others say about the drive columns, and its own errors as quadratic forms."""

    blocks: NDArray[np.int64]
    system: Array  # (drives + 1, drives + 1) of the other folds, inertial parameters eliminated; the torque last
    squares: Array  # (blocks, drives + 1, drives + 1) with (y, -1)' squares (y, -1) the squared errors
    torque: Array  # (blocks,) norm of the torque


@dataclass(frozen=True, eq=False)
class Trials:
    """Friction terms side by side; made by `Trials.of`.

    >>> from bifilar.estimate.sources import Arrays
    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 400, 1))
    >>> data = Arrays(q, v, a, robot.inverse_dynamics(q, v, a) + 0.3 * v)
    >>> trials = Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"), bf.Viscous(at="joint1")))
    >>> trials.compare([0], [[0, 1]])[0].gain > 0.99
    True
    """

    folds: tuple[_Fold, ...]
    counts: Array  # (blocks,) equations
    places: tuple[Columns, ...]  # drive columns of each term; of an asymmetric one the forward columns
    bounded: NDArray[np.bool_]  # (drives,) coefficients that are not negative

    @classmethod
    def of(
        cls,
        robot: Robot,
        sources: Sequence[Equations],
        base: BaseParameters,
        terms: Sequence[Term],
        *,
        first: int | None = None,
        blocks: int = 24,
        folds: int | Sequence[int] = 6,
    ) -> Trials:
        """Reads the data once, for all terms; each names one joint or motor. The first so many make the first model.

        `folds`: so many segments of time, or the fold of each source; sources of a negative one are fitted always, predicted
        never.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> len(Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),)).folds)
        6
        """
        named = tuple(named_apart(term, k) for k, term in enumerate(terms))
        wide = robot.with_friction(Friction(named))
        problem = Problem.of(wide, sources, friction=wide.friction, base=base, blocks=blocks)
        if len(problem.reduction.blocks) < 2:
            raise SolveError("samples.too_few/trials")
        names = {name: k for k, name in enumerate(problem.names)}
        inertial = np.array([names[name] for name in base.independent], dtype=np.int64)
        per_term = [len(Friction((t,)).columns(wide.joint_names, wide.drivetrain).names) for t in named]
        start = len(problem.names) - sum(per_term)
        starts = np.cumsum([0, *per_term[:-1]])
        places = tuple(k + np.arange(len(term.parts)) for k, term in zip(starts, named))
        bounded = np.zeros(sum(per_term), dtype=bool)
        for term, columns in zip(named, places):
            bounded[columns] = not (term.law.signed or term.driven_by or term.asymmetric)
        own = np.concatenate([inertial, *(start + columns for columns in places[:first])])
        grams, counts = _grams(problem, _weights(problem, own))
        order = np.concatenate([inertial, np.arange(start, len(problem.names) + 1)])
        grams = grams[:, order[:, None], order]
        with one_blas_thread():
            prior, pull = _prior(wide, base, grams, np.concatenate(places[:first] or [np.zeros(0, dtype=np.int64)]))
            return cls(_folds(grams, _fold_of(problem, folds), prior, pull), counts, places, bounded)

    def columns_of(self, terms: Sequence[int]) -> Columns:
        """Drive columns of a model with some of the terms.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),)).columns_of([0])
        array([0])
        """
        return np.concatenate([self.places[k] for k in terms]) if len(terms) else np.zeros(0, dtype=np.int64)

    def losses(self, terms: Sequence[int]) -> Array:
        """Squared cross-validated errors of every block that is predicted, in the order of the folds.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> trials = Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),))
        >>> trials.losses([0]).sum()
        np.float64(0.0)
        """
        columns = self.columns_of(terms)
        with one_blas_thread():
            return np.concatenate([_errors(fold, columns, *_solved(fold, columns, self.bounded)[:1]) for fold in self.folds])

    def error(self, terms: Sequence[int]) -> float:
        """Root mean square of the cross-validated errors, in units of the joints' noise.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> trials = Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),))
        >>> trials.error([0])
        0.0
        """
        losses = self.losses(terms)
        return self._evidence(losses, losses).error

    def compare(self, current: Sequence[int], others: Sequence[Sequence[int]]) -> list[Evidence]:
        """Every other model against the current one; terms by their numbers.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> trials = Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),))
        >>> trials.compare([], [[0]])[0].gain
        0.0
        """
        before = self.losses(current)
        return [self._evidence(before, self.losses(other)) for other in others]

    def extended(self, current: Sequence[int], groups: Sequence[Sequence[int]]) -> list[Evidence]:
        """The current model with one group of terms more, for each group.

        All are tried with those coefficients at zero that the current model holds there; the most promising are then solved
        exactly. A group that is not among them has no evidence beyond the first look.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> trials = Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),))
        >>> trials.extended([], [[0]])[0].gain
        0.0
        """
        before = self.losses(current)
        own = self.columns_of(current)
        added = [self.columns_of(group) for group in groups]
        with one_blas_thread():
            after = np.hstack([_first_look(fold, own, added, self.bounded) for fold in self.folds])
        found = [self._evidence(before, each) for each in after]
        for k in sorted(range(len(groups)), key=lambda k: -found[k].gain)[:CLOSER]:
            found[k] = self._evidence(before, self.losses([*current, *groups[k]]))
        return found

    def _evidence(self, before: Array, after: Array) -> Evidence:
        scale = max(float(np.sqrt(before).sum()), 1e-300)
        gains = np.sqrt(before) - np.sqrt(after)
        spread = float(np.sqrt(len(gains) / max(len(gains) - 1, 1) * np.sum((gains - gains.mean()) ** 2)))
        rows = sum(float(self.counts[fold.blocks].sum()) for fold in self.folds)
        explained = scale <= QUIET * sum(float(fold.torque.sum()) for fold in self.folds)
        gain = 0.0 if explained else float(gains.sum()) / scale
        return Evidence(float(np.sqrt(after.sum() / max(rows, 1))), gain, spread / scale)


def _folds(grams: Array, fold_of: NDArray[np.int64], prior: Array, pull: Array) -> tuple[_Fold, ...]:
    """Inertial parameters eliminated, for each fold that is held out."""
    total, n = grams.sum(axis=0), len(prior)
    made = []
    for fold in np.unique(fold_of[fold_of >= 0]):
        held = np.flatnonzero(fold_of == fold)
        train = total - grams[held].sum(axis=0)
        size = np.sqrt(np.maximum(np.diag(train), 1e-200))
        inner = train[:n, :n] + pull
        root = np.sqrt(np.maximum(np.diag(inner), 1e-200))
        inner = inner / root[:, None] / root + TINY * np.eye(n)
        side = np.hstack([train[:n, n:-1] / size[n:-1], (train[:n, -1] + pull @ prior)[:, None]]) / root[:, None]
        along = np.linalg.solve(inner, side)
        system = np.zeros((len(size) - n, len(size) - n))
        system[:-1, :-1] = train[n:-1, n:-1] / size[n:-1, None] / size[n:-1] - side[:, :-1].T @ along[:, :-1]
        system[:-1, -1] = train[n:-1, -1] / size[n:-1] - side[:, :-1].T @ along[:, -1]
        # a coefficient of which its column alone would be as large as all torque is already unlikely
        system[np.diag_indices(len(system) - 1)] += TINY + 1.0 / max(float(train[-1, -1]), 1.0)
        # with x = along_t - along_D y the error W x + D y - tau is (D - W along_D) y - (tau - W along_t)
        span = np.zeros((len(size), len(system)))
        span[:n] = -along / root[:, None]
        span[n:-1, :-1] = np.diag(1.0 / size[n:-1])
        span[-1, -1] = 1.0
        squares = np.einsum("ji,bjk,kl->bil", span, grams[held], span, optimize=True)
        made.append(_Fold(held, system, squares, np.sqrt(np.maximum(grams[held, -1, -1], 0.0))))
    return tuple(made)


def _solved(
    fold: _Fold, columns: Columns, bounded: NDArray[np.bool_], held: NDArray[np.bool_] | None = None
) -> tuple[Array, NDArray[np.bool_]]:
    """Coefficients of some columns, and which of them are held at zero (block principal pivoting, Judice and Pires 1994)."""
    matrix, side = fold.system[columns[:, None], columns], fold.system[columns, -1]
    may = bounded[columns]
    held = np.zeros(len(columns), dtype=bool) if held is None else held
    y, fewest, patience = np.zeros(len(columns)), len(columns) + 1, 3
    for _ in range(ROUNDS):
        free = np.flatnonzero(~held)
        y = np.zeros(len(columns))
        y[free] = np.linalg.solve(matrix[free[:, None], free], side[free])
        slope = matrix @ y - side
        scale = max(float(np.abs(y).max(initial=0.0)), 1e-300)
        wrong = np.flatnonzero(may & np.where(held, slope < -SLACK * scale, y < -SLACK * scale))
        if not len(wrong):
            break
        if len(wrong) < fewest:
            fewest, patience = len(wrong), 3
        elif patience:
            patience -= 1
        else:
            wrong = wrong[-1:]  # one at a time ends always
        held = held.copy()
        held[wrong] = ~held[wrong]
    return np.where(may, np.maximum(y, 0.0), y), held


def _errors(fold: _Fold, columns: Columns, y: Array) -> Array:
    """Squared errors of the fold's blocks."""
    own = np.append(columns, len(fold.system) - 1)
    z = np.append(y, -1.0)
    return np.maximum(np.einsum("i,bij,j->b", z, fold.squares[:, own[:, None], own], z), 0.0)


def _first_look(fold: _Fold, own: Columns, added: Sequence[Columns], bounded: NDArray[np.bool_]) -> Array:
    """Errors (groups, blocks) with groups of columns added, the current model's coefficients at zero staying there.

    With A the free columns of the model and B the others, C = B'B - B'A (A'A)^-1 A'B. Columns g get z = C_gg^-1 C_gt, and the
    error of a block is quadratic in (z, -1) by matrices that are made once for all groups.
    """
    held = _solved(fold, own, bounded)[1]
    free = own[~held]
    extra = np.unique(np.concatenate([*added, np.zeros(0, dtype=np.int64)]))
    place = {int(column): k for k, column in enumerate(extra)}
    last = len(fold.system) - 1
    more = np.append(extra, last)
    along = np.linalg.solve(fold.system[free[:, None], free], fold.system[free[:, None], more])
    left = fold.system[extra[:, None], more] - fold.system[free[:, None], extra].T @ along
    span = np.vstack([-along, np.eye(len(more))])
    order = np.concatenate([free, more])
    squares = np.einsum("ji,bjk,kl->bil", span, fold.squares[:, order[:, None], order], span, optimize=True)
    out = np.empty((len(added), len(squares)))
    for k, columns in enumerate(added):
        g = np.array([place[int(c)] for c in columns])
        z = left[g, -1] / left[g, g] if len(g) == 1 else np.linalg.solve(left[np.ix_(g, g)], left[g, -1])
        z = np.append(np.where(bounded[columns], np.maximum(z, 0.0), z), -1.0)
        at = np.append(g, len(extra))
        out[k] = np.einsum("i,bij,j->b", z, squares[:, at[:, None], at], z)
    return np.maximum(out, 0.0)


def _prior(robot: Robot, base: BaseParameters, grams: Array, first: Columns) -> tuple[Array, Array]:
    """Base parameters of the nominal model, and the curvature of the log-det prior in them, links known to 100 %.

    Bodies that the nominal model says nothing of share a factor that fits the torque best beside the first model's drives.
    """
    found = physical_prior(robot)
    count = base.matrix.shape[1] // 10
    bodies, invented = found.bodies[-count:].copy(), found.invented[-count:]
    n = len(base)
    if invented.any():
        guess, stated = (base.matrix @ np.where(which[:, None], bodies, 0.0).ravel() for which in (invented, ~invented))
        total = grams.sum(axis=0)
        span = np.zeros((len(total), 1 + len(first)))
        span[:n, 0] = guess
        span[n + first, 1 + np.arange(len(first))] = 1.0
        side = span.T @ (total[:, -1] - total[:, :n] @ stated)
        matrix = span.T @ total @ span
        size = np.sqrt(np.maximum(np.diag(matrix), 1e-200))
        scaled = matrix / size[:, None] / size + 1e-9 * np.eye(len(size))
        factor = float(np.linalg.solve(scaled, side / size)[0] / size[0])
        bodies[invented] *= np.clip(factor, 1e-2, 1e2) if factor > 0 else 1.0
    covariance = np.zeros((n, n))
    for k, curvature in enumerate(curvatures(bodies)):
        part = base.matrix[:, 10 * k : 10 * k + 10]
        covariance += part @ np.linalg.solve(curvature, part.T)
    return base.matrix @ bodies.ravel(), np.asarray(np.linalg.inv(covariance), dtype=float)


def named_apart(term: Term, place: int) -> Term:
    """The same term under a word of its own, so that settings of one kind can stand side by side.

    >>> from bifilar.estimate.trials import named_apart
    >>> named_apart(bf.Coulomb(at="joint1"), 3).word
    'coulomb_3'
    """
    settings = [field.name for field in fields(term)]
    kind = _under(cast(Any, type(term)), f"{term.word}_{place}")
    made: Term = kind(**{name: getattr(term, name) for name in settings})
    return made


@cache
def _under(kind: Any, word: str) -> Any:
    return type(kind.__name__, (kind,), {"word": word})


def _fold_of(problem: Problem, folds: int | Sequence[int]) -> NDArray[np.int64]:
    """Of every block. Neighbouring blocks belong together: what is predicted is a time of its own."""
    blocks = len(problem.owners)
    if isinstance(folds, int):
        return np.arange(blocks) * min(folds, blocks) // blocks
    given = np.asarray(folds, dtype=np.int64)
    if given.shape != (len(problem.sources),) or len(np.unique(given)) < 2 or given.max() < 0:
        raise SolveError("folds.count", given_count=len(given), source_count=len(problem.sources))
    return given[list(problem.owners)]


def _weights(problem: Problem, columns: Columns) -> Array:
    """1/noise of every joint, as the first model leaves it."""
    names = tuple(problem.names[k] for k in columns)
    fit = weighted_fit(names, chosen_columns(problem.merged, columns), None, np.zeros(len(columns)))
    return 1.0 / fit.noise


def _grams(problem: Problem, weights: Array) -> tuple[Array, Array]:
    width = len(problem.names)
    grams = np.zeros((len(problem.reduction.blocks), width + 1, width + 1))
    counts = np.zeros(len(grams))
    with one_blas_thread():
        for b, block in enumerate(problem.reduction.blocks):
            for row, weight in zip(block.rows, weights, strict=True):
                places = np.append(row.columns, width)
                grams[b][places[:, None], places] += weight**2 * row.triangle.T @ row.triangle
                counts[b] += row.samples
    return grams, counts
