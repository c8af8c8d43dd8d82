"""Two joints in closed loop, the encoder's noise in the loop: what each method makes of the same recordings.

    python benchmarks/study_closed_loop.py --count 40 --jobs 2                eight base parameters (viscous friction)
    python benchmarks/study_closed_loop.py --count 40 --jobs 2 --coulomb      ten

The arm (tests/closed_loop_arm.py): vertical, MuJoCo plant, PD with gravity at the reference, 10 s at 1 kHz, encoder noise
1e-3 rad in loop and log, torque noise 0.05 N m. Positions and torques through 20 Hz, one row per 25 samples, the same rows for
all methods. Errors are means over runs and parameters of |value / truth - 1|; no run is left out. Then the controller's gains
are stated 20 % too high and too low, and starts are drawn that are no machine (half with negative inertia, some not finite,
some enormous). Prints one JSON; exit code 1 unless direct inverse <= 0.2 %, instrumental variables <= 1.0 % and
unchanged by wrong gains, every wrong gain flagged and no right one, no start that ends in a value that is not finite.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}  # one process per core
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from closed_loop_arm import arm, controller, motion, recorded, truth

import bifilar as bf
from bifilar.estimate.direct_inverse import DirectInverse
from bifilar.estimate.instrumental import InstrumentalVariables
from bifilar.estimate.loop_settings import loop_problem

RECIPE = bf.Recipe(cutoff=20.0)
GAINS = (1.0, 1.2, 0.8)  # of the stated controller, in those of the true one
METHODS = {"instrumental variables": InstrumentalVariables, "direct inverse": DirectInverse}


def one(seed: int, *, coulomb: bool = False, duration: float = 10.0) -> dict[str, Any]:
    """One recording, all methods: relative errors, statuses, seconds."""
    robot = arm(coulomb)
    true, recording = truth(robot), recorded(seed, robot, duration=duration)
    began = time.perf_counter()
    plain = bf.LeastSquares().fit(robot, recording, recipe=RECIPE)
    result: dict[str, Any] = {"least squares": entry(plain, true, began)}
    for gain in GAINS:
        told = controller(robot, gain=gain, duration=duration)
        for name, method in METHODS.items():
            began = time.perf_counter()
            found = method(controller=told, reference=motion(duration)).fit(robot, recording, recipe=RECIPE)
            result[name if gain == 1.0 else f"{name}, gains x {gain:g}"] = entry(found, true, began)
    return result


def entry(found: bf.BaseEstimate, true: np.ndarray, began: float) -> dict[str, Any]:
    """What is kept of an estimate."""
    low, high = found.interval(0.95)
    inside = (low < true) & (true < high)
    return {
        "errors": (found.values / true - 1).tolist(),
        "covered": float(inside.mean()),
        "status": found.status.code,
        "seconds": time.perf_counter() - began,
    }


def starts(seed: int, count: int, *, coulomb: bool = False, duration: float = 10.0) -> Counter[str]:
    """How fits of one recording from starts that are no machine end, methods by turns."""
    robot = arm(coulomb)
    true, told = truth(robot), controller(robot, duration=duration)
    settings = {"controller": told, "reference": motion(duration)}
    problem, references = loop_problem(
        InstrumentalVariables(**settings), robot, recorded(seed, robot, duration=duration), recipe=RECIPE
    )
    ends: Counter[str] = Counter()
    for number, start in zip(range(count), drawn_starts(true, seed)):
        method = list(METHODS.values())[number % 2]
        found = method(**settings, start=start).solve(problem, references)
        finite = np.isfinite(found.values).all() and np.isfinite(found.covariance).all()
        near = np.abs(found.values / true - 1).mean() < 0.02
        ends[f"{found.status.code}, {'finite' if finite else 'NOT FINITE'}, {'near the truth' if near else 'elsewhere'}"] += 1
    return ends


def drawn_starts(true: np.ndarray, seed: int = 0):
    """Base values that no machine has: signs and sizes at random, inertias negative in half, some enormous, some not finite."""
    rng = np.random.default_rng(seed)
    number = 0
    while True:
        start = true * rng.normal(0.0, 3.0, len(true))
        if number % 2:
            start[[2, 5]] = -np.abs(start[[2, 5]])
        if number % 25 == 3:
            start = start * 1e8
        if number % 25 == 4:
            start[rng.integers(len(true))] = [np.nan, np.inf, -np.inf][number // 25 % 3]
        number += 1
        yield start


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Per method: mean absolute error, bias and spread per parameter [%], statuses, coverage, seconds."""
    table = {}
    for name in runs[0]:
        errors = 100 * np.array([run[name]["errors"] for run in runs])
        table[name] = {
            "mean absolute error %": round(float(np.abs(errors).mean()), 4),
            "bias %": errors.mean(axis=0).round(3).tolist(),
            "spread %": errors.std(axis=0).round(3).tolist(),
            "covered at 95 %": round(float(np.mean([run[name]["covered"] for run in runs])), 3),
            "statuses": dict(Counter(run[name]["status"] for run in runs)),
            "median seconds": round(float(np.median([run[name]["seconds"] for run in runs])), 3),
        }
    return table


