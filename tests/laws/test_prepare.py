"""Laws of preparation: what a recipe promises holds for any frequency, clock and hole."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import RecordingError
from bifilar.recording.channel import Channel
from bifilar.recording.check import example
from bifilar.recording.recipes import Recipe
from bifilar.recording.wraps import continued, whole_turns

TIME = np.arange(20_000) / 1000


def swing(position, torque, time=TIME):
    return bf.Recording(joint_names=("joint1",), time=time, position=position[:, None], torque=torque[:, None])


def size(x):
    return float(np.sqrt(2 * np.mean(x**2)))


@pytest.mark.parametrize("recipe", ["plain", "default", "gautier", "smoother", "recorded"])
@pytest.mark.parametrize("columns", [True, False])
@pytest.mark.parametrize("share", [0.5, 1.0, 1.3])
def test_torque_and_motion_keep_the_same_share_of_a_wave(recipe, columns, share):
    """A torque that is the position: whatever the filter leaves of one it must leave of the other."""
    w = 2 * np.pi * 8.0 * share
    wave = np.sin(w * TIME)
    log = swing(wave, wave).with_channel("velocity", w * np.cos(w * TIME)[:, None])
    samples = bf.prepare(log, recipe, cutoff=8.0, slow=0.0, filter_columns=columns, decimate=7)
    wide = 1 / (1 + (share / 2) ** 8) if columns and recipe in ("default", "gautier") else 1.0  # the motion's own filter
    assert size(samples.position) == pytest.approx(wide * size(samples.torque), rel=0.05)
    assert size(samples.acceleration) == pytest.approx(w**2 * size(samples.position), rel=0.02)


@pytest.mark.parametrize("recipe", ["default", "plain", "gautier", "smoother", "recorded"])
@pytest.mark.parametrize("hum", [99.0, 104.0, 203.0])
def test_a_slower_clock_folds_nothing_into_the_motion(recipe, hum):
    slow, fast = np.sin(3 * TIME), np.sin(2 * np.pi * hum * TIME)
    log = swing(slow, np.cos(3 * TIME) + fast).with_channel("velocity", (3 * np.cos(3 * TIME) + fast)[:, None])
    samples = bf.prepare(log, recipe, rate=100.0, cutoff=8.0, slow=0.0)
    np.testing.assert_allclose(samples.torque[:, 0], np.cos(3 * samples.time), atol=0.01)
    np.testing.assert_allclose(samples.velocity[:, 0], 3 * np.cos(3 * samples.time), atol=0.03)


def test_a_slower_clock_folds_nothing_into_averaged_periods():
    motion = bf.Fourier(joint_names=["joint1"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]], periods=10)
    log = swing(motion.at(TIME).position[:, 0], np.sin(2 * np.pi * 99 * TIME))
    samples = bf.prepare(log, motion=motion, rate=100.0, cutoff=8.0, slow=0.0)
    assert np.abs(samples.torque).max() < 1e-3


def own_torque(time, torque):
    position = Channel(np.sin(TIME)[:, None], ("joint1",), ("rad",))
    torque = Channel(torque[:, None], ("joint1",), ("N m",), time=time)
    return bf.Recording(joint_names=("joint1",), time=TIME, channels={"position": position, "torque": torque})


def test_a_hole_in_the_stamps_of_a_torque_is_a_hole():
    own = TIME[(TIME < 8) | (TIME > 14)] + 2e-4
    log = own_torque(own, np.cos(3 * own))
    samples = bf.prepare(log, cutoff=8.0, slow=0.0)
    assert len(samples.fine) == 2 and not np.any((samples.time > 8) & (samples.time < 14))
    np.testing.assert_allclose(samples.torque[:, 0], np.cos(3 * samples.time), atol=0.02)
    assert log.check().codes == ("gap",)


def test_stamps_of_a_torque_that_go_back_are_refused_and_found():
    own = np.where(TIME < 10, TIME, TIME - 3)
    log = own_torque(own, np.cos(TIME))
    with pytest.raises(RecordingError, match="the clock of torque goes back"):
        bf.prepare(log)
    assert "back" in log.check().codes and "missing" not in log.check().codes


def test_a_torque_that_is_sampled_faster_folds_nothing():
    own = np.arange(0, 20, 1e-4)
    log = own_torque(own, np.cos(3 * own) + np.sin(2 * np.pi * 1003 * own))
    samples = bf.prepare(log, cutoff=8.0, slow=0.0)
    np.testing.assert_allclose(samples.torque[:, 0], np.cos(3 * samples.time), atol=0.01)


def test_a_check_with_stamps_of_its_own_says_what_one_clock_says():
    recording, robot = example()
    torque = recording.channels["torque"]
    for sign, said in ((1, ()), (-1, ("sign_all",))):
        own = Channel(sign * torque.values, torque.columns, torque.units, time=recording.time + 1e-5)
        assert recording.with_channel("torque", own).check(robot).alarms.codes == said


def test_a_velocity_that_is_missing_somewhere_costs_those_rows_only():
    recording, _ = example()
    velocity = recording.velocity.copy()
    velocity[1000] = np.nan
    samples = bf.prepare(recording.with_channel("velocity", velocity), "recorded")
    assert any("left out 1 sample without a number" in said for said in samples.history)
    assert abs(len(samples) - len(bf.prepare(recording, "recorded"))) <= 1


@pytest.mark.parametrize("cutoff", [1e-9, 1e-6, 1e-3])
def test_a_cutoff_far_below_the_recording_is_refused_before_anything_is_allocated(cutoff):
    recording, _ = example()
    with pytest.raises(RecordingError, match="is long enough"):
        bf.prepare(recording, cutoff=cutoff)


@pytest.mark.parametrize(
    "wrong", [{"order": 0}, {"order": 10**9}, {"torque_span": 4}, {"acceleration_span": 0}, {"harmonics": -5}]
)
def test_settings_that_cannot_be_are_refused_where_they_are_made(wrong):
    with pytest.raises(RecordingError, match=next(iter(wrong))):
        Recipe(**wrong)


@pytest.mark.parametrize("speed", [0.01, 0.2, 0.6, 1.5, 2.5])
def test_check_and_prepare_agree_about_wraps(speed):
    """A wheel of any speed below half a turn per sample, counted modulo a turn."""
    k = np.arange(2000)
    true = speed * k + 0.3 * np.sin(k / 50)
    wrapped = np.mod(true, 2 * np.pi)[:, None]
    np.testing.assert_allclose(np.diff(continued(wrapped, whole_turns(wrapped))[:, 0]), np.diff(true), atol=1e-9)
    log = swing(wrapped[:, 0], np.sin(k), time=k / 10)
    assert log.check().codes == ("wrap",)
    assert "took out whole turns" in bf.prepare(log, cutoff=1.0).history[0]


def test_steps_that_are_large_all_the_time_are_no_wraps():
    k = np.arange(3000)
    motor = 100 * 2 * np.sin(k / 15)[:, None]  # up to two turns per sample
    np.testing.assert_allclose(continued(motor, whole_turns(motor)), motor)


def test_an_angle_that_rests_at_the_border_does_not_jump():
    noise = 0.01 * np.random.default_rng(0).standard_normal((500, 1))
    wrapped = np.mod(noise, 2 * np.pi)
    np.testing.assert_allclose(np.ptp(continued(wrapped, whole_turns(wrapped))), np.ptp(noise), atol=1e-9)


def test_a_method_that_was_asked_for_is_kept_beside_a_motion():
    motion = bf.Fourier(joint_names=["joint1"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]], periods=10)
    log = swing(motion.at(TIME).position[:, 0], np.cos(TIME))
    assert "Kalman" in " ".join(bf.prepare(log, motion=motion, method="smoother", cutoff=5.0).history)
    assert "Fourier" in " ".join(bf.prepare(log, motion=motion).history)


SLOW = 0.03 * np.arange(400)  # [s] the clock of Wang et al. 2018


def averaged(position, torque):
    samples = bf.prepare(swing(position, torque, SLOW), "wang2018", rate=1 / 0.03)
    np.testing.assert_allclose(np.diff(samples.time), 0.03, rtol=1e-9)
    inner = slice(5, -5)  # averages over fewer samples near the ends
    return samples.time[inner], samples.acceleration[inner, 0], samples.torque[inner, 0]


def test_moving_averages_of_wang2018_leave_constants_and_ramps_alone():
    """A symmetric mean of a line is its middle; two central differences of a cubic are exact."""
    time, acceleration, torque = averaged(0.3 - 0.2 * SLOW + 0.05 * SLOW**2, np.full(len(SLOW), 4.2))
    np.testing.assert_allclose(acceleration, 0.1, atol=1e-9)
    np.testing.assert_allclose(torque, 4.2, rtol=1e-12)
    time, acceleration, torque = averaged(0.001 * SLOW**3, 1.5 - 0.7 * SLOW)
    np.testing.assert_allclose(acceleration, 0.006 * time, atol=1e-9)
    np.testing.assert_allclose(torque, 1.5 - 0.7 * time, atol=1e-9)


@pytest.mark.parametrize("per_period", [200, 40, 12, 9, 5])
def test_moving_averages_of_wang2018_damp_a_wave_by_the_dirichlet_kernel(per_period):
    """9 torques: none is left of a period of 9 samples. 5 accelerations after two differences: none of a period of 5."""
    angle = 2 * np.pi / per_period  # between samples
    w = angle / 0.03

    def kernel(span):
        return np.sin(span * angle / 2) / (span * np.sin(angle / 2))

    wave = np.sin(w * SLOW + 0.4)
    time, acceleration, torque = averaged(wave, wave)
    here = np.sin(w * time + 0.4)
    np.testing.assert_allclose(torque, kernel(9) * here, atol=1e-9)
    np.testing.assert_allclose(acceleration / w**2, -(np.sinc(angle / np.pi) ** 2) * kernel(5) * here, atol=1e-9)
