"""Laws of information and criteria: exact gradients, invariances, order."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import MotionError
from bifilar.experiment.criteria import KINDS, Criterion
from bifilar.experiment.information import Information, relative_sizes


def robot_with_friction(name: str) -> bf.Robot:
    return bf.Robot.load(name).with_friction(bf.Viscous() + bf.Coulomb(width=0.3) + bf.Offset() + bf.RotorInertia())


def random_motion(robot, samples=60, seed=0):
    return np.random.default_rng(seed).uniform(-1.5, 1.5, (3, samples, len(robot.joint_names)))


@pytest.mark.parametrize("name", ["two_link", "puma560", "panda"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_exact(name, kind):
    robot = robot_with_friction(name)
    seen = Information.on(robot, bf.base_parameters(robot), noise=np.linspace(0.5, 2.0, len(robot.joint_names)))
    criterion, state = Criterion(kind=kind, sharpness=4), random_motion(robot)
    value, gradients = seen.judged(criterion, *state)
    direction = np.random.default_rng(1).normal(size=state.shape)
    slope = sum(np.sum(g * d) for g, d in zip(gradients(), direction, strict=True))

    def at(step):
        return criterion.value(seen.matrix(*(state + step * direction)))

    h = 1e-4
    numeric = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    assert value == pytest.approx(at(0.0))
    assert slope == pytest.approx(numeric, rel=1e-6)


def test_information_adds_up_and_never_shrinks():
    robot = robot_with_friction("two_link")
    base = bf.base_parameters(robot)
    first, second = random_motion(robot, seed=1), random_motion(robot, seed=2)
    one = Information.on(robot, base)
    both = Information.on(robot, base, prior=one.matrix(*first)).matrix(*second)
    assert np.allclose(both, one.matrix(*np.concatenate([first, second], axis=1)))
    assert np.linalg.eigvalsh(both - one.matrix(*first)).min() > -1e-9
    for kind in ("D", "A", "E"):
        assert Criterion(kind=kind).value(both) > Criterion(kind=kind).value(one.matrix(*first))


def test_scaling_parameters_shifts_the_volume_by_a_constant():
    robot = bf.Robot.load("two_link")
    base = bf.base_parameters(robot)
    scale = np.array([1, 2, 3, 4, 5, 6.0])
    shifts = []
    for seed in range(3):
        state = random_motion(robot, seed=seed)
        plain, scaled = (Information.on(robot, base, scale=s).judged(Criterion(), *state)[0] for s in (1.0, scale))
        shifts.append(scaled - plain)
    assert np.allclose(shifts, 2 * np.log(scale).sum())


@pytest.mark.parametrize("kind", KINDS)
def test_others_that_are_unknown_count(kind):
    """The criterion of some parameters among unknown others is that of their own block of the covariance, with exact slope."""
    robot = robot_with_friction("two_link")
    base = bf.base_parameters(robot)
    seen = Information.on(robot, base, only=["*.viscous", "*.coulomb"], others="unknown")
    criterion, state = Criterion(kind=kind, sharpness=4), random_motion(robot, samples=200)
    value, gradients = seen.judged(criterion, *state)
    picked = [k for k, name in enumerate(base.independent) if name.endswith(("viscous", "coulomb"))]

    def at(step):
        covariance = np.linalg.inv(seen.matrix(*(state + step * direction)))
        return criterion.value(np.linalg.inv(covariance[np.ix_(picked, picked)]))

    direction, h = np.random.default_rng(1).normal(size=state.shape), 1e-4
    assert value == pytest.approx(at(0.0))
    known = Information.on(robot, base, only=["*.viscous", "*.coulomb"])
    if kind != "condition":
        assert known.judged(criterion, *state)[0] > value  # knowing the others helps
    numeric = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    assert sum(np.sum(g * d) for g, d in zip(gradients(), direction, strict=True)) == pytest.approx(numeric, rel=1e-5)


def test_worst_is_the_largest_relative_deviation():
    robot = bf.Robot.load("panda")
    base = bf.base_parameters(robot)
    sizes = relative_sizes(base, robot)
    seen = Information.on(robot, base, scale=sizes)
    state = random_motion(robot, samples=200)
    deviation = np.sqrt(np.diag(np.linalg.inv(seen.matrix(*state)))) / sizes
    value, _ = seen.judged(Criterion(kind="worst", sharpness=200), *state)
    assert np.exp(-0.5 * value) == pytest.approx(deviation.max(), rel=0.02)


def test_power_means_approach_the_extreme_eigenvalues():
    m = np.diag([0.1, 2.0, 5.0, 40.0])
    assert Criterion(kind="E", sharpness=60).value(m) == pytest.approx(np.log(0.1), abs=1e-6)
    assert Criterion(kind="condition", sharpness=60).value(m) == pytest.approx(np.log(0.1 / 40.0), abs=1e-6)


def test_a_motion_that_leaves_something_open_is_worth_nothing():
    robot = bf.Robot.load("two_link")
    still = np.zeros((3, 50, 2))
    assert Criterion().value(Information.on(robot, bf.base_parameters(robot)).matrix(*still)) == -np.inf


def test_letters():
    robot = bf.Robot.load("two_link")
    base = bf.base_parameters(robot)
    with pytest.raises(MotionError, match="no criterion 'F'"):
        Criterion(kind="F")
    with pytest.raises(MotionError, match="no base parameter matches"):
        Information.on(robot, base, only=["*.viscous"])
    with pytest.raises(MotionError, match="noise"):
        Information.on(robot, base, noise=0.0)
    with pytest.raises(MotionError, match="do not belong"):
        Information.on(bf.Robot.load("panda"), base)
