"""Laws of error bars: the double sum behind them by hand, the spectrum of known noise, rows that are not new knowledge,
draws of blocks, bands around torque."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import SolveError
from bifilar.estimate.linear import Linear
from bifilar.estimate.prior_metric import Whitened, metric
from bifilar.estimate.problem import Problem
from bifilar.estimate.residual_spectrum import GRID, Lagged, spectrum
from bifilar.estimate.sandwich import bandwidth, gathered, meat
from bifilar.robot.solve import weighted_fit


def decaying(rng, rows, joints, keep):
    """Noise of unit variance whose correlation falls by `keep` from row to row."""
    out = rng.normal(size=(rows + 300, joints))
    for k in range(1, len(out)):
        out[k] = keep * out[k - 1] + np.sqrt(1 - keep**2) * out[k]
    return out[300:]


def motion(rows=300, rate=20.0, seed=0, joints=2):
    rng = np.random.default_rng(seed)
    t = np.arange(rows)[:, None] / rate
    w, p = rng.uniform(1, 5, (2, 1, joints)), rng.uniform(0, 6, (2, 1, joints))
    q = np.sin(w[0] * t + p[0]) + 0.5 * np.sin(w[1] * t + p[1])
    v = w[0] * np.cos(w[0] * t + p[0]) + 0.5 * w[1] * np.cos(w[1] * t + p[1])
    return q, v, -(w[0] ** 2) * np.sin(w[0] * t + p[0]) - 0.5 * w[1] ** 2 * np.sin(w[1] * t + p[1])


def robot():
    found = bf.Robot.load("two_link").with_friction(bf.Viscous() + bf.Offset())
    return found.with_parameters({f"{name}.{word}": 0.4 for name in found.joint_names for word in ("viscous", "offset")})


def problem(noise, rows=300, seed=0):
    arm, (q, v, a) = robot(), motion(rows, seed=seed)
    return Problem.of(arm, (q, v, a, arm.inverse_dynamics(q, v, a) + noise))


@pytest.mark.parametrize("longest", [1, 3, 50])
def test_short_recordings_count_like_all_others(longest):
    """Single poses, or a few rows each: errors are then those of white noise, nothing breaks and nothing is left out."""
    rng = np.random.default_rng(3)
    arm, (q, v, a) = robot(), motion(300)
    data = q, v, a, arm.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=q.shape)
    parts = [tuple(x[k : k + longest] for x in data) for k in range(0, 300, longest)]
    short, white = (bf.LeastSquares(uncertainty=how).fit(arm, parts) for how in ("robust", "white"))
    assert np.allclose(short.values, bf.LeastSquares().fit(arm, data).values)
    assert np.allclose(short.deviations, white.deviations, rtol=0.35)


def test_only_rows_that_are_asked_for_are_read():
    case = problem(np.zeros((300, 2)))
    assert list(case.rows(wanted=lambda recording, first, end: None)) == []
    (whole,), (some,) = case.rows(), case.rows(wanted=lambda recording, first, end: (17, 40))
    assert some.first == 17
    for name in ("columns", "torque", "weight"):
        assert np.array_equal(getattr(some, name), getattr(whole, name)[17:40])


def test_of_long_recordings_stretches_stand_for_all():
    """Columns and residuals of the stretches are those of the whole recording, in several chunks, at their places."""
    rows, arm = 30_000, robot()
    q, v, a = motion(rows)
    case = Problem.of(arm, (q, v, a, arm.inverse_dynamics(q, v, a) + np.arange(rows)[:, None]))
    line = Linear.plain(weighted_fit(case.base.independent, case.factor()))
    stretches = list(gathered(case, line, np.ones(2)))
    dense = [np.concatenate(parts) for parts in zip(*((chunk.columns, chunk.torque) for chunk in case.rows()))]
    for number, stretch in enumerate(stretches):
        part = slice(3 * 2048 * number, min(3 * 2048 * number + 2048, rows))
        assert np.allclose(stretch.columns, dense[0][part] @ line.spread)
        assert np.allclose(stretch.residuals, dense[1][part] - dense[0][part] @ line.values)
    assert len(stretches) == 5


@pytest.mark.parametrize("robust", [None, "huber"])
def test_few_rows_do_not_look_quieter_than_they_are(robust):
    """The noise that is found, over many draws, is the noise there was, though a third of the equations is used up."""
    arm, rng = robot(), np.random.default_rng(5)
    q, v, a = rng.normal(size=(3, 15, 2))
    torque = arm.inverse_dynamics(q, v, a)
    found = [
        bf.LeastSquares(robust=robust, uncertainty="white").fit(arm, (q, v, a, torque + rng.normal(size=(15, 2)))).noise
        for _ in range(60)
    ]
    assert 0.9 < np.sqrt(np.mean(np.square(found))) < 1.15


def test_the_double_sum_by_hand():
    case = problem(decaying(np.random.default_rng(0), 120, 2, 0.6) * [1.0, 2.0], rows=120)
    fit = weighted_fit(case.base.independent, case.factor())
    line = Linear.plain(fit)
    (stretch,) = gathered(case, line, fit.weights)
    sums = Lagged.of(stretch.residuals, stretch.present, stretch.columns, line.bread)
    lags = np.fft.ifft(spectrum(sums, bandwidth(120)), axis=0).real
    expected = np.zeros((len(line.bread),) * 2)
    for s in range(120):
        for t in range(120):
            expected += stretch.columns[s].T @ lags[(t - s) % GRID] @ stretch.columns[t]
    assert np.allclose(meat(case, line, fit.weights), expected, atol=1e-3 * np.abs(expected).max())


def test_sums_over_lags_by_hand():
    rng = np.random.default_rng(1)
    e, columns, bread = rng.normal(size=(50, 2)), rng.normal(size=(50, 2, 3)), rng.uniform(size=3)
    present = (rng.random((50, 2)) > 0.2).astype(float)
    sums = Lagged.of(e * present, present, columns, bread)
    for lag in (0, 3, 49):
        pairs = [(t, t + lag) for t in range(50 - lag)]
        assert sums.products[lag, 0, 1] == pytest.approx(sum((e * present)[s, 0] * (e * present)[t, 1] for s, t in pairs))
        assert sums.products[-lag, 1, 0] == pytest.approx(sums.products[lag, 0, 1])
        assert sums.pairs[lag, 1, 1] == pytest.approx(sum(present[s, 1] * present[t, 1] for s, t in pairs), abs=1e-9)
        assert sums.leverage[lag, 0] == pytest.approx(sum(columns[s, 0] * bread @ columns[t, 0] for s, t in pairs))


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.9, -0.4])
def test_the_spectrum_of_known_noise_is_found(keep):
    x = decaying(np.random.default_rng(2), 20_000, 1, keep) @ np.array([[1.0, 0.5]])
    found = spectrum(Lagged.of(x, np.ones_like(x), np.zeros((len(x), 2, 1)), np.zeros(1)), bandwidth(len(x)))
    w = 2 * np.pi * np.arange(GRID) / GRID
    expected = (1 - keep**2) / np.abs(1 - keep * np.exp(-1j * w)) ** 2
    assert np.abs(found[:, 0, 0].real / expected - 1).max() < 0.25
    assert np.allclose(found[:, 0, 1], 0.5 * found[:, 0, 0], atol=0.02 * expected.max())
    assert np.linalg.eigvalsh(found).min() > -1e-9 * expected.max()


def test_rows_between_rows_of_a_filtered_recording_are_no_news():
    """Four times as many rows of the same filtered torque: white error bars halve, honest ones do not."""
    arm, (q, v, a) = robot(), motion(6000, rate=200.0)
    noise = np.random.default_rng(3).normal(size=q.shape)
    recording = bf.Recording(
        joint_names=arm.joint_names, time=np.arange(6000) / 200, position=q, torque=arm.inverse_dynamics(q, v, a) + noise
    )
    few, many = (bf.prepare(recording, robot=arm, cutoff=5.0, decimate=every) for every in (20, 5))
    ratio = {}
    for how in ("robust", "white"):
        method = bf.LeastSquares(uncertainty=how)
        ratio[how] = np.median(method.fit(arm, many).deviations / method.fit(arm, few).deviations)
    assert 0.4 < ratio["white"] < 0.6
    assert 0.8 < ratio["robust"] < 1.25


def test_with_white_noise_all_three_agree():
    case = problem(np.random.default_rng(4).normal(size=(1500, 2)), rows=1500)
    white, robust, drawn = (bf.LeastSquares(uncertainty=how).solve(case).deviations for how in ("white", "robust", "bootstrap"))
    assert np.all(np.abs(robust / white - 1) < 0.25) and np.all(np.abs(drawn / white - 1) < 0.5)


@pytest.mark.parametrize(
    "method", [bf.LeastSquares(robust="huber"), bf.LeastSquares(robust="tukey"), bf.LeastSquares(weights="full")]
)
@pytest.mark.parametrize("how", ["white", "robust"])
def test_error_bars_of_other_weights_hold_too(method, how):
    arm, (q, v, a) = robot(), motion(200)
    tau, errors = arm.inverse_dynamics(q, v, a), []
    for seed in range(15):
        noise = np.random.default_rng(seed).standard_t(4, size=tau.shape)  # heavy tails
        estimate = replace(method, uncertainty=how).fit(arm, (q, v, a, tau + noise))
        errors.append((estimate.values - estimate.base.from_full(arm.parameters())) / estimate.deviations)
    assert 0.75 < np.sqrt(np.mean(np.square(errors))) < 1.3


def test_the_covariance_of_ridge_is_that_of_data_and_description():
    case = problem(np.random.default_rng(5).normal(size=(300, 2)))
    fit = weighted_fit(case.base.independent, case.factor())
    triangle, g, width = case.triangle(fit.weights), metric(case, fit.weights), len(fit.values)
    r, z = triangle[:width, :width], triangle[:width, width]
    line = Whitened.of(r, z, g, case.prior()).ridge(7.0)
    both = r.T @ r + 7.0 * g.T @ g
    assert np.allclose(line.covariance(np.diag((r @ line.spread).T @ (r @ line.spread)) * np.eye(width)), np.linalg.inv(both))
    assert np.allclose(line.values, np.linalg.solve(both, r.T @ z + 7.0 * g.T @ g @ case.prior()))


def test_draws_of_blocks_take_any_function():
    case = problem(np.random.default_rng(6).normal(size=(300, 2)))
    method = bf.LeastSquares(uncertainty="white")
    free = bf.bootstrap(case, method, count=30)
    held = bf.bootstrap(case, lambda some: np.maximum(method.solve(some).values, 0.1), count=30)
    assert np.allclose(held.draws, np.maximum(free.draws, 0.1)) and held.draws.min() == 0.1
    low, high = held.interval(0.9)
    assert np.all(low <= high) and np.array_equal(bf.bootstrap(case, method, count=30).draws, free.draws)
    assert np.allclose(bf.bootstrap(case, method, count=30, columns="base").draws, free.draws, rtol=1e-6)
    with pytest.raises(SolveError, match="too few to draw from"):
        bf.bootstrap(case.choose([0, 1, 2]), method)


def test_bands_cover_torque():
    arm, noise = robot(), np.array([0.3, 0.1])
    case = problem(noise * np.random.default_rng(7).normal(size=(1500, 2)), rows=1500)
    estimate = bf.LeastSquares().solve(case)
    q, v, a = motion(2000, seed=8)
    tau = arm.inverse_dynamics(q, v, a)
    measured = tau + noise * np.random.default_rng(9).normal(size=tau.shape)
    narrow, wide = (bf.band(estimate, (q, v, a, tau), noise=with_noise) for with_noise in (False, True))
    assert np.all(np.abs(wide.covers(measured) - 0.95) < 0.03)
    assert np.all(narrow.deviation < wide.deviation) and np.allclose(narrow.torque, estimate.predict((q, v, a, tau)))
    y = case.base.regressor(case.robot.regressor(q[5], v[5], a[5]))
    assert np.allclose(narrow.deviation[5] ** 2, np.diag(y @ estimate.covariance @ y.T))
    with pytest.raises(SolveError, match="level is 95"):
        bf.band(estimate, (q, v, a, tau), level=95)


def test_bands_have_no_end_where_a_value_is_open():
    arm, (q, v, a) = robot(), motion()
    still = q * [1, 0], v * [1, 0], a * [1, 0]
    estimate = bf.LeastSquares().fit(arm, (*still, arm.inverse_dynamics(*still)))
    assert estimate.status.code == "rank deficient"
    assert np.isinf(bf.band(estimate, (q, v, a, q)).deviation[:, 1]).all()


def test_chosen_blocks_have_white_error_bars_and_say_so():
    case = problem(np.random.default_rng(10).normal(size=(300, 2)))
    part = bf.LeastSquares().solve(case.choose(range(12)))
    assert "blocks were chosen" in " ".join(part.notes)
    assert np.allclose(part.deviations, bf.LeastSquares(uncertainty="white").solve(case.choose(range(12))).deviations)


FEW = {
    "least squares": bf.LeastSquares(),
    "white": bf.LeastSquares(uncertainty="white"),
    "robust": bf.LeastSquares(robust="huber"),
    "consistent": bf.PhysicallyConsistent(prior_weight=1e-4),
}


@pytest.mark.parametrize("name", FEW)
def test_intervals_of_thirty_rows_cover(name):
    """Noise told from thirty rows is itself uncertain: normal quantiles cover too seldom, Student's as often as they say."""
    arm, rng, held, normal = robot(), np.random.default_rng(11), [], []
    for k in range(80):
        q, v, a = motion(30, rate=5.0, seed=k % 8)
        tau = arm.inverse_dynamics(q, v, a)
        estimate = FEW[name].fit(arm, (q, v, a, tau + 0.02 * tau.std(axis=0) * rng.normal(size=tau.shape)))
        truth = estimate.base.from_full(arm.parameters())
        low, high = estimate.interval()
        held.append((low < truth) & (truth < high))
        normal.append(np.abs(estimate.values - truth) < 1.96 * estimate.deviations)
    assert estimate.rows == 30 and np.all(estimate.freedom < 60)
    assert 0.93 <= np.mean(held) <= 0.975 and np.mean(normal) < np.mean(held)


def test_freedom_is_the_scatter_of_variances():
    """2 / freedom is the relative variance of a deviation's square, here of errors that follow each other."""
    arm, (q, v, a) = robot(), motion(300)
    tau = arm.inverse_dynamics(q, v, a)
    found = []
    for seed in range(100):
        noise = 0.1 * decaying(np.random.default_rng(seed), 300, 2, 0.7)
        found.append(bf.LeastSquares().fit(arm, (q, v, a, tau + noise)))
    squares = np.array([each.deviations**2 for each in found])
    scatter = 2 / (squares.std(axis=0) / squares.mean(axis=0)) ** 2
    assert 0.5 < np.median([each.freedom / scatter for each in found]) < 2


def test_freedom_of_one_joint_is_rows_less_parameters():
    arm, (q, v, a) = bf.Robot.load("pendulum"), motion(40, joints=1)
    noise = 0.1 * np.random.default_rng(0).normal(size=(40, 1))
    estimate = bf.LeastSquares(uncertainty="white").fit(arm, (q, v, a, arm.inverse_dynamics(q, v, a) + noise), friction=())
    assert np.allclose(estimate.freedom, 37)