def demands(table: dict[str, Any], ends: Counter[str], coulomb: bool) -> dict[str, bool]:
    """What was asked for; of eight parameters."""
    error = {name: row["mean absolute error %"] for name, row in table.items()}
    flagged = {name: row["statuses"].get("doubtful", 0) / sum(row["statuses"].values()) for name, row in table.items()}
    wrong = [f"direct inverse, gains x {gain:g}" for gain in GAINS[1:]]
    same = [error[f"instrumental variables, gains x {gain:g}"] for gain in GAINS[1:]]
    found = {
        "instrumental variables <= 1.0 %": error["instrumental variables"] <= 1.0,
        "instrumental variables unchanged by wrong gains": max(same) <= 1.1 * error["instrumental variables"],
        "direct inverse flagged at every wrong gain": all(flagged[name] == 1.0 for name in wrong),
        "direct inverse flagged at no right gain": flagged["direct inverse"] == 0.0,
        "no start ends in a value that is not finite": not any("NOT" in end for end in ends),
    }
    return found if coulomb else found | {"direct inverse <= 0.2 %": error["direct inverse"] <= 0.2}


def study_arguments(words: str) -> argparse.ArgumentParser:
    """What every study of this arm is asked on the command line."""
    parser = argparse.ArgumentParser(description=words.splitlines()[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--coulomb", action="store_true")
    return parser


@contextmanager
def drawn_runs(one: Callable[..., dict[str, Any]], asked: argparse.Namespace) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """All runs of a study and the processes that made them, for more work."""
    one(10_000, coulomb=asked.coulomb, duration=2.0)  # compiles what has to be compiled, once
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        yield pool, pool.map(partial(one, coulomb=asked.coulomb), range(asked.count), chunksize=1)


def report(asked: argparse.Namespace, runs: list[dict[str, Any]], **more: Any) -> None:
    """Print one JSON."""
    names = list(bf.base_parameters(arm(asked.coulomb)).independent)
    print(json.dumps({"parameters": names, "runs": asked.count, "methods": summary(runs)} | more, indent=1))


def main() -> int:
    """The whole study."""
    parser = study_arguments(__doc__ or "")
    parser.add_argument("--starts", type=int, default=500)
    asked = parser.parse_args()
    with drawn_runs(one, asked) as (pool, runs):
        shares = [asked.starts // asked.jobs + (k < asked.starts % asked.jobs) for k in range(asked.jobs)]
        ends = sum(pool.starmap(partial(starts, coulomb=asked.coulomb), enumerate(shares)), Counter())
    met = demands(summary(runs), ends, asked.coulomb)
    report(asked, runs, starts=ends, demands=met)
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
