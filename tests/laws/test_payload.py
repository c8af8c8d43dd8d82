"""A load of an arm: exact without noise, inside its error bars with noise and a wrong arm, always physically consistent."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf
from bifilar.robot.base_parameters import base_parameters

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from study_payload import one, summary

TRUE = bf.Inertia.from_center_of_mass(1.5, [0.02, -0.03, 0.1], np.diag([0.01, 0.012, 0.008]))
FRICTION = bf.Viscous() + bf.Coulomb() + bf.Offset()


def recorded(robot, seed, noise=0.0, samples=600):
    rng = np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, samples, len(robot.joint_names)))
    torque = robot.inverse_dynamics(q, v, a)
    return q, v, a, torque + noise * rng.normal(size=torque.shape)


def known(robot, share=1.0, deviation=0.0):
    """An estimate of the arm whose bodies are all heavier by one factor, and which states how sure of it it is."""
    base, phi = base_parameters(robot), robot.parameters().values.copy()
    bodies = np.where(np.arange(len(phi)) < 10 * (len(robot.body_parameters) - 1), phi, 0.0)
    spread = base.matrix @ (deviation**2 * np.outer(bodies, bodies)) @ base.matrix.T
    return bf.BaseEstimate(
        described=robot, base=base, values=base.from_full(phi + (share - 1) * bodies), covariance=spread,
        noise=np.ones(len(robot.joint_names)), status=bf.Status(), method="stated", rows=1,
    )  # fmt: skip


def last_link(robot):
    return [name for name in robot.column_names() if name.endswith(".mass")][-1].removesuffix(".mass")


@pytest.fixture(scope="module")
def arm():
    robot = bf.Robot.load("puma560").with_friction(FRICTION)
    values = {name: 0.3 for name in robot.drive_columns.names}
    return robot.with_parameters(values)


@pytest.mark.parametrize("seeds", [(1, 1), (1, 2)], ids=["same motion", "another motion"])
def test_exact_without_noise(arm, seeds):
    link = last_link(arm)
    heavy = arm.with_payload(link, TRUE)
    load = bf.identify_payload(arm, recorded(arm, seeds[0]), recorded(heavy, seeds[1]))
    assert load.link == link and load.status.ok and not load.notes
    assert np.allclose(load.unconstrained, TRUE.vector, atol=1e-8)
    assert load.inertia.is_consistent and np.allclose(load.values, TRUE.vector, atol=1e-6)
    assert load.gain(3.0)[0] == pytest.approx(2.0)
    exact = bf.identify_payload(arm, known(arm), recorded(heavy, seeds[1]))
    assert np.allclose(exact.values, TRUE.vector, atol=1e-6) and exact.arm_scale == 1.0


def test_error_bars_hold(arm):
    heavy, inside = arm.with_payload(last_link(arm), TRUE), []
    for seed in range(8):
        load = bf.identify_payload(arm, recorded(arm, 100 + seed, 0.3), recorded(heavy, 200 + seed, 0.3))
        inside.append(np.abs(load.values - TRUE.vector) <= 2.05 * load.deviations)
        assert load.inertia.is_consistent
    assert 0.85 <= np.mean(inside) <= 1.0


def test_an_arm_that_is_3_percent_heavy_is_in_the_error_bars(arm):
    """By itself the wrong arm is taken for load; with its covariance stated, the bar says so and the log corrects the arm."""
    held = recorded(arm.with_payload(last_link(arm), TRUE), 3, 0.05)
    sure = bf.identify_payload(arm, known(arm, 1.03, 1e-3), held)
    honest = bf.identify_payload(arm, known(arm, 1.03, 0.03), held)
    assert abs(honest.mass - TRUE.mass) <= 2 * honest.deviations[0]
    assert honest.deviations[0] < 0.1 and honest.arm_scale < 2
    assert [note.code for note in sure.notes] == ["payload.arm_scale"] and 10 < sure.arm_scale < 100


def test_a_load_is_physically_consistent_whatever_the_noise(arm):
    """Noise that makes nonsense of inertias, no load at all, and a load that is taken away: a body, with bars that say so."""
    link = last_link(arm)
    for seed, mass in enumerate((0.0, 0.05, 0.5)):
        body = bf.Inertia.from_center_of_mass(mass, [0.02, 0.0, 0.1], 1e-5 * np.eye(3))
        held = recorded(arm.with_payload(link, body), 40 + seed, 5.0, samples=200)
        load = bf.identify_payload(arm, known(arm, 1.0, 0.03), held)
        assert load.inertia.is_consistent and load.mass > 0
        assert not bf.Inertia.from_vector(load.unconstrained).is_consistent or seed == 2
        assert abs(load.mass - mass) <= 4 * load.deviations[0]
        if mass == 0.0:
            assert [note.code for note in load.notes] == ["payload.not_significant"]
    lighter = bf.identify_payload(arm, recorded(arm.with_payload(link, TRUE), 1), recorded(arm, 2))
    assert lighter.inertia.is_consistent and lighter.unconstrained[0] == pytest.approx(-TRUE.mass)
    assert lighter.status.code == "doubtful" and lighter.status.cause == "payload.inconsistent"


def test_a_load_that_is_not_seen_is_told():
    """A pendulum turns about one axis: of ten numbers three can be seen."""
    robot = bf.Robot.load("pendulum")
    for arm in (recorded(robot, 1), known(robot, 1.0, 0.03)):
        how = {} if isinstance(arm, bf.BaseEstimate) else {"friction": ()}
        load = bf.identify_payload(robot, arm, recorded(robot, 2), **how)
        assert load.status.code == "rank deficient" and load.status.cause == "payload.open"
        assert load.inertia.is_consistent and np.isinf(load.deviations[0])


def test_what_cannot_be_is_refused(arm):
    with pytest.raises(bf.SolveError) as unknown:
        bf.identify_payload(arm, recorded(arm, 1), recorded(arm, 2), link="gripper")
    with pytest.raises(bf.SolveError) as twice:
        bf.identify_payload(arm, known(arm), recorded(arm, 2), friction=())
    with pytest.raises(bf.SolveError) as other:
        bf.identify_payload(bf.Robot.load("pendulum"), known(arm), recorded(arm, 2))
    assert [error.value.code for error in (unknown, twice, other)] == ["link.unknown", "option.unknown", "estimate.other_robot"]


def test_bars_contain_the_truth_in_arms_known_to_3_percent():
    """`make study-payload` in small: one arm and kind of error after the other."""
    report = summary([one(seed) for seed in range(100, 109)])
    assert report["physically consistent"] == report["ok"] == 9
    assert report["mass within 2 sigma"] >= 7 / 9 and report["centre within 2 sigma"] >= 21 / 27
    assert report["mass off, most [sigma]"] < 4
