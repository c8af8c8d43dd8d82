"""The noise of readings from a motion that repeats itself: what differs between periods is noise (Swevers et al. 1997).

r^2 = sum over periods and samples of (reading - mean over periods)^2 / (samples (periods - 1))
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import ShapeError
from bifilar.robot.inertia import Array


def periodic_noise(reading: ArrayLike, samples: int) -> Array:
    """Standard deviation of every row of readings (N, rows) of a motion with so many `samples` per period.

    Samples after the last whole period are not used. The result is what `Torque(noise=...)` takes.

    >>> rng, t = np.random.default_rng(0), np.arange(1000) / 100
    >>> swing = np.sin(2 * np.pi * t)[:, None] + 0.1 * rng.normal(size=(1000, 2))
    >>> periodic_noise(swing, 100).round(2)
    array([0.1, 0.1])
    """
    given = np.asarray(reading, dtype=float)
    if given.ndim != 2 or not np.isfinite(given).all():
        raise ShapeError("shape.wrong/noise", shape=given.shape)
    periods = len(given) // samples if samples > 0 else 0
    if periods < 2:
        raise ShapeError("periods.too_few", given_count=len(given), periods=periods, samples=samples)
    table = given[: periods * samples].reshape(periods, samples, -1)
    left = table - table.mean(axis=0)
    return np.asarray(np.sqrt(np.sum(left**2, axis=(0, 1)) / (samples * (periods - 1))))
