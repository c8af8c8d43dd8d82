"""Mistakes seeded into recordings of real machines: does the fit, or its verdict, call them by their names?

    python benchmarks/study_mistakes.py [--sets two_link ...] [--seed 7]

Every mistake of validate/mistakes_seeded.py is made in a recording; 70 % of it are fitted, the rest judged. "named" if the
mistake is among the likely ones that notes or verdict tell, "harmless" if the verdict is as good as without the mistake (or
error and status hardly moved), "missed" otherwise; "false" if the clean recording is called names. Prints one JSON; exit code 1
if anything was missed or false.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import bifilar as bf
from bifilar.validate.holdout import held_out
from bifilar.validate.mistakes_seeded import MISTAKES, NAMES, spoilt
from bifilar.validate.verdict import judge

SETS = {"two_link": "norm", "ur10e_mamedov": "ur-20_02_12-50sec_12harm", "panda_gaz": None, "kuka_lwr4": "1"}
SHARE = 0.7
WORDS = {  # by which findings are known in a sentence
    "rate": "times the true one",
    "unit": "times the model's torque",
    "sign": "opposite sign",
    "sign_all": "opposite sign in every joint",
    "order": "in another order",
    "degrees": "rad",
    "wrap": "turn",
    "saturation": "stays at its",
    "dropped": "missing",
    "delay": "the motion that goes with it",
    "nan": "not numbers",
    "duplicate": "stamps",
    "dead": "is 0 throughout",
}
BEST_FIRST = ("good", "usable", "poor", "refused")


def judged(robot: bf.Robot, recording: bf.Recording) -> dict[str, Any]:
    """Fit the first part, judge on the rest: level, error and sentences about mistakes."""
    border = recording.time[0] + SHARE * (recording.time[-1] - recording.time[0])
    estimate = bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, recording.part(None, border))
    validation = held_out(estimate, recording.part(border, None), described=robot)
    verdict = judge(estimate, validation)
    lines = [line for line in (*estimate.notes, *verdict.reasons) if line.startswith("likely mistake")]
    return {"level": verdict.level, "error": validation.relative, "status": estimate.status.code, "told": lines}


def line(robot: bf.Robot, recording: bf.Recording, mistake: str, clean: dict[str, Any], seed: int) -> str:
    """What became of one mistake."""
    found = judged(robot, spoilt(recording, mistake, seed))
    if any(WORDS[NAMES[mistake]] in text for text in found["told"]):
        return "named"
    same = BEST_FIRST.index(found["level"]) <= BEST_FIRST.index(clean["level"])
    if same or (found["error"] <= 1.2 * clean["error"] and found["status"] == clean["status"]):
        return "harmless"
    return f"missed ({found['level']}, {100 * found['error']:.3g} %)"


def main() -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    table: dict[str, dict[str, str]] = {}
    for name in asked.sets:
        robot = bf.datasets.robot(name)
        recording = bf.datasets.load(name, SETS[name]) if SETS[name] else bf.datasets.load(name)
        clean = judged(robot, recording)
        table[name] = {
            "none": f"false: {clean['told']}" if clean["told"] else f"{clean['level']}, {100 * clean['error']:.3g} %"
        }
        table[name] |= {mistake: line(robot, recording, mistake, clean, asked.seed) for mistake in MISTAKES}
    ends = Counter(text.split(" ")[0] for row in table.values() for mistake, text in row.items() if mistake != "none")
    print(json.dumps({"sets": table, "ends": ends}, indent=1))
    return int(bool(ends["missed"]) or any(row["none"].startswith("false") for row in table.values()))


if __name__ == "__main__":
    sys.exit(main())
