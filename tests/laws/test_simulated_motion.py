"""Our own integration: the Jacobian is exact, implicit and explicit agree, energy stays, events are where they belong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import description_of, random_machine

import bifilar as bf
from bifilar.simulate.implicit_form import ImplicitForm
from bifilar.simulate.wrench import wrench_torque

pytest.importorskip("sksundae")
TERMS = bf.Viscous() + bf.Coulomb(width=0.05)
POSE = np.array([0.3, 0.6, -0.2, -1.4, 0.5, 0.9, 0.1])


def frictional(robot: bf.Robot, seed: int = 0, terms=TERMS, gentle: bool = False) -> bf.Robot:
    """Some friction at every joint; gentle: no more than explicit integration likes, in proportion to the inertias."""
    rng = np.random.default_rng(seed)
    robot = robot.with_friction(terms)
    names = robot.drive_columns.names
    inertia = dict(zip(robot.joint_names, robot.mass_matrix(POSE[: len(robot.joint_names)]).diagonal()))
    size = [inertia[name.split(".")[0]] if gentle else 1.0 for name in names]
    return robot.with_parameters(dict(zip(names, rng.uniform(0.2, 0.6, len(names)) * size)))


def differences(form: ImplicitForm, t: float, s: np.ndarray, rate: np.ndarray, alpha: float, h: float = 1e-5) -> np.ndarray:
    """J by central differences of h along (ds, alpha ds)."""
    columns = [
        form.residual(t, s + d, rate + alpha * d) - form.residual(t, s - d, rate - alpha * d) for d in h * np.eye(len(s))
    ]
    return np.array(columns).T / (2 * h)


def exact(form: ImplicitForm, rng: np.random.Generator) -> None:
    s, rate = rng.normal(size=(2, 2 * form.joints))
    for alpha in (0.0, 10.0, 1e3):
        found = form.jacobian(0.5, s, rate, alpha)
        apart = np.abs(found - differences(form, 0.5, s, rate, alpha)).max()
        assert apart < 1e-6 * max(1.0, float(np.abs(found).max()))


PUSHES = (
    bf.JointPush(joint="joint4", torque=5.0, start=0.0, stop=1.0),
    bf.LinkPush(link="link7", force=[3.0, -4.0, 8.0], moment=[0.5, 0.2, -0.3], point=[0.1, 0.0, 0.2], start=0.0, stop=1.0),
)


@pytest.mark.parametrize("name", ["panda", "kuka_lwr4", "wam"])
def test_jacobian_of_robots_with_friction_pushes_and_feedback(name):
    rng = np.random.default_rng(1)
    robot = frictional(bf.Robot.load(name), terms=TERMS + bf.RotorInertia() + bf.LoadDependent(width=0.1))
    exact(ImplicitForm(robot, torque=rng.normal(size=7), pushes=PUSHES), rng)
    exact(ImplicitForm(robot, torque=lambda t, q, v: -30.0 * np.sin(q) - 2.0 * v * q + t, pushes=PUSHES), rng)


def test_jacobian_of_base_parameters_alone():
    rng = np.random.default_rng(2)
    robot = frictional(bf.Robot.load("kuka_lwr4"))
    base = bf.base_parameters(robot)
    assert len(base.from_full(robot.parameters())) == 57
    exact(ImplicitForm(base.model(robot, base.from_full(robot.parameters())), pushes=PUSHES), rng)


@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.booleans())
def test_jacobian_of_random_trees_that_are_pushed(seed, joints, mimic):
    rng = np.random.default_rng(seed)
    robot = bf.Robot.build(description_of(random_machine(rng, joints, mimic=mimic, shuffled=False)))
    force, moment, point = rng.normal(size=(3, 3))
    push = bf.LinkPush(link=robot.body_names[-1], force=force, moment=moment, point=point, start=0.0, stop=1.0)
    exact(ImplicitForm(robot, pushes=push), rng)
    q = rng.normal(size=len(robot.joint_names))
    work = robot.jacobian(push.link, q, point).T @ np.concatenate([force, moment])
    np.testing.assert_allclose(wrench_torque(robot, push, q)[0], work, atol=1e-12 * max(1.0, float(np.abs(work).max())))


@pytest.mark.parametrize("name", ["two_link", "kuka_lwr4"])
def test_implicit_and_explicit_agree_over_five_seconds(name):
    robot = frictional(bf.Robot.load(name), gentle=True)
    n = len(robot.joint_names)
    push = bf.JointPush(joint=robot.joint_names[1], torque=8.0, start=1.0, stop=1.7)
    inertia, hold = robot.mass_matrix(POSE[:n]).diagonal(), robot.gravity_torque(POSE[:n])

    def torque(t, q, v):
        return hold + inertia * (5.0 * np.sin(t * np.arange(1, n + 1)) - 30.0 * (q - POSE[:n]) - 3.0 * v)

    runs = [
        bf.simulate_motion(robot, POSE[:n], np.zeros(n), 5.0, torque=torque, pushes=push, method=method, tolerance=tolerance)
        for method, tolerance in (("implicit", 1e-7), ("explicit", 1e-8))
    ]
    apart = [np.abs(getattr(runs[0].motion, x) - getattr(runs[1].motion, x)).max() for x in ("position", "velocity")]
    assert max(apart) < 1e-4
    assert np.abs(runs[0].motion.velocity).max() > 0.5  # it moved


def test_base_parameters_alone_swing_like_the_robot_they_come_from():
    robot = frictional(bf.Robot.load("kuka_lwr4"), gentle=True)
    base = bf.base_parameters(robot)
    model = base.model(robot, base.from_full(robot.parameters()))
    ways = [bf.simulate_motion(m, POSE, np.zeros(7), 0.6).motion.position for m in (robot, model)]
    assert np.abs(ways[0] - ways[1]).max() < 1e-5


@pytest.mark.parametrize("method", ["implicit", "explicit"])
def test_energy_stays_without_friction_and_falls_with_it(method):
    robot = bf.Robot.load("two_link").with_friction(None)
    start = [1.5, -0.7], [0.0, 2.0]

    def energy(model, run):
        q, v = run.motion.position, run.motion.velocity
        return model.kinetic_energy(q, v) + model.potential_energy(q)

    free = energy(robot, bf.simulate_motion(robot, *start, 3.0, method=method, tolerance=1e-10))
    assert np.abs(free - free[0]).max() < 1e-6 * max(1.0, np.abs(free).max())
    rubbed = frictional(robot, gentle=True)
    lost = energy(rubbed, bf.simulate_motion(rubbed, *start, 3.0, method=method, tolerance=1e-9))
    assert np.all(np.diff(lost) < 1e-7) and lost[-1] < lost[0] - 1.0


@pytest.mark.parametrize("method", ["implicit", "explicit"])
def test_a_mass_that_falls_lands_when_it_should(method):
    """A sliding joint along gravity under a constant push: h - t^2 (g - f/m) / 2."""
    machine = random_machine(np.random.default_rng(0), 1, prismatic=1.0, mimic=False, gravity=False)
    robot = bf.Robot.build(description_of(machine))
    mass = float(robot.mass_matrix([0.0])[0, 0])
    push = bf.JointPush(joint="joint0", torque=-2.0 * mass, start=0.25, stop=9.0)
    floor = {"floor": lambda t, q, v: q[0], "half": lambda t, q, v: q[0] - 0.5}
    run = bf.simulate_motion(robot, [1.0], [0.0], 3.0, pushes=push, events=floor, ends=["floor"], method=method, rate=10)
    assert [event.name for event in run.events] == ["half", "floor"]
    np.testing.assert_allclose([event.time for event in run.events], [0.25 + np.sqrt(0.5), 1.25], atol=1e-6)
    assert run.motion.time[-1] == pytest.approx(1.25, abs=1e-6) and abs(run.motion.position[-1, 0]) < 1e-6
    np.testing.assert_allclose(run.motion.acceleration[:, 0], np.where(run.motion.time < 0.25, 0.0, -2.0), atol=1e-9)


def test_steep_friction_is_no_problem_for_the_implicit_solver():
    """A sign over a thousandth of a radian per second; explicit steps would have to be smaller than 1e-5 s."""
    robot = frictional(bf.Robot.load("kuka_lwr4"))
    run = bf.simulate_motion(robot, POSE, np.zeros(7), 1.0, slip=1e-3, tolerance=1e-6)
    assert run.evaluations < 20_000 and np.isfinite(run.motion.position).all()
