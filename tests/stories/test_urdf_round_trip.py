"""Read, change inertias, write, read: the numbers arrive, nothing else moves, and Pinocchio reads the same numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from bifilar.errors import RobotError
from bifilar.robot.description import Description, Joint, Limits, Link, Mimic, Pose, Shape
from bifilar.robot.fresh_urdf import fresh_urdf, rpy_from_rotation
from bifilar.robot.inertia import Inertia
from bifilar.robot.read_urdf import parse_urdf, read_urdf
from bifilar.robot.urdf_fields import rotation_from_rpy
from bifilar.robot.write_urdf import disagreement, left_out, write_urdf

ARM = """<?xml version='1.0' encoding="UTF-8"?>
<!-- shoulder > elbow, "quoted" -->
<robot name="arm ä" xmlns:xacro="http://ros.org/wiki/xacro">\r
\t<link name="base"/>
  <link   name = 'upper' ><!-- weighed -->
    <inertial>
      <origin rpy="0.3 -0.2
                   1.1" xyz=" 0.1  -.2\t3e-1 "/>
      <mass   value = '2.50'/>
      <inertia ixx='0.03' ixy="0.001" ixz="0" iyy="0.02" iyz="-0.002" izz="0.025" />
    </inertial>
    <visual><geometry><mesh filename="package://arm/upper.stl"/></geometry></visual>
  </link>
  <link name="hand"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
  <link name="tip"><inertial><mass value="&#49;.5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/>
    <dynamics  damping="0.10"/>
  </joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="hand"/><axis xyz="0 1 0"/></joint>
  <joint name="weld" type="fixed"><origin xyz="0 0 0.1"/><parent link="hand"/><child link="tip"/></joint>
  <gazebo reference="upper"><mass value="99"/></gazebo>
</robot><!-- the end -->
""".encode()

MODELS = (
    "panda_gaz/panda.urdf", "ur10e_mamedov/ur10e.urdf", "double_pendulum/acrobot.urdf", "double_pendulum/pendubot.urdf",
    "tiago/tiago_48_schunk.urdf", "barrett_wam/wam7_from_libbarrett_conf.urdf", "ur10/ur10_robot.urdf",
    "rokae_xmate7/xmate3pro_kinematics.urdf", "kuka_lwr4/kuka_lwr4_identified.urdf", "kuka_lwr4/kuka_lwr4_centroepiaggio.urdf",
    "kuka_lwr4/kuka_lwr4_cogimon.urdf", "kuka_lwr4/kuka_lwr4.urdf", "kuka_lwr4/kuka_lwr4_gaz.urdf", "solo12_sim/solo12.urdf",
    "staubli_tx40/tx40_mdh_modified.urdf", "puma560/puma560_corke_stdDH.urdf", "puma560/puma560_akb.urdf",
    "sarcos/sarcos7_inferred.urdf", "kinova_gen3/gen3.urdf", "kinova_gen3/kinova.urdf",
)  # fmt: skip


def random_bodies(links: tuple[Link, ...], seed: int = 1) -> list[Link]:
    rng = np.random.default_rng(seed)
    return [replace(link, inertia=Inertia.from_log_cholesky(rng.normal(scale=0.7, size=10))) for link in links]


def random_friction(joints: tuple[Joint, ...], seed: int = 2) -> list[Joint]:
    rng = np.random.default_rng(seed)
    return [replace(j, damping=rng.uniform(), friction=rng.uniform()) if j.moves else j for j in joints]


def without_numbers(data: bytes) -> bytes:
    """The file's skeleton: numbers out, the elements the writer may insert out, white space beside them too."""
    text = re.sub(rb"<inertial>\s*<mass[^>]*>\s*<origin[^>]*>\s*<inertia [^>]*>\s*</inertial>", b"", data)
    text = re.sub(rb' (damping|friction)="[^"]*"', b"", text)
    return re.sub(rb"-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", b"#", text, flags=re.IGNORECASE)


def declared(description: Description) -> tuple[Link, ...]:
    """Links that stand in the file; an undeclared 'world' cannot be given a mass there."""
    return tuple(link for link in description.links if f'name="{link.name}"'.encode() in description.source.data)


def test_nothing_changed_is_the_same_bytes():
    arm = parse_urdf(ARM)
    assert write_urdf(arm, arm.links, arm.joints) == ARM


