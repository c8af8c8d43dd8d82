"""MJCF both ways: what we read is the machine MuJoCo simulates, what we write is the machine Pinocchio knows from the URDF."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles import Machine, Pinocchio, State, description_of, random_machine, random_rotation, random_state
from zoo import IMPOSSIBLE

from bifilar.errors import RobotError
from bifilar.robot import library
from bifilar.robot.assemble import assemble
from bifilar.robot.description import Description, Joint, Limits, Link, Mimic, Pose
from bifilar.robot.inertia import Inertia
from bifilar.robot.read_mjcf import parse_mjcf, read_mjcf
from bifilar.robot.read_urdf import read_urdf
from bifilar.robot.write_mjcf import write_mjcf

mujoco = pytest.importorskip("mujoco")
pin = pytest.importorskip("pinocchio")

TOLERANCE = 1e-10  # relative to the largest torque
SAMPLES = 100
INERTIAL = '<inertial mass="1.3" pos="0.1 -0.2 0.15" fullinertia="0.2 0.25 0.3 0.02 -0.01 0.03"/>'

MODELS = {
    "hinge with anchor off the body origin": f"""<body pos="0.1 0 0.2" euler="20 30 40">
        <joint name="a" axis="1 2 3" pos="0.3 -0.1 0.2"/>{INERTIAL}</body>""",
    "reference angle": f'<body><joint name="a" axis="0 1 1" ref="35" pos="0 0.1 0"/>{INERTIAL}</body>',
    "slide with reference": f"""<body euler="0 50 0"><joint name="a" type="slide" axis="1 1 0" ref="0.4" pos="1 2 3"/>
        {INERTIAL}</body>""",
    "three joints in one body": f"""<body pos="0 0.3 0"><joint name="a" axis="1 0 0" pos="0.1 0.2 0"/>
        <joint name="b" type="slide" axis="0 1 0"/><joint name="c" axis="0 0 1" pos="-0.2 0 0.3" ref="10"/>{INERTIAL}
        <body name="next" pos="0.2 0 0" euler="0 0 30"><joint name="d" axis="0 1 0" pos="0 0 0.1"/>{INERTIAL}</body></body>""",
    "branches and welded bodies": f"""<body><joint name="a" axis="0 0 1"/>{INERTIAL}
        <body pos="0 0 1" euler="10 0 0">{INERTIAL}<body pos="1 0 0"><joint name="b" axis="0 1 0"/>{INERTIAL}</body></body>
        <body pos="0 1 0"><joint name="c" axis="1 0 0" armature="0.4"/>{INERTIAL}</body></body>""",
    "mass from geoms": """<body><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.05"/>
        <body pos="0.4 0 0.1"><joint name="b" axis="0 1 0"/><geom type="box" size="0.1 0.05 0.2" pos="0 0 0.2" euler="0 30 0"/>
        </body></body>""",
    "free body with arm": f"""<body pos="0.2 0.3 1" euler="10 20 30"><freejoint name="root"/>{INERTIAL}
        <body pos="0 0 0.5"><joint name="a" axis="0 1 0" pos="0.1 0 0"/>{INERTIAL}</body></body>""",
}


def model_of(xml: str):
    """MuJoCo's model with everything switched off that is not the equation of motion."""
    model = mujoco.MjModel.from_xml_string(xml)
    bits = mujoco.mjtDisableBit
    model.opt.disableflags |= int(bits.mjDSBL_CONSTRAINT) | int(bits.mjDSBL_DAMPER) | int(bits.mjDSBL_SPRING)
    return model


def places(model, names):
    """Where joints stand in qpos and qvel."""
    joints = [model.joint(name) for name in names]
    return [int(j.qposadr[0]) for j in joints], [int(j.dofadr[0]) for j in joints]


