"""How the same motion is designed with other tools, as a competent user would: every peer gets what it can use.

SciPy SLSQP over Pinocchio: criterion and heights by a Python loop, their slopes by SLSQP's own finite differences; the joint
limits are linear rows whose Jacobian is given. CasADi and IPOPT: the regressor written out symbolically, exact slopes by
algorithmic differentiation, compiled to machine code where a C compiler is found, Hessian by limited memory; with IPOPT's own
choice of barrier, and with a patient one. All search the 63 free unknowns, so that rest at both ends holds by construction,
from the same start.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from design_problem import HEIGHT, SAMPLES, Array, Problem

SLSQP = {"ftol": 1e-4, "maxiter": 500}
IPOPT = {
    "ipopt.hessian_approximation": "limited-memory",  # an exact one saves no iterations and costs 100 gradients each
    "ipopt.tol": 1e-3,
    "ipopt.max_iter": 1000,
    "ipopt.print_level": 0,
    "ipopt.sb": "yes",
    "print_time": False,
}
# From a strong barrier that falls step by step IPOPT takes half as long again and ends two nats higher.
PATIENT = {"ipopt.mu_strategy": "monotone", "ipopt.mu_init": 1.0}


@dataclass(frozen=True)
class Answer:
    """What a peer came back with."""

    x: Array
    iterations: int
    status: str
    converged: bool


def slsqp(problem: Problem) -> Callable[[Array], Answer]:
    """SciPy's SLSQP with finite differences over Pinocchio."""
    from scipy.optimize import minimize

    matrix, lower, upper = problem.linear
    half = 0.5 * (upper - lower)  # rooms as shares of the range: without this, one search in nine ends in nonsense
    both = np.vstack([matrix / half[:, None], -matrix / half[:, None]])
    bound = np.concatenate([-lower / half, upper / half])

    def criterion(x: Array) -> float:
        value = problem.log_det(*problem.states(x))
        return -value if np.isfinite(value) else 1e3

    constraints = (
        {"type": "ineq", "fun": lambda x: both @ x + bound, "jac": lambda x: both},
        {"type": "ineq", "fun": lambda x: problem.heights(problem.states(x)[0]) - HEIGHT},
    )

    def solve(start: Array) -> Answer:
        found = minimize(criterion, start, method="SLSQP", constraints=constraints, options=SLSQP)
        return Answer(found.x, int(found.nit), str(found.message), bool(found.success))

    return solve


def ipopt(problem: Problem, functions: tuple[Any, Any], **options: Any) -> Callable[[Array], Answer]:
    """CasADi and IPOPT with `casadi_functions`; what is built and compiled before the search is not timed."""
    import casadi as ca

    matrix, lower, upper = problem.linear
    information, height = functions
    x = ca.MX.sym("x", matrix.shape[1])
    table = ca.reshape(x, -1, problem.joints)
    q, v, a = (ca.mtimes(ca.DM(rows), table).T for rows in problem.rows)
    total = ca.sum2(information.map(SAMPLES, "serial")(q, v, a))
    limits = ca.mtimes(ca.sparsify(ca.DM(matrix)), x)
    g = ca.vertcat(limits, height.map(SAMPLES, "serial")(q).T)
    f = -casadi_log_det(len(problem.columns))(total)
    solver = ca.nlpsol("solver", "ipopt", {"x": x, "f": f, "g": g}, {**IPOPT, **options})
    bounds = {"lbg": np.append(lower, np.full(SAMPLES, HEIGHT)), "ubg": np.append(upper, np.full(SAMPLES, np.inf))}

    def solve(start: Array) -> Answer:
        found, told = solver(x0=start, **bounds), solver.stats()
        status = str(told["return_status"])
        return Answer(np.asarray(found["x"]).ravel(), int(told["iter_count"]), status, bool(told["success"]))

    return solve


