"""Least squares over a long chain of unknowns and a few common ones: banded Gauss-Newton with a border.

    minimise  |r(x, theta)|^2 + |(x - x_measured) / sigma|^2

x are states along a recording, thousands to millions; every residual meets a short window of them and all of theta.
The normal equations are a band H beside a narrow border C, with a small corner T:

    [ H  C ] [dx    ]     [g]         S = T - C' H^-1 C   (the Schur complement: what x leaves of the knowledge about theta)
    [ C' T ] [dtheta] = - [h]         S dtheta = -(h - C' H^-1 g),     H dx = -(g + C dtheta)

With H = R'R, W = R^-T C and w = R^-T g: S = T - W'W and R dx = -(w + W dtheta), so the border is swept forward only, and
work and memory are linear in the length of the chain. S^-1 is the covariance of theta, x being unknown (variable projection,
Golub and Pereyra 1973, has the same S). Steps are damped as by Levenberg and Marquardt, in units of sigma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose, engine
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import ResourceError, SolveError
from bifilar.estimate import banded_steps

MOST_BYTES = 4e9  # of one system
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-2, 1e-6, 1e12
SEVERAL = 3.0  # times the most negative eigenvalue: what information must exceed to be more than rounding
FINE = 1e-9  # of the cost: a smaller promised decrease is rounding
SMALL = 1e-3  # squared deviations: a smaller promised decrease moves nothing by more than a thirtieth of its deviation


class Step(NamedTuple):
    """What the normal equations propose.

    >>> Step(np.zeros(3), np.zeros(1), 0.0).promised
    0.0
    """

    x: Array  # (unknowns,)
    theta: Array
    promised: float  # decrease of the sum of squares if everything were linear


class BandedSystem:
    """Normal equations of a chain with a border; filled window by window, then solved in place.

    >>> system = BandedSystem(unknowns=3, window=2, border=1)
    >>> jacobian = np.array([[[1.0, -1.0]], [[1.0, -1.0]]])
    >>> system.add(np.array([0, 1]), jacobian, np.array([[[1.0, 0.5]], [[2.0, 0.5]]]))  # the last column is the residual
    >>> system.anchor(np.ones(3), np.zeros(3))
    >>> system.cost
    0.5
    >>> system.step().promised > 0
    True
    """

    def __init__(self, unknowns: int, window: int, border: int) -> None:
        size = 8.0 * unknowns * (window + border + 2)
        if size > MOST_BYTES:
            raise ResourceError("memory.too_much", unknowns=unknowns, border=border, size=size / 1000000000.0)
        self.band = np.zeros((unknowns, window))  # row i: H[i, i], H[i, i + 1], ...
        self.side = np.zeros((unknowns, border + 1))  # C and g
        self.corner = np.zeros((border + 1, border + 1))  # T, h and the sum of squares
        self.weight = np.zeros(unknowns)  # 1 / sigma^2 of the measured states
        self.operations = 0  # multiplications so far

    def clear(self) -> None:
        """Zero again, for the next iteration.

        >>> system = BandedSystem(2, 1, 1)
        >>> system.anchor(np.ones(2), np.ones(2))
        >>> system.clear()
        >>> system.cost
        0.0
        """
        for array in (self.band, self.side, self.corner, self.weight):
            array[...] = 0.0

    @property
    def cost(self) -> float:
        """Sum of squares of everything that was added.

        >>> BandedSystem(2, 1, 1).cost
        0.0
        """
        return float(self.corner[-1, -1])

    def add(self, first: NDArray[np.int64], jacobian: Array, border: Array) -> None:
        """Residuals of K windows: derivatives (K, rows, window) by unknowns from `first` on; by theta, the residual last.

        >>> system = BandedSystem(2, 2, 1)
        >>> system.add(np.array([0]), np.array([[[1.0, -1.0]]]), np.array([[[3.0, 0.5]]]))
        >>> system.side
        array([[ 3. ,  0.5],
               [-3. , -0.5]])
        """
        samples, rows, width = jacobian.shape
        kernels().accumulate(first, jacobian, border, self.band, self.side)
        with one_blas_thread():
            flat = border.reshape(-1, border.shape[2])
            self.corner += flat.T @ flat
        columns = self.side.shape[1]
        self.operations += samples * rows * (width * (width + 1) // 2 + width * columns + columns**2)

    def anchor(self, weight: Array, difference: Array) -> None:
        """Measured states: weight times the square of the difference from them, (unknowns,) each.

        >>> system = BandedSystem(2, 1, 1)
        >>> system.anchor(np.ones(2), np.array([0.0, 2.0]))
        >>> system.cost
        4.0
        """
        self.weight += weight
        self.band[:, 0] += weight
        self.side[:, -1] += weight * difference
        self.corner[-1, -1] += float(weight @ (difference * difference))
        self.operations += 3 * len(weight)

    def hold(self, first: NDArray[np.int64], jacobian: Array) -> None:
        """Damp as these equations know the states: for states that no measurement of their own anchors.

        >>> system = BandedSystem(2, 2, 1)
        >>> system.hold(np.array([0]), np.array([[[1.0, -2.0]]]))
        >>> system.weight
        array([1., 4.])
        """
        np.add.at(self.weight, first[:, None] + np.arange(jacobian.shape[2]), (jacobian**2).sum(axis=1))

    def step(self, damping: float = 0.0) -> Step:
        """Solve, in place of what was added; `damping` keeps x near, in units of its measurement's deviation, and theta.

        >>> system = BandedSystem(1, 1, 1)
        >>> system.add(np.array([0]), np.array([[[1.0]]]), np.array([[[1.0, 1.0]]]))
        >>> system.anchor(np.ones(1), np.zeros(1))
        >>> system.step().theta
        array([-1.])
        """
        unknowns, width = self.band.shape
        columns = self.side.shape[1]
        if damping:
            self.band[:, 0] += damping * self.weight
        failed = np.zeros(1, np.int64)
        kernels().factor(self.band, self.side, failed)
        if failed[0]:
            raise SolveError("matrix.singular/banded", failed=failed[0] - 1)
        with one_blas_thread():
            self.corner -= self.side.T @ self.side
        self.operations += unknowns * (width * (width + 1) // 2 + width * columns + columns**2 + width)
        theta = -_solved(self.schur, self.corner[:-1, -1], damping)
        x = -(self.side[:, -1] + self.side[:, :-1] @ theta)
        forward = float(self.side[:, -1] @ self.side[:, -1])
        promised = forward - float(theta @ self.corner[:-1, -1])
        kernels().back(self.band, x)
        return Step(x, theta, promised)

    @property
    def schur(self) -> Array:
        """After a step: information about theta, x being unknown; its inverse is the covariance.

        >>> BandedSystem(1, 1, 2).schur.shape
        (2, 2)
        """
        return self.corner[:-1, :-1]

    def inverse_band(self) -> Array:
        """After a step: entries of H^-1 inside the band, (unknowns, window): covariance of the states, theta known.

        >>> system = BandedSystem(1, 1, 1)
        >>> system.add(np.array([0]), np.array([[[1.0]]]), np.array([[[1.0, 1.0]]]))
        >>> system.anchor(np.ones(1), np.zeros(1))
        >>> _ = system.step()
        >>> system.inverse_band()
        array([[0.5]])
        """
        inside = np.zeros_like(self.band)
        kernels().inverse(self.band, inside)
        self.operations += self.band.size * self.band.shape[1]
        return inside


Fill = Callable[[Array, Array, BandedSystem], None]  # (x, theta, system): adds everything at this point


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the iterations ended.

    >>> Minimum(np.zeros(1), np.zeros(1), 0.0, 1, True, ()).converged
    True
    """

    x: Array
    theta: Array
    cost: float
    iterations: int
    converged: bool
    costs: tuple[float, ...]  # after every accepted step