def mujoco_torque(model, names, q, v, a):
    """Joint torques (N, n) by MuJoCo for joint positions by name."""
    data = mujoco.MjData(model)
    at_q, at_v = places(model, names)
    torque = np.empty_like(q)
    for k in range(len(q)):
        data.qpos[at_q], data.qvel[at_v], data.qacc[at_v] = q[k], v[k], a[k]
        mujoco.mj_inverse(model, data)
        torque[k] = data.qfrc_inverse[at_v]
    return torque


def mujoco_base_and_joints(model, free, names, tree, state: State):
    """The same for a floating base: MuJoCo's free joint has linear rates in the world and angular ones in the body."""
    data = mujoco.MjData(model)
    at_q, at_v = places(model, names)
    f_q, f_v = int(model.joint(free).qposadr[0]), int(model.joint(free).dofadr[0])
    rows = np.empty((len(state.q), 6 + len(names)))
    for k in range(len(state.q)):
        r = state.world_from_root[k]
        classical = state.root[k, 6:] + state.gravity_in_root(tree)[k]
        quaternion = pin.Quaternion(r).coeffs()
        data.qpos[f_q : f_q + 7] = [0.3, -0.2, 0.1, quaternion[3], *quaternion[:3]]
        data.qvel[f_v : f_v + 6] = np.r_[r @ state.linear_velocity[k], state.root[k, :3]]
        data.qacc[f_v : f_v + 6] = np.r_[r @ classical, state.root[k, 3:6]]
        data.qpos[at_q], data.qvel[at_v], data.qacc[at_v] = state.q[k], state.v[k], state.a[k]
        mujoco.mj_inverse(model, data)
        force = data.qfrc_inverse[f_v : f_v + 6]
        rows[k] = np.r_[r.T @ force[:3], force[3:], data.qfrc_inverse[at_v]]
    return rows


class Twin(Pinocchio):
    """Pinocchio's twin of a description."""

    def __init__(self, description: Description) -> None:
        self.parts = assemble(description, gravity=description.gravity)
        super().__init__(Machine(self.parts.tree, self.parts.fold(description.links)))


def armatures(description: Description, names) -> np.ndarray:
    by_name = {joint.name: joint.armature for joint in description.joints}
    return np.array([by_name[name] for name in names])


def assert_close(ours, theirs, tolerance=TOLERANCE):
    assert np.abs(ours - theirs).max() <= tolerance * max(np.abs(theirs).max(), 1e-3)


@pytest.mark.parametrize("xml", MODELS.values(), ids=MODELS.keys())
def test_what_is_read_is_what_mujoco_simulates(xml):
    """Inverse dynamics: Pinocchio on the description we read, MuJoCo on the file itself."""
    xml = f"<mujoco><worldbody>{xml}</worldbody></mujoco>"
    description = parse_mjcf(xml)
    twin = Twin(description)
    parts = twin.parts
    state = random_state(np.random.default_rng(1), parts.tree, SAMPLES, moving_root=parts.tree.floating)
    rows = twin.inverse_dynamics(state)
    rows[:, 6:] += armatures(description, parts.joint_names) * state.a
    model = model_of(xml)
    if parts.tree.floating:
        assert_close(rows, mujoco_base_and_joints(model, "root", parts.joint_names, parts.tree, state))
    else:
        assert_close(rows[:, 6:], mujoco_torque(model, parts.joint_names, state.q, state.v, state.a))


