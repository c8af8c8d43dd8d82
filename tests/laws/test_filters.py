"""Filters: linear, without delay, the same from either end, and equal to independent implementations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bifilar.dynamics import engine
from bifilar.errors import ShapeError
from bifilar.filters.butterworth import derived, gain, impulse_response, low_pass
from bifilar.filters.differences import central, moving_average
from bifilar.filters.fir import RowFilter
from bifilar.filters.interpolate import between
from bifilar.filters.smoother import smooth
from bifilar.filters.spectrum import spectrum

signal = pytest.importorskip("scipy.signal")
RATE, CUT = 500.0, 7.0  # [Hz]
FILTERS = {
    "butterworth": lambda x: low_pass(x, rate=RATE, cutoff=CUT),
    "velocity": lambda x: derived(x, rate=RATE, cutoff=CUT).velocity,
    "acceleration": lambda x: derived(x, rate=RATE, cutoff=CUT).acceleration,
    "smoother": lambda x: smooth(np.arange(len(x)) / RATE, x, cutoff=CUT).position,
    "rows": lambda x: RowFilter(impulse_response(rate=RATE, cutoff=CUT)).at(x, np.arange(len(x))),
    "differences": lambda x: central(x, rate=RATE),
    "average": lambda x: moving_average(x, 9),
}


def noise(seed, samples=900, columns=3):
    return np.random.default_rng(seed).standard_normal((samples, columns))


@pytest.mark.parametrize("name", FILTERS)
@given(seed=st.integers(0, 99), factor=st.floats(-5, 5))
def test_filters_are_linear(name, seed, factor):
    x, y, through = noise(seed), noise(seed + 1000), FILTERS[name]
    scale = 1 + np.abs(through(x)).max() + np.abs(through(y)).max()
    np.testing.assert_allclose(through(x + factor * y), through(x) + factor * through(y), atol=1e-6 * scale)


@pytest.mark.parametrize("name", FILTERS)
@given(seed=st.integers(0, 99))
def test_filters_run_backward_as_forward(name, seed):
    x, through = noise(seed), FILTERS[name]
    sign = -1 if name in ("velocity", "differences") else 1
    forward = through(x)
    np.testing.assert_allclose(through(x[::-1])[::-1], sign * forward, atol=1e-6 * np.abs(forward).max())


@pytest.mark.parametrize("name", ["butterworth", "smoother", "rows", "average"])
def test_nothing_is_delayed(name):
    """A knock stays where it was, and its surroundings are the same on both sides."""
    x = np.zeros((4001, 1))
    x[2000] = 1.0
    y = FILTERS[name](x)[:, 0]
    match = [y @ np.roll(x[:, 0], lag) for lag in range(-50, 51)]
    assert np.argmax(match) == 50 or name == "average"  # that one is flat on top
    np.testing.assert_allclose(y, y[::-1], atol=1e-6 * y.max())


def test_the_gain_is_that_of_filtfilt():
    x = noise(0, samples=5000)
    theirs = signal.sosfiltfilt(signal.butter(4, CUT, fs=RATE, output="sos"), x, axis=0)
    inner = slice(600, -600)
    np.testing.assert_allclose(low_pass(x, rate=RATE, cutoff=CUT)[inner], theirs[inner], atol=1e-6)
    np.testing.assert_allclose(FILTERS["rows"](x)[inner], theirs[inner], atol=1e-6)


@given(cutoff=st.floats(0.5, 200), order=st.integers(1, 6))
def test_weights_and_gain_are_one_filter(cutoff, order):
    taps = impulse_response(rate=RATE, cutoff=cutoff, order=order)
    f = np.linspace(0, RATE / 2, 300)
    lag = np.arange(len(taps)) - len(taps) // 2
    response = (taps * np.cos(2 * np.pi * np.outer(f / RATE, lag))).sum(axis=1)
    np.testing.assert_allclose(response, gain(f, rate=RATE, cutoff=cutoff, order=order), atol=2e-4)


@pytest.mark.parametrize("every", [1, 3, 40])
def test_rows_are_the_same_however_they_are_computed(every):
    """By Fourier transforms where they are dense, by weights where they are not; at the ends too."""
    x, rows = noise(1, samples=2500), RowFilter(impulse_response(rate=RATE, cutoff=CUT))
    places = np.arange(0, len(x), every)
    one_by_one = np.concatenate([rows.at(x, places[k : k + 1]) for k in range(len(places))])
    np.testing.assert_allclose(rows.at(x, places), one_by_one, atol=1e-12)


def test_constants_pass_to_the_very_end():
    rows = RowFilter(impulse_response(rate=RATE, cutoff=CUT))
    np.testing.assert_allclose(rows.at(np.full((300, 1), 2.5), np.arange(0, 300, 7)), 2.5, rtol=1e-12)


def test_derivatives_of_every_joint_are_right():
    """A known tool leaves the acceleration of the last joint at zero."""
    t = np.arange(5000) / RATE
    w = 2 * np.pi * np.array([0.3, 0.5, 0.8, 1.1, 1.4, 1.7, 2.0])
    q, v, a = np.sin(t[:, None] * w), w * np.cos(t[:, None] * w), -(w**2) * np.sin(t[:, None] * w)
    inner = slice(300, -300)
    for found in (derived(q, rate=RATE, cutoff=15.0), smooth(t, q, cutoff=15.0)):
        assert (np.abs(found.velocity - v)[inner].max(axis=0) < 0.002 * w).all()
        assert (np.abs(found.acceleration - a)[inner].max(axis=0) < 0.002 * w**2).all()
    twice = central(central(q, rate=RATE), rate=RATE)
    assert (np.abs(twice - a)[inner].max(axis=0) < 0.002 * w**2).all()


def dense_smoother(t, y, ratio):
    """The same estimate from one big least-squares problem: jerk noise and readings, no recursion."""
    n, step = len(t), np.median(np.diff(t))
    rows, right = [], []
    for k in range(n):
        row = np.zeros(3 * n)
        row[3 * k] = 1
        rows.append(row)
        right.append(y[k])
    for k, h in enumerate(np.diff(t) / step):
        Q = ratio * np.array([[h**5 / 20, h**4 / 8, h**3 / 6], [h**4 / 8, h**3 / 3, h**2 / 2], [h**3 / 6, h**2 / 2, h]])
        white = np.linalg.inv(np.linalg.cholesky(Q))
        block = np.zeros((3, 3 * n))
        block[:, 3 * k : 3 * k + 3] = -np.array([[1, h, h * h / 2], [0, 1, h], [0, 0, 1]])
        block[:, 3 * k + 3 : 3 * k + 6] = np.eye(3)
        rows += list(white @ block)
        right += [0.0] * 3
    A = np.array(rows)
    x = np.linalg.lstsq(A, np.array(right), rcond=None)[0].reshape(n, 3)
    variance = np.diag(np.linalg.inv(A.T @ A)).reshape(n, 3)
    return x / step ** np.arange(3), np.sqrt(variance) / step ** np.arange(3)


def test_the_smoother_solves_the_whole_problem():
    rng = np.random.default_rng(2)
    t = np.cumsum(rng.uniform(0.5, 1.5, 40)) * 0.01
    t[20:] += 0.08  # a hole
    y = np.sin(9 * t) + 0.01 * rng.standard_normal(40)
    found = smooth(t, y[:, None], cutoff=12.0)
    x, deviation = dense_smoother(t, y, (2 * np.pi * 12.0 * np.median(np.diff(t))) ** 6)
    for k, mine in enumerate((found.position, found.velocity, found.acceleration)):
        np.testing.assert_allclose(mine[:, 0], x[:, k], atol=1e-5 * np.abs(x[:, k]).max())
        np.testing.assert_allclose(found.deviation[k][3:-3, 0], deviation[3:-3, k] * found.noise[0], rtol=1e-3)


@pytest.mark.parametrize("sigma", [1e-5, 1e-3])
def test_the_smoother_finds_the_noise_by_itself(sigma):
    rng = np.random.default_rng(3)
    t = np.sort(rng.uniform(0, 20, 8000))
    w = np.array([1.0, 3.0, 5.0])
    q = np.sin(t[:, None] * w)
    found = smooth(t, q + sigma * rng.standard_normal(q.shape))
    inner = slice(300, -300)
    np.testing.assert_allclose(found.noise, sigma, rtol=0.05)
    error = np.sqrt(((found.velocity - w * np.cos(t[:, None] * w))[inner] ** 2).mean(axis=0))
    assert (error < 0.02 * w).all()
    assert (error < found.deviation.velocity[inner].mean(axis=0) * 1.3).all()


def test_both_engines_smooth_alike(monkeypatch):
    t, y = np.arange(600) / RATE, np.cumsum(noise(4, samples=600), axis=0)
    pytest.importorskip("numba")
    results = []
    for name in ("numba", "numpy"):
        monkeypatch.setenv("BIFILAR_ENGINE", name)
        engine.current.cache_clear()
        results.append(smooth(t, y, cutoff=20.0))
    monkeypatch.undo()
    engine.current.cache_clear()
    np.testing.assert_allclose(results[0].acceleration, results[1].acceleration, rtol=1e-6, atol=1e-6)


def test_between_the_stamps_the_smoother_is_consistent():
    """Inserting instants without readings changes nothing: the polynomial between two stamps is the smoother's own."""
    t, y = np.arange(200) / RATE, np.cumsum(noise(6, samples=200, columns=1), axis=0)
    found = smooth(t, y, cutoff=20.0)
    middle = found.at(t[:-1] + 0.5 / RATE)
    ahead = found.at(t[:-1] + (0.5 + 1e-4) / RATE)
    np.testing.assert_allclose((ahead.position - middle.position) * RATE * 1e4, middle.velocity, rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(found.at(t).acceleration, found.acceleration, rtol=1e-9, atol=1e-9)


@given(seed=st.integers(0, 99))
def test_a_cubic_is_interpolated_exactly(seed):
    rng = np.random.default_rng(seed)
    t = np.cumsum(rng.uniform(0.6, 1.4, 30))
    wanted = np.sort(rng.uniform(t[0], t[-1], 50))
    c = rng.standard_normal((4, 2))
    np.testing.assert_allclose(
        between(t, wanted).of(np.vander(t, 4) @ c), np.vander(wanted, 4) @ c, rtol=1e-9, atol=1e-7 * 30**3
    )


def test_interpolation_does_not_swing_at_uneven_stamps():
    t = np.array([0.0, 1.0, 1.001, 2.0, 3.0, 3.001, 4.0])
    y = np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0])[:, None]
    assert np.abs(between(t, np.linspace(0, 4, 999)).of(y)).max() <= 1


def test_a_spectrum_sees_through_ten_decades():
    """Noise of 1e-6 rad beside a swing of 1 rad, at frequencies where a plain periodogram shows leakage only."""
    t = np.arange(20000) / 1000
    x = np.sin(2 * np.pi * 0.23 * t) + 1e-6 * np.random.default_rng(0).standard_normal(20000)
    f, density = spectrum(x[:, None], rate=1000)
    level = np.median(density[(f > 20) & (f < 450)])
    assert level == pytest.approx(1e-12 / 500, rel=0.1)


@pytest.mark.parametrize("cutoff", [0.0, -1.0, 250.0, np.nan])
def test_impossible_cutoffs_are_refused(cutoff):
    with pytest.raises(ShapeError, match="cut-off"):
        low_pass(noise(0), rate=RATE, cutoff=cutoff)
