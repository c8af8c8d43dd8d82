"""The Kalman filter as two functions.

    predict   x = F x,  P = F P F' + Q
    update    S = H P H' + R,  K = P H' S^-1,  x = x + K (z - H x),  P = (1 - K H) P (1 - K H)' + K R K'

The last line is Joseph's form: symmetric, and positive semi-definite whatever K is. Kalman 1960; Bucy and Joseph 1968.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import ShapeError
from bifilar.filters.belief import Array, Belief, Updated, noise_matrix


def predict(belief: Belief, transition: ArrayLike, noise: ArrayLike, *, time: float | None = None) -> Belief:
    """The belief after a step of a linear process; `noise`: covariance Q, or variances.

    >>> predict(Belief([1.0, 1.0], np.eye(2)), [[1.0, 0.1], [0.0, 1.0]], 0.0).mean
    array([1.1, 1. ])
    """
    f = _matrix("transition", transition, len(belief), len(belief))
    covariance = f @ belief.covariance @ f.T + noise_matrix(noise, len(belief))
    return belief.with_(f @ belief.mean, covariance, time)


def update(belief: Belief, measured: ArrayLike, matrix: ArrayLike, noise: ArrayLike) -> Updated:
    """The belief after a measurement z = H x + noise; `matrix` is H, `noise` R or variances.

    >>> update(Belief([0.0], [[1.0]]), [2.0], [[1.0]], 1.0).belief
    Belief(x0 1 +- 0.71)
    """
    z = np.asarray(measured, dtype=float).reshape(-1)
    h = _matrix("matrix", matrix, len(z), len(belief))
    return corrected(belief, z - h @ belief.mean, h, noise_matrix(noise, len(z)))


def corrected(belief: Belief, innovation: Array, h: Array, noise: Array) -> Updated:
    """Gain, mean and Joseph's covariance for an innovation.

    >>> corrected(Belief([0.0], [[1.0]]), np.array([2.0]), np.eye(1), np.eye(1)).belief.mean
    array([1.])
    """
    p = belief.covariance
    spread = h @ p @ h.T + noise
    gain: Array = np.linalg.solve(spread, h @ p).T.astype(float)
    return Updated(belief.with_(belief.mean + gain @ innovation, joseph(p, gain, h, noise)), innovation, spread)


def joseph(covariance: Array, gain: Array, h: Array, noise: Array) -> Array:
    """(1 - K H) P (1 - K H)' + K R K'.

    >>> joseph(np.eye(1), np.full((1, 1), 0.5), np.eye(1), np.eye(1))
    array([[0.5]])
    """
    left = np.eye(len(covariance)) - gain @ h
    return np.asarray(left @ covariance @ left.T + gain @ noise @ gain.T)


def _matrix(name: str, values: ArrayLike, rows: int, columns: int) -> Array:
    array = np.asarray(values, dtype=float)
    array = array.reshape(1, -1) if array.ndim == 1 and rows == 1 else array
    if array.shape != (rows, columns):
        raise ShapeError("shape.wrong/kalman", name=name, shape=array.shape, rows=rows, columns=columns)
    return array