def test_poses_of_bodies_and_their_kept_frames():
    """Where the link was moved onto its axis, `<body>_frame` is still where MuJoCo has the body."""
    xml = f"""<mujoco><worldbody><body name="arm" pos="0.1 0 0.2" euler="20 30 40">
        <joint name="a" axis="1 2 3" pos="0.3 -0.1 0.2" ref="15"/>{INERTIAL}
        <body name="hand" pos="0 0 0.5"><joint name="b" axis="0 1 0" pos="0 0 0.4"/>{INERTIAL}</body></body>
        </worldbody></mujoco>"""
    description = parse_mjcf(xml)
    twin = Twin(description)
    parts = twin.parts
    state = random_state(np.random.default_rng(2), parts.tree, 5, moving_root=False)
    rotation, translation = twin.poses(state)
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    links = [link.name for link in description.links]
    assert any("arm_frame" in finding.what for finding in description.findings)
    for k in range(5):
        data.qpos[:] = state.q[k]
        mujoco.mj_kinematics(model, data)
        for body in ("arm", "hand"):
            i = links.index(f"{body}_frame")
            at, pose = parts.link_body[i], parts.link_pose[i]
            place = rotation[k, at] @ pose.translation + translation[k, at]
            assert np.allclose(place, data.body(body).xpos, atol=1e-12)
            assert np.allclose(rotation[k, at] @ pose.rotation, data.body(body).xmat.reshape(3, 3), atol=1e-12)


def test_drive_numbers_limits_and_gravity():
    xml = f"""<mujoco><option gravity="0 1 -3"/><worldbody><body><joint name="a" damping="0.3" frictionloss="0.7" armature="0.2"
        range="-20 30"/>{INERTIAL}</body></worldbody><actuator><motor joint="a" gear="-3" armature="2" damping="0.5"
        ctrlrange="-4 4"/></actuator></mujoco>"""
    description = parse_mjcf(xml)
    joint = next(joint for joint in description.joints if joint.name == "a")
    assert (joint.damping, joint.friction, joint.armature) == (0.3 + 4.5, 0.7, 0.2 + 18)
    assert np.allclose((joint.limits.lower, joint.limits.upper, joint.limits.effort), (np.radians(-20), np.radians(30), 12))
    assert np.array_equal(description.gravity, [0, 1, -3])
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    speed = np.array([[1.7]])
    still = mujoco_torque(model, ["a"], 0 * speed, 0 * speed, 0 * speed)
    damped = mujoco_torque(model, ["a"], 0 * speed, speed, 0 * speed)
    assert_close(damped - still, joint.damping * speed)  # one hinge has no velocity torque of its own
    pushed = mujoco_torque(model, ["a"], 0 * speed, 0 * speed, speed)
    inertia = next(link.inertia for link in description.links if link.inertia.mass > 0)
    assert_close(pushed - still, (inertia.rotational[2, 2] + joint.armature) * speed)


def test_linear_equalities_are_mimics_and_others_are_findings():
    body = f'<body pos="1 0 0"><joint name="{{}}" axis="0 1 0" ref="{{}}"/>{INERTIAL}</body>'
    bodies = "".join(body.format(name, ref) for name, ref in (("a", 10), ("b", 20), ("c", 0), ("d", 0)))
    xml = f"""<mujoco><worldbody>{bodies}</worldbody><equality>
        <joint joint1="b" joint2="a" polycoef="0.1 -2 0 0 0"/><joint name="bent" joint1="c" joint2="a" polycoef="0 1 0.5 0 0"/>
        <joint name="held" joint1="d"/></equality></mujoco>"""
    description = parse_mjcf(xml)
    mimics = {joint.name: joint.mimic for joint in description.joints if joint.mimic}
    assert set(mimics) == {"b"} and mimics["b"].ratio == -2 and mimics["b"].joint == "a"
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    q = 0.37
    data.qpos[:] = [q, mimics["b"].ratio * q + mimics["b"].offset, 0, 0]
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos[0]) < 1e-12  # MuJoCo's own residual of the first equality
    found = {finding.where for finding in description.findings}
    assert found == {"equality 'bent'", "equality 'held'"}


