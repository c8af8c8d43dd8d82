"""From data to a model and back into a robot: nothing is counted twice, nothing is taken for what it is not."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import RobotError, ShapeError


def with_hand() -> bf.Robot:
    """An arm with a link fixed to its last one."""
    arm = bf.Robot.load("two_link").description()
    hand = bf.Inertia.from_center_of_mass(0.7, [0.05, 0.02, 0.0], 0.01 * np.eye(3))
    links = (*arm.links, bf.Link("hand", hand, has_inertia=True))
    joints = (*arm.joints, bf.Joint("weld", "fixed", parent="link2", child="hand", pose=bf.Pose(np.eye(3), [0.1, 0.0, 0.0])))
    return bf.Robot.build(bf.Description("arm", links, joints)).with_friction(bf.Viscous(), {"joint1.viscous": 0.3})


STATE = np.random.default_rng(0).normal(size=(3, 20, 2))


def test_parameters_given_back_change_nothing():
    robot = with_hand()
    before = robot.inverse_dynamics(*STATE)
    for given in (robot.parameters(), robot.parameters(per_link=True), robot.parameters("both"), robot.parameters_of()):
        assert np.allclose(robot.with_parameters(given).inverse_dynamics(*STATE), before, rtol=0, atol=1e-12)


def test_a_solution_becomes_a_model_with_the_same_torque():
    robot = with_hand()
    base = bf.base_parameters(robot)
    torque = robot.inverse_dynamics(*STATE)
    answer = bf.solve(bf.reduce(robot, (*STATE, torque), columns=base))
    model = base.model(robot, answer)
    assert type(model) is bf.Model and not hasattr(model, "save")
    assert np.allclose(model.inverse_dynamics(*STATE), torque, atol=1e-9)
    assert np.allclose(model.mass_matrix(STATE[0]), robot.mass_matrix(STATE[0]), atol=1e-9)
    assert np.allclose(base.to_full(answer), base.to_full(answer.values))
    written_back = robot.with_parameters(robot.parameters().with_values(base.to_full(answer)))
    assert np.allclose(written_back.inverse_dynamics(*STATE), torque, atol=1e-9)


def test_a_solution_is_not_taken_for_link_parameters():
    robot = with_hand()
    base = bf.base_parameters(robot)
    answer = bf.solve(bf.reduce(robot, (*STATE, robot.inverse_dynamics(*STATE)), columns=base))
    with pytest.raises(RobotError, match="parameters are set by name") as refusal:
        robot.with_parameters(answer)
    assert "base_parameters(robot).model" in refusal.value.remedy
    with pytest.raises(ShapeError, match="other columns"):
        base.model(bf.Robot.load("pendulum"), answer)
