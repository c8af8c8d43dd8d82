"""How far a description is believed: what data leave open stays near it, what they show is theirs, whatever the units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bifilar as bf
from bifilar.errors import Note
from bifilar.estimate.bodies import curvatures, pseudo, ten_of
from bifilar.estimate.consistent_parts import MOST_OFF, spread_of
from bifilar.estimate.physical_prior import DENSITY, HEAVIEST, LIGHTEST, physical_prior
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.prior_strength import CLEAR, MASSES, MATTERS, choice, scales

WEIGHTS = 10.0 ** np.arange(-2.0, 4.0)


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
    """A curve with a valley, and noise of its own in every fold."""
    rng = np.random.default_rng(seed)
    curve = 10.0 ** rng.uniform(-4, 0) * (np.log10(WEIGHTS) - rng.uniform(-2, 4)) ** 2
    return np.abs(1 + curve[:, None] + 10.0 ** rng.uniform(-4, 0) * rng.normal(size=(len(curve), folds)))


@given(st.integers(0, 10_000), st.integers(2, 12), st.sampled_from(WEIGHTS.tolist()))
def test_nothing_nearer_to_the_standard_weight_is_as_good_and_the_choice_is_not_clearly_worse(seed, folds, standard):
    errors = errors_of(seed, folds)
    best, chosen = (choice(errors, rule, WEIGHTS, standard) for rule in ("best", "standard"))
    assert errors[best].mean() <= errors.mean(axis=1).min() * (1 + 1e-6)

    def clear(row):
        difference = errors[row] - errors[best]
        return difference.mean() > max(CLEAR * np.std(difference, ddof=1) / np.sqrt(folds), MATTERS * errors[best].mean())

    assert not clear(chosen)
    away = np.abs(np.log(WEIGHTS / standard))
    assert all(clear(row) for row in np.flatnonzero(away < away[chosen] - 1e-9))


@given(st.integers(0, 10_000), st.floats(1e-6, 1e6))
def test_the_unit_of_the_errors_does_not_matter(seed, unit):
    errors = errors_of(seed)
    assert choice(errors, "standard", WEIGHTS, 10.0, 1e-3) == choice(unit * errors, "standard", WEIGHTS, 10.0, unit * 1e-3)


def test_less_than_one_noise_in_all_rows_or_than_recordings_differ_is_no_evidence():
    errors, weights = np.ones((2, 5)), np.array([1.0, 10.0])
    for more, silent, row in ((0.1, 0.2, 1), (0.1, 0.0, 0), (0.5 * MATTERS, 0.0, 1)):  # worse in every fold by as much
        assert choice(errors + more * np.array([[0.0], [1.0]]), "standard", weights, 10.0, silent=silent) == row


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_the_deviation_of_the_nominal_model_is_found_and_like_logs_give_like_weights(share):
    """Nominal models drawn with a deviation: found to a factor of 1.6, and by three logs of one machine to 30 %."""
    machine, found = bf.Robot.load("kuka_lwr4"), []
    for arm in range(3):
        rng = np.random.default_rng(arm)
        bodies = np.array(machine.body_parameters)
        bodies[1:] += share * np.einsum(
            "bij,bj->bi", scales(bodies[1:]), np.clip(rng.normal(size=(len(bodies) - 1, 17)), -1, 1)
        )
        nominal = machine.with_body_parameters(bodies)
        logs = [motion(machine, 300, seed, noise=0.5) for seed in range(3 if arm == 0 else 1)]
        tables = [bf.PhysicallyConsistent().fit(nominal, log, friction=()).tables["prior weight"] for log in logs]
        found.append(tables[0].deviation)
        assert max(t.weight for t in tables) <= 1.7 * min(t.weight for t in tables)
    assert 0.5 * share < np.median(found) < 1.6 * share


@pytest.mark.parametrize("seed", range(3))
def test_masses_that_torque_cannot_tell_stay_though_inertias_are_plainly_wrong(seed):
    """Rotors that the file does not state ask for a weak prior; the masses do not pay for it."""
    robot = bf.Robot.load("panda")
    turning = robot.with_friction(bf.RotorInertia())
    turning = turning.with_parameters({f"{joint}.rotor_inertia": 0.4 for joint in robot.joint_names})
    data = motion(robot, samples=400, seed=seed, noise=1.0, torque_of=turning)
    estimate = bf.PhysicallyConsistent().fit(robot, data, friction=())
    free = bf.PhysicallyConsistent(prior_weight=estimate.tables["prior weight"].weight).fit(robot, data, friction=())
    assert strayed(robot, estimate) < 0.3 and strayed(robot, estimate) < 0.8 * strayed(robot, free)
    other = motion(robot, seed=99, torque_of=turning)
    assert estimate.score(other).relative < 1.1 * free.score(other).relative + 1e-3


@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_where_the_description_is_wrong_in_what_is_seen_the_data_win(factor):
    """Base parameters are the machine's, within their bars, and predict as well as without any pull of the masses."""
    robot = bf.Robot.load("panda")
    machine = heavier(robot, factor)
    data, other = motion(robot, samples=600, noise=0.3, torque_of=machine), motion(robot, seed=9, torque_of=machine)
    estimate = bf.PhysicallyConsistent().fit(robot, data, friction=())
    free = bf.PhysicallyConsistent(prior_weight=1e-2).fit(robot, data, friction=())
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


