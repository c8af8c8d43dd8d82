"""Laws of filters on beliefs: equal to batch least squares, to each other on linear systems, positive, smoother than sharp."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bifilar.errors import ShapeError
from bifilar.filters.belief import Belief
from bifilar.filters.continuous import predict_continuous
from bifilar.filters.extended import predict_extended, update_extended
from bifilar.filters.factors import factored, with_measurement, with_noise
from bifilar.filters.kalman import predict, update
from bifilar.filters.rls import update_forgetting
from bifilar.filters.rts import smooth_beliefs
from bifilar.filters.unscented import predict_unscented, update_unscented


def random_belief(rng, n):
    a = rng.normal(size=(n, n))
    return Belief(rng.normal(size=n), a @ a.T + 0.1 * np.eye(n))


@given(st.integers(1, 5), st.integers(1, 20), st.integers(0, 10_000))
def test_a_filter_on_constants_is_batch_least_squares(n, rows, seed):
    rng = np.random.default_rng(seed)
    belief = start = random_belief(rng, n)
    h, z = rng.normal(size=(rows, 2, n)), rng.normal(size=(rows, 2))
    for k in range(rows):
        belief = update(belief, z[k], h[k], 0.5).belief
    information = np.linalg.inv(start.covariance)
    tall, flat = h.reshape(-1, n), z.reshape(-1)
    covariance = np.linalg.inv(information + tall.T @ tall / 0.5)
    mean = covariance @ (information @ start.mean + tall.T @ flat / 0.5)
    assert np.allclose(belief.mean, mean, atol=1e-8) and np.allclose(belief.covariance, covariance, atol=1e-8)


@given(st.integers(1, 5), st.integers(0, 10_000))
def test_all_filters_agree_on_linear_systems(n, seed):
    rng = np.random.default_rng(seed)
    belief, f, h = random_belief(rng, n), rng.normal(size=(n, n)), rng.normal(size=(2, n))
    z, q = rng.normal(size=2), 0.3
    plain = update(predict(belief, f, q), z, h, 0.2).belief
    for found in (
        update_extended(predict_extended(belief, lambda x: f @ x, lambda x: f, q), z, lambda x: h @ x, lambda x: h, 0.2),
        update_extended(predict(belief, f, q), z, lambda x: h @ x, lambda x: h, 0.2, iterations=5),
        update_unscented(predict_unscented(belief, lambda x: f @ x, q), z, lambda x: h @ x, 0.2),
        update_forgetting(predict(belief, f, q), z, h, 0.2, forgetting=1.0),
    ):
        assert np.allclose(found.belief.mean, plain.mean, atol=1e-7)
        assert np.allclose(found.belief.covariance, plain.covariance, atol=1e-7)


@given(st.integers(1, 6), st.integers(0, 10_000))
def test_factors_are_the_covariance(n, seed):
    rng = np.random.default_rng(seed)
    belief, row, a = random_belief(rng, n), rng.normal(size=n), rng.normal(size=n)
    factors = factored(belief.covariance)
    assert np.allclose(factors.covariance, belief.covariance)
    after, gain, spread = with_measurement(factors, row, 0.7)
    right = update(belief, [1.0], row, 0.7)
    assert np.allclose(after.covariance, right.belief.covariance) and np.isclose(spread, right.covariance[0, 0])
    assert np.allclose(belief.mean + gain * right.innovation, right.belief.mean)
    assert np.allclose(with_noise(factors, a, 0.4).covariance, belief.covariance + 0.4 * np.outer(a, a))


def test_continuous_and_discrete_agree_on_linear_systems():
    rng = np.random.default_rng(0)
    belief, rate = random_belief(rng, 3), 0.3 * rng.normal(size=(3, 3))
    found = predict_continuous(belief, lambda x: rate @ x, lambda x: rate, np.eye(3), time=0.8, steps=200)
    values, vectors = np.linalg.eig(rate)
    f = (vectors * np.exp(0.8 * values)) @ np.linalg.inv(vectors)
    steps = [(vectors * np.exp(t * values)) @ np.linalg.inv(vectors) for t in (np.arange(4000) + 0.5) / 5000]
    noise = sum((step @ step.conj().T).real for step in steps) / 5000
    right = predict(belief, f.real, noise)
    assert np.allclose(found.mean, right.mean, atol=1e-8) and np.allclose(found.covariance, right.covariance, atol=1e-5)


def test_a_smoother_is_sharper_and_is_batch_least_squares():
    rng = np.random.default_rng(1)
    f, h = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    belief, filtered, predicted = Belief(np.zeros(2), np.eye(2)), [], []
    for z in rng.normal(size=20):
        belief = update(belief, [z], h, 0.1).belief
        filtered.append(belief)
        belief = predict(belief, f, 1e-9)
        predicted.append(belief)
    smoothed = smooth_beliefs(filtered, predicted[:-1], [f] * 19)
    assert np.allclose(f @ smoothed[0].mean, smoothed[1].mean, atol=1e-5)  # a process without noise is one curve
    assert all((s.deviations <= p.deviations + 1e-12).all() for s, p in zip(smoothed, filtered))


@pytest.mark.parametrize("updates", [20_000])
def test_forgetting_without_motion_stays_bounded(updates):
    """The same row over and over: its direction is forgotten, others are as they were; plain forgetting would overflow."""
    belief = Belief(np.zeros(4), np.eye(4))
    row = np.array([[1.0, 2.0, 0.0, -1.0]])
    for _ in range(updates // 10):
        belief = update_forgetting(belief, [1.0], row, 1.0, forgetting=0.9, start=np.eye(4)).belief
    values = np.linalg.eigvalsh(belief.covariance)
    assert values[0] > 0 and values[-1] <= 1.0 + 1e-9


@given(st.integers(1, 4), st.integers(0, 1000))
def test_joseph_is_symmetric_and_positive(n, seed):
    rng = np.random.default_rng(seed)
    belief = Belief(np.zeros(n), np.diag(10.0 ** rng.uniform(-12, 6, n)))
    for _ in range(20):
        belief = update(belief, rng.normal(size=1), rng.normal(size=(1, n)), 1e-8).belief
    assert np.array_equal(belief.covariance, belief.covariance.T)
    assert np.linalg.eigvalsh(belief.covariance)[0] > -1e-12 * np.abs(belief.covariance).max()


def test_a_negative_noise_is_refused():
    with pytest.raises(ShapeError, match="negative"):
        update(Belief([0.0], [[1.0]]), [1.0], [[1.0]], -1.0)


def test_what_is_no_belief_and_no_noise_is_refused():
    belief = Belief([0.0, 0.0], np.eye(2))
    for wrong in ((np.nan, 1.0), (0.0, np.inf), (0.0, -1.0)):
        with pytest.raises(ShapeError):
            Belief([wrong[0]], [[wrong[1]]])
    for noise in ([[1.0, 5.0], [5.0, 1.0]], [[1.0, 0.5], [0.0, 1.0]]):  # indefinite; not symmetric
        with pytest.raises(ShapeError, match="no covariance"):
            update(belief, [1.0, 1.0], np.eye(2), noise)
    for filtered in (update, update_forgetting):
        with pytest.raises(ShapeError, match="NaN"):
            filtered(belief, [np.nan], [[1.0, 0.0]], 1.0)
    with pytest.raises(ShapeError, match="without noise"):
        update_forgetting(belief, [1.0], [[1.0, 0.0]], 0.0)
    with pytest.raises(ShapeError, match="rows of 2 numbers"):
        update_forgetting(belief, [1.0], [[1.0, 0.0, 0.0]], 1.0)


@pytest.mark.parametrize("rate", [1.0, 30.0, 1000.0])
def test_a_fast_process_gets_the_steps_it_needs(rate):
    """x' = -r x + w: the variance tends to Q / 2 r, whatever r."""
    later = predict_continuous(Belief([1.0], [[1.0]]), lambda x: -rate * x, lambda x: [[-rate]], 2.0, time=1.0)
    decay = np.exp(-2 * rate)
    assert later.covariance[0, 0] == pytest.approx(decay + (1 - decay) / rate, rel=0.02)
    assert later.mean[0] == pytest.approx(np.exp(-rate), abs=1e-3)
