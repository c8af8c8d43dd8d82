"""Doubts are about robots, not about numbers: parts that are off and cancel raise none, turned or foreign torque does."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.estimate.doubts import NOTHING, Evidence, doubts
from bifilar.estimate.problem import Problem


def swing(speed: float, seed: int = 0):
    """A pendulum near its own frequency, where weight and inertia nearly cancel, or far from it."""
    t = np.arange(800) / 50
    noise = 0.02 * np.random.default_rng(seed).normal(size=(3, 800, 1))
    q = 0.3 * np.sin(speed * t)[:, None]
    return q + noise[0], 0.3 * speed * np.cos(speed * t)[:, None] + noise[1], -(speed**2) * q + noise[2]


def own_speed(robot: bf.Robot) -> float:
    mc, inertia = (robot.parameters()[f"link1.{word}"] for word in ("mcx", "Izz"))
    return float(np.sqrt(9.81 * mc / inertia))


@pytest.mark.parametrize("factor", [0.7, 0.85, 1.15, 1.3])
@pytest.mark.parametrize("near", [0.9, 0.97, 1.03, 1.1])
def test_parts_that_cancel_may_be_off(factor, near):
    """The description's inertia is off; the sum of weight and inertia may even point the other way."""
    robot = bf.Robot.load("pendulum").with_gravity([9.81, 0, 0])
    motion = swing(near * own_speed(robot))
    machine = robot.with_parameters({"link1.Izz": factor * robot.parameters()["link1.Izz"]})
    problem = Problem.of(robot, (*motion, machine.inverse_dynamics(*motion)))
    assert Evidence.of(problem).unexplained <= NOTHING
    assert doubts(problem).ok


@pytest.mark.parametrize("speed", [1.0, 30.0])
def test_turned_torque_is_doubted_where_parts_do_not_cancel(speed):
    robot = bf.Robot.load("pendulum").with_gravity([9.81, 0, 0])
    motion = swing(speed)
    assert doubts(Problem.of(robot, (*motion, robot.inverse_dynamics(*motion)))).ok
    turned = doubts(Problem.of(robot, (*motion, -robot.inverse_dynamics(*motion))))
    assert turned.code == "doubtful" and turned.cause == "torque.opposed"


@pytest.mark.parametrize("name", ["two_link", "puma560", "panda"])
def test_any_unit_of_torque_is_the_same_to_doubts(name):
    robot = bf.Robot.load(name).with_friction(())
    q, v, a = np.random.default_rng(1).normal(size=(3, 300, len(robot.joint_names)))
    tau = robot.inverse_dynamics(q, v, a)
    shares = [Evidence.of(Problem.of(robot, (q, v, a, k * tau), friction=())).unexplained for k in (1.0, 1000.0)]
    assert max(shares) < 1e-5


def test_what_no_links_could_cause_is_no_evidence_against_these():
    """Torque with a large part that depends on nothing the robot has: the fit is poor, the robot may be right."""
    robot, rng = bf.Robot.load("two_link"), np.random.default_rng(2)
    q, v, a = rng.normal(size=(3, 600, 2))
    tau = robot.inverse_dynamics(q, v, a)
    loud = tau + tau.std(axis=0) * rng.normal(size=tau.shape)
    assert doubts(Problem.of(robot, (q, v, a, loud))).ok


REAL = {
    ("pendulum", "harmonic_input_1"): "",
    ("pendulum", "harmonic_input_2"): "",
    (
        "pendulum",
        "free_fall_1",
    ): "torque.opposed",  # its torque is that of friction: the mass that fits is a tenth of the true one
    ("double_pendulum", "20230629-143524"): "",
    ("double_pendulum", "20230629-143601"): "",
    ("friction_franka", "slow"): "",
    ("friction_franka", "middle"): "",
    ("friction_franka", "high"): "",
    ("two_link", "norm"): "",
    ("kuka_lwr4", "1"): "",
    ("kinova_gen3", "2"): "",
}


@pytest.mark.parametrize(("name", "run"), REAL)
def test_real_machines_belong_to_their_robots(name, run, dataset):
    dataset(name)
    status = doubts(Problem.of(bf.datasets.robot(name), bf.datasets.load(name, run)))
    assert status.ok if not REAL[name, run] else status.cause == REAL[name, run]


@pytest.mark.parametrize(
    ("name", "run", "other"),
    [
        ("two_link", "norm", "double_pendulum"),
        ("double_pendulum", "20230629-143524", "two_link"),
        ("pendulum", "harmonic_input_1", "friction_franka"),
        ("friction_franka", "middle", "pendulum"),
        ("kinova_gen3", "1", "panda"),
        ("ur10e_mamedov", "ur-20_02_12-50sec_12harm", "puma560"),
    ],
)
def test_real_machines_do_not_belong_to_others(name, run, other, dataset):
    dataset(name)
    foreign = bf.datasets.robot(other) if other in bf.datasets.names() and other != "puma560" else bf.Robot.load(other)
    samples = bf.prepare(bf.datasets.load(name, run), robot=bf.datasets.robot(name))
    arrays = samples.position, samples.velocity, samples.acceleration, samples.torque
    assert doubts(Problem.of(foreign, arrays)).code == "doubtful"
