"""Laws of the cut-off: noise is no motion, motion is, however slow, and joints that stand still have no say."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.filters.spectrum import lift_of_noise, spectrum
from bifilar.recording.cutoff import find_cutoff

MOST = 0.01  # of the draws of noise may count as motion


def noise_of(kind, shape, rng):
    """Independent numbers of any size; as an encoder counts them; seldom more than one count."""
    x = 10 ** rng.uniform(-8, 2) * rng.standard_normal(shape)
    count = {"white": 0.0, "counts": 1.0, "seldom": 3.0}[kind] * x.std()
    return np.round(x / count + rng.uniform(-0.5, 0.5, shape[1])) * count if count else x


def swings(time, rng):
    """Four joints on sums of slow sines."""
    angle = 2 * np.pi * np.array([0.1, 0.2, 0.3, 0.4]) * time[:, None, None] + rng.uniform(0, 6.28, (4, 4))
    return (0.2 * rng.standard_normal((4, 4)) * np.sin(angle)).sum(axis=2)


@pytest.mark.parametrize("samples", [66, 201, 2002, 20_000])
def test_the_lift_of_noise_is_what_spectra_of_noise_show(samples):
    x = np.random.default_rng(samples).standard_normal((samples, 200))
    shown = spectrum(x, rate=2.0)[1].mean(axis=1)  # the density of such noise is 1 at this rate
    np.testing.assert_allclose(shown[:30], lift_of_noise(samples)[:30], rtol=0.4)
    assert abs(np.mean(shown / lift_of_noise(samples)) - 1) < 0.05


@pytest.mark.parametrize("kind", ["white", "counts", "seldom"])
def test_white_noise_does_not_move(kind):
    rng = np.random.default_rng(7)
    moved = []
    for rate in (100.0, 500.0, 5000.0):
        for seconds in (2, 15, 60):
            samples = int(rate * seconds)
            found = find_cutoff(noise_of(kind, (samples, int(np.clip(4e5 / samples, 4, 60))), rng), rate=rate)
            moved.extend(np.isfinite(found.motion))
    assert len(moved) > 200 and np.mean(moved) <= MOST


@pytest.mark.parametrize("rate", [100.0, 1000.0])
@pytest.mark.parametrize("seconds", [4, 60])
@pytest.mark.parametrize("periods", [0.5, 1.0, 4.0])
def test_a_slow_motion_moves(rate, seconds, periods):
    """A drift of half a period over the whole recording, too, if it is a hundred times the noise."""
    time = np.arange(int(rate * seconds)) / rate
    slow = 1e-3 * np.cos(2 * np.pi * periods * time / seconds)
    found = find_cutoff((slow + 1e-5 * np.random.default_rng(1).standard_normal(len(time)))[:, None], rate=rate)
    assert found.motion[0] < 20 / seconds and found.value < 0.2 * rate


@pytest.mark.parametrize("speed", [0.02, 0.5, 10.0])
def test_a_steady_speed_moves_and_its_gravity_is_kept(speed):
    """The second differences of a spectrum do not see it. Torque comes and goes once in a turn."""
    time = np.arange(20_000) / 1000
    found = find_cutoff((speed * time + 1e-5 * np.random.default_rng(1).standard_normal(len(time)))[:, None], rate=1000.0)
    assert np.isfinite(found.motion[0]) and 5 * speed / (2 * np.pi) * 0.999 < found.value < max(5.0, 15 * speed / (2 * np.pi))


@pytest.mark.parametrize("seconds", [5, 60])
def test_an_encoder_that_goes_to_its_next_count_stands_still(seconds):
    """Once, for good, or from time to time: that is no noise that is white."""
    time = np.arange(100 * seconds) / 100
    counts = 1e-4 * np.column_stack([time > seconds / 2, np.sin(2 * np.pi * time / 4) > 0, np.abs(time - 3) < 1])
    assert np.isnan(find_cutoff(counts, rate=100.0).motion).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rate", [200.0, 1000.0])
def test_joints_that_stand_still_have_no_say(seed, rate):
    """Noise of encoders, a joint that is held and trembles a little with the others, one that reads nothing but a number."""
    rng = np.random.default_rng(seed)
    time = np.arange(int(15 * rate)) / rate
    moving = swings(time, rng) + 2e-5 * rng.standard_normal((len(time), 4))
    still = 2e-5 * rng.standard_normal((len(time), 5))
    still[:, 3] += 2e-5 * np.sin(2 * np.pi * 0.1 * rate * time)
    still[:, 4] = 0.7
    alone, together = find_cutoff(moving, rate=rate), find_cutoff(np.hstack([moving, still]), rate=rate)
    assert together.value == alone.value < 12.0
    assert np.isfinite(together.motion[:4]).all() and np.isnan(together.motion[4:]).all()


@pytest.mark.parametrize("seed", range(3))
def test_joints_that_stand_still_are_masked_all_alike(seed):
    rng = np.random.default_rng(seed)
    time = np.arange(7500) / 500
    position = np.hstack([swings(time, rng), np.zeros((len(time), 4))]) + 2e-5 * rng.standard_normal((len(time), 8))
    names = [f"joint{k + 1}" for k in range(8)]
    samples = bf.prepare(bf.Recording(joint_names=names, time=time, position=position, torque=position))
    assert samples.mask[:, :4].mean() > 0.9 and not samples.mask[:, 4:].any()
