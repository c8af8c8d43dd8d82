"""Friction that depends on the position: its formula by plain arithmetic, slopes by differences, all places that know it."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.estimate.closed_loop import JointController, simulate_loop
from bifilar.estimate.saved import load_estimate, save_estimate
from bifilar.estimate.true_motion import Piece, TrueMotion
from bifilar.simulate.reference import Reference

TERMS = bf.Viscous() + bf.Coulomb(width=0.2) + bf.PositionDependent(width=0.2) + bf.PositionDependent(harmonic=3, width=0.3)
JOINTS = 2


def arm(terms=TERMS, seed=0) -> bf.Robot:
    """A two-link arm whose friction has values of both signs."""
    robot = bf.Robot.load("two_link").with_friction(terms)
    rng = np.random.default_rng(seed)
    values = {name: rng.uniform(0.5, 1.5) for name in robot.drive_columns.names}
    values |= {name: rng.uniform(-0.4, 0.4) for name in values if ".position" in name}
    return robot.with_parameters(values)


def states(samples=40, seed=0):
    return np.random.default_rng(seed).normal(size=(3, samples, JOINTS)) * np.array([2.0, 0.7, 1.0])[:, None, None]


def by_hand(robot, q, v):
    """viscous v + (coulomb + sum sin, cos) times a smooth sign, joint by joint, from the parameters' names alone."""
    x, torque = robot.parameters(), np.zeros_like(q)
    for j, joint in enumerate(robot.joint_names):
        for name, value in zip(x.names, x.values):
            place, _, word = name.rpartition(".")
            if place != joint:
                continue
            wave, width = 1.0, 0.2
            if word.startswith("position"):
                k = int(word[-1])
                wave, width = (np.sin if "sin" in word else np.cos)(k * q[:, j]), 0.2 if k == 1 else 0.3
            shape = v[:, j] if word == "viscous" else v[:, j] / np.hypot(v[:, j], width)
            torque[:, j] += value * wave * shape
    return torque


def test_friction_is_its_formula():
    robot, (q, v, a) = arm(), states()
    expected = by_hand(robot, q, v)
    np.testing.assert_allclose(robot.friction_torque(v, position=q), expected, atol=1e-13)
    rigid = robot.inverse_dynamics(q, v, a, friction=False)
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a) - rigid, expected, atol=1e-12)
    np.testing.assert_allclose(robot.regressor(q, v, a) @ robot.parameters().values, rigid + expected, atol=1e-12)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, rigid + expected), a, atol=1e-10)


def test_of_a_motor_the_angle_is_the_motor_s():
    drives = bf.Drivetrain(joints=("joint1", "joint2"), motors=("motor",), matrix=[[2, 3]])
    robot = bf.Robot.load("two_link").with_drivetrain(drives)
    robot = robot.with_friction(bf.PositionDependent(at="motor", width=0.1), {"motor.position_cos1": 0.7})
    q, v, _ = states()
    speed, angle = v @ [2.0, 3.0], q @ [2.0, 3.0]
    expected = 0.7 * np.cos(angle) * speed / np.hypot(speed, 0.1)
    np.testing.assert_allclose(robot.friction_torque(v, position=q), np.outer(expected, [2.0, 3.0]), atol=1e-13)


def test_data_without_noise_return_the_truth():
    robot, (q, v, a) = arm(), states(400)
    data = (q, v, a, robot.inverse_dynamics(q, v, a))
    estimate = bf.LeastSquares(uncertainty="white").fit(bf.Robot.load("two_link"), data, friction=robot.friction)
    truth = estimate.base.from_full(robot.parameters())
    np.testing.assert_allclose(estimate.values, truth, rtol=1e-9, atol=1e-9)
    consistent = bf.PhysicallyConsistent(prior_weight=1e-9).fit(robot, data, friction=robot.friction)
    assert consistent.status.ok  # coefficients below zero are no breach
    assert np.abs(consistent.predict(data) - data[3]).max() < 1e-5 * np.abs(data[3]).max()


