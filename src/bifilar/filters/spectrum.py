"""Power spectra of signals that fall over ten decades, from short recordings.

Positions of a robot hold 1e12 times more power below 1 Hz than at 50 Hz, and the slightest leakage buries what is there. So the
signal is differenced first, which takes the slope out of its spectrum, then seen through several sine tapers (Riedel and
Sidorenko 1995), whose average is smooth, and divided by the gain of the difference.

The same leakage lifts white noise, whose differences are strongest at the fast end: a line at frequency f is expected at

    lift(f) = sum_k sum_n |(difference of w_k exp(-2 pi i f n))_n|^2 / (tapers gain(f)),     above 1000 in the lowest line

times its density. Before a low line is called motion it has to be divided by that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.state import numbers

Array = NDArray[np.float64]
TAPERS = 8
LEAST = 64  # samples


def spectrum(x: ArrayLike, *, rate: float, differences: int = 2, tapers: int = TAPERS) -> tuple[Array, Array]:
    """Frequencies (F,) [Hz] without zero, and the one-sided power density (F, columns) of x (samples, columns) [unit^2/Hz].

    >>> noise = np.random.default_rng(0).standard_normal((4096, 1))
    >>> f, density = spectrum(noise, rate=1000)
    >>> bool(abs(density[100:].mean() * 500 - 1) < 0.1)
    True
    """
    array = numbers("samples", x)
    steep = np.diff(array, n=differences, axis=0) if differences else array - array.mean(axis=0)
    count = len(steep)
    n = np.arange(1, count + 1)[:, None]
    total = np.zeros((count // 2 + 1, steep.shape[1]))
    for k in range(1, tapers + 1):
        taper = np.sqrt(2 / (count + 1)) * np.sin(np.pi * k * n / (count + 1))
        total += np.abs(np.fft.rfft(steep * taper, axis=0)) ** 2
    f: Array = np.fft.rfftfreq(count, 1 / rate)[1:].astype(float)
    flat = (2 * np.sin(np.pi * f / rate)) ** (2 * differences)
    return f, total[1:] * (2 / (tapers * rate)) / flat[:, None]


def lift_of_noise(count: int, *, tapers: int = TAPERS) -> Array:
    """Expected density of white noise in each line that `spectrum` gives for so many samples, over the true one, (F,).

    >>> lift = lift_of_noise(2000)
    >>> bool(lift[0] > 1000), bool(abs(lift[-1] - 1) < 0.01)
    (True, True)
    """
    inner = count - 2  # of the two differences, as `spectrum` takes them
    steep = wide = alike = 0.0
    for k in range(1, tapers + 1):
        taper = np.zeros(inner + 4)
        taper[2:-2] = np.sqrt(2 / (inner + 1)) * np.sin(np.pi * k * np.arange(1, inner + 1) / (inner + 1))
        steep += float(np.sum(np.diff(taper, n=2) ** 2))
        wide += float(np.sum((taper[2:] - taper[:-2]) ** 2) - np.sum(np.diff(taper) ** 2))
        alike += float(taper[2:] @ taper[:-2])
    s = 2 * np.sin(np.pi * np.fft.rfftfreq(inner)[1:]) ** 2
    # 6 r0 - 8 r1 cos w + 2 r2 cos 2w of the tapers' correlations r, in an order in which nothing cancels
    return np.asarray((steep / (4 * s**2) + wide / s + alike) / tapers)


def in_bands(frequency: Array, density: Array, *, bands: int = 6) -> tuple[Array, Array]:
    """Geometric means over bands of equal ratio, so many per octave: (B,) middles [Hz] and (B, columns).

    >>> f = np.arange(1.0, 129.0)
    >>> middles, level = in_bands(f, np.ones((128, 1)), bands=1)
    >>> len(middles), float(level.max())
    (8, 1.0)
    """
    which = np.floor(np.log2(frequency / frequency[0]) * bands + 1e-9).astype(int)
    _, which, counts = np.unique(which, return_inverse=True, return_counts=True)
    logs = np.log(np.maximum(density, 1e-300))
    level = np.zeros((len(counts), density.shape[1]))
    np.add.at(level, which, logs)
    middle = np.bincount(which, np.log(frequency)) / counts
    return np.exp(middle), np.exp(level / counts[:, None])