def test_a_stronger_prior_does_not_make_a_mass_better_known():
    """The bars of what torque does not see are those of the nominal model's deviation, whatever weight was chosen."""
    robot = bf.Robot.load("two_link")
    data = motion(robot, noise=0.05, torque_of=heavier(robot, [1.0, 1.4]))
    estimate = bf.PhysicallyConsistent().fit(robot, data, friction=())
    place = list(estimate.parameters.names).index("link1.mass")
    share = estimate.parameter_deviations[place] / robot.parameters()["link1.mass"]
    assert share > 0.9 * estimate.tables["prior weight"].deviation


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
    assert estimate.tables["prior weight"].mass_weight >= MASSES
    assert origin["link1.mass"] == "prior" and origin["link2.mcx"] == "data"


def test_masses_made_up_from_shapes_are_held_by_materials_only():
    robot = bf.Robot.load("panda")
    bare = robot.with_inertia({name: bf.Inertia.zero() for name in robot.body_names[1:]})
    estimate = bf.PhysicallyConsistent().fit(bare, motion(robot, noise=0.3), friction=())
    solid = physical_prior(bare).bodies[1:, 0]  # of water, in the outline
    masses = estimate.parameters.values[: 10 * len(solid) : 10]
    assert estimate.status.ok and estimate.has_masses
    assert np.all(masses >= LIGHTEST / DENSITY * solid * 0.999) and np.all(masses <= HEAVIEST / DENSITY * solid * 1.001)


def test_no_mass_leaves_a_factor_of_three_and_each_that_would_is_named():
    """Torque of a robot six times as heavy: masses end at the limit and are named; with the total mass they are found."""
    robot = bf.Robot.load("panda")
    data = motion(robot, noise=0.3, torque_of=heavier(robot, 6.0))
    estimate = bf.PhysicallyConsistent().fit(robot, data, friction=())
    held = next(note.facts["links"] for note in estimate.notes if Note.of(note).code == "mass.at_limit")
    assert len(held) >= 3 and strayed(robot, estimate) <= np.log(MOST_OFF) + 1e-6
    total = 6 * float(np.array(robot.body_parameters)[1:, 0].sum())
    for given_mass in (total, (total, 0.02 * total)):
        known = bf.fit(robot, data, total_mass=given_mass, friction=())
        assert not any(Note.of(note).code == "mass.at_limit" for note in known.notes)
        assert abs(float(known.parameters.values[::10][:7].sum()) / total - 1) < 0.06
        assert strayed(heavier(robot, 6.0), known) < 0.3


