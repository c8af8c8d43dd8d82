"""Laws of the loop that designs a motion for every model: condition numbers only fall, limits hold."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import bifilar as bf
from bifilar.estimate.simplify_loop import recorded
from bifilar.experiment.redesign import redesign

ROBOT = bf.Robot.load("two_link").with_friction(bf.Viscous() + bf.Offset())


def condition(motion: bf.Fourier, names, rate: float = 100.0) -> float:
    """Of the dense observation matrix over a period, by NumPy."""
    base = bf.base_parameters(ROBOT)
    time = np.arange(round(rate * motion.duration)) / rate
    state = motion.at(time)
    w = np.asarray(ROBOT.regressor(state.position, state.velocity, state.acceleration))
    columns = [base.columns[base.independent.index(name)] for name in names]
    return float(np.linalg.cond(w.reshape(-1, w.shape[-1])[:, columns]))


def play(motion: bf.Fourier, stage: int):
    state = motion.sample(50.0)
    q, v, a = state.position, state.velocity, state.acceleration
    return q, v, a, ROBOT.inverse_dynamics(q, v, a) + 0.1 * np.random.default_rng(stage).normal(size=q.shape)


@pytest.mark.parametrize("seed", range(3))
def test_the_condition_number_never_rises_and_every_motion_is_proven(seed):
    """Three seeds; `bifilar reproduce wang2018` does twenty."""
    how = bf.Redesigning(duration=5.0, least=6, seed=100 * seed)
    told = recorded(bf.Simplify(weights="equal"), ROBOT, play, how)
    sizes = [len(one.stage.kept) for one in told]
    assert sizes == list(range(len(bf.base_parameters(ROBOT)), 5, -1))
    numbers = [condition(one.stage.motion, one.stage.kept) for one in told]
    np.testing.assert_allclose([one.stage.condition for one in told], numbers, rtol=1e-6)
    for above, below in pairwise(numbers):
        assert below <= above * (1 + 1e-9)
    for one in told:
        bf.certify(ROBOT, one.stage.motion)


def test_a_motion_optimised_again_for_the_same_model_never_gets_worse():
    how = bf.Redesigning(duration=5.0, drop=False, most=3)
    told = recorded(bf.Simplify(weights="equal"), ROBOT, play, how)
    assert len({one.stage.kept for one in told}) == 1 and len(told) == 3
    for above, below in pairwise([condition(one.stage.motion, one.stage.kept) for one in told]):
        assert below <= above * (1 + 1e-9)


def test_a_first_motion_needs_a_duration():
    with pytest.raises(bf.MotionError, match="needs a duration"):
        redesign(ROBOT, bf.base_parameters(ROBOT).independent)
