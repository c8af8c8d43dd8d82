"""The continuous-discrete extended Kalman filter: a process in continuous time, measurements at instants.

Between measurements x' = f(x) + w, w white noise of intensity Q. The covariance obeys P' = F P + P F' + Q (the Riccati
equation without its measurement term). It is solved as

    P(t) = T P(0) T' + W,     T' = F T, T(0) = 1,     W' = F W + W F' + Q, W(0) = 0

by Runge-Kutta steps of fourth order on x, T and W together: whatever the step, T P T' is positive semi-definite.
Jazwinski 1970, chapter 9. Measurements are those of `extended` or `unscented`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import ShapeError
from bifilar.filters.belief import Array, Belief, noise_matrix

MOST = 10_000  # steps that a fast process may ask for
Function = Callable[[Array], ArrayLike]


def predict_continuous(
    belief: Belief, rate: Function, jacobian: Function, noise: ArrayLike, *, time: float, steps: int = 4
) -> Belief:
    """The belief at a later `time` [s]; `rate` is f, `jacobian` its derivative, `noise` the intensity Q [1/s].

    `steps`: at least so many; a process that is fast at the start gets more.

    >>> fall = predict_continuous(Belief([1.0], [[1.0]]), lambda x: -x, lambda x: [[-1.0]], 2.0, time=1.0, steps=20)
    >>> fall.mean.round(4), fall.covariance.round(4)
    (array([0.3679]), array([[1.]]))
    """
    span = time - belief.time
    if not (np.isfinite(span) and span >= 0 and steps >= 1):
        raise ShapeError("filter.steps", time=belief.time, time_2=time, steps=steps)
    n, q = len(belief), noise_matrix(noise, len(belief))
    x, t, w = belief.mean, np.eye(n), np.zeros((n, n))
    stiff = float(np.abs(np.asarray(jacobian(x), dtype=float)).sum(axis=-1).max(initial=0.0))
    steps = max(steps, min(MOST, int(np.ceil(min(span * stiff, MOST)))))  # Runge-Kutta is stable where h |F| is below 2.7
    h = span / steps

    def slope(x: Array, t: Array, w: Array) -> tuple[Array, Array, Array]:
        f = np.asarray(jacobian(x), dtype=float)
        return np.asarray(rate(x), dtype=float), f @ t, f @ w + w @ f.T + q

    for _ in range(steps):
        k1 = slope(x, t, w)
        k2 = slope(*(a + 0.5 * h * k for a, k in zip((x, t, w), k1)))
        k3 = slope(*(a + 0.5 * h * k for a, k in zip((x, t, w), k2)))
        k4 = slope(*(a + h * k for a, k in zip((x, t, w), k3)))
        x, t, w = (a + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4) for a, a1, a2, a3, a4 in zip((x, t, w), k1, k2, k3, k4))
    return belief.with_(x, t @ belief.covariance @ t.T + w, time)
