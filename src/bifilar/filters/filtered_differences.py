"""Velocity as drives make it from an encoder: backward differences behind a first-order low-pass.

    velocity[k] = a velocity[k-1] + (1 - a) (position[k] - position[k-1]) / h,      a = exp(-cutoff h)

It lags by h / 2 for the difference and h a / (1 - a), about 1 / cutoff, for the low-pass, and lets through white noise of the
encoder with a standard deviation of noise / h * (1 - a) sqrt(2 / (1 + a)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import ShapeError
from bifilar.filters.belief import Array


class LinearFilter(NamedTuple):
    """x[k+1] = A x[k] + b z[k],  (position, velocity)[k] = C x[k] + d z[k]: what a filter does to readings z of one joint.

    >>> LinearFilter(np.zeros((1, 1)), np.ones(1), np.zeros((2, 1)), np.ones(2)).d
    array([1., 1.])
    """

    A: Array
    b: Array
    C: Array
    d: Array


class FilteredDifferences:
    """Follows the positions of several joints; one per run.

    >>> follow = FilteredDifferences(cutoff=500.0)
    >>> for k in range(100):
    ...     q, v = follow.update(k / 1000, [2.0 * k / 1000])
    >>> v.round(6)
    array([2.])
    """

    def __init__(self, *, cutoff: float = np.inf, velocity: ArrayLike | None = None) -> None:
        if not cutoff > 0:
            raise ShapeError("cutoff.wrong/filtered_differences", cutoff=cutoff)
        self.cutoff = cutoff  # [rad/s]
        self._start = None if velocity is None else np.array(velocity, dtype=float)  # before the first reading
        self._velocity: Array | None = None
        self._time, self._position = -np.inf, np.zeros(0)

    def update(self, time: float, position: ArrayLike) -> tuple[Array, Array]:
        """Position as it was read, and its filtered differences.

        >>> FilteredDifferences().update(0.0, [0.3])
        (array([0.3]), array([0.]))
        """
        q = np.array(position, dtype=float)
        h = time - self._time
        if self._velocity is None or h < 0:  # the first reading, or of another clock
            self._velocity = np.zeros_like(q) if self._start is None else self._start
        if 0 < h < np.inf:
            keep = float(np.exp(-self.cutoff * h))
            self._velocity = keep * self._velocity + (1.0 - keep) / h * (q - self._position)
        self._time, self._position = time, q
        return q, self._velocity

    def linear(self, period: float) -> LinearFilter:
        """The filter as matrices, at one period; x is the last velocity and the last reading.

        >>> FilteredDifferences().linear(0.1).d
        array([ 1., 10.])
        """
        keep = float(np.exp(-self.cutoff * period))
        gain = (1.0 - keep) / period
        return LinearFilter(
            np.array([[keep, -gain], [0.0, 0.0]]),
            np.array([gain, 1.0]),
            np.array([[0.0, 0.0], [keep, -gain]]),
            np.array([1.0, gain]),
        )
