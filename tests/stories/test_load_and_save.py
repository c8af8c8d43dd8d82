"""A robot on its way from file to file: which reader is taken, what a saved robot says when it comes back."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf

URDF = """<?xml version="1.0"?><!-- <mujoco> in a comment is none --><robot name="arm"><link name="base"/><link name="rod">
<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="hinge" type="continuous">
<parent link="base"/><child link="rod"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/><dynamics damping="0.5"/></joint></robot>"""
MJCF = """<mujoco model="arm"><option gravity="0 0 -1.62"/><worldbody><body name="rod" pos="0 0 1">
<joint name="hinge" axis="0 1 0" damping="0.5"/>
<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
DH = """name = "arm"\n[[row]]\nmass = 2.0\ncom = [0, 0, 0]\ninertia_com = { xx = 1, yy = 1, zz = 1 }\n"""


def drives(robot):
    return dict(zip(robot.drive_columns.names, robot.drive_values.tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "text"), [("a.urdf", URDF), ("a.xml", URDF), ("a.xml", MJCF), ("a.mjcf", MJCF), ("a.toml", DH)]
)
def test_loading_looks_at_the_file(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    robot = bf.Robot.load(tmp_path / name)
    assert robot.body_parameters[1, [0, 4]] == pytest.approx([2.0, 1.0])
    if text is not DH:
        assert drives(robot) == {"hinge.viscous": 0.5}
    assert robot.gravity[2] == (-1.62 if text is MJCF else -9.81)
    assert bf.Robot.load(tmp_path / name, gravity=[0, 0, 1]).gravity[2] == 1.0


def test_a_saved_robot_comes_back(tmp_path):
    """With its numbers changed, with a joint locked, and from a library that has no URDF."""
    (tmp_path / "a.urdf").write_text(URDF)
    arm = bf.Robot.load(tmp_path / "a.urdf")
    panda = bf.Robot.load("panda")
    for robot in (
        arm.with_parameters({"rod.mass": 3.0, "hinge.viscous": 0.25}),
        arm.locked({"hinge": 0.5}),
        arm.renamed({"rod": "pole"}),
        panda.select(["joint1", "joint3"]),
    ):
        robot.save(tmp_path / "b.urdf")
        back = bf.Robot.load(tmp_path / "b.urdf")
        assert back.joint_names == robot.joint_names and back.body_names == robot.body_names
        np.testing.assert_allclose(back.body_parameters, robot.body_parameters, atol=1e-12)
        assert drives(back) == pytest.approx(drives(robot))
        q, v, a = np.random.default_rng(1).normal(size=(3, 5, len(robot.joint_names)))
        np.testing.assert_allclose(back.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a), atol=1e-10)
