"""A load from runs with and without it: exact without noise, inside its error bars with noise, told where it is not seen."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf

TRUE = bf.Inertia.from_center_of_mass(1.5, [0.02, -0.03, 0.1], np.diag([0.01, 0.012, 0.008]))
FRICTION = bf.Viscous() + bf.Coulomb() + bf.Offset()


def recorded(robot, seed, noise=0.0, samples=600):
    rng = np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, samples, len(robot.joint_names)))
    torque = robot.inverse_dynamics(q, v, a)
    return q, v, a, torque + noise * rng.normal(size=torque.shape)


@pytest.fixture(scope="module")
def arm():
    robot = bf.Robot.load("puma560").with_friction(FRICTION)
    values = {name: 0.3 for name in robot.drive_columns.names}
    return robot.with_parameters(values)


@pytest.mark.parametrize("seeds", [(1, 1), (1, 2)], ids=["same motion", "another motion"])
def test_exact_without_noise(arm, seeds):
    link = arm.column_names()[-1 - len(arm.drive_values)].rpartition(".")[0]
    heavy = arm.with_payload(link, TRUE)
    load = bf.identify_payload(arm, recorded(arm, seeds[0]), recorded(heavy, seeds[1]))
    assert load.link == link and load.status.ok
    assert np.allclose(load.values, TRUE.vector, atol=1e-8)
    assert load.inertia.is_consistent and np.allclose(load.inertia.vector, TRUE.vector, atol=1e-6)
    assert load.gain(3.0)[0] == pytest.approx(2.0)


def test_error_bars_hold(arm):
    link = arm.column_names()[-1 - len(arm.drive_values)].rpartition(".")[0]
    heavy, inside = arm.with_payload(link, TRUE), []
    for seed in range(8):
        load = bf.identify_payload(arm, recorded(arm, 100 + seed, 0.3), recorded(heavy, 200 + seed, 0.3))
        inside.append(np.abs(load.values - TRUE.vector) <= 2.05 * load.deviations)
        assert load.inertia is not None and load.inertia.is_consistent
    assert 0.85 <= np.mean(inside) <= 1.0


def test_a_load_that_is_not_seen_is_told():
    """A pendulum turns about one axis: of ten numbers three can be seen."""
    robot = bf.Robot.load("pendulum")
    load = bf.identify_payload(robot, recorded(robot, 1), recorded(robot, 2), friction=())
    assert load.status.code == "rank deficient" and load.status.sentence


def test_an_unknown_link_is_told(arm):
    with pytest.raises(bf.SolveError, match="no moving link"):
        bf.identify_payload(arm, recorded(arm, 1), recorded(arm, 2), link="gripper")
