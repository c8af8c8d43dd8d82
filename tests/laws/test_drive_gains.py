"""Torque per ampere from a known load: the truth comes back, bars cover, what weight cannot tell is said."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import bifilar as bf
from bifilar.estimate.bodies import pseudo, ten_of

Array = NDArray[np.float64]
GAINS = np.array([11.0, 12.0, 10.0, 9.0, 8.0, 7.0])
LOAD = bf.Inertia.from_center_of_mass(3.0, [0.03, 0.1, -0.1], 0.02 * np.eye(3))


def runs(
    seed: int, noise: float, gravity: tuple[float, float, float] = (0, 0, -9.81)
) -> tuple[bf.Robot, list[tuple[Array, ...]]]:
    """Currents of a UR10e without and with the load."""
    rng = np.random.default_rng(seed)
    robot = bf.Robot.load("ur10e").with_gravity(gravity)
    out = []
    for arm in (robot, robot.with_payload(robot.frame_names[-1], LOAD)):
        q, v, a = rng.uniform(-2, 2, (3, 200, 6))
        current = arm.inverse_dynamics(q, v, a) / GAINS
        out.append((q, v, a, current + noise * rng.normal(size=current.shape)))
    return robot, out


def other_links(robot: bf.Robot, rng: np.random.Generator, off: float = 0.15) -> bf.Robot:
    """Links that can exist and are not as described."""
    names, values = robot.parameters().names, np.array(robot.parameters().values)
    for k in range(0, 60, 10):
        root = np.linalg.cholesky(pseudo(values[k : k + 10])) @ (np.eye(4) + off * rng.normal(size=(4, 4)))
        values[k : k + 10] = ten_of(root @ root.T)
    return robot.with_parameters(dict(zip(names, values, strict=True)))


def test_gains_links_and_friction_are_found_together() -> None:
    """Error bars of all of them cover; every link can exist; the load weighs what it weighs."""
    described, gains, links = bf.Robot.load("ur10e"), [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rubs = {f"joint{k}.{word}": value for k in range(1, 7) for word, value in (("viscous", 5.0), ("coulomb", 4.0))}
        terms = bf.Viscous() + bf.Coulomb() + bf.Offset()
        arm = other_links(described, rng).with_friction(terms).with_parameters(rubs)
        data = []
        for machine in (arm, arm.with_payload(arm.frame_names[-1], LOAD)):
            q, v, a = rng.uniform(-2, 2, (3, 200, 6))
            current = machine.inverse_dynamics(q, v, a) / GAINS
            data.append((q, v, a, current + 0.1 * rng.normal(size=current.shape)))
        found = bf.identify_drive_gains(described, data[0], data[1], mass=3.0, friction=terms)
        assert found.estimate is not None and found.load is not None and found.estimate.status.ok
        assert all(link.inertia.is_consistent for link in found.estimate.robot.links if link.inertia.mass > 0)
        assert found.load.mass == pytest.approx(3.0) and found.load.is_consistent
        gains.append(np.abs((found.gain - GAINS) / found.deviations) < 2.2)
        known = found.estimate.identified
        truth = found.estimate.base.from_full(np.array(arm.parameters().values))
        links.append(np.mean(np.abs((found.estimate.values - truth) / found.estimate.deviations)[known] < 1.96))
        assert known.sum() > 15
    assert np.mean(gains) > 0.87 and np.mean(links) > 0.9


def test_a_description_that_is_too_heavy_does_not_change_what_an_ampere_is() -> None:
    robot, (free, held) = runs(4, 0.05)
    heavy = robot.with_parameters({name: 2 * value for name, value in zip(*_links(robot), strict=True)})
    right, wrong = (bf.identify_drive_gains(arm, free, held, mass=3.0, friction=()) for arm in (robot, heavy))
    assert np.all(np.abs(wrong.gain - right.gain) < wrong.deviations)
    assert np.all(np.abs(wrong.gain - GAINS) < 3 * wrong.deviations)


def _links(robot: bf.Robot) -> tuple[tuple[str, ...], Array]:
    return robot.parameters().names[:60], np.asarray(robot.parameters().values)[:60]


def test_what_is_known_of_the_links_is_kept() -> None:
    robot, (free, held) = runs(5, 0.05)
    method = bf.PhysicallyConsistent(prior_weight=1.0, total_mass=30.0, bounds={"link6.mass": (1.0, 2.0)})
    found = bf.identify_drive_gains(robot, free, held, mass=3.0, friction=(), method=method).estimate
    assert found is not None
    names, values = found.parameters.names, found.parameters.values
    assert sum(value for name, value in zip(names, values, strict=True) if name.endswith(".mass")) == pytest.approx(30.0)
    assert 1.0 - 1e-6 <= found.parameters["link6.mass"] <= 2.0 + 1e-6


def test_free_numbers_say_nearly_the_same() -> None:
    robot, (free, held) = runs(6, 0.05)
    plain = bf.identify_drive_gains(robot, free, held, mass=3.0, friction=(), method=bf.LeastSquares())
    found = bf.identify_drive_gains(robot, free, held, mass=3.0, friction=())
    assert plain.estimate is None and np.all(np.abs(found.gain - plain.gain) < 3 * plain.deviations)


def test_the_truth_comes_back() -> None:
    robot, (free, held) = runs(0, 0.0)
    found = bf.identify_drive_gains(robot, free, held, mass=3.0, friction=bf.Viscous() + bf.Coulomb())
    np.testing.assert_allclose(found.gain, GAINS, rtol=1e-6)
    centre = LOAD.vector[1:4] / 3.0
    np.testing.assert_allclose(found.centre, centre, atol=1e-6)


def test_gains_scale_with_what_was_recorded() -> None:
    robot, (free, held) = runs(1, 0.05)
    plain = bf.identify_drive_gains(robot, free, held, mass=3.0, friction=())
    scaled = [(*run[:3], run[3] * GAINS) for run in (free, held)]
    other = bf.identify_drive_gains(robot, scaled[0], scaled[1], mass=3.0, friction=())
    np.testing.assert_allclose(other.gain * GAINS, plain.gain, rtol=1e-6)


def test_noise_does_not_press_gains_down() -> None:
    """Fitting gain times current would: its noise then stands in the regressor."""
    found = [bf.identify_drive_gains(robot, *data, mass=3.0, friction=()) for robot, data in (runs(s, 0.1) for s in range(8))]
    error = np.array([(f.gain - GAINS) / f.deviations for f in found])
    assert np.abs(np.mean([f.gain / GAINS - 1 for f in found], axis=0)).max() < 0.03
    assert np.mean(np.abs(error) < 2.2) > 0.85  # t of some twenty blocks


def test_a_joint_that_gravity_never_loads_is_named() -> None:
    robot, (free, held) = runs(2, 0.05)
    found = bf.identify_drive_gains(robot, free, held, mass=3.0, friction=())
    assert found.by_gravity.tolist() == [False] + [True] * 5
    assert not found.identified[0] and found.identified[1:].all()
    assert found.status.code == "doubtful" and robot.joint_names[0] in found.status.sentence
    tilted, (free, held) = runs(2, 0.05, (3.0, 3.0, -8.0))
    assert bf.identify_drive_gains(tilted, free, held, mass=3.0, friction=()).status.ok


def test_a_load_that_was_not_there_tells_no_gain() -> None:
    robot, (free, held) = runs(2, 0.05)
    _, (other, _) = runs(7, 0.05)
    for second in (free, other):
        found = bf.identify_drive_gains(robot, free, second, mass=3.0, friction=())
        assert not found.identified.any() and np.isinf(found.deviations).all()
        assert found.status.code == "rank deficient" and "not felt" in found.status.sentence
    assert "not felt" not in bf.identify_drive_gains(robot, free, held, mass=3.0, friction=()).status.sentence


def test_a_motor_that_is_wired_the_other_way_has_a_negative_gain() -> None:
    robot, data = runs(3, 0.05)
    turned = [(*run[:3], run[3] * [1, -1, 1, 1, 1, 1]) for run in data]
    found = bf.identify_drive_gains(robot, turned[0], turned[1], mass=3.0, friction=())
    assert found.identified[1:].all() and np.abs(found.gain / GAINS)[1:] == pytest.approx(1, abs=0.05) and found.gain[1] < 0


def test_real_currents(dataset) -> None:  # type: ignore[no-untyped-def]
    """Gains from one pair of runs give the load's mass on another pair; the published gains do not."""
    dataset("ur10e_mamedov")
    robot = bf.datasets.robot("ur10e_mamedov")
    published = np.array([10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232])
    names = ("ur-20_02_19_14harm50sec", "ur-20_02_19_14harm50secLoad", "ur-20_01_31-unload", "ur-20_01_31-load")

    def run(name: str, factor: Array) -> bf.Samples:
        log = bf.datasets.load("ur10e_mamedov", name)
        torque = log.torque / published * factor
        whole = bf.Recording(joint_names=log.joint_names, time=log.time, position=log.position, torque=torque)
        return bf.prepare(whole, cutoff=5.0)

    found = bf.identify_drive_gains(robot, run(names[0], np.ones(6)), run(names[1], np.ones(6)), mass=2.805)
    assert not found.identified[0] and found.identified[1:].all()
    assert found.estimate is not None and found.estimate.status.ok
    assert all(link.inertia.is_consistent for link in found.estimate.robot.links if link.inertia.mass > 0)
    ours, theirs = (
        bf.identify_payload(robot, run(names[2], factor), run(names[3], factor)).mass for factor in (found.gain, published)
    )
    assert ours == pytest.approx(2.805, rel=0.05)
    assert theirs == pytest.approx(2.42, rel=0.03)
