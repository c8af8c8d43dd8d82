"""Joukov et al., IROS 2015, at reduced size: fewer seeds than `bifilar reproduce joukov2015`, the same demands."""

from __future__ import annotations

import numpy as np
import pytest

from bifilar.papers import joukov_consistency, joukov_model_error, joukov_payload, joukov_real
from bifilar.papers.claims import Reproduction
from bifilar.papers.joukov2015 import figure1, long_run
from bifilar.papers.joukov_parts import torque_part, wrench_part


def met(part):
    missed = [claim for claim in part.claims if claim.good is False]
    assert not missed, missed
    return part


def test_figure_1():
    met(figure1(1))


def test_figures_3_and_4_and_table_1():
    met(torque_part(3))


def test_figure_5_and_both_measurements():
    met(wrench_part(2))


def test_figure_6():
    for seed in range(200, 202):
        case = joukov_payload.lift(seed)
        track = joukov_payload.follow(case)
        found = joukov_payload.judged(case, track)
        assert found.seen_after <= 0.2 and found.moved < 1e-3 and found.moments <= 0.15 and found.ramp < 0.1
        assert found.changes == 1
        heavier = track.tracker.with_payload()
        assert heavier.link("link7").inertia.mass - case.robot.link("link7").inertia.mass == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("kind", joukov_model_error.KINDS)
def test_figures_7_to_9(kind):
    found = joukov_model_error.study(0, kind, shown=2)
    if kind == "none":
        assert found.violations["negative"] >= 1
        return
    assert found.violations == {"negative": 0, "impossible": 0}
    assert all(after <= before for before, after in found.error.values())


def test_deviations_are_honest():
    errors = joukov_consistency.normalised_errors("ten", 200, motions=4)
    low, high = joukov_consistency.band(len(errors))
    assert low <= errors.mean() <= high
    for kind in ("sigmoid", "log"):
        assert joukov_consistency.normalised_errors(kind, 40, motions=2).mean() <= 12.0


def test_a_wide_prior_does_not_overflow():
    from bifilar.online.tuning import Tuning

    for kind in ("sigmoid", "log"):
        for tuning in (Tuning(), Tuning(iterations=10, exact=False)):
            assert np.isfinite(joukov_consistency.normalised_errors(kind, 10, motions=1, tuning=tuning)).all()


def test_real_data(dataset):
    dataset("panda_gaz")
    found = joukov_real.panda(shown=1)
    assert found.ratio <= 1.3 and found.impossible == 0
    assert found.filtered < 0.5 * found.described


def test_the_page_holds_everything():
    page = Reproduction("joukov2015", "who", "what", (figure1(1), long_run(2000))).page().html()
    assert "<svg" in page and "Published beside ours" in page
