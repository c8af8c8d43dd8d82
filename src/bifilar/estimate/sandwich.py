"""Error bars for errors that follow each other: what filtered recordings leave.

    K = sum over rows s, t of V(s)' G(t - s) V(t),          V: weighted columns of a row in the coordinates of the fit

G, the covariance of torque errors that lie t - s apart, of every joint with every joint, comes from the residuals
(`residual_spectrum`). The double sum is a product in the frequency domain: one Fourier transform of the columns. The sum over
clusters of rows that is often used instead (Newey and West, or blocks) has fewer terms than a robot has parameters and is
far too small. Here the errors' law is taken to be the same along the recording, and is estimated from all of it at once.

Rows are read once more, dense, some at a time. Of very long recordings evenly spread stretches are taken. Stretches of a few
rows, single poses even, count like all others: they only tell nothing about later rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.parallel import each_in_parallel
from bifilar.dynamics.tree import Array
from bifilar.estimate.freedom import Colour
from bifilar.estimate.linear import Linear
from bifilar.estimate.problem import Problem
from bifilar.estimate.residual_spectrum import Complex, Lagged, doubled, roots, spectrum, transform
from bifilar.estimate.sources import Equations, Weighted
from bifilar.recording.samples import Samples

MOST_ROWS = 10_240  # that are read once more
LONGEST = 2048  # rows of a stretch
Score = Callable[[Array], Array]  # of weighted errors: what robust methods make of them


@dataclass(frozen=True, eq=False)
class Stretch:
    """Consecutive rows: weighted columns in the coordinates of the fit, and weighted residuals.

    >>> Stretch(np.zeros((5, 2, 3)), np.zeros((5, 2)), np.ones((5, 2))).columns.shape
    (5, 2, 3)
    """

    columns: Array  # (rows, joints, coordinates)
    residuals: Array  # (rows, joints)
    present: Array  # (rows, joints) 0: left out


class Followed(NamedTuple):
    """K of errors that follow each other, and how far they are from white.

    >>> Followed(np.eye(1), Colour.white(1)).colour.lags
    0
    """

    meat: Array  # (coordinates, coordinates)
    colour: Colour


def meat(problem: Problem, fit: Linear, mix: Array, score: Score | None = None) -> Array:
    """K of errors that follow each other and go together from joint to joint. `mix`: weights (joints,) or (joints, joints).

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a, noise = np.random.default_rng(0).normal(size=(4, 500, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + noise), friction=())
    >>> from bifilar.robot.solve import weighted_fit
    >>> fit = weighted_fit(problem.base.independent, problem.factor())
    >>> bool(abs(np.diag(meat(problem, Linear.plain(fit), fit.weights)) - 1).max() < 0.5)
    True
    """
    return followed(problem, fit, mix, score).meat


def followed(problem: Problem, fit: Linear, mix: Array, score: Score | None = None) -> Followed:
    """The same, with the colour of the errors.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a, noise = np.random.default_rng(0).normal(size=(4, 500, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + noise), friction=())
    >>> from bifilar.robot.solve import weighted_fit
    >>> fit = weighted_fit(problem.base.independent, problem.factor())
    >>> bool(followed(problem, Linear.plain(fit), fit.weights).colour.slack[0] < 1.3)
    True
    """
    with one_blas_thread():
        parts = each_in_parallel(lambda piece: _turned(_stretch(piece, fit, mix, score), fit.bread), _pieces(problem))
        sums = sum((part[0] for part in parts[1:]), parts[0][0])
        lags = bandwidth(round(float(sums.pairs[0].max())))  # rows without weight tell nothing
        spectral = spectrum(sums, lags)
        half = {size: roots(spectral, 2 * (size - 1)) for size in {len(turned) for _, turned in parts}}
        total = np.sum(each_in_parallel(lambda part: doubled(part[1], half[len(part[1])]), parts), axis=0)
    return Followed(np.asarray(total * (problem.reduction.samples / sums.rows)), Colour.of(spectral, lags))


def _turned(stretch: Stretch, bread: Array) -> tuple[Lagged, Complex]:
    """Sums over lags of a stretch, and the transform of its columns."""
    turned = transform(stretch.columns)
    return Lagged.of_transform(stretch.residuals, stretch.present, turned, bread), turned


def bandwidth(rows: int) -> int:
    """Lags that are looked at after each joint's own decay was taken out.

    >>> bandwidth(400), bandwidth(10_000)
    (18, 54)
    """
    return int(np.clip(round(2.5 * rows ** (1 / 3)), 4, max(4, rows // 6)))


def gathered(problem: Problem, fit: Linear, mix: Array, score: Score | None = None) -> Iterator[Stretch]:
    """Uninterrupted stretches of rows, evenly spread over the recordings if there are very many rows.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 500, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    >>> from bifilar.robot.solve import weighted_fit
    >>> fit = weighted_fit(problem.base.independent, problem.factor())
    >>> [len(stretch.residuals) for stretch in gathered(problem, Linear.plain(fit), fit.weights)]
    [500]
    """
    for piece in _pieces(problem):
        yield _stretch(piece, fit, mix, score)


def _stretch(piece: tuple[Array, Array, Array], fit: Linear, mix: Array, score: Score | None) -> Stretch:
    columns, torque, weight = piece
    errors = weight * (torque - columns @ fit.values)
    columns = (columns.reshape(-1, columns.shape[2]) @ fit.spread).reshape(*columns.shape[:2], -1)
    if mix.ndim == 1:
        errors, columns = errors * mix, columns * (weight * mix)[:, :, None]
    else:
        errors, columns = errors @ mix.T, mix @ (columns * weight[:, :, None])
    return Stretch(columns, errors if score is None else score(errors), (weight > 0).astype(float))


def _chosen(problem: Problem) -> list[list[tuple[int, int]]]:
    """First row and end of the stretches that are read, of every recording."""
    every = max(1, -(-sum(map(len, problem.sources)) // MOST_ROWS))
    chosen, number = [], 0
    for source in problem.sources:
        kept, start = [], 0
        for end in _ends(source).tolist():
            for first in range(start, end, LONGEST):
                if number % every == 0:
                    kept.append((first, min(first + LONGEST, end)))
                number += 1
            start = end
        chosen.append(kept)
    return chosen


def _pieces(problem: Problem) -> Iterator[tuple[Array, Array, Array]]:
    """The chosen stretches out of `problem.rows`: columns, torque and weights."""
    chosen = _chosen(problem)

    def wanted(recording: int, first: int, last: int) -> tuple[int, int] | None:
        here = [(start, end) for start, end in chosen[recording] if start < last and first < end]
        return (max(first, here[0][0]), min(last, here[-1][1])) if here else None

    held: list[tuple[Array, Array, Array]] = []
    for chunk in problem.rows(wanted=wanted):
        last = chunk.first + len(chunk.torque)
        for start, end in chosen[chunk.recording]:
            if not (start < last and chunk.first < end):
                continue
            part = slice(max(start - chunk.first, 0), min(end, last) - chunk.first)
            held.append((chunk.columns[part], chunk.torque[part], chunk.weight[part]))
            if end <= last:
                yield _joined(held)
                held = []


def _joined(held: list[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    columns, torque, weight = (np.concatenate(same) for same in zip(*held))
    return columns, torque, weight


def _ends(source: Equations) -> Array:
    """Rows at which an uninterrupted stretch has ended."""
    while isinstance(source, Weighted):
        source = source.source
    if isinstance(source, Samples):
        return np.array([rows.stop for rows in source.segments])
    return np.array([len(source)])
