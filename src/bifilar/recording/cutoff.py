"""Where the motion ends and the noise begins: a cut-off frequency from the spectrum of the positions.

The acceleration's spectrum tells it best. What the machine does falls off with frequency faster than f^-4; the noise of
encoders falls slower, so that in the acceleration, f^4 times the position's spectrum, it rises. Between the two lies a
valley, where a reading is about half motion, half noise:

    valley = argmin f^4 P(f)     beyond what the motion holds for certain

No level of noise has to be assumed, and it may be coloured. A motion with holes in its spectrum has valleys inside: so
anything beyond the valley that stands out of the noise and carries a share of the velocity counts as motion, and the search
begins again above it. The cut-off is the valley (median of the joints that move), or the frequency below which 99 % of any
joint's velocity lies, where that is more: it never lies above the frequency at which the motion sinks into noise. Where
nothing is noisy, as in a simulation, it ends at fifteen times the motion's frequency.

A joint moves if some band of its spectrum stands out of the fast end far more than white noise would (its expected leakage into
the lowest bands taken out, `lift_of_noise`), or, for drifts that no band shows, if its spread is ten times what the steps
between samples tell of noise (von Neumann 1941: var x / (var dx / 2) is 1 for white noise). And its speed must not be a
trifle beside that of the liveliest joint. Joints that do not move have no say in the cut-off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.filters.spectrum import LEAST, in_bands, lift_of_noise, spectrum

ABOVE_VALLEY = 1.5  # of the widest: a Butterworth filter of fourth order run both ways still passes 96 % of the valley
ABOVE_MOTION, FAR_ABOVE_MOTION = 5.0, 15.0
SHARE = 0.99  # of the velocity's power is what a motion holds for certain
STANDS_OUT, MATTERS = 30.0, 0.002  # ratio to the noise beside it; share of the velocity's power
HIGHEST = 0.2  # of the rate
FAST = 0.15  # of the rate: beyond, what a still joint shows is noise
BANDS = 3  # per octave
MOVES = 1e3  # how far the spectrum of a joint that moves rises above its fast end; white noise reaches 10
DRIFTS = 1e2  # variance of a slow joint over that of its noise
COUNTS = 2.01  # steps of an encoder: what spans no more stands still
TRIFLE = 1e-3  # of the liveliest joint's speed: a joint that is held trembles with the others
LONGEST = 2**17  # samples that are looked at


@dataclass(frozen=True, eq=False)
class Cutoff:
    """A cut-off and what it was found from; made by `find_cutoff`.

    >>> t = np.arange(5000) / 500
    >>> swing = np.sin(t)[:, None] + 1e-4 * np.random.default_rng(0).standard_normal((5000, 1))
    >>> bool(1 < find_cutoff(swing, rate=500.0).value < 10)
    True
    """

    value: float  # [Hz]
    motion: Array  # (joints,) [Hz] below which 99 % of the velocity's power lies; nan: it does not move
    valley: Array  # (joints,) [Hz] of the least acceleration; nan: it does not move
    density: Array  # (joints,) [rad^2/Hz] of the position's noise there
    reason: str
    widest: float = np.inf  # [Hz] beyond which no motion is expected: for methods that weigh the noise of positions themselves

    def at_least(self, fitted: float, rate: float) -> float:
        """The cut-off for a recording that is to be judged by a fit which had another: the fit's, unless this one moves faster.

        Errors of two recordings can only be compared in the same band; where noise sinks below motion is no reason for another.

        >>> slow, fast = (Cutoff(9.0, np.array([f]), np.full(1, 9.0), np.full(1, 1e-10), "") for f in (0.5, 2.0))
        >>> slow.at_least(5.0, 100.0), fast.at_least(5.0, 100.0)
        (5.0, 9.0)
        """
        if np.isnan(self.motion).all():
            return min(fitted, HIGHEST * rate)
        needed = min(ABOVE_MOTION * float(np.nanmax(self.motion)), self.value)
        return min(max(fitted, needed), HIGHEST * rate)

    def velocity_noise(self, cutoff: float) -> Array:
        """Deviation of velocities filtered at a cut-off, (joints,) [rad/s].

        >>> flat = Cutoff(8.0, np.ones(1), np.full(1, 4.0), np.full(1, 1e-10), "")
        >>> flat.velocity_noise(8.0).round(5)
        array([0.00082])
        """
        return 2 * np.pi * np.sqrt(self.density * np.float64(cutoff) ** 3 / 3)


def find_cutoff(position: Array, *, rate: float) -> Cutoff:
    """The cut-off for evenly sampled positions (samples, joints).

    >>> find_cutoff(np.zeros((20, 1)), rate=100.0).reason
    'too short for a spectrum'
    """
    joints, highest = position.shape[1], HIGHEST * rate
    nothing = np.full(joints, np.nan)
    if len(position) < LEAST:
        return Cutoff(highest, nothing, nothing, np.zeros(joints), "too short for a spectrum")
    first = max(0, (len(position) - LONGEST) // 2)
    part = position[first : first + LONGEST]
    f, density = spectrum(part, rate=rate)
    band, level = in_bands(f, density, bands=BANDS)
    lift = in_bands(f, lift_of_noise(len(part))[:, None], bands=BANDS)[1][:, 0]
    clear = (level / lift[:, None] > MOVES * _floor(band, level, rate)) & ~_counts(part)
    clear[0] |= _drifts(part)  # its lowest band at least
    found = [_of_joint(f, density[:, j], band, level[:, j], clear[:, j], rate) for j in range(joints)]
    motion, valley, noise, speed = (np.array(x) for x in zip(*found))
    still = ~(speed > TRIFLE * speed.max(initial=0.0))
    valley[still] = np.nan
    turns = np.abs(part[-1] - part[0]) * rate / len(part) / (2 * np.pi)  # of a steady speed: gravity comes and goes as often
    motion = np.where(still, np.nan, np.maximum(motion, turns))
    if np.isnan(valley).all():
        return Cutoff(highest, motion, valley, noise, "no joint moves")
    content = float(np.nanmax(motion))
    wanted = min(max(float(np.nanmedian(valley)), content), FAR_ABOVE_MOTION * content)
    value = min(max(wanted, ABOVE_MOTION * float(turns[~still].max())), highest)  # turning steadily has no line in a spectrum
    reason = f"motion sinks into noise at {np.nanmedian(valley):.2g} Hz, 99 % of its velocity lies below {content:.2g} Hz"
    widest = np.clip(ABOVE_VALLEY * float(np.nanmedian(valley)), ABOVE_MOTION * content, FAR_ABOVE_MOTION * content)
    return Cutoff(value, motion, valley, noise, reason, min(float(widest), highest))


def _drifts(position: Array) -> NDArray[np.bool_]:
    """Whether the spread of a joint is far more than its noise, as the steps from sample to sample tell it."""
    noise = 0.5 * np.mean(np.diff(position, axis=0) ** 2, axis=0)
    return np.asarray((position.var(axis=0) > DRIFTS * noise) & ~_counts(position))


def _counts(position: Array) -> NDArray[np.bool_]:
    """Whether a joint only ever goes to a neighbouring count of its encoder and back."""
    steps = np.abs(np.diff(position, axis=0))
    least = np.where(steps > 0, steps, np.inf).min(axis=0)
    return np.asarray(np.ptp(position, axis=0) <= COUNTS * least)


def _floor(band: Array, level: Array, rate: float) -> Array:
    """What the fast end shows: motion that is slow or lively may fill the middle."""
    usable = band < 0.4 * rate
    fast = usable & (band > FAST * rate)
    return np.asarray(np.median(level[fast if fast.any() else usable], axis=0))


def _of_joint(
    f: Array, density: Array, band: Array, level: Array, clear: NDArray[np.bool_], rate: float
) -> tuple[float, float, float, float]:
    """What the motion holds for certain, the valley, the noise's density there, and the speed, up to a factor.

    `clear`: bands that are motion beyond doubt.
    """
    usable, floor = band < 0.4 * rate, float(_floor(band, level, rate))
    if not clear.any():
        return np.nan, np.nan, floor, 0.0
    speed = density * f**2 * f[0]  # power of the velocity per line, up to a factor
    end = int(np.argmax(np.where(clear, level * band, 0.0)))
    while True:
        beyond = np.flatnonzero(usable & (np.arange(len(band)) > end))
        if not len(beyond):
            return float(band[end]), float(band[end]), 0.0, float(np.sqrt(speed[f <= band[end]].sum()))
        low = int(beyond[np.argmin((level * band**4)[beyond])])
        noise = float(np.median(level[low : low + 2 * BANDS]))
        if noise > MOVES * floor:  # a motion that falls off slower than f^-4 has its least acceleration where it begins
            end = low
            continue
        total = speed[f <= band[low]].sum()
        out = [k for k in beyond[beyond > low] if level[k] > STANDS_OUT * noise and _power(f, speed, band[k]) > MATTERS * total]
        if not out:
            break
        end = out[-1]
    below = f <= band[low]
    certain = float(f[below][np.searchsorted(np.cumsum(speed[below]), SHARE * speed[below].sum())])
    return certain, float(band[low]), noise, float(np.sqrt(speed[below].sum()))


def _power(f: Array, speed: Array, middle: float) -> float:
    half = 2 ** (0.5 / BANDS)
    return float(speed[(f > middle / half) & (f < middle * half)].sum())
