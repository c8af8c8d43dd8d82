"""Newton's method for bodies that can exist: primal-dual steps in coordinates where every prior body is the unit matrix.

With J_i = L_i X_i L_i' (L_i the Cholesky factor of the prior's pseudo-inertia) the optimum is where, with multipliers Z_i, y,

    R'(R x - z) + w_i 1 = Z_i + G'y - A'nu,      X_i Z_i = w_i 1,      (G x - g) y = 0,      A x = b

The log-det prior is the central path of a semidefinite programme, stopped at w instead of zero: one method serves both. Every
step linearises these equations with Nesterov and Todd's scaling (1998), predicts, corrects (Mehrotra 1992) and is solved by QR
of the stacked rows, never by R'R, which has no digit left at condition 1e8. The dual value bounds what is left to gain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.estimate.bodies import pseudo, ten_of
from bifilar.estimate.physical_problem import Outcome, PhysicalAnswer, PhysicalProblem

TOLERANCE = 1e-10  # of the cost: what may be left to gain
ITERATIONS = 100
NEAREST = 0.995  # share of the way to the border that a step may go


def _unit_basis() -> Array:
    """Orthonormal basis of symmetric 4 x 4 matrices, (10, 4, 4)."""
    f = np.zeros((10, 4, 4))
    for k, (r, c) in enumerate(zip(*np.tril_indices(4), strict=True)):
        f[k, r, c] = f[k, c, r] = 1.0 if r == c else np.sqrt(0.5)
    return f


UNIT = _unit_basis()
_FLAT = UNIT.reshape(10, 16)
_ONE = _FLAT @ np.eye(4).ravel()


def _matrix(vectors: Array) -> Array:
    return (vectors @ _FLAT).reshape(*vectors.shape[:-1], 4, 4)


def _vector(matrices: Array) -> Array:
    return matrices.reshape(*matrices.shape[:-2], 16) @ _FLAT.T


def _flipped(matrices: Array) -> Array:
    return np.swapaxes(matrices, -1, -2)


def _cholesky(matrices: Array) -> Array:
    return np.asarray(np.linalg.cholesky(matrices), dtype=float)


@dataclass(frozen=True, eq=False)
class _Scaled:
    """The problem in coordinates where every prior body is the unit matrix and other columns have norm one."""

    r: Array
    z: Array
    rest: float
    weight: Array  # (bodies,)
    shift: Array  # (bodies,) share of the unit matrix that a body keeps
    g: Array
    side: Array
    a: Array
    b: Array
    null: Array | None  # basis of A w = 0; None without equations
    body: Array  # (bodies, 10, 10): ten numbers = body @ coordinates
    other: Array  # scale of the other columns

    @classmethod
    def of(cls, problem: PhysicalProblem) -> _Scaled:
        root = _cholesky(pseudo(problem.prior))
        body = _flipped(ten_of(root[:, None] @ UNIT @ _flipped(root)[:, None]))
        count = 10 * problem.bodies
        norms = np.linalg.norm(problem.factor[:, count:], axis=0)
        other = 1.0 / np.where(norms > 0, norms, 1.0)
        g, side = problem.inequalities()
        a, b = problem.equal
        r, g, a = (_scaled_rows(m, body, other) for m in (problem.factor, g, a))
        z, rest = problem.target, problem.rest
        if len(r) > r.shape[1]:
            triangle = np.asarray(np.linalg.qr(np.column_stack([r, z]), mode="r"))
            r, z, rest = triangle[:-1, :-1], triangle[:-1, -1], rest + float(triangle[-1, -1]) ** 2
        (g, side), (a, b) = _unit_rows(g, side), _unit_rows(a, b)
        weight = np.asarray(problem.weight)
        shift = np.where(weight > 0, 0.0, problem.floor)
        return cls(r, z, rest, weight, shift, g, side, a, b, _null(a), body, other)

    def coordinates(self, values: Array) -> Array:
        count = 10 * len(self.body)
        bodies = np.linalg.solve(self.body, values[:count].reshape(-1, 10)[..., None])
        return np.concatenate([bodies.ravel(), values[count:] / self.other])

    def values(self, w: Array) -> Array:
        count = 10 * len(self.body)
        bodies = (self.body @ w[:count].reshape(-1, 10)[..., None]).ravel()
        return np.concatenate([bodies, w[count:] * self.other])

    def bodies_of(self, w: Array) -> Array:
        """X_i less what every body keeps."""
        return _matrix(w[: 10 * len(self.body)].reshape(-1, 10)) - self.shift[:, None, None] * np.eye(4)

    def prior_slope(self) -> Array:
        """Gradient of sum_i w_i tr X_i."""
        return np.concatenate([np.outer(self.weight, _ONE).ravel(), np.zeros(len(self.other))])


def _scaled_rows(matrix: Array, body: Array, other: Array) -> Array:
    count = 10 * len(body)
    blocks = matrix[:, :count].reshape(-1, len(body), 10).transpose(1, 0, 2) @ body
    return np.hstack([blocks.transpose(1, 0, 2).reshape(-1, count), matrix[:, count:] * other])


def _unit_rows(matrix: Array, side: Array) -> tuple[Array, Array]:
    norms = np.linalg.norm(matrix, axis=1)
    norms = np.where(norms > 0, norms, 1.0)
    return matrix / norms[:, None], side / norms


def _null(a: Array) -> Array | None:
    if not len(a):
        return None
    _, singular, basis = np.linalg.svd(a)
    return basis[int(np.sum(singular > 1e-12 * singular[0])) :].T


@dataclass(frozen=True, eq=False)
class _Point:
    """Coordinates, slacks and multipliers."""

    w: Array
    z: Array  # (bodies, 4, 4) multipliers of the bodies
    slack: Array
    y: Array

    def moved(self, step: float, move: _Point) -> _Point:
        z = self.z + step * move.z
        return _Point(self.w + step * move.w, 0.5 * (z + _flipped(z)), self.slack + step * move.slack, self.y + step * move.y)


class _System:
    """The linearised equations at a point: scaling, rows and their QR."""

    def __init__(self, scaled: _Scaled, point: _Point) -> None:
        self.scaled, self.point = scaled, point
        x = scaled.bodies_of(point.w)
        lx, lz = _cholesky(x), _cholesky(point.z)
        u, d, v = (np.asarray(part) for part in np.linalg.svd(_flipped(lz) @ lx))
        self.d: Array = d
        root = 1.0 / np.sqrt(self.d)
        self.out = lx @ (_flipped(v) * root[:, None, :])  # X = out diag(d) out'
        self.into = root[:, :, None] * (_flipped(u) @ _flipped(lz))  # its inverse
        blocks = _vector(self.into[:, None] @ UNIT @ _flipped(self.into)[:, None])  # (bodies, coordinate, row)
        count = 10 * len(x)
        self.ratio = np.sqrt(point.y / point.slack)
        tall = np.zeros((len(scaled.r) + count + len(point.y), len(point.w)))
        tall[: len(scaled.r)] = scaled.r
        for k, block in enumerate(blocks):
            at = len(scaled.r) + 10 * k
            tall[at : at + 10, 10 * k : 10 * k + 10] = block.T
        tall[len(scaled.r) + count :] = self.ratio[:, None] * scaled.g
        self.tall = tall
        self.blocks = blocks
        self.q, self.triangle = np.linalg.qr(tall if scaled.null is None else tall @ scaled.null)
        self.error = scaled.z - scaled.r @ point.w
        self.missing = scaled.g @ point.w - scaled.side - point.slack
        self.off = scaled.b - scaled.a @ point.w
        self.pull = _flipped(self.out) @ self.out * scaled.weight[:, None, None]

    def step(self, goal: Array, linear_goal: float, cross: Array | None = None, linear_cross: Array | None = None) -> _Point:
        """The move towards X Z = goal (per body) and slack * y = linear_goal, less second-order terms already known."""
        eye = np.eye(4)
        d, point = self.d, self.point
        product = goal[:, None, None] * eye - (d[:, :, None] * eye) ** 2
        linear = linear_goal * np.ones_like(point.y)
        if cross is not None and linear_cross is not None:
            product, linear = product - cross, linear - linear_cross
        wanted = 2 * product / (d[:, :, None] + d[:, None, :])
        body_side = _vector(wanted + d[:, :, None] * eye - self.pull).ravel()
        side = np.concatenate([self.error, body_side, linear / (self.ratio * point.slack) - self.ratio * self.missing])
        dw = self._solved(side)
        dx = _matrix((dw[: 10 * len(d)].reshape(-1, 1, 10) @ self.blocks)[:, 0])
        dz = wanted - dx
        self.scaled_move = dx, dz
        dslack = self.scaled.g @ dw + self.missing
        dy = linear / point.slack - point.y - point.y / point.slack * dslack
        return _Point(dw, _flipped(self.into) @ dz @ self.into, dslack, dy)

    def _solved(self, side: Array) -> Array:
        if self.scaled.null is None:
            return np.linalg.solve(self.triangle, self.q.T @ side)
        fixed = np.linalg.lstsq(self.scaled.a, self.off, rcond=None)[0]
        return fixed + self.scaled.null @ np.linalg.solve(self.triangle, self.q.T @ (side - self.tall @ fixed))

    def longest(self, move: _Point) -> float:
        """How far the last step may go until a body, a multiplier or a slack reaches zero."""
        root = 1.0 / np.sqrt(self.d)
        both = np.concatenate([m * root[:, :, None] * root[:, None, :] for m in self.scaled_move])
        least = np.linalg.eigvalsh(both)[:, 0].min(initial=0.0)
        shares = np.concatenate([move.slack / self.point.slack, move.y / self.point.y]).min(initial=0.0)
        return 1.0 / max(-min(least, shares), 1e-12)

    def to_gain(self, move: _Point) -> float:
        """About what the cost can still fall by, seen from a step to the exact goal."""
        gain = 0.5 * np.sum((self.tall @ move.w) ** 2) + self.point.slack @ self.point.y
        wanted = self.scaled.weight[:, None]
        loose = np.where(wanted > 0, (self.d**2 - wanted) ** 2 / np.maximum(wanted, 1e-300), self.d**2)
        return float(gain + loose.sum())


def newton(
    problem: PhysicalProblem, *, start: Array | None = None, iterations: int = ITERATIONS, tolerance: float = TOLERANCE
) -> PhysicalAnswer:
    """The optimum by Newton steps; `start` are values near it, if some are known.

    >>> from bifilar.estimate.log_det import newton
    >>> from bifilar.estimate.physical_problem import PhysicalProblem
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> answer = newton(PhysicalProblem(factor=np.eye(10), target=2 * ball, prior=ball[None], weight=1e-6))
    >>> answer.solved, answer.values[0].round(4)
    (True, np.float64(2.0))
    """
    with one_blas_thread(), np.errstate(all="ignore"):
        scaled = _Scaled.of(problem)
        point = _first(scaled, start)
        taken, words, outcome = 0, "out of iterations", "not converged"
        best: tuple[float, _Point] | None = None
        for taken in range(iterations + 1):  # noqa: B007
            try:
                system = _System(scaled, point)
                exact = system.step(scaled.weight, 0.0)
            except np.linalg.LinAlgError:
                words = "the equations became singular"
                break
            left = system.to_gain(exact)
            scale = _cost(scaled, point.w) + 1e-3 * scaled.weight.sum() + 1e-13 * float(scaled.z @ scaled.z) + 1e-300
            if not np.isfinite(left):
                words = "the numbers left the range of the machine"
                break
            feasible = _feasible(system)
            if feasible and (best is None or left / scale < best[0]):
                best = left / scale, point
            if feasible and left <= tolerance * scale:
                words, outcome = "the optimum", "solved"
                break
            reach = min(1.0, system.longest(exact))
            move, reach = _corrected(system, exact, reach)
            if reach < 1e-9:
                words = "the steps became too short"
                break
            point = point.moved(reach, move)
        if outcome != "solved" and best is not None:
            point = best[1]
            outcome = "solved" if best[0] <= 1e3 * tolerance else outcome
        elif outcome != "solved":
            outcome = "infeasible"
        return _answer(problem, scaled, point, outcome, taken, words)  # type: ignore[arg-type]


def _first(scaled: _Scaled, start: Array | None) -> _Point:
    """The prior, or the given values where they are well inside, with multipliers that match the data's pull in size."""
    bodies = len(scaled.body)
    w = np.concatenate([np.outer(1.0 + scaled.shift, _ONE).ravel(), np.zeros(len(scaled.other))])
    if start is not None:
        near = scaled.coordinates(start)
        w = near if np.linalg.eigvalsh(scaled.bodies_of(near)).min(initial=1.0) > 0 else w
    if len(scaled.other) and start is None:  # the other columns by themselves, for the prior's bodies
        own = scaled.r[:, 10 * bodies :]
        w[10 * bodies :] = np.linalg.lstsq(own, scaled.z - scaled.r @ w, rcond=1e-10)[0]
    slack = scaled.g @ w - scaled.side
    pull = scaled.r.T @ (scaled.r @ w - scaled.z) + scaled.prior_slope()
    each = np.abs(pull[: 10 * bodies]).reshape(-1, 10).max(axis=1, initial=0.0)
    size = float(np.max(each, initial=0.0))
    slack = np.maximum(slack, max(1e-2 * np.abs(w).max(initial=1.0), 1e-8))
    x = np.linalg.inv(scaled.bodies_of(w))
    mu = np.maximum(scaled.weight, max(size, 1e-12) * (0.1 if start is None else 1e-4))
    force = max(float(mu.mean()) if bodies else 0.0, float(np.abs(pull).max(initial=0.0)) * 1e-2, 1e-12)
    return _Point(w, mu[:, None, None] * x, slack, force / slack)


