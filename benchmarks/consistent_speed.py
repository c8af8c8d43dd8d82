"""Seven links from a reduced problem to a consistent estimate: the public API, both solvers alone, and cvxpy beside them.

    python benchmarks/consistent_speed.py

A Panda with viscous and Coulomb friction and offsets (91 unknowns), 20,000 noisy samples, reduced once; what follows is timed,
in seconds: processor time of this process, least and median of several runs (on a busy machine only the least means anything).
cvxpy (benchmark only: pip install cvxpy) is given the same problem, log_det and all, and solves it by the same Clarabel; stated
anew in every run, as an estimator has to, and stated once beforehand. Prints one JSON; exit code 1 above 30 ms through the
public API with error bars of white errors (the usual ones read 10,000 rows once more), or if costs differ by a millionth.
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


def with_cvxpy(given: PhysicalProblem) -> dict[str, Any] | None:
    """The same problem in cvxpy: seconds to state and solve it, to solve it once more, and the cost; None without cvxpy."""
    try:
        import cvxpy
    except ImportError:
        return None
    inverse = np.linalg.inv(pseudo(given.prior))
    weight = float(np.max(given.weight))
    low = np.flatnonzero(np.isfinite(given.lower))
    flat = BASIS.reshape(10, 16).T

    def state() -> tuple[Any, Any]:
        x = cvxpy.Variable(given.factor.shape[1])
        bodies = [cvxpy.reshape(flat @ x[10 * i : 10 * i + 10], (4, 4), order="C") for i in range(given.bodies)]
        far = sum(cvxpy.trace(inverse[i] @ j) - cvxpy.log_det(j) for i, j in enumerate(bodies))
        cost = 0.5 * cvxpy.sum_squares(given.factor @ x - given.target) + weight * far
        return x, cvxpy.Problem(cvxpy.Minimize(cost), [x[low] >= given.lower[low]])

    def solve(stated: tuple[Any, Any]) -> float:
        x, problem = stated
        problem.solve(solver=cvxpy.CLARABEL)
        return given.cost(np.maximum(x.value, given.lower))

    once = state()
    return {
        "version": cvxpy.__version__,
        "stated and solved": timed(lambda: solve(state()), 5),
        "solved, stated before": timed(lambda: solve(once), 5),
        "cost": solve(once),
    }


def timed(call: Callable[[], Any], times: int = 25) -> list[float]:
    """Processor seconds of one call, least and median, after a first one that does not count."""
    call()
    taken = []
    for _ in range(times):
        began = time.process_time()
        call()
        taken.append(time.process_time() - began)
    return [round(min(taken), 5), round(statistics.median(taken), 5)]


def main() -> int:
    """Runs the benchmark."""
    problem = reduced()
    given = stated(problem, 1.0)
    white, usual = (bf.PhysicallyConsistent(prior_weight=1.0, uncertainty=how) for how in ("white", "robust"))
    chosen = bf.PhysicallyConsistent()
    public = timed(lambda: white.solve(problem))
    ours, second = newton(given), clarabel_solution(given)
    result: dict[str, Any] = {
        "unknowns": given.factor.shape[1],
        "public API, weight given": public,
        "public API, weight given, usual error bars": timed(lambda: usual.solve(problem), 5),
        "public API, weight chosen on held-out blocks, usual error bars": timed(lambda: chosen.solve(problem), 5),
        "Newton alone": timed(lambda: newton(given)),
        "Newton's steps": ours.iterations,
        "Clarabel alone": timed(lambda: clarabel_solution(given), 5),
        "cost": [ours.cost, second.cost],
    }
    peer = with_cvxpy(given)
    costs = [*result["cost"], *([peer["cost"]] if peer else [])]
    if peer is not None:
        result |= {"cvxpy and Clarabel": peer, "cvxpy over ours": round(peer["stated and solved"][0] / public[0], 1)}
    print(json.dumps(result, indent=1))
    return int(public[0] > ALLOWED or max(costs) - min(costs) > 1e-6 * min(costs))


if __name__ == "__main__":
    sys.exit(main())
