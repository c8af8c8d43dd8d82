"""Robust least squares: rows that do not belong lose their say.

    least sum over rows of rho(e / scale),     weights  omega^2 = rho'(r) / r        on the square of a row's error

Huber: errors beyond 1.345 scales count linearly; Tukey: beyond 4.685 scales not at all (both lose 5 % to least squares if the
noise is normal). Scale: the median of |e| / 0.6745, joint by joint. Huber's cost is convex; while it is solved the scales
settle, then they are held, and reweighting can only lower the cost (Holland and Welsch 1977): the iteration stops where it
does not. Tukey starts from Huber's answer. Columns are first made orthonormal, so normal equations lose no digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.problem import Problem
from bifilar.robot.solve import weighted_fit

Kind = Literal["huber", "tukey"]
EDGE = {"huber": 1.345, "tukey": 4.685}  # in scales
MOST = 100  # reweightings
FINE = 1e-10  # relative decrease of the cost that ends it
KEPT_BYTES = 5e8  # rows are kept in memory up to here, read again beyond
FLOOR = 1e-9  # of a joint's torque: a smaller scale is rounding


@dataclass(frozen=True, eq=False)
class RobustFit:
    """Weights of all rows, and what the covariance needs.

    >>> RobustFit("huber", (np.ones((3, 1)),), *np.ones((4, 1)), (2.0, 1.0), True).outliers
    0.0
    """

    kind: Kind
    weights: tuple[Array, ...]  # (rows, joints) of every recording: omega, which multiplies the row
    scale: Array  # (joints,) of the errors
    slope: Array  # (joints,) mean of rho'': what a change of the values still changes
    square: Array  # (joints,) mean of rho'^2: what errors still pull
    values: Array
    costs: tuple[float, ...]  # of every reweighting with held scales, never rising
    converged: bool

    @property
    def outliers(self) -> float:
        """Share of the rows that lost more than half of their say.

        >>> RobustFit("huber", (np.array([[0.1], [1.0]]),), *np.ones((4, 1)), (), True).outliers
        0.5
        """
        return float(np.mean(np.concatenate([w.ravel() for w in self.weights]) ** 2 < 0.5))

    def score(self, errors: Array) -> Array:
        """What an error in scales pulls with.

        >>> RobustFit("huber", (), *np.ones((4, 1)), (), True).score(np.array([1.0, 50.0]))
        array([1.   , 1.345])
        """
        return errors * weight_of(errors, self.kind)


def weight_of(r: Array, kind: Kind) -> Array:
    """rho'(r) / r.

    >>> weight_of(np.array([0.0, 13.45]), "huber"), weight_of(np.array([0.0, 5.0]), "tukey")
    (array([1. , 0.1]), array([1., 0.]))
    """
    edge = EDGE[kind]
    if kind == "huber":
        return np.asarray(edge / np.maximum(np.abs(r), edge), dtype=float)
    return np.maximum(1 - (r / edge) ** 2, 0.0) ** 2


def cost_of(r: Array, kind: Kind) -> Array:
    """rho(r).

    >>> cost_of(np.array([1.0]), "huber"), cost_of(np.array([100.0]), "tukey").round(3)
    (array([0.5]), array([3.658]))
    """
    edge, size = EDGE[kind], np.abs(r)
    if kind == "huber":
        return np.where(size <= edge, 0.5 * r**2, edge * size - 0.5 * edge**2)
    return edge**2 / 6 * (1 - np.maximum(1 - (r / edge) ** 2, 0.0) ** 3)


def slope_of(r: Array, kind: Kind) -> Array:
    """rho''(r).

    >>> slope_of(np.array([0.0, 9.0]), "huber"), slope_of(np.array([0.0]), "tukey")
    (array([1., 0.]), array([1.]))
    """
    edge = EDGE[kind]
    if kind == "huber":
        return np.asarray(np.abs(r) <= edge, dtype=float)
    x: Array = np.minimum((r / edge) ** 2, 1.0)
    return np.asarray((1 - x) * (1 - 5 * x), dtype=float)


class _Rows(NamedTuple):
    columns: Array  # (rows, joints, parameters) orthonormal over all rows
    errors: Array  # (rows, joints) weighted, of the start
    present: NDArray[np.bool_]  # (rows, joints)
    recording: int


Errors = tuple[Array, NDArray[np.bool_], int]  # of rows, which of them are present, of which recording


class _Pass:
    """Rows in orthonormal columns around the least-squares values; kept if they are not too many."""

    def __init__(self, problem: Problem) -> None:
        names = problem.base.independent
        self.problem, self.fit = problem, weighted_fit(names, problem.factor(), None, problem.prior())
        self.spread = self.fit.inverse * 1.0
        rows = sum(map(len, problem.sources))
        size = 8.0 * rows * len(problem.row_names) * len(names)
        self.kept = list(self._read()) if size < KEPT_BYTES else None

    def _read(self) -> Iterator[_Rows]:
        for chunk in self.problem.rows():
            columns = chunk.weight[:, :, None] * (chunk.columns @ self.spread)
            errors = chunk.weight * (chunk.torque - chunk.columns @ self.fit.values)
            yield _Rows(columns, errors, chunk.weight > 0, chunk.recording)

    def __iter__(self) -> Iterator[_Rows]:
        return iter(self.kept if self.kept is not None else self._read())

    def errors(self, step: Array) -> list[Errors]:
        return [(rows.errors - rows.columns @ step, rows.present, rows.recording) for rows in self]

    def reweighted(self, step: Array, scale: Array, kind: Kind) -> Array:
        """Weighted least squares with the weights that the present errors ask for."""
        width = len(step)
        gram, right = np.zeros((width, width)), np.zeros(width)
        for rows in self:
            omega = np.sqrt(weight_of((rows.errors - rows.columns @ step) / scale, kind)) / scale
            tall = (rows.columns * omega[:, :, None]).reshape(-1, width)
            gram += tall.T @ tall
            right += tall.T @ (rows.errors * omega).ravel()
        return np.asarray(decompose.lstsq(gram, right, rcond=1e-12)[0], dtype=float)


def robust_fit(problem: Problem, kind: Kind) -> RobustFit:
    """Weights that settle, and the scale of every joint's errors.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> tau = robot.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(1).normal(size=(200, 1))
    >>> tau[7] += 200
    >>> float(robust_fit(Problem.of(robot, (q, v, a, tau), friction=()), "tukey").weights[0][7, 0])
    0.0
    """
    if kind not in EDGE:
        raise SolveError("robust.unknown/robust", kind=kind)
    if not problem.whole:
        raise SolveError("rows.missing/robust")
    with one_blas_thread():
        rows = _Pass(problem)
        floor = FLOOR * np.maximum(rows.fit.floor / 1e-12, np.finfo(float).tiny)
        step, scale = _settled(rows, floor)
        step, costs, converged = _held(rows, step, scale, "huber")
        if kind == "tukey":
            step, costs, converged = _held(rows, step, scale, "tukey")
        errors = rows.errors(step)
        slope = np.maximum(_mean(errors, slope_of, scale, kind), 0.1)  # below a tenth it is not known
        square = _mean(errors, _squared, scale, kind)
    weights = [np.ones((len(source), len(scale))) for source in problem.sources]
    place = [0] * len(weights)
    for e, _, k in errors:
        weights[k][place[k] : place[k] + len(e)] = np.sqrt(weight_of(e / scale, kind))
        place[k] += len(e)
    values = rows.fit.values + rows.spread @ step
    return RobustFit(kind, tuple(weights), scale, slope, square, values, costs, converged)


def _settled(rows: _Pass, floor: Array) -> tuple[Array, Array]:
    """Huber's answer with scales that follow the errors."""
    step = np.zeros(rows.spread.shape[1])
    scale = _scale(rows.errors(step), floor)
    for _ in range(MOST):
        step = rows.reweighted(step, scale, "huber")
        previous, scale = scale, _scale(rows.errors(step), floor)
        if np.all(np.abs(scale / previous - 1) < 1e-4):
            break
    return step, scale


