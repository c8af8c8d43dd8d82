"""The estimation of bargsten2013: exact on exact data, better with more periods, and what is nothing goes first."""

from __future__ import annotations

import numpy as np
import pytest

import bifilar as bf
from bifilar.errors import RecordingError, SolveError

RATE, FREQUENCY, HARMONICS = 100.0, 0.5, 3
FRICTION = bf.Coulomb(width=0.05) + bf.Viscous()
VALUES = {"joint1.viscous": 0.1, "joint2.viscous": 0.05, "joint1.coulomb": 0.0, "joint2.coulomb": 0.0}


def arm() -> bf.Robot:
    return bf.Robot.load("two_link").with_friction(FRICTION, VALUES)


def experiment(seed: int, periods: int = 3, noise: float = 0.0, shift: float = 0.0) -> tuple[bf.Fourier, bf.Recording]:
    """A random motion, and a log in which the machine moved by `shift` more than it was told."""
    rng, robot = np.random.default_rng(seed), arm()
    c = rng.normal(size=(2, 2 * HARMONICS))
    told = bf.Fourier(
        joint_names=robot.joint_names, base_frequency=FREQUENCY, harmonics=HARMONICS, coefficients=c, periods=periods
    )
    moved = bf.Fourier(
        joint_names=robot.joint_names,
        base_frequency=FREQUENCY,
        harmonics=HARMONICS,
        coefficients=c * (1 + shift),
        periods=periods,
    )
    t = np.arange(round(periods / FREQUENCY * RATE)) / RATE
    state = moved.at(t)
    torque = robot.inverse_dynamics(state.position, state.velocity, state.acceleration)
    torque = torque + noise * rng.normal(size=torque.shape)
    return told, bf.Recording(joint_names=robot.joint_names, time=t, position=state.position, torque=torque)


@pytest.mark.parametrize("weights", ["equal", "per joint"])
def test_exact_logs_give_exact_torques_whatever_was_told(weights):
    """What the machine did counts, not what it was told."""
    robot = arm()
    motions, logs = zip(*(experiment(seed, shift=0.07) for seed in range(3)), strict=True)
    found = bf.PeriodicFourier(motions=motions, weights=weights).fit(robot, logs, friction=FRICTION)
    q, v, a = np.random.default_rng(9).normal(size=(3, 50, 2))
    wanted = robot.inverse_dynamics(q, v, a)
    assert np.abs(found.model.inverse_dynamics(q, v, a) - wanted).max() < 1e-6 * np.abs(wanted).max()


def test_deviations_fall_with_the_root_of_the_periods():
    def spread(periods: int) -> float:
        values = []
        for draw in range(16):
            motion, clean = experiment(4, periods)
            noise = np.random.default_rng(100 + draw).normal(size=clean.torque.shape)
            log = bf.Recording(
                joint_names=clean.joint_names, time=clean.time, position=clean.position, torque=clean.torque + 0.05 * noise
            )
            values.append(bf.PeriodicFourier(motions=motion).fit(arm(), log, friction=FRICTION).values)
        return float(np.exp(np.mean(np.log(np.std(values, axis=0, ddof=1)))))

    few, many = spread(2), spread(19)  # the first of three or more is left out: 2 and 18 are averaged
    assert few / many == pytest.approx(3.0, rel=0.35)


def test_what_is_nothing_goes_first_and_as_many_are_left_as_were_asked_for():
    robot = arm()
    motions, logs = zip(*(experiment(seed, 4, noise=0.03) for seed in range(6)), strict=True)
    method = bf.PeriodicFourier(motions=motions, keep=6)
    way = method.reduced(method.problem(robot, logs, friction=FRICTION))
    whole = len(way.full.names)
    assert len(way.kept) == 6 and {"joint1.coulomb", "joint2.coulomb"} <= {name for name, _ in way.dropped}
    assert whole == len(way.kept) + len(way.dropped)
    values = dict(zip(way.estimate.names, way.estimate.values, strict=True))
    assert all(values[name] == 0 for name, _ in way.dropped)
    q, v, a = np.random.default_rng(9).normal(size=(3, 50, 2))
    wanted = robot.inverse_dynamics(q, v, a)
    assert np.abs(way.estimate.model.inverse_dynamics(q, v, a) - wanted).max() < 0.05 * np.abs(wanted).max()
    own = bf.PeriodicFourier(motions=motions, spread=0.3)
    again = own.solve(own.problem(robot, logs, friction=FRICTION))
    assert 0 < np.count_nonzero(again.values) < whole


def test_letters():
    motion, log = experiment(0)
    for settings, said in (
        ({"weights": "some"}, "no weights 'some'"),
        ({"keep": 0}, "0 parameters to keep"),
        ({"spread": -1.0}, "a spread of -1"),
    ):
        with pytest.raises(SolveError, match=said):
            bf.PeriodicFourier(motions=motion, **settings)
    with pytest.raises(SolveError, match="1 recordings and 2 motions"):
        bf.PeriodicFourier(motions=[motion, motion]).fit(arm(), log)
    short = bf.Recording(joint_names=log.joint_names, time=log.time[:250], position=log.position[:250], torque=log.torque[:250])
    with pytest.raises(RecordingError, match="1 whole periods"):
        bf.PeriodicFourier(motions=motion).fit(arm(), short)
