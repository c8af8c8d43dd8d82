"""Filters that stand still: samples of a stand share one error, so what they say together is bounded; surprise stays alive."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bifilar as bf
from bifilar.online import standing
from bifilar.online.core import Core, no_limits
from bifilar.online.exact import Memory
from bifilar.online.outcome import OUTCOMES
from bifilar.online.states import space_of

PANDA = bf.Robot.load("panda")
STANCE = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.2])
SPEED = np.array([0.5, 0.7, 0.9, 0.6, 1.1, 1.3, 1.7])


@pytest.mark.parametrize("kind", ["linear", "sigmoid", "log", "attach", "attach log", "attach four"])
def test_standing_for_long_makes_nothing_certain(kind, benchmark_module):
    """The study's runs, short ones: both kinds of machines, static friction that is described and that is not."""
    made = benchmark_module("study_standstill")
    for seed in (0, 1):
        found = made.study(kind, seed, 10_000)
        assert found["worst"] <= made.MOST and found["smallest"] > 0 and found["widest"] <= made.WIDEST
        assert made.ALIVE[0] < found["alive"] < made.ALIVE[1] and found["noticed"] > bf.Change().limit(7)
        assert found["findings"] == []


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_errors_of_stands_are_those_of_a_dense_covariance(seed, rows):
    """Filter, compiled and plain, and triangle: the posterior of all readings at once, with the errors in their covariance."""
    rng, count = np.random.default_rng(seed), 25
    space = space_of(bf.Robot.load("pendulum"), ("link1.*",), form="ten", constraint="none")
    w = rng.normal(size=(count, rows, 10))
    effect = rng.uniform(0.5, 3.0, (count, rows, rows)) * rng.choice([0.0, 1.0], (count, 1, 1))
    stands = np.maximum(np.cumsum(rng.choice([0, 0, 0, 1], (count, rows)), axis=0) * rng.choice([0, 1], (1, rows)), 0.0)
    stands[:, 0] *= np.arange(count) > 5
    reading = rng.normal(size=(count, rows))
    covariance = np.eye(count * rows)
    for e in range(rows):
        for number in np.unique(stands[:, e][stands[:, e] > 0]):
            column = (effect[:, :, e] * (stands[:, e] == number)[:, None]).reshape(-1)
            covariance += np.outer(column, column)
    phi, slope = space.gathered(space.start)
    h, left = w.reshape(-1, 10) @ slope, (reading - w @ phi).reshape(-1)
    inverse = np.linalg.inv(np.eye(10) + h.T @ np.linalg.solve(covariance, h))
    mean = space.start + inverse @ h.T @ np.linalg.solve(covariance, left)
    still, t = np.zeros((count, 1)), np.arange(count) * 1.0
    for compiled in (True, False):
        core = Core(space, bf.Tuning(), np.ones(rows), [0], np.zeros(10), errors=rows)
        core._compiled &= compiled
        core.run(t, still, still, still, w.copy(), reading, stands=stands, effect=effect)
        assert np.allclose(core.x, mean, atol=1e-8) and np.allclose(core.covariance, inverse, atol=1e-8)
        assert np.allclose(np.linalg.inv(core.whitener.T @ core.whitener), inverse, atol=1e-8)
    memory = Memory(space, np.ones(10), rows)
    for part in (slice(0, 9), slice(9, None)):
        memory.add(w[part], reading[part], stands[part], effect[part])
    found = memory.mode(space.start)
    assert np.allclose(found[0], mean, atol=1e-7) and np.allclose(found[1], inverse, atol=1e-8)


def stands_of(t, q, v, function=standing.follow):
    out = np.zeros(q.shape)
    function(t, q, v, no_limits(q.shape[1], 1), -np.inf, standing.beginning(q.shape[1]), out)
    return out


