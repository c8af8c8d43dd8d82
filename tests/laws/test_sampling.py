"""Sampled loops: what the map of the error says is what MuJoCo's pendulum does, a bit below the limit and a bit above."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bifilar as bf
from bifilar.control.sampling import largest_stable_omega
from bifilar.filters.filtered_differences import FilteredDifferences
from bifilar.online.motion import MotionFilter

POSE, LOW, HIGH = np.zeros(1), np.full(1, -3.0), np.full(1, 3.0)
LOOPS = {
    "bare": (1e-3, 0.0, 0.0, None),
    "lag": (1e-3, 0.005, 0.0, None),
    "delay": (2e-3, 0.0, 1.2e-3, None),
    "lag and delay": (5e-3, 0.003, 5e-3, None),
    "differences": (1e-3, 0.0, 0.0, lambda: FilteredDifferences()),
    "slow differences": (1e-3, 0.002, 0.5e-3, lambda: FilteredDifferences(cutoff=200.0)),
    "kalman": (2e-3, 0.002, 0.0, lambda: MotionFilter(1, noise=1e-4, jerk=1e4)),
}


def free_bar() -> bf.Robot:
    """A pendulum without gravity and friction: its computed torque is exactly linear, whatever the amplitude."""
    return bf.Robot.load("pendulum").with_gravity([0, 0, 0]).with_friction(None).with_limits({"joint1": {"effort": 1e9}})


class Unchecked:
    """A controller that is not asked whether it can work."""

    def __init__(self, law):
        self.torque = law.torque


@pytest.mark.parametrize("name", LOOPS)
def test_the_limit_is_where_the_loop_begins_to_grow(name):
    period, lag, delay, make = LOOPS[name]
    robot, follow = free_bar(), (lambda: None if make is None else make())
    at = bf.Conditions(period, lag, delay, follow(), POSE, LOW, HIGH)
    most = largest_stable_omega(1.0, at)
    still, size = bf.Goal(POSE, POSE, POSE), {}
    for share in (0.98, 1.02):
        law = Unchecked(bf.ComputedTorque(robot, omega=share * most))
        run = bf.run_loop(
            robot, law, lambda t: still, duration=240 * period, period=period, torque_lag=lag, delay=delay,
            velocity=follow(), start=bf.State(POSE + 1e-6, POSE),
        )  # fmt: skip
        off = np.abs(run.position[:, 0])
        size[share] = off[-60:].max() / off[60:120].max()
    assert size[0.98] < 0.9 and size[1.02] > 1.1


def test_the_textbook_limit():
    """Held for a period, x = w h: trace 2 - 2x - x^2/2, determinant 1 - 2x + x^2/2; Jury's 1 + trace + det > 0 is x < 1."""
    at = bf.Conditions(1e-3, 0.0, 0.0, None, POSE, LOW, HIGH)
    assert largest_stable_omega(1.0, at) * 1e-3 == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize(("lag", "make"), [(0.005, None), (0.0, lambda: FilteredDifferences(cutoff=300.0))])
def test_gains_too_high_are_refused_with_the_largest_that_go(lag, make):
    robot = bf.Robot.load("panda")
    start = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0])
    move = bf.quintic(robot.joint_names, [start, start + 0.1], [0.0, 0.3])
    settings = {"period": 10e-3, "torque_lag": lag}

    def run(omega):
        law = bf.SafeController(bf.ComputedTorque(robot, omega=omega), bf.SafetySettings.of(robot))
        return bf.run_loop(robot, law, move, velocity=None if make is None else make(), **settings)

    with pytest.raises(bf.RobotError, match="unstable at a period of 10 ms") as told:
        run([20.0, 20.0, 20.0, 400.0, 20.0, 20.0, 20.0])
    assert "'joint4'" in told.value.what
    most = float(re.search(r"below omega = (\S+) rad/s", told.value.remedy)[1])  # type: ignore[index]
    run(0.99 * most)
    with pytest.raises(bf.RobotError):
        run(1.01 * most)


def test_springs_too_stiff_are_refused_and_the_advice_is_taken():
    robot, start = bf.Robot.load("two_link"), np.array([0.4, -0.8])
    move = bf.quintic(robot.joint_names, [start, start + 0.1], [0.0, 0.3])
    law = bf.GravityPD.like(robot, start, omega=900.0)
    with pytest.raises(bf.RobotError, match="gains are unstable") as told:
        bf.run_loop(robot, law, move, period=5e-3)
    kp, kd = map(float, re.search(r"below (\S+) times .* (\S+) times", told.value.remedy).groups())  # type: ignore[union-attr]
    bf.run_loop(robot, bf.GravityPD(robot, kp=0.9 * kp * law.kp, kd=0.9 * kd * law.kd), move, period=5e-3)


def test_a_model_without_mass_somewhere_is_refused_with_the_place():
    """A forearm with too little inertia about the elbow for where its mass is: bent, B stays positive."""
    robot = bf.Robot.load("two_link")
    bodies = np.array(robot.body_parameters)
    bodies[2, [6, 9]] = 1e-4
    model = robot.model().with_body_parameters(bodies)
    rows = np.linalg.eigvalsh(model.mass_matrix(np.column_stack([np.zeros(400), np.linspace(-3, 3, 400)])))[:, 0]
    assert rows.min() < 0 < rows.max(), "the example is no example"
    move = bf.quintic(robot.joint_names, [[0.0, 0.0], [0.1, 0.1]], [0.0, 0.3])
    with pytest.raises(bf.RobotError, match="not positive definite at joint1 = ") as told:
        bf.run_loop(robot, bf.ComputedTorque(model, omega=10.0), move)
    pose = [float(x) for x in re.findall(r"= (-?[\d.e-]+)", told.value.what)]
    assert np.linalg.eigvalsh(model.mass_matrix(pose))[0] <= 1e-6
    bf.run_loop(robot, bf.ComputedTorque(robot, omega=10.0), move)


def test_a_filter_of_ones_own_is_taken_as_exact():
    class Own:
        def update(self, time, position):
            return np.asarray(position), np.zeros(1)

    robot = free_bar()
    still = bf.Goal(POSE, POSE, POSE)
    bf.run_loop(robot, bf.ComputedTorque(robot, omega=20.0), lambda t: still, duration=0.01, velocity=Own())
    with pytest.raises(bf.RobotError) as told:
        bf.run_loop(robot, bf.ComputedTorque(robot, omega=2000.0), lambda t: still, duration=0.01, velocity=Own())
    assert "Own, taken as exact" in str(told.value)
