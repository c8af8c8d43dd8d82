"""Recordings of a virtual robot: tracked, limited, repeatable, spoilt as the sensors say, good enough to identify from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import bifilar as bf


@dataclass(frozen=True)
class Sines:
    """Random smooth motion inside a share of the limits; what a trajectory is to `play`."""

    robot: bf.Robot
    duration: float
    seed: int = 0
    size: float = 0.4
    frequencies: tuple[float, ...] = (0.2, 0.4, 0.7)

    @property
    def joint_names(self):
        return self.robot.joint_names

    def at(self, time):
        rng, (lower, upper) = np.random.default_rng(self.seed), self.robot.limits[:2]
        w = 2 * np.pi * np.array(self.frequencies)[:, None]
        half = self.size * np.minimum((upper - lower) / 2, 2.0) / len(w)
        a, phase = half * rng.uniform(0.5, 1.0, (len(w), len(lower))), rng.uniform(0, 2 * np.pi, (len(w), len(lower)))
        x = w * np.asarray(time)[:, None, None] + phase
        nothing = np.zeros((len(x), len(lower)))
        return bf.Recording(
            joint_names=self.joint_names,
            time=time,
            position=(lower + upper) / 2 + np.sum(a * np.sin(x), axis=1),
            velocity=np.sum(a * w * np.cos(x), axis=1),
            torque=nothing,
        )


def every(robot, word, values):
    return {f"{name}.{word}": value for name, value in zip(robot.joint_names, np.broadcast_to(values, len(robot.joint_names)))}


@pytest.fixture(scope="module")
def arm():
    """A two-link arm with friction and rotors."""
    robot = bf.Robot.load("two_link")
    return robot.with_friction(
        bf.Viscous() + bf.Coulomb() + bf.RotorInertia(),
        every(robot, "viscous", [0.3, 0.1]) | every(robot, "coulomb", [0.5, 0.2]) | every(robot, "rotor_inertia", [0.05, 0.02]),
    )


@pytest.fixture(scope="module")
def motion(arm):
    return Sines(arm, duration=2.0)


@pytest.fixture(scope="module")
def clean(arm, motion):
    return bf.VirtualRobot(arm).play(motion)


def spoilt(arm, clean, seed=3, **settings):
    """What some sensors would have logged of the clean recording."""
    return bf.Sensors(**settings).read(clean.truth, arm.joint_names, arm.limits.effort, seed)


# ---- the loop


def test_perfect_sensors_log_the_truth(clean):
    for name in ("time", "position", "velocity", "torque"):
        np.testing.assert_array_equal(getattr(clean, name), getattr(clean.truth, name))
    assert len(clean) == 2001 and clean.rate == pytest.approx(1000)
    np.testing.assert_array_equal(clean.time, np.arange(2001) / 1000)


def test_the_motion_is_followed(arm, motion, clean):
    wanted = motion.at(clean.time)
    assert np.abs(clean.position - wanted.position).max() < 0.02
    wild = bf.VirtualRobot(arm, controller_model=arm.with_gravity([0, 0, 0])).play(motion)
    better = bf.VirtualRobot(arm, bandwidth=150.0).play(motion)
    errors = [np.abs(r.position - wanted.position).max() for r in (better, clean, wild)]
    assert errors == sorted(errors) and errors[2] > 3 * errors[0]


def test_it_starts_where_the_motion_starts(motion, clean):
    start = motion.at(np.zeros(1))
    np.testing.assert_array_equal(clean.position[0], start.position[0])
    np.testing.assert_array_equal(clean.velocity[0], start.velocity[0])


def test_fixed_gains_per_joint(arm, motion):
    recording = bf.VirtualRobot(arm, gains=([2000.0, 300.0], [60.0, 8.0])).play(motion)
    assert np.abs(recording.position - motion.at(recording.time).position).max() < 0.02


def test_motors_saturate_at_their_limits(arm):
    weak = bf.VirtualRobot(arm).play(Sines(arm, duration=2.0, size=1.0, frequencies=(0.5, 1.5)))
    limit = arm.limits.effort
    assert np.all(np.abs(weak.truth.torque) <= limit)
    assert np.mean(np.abs(weak.truth.torque[:, 0]) == limit[0]) > 0.05
    # Also while saturated the equations hold.
    truth, played = weak.truth, bf.VirtualRobot(arm).played
    torque = played.inverse_dynamics(truth.position, truth.velocity, truth.acceleration)
    np.testing.assert_allclose(torque, truth.torque, atol=1e-8)


def test_a_slower_recorder_sees_every_so_many_samples(arm, motion, clean):
    slow = bf.VirtualRobot(arm).play(motion, rate=250)
    np.testing.assert_array_equal(slow.position, clean.position[::4])
    np.testing.assert_array_equal(slow.truth.acceleration, clean.truth.acceleration[::4])


def test_samples_and_trajectories_are_played_alike(arm, motion, clean):
    time = np.linspace(0, 2, 401)
    states = motion.at(time)
    shifted = bf.VirtualRobot(arm).play((time + 7.0, states.position, states.velocity))
    np.testing.assert_allclose(shifted.position, clean.position, atol=1e-6)


def test_trajectories_and_their_samples_are_played(arm):
    move = bf.quintic(["joint2", "joint1"], [[0.0, 0.0], [0.8, -0.4], [0.0, 0.0]], [0.0, 0.5, 1.0])
    recording = bf.VirtualRobot(arm).play(move)
    wanted = move.at(recording.time).joints(arm.joint_names)
    assert np.abs(recording.position - wanted.position).max() < 0.03
    sampled = bf.VirtualRobot(arm).play(bf.sample(move, rate=500))
    np.testing.assert_allclose(sampled.position, recording.position, atol=1e-6)
    again = bf.VirtualRobot(arm).play(recording)  # what was recorded is a motion too
    assert np.abs(again.position - recording.position).max() < 0.03


def test_joints_are_matched_by_name(arm, motion, clean):
    class Turned:
        joint_names, duration = motion.joint_names[::-1], motion.duration

        def at(self, time):
            states = motion.at(time)
            flipped = {name: getattr(states, name)[:, ::-1] for name in ("position", "velocity", "torque")}
            return replace(states, joint_names=self.joint_names, **flipped)

    np.testing.assert_array_equal(bf.VirtualRobot(arm).play(Turned()).position, clean.position)


def test_seeds_repeat_bit_for_bit(arm):
    play = bf.VirtualRobot(arm).play
    first, again, other = (play(Sines(arm, duration=0.3), seed=s, sensors=bf.Sensors.realistic()) for s in (5, 5, 6))
    for name in ("time", "position", "velocity", "torque"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    np.testing.assert_array_equal(first.truth.acceleration, again.truth.acceleration)
    assert len(first) != len(other) or not np.array_equal(first.torque, other.torque)


def test_the_truth_holds_the_parameters(arm, clean):
    assert clean.truth.parameters["joint1.coulomb"] == 0.5
    assert clean.truth.parameters["link2.mass"] == arm.parameters()["link2.mass"]


def test_encoders_of_flexible_joints_sit_on_the_motor(arm):
    k = {"joint1": 300.0, "joint2": 100.0}
    virtual = bf.VirtualRobot(arm, stiffness=k, spring_damping={"joint1": 0.5, "joint2": 0.2})
    recording = virtual.play(Sines(arm, duration=2.0))
    truth = recording.truth
    np.testing.assert_array_equal(recording.position, truth.motor_position)
    bent = truth.motor_position - truth.position
    assert np.abs(bent).max() > 1e-3
    # What the springs carry is what the links need, rotors and friction aside.
    load = arm.with_friction(None).inverse_dynamics(truth.position, truth.velocity, truth.acceleration)
    spring = bent * [300.0, 100.0] + (truth.motor_velocity - truth.velocity) * [0.5, 0.2]
    np.testing.assert_allclose(spring, load, atol=1e-8)


# ---- the sensors


def test_encoder_counts(arm, clean):
    step = 1e-3
    error = (spoilt(arm, clean, position_step=step).position - clean.position) / step
    assert np.abs(error).max() <= 0.5
    assert error.std() == pytest.approx(1 / np.sqrt(12), rel=0.05) and abs(error.mean()) < 0.02


def test_noise_has_the_stated_deviation(arm, clean):
    log = spoilt(arm, clean, position_noise=2e-4, velocity_noise=3e-3, torque_noise=(0.1, 0.02), torque_offset=(0.5, -0.1))
    assert np.std(log.position - clean.position) == pytest.approx(2e-4, rel=0.05)
    assert np.std(log.velocity - clean.velocity) == pytest.approx(3e-3, rel=0.05)
    error = log.torque - clean.torque
    np.testing.assert_allclose(error.std(axis=0), [0.1, 0.02], rtol=0.05)
    np.testing.assert_allclose(error.mean(axis=0), [0.5, -0.1], atol=4 * 0.1 / np.sqrt(len(clean)))
    lag = np.mean(error[1:, 0] * error[:-1, 0]) - error[:, 0].mean() ** 2
    assert abs(lag) < 0.1 * 0.1**2  # white


def test_shares_of_the_limit(arm, clean):
    log = spoilt(arm, clean, torque_unit="limit", torque_noise=0.01)
    np.testing.assert_allclose(np.std(log.torque - clean.torque, axis=0), 0.01 * arm.limits.effort, rtol=0.05)


def test_torque_readings_saturate_and_have_steps(arm, clean):
    log = spoilt(arm, clean, torque_range=2.0, torque_step=0.25)
    assert np.abs(log.torque).max() == 2.0
    np.testing.assert_array_equal(log.torque % 0.25, 0.0)
    inside = np.abs(clean.torque) < 1.8
    assert np.abs(log.torque - clean.torque)[inside].max() <= 0.125 + 1e-12


@pytest.mark.parametrize("delay", [0.003, 0.0105])
def test_the_delay_can_be_found_by_correlation(arm, clean, delay):
    late = spoilt(arm, clean, delay=delay, torque_noise=0.02).torque[:, 0]
    grid = np.arange(0.0, 0.02, 0.0005)
    back = [np.interp(clean.time - d, clean.time, clean.torque[:, 0]) for d in grid]
    best = grid[int(np.argmin([np.sum((late - b)[50:] ** 2) for b in back]))]
    assert best == pytest.approx(delay, abs=0.00051)


def test_the_clock_is_unsteady_and_keeps_its_order(arm, clean):
    log = spoilt(arm, clean, clock_jitter=1e-4)
    assert np.std(log.time - clean.time) == pytest.approx(1e-4, rel=0.05)
    shaken = spoilt(arm, clean, clock_jitter=1.0)
    assert np.diff(shaken.time).min() > 0


def test_samples_are_lost(arm, clean):
    log = spoilt(arm, clean, dropped=0.1)
    lost = 1 - len(log.time) / len(clean)
    assert abs(lost - 0.1) < 4 * np.sqrt(0.09 / len(clean))
    np.testing.assert_array_equal(log.position, clean.position[log.kept])


def test_velocity_may_not_be_measured(arm):
    recording = bf.VirtualRobot(arm).play(Sines(arm, duration=0.2), sensors=bf.Sensors(velocity=False))
    assert recording.velocity is None and recording.truth.velocity is not None


def test_one_imperfection_does_not_change_another(arm, clean):
    alone, together = (spoilt(arm, clean, torque_noise=0.1, **other) for other in ({}, {"position_noise": 1e-3}))
    np.testing.assert_array_equal(alone.torque, together.torque)


# ---- recordings on disk


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_files_bring_back_every_bit(arm, motion, tmp_path, ending):
    recording = bf.VirtualRobot(arm).play(motion, rate=100, sensors=bf.Sensors.realistic())
    recording.save(tmp_path / f"log.{ending}")
    back = bf.Recording.load(tmp_path / f"log.{ending}")
    assert back.joint_names == recording.joint_names and back.sliding == recording.sliding
    for name in ("time", "position", "velocity", "torque"):
        np.testing.assert_array_equal(getattr(back, name), getattr(recording, name))
    assert (back.truth is not None) == (ending == "npz")
    if back.truth is not None:
        np.testing.assert_array_equal(back.truth.acceleration, recording.truth.acceleration)
        assert back.truth.parameters.as_dict() == recording.truth.parameters.as_dict()


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_odd_names_sliding_joints_and_gaps_survive(tmp_path, ending):
    names = ('a,"b"', "x.position [rad]", "ключ")
    rows = np.array([[np.nan, 1e-300, -0.0], [np.inf, np.pi, 5.0]])
    recording = bf.Recording(joint_names=names, sliding=names[1:2], time=[0.1, 0.3], position=rows, torque=2 * rows)
    recording.save(tmp_path / f"log.{ending}")
    back = bf.Recording.load(tmp_path / f"log.{ending}")
    assert (back.joint_names, back.sliding, back.velocity) == (names, names[1:2], None)
    np.testing.assert_array_equal(back.position, rows)


def test_parts_follow_each_other(clean):
    first, second = clean.part(stop=1.0), clean.part(1.0)
    assert len(first) + len(second) == len(clean) and second.time[0] == 1.0
    np.testing.assert_array_equal(second.truth.position, second.position)
    with pytest.raises(ValueError):
        first.position[0] = 1.0


# ---- the whole way


def differences(recording):
    """Position, velocity, acceleration and torque in the middle of every three samples.

    The torque is held between samples, so what acts around a sample is the mean of the one before and its own.
    """
    h, q, tau = 1 / recording.rate, recording.position, recording.torque
    v, a = (q[2:] - q[:-2]) / (2 * h), (q[2:] - 2 * q[1:-1] + q[:-2]) / h**2
    return q[1:-1], v, a, (tau[1:-1] + tau[:-2]) / 2


def identified(robot, recording):
    """True and identified base parameters, and the relative error of the torque."""
    base = bf.base_parameters(robot)
    q, v, a, tau = differences(recording)
    solution = bf.solve(bf.reduce(robot, (q, v, a, tau), columns=base.independent))
    error = base.model(robot, solution).inverse_dynamics(q, v, a) - tau
    return base.from_full(recording.truth.parameters), solution.values, np.linalg.norm(error) / np.linalg.norm(tau)


def test_base_parameters_are_recovered_from_a_clean_recording(arm):
    virtual = bf.VirtualRobot(arm)
    truth, found, error = identified(virtual.played, virtual.play(Sines(arm, duration=5.0, size=0.6)))
    np.testing.assert_allclose(found, truth, rtol=0.01, atol=1e-5)
    assert error < 1e-3


def test_a_panda_is_recovered_from_random_sines():
    robot = bf.Robot.load("panda")
    size = np.array([1, 1, 1, 1, 0.3, 0.3, 0.3])
    robot = robot.with_friction(
        bf.Viscous() + bf.Coulomb() + bf.RotorInertia(),
        every(robot, "viscous", 2 * size) | every(robot, "coulomb", 2 * size) | every(robot, "rotor_inertia", 0.2 * size),
    )
    virtual = bf.VirtualRobot(robot)
    truth, found, error = identified(virtual.played, virtual.play(Sines(robot, duration=6.0, size=0.7)))
    assert np.linalg.norm(found - truth) < 0.01 * np.linalg.norm(truth)
    np.testing.assert_allclose(found, truth, rtol=0.05, atol=0.01)  # [kg m^2], [kg m], [N m]: the small ones hardly act
    assert error < 1e-3
