"""Two hundred clean recordings that should raise no alarm, and fourteen mistakes that should be called by their names.

    python benchmarks/study_checks.py --count 200 --jobs 2

Clean recordings (tests/clean_recordings.py): five virtual robots whose masses, friction and rotors the description does not
know, realistic sensors, drawn motions, with and without a velocity channel. Thresholds were chosen on even seeds; only odd
ones are counted here. Every twentieth of them is then spoilt in all ways of validate/mistakes_seeded.py, and so are the
recordings of panda_gaz and staubli_tx40 where BIFILAR_DATA has them. A mistake counts as named if its code is among the
alarms and no alarm is there that the clean recording does not raise. Prints one JSON; exit code 1 above 1 % false alarms or
below 12 of 14 names.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}  # one process per core
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from clean_recordings import clean, panda_gaz, staubli_tx40

from bifilar.recording.check import check
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot
from bifilar.validate.mistakes_seeded import MISTAKES, NAMES, spoilt

DURATION = 5.0  # [s]
EVERY = 20  # how many clean recordings for one that is spoilt


def one(number: int) -> dict[str, Any]:
    """One clean recording, checked; and spoilt, if its turn has come."""
    seed = 2 * number + 1
    recording, robot = clean(seed, duration=DURATION)
    began = time.perf_counter()
    alarms = check(recording, robot).alarms
    result = {
        "seed": seed,
        "robot": robot.name,
        "seconds": time.perf_counter() - began,
        "alarms": [str(alarm) for alarm in alarms],
    }
    return result | ({"named": named(recording, robot, seed)} if number % EVERY == 0 else {})


def named(recording: Recording, robot: Robot, seed: int) -> dict[str, str]:
    """For every mistake: "named", or what was said instead."""
    usual = set(check(recording, robot).alarms.codes)
    found = {}
    for mistake in MISTAKES:
        codes = set(check(spoilt(recording, mistake, seed), robot).alarms.codes)
        other = codes - usual - {NAMES[mistake]}
        right = NAMES[mistake] in codes and not other
        found[mistake] = "named" if right else f"{'also' if NAMES[mistake] in codes else 'instead'} {', '.join(sorted(other))}"
    return found


def real(seeds: range) -> dict[str, list[dict[str, str]]]:
    """The same for recordings of machines, where they are at hand."""
    folder = os.environ.get("BIFILAR_DATA", "")
    sets = {"panda_gaz": panda_gaz, "staubli_tx40": staubli_tx40}
    return {
        name: [named(*load(Path(folder, name)), seed) for seed in seeds]
        for name, load in sets.items()
        if folder and Path(folder, name).exists()
    }


def main() -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="clean recordings")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    options = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        results = list(pool.imap_unordered(one, range(options.count)))
    false = [result for result in results if result["alarms"]]
    spoils = [result["named"] for result in results if "named" in result]
    machines = real(range(1001, 1004))
    lists = {"virtual robots": spoils} | machines
    score = {
        name: {mistake: f"{sum(row[mistake] == 'named' for row in rows)} of {len(rows)}" for mistake in MISTAKES}
        for name, rows in lists.items()
    }
    wrong = Counter((name, m, row[m]) for name, rows in lists.items() for row in rows for m in MISTAKES if row[m] != "named")
    share = {name: sum(row[m] == "named" for row in rows for m in MISTAKES) / max(1, len(rows)) for name, rows in lists.items()}
    report = {
        "clean": len(results),
        "false_alarms": len(false),
        "false": false,
        "seconds_per_check": sum(result["seconds"] for result in results) / max(1, len(results)),
        "named": score,
        "named_of_14": share,
        "not_named": [{"recording": n, "mistake": m, "said": said, "times": k} for (n, m, said), k in wrong.items()],
    }
    print(json.dumps(report, indent=2))
    return int(len(false) > 0.01 * len(results) or any(value < 12 for value in share.values()))


if __name__ == "__main__":
    sys.exit(main())
