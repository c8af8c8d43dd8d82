"""Speed along a path: inside the torque limits, as fast as they allow, in the time that is given; and the path is kept."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.control.speed_plan import fastest, in_time, path_torque
from bifilar.control.tracking import distance_to_path
from bifilar.papers.bargsten2013 import arm

DURATION, SHARE = 1.2, 0.2  # [s] of the circle; of the drives' torque


@pytest.fixture(scope="module")
def circle():
    robot = arm()
    motion = bf.cartesian_motion(robot, bf.Circle([-0.4, 0.0, 0.6], 0.15, plane="yz"), duration=DURATION)
    return robot, motion, SHARE * robot.limits.effort


def test_a_bar_turned_from_rest_to_rest_takes_the_time_of_the_textbook():
    """Full torque half of the way, full brake the other half: T = 2 sqrt(inertia angle / torque)."""
    robot = bf.Robot.load("pendulum").with_gravity([0, 0, 0]).with_friction(None)
    inertia, torque, angle = float(robot.mass_matrix([0.0])[0, 0]), 0.7, 1.3
    path = bf.Piecewise(("joint1",), np.array([0.0, 1.0]), np.array([[[0.0], [angle]]]))
    along = path_torque(robot, path, np.linspace(0, 1, 401))
    plan = fastest(robot, along, np.array([torque]))
    assert plan is not None
    assert plan.duration == pytest.approx(2 * np.sqrt(inertia * angle / torque), rel=2e-3)


def test_plans_keep_the_limits_and_use_them(circle):
    robot, motion, limits = circle
    along = path_torque(robot, motion.path, np.linspace(0, 1, 161))
    plan = fastest(robot, along, limits, velocity=robot.limits.velocity)
    assert plan is not None
    s = np.linspace(0.02, 0.98, 900)  # at the very ends friction changes from nothing to all of it
    Q, speed = motion.path.at(s), np.array([plan.speed(x) for x in s])[:, None]
    push = np.array([plan.acceleration(x) for x in s])[:, None]
    torque = robot.inverse_dynamics(Q.position, Q.velocity * speed, Q.acceleration * speed**2 + Q.velocity * push)
    share = np.abs(torque) / limits
    assert share.max() < 1.02  # between the places of the grid
    assert (share.max(axis=1) > 0.97).mean() > 0.5  # else it could be faster
    assert (np.abs(Q.velocity * speed) <= robot.limits.velocity * 1.001).all()


def test_the_time_that_is_given_is_used(circle):
    robot, motion, limits = circle
    along = path_torque(robot, motion.path, np.linspace(0, 1, 161))
    best = fastest(robot, along, limits, velocity=robot.limits.velocity)
    for duration in (1.5, 3.0):
        plan, cap = in_time(robot, along, limits, duration, velocity=robot.limits.velocity)
        assert plan.duration == pytest.approx(duration, rel=1e-3) and (plan.x <= cap * (1 + 1e-9)).all()
        assert (plan.x <= best.x + 1e-6).all()


def test_with_torque_short_the_path_is_kept(circle):
    """Computed torque on the same path in the same time leaves it by more than twice as much."""
    robot, motion, limits = circle
    model = bf.wrong_by(robot, 0.02)
    law = bf.PathFollowing(model, motion, omega=40.0, limits=limits)
    followed = bf.run_loop(robot, law, motion, limits=limits, period=2e-3)
    timed = bf.run_loop(robot, bf.ComputedTorque(model, omega=40.0), motion, limits=limits, period=2e-3)
    off = [
        np.sqrt(np.mean(distance_to_path(robot.pose(motion.frame, run.position)[1], motion) ** 2)) for run in (followed, timed)
    ]
    assert (np.abs(timed.torque) >= limits * (1 - 1e-9)).any(), "the limits are not active"
    assert (np.abs(followed.command) <= limits * (1 + 1e-9)).all()
    assert law.s == pytest.approx(1.0, abs=5e-3), "it must arrive in the same time"
    assert off[0] <= 0.5 * off[1]


def test_letters(circle):
    robot, motion, limits = circle
    with pytest.raises(bf.SolveError, match="no speed at which"):
        bf.PathFollowing(robot, motion, omega=40.0, limits=0.2 * limits)
    with pytest.raises(bf.ShapeError, match="makes no sense"):
        bf.PathSettings(replan=2.0)
    with pytest.raises(bf.RobotError, match="model error"):
        bf.wrong_by(robot, 0.5)