def test_saved_and_loaded_it_is_the_same(tmp_path):
    robot, (q, v, a) = arm(), states(200)
    data = (q, v, a, robot.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(1).normal(size=q.shape))
    estimate = bf.PhysicallyConsistent(prior_weight=0.1).fit(bf.Robot.load("two_link"), data, friction=robot.friction)
    for ending in ("json", "yaml"):
        bf.write_model(estimate.robot, tmp_path / f"arm.{ending}")
    save_estimate(estimate, tmp_path / "estimate")
    again = load_estimate(tmp_path / "estimate")
    assert again.described.friction == robot.friction
    assert np.array_equal(again.values, estimate.values)
    np.testing.assert_allclose(again.predict(data), estimate.predict(data), rtol=1e-9, atol=1e-9)
    lost = "\n".join(bf.write_model(estimate.robot, tmp_path / "arm.urdf").lost)
    assert "cannot state position-dependent friction: joint1.position_sin1" in lost


def test_it_is_chosen_where_it_is_there_and_only_there():
    rng, t = np.random.default_rng(3), np.arange(3000)[:, None] / 100
    w, phase = rng.uniform(0.4, 2.5, (6, 1, JOINTS)), rng.uniform(0, 6, (6, 1, JOINTS))
    q, v, a = (
        np.sum(f, axis=0) * 0.6 for f in (np.sin(w * t + phase), w * np.cos(w * t + phase), -(w**2) * np.sin(w * t + phase))
    )
    values = {"joint1.coulomb": 0.8, "joint2.coulomb": 0.5, "joint2.position_sin2": 0.1, "joint2.position_cos2": -0.05}
    robot = bf.Robot.load("two_link").with_friction(bf.Coulomb() + bf.PositionDependent(at="joint2", harmonic=2), values)
    torque = robot.inverse_dynamics(q, v, a) + 0.03 * rng.normal(size=q.shape)
    start = bf.Viscous() + bf.Coulomb()
    choice = bf.choose_friction(bf.Robot.load("two_link"), (q, v, a, torque), start=start)
    assert [(trial.term, trial.at) for trial in choice.chosen] == [("PositionDependent(harmonic=2)", ("joint2",))]
    assert choice.friction.terms[-1] == bf.PositionDependent(at=("joint2",), harmonic=2)


def test_a_shaft_out_of_true_is_found_where_the_gear_is_known():
    rng, t = np.random.default_rng(5), np.arange(4000)[:, None] / 200
    w, phase = rng.uniform(0.3, 1.5, (6, 1, JOINTS)), rng.uniform(0, 6, (6, 1, JOINTS))
    q, v, a = (
        np.sum(f, axis=0) * 0.6 for f in (np.sin(w * t + phase), w * np.cos(w * t + phase), -(w**2) * np.sin(w * t + phase))
    )
    values = {"joint1.coulomb": 0.8, "joint2.coulomb": 0.5, "joint2.position_sin45": 0.1, "joint2.position_cos45": -0.05}
    robot = bf.Robot.load("two_link").with_friction(bf.Coulomb() + bf.PositionDependent(at="joint2", harmonic=45), values)
    data = (q, v, a, robot.inverse_dynamics(q, v, a) + 0.03 * rng.normal(size=q.shape))
    start, bare = bf.Viscous() + bf.Coulomb(), bf.Robot.load("two_link")
    choice = bf.choose_friction(bare, data, start=start, gears={"joint1": 32, "joint2": -45})
    assert [(trial.term, trial.at) for trial in choice.chosen] == [("PositionDependent(harmonic=45)", ("joint2",))]
    assert not bf.choose_friction(bare, data, start=start).chosen
    with pytest.raises(bf.RobotError, match="only whole turns"):
        bf.choose_friction(bare, data, start=start, gears={"joint1": 100.5})


