"""Time of maximum likelihood with noise in the positions, per sample and iteration, and of its parts.

    python benchmarks/likelihood_speed.py two_link 20000      CPU time on one thread, the best of several rounds

One iteration is: matrices and regressor at the guess (`windows`), normal equations (`add`), factor and steps (`step`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from time import process_time

import numpy as np

import bifilar as bf
from bifilar.dynamics.parallel import threads
from bifilar.estimate.banded import minimise
from bifilar.estimate.true_motion import Piece, TrueMotion

PERIOD = 0.01


def likelihood(name: str, samples: int, stencil: int) -> tuple[TrueMotion, np.ndarray]:
    """Torques of a swinging robot with noise, positions with noise, and the base parameters behind them."""
    robot = bf.Robot.load(name)
    robot = robot.with_friction(bf.Viscous(), {f"{joint}.viscous": 0.3 for joint in robot.joint_names})
    base, n, t = bf.base_parameters(robot), len(robot.joint_names), PERIOD * np.arange(samples)
    q = np.stack([0.8 * np.sin((1.1 + 0.3 * j) * t + j) + 0.3 * np.sin((2.9 + 0.4 * j) * t) for j in range(n)], axis=1)
    truth, rng = base.from_full(robot.parameters()), np.random.default_rng(0)
    blank = TrueMotion(robot, base, (Piece(q, np.zeros_like(q), PERIOD),), np.full(n, 1e-3), np.full(n, 0.1), stencil)
    torque = np.zeros_like(q)
    torque[stencil:-stencil] = 0.1 * np.concatenate([w.residual for w in blank.windows(q.ravel(), truth)])
    noisy = Piece(q + 1e-3 * rng.normal(size=q.shape), torque + 0.1 * rng.normal(size=q.shape), PERIOD)
    return TrueMotion(robot, base, (noisy,), blank.position_noise, blank.torque_noise, stencil), truth


def best(work: Callable[[], object], rounds: int, before: Callable[[], object] = lambda: None) -> float:
    """Least CPU time of several rounds [s]."""
    times = []
    for _ in range(rounds):
        before()
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robot", nargs="?", default="two_link")
    parser.add_argument("samples", nargs="?", type=int, default=20_000)
    parser.add_argument("--stencil", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args()
    with threads(1):
        problem, truth = likelihood(asked.robot, asked.samples, asked.stencil)
        system, x = problem.system(), problem.measured
        windows = list(problem.windows(x, truth))

        def filled() -> None:
            system.clear()
            problem.fill(x, truth, system)

        filled()
        system.step()
        parts = {
            "windows": best(lambda: [None for _ in problem.windows(x, truth)], asked.rounds),
            "add": best(lambda: [system.add(*window) for window in windows], asked.rounds, system.clear),
            "step": best(system.step, asked.rounds, filled),
            "inverse_band": best(system.inverse_band, 3),
        }
        start = process_time()
        found = minimise(problem.fill, x, 1.2 * truth, system)
        whole = process_time() - start
    figures = {f"{name}_us": round(1e6 * seconds / asked.samples, 3) for name, seconds in parts.items()}
    figures |= {"iteration_us": round(sum(figures[f"{name}_us"] for name in ("windows", "add", "step")), 3)}
    fit = {"iterations": found.iterations, "fit_us_per_sample_and_iteration": 1e6 * whole / asked.samples / found.iterations}
    print(json.dumps({"robot": asked.robot, "samples": asked.samples, "stencil": asked.stencil} | figures | fit, indent=2))


if __name__ == "__main__":
    main()
