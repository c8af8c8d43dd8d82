"""Chapter 4 of Dolinsky 2017 in small: honest error bars, touchdowns told by sensors, wrong and identified models."""

from __future__ import annotations

import numpy as np
import pytest

from bifilar.papers import dolinsky_model_error, dolinsky_online
from bifilar.papers.claims import Reproduction
from bifilar.papers.dolinsky_closed_loop import machine
from bifilar.papers.dolinsky_consistency import AFTER, SIZE, consistency_part, surprises, touchdowns
from bifilar.papers.dolinsky_model_error import identified, model_of, model_walk, table_4_3, wrong
from bifilar.papers.dolinsky_online import figure_4_4, table_4_2
from bifilar.papers.dolinsky_online_parts import online_parts
from bifilar.papers.dolinsky_touchdown import WAYS, slope_error, slope_part, told, touchdown_part


def test_error_bars_hold_through_touchdowns_with_saltation_only():
    """30 walks: the mean of 30 chi-squares of 6 has a deviation of 0.63."""
    at = [k + AFTER for k in touchdowns()]
    mean = {
        name: np.mean([surprises(name, seed)[at] for seed in range(30)], axis=0)
        for name in ("EKF, saltation", "EKF, reset's Jacobian", "EKF, switch with a clock, guard measured")
    }
    assert np.abs(mean["EKF, saltation"] - SIZE).max() < 2.0
    assert np.abs(mean["EKF, switch with a clock, guard measured"] - SIZE).max() < 2.0
    assert (mean["EKF, reset's Jacobian"] > 3 * SIZE).all()


@pytest.mark.parametrize("name", list(WAYS)[:3])
def test_touchdowns_are_told_by_every_kind_of_sensor(name):
    walks = [told(name, seed) for seed in range(3)]
    assert all(walk.hit == walk.steps >= 6 and not walk.false for walk in walks)


@pytest.mark.parametrize("sensors", ["encoders", "imu"])
def test_a_slope_is_found(sensors):
    off, deviation, steps = slope_error(sensors, -2.0, 3)
    assert abs(off) < 1.0 and deviation < 1.0 and abs(steps) >= 5


def test_a_model_ten_percent_off_is_right_where_nothing_is_off(monkeypatch):
    monkeypatch.setattr(dolinsky_model_error, "SHARE", 0.0)
    for name in ("parts", "moment", "joint", "offset", "ways", "mass", "gravity"):
        ours, truth = (getattr(phases.planar[0], name) for phases in (wrong(1), machine().phases))
        assert ours == pytest.approx(truth, abs=1e-12)


def test_identification_gives_the_walk_back():
    """Six signs of 10 % make the walker fall; its own recording, identified, lets it walk."""
    theta = identified(0)
    assert np.abs(theta / machine().truth - 1).max() < 0.1
    assert model_of(theta).planar[0].mass == pytest.approx(machine().phases.planar[0].mass, rel=0.03)
    walks = {
        model: [model_walk("UKF", "encoders", model, (seed, theta)) for seed in range(3)]
        for model in ("10 % off", "identified")
    }
    assert sum(walk.through for walk in walks["identified"]) == 3
    assert sum(walk.through for walk in walks["10 % off"]) <= 1


def test_the_parts_say_what_was_asked(monkeypatch):
    """Tables with two runs per cell: every row, claim and drawing is there."""
    monkeypatch.setattr(dolinsky_model_error, "identified", lambda seed: machine().truth)
    monkeypatch.setattr(dolinsky_online, "KINDS", ("encoders", "imu"))
    monkeypatch.setattr(dolinsky_model_error, "KINDS", ("encoders",))
    parts = (
        table_4_2(2),
        figure_4_4(),
        table_4_3(2),
        consistency_part(4),
        touchdown_part(1, jobs=1),
        slope_part(1),
    )
    page = Reproduction("dolinsky2017", "thesis", "chapter 4", parts)
    assert len(parts[0].claims) == 5 and len(parts[0].table) == 10 and parts[0].claims[-1].good
    assert len(parts[1].plots) == 6
    assert all(claim.good for claim in parts[2].claims if claim.asked)
    assert page.page().html().count("<table") >= 6
    assert set(online_parts(3)) == {"Table 4.2", "Figure 4.4", "Table 4.3", "Error bars", "Touchdowns told", "Slope"}
