"""Robots handed on: others read the same robot, only numbers of a URDF change, what is lost is said, names stay text."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import twins
import zoo

import bifilar as bf
from bifilar.export import write_model as module
from bifilar.export.carried_friction import commented
from bifilar.export.parity import states_of
from bifilar.robot.urdf_fields import NUMBER
from bifilar.robot.write_file import Draft

LIBRARY = ("kuka_lwr4", "panda", "pendulum", "two_link", "ur10e", "wam", "wam_libbarrett")  # MuJoCo takes their URDF
URDF = (
    "panda_gaz/panda.urdf",
    "ur10/ur10_robot.urdf",
    "ur10e_mamedov/ur10e.urdf",
    "kinova_gen3/kinova.urdf",
    "kuka_lwr4/kuka_lwr4_centroepiaggio.urdf",
    "solo12_sim/solo12.urdf",
    "sarcos/sarcos7_inferred.urdf",
    "double_pendulum/acrobot.urdf",
)
MJCF = ("cartpole", "gripper", "scara")
FORMATS = ("urdf", "xml", "sdf", "json", "csv", "yaml")
STRANGE = ("=HYPERLINK(1)", "<script>alert(1)</script>", "@SUM(1)", "+1", "-2", "'=x", 'a"&b', " =1", "ü\u2028\U0001f916")


def load(name: str, dataset) -> bf.Robot:
    if name in MJCF:
        return bf.Robot.load(zoo.FOLDER / f"{name}.xml")
    return bf.Robot.load(name if name in LIBRARY else dataset(name))


def identified(robot: bf.Robot) -> bf.Robot:
    """Other inertias that can exist (every link a little heavier, as if made of denser stuff) and friction everywhere."""
    rng = np.random.default_rng(3)
    heavier = {
        link.name: bf.Inertia.from_vector(link.inertia.vector * rng.uniform(0.7, 1.4))
        for link in robot.links
        if link.has_inertia
    }
    drives = robot.with_inertia(heavier).with_friction(bf.Viscous() + bf.Coulomb() + bf.RotorInertia() + bf.Offset())
    return drives.with_parameters({name: rng.uniform(0.01, 0.5) for name in drives.drive_columns.names})


@pytest.mark.parametrize("name", [*LIBRARY, *URDF, *MJCF])
def test_others_read_the_same_robot(name, dataset, tmp_path):
    robot = identified(load(name, dataset))
    for ending in ("urdf", "xml"):
        done = bf.write_model(robot, tmp_path / f"robot.{ending}")
        assert done.reader.startswith("MuJoCo") and done.difference <= 1e-9, done
    motion = twins.random_motion(np.random.default_rng(5), robot, 10)
    q, v, a = motion.q, motion.v, motion.a
    smooth = robot.with_friction(bf.Viscous() + bf.RotorInertia())  # friction loss is a constraint in MuJoCo
    theirs = twins.MujocoFile(tmp_path / "robot.xml", robot).inverse_dynamics(motion)
    ours = smooth.inverse_dynamics(q, v, a, **motion.given)
    assert np.abs(theirs - ours).max() <= 1e-9 * np.abs(ours).max()
    again = bf.Robot.load(tmp_path / "robot.urdf", floating=robot.is_floating, gravity=robot.gravity)
    dry = robot.with_friction(bf.Viscous() + bf.Coulomb())
    ours = dry.inverse_dynamics(q, v, a, **motion.given)
    assert np.abs(again.inverse_dynamics(q, v, a, **motion.given) - ours).max() <= 1e-9 * np.abs(ours).max()


@pytest.mark.parametrize("name", ["panda", "walker3", "puma560", "gripper", "quadruped", "anchors", "crane", "wrist"])
def test_all_formats_come_back(name, tmp_path):
    robot = identified(bf.Robot.load(zoo.FOLDER / f"{name}.xml" if (zoo.FOLDER / f"{name}.xml").exists() else name))
    for ending in ("urdf", "sdf", "json", "csv", "yaml"):
        assert bf.write_model(robot, tmp_path / f"robot.{ending}").difference <= 1e-9
    assert sorted(path.suffix[1:] for path in tmp_path.iterdir()) == ["csv", "json", "sdf", "urdf", "yaml"]


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", ["tree with follower", "slides and hinges", "hand", "weightless"])
def test_random_trees(name, floating, tmp_path):
    robot = identified(bf.Robot.build(zoo.random_description(name), floating=floating))
    done = [bf.write_model(robot, tmp_path / f"robot.{ending}") for ending in FORMATS]
    assert all(file.difference <= 1e-9 for file in done) and all(file.reader.startswith("MuJoCo") for file in done[:2])


@pytest.mark.parametrize("name", ["quadruped", "crane"])
def test_a_base_that_the_file_frees(name, tmp_path):
    robot = bf.Robot.load(zoo.FOLDER / f"{name}.xml")
    assert robot.is_floating and bf.write_model(robot, tmp_path / "robot.xml").difference <= 1e-9
    assert bf.Robot.load(tmp_path / "robot.xml").is_floating


def test_a_floating_robot(tmp_path):
    robot = identified(bf.Robot.load("panda", floating=True).with_payload("link0", zoo.TRUNK))
    done = [bf.write_model(robot, tmp_path / f"robot.{ending}") for ending in FORMATS]
    assert all(file.difference <= 1e-9 for file in done)
    assert "URDF does not say that the base moves freely" in done[0].lost
    assert all("moves freely" not in " ".join(file.lost) for file in done[1:])


def test_links_that_mujoco_refuses_are_read_by_another(tmp_path, monkeypatch):
    from bifilar.export import reread

    robot = bf.Robot.load("walker3")
    monkeypatch.setattr(reread, "pinocchio_name", lambda: "")
    done = bf.write_model(robot, tmp_path / "walker.urdf")
    assert done.reader.startswith("bifilar itself (MuJoCo does not take it: mass and inertia of moving bodies")
    assert done.difference <= 1e-9


def without_numbers(data: bytes) -> bytes:
    return re.sub(NUMBER.pattern.encode(), b"#", data)


ARM = b"""<?xml version="1.0"?>\r
<!-- measured by hand, 3.5 kg? -->\r
<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">\r
  <link name="base"/>\r
  <link name="upper">\t<!-- aluminium -->\r
    <visual><geometry><mesh filename="package://arm/meshes/upper.dae" scale="0.001 0.001 0.001"/></geometry></visual>\r
    <inertial><origin xyz="0.1 0 0.0200" rpy="0 0.1 0"/><mass value="2.0"/>\r
      <inertia ixx="0.0100" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>\r
  </link>\r
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>\r
    <limit lower="-1" upper="1" effort="20" velocity="2"/><dynamics damping="0.1" friction="0.0"/></joint>\r
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type></transmission>\r
  <gazebo reference="upper"><mu1>0.2</mu1></gazebo>\r
