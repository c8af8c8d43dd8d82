"""Values between time stamps: a cubic through the four samples around an instant, a straight line where stamps are uneven.

The weights depend on the stamps only and serve every channel. Nothing is fitted: an instant that was stamped gets the value
that was stamped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
UNEVEN = 3.0  # ratio of steps beyond which a cubic would swing


@dataclass(frozen=True, eq=False)
class Interpolation:
    """From stamps to other instants; made by `between`.

    >>> t = np.arange(6.0)
    >>> between(t, np.array([2.5])).of((t**3)[:, None])
    array([[15.625]])
    """

    places: NDArray[np.int64]  # (M, 4) samples that are asked
    weights: Array  # (M, 4)

    def of(self, x: Array) -> Array:
        """Columns of x (stamps, columns) at the other instants.

        >>> between(np.arange(4.0), np.array([0.5, 3.0])).of(np.arange(8.0).reshape(4, 2))
        array([[1., 2.],
               [6., 7.]])
        """
        total = self.weights[:, :1] * x[self.places[:, 0]]
        for k in range(1, 4):
            total += self.weights[:, k : k + 1] * x[self.places[:, k]]
        return total


def between(stamps: Array, wanted: Array) -> Interpolation:
    """How to get from rising stamps to wanted instants inside them.

    >>> between(np.arange(9.0), np.array([4.0])).weights.sum()
    np.float64(1.0)
    """
    count = len(stamps)
    k = np.clip(np.searchsorted(stamps, wanted, side="right") - 1, 0, max(count - 2, 0))
    if count < 4:
        u = (wanted - stamps[k]) / np.maximum(stamps[np.minimum(k + 1, count - 1)] - stamps[k], 1e-300)
        places = np.stack([k, np.minimum(k + 1, count - 1), k, k], axis=1)
        return Interpolation(places, np.stack([1 - u, u, 0 * u, 0 * u], axis=1))
    first = np.clip(k - 1, 0, count - 4)
    places = first[:, None] + np.arange(4)
    t = stamps[places]
    weights = np.ones((len(wanted), 4))
    for i in range(4):
        for j in range(4):
            if i != j:
                weights[:, i] *= (wanted - t[:, j]) / (t[:, i] - t[:, j])
    steps = np.diff(t, axis=1)
    uneven = steps.max(axis=1) > UNEVEN * steps.min(axis=1)
    u = (wanted - stamps[k]) / (stamps[k + 1] - stamps[k])
    line = np.zeros_like(weights)
    rows = np.arange(len(wanted))
    line[rows, k - first], line[rows, k - first + 1] = 1 - u, u
    return Interpolation(places, np.where(uneven[:, None], line, weights))
