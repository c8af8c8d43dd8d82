"""The same problem as a conic programme for Clarabel (Goulart and Chen 2024): the second opinion on log_det.py.

    minimise     1/2 |e|^2 + sum_i w_i (tr(J0_i^-1 J_i) - sum_a t_ia)
    subject to   R x - e = z,    [[K_i, T_i], [T_i', diag T_i]] >= 0,    t_ia <= log (T_i)_aa,    T_i lower triangular

with K_i = J0_i^(-1/2) J_i J0_i^(-1/2); the largest sum of t_ia is log det K_i. The residual e is a variable of its own: P = R'R
in the objective would square the conditioning. Without a weight the plain inequality K_i >= floor 1 takes the place of both cones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.estimate.physical_problem import Outcome, PhysicalAnswer, PhysicalProblem
from bifilar.robot.inertia import Inertia

TOLERANCE = 1e-10


def clarabel_solution(problem: PhysicalProblem, *, iterations: int = 200, tolerance: float = TOLERANCE) -> PhysicalAnswer:
    """The optimum by Clarabel's interior-point method.

    >>> from bifilar.estimate.lmi import clarabel_solution
    >>> from bifilar.estimate.physical_problem import PhysicalProblem
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> answer = clarabel_solution(PhysicalProblem(factor=np.eye(10), target=2 * ball, prior=ball[None], weight=1e-6))
    >>> answer.solved, answer.values[0].round(4)
    (True, np.float64(2.0))
    """
    import clarabel

    programme = _Programme(problem)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter, settings.max_threads = False, iterations, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.tol_infeas_abs = settings.tol_infeas_rel = 1e-12  # steep rows must not pass for contradictions
    settings.reduced_tol_infeas_abs = settings.reduced_tol_infeas_rel = 1e-10
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = settings.reduced_tol_feas = 1e3 * tolerance
    solver = clarabel.DefaultSolver(*programme.matrices(), settings)
    found = solver.solve()
    x = (programme.near + np.array(found.x)[: programme.columns]) * programme.scale
    x = np.clip(x, problem.lower, problem.upper)
    words = str(found.status)
    gap = abs(found.obj_val - found.obj_val_dual) * programme.unit
    return PhysicalAnswer(x, problem.cost(x), _OUTCOMES.get(words, "not converged"), int(found.iterations), float(gap), words)


_OUTCOMES: dict[str, Outcome] = {
    "Solved": "solved",
    "AlmostSolved": "solved",
    "PrimalInfeasible": "infeasible",
    "AlmostPrimalInfeasible": "infeasible",
}


class _Programme:
    """Columns: scaled x, residual e, then for every weighted body ten numbers of T and four t."""

    def __init__(self, problem: PhysicalProblem) -> None:
        self.problem = problem
        r, z = problem.factor, problem.target
        if len(r) > r.shape[1]:
            q, r = np.linalg.qr(r)
            z = q.T @ z
        self.whitening = [_inverse_root(Inertia.from_vector(ten).pseudo()) for ten in problem.prior]
        self.weighted = np.flatnonzero(np.asarray(problem.weight) > 0)
        self.scale = self._scales()
        self.r, self.z = r * self.scale, z
        self.rows, self.columns = self.r.shape
        self.width = self.columns + self.rows + 14 * len(self.weighted)
        prior = np.concatenate([problem.prior.ravel(), np.zeros(self.columns - problem.prior.size)]) / self.scale
        self.near = prior + _ridge(self.r, self.z - self.r @ prior)
        self.z = self.z - self.r @ self.near
        # one unit of the objective: about its value at the optimum, so that tolerances mean the same for every problem
        self.unit = max(0.5 * float(self.z @ self.z), float(np.sum(problem.weight)), 1e-14 * float(z @ z), 1e-30)

    def _scales(self) -> Array:
        """Sizes of x: of the prior's own numbers, and of what the other columns can explain."""
        sizes = []
        for ten in self.problem.prior:
            length = np.sqrt(np.diag(Inertia.from_vector(ten).pseudo()))
            moments = [length[a] * length[b] for a, b in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]
            sizes += [length[3] ** 2, *(length[3] * length[:3]), *moments]
        norms = np.linalg.norm(self.problem.factor[:, len(sizes) :], axis=0)
        size = max(float(np.linalg.norm(self.problem.target)), 1e-30) / np.sqrt(max(len(self.problem.target), 1))
        return np.concatenate([sizes, size / np.where(norms > 0, norms, size)])

    def matrices(self) -> tuple[Any, Array, Any, Array, list[Any]]:
        """P, q, A, b and cones: A x + s = b with s in the cones."""
        import clarabel
        from scipy import sparse

        rows, columns, width = self.rows, self.columns, self.width
        rest = width - columns - rows
        quadratic = np.concatenate([np.zeros(columns), np.full(rows, 1.0), np.zeros(rest)])
        root = np.sqrt(self.unit)  # residuals in units in which the whole objective is about one
        fit = sparse.hstack(
            [sparse.csc_matrix(self.r / root), -sparse.identity(rows), sparse.csc_matrix((rows, rest))], format="csc"
        )
        parts, sides, cones = [fit], [self.z / root], [clarabel.ZeroConeT(rows)]
        equal, equal_side = self._from_near(*self.problem.equal)
        above, above_side = self._from_near(*self.problem.inequalities())
        for matrix, side, cone in (
            (equal, equal_side, clarabel.ZeroConeT),
            (-above, -above_side, clarabel.NonnegativeConeT),
        ):
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
        scaled = matrix * self.scale
        return _balanced(scaled, side - scaled @ self.near)

    def _linear(self) -> Array:
        q = np.zeros(self.width)
        for k, body in enumerate(self.weighted):
            w = float(np.asarray(self.problem.weight)[body]) / self.unit
            inverse = self.whitening[body] @ self.whitening[body]
            for j in range(10):
                basis = Inertia.from_vector(np.eye(10)[j]).pseudo()
                q[10 * body + j] = w * self.scale[10 * body + j] * np.trace(inverse @ basis)
            at = self.columns + self.rows + 14 * k
            q[at + 10 : at + 14] = -w
        return q

    def _bodies(self) -> list[tuple[Array, Array, Any]]:
        """Cones of every body: (matrix, side, cone)."""
        import clarabel

        places = {int(body): k for k, body in enumerate(self.weighted)}
        cones: list[tuple[Array, Array, Any]] = []
        for body, white in enumerate(self.whitening):
            columns = [white @ Inertia.from_vector(unit).pseudo() @ white for unit in np.eye(10)]
            columns = [c * s for c, s in zip(columns, self.scale[10 * body : 10 * body + 10], strict=True)]
            if body not in places:
                matrix = np.zeros((10, self.width))
                matrix[:, 10 * body : 10 * body + 10] = -np.column_stack([_triangle(c) for c in columns])
                side = -matrix[:, : self.columns] @ self.near - _triangle(self.problem.floor * np.eye(4))
                cones.append((matrix, side, clarabel.PSDTriangleConeT(4)))
                continue
            at = self.columns + self.rows + 14 * places[body]
            matrix = np.zeros((36, self.width))
            for j, c in enumerate(columns):
                matrix[:, 10 * body + j] = -_triangle(np.pad(c, ((0, 4), (0, 4))))
            for j, (row, col) in enumerate(zip(*np.tril_indices(4), strict=True)):
                big = np.zeros((8, 8))
                big[row, 4 + col] = big[4 + col, row] = 1.0
                if row == col:
                    big[4 + row, 4 + row] = 1.0
                matrix[:, at + j] = -_triangle(big)
            cones.append((matrix, -matrix[:, : self.columns] @ self.near, clarabel.PSDTriangleConeT(8)))
            for a, j in enumerate((0, 2, 5, 9)):  # diagonal of T
                log = np.zeros((3, self.width))
                log[0, at + 10 + a], log[2, at + j] = -1.0, -1.0
                cones.append((log, np.array([0.0, 1.0, 0.0]), clarabel.ExponentialConeT()))
        return cones


def _ridge(r: Array, z: Array) -> Array:
    """Least squares that stays near zero where the rows say little: a centre for the numbers, not an answer."""
    u, singular, v = np.linalg.svd(r, full_matrices=False)
    small = 1e-4 * singular[0] if len(singular) and singular[0] > 0 else 1.0
    return v.T @ (singular / (singular**2 + small**2) * (u.T @ z))


def _balanced(matrix: Array, side: Array) -> tuple[Array, Array]:
    size = np.abs(matrix).max(axis=1, initial=0.0)
    size = np.where(size > 0, size, 1.0)
    return matrix / size[:, None], side / size


def _inverse_root(matrix: Array) -> Array:
    values, vectors = np.linalg.eigh(matrix)
    return (vectors / np.sqrt(values)) @ vectors.T


def _triangle(matrix: Array) -> Array:
    """Upper triangle column by column, off-diagonal entries times sqrt 2: Clarabel's order."""
    return np.array([matrix[r, c] * (1.0 if r == c else np.sqrt(2.0)) for c in range(len(matrix)) for r in range(c + 1)])
