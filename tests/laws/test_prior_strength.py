"""How far a description is believed: what data leave open stays near it, what they show is theirs, whatever the units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bifilar as bf
from bifilar.estimate.bodies import curvatures, pseudo, ten_of
from bifilar.estimate.consistent_parts import spread_of
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.prior_strength import BELIEVABLE, GRID, MASSES, TRUSTED, choice

WEIGHTS = np.tile(GRID, 2)
KINDS = np.repeat([0.0, MASSES], len(GRID))


def motion(robot, samples=300, seed=0, noise=0.0, torque_of=None):
    rng = np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, samples, len(robot.joint_names)))
    torque = (torque_of or robot).inverse_dynamics(q, v, a)
    return q, v, a, torque + noise * rng.normal(size=torque.shape)


def heavier(robot, factor):
    """Every body with all its ten numbers times a factor."""
    bodies = np.array(robot.body_parameters)
    bodies[1:] *= np.reshape(factor, (-1, 1))
    return robot.with_body_parameters(bodies)


def strayed(robot, estimate):
    """Largest factor between a mass and the description's, as a logarithm."""
    described, found = robot.parameters(), estimate.parameters
    return max(abs(np.log(found[name] / described[name])) for name in found.names if name.endswith(".mass"))


def errors_of(seed, folds=5):
    """A curve with a valley for each kind of candidates, and noise of its own in every fold."""
    rng = np.random.default_rng(seed)
    valley = rng.uniform(-2, 6, size=2)
    depth = 10.0 ** rng.uniform(-4, 0)
    curve = np.concatenate([depth * (np.log10(GRID) - at) ** 2 for at in valley])
    spread = 10.0 ** rng.uniform(-4, 0) * rng.normal(size=(len(curve), folds))
    return np.abs(1 + curve[:, None] + spread)


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_the_choice_is_never_weaker_than_the_best_of_its_kind_nor_clearly_worse(seed, folds):
    errors = errors_of(seed, folds)
    mean = errors.mean(axis=1)
    best, chosen = (choice(errors, rule, WEIGHTS, KINDS) for rule in ("best", "one standard error"))
    own = [k for k in np.flatnonzero(KINDS == KINDS[chosen]) if WEIGHTS[k] <= max(BELIEVABLE, WEIGHTS[best])]
    least = min(own, key=lambda k: mean[k])
    assert WEIGHTS[chosen] >= WEIGHTS[least] and KINDS[chosen] >= KINDS[best]
    assert WEIGHTS[chosen] <= max(TRUSTED, WEIGHTS[least])
    difference = errors[chosen] - errors[best]
    assert difference.mean() <= np.std(difference, ddof=1) / np.sqrt(folds) + 1e-12


@given(st.integers(0, 10_000), st.floats(1e-6, 1e6))
def test_the_unit_of_the_errors_does_not_matter(seed, unit):
    errors = errors_of(seed)
    assert choice(errors, "one standard error", WEIGHTS, KINDS, 1e-3) == choice(
        unit * errors, "one standard error", WEIGHTS, KINDS, unit * 1e-3
    )


def test_less_than_one_noise_in_all_rows_is_no_evidence():
    errors = np.ones((2, 5))
    errors[1] += 1e-6  # worse in every fold, by next to nothing, but more than the solver's tolerance
    assert choice(errors, "one standard error", np.ones(2), np.array([0.0, MASSES]), silent=1e-4) == 1
    assert choice(errors, "one standard error", np.ones(2), np.array([0.0, MASSES])) == 0


@pytest.mark.parametrize("seed", range(3))
def test_masses_that_torque_cannot_tell_stay_though_inertias_are_plainly_wrong(seed):
    """Rotors that the file does not state ask for a weak prior; the masses do not pay for it."""
    robot = bf.Robot.load("panda")
    turning = robot.with_friction(bf.RotorInertia())
    turning = turning.with_parameters({f"{joint}.rotor_inertia": 0.4 for joint in robot.joint_names})
    data = motion(robot, samples=400, seed=seed, noise=1.0, torque_of=turning)
    estimate = bf.PhysicallyConsistent().fit(robot, data, friction=())
    free = bf.PhysicallyConsistent(rule="best").fit(robot, data, friction=())
    assert estimate.tables["prior weight"].mass_weight == MASSES
    assert strayed(robot, estimate) < 0.3 and strayed(robot, estimate) < 0.5 * strayed(robot, free)
    other = motion(robot, seed=99, torque_of=turning)
    assert estimate.score(other).relative < 1.1 * free.score(other).relative + 1e-3


@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_where_the_description_is_wrong_in_what_is_seen_the_data_win(factor):
    """Base parameters are the machine's, within their bars, and predict as well as without any pull of the masses."""
    robot = bf.Robot.load("panda")
    machine = heavier(robot, factor)
    data, other = motion(robot, samples=600, noise=0.3, torque_of=machine), motion(robot, seed=9, torque_of=machine)
    estimate = bf.PhysicallyConsistent().fit(robot, data, friction=())
    free = bf.PhysicallyConsistent(rule="best").fit(robot, data, friction=())
    truth, known = estimate.base.from_full(machine.parameters()), estimate.identified
    off = np.abs(estimate.values - truth) / estimate.deviations
    assert known.sum() >= 8 and np.mean(off[known] < 2) > 0.7 and off[known].max() < 4
    assert estimate.score(other).relative < 1.3 * free.score(other).relative


