"""The second opinion of certificates (MuJoCo) against a third (Pinocchio), which read the robots in their own ways."""

from __future__ import annotations

import numpy as np
import pytest
from twins import PinocchioFile, random_motion
from zoo import MODELS, files_of

import bifilar as bf
from bifilar.errors import RobotError, ShapeError
from bifilar.experiment.recheck import Recheck

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

CASES = [(kind, name) for kind, name in MODELS if kind != "mjcf"]  # those that could not exist too
STATES = 20
TOLERANCE = 1e-9
POINT = np.array([0.1, -0.2, 0.3])


def test_there_are_enough_of_them():
    """Also where the datasets are not."""
    assert sum(kind != "urdf" for kind, _ in CASES) >= 10


def off(ours, theirs) -> float:
    """Largest difference, relative to the largest number where that is above one."""
    assert ours.shape == theirs.shape
    return float(np.abs(ours - theirs).max(initial=0.0) / max(np.abs(theirs).max(initial=0.0), 1.0))


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_it_agrees_with_pinocchio(case, dataset, tmp_path):
    files = files_of(*case, False, dataset, tmp_path)
    robot, motion = files.robot, random_motion(np.random.default_rng(7), files.robot, STATES)
    second, third = Recheck(robot), PinocchioFile(files.urdf, robot)
    frames = [link.name for link in robot.links]
    places = [(frame, POINT) for frame in frames]
    poses = np.stack([third.pose(motion, frame) for frame in frames], axis=1)
    points = np.einsum("npij,j->npi", poses[..., :3], POINT) + poses[..., 3]
    assert off(second.points(places, motion.q), points) < TOLERANCE
    rates = [np.einsum("nij,nj->ni", third.jacobian(motion, frame, POINT)[:, :3], motion.v) for frame in frames]
    velocities = np.stack(rates, axis=1)
    assert off(second.velocities(places, motion.q, motion.v), velocities) < TOLERANCE
    assert off(second.speeds(places, motion.q, motion.v), np.linalg.norm(velocities, axis=2)) < TOLERANCE
    rotors = np.array([robot.joint(name).armature for name in robot.joint_names])
    assert not third.model.armature.any()  # a URDF has none
    torque = third.inverse_dynamics(motion) + rotors * motion.a
    assert off(second.torque(motion.q, motion.v, motion.a), torque) < TOLERANCE


def test_a_first_moment_without_mass():
    """As an identification may return it: only combinations of parameters count."""
    robot = bf.Robot.load("panda")
    bodies = robot.body_parameters.copy()
    bodies[3, 0], bodies[5, 0] = 0.0, -0.3
    odd, rng = robot.with_body_parameters(bodies), np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 50, 7))
    assert off(Recheck(odd).torque(q, v, a), odd.inverse_dynamics(q, v, a)) < TOLERANCE
    assert off(odd.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a)) > 1e-3


def test_coupled_rotors():
    motors = bf.Drivetrain(joints=("joint1", "joint2"), motors=("motor1", "motor2"), matrix=[[1, 0], [-1, 1]])
    rotor = bf.RotorInertia(at="motor1") + bf.RotorInertia(at="motor2")
    robot = bf.Robot.load("two_link").with_drivetrain(motors)
    robot = robot.with_friction(rotor, {"motor1.rotor_inertia": 0.2, "motor2.rotor_inertia": 0.3})
    q, v, a = np.random.default_rng(1).normal(size=(3, 20, 2))
    assert off(Recheck(robot).torque(q, v, a), robot.inverse_dynamics(q, v, a)) < TOLERANCE


def test_one_state_the_world_and_letters():
    robot = bf.Robot.load("panda")
    second, q = Recheck(robot), np.full(7, 0.3)
    assert np.array_equal(second.points([("", (1, 2, 3)), (None, (1, 2, 3))], q), [[1, 2, 3]] * 2)
    assert np.array_equal(second.speeds([(None, (1, 2, 3))], q, q), [0.0])
    assert second.torque(q, q, q).shape == (7,) and second.points([], q).shape == (0, 3)
    with pytest.raises(RobotError, match="no link 'flage'"):
        second.points([("flage", (0, 0, 0))], q)
    with pytest.raises(ShapeError, match="three finite numbers"):
        second.points([("flange", (0, 0, np.nan))], q)
    with pytest.raises(RobotError, match="floats"):
        Recheck(bf.Robot.load("panda", floating=True))
