"""Laws of the noise of positions that maximum likelihood chooses on stretches it has not fitted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bifilar as bf
from bifilar.estimate.noise_choice import NoiseChoice, candidates, left_out, parts_of
from bifilar.estimate.position_drift import drifts, watched
from bifilar.estimate.true_motion import Piece, TrueMotion

RATE, SAMPLES = 500.0, 4000
ALL = 2 * np.pi


def arm(coulomb: bool) -> bf.Robot:
    """Two joints with friction that has values."""
    terms = bf.Viscous() + bf.Coulomb(width=0.05) if coulomb else bf.Friction((bf.Viscous(),))
    robot = bf.Robot.load("two_link").with_friction(terms)
    return robot.with_friction(terms, {name: 0.2 + 0.05 * k for k, name in enumerate(robot.drive_columns.names)})


def motion(rng: np.random.Generator, samples: int = SAMPLES, period: float = 1 / RATE) -> tuple[np.ndarray, ...]:
    """Sines of three frequencies, position and its derivatives."""
    t, k = period * np.arange(samples)[:, None], np.arange(2)
    parts = [(size, w, rng.uniform(0, ALL, 2)) for size, w in ((0.8, 2.1 + 0.7 * k), (0.4, 5.3 - 0.6 * k), (0.15, 8.0 + k))]
    q = sum(size * np.sin(w * t + phase) for size, w, phase in parts)
    v = sum(size * w * np.cos(w * t + phase) for size, w, phase in parts)
    return q, v, -sum(size * w**2 * np.sin(w * t + phase) for size, w, phase in parts)


def mode(torque: np.ndarray, stiffness: float, frequency: float = 6.0, damping: float = 0.03) -> np.ndarray:
    """Deflection [rad] of a spring that rings, driven by the torque."""
    w, x, speed, out = ALL * frequency, np.zeros(2), np.zeros(2), np.zeros_like(torque)
    for k, push in enumerate(torque):
        speed = speed + (w**2 * (push / stiffness - x) - 2 * damping * w * speed) / RATE
        x = x + speed / RATE
        out[k] = x
    return out


def stiction(v: np.ndarray) -> np.ndarray:
    """Friction [N m] that the model has no term for."""
    return 0.4 * np.exp(-((v / 0.4) ** 2)) * np.tanh(v / 0.02)


def recorded(seed: int, kind: str, samples: int = SAMPLES) -> tuple[bf.Robot, bf.Recording]:
    """A machine as described, with noise; or one that bends, has play, rings or sticks, with good encoders."""
    rng, robot = np.random.default_rng(seed), arm(coulomb=kind != "white")
    q, v, a = motion(rng, samples)
    tau = robot.inverse_dynamics(q, v, a)
    away = {
        "white": lambda: 1e-3 * rng.normal(size=q.shape),
        "bends": lambda: tau / np.array([1000.0, 300.0]),
        "play": lambda: 2e-3 * np.tanh(tau / 0.5),
        "rings": lambda: mode(tau, 1500.0),
        "sticks": lambda: np.zeros_like(q),
    }[kind]()
    tau = tau + (kind == "sticks") * stiction(v)
    position = q + away + 2e-5 * rng.normal(size=q.shape)
    torque = tau + (0.05 if kind == "white" else 0.02) * rng.normal(size=q.shape)
    return robot, bf.Recording(joint_names=robot.joint_names, time=np.arange(samples) / RATE, position=position, torque=torque)


def torque_errors(kind: str, seeds: int) -> np.ndarray:
    """Median over seeds, on other motion beside the machine as it is: least squares, the spectrum's level, the chosen one."""
    other = motion(np.random.default_rng(99), 500, 0.02)
    plain, chosen = (bf.MaximumLikelihood(held_torque=False, position_noise=noise) for noise in ("spectrum", None))
    errors = []
    for seed in range(seeds):
        robot, recording = recorded(seed, kind)
        right = robot.inverse_dynamics(*other) + (kind == "sticks") * stiction(other[1])
        models = [method.fit(robot, recording).model for method in (bf.LeastSquares(), plain, chosen)]
        errors.append([np.linalg.norm(model.inverse_dynamics(*other) - right) / np.linalg.norm(right) for model in models])
    return np.median(errors, axis=0)


def test_with_white_noise_the_spectrum_is_right():
    kept = 0
    for seed in range(6):
        robot, recording = recorded(seed, "white")
        estimate = bf.MaximumLikelihood(held_torque=False).fit(robot, recording)
        plain = bf.MaximumLikelihood(held_torque=False, position_noise="spectrum").fit(robot, recording)
        choice = estimate.tables["noise_choice"]
        assert np.allclose(choice.levels[0], 1e-3, rtol=0.15) and len(choice.levels) > 1
        if choice.chosen == 0:
            kept += 1
            assert np.allclose(estimate.values, plain.values, rtol=1e-9, atol=1e-12)
            assert np.allclose(estimate.covariance, plain.covariance, rtol=1e-5, atol=1e-12)
    assert kept >= 5


