"""The extended Kalman filter: functions in place of matrices, linearised where the belief is; iterated if asked to.

predict    x = f(x),  P = F P F' + Q          F = df/dx
update     as `kalman.update` with H = dh/dx and the innovation z - h(x)
iterated   x_(i+1) = x + K_i (z - h(x_i) - H_i (x - x_i)),  H_i at x_i: Gauss-Newton on the posterior (Bell, Cathey 1993)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from bifilar.filters.belief import Array, Belief, Updated, noise_matrix
from bifilar.filters.kalman import corrected, joseph

Function = Callable[[Array], ArrayLike]
SETTLED = 1e-9  # of a deviation: a smaller step ends the iteration


def predict_extended(
    belief: Belief, process: Function, jacobian: Function, noise: ArrayLike, *, time: float | None = None
) -> Belief:
    """The belief after a step x = process(x) + noise.

    >>> predict_extended(Belief([2.0], [[1.0]]), lambda x: x**2, lambda x: np.diag(2 * x), 0.0)
    Belief(x0 4 +- 4)
    """
    f = np.asarray(jacobian(belief.mean), dtype=float)
    covariance = f @ belief.covariance @ f.T + noise_matrix(noise, len(belief))
    return belief.with_(np.asarray(process(belief.mean), dtype=float), covariance, time)


def update_extended(
    belief: Belief, measured: ArrayLike, expected: Function, jacobian: Function, noise: ArrayLike, *, iterations: int = 1
) -> Updated:
    """The belief after a measurement z = expected(x) + noise; `iterations` > 1 linearises again where it has arrived.

    >>> square = lambda x: x**2
    >>> once = update_extended(Belief([1.0], [[1.0]]), [4.0], square, lambda x: np.diag(2 * x), 1e-4)
    >>> more = update_extended(Belief([1.0], [[1.0]]), [4.0], square, lambda x: np.diag(2 * x), 1e-4, iterations=9)
    >>> once.belief.mean.round(2), more.belief.mean.round(2)
    (array([2.5]), array([2.]))
    """
    z = np.asarray(measured, dtype=float).reshape(-1)
    r = noise_matrix(noise, len(z))
    h = np.asarray(jacobian(belief.mean), dtype=float)
    first = corrected(belief, z - np.asarray(expected(belief.mean), dtype=float), h, r)
    if iterations <= 1:
        return first
    p, x = belief.covariance, first.belief.mean
    scale = belief.deviations + 1e-300
    for _ in range(iterations - 1):
        h = np.asarray(jacobian(x), dtype=float)
        gain = np.linalg.solve(h @ p @ h.T + r, h @ p).T
        newer = belief.mean + gain @ (z - np.asarray(expected(x), dtype=float) - h @ (belief.mean - x))
        settled = np.abs(newer - x).max() <= SETTLED * scale.max()
        x = newer
        if settled:
            break
    return Updated(belief.with_(x, joseph(p, gain, h, r)), first.innovation, first.covariance)
