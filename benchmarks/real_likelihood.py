"""Recorded arms: held-out torque error of least squares, and of maximum likelihood with the spectrum's noise and a chosen one.

    python benchmarks/real_likelihood.py [panda_gaz tiago ...]

The cases of `real_cases`, first fold, everything else by default. Torque errors see little of what noise of positions does to
inertias: `real_pendulums` simulates.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np
from real_cases import CASES, Case

import bifilar as bf

METHODS = {
    "least squares": bf.LeastSquares(),
    "spectrum": bf.MaximumLikelihood(position_noise="spectrum"),
    "chosen": bf.MaximumLikelihood(),
}


def line(case: Case) -> str:
    """Errors and times of all methods."""
    (fitted, predicted), *_ = case.folds
    words = []
    for name, method in METHODS.items():
        begun = perf_counter()
        estimate = method.fit(case.robot, fitted, friction=case.friction)
        seconds = perf_counter() - begun
        error = np.mean([estimate.score(case.scored(part)).relative for part in predicted])
        words.append(f"{name} {100 * error:.2f} % ({estimate.status.code}, {seconds:.1f} s)")
    choice = estimate.tables["noise_choice"]
    return f"{case.name}: {', '.join(words)}; level {choice.chosen} of {len(choice.levels) - 1}"


def main() -> None:
    """Those that are named, or all."""
    for name in sys.argv[1:] or CASES:
        print(line(CASES[name]()), flush=True)


if __name__ == "__main__":
    main()
