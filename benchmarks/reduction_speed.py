"""Reduction of a 7-joint arm to its 43 base columns: time per sample on one thread, and memory for ten million samples."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
from peak_memory import peak_megabytes
from regressor_speed import SAMPLES, medians, one_thread, states

import bifilar as bf

MILLION = 1_000_000


def speed() -> dict[str, float]:
    """Microseconds per sample, regressor included."""
    robot = bf.Robot.load("panda")
    base = bf.base_parameters(robot).independent
    q, v, a = states(7, SAMPLES)
    torque = robot.inverse_dynamics(q, v, a)
    run = lambda: bf.reduce(robot, (q, v, a, torque), columns=base)  # noqa: E731
    micro = medians({"one_thread": (SAMPLES, one_thread(run)), "all_threads": (SAMPLES, run)})
    return {"columns": len(base), **{f"us_{name}": round(value, 3) for name, value in micro.items()}}


def memory() -> dict[str, float]:
    """A process of its own reduces ten million samples from a generator and reports its largest memory."""
    answer = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def _ten_million() -> dict[str, float]:
    import time

    robot = bf.Robot.load("panda")
    base = bf.base_parameters(robot).independent
    q, v, a = states(7, 50_000)
    torque = robot.inverse_dynamics(q, v, a)
    start = time.perf_counter()
    chunks = ((q, v, a, torque) for _ in range(10 * MILLION // len(q)))
    reduction = bf.reduce(robot, chunks, columns=base, block=MILLION)
    seconds = time.perf_counter() - start
    assert reduction.samples == 10 * MILLION and np.isfinite(reduction.triangle()).all()
    return {"samples": reduction.samples, "seconds": round(seconds, 1), "peak_megabytes": round(peak_megabytes()), "blocks": 10}


if __name__ == "__main__":
    print(json.dumps(_ten_million()))