def pinocchio_torque(twin, names, q, v, a):
    """Joint torques (N, n) by Pinocchio on its own model; a continuous joint of its is a cosine and a sine."""
    data, joints, torque = twin.createData(), [twin.joints[twin.getJointId(name)] for name in names], np.empty_like(q)
    for k in range(len(q)):
        full_q, full_v, full_a = pin.neutral(twin), np.zeros(twin.nv), np.zeros(twin.nv)
        for i, joint in enumerate(joints):
            angle = [q[k, i]] if joint.nq == 1 else [np.cos(q[k, i]), np.sin(q[k, i])]
            full_q[joint.idx_q : joint.idx_q + joint.nq] = angle
            full_v[joint.idx_v], full_a[joint.idx_v] = v[k, i], a[k, i]
        tau = pin.rnea(twin, data, full_q, full_v, full_a)
        torque[k] = [tau[joint.idx_v] for joint in joints]
    return torque


# Files whose links could not exist (moments violate A + B >= C, or a moving link has no inertia): MuJoCo has no such bodies.
REFUSED = {name for name in IMPOSSIBLE if name.endswith(".urdf") and not name.startswith("iiwa7")}


def dataset_urdfs() -> list[str]:
    folder = Path(os.environ.get("BIFILAR_DATA", ""))
    return sorted(str(f.relative_to(folder)) for f in folder.glob("*/*.urdf")) if os.environ.get("BIFILAR_DATA") else []


@pytest.mark.parametrize("name", dataset_urdfs() or ["panda_gaz/panda.urdf"])
def test_mjcf_written_from_a_urdf_is_the_urdf(name, dataset):
    """MuJoCo on the MJCF we write, Pinocchio on the URDF itself; joints matched by name, mimics let loose."""
    path = dataset(name)
    try:
        description = read_urdf(path)
    except RobotError as error:
        pytest.skip(f"not a URDF we read: {error.what}")
    if name in REFUSED:
        with pytest.raises(RobotError, match="MuJoCo has no such bodies"):
            write_mjcf(description)
        return
    names = [joint.name for joint in description.joints if joint.moves]
    model = model_of(write_mjcf(description))
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, SAMPLES, len(names)))
    try:
        expected = pinocchio_torque(pin.buildModelFromUrdf(str(path)), names, q, v, a)
    except Exception:  # Pinocchio refuses some files we read (and raises what urdfdom gives it): then on our links and joints
        alone = replace(description, joints=tuple(replace(joint, mimic=None) for joint in description.joints))
        state = random_state(rng, Twin(alone).tree, SAMPLES, moving_root=False)
        expected = Twin(alone).inverse_dynamics(replace(state, q=q, v=v, a=a))[:, 6:]
    assert_close(mujoco_torque(model, names, q, v, a), expected)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("floating", [False, True])
def test_random_trees_written_as_mjcf(seed, floating):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, joints=7, mimic=False, shuffled=False, floating=floating)
    description = description_of(machine)
    model = model_of(write_mjcf(description, floating=floating))
    state = random_state(rng, machine.tree, SAMPLES, moving_root=floating)
    names = [joint.name for joint in description.joints]
    expected = Pinocchio(machine).inverse_dynamics(state)
    if floating:
        free = f"{description.links[0].name}_free"
        assert_close(mujoco_base_and_joints(model, free, names, machine.tree, state), expected)
    else:
        assert_close(mujoco_torque(model, names, state.q, state.v, state.a), expected[:, 6:])


@pytest.mark.parametrize("name", [name for name in library.names() if name != "puma560"])
def test_library_there_and_back(name):
    """Written and read again: same torques by Pinocchio, same drive numbers and limits that MJCF can hold."""
    first = library.load_description(name)
    second = parse_mjcf(write_mjcf(first))
    torques = []
    for description in (first, second):
        twin = Twin(description)
        parts = twin.parts
        state = random_state(np.random.default_rng(4), parts.tree, 20, moving_root=False)
        order = np.argsort(parts.joint_names)
        assert len(order) == parts.tree.n_coordinates
        back = np.argsort(order)
        same = replace(state, q=state.q[:, back], v=state.v[:, back], a=state.a[:, back])
        torques.append(twin.inverse_dynamics(same)[:, 6:][:, order])
    assert_close(torques[0], torques[1], 1e-12)
    again = {joint.name: joint for joint in second.joints}
    for joint in first.joints:
        if joint.moves:
            twin = again[joint.name]
            assert (joint.damping, joint.friction, joint.armature) == (twin.damping, twin.friction, twin.armature)
            kept = Limits(joint.limits.lower, joint.limits.upper, effort=joint.limits.effort)
            assert kept == twin.limits
    shapes = sum(len(link.shapes) for link in first.links)
    assert shapes == sum(len(link.shapes) for link in second.links) > 0


