"""Meshes that are not here matter only where a mass comes from them."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf

ARM = """<mujoco model="arm"><compiler meshdir="meshes" angle="radian"/>
<asset><mesh name="shell" file="shell.stl"/><texture name="t" type="2d" file="paint.png"/><material name="paint" texture="t"/>
</asset><worldbody><body name="upper"><joint name="hinge" axis="0 1 0"/>{inertial}
<geom type="mesh" mesh="shell" material="paint"/>
<geom type="box" size=".1 .1 .1" mass="0" material="paint"/></body></worldbody></mujoco>"""
INERTIAL = '<inertial pos="0 0 .1" mass="2" diaginertia=".02 .02 .01"/>'


def test_a_stated_mass_needs_no_mesh(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text(ARM.format(inertial=INERTIAL))
    robot = bf.Robot.load(file)
    file.with_name("plain.xml").write_text(
        f'<mujoco><compiler angle="radian"/><worldbody><body name="upper"><joint name="hinge" axis="0 1 0"/>{INERTIAL}'
        "</body></worldbody></mujoco>"
    )
    plain = bf.Robot.load(file.with_name("plain.xml"))
    motion = np.random.default_rng(0).normal(size=(3, 20, 1))
    assert np.allclose(robot.inverse_dynamics(*motion), plain.inverse_dynamics(*motion), rtol=1e-12)
    assert [one.severity for one in robot.findings if one.code == "mjcf.mesh_missing"] == ["warning"]


def test_a_mass_that_comes_from_a_missing_mesh_is_asked_for(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text(ARM.format(inertial=""))
    with pytest.raises(bf.RobotError) as caught:
        bf.Robot.load(file)
    assert caught.value.code == "mjcf.mesh_missing"
