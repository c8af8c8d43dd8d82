"""Physically consistent estimates from equations that somebody else has set up: matrix @ parameters = right side.

Rows that repeat with a period (force and moments of a plate, joints of a robot) each have a noise of their own, from plain
least squares; the prior's weight is chosen on stretches of rows held out in turn, as in prior_strength.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, ShapeError
from bifilar.estimate.consistent_parts import spread_of
from bifilar.estimate.estimate import Origin
from bifilar.estimate.log_det import newton, newton_path
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.prior_strength import FOLDS, PriorStrength, Rule, choice, nominal_deviation, standard_weight
from bifilar.estimate.status import Status

GRID = tuple(10.0 ** np.arange(-2, 6.1, 1.0))  # weights that are tried


@dataclass(frozen=True, eq=False)
class BodiesEstimate:
    """Ten numbers of every body, and how they came about.

    >>> ball = np.array([[1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])
    >>> matrix = np.random.default_rng(0).normal(size=(60, 10))
    >>> bf.consistent_bodies(matrix, matrix @ ball[0], ball, prior_weight=1.0).bodies[0, 0].round(6)
    np.float64(1.0)
    """

    bodies: Array  # (bodies, 10)
    covariance: Array  # of all of them, prior included
    origins: tuple[Origin, ...]
    noise: Array  # (period,) standard deviation of each kind of row
    weight: float  # of the prior
    strength: PriorStrength | None  # how it was chosen
    status: Status

    @property
    def values(self) -> Array:
        """All numbers in a row, in the order of the matrix' columns.

        >>> ball = np.array([[1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])
        >>> bf.consistent_bodies(np.eye(10), ball[0], ball, prior_weight=1.0).values.shape
        (10,)
        """
        return self.bodies.ravel()


def consistent_bodies(
    matrix: ArrayLike,
    right_side: ArrayLike,
    prior: ArrayLike,
    *,
    period: int = 1,
    inside: Sequence[Array] | None = None,
    prior_weight: float | None = None,
    rule: Rule = "best",
    noise: ArrayLike | None = None,
) -> BodiesEstimate:
    """Bodies that can exist, near the prior (bodies, 10), from (rows, 10 bodies) equations in the order of time.

    `period`: rows of one instant; each keeps its own noise, given or found. `inside`: ten numbers per body whose product with
    the body's own must not be negative, such as `Ellipsoid.row()`. `prior_weight` left out is chosen on five stretches of rows
    held out in turn.

    >>> ball = np.array([[1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])
    >>> matrix = np.random.default_rng(0).normal(size=(60, 10))
    >>> right = matrix @ ball[0] + 0.01 * np.random.default_rng(1).normal(size=60)
    >>> bf.consistent_bodies(matrix, right, 1.1 * ball).status.ok
    True
    """
    a, b, bodies = (np.asarray(x, dtype=float) for x in (matrix, right_side, prior))
    if a.ndim != 2 or b.shape != (len(a),) or bodies.shape != (a.shape[1] // 10, 10) or len(a) % period:
        raise ShapeError("shapes.differ/ready_made", shape=a.shape, shape_2=b.shape, shape_3=bodies.shape)
    with one_blas_thread():
        sigma = _noise(a, b, period) if noise is None else np.broadcast_to(np.asarray(noise, dtype=float), (period,))
        scale = np.tile(1.0 / sigma, len(a) // period)
        r, z = a * scale[:, None], b * scale
        above = None if inside is None else (_blocks(inside, a.shape[1]), np.zeros(len(inside)))

        def stated(rows: NDArray[np.int64], weight: float) -> PhysicalProblem:
            return PhysicalProblem(factor=r[rows], target=z[rows], prior=bodies, weight=weight, above=above)  # type: ignore[arg-type]

        strength = _strength(r, z, bodies, period, stated, rule) if prior_weight is None else None
        weight = strength.weight if strength is not None else float(prior_weight)  # type: ignore[arg-type]
        whole = stated(np.arange(len(a)), weight)
        answer = newton(whole)
        spread = spread_of(whole, answer.values)
    status = Status() if answer.solved else Status("not converged", Note("solver.stopped", outcome=answer.words))
    bodies = answer.values.reshape(-1, 10)
    return BodiesEstimate(bodies, spread.covariance, spread.origins, sigma, weight, strength, status)


def _noise(a: Array, b: Array, period: int) -> Array:
    """Of each kind of row, from plain least squares."""
    values = decompose.lstsq(a, b, rcond=1e-10)[0]
    error = (b - a @ values).reshape(-1, period)
    spare = max(1.0, error.size - decompose.rank(a)) / error.size
    least = 1e-7 * max(float(np.sqrt(np.mean(b**2))), 1e-300)
    return np.maximum(np.sqrt(np.mean(error**2, axis=0) / spare), least)


def _blocks(rows: Sequence[Array], width: int) -> Array:
    matrix = np.zeros((len(rows), width))
    for k, row in enumerate(rows):
        matrix[k, 10 * k : 10 * k + 10] = row
    return matrix


def _strength(
    r: Array, z: Array, bodies: Array, period: int, stated: Callable[[NDArray[np.int64], float], PhysicalProblem], rule: Rule
) -> PriorStrength:
    instants = np.array_split(np.arange(len(r) // period), FOLDS)
    deviation = nominal_deviation(r, z, bodies)
    weights = np.array(GRID)
    errors = np.zeros((len(weights), len(instants)))
    for column, held in enumerate(instants):
        out = (held[:, None] * period + np.arange(period)).ravel()
        rows = np.setdiff1d(np.arange(len(r)), out)
        path = newton_path(stated(rows, 1.0), weights[::-1].tolist(), tolerance=1e-7)
        errors[::-1, column] = [float(np.mean((r[out] @ values - z[out]) ** 2)) for values in path]
    standard = float(weights[np.argmin(np.abs(np.log(weights / standard_weight(deviation))))])
    return PriorStrength(weights, errors, rule, choice(errors, rule, weights, standard), standard, deviation)
