"""Error bars that hold: benchmarks/study_noise_colour.py in small."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from study_noise_colour import Recorded, one, summary

RUNS = 15


@pytest.mark.parametrize(("kind", "low", "high"), [("white", 0.92, 0.975), ("coloured", 0.90, 0.985)])
def test_intervals_cover_and_white_ones_do_not_where_noise_is_coloured(kind, low, high):
    report = summary([one((kind, 77, RUNS, ("robust", "white")))], ("robust", "white"))
    assert low <= report["robust"]["coverage"] <= high and report["doubted"] == 0
    assert (report["white"]["coverage"] > 0.9) == (kind == "white")


def test_a_drawn_problem_is_the_problem_itself():
    """The study changes the torque of a problem whose columns it keeps: the same answer as from the beginning."""
    recorded = Recorded("white", 5, duration=10.0)
    noise = recorded.noise(np.random.default_rng(0))
    source = recorded.problem.sources[0]
    data = source.position, source.velocity, source.acceleration, source.torque + noise
    short, long = bf.LeastSquares().solve(recorded.with_noise(noise)), bf.LeastSquares().fit(recorded.problem.robot, data)
    assert np.allclose(short.values, long.values, atol=1e-7 * np.abs(long.values).max())
    assert np.allclose(short.deviations, long.deviations, rtol=1e-5)
