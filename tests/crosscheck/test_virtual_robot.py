"""The plant is MuJoCo's, the equations are ours: torque, friction, rotors, energy and springs must agree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.simulate.plant import Plant
from bifilar.simulate.plant_friction import PlantFriction

MJCF = Path(__file__).parents[1] / "mjcf"


def sines(robot, duration=1.0, seed=0, size=0.3, rate=500.0):
    """Smooth samples (time, position, velocity) around the middle of the limits."""
    rng = np.random.default_rng(seed)
    n = len(robot.joint_names)
    lower, upper = (np.where(np.isfinite(x), x, y) for x, y in ((robot.limits.lower, -1.0), (robot.limits.upper, 1.0)))
    middle, half = (lower + upper) / 2, np.minimum((upper - lower) / 2, 1.5)
    w = 2 * np.pi * np.array([0.5, 0.9, 1.3])
    a, phase = size * half * rng.normal(size=(3, n)) / 3, rng.uniform(0, 2 * np.pi, (3, n))
    time = np.arange(0, duration + 1e-9, 1 / rate)
    x = w[:, None] * time[:, None, None] + phase
    return time, middle + np.sum(a * np.sin(x), axis=1), np.sum(a * w[:, None] * np.cos(x), axis=1)


@pytest.mark.parametrize("name", ["pendulum", "two_link", "panda", "kuka_lwr4", "ur10e", "wam"])
def test_recorded_torque_is_our_inverse_dynamics_of_the_true_motion(name):
    robot = bf.Robot.load(name).with_friction(None)
    recording = bf.VirtualRobot(robot).play(sines(robot, duration=0.4))
    truth = recording.truth
    torque = robot.inverse_dynamics(truth.position, truth.velocity, truth.acceleration)
    assert np.abs(torque - recording.torque).max() < 1e-9 * np.abs(torque).max()


@pytest.mark.parametrize("terms", [bf.Viscous() + bf.LoadDependent(), bf.Coulomb() + bf.Stribeck(speed=0.2) + bf.Offset()])
def test_friction_and_rotors_of_the_plant_are_the_robot_s(terms):
    """Terms together; tests/laws/test_friction_table.py has each of them alone."""
    robot = bf.Robot.load("two_link").with_friction(terms + bf.RotorInertia())
    rng = np.random.default_rng(1)
    values = dict(zip(robot.drive_columns.names, rng.uniform(0.05, 0.2, len(robot.drive_values))))
    virtual = bf.VirtualRobot(robot.with_parameters(values))
    truth = virtual.play(sines(robot, duration=0.5)).truth
    torque = virtual.played.inverse_dynamics(truth.position, truth.velocity, truth.acceleration)
    np.testing.assert_allclose(torque, truth.torque, atol=1e-9 * np.abs(torque).max())


def test_steepness_bounds_the_slope():
    terms = bf.Viscous() + bf.Coulomb(width=0.1) + bf.Stribeck(speed=0.3, width=0.05) + bf.LoadDependent(width=0.1)
    robot = bf.Robot.load("pendulum").with_friction(terms, {"joint1.viscous": 0.3, "joint1.coulomb": 1.0})
    robot = robot.with_parameters({"joint1.stribeck": 0.4, "joint1.load": 0.2})
    friction, load = PlantFriction.of(robot), np.array([3.0])
    for speed in np.linspace(0, 1, 101):
        rise = friction.torque(np.array([speed + 1e-6]), load) - friction.torque(np.array([speed]), load)
        assert rise[0] / 1e-6 <= friction.steepness(np.array([speed]), load)[0] * (1 + 1e-3)


def test_a_coupled_rotor_is_a_tendon_of_the_plant():
    wrist = bf.Drivetrain(joints=("joint5", "joint6"), motors=("motor6",), matrix=[[1, 2]])
    robot = bf.Robot.load("panda").with_drivetrain(wrist)
    robot = robot.with_friction(bf.RotorInertia(at=("motor6",)) + bf.Viscous(at=("motor6",)), {"motor6.rotor_inertia": 0.05})
    robot = robot.with_parameters({"motor6.viscous": 0.2})
    rng = np.random.default_rng(0)
    plant = Plant(robot)
    for q, v, tau in rng.normal(size=(5, 3, 7)):
        plant.reset(q, v)
        np.testing.assert_allclose(plant.acceleration(tau), robot.forward_dynamics(q, v, tau), rtol=1e-9, atol=1e-9)


def test_halving_the_step_divides_the_error_by_sixteen():
    robot = bf.Robot.load("two_link").with_friction(bf.Viscous(), {"joint1.viscous": 0.3, "joint2.viscous": 0.1})

    def end(step):
        plant = Plant(robot, step=step)
        plant.reset([1.0, -2.0], [3.0, 5.0])
        plant.advance(np.array([2.0, -0.5]), 0.32)
        return np.concatenate([plant.position, plant.velocity])

    exact = end(0.00125)
    coarse, fine = (np.linalg.norm(end(step) - exact) for step in (0.02, 0.01))
    assert 12 < coarse / fine < 20


def test_a_free_swing_keeps_its_energy():
    robot = bf.Robot.load("two_link").with_friction(None)
    plant = Plant(robot, step=1e-3)
    plant.reset([2.0, 1.0], [0.0, 1.0])

    def energy():
        v = plant.velocity
        return 0.5 * v @ robot.mass_matrix(plant.position) @ v + potential(robot, plant.position)

    before = energy()
    for _ in range(20):
        plant.advance(np.zeros(2), 0.1)
        assert abs(energy() - before) < 1e-6


def potential(robot, q):
    """Work of the gravity torque along a straight way from zero, by Gauss-Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    s = (nodes + 1) / 2
    return weights / 2 @ (robot.gravity_torque(s[:, None] * q) @ q)