@pytest.mark.parametrize("kind", ["bends", "play", "rings"])
def test_a_machine_that_gives_way_is_told_better_than_by_least_squares(kind):
    squares, spectrum, chosen = torque_errors(kind, 5)
    assert chosen <= squares and chosen <= spectrum


def test_friction_without_a_term_is_no_fault_of_positions():
    """No level mends that, and distrust of positions costs little."""
    squares, spectrum, chosen = torque_errors("sticks", 5)
    assert chosen <= 1.1 * min(squares, spectrum)


def test_what_is_given_is_taken_as_given():
    robot, recording = recorded(0, "bends")
    given = bf.MaximumLikelihood(held_torque=False, clock=np.inf, position_noise=[2e-4, 3e-4]).fit(robot, recording)
    assert np.array_equal(given.tables["position_noise"], [2e-4, 3e-4]) and "noise_choice" not in given.tables
    assert any("as given" in note for note in given.notes)
    word = bf.MaximumLikelihood(held_torque=False, position_noise="spectrum").fit(robot, recording)
    assert "noise_choice" not in word.tables and any(note.endswith("fastest half of the spectrum") for note in word.notes)


def test_a_larger_level_is_told_in_the_notes():
    robot, recording = recorded(0, "bends")
    estimate = bf.MaximumLikelihood(held_torque=False).fit(robot, recording)
    choice = estimate.tables["noise_choice"]
    assert choice.chosen > 0 and np.all(choice.levels[choice.chosen] > choice.levels[0])
    assert any("machine and model differ" in note for note in estimate.notes)
    assert choice.text().count("chosen") == 1


def test_too_short_a_recording_keeps_the_spectrum():
    robot, recording = recorded(0, "bends", samples=1000)
    estimate = bf.MaximumLikelihood(held_torque=False).fit(robot, recording)
    assert estimate.tables["noise_choice"].chosen == 0
    assert any("too little motion" in note for note in estimate.notes)


@given(sizes=st.lists(st.integers(20, 90), min_size=1, max_size=4))
def test_what_is_judged_was_not_fitted(sizes):
    """Every sample is left out once, and a fit has all of the others but slivers."""
    robot, first = bf.Robot.load("pendulum"), np.cumsum([0, *sizes])
    pieces = tuple(Piece(start + np.arange(n, dtype=float)[:, None], np.zeros((n, 1)), 0.01) for start, n in zip(first, sizes))
    whole = TrueMotion(robot, bf.base_parameters(robot), pieces, np.ones(1), np.ones(1))
    outside = []
    for part in parts_of(first[-1]):
        rest, x = left_out(whole, whole.measured, part)
        inside = np.concatenate([piece.position.ravel() for piece in rest.pieces])
        assert np.array_equal(x, inside)
        assert not np.any((inside >= part.low) & (inside < part.high))
        assert first[-1] - (part.high - part.low) - len(inside) <= 2 * 2 * whole.stencil
        outside += range(part.low, part.high)
    assert outside == list(range(first[-1]))


@given(scale=st.floats(0.5, 2.0).filter(lambda x: abs(x - 1) > 0.02), seed=st.integers(0, 100))
def test_the_right_model_drifts_least(scale, seed):
    """Torque against inertia decides: all parameters too large or too small by a factor drift away."""
    robot = arm(coulomb=False)
    q, v, a = motion(np.random.default_rng(seed), 1500)
    (seen,) = watched((Piece(q, robot.inverse_dynamics(q, v, a), 1 / RATE),), cutoff=20.0)
    wrong = robot.with_body_parameters(scale * robot.body_parameters)
    every = np.ones(len(seen.first), dtype=bool)
    right, off = drifts(robot, seen, every), drifts(wrong, seen, every)
    assert np.all(np.median(right, axis=0) < 0.2 * np.median(off, axis=0))


def test_positions_that_begin_elsewhere_drift_alike():
    """A start is not judged: the straight line is taken out."""
    robot = bf.Robot.load("pendulum").with_gravity((0.0, 0.0, 0.0))
    t = np.arange(1000)[:, None] / 100
    q, torque = np.sin(3 * t), 0.3 * np.sin(2 * t)
    found = []
    for away in (np.zeros_like(t), 5.0 + 0.4 * t):
        (seen,) = watched((Piece(q + away, torque, 0.01),), cutoff=8.0)
        found.append(drifts(robot, seen, np.ones(len(seen.first), dtype=bool)))
    assert np.allclose(found[0][1:-1], found[1][1:-1], rtol=1e-3)


@given(st.integers(0, 10**6))
def test_luck_does_not_choose(seed):
    """Levels that are alike: the best of them seldom passes for better than the spectrum's, and never by a trifle."""
    rng = np.random.default_rng(seed)
    levels = candidates(np.array([1e-5]), np.ones(1))
    window = rng.normal(size=20)
    assert NoiseChoice(levels, window + 0.001 * rng.normal(size=(len(levels), 20))).chosen == 0
    others = [NoiseChoice(levels, window + 0.3 * rng.normal(size=(len(levels), 20))).chosen > 0 for _ in range(60)]
    assert np.mean(others) < 0.4