def _corrected(system: _System, exact: _Point, reach: float) -> tuple[_Point, float]:
    """Mehrotra's corrector: how far the exact goal can be followed tells how much centring is needed."""
    scaled, point = system.scaled, system.point
    dx, dz = system.scaled_move
    share = (1.0 - NEAREST * reach) ** 3 if reach < 1 else 1e-8
    mean = np.mean(system.d**2, axis=1)
    overall = float(mean.mean()) if len(mean) else 0.0
    goal = scaled.weight + share * np.maximum(overall - scaled.weight, 0.0)
    linear_mean = float(point.slack @ point.y) / max(len(point.y), 1)
    cross = dx @ dz
    move = system.step(goal, share * linear_mean, reach**2 * 0.5 * (cross + _flipped(cross)), reach**2 * exact.slack * exact.y)
    length = min(1.0, NEAREST * system.longest(move))
    if length >= 0.1:
        return move, length
    level = np.maximum(scaled.weight, overall)  # off the path: back to its middle first, without second-order terms
    move = system.step(level, linear_mean)
    return move, min(1.0, NEAREST * system.longest(move))


def _feasible(system: _System) -> bool:
    size = 1.0 + np.abs(system.point.w).max(initial=0.0)
    return bool(np.abs(system.missing).max(initial=0.0) <= 1e-9 * size and np.abs(system.off).max(initial=0.0) <= 1e-9 * size)


