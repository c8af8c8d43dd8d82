"""Whole descriptions against Pinocchio, which reads the same files its own way; joints matched by name.

Here the reading, the folding of fixed links, mimic joints, locking and the floating base are compared; the equations
themselves are compared elsewhere on random trees.
"""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf

pin = pytest.importorskip("pinocchio")

FILES = [
    "barrett_wam/wam7_from_libbarrett_conf.urdf",
    "kinova_gen3/gen3.urdf",
    "kinova_gen3/kinova.urdf",
    "kuka_lwr4/kuka_lwr4.urdf",
    "kuka_lwr4/kuka_lwr4_centroepiaggio.urdf",
    "kuka_lwr4/kuka_lwr4_gaz.urdf",
    "panda_gaz/panda.urdf",
    "puma560/puma560_akb.urdf",
    "puma560/puma560_corke_stdDH.urdf",
    "solo12_sim/solo12.urdf",
    "staubli_tx40/tx40_mdh_modified.urdf",
    "tiago/tiago_48_schunk.urdf",
    "ur10/ur10_robot.urdf",
    "ur10e_mamedov/ur10e.urdf",
]
SAMPLES = 20


class Twin:
    """A file as Pinocchio reads it, asked in our coordinates."""

    def __init__(self, path, robot, floating=False, locked=None):
        root = (pin.JointModelFreeFlyer(),) if floating else ()
        self.model = pin.buildModelFromUrdf(str(path), *root)
        if locked:
            start = pin.neutral(self.model)
            for name, at in locked.items():
                joint = self.model.joints[self.model.getJointId(name)]
                start[joint.idx_q : joint.idx_q + joint.nq] = at if joint.nq == 1 else (np.cos(at), np.sin(at))
            self.model = pin.buildReducedModel(self.model, [self.model.getJointId(name) for name in locked], start)
        self.data, self.robot, self.floating = self.model.createData(), robot, floating
        self.share, self.offset = np.zeros((self.model.nv, robot.tree.n_rows)), np.zeros(self.model.nv)
        if floating:
            self.share[:6, :6] = np.eye(6)
        for name in list(self.model.names)[2 if floating else 1 :]:
            mimic = robot.joint(name).mimic or bf.Mimic(name)
            row = self.model.joints[self.model.getJointId(name)].idx_v
            self.share[row, robot.joint_names.index(mimic.joint) + 6 * floating] = mimic.ratio
            self.offset[row] = mimic.offset

    def state(self, q, v, a):
        """Pinocchio's vectors of one sample; angles of continuous joints become cosine and sine."""
        wide = np.r_[np.zeros(6 * self.floating), q] @ self.share.T + self.offset
        position = pin.neutral(self.model)
        for joint in list(self.model.joints)[2 if self.floating else 1 :]:
            angle = wide[joint.idx_v]
            position[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
        base = np.zeros(6 * self.floating)
        return position, self.share @ np.r_[base, v], self.share @ np.r_[base, a]

    def torque(self, q, v, a):
        return np.array([self.share.T @ pin.rnea(self.model, self.data, *self.state(*s)) for s in zip(q, v, a, strict=True)])

    def mass_matrix(self, q):
        result = []
        for row in q:
            upper = np.triu(pin.crba(self.model, self.data, self.state(row, 0 * row, 0 * row)[0]))
            result.append(self.share.T @ (upper + np.triu(upper, 1).T) @ self.share)
        return np.array(result)

    def place(self, link, q):
        """Translation and Jacobian of a link, axes of the world."""
        frame, places, jacobians = self.model.getFrameId(link, pin.BODY), [], []
        for row in q:
            position = self.state(row, 0 * row, 0 * row)[0]
            J = pin.computeFrameJacobian(self.model, self.data, position, frame, pin.LOCAL_WORLD_ALIGNED)
            pin.framesForwardKinematics(self.model, self.data, position)
            places.append(self.data.oMf[frame].translation.copy())
            jacobians.append(J @ self.share)
        return np.array(places), np.array(jacobians)


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-10 * (1 + np.abs(expected).max()))


def motion(robot, seed=0):
    return np.random.default_rng(seed).normal(size=(3, SAMPLES, len(robot.joint_names)))


@pytest.mark.parametrize("name", FILES)
def test_a_file_gives_the_same_machine(dataset, name):
    path = dataset(name)
    robot = bf.Robot.load(path)
    twin = Twin(path, robot)
    q, v, a = motion(robot)
    bare = robot.with_friction(None)
    close(bare.inverse_dynamics(q, v, a), twin.torque(q, v, a))
    close(bare.mass_matrix(q), twin.mass_matrix(q))
    for link in robot.frame_names[:: max(1, len(robot.frame_names) // 8)]:
        place, jacobian = twin.place(link, q)
        close(robot.pose(link, q)[1], place)
        close(robot.jacobian(link, q), jacobian)


@pytest.mark.parametrize("name", ["panda_gaz/panda.urdf", "tiago/tiago_48_schunk.urdf", "ur10/ur10_robot.urdf"])
def test_locking_is_pinocchios_reduced_model(dataset, name):
    path = dataset(name)
    whole = bf.Robot.load(path).with_friction(None)
    held = {joint: 0.3 * k - 0.5 for k, joint in enumerate(whole.joint_names) if k % 2 == 0}
    followers = {
        j.name: j.mimic.ratio * held[j.mimic.joint] + j.mimic.offset for j in whole.joints if j.mimic and j.mimic.joint in held
    }
    robot = whole.locked(held)
    twin = Twin(path, robot, locked=held | followers)
    q, v, a = motion(robot)
    close(robot.inverse_dynamics(q, v, a), twin.torque(q, v, a))
    close(robot.mass_matrix(q), twin.mass_matrix(q))


def test_a_quadruped_floats_alike(dataset):
    path = dataset("solo12_sim/solo12.urdf")
    robot = bf.Robot.load(path, floating=True)
    twin = Twin(path, robot, floating=True)
    q, v, a = motion(robot)
    close(robot.inverse_dynamics(q, v, a, base=bf.BaseMotion(), friction=False), twin.torque(q, v, a))
    close(robot.mass_matrix(q), twin.mass_matrix(q))
