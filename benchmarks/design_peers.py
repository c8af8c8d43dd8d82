"""How the same motion is designed with other tools, as a competent user would: every peer gets what it can use.

SciPy SLSQP over Pinocchio: criterion and heights by a Python loop, their slopes by SLSQP's own finite differences; the joint
limits are linear rows whose Jacobian is given. CasADi and IPOPT: the regressor written out symbolically, exact slopes by
algorithmic differentiation, compiled to machine code where a C compiler is found, Hessian by limited memory. Both search the
63 free unknowns, so that rest at both ends holds by construction, from the same start.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from design_problem import DURATION, HEIGHT, SAMPLES, Array, Problem

SLSQP = {"ftol": 1e-4, "maxiter": 500}


@dataclass(frozen=True)
class Answer:
    """What a peer came back with."""

    x: Array
    seconds: float
    iterations: int
    status: str
    converged: bool


def slsqp(problem: Problem) -> Callable[[int], Answer]:
    """SciPy's SLSQP with finite differences over Pinocchio."""
    from scipy.optimize import minimize

    matrix, lower, upper = problem.linear
    both = np.vstack([matrix, -matrix])
    bound = np.concatenate([-lower, upper])

    def criterion(x: Array) -> float:
        value = problem.log_det(*problem.states(x))
        return -value if np.isfinite(value) else 1e3

    constraints = (
        {"type": "ineq", "fun": lambda x: both @ x + bound, "jac": lambda x: both},
        {"type": "ineq", "fun": lambda x: problem.heights(problem.states(x)[0]) - HEIGHT},
    )

    def solve(seed: int) -> Answer:
        start = problem.start(seed)
        begin = time.perf_counter()
        found = minimize(criterion, start, method="SLSQP", constraints=constraints, options=SLSQP)
        return Answer(found.x, time.perf_counter() - begin, int(found.nit), str(found.message), bool(found.success))

    return solve
