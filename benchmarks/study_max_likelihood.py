"""Maximum likelihood on the recordings of `study_closed_loop.py`: two joints, the encoder's noise in the loop.

    python benchmarks/study_max_likelihood.py --count 40                eight base parameters (viscous friction)
    python benchmarks/study_max_likelihood.py --count 40 --coulomb      ten

The arm is vertical, 10 s at 1 kHz, encoder noise 1e-3 rad in loop and log, torque noise 0.05 N m. As a user has it (noise
levels found, recording thinned out to the motion), and at the full rate with both noise levels given; least squares beside.
Errors are means over runs and parameters of |value / truth - 1|; no run is left out. Prints one JSON.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "BIFILAR_THREADS")}
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from closed_loop_arm import arm, recorded, truth
from study_closed_loop import RECIPE, drawn_runs, entry, report, study_arguments

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
    asked = study_arguments(__doc__ or "").parse_args()
    with drawn_runs(one, asked) as (_, runs):
        report(asked, runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
