"""From a recording to a moving arm: the circle of Bargsten et al. 2013 on the virtual LWR, under lag and wrong friction.

Times are shorter and steps coarser than in `bifilar reproduce bargsten2013`; the demands are the same.
"""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.papers.bargsten2013 import SLIP, arm

CIRCLE = bf.Circle([-0.4, 0.0, 0.6], 0.15, plane="yz")
LAG, SHARE = 5e-3, 0.7  # [s] of the drives' torque; of friction that is compensated


@pytest.fixture(scope="module")
def robot() -> bf.Robot:
    return arm()


@pytest.fixture(scope="module")
def identified(robot) -> bf.Model:
    """From a recording of ten seconds with realistic sensors; the description it starts from is wrong by a quarter."""
    terms = bf.Viscous() + bf.Coulomb(width=SLIP)
    described = bf.wrong_by(bf.Robot.load("kuka_lwr4"), 0.25, seed=5)
    design = bf.design(described.with_friction(terms), duration=10.0, harmonics=5, starts=1, seed=0)
    machine = bf.VirtualRobot(robot, controller_model=described.model())
    recording = machine.play(design.motion, rate=200, sensors=bf.Sensors.realistic(), seed=1)
    return bf.fit(described, recording, friction=terms).model


def tool_error(robot, law, motion, **loop) -> float:
    return bf.tracking(robot, bf.run_loop(robot, law, motion, torque_lag=LAG, **loop), motion.frame).tool_rms


def test_the_circle_needs_a_fast_clock(robot):
    """1 ms and stiff against 10 ms and soft, with a model that is wrong by a twentieth: a fifth of the error at most."""
    motion, model = bf.cartesian_motion(robot, CIRCLE, duration=2.0), bf.wrong_by(robot, 0.05)
    fast = tool_error(robot, bf.ComputedTorque(model, omega=80.0, friction=SHARE), motion, period=1e-3)
    slow = tool_error(robot, bf.ComputedTorque(model, omega=25.0, friction=SHARE), motion, period=10e-3)
    assert fast <= 0.2 * slow and 1e-4 < slow < 1e-2


def test_the_identified_model_tracks_like_the_true_one_and_far_better_than_springs(robot, identified):
    motion, loop = bf.cartesian_motion(robot, CIRCLE, duration=1.5), {"period": 1e-3}
    found, true = (
        tool_error(robot, bf.ComputedTorque(model, omega=20.0, friction=SHARE), motion, **loop) for model in (identified, robot)
    )
    springs = bf.GravityPD.like(robot, motion.at(0.0).position[0], omega=20.0, friction=SHARE)
    assert found <= 1.2 * true
    assert tool_error(robot, springs, motion, **loop) >= 5 * found


def test_an_arm_that_was_pushed_comes_back_as_linear_theory_says(robot):
    """20 N m on joint 4 for half a second at omega = 20; Coulomb friction is compensated by the sign of the actual velocity."""
    motion, model = bf.cartesian_motion(robot, CIRCLE, duration=4.0), bf.wrong_by(robot, 0.05)
    law = bf.ComputedTorque(model, omega=20.0, friction=SHARE, friction_at="actual")
    push = bf.JointPush(joint="joint4", torque=20.0, start=0.5, stop=1.0)
    settings = {"period": 2e-3, "torque_lag": LAG, "duration": 1.8}
    pushed, free = (bf.run_loop(robot, law, motion, pushes=pushes, **settings) for pushes in (push, ()))
    found = bf.push_response(pushed, free, "joint4", 1.0, 20.0)
    assert abs(found.deviation) > 0.05
    assert found.overshoot < 0.05 and found.settling <= 1.6 * found.theory


def test_a_poor_fit_without_physics_is_refused_before_it_moves(robot):
    """Base parameters from a short noisy recording: their mass matrix is not one everywhere, and the letter says where."""
    terms = bf.Viscous() + bf.Coulomb(width=SLIP)
    described = bf.Robot.load("kuka_lwr4").with_friction(terms)
    design = bf.design(described, duration=6.0, harmonics=3, starts=1, seed=0)
    recording = bf.VirtualRobot(robot).play(design.motion, rate=200, sensors=bf.Sensors.realistic(), seed=1)
    model = bf.LeastSquares().fit(described, recording).model
    motion = bf.cartesian_motion(robot, CIRCLE, duration=2.0)
    with pytest.raises(bf.RobotError, match="not positive definite at joint1 = ") as told:
        bf.run_loop(robot, bf.ComputedTorque(model, omega=20.0), motion)
    pose = [float(part.split(" = ")[1]) for part in told.value.what.split(" at ")[1].split(", ")]
    assert np.linalg.eigvalsh(model.mass_matrix(pose))[0] < 0
