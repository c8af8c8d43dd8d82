"""The unscented Kalman filter: 2 n + 1 points with the belief's mean and covariance go through the functions; no derivatives.

    points   x, x +- sqrt(n + k) columns of the Cholesky factor of P        k = a^2 (n + b) - n
    weights  k / (n + k) for the centre (plus 1 - a^2 + c for covariances), 1 / (2 (n + k)) for the others

Julier and Uhlmann 1997, scaled as by Wan and van der Merwe 2000. The updated covariance is P - K S K', taken as a sum of
squares: of the points less K times their measurements, plus K R K' (the unscented form of Joseph's), so it stays positive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.errors import ShapeError
from bifilar.filters.belief import Array, Belief, Updated, noise_matrix

Function = Callable[[Array], ArrayLike]


class Points(NamedTuple):
    """Points and their weights.

    >>> sigma_points(Belief([0.0], [[1.0]])).points.shape
    (3, 1)
    """

    points: Array  # (2 n + 1, n)
    mean: Array  # weights of means
    spread: Array  # weights of covariances


def sigma_points(
    belief: Belief, *, alpha: float = 1.0, beta: float = 0.0, kappa: float = 0.0, triangular: bool = False
) -> Points:
    """Points that have the belief's mean and covariance; the defaults give all of them weights that are not negative.

    `triangular`: arms are columns of the Cholesky factor instead of the principal axes; it must exist.

    >>> p = sigma_points(Belief([1.0, 2.0], np.diag([1.0, 4.0])))
    >>> p.mean @ p.points
    array([1., 2.])
    """
    n = len(belief)
    reach = alpha**2 * (n + kappa)
    if not reach > 0:
        raise ShapeError("unscented.spread", alpha=alpha, kappa=kappa)
    arms = np.sqrt(reach) * (_triangle(belief.covariance) if triangular else _axes(belief.covariance)).T
    points = np.vstack([belief.mean, belief.mean + arms, belief.mean - arms])
    weights = np.full(2 * n + 1, 0.5 / reach)
    weights[0] = 1.0 - n / reach
    spread = weights.copy()
    spread[0] += 1.0 - alpha**2 + beta
    return Points(points, weights, spread)


def _axes(covariance: Array) -> Array:
    """A root that exists for singular covariances too."""
    values, vectors = decompose.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _triangle(covariance: Array) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise ShapeError("covariance.not_positive/unscented") from error


def predict_unscented(
    belief: Belief, process: Function, noise: ArrayLike, *, time: float | None = None, **shape: Any
) -> Belief:
    """The belief after a step x = process(x) + noise.

    >>> predict_unscented(Belief([2.0], [[1.0]]), lambda x: x**2, 0.0).mean
    array([5.])
    """
    drawn = sigma_points(belief, **shape)
    moved = np.array([np.asarray(process(point), dtype=float) for point in drawn.points])
    mean = drawn.mean @ moved
    apart = moved - mean
    return belief.with_(mean, (apart.T * drawn.spread) @ apart + noise_matrix(noise, len(belief)), time)


def update_unscented(belief: Belief, measured: ArrayLike, expected: Function, noise: ArrayLike, **shape: Any) -> Updated:
    """The belief after a measurement z = expected(x) + noise.

    >>> update_unscented(Belief([0.0], [[1.0]]), [2.0], lambda x: x, 1.0).belief
    Belief(x0 1 +- 0.71)
    """
    z = np.asarray(measured, dtype=float).reshape(-1)
    r = noise_matrix(noise, len(z))
    drawn = sigma_points(belief, **shape)
    seen = np.array([np.asarray(expected(point), dtype=float).reshape(-1) for point in drawn.points])
    mean = drawn.mean @ seen
    x, y = drawn.points - belief.mean, seen - mean
    spread = (y.T * drawn.spread) @ y + r
    gain = np.linalg.solve(spread, (y.T * drawn.spread) @ x).T
    left = x - y @ gain.T
    covariance = (left.T * drawn.spread) @ left + gain @ r @ gain.T
    return Updated(belief.with_(belief.mean + gain @ (z - mean), covariance), z - mean, spread)
