"""A thousand designed motions, a thousand bad ones: the independent checker finds nothing, the certificate lets nothing pass.

    python benchmarks/study_design.py --count 1000 --jobs 2

Problems are numbered (tests/design_problems.py): ten robots of the library with durations, harmonics, margins, heights, boxes,
tool speeds, torques and distances mixed. Each motion is sampled at 10 kHz by tests/motion_checker.py, which shares no code with
the library; from each a bad one is made (tests/bad_motions.py) which must be refused. A design may be refused too, in a letter
that says why: then the next number is taken. Prints one JSON; exit code 1 if a limit was broken, a bad motion certified, or
anything but a letter escaped.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}  # one process per core
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from bad_motions import KINDS, Good, bad_motion
from design_problems import ROBOTS, problem
from motion_checker import broken, violations

import bifilar as bf
from bifilar.errors import BifilarError


def one(number: int) -> dict[str, Any]:
    """Design, check, spoil, try to certify: what came of it."""
    try:
        return designed(number)
    except BifilarError as letter:
        return {"number": number, "robot": ROBOTS[number % len(ROBOTS)], "refused": letter.what}
    except Exception:
        return {"number": number, "robot": ROBOTS[number % len(ROBOTS)], "crash": traceback.format_exc(limit=-4)}


def designed(number: int) -> dict[str, Any]:
    """Of one number."""
    name, robot, settings, constraints = problem(number)
    times = [time.perf_counter()]
    design = bf.design(robot, constraints=constraints, **settings)
    times.append(time.perf_counter())
    certified = uncertified(design)
    times.append(time.perf_counter())
    watched = (*constraints, bf.TorqueWithin()) if settings["torque"] else constraints
    found = violations(robot, design.motion, watched, margin=settings["margin"])
    slow = {} if certified else violations(robot, design.motion.slowed(10.0), watched, rate=10.0)  # the lowest rung
    times.append(time.perf_counter())
    result = {
        "number": number,
        "robot": name,
        **dict(zip(("design_s", "certify_s", "check_s"), np.diff(times).tolist())),
        "constraints": [type(constraint).__name__ for constraint in watched],
        "least_room": -max(found.values()),
        "broken": broken(found) | {f"10 % speed, {what}": excess for what, excess in broken(slow).items()},
        "uncertified": certified,
    }
    return result | {"bad": spoiled(number, Good(robot, design.motion, constraints, settings["torque"], design))}


def uncertified(design: Any) -> str:
    """Why a design has no certificate for all its speeds; nothing if it has."""
    try:
        return "" if len(design.certificate.runs) >= 4 else "a speed is missing"
    except BifilarError as letter:
        return str(letter)


def spoiled(number: int, good: Good) -> dict[str, Any]:
    """A bad motion of the next kind that this one can be made into, and what the certificate said to it."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in range(len(KINDS)):
            bad = bad_motion(number // len(ROBOTS) + kind, good, Path(folder, str(kind)), seed=number)
            if bad is None or not bad.is_bad():
                continue
            try:
                bad.attempt()
            except BifilarError as letter:
                return {"kind": bad.kind, "certified": False, "letter": letter.what}
            return {"kind": bad.kind, "certified": True}
    return {"kind": "none", "certified": False}


def summary(results: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """What the study shows."""
    done = [result for result in results if "broken" in result]
    bad = [result["bad"] for result in done if result["bad"]["kind"] != "none"]
    refused = Counter(f"{result['robot']}: {result['refused']}" for result in results if "refused" in result)
    times = {name: np.array([result[name] for result in done] or [0.0]) for name in ("design_s", "certify_s", "check_s")}
    return {
        "designed": len(done),
        "robots": dict(Counter(result["robot"] for result in done)),
        "constraints": dict(Counter(name for result in done for name in result["constraints"])),
        "violations": [{key: result[key] for key in ("number", "robot", "broken")} for result in done if result["broken"]],
        "uncertified": [
            {key: result[key] for key in ("number", "robot", "uncertified")} for result in done if result["uncertified"]
        ],
        "least_room": min((result["least_room"] for result in done), default=None),
        "bad": len(bad),
        "bad_kinds": dict(Counter(one["kind"] for one in bad)),
        "bad_certified": [
            result["bad"] | {"number": result["number"], "robot": result["robot"]}
            for result in done
            if result["bad"]["certified"]
        ],
        "letters": {one["kind"]: one["letter"] for one in bad if not one["certified"]},
        "refused": len(results) - len(done) - sum("crash" in result for result in results),
        "refused_most": dict(refused.most_common(10)),
        "crashes": [result for result in results if "crash" in result],
        "median_s": {name: round(float(np.median(values)), 3) for name, values in times.items()},
        "largest_s": {name: round(float(values.max()), 3) for name, values in times.items()},
        "seconds": round(seconds, 1),
    }


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="designed motions, and bad ones")
    parser.add_argument("--first", type=int, default=0, help="number of the first problem")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    asked = parser.parse_args()
    begin, results, good = time.perf_counter(), [], 0
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        numbers = itertools.islice(itertools.count(asked.first), 4 * asked.count + 20)
        for result in pool.imap_unordered(one, numbers):
            results.append(result)
            good += result.get("bad", {"kind": "none"})["kind"] != "none"
            print(f"\r{good} of {asked.count}", end="", file=sys.stderr, flush=True)
            if good >= asked.count:
                pool.terminate()
                break
    print(file=sys.stderr)
    found = summary(results, time.perf_counter() - begin)
    print(json.dumps(found, indent=2))
    return int(
        bool(found["violations"] or found["bad_certified"] or found["uncertified"] or found["crashes"]) or good < asked.count
    )


if __name__ == "__main__":
    sys.exit(main())
