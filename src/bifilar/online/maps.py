"""Free numbers to bounded ones: the sigmoid of Joukov et al. (8), (9) and (16), in a form that never overflows.

    p = lower + (upper - lower) / (1 + exp(-slope x)),   x = log((p - lower) / (upper - p)) / slope,
    dp/dx = slope (upper - lower) e / (1 + e)^2,  e = exp(-|slope x|)

The printed (16) lacks the d of dSig/ds and overflows for large states; its closed form is right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.errors import ShapeError

Array = NDArray[np.float64]


def sigmoid(x: ArrayLike, lower: ArrayLike, upper: ArrayLike, slope: ArrayLike = 1.0) -> Array:
    """A number between the bounds for any x.

    >>> sigmoid([-1e9, 0.0, 1e9], 0.0, 4.0)
    array([0., 2., 4.])
    """
    z = np.asarray(slope, dtype=float) * np.asarray(x, dtype=float)
    small = np.exp(-np.abs(z))
    share = np.where(z >= 0, 1.0, small) / (1.0 + small)
    low = np.asarray(lower, dtype=float)
    return np.asarray(low + (np.asarray(upper, dtype=float) - low) * share)


def sigmoid_slope(x: ArrayLike, lower: ArrayLike, upper: ArrayLike, slope: ArrayLike = 1.0) -> Array:
    """dp/dx.

    >>> sigmoid_slope([0.0, 1e9], 0.0, 4.0)
    array([1., 0.])
    """
    c = np.asarray(slope, dtype=float)
    small = np.exp(-np.abs(c * np.asarray(x, dtype=float)))
    return np.asarray(c * (np.asarray(upper, dtype=float) - np.asarray(lower, dtype=float)) * small / (1.0 + small) ** 2)


def sigmoid_inverse(p: ArrayLike, lower: ArrayLike, upper: ArrayLike, slope: ArrayLike = 1.0) -> Array:
    """The x that gives p; p must lie inside the bounds.

    >>> sigmoid_inverse([2.0], 0.0, 4.0)
    array([0.])
    >>> sigmoid_inverse([4.0], 0.0, 4.0)
    Traceback (most recent call last):
    ...
    bifilar.errors.ShapeError: 4 is not between the bounds 0 and 4
      try     start inside the bounds, or widen them
    """
    value, low, high = np.broadcast_arrays(*(np.asarray(k, dtype=float) for k in (p, lower, upper)))
    outside = ~((value > low) & (value < high))
    if outside.any():
        k = np.unravel_index(int(np.argmax(outside)), outside.shape)
        raise ShapeError("bounds.outside/maps", value=value[k], low=low[k], high=high[k])
    return np.asarray((np.log(value - low) - np.log(high - value)) / np.asarray(slope, dtype=float))
