"""A loop that reads its own encoders: what the log holds explains the torque, and noise goes where theory says."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.simulate.reference import reference

PERIOD, CUTOFF, BANDWIDTH = 1e-3, 500.0, 50.0
NOISE = bf.Sensors(position_noise=2e-5)
COUNTS = bf.Sensors(position_step=2 * np.pi / 2**14)


def swing(robot, duration=1.0, size=0.3):
    """A slow sine of every joint around the middle of its limits."""
    time = np.arange(0, duration + 1e-9, 0.002)
    middle, w = (robot.limits.lower + robot.limits.upper) / 2, 2 * np.pi * 0.7
    ones = np.ones(len(middle))
    return time, middle + size * np.sin(w * time)[:, None] * ones, size * w * np.cos(w * time)[:, None] * ones


@pytest.fixture(scope="module")
def arm():
    robot = bf.Robot.load("two_link")
    terms = bf.Viscous() + bf.Coulomb() + bf.RotorInertia()
    return robot.with_friction(terms, {"joint1.viscous": 0.3, "joint1.coulomb": 0.3, "joint2.rotor_inertia": 0.02})


@pytest.fixture(scope="module")
def pendulum():
    return bf.Robot.load("pendulum").with_friction(bf.Viscous(), {"joint1.viscous": 0.1})


def play(robot, feedback="measured", sensors=NOISE, seed=1, **settings):
    rates = {name: settings.pop(name) for name in ("rate", "control_rate") if name in settings}
    duration = settings.pop("duration", 1.0)
    return bf.VirtualRobot(robot, feedback=feedback, **settings).play(
        swing(robot, duration), sensors=sensors, seed=seed, **rates
    )


def loop(robot, log):
    """The torque that the loop's formula asks for, from the logged positions alone."""
    at = reference(robot, swing(robot), 1 / PERIOD)
    assert len(at.time) == len(log)
    a = np.exp(-CUTOFF * PERIOD)
    speed = np.empty_like(at.velocity)
    speed[0] = at.velocity[0]
    for k in range(1, len(speed)):
        speed[k] = a * speed[k - 1] + (1 - a) * (log.position[k] - log.position[k - 1]) / PERIOD
    inertia = robot.mass_matrix(at.position)
    pull = BANDWIDTH**2 * (at.position - log.position) + 2 * BANDWIDTH * (at.velocity - speed)
    return robot.gravity_torque(at.position) + np.einsum("nij,nj->ni", inertia, pull)


@pytest.mark.parametrize("sensors", [NOISE, COUNTS, bf.Sensors.perfect()], ids=["noise", "counts", "perfect"])
def test_the_log_explains_the_torque(arm, sensors):
    log = play(arm, sensors=sensors)
    np.testing.assert_allclose(log.truth.torque, loop(arm, log), rtol=1e-9, atol=1e-9)


def test_the_log_holds_what_the_loop_read_whatever_its_rate(arm):
    fast, slow = (play(arm, rate=rate, sensors=bf.Sensors(position_noise=1e-4, position_step=1e-3)) for rate in (1000, 250))
    np.testing.assert_array_equal(slow.position, fast.position[::4])
    np.testing.assert_array_equal(slow.truth.position, fast.truth.position[::4])
    np.testing.assert_allclose(fast.position / 1e-3, np.round(fast.position / 1e-3), atol=1e-9)


@pytest.mark.parametrize("cutoff", [250.0, 500.0, 2000.0])
def test_with_perfect_sensors_only_the_filter_s_lag_is_left(arm, cutoff):
    true, measured = (play(arm, way, bf.Sensors.perfect(), velocity_cutoff=cutoff) for way in ("true", "measured"))
    lag = 1 / cutoff + PERIOD / 2
    shift = 2 / BANDWIDTH * lag * np.abs(true.truth.acceleration).max()  # Kp^-1 Kd times the error of the velocity
    apart = np.abs(true.position - measured.position).max()
    assert 0 < apart < 1.5 * shift
    np.testing.assert_array_equal(measured.position, measured.truth.position)


def test_seeds_repeat_bit_for_bit(arm):
    first, again, other = (play(arm, sensors=bf.Sensors.realistic(), seed=seed) for seed in (5, 5, 6))
    for name in ("time", "position", "velocity", "torque"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    np.testing.assert_array_equal(first.truth.position, again.truth.position)
    assert not np.array_equal(first.truth.torque[:500], other.truth.torque[:500])


def test_noise_of_the_encoders_reaches_the_torque_only_through_the_loop(pendulum):
    """Correlation of the position's error with the torque: none in an open log, nearly -1 through the loop's gains."""
    quiet = {way: play(pendulum, way, bf.Sensors.perfect(), duration=4.0) for way in ("true", "measured")}
    found = {}
    for way, without in quiet.items():
        log = play(pendulum, way, duration=4.0)
        error, torque = log.position - log.truth.position, log.truth.torque - without.truth.torque
        found[way] = 0.0 if not torque.any() else float(np.corrcoef(error[:, 0], torque[:, 0])[0, 1])
        assert np.std(error) == pytest.approx(2e-5, rel=0.05)
    assert found["true"] == 0.0  # the very same motion
    assert found["measured"] < -0.5  # N = 4001: chance is below 0.06


def test_the_spectrum_of_the_torque_is_the_controller_s(pendulum):
    """Far above the loop's bandwidth the plant no longer answers: torque = -(Kp + Kd D) noise, D the filtered difference."""
    quiet, log = (play(pendulum, sensors=sensors, duration=8.0) for sensors in (bf.Sensors.perfect(), NOISE))
    torque = (log.truth.torque - quiet.truth.torque)[:8000, 0]
    inertia = float(pendulum.mass_matrix([0.0])[0, 0])
    z = np.exp(-2j * np.pi * np.fft.rfftfreq(8000))
    a = np.exp(-CUTOFF * PERIOD)
    difference = (1 - a) * (1 - z) / PERIOD / (1 - a * z)
    gain = np.abs(inertia * (BANDWIDTH**2 + 2 * BANDWIDTH * difference)) ** 2
    power = np.abs(np.fft.rfft(torque * np.hanning(8000))) ** 2 / np.sum(np.hanning(8000) ** 2) / 2e-5**2
    for first, last in ((800, 1600), (1600, 3000), (3000, 4000)):  # 100 Hz and above
        assert power[first:last].mean() == pytest.approx(gain[first:last].mean(), rel=0.25)


@pytest.mark.parametrize("name", ["panda", "ur10e", "kuka_lwr4"])
def test_realistic_sensors_in_the_loop_are_followed(name):
    robot = bf.Robot.load(name)
    log = play(robot, sensors=bf.Sensors.realistic(), duration=0.3)
    kept = log.truth.position
    time, q, v = swing(robot, 0.3)
    wanted = np.column_stack([np.interp(log.truth.time, time, column) for column in q.T])
    assert np.abs(kept - wanted).max() < 0.1


def test_encoders_of_flexible_joints_sit_on_the_motor(arm):
    robot = arm.with_parameters({"joint1.rotor_inertia": 0.05})
    log = play(robot, sensors=NOISE, stiffness={"joint1": 3000.0, "joint2": 1000.0})
    assert np.std(log.position - log.truth.motor_position) == pytest.approx(2e-5, rel=0.05)
    assert np.abs(log.truth.motor_position - log.truth.position).max() > 1e-4