def casadi_log_det(size: int) -> Any:
    """Function of the lower triangle of a symmetric matrix, column by column."""
    import casadi as ca

    triangle = ca.SX.sym("m", size * (size + 1) // 2)
    root = ca.chol(ca.tril2symm(ca.SX(ca.Sparsity.lower(size), triangle)))
    return ca.Function("log_det", [triangle], [2 * ca.sum1(ca.log(ca.diag(root)))])


def casadi_functions(problem: Problem) -> tuple[Any, Any]:
    """At one instant: (q, v, a) to the lower triangle of W' W, which is most of the work and is compiled; q to the height."""
    import casadi as ca

    q, v, a = (ca.SX.sym(name, problem.joints) for name in "qva")
    full, height = casadi_regressor(problem, q, v, a)
    w = ca.mtimes(ca.diag(ca.DM(problem.weight)), full[:, problem.columns.tolist()])
    square = ca.densify(ca.mtimes(w.T, w))
    lower = square[ca.Sparsity.lower(square.shape[0])]
    information = ca.Function("information", [q, v, a], ca.cse([ca.vertcat(*lower.nonzeros())]))
    return compiled(information), ca.Function("height", [q], ca.cse([height]))


def compiled(function: Any) -> Any:
    """The function and its reverse derivative as machine code; as it is where there is no C compiler."""
    import casadi as ca

    if not compiler():
        return function
    code = ca.CodeGenerator(f"{function.name()}.c")
    code.add(function)
    code.add(function.reverse(1))
    with tempfile.TemporaryDirectory() as folder:
        source = code.generate(f"{folder}/")
        library = str(Path(folder) / f"{function.name()}.so")
        subprocess.run([compiler(), "-O1", "-march=native", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
        return ca.external(function.name(), library)


def compiler() -> str:
    """The C compiler that CasADi's code goes through, '' without one."""
    return next((name for name in ("gcc", "clang", "cc") if shutil.which(name)), "")


def casadi_regressor(problem: Problem, q: Any, v: Any, a: Any) -> tuple[Any, Any]:
    """Regressor (joints, 10 per link) and height of the flange, of a chain of joints that turn about their z axes.

    Outward: angular velocity, its rate and the origin's acceleration less gravity, in each link's own axes, and the motion of
    that link per unit speed of every joint before it. Row j of link i is that motion times the link's wrench per parameter.
    """
    import casadi as ca

    model = problem.pinocchio
    w, dw, acceleration = ca.SX(3, 1), ca.SX(3, 1), -ca.SX(ca.DM(model.gravity.linear))
    up, height, z = ca.SX(ca.DM([0.0, 0.0, 1.0])), ca.SX(0), ca.SX(ca.DM([0.0, 0.0, 1.0]))
    moved: list[tuple[Any, Any]] = []  # (linear, angular) of this link's origin per unit speed of each joint so far
    rows: list[list[Any]] = [[] for _ in range(problem.joints)]
    for i in range(problem.joints):
        assert model.joints[i + 1].shortname() == "JointModelRZ" and model.parents[i + 1] == i
        placement = model.jointPlacements[i + 1]
        turn, p = _turned(placement.rotation, q[i]), ca.SX(ca.sparsify(ca.DM(placement.translation), 1e-12))
        height += ca.dot(up, p)
        acceleration = ca.mtimes(turn, acceleration + ca.cross(dw, p) + ca.cross(w, ca.cross(w, p)))
        moved = [(ca.mtimes(turn, l + ca.cross(s, p)), ca.mtimes(turn, s)) for l, s in moved] + [(ca.SX(3, 1), z)]
        carried = ca.mtimes(turn, w)
        dw = ca.mtimes(turn, dw) + v[i] * ca.cross(carried, z) + a[i] * z
        w, up = carried + v[i] * z, ca.mtimes(turn, up)
        force, moment = _wrench(w, dw, acceleration)
        for j in range(problem.joints):
            rows[j].append(ca.mtimes(moved[j][0].T, force) + ca.mtimes(moved[j][1].T, moment) if j <= i else ca.SX(1, 10))
    height += ca.dot(up, ca.DM(problem.tip))
    return ca.sparsify(ca.vertcat(*(ca.horzcat(*row) for row in rows))), height


def _turned(rotation: Array, angle: Any) -> Any:
    """Parent's axes to the child's: transpose of rotation Rz(angle), with exact zeros where the description means them."""
    import casadi as ca

    c, s = ca.cos(angle), ca.sin(angle)
    about = ca.vertcat(ca.horzcat(c, s, 0), ca.horzcat(-s, c, 0), ca.horzcat(0, 0, 1))
    return ca.mtimes(ca.sparsify(about), ca.SX(ca.sparsify(ca.DM(rotation.T), 1e-9)))


def _wrench(w: Any, dw: Any, acceleration: Any) -> tuple[Any, Any]:
    """Force and moment about the link's origin per parameter m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, (3, 10) each."""
    import casadi as ca

    spin = ca.skew(dw) + ca.mtimes(ca.skew(w), ca.skew(w))
    turning = _times_inertia(dw) + ca.mtimes(ca.skew(w), _times_inertia(w))
    force = ca.horzcat(acceleration, spin, ca.SX(3, 6))
    return force, ca.horzcat(ca.SX(3, 1), -ca.skew(acceleration), turning)


def _times_inertia(w: Any) -> Any:
    """I w = L(w) (Ixx, Ixy, Iyy, Ixz, Iyz, Izz)."""
    import casadi as ca

    x, y, z = w[0], w[1], w[2]
    return ca.vertcat(ca.horzcat(x, y, 0, z, 0, 0), ca.horzcat(0, x, y, 0, z, 0), ca.horzcat(0, 0, 0, x, y, z))
