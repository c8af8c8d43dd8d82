"""Wang et al. 2018 at reduced size: the printed tables in full, two legs instead of the twenty of `bifilar reproduce`."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from bifilar.estimate.repetitions import spread_of
from bifilar.papers.wang_leg import Machine, circle
from bifilar.papers.wang_study import interval, study
from bifilar.papers.wang_tables import ERRORS, EXACT, TABLE_1, implied_torque, spread_interval, table_1


@pytest.mark.parametrize("name", TABLE_1)
def test_spreads_of_table_1(name):
    """By Python's own statistics: the population's deviation over the size of the mean."""
    values, _, printed = TABLE_1[name]
    expected = 100 * statistics.pstdev(values) / abs(statistics.fmean(values))
    assert float(spread_of(np.array(values)[:, None])[1][0]) == pytest.approx(expected, rel=1e-12)
    if name in EXACT:
        assert f"{expected:.4g}" == f"{printed:.4g}"
    low, high = spread_interval(values)
    assert low <= printed <= high
    rng = np.random.default_rng(0)  # any numbers that print as these have a spread inside
    for _ in range(200):
        draw = np.array(values) + rng.uniform(-0.5e-4, 0.5e-4, len(values))
        assert low - 1e-9 <= 100 * statistics.pstdev(draw) / abs(statistics.fmean(draw)) <= high + 1e-9


def test_tables_2_and_3_imply_their_torque():
    implied = {name: np.hypot(hip, knee) / np.sqrt(2) / (share / 100) for name, (hip, knee, share) in ERRORS.items()}
    assert [f"{x:.1f}" for x in implied.values()] == ["31.4", "21.3", "21.3", "21.3"]
    assert all(claim.good for part in (table_1(), implied_torque()) for claim in part.claims)


def test_the_recipe_is_the_papers():
    """12 periods every 30 ms, the first and the last left out; speeds are central differences of what was read."""
    motion, machine = circle(0), Machine(noise=0.0, encoder=0.0)
    samples = machine.play(motion, seed=0)
    assert np.diff(samples.time) == pytest.approx(0.03, rel=1e-4)
    assert samples.time[-1] - samples.time[0] == pytest.approx(10 * motion.duration, abs=0.1)
    state = motion.at(np.mod(samples.time, motion.duration))
    sine = np.sinc(0.03 / motion.duration * 2)  # what a central difference leaves of a sine
    np.testing.assert_allclose(samples.velocity, sine * state.velocity, rtol=0, atol=1e-4 * np.abs(state.velocity).max())


def test_two_legs():
    part, trials = study(2, first=300)
    for one in trials:
        assert one.falls and [step.size for step in one.ladder.steps] == list(range(12, 4, -1))
        held = [step.held_noise for step in one.ladder.steps]
        assert one.ladder.chosen == int(np.argmin(held)) and one.ratio == one.tested[one.ladder.chosen] / one.tested[0]
    assert "wins" in " ".join(part.words) and len(part.numbers["ratios"]) == 2


def test_an_interval_of_a_rate_holds_it():
    for wins in range(21):
        low, high = interval(wins, 20)
        assert 0 <= low <= wins / 20 <= high + 1e-12 <= 1 + 1e-12