@given(st.integers(0, 10_000), st.floats(-6, -4.5), st.floats(-6, 0))
def test_noise_is_no_motion(seed, encoder, tachometer):
    rng, t = np.random.default_rng(seed), np.arange(3000) / 100
    q, v = 10.0**encoder * rng.normal(size=(3000, 2)), 10.0**tachometer * rng.normal(size=(3000, 2))
    found = stands_of(t, q, v)
    assert set(np.abs(found[100:]).ravel()) == {1.0}
    assert np.array_equal(found, stands_of(t, q, v, standing.follower()))


def test_what_creeps_begins_a_stand_per_way_and_what_turns_round_has_not_settled():
    t = np.arange(20_000)[:, None] / 100
    creeps = stands_of(t[:, 0], 1e-3 * t, np.full_like(t, 1e-3))
    assert np.abs(creeps).max() <= 0.2 / standing.PLAY + 1
    swings = stands_of(t[:, 0], 0.3 * np.sin(t), 0.3 * np.cos(t))
    assert (swings <= 0).all() and 0.01 < np.mean(swings < 0) < 0.2


def swing(count=3000):
    t = np.arange(count)[:, None] / 100
    return t[:, 0], STANCE + 0.4 * np.sin(SPEED * t), 0.4 * SPEED * np.cos(SPEED * t), -0.4 * SPEED**2 * np.sin(SPEED * t)


@pytest.mark.parametrize("compiled", [True, False])
def test_change_after_change_is_a_doubt_about_the_noise(compiled):
    """0.5 N m of Coulomb friction that nobody described: not an alarm per turn, but noise that is larger than stated."""
    t, q, v, a = swing(3000 if compiled else 300)
    rng = np.random.default_rng(0)
    torque = PANDA.inverse_dynamics(q, v, a) + 0.5 * np.sign(v) + 0.1 * rng.normal(size=q.shape)
    tracker = bf.attach(PANDA, "link7", noise=0.1)
    if not compiled:
        tracker._core._compiled, tracker._one = False, None
    words = [OUTCOMES[code].word for code in tracker.run(t, q, v, a, torque)]
    assert words.count("changed") < 5 and words.count("doubtful") < 5
    doubt = {each.code: each for each in tracker.findings}["noise.too_small"]
    assert 2.0 < doubt.facts["times"] < 12.0 and doubt.facts["changes"] >= 3
    assert bf.attach(PANDA, "link7", noise=0.1).findings == ()


def test_noise_that_is_stated_too_small_is_reported_without_a_gate():
    t, q, v, a = swing(500)
    torque = PANDA.inverse_dynamics(q, v, a) + 0.5 * np.random.default_rng(0).normal(size=q.shape)
    for form, constraint in (("ten", "none"), ("log_cholesky", "sigmoid")):
        tracker = bf.ParameterFilter(PANDA, ("link7.*",), form=form, constraint=constraint, noise=0.1)
        tracker.run(t, q, v, a, torque)
        assert [each.code for each in tracker.findings] == ["noise.too_small"]
        assert 3.0 < tracker.findings[0].facts["times"] < 6.0 and tracker.surprise > 7


def test_parameters_at_their_bounds_are_reported():
    t, q, v, a = swing(500)
    mass = PANDA.link("link7").inertia.mass
    box = bf.Inertia.from_center_of_mass(2.0, [0, 0, 0.1], 0.01 * np.eye(3))
    torque = PANDA.with_payload("link7", box).inverse_dynamics(q, v, a)
    bounds = {"link7.mass": (0.0, 1.2 * mass)}
    tracker = bf.ParameterFilter(PANDA, ("link7.mass",), noise=0.1, bounds=bounds)
    tracker.run(t, q, v, a, torque)
    assert tracker.at_bound == ("link7.mass",)
    found = {each.code: each.facts for each in tracker.findings}
    assert tuple(found["parameter.at_bound"]["parameters"]) == ("link7.mass",)


@pytest.mark.parametrize("wrong", [-1.0, np.nan, [0.1, 0.2]])
def test_an_error_at_standstill_that_cannot_be(wrong):
    with pytest.raises(bf.ShapeError) as caught:
        bf.attach(PANDA, "link7", measurements=bf.Torque(noise=0.1, standing=wrong))
    assert caught.value.code == "standing.wrong"
