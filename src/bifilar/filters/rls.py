"""Recursive least squares that forgets, but only where new measurements say something.

Plain forgetting divides all of P by lambda at every sample: directions that the motion does not show grow without bound, and
minutes of standstill overflow. Here a row h with variance r first loosens its own direction only,

    P = P + (1 - lambda) / lambda * h h' / (h' P^-1 h)                 Cao and Schwartz 2000: information along h times lambda

then is taken in as any measurement. What was known at the start is never forgotten: the information along h does
not sink below that of the first covariance. Rows are taken one after the other, on factors U D U' (`factors`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import ShapeError
from bifilar.filters.belief import Belief, Updated, noise_matrix
from bifilar.filters.factors import factored, with_measurement, with_noise


def update_forgetting(
    belief: Belief,
    measured: ArrayLike,
    matrix: ArrayLike,
    noise: ArrayLike,
    *,
    forgetting: float = 0.999,
    start: ArrayLike | None = None,
) -> Updated:
    """The belief after z = H x + noise, old measurements of the same directions counting less by `forgetting`.

    `start`: the covariance at the beginning (left out: none, forgetting has no end). `noise`: independent rows, variances.

    >>> belief = Belief([0.0, 0.0], np.eye(2))
    >>> for _ in range(10_000):
    ...     belief = update_forgetting(belief, [1.0], [[1.0, 0.0]], 1.0, forgetting=0.99).belief
    >>> belief.covariance.round(3)
    array([[0.01, 0.  ],
           [0.  , 1.  ]])
    """
    if not 0 < forgetting <= 1:
        raise ShapeError("forgetting.range", forgetting=forgetting)
    z = np.asarray(measured, dtype=float).reshape(-1)
    h = np.asarray(matrix, dtype=float)
    h = h.reshape(1, -1) if h.ndim == 1 else h
    if h.shape != (len(z), len(belief)):
        raise ShapeError("shape.wrong/rls", shape=h.shape, z_count=len(z), belief_count=len(belief))
    r = noise_matrix(noise, len(z))
    if not (np.diag(r) > 0).all():
        raise ShapeError("noise.not_positive/rls")
    if np.any(r - np.diag(np.diag(r))):
        raise ShapeError("noise.correlated")
    known = None if start is None else np.linalg.inv(np.asarray(start, dtype=float))
    innovation, spread = z - h @ belief.mean, h @ belief.covariance @ h.T + r
    factors, x = factored(belief.covariance), belief.mean.copy()
    for row, value, variance in zip(h, z, np.diag(r)):
        inside = np.linalg.solve(factors.u, row)
        information = float(np.sum(inside**2 / factors.d))
        if information > 0:
            least = forgetting * information if known is None else max(forgetting * information, float(row @ known @ row))
            if least < information:  # information along the row becomes `least`
                factors = with_noise(factors, row, (1.0 / least - 1.0 / information))
        factors, gain, _ = with_measurement(factors, row, float(variance))
        x = x + gain * (value - row @ x)
    return Updated(belief.with_(x, factors.covariance), innovation, spread)
