"""Drives and pushes on a bar without gravity and friction, where Newton's law can be integrated by hand."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import bifilar as bf
from bifilar.filters.filtered_differences import FilteredDifferences
from bifilar.online.motion import MotionFilter

STILL = bf.Goal(*np.zeros((3, 1)))


class Sends:
    """A torque as a function of time."""

    def __init__(self, say):
        self.say = say

    def torque(self, state, reference, time):
        return np.array([self.say(time)])


@pytest.fixture(scope="module")
def bar() -> bf.Robot:
    return bf.Robot.load("pendulum").with_gravity([0, 0, 0]).with_friction(None).with_limits({"joint1": {"effort": 50.0}})


@pytest.fixture(scope="module")
def inertia(bar) -> float:
    return float(bar.mass_matrix([0.0])[0, 0])


def moved(bar, say, **settings) -> bf.LoopRun:
    return bf.run_loop(bar, Sends(say), lambda t: STILL, **{"duration": 0.1, "period": 2e-3} | settings)


@pytest.mark.parametrize("lag", [0.0, 4e-3])
@pytest.mark.parametrize(("start", "stop"), [(0.0211, 0.02123), (0.0203, 0.0217), (0.01, 0.0701), (0.02, 0.024)])
def test_a_push_gives_its_impulse_whenever_it_begins_and_ends(bar, inertia, start, stop, lag):
    push = bf.JointPush(joint="joint1", torque=3.0, start=start, stop=stop)
    run = moved(bar, lambda t: 0.0, pushes=push, torque_lag=lag)
    assert run.velocity[-1, 0] == pytest.approx(3.0 * (stop - start) / inertia, rel=1e-9)
    after = 0.1 - 0.5 * (start + stop)  # a held push moves as its impulse at its middle does
    assert run.position[-1, 0] == pytest.approx(3.0 * (stop - start) / inertia * after, rel=1e-6)


def test_pushes_that_overlap_add_up(bar, inertia):
    pushes = [
        bf.JointPush(joint="joint1", torque=x, start=a, stop=b) for x, a, b in ((3, 0.0103, 0.0507), (-5, 0.0207, 0.0309))
    ]
    impulse = 3 * 0.0404 - 5 * 0.0102
    assert moved(bar, lambda t: 0.0, pushes=pushes).velocity[-1, 0] == pytest.approx(impulse / inertia, rel=1e-9)


@pytest.mark.parametrize("delay", [0.0, 0.7e-3, 2e-3])
@pytest.mark.parametrize("lag", [0.0, 1e-4, 5e-3, 0.3])
def test_torque_lags_by_first_order_behind_the_delay(bar, inertia, lag, delay):
    """A step at 10 ms: what was delivered is 1 - exp(-t / lag), the speed its integral."""
    run = moved(bar, lambda t: 2.0 * (t > 0.009), torque_lag=lag, delay=delay)
    t = np.maximum(run.time - 0.01 - delay, 0.0)
    rest = np.exp(-t / lag) if lag else (t <= 0) * 1.0 if delay else (run.time < 0.0099) * 1.0
    at = np.abs(run.time - 0.01 - delay) > 1e-9  # at the jump itself either side is right
    assert np.allclose(run.torque[at, 0], 2.0 * (1 - rest)[at], atol=1e-9)
    assert np.allclose(run.velocity[:, 0], 2.0 / inertia * (t - lag * (1 - rest) * (t > 0)), rtol=1e-9, atol=1e-12)


def test_limits_cut_the_set_point_before_the_lag(bar, inertia):
    run = moved(bar, lambda t: 80.0 * (t > 0.009), torque_lag=5e-3, limits=2.0)
    free = moved(bar, lambda t: 2.0 * (t > 0.009), torque_lag=5e-3)
    assert np.array_equal(run.velocity, free.velocity) and run.command.max() == 80.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"limits": np.nan}, "torque limits"),
        ({"limits": -1.0}, "torque limits"),
        ({"limits": [1.0, 2.0]}, "torque limits"),
        ({"limits": "weak"}, "limits"),
        ({"start": bf.State(np.array([np.nan]), np.zeros(1))}, "start's position"),
        ({"start": bf.State(np.zeros(1), np.zeros(2))}, "start's velocity"),
        ({"delay": 3e-3}, "delay"),
        ({"torque_lag": np.nan}, "lag"),
    ],
)
def test_letters(bar, settings, words):
    with pytest.raises(bf.BifilarError, match=words):
        moved(bar, lambda t: 0.0, **settings)


@pytest.mark.parametrize("make", [lambda: FilteredDifferences(cutoff=300.0), lambda: MotionFilter(1, noise=1e-4, jerk=1e3)])
def test_a_filter_that_was_used_begins_again_with_the_next_run(bar, make):
    law, move, follow = bf.ComputedTorque(bar, omega=20.0), bf.quintic(["joint1"], [[0.0], [1.0]], [0.0, 0.1]), make()
    short = {"duration": 0.05, "velocity": follow, "sensors": bf.Sensors.realistic()}  # it ends in mid-motion
    first, second = (bf.run_loop(bar, law, move, **short) for _ in range(2))
    assert np.array_equal(first.position, second.position)


def test_the_slowest_filter_of_all_joints_decides_whether_a_loop_is_stable():
    robot, q = bf.Robot.load("two_link"), np.zeros(2)
    for noise in ([1e-5, 1e-2], [1e-2, 1e-5]):
        at = bf.Conditions(1e-3, 0.0, 0.0, MotionFilter(2, noise=noise, jerk=100.0), q, q - 1, q + 1)
        with pytest.raises(bf.RobotError, match="unstable"):
            bf.ComputedTorque(robot, omega=100.0).check(at)


def test_an_arm_that_is_held_does_not_drop_when_the_wrapper_takes_over():
    robot = bf.Robot.load("two_link")
    q, settings = np.array([0.6, 0.4]), bf.SafetySettings.of(robot, fade_in=0.0)
    run = {}
    for name, start in (("held", robot.gravity_torque(q)), ("from nothing", None)):
        law = bf.SafeController(bf.ComputedTorque(robot, omega=20.0), settings, start=start)
        run[name] = bf.run_loop(robot, law, lambda t: bf.Goal(q, 0 * q, 0 * q), duration=0.3)
    assert np.abs(run["held"].error).max() < 1e-9 < 1e-2 < np.abs(run["from nothing"].error).max()
    assert np.abs(run["from nothing"].command[0]).max() == 0.0


def test_a_controller_in_its_wrapper_can_be_copied():
    robot, still = bf.Robot.load("pendulum").with_limits({"joint1": {"effort": 9.0}}), np.zeros(1)
    safe = bf.SafeController(bf.Superposed(bf.AdaptiveControl(robot, omega=9.0), robot), bf.SafetySettings.of(robot))
    other = copy.deepcopy(safe)
    other.torque(bf.State(still + 0.1, still), STILL, 0.0)
    assert safe.last.state == "holding" and other.last.state == "fading in"
