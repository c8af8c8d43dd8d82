"""Error bars of `bifilar fit` by default hold the truth: benchmarks/study_coverage.py in small."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import bifilar as bf

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from study_coverage import KINDS, failures, mistaken, one, summary


@pytest.fixture(scope="module")
def rows():
    """A described arm and a random chain; seeds that no rule was chosen on."""
    return [one((seed, None)) for seed in range(9001, 9000 + len(KINDS))]


def test_bars_hold_the_truth_and_masses_stay_near_it(rows):
    report = summary(rows)
    assert report["coverage"] > 0.85 and report["worst run"] > 0.75 and report["largest error in deviations"] < 6
    assert report["identified"] > 0.4 * report["of"] and report["refused"] == []
    assert report["masses beyond a factor of 3 in good runs"] == 0
    assert "refused" not in failures(report)


def test_the_deviation_of_the_nominal_model_is_found(rows):
    """To a factor of three: of a KUKA LWR4+ a log of 14 s shows some ten combinations well."""
    for row in rows:
        assert row["wrong"] / 3 < row["prior"]["deviation"] < 3 * row["wrong"]


def test_a_nominal_model_with_mistakes_is_physically_consistent():
    machine = bf.Robot.load("kuka_lwr4")
    for seed in range(5):
        nominal = mistaken(machine, 0.3, np.random.default_rng(seed))
        assert all(link.inertia.is_consistent for link in nominal.links if link.inertia.mass > 0)
        assert not np.allclose(nominal.body_parameters, machine.body_parameters, rtol=0.05)
