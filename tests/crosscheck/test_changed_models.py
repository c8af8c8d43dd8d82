"""Robots that were changed after reading, and robots that could not exist, against Pinocchio on both engines."""

from __future__ import annotations

import numpy as np
import pytest
from twins import Motion, PinocchioFile, random_motion

import bifilar as bf

pytest.importorskip("pinocchio")

SAMPLES = 100


def close(ours, theirs, tolerance=1e-10):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()


@pytest.mark.parametrize("name", ["panda_gaz/panda.urdf", "tiago/tiago_48_schunk.urdf", "ur10/ur10_robot.urdf"])
@pytest.mark.parametrize("floating", [False, True])
def test_locking_is_pinocchios_reduced_model(dataset, engine, name, floating):
    path = dataset(name)
    whole = bf.Robot.load(path, floating=floating).with_friction(None)
    held = {joint: 0.3 * k - 0.5 for k, joint in enumerate(whole.joint_names) if k % 2 == 0}
    followers = {
        j.name: j.mimic.ratio * held[j.mimic.joint] + j.mimic.offset for j in whole.joints if j.mimic and j.mimic.joint in held
    }
    robot = whole.locked(held)
    twin = PinocchioFile(path, robot, held | followers)
    motion = random_motion(np.random.default_rng(0), robot, SAMPLES)
    close(robot.inverse_dynamics(motion.q, motion.v, motion.a, **motion.given), twin.inverse_dynamics(motion))
    close(robot.mass_matrix(motion.q), twin.mass_matrix(motion))
    close(robot.regressor(motion.q, motion.v, motion.a, **motion.given), twin.regressor(motion))


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (3.0, -5.0, 2.0), (0.0, 0.0, 0.0)])
def test_the_wrench_under_a_fixed_base_is_that_on_a_free_one_at_rest(tmp_path, engine, gravity):
    robot = bf.Robot.load("wam", gravity=gravity).with_friction(None)
    robot.save(tmp_path / "wam.urdf")
    twin = PinocchioFile(tmp_path / "wam.urdf", bf.Robot.load("wam", gravity=gravity, floating=True))
    q, v, a = np.random.default_rng(1).normal(size=(3, SAMPLES, 7))
    motion = Motion(q, v, a, bf.BaseMotion(np.tile([0.0, 0, 0, 0, 0, 0, 1], (SAMPLES, 1))))
    wrench, y = twin.inverse_dynamics(motion), twin.regressor(motion)
    close(robot.base_wrench(q, v, a), wrench[:, :6])
    close(robot.inverse_dynamics(q, v, a), wrench[:, 6:])
    close(robot.regressor(q, v, a, rows="base"), y[:, :6])
    close(robot.regressor(q, v, a, rows="both"), y)
    close(robot.regressor(q, v, a), y[:, 6:, 10:])


@pytest.mark.parametrize("floating", [False, True])
def test_forward_dynamics_of_a_robot_that_could_not_exist(tmp_path, engine, floating):
    """Negative inertia at the last joints: an indefinite mass matrix, but not a singular one, has an answer."""
    robot = bf.Robot.load("panda", floating=floating).with_friction(None)
    tip = robot.links[-1].name if robot.link(robot.links[-1].name).inertia.mass else "link7"
    robot = robot.with_payload(tip, bf.Inertia(0.0, np.zeros(3), -np.diag([0.2, 0.25, 0.3])))
    motion = random_motion(np.random.default_rng(2), robot, SAMPLES)
    torque = robot.inverse_dynamics(motion.q, motion.v, motion.a, **motion.given)
    assert (np.linalg.eigvalsh(robot.mass_matrix(motion.q))[:, 0] < 0).all()
    wanted = motion.a if motion.base is None else np.hstack([motion.base.acceleration, motion.a])
    close(robot.forward_dynamics(motion.q, motion.v, torque, **motion.given), wanted)


@pytest.mark.parametrize("samples", [1, 40])
def test_a_motion_that_moves_no_mass_is_refused_with_its_sample(engine, samples):
    """A point mass on a slide and a swivel: about the swivel's axis it has no inertia while the slide stands at zero."""
    links = (
        bf.Link("base"),
        bf.Link("arm"),
        bf.Link("stone", bf.Inertia.from_center_of_mass(1.0, [0, 0, 0], np.zeros((3, 3)))),
    )
    joints = (
        bf.Joint("swivel", "continuous", "base", "arm", axis=[0, 0, 1]),
        bf.Joint("slide", "prismatic", "arm", "stone", axis=[1, 0, 0]),
    )
    robot = bf.Robot.build(bf.Description("sling", links, joints))
    q = np.tile([0.3, 0.5], (samples, 1))
    v, torque = np.ones_like(q), np.ones_like(q)
    assert np.allclose(robot.forward_dynamics(q, v, torque), [(1 - 2 * 0.5) / 0.25, 1 + 0.5])
    q[samples // 2 :, 1] = 0.0
    with pytest.raises(bf.SolveError, match=f"mass matrix of sample {samples // 2} is singular"):
        robot.forward_dynamics(q, v, torque)
