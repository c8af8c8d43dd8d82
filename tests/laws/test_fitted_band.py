"""What is judged is prepared in the band that was fitted: figures of two recordings can be compared only there."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.recording.recipes import recipe_of

ROBOT = bf.Robot.load("two_link").with_friction(bf.Viscous(), {"joint1.viscous": 0.3, "joint2.viscous": 0.2})


def swing(seed: int, *, noise: float, speed: float = 1.0, seconds: float = 20.0) -> bf.Recording:
    rng, t = np.random.default_rng(seed), np.arange(0, seconds, 0.004)[:, None, None]
    size, rate, phase = rng.uniform(0.3, 0.6, (2, 3)), speed * rng.uniform(1, 4, (2, 3)), rng.uniform(0, 6, (2, 3))
    q, v = (size * np.sin(rate * t + phase)).sum(-1), (size * rate * np.cos(rate * t + phase)).sum(-1)
    a = -(size * rate**2 * np.sin(rate * t + phase)).sum(-1)
    torque = ROBOT.inverse_dynamics(q, v, a) + 0.2 * rng.normal(size=q.shape)
    position = q + noise * rng.normal(size=q.shape)
    return bf.Recording(joint_names=ROBOT.joint_names, time=t[:, 0, 0], position=position, torque=torque)


@pytest.mark.parametrize("noise", [1e-7, 1e-5, 1e-3])
def test_the_noise_of_a_test_does_not_choose_its_band(noise):
    fitted = swing(0, noise=1e-5)
    estimate = bf.LeastSquares().fit(ROBOT, fitted)
    band = bf.prepare(fitted).cutoff
    assert bf.prepare(swing(1, noise=noise), estimate.recipe, robot=ROBOT).cutoff == pytest.approx(band)


def test_a_motion_that_is_faster_keeps_what_it_holds():
    estimate = bf.LeastSquares().fit(ROBOT, swing(0, noise=1e-3))
    slow = bf.prepare(swing(0, noise=1e-3)).cutoff
    fast = bf.prepare(swing(1, noise=1e-3, speed=12.0), estimate.recipe, robot=ROBOT)
    own = bf.prepare(swing(1, noise=1e-3, speed=12.0))
    assert slow < fast.cutoff <= own.cutoff * (1 + 1e-9) and "this motion is faster" in " ".join(fast.history)


def test_fitted_samples_are_scored_as_they_were_fitted():
    """On the recording that was fitted, the score in the fit's band is the residual of the fit."""
    fitted = swing(2, noise=1e-5)
    estimate = bf.LeastSquares(weights="equal").fit(ROBOT, fitted)
    again, own = estimate.score(fitted), estimate.score(bf.prepare(fitted, robot=ROBOT))
    assert again.relative == pytest.approx(own.relative, rel=1e-12) and again.rows == own.rows


def test_a_cut_off_that_was_asked_for_stays():
    estimate = bf.LeastSquares().fit(ROBOT, swing(0, noise=1e-5), recipe=recipe_of("default", cutoff=6.0))
    assert bf.prepare(swing(1, noise=1e-3, speed=12.0), estimate.recipe, robot=ROBOT).cutoff == 6.0


def test_the_band_is_remembered_on_disk(tmp_path):
    estimate = bf.LeastSquares().fit(ROBOT, swing(0, noise=1e-5))
    bf.save_estimate(estimate, tmp_path)
    assert bf.load_estimate(tmp_path).recipe == estimate.recipe
