"""Where the motion ends and the noise begins: a cut-off frequency from the spectrum of the positions.

The acceleration's spectrum tells it best. What the machine does falls off with frequency faster than f^-4; the noise of
encoders falls slower, so that in the acceleration, f^4 times the position's spectrum, it rises. Between the two lies a
valley, where a reading is about half motion, half noise:

    valley = argmin f^4 P(f)     beyond what the motion holds for certain

No level of noise has to be assumed, and it may be coloured. A motion with holes in its spectrum has valleys inside: so
anything beyond the valley that stands out of the noise and carries a share of the velocity counts as motion, and the search
begins again above it. The cut-off is one and a half times the valley's frequency (median of the joints that move): a
Butterworth filter of fourth order run both ways still passes 96 % of the valley. It is never less than five times the
frequency below which 99 % of any joint's velocity lies; where nothing is noisy, as in a simulation, it ends at fifteen
times that frequency. On recordings of five robots the prediction of unseen motion changes by a few hundredths of its
error if the cut-off is doubled or halved; twice as high, noise of the acceleration begins to weaken what it multiplies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.filters.spectrum import LEAST, in_bands, spectrum

ABOVE_VALLEY = 1.5
ABOVE_MOTION, FAR_ABOVE_MOTION = 5.0, 15.0
SHARE = 0.99  # of the velocity's power is what a motion holds for certain
STANDS_OUT, MATTERS = 30.0, 0.002  # ratio to the noise beside it; share of the velocity's power
HIGHEST = 0.2  # of the rate
FAST = 0.15  # of the rate: beyond, what a still joint shows is noise
BANDS = 3  # per octave
MOVES = 1e3  # how far the spectrum of a joint that moves rises above its middle
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
    f, density = spectrum(position[first : first + LONGEST], rate=rate)
    band, level = in_bands(f, density, bands=BANDS)
    found = [_of_joint(f, density[:, j], band, level[:, j], rate) for j in range(joints)]
    motion, valley, noise = (np.array(x) for x in zip(*found))
    if np.isnan(valley).all():
        return Cutoff(highest, motion, valley, noise, "no joint moves")
    content = float(np.nanmax(motion))
    wanted = ABOVE_VALLEY * float(np.nanmedian(valley))
    value = min(float(np.clip(wanted, ABOVE_MOTION * content, FAR_ABOVE_MOTION * content)), highest)
    reason = f"motion sinks into noise at {np.nanmedian(valley):.2g} Hz, 99 % of its velocity lies below {content:.2g} Hz"
    return Cutoff(value, motion, valley, noise, reason)


def _of_joint(f: Array, density: Array, band: Array, level: Array, rate: float) -> tuple[float, float, float]:
    """What the motion holds for certain, the valley, and the noise's density there."""
    usable = band < 0.4 * rate
    fast = usable & (band > FAST * rate)
    floor = float(np.median(level[fast if fast.any() else usable]))
    if not level.max() > MOVES * np.median(level[usable]):  # a slow joint may fill the middle of the spectrum with motion
        return np.nan, np.nan, floor
    speed = density * f**2 * f[0]  # power of the velocity per line, up to a factor
    end = int(np.argmax(level * band))
    while True:
        beyond = np.flatnonzero(usable & (np.arange(len(band)) > end))
        if not len(beyond):
            return float(band[end]), float(band[end]), 0.0
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
    return certain, float(band[low]), noise


def _power(f: Array, speed: Array, middle: float) -> float:
    half = 2 ** (0.5 / BANDS)
    return float(speed[(f > middle / half) & (f < middle * half)].sum())
