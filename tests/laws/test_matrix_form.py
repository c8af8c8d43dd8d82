"""B, C, g and friction: consistent with inverse dynamics to rounding, and B' - 2C skew, whatever the parameters come from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import description_of, random_machine

import bifilar as bf

TIGHT = 1e-10
TERMS = bf.Viscous() + bf.Coulomb(width=0.1) + bf.Offset() + bf.RotorInertia()
REAL = ("two_link", "panda", "ur10e", "kuka_lwr4", "wam", "puma560", "walker3")


def some_friction(robot: bf.Robot, rng: np.random.Generator) -> bf.Robot:
    robot = robot.with_friction(TERMS)
    return robot.with_parameters(dict(zip(robot.drive_columns.names, rng.uniform(0.01, 0.3, len(robot.drive_values)))))


def states(rng: np.random.Generator, model: bf.Model, count: int = 4) -> np.ndarray:
    return rng.normal(size=(3, count, len(model.joint_names))) * np.array([2.0, 1.0, 1.0])[:, None, None]


def rate_of_mass(model: bf.Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Exact directional derivative of B(q) along v: that of B e_k + g, less that of g, for every column k."""
    still, none = np.zeros_like(q), np.zeros_like(q)
    weight = model.tangent(q, still, still, (v, none, none))
    columns = [model.tangent(q, still, still + unit, (v, none, none)) - weight for unit in np.eye(q.shape[1])]
    return np.stack(columns, axis=2)


def check(model: bf.Model, rng: np.random.Generator) -> None:
    q, v, a = states(rng, model)
    form = model.matrix_form(q, v)
    scale = max(1.0, float(np.abs(form.mass).max()) * (1 + float(np.abs(v).max())))
    rate = rate_of_mass(model, q, v)
    twist = rate - 2 * form.coriolis
    assert np.abs(twist + twist.swapaxes(1, 2)).max() < TIGHT * scale
    still = np.zeros_like(v)
    bias = model.inverse_dynamics(q, v, still, friction=False) - model.inverse_dynamics(q, still, still, friction=False)
    assert np.abs(np.einsum("nij,nj->ni", form.coriolis, v) - bias).max() < TIGHT * scale
    torque = model.inverse_dynamics(q, v, a)
    assert np.abs(form.torque(a) - torque).max() < TIGHT * max(1.0, float(np.abs(torque).max()))
    assert np.array_equal(form.mass, model.mass_matrix(q)) and np.array_equal(form.gravity, model.gravity_torque(q))
    one = model.matrix_form(q[0], v[0])
    for single, batch in zip(one, form):
        assert np.abs(single - batch[0]).max() < TIGHT * scale
    differences(model, rng, rate)


def differences(model: bf.Model, rng: np.random.Generator, rate: np.ndarray) -> None:
    """The exact rate itself, against differences of sixth order."""
    seed = np.random.default_rng(7)
    q, v, _ = states(seed, model)
    h, weights = 1e-2, np.array([-1, 9, -45, 0, 45, -9, 1]) / 60
    found = sum(w * model.mass_matrix(q + k * h * v) for k, w in zip(range(-3, 4), weights)) / h
    exact = rate_of_mass(model, q, v)
    assert np.abs(found - exact).max() < 1e-7 * max(1.0, float(np.abs(exact).max()))


@pytest.mark.parametrize("name", REAL)
def test_of_a_robot(name):
    rng = np.random.default_rng(1)
    check(some_friction(bf.Robot.load(name), rng), rng)


@pytest.mark.parametrize("name", REAL)
def test_of_base_parameters_alone(name):
    rng = np.random.default_rng(2)
    robot = some_friction(bf.Robot.load(name), rng)
    base = bf.base_parameters(robot)
    model = base.model(robot, base.from_full(robot.parameters()))
    check(model, rng)
    q, v, _ = states(rng, robot)
    ours, theirs = model.matrix_form(q, v), robot.matrix_form(q, v)
    pairs = [(ours.mass, theirs.mass), (ours.coriolis, theirs.coriolis)]
    # Gravity along a sliding joint is a constant, and so is an offset: only their sum is known.
    pairs.append((ours.gravity + ours.friction, theirs.gravity + theirs.friction))
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs, atol=1e-10 * max(1.0, float(np.abs(theirs).max())))


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.booleans())
def test_of_a_random_tree_and_of_its_base_parameters(seed, joints, mimic):
    rng = np.random.default_rng(seed)
    description = description_of(random_machine(rng, joints, mimic=mimic, shuffled=False))
    robot = some_friction(bf.Robot.build(description), rng)
    check(robot, rng)
    base = bf.base_parameters(robot)
    check(base.model(robot, base.from_full(robot.parameters())), rng)


@pytest.mark.parametrize("method", [bf.LeastSquares(), bf.PhysicallyConsistent()], ids=["base", "consistent"])
def test_of_estimates(method):
    rng = np.random.default_rng(3)
    robot = some_friction(bf.Robot.load("two_link"), rng)
    q, v, a = rng.normal(size=(3, 400, 2))
    torque = robot.inverse_dynamics(q, v, a) + 0.05 * rng.normal(size=(400, 2))
    estimate = method.fit(robot, (q, v, a, torque))
    check(estimate.model, rng)


def test_any_numbers_will_do():
    """Parameters that no body could have: the equations hold all the same."""
    rng = np.random.default_rng(4)
    model = bf.Robot.load("panda").model()
    check(replace(model, body_parameters=rng.normal(size=model.body_parameters.shape)), rng)


def test_of_a_floating_robot():
    rng = np.random.default_rng(5)
    robot = bf.Robot.load("panda", floating=True)
    q, v, a = states(rng, robot)
    twist, push = rng.normal(size=(2, 4, 6))
    base = bf.BaseMotion(twist=twist, acceleration=push)
    form = robot.matrix_form(q, v, base=base)
    np.testing.assert_allclose(form.torque(np.hstack([push, a])), robot.inverse_dynamics(q, v, a, base=base), atol=1e-9)


def test_friction_that_depends_on_the_load_asks_for_it():
    robot = bf.Robot.load("pendulum").with_friction(bf.LoadDependent(width=0.1), {"joint1.load": 0.2})
    with pytest.raises(bf.RobotError, match="needs the load"):
        robot.matrix_form([0.3], [1.0])
    assert robot.matrix_form([0.3], [1.0], load=[5.0]).friction[0] == pytest.approx(1.0, rel=0.01)