def test_massless_carriers_become_joints_of_one_body():
    rng = np.random.default_rng(5)
    carriers = [Link("world"), Link("x"), Link("y"), Link("tip", Inertia.from_log_cholesky(rng.normal(size=10) * 0.3))]
    joints = [
        Joint(name, kind, parent, child, Pose(random_rotation(rng), rng.normal(size=3)), axis=[0.6, 0.0, 0.8])
        for name, kind, parent, child in (
            ("a", "continuous", "world", "x"),
            ("b", "prismatic", "x", "y"),
            ("c", "continuous", "y", "tip"),
        )
    ]
    description = Description("carriers", tuple(carriers), tuple(joints))
    xml = write_mjcf(description)
    assert xml.count("<body") == 1
    twin = Twin(description)
    state = random_state(rng, twin.tree, SAMPLES, moving_root=False)
    expected = twin.inverse_dynamics(state)[:, 6:]
    assert_close(mujoco_torque(model_of(xml), twin.parts.joint_names, state.q, state.v, state.a), expected)


def test_a_rider_that_could_not_exist_is_written_into_the_link_it_rides_on():
    solid = Inertia.from_center_of_mass(5.0, [0, 0, 0.2], np.diag([0.3, 0.3, 0.1]))
    flat = Inertia.from_center_of_mass(0.1, [0.1, 0, 0], np.diag([0.001, 0.001, 0.005]))
    weld = Joint("weld", "fixed", "arm", "tag", Pose(random_rotation(np.random.default_rng(6)), [0.1, 0.2, 0.3]))
    description = Description(
        "tagged", (Link("base"), Link("arm", solid), Link("tag", flat)), (Joint("hinge", "continuous", "base", "arm"), weld)
    )
    twin = Twin(description)
    state = random_state(np.random.default_rng(7), twin.tree, 10, moving_root=False)
    expected = twin.inverse_dynamics(state)[:, 6:]
    assert_close(mujoco_torque(model_of(write_mjcf(description)), ["hinge"], state.q, state.v, state.a), expected)


def test_mimic_is_written_as_an_equality_and_read_back():
    first = Description(
        "hand",
        (Link("base"), *(Link(name, Inertia.from_pseudo(np.diag([0.01, 0.02, 0.03, 1.0]))) for name in ("left", "right"))),
        (
            Joint("one", "prismatic", "base", "left", axis=[0, 1, 0]),
            Joint("two", "prismatic", "base", "right", axis=[0, 1, 0], mimic=Mimic("one", -1.0, 0.01)),
        ),
    )
    second = parse_mjcf(write_mjcf(first))
    assert next(joint.mimic for joint in second.joints if joint.name == "two") == Mimic("one", -1.0, 0.01)


def test_file_with_includes_in_its_folder(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        f'<mujocoinclude><body name="arm"><joint name="a"/>{INERTIAL}</body></mujocoinclude>'
    )
    main = tmp_path / "main.xml"
    main.write_text('<mujoco model="joined"><worldbody><include file="parts/arm.xml"/></worldbody></mujoco>')
    description = read_mjcf(main)
    assert description.name == "joined" and [link.name for link in description.links] == ["world", "arm"]
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_a_free_base_without_mass_is_refused_by_name():
    with pytest.raises(RobotError, match="MuJoCo has no such bodies: 'link0'"):
        write_mjcf(library.load_description("pendulum"), floating=True)
