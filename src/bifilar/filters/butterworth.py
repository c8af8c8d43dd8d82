"""A Butterworth low-pass run forward and backward: no phase, half the amplitude at its cut-off.

    G(f) = 1 / (1 + (tan(pi f / rate) / tan(pi cutoff / rate))^(2 order))

is the gain of the digital filter run both ways (the square of its magnitude), so it can be applied to the spectrum directly,
and with 2 pi i f in front it is a filter and a derivative at once, without the error of differences. Everything here is
linear and symmetric in time. Ends are continued by reflection at the end point (value and slope stay continuous, as
filtfilt does); what remains of that is gone about 1.5 / cutoff from the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.state import numbers
from bifilar.errors import ShapeError

Array = NDArray[np.float64]
ORDER = 4
TAIL = 1e-6  # of its largest value: where an impulse response is cut off


class Derived(NamedTuple):
    """Position, velocity and acceleration at the same instants, (samples, joints) each.

    >>> Derived(*np.zeros((3, 5, 2))).velocity.shape
    (5, 2)
    """

    position: Array
    velocity: Array
    acceleration: Array


def gain(frequency: ArrayLike, *, rate: float, cutoff: float, order: int = ORDER) -> Array:
    """Gain of the filter run forward and backward, at frequencies up to half the rate [Hz].

    >>> gain([0.0, 8.0, 500.0], rate=1000, cutoff=8.0).round(6)
    array([1. , 0.5, 0. ])
    """
    f = np.asarray(frequency, dtype=float)
    _checked(rate, cutoff, order)
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.tan(np.minimum(np.pi * f / rate, 0.5 * np.pi * (1 - 1e-12))) / np.tan(np.pi * cutoff / rate)
        return 1.0 / (1.0 + ratio ** (2 * order))


def low_pass(x: ArrayLike, *, rate: float, cutoff: float, order: int = ORDER) -> Array:
    """Columns of x (samples, columns) filtered without delay.

    >>> t = np.arange(2000) / 1000
    >>> slow, fast = np.sin(2 * np.pi * t)[:, None], np.sin(2 * np.pi * 100 * t)[:, None]
    >>> bool(np.abs(low_pass(slow + fast, rate=1000, cutoff=10) - slow)[200:-200].max() < 0.01)
    True
    """
    return _through(x, rate, cutoff, order, derivatives=0)[0]


def derived(x: ArrayLike, *, rate: float, cutoff: float, order: int = ORDER) -> Derived:
    """Filtered positions and their first and second derivatives.

    >>> t = np.arange(2000) / 1000
    >>> motion = derived(np.sin(6 * t)[:, None], rate=1000, cutoff=20)
    >>> bool(np.abs(motion.acceleration[:, 0] + 36 * np.sin(6 * t))[200:-200].max() < 0.01)
    True
    """
    return Derived(*_through(x, rate, cutoff, order, derivatives=2))


def impulse_response(*, rate: float, cutoff: float, order: int = ORDER) -> Array:
    """The same filter as weights of the samples around one, an odd number, symmetric, with the sum 1.

    >>> taps = impulse_response(rate=1000, cutoff=8)
    >>> len(taps) % 2, bool(np.allclose(taps, taps[::-1])), round(float(taps.sum()), 12)
    (1, True, 1.0)
    """
    reach = _reach(rate, cutoff, order)
    size = 2 ** int(np.ceil(np.log2(4 * reach + 2)))
    whole = np.fft.irfft(gain(np.fft.rfftfreq(size, 1 / rate), rate=rate, cutoff=cutoff, order=order), size)
    half = whole[: reach + 1]
    last = int(np.flatnonzero(np.abs(half) > TAIL * half[0])[-1])
    taps = np.concatenate([half[last:0:-1], half[: last + 1]])
    return taps / taps.sum()


def _reach(rate: float, cutoff: float, order: int) -> int:
    """Samples that the impulse response takes to fall by 1e-9, by the slowest of the digital filter's poles."""
    _checked(rate, cutoff, order)
    angles = np.pi * (2 * np.arange(order) + order + 1) / (2 * order)
    s = np.tan(np.pi * cutoff / rate) * np.exp(1j * angles)
    slowest = float(np.abs((1 + s) / (1 - s)).max())
    return int(np.ceil(np.log(1e9) / -np.log(max(slowest, 1e-9)))) + 1


def _through(x: ArrayLike, rate: float, cutoff: float, order: int, derivatives: int) -> list[Array]:
    array = numbers("samples", x)
    if array.ndim != 2:
        raise ShapeError("shape.wrong/butterworth", shape=array.shape)
    count = len(array)
    if count < 2:
        return [array.copy(), *(np.zeros_like(array) for _ in range(derivatives))]
    reach = min(_reach(rate, cutoff, order), count - 1)
    first, last = array[:1], array[-1:]
    slope = (last - first) / (count - 1)
    steps = np.arange(-reach, count + reach)[:, None]
    line = first + slope * steps  # what is left without it begins and ends at zero, and so does its odd continuation
    bare = np.concatenate([2 * first - array[reach:0:-1], array, 2 * last - array[-2 : -reach - 2 : -1]]) - line
    size = fast_size(len(bare))
    f = np.fft.rfftfreq(size, 1 / rate)
    spectrum = np.fft.rfft(bare, size, axis=0) * gain(f, rate=rate, cutoff=cutoff, order=order)[:, None]
    inner = slice(reach, reach + count)
    straight = [line[inner], np.broadcast_to(slope * rate, array.shape), np.zeros(array.shape)]
    return [
        np.fft.irfft(spectrum * (2j * np.pi * f[:, None]) ** k, size, axis=0)[inner] + straight[k]
        for k in range(derivatives + 1)
    ]


def fast_size(least: int) -> int:
    """A product of small primes that is not less: what Fourier transforms are quick at.

    >>> fast_size(1000)
    1024
    """
    powers = [2**a * b for b in (1, 3, 5, 9, 15) for a in range(40)]
    return min(size for size in powers if size >= least)


def _checked(rate: float, cutoff: float, order: int) -> None:
    if not (0 < rate < np.inf and 0 < cutoff < rate / 2):
        raise ShapeError("cutoff.too_high", cutoff=cutoff, rate=rate)
    if order < 1:
        raise ShapeError("filter.order", order=order)