def test_velocity_and_acceleration_are_derivatives_of_position():
    robot = bf.Robot.load("panda").with_friction(None)
    truth = bf.VirtualRobot(robot).play(sines(robot, duration=0.5), control_rate=1000).truth
    h, q, v, a = 1e-3, truth.position, truth.velocity, truth.acceleration
    # The torque is held: acceleration jumps at every tick, and only the value behind the jump belongs to the period.
    np.testing.assert_allclose(q[1:], q[:-1] + h * v[:-1] + h * h / 2 * a[:-1], atol=1e-6)
    np.testing.assert_allclose(v[1:], v[:-1] + h * a[:-1], atol=1e-3 * np.abs(a).max())


def test_a_mimic_joint_follows():
    robot = bf.Robot.load(MJCF / "gripper.xml")
    assert len(robot.joint_names) < robot.tree.n_joints, "the gripper should have a mimic joint"
    virtual = bf.VirtualRobot(robot)
    truth = virtual.play(sines(robot, duration=0.5, size=0.1)).truth
    torque = virtual.played.inverse_dynamics(truth.position, truth.velocity, truth.acceleration)
    assert np.abs(torque - truth.torque).max() < 1e-2 * np.abs(torque).max()


def test_a_stiff_spring_is_no_spring_and_a_soft_one_swings_at_its_frequency():
    robot = bf.Robot.load("pendulum").with_gravity([0, 0, 0]).with_friction(bf.RotorInertia(), {"joint1.rotor_inertia": 0.05})
    link, motor, k = float(robot.mass_matrix([0.0])[0, 0]) - 0.05, 0.05, 40.0
    plant = Plant(robot, stiffness={"joint1": k}, step=1e-4)
    plant.reset([0.0], [0.0])
    spring = []
    for _ in range(2000):
        plant.advance(np.array([1.0]), 1e-3)
        spring.append(k * (plant.motor_position - plant.position)[0])
    # Two masses and a spring under a constant torque: spring(t) = torque link / (link + motor) (1 - cos(w t))
    w = np.sqrt(k * (1 / link + 1 / motor))
    t = 1e-3 * np.arange(1, 2001)
    np.testing.assert_allclose(spring, link / (link + motor) * (1 - np.cos(w * t)), atol=1e-5)
    assert abs((link * plant.velocity + motor * plant.motor_velocity)[0] - 2.0) < 1e-9  # momentum of the torque
    stiff, rigid = (bf.VirtualRobot(robot, stiffness=s) for s in ({"joint1": 3e4}, {}))
    ways = [virtual.play(sines(robot, duration=0.5), rate=500).position for virtual in (stiff, rigid)]
    assert np.abs(ways[0] - ways[1]).max() < 1e-3
