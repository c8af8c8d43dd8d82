"""A filter as weights of neighbouring samples, evaluated only at chosen samples: for the rows of a regressor.

    y_k = sum_j h_(j-k) x_j / sum_j h_(j-k)          over the samples j that exist

An equation torque = W phi stays true if both sides go through the same linear operator, whatever it is. Near an end, where
part of the weights would fall on samples that do not exist, the others are scaled up, for torque and columns alike: there
are no transients. Only the wanted outputs are computed, so filter and decimation together cost no more than a few
multiplications per entry; what lies between is never stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.state import numbers
from bifilar.errors import ShapeError
from bifilar.filters.butterworth import fast_size

Array = NDArray[np.float64]
Places = NDArray[np.int64]
DENSE = 12  # outputs closer than so many samples are found by Fourier transforms
BAND = 3  # rows are worked on in groups whose inputs are about so many times those of one row


@dataclass(frozen=True, eq=False)
class RowFilter:
    """Symmetric weights of the samples around one.

    >>> RowFilter(np.ones(3) / 3).at(np.array([[0.0], [3.0], [6.0], [9.0]]), np.array([0, 2]))
    array([[1.5],
           [6. ]])
    """

    taps: Array  # (2 halo + 1,)

    def __post_init__(self) -> None:
        taps = np.array(numbers("taps", self.taps))
        if taps.ndim != 1 or len(taps) % 2 == 0 or not np.allclose(taps, taps[::-1], rtol=1e-9, atol=1e-12):
            raise ShapeError("filter.asymmetric")
        taps.flags.writeable = False
        object.__setattr__(self, "taps", taps)

    @property
    def halo(self) -> int:
        """How many samples before and after one are asked for.

        >>> RowFilter(np.ones(5) / 5).halo
        2
        """
        return len(self.taps) // 2

    def at(self, x: ArrayLike, places: Places) -> Array:
        """Filtered columns of x (samples, ...) at some samples, in rising order.

        >>> RowFilter(np.ones(1)).at(np.arange(6.0).reshape(3, 2), np.array([1]))
        array([[2., 3.]])
        """
        array = np.asarray(x, dtype=float)
        flat = array.reshape(len(array), -1)
        if len(places) * DENSE > max(len(flat), len(self.taps)):
            return self._everywhere(flat)[places].reshape(len(places), *array.shape[1:])
        out = np.empty((len(places), flat.shape[1]))
        start = 0
        while start < len(places):
            stop = start + int(np.searchsorted(places[start:], places[start] + BAND * len(self.taps)))
            stop = min(max(stop, start + 1), start + 64)
            low = max(0, int(places[start]) - self.halo)
            high = min(len(flat), int(places[stop - 1]) + self.halo + 1)
            out[start:stop] = self._weights(places[start:stop], low, high) @ flat[low:high]
            start = stop
        return out.reshape(len(places), *array.shape[1:])

    def _everywhere(self, flat: Array) -> Array:
        """At every sample, by Fourier transforms, some columns at a time."""
        size = fast_size(len(flat) + self.halo)
        kernel = np.zeros(size)  # shifted by the halo to begin with its middle, the first half behind the end
        kernel[: self.halo + 1], kernel[size - self.halo :] = self.taps[self.halo :], self.taps[: self.halo]
        gain = np.fft.rfft(kernel)[:, None].real  # of a symmetric kernel
        ones = np.fft.irfft(np.fft.rfft(np.ones((len(flat), 1)), size, axis=0) * gain, size, axis=0)[: len(flat)]
        out = np.empty_like(flat)
        for k in range(0, flat.shape[1], 64):
            part = flat[:, k : k + 64]
            out[:, k : k + 64] = np.fft.irfft(np.fft.rfft(part, size, axis=0) * gain, size, axis=0)[: len(flat)] / ones
        return out

    def _weights(self, places: Places, low: int, high: int) -> Array:
        """(rows, inputs low..high), each row with the sum 1."""
        weights = np.zeros((len(places), high - low))
        for row, place in zip(weights, places):
            first, last = max(low, place - self.halo), min(high, place + self.halo + 1)
            row[first - low : last - low] = self.taps[first - place + self.halo : last - place + self.halo]
        return weights / weights.sum(axis=1, keepdims=True)