def test_a_cable_that_pulls_by_position_alone_is_waves_of_both_directions():
    rng, t = np.random.default_rng(7), np.arange(4000)[:, None] / 200
    w, phase = rng.uniform(0.3, 1.5, (6, 1, JOINTS)), rng.uniform(0, 6, (6, 1, JOINTS))
    q, v, a = (
        np.sum(f, axis=0) * 0.6 for f in (np.sin(w * t + phase), w * np.cos(w * t + phase), -(w**2) * np.sin(w * t + phase))
    )
    bare, start = bf.Robot.load("two_link"), bf.Viscous() + bf.Coulomb()
    torque = bare.inverse_dynamics(q, v, a) + 0.03 * rng.normal(size=q.shape)
    torque[:, 1] += 0.1 * np.sin(3 * q[:, 1] + 0.4)
    choice = bf.choose_friction(bare, (q, v, a, torque), start=start, cables=True)
    assert [(trial.term, trial.at) for trial in choice.chosen] == [
        ("PositionDependent(harmonic=3, asymmetric=True)", ("joint2",))
    ]
    without = bf.choose_friction(bare, (q, v, a, torque), start=start, cables=False)
    assert not any(term.asymmetric and isinstance(term, bf.PositionDependent) for term in without.friction)
    estimate = bf.LeastSquares().fit(bare, (q, v, a, torque), friction=choice.friction)
    found = {name: x for name, x in zip(estimate.names, estimate.values) if ".position" in name}
    assert found["joint2.position_sin3_forward"] == pytest.approx(0.1 * np.cos(0.4), abs=0.01)
    assert found["joint2.position_sin3_backward"] == pytest.approx(-0.1 * np.cos(0.4), abs=0.01)
    assert found["joint2.position_cos3_forward"] == pytest.approx(0.1 * np.sin(0.4), abs=0.01)


def test_stiff_friction_of_both_signs_does_not_overshoot():
    """A light body under friction alone comes to rest and stays there, wherever it is."""
    terms = bf.Coulomb() + bf.PositionDependent(harmonic=2)
    values = {"joint1.coulomb": 50.0, "joint1.position_sin2": 20.0, "joint1.position_cos2": -30.0}
    robot = bf.Robot.load("pendulum").with_gravity([0, 0, 0]).with_friction(terms, values)
    time = np.arange(200) / 1e3
    for angle in (0.0, 0.8, 2.0):
        wanted = Reference(time, np.full((200, 1), angle), np.r_[np.full((1, 1), 3.0), np.zeros((199, 1))])
        run = simulate_loop(robot, JointController(kp=0.0, kd=0.0), wanted, slip=1e-4)
        assert run.ok and run.velocity.min() > -1e-3 * 3.0 and abs(run.velocity[-1, 0]) < 1e-3


def test_gradients_of_likelihoods_contain_it():
    robot = arm()
    t = 0.01 * np.arange(14)[:, None]
    q, base = np.sin(3 * t + [0.0, 1.0]), bf.base_parameters(robot)
    likelihood = TrueMotion(robot, base, (Piece(q, np.ones_like(q), 0.01),), np.full(2, 1e-3), np.full(2, 0.1))
    theta, x, along = base.from_full(robot.parameters()), q.ravel(), np.random.default_rng(2).normal(size=q.size)

    def filled(x):
        system = likelihood.system()
        likelihood.fill(x, theta, system)
        return system

    numeric = (filled(x + 1e-7 * along).cost - filled(x - 1e-7 * along).cost) / 2e-7
    assert 2 * filled(x).side[:, -1] @ along == pytest.approx(numeric, rel=1e-5)


@pytest.mark.parametrize(
    "call, letter",
    [
        (lambda: bf.PositionDependent(harmonic=0), "harmonic=0"),
        (lambda: bf.PositionDependent(harmonic=1.5), "harmonic=1.5"),
        (lambda: bf.PositionDependent(harmonic=np.nan), "harmonic=nan"),
        (lambda: arm().friction_torque([0.0, 1.0]), "needs the position"),
        (lambda: arm().friction_torque([0.0, 1.0], position=np.zeros((3, 2))), "position holds 3 samples"),
        (lambda: (bf.PositionDependent() + bf.PositionDependent(width=0.1)).columns(("a",)), "'a.position_sin1' twice"),
        (lambda: TERMS.columns(("a",)).columns.values(np.zeros((1, 1)), np.zeros((1, 1))), "needs the position"),
    ],
)
def test_nonsense_is_refused(call, letter):
    with pytest.raises(bf.BifilarError, match=letter):
        call()
