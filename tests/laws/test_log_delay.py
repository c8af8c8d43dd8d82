"""Torque that was logged late: moved exactly, found in simulation, left alone where it is in time, kept with the estimate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from clean_recordings import SLIP, machine, motion, within_reach
from hypothesis import given, settings
from hypothesis import strategies as st

import bifilar as bf
from bifilar.estimate.log_reading import decided
from bifilar.recording.log_delay import declared_delay, stream_without_delay, without_delay
from bifilar.recording.recipes import Recipe


def late(recording, seconds):
    """The same log with its torque so much late."""
    torque = [np.interp(recording.time - seconds, recording.time, column) for column in recording.torque.T]
    return recording.with_channel("torque", np.column_stack(torque))


@given(st.floats(-0.3, 0.3), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_a_polynomial_is_moved_exactly(delay, seed):
    draw = np.random.default_rng(seed)
    time = np.cumsum(draw.uniform(0.01, 0.02, 200))
    powers = draw.normal(size=(2, 4))
    torque = np.column_stack([np.polynomial.polynomial.polyval(time, p) for p in powers])
    recording = bf.Recording(joint_names=("a", "b"), time=time, position=torque, torque=torque)
    moved = without_delay(recording, delay)
    there = ~np.isnan(moved.torque).any(axis=1)
    wanted = np.column_stack([np.polynomial.polynomial.polyval(time + delay, p) for p in powers])
    inside = (time + delay > time[0] + 1e-9) & (time + delay < time[-1] - 1e-9)
    assert np.array_equal(there & inside, inside) and np.array_equal(there, moved.mask)
    assert np.allclose(moved.torque[inside], wanted[inside], rtol=1e-9, atol=1e-9)
    assert declared_delay(moved) == delay and np.array_equal(moved.position, recording.position)


@pytest.mark.parametrize("delay", [-0.07, 0.0, 0.013])
def test_pieces_are_moved_as_the_whole_is(delay):
    time = np.arange(300) / 100
    values = np.random.default_rng(0).normal(size=(300, 1))
    whole = bf.Recording(joint_names=("a",), time=time, position=values, torque=values)
    pieces = list(stream_without_delay([whole.part(None, 1.0), whole.part(1.0, 2.0), whole.part(2.0)], delay))
    assert np.array_equal(np.concatenate([p.torque for p in pieces]), without_delay(whole, delay).torque, equal_nan=True)
    assert np.array_equal(np.concatenate([p.mask for p in pieces]), without_delay(whole, delay).mask)


def simulated(name, seed, *, stribeck=False, stiffness=0.0):
    """Twelve seconds of a machine unlike its nominal model, on a MuJoCo plant with friction, and its torque in time."""
    draw = np.random.default_rng(seed)
    robot = bf.Robot.load(name)
    real = machine(robot, draw)
    if stribeck:
        values = dict(zip(real.drive_columns.names, real.drive_values))
        values |= {f"{joint}.stribeck": 0.01 * limit for joint, limit in zip(real.joint_names, real.limits.effort)}
        real = real.with_friction(bf.Viscous() + bf.Coulomb() + bf.RotorInertia() + bf.Stribeck(speed=0.15), values)
    wanted = within_reach(real, motion(robot, draw, 12.0))
    springs = {joint: stiffness * limit for joint, limit in zip(real.joint_names, real.limits.effort)} if stiffness else {}
    sensors = replace(bf.Sensors.realistic(), delay=0.0)
    plant = bf.VirtualRobot(real, slip=SLIP, bandwidth=30.0, stiffness=springs)
    return plant.play(wanted, rate=500.0, control_rate=1000.0, seed=seed, sensors=sensors), robot


@pytest.fixture(scope="module", params=[("panda", 1), ("ur10e", 1), ("kuka_lwr4", 1)], ids=lambda p: p[0])
def machine_log(request):
    return simulated(*request.param, stribeck=True)


@pytest.mark.parametrize("seconds", [0.005, 0.03])
def test_a_delay_is_found(machine_log, seconds):
    recording, robot = machine_log
    reading = decided(robot, late(recording, seconds), "default")
    choice = reading.tables["delay"]
    assert choice.code == "delay.compensated" and not choice.failed
    assert choice.found == pytest.approx(seconds, abs=1.2e-3) == reading.recipe.delay
    assert len(choice.blocks) == 12 and len(choice.joints) == len(robot.joint_names) and choice.deviation < 1e-3


def test_torque_ahead_of_its_motion_is_reported_and_left_alone(machine_log):
    """Noise that a controller feeds back leads the motion that it causes: no clock is wrong there."""
    recording, robot = machine_log
    reading = decided(robot, late(recording, -0.02), "default")
    choice = reading.tables["delay"]
    assert choice.code == "delay.inconsistent" and choice.failed == ("late",)
    assert choice.found == pytest.approx(-0.02, abs=1.2e-3) and reading.recipe.delay == 0.0


def test_torque_that_is_in_time_is_left_alone(machine_log):
    recording, robot = machine_log
    reading = decided(robot, recording, "default")
    assert reading.tables["delay"].code == "delay.none" and reading.recipe.delay == 0.0
    assert isinstance(reading.recordings[0], bf.Samples)  # what was prepared to look at it is what is fitted


def test_elastic_joints_are_no_delay():
    recording, robot = simulated("ur10e", 4, stribeck=True, stiffness=60.0)
    assert decided(robot, recording, "default").tables["delay"].code == "delay.none"


def test_joints_that_disagree_are_no_delay_of_the_log():
    recording, robot = simulated("panda", 3)
    shifts = np.linspace(-0.06, 0.1, 7)  # [s] of each joint by itself
    torque = [np.interp(recording.time - d, recording.time, column) for d, column in zip(shifts, recording.torque.T)]
    choice = decided(robot, recording.with_channel("torque", np.column_stack(torque)), "default").tables["delay"]
    assert choice.code != "delay.compensated" and "joints" in choice.failed and choice.delay == 0.0
    assert (choice.code == "delay.inconsistent") == bool(choice.sentence())


def test_what_was_declared_is_not_looked_for(machine_log):
    recording, robot = machine_log
    told = without_delay(late(recording, 0.03), 0.0)  # somebody says that there is none
    reading = decided(robot, told, "default")
    assert reading.recipe.delay == 0.0 and "delay" not in reading.tables
    assert decided(robot, recording, Recipe(delay=0.02)).recipe.delay == 0.02


def test_the_estimate_reads_other_recordings_as_its_own(machine_log, tmp_path):
    recording, robot = machine_log
    train, test = recording.part(None, 8.0), recording.part(8.0, None)
    inside = bf.fit(robot, train, bf.LeastSquares())
    outside = bf.fit(robot, late(train, 0.03), bf.LeastSquares())
    bf.save_estimate(outside, tmp_path / "run")
    again = bf.load_estimate(tmp_path / "run")
    assert again.recipe.delay == outside.recipe.delay == pytest.approx(0.03, abs=2e-3)
    assert any("late" in note for note in outside.notes)
    error, moved, blind = inside.score(test).relative, again.score(late(test, 0.03)).relative, again.score(test).relative
    assert moved < 1.1 * error and blind > 1.5 * error
    declared = again.score(without_delay(late(test, 0.03), 0.03)).relative  # moved once, not twice
    assert declared == pytest.approx(moved, rel=0.2)
