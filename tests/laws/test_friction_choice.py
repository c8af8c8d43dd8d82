"""Friction chosen by evidence: what is there is found, what is not is not added, and the table says why."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import bifilar as bf
from bifilar.estimate.bodies import curvatures
from bifilar.estimate.sources import Arrays
from bifilar.estimate.trials import Trials

VISCOUS, COULOMB = [0.4, 0.2], [0.8, 0.5]


def motion(samples=3000, rate=100.0, seed=0):
    """Sums of sines that pass through zero speed at many positions."""
    rng = np.random.default_rng(seed)
    t = np.arange(samples)[:, None] / rate
    q = v = a = 0.0
    for _ in range(5):
        w, phase, size = rng.uniform(0.5, 4.0, 2), rng.uniform(0, 6.28, 2), rng.uniform(0.1, 0.5, 2)
        q, v, a = (
            q + size * np.sin(w * t + phase),
            v + size * w * np.cos(w * t + phase),
            a - size * w**2 * np.sin(w * t + phase),
        )
    return q, v, a


def recorded(*more, values=None, noise=0.03, seed=0, start=None):
    """Torque of a two-link arm with viscous and Coulomb friction and whatever else, with white noise."""
    robot = bf.Robot.load("two_link")
    start = bf.Viscous() + bf.Coulomb() if start is None else start
    names = {f"joint{k + 1}.{word}": x[k] for k in range(2) for word, x in (("viscous", VISCOUS), ("coulomb", COULOMB))}
    true = robot.with_friction(bf.Friction((*start, *more)))
    names = {name: x for name, x in names.items() if name in true.column_names()}
    true = true.with_parameters(names | (values or {}))
    state = motion(seed=seed)
    torque = true.inverse_dynamics(*state)
    return robot, (*state, torque + noise * np.random.default_rng(seed + 100).normal(size=torque.shape))


def chosen_kinds(choice):
    return {(trial.term.split("(")[0], trial.at) for trial in choice.chosen if trial.step > 0}


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_added_to_what_is_enough(seed):
    robot, data = recorded(seed=seed)
    choice = bf.choose_friction(robot, data, start=bf.Viscous() + bf.Coulomb())
    assert not choice.chosen
    assert {type(term) for term in choice.friction} == {bf.Viscous, bf.Coulomb}


@pytest.mark.parametrize(
    "term, values",
    [
        (bf.Stribeck(speed=0.2, at="joint2"), {"joint2.stribeck": 0.4}),
        (bf.PowerLaw(exponent=1 / 3, at="joint2"), {"joint2.power": 0.8}),
        (bf.Offset(at="joint2"), {"joint2.offset": 0.1}),
        (bf.LoadDependent(at="joint2"), {"joint2.load": 0.2}),
        (bf.RotorInertia(at="joint2"), {"joint2.rotor_inertia": 0.1}),
    ],
)
def test_what_is_there_is_found(term, values):
    robot, data = recorded(term, values=values)
    choice = bf.choose_friction(robot, data, start=bf.Viscous() + bf.Coulomb())
    found = [trial for trial in choice.chosen if trial.step == 1]
    assert found and found[0].term.startswith(type(term).__name__) and found[0].at == ("joint2",), choice.summary()
    assert found[0].gain > 2 * found[0].standard_error


def test_a_term_of_all_joints_is_found_at_all():
    robot, data = recorded(bf.Stribeck(speed=0.2), values={"joint1.stribeck": 0.5, "joint2.stribeck": 0.4})
    choice = bf.choose_friction(robot, data)
    places = {place for trial in choice.chosen if trial.term.startswith("Stribeck") for place in trial.at}
    assert places == {"joint1", "joint2"}
    speeds = [term.speed for term in choice.friction if isinstance(term, bf.Stribeck)]
    assert np.allclose(speeds, 0.2, rtol=0.6)


def test_a_smooth_sign_is_found():
    robot, data = recorded(start=bf.Viscous() + bf.Coulomb(width=0.1))
    choice = bf.choose_friction(robot, data, start=bf.Viscous() + bf.Coulomb())
    widths = [term.width for term in choice.friction if isinstance(term, bf.Coulomb)]
    assert all(0.03 < width < 0.3 for width in widths)


def test_asymmetric_viscosity_is_found():
    robot, data = recorded(
        start=bf.Viscous(asymmetric=True) + bf.Coulomb(),
        values={
            "joint1.viscous_forward": 0.5,
            "joint1.viscous_backward": 0.2,
            "joint2.viscous_forward": 0.2,
            "joint2.viscous_backward": 0.2,
        },
    )
    choice = bf.choose_friction(robot, data, start=bf.Viscous() + bf.Coulomb())
    assert ("Viscous", ("joint1",)) in chosen_kinds(choice)
    assert any(isinstance(term, bf.Viscous) and term.asymmetric and term.at == ("joint1",) for term in choice.friction)


def test_the_choice_predicts_better_and_is_part_of_the_estimate():
    robot, data = recorded(bf.Stribeck(speed=0.2), values={"joint1.stribeck": 0.5, "joint2.stribeck": 0.4})
    _, unseen = recorded(bf.Stribeck(speed=0.2), values={"joint1.stribeck": 0.5, "joint2.stribeck": 0.4}, seed=7)
    plain = bf.LeastSquares().fit(robot, data)
    best = bf.LeastSquares().fit(robot, data, friction="choose")
    assert best.score(unseen).relative < 0.6 * plain.score(unseen).relative
    table = best.tables["friction"].table
    assert any(trial.chosen for trial in table) and len(table) > 20
    assert all(np.isfinite([trial.error, trial.gain, trial.standard_error]).all() for trial in table)


def test_a_consistent_fit_keeps_the_table():
    robot, data = recorded(bf.Stribeck(speed=0.2), values={"joint1.stribeck": 0.5, "joint2.stribeck": 0.4})
    estimate = bf.PhysicallyConsistent(prior_weight=0.1).fit(robot, data, friction="choose")
    assert estimate.tables["friction"].chosen and estimate.status.ok


def test_caution_is_a_number_of_standard_errors():
    robot, data = recorded(bf.Offset(at="joint2"), values={"joint2.offset": 0.01})
    counts = [
        len(bf.choose_friction(robot, data, start=bf.Viscous() + bf.Coulomb(), caution=c).chosen) for c in (1e9, None, 0.0)
    ]
    assert counts[0] == 0 and counts[0] <= counts[1] <= counts[2]


def test_candidates_of_ones_own():
    robot, data = recorded(bf.PowerLaw(exponent=1.5, at="joint1"), values={"joint1.power": 0.5})
    choice = bf.choose_friction(robot, data, candidates=[bf.PowerLaw(exponent=1.5)])
    assert chosen_kinds(choice) == {("PowerLaw", ("joint1",))}


def test_folds_of_ones_own_are_those_of_the_parts_given():
    robot, data = recorded(bf.Stribeck(speed=0.2), values={"joint1.stribeck": 0.5, "joint2.stribeck": 0.4})
    parts = [tuple(x[k : k + 250] for x in data) for k in range(0, len(data[0]), 250)]
    settings = {"start": bf.Viscous() + bf.Coulomb(), "blocks": len(parts)}
    stretches = bf.choose_friction(robot, parts, folds=4, **settings)
    owned = [k * 4 // len(parts) for k in range(len(parts))]
    assert bf.choose_friction(robot, parts, folds=owned, **settings) == stretches
    in_turn = bf.choose_friction(robot, parts, folds=[k % 4 for k in range(len(parts))], **settings)
    assert [t.term for t in in_turn.chosen][:1] == [t.term for t in stretches.chosen][:1]
    with pytest.raises(bf.SolveError, match="3 folds for"):
        bf.choose_friction(robot, parts, folds=[0, 1, 2], **settings)


def solved_by_scipy(robot, terms, parts, held, weights):
    """Squared errors of the held part, by bounded least squares on stacked rows: torque, and the prior of every column."""
    with_terms = robot.with_friction(bf.Friction(tuple(terms)))
    base = bf.base_parameters(robot.with_friction(()))
    names = with_terms.column_names()
    places = [names.index(name) for name in base.independent]
    places += [k for k, name in enumerate(names) if name not in robot.with_friction(()).column_names()]
    rows = [(with_terms.regressor(*part[:3])[:, :, places] * weights[:, None]).reshape(-1, len(places)) for part in parts]
    torque = [(part[3] * weights).ravel() for part in parts]
    bodies = robot.body_parameters[1:]
    covariance = sum(m @ np.linalg.solve(c, m.T) for m, c in zip(np.hsplit(base.matrix, len(bodies)), curvatures(bodies)))
    pull = np.linalg.cholesky(np.linalg.inv(covariance)).T
    train, side = (
        np.vstack([r for k, r in enumerate(rows) if k != held]),
        np.hstack([t for k, t in enumerate(torque) if k != held]),
    )
    width, drives = len(places), len(places) - len(base)
    prior = np.zeros((width, width))
    prior[: len(base), : len(base)] = pull
    prior[len(base) :, len(base) :] = np.diag(np.linalg.norm(train[:, len(base) :], axis=0) / np.linalg.norm(side))
    centre = np.concatenate([pull @ (base.matrix @ bodies.ravel()), np.zeros(drives)])
    low = np.concatenate([np.full(len(base), -np.inf), with_terms.drive_columns.lower_bounds])
    found = lsq_linear(np.vstack([train, prior]), np.append(side, centre), (low, np.inf), method="bvls", tol=1e-14)
    return float(np.sum((rows[held] @ found.x - torque[held]) ** 2))


@pytest.mark.parametrize("seed", range(3))
def test_trials_are_bounded_least_squares_with_the_priors_of_the_fit(seed):
    """An independent solver of the same stated problem; the friction of the data is negative at one joint."""
    robot, rng = bf.Robot.load("two_link"), np.random.default_rng(seed)
    terms = [term(at=(joint,)) for term in (bf.Viscous, bf.Coulomb, bf.Offset) for joint in robot.joint_names]
    parts = []
    for _ in range(3):
        q, v, a = rng.normal(size=(3, 60, 2))
        friction = np.array([0.3, -0.4]) * v + np.array([0.2, 0.1]) * np.sign(v) + 0.1
        parts.append((q, v, a, robot.inverse_dynamics(q, v, a) + friction + 0.05 * rng.normal(size=v.shape)))
    sources, base = [Arrays(*part) for part in parts], bf.base_parameters(robot.with_friction(()))
    trials = Trials.of(robot, sources, base, terms, blocks=3, folds=[0, 1, 2])
    plain = bf.LeastSquares().fit(robot, parts, friction=bf.Friction(tuple(terms)))
    expected = [solved_by_scipy(robot, terms, parts, k, 1 / plain.noise) for k in range(3)]
    np.testing.assert_allclose(trials.losses(range(len(terms))), expected, rtol=1e-5)


def test_what_has_a_negative_fold_is_fitted_always_and_predicted_never():
    robot, rng = bf.Robot.load("two_link"), np.random.default_rng(3)
    parts = [tuple(rng.normal(size=(4, 60, 2))) for _ in range(3)]
    terms = [bf.Offset(at=(joint,)) for joint in robot.joint_names]
    sources, base = [Arrays(*part) for part in parts], bf.base_parameters(robot.with_friction(()))
    some, every = (Trials.of(robot, sources, base, terms, blocks=3, folds=f) for f in ([-1, 0, 1], [0, 1, 2]))
    np.testing.assert_allclose(some.losses([0, 1]), every.losses([0, 1])[1:])
    with pytest.raises(bf.SolveError, match="3 folds for 3"):
        Trials.of(robot, sources, base, terms, blocks=3, folds=[-1, -2, -1])


def test_too_few_samples_are_told():
    robot, data = recorded()
    with pytest.raises(bf.SolveError, match="too few"):
        bf.choose_friction(robot, tuple(x[:8] for x in data))


def test_many_wider_models_at_once_are_each_like_one():
    """The first look at all candidates is exact where no coefficient reaches its bound: here none is bounded."""
    robot, data = recorded(bf.Stribeck(speed=0.2), values={"joint1.stribeck": 0.5, "joint2.stribeck": 0.4})
    terms = [bf.Offset(at=("joint1",)), bf.Offset(at=("joint2",))]
    terms += [bf.PositionDependent(at=(joint,), harmonic=k) for k in range(1, 9) for joint in robot.joint_names]
    trials = Trials.of(robot, [Arrays(*data)], bf.base_parameters(robot.with_friction(())), terms, first=2)
    groups = [[k] for k in range(2, len(terms))] + [[2, 3], [4, 7, 9]]
    exact = trials.compare([0, 1], [[0, 1, *g] for g in groups])
    np.testing.assert_allclose([e.gain for e in trials.extended([0, 1], groups)], [e.gain for e in exact], atol=1e-7)