def minimise(fill: Fill, x: Array, theta: Array, system: BandedSystem, *, most: int = 50) -> Minimum:
    """Gauss-Newton steps, damped only where a plain one does not lower the cost. `system` is left factored at the end.

    >>> def line(x, theta, system):  # x = theta * (1, 2), measured as (1.1, 1.9)
    ...     r = np.stack([x - theta[0] * np.array([1.0, 2.0])])
    ...     border = np.stack([[-1.0, -2.0], r[0]], axis=1)[:, None, :]
    ...     system.add(np.array([0, 1]), np.ones((2, 1, 1)), border)
    ...     system.anchor(np.ones(2), x - [1.1, 1.9])
    >>> minimise(line, np.zeros(2), np.zeros(1), BandedSystem(2, 1, 1)).theta.round(12)
    array([0.98])
    """
    damping, costs, converged, iteration = 0.0, [], False, 0
    cost = _filled(fill, x, theta, system)
    while iteration < most and not converged and damping <= MOST_DAMPING:
        iteration += 1
        step = system.step(damping)
        if step.promised <= FINE * cost + SMALL:
            converged = True
            continue
        tried = x + step.x, theta + step.theta
        finite = all(np.isfinite(part).all() for part in tried)
        new = _filled(fill, *tried, system) if finite else np.inf
        if cost - new > 1e-3 * step.promised:
            (x, theta), cost = tried, new
            costs.append(cost)
            damping = 0.0 if damping <= LEAST_DAMPING else damping / 10
            continue
        damping = max(10 * damping, FIRST_DAMPING)
        _filled(fill, x, theta, system)
    if damping or not converged:  # leave the plain factor behind, whose Schur complement is the information
        _filled(fill, x, theta, system)
        system.step()
    return Minimum(x, theta, cost, iteration, converged, tuple(costs))