def test_numbers_arrive_and_only_numbers_change():
    arm = parse_urdf(ARM)
    links, joints = random_bodies(arm.links), random_friction(arm.joints)
    data = write_urdf(arm, links, joints)
    again = parse_urdf(data)
    for link, back in zip(links, again.links, strict=True):
        assert disagreement(link.inertia, back.inertia) < 1e-12
    assert [(j.damping, j.friction) for j in again.joints] == [(j.damping, j.friction) for j in joints]
    for kept in (
        b'\r\n\t<link name="base">',
        b"<link   name = 'upper' ><!-- weighed -->",
        b'rpy="0.3 -0.2\n                   1.1"',
        b'<gazebo reference="upper"><mass value="99"/></gazebo>',
        b"<!-- the end -->\n",
        "arm ä".encode(),
    ):
        assert kept in data


def test_one_number_changes_one_number():
    arm = parse_urdf(ARM)
    joints = [replace(j, damping=0.25) if j.name == "shoulder" else j for j in arm.joints]
    assert write_urdf(arm, arm.links, joints) == ARM.replace(b'damping="0.10"', b'damping="0.25"')
    upper = arm.links[1].inertia
    heavier = Inertia.from_center_of_mass(3.0, upper.center_of_mass, upper.about_center_of_mass)
    links = [replace(link, inertia=heavier) if link.name == "upper" else link for link in arm.links]
    assert write_urdf(arm, links, arm.joints) == ARM.replace(b"value = '2.50'", b"value = '3'")


def test_mass_for_a_link_without_inertial_is_inserted():
    arm = parse_urdf(b'<robot name="a">\r\n  <link name="x" />\r\n</robot>')
    link = replace(arm.links[0], inertia=Inertia.from_center_of_mass(1.0, [0, 0, 0.5], 0.5 * np.eye(3)))
    assert write_urdf(arm, [link], ()).decode().split("\r\n") == [
        '<robot name="a">',
        '  <link name="x">',
        "    <inertial>",
        '      <mass value="1"/>',
        '      <origin xyz="0 0 0.5" rpy="0 0 0"/>',
        '      <inertia ixx="0.5" ixy="0" ixz="0" iyy="0.5" iyz="0" izz="0.5"/>',
        "    </inertial>",
        "  </link>",
        "</robot>",
    ]


@pytest.mark.parametrize("model", MODELS)
def test_datasets_round_trip(model, dataset):
    robot = read_urdf(dataset(model))
    assert write_urdf(robot, robot.links, robot.joints) == robot.source.data
    names = {link.name for link in declared(robot)}
    links = [new if new.name in names else old for old, new in zip(robot.links, random_bodies(robot.links), strict=True)]
    joints = random_friction(robot.joints)
    data = write_urdf(robot, links, joints)
    again = parse_urdf(data)
    assert max(disagreement(a.inertia, b.inertia) for a, b in zip(links, again.links, strict=True)) < 1e-12
    for old, new in zip(robot.joints, again.joints, strict=True):
        assert np.array_equal(old.pose.rotation, new.pose.rotation) and np.array_equal(old.axis, new.axis)
    if all(link.has_inertia for link in robot.links) and data.count(b"<dynamics") == robot.source.data.count(b"<dynamics"):
        assert without_numbers(data).split() == without_numbers(robot.source.data).split()


def test_pinocchio_reads_the_written_numbers():
    pin = pytest.importorskip("pinocchio")
    arm = parse_urdf(ARM.replace(b"\n                  ", b"").replace(b"\t3e-1", b" 3e-1"))  # urdfdom splits at blanks only
    links = random_bodies(arm.links)
    model = pin.buildModelFromXML(write_urdf(arm, links, arm.joints).decode())
    named = {link.name: link.inertia for link in links}
    assert np.allclose(model.inertias[1].toDynamicParameters(), named["upper"].vector, rtol=1e-12, atol=1e-12)
    hand = named["hand"].vector + named["tip"].moved(np.eye(3), [0, 0, 0.1]).vector
    assert np.allclose(model.inertias[2].toDynamicParameters(), hand, rtol=1e-12, atol=1e-12)


