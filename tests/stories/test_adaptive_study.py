"""An arm that learns while it moves: benchmarks/study_adaptive.py in small."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from study_adaptive import SENSIBLE, drawn, one, sensible, summary


def test_links_stay_possible_and_the_error_falls():
    seeds = [seed for seed in range(3000, 3100) if sensible(drawn(seed))][:1]
    eager = [seed for seed in range(3000, 3100) if drawn(seed)["rate"] > 8 * SENSIBLE[1]][:1]
    report = summary([one((seed, "natural")) for seed in (*seeds, *eager)])["natural"]
    assert report["physical"] == report["runs"] == 2 and report["ended early"] == 0
    assert report["of these the error fell"] == report["with a sensible rate"] == 1
