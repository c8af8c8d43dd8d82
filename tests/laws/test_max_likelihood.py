"""Laws of the banded Gauss-Newton method and of maximum likelihood with noise in the positions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bifilar as bf
from bifilar.estimate import banded_steps, true_motion
from bifilar.estimate.banded import BandedSystem, minimise
from bifilar.estimate.likelihood_bars import _motion_by_theta, _taken
from bifilar.estimate.max_likelihood import MaximumLikelihood
from bifilar.estimate.raw_pieces import RAW
from bifilar.estimate.true_motion import Piece, TrueMotion
from bifilar.robot.library import load_description

INF = np.inf
PERIOD = 0.01


def robot_of(name: str, friction: bf.Friction | None = None) -> bf.Robot:
    """A robot whose friction has values."""
    terms = bf.Viscous() + bf.Coulomb(width=0.05) if friction is None else friction
    robot = bf.Robot.load(name).with_friction(terms)
    values = {column: 0.2 + 0.05 * k for k, column in enumerate(robot.drive_columns.names)}
    return robot.with_friction(terms, values)


def motion(joints: int, samples: int, period: float = PERIOD) -> np.ndarray:
    """Sums of sines, other ones for every joint."""
    t = period * np.arange(samples)[:, None]
    k = np.arange(joints)
    return 0.8 * np.sin((2.1 + 0.7 * k) * t + k) + 0.3 * np.sin((5.3 - 0.6 * k) * t + 2 * k)


def exact(robot: bf.Robot, q: np.ndarray, stencil: int, period: float = PERIOD) -> tuple[TrueMotion, np.ndarray]:
    """A likelihood whose torques fit the motion without any error, and the base parameters that do so."""
    base = bf.base_parameters(robot)
    truth = base.from_full(robot.parameters())
    noise = np.full(q.shape[1], 1e-3), np.full(q.shape[1], 0.1)
    blank = TrueMotion(robot, base, (Piece(q, np.zeros_like(q), period),), *noise, stencil)
    torque = np.zeros_like(q)
    torque[stencil:-stencil] = np.concatenate([w.residual for w in blank.windows(q.ravel(), truth)]) * noise[1]
    return replace(blank, pieces=(Piece(q, torque, period),)), truth


def chain(rng: np.random.Generator, samples: int, joints: int, window: int, border: int) -> tuple[BandedSystem, np.ndarray]:
    """A system of random windows, and the same as one dense Jacobian with the residual last."""
    unknowns = samples * joints
    first = joints * np.arange(samples - window + 1)
    jacobian = rng.normal(size=(len(first), joints, window * joints))
    side = rng.normal(size=(len(first), joints, border + 1))
    system = BandedSystem(unknowns, window * joints, border)
    system.add(first, jacobian, side)
    weight, off = rng.uniform(0.5, 2.0, unknowns), rng.normal(size=unknowns)
    system.anchor(weight, off)
    dense = np.zeros((len(first) * joints + unknowns, unknowns + border + 1))
    for k, place in enumerate(first):
        rows = slice(k * joints, (k + 1) * joints)
        dense[rows, place : place + window * joints], dense[rows, unknowns:] = jacobian[k], side[k]
    below = np.arange(unknowns)
    dense[len(first) * joints + below, below] = np.sqrt(weight)
    dense[len(first) * joints + below, -1] = np.sqrt(weight) * off
    return system, dense


@given(seed=st.integers(0, 10**6), joints=st.integers(1, 3), window=st.integers(1, 5), border=st.integers(1, 4))
def test_the_banded_step_is_the_dense_one(seed, joints, window, border):
    rng = np.random.default_rng(seed)
    system, dense = chain(rng, 9, joints, window, border)
    unknowns, cost = 9 * joints, system.cost
    expected, *_ = np.linalg.lstsq(dense[:, :-1], -dense[:, -1], rcond=None)
    step = system.step()
    assert np.allclose(np.concatenate([step.x, step.theta]), expected, rtol=1e-8, atol=1e-8)
    left = dense[:, :-1] @ expected + dense[:, -1]
    assert np.isclose(step.promised, cost - left @ left, rtol=1e-8)
    information = np.linalg.inv(dense[:, :-1].T @ dense[:, :-1])
    assert np.allclose(np.linalg.inv(system.schur), information[unknowns:, unknowns:], rtol=1e-7)
    alone = np.linalg.inv(dense[:, :unknowns].T @ dense[:, :unknowns])
    inside = system.inverse_band()
    for d in range(inside.shape[1]):
        assert np.allclose(inside[: unknowns - d, d], np.diagonal(alone, d), rtol=1e-7, atol=1e-12)


def test_the_sweeps_without_numba_are_the_same(monkeypatch):
    likelihood, truth = exact(robot_of("two_link"), motion(2, 30), 1)
    fast, slow = likelihood.system(), likelihood.system()
    likelihood.fill(likelihood.measured + 1e-3, 1.1 * truth, fast)
    one = fast.step()
    plain = type("Plain", (), {name: staticmethod(getattr(banded_steps, name)) for name in ("accumulate", "factor", "back")})
    monkeypatch.setattr("bifilar.estimate.banded.kernels", lambda: plain)
    monkeypatch.setattr(true_motion, "_gather", lambda: true_motion.gather)
    likelihood.fill(likelihood.measured + 1e-3, 1.1 * truth, slow)
    other = slow.step()
    assert np.allclose(one.x, other.x, rtol=1e-9, atol=1e-15) and np.allclose(one.theta, other.theta, rtol=1e-9)


@pytest.mark.parametrize("name", ["pendulum", "two_link", "puma560"])
@pytest.mark.parametrize("stencil", [1, 2])
def test_the_gradient_is_that_of_the_cost(name, stencil):
    likelihood, truth = exact(
        robot_of(name, bf.Viscous() + bf.Coulomb(width=0.5, asymmetric=True)),
        0.1 + motion(len(bf.Robot.load(name).joint_names), 14),
        stencil,
    )
    rng = np.random.default_rng(0)
    x, theta = likelihood.measured + 1e-3 * rng.normal(size=likelihood.measured.size), truth + 0.1 * rng.normal(size=len(truth))

    def filled(x, theta):
        system = likelihood.system()
        likelihood.fill(x, theta, system)
        return system

    here = filled(x, theta)
    for _ in range(4):
        dx, dtheta = rng.normal(size=len(x)), rng.normal(size=len(theta))
        slope = 2 * (here.side[:, -1] @ dx + here.corner[:-1, -1] @ dtheta)
        h = 1e-6
        difference = (filled(x + h * dx, theta + h * dtheta).cost - filled(x - h * dx, theta - h * dtheta).cost) / (2 * h)
        assert np.isclose(slope, difference, rtol=1e-5)


@pytest.mark.parametrize(("name", "stencil"), [("pendulum", 1), ("two_link", 1), ("two_link", 2), ("puma560", 2)])
def test_without_noise_the_truth_comes_back(name, stencil):
    robot = robot_of(name)
    likelihood, truth = exact(robot, motion(len(robot.joint_names), 400), stencil)
    found = minimise(likelihood.fill, likelihood.measured, 0.7 * truth + 0.05, likelihood.system())
    assert found.converged
    assert np.allclose(found.theta, truth, atol=1e-6 * np.abs(truth).max())
    assert np.allclose(found.x, likelihood.measured, atol=1e-8)


def test_a_clean_recording_gives_the_truth():
    robot, t = robot_of("two_link", bf.Friction((bf.Viscous(),))), np.arange(4000) / 500
    w, k = np.array([2.1, 2.8]), np.arange(2)
    q, v, a = (f(w * t[:, None] + k) * s for f, s in ((np.sin, 1.0), (np.cos, w), (np.sin, -(w**2))))
    clean = bf.Recording(joint_names=robot.joint_names, time=t, position=q, torque=robot.inverse_dynamics(q, v, a))
    for settings in ({}, {"clock": INF}, {"clock": INF, "stencil": 2}):
        estimate = MaximumLikelihood(held_torque=False, **settings).fit(robot, clean)
        truth = estimate.base.from_full(robot.parameters())
        assert estimate.status.ok
        assert np.allclose(estimate.values, truth, atol=2e-4 * np.abs(truth).max())


def test_work_and_memory_grow_with_the_number_of_samples_only():
    robot = robot_of("two_link")

    def work(samples):
        likelihood, truth = exact(robot, motion(2, samples), 1)
        system = likelihood.system()
        likelihood.fill(likelihood.measured, truth, system)
        system.step()
        system.inverse_band()
        return system.operations, system.band.size + system.side.size

    short, long = work(1000), work(8000)
    assert np.allclose(np.array(long) / np.array(short), 8.0, rtol=0.01)


def test_exact_positions_make_it_least_squares():
    robot = robot_of("two_link")
    likelihood, truth = exact(robot, motion(2, 300), 1)
    rng = np.random.default_rng(1)
    piece = likelihood.pieces[0]
    noisy = piece._replace(torque=piece.torque + rng.normal(size=(300, 2)) * [0.1, 0.02])
    sure = replace(likelihood, pieces=(noisy,), position_noise=np.full(2, 1e-12), torque_noise=np.array([0.1, 0.02]))
    found = minimise(sure.fill, sure.measured, 0.5 * truth, sure.system())
    rows = np.concatenate([w.border.reshape(-1, len(truth) + 1) for w in sure.windows(sure.measured, np.zeros(len(truth)))])
    expected, *_ = np.linalg.lstsq(rows[:, :-1], -rows[:, -1], rcond=None)
    assert np.allclose(found.theta, expected, rtol=1e-6, atol=1e-8)
    assert np.allclose(found.x, sure.measured, atol=1e-12)


def shaken(samples: int = 3000, seed: int = 0, robot: bf.Robot | None = None) -> tuple[bf.Robot, bf.Recording]:
    """An open-loop recording with noise in positions and torques."""
    robot = robot or robot_of("two_link")
    rng, n = np.random.default_rng(seed), len(robot.joint_names)
    likelihood, _ = exact(robot, motion(n, samples, 1 / 500), 1, 1 / 500)
    q, tau, _, _ = likelihood.pieces[0]
    tau[[0, -1]] = tau[[1, -2]]
    q, tau = q + 1e-3 * rng.normal(size=q.shape), tau + 0.05 * rng.normal(size=q.shape)
    return robot, bf.Recording(joint_names=robot.joint_names, time=np.arange(samples) / 500, position=q, torque=tau)


def test_noise_levels_are_found_and_error_bars_hold():
    robot, recording = shaken()
    estimate = MaximumLikelihood(held_torque=False, clock=INF, slip=0.05).fit(robot, recording)
    truth = estimate.base.from_full(robot.parameters())
    assert estimate.status.ok
    assert np.allclose(estimate.tables["position_noise"], 1e-3, rtol=0.1)
    assert np.allclose(estimate.noise, 0.05, rtol=0.35)  # few of 3000 equations are not taken up by the motion
    assert np.abs((estimate.values - truth) / estimate.deviations).max() < 4
    plain = bf.LeastSquares().fit(robot, recording)
    assert np.linalg.norm(estimate.values - truth) < np.linalg.norm(plain.values - truth)


def test_joints_in_another_order_change_nothing_but_the_order():
    robot, recording = shaken(1500)
    description = load_description("two_link")
    turned = bf.Robot.build(replace(description, joints=description.joints[::-1])).with_friction(robot.friction)
    assert turned.joint_names == robot.joint_names[::-1]
    method = MaximumLikelihood(position_noise=1e-3, torque_noise=0.05, slip=0.05)
    one, other = method.fit(robot, recording), method.fit(turned, recording)
    q, v, a = np.random.default_rng(0).normal(size=(3, 20, 2))
    expected = one.model.inverse_dynamics(q, v, a)[:, ::-1]
    assert np.allclose(other.model.inverse_dynamics(q[:, ::-1], v[:, ::-1], a[:, ::-1]), expected, rtol=1e-4, atol=1e-4)


def test_other_units_of_torque_scale_the_parameters():
    robot, recording = shaken(1500)
    louder = bf.Recording(
        joint_names=recording.joint_names, time=recording.time, position=recording.position, torque=10 * recording.torque
    )
    one, ten = MaximumLikelihood().fit(robot, recording), MaximumLikelihood().fit(robot, louder)
    assert np.allclose(ten.values, 10 * one.values, rtol=1e-3, atol=1e-4 * np.abs(ten.values).max())


def test_a_recording_in_two_pieces_counts_as_both():
    robot, recording = shaken(2000)
    both = MaximumLikelihood(position_noise=1e-3, torque_noise=0.05, clock=INF, slip=0.05, held_torque=False)
    whole = both.fit(robot, recording)
    middle = recording.time[1000]
    parts = both.fit(robot, [recording.part(stop=middle), recording.part(start=middle)])
    assert np.abs((whole.values - parts.values) / whole.deviations).max() < 0.3
    heavy = both.fit(robot, [recording, recording], weights=[2.0, 1e-6])
    assert np.allclose(
        heavy.values,
        replace(both, torque_noise=0.025).fit(robot, recording).values,
        rtol=1e-3,
        atol=1e-5,
    )


def test_a_problem_of_raw_samples_is_solved_too():
    robot, recording = shaken(1500)
    method = MaximumLikelihood(position_noise=1e-3, torque_noise=0.05)
    problem = bf.Problem.of(robot, bf.prepare(recording, RAW, robot=robot))
    assert np.allclose(method.solve(problem).values, method.fit(robot, recording).values, rtol=1e-3, atol=1e-4)
    with pytest.raises(bf.SolveError, match="as they were measured"):
        method.solve(bf.Problem.of(robot, recording))


def test_a_joint_that_stands_still_is_not_presented_as_identified():
    robot, recording = shaken(1500)
    still = recording.position * [1.0, 0.0]
    half = bf.Recording(joint_names=robot.joint_names, time=recording.time, position=still, torque=recording.torque)
    estimate = MaximumLikelihood().fit(robot, half)
    assert estimate.status.code == "rank deficient" and not estimate.identified.all()


def test_floating_robots_and_loads_are_refused():
    _, recording = shaken(300)
    with pytest.raises(bf.RobotError, match="fixed base"):
        MaximumLikelihood().fit(bf.Robot.load("two_link", floating=True), recording)
    with pytest.raises(bf.RobotError, match="load"):
        MaximumLikelihood().fit(bf.Robot.load("two_link"), recording, friction=bf.LoadDependent())


def test_friction_is_chosen_as_other_methods_choose_it():
    robot, recording = shaken(1500)
    chosen = bf.LeastSquares().fit(robot, recording, friction="choose")
    estimate = MaximumLikelihood().fit(robot, recording, friction="choose")
    assert estimate.tables["friction"].friction == chosen.tables["friction"].friction
    assert estimate.names == chosen.names


def test_the_columns_that_a_free_motion_leaves_are_the_information():
    """S = Y' V with V = Y - J dx/dtheta: what error bars of coloured noise take for the columns is what the system has."""
    robot = robot_of("two_link")
    likelihood, truth = exact(robot, motion(2, 200), 2)
    likelihood = replace(likelihood, position_noise=np.full(2, 1e-3), torque_noise=np.array([0.1, 0.02]))
    system = likelihood.system()
    likelihood.fill(likelihood.measured, truth, system)
    system.step()
    follows, total = _motion_by_theta(system), np.zeros((len(truth), len(truth)))
    for windows in likelihood.windows(likelihood.measured, truth):
        y = windows.border[:, :, :-1]
        left = y - np.concatenate(list(_taken(windows, follows)))
        total += np.einsum("kip,kiq->pq", y, left)
    assert np.allclose(total, system.schur, rtol=1e-6, atol=1e-9 * np.abs(total).max())