def _held(rows: _Pass, step: Array, scale: Array, kind: Kind) -> tuple[Array, tuple[float, ...], bool]:
    """Reweighting with held scales, until the cost does not fall any more."""
    costs = [_cost(rows, step, scale, kind)]
    for _ in range(MOST):
        tried = rows.reweighted(step, scale, kind)
        cost = _cost(rows, tried, scale, kind)
        if not cost <= costs[-1]:
            return step, tuple(costs), True
        step = tried
        costs.append(cost)
        if costs[-2] - cost <= FINE * costs[-2]:
            return step, tuple(costs), True
    return step, tuple(costs), False


def _cost(rows: _Pass, step: Array, scale: Array, kind: Kind) -> float:
    return float(sum(np.sum(cost_of(e / scale, kind)) for e, _, _ in rows.errors(step)))


def _scale(errors: list[Errors], floor: Array) -> Array:
    e, present = (np.concatenate([part[k] for part in errors]) for k in (0, 1))
    sizes = [np.abs(column[here]) for column, here in zip(e.T, present.T)]
    return np.maximum([np.median(size) / 0.6745 if len(size) else 0.0 for size in sizes], floor)


def _squared(r: Array, kind: Kind) -> Array:
    return (r * weight_of(r, kind)) ** 2


def _mean(errors: list[Errors], of: Callable[[Array, Kind], Array], scale: Array, kind: Kind) -> Array:
    """Over the rows that are present, joint by joint."""
    total, count = np.zeros(len(scale)), np.zeros(len(scale))
    for e, present, _ in errors:
        total += np.sum(np.where(present, of(e / scale, kind), 0.0), axis=0)
        count += present.sum(axis=0)
    return total / np.maximum(count, 1)