def _cost(scaled: _Scaled, w: Array) -> float:
    error = scaled.r @ w - scaled.z
    used = scaled.weight > 0
    values = np.linalg.eigvalsh(scaled.bodies_of(w)[used])
    divergence = np.maximum(values - 1.0 - np.log(values), 0.0).sum(axis=1)
    return 0.5 * float(error @ error + scaled.rest) + float(scaled.weight[used] @ divergence)


def _answer(
    problem: PhysicalProblem, scaled: _Scaled, point: _Point, outcome: Outcome, taken: int, words: str
) -> PhysicalAnswer:
    values = scaled.values(point.w)
    values = np.clip(values, problem.lower, problem.upper)
    touching = point.slack[: np.isfinite(problem.lower).sum()]
    low = np.flatnonzero(np.isfinite(problem.lower))
    bound = low[(touching < 1e-7) & (point.y[: len(low)] > touching)]  # what a multiplier holds at its bound is on it
    on_bound = values.copy()
    on_bound[bound] = problem.lower[bound]
    if problem.cost(on_bound) <= problem.cost(values) * (1 + 1e-9):
        values = on_bound
    cost = problem.cost(values)
    return PhysicalAnswer(values, cost, outcome, taken, _gap(scaled, point, _cost(scaled, point.w)), words)


