"""Covariance as P = U D U', U unit upper triangular, D a positive diagonal: it cannot stop being positive definite.

    with_measurement   one scalar z = h . x + noise of variance r     Bierman 1977: every d_j times beta / alpha, 0 < .. <= 1
    with_noise         P + c a a'                                    Agee and Turner 1972: every d_j grows

Functions return new factors. The filters that run in real time use the same recursions in place (`bifilar.online.kernel`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import ShapeError
from bifilar.filters.belief import Array


class Factors(NamedTuple):
    """U and D.

    >>> factored(np.diag([4.0, 9.0])).d
    array([4., 9.])
    """

    u: Array  # (n, n) unit upper triangular
    d: Array  # (n,)

    @property
    def covariance(self) -> Array:
        """U D U'.

        >>> factored([[2.0, 1.0], [1.0, 2.0]]).covariance.round(12)
        array([[2., 1.],
               [1., 2.]])
        """
        return np.asarray((self.u * self.d) @ self.u.T)


def factored(covariance: ArrayLike) -> Factors:
    """Factors of a positive definite matrix.

    >>> factored([[2.0, 1.0], [1.0, 2.0]]).u
    array([[1. , 0.5],
           [0. , 1. ]])
    """
    try:
        flipped = np.linalg.cholesky(np.asarray(covariance, dtype=float)[::-1, ::-1])
    except np.linalg.LinAlgError as error:
        raise ShapeError("covariance.not_positive/factors") from error
    root = flipped[::-1, ::-1]
    size = np.diag(root)
    return Factors(root / size, size**2)


def with_measurement(factors: Factors, row: ArrayLike, variance: float) -> tuple[Factors, Array, float]:
    """Factors after a scalar measurement, the gain, and the variance of the innovation.

    >>> after, gain, spread = with_measurement(factored(np.eye(2)), [1.0, 0.0], 1.0)
    >>> after.d, gain, spread
    (array([0.5, 1. ]), array([0.5, 0. ]), 2.0)
    """
    u, d = factors.u.copy(), factors.d.copy()
    f = u.T @ np.asarray(row, dtype=float)
    v = d * f
    alpha, gain = variance, np.zeros(len(d))
    for j in range(len(d)):
        beta, alpha = alpha, alpha + v[j] * f[j]
        d[j] *= beta / alpha
        column = u[:j, j].copy()
        u[:j, j] = column - (f[j] / beta) * gain[:j]
        gain[:j] += v[j] * column
        gain[j] = v[j]
    return Factors(u, d), gain / alpha, float(alpha)


def with_noise(factors: Factors, vector: ArrayLike, variance: float) -> Factors:
    """Factors of P + variance a a'.

    >>> with_noise(factored(np.eye(2)), [0.0, 1.0], 3.0).d
    array([1., 4.])
    """
    u, d = factors.u.copy(), factors.d.copy()
    a, c = np.array(vector, dtype=float), float(variance)
    for j in range(len(d) - 1, -1, -1):
        grown = d[j] + c * a[j] ** 2
        step, c = a[j] * c / grown, c * d[j] / grown
        d[j] = grown
        a[:j] -= a[j] * u[:j, j]
        u[:j, j] += step * a[:j]
    return Factors(u, d)
