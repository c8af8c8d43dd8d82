"""The demo's claims, with other machines, motions and noises than those of its own seed.

    python benchmarks/study_demo.py --count 20

Of every seed: the error of the wrong description and of the identified robot on another motion, and whether every mass that is
called identified is within its 99.9 % interval (3.29 deviations) of the truth. Masses that are not called identified are told
beside it: their intervals are said to mean little, and nothing is claimed about them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from bifilar.cli.demo_story import SURE, story

FIFTH = 0.2


def one(seed: int, duration: float = 10.0, unlike: float = 0.3) -> dict[str, Any]:
    """What a demo with this seed says."""
    with tempfile.TemporaryDirectory() as home:
        told = story(Path(home) / "demo", duration, unlike, lambda line: None, seed)
    rows = told.masses()
    worst = max((abs(value - true) / deviation for _, _, true, value, deviation, known, _ in rows if known), default=0.0)
    return {
        "seed": seed,
        "description": told.before,
        "identified": told.after,
        "verdict": told.done.verdict.level,
        "masses_identified": sum(row[5] for row in rows),
        "worst_of_them": worst,  # in deviations
        "others_inside": sum(row[6] for row in rows if not row[5]),
        "others": sum(not row[5] for row in rows),
    }


def main() -> int:
    """Run the demos, print a line each, and whether the claims held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    asked = parser.parse_args()
    rows = []
    for seed in range(asked.first, asked.first + asked.count):
        rows.append(one(seed))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    bad = [r["seed"] for r in rows if r["identified"] > FIFTH * r["description"]]
    outside = [r["seed"] for r in rows if r["worst_of_them"] > SURE]
    said = {
        "count": len(rows),
        "largest_share_of_the_description": max(r["identified"] / r["description"] for r in rows),
        "seeds_above_a_fifth": bad,
        "masses_called_identified": sum(r["masses_identified"] for r in rows),
        "seeds_with_one_outside": outside,
        "worst_in_deviations": max(r["worst_of_them"] for r in rows),
        "others_inside": f"{sum(r['others_inside'] for r in rows)} of {sum(r['others'] for r in rows)}",
    }
    print(json.dumps(said, indent=1))
    return 1 if bad or outside else 0


if __name__ == "__main__":
    sys.exit(main())
