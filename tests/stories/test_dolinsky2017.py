"""Chapter 3 of Dolinsky 2017 at reduced size; the whole: bifilar reproduce dolinsky2017, a thousand runs with --full."""

from __future__ import annotations

import numpy as np

from bifilar.papers.claims import Part, Reproduction
from bifilar.papers.dolinsky_gait import appendix_part, gait_part
from bifilar.papers.dolinsky_leg_part import leg_figures
from bifilar.papers.dolinsky_offline import CELLS, distance_part, table_3_3
from bifilar.papers.many_runs import many_runs


def met(part: Part) -> None:
    assert [claim.what for claim in part.claims if claim.good is False] == []


def test_gait_and_appendix() -> None:
    met(gait_part())
    met(appendix_part())
    assert len(appendix_part(1).table) == 7


def test_table_3_3_small() -> None:
    told: list[tuple[str, float]] = []
    part = table_3_3(3, jobs=1, tell=lambda words, share: told.append((words, share)))
    claims = {claim.what: claim for claim in part.claims}
    assert claims["ML, simulations lost in cases 1 to 3"].good and claims["ML over WLS, worst case"].good
    assert claims["ML over WLS, case 4"].good
    assert abs(sum(share for _, share in told) - len(CELLS)) < 1e-9  # the bar arrives
    assert len(part.table) == 1 + 6 * len(CELLS) and np.isfinite(part.numbers["ML"]["case 1"]).all()
    met(distance_part(3, jobs=1))


def test_figures_and_page() -> None:
    part = leg_figures()
    assert len(part.plots) == 9
    pivot = next(plot for plot in part.plots if plot.title == "Figure 3.4 (b), pivot")
    torque = {line.name: np.sqrt(np.mean(np.square(line.y))) for line in pivot.lines}
    assert torque["ML"] < torque["WLS-Hall"] and torque["measured"] == 0.0  # nothing drives the pivot
    page = Reproduction("dolinsky2017", "", "", (part, gait_part())).page().html()
    assert page.count("<svg") == 11


def test_many_runs_keep_their_order() -> None:
    assert many_runs(abs, range(-20, 0), jobs=2) == list(range(20, 0, -1))
