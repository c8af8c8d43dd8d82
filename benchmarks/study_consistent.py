"""Ten thousand random problems, two solvers that share no code: does every link exist, and do the costs agree?

    python benchmarks/study_consistent.py --count 10000 --jobs 2

Problems are those of tests/physical_problems.py. Counted for each kind: answers whose pseudo-inertias are not all positive
definite, answers that Newton's method or Clarabel do not call solved, costs that differ by more than 1e-6 of the cost, and the
largest difference. Newton's method also bounds what is left to gain (the dual value), which decides between the two where they
differ. Without a prior (plain inequality) Newton's method is not meant to be used; there only answers that both call solved are
compared, and a lower cost of Newton's that its dual value proves is no fault (8999: Clarabel's cost is about 1e-6 above one
that Newton's method reaches within all conditions, and falls a little with every further pass that it calls solved).
With a prior every difference is a fault, but for answers that Clarabel itself calls unsolved beside one of Newton's that is
proven. Prints one JSON; exit code 1 if a link could not exist, or for a fault.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}  # one process per core
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from physical_problems import kind_of, problem

from bifilar.estimate.bodies import margins
from bifilar.estimate.lmi import clarabel_solution
from bifilar.estimate.log_det import newton

AGREE = 1e-6  # of the cost


def one(number: int) -> dict[str, Any]:
    """One problem, solved twice."""
    stated = problem(number)
    began = time.process_time()
    ours = newton(stated)
    middle = time.process_time()
    theirs = clarabel_solution(stated)
    end = time.process_time()
    ten = ours.values[: 10 * stated.bodies].reshape(-1, 10)
    difference = (theirs.cost - ours.cost) / max(abs(ours.cost), 1e-300)
    return {
        "number": number,
        "kind": kind_of(number),
        "exist": bool(np.all(margins(ten) > 0)),
        "ours": ours.outcome,
        "theirs": theirs.outcome,
        "difference": float(difference) if np.isfinite(difference) else np.inf,
        "gap": float(ours.gap / max(abs(ours.cost), 1e-300)),
        "seconds": (middle - began, end - middle),
    }


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts by kind."""
    by_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in found:
        by_kind[each["kind"]].append(each)
    return {kind: counted(each) for kind, each in by_kind.items()} | {"all": counted(found)}


def counted(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts of some results; a problem that both call infeasible is agreed on."""
    open_ = [each for each in found if not (each["ours"] == each["theirs"] == "infeasible")]
    disagree = [each for each in open_ if abs(each["difference"]) > AGREE]
    certified = [each for each in disagree if each["gap"] <= AGREE]
    return {
        "problems": len(found),
        "could not exist": sum(not each["exist"] for each in found),
        "Newton unsolved": sum(each["ours"] != "solved" for each in open_),
        "Clarabel unsolved": sum(each["theirs"] != "solved" for each in open_),
        "costs disagree": len(disagree),
        "of these, Newton's certified": len(certified),
        "both solved, costs disagree": sum(each["ours"] == each["theirs"] == "solved" for each in disagree),
        "of these, not certified": sum(
            each["ours"] == each["theirs"] == "solved" and not each["gap"] <= AGREE for each in disagree
        ),
        "without proof, or Clarabel's solved": sum(not (e["gap"] <= AGREE and e["theirs"] != "solved") for e in disagree),
        "Newton's higher": sum(each["difference"] < -AGREE for each in open_),
        "both infeasible": len(found) - len(open_),
        "largest difference": max((abs(each["difference"]) for each in open_), default=0.0),
        "median ms": [round(1e3 * float(np.median([each["seconds"][k] for each in found])), 2) for k in (0, 1)],
        "numbers": [each["number"] for each in disagree][:10],
    }


def main() -> int:
    """Runs the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--numbers", type=int, nargs="*", help="these problems only")
    asked = parser.parse_args()
    numbers = asked.numbers or range(asked.first, asked.first + asked.count)
    with multiprocessing.Pool(asked.jobs) as pool:
        found = list(pool.imap_unordered(one, numbers, chunksize=20))
    table = summary(found)
    print(json.dumps(table, indent=1))
    kinds = [kind for kind in table if kind not in ("all", "plain inequality")]
    weighted = [table[kind]["without proof, or Clarabel's solved"] for kind in kinds]
    wrong = sum(weighted) + table["all"]["of these, not certified"]
    return int(table["all"]["could not exist"] > 0 or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
