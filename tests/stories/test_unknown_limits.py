"""Limits that nobody stated stay unknown: in memory, in every file that is written, and in a design, which asks for them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import bifilar as bf
from bifilar.cli import main

MJCF = """<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"
range="-2 2" limited="true"/><inertial pos="0 0 .1" mass="2" diaginertia=".02 .02 .01"/><body name="lower" pos="0 0 .3">
<joint name="elbow" axis="0 1 0" range="-2 2" limited="true"/><inertial pos="0 0 .1" mass="1" diaginertia=".01 .01 .005"/>
</body></body></worldbody></mujoco>"""
URDF = """<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 .1"/><mass value="1"/>
<inertia ixx=".01" iyy=".01" izz=".005" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge" type="revolute">
<parent link="base"/><child link="rod"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="{velocity}" effort="{effort}"/>
</joint></robot>"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.xml").write_text(MJCF)
    return tmp_path


def said(capsys, *words: str) -> tuple[int, dict]:
    capsys.readouterr()
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("ending", ["urdf", "xml", "sdf", "json"])
def test_no_format_invents_a_limit(folder, capsys, ending):
    assert main(["export", "arm.xml", "-o", f"again.{ending}"]) == 0
    if ending in ("urdf", "xml"):
        limits = bf.Robot.load(f"again.{ending}").limits
        assert np.isinf(limits.velocity).all() and np.isinf(limits.effort).all()
        assert np.array_equal(limits.upper, [2.0, 2.0])
    text = (folder / f"again.{ending}").read_text()
    assert "1e9" not in text and "1e+09" not in text
    placeholders = re.findall(r"(?<![\d.])1000000000(?![\d.])", text)
    assert len(placeholders) == 3 * text.count("is a placeholder")  # two attributes, and the comment that says what they are


def test_pinocchio_reads_the_placeholders(folder):
    pin = pytest.importorskip("pinocchio")
    assert main(["export", "arm.xml", "-o", "again.urdf"]) == 0
    assert pin.buildModelFromUrdf("again.urdf").nq == 2


def test_design_asks_for_them_and_takes_one_number_for_all_joints(folder, capsys):
    assert main(["export", "arm.xml", "-o", "again.urdf"]) == 0
    words = ("design", "again.urdf", "--duration", "4", "--starts", "1", "-o", "excite.csv", "--no-page")
    code, told = said(capsys, *words)
    assert (code, told["error"]["code"]) == (3, "limits.missing")
    most = ("--max-velocity", "1.5", "--max-acceleration", "5", "--max-effort", "60")
    code, told = said(capsys, *words, *most)
    assert code == 0
    motion = bf.load_motion("excite.csv")
    assert np.abs(motion.velocity).max() <= 1.5 and np.abs(motion.acceleration).max() <= 5.0
    (folder / "limits.toml").write_text('[joints."*"]\nvelocity = 1.5\neffort = 60\n[joints.elbow]\nvelocity = 0.5\n')
    limits = bf.Robot.load("again.urdf").with_limits("limits.toml").limits
    assert limits.velocity.tolist() == [1.5, 0.5] and limits.effort.tolist() == [60.0, 60.0]


def test_one_number_for_all_joints_narrows_and_never_widens(folder):
    from bifilar.robot.limits_file import at_most

    robot = bf.Robot.load("panda")
    stated = robot.limits.velocity
    limits = robot.with_limits(at_most(robot, {"velocity": float(np.median(stated))})).limits.velocity
    assert np.array_equal(limits, np.minimum(stated, np.median(stated)))


@pytest.mark.parametrize(("velocity", "effort", "unknown"), [(101, 50, ["velocity"]), (2, 2e5, ["effort"]), (2, 50, [])])
def test_limits_that_no_machine_has_are_unknown(tmp_path, velocity, effort, unknown):
    file = tmp_path / "arm.urdf"
    file.write_text(URDF.format(velocity=velocity, effort=effort))
    robot = bf.Robot.load(file)
    found = [one for one in robot.findings if one.code == "limits.absurd"]
    assert [name for name in ("velocity", "effort") if np.isinf(getattr(robot.limits, name)[0])] == unknown
    assert [name for one in found for name in one.facts["fields"]] == unknown
    assert all(one.severity == "warning" and one.about == "hinge" for one in found)


@pytest.mark.parametrize("word", ["--max-velocity", "--max-effort", "--max-acceleration"])
@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan"])
def test_limits_that_are_none_are_usage_errors(folder, capsys, word, value):
    code, told = said(capsys, "design", "two_link", "--duration", "4", "-o", "x.csv", word, value)
    assert (code, told["error"]["code"]) == (2, "usage.value")
    assert not (folder / "x.csv").exists()