def test_a_model_without_masses_and_sizes_is_one_of_torque_only():
    joints = [bf.Joint(f"joint{k}", "revolute", f"link{k - 1}" if k > 1 else "base", f"link{k}", axis=axis)
              for k, axis in ((1, [0, 0, 1.0]), (2, [0, 1.0, 0]))]  # fmt: skip
    links = (bf.Link("base"), bf.Link("link1"), bf.Link("link2"))
    bare = bf.Robot.build(bf.Description("wrist", links, tuple(joints)))
    ball = bf.Inertia.from_center_of_mass(2.0, [0.1, 0.05, 0.1], 0.02 * np.eye(3))
    machine = bare.with_inertia({"link1": ball, "link2": ball})
    data = motion(bare, noise=0.01, torque_of=machine)
    assert not bf.fit(bare, data, friction=()).has_masses
    assert bf.fit(bare, data, friction=(), total_mass=4.0).has_masses


def test_a_true_zero_is_identified_and_what_is_never_excited_is_not():
    robot = bf.Robot.load("two_link")
    q, v, a, torque = motion(robot, noise=0.02)
    estimate = bf.LeastSquares().fit(robot, (q, v, a, torque), friction=())
    zero = np.abs(estimate.base.from_full(robot.parameters())) < 1e-9
    assert zero.any() and estimate.identified[zero].all()
    still = np.zeros_like(q)
    resting = bf.LeastSquares().fit(robot, (q, still, still, robot.inverse_dynamics(q, still, still)), friction=())
    inertias = np.array([".I" in name for name in resting.names])
    assert not resting.identified[inertias].any()


def test_a_weight_that_is_given_stands_alone():
    robot = bf.Robot.load("two_link")
    estimate = bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, motion(robot, noise=0.05), friction=())
    assert [Note.of(note).code for note in estimate.notes if Note.of(note).code.startswith("prior")] == ["prior.given"]


def test_doubts_are_those_of_the_dense_formula():
    rng = np.random.default_rng(3)
    bodies = np.array(bf.Robot.load("two_link").body_parameters)[1:] + np.array([0, *[0.01] * 3, *[0] * 6])
    pulls, weight, believed = np.array([50.0, 0.0]), 30.0, 2.0
    rows = np.zeros((2, 20))
    rows[0, 0] = np.sqrt(pulls[0])
    factor = np.vstack([rng.normal(size=(12, 20)), rows])
    stated = PhysicalProblem(factor=factor, target=np.zeros(14), prior=bodies, weight=weight)
    spread = spread_of(stated, bodies.ravel(), pulls, believed)
    curve, off = np.zeros((20, 20)), np.zeros((20, 20))
    for k, (block, moved) in enumerate(zip(curvatures(bodies), scales(bodies))):
        at = slice(10 * k, 10 * k + 10)
        curve[at, at], off[at, at] = block, moved @ moved.T / believed
    pull = weight * curve + rows.T @ rows
    inverse = np.linalg.inv(factor.T @ factor + weight * curve)
    wanted = inverse + inverse @ (pull @ off @ pull - pull) @ inverse
    assert np.allclose(spread.covariance, wanted, rtol=1e-6, atol=1e-9 * np.abs(wanted).max())


def test_the_deviations_of_a_body_contain_the_log_det_metric_its_density_turns_and_shifts():
    """The first ten are the metric's; then come all numbers of a denser body, and how a turned and a shifted one differ."""
    body = bf.Inertia.from_center_of_mass(3.0, [0.1, -0.2, 0.05], np.diag([0.02, 0.05, 0.06])).vector[None]
    moved = scales(body)[0]
    assert np.allclose(moved[:, :10] @ moved[:, :10].T @ curvatures(body)[0], np.eye(10), atol=1e-8)
    assert np.allclose(moved[:, 10], body[0])
    angle = 1e-6
    turn = np.array([[1, -angle, 0], [angle, 1, 0], [0, 0, 1.0]])
    turned = bf.Inertia.from_center_of_mass(3.0, [0.1, -0.2, 0.05], turn @ np.diag([0.02, 0.05, 0.06]) @ turn.T).vector
    assert np.allclose((turned - body[0]) / angle, moved[:, 13], atol=1e-6)
    radius = np.sqrt((0.02 + 0.05 + 0.06) / 2 / 3 / 3.0)
    shifted = bf.Inertia.from_center_of_mass(3.0, [0.1, -0.2 + angle * radius, 0.05], np.diag([0.02, 0.05, 0.06])).vector
    assert np.allclose((shifted - body[0]) / angle, moved[:, 15], atol=1e-6)
