"""Laws of the streaming reduction: it keeps everything least squares needs, however the samples are cut, weighted or merged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import random_machine, random_state

import bifilar as bf
from bifilar.dynamics import engine
from bifilar.dynamics.columns import Columns
from bifilar.dynamics.parallel import threads
from bifilar.dynamics.reduce import Reducer, merge_blocks, stack


@pytest.fixture(params=engine.available(), autouse=True)
def each_engine(request, monkeypatch):
    """Every test runs on every engine."""
    chosen = engine.load(request.param)
    monkeypatch.setattr(engine, "current", lambda: chosen)
    return request.param


def gram(triangle):
    return triangle.T @ triangle


def motion(robot, samples, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    q, v, a = rng.uniform(-2, 2, size=(3, samples, len(robot.joint_names)))
    return q, v, a, robot.inverse_dynamics(q, v, a) + noise * rng.normal(size=q.shape)


@pytest.mark.parametrize("rows", ["joints", "base", "both"])
@given(seed=st.integers(0, 10_000), samples=st.integers(1, 90), floating=st.booleans())
def test_factor_has_the_gram_matrix_of_the_dense_regressor(rows, seed, samples, floating):
    rng = np.random.default_rng(seed)
    machine = random_machine(rng, joints=int(rng.integers(1, 7)), floating=floating)
    tree, state = machine.tree, random_state(rng, machine.tree, samples)
    none = Columns.none(tree.n_coordinates)
    w = engine.load("numpy").regressor(tree, state.q, state.v, state.a, state.root, rows, none, None)
    torque, weights = rng.normal(size=w.shape[:2]), rng.uniform(0.5, 2.0, w.shape[1])
    reducer = Reducer(tree, rows, none, np.arange(w.shape[2]))
    reducer.add(state.q, state.v, state.a, state.root, torque)
    dense = (np.concatenate([w, torque[:, :, None]], axis=2) * weights[:, None]).reshape(-1, w.shape[2] + 1)
    assert np.allclose(gram(stack(reducer.take(), weights, w.shape[2])), dense.T @ dense, rtol=1e-11, atol=1e-11)


def friction():
    return bf.Viscous() + bf.Coulomb(width=0.05) + bf.Offset() + bf.RotorInertia() + bf.LoadDependent()


def test_cutting_into_chunks_blocks_and_threads_changes_nothing():
    robot = bf.Robot.load("panda").with_friction(friction())
    q, v, a, tau = motion(robot, 5000)
    whole = gram(bf.reduce(robot, (q, v, a, tau)).triangle())
    chunks = [(q[k : k + 700], v[k : k + 700], a[k : k + 700], tau[k : k + 700]) for k in range(0, 5000, 700)]
    with threads(1):
        streamed = bf.reduce(robot, iter(chunks), block=1300)
    assert [b.samples for b in streamed.blocks] == [1300, 1300, 1300, 1100]
    separate = sum((bf.reduce(robot, [chunk]) for chunk in chunks[1:]), bf.reduce(robot, chunks[0]))
    for other in (streamed, separate):
        assert np.abs(gram(other.triangle()) - whole).max() < 1e-12 * np.abs(whole).max()


def test_leaving_out_a_block_equals_never_having_had_it():
    robot = bf.Robot.load("two_link")
    q, v, a, tau = motion(robot, 300, noise=0.1)
    cut = bf.reduce(robot, (q, v, a, tau), block=100)
    without = gram(cut.choose([0, 2]).triangle())
    kept = np.r_[0:100, 200:300]
    assert np.allclose(without, gram(bf.reduce(robot, (q[kept], v[kept], a[kept], tau[kept])).triangle()))
    assert merge_blocks(cut.blocks).samples == 300


def test_zero_weight_is_absence_and_weight_is_repetition():
    robot = bf.Robot.load("two_link")
    q, v, a, tau = motion(robot, 77, noise=0.1)
    weight = np.ones(77)
    weight[10:20], weight[30] = 0.0, np.sqrt(2.0)
    rows = np.r_[0:10, 20:77, 30]
    weighted = bf.reduce(robot, bf.Chunk(q, v, a, tau, weight=weight)).triangle()
    assert np.allclose(gram(weighted), gram(bf.reduce(robot, (q[rows], v[rows], a[rows], tau[rows])).triangle()))


@pytest.mark.parametrize("samples", [1, 3, 4, 5, 9])
def test_lists_of_chunks_of_any_length_mean_what_their_iterator_means(samples):
    robot = bf.Robot.load("panda")
    q, v, a, tau = motion(robot, samples)
    values = robot.parameters().values
    for chunks in (
        [(q, v, a, tau)] * 4,
        [bf.Chunk(q, v, a, tau)] * 5,
        list(zip(q, v, a, tau, strict=True)),
        [[q, v, a, tau]] * 4,
    ):
        assert bf.reduce(robot, chunks).samples == bf.reduce(robot, iter(chunks)).samples
        assert bf.reduce(robot, chunks).residuals(values).max() < 1e-9


def test_samples_without_weight_do_not_count():
    """Noise and error bars of the samples that have a weight, as if the others had never been there."""
    robot = bf.Robot.load("two_link")
    base = bf.base_parameters(robot)
    q, v, a, tau = motion(robot, 400, noise=0.5)
    weight = (np.arange(400) % 4 == 0).astype(float)
    with_zeros = bf.solve(bf.reduce(robot, bf.Chunk(q, v, a, tau, weight=weight), columns=base))
    kept = weight > 0
    alone = bf.solve(bf.reduce(robot, (q[kept], v[kept], a[kept], tau[kept]), columns=base))
    assert np.allclose(with_zeros.noise, alone.noise) and np.allclose(with_zeros.covariance, alone.covariance)


def test_few_samples_claim_little():
    """Over many draws of few samples, errors keep the size that the error bars state; with none to spare these are infinite."""
    robot = bf.Robot.load("two_link")
    base = bf.base_parameters(robot)
    truth = base.from_full(robot.parameters())
    for samples, at_least in ((5, 0.7), (8, 0.85)):
        covered = []
        for seed in range(100):
            q, v, a, tau = motion(robot, samples, seed=seed, noise=0.1)
            answer = bf.solve(bf.reduce(robot, (q, v, a, tau), columns=base))
            covered.append(np.abs(answer.values - truth) < 2 * answer.deviations)
        assert np.mean(covered) > at_least, (samples, np.mean(covered))
    q, v, a, tau = motion(robot, 3, noise=0.1)
    assert np.isinf(bf.solve(bf.reduce(robot, (q, v, a, tau), columns=base)).deviations).all()


def test_load_dependent_friction_is_solved_with_the_load_that_the_model_used():
    robot = bf.Robot.load("two_link").with_friction(bf.LoadDependent(width=0.1), {"joint1.load": 0.2})
    base = bf.base_parameters(robot)
    answer = bf.solve(bf.reduce(robot, motion(robot, 200), columns=base))
    assert np.allclose(answer.values, base.from_full(robot.parameters()), atol=1e-9)


def test_residuals_are_those_of_the_torque_itself():
    robot = bf.Robot.load("panda").with_friction(bf.Viscous())
    q, v, a, tau = motion(robot, 400, noise=0.3)
    values = robot.parameters().values * 1.1
    errors = robot.regressor(q, v, a) @ values - tau
    assert np.allclose(bf.reduce(robot, (q, v, a, tau)).residuals(values), np.linalg.norm(errors, axis=0))


def test_base_parameters_come_back_at_condition_1e10():
    """Noise-free data of a motion so slow that inertia hardly shows: QR keeps digits that the normal equations lose."""
    robot = bf.Robot.load("panda")
    base = bf.base_parameters(robot)
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 4000, 7)) * np.array([2.0, 7e-5, 5e-9])[:, None, None]
    truth = base.from_full(robot.parameters().values)
    torque = exact_product(robot.regressor(q, v, a)[:, :, base.columns], truth)
    answer = bf.solve(bf.reduce(robot, (q, v, a, torque), columns=base.independent), weights="equal")
    assert 1e10 < answer.condition < 2e10
    assert np.linalg.norm(answer.values - truth) < 1e-6 * np.linalg.norm(truth)


def exact_product(matrix, vector):
    """Products summed in extended precision, so that the data are as consistent as doubles can be."""
    return np.asarray((matrix.astype(np.longdouble) @ vector.astype(np.longdouble)), dtype=float)


def test_error_bars_cover_the_truth():
    """White noise, different on every joint: normalised errors have unit variance, weights find the noise."""
    robot = bf.Robot.load("two_link").with_friction(bf.Viscous() + bf.Coulomb())
    robot = robot.with_parameters({"joint1.viscous": 0.4, "joint2.coulomb": 0.2})
    base = bf.base_parameters(robot)
    truth = base.from_full(robot.parameters().values)
    q, v, a, clean = motion(robot, 300)
    sigma, rng, errors = np.array([0.5, 0.02]), np.random.default_rng(5), []
    for _ in range(150):
        noisy = clean + sigma * rng.normal(size=clean.shape)
        answer = bf.solve(bf.reduce(robot, (q, v, a, noisy), columns=base.independent))
        errors.append((answer.values - truth) / answer.deviations)
        assert np.all(np.abs(answer.noise / sigma - 1) < 0.25)
    covered = np.mean(np.abs(errors) < 1.96)
    assert 0.93 < covered < 0.97, covered