def test_the_file_appears_whole_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(ARM)
    path.chmod(0o640)
    permissions = path.stat().st_mode
    arm = read_urdf(path)
    data = write_urdf(arm, random_bodies(arm.links), arm.joints, path)
    assert path.read_bytes() == data and path.stat().st_mode == permissions
    assert [file.name for file in tmp_path.iterdir()] == ["arm.urdf"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda links, joints: (links[1:], joints), "link 'base' of the file is missing; only numbers can be changed in it"),
        (
            lambda links, joints: ([*links, Link("load")], joints),
            "link 'load' is not in the file; only numbers can be changed in it",
        ),
        (
            lambda links, joints: (links, joints[1:]),
            "joint 'shoulder' of the file is missing; only numbers can be changed in it",
        ),
        (
            lambda links, joints: (links, [replace(joints[0], kind="fixed"), *joints[1:]]),
            "joint 'shoulder' has another kind than in the file",
        ),
        (
            lambda links, joints: (links, [replace(joints[0], axis=[0, 1, 0]), *joints[1:]]),
            "joint 'shoulder' has another axis than in the file",
        ),
        (
            lambda links, joints: (
                [replace(links[0], inertia=Inertia.from_vector([0, 1, 0, 0, 1, 0, 1, 0, 0, 1])), *links[1:]],
                joints,
            ),
            "link 'base' has a first moment but no mass, which URDF cannot state",
        ),
        (
            lambda links, joints: ([replace(links[0], inertia=Inertia.from_vector([np.nan] * 10)), *links[1:]], joints),
            "link 'base' has an inertia that is not finite",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(change, what, tmp_path):
    arm = parse_urdf(ARM)
    with pytest.raises(RobotError) as caught:
        write_urdf(arm, *change(list(arm.links), list(arm.joints)), tmp_path / "arm.urdf")
    assert caught.value.what == what
    assert not list(tmp_path.iterdir())


def test_fresh_urdf_says_the_same_robot():
    rng = np.random.default_rng(3)
    turn = Pose(rotation_from_rpy(*rng.uniform(-3, 3, 3)), rng.normal(size=3))
    shapes = (Shape("box", (1.0, 2.0, 3.0), turn), Shape("sphere", (0.1,)), Shape("mesh", (1.0, 1.0, 1.0), mesh="a & b.stl"))
    names = ("base", 'we "ird" <&>', "c", "d\tä", "e")
    links = random_bodies(tuple(Link(name, shapes=shapes) for name in names))
    joints = [
        Joint(
            "j1", "revolute", names[0], names[1], turn, [0, 0.6, 0.8], Limits(-1, 2.5, 3, effort=4), damping=0.1, friction=0.2
        ),
        Joint("j2", "revolute", names[1], names[2], turn, [1, 0, 0]),
        Joint("j3", "prismatic", names[2], names[3], turn, [0, 0, 1], Limits(-1, 1), Mimic("j1", -2.0, 0.5)),
        Joint("j4", "fixed", names[3], names[4], turn),
    ]
    again = parse_urdf(write_urdf(Description("fresh", tuple(links), tuple(joints)), links, joints))
    for old, new in zip(joints, again.joints, strict=True):
        assert np.allclose(old.pose.rotation, new.pose.rotation, rtol=0, atol=1e-15)
        assert np.array_equal(old.pose.translation, new.pose.translation)
        assert (old.mimic, old.damping, old.friction) == (new.mimic, new.damping, new.friction)
    assert [joint.kind for joint in again.joints] == ["revolute", "continuous", "prismatic", "fixed"]
    assert again.joints[0].limits == replace(joints[0].limits)
    assert again.joints[2].limits == joints[2].limits  # velocity and effort are unknown before and after
    assert [(s.kind, s.size, s.mesh) for s in again.links[0].shapes] == [(s.kind, s.size, s.mesh) for s in shapes]
    assert [(one.code, one.severity, one.about) for one in again.findings] == [("limits.absurd", "note", "j3")]


def test_pinocchio_reads_a_fresh_urdf():
    pin = pytest.importorskip("pinocchio")
    links = random_bodies((Link("base"), Link("arm", shapes=(Shape("capsule", (0.1, 0.5)),))))
    joint = Joint("j", "revolute", "base", "arm", Pose(rotation_from_rpy(1, 2, 3), np.ones(3)), [0, 0, 1])
    model = pin.buildModelFromXML(fresh_urdf("two", links, [joint]).decode())
    assert np.allclose(model.inertias[1].toDynamicParameters(), links[1].inertia.vector, rtol=1e-12)
    assert np.allclose(model.jointPlacements[1].rotation, joint.pose.rotation, atol=1e-15)


@pytest.mark.parametrize("pitch", [0.0, 0.3, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, 1.5708])
def test_angles_of_any_rotation_give_it_back(pitch):
    rng = np.random.default_rng(4)
    for roll, yaw in rng.uniform(-np.pi, np.pi, size=(20, 2)):
        rotation = rotation_from_rpy(roll, pitch, yaw)
        assert np.allclose(rotation_from_rpy(*rpy_from_rotation(rotation)), rotation, rtol=0, atol=1e-15)


def test_rotor_inertia_is_said_to_be_left_out():
    assert left_out([Joint("j", "revolute", "a", "b", armature=0.5), Joint("k", "revolute", "b", "c")])[0].where == "joint 'j'"