</robot>"""


def test_only_numbers_of_a_urdf_change(tmp_path):
    """And a comment at its end says what friction it could not take."""
    (tmp_path / "arm.urdf").write_bytes(ARM)
    robot = identified(bf.Robot.load(tmp_path / "arm.urdf"))
    done = bf.write_model(robot, tmp_path / "new.urdf")
    whole = (tmp_path / "new.urdf").read_bytes()
    assert b"<!-- bifilar, friction of the model:" in whole
    new = commented(whole, (), "URDF")
    assert new != ARM and without_numbers(new) == without_numbers(ARM)
    for line, before in zip(new.split(b"\r\n"), ARM.split(b"\r\n"), strict=True):
        assert line == before or b"<mass" in before or b"ixx" in before or b"damping" in before
    assert any("rotor inertia: shoulder" in sentence for sentence in done.lost)


@pytest.mark.parametrize("name", URDF[:5])
def test_comments_and_meshes_of_real_files_stay(name, dataset, tmp_path):
    before = dataset(name).read_bytes()
    robot = bf.Robot.load(dataset(name))
    stated = {link.name: bf.Inertia.from_vector(1.3 * link.inertia.vector) for link in robot.links if link.has_inertia}
    bf.write_model(robot.with_inertia(stated), tmp_path / "new.urdf")
    after = (tmp_path / "new.urdf").read_bytes()
    assert after != before and without_numbers(after) == without_numbers(before)
    assert re.findall(rb"<!--.*?-->|filename=\S*", after, re.S) == re.findall(rb"<!--.*?-->|filename=\S*", before, re.S)


def strange_robot() -> bf.Robot:
    body = bf.Inertia.from_center_of_mass(1.0, [0.1, 0.0, 0.2], 0.02 * np.eye(3))
    links = tuple(bf.Link(f"{name}L", body, has_inertia=True) for name in ("base", *STRANGE))
    joints = tuple(
        bf.Joint(name, "revolute", links[k].name, links[k + 1].name, bf.Pose(np.eye(3), [0, 0.1, 0.1]), [0, 1, 0])
        for k, name in enumerate(STRANGE)
    )
    robot = bf.Robot.build(bf.Description("=cmd|<script>", links, joints)).with_friction(bf.Viscous())
    return robot.with_parameters({f"{name}.viscous": 0.1 for name in STRANGE})


def test_strange_names_stay_text(tmp_path):
    robot = strange_robot()
    for ending in FORMATS:
        assert bf.write_model(robot, tmp_path / f"x.{ending}").difference <= 1e-9
    for ending in ("urdf", "xml", "sdf"):
        data = (tmp_path / f"x.{ending}").read_bytes()
        assert b"<script" not in data and b"&lt;script&gt;" in data
        tag = {"urdf": "joint", "xml": ".//worldbody//joint", "sdf": "model/joint"}[ending]
        names = [element.get("name") for element in ElementTree.fromstring(data).findall(tag)]
        assert {name.strip() if ending == "sdf" else name for name in STRANGE} <= {
            name.removesuffix("_joint") for name in names
        }
    yaml = pytest.importorskip("yaml")
    facts = yaml.safe_load((tmp_path / "x.yaml").read_bytes())["dynamics"]["ros__parameters"]
    assert tuple(facts["joints"]) == STRANGE and set(facts["friction"]) == set(STRANGE)
    assert facts["friction"]["-2"] == {"viscous": 0.1} and facts["robot"] == "=cmd|<script>"
    assert [row["name"] for row in json.loads((tmp_path / "x.json").read_bytes())["parameters"]] == list(
        robot.parameters_of().names
    )


def test_a_spreadsheet_sees_no_formula(tmp_path):
    robot = strange_robot()
    bf.write_model(robot, tmp_path / "x.csv")
    with open(tmp_path / "x.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    assert len(rows) == len(robot.parameters_of())
    for name, value, unit in rows:
        float(value)
        assert name.strip()[:1] not in ("=", "+", "-", "@") and unit[:1] not in ("=", "+", "-", "@")
    assert [name.removeprefix("'") for name, _, _ in rows] == list(robot.parameters_of().names)


def test_numbers_of_yaml_are_numbers(tmp_path):
    yaml = pytest.importorskip("yaml")
    tiny = bf.Robot.load("pendulum").with_parameters({"link1.Ixx": 1e-5 + 1e-21, "link1.mass": 2.0})
    tiny = tiny.with_friction(bf.Viscous() + bf.Coulomb(), {"joint1.viscous": 1e-7, "joint1.coulomb": 1e16})
    bf.write_model(tiny, tmp_path / "x.yaml")
    facts = yaml.safe_load((tmp_path / "x.yaml").read_bytes())["dynamics"]["ros__parameters"]
    assert facts["friction"]["joint1"] == {"viscous": 1e-7, "coulomb": 1e16}
    assert all(isinstance(x, float) for x in facts["inertial"]["link1"]["inertia"])


def test_what_is_lost_is_said_with_its_value(tmp_path):
    drives = bf.Drivetrain(joints=("joint1", "joint2"), motors=("motor2",), matrix=[[1, 1]])
    terms = (
        bf.Viscous() + bf.Coulomb(at="joint1", asymmetric=True) + bf.Coulomb(at="joint2", width=0.01) + bf.Offset()
        + bf.Stribeck(speed=0.1) + bf.LoadDependent() + bf.PositionDependent() + bf.RotorInertia()
        + bf.Viscous(at="joint1", driven_by="joint2") + bf.Viscous(at="motor2")
    )  # fmt: skip
    robot = bf.Robot.load("two_link").with_drivetrain(drives).with_friction(terms).with_gravity([0, 0, -1.62])
    robot = robot.with_parameters({name: 0.5 + k / 100 for k, name in enumerate(robot.drive_columns.names)})
    robot = robot.with_limits({"joint1": {"velocity": 2.5, "jerk": 90.0}})
    lost = {ending: "\n".join(bf.write_model(robot, tmp_path / f"x.{ending}").lost) for ending in FORMATS}
    unit = dict(zip(robot.drive_columns.names, robot.drive_columns.units))
    for ending in ("urdf", "xml", "sdf"):
        for name, value in zip(robot.drive_columns.names, robot.drive_values):
            place, _, word = name.rpartition(".")
            kept = (word in ("viscous", "coulomb") and place != "motor2") or (word == "rotor_inertia" and ending == "xml")
            assert kept != (f"{value:.6g} {unit[name]}" in lost[ending]), (ending, name)
        assert "smooth sign" in lost[ending]
    assert "gravity" in lost["urdf"] and "gravity" in lost["sdf"] and "gravity" not in lost["xml"]
    assert "velocity: joint1 2.5 rad/s" in lost["xml"] and "jerk: joint1 90" in lost["sdf"] and "velocity" not in lost["sdf"]
    assert "coupled drives are in .json" in lost["csv"] and "coupled" not in lost["json"]


def data_of(robot: bf.Robot):
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 400, len(robot.joint_names)))
    return q, v, a, robot.inverse_dynamics(q, v, a) + 0.01 * rng.normal(size=q.shape)


def test_an_estimate_brings_its_error_bars(tmp_path):
    robot = bf.Robot.load("two_link").with_friction(bf.Viscous() + bf.Offset(), {"joint1.viscous": 0.3, "joint2.offset": 0.2})
    estimate = bf.PhysicallyConsistent(prior_weight=10.0).fit(robot, data_of(robot), friction=bf.Viscous() + bf.Offset())
    done = {ending: bf.write_model(estimate, tmp_path / f"x.{ending}") for ending in FORMATS}
    assert all(file.difference <= 1e-9 for file in done.values())
    assert any("error bars" in sentence for sentence in done["urdf"].lost)
    rows = json.loads((tmp_path / "x.json").read_bytes())["parameters"]
    assert [row["value"] for row in rows] == estimate.parameters.values.tolist()
    assert np.allclose([row["deviation"] for row in rows], estimate.parameter_deviations)
    assert tuple(row["origin"] for row in rows) == estimate.origins
    assert (tmp_path / "x.csv").read_text().splitlines()[0] == '"name","value","unit","deviation","origin"'
    read = bf.Robot.load(tmp_path / "x.urdf")
    assert read.link("link2").inertia.mass == pytest.approx(estimate.robot.link("link2").inertia.mass, rel=1e-12)


def test_base_parameters_have_tables_only(tmp_path):
    robot = bf.Robot.load("two_link")
    estimate = bf.LeastSquares().fit(robot, data_of(robot), friction=())
    for ending in ("urdf", "xml", "sdf", "yaml"):
        with pytest.raises(bf.RobotError, match="base parameters") as letter:
            bf.write_model(estimate, tmp_path / f"x.{ending}")
        assert "consistent" in letter.value.remedy and ".csv" in letter.value.remedy
    for ending in ("json", "csv"):
        assert bf.write_model(estimate, tmp_path / f"x.{ending}").difference <= 1e-9
    rows = json.loads((tmp_path / "x.json").read_bytes())["parameters"]
    assert [row["name"] for row in rows] == list(estimate.names) and rows[0]["equation"] == estimate.base.equations()[0]
    assert {path.name for path in tmp_path.iterdir()} == {"x.json", "x.csv"}


@pytest.mark.parametrize("ending", FORMATS)
def test_a_file_that_is_another_robot_is_not_written(ending, tmp_path, monkeypatch):
    """A mass that is off by a millionth is seen, and what stood there before stays."""
    robot = identified(bf.Robot.load("two_link"))
    target = tmp_path / f"x.{ending}"
    target.write_text("what stood there before")
    wrong = robot.with_parameters({"link2.mass": (1 + 1e-6) * robot.link("link2").inertia.mass})
    true = module.written
    monkeypatch.setattr(module, "written", lambda subject, format: true(wrong, format))
    with pytest.raises(bf.RobotError, match="are off by"):
        bf.write_model(robot, target)
    assert target.read_text() == "what stood there before" and len(list(tmp_path.iterdir())) == 1


def test_friction_that_is_another_is_seen_by_other_programs(tmp_path, monkeypatch):
    robot = identified(bf.Robot.load("two_link"))
    true = module.written
    for column in ("joint2.coulomb", "joint1.viscous", "joint1.rotor_inertia"):
        wrong = robot.with_parameters({column: robot.parameters()[column] * (1 + 1e-6)})
        monkeypatch.setattr(module, "written", lambda subject, format, wrong=wrong: true(wrong, format))
        with pytest.raises(bf.RobotError, match="are off by"):
            bf.write_model(robot, tmp_path / "x.xml")
    assert not list(tmp_path.iterdir())


def test_the_front_door_keeps_the_function():
    import bifilar.export.write_model

    assert callable(bf.write_model) and bf.write_model is bifilar.export.write_model.write_model


def test_the_states_excite_everything():
    states = states_of(bf.Robot.load("panda"))
    assert np.ptp(states.q, axis=0).min() > 3 and np.abs(states.v).max(axis=0).min() > 1


def test_what_a_killed_export_left_is_removed(tmp_path):
    for name in (".x.csv.0123abcd.part", ".y.csv.0123abcd.part"):
        (tmp_path / name).write_text("half")
    alive = Draft(tmp_path / "x.csv", b"of an export that still runs")
    bf.write_model(bf.Robot.load("pendulum"), tmp_path / "x.csv")
    left = {".y.csv.0123abcd.part", Path(alive.temporary).name, "x.csv"}
    assert {path.name for path in tmp_path.iterdir()} == left
    alive.discard()


def test_a_link_to_a_file_is_kept(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    bf.write_model(bf.Robot.load("pendulum"), tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink() and Path(tmp_path / "real.csv").read_text().startswith('"name"')
