"""Maximum likelihood on the recordings of `study_closed_loop.py`: two joints, the encoder's noise in the loop.

    python benchmarks/study_max_likelihood.py --count 40                eight base parameters (viscous friction)
    python benchmarks/study_max_likelihood.py --count 40 --coulomb      ten

The arm is vertical, 10 s at 1 kHz, encoder noise 1e-3 rad in loop and log, torque noise 0.05 N m. As a user has it (noise
levels found, recording thinned out to the motion), and at the full rate with both noise levels given; least squares beside.
Errors are means over runs and parameters of |value / truth - 1|; no run is left out. Prints one JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "BIFILAR_THREADS")}
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from closed_loop_arm import arm, recorded, truth
from study_closed_loop import RECIPE, entry, summary

import bifilar as bf
from bifilar.estimate.max_likelihood import MaximumLikelihood

METHODS = {
    "least squares": (bf.LeastSquares(), {"recipe": RECIPE}),
    "maximum likelihood": (MaximumLikelihood(), {}),
    "full rate, noise given": (MaximumLikelihood(clock=np.inf, position_noise=1e-3, torque_noise=0.05), {}),
}


def one(seed: int, *, coulomb: bool = False, duration: float = 10.0) -> dict[str, Any]:
    """One recording, all methods."""
    robot = arm(coulomb)
    true, recording = truth(robot), recorded(seed, robot, duration=duration)
    result = {}
    for name, (method, settings) in METHODS.items():
        began = time.perf_counter()
        result[name] = entry(method.fit(robot, recording, **settings), true, began)
    return result


def main() -> int:
    """The whole study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--coulomb", action="store_true")
    asked = parser.parse_args()
    one(10_000, coulomb=asked.coulomb, duration=2.0)  # compiles what has to be compiled, once
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        runs = pool.map(partial(one, coulomb=asked.coulomb), range(asked.count), chunksize=1)
    names = list(bf.base_parameters(arm(asked.coulomb)).independent)
    print(json.dumps({"parameters": names, "runs": asked.count, "methods": summary(runs)}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
