"""Seven links from a reduced problem to a consistent estimate: the public API, both solvers alone, and cvxpy beside them.

    python benchmarks/consistent_speed.py

A Panda with viscous and Coulomb friction and offsets (91 unknowns), 20,000 noisy samples, reduced once; what follows is timed,
in seconds of this process, the median of several runs. cvxpy (benchmark only) states the same problem with log_det and is given
to the same Clarabel; it is left out where it is not installed. Prints one JSON; exit code 1 above 30 ms through the public API
with error bars of white errors (the usual ones read 10,000 rows once more).
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}

import numpy as np

import bifilar as bf
from bifilar.estimate.bodies import BASIS, pseudo
from bifilar.estimate.consistent import stated_problem
from bifilar.estimate.consistent_parts import known_bodies
from bifilar.estimate.lmi import clarabel_solution
from bifilar.estimate.log_det import newton
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.physical_rules import rules

ALLOWED = 0.030  # [s] through the public API


def reduced() -> bf.Problem:
    """The problem, from a Panda whose masses the description does not quite know."""
    robot = bf.Robot.load("panda")
    rng = np.random.default_rng(0)
    t = np.linspace(0, 20, 20_000)[:, None]
    amplitude, speed, phase = rng.uniform(0.1, 0.4, (3, 7)), rng.uniform(0.3, 3.0, (3, 7)), rng.uniform(0, 6, (3, 7))
    waves = list(zip(amplitude, speed, phase, strict=True))
    q = sum(a * np.sin(w * t + p) for a, w, p in waves)
    v = sum(a * w * np.cos(w * t + p) for a, w, p in waves)
    acc = sum(-a * w**2 * np.sin(w * t + p) for a, w, p in waves)
    truth = robot.with_body_parameters(1.15 * robot.body_parameters)
    torque = truth.inverse_dynamics(q, v, acc) + 0.3 * rng.normal(size=q.shape)
    return bf.Problem.of(robot, (q, v, acc, torque))


def stated(problem: bf.Problem, weight: float) -> PhysicalProblem:
    """What both solvers are given."""
    noise = bf.LeastSquares().solve(problem).noise
    triangle = problem.triangle(1.0 / noise)
    return stated_problem(problem, triangle, known_bodies(problem, None, triangle), rules(problem.robot), weight)


def with_cvxpy(given: PhysicalProblem) -> tuple[Callable[[], float], str] | None:
    """The same problem in cvxpy, stated and solved; None without cvxpy."""
    try:
        import cvxpy
    except ImportError:
        return None
    prior = np.linalg.inv(pseudo(given.prior))
    weight = float(np.max(given.weight))
    low = np.flatnonzero(np.isfinite(given.lower))

    def solve() -> float:
        x = cvxpy.Variable(given.factor.shape[1])
        matrices = [sum(BASIS[k] * x[10 * i + k] for k in range(10)) for i in range(given.bodies)]
        far = sum(cvxpy.trace(prior[i] @ j) - cvxpy.log_det(j) for i, j in enumerate(matrices))
        cost = 0.5 * cvxpy.sum_squares(given.factor @ x - given.target) + weight * far
        cvxpy.Problem(cvxpy.Minimize(cost), [x[low] >= given.lower[low]]).solve(solver=cvxpy.CLARABEL)
        return given.cost(np.maximum(x.value, given.lower))

    return solve, cvxpy.__version__


def median(call: Callable[[], Any], times: int = 15) -> float:
    """Processor seconds of one call, after a first one that does not count."""
    call()
    taken = []
    for _ in range(times):
        began = time.process_time()
        call()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


def main() -> int:
    """Runs the benchmark."""
    problem = reduced()
    given = stated(problem, 1.0)
    method = bf.PhysicallyConsistent(prior_weight=1.0, uncertainty="white")
    public = median(lambda: method.solve(problem))
    result: dict[str, Any] = {
        "unknowns": given.factor.shape[1],
        "public API, weight given": public,
        "public API, weight given, usual error bars": median(
            lambda: bf.PhysicallyConsistent(prior_weight=1.0).solve(problem), 3
        ),
        "public API, weight chosen on held-out blocks": median(lambda: bf.PhysicallyConsistent().solve(problem), 3),
        "Newton alone": median(lambda: newton(given)),
        "Clarabel alone": median(lambda: clarabel_solution(given), 5),
        "cost": [newton(given).cost, clarabel_solution(given).cost],
    }
    peer = with_cvxpy(given)
    if peer is not None:
        solve, version = peer
        result |= {f"cvxpy {version} and Clarabel": median(solve, 5), "its cost": solve()}
    print(json.dumps(result, indent=1))
    return int(public > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
