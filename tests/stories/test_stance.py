"""Walkers on one foot: parameters from encoders, torques and a noisy absolute angle (Tables 3.2 and 3.3 of Dolinsky 2017)."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.papers.dolinsky_distance import distance_errors, measured
from bifilar.papers.dolinsky_leg import METHODS, experiment, fitted, leg, leg_errors
from bifilar.papers.dolinsky_step import CASES, PERIOD, one_step, run_errors
from bifilar.walking.joint_filter import JointFilter, _rate
from bifilar.walking.planar import Planar
from bifilar.walking.sensors import DistanceMeter
from bifilar.walking.stance import Derivatives, StanceLog
from bifilar.walking.stance_likelihood import StanceLikelihood
from bifilar.walking.stance_rows import fit_recursive, fit_rows, stance_rows
from bifilar.walking.stance_sensors import StanceSensor, angle_from_felt


def test_exact_motion_gives_exact_parameters() -> None:
    step = one_step()
    planar = Planar.of(step.pinned)
    rates = planar.rates(step.states, step.torque)
    joint = np.asarray(planar.joint).T
    motion = Derivatives(step.position, step.states[:, 3:] @ joint, rates[:, 3:] @ joint, step.torque)
    rows, right = stance_rows(step.pinned, step.base, motion, np.ones(3))
    theta = np.linalg.lstsq(rows.reshape(-1, 6), right.ravel(), rcond=None)[0]
    np.testing.assert_allclose(theta, step.truth, rtol=1e-9)
    assert np.abs(right[:, 0]).max() == 0.0  # nothing drives the pivot


def test_recursive_is_batch_where_the_start_says_nothing() -> None:
    step = one_step()
    log = step.measured(1e-10, np.random.default_rng(0))
    batch = fit_rows(step.pinned, log, base=step.base, span=2, row_noise=0.05)
    far = np.diag(np.full(6, 1e4) ** 2)
    again = fit_recursive(step.pinned, log, base=step.base, start=np.zeros(6), covariance=far, span=2, row_noise=0.05)
    np.testing.assert_allclose(again, batch, rtol=1e-4)


def test_filter_of_state_and_parameters_knows_its_slopes() -> None:
    step = one_step()
    joint = np.asarray(Planar.of(step.pinned).joint)
    mean = np.concatenate([step.position[5], joint @ step.states[5, 3:], 1.1 * step.truth])

    def rate(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        model = step.base.model(step.pinned, z[6:])
        return _rate(model, step.base, Planar.of(model), joint, np.linalg.inv(joint), z, step.torque[5])  # type: ignore[arg-type]

    slopes = rate(mean)[1]
    for k in range(len(mean)):
        h = 1e-6 * max(abs(mean[k]), 1.0) * np.eye(len(mean))[k]
        by = (rate(mean + h)[0] - rate(mean - h)[0]) / (2 * h[k])
        np.testing.assert_allclose(slopes[:, k], by, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("case", [1, 2, 3, 4])
def test_noise_of_six_decades_hardly_matters(case: int) -> None:
    """The full table: bifilar reproduce dolinsky2017."""
    runs = [run_errors(CASES[case], seed, ("ML", "WLS")) for seed in (1, 2)]
    ml, wls = (np.array([run[name] for run in runs]) for name in ("ML", "WLS"))
    assert np.isfinite(ml).all() and ml.max() < 1.0
    assert np.all(~np.isfinite(wls) | (ml <= 0.25 * wls))


def test_error_bars_hold() -> None:
    step, misses = one_step(), []
    for seed in range(12):
        log = step.measured(1e-4, np.random.default_rng(1000 + seed))
        found = StanceLikelihood(row_noise=0.05).fit(step.pinned, log, base=step.base, motion=[step.position])
        misses.append((found.values - step.truth) / found.deviations)
    assert 0.6 < np.sqrt(np.mean(np.square(misses))) < 1.4


def test_a_joint_filter_ends_near_the_truth_or_says_it_is_lost() -> None:
    step = one_step()
    log = step.measured(1e-6, np.random.default_rng(3))
    velocity = np.asarray(Planar.of(step.pinned).joint) @ step.states[0, 3:]
    near = JointFilter(theta=1.1 * step.truth, theta_deviation=0.1 * step.truth)
    theta = near.fit(step.pinned, log, base=step.base, velocity=velocity)
    assert theta is not None and np.abs(theta / step.truth - 1).max() < 0.12
    spoilt = JointFilter(theta=-50 * step.truth, theta_deviation=10 * np.abs(step.truth))
    assert spoilt.fit(step.pinned, log, base=step.base, velocity=1e3 * velocity) is None


def test_letters() -> None:
    step = one_step()
    log = step.measured(1e-4, np.random.default_rng(0))
    with pytest.raises(bf.RecordingError, match="position is not finite in sample 3"):
        StanceLog(**{**log.__dict__, "position": np.where(np.arange(69)[:, None] == 3, np.nan, log.position)})
    with pytest.raises(bf.RecordingError, match="has no such difference"):
        log.differences(30)
    blind = StanceLog(**{**log.__dict__, "position_noise": np.array([np.inf, 1e-7, 1e-7])})
    with pytest.raises(bf.SolveError, match="'pivot' has no encoder"):
        StanceLikelihood().fit(step.pinned, blind, base=step.base)
    still = StanceLog(
        position=np.zeros((69, 3)), torque=log.torque, period=PERIOD, position_noise=1e-3, torque_noise=[0, 0.3, 0.3]
    )
    with pytest.raises(bf.SolveError, match="have no effect"):
        fit_rows(step.pinned, still, base=step.base)


def test_a_leg_without_encoder_at_its_pivot() -> None:
    """Table 3.5; ten data sets: bifilar reproduce dolinsky2017."""
    errors = {name: np.array([leg_errors(fitted(name, experiment(seed)), 999)[:2] for seed in (3, 4)]) for name in METHODS}
    assert np.all(errors["ML"] < 0.05 * errors["WLS-IMU"])
    assert np.all(errors["ML"] < 0.05 * errors["WLS-Hall"])


def test_an_accelerometer_shows_the_absolute_angle() -> None:
    own, rng = leg(), np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 20, 2))
    felt = StanceSensor(own.walker, own.felt).sensed(q, v, a).value
    elsewhere = np.column_stack([rng.normal(size=20), q[:, 1]])  # the pivot's own angle does not enter
    angle = angle_from_felt(own.walker, own.felt, felt, elsewhere, v, a)
    np.testing.assert_allclose(np.exp(1j * angle), np.exp(1j * q[:, 0]), atol=1e-9)


def test_sensors_of_a_stance_know_their_slopes() -> None:
    own, rng = leg(), np.random.default_rng(1)
    motion = rng.normal(size=(3, 4, 2))
    for sensor in (own.felt, own.turn, DistanceMeter("leg_1", (0.0, -0.1), beam=0.3)):
        on_leg = StanceSensor(own.walker, sensor)
        slopes = on_leg.sensed(*(0.3 * motion))[1:]
        for which in range(3):
            for joint in range(2):
                h = np.zeros((3, 1, 2))
                h[which, 0, joint] = 1e-6
                both = (on_leg.sensed(*(0.3 * motion + sign * h)).value for sign in (1, -1))
                by = np.subtract(*both) / 2e-6
                np.testing.assert_allclose(slopes[which][:, :, joint], by, atol=1e-7)


def test_a_distance_meter_in_place_of_the_angle() -> None:
    _, angle = measured(0)
    assert np.std(angle - one_step().position[:, 0]) < 0.002
    errors = [distance_errors(seed) for seed in (0, 1)]
    assert all(error["ML"] < 0.05 * error["WLS"] for error in errors)
