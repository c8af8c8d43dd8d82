"""Many nested models from one reduction: cross-validated errors of choices of columns, with the scatter over blocks.

For a block b of rows, G_b = [W tau]'[W tau], columns scaled to one. The coefficients of a fold come from the sum over the other
folds' blocks, the errors of its blocks from e_b^2 = (x, -1)' G_b (x, -1). Joints are weighted by the noise that the first
model leaves. Gains are counted in errors, not in squares: one block that a poor model extrapolates into would outweigh all.
Half of the digits are lost by squaring; comparing models needs three of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.problem import Problem, chosen_columns
from bifilar.estimate.sources import Equations
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.friction import Friction, Term
from bifilar.robot.robot import Robot
from bifilar.robot.solve import weighted_fit

QUIET = 1e-6  # of the torque: what products of columns leave of it by rounding, and no candidate explains
TINY = 1e-11  # added to the diagonal: columns that say the same share what they explain


class Evidence(NamedTuple):
    """How much better a model predicts than another.

    >>> Evidence(0.9, 0.19, 0.02).gain
    0.19
    """

    error: float  # root mean square of the cross-validated errors, in units of the joints' noise
    gain: float  # mean over blocks of the error that is gone, as a share of the other model's
    standard_error: float  # of the gain, over blocks


@dataclass(frozen=True, eq=False)
class Trials:
    """Gram matrices of blocks, for terms side by side; made by `Trials.of`.

    >>> from bifilar.estimate.sources import Arrays
    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 400, 1))
    >>> data = Arrays(q, v, a, robot.inverse_dynamics(q, v, a) + 0.3 * v)
    >>> trials = Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"), bf.Viscous(at="joint1")))
    >>> trials.compare(trials.columns_of([0]), [trials.columns_of([0, 1])])[0].gain > 0.99
    True
    """

    grams: Array  # (blocks, columns + 1, columns + 1), weighted rows, scaled columns, the torque last
    counts: Array  # (blocks,) equations
    folds: NDArray[np.int64]  # (blocks,) negative: never held out
    inertial: NDArray[np.int64]  # columns of every model
    places: tuple[NDArray[np.int64], ...]  # columns of each term; of an asymmetric one the forward columns
    first_error: float  # root mean square of the errors of the first model

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

        `folds`: so many stretches of time, or the fold of each source; sources of a negative one are fitted always, predicted
        never.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),)).folds.max()
        np.int64(5)
        """
        named = tuple(_named(term, k) for k, term in enumerate(terms))
        wide = robot.with_friction(Friction(named))
        problem = Problem.of(wide, sources, friction=wide.friction, base=base, blocks=blocks)
        count = len(problem.reduction.blocks)
        if count < 2:
            raise SolveError("there are too few samples to hold some of them back", remedy="record longer")
        names = {name: k for k, name in enumerate(problem.names)}
        inertial = np.array([names[name] for name in base.independent], dtype=np.int64)
        per_term = [len(Friction((t,)).columns(wide.joint_names, wide.drivetrain).names) for t in named]
        starts = len(problem.names) - sum(per_term) + np.cumsum([0, *per_term[:-1]])
        places = tuple(start + np.arange(len(term.parts)) for start, term in zip(starts, named))
        chosen = np.concatenate([inertial, *places[:first]])
        made = cls(*_grams(problem, _weights(problem, chosen)), _folds(problem, folds), inertial, places, 1.0)
        return replace(made, first_error=made.compare(chosen, [chosen])[0].error)

    def _predicted(self) -> NDArray[np.int64]:
        """Folds that are held out in turn."""
        return np.unique(self.folds[self.folds >= 0])

    def columns_of(self, terms: Sequence[int]) -> NDArray[np.int64]:
        """Places of the columns of a model with some of the terms.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),)).columns_of([0])
        array([ 1,  2,  9, 10])
        """
        return np.concatenate([self.inertial, *(self.places[k] for k in terms)])

    def losses(self, columns: NDArray[np.int64]) -> Array:
        """Sum of squared cross-validated errors of every block.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> trials = Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),))
        >>> trials.losses(trials.columns_of([0])).sum()
        np.float64(0.0)
        """
        chosen = np.append(columns, self.grams.shape[1] - 1)
        grams = self.grams[:, chosen[:, None], chosen]
        total, losses = grams.sum(axis=0), np.zeros(len(grams))
        with one_blas_thread():
            for fold in self._predicted():
                held = np.flatnonzero(self.folds == fold)
                train = total - grams[held].sum(axis=0)
                size = np.sqrt(np.maximum(np.diag(train)[:-1], 1e-300))
                scaled = train[:-1, :-1] / size[:, None] / size + TINY * np.eye(len(size))
                x = np.append(np.linalg.solve(scaled, train[:-1, -1] / size) / size, -1.0)
                losses[held] = np.maximum(np.einsum("i,bij,j->b", x, grams[held], x), 0.0)
        return losses

    def compare(self, current: NDArray[np.int64], others: Sequence[NDArray[np.int64]]) -> list[Evidence]:
        """Every other model against the current one.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> data = Arrays(still, still, still, still)
        >>> trials = Trials.of(robot, [data], bf.base_parameters(robot), (bf.Offset(at="joint1"),))
        >>> trials.compare(trials.columns_of([]), [trials.columns_of([0])])[0].gain
        0.0
        """
        before = np.sqrt(self.losses(current))
        scale = max(float(before.sum()), 1e-300)
        torque = np.sqrt(np.maximum(self.grams[:, -1, -1], 0.0))[self.folds >= 0]
        nothing_left = before[self.folds >= 0].sum() <= QUIET * torque.sum()
        found = []
        own = set(current.tolist())
        wider = [tuple(column for column in other.tolist() if column not in own) for other in others]
        nested = all(more and len(other) == len(own) + len(more) for other, more in zip(others, wider))
        for after in self._wider(current, wider) if nested else map(self.losses, others):
            gains = (before - np.sqrt(after))[self.folds >= 0]
            spread = float(np.sqrt(len(gains) / max(len(gains) - 1, 1) * np.sum((gains - gains.mean()) ** 2)))
            error = float(np.sqrt(after.sum() / max(self.counts[self.folds >= 0].sum(), 1)))
            found.append(Evidence(error, 0.0 if nothing_left else float(gains.sum()) / scale, spread / scale))
        return found

    def _wider(self, current: NDArray[np.int64], more: Sequence[tuple[int, ...]]) -> Array:
        """`losses` of the current columns with some more each, (models, blocks): what all have in common is done once.

        With A the current columns, the others' remainders are C = others' others - others' A (A'A)^-1 A' others. Columns g get
        z = C_gg^-1 C_gt, and the error of a block is quadratic in (z, -1), by matrices that are made once for all candidates.
        """
        extra, target = np.unique(np.concatenate([np.array(g, dtype=np.int64) for g in more])), self.grams.shape[1] - 1
        place = {int(column): k for k, column in enumerate(extra)}
        groups = [np.array([place[c] for c in g]) for g in more]
        order, n = np.concatenate([current, extra, [target]]), len(current)
        grams = self.grams[:, order[:, None], order]
        total, losses = grams.sum(axis=0), np.zeros((len(more), len(grams)))
        with one_blas_thread():
            for fold in self._predicted():
                held = np.flatnonzero(self.folds == fold)
                train = total - grams[held].sum(axis=0)
                size = np.sqrt(np.maximum(np.diag(train), 1e-200))
                scaled = train / size[:, None] / size
                scaled[np.diag_indices(len(scaled) - 1)] += TINY
                along = np.linalg.solve(scaled[:n, :n], scaled[:n, n:])  # of the current columns, per unit of the others
                left = scaled[n:, n:] - scaled[:n, n:].T @ along
                span = np.vstack([-along, np.eye(len(extra) + 1)]) / size[:, None]
                squares = np.einsum("ji,bjk,kl->bil", span, grams[held], span, optimize=True)
                for k, g in enumerate(groups):
                    z = np.append(np.linalg.solve(left[np.ix_(g, g)], left[g, -1]), -1.0)
                    own = np.append(g, len(extra))
                    losses[k, held] = size[-1] ** 2 * np.einsum("i,bij,j->b", z, squares[:, own[:, None], own], z)
        return np.maximum(losses, 0.0)


def _named(term: Term, place: int) -> Term:
    """The same term under a word of its own, so that settings of one kind can stand side by side."""
    settings = [field.name for field in fields(term)]
    kind = _under(cast(Any, type(term)), f"{term.word}_{place}")
    made: Term = kind(**{name: getattr(term, name) for name in settings})
    return made


@cache
def _under(kind: Any, word: str) -> Any:
    return type(kind.__name__, (kind,), {"word": word})


def _folds(problem: Problem, folds: int | Sequence[int]) -> NDArray[np.int64]:
    """Of every block. Neighbouring blocks belong together: what is predicted is a time of its own."""
    blocks = len(problem.owners)
    if isinstance(folds, int):
        return np.arange(blocks) * min(folds, blocks) // blocks
    given = np.asarray(folds, dtype=np.int64)
    if given.shape != (len(problem.sources),) or len(np.unique(given)) < 2 or given.max() < 0:
        what = f"{len(given)} folds for {len(problem.sources)} recordings"
        raise SolveError(what, remedy="give the fold of each recording, at least two different ones and one of zero or more")
    return given[list(problem.owners)]


def _weights(problem: Problem, columns: NDArray[np.int64]) -> Array:
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