def test_bars_hold_the_truth_though_masses_are_pulled_to_wrong_ones():
    """Descriptions off by some 15 % in every direction: what is called known, and what is from data, is within 95 % bars."""
    machine, known, data = bf.Robot.load("panda"), [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        bodies = np.array(machine.body_parameters)
        root = np.linalg.cholesky(pseudo(bodies[1:])) @ (np.eye(4) + 0.15 * np.tril(rng.normal(size=(len(bodies) - 1, 4, 4))))
        bodies[1:] = ten_of(root @ root.transpose(0, 2, 1))
        described = machine.with_body_parameters(bodies)
        estimate = bf.PhysicallyConsistent().fit(described, motion(machine, 400, seed, noise=1.0), friction=())
        low, high = estimate.interval()
        truth = estimate.base.from_full(machine.parameters())
        known += ((low <= truth) & (truth <= high))[estimate.identified].tolist()
        low, high = estimate.parameter_interval()
        truth = np.array(machine.parameters().values)
        data += ((low <= truth) & (truth <= high))[np.array(estimate.origins) == "data"].tolist()
    assert len(known) > 60 and np.mean(known) > 0.9
    assert len(data) > 60 and np.mean(data) > 0.88


def test_a_stronger_pull_does_not_make_a_mass_better_known():
    """The bars of what torque does not see are those of the best weight, whatever was chosen."""
    robot = bf.Robot.load("two_link")
    bent = heavier(robot, [1.0, 1.4])
    data = motion(robot, noise=0.05, torque_of=bent)
    chosen, best = (bf.PhysicallyConsistent(rule=rule).fit(robot, data, friction=()) for rule in ("one standard error", "best"))
    strength = chosen.tables["prior weight"]
    assert strength.mass_weight == MASSES and strength.believed <= best.tables["prior weight"].weight
    place = list(chosen.parameters.names).index("link1.mass")
    shares = [one.parameter_deviations[place] / one.parameters["link1.mass"] for one in (chosen, best)]
    assert shares[0] > 0.5 * shares[1]


def test_units_of_mass_and_torque_do_not_matter():
    robot = bf.Robot.load("two_link")
    machine = heavier(robot, [1.2, 0.8])
    q, v, a, torque = motion(robot, noise=0.05, torque_of=machine)
    kilograms = bf.PhysicallyConsistent().fit(robot, (q, v, a, torque), friction=())
    grams = bf.PhysicallyConsistent().fit(heavier(robot, 1000.0), (q, v, a, 1000 * torque), friction=())
    assert kilograms.tables["prior weight"].chosen == grams.tables["prior weight"].chosen
    assert np.allclose(1000 * kilograms.parameters.values, grams.parameters.values, rtol=1e-4, atol=1e-4)


def test_a_mass_that_is_held_is_not_from_the_data():
    robot = bf.Robot.load("two_link")
    data = motion(robot, noise=0.05, torque_of=heavier(robot, [1.2, 0.8]))
    estimate = bf.PhysicallyConsistent().fit(robot, data, friction=())
    origin = dict(zip(estimate.parameters.names, estimate.origins))
    assert estimate.tables["prior weight"].mass_weight == MASSES
    assert origin["link1.mass"] == "prior" and origin["link2.mcx"] == "data"
    assert any(note.facts.get("mass_spread") == "10 %" for note in estimate.notes)


def test_masses_made_up_from_shapes_are_not_held():
    robot = bf.Robot.load("panda")
    bare = robot.with_inertia({name: bf.Inertia.zero() for name in robot.body_names[1:]})
    estimate = bf.PhysicallyConsistent().fit(bare, motion(robot, noise=0.3), friction=())
    assert estimate.tables["prior weight"].mass_weight == 0 and estimate.status.ok


def test_a_weight_that_is_given_stands_alone():
    robot = bf.Robot.load("two_link")
    estimate = bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, motion(robot, noise=0.05), friction=())
    assert not any("mass_spread" in note.facts for note in estimate.notes)


def test_doubts_are_those_of_the_dense_formula():
    rng = np.random.default_rng(3)
    bodies = np.array(bf.Robot.load("two_link").body_parameters)[1:] + np.array([0, *[0.01] * 3, *[0] * 6])
    pulls, weight, believed = np.array([50.0, 0.0]), 30.0, 2.0
    rows = np.zeros((2, 20))
    rows[0, 0] = np.sqrt(pulls[0])
    factor = np.vstack([rng.normal(size=(12, 20)), rows])
    stated = PhysicalProblem(factor=factor, target=np.zeros(14), prior=bodies, weight=weight)
    spread = spread_of(stated, bodies.ravel(), pulls, believed)
    curve = np.zeros((20, 20))
    for k, block in enumerate(curvatures(bodies)):
        curve[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] = block
    pull = weight * curve + rows.T @ rows
    inverse = np.linalg.inv(factor.T @ factor + weight * curve)
    wanted = inverse + inverse @ (pull @ np.linalg.solve(believed * curve, pull) - pull) @ inverse
    assert np.allclose(spread.covariance, wanted, rtol=1e-6, atol=1e-9 * np.abs(wanted).max())