def _gap(scaled: _Scaled, point: _Point, cost: float) -> float:
    """Cost less the dual value of multipliers that fulfil the first equation exactly; infinite if they are not multipliers."""
    count = 10 * len(scaled.body)
    error = scaled.r @ point.w - scaled.z
    slope = scaled.r.T @ error + scaled.prior_slope() - scaled.g.T @ point.y
    known = slope - np.concatenate([_vector(point.z).ravel(), np.zeros(len(scaled.other))])
    nu = np.linalg.lstsq(scaled.a.T, -known, rcond=None)[0] if len(scaled.a) else np.zeros(0)
    slope = slope + scaled.a.T @ nu
    z = _matrix(slope[:count].reshape(-1, 10))
    values = np.linalg.eigvalsh(z)
    if values.min(initial=1.0) <= 0:
        return np.inf
    weight = scaled.weight[:, None]
    logs = np.where(weight > 0, weight * np.log(values / np.where(weight > 0, weight, 1.0)), 0.0).sum()
    kept = float(scaled.shift @ np.trace(z, axis1=1, axis2=2))
    loose = float(np.abs(slope[count:]) @ (1.0 + np.abs(point.w[count:])))  # columns without a body: bounded by their size
    dual = -0.5 * error @ error - error @ scaled.z + 0.5 * scaled.rest + logs + kept
    return float(cost - dual - point.y @ scaled.side + nu @ scaled.b + loose)


def polished(problem: PhysicalProblem, answer: PhysicalAnswer) -> PhysicalAnswer:
    """The same problem once more from a known answer; a check that it stays.

    >>> from bifilar.estimate.log_det import newton, polished
    >>> from bifilar.estimate.physical_problem import PhysicalProblem
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> problem = PhysicalProblem(factor=np.eye(10), target=2 * ball, prior=ball[None], weight=1e-2)
    >>> first = newton(problem)
    >>> bool(np.allclose(polished(problem, first).values, first.values))
    True
    """
    return replace(newton(problem, start=answer.values), words=answer.words)
