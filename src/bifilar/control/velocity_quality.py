"""What a velocity made from encoders is worth: how late it is and how much noise it carries.

    H(z) = c (z 1 - A)^-1 b + d           from reading to velocity (`LinearFilter`), to be compared with i w
    gain = |H / (i w)|,   delay = -angle(H / (i w)) / w,   noise = deviation * sqrt(c P c' + d^2),   P = A P A' + b b'

Late velocity costs damping, noise costs torque, so filters are compared at the same noise (`differences_as_quiet_as`). The
Kalman filter (white jerk) is then on time where differences are late by their low-pass; above its bandwidth it overshoots
before it falls, and the loop bears smaller gains: `omega` says how large.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from bifilar.control.sampling import largest_stable_omega
from bifilar.errors import ShapeError
from bifilar.filters.filtered_differences import FilteredDifferences, LinearFilter
from bifilar.simulate.controller import Conditions

SLOWEST, FASTEST = 1e-3, 50.0  # cut-off times period, between which differences are searched for


class Linear(Protocol):
    """A filter that can be written as matrices: FilteredDifferences, MotionFilter.

    >>> from bifilar.online.motion import MotionFilter
    >>> filter: Linear = MotionFilter(1, noise=1e-4, jerk=50.0)
    """

    def linear(self, period: float) -> LinearFilter:
        """At one period.

        >>> FilteredDifferences().linear(0.1).d
        array([ 1., 10.])
        """
        ...


class VelocityQuality(NamedTuple):
    """Of one filter at one period.

    >>> VelocityQuality(2.0, 1.0, 0.0005, 0.02, 900.0).delay
    0.0005
    """

    frequency: float  # [Hz] of the motion
    gain: float  # of the velocity; 1 is right
    delay: float  # [s]; negative: early
    noise: float  # [rad/s] deviation
    omega: float  # [rad/s] up to which computed torque with drives that do not lag is stable


def velocity_quality(filter: Linear, period: float, *, noise: float, frequency: float) -> VelocityQuality:
    """For white noise of the encoder with a deviation `noise` [rad], and motion at a frequency [Hz].

    >>> found = velocity_quality(FilteredDifferences(), 1e-3, noise=1e-5, frequency=1.0)
    >>> round(found.delay, 6), round(found.noise, 6), round(found.omega)
    (0.0005, 0.014142, 702)
    """
    if not (period > 0 and noise >= 0 and 0 < frequency < 0.5 / period):
        raise ShapeError("setting.wrong/velocity_quality", period=period, noise=noise, frequency=frequency)
    A, b, C, d = filter.linear(period)
    w = 2 * np.pi * frequency
    answer = C[1] @ np.linalg.solve(np.exp(1j * w * period) * np.eye(len(A)) - A, b) + d[1]
    ratio = answer / (1j * w)
    still = Conditions(period, 0.0, 0.0, filter, *np.zeros((3, 1)))
    return VelocityQuality(
        frequency, float(abs(ratio)), float(-np.angle(ratio) / w), noise * _noise_gain(A, b, C[1], float(d[1])),
        largest_stable_omega(1.0, still),
    )  # fmt: skip


def differences_as_quiet_as(filter: Linear, period: float) -> FilteredDifferences:
    """Filtered differences whose velocity carries as much noise as that of another filter.

    >>> from bifilar.online.motion import MotionFilter
    >>> kalman = MotionFilter(1, noise=1e-5, jerk=300.0)
    >>> rival = differences_as_quiet_as(kalman, 1e-3)
    >>> noise = [velocity_quality(f, 1e-3, noise=1e-5, frequency=1.0).noise for f in (kalman, rival)]
    >>> bool(np.isclose(*noise, rtol=1e-6))
    True
    """
    wanted = _noise(filter, period)
    low, high = SLOWEST / period, FASTEST / period
    if not _noise(FilteredDifferences(cutoff=low), period) <= wanted <= _noise(FilteredDifferences(cutoff=high), period):
        raise ShapeError("filter.none")
    for _ in range(80):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if _noise(FilteredDifferences(cutoff=middle), period) < wanted else (low, middle)
    return FilteredDifferences(cutoff=low)


def _noise(filter: Linear, period: float) -> float:
    A, b, C, d = filter.linear(period)
    return _noise_gain(A, b, C[1], float(d[1]))


def _noise_gain(A: np.ndarray, b: np.ndarray, c: np.ndarray, d: float) -> float:
    """Deviation of c x + d z for white z of deviation one."""
    n = len(A)
    spread = np.linalg.solve(np.eye(n * n) - np.kron(A, A), np.outer(b, b).ravel()).reshape(n, n)
    return float(np.sqrt(c @ spread @ c + d * d))
