"""One step of Newton's method for bodies that can exist (log_det.py): the problem scaled, a point, the linearised equations.

With J_i = L_i X_i L_i' (L_i the Cholesky factor of the prior's pseudo-inertia) the optimum is where, with multipliers Z_i, y,

    R'(R x - z) + w_i 1 = Z_i + G'y - A'nu,      X_i Z_i = w_i 1,      (G x - g) y = 0,      A x = b

These equations are linearised with Nesterov and Todd's scaling (1998): d = eigenvalues of X Z there, the same for both. What
is left are least squares over stacked rows, solved by Householder's QR, never by R'R, which has no digit left at condition 1e8.
A step costs about half a millisecond for seven links, most of it calls of small arrays; hence LAPACK's own routines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import lapack
from bifilar.dynamics.tree import Array
from bifilar.estimate.bodies import pseudo, ten_of
from bifilar.estimate.physical_problem import PhysicalProblem


def _unit_basis() -> Array:
    """Orthonormal basis of symmetric 4 x 4 matrices, (10, 4, 4)."""
    f = np.zeros((10, 4, 4))
    for k, (r, c) in enumerate(zip(*np.tril_indices(4), strict=True)):
        f[k, r, c] = f[k, c, r] = 1.0 if r == c else np.sqrt(0.5)
    return f


UNIT = _unit_basis()
_FLAT = UNIT.reshape(10, 16)
_BACK = np.ascontiguousarray(_FLAT.T)
_EYE = np.eye(4)
ONE = _FLAT @ _EYE.ravel()


def matrix_of(vectors: Array) -> Array:
    """Symmetric matrices of coordinates in that basis, (..., 10) -> (..., 4, 4).

    >>> from bifilar.estimate.log_det_system import ONE, matrix_of
    >>> bool(np.all(matrix_of(ONE) == np.eye(4)))
    True
    """
    return (vectors @ _FLAT).reshape(*vectors.shape[:-1], 4, 4)


def vector_of(matrices: Array) -> Array:
    """Coordinates of symmetric matrices, (..., 4, 4) -> (..., 10).

    >>> from bifilar.estimate.log_det_system import matrix_of, vector_of
    >>> bool(np.allclose(vector_of(matrix_of(np.arange(10.0))), np.arange(10.0)))
    True
    """
    return matrices.reshape(*matrices.shape[:-2], 16) @ _BACK


def flipped(matrices: Array) -> Array:
    """Transposed, each of them.

    >>> from bifilar.estimate.log_det_system import flipped
    >>> flipped(np.zeros((5, 4, 3))).shape
    (5, 3, 4)
    """
    return matrices.swapaxes(-1, -2)


def _cholesky(matrices: Array) -> Array:
    return np.asarray(np.linalg.cholesky(matrices), dtype=float)


@dataclass(frozen=True, eq=False)
class Scaled:
    """The problem in coordinates where every prior body is the unit matrix and other columns have norm one.

    >>> from bifilar.estimate.log_det_system import Scaled
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> scaled = Scaled.of(PhysicalProblem(factor=np.eye(10), target=ball, prior=4 * ball[None], weight=1.0))
    >>> scaled.bodies_of(scaled.coordinates(ball)).round(9)[0, 3]
    array([0.  , 0.  , 0.  , 0.25])
    """

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
    frame: Array  # R on top of zeros where a step puts its rows
    places: tuple[NDArray[np.int64], NDArray[np.int64]]  # where in the frame the rows of bodies are

    @classmethod
    def of(cls, problem: PhysicalProblem) -> Scaled:
        """Of a problem; rows beyond the columns are reduced first.

        >>> from bifilar.estimate.log_det_system import Scaled
        >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
        >>> Scaled.of(PhysicalProblem(factor=np.ones((99, 10)), target=np.ones(99), prior=ball[None], weight=1.0)).r.shape
        (10, 10)
        """
        root = _cholesky(pseudo(problem.prior))
        body = flipped(ten_of(root[:, None] @ UNIT @ flipped(root)[:, None]))
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
        frame = np.zeros((len(r) + count + len(side), r.shape[1]), order="F")
        frame[: len(r)] = r
        place = np.arange(count, dtype=np.int64).reshape(-1, 10)
        places = len(r) + np.repeat(place, 10, axis=1).ravel(), np.tile(place, 10).ravel()
        return cls(r, z, rest, weight, shift, g, side, a, b, _null(a), body, other, frame, places)

    def coordinates(self, values: Array) -> Array:
        """Of the problem's own values.

        >>> from bifilar.estimate.log_det_system import ONE, Scaled
        >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
        >>> scaled = Scaled.of(PhysicalProblem(factor=np.eye(10), target=ball, prior=ball[None], weight=1.0))
        >>> bool(np.allclose(scaled.coordinates(ball), ONE))
        True
        """
        count = 10 * len(self.body)
        bodies = np.linalg.solve(self.body, values[:count].reshape(-1, 10)[..., None])
        return np.concatenate([bodies.ravel(), values[count:] / self.other])

    def values(self, w: Array) -> Array:
        """The problem's own values.

        >>> from bifilar.estimate.log_det_system import ONE, Scaled
        >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
        >>> scaled = Scaled.of(PhysicalProblem(factor=np.eye(10), target=ball, prior=ball[None], weight=1.0))
        >>> bool(np.allclose(scaled.values(ONE), ball))
        True
        """
        count = 10 * len(self.body)
        bodies = (self.body @ w[:count].reshape(-1, 10)[..., None]).ravel()
        return np.concatenate([bodies, w[count:] * self.other])

    def bodies_of(self, w: Array) -> Array:
        """X_i less what every body keeps.

        >>> from bifilar.estimate.log_det_system import ONE, Scaled
        >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
        >>> Scaled.of(PhysicalProblem(factor=np.eye(10), target=ball, prior=ball[None], weight=1.0)).bodies_of(ONE).shape
        (1, 4, 4)
        """
        x = matrix_of(w[: 10 * len(self.body)].reshape(-1, 10))
        return x - self.shift[:, None, None] * _EYE if self.shift.any() else x

    def prior_slope(self) -> Array:
        """Gradient of sum_i w_i tr X_i.

        >>> from bifilar.estimate.log_det_system import Scaled
        >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
        >>> Scaled.of(PhysicalProblem(factor=np.eye(10), target=ball, prior=ball[None], weight=2.0)).prior_slope()[:3]
        array([2., 0., 2.])
        """
        return np.concatenate([np.outer(self.weight, ONE).ravel(), np.zeros(len(self.other))])


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
    _, singular, basis = decompose.svd(a)
    return basis[int(np.sum(singular > 1e-12 * singular[0])) :].T


@dataclass(frozen=True, eq=False)
class Point:
    """Coordinates, slacks and multipliers.

    >>> from bifilar.estimate.log_det_system import Point
    >>> one = Point(np.ones(10), np.zeros((1, 4, 4)), np.ones(2), np.ones(2))
    >>> one.moved(0.5, one).w[0]
    np.float64(1.5)
    """

    w: Array
    z: Array  # (bodies, 4, 4) multipliers of the bodies
    slack: Array
    y: Array

    def moved(self, step: float, move: Point) -> Point:
        """A share of a move away.

        >>> from bifilar.estimate.log_det_system import Point
        >>> one = Point(np.ones(10), np.zeros((1, 4, 4)), np.ones(2), np.ones(2))
        >>> one.moved(1.0, one).slack
        array([2., 2.])
        """
        z = self.z + step * move.z
        return Point(self.w + step * move.w, 0.5 * (z + flipped(z)), self.slack + step * move.slack, self.y + step * move.y)


class System:
    """The linearised equations at a point: scaling, rows and their QR.

    >>> from bifilar.estimate.log_det_system import ONE, Point, Scaled, System
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> scaled = Scaled.of(PhysicalProblem(factor=np.eye(10), target=ball, prior=ball[None], weight=1.0))
    >>> system = System(scaled, Point(ONE, np.eye(4)[None], np.zeros(0), np.zeros(0)))
    >>> bool(abs(system.step(scaled.weight, 0.0).w).max() < 1e-12)
    True
    """

    def __init__(self, scaled: Scaled, point: Point) -> None:
        self.scaled, self.point = scaled, point
        bodies = len(point.z)
        self.x = scaled.bodies_of(point.w)
        both = _cholesky(np.concatenate([self.x, point.z]))
        self.lx, lz = both[:bodies], both[bodies:]
        u, d, v = decompose.svd(flipped(lz) @ self.lx)
        self.d: Array = d
        root = 1.0 / np.sqrt(d)
        self.sums = d[:, :, None] + d[:, None, :]
        self.shrink = root[:, :, None] * root[:, None, :]
        out = self.lx @ (flipped(v) * root[:, None, :])  # X = out diag(d) out'
        self.into = root[:, :, None] * (flipped(u) @ flipped(lz))  # its inverse
        pairs = (self.into[:, :, None, :, None] * self.into[:, None, :, None, :]).reshape(bodies, 16, 16)
        self.blocks = _FLAT @ pairs @ _BACK  # (bodies, row, coordinate): vector of into UNIT into'
        self.ratio = np.sqrt(point.y / point.slack)
        tall = scaled.frame.copy(order="F")
        tall[scaled.places] = self.blocks.ravel()
        tall[len(tall) - len(point.y) :] = self.ratio[:, None] * scaled.g
        self.error = scaled.z - scaled.r @ point.w
        self.missing = scaled.g @ point.w - scaled.side - point.slack
        self.off = scaled.b - scaled.a @ point.w
        self.pull = flipped(out) @ out * scaled.weight[:, None, None]
        self._factorise(tall)

    def _factorise(self, tall: Array) -> None:
        null = self.scaled.null
        if null is not None:
            self.fixed = decompose.lstsq(self.scaled.a, self.off, rcond=None)[0]
            self.known = tall @ self.fixed
            tall = np.asfortranarray(tall @ null)
        if len(tall) < tall.shape[1]:
            raise np.linalg.LinAlgError("fewer rows than unknowns")
        self.room = 32 * tall.shape[1]
        self.qr, self.tau, _, _ = lapack().dgeqrf(tall, lwork=self.room, overwrite_a=True)

    def _least(self, side: Array) -> Array:
        turned = lapack().dormqr("L", "T", self.qr, self.tau, side[:, None], self.room)[0]
        count = self.qr.shape[1]
        solved, info = lapack().dtrtrs(self.qr[:count], turned[:count])
        if info:
            raise np.linalg.LinAlgError("singular")
        return np.asarray(solved[:, 0], dtype=float)

    def _solved(self, side: Array) -> Array:
        if self.scaled.null is None:
            return self._least(side)
        return np.asarray(self.fixed + self.scaled.null @ self._least(side - self.known), dtype=float)

    def step(self, goal: Array, linear_goal: float, cross: Array | None = None, linear_cross: Array | None = None) -> Point:
        """The move towards X Z = goal (per body) and slack * y = linear_goal, less second-order terms already known."""
        d, point = self.d, self.point
        wanted = ((goal[:, None] - d**2) / d)[:, :, None] * _EYE
        linear: float | Array = linear_goal
        if cross is not None and linear_cross is not None:
            wanted, linear = wanted - 2.0 * cross / self.sums, linear_goal - linear_cross
        body_side = vector_of(wanted + d[:, :, None] * _EYE - self.pull).ravel()
        side = np.concatenate([self.error, body_side, linear / (self.ratio * point.slack) - self.ratio * self.missing])
        dw = self._solved(side)
        self.along = (self.blocks @ dw[: body_side.size].reshape(-1, 10, 1))[..., 0]
        dx = matrix_of(self.along)
        dz = wanted - dx
        self.scaled_move = dx, dz
        self.linear_move = self.scaled.g @ dw
        dslack = self.linear_move + self.missing
        dy = linear / point.slack - point.y - point.y / point.slack * dslack
        return Point(dw, flipped(self.into) @ dz @ self.into, dslack, dy)

    def longest(self, move: Point) -> float:
        """How far the last step may go until a body, a multiplier or a slack reaches zero."""
        both = np.concatenate([m * self.shrink for m in self.scaled_move])
        least = decompose.eigvalsh(both)[:, 0].min(initial=0.0)
        shares = np.concatenate([move.slack / self.point.slack, move.y / self.point.y]).min(initial=0.0)
        return 1.0 / max(-min(least, shares), 1e-12)

    def to_gain(self, move: Point) -> float:
        """About what the cost can still fall by, seen from the last step if that was one to the exact goal."""
        data, linear = self.scaled.r @ move.w, self.ratio * self.linear_move
        squares = data @ data + np.vdot(self.along, self.along) + linear @ linear
        wanted = self.scaled.weight[:, None]
        loose = np.where(wanted > 0, (self.d**2 - wanted) ** 2 / np.maximum(wanted, 1e-300), self.d**2)
        return float(0.5 * squares + self.point.slack @ self.point.y + loose.sum())

    def cost(self) -> float:
        """At the point."""
        logs = 2.0 * np.log(np.einsum("ikk->ik", self.lx)).sum(axis=1)
        divergence = np.maximum(np.einsum("ikk->i", self.x) - 4.0 - logs, 0.0)
        scaled = self.scaled
        return 0.5 * float(self.error @ self.error + scaled.rest) + float(scaled.weight @ divergence)

    def feasible(self) -> bool:
        """Whether conditions hold, rounding aside."""
        size = 1e-9 * (1.0 + np.abs(self.point.w).max(initial=0.0))
        return bool(np.abs(self.missing).max(initial=0.0) <= size and np.abs(self.off).max(initial=0.0) <= size)
