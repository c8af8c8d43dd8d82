"""What a finite Fourier series is made of: harmonics of a base frequency, whole periods, fades at both ends.

With w = 2 pi f, t' counted from the beginning of the first whole period and c = (a_1 .. a_K, b_1 .. b_K) of one joint,

    q(t) = q0 + W(t) sum_k  a_k/(w k) sin(k w t') - b_k/(w k) cos(k w t')  =  q0 + Bq(t) c

Without the window W, a_k and b_k are amplitudes of velocity, v = sum a_k cos + b_k sin (Swevers et al. 1997). There are
two ways to begin and to end at rest:

- a fade: W rises from 0 to 1 as 35u^4 - 84u^5 + 70u^6 - 20u^7 in `fade` seconds before the first whole period and falls
  likewise after the last, so that position is continuous up to jerk;
- coefficients with E c = 0: q(0) = q0, v(0) = 0, a(0) = 0, hence the same after every period. c = Z x keeps to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.errors import MotionError
from bifilar.experiment.checks import instants, positive
from bifilar.experiment.trajectory import Array, Window

MANY = 1000  # harmonics; more is a mistake
FADE = (35.0, -84.0, 70.0, -20.0)  # of u^4 .. u^7


class Basis(NamedTuple):
    """Matrices (samples, coefficients): position - offset = basis.position @ c, and so on.

    >>> basis = bf.FourierBasis(base_frequency=0.1, harmonics=5).basis([0.0, 1.0])
    >>> Bq, Bv, Ba = basis
    >>> Bv.shape
    (2, 10)
    """

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, kw_only=True)
class FourierBasis:
    """Harmonics, periods and fades, without coefficients.

    >>> basis = bf.FourierBasis(base_frequency=0.1, harmonics=(1, 2, 5), fade=2.0)
    >>> basis.duration, basis.steady
    (14.0, Window(start=2.0, stop=12.0))
    """

    base_frequency: float  # [Hz]
    harmonics: tuple[int, ...]  # multiples of the base frequency; a number 5 stands for 1 .. 5
    periods: int = 1  # whole periods at full amplitude
    fade: float = 0.0  # [s] before the first and after the last of them

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_frequency", positive("the base frequency", self.base_frequency, "Hz"))
        object.__setattr__(self, "harmonics", _whole(self.harmonics))
        object.__setattr__(self, "fade", positive("the fade", self.fade, "s", zero=True))
        if positive("the number of periods", self.periods) != int(self.periods):
            raise MotionError("duration.periods/harmonics", periods=self.periods)
        object.__setattr__(self, "periods", int(self.periods))

    @classmethod
    def lasting(
        cls,
        duration: float,
        *,
        harmonics: int | Sequence[int],
        base_frequency: float | None = None,
        periods: int = 1,
        fade: float = 0.0,
        highest: float | None = None,
    ) -> Self:
        """Fills `duration` seconds: with `periods` periods, or with as many as fit of a given base frequency.

        `highest` [Hz]: refuse a duration that is so short that the harmonics would be faster than that.

        >>> bf.FourierBasis.lasting(20.0, harmonics=5).base_frequency
        0.05
        """
        total = positive("the duration", duration, "s") - 2 * positive("the fade", fade, "s", zero=True)
        if total <= 0:
            raise MotionError("duration.fades", fade=fade, duration=duration)
        if base_frequency is not None:
            periods = _whole_periods(total, positive("the base frequency", base_frequency, "Hz"), fade)
        frequency = positive("the number of periods", periods) / total if base_frequency is None else base_frequency
        basis = cls(base_frequency=frequency, harmonics=_whole(harmonics), periods=periods, fade=fade)
        if highest is not None and basis.highest_frequency > positive("the highest frequency", highest, "Hz") * (1 + 1e-9):
            slow = max(basis.harmonics) * periods / highest + 2 * fade
            raise MotionError(
                "harmonics.too_fast/harmonics",
                duration=duration,
                largest=max(basis.harmonics),
                highest_frequency=basis.highest_frequency,
                highest=highest,
                slow=slow,
            )
        return basis

    @property
    def period(self) -> float:
        """Of the base frequency, in seconds.

        >>> bf.FourierBasis(base_frequency=0.1, harmonics=5).period
        10.0
        """
        return 1 / self.base_frequency

    @property
    def duration(self) -> float:
        """Whole periods and both fades, in seconds.

        >>> bf.FourierBasis(base_frequency=0.1, harmonics=5, periods=3).duration
        30.0
        """
        return self.periods / self.base_frequency + 2 * self.fade

    @property
    def steady(self) -> Window:
        """The whole periods at full amplitude: what a criterion looks at and what can be averaged.

        >>> bf.FourierBasis(base_frequency=0.1, harmonics=5, periods=3, fade=1.0).steady
        Window(start=1.0, stop=31.0)
        """
        return Window(self.fade, self.fade + self.periods / self.base_frequency)

    @property
    def highest_frequency(self) -> float:
        """In Hz.

        >>> bf.FourierBasis(base_frequency=0.1, harmonics=5).highest_frequency
        0.5
        """
        return max(self.harmonics) * self.base_frequency

    @property
    def size(self) -> int:
        """Coefficients per joint.

        >>> bf.FourierBasis(base_frequency=0.1, harmonics=5).size
        10
        """
        return 2 * len(self.harmonics)

    def synchronous(self, rate: float) -> Self:
        """The closest base frequency for which a period is a whole number of samples: periods can then be averaged.

        >>> bf.FourierBasis(base_frequency=0.3, harmonics=5).synchronous(100).period
        3.33
        """
        samples = max(round(positive("the sampling rate", rate, "Hz") / self.base_frequency), 1)
        if samples <= 2 * max(self.harmonics):
            raise MotionError(
                "harmonics.too_fast/synchronous",
                largest=max(self.harmonics),
                highest_frequency=self.highest_frequency,
                rate=rate,
            )
        return type(self)(base_frequency=rate / samples, harmonics=self.harmonics, periods=self.periods, fade=self.fade)

    def basis(self, time: ArrayLike) -> Basis:
        """Matrices at instants within [0, duration]; position, velocity and acceleration are linear in coefficients.

        >>> bf.FourierBasis(base_frequency=0.1, harmonics=5).basis(0.0).velocity[0, :5]
        array([1., 1., 1., 1., 1.])
        """
        return Basis(*self._matrices(instants(time), 2))

    def jerk_basis(self, time: ArrayLike) -> Array:
        """The same for jerk.

        >>> bf.FourierBasis(base_frequency=0.1, harmonics=5).jerk_basis(0.0).shape
        (1, 10)
        """
        return self._matrices(instants(time), 3)[3]

    def _matrices(self, time: Array, order: int) -> list[Array]:
        """Derivatives of W(t) f(t) up to `order`, by the product rule."""
        f = self._series(time - self.fade, order)
        if not self.fade:
            return f
        W = self._window(time, order)
        return [sum(comb(n, k) * W[n - k][:, None] * f[k] for k in range(n + 1)) for n in range(order + 1)]  # type: ignore

    def _series(self, time: Array, order: int) -> list[Array]:
        """Derivatives without the window: each is the last one times k w, a quarter turn further."""
        w = 2 * np.pi * self.base_frequency * np.array(self.harmonics)
        sine, cosine = np.sin(time[:, None] * w), np.cos(time[:, None] * w)
        turns = [(sine, -cosine), (cosine, sine), (-sine, cosine), (-cosine, -sine)]
        return [np.hstack([part * w ** (n - 1.0) for part in turns[n]]) for n in range(order + 1)]

    def _window(self, time: Array, order: int) -> list[Array]:
        """W and its derivatives; the end is the beginning, mirrored."""
        rising = np.minimum(time, self.duration - time) / self.fade
        u, mirrored = np.clip(rising, 0.0, 1.0), np.where(time > self.duration / 2, -1.0, 1.0)
        values = []
        for n in range(order + 1):
            terms = [c * float(np.prod(np.arange(p, p - n, -1))) * u ** (p - n) for p, c in enumerate(FADE, 4)]
            flat = 1.0 if n == 0 else 0.0
            values.append(np.where(rising < 1, sum(terms) * (mirrored / self.fade) ** n, flat))
        return values


def rest_constraints(harmonics: int | Sequence[int], *, position: bool = True, jerk: bool = False) -> Array:
    """E with E c = 0 if the series is at rest at q0 at the beginning of every period; `jerk` without jerk, too.

    Rows: position, velocity, acceleration (and jerk), each divided by its power of w; position=False: it may rest anywhere.

    >>> bf.rest_constraints(2)
    array([[ 0. ,  0. , -1. , -0.5],
           [ 1. ,  1. ,  0. ,  0. ],
           [ 0. ,  0. ,  1. ,  2. ]])
    """
    k = np.array(_whole(harmonics), dtype=np.float64)
    none = np.zeros_like(k)
    rows = [(none, -1 / k), (k**0, none), (none, k), (-(k**2), none)]
    return np.array([np.concatenate(pair) for pair in rows[0 if position else 1 : 4 if jerk else 3]])


def rest_basis(harmonics: int | Sequence[int], *, position: bool = True, jerk: bool = False) -> Array:
    """Z with orthonormal columns: c = Z x is at rest at the beginning of every period, for any x.

    >>> Z = bf.rest_basis(5)
    >>> Z.shape, bool(np.allclose(bf.rest_constraints(5) @ Z, 0))
    ((10, 7), True)
    """
    E = rest_constraints(harmonics, position=position, jerk=jerk)
    E = E / np.linalg.norm(E, axis=1, keepdims=True)
    _, s, V = decompose.svd(E)
    free = V[int((s > 1e-12 * s[0]).sum()) :].T
    if not free.shape[1]:
        count = E.shape[1] // 2
        raise MotionError("harmonics.too_few", count=count, value="s" * (count > 1))
    return free


def _whole(harmonics: int | Sequence[int]) -> tuple[int, ...]:
    """Distinct whole numbers from 1; a single number counts them."""
    try:
        given = np.atleast_1d(np.asarray(harmonics, dtype=np.float64))
        if np.ndim(harmonics) == 0:  # as many as it says, if it is a number that can be meant
            given = np.arange(1, given[0] + 1) if 1 <= given[0] <= MANY and given[0] % 1 == 0 else np.zeros(1)
    except (TypeError, ValueError):
        given = np.full(1, np.nan)
    wrong = not ((given >= 1) & (given % 1 == 0)).all() or given.ndim > 1 or not 0 < given.size <= MANY
    if wrong or np.unique(given).size < given.size:
        raise MotionError("harmonics.wrong", harmonics=harmonics)
    return tuple(int(k) for k in given)


def _whole_periods(total: float, frequency: float, fade: float) -> int:
    periods = total * frequency
    if periods < 1 - 1e-9:
        raise MotionError(
            "duration.periods/whole_periods",
            total=total,
            periods=periods,
            frequency=1 / frequency,
            frequency_2=1 / frequency + 2 * fade,
            total_2=1 / total,
        )
    if abs(periods - round(periods)) > 1e-6 * periods:
        raise MotionError(
            "duration.periods/harmonics_whole_periods",
            total=total,
            periods=periods,
            frequency=1 / frequency,
            near=[f"{n / frequency + 2 * fade:g} s" for n in (int(periods), int(periods) + 1)],
        )
    return round(periods)
