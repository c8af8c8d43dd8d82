"""Adaptive control of a virtual LWR whose model is wrong: do the estimates stay bodies that exist, does the error fall?

    python benchmarks/study_adaptive.py --count 100 --jobs 2

Every run draws a model (links off by 30 %, friction by half to twice), a periodic motion, and how eager the law is (rates from
0.2 to 50 per joule, ten times what is sensible at the upper end). Positions come from encoders, velocities from their
filtered differences, drives lag by 2 ms, and in every second run a joint is pushed. Looked at after every tick: whether every
link can exist and no friction drives. The error of the last period is compared with that of the first. In every tenth run the
same is done with the metric frozen at the start; nothing is demanded of it.

Prints one JSON; exit code 1 unless all natural runs stay physical, and the error of those with a sensible rate (1 to 5 per
joule) falls in nine of ten and by a third in the median.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}  # one process per core

import numpy as np

import bifilar as bf
from bifilar.papers.bargsten2013 import arm

PERIOD, ROUNDS, STEP = 2.0, 3, 5e-3  # [s] of the motion, how often, [s] of the controller
OMEGA, LAG, NOISE = 15.0, 2e-3, 1e-5
SENSIBLE = 1.0, 5.0  # [1/J] rates between which the error must fall; slower ones hardly learn in the time of a run
FALLS, MOST = 0.9, 2 / 3


class Watched:
    """A law whose estimates are looked at after every tick."""

    def __init__(self, law: bf.AdaptiveControl) -> None:
        self._law, self.check = law, law.check
        self.physical: list[bool] = []

    def torque(self, state: bf.State, reference: bf.Goal, time: float) -> np.ndarray:
        tau = self._law.torque(state, reference, time)
        self.physical.append(self._law.is_physical)
        return tau


def drawn(seed: int) -> dict[str, Any]:
    """Model, motion, rate and push of a run."""
    rng, robot = np.random.default_rng(seed), arm()
    factors = np.exp(rng.uniform(-np.log(2), np.log(2), len(robot.drive_values)))
    model = bf.wrong_by(robot, 0.3, seed=seed)
    model = model.with_parameters(dict(zip(robot.drive_columns.names, factors * robot.drive_values, strict=True)))
    middle = np.array([0.0, 0.5, 0.0, -1.3, 0.0, 0.9, 0.0]) + rng.uniform(-0.3, 0.3, 7)
    places = middle + rng.uniform(-0.5, 0.5, (3, 7))
    times = np.linspace(0, PERIOD * ROUNDS, 3 * ROUNDS + 1)
    motion = bf.quintic(robot.joint_names, np.vstack([*[places] * ROUNDS, places[:1]]), times)
    start = float(rng.uniform(0.5, PERIOD * (ROUNDS - 1) - 0.5))
    joint = int(rng.integers(7))
    size = 0.2 * OMEGA**2 * robot.mass_matrix(middle)[joint, joint]  # holds a joint 0.2 rad away
    push = bf.JointPush(joint=robot.joint_names[joint], torque=float(size), start=start, stop=start + 0.3)
    rate = float(np.exp(rng.uniform(np.log(0.2), np.log(50.0))))
    return {"robot": robot, "model": model, "motion": motion, "rate": rate, "pushes": (push,) if seed % 2 else ()}


def one(task: tuple[int, str]) -> dict[str, Any]:
    """One run."""
    seed, metric = task
    it = drawn(seed)
    law = Watched(bf.AdaptiveControl(it["model"], omega=OMEGA, rate=it["rate"], metric=metric))  # type: ignore[arg-type]
    found = {"seed": seed, "metric": metric, "rate": it["rate"], "pushed": bool(it["pushes"])}
    try:
        run = bf.run_loop(
            it["robot"], law, it["motion"], period=STEP, torque_lag=LAG, pushes=it["pushes"], seed=seed,
            velocity=bf.FilteredDifferences(cutoff=300.0), sensors=bf.Sensors(position_noise=NOISE),
        )  # fmt: skip
    except bf.BifilarError as error:
        return found | {"physical": all(law.physical), "ended": str(error).split("\n")[0], "first": None, "last": None}
    ticks = round(PERIOD / STEP)
    first, last = (float(np.sqrt(np.mean(part**2))) for part in (run.error[:ticks], run.error[-ticks:]))
    return found | {"physical": all(law.physical), "ended": None, "first": first, "last": last}


def sensible(run: dict[str, Any]) -> bool:
    """Whether a law is neither asleep nor far too eager."""
    return SENSIBLE[0] <= run["rate"] <= SENSIBLE[1]


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts, and how the error changed."""
    answer: dict[str, Any] = {}
    for metric in ("natural", "fixed"):
        mine = [run for run in runs if run["metric"] == metric]
        ratios = [run["last"] / run["first"] for run in mine if sensible(run) and run["last"] is not None]
        answer[metric] = {
            "runs": len(mine),
            "physical": sum(run["physical"] for run in mine),
            "ended early": sum(run["ended"] is not None for run in mine),
            "with a sensible rate": sum(map(sensible, mine)),
            "of these the error fell": sum(ratio < 1 for ratio in ratios),
            "last over first, median": float(np.median(ratios)) if ratios else None,
            "last over first, worst": max(ratios, default=None),
        }
    return answer


def good(report: dict[str, Any]) -> bool:
    """Whether the demands are met."""
    mine = report["natural"]
    falls = mine["of these the error fell"] >= FALLS * mine["with a sensible rate"]
    return mine["physical"] == mine["runs"] and falls and mine["last over first, median"] <= MOST


def main() -> None:
    """Run, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--runs", action="store_true", help="print every run, too")
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.count)
    tasks = [(seed, "natural") for seed in seeds] + [(seed, "fixed") for seed in seeds if seed % 10 == 0]
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        runs = pool.map(one, tasks, chunksize=1)
    report = summary(runs)
    print(json.dumps(report | ({"every": runs} if asked.runs else {}), indent=1))
    sys.exit(not good(report))


if __name__ == "__main__":
    main()
