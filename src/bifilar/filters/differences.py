"""Derivatives by central differences and smoothing by moving averages: what most published identifications use.

    v_k = (q_(k+1) - q_(k-1)) / 2h,        a_k = (v_(k+1) - v_(k-1)) / 2h

Every column is a joint and every joint is treated alike. At the ends the differences are one-sided, of second order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.state import numbers
from bifilar.errors import ShapeError

Array = NDArray[np.float64]


def central(x: ArrayLike, *, rate: float) -> Array:
    """First derivative of the columns of x (samples, columns).

    >>> t = np.arange(5) / 10
    >>> central(np.stack([t, t**2], axis=1), rate=10).round(9)[2]
    array([1. , 0.4])
    """
    return np.gradient(_long_enough(x, 3), 1 / rate, axis=0, edge_order=2)


def moving_average(x: ArrayLike, span: int) -> Array:
    """Mean of `span` samples around each, of fewer near the ends so that they stay in the middle (as MATLAB's smooth does).

    >>> moving_average(np.array([[0.0], [3.0], [3.0], [9.0]]), 3)[:, 0]
    array([0., 2., 5., 9.])
    """
    array = _long_enough(x, 1)
    if span < 1 or span % 2 == 0:
        raise ShapeError("filter.even_span", span=span)
    k = np.arange(len(array))
    half = np.minimum(span // 2, np.minimum(k, len(array) - 1 - k))
    sums = np.concatenate([np.zeros((1, array.shape[1])), np.cumsum(array, axis=0)])
    return (sums[k + half + 1] - sums[k - half]) / (2 * half + 1)[:, None]


def _long_enough(x: ArrayLike, least: int) -> Array:
    array = numbers("samples", x)
    if array.ndim != 2 or len(array) < least:
        raise ShapeError("shape.wrong/differences", shape=array.shape, least=least)
    return array
