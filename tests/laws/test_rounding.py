"""What bifilar decides does not hang on the last bits: the same data, changed by 1e-14 of themselves, are judged alike.

Data without noise are the hard case. Candidates that all explain them differ by rounding alone, and whoever takes the best of
these takes chance for evidence. `make test-rounding` runs this and other tests under the rounding of several processors.
"""

from __future__ import annotations

import decisions
import numpy as np
import pytest
from rounding_noise import shaken

import bifilar as bf
from bifilar.calibrate.drive_gain import identify_drive_gains
from bifilar.estimate.friction_choice import choose_friction
from bifilar.estimate.prior_strength import choice

SEEDS = (1, 2)
USUAL = bf.Viscous() + bf.Coulomb() + bf.Offset()
METHODS = {
    "least squares": bf.LeastSquares(),
    "consistent": bf.PhysicallyConsistent(),
    "best prior": bf.PhysicallyConsistent(rule="best"),
}


def exact(name: str, rubs: bool) -> tuple[bf.Robot, tuple[np.ndarray, ...]]:
    """A robot and samples of it without any noise."""
    robot = bf.Robot.load(name).with_friction(())
    q, v, a = np.random.default_rng(0).normal(size=(3, 400, len(robot.joint_names)))
    friction = 0.4 * v + 0.2 * np.sign(v) + 0.1 if rubs else 0.0
    return robot, (q, v, a, robot.inverse_dynamics(q, v, a) + friction)


def moved(samples: tuple[np.ndarray, ...], seed: int) -> tuple[np.ndarray, ...]:
    return tuple(shaken(x, seed, decisions.SHAKEN) for x in samples)


@pytest.mark.parametrize("name", ["two_link", "panda", "ur10e", "wam"])
def test_base_parameters_of_a_model_that_is_rounded_otherwise(name):
    robot = bf.Robot.load(name)
    first = decisions.of_structure(robot)
    for seed in SEEDS:
        again = robot.with_body_parameters(shaken(robot.body_parameters, seed, decisions.SHAKEN))
        assert not decisions.differences(first, decisions.of_structure(again))


@pytest.mark.parametrize("mistake", decisions.MISTAKES)
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_findings_about_a_log(mistake, noise):
    robot = bf.Robot.load("two_link")
    log = decisions.MISTAKES[mistake](decisions.swung(robot, 1, noise, decisions.heavier(robot)))
    first = decisions.of_check(log, robot)
    for seed in SEEDS:
        assert not decisions.differences(first, decisions.of_check(decisions.shaken_log(log, seed), robot))


@pytest.mark.parametrize("rubs", [False, True])
@pytest.mark.parametrize("name", ["pendulum", "two_link"])
@pytest.mark.parametrize("method", METHODS)
def test_fits_without_noise(method, name, rubs):
    robot, samples = exact(name, rubs)
    first = dict(decisions.of_estimate(METHODS[method].fit(robot, samples, friction=USUAL)))
    for seed in SEEDS:
        again = dict(decisions.of_estimate(METHODS[method].fit(robot, moved(samples, seed), friction=USUAL)))
        assert not decisions.differences(first, again)


@pytest.mark.parametrize("rubs", [False, True])
@pytest.mark.parametrize("name", ["pendulum", "two_link", "ur10e"])
def test_friction_without_noise_has_no_terms_that_explain_rounding(name, rubs):
    robot, samples = exact(name, rubs)
    for seed in (0, *SEEDS):
        found = choose_friction(robot, moved(samples, seed) if seed else samples)
        assert found.chosen == ()


@pytest.mark.parametrize("mistake", ["none", "sign of all"])
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_a_log_from_its_cutoff_to_the_verdict(mistake, noise):
    robot = bf.Robot.load("two_link")
    real = decisions.heavier(robot)
    log, test = (decisions.swung(robot, seed, noise, real) for seed in (1, 2))
    log = decisions.MISTAKES[mistake](log)
    first = decisions.of_fit(log, test, robot)
    again = decisions.of_fit(decisions.shaken_log(log, 1), test, robot)
    assert not decisions.differences(first, again)


def test_gains_of_exchanged_runs_are_those_of_free_numbers_on_any_processor():
    """Links that can exist do not go with a load that lifts: the search wanders, and rounding decides where it stands."""
    arm = bf.Robot.load("two_link")
    heavy = arm.with_payload("link2", bf.Inertia.from_center_of_mass(0.5, [0.2, 0, 0], 1e-3 * np.eye(3)))
    runs = [bf.prepare(decisions.swung(arm, seed, 0.002, real), cutoff=8) for seed, real in ((3, heavy), (4, arm))]
    found = identify_drive_gains(arm, *runs, mass=0.5)
    plain = identify_drive_gains(arm, *runs, mass=0.5, method=bf.LeastSquares())
    assert (found.gain < 0).all()
    if found.status.code == "not converged":
        assert found.estimate is None and np.array_equal(found.gain, plain.gain)


def test_information_that_is_rounding_does_not_move_the_likelihood():
    """Without noise the information about parameters is a small difference of large numbers, negative in some directions."""
    robot, t = bf.Robot.load("two_link").with_friction(bf.Viscous()), np.arange(4000) / 500
    w, k = np.array([2.1, 2.8]), np.arange(2)
    q, v, a = (f(w * t[:, None] + k) * s for f, s in ((np.sin, 1.0), (np.cos, w), (np.sin, -(w**2))))
    clean = bf.Recording(joint_names=robot.joint_names, time=t, position=q, torque=robot.inverse_dynamics(q, v, a))
    estimate = bf.MaximumLikelihood(held_torque=False, clock=np.inf).fit(robot, clean)
    truth = estimate.base.from_full(robot.parameters())
    assert estimate.status.ok and not np.isnan(estimate.deviations).any()
    assert np.allclose(estimate.values, truth, atol=1e-4 * np.abs(truth).max())


def test_of_equal_weights_rounding_chooses_none():
    errors = np.tile(np.random.default_rng(1).uniform(1, 2, 5), (4, 1))
    weights = np.array([0.01, 1.0, 100.0, 1e4])
    rng = np.random.default_rng(0)
    for rule in ("best", "standard"):
        drawn = {choice(errors * (1 + 1e-9 * rng.normal(size=errors.shape)), rule, weights, 1.0) for _ in range(50)}
        assert len(drawn) == 1


def test_a_singular_matrix_is_refused_in_our_words(monkeypatch):
    robot, samples = exact("pendulum", False)

    def broken(*_: object, **__: object) -> None:
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr("bifilar.estimate.least_squares.LeastSquares._rows", broken)
    with pytest.raises(bf.SolveError):
        bf.fit(robot, samples, bf.LeastSquares())
