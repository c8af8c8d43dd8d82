"""Forces of the ground leave the equations, whatever they are; a trotting quadruped is identified without measuring them."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.walking.ground import GroundMotion, contact_free_rows, contact_projection, ground_motion
from bifilar.walking.ground_fit import find_sole, fit_on_ground, ground_error

SOLE = 0.03


def pushed(count: int, seed: int) -> tuple[bf.Robot, GroundMotion]:
    """A floating arm as forces of any size at two `feet`, below their frames, and its torques move it."""
    rng = np.random.default_rng(seed)
    robot = bf.Robot.load("panda", floating=True).with_friction(())
    feet = (robot.frame_names[4], robot.frame_names[-1])
    q, v, torque = rng.normal(size=(3, count, len(robot.joint_names)))
    quaternion = rng.normal(size=(count, 4))
    pose = np.hstack([rng.normal(size=(count, 3)), quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)])
    twist, contact = rng.normal(size=(count, 6)), np.ones((count, 2))
    contact[count // 2 :, 1] = 0
    down = -SOLE * bf.BaseMotion(pose).gravity((0.0, 0.0, 1.0))
    pushes = np.hstack([np.zeros((count, 6)), torque])
    for k, foot in enumerate(feet):
        force = 50 * rng.normal(size=(count, 3)) * contact[:, k, None]
        arms = robot.jacobian(foot, q)
        pushes += np.einsum("nij,ni->nj", arms[:, :3], force) + np.einsum("nij,ni->nj", arms[:, 3:], np.cross(down, force))
    moves = robot.forward_dynamics(q, v, pushes, base=bf.BaseMotion(pose, twist))
    base = bf.BaseMotion(pose, twist, moves[:, :6])
    return robot, GroundMotion(
        position=q, velocity=v, acceleration=moves[:, 6:], torque=torque, base=base, contact=contact, feet=feet
    )


def test_whatever_the_ground_does_the_true_bodies_explain_the_torques() -> None:
    robot, motion = pushed(12, 0)
    columns, right = contact_free_rows(robot, motion, SOLE)
    np.testing.assert_allclose(columns @ robot.parameters("both").values, right, atol=1e-9)
    assert ground_error(robot, motion, SOLE + 0.01) > 1e-3  # a wrong depth is seen
    keep = contact_projection(robot, motion, SOLE)
    np.testing.assert_allclose(keep @ keep, keep, atol=1e-12)
    assert np.linalg.matrix_rank(keep, tol=1e-6).tolist() == [7] * 6 + [10] * 6  # each foot takes three of thirteen


def test_feet_that_do_not_exist_are_named() -> None:
    robot, motion = pushed(3, 0)
    wrong = GroundMotion(**{**motion.__dict__, "feet": ("paw", motion.feet[1])})
    with pytest.raises(bf.RobotError, match="no link 'paw'"):
        contact_free_rows(robot, wrong)
    with pytest.raises(bf.RobotError, match="fixed base"):
        contact_free_rows(bf.Robot.load("panda"), motion)
    with pytest.raises(bf.ShapeError, match="3 samples and 1 feet"):
        GroundMotion(**{**motion.__dict__, "feet": (motion.feet[0],)})


def test_trotting_quadruped(dataset) -> None:  # type: ignore[no-untyped-def]
    dataset("solo12_sim")
    recording, robot = bf.datasets.load("solo12_sim"), bf.datasets.robot("solo12_sim")
    motion = ground_motion(recording, ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"), spatial=True)
    train, test = motion.part(slice(0, 1400)), motion.part(slice(1400, None))
    found = fit_on_ground(robot, train)
    assert 0.01 < found.sole < 0.03
    assert found.score(test) < 0.017  # first 70 % -> last 30 %; the set's floor is 2.3 %
    assert found.score(test) < 0.75 * ground_error(robot, test, found.sole)
    assert all(bf.Inertia.from_vector(body).is_consistent for body in found.bodies.bodies)
    assert abs(find_sole(found.robot, test) - found.sole) < 0.005
