"""Limits given by name or by file: they arrive, survive and are saved; what cannot be meant gets a letter."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.robot.library import names
from bifilar.robot.limits_file import FIELDS

ROOT = Path(__file__).parents[1]
NEW = {"lower": -0.75, "upper": 1.25, "velocity": 1.5, "acceleration": 12.0, "jerk": 340.0, "effort": 21.0}


def same(one: bf.Robot, other: bf.Robot) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.limits, other.limits))


def test_only_what_is_given_changes():
    robot = bf.Robot.load("two_link")
    changed = robot.with_limits({"joint2": {"velocity": 0.5}})
    assert changed.limits.velocity[1] == 0.5
    assert same(robot, changed.with_limits({"joint2": {"velocity": robot.limits.velocity[1]}}))
    assert changed.with_limits({"joint1": bf.Limits(lower=-1.0)}).limits.lower[0] == -1.0


def test_limits_survive_every_change():
    robot = bf.Robot.load("two_link").with_limits({"joint1": NEW, "joint2": NEW})
    tool = bf.Inertia.from_center_of_mass(0.5, [0, 0, 0.1], np.zeros((3, 3)))
    for other in (
        robot.with_friction(bf.Viscous()),
        robot.with_gravity([0, 0, 0]),
        robot.with_payload("link2", tool),
        robot.with_parameters({"link1.mass": 3.0}),
        robot.renamed({"joint1": "hip"}),
        robot.with_drivetrain(None),
    ):
        assert same(robot, other)
    for fewer in (robot.locked(["joint1"]), robot.select(["joint2"])):
        assert [getattr(fewer.limits, field)[0] for field in FIELDS] == list(NEW.values())


# ---- files


@pytest.mark.parametrize("name", names())
def test_what_is_written_is_read(name, tmp_path):
    robot = bf.Robot.load(name)
    bf.write_limits(robot, tmp_path / "limits.toml")
    blank = robot.with_limits({joint: bf.Limits() for joint in robot.joint_names})
    assert not same(robot, blank)
    assert same(robot, blank.with_limits(tmp_path / "limits.toml"))


def test_missing_lines_can_be_filled_in(tmp_path):
    robot = bf.Robot.load("two_link").renamed({"joint1": 'a "hip" of\tsteel', "joint2": "knee.left"})
    bf.write_limits(robot, tmp_path / "limits.toml", missing_only=True)
    text = (tmp_path / "limits.toml").read_text("utf-8")
    assert set(tomllib.loads(text)["joints"]) == set(robot.joint_names)
    filled = re.sub(r"^# (\w+) =  ", r"\1 = 7.5", text, flags=re.M)
    (tmp_path / "limits.toml").write_text(filled, "utf-8")
    full = robot.with_limits(str(tmp_path / "limits.toml"))
    missing = bf.missing_limits(robot)
    assert missing and not bf.missing_limits(full)
    for joint, fields in missing.items():
        assert all(getattr(full.joint(joint).limits, field) == 7.5 for field in fields)


def test_tables_for_others_are_left_to_them(tmp_path):
    (tmp_path / "l.toml").write_text(
        '[joints.joint1]\nvelocity = 1\n[[above]]\nframe = "hand"\n[[within]]\n[[speed]]\n[collision]\n[[obstacle]]\n'
    )
    assert bf.Robot.load("pendulum").with_limits(tmp_path / "l.toml").limits.velocity == [1.0]


# ---- saving


def test_limits_are_saved_in_the_file_they_came_from(dataset, tmp_path):
    for name in (
        "panda_gaz/panda.urdf",
        "kuka_lwr4/kuka_lwr4.urdf",
        "solo12_sim/solo12.urdf",
        "staubli_tx40/tx40_mdh_modified.urdf",
    ):
        robot = bf.Robot.load(dataset(name))
        changed = robot.with_limits({joint: NEW for joint in robot.joint_names[:3]})
        changed.save(tmp_path / "out.urdf")
        again = bf.Robot.load(tmp_path / "out.urdf")
        assert same(changed, again) and not same(robot, again)
        robot.save(tmp_path / "as_it_was.urdf")
        assert (tmp_path / "as_it_was.urdf").read_bytes() == dataset(name).read_bytes()


LIMITS = {
    "none": "",
    "empty": "<limit/>",
    "two": '<limit effort="3" velocity="4"/>',
    "all": '<limit lower="-1" upper="1" effort="3" velocity="4" acceleration="5"/>',
}


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("given", [NEW, {"lower": -0.5}, {"jerk": 3.0}, {"velocity": np.inf}, {"upper": np.inf, "effort": 2.0}])
def test_every_way_to_state_a_limit(kind, limit, given, tmp_path):
    text = f"""<robot name="arm"><link name="base"/><!-- kept --><link name="rod"/>
      <joint name="hinge" type="{kind}">{LIMITS[limit]}<parent link="base"/><child link="rod"/>
      <axis xyz="0 0 1"/></joint></robot>"""
    (tmp_path / "arm.urdf").write_text(text)
    robot = bf.Robot.load(tmp_path / "arm.urdf").with_limits({"hinge": given})
    robot.save(tmp_path / "out.urdf")
    again = bf.Robot.load(tmp_path / "out.urdf")
    for one, other in zip(robot.limits, again.limits):
        assert np.array_equal(np.clip(one, -1e9, 1e9), np.clip(other, -1e9, 1e9))
    assert "<!-- kept -->" in (tmp_path / "out.urdf").read_text()
    assert robot.joint("hinge").kind == (
        "revolute" if kind == "continuous" and np.isfinite(given.get("lower", np.inf)) else kind
    )


def test_pinocchio_reads_the_limits(dataset, tmp_path):
    pin = pytest.importorskip("pinocchio")
    robot = bf.Robot.load(dataset("panda_gaz/panda.urdf"))
    robot = robot.with_limits({name: NEW for name in robot.joint_names[:7]})
    robot.save(tmp_path / "out.urdf")
    model = pin.buildModelFromUrdf(str(tmp_path / "out.urdf"))
    assert (model.lowerPositionLimit[:7] == NEW["lower"]).all() and (model.upperPositionLimit[:7] == NEW["upper"]).all()
    assert (model.velocityLimit[:7] == NEW["velocity"]).all() and (model.effortLimit[:7] == NEW["effort"]).all()


@pytest.mark.parametrize("source", ["panda", "scara.xml", "gripper.xml"])
def test_other_formats_save_limits_too(source, tmp_path):
    robot = bf.Robot.load(ROOT / "mjcf" / source if source.endswith(".xml") else source, floating=False)
    changed = robot.with_limits({robot.joint_names[0]: NEW})
    changed.save(tmp_path / "out.urdf")
    again = bf.Robot.load(tmp_path / "out.urdf", floating=False)
    assert [getattr(again.limits, field)[0] for field in FIELDS] == list(NEW.values())


def test_an_answered_warning_is_gone(tmp_path):
    (tmp_path / "arm.urdf").write_text("""<robot name="arm"><link name="base"/><link name="rod"/>
      <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>""")
    robot = bf.Robot.load(tmp_path / "arm.urdf")
    assert any("taken as unlimited" in finding.what for finding in robot.check())
    assert any("taken as unlimited" in finding.what for finding in robot.with_limits({"hinge": {"velocity": 2}}).check())
    assert not any("taken as unlimited" in finding.what for finding in robot.with_limits({"hinge": NEW}).check())


# ---- letters

WRONG = [
    ({"joint9": {"velocity": 1.0}}, "robot 'two_link' has no joint 'joint9'", "a misspelling of 'joint"),
    ({"joint1": {"velocty": 1.0}}, "there is no limit 'velocty'", "a misspelling of 'velocity'"),
    ({"joint1": {"lower": 1.0, "upper": -1.0}}, "the lower limit 1 of 'joint1' is above the upper one, -1", "exchange them"),
    ({"joint1": {"lower": 19.0}}, "the lower limit 19 of 'joint1' is above", "give both"),
    ({"joint1": {"lower": -170}}, "the lower limit of 'joint1' is -170 rad, that is 27.1 turns", "write lower = -2.96706"),
    ({"joint1": {"upper": 90.0}}, "the upper limit of 'joint1' is 90 rad", "an angle in degrees"),
    ({"joint1": {"upper": -np.inf}}, "the upper limit of 'joint1' is -inf", "wrong way round"),
    ({"joint1": {"velocity": -1}}, "the velocity limit of 'joint1' is -1", "positive"),
    ({"joint1": {"effort": 0.0}}, "the effort limit of 'joint1' is 0", "robot.locked"),
    ({"joint1": {"jerk": np.nan}}, "the jerk limit of 'joint1' is nan", "give a number [rad/s^3]"),
    ({"joint1": {"jerk": "fast"}}, "the jerk limit of 'joint1' is 'fast'", "give a number"),
    ({"joint1": {"effort": True}}, "the effort limit of 'joint1' is True", "give a number [N m]"),
    ({"joint1": {"effort": 10**400}}, "the effort limit of 'joint1' is 1000", "give a number"),
    ({"joint1": 2.0}, "the limits of 'joint1' are 2.0, not a table", "velocity"),
    ({"tip_fixed": {"velocity": 1.0}}, "joint 'tip_fixed' does not move", "joint1, joint2"),
    (3, "limits are given by joint, and a int has none", "TOML"),
    ("no_such_file.toml", "the file cannot be read", "no_such_file.toml"),
]


@pytest.mark.parametrize(("limits", "what", "more"), WRONG)
def test_what_cannot_be_meant_is_refused(limits, what, more):
    with pytest.raises(bf.RobotError) as letter:
        bf.Robot.load("two_link").with_limits(limits)
    assert letter.value.what.startswith(what) and more in str(letter.value)


WRONG_FILES = {
    "[joint.joint1]\nvelocity = 1": ("a file of limits has no table 'joint'", "a misspelling of 'joints'"),
    "[[row]]\na = 1": ("a file of limits has no table 'row'", "the description of a robot"),
    "joints = 3": ("'joints' is no table", "[joints.NAME]"),
    "[[joints]]\nname = 'joint1'": ("'joints' is no table", "[joints.NAME]"),
    "[joints]\njoint1 = 3": ("the limits of 'joint1' are 3, not a table", "velocity"),
    "[joints.joint1]\nvelocity = -2": ("the velocity limit of 'joint1' is -2", "[joints.joint1]"),
    "[joints.jiont1]\nvelocity = 2": ("robot 'two_link' has no joint 'jiont1'", "a misspelling of 'joint1'"),
    "[joints.joint1": ("not valid TOML", "limits.toml"),
}


@pytest.mark.parametrize("text", WRONG_FILES)
def test_files_that_cannot_be_meant_are_refused(text, tmp_path):
    (tmp_path / "limits.toml").write_text(text)
    with pytest.raises(bf.RobotError) as letter:
        bf.Robot.load("two_link").with_limits(tmp_path / "limits.toml")
    what, more = WRONG_FILES[text]
    assert letter.value.what.startswith(what) and more in str(letter.value) and "limits.toml" in letter.value.where


def test_followers_are_not_given_limits(tmp_path):
    robot = bf.Robot.load(ROOT / "mjcf" / "gripper.xml", floating=False)
    follower = next(joint.name for joint in robot.joints if joint.mimic is not None)
    with pytest.raises(bf.RobotError, match="mimics"):
        robot.with_limits({follower: {"velocity": 1.0}})


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(bf.ResourceError):
        bf.write_limits(bf.Robot.load("pendulum"), tmp_path / "nowhere" / "limits.toml")