def _filled(fill: Fill, x: Array, theta: Array, system: BandedSystem) -> float:
    system.clear()
    fill(x, theta, system)
    return system.cost if np.isfinite(system.cost) else np.inf


def _solved(matrix: Array, right: Array, damping: float) -> Array:
    """Solve with a matrix whose rows have different units: scaled to ones on the diagonal."""
    scale, values, vectors = resolved(matrix)
    return scale * (vectors @ ((vectors.T @ (scale * right)) / (values + damping)))


def resolved(matrix: Array) -> tuple[Array, Array, Array]:
    """Scale, eigenvalues and eigenvectors of an information matrix in the units of its diagonal; no eigenvalue is zero.

    Information is never negative. It is a difference of large numbers, and eigenvalues below zero show how much of it is
    rounding: all are taken to be at least a few times that.

    >>> scale, values, _ = resolved(np.diag([4.0, -1e-9, 1.0]))
    >>> bool(values.min() > 0), scale[0]
    (True, np.float64(0.5))
    """
    size = np.abs(np.diag(matrix))
    scale = 1.0 / np.sqrt(np.where(size > 0, size, max(float(size.max(initial=0.0)), np.finfo(float).tiny)))
    values, vectors = decompose.eigh(matrix * scale[:, None] * scale)
    least = max(-SEVERAL * float(values.min(initial=0.0)), np.finfo(float).eps * float(values.max(initial=1.0)))
    return scale, np.maximum(values, least), vectors


class _Kernels(NamedTuple):
    accumulate: Callable[..., Any]
    factor: Callable[..., Any]
    back: Callable[..., Any]
    inverse: Callable[..., Any]
    spread: Callable[..., Any]


def kernels() -> _Kernels:
    """The sweeps, compiled where numba is.

    >>> len(kernels())
    5
    """
    if engine.current().__name__.endswith("fast"):
        return _compiled()
    return _Kernels(*(getattr(banded_steps, name) for name in _Kernels._fields))


@cache
def _compiled() -> _Kernels:
    from numba import types

    from bifilar.dynamics.kernels.lanes import IN2, OUT1, OUT2, entry

    cube = types.Array(types.float64, 3, "C", readonly=True)
    places = types.Array(types.int64, 1, "C", readonly=True)
    return _Kernels(
        entry(places, cube, cube, OUT2, OUT2)(banded_steps.accumulate),
        entry(OUT2, OUT2, types.int64[::1])(banded_steps.factor),
        entry(IN2, OUT1)(banded_steps.back),
        entry(IN2, OUT2)(banded_steps.inverse),
        entry(places, cube, IN2, OUT2)(banded_steps.spread),
    )
