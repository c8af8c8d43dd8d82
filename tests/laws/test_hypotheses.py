"""Laws of the mistakes that explain a log: each is named where it was made, with its size, and none where none was made."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import bifilar as bf
from bifilar.validate.hypotheses import explanations, named_mistakes

FRICTION = bf.Viscous() + bf.Coulomb(width=0.05) + bf.Offset() + bf.RotorInertia()
RATE = 20.0  # [Hz]


@cache
def log(name: str = "kuka_lwr4", seed: int = 0):
    """Nominal model, a machine whose links are wrong by 10 to 30 %, and a motion of it."""
    nominal, rng = bf.Robot.load(name), np.random.default_rng(seed)
    n = len(nominal.joint_names)
    wrong = np.exp(
        rng.choice([-1, 1], len(nominal.body_parameters)) * np.log1p(rng.uniform(0.1, 0.3, len(nominal.body_parameters)))
    )
    values = {f"{joint}.{word}": size for joint in nominal.joint_names for word, size in (("viscous", 1.0), ("coulomb", 1.0))}
    machine = nominal.with_body_parameters(nominal.body_parameters * wrong[:, None]).with_friction(FRICTION, values)
    time = np.arange(0.0, 25.0, 1 / RATE)
    size, phase = rng.uniform(0.2, 0.5, (n, 3)), rng.uniform(0, 2 * np.pi, (n, 3))
    w = 2 * np.pi / 10 * np.array([1.0, 2.0, 4.0])
    angle = time[:, None, None] * w + phase
    middle = 0.5 * rng.uniform(-1, 1, n)
    q, v, a = middle + (size * np.sin(angle)).sum(2), (size * w * np.cos(angle)).sum(2), -(size * w**2 * np.sin(angle)).sum(2)
    return nominal, machine, (q, v, a)


def noisy(torque, seed=9):
    return torque + 0.01 * torque.std(axis=0) * np.random.default_rng(seed).normal(size=torque.shape)


def examined(nominal, q, v, a, torque):
    data = tuple(map(np.ascontiguousarray, (q, v, a, noisy(torque))))
    estimate = bf.PhysicallyConsistent(prior_weight=10.0, uncertainty="white").fit(nominal, data, friction=FRICTION)
    return named_mistakes(estimate, [data]), explanations(estimate, [data])


def one(joint, size, n=7):
    return np.where(np.arange(n) == joint, size, 0.0)


def load(machine, mass):
    bodies = np.array(machine.body_parameters)
    bodies[-1] += bf.Inertia.from_center_of_mass(mass, [0.02, -0.03, 0.1], 1e-3 * mass * np.eye(3)).vector
    return machine.with_body_parameters(bodies)


def torque_of(machine, motion):
    return machine.inverse_dynamics(*motion)


MADE = {  # what is logged of a machine's motion, and what must be named: code, where, size, within
    "torque x2": (lambda m, q, v, a: (q, v, a, 2.0 * torque_of(m, (q, v, a))), ("torque.scale", "", 2.0, 0.5)),
    "torque x0.5": (lambda m, q, v, a: (q, v, a, 0.5 * torque_of(m, (q, v, a))), ("torque.scale", "", 0.5, 0.15)),
    "one joint x1.5": (
        lambda m, q, v, a: (q, v, a, (1 + one(3, 0.5)) * torque_of(m, (q, v, a))),
        ("torque.scale_joint", "joint4", 1.5, 0.25),
    ),
    "one sign": (lambda m, q, v, a: (q, v, a, (1 - one(3, 2.0)) * torque_of(m, (q, v, a))), ("sign", "joint4", -1.0, 0.5)),
    "tilt": (
        lambda m, q, v, a: (q, v, a, torque_of(m.with_gravity([0.855, 0, -9.773]), (q, v, a))),
        ("gravity.tilt", "", 5.0, 1.5),
    ),
    "load": (lambda m, q, v, a: (q, v, a, torque_of(load(m, 3.0), (q, v, a))), ("load.undeclared", "link7", 3.0, 1.0)),
    "encoder offset": (
        lambda m, q, v, a: (q + one(3, 0.05), v, a, torque_of(m, (q, v, a))),
        ("position.offset", "joint4", 0.05, 0.02),
    ),
    "gear": (
        lambda m, q, v, a: (q * (1 + one(3, 0.2)), v * (1 + one(3, 0.2)), a * (1 + one(3, 0.2)), torque_of(m, (q, v, a))),
        ("position.gear", "joint4", 1.2, 0.08),
    ),
    "clock": (lambda m, q, v, a: (q, v / 1.2, a / 1.44, torque_of(m, (q, v, a))), ("clock.factor", "", 1.2, 0.15)),
}


@pytest.mark.parametrize("mistake", MADE)
def test_a_mistake_is_named_with_its_place_and_size(mistake):
    nominal, machine, motion = log()
    make, (code, where, size, within) = MADE[mistake]
    notes, found = examined(nominal, *make(machine, *motion))
    assert [note.facts["mistake"] for note in notes] == [code], [(e.code, e.where, e.size, e.odds) for e in found[:4]]
    assert notes[0].facts["place"] == where and abs(notes[0].facts["size"] - size) < within
    assert notes[0].remedy and notes[0].remedy.cli


@pytest.mark.parametrize("seed", range(4))
def test_a_nominal_model_that_is_only_wrong_is_called_no_names(seed):
    nominal, machine, motion = log(seed=seed)
    assert examined(nominal, *motion, torque_of(machine, motion))[0] == ()


def test_a_factor_that_may_be_a_heavier_robot_is_not_called_a_mistake():
    nominal, _, motion = log()
    same = nominal.with_friction(FRICTION)
    assert examined(nominal, *motion, 1.3 * torque_of(same, motion))[0] == ()


def test_a_robot_of_other_build_is_named_as_one():
    nominal, _, _ = log("panda")
    _, machine, motion = log()
    notes, found = examined(nominal, *motion, torque_of(machine, motion))
    assert [note.facts["mistake"] for note in notes] == ["robot"], [(e.code, e.share, e.odds) for e in found[:4]]


def test_the_common_factor_is_said_to_have_two_explanations():
    nominal, machine, motion = log()
    (note,), _ = examined(nominal, *motion, 2.0 * torque_of(machine, motion))
    assert "--total-mass" in note.remedy.cli and "bifilar calibrate" in note.remedy.cli


def test_arrays_without_motion_and_floating_robots_are_not_examined():
    robot = bf.Robot.load("pendulum")
    still = np.zeros((60, 1))
    estimate = bf.LeastSquares().fit(robot, tuple(np.random.default_rng(0).normal(size=(4, 60, 1))))
    assert isinstance(explanations(estimate, [(still, still, still, still)]), tuple)


def test_torque_that_is_the_nominal_models_own_is_named():
    nominal = bf.Robot.load("two_link").with_friction(bf.Viscous(), {"joint1.viscous": 0.5, "joint2.viscous": 0.3})
    time = np.arange(2000) / 250
    q = np.column_stack([np.sin(1.9 * time), 0.7 * np.sin(2.7 * time + 1)])
    v, a = np.column_stack([1.9 * np.cos(1.9 * time), 1.89 * np.cos(2.7 * time + 1)]), -q * [1.9**2, 2.7**2]
    names = {"joint_names": nominal.joint_names, "time": time, "position": q}
    own = bf.Recording(**names, torque=nominal.inverse_dynamics(q, v, a))
    assert "simulated" in bf.check(own, nominal).alarms.codes
    measured = bf.Recording(**names, torque=noisy(1.1 * nominal.inverse_dynamics(q, v, a)))
    assert "simulated" not in bf.check(measured, nominal).alarms.codes
