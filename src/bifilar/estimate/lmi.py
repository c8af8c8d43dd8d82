"""The same problem as a conic programme for Clarabel (Goulart and Chen 2024): the second opinion on log_det.py.

    minimise     1/2 |e|^2 + sum_i w_i (tr(J0_i^-1 J_i) - sum_a t_ia)
    subject to   R x - e = z,    [[K_i, T_i], [T_i', diag T_i]] >= 0,    t_ia <= log (T_i)_aa,    T_i lower triangular

with K_i = W_i' J_i W_i, W_i' J0_i W_i = 1; the largest sum of t_ia is log det K_i. The residual e is a variable of its own:
P = R'R in the objective would square the conditioning. Without a weight, K_i >= floor 1 alone replaces both cones.
It is solved again with the last answer in the place of J0_i, until the cost stays: bodies that shrink to a millionth are sharp
only then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.estimate.physical_problem import Outcome, PhysicalAnswer, PhysicalProblem
from bifilar.robot.inertia import Inertia

TOLERANCE = 1e-10
PASSES = 8  # at most: links that shrink to a millionth of the prior are only seen sharply from where they end up
SETTLED = 1e-7  # of the cost: what one pass more may still change
BROKEN = 1e-6  # of a condition: how far an answer that is not solved may miss it
SHARPEST = 1e-12  # least eigenvalue of a body, seen from the prior, where it is used as a scale


def clarabel_solution(problem: PhysicalProblem, *, iterations: int = 200, tolerance: float = TOLERANCE) -> PhysicalAnswer:
    """The optimum by Clarabel's interior-point method.

    >>> from bifilar.estimate.lmi import clarabel_solution
    >>> from bifilar.estimate.physical_problem import PhysicalProblem
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> answer = clarabel_solution(PhysicalProblem(factor=np.eye(10), target=2 * ball, prior=ball[None], weight=1e-6))
    >>> answer.solved, answer.values[0].round(4)
    (True, np.float64(2.0))
    """
    best = _pass(problem, None, iterations, tolerance)
    if best.outcome == "infeasible":
        return best
    if not best.solved:
        best = _better(best, _pass(problem, _prior(problem), iterations, tolerance))
    centre = best
    for _ in range(PASSES):
        centre = _pass(problem, _inside(problem, centre.values), iterations, tolerance)
        change = abs(centre.cost - best.cost) / abs(best.cost) if np.isfinite(best.cost) else np.inf
        best = _better(best, centre)
        if change <= 1e-9 and best.solved:
            return best
    return best if change <= SETTLED else replace(best, outcome="not converged", words="the cost did not settle")


def _better(one: PhysicalAnswer, other: PhysicalAnswer) -> PhysicalAnswer:
    """The cheaper of two answers; a solved one if costs are alike, or if the other exists only on paper."""
    taken = one.iterations + other.iterations
    cheaper = other.cost < one.cost * (1 - 1e-9) or (other.cost <= one.cost * (1 + 1e-9) and other.solved)
    return replace(other if cheaper or not np.isfinite(one.cost) else one, iterations=taken)


def _prior(problem: PhysicalProblem) -> Array:
    return np.concatenate([problem.prior.ravel(), np.zeros(problem.factor.shape[1] - problem.prior.size)])


def _inside(problem: PhysicalProblem, x: Array) -> Array:
    """The values, moved towards the prior just far enough for every body to exist: where to look from, not an answer."""
    size = problem.prior.size
    inside = x.copy()
    for k, ten in enumerate(problem.prior):
        white = _inverse_root(Inertia.from_vector(ten).pseudo())
        at = slice(10 * k, 10 * k + 10)
        values = decompose.eigvalsh(white.T @ Inertia.from_vector(x[at]).pseudo() @ white)
        least = SHARPEST * max(1.0, float(values[-1]))
        share = np.clip((least - values[0]) / max(1.0 - values[0], 1e-12), 0.0, 1.0) if np.isfinite(values[0]) else 1.0
        inside[at] = (1 - share) * x[at] + share * ten
    inside[size:] = x[size:]
    return inside


def _pass(problem: PhysicalProblem, around: Array | None, iterations: int, tolerance: float) -> PhysicalAnswer:
    """One programme, stated in the coordinates of the prior or of an answer that is known already."""
    import clarabel

    programme = _Programme(problem, around)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter, settings.max_threads = False, iterations, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.tol_infeas_abs = settings.tol_infeas_rel = 1e-12  # steep rows must not pass for contradictions
    settings.reduced_tol_infeas_abs = settings.reduced_tol_infeas_rel = 1e-10
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = settings.reduced_tol_feas = 1e3 * tolerance
    solver = clarabel.DefaultSolver(*programme.matrices(), settings)
    found = solver.solve()
    x = programme.values(np.array(found.x)[: programme.columns])
    x = np.clip(x, problem.lower, problem.upper)
    words = str(found.status)
    outcome = _OUTCOMES.get(words, "not converged")
    cost = problem.cost(x) if outcome == "solved" or _keeps(problem, x) else np.inf
    gap = abs(found.obj_val - found.obj_val_dual) * programme.unit
    return PhysicalAnswer(x, cost, outcome, int(found.iterations), float(gap), words)


def _keeps(problem: PhysicalProblem, x: Array) -> bool:
    """Whether the linear conditions hold: an answer that breaks them is cheaper than the optimum for no good reason."""
    (rows, side), (equal, value) = problem.inequalities(), problem.equal
    room, off = rows @ x - side, np.abs(equal @ x - value)
    return bool(np.all(room >= -BROKEN * (1 + np.abs(side))) and np.all(off <= BROKEN * (1 + np.abs(value))))


_OUTCOMES: dict[str, Outcome] = {
    "Solved": "solved",
    "AlmostSolved": "solved",
    "PrimalInfeasible": "infeasible",
    "AlmostPrimalInfeasible": "infeasible",
}


class _Programme:
    """Columns: K of every body and the other values, from a point near the answer; residual e; T (10) and t (4) per body."""

    def __init__(self, problem: PhysicalProblem, around: Array | None) -> None:
        self.problem = problem
        self.rows, self.columns = min(problem.factor.shape), problem.factor.shape[1]
        start = _prior(problem) if around is None else around
        self.white = [_inverse_root(Inertia.from_vector(ten).pseudo()) for ten in start[: problem.prior.size].reshape(-1, 10)]
        self.turn = self._turn()
        self.weighted = np.flatnonzero(np.asarray(problem.weight) > 0)
        r, z = problem.factor, problem.target
        if len(r) > self.columns:
            q, r = np.linalg.qr(r)
            z = q.T @ z
        self.rows = len(r)
        self.r = r @ self.turn
        self.near = start + (self.turn @ _ridge(self.r, z - r @ start) if around is None else 0.0)
        self.z = z - r @ self.near
        self.width = self.columns + self.rows + 14 * len(self.weighted)
        # one unit of the objective: about its value at the optimum, so that tolerances mean the same for every problem
        self.unit = max(0.5 * float(self.z @ self.z), float(np.sum(problem.weight)), 1e-14 * float(z @ z), 1e-30)

    def _turn(self) -> Array:
        """x = near + turn @ u: entries of K (in Clarabel's order) to ten numbers, and a size for each of the other columns."""
        turn = np.zeros((self.columns, self.columns))
        for k, white in enumerate(self.white):
            back = np.linalg.inv(white).T
            for j, (row, col) in enumerate(_PLACES):
                unit = np.zeros((4, 4))
                unit[row, col] = unit[col, row] = 1.0 if row == col else np.sqrt(0.5)
                turn[10 * k : 10 * k + 10, 10 * k + j] = Inertia.from_pseudo(back @ unit @ back.T).vector
        first = 10 * len(self.white)
        norms = np.linalg.norm(self.problem.factor[:, first:], axis=0)
        size = max(float(np.linalg.norm(self.problem.target)), 1e-30) / np.sqrt(max(len(self.problem.target), 1))
        turn[range(first, self.columns), range(first, self.columns)] = size / np.where(norms > 0, norms, size)
        return turn

    def values(self, u: Array) -> Array:
        """All values, in the problem's own units."""
        return self.near + self.turn @ u

    def matrices(self) -> tuple[Any, Array, Any, Array, list[Any]]:
        """P, q, A, b and cones: A x + s = b with s in the cones."""
        import clarabel
        from scipy import sparse

        rows, columns, width = self.rows, self.columns, self.width
        rest = width - columns - rows
        quadratic = np.concatenate([np.zeros(columns), np.full(rows, 1.0), np.zeros(rest)])
        root = np.sqrt(self.unit)  # residuals in units in which the whole objective is about one
        fit = sparse.hstack([sparse.csc_matrix(self.r / root), -sparse.identity(rows), sparse.csc_matrix((rows, rest))])
        parts, sides, cones = [fit], [self.z / root], [clarabel.ZeroConeT(rows)]
        equal, equal_side = self._from_near(*self.problem.equal)
        above, above_side = self._from_near(*self.problem.inequalities())
        pairs = ((equal, equal_side, clarabel.ZeroConeT), (-above, -above_side, clarabel.NonnegativeConeT))
        for matrix, side, cone in pairs:
            if len(matrix):
                parts.append(sparse.hstack([sparse.csc_matrix(matrix), sparse.csc_matrix((len(matrix), width - columns))]))
                sides.append(side)
                cones.append(cone(len(matrix)))
        for matrix, side, cone in self._bodies():
            parts.append(sparse.csc_matrix(matrix))
            sides.append(side)
            cones.append(cone)
        a = sparse.vstack(parts, format="csc")
        return sparse.diags(quadratic, format="csc"), self._linear(), a, np.concatenate(sides), cones

    def _from_near(self, matrix: Array, side: Array) -> tuple[Array, Array]:
        return _balanced(matrix @ self.turn, side - matrix @ self.near)

    def _linear(self) -> Array:
        q = np.zeros(self.width)
        for k, body in enumerate(self.weighted):
            w = float(np.asarray(self.problem.weight)[body]) / self.unit
            back = np.linalg.inv(self.white[body]).T
            root = _inverse_root(Inertia.from_vector(self.problem.prior[body]).pseudo())
            q[10 * body : 10 * body + 10] = w * _triangle(back.T @ root @ root.T @ back)
            at = self.columns + self.rows + 14 * k
            q[at + 10 : at + 14] = -w
        return q

    def _bodies(self) -> list[tuple[Array, Array, Any]]:
        """Cones of every body: (matrix, side, cone)."""
        import clarabel

        places = {int(body): k for k, body in enumerate(self.weighted)}
        cones: list[tuple[Array, Array, Any]] = []
        for body, white in enumerate(self.white):
            here = white.T @ Inertia.from_vector(self.near[10 * body : 10 * body + 10]).pseudo() @ white
            if body not in places:
                kept = self.problem.floor * (white.T @ Inertia.from_vector(self.problem.prior[body]).pseudo() @ white)
                matrix = np.zeros((10, self.width))
                matrix[:, 10 * body : 10 * body + 10] = -np.eye(10)
                cones.append((matrix, _triangle(here - kept), clarabel.PSDTriangleConeT(4)))
                continue
            at = self.columns + self.rows + 14 * places[body]
            matrix = np.zeros((36, self.width))
            matrix[:10, 10 * body : 10 * body + 10] = -np.eye(10)  # the upper left triangle comes first in Clarabel's order
            for j, (row, col) in enumerate(zip(*np.tril_indices(4), strict=True)):
                big = np.zeros((8, 8))
                big[row, 4 + col] = big[4 + col, row] = 1.0
                if row == col:
                    big[4 + row, 4 + row] = 1.0
                matrix[:, at + j] = -_triangle(big)
            cones.append((matrix, _triangle(np.pad(here, ((0, 4), (0, 4)))), clarabel.PSDTriangleConeT(8)))
            for a, j in enumerate((0, 2, 5, 9)):  # diagonal of T
                log = np.zeros((3, self.width))
                log[0, at + 10 + a], log[2, at + j] = -1.0, -1.0
                cones.append((log, np.array([0.0, 1.0, 0.0]), clarabel.ExponentialConeT()))
        return cones


def _ridge(r: Array, z: Array) -> Array:
    """Least squares that stays near zero where the rows say little: a centre for the numbers, not an answer."""
    u, singular, v = decompose.svd(r, full_matrices=False)
    small = 1e-4 * singular[0] if len(singular) and singular[0] > 0 else 1.0
    return v.T @ (singular / (singular**2 + small**2) * (u.T @ z))


def _balanced(matrix: Array, side: Array) -> tuple[Array, Array]:
    size = np.abs(matrix).max(axis=1, initial=0.0)
    size = np.where(size > 0, size, 1.0)
    return matrix / size[:, None], side / size


def _inverse_root(matrix: Array) -> Array:
    """W with W' matrix W = 1, from units balanced by the diagonal: kilograms and kg m^2 differ by powers of ten."""
    size = 1.0 / np.sqrt(np.diag(matrix))
    values, vectors = decompose.eigh(matrix * np.outer(size, size))
    return size[:, None] * vectors / np.sqrt(np.maximum(values, 1e-15))


_PLACES = tuple((r, c) for c in range(4) for r in range(c + 1))  # upper triangle, column by column


def _triangle(matrix: Array) -> Array:
    """Upper triangle column by column, off-diagonal entries times sqrt 2: Clarabel's order."""
    return np.array([matrix[r, c] * (1.0 if r == c else np.sqrt(2.0)) for c in range(len(matrix)) for r in range(c + 1)])