def coloured(seed: int, keep: float, samples: int = 1500) -> tuple[bf.Robot, bf.Recording]:
    """As `shaken`, the torque's noise following itself by `keep` from sample to sample."""
    robot, recording = shaken(samples, seed)
    clean = exact(robot, motion(2, samples, 1 / 500), 1, 1 / 500)[0].pieces[0].torque
    rng, noise = np.random.default_rng([seed, 1]), np.zeros((samples + 300, 2))
    for k in range(1, len(noise)):
        noise[k] = keep * noise[k - 1] + np.sqrt(1 - keep**2) * rng.normal(size=2)
    return robot, recording.with_channel("torque", clean + 0.05 * noise[300:])


@pytest.mark.parametrize("keep", [0.0, 0.95])
def test_error_bars_hold_with_coloured_noise_and_say_so(keep):
    """White bars cover where noise is white; where it is coloured, robust ones cover and a note tells."""
    inside: dict[str, list[np.ndarray]] = {"robust": [], "white": []}
    told = 0
    for seed in range(10):
        robot, recording = coloured(seed, keep)
        for how, held in inside.items():
            estimate = MaximumLikelihood(held_torque=False, slip=0.05, uncertainty=how).fit(robot, recording)
            truth = estimate.base.from_full(robot.parameters())
            low, high = estimate.interval()
            held.append((low < truth) & (truth < high))
            told += how == "robust" and any(note.code == "bars.coloured" for note in estimate.notes)
    covered = {how: float(np.mean(held)) for how, held in inside.items()}
    assert covered["robust"] >= 0.88
    assert told <= 2 if keep == 0.0 else told >= 8
    assert covered["white"] >= 0.88 if keep == 0.0 else covered["white"] < covered["robust"] - 0.05
