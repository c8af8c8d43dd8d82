"""Velocity from encoders: what the formulas say is what the filters do, and what a Kalman filter gains over differences."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.filters.filtered_differences import FilteredDifferences
from bifilar.online.motion import MotionFilter

PERIOD = 1e-3
FILTERS = {
    "bare differences": lambda: FilteredDifferences(),
    "differences": lambda: FilteredDifferences(cutoff=300.0),
    "kalman": lambda: MotionFilter(1, noise=1e-5, jerk=100.0),
    "slow kalman": lambda: MotionFilter(1, noise=1e-4, jerk=10.0),
}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("frequency", [1.0, 12.0])
def test_a_sine_comes_out_as_large_and_as_late_as_it_says(name, frequency):
    follow = FILTERS[name]()
    said = bf.velocity_quality(FILTERS[name](), PERIOD, noise=0.0, frequency=frequency)
    time, w = np.arange(3000) * PERIOD, 2 * np.pi * frequency
    velocity = np.array([follow.update(t, [np.sin(w * t)])[1][0] for t in time])[1000:]
    waves = np.column_stack([np.cos(w * time), np.sin(w * time)])[1000:]
    (c, s), *_ = np.linalg.lstsq(waves, velocity, rcond=None)
    assert np.hypot(c, s) / w == pytest.approx(said.gain, rel=1e-4)
    assert np.arctan2(s, c) / w == pytest.approx(said.delay, abs=2e-7)


@pytest.mark.parametrize("name", FILTERS)
def test_noise_comes_out_as_large_as_it_says(name):
    follow = FILTERS[name]()
    said = bf.velocity_quality(FILTERS[name](), PERIOD, noise=1e-5, frequency=1.0)
    z = 1e-5 * np.random.default_rng(0).normal(size=20_000)
    velocity = np.array([follow.update(k * PERIOD, [x])[1][0] for k, x in enumerate(z)])[2000:]
    assert velocity.std() == pytest.approx(said.noise, rel=0.1)


def test_kalman_against_differences_at_the_same_noise():
    """On time where differences are late; the price is a loop that bears less gain."""
    kalman = MotionFilter(1, noise=1e-5, jerk=100.0)
    rival = bf.differences_as_quiet_as(kalman, PERIOD)
    for frequency in (0.5, 2.0, 10.0):
        ours, theirs = (bf.velocity_quality(f, PERIOD, noise=1e-5, frequency=frequency) for f in (kalman, rival))
        assert ours.noise == pytest.approx(theirs.noise, rel=1e-6)
        assert abs(ours.delay) < 0.1 * theirs.delay and abs(ours.gain - 1) < 0.02
        assert ours.omega < theirs.omega
    with pytest.raises(bf.ShapeError, match="as much noise"):
        bf.differences_as_quiet_as(MotionFilter(1, noise=1e-5, jerk=1e5), PERIOD)
    with pytest.raises(bf.ShapeError, match="half the sampling rate"):
        bf.velocity_quality(kalman, PERIOD, noise=0.0, frequency=600.0)
