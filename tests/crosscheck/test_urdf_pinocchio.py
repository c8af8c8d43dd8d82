"""The same URDF in Pinocchio: every link stands at the same place, every moving body has the same ten numbers."""

from __future__ import annotations

import numpy as np
import pytest

from bifilar.robot.description import Description, Joint, Pose
from bifilar.robot.inertia import Inertia, skew
from bifilar.robot.read_urdf import read_urdf
from bifilar.robot.urdf_tree import body_groups

pin = pytest.importorskip("pinocchio")

MODELS = (  # those that Pinocchio reads whole
    "panda_gaz/panda.urdf", "ur10e_mamedov/ur10e.urdf", "tiago/tiago_48_schunk.urdf",
    "barrett_wam/wam7_from_libbarrett_conf.urdf",
    "ur10/ur10_robot.urdf", "rokae_xmate7/xmate3pro_kinematics.urdf", "kuka_lwr4/kuka_lwr4_centroepiaggio.urdf",
    "kuka_lwr4/kuka_lwr4_cogimon.urdf", "kuka_lwr4/kuka_lwr4.urdf", "kuka_lwr4/kuka_lwr4_gaz.urdf", "solo12_sim/solo12.urdf",
    "staubli_tx40/tx40_mdh_modified.urdf", "puma560/puma560_corke_stdDH.urdf", "puma560/puma560_akb.urdf",
    "sarcos/sarcos7_inferred.urdf", "kinova_gen3/gen3.urdf", "kinova_gen3/kinova.urdf",
)  # fmt: skip


def moved(joint: Joint, position: float) -> Pose:
    """parent_from_child with the joint at a position (Rodrigues)."""
    if joint.kind == "prismatic":
        return joint.pose @ Pose(translation=position * joint.axis)
    k = skew(joint.axis)
    return joint.pose @ Pose(np.eye(3) + np.sin(position) * k + (1 - np.cos(position)) * k @ k)


def poses_of(robot: Description, positions: dict[str, float]) -> dict[str, Pose]:
    """root_from_link for every link."""
    children = {joint.child for joint in robot.joints}
    poses = {link.name: Pose() for link in robot.links if link.name not in children}
    waiting = list(robot.joints)
    while waiting:
        joint = next(j for j in waiting if j.parent in poses)
        waiting.remove(joint)
        poses[joint.child] = poses[joint.parent] @ moved(joint, positions.get(joint.name, 0.0))
    return poses


def in_pinocchio(model, positions: dict[str, float]) -> np.ndarray:
    q = pin.neutral(model)
    for name, value in positions.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
    return q


@pytest.mark.parametrize("model_file", MODELS)
def test_poses_and_inertias_agree(model_file, dataset):
    robot = read_urdf(dataset(model_file))
    model = pin.buildModelFromUrdf(str(dataset(model_file)))
    data = model.createData()
    rng = np.random.default_rng(1)
    moving = [joint for joint in robot.joints if joint.moves]
    assert {joint.name for joint in moving} == set(list(model.names)[1:])
    for _ in range(5):
        positions = {joint.name: rng.uniform(-2, 2) for joint in moving}
        pin.framesForwardKinematics(model, data, in_pinocchio(model, positions))
        for name, pose in poses_of(robot, positions).items():
            theirs = data.oMf[model.getFrameId(name, pin.FrameType.BODY)]
            assert np.allclose(pose.rotation, theirs.rotation, rtol=0, atol=1e-12), name
            assert np.allclose(pose.translation, theirs.translation, rtol=0, atol=1e-12), name
    groups = body_groups([link.name for link in robot.links], list(robot.joints))
    poses, inertia = poses_of(robot, {}), {link.name: link.inertia for link in robot.links}
    for joint in moving:
        total = sum(lumped(poses, inertia[name], joint.child, name).vector for name in groups[joint.child])
        theirs = model.inertias[model.getJointId(joint.name)].toDynamicParameters()
        assert np.allclose(total, theirs, rtol=1e-10, atol=1e-12 * max(1.0, np.abs(theirs).max())), joint.name


def lumped(poses: dict[str, Pose], body: Inertia, head: str, name: str) -> Inertia:
    """A link's body seen from the link it is welded to."""
    seen = poses[head].inverse() @ poses[name]
    return body.moved(seen.rotation, seen.translation)


@pytest.mark.parametrize("model_file", [m for m in MODELS if not m.startswith("tiago")])
def test_limits_and_friction_agree(model_file, dataset):
    robot = read_urdf(dataset(model_file))
    model = pin.buildModelFromUrdf(str(dataset(model_file)))
    for joint in robot.joints:
        if not joint.moves:
            continue
        v = model.joints[model.getJointId(joint.name)].idx_v
        assert model.damping[v] == joint.damping and model.upperDryFrictionLimit[v] == joint.friction
        if joint.kind != "continuous" and np.isfinite(joint.limits.lower):
            q = model.joints[model.getJointId(joint.name)].idx_q
            assert (model.lowerPositionLimit[q], model.upperPositionLimit[q]) == (joint.limits.lower, joint.limits.upper)
