"""`solve`: weighted least squares from a reduction, with covariance.

With the factor R of the chosen columns and z of the torque, R x = z. A row's noise comes from its residual and the equations
that the parameters have not used up, sigma^2 = |e|^2 / (samples - leverage), leverage = |R_row R^-1|^2 (Frobenius). Rows are
weighted by 1/sigma, and both are repeated until they settle: a noisy joint spoils the first fit of a quiet one. The covariance
is (R'R)^-1 of the weighted factor. It holds for white noise on the torque; for filtered or correlated noise it is too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.reduce import BlockFactor, stack
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.robot.reduction import Reduction

WORST_CONDITION = 1e13  # beyond, no digit of the answer is left
SETTLED = 1e-3  # relative change of the weights
REWEIGHTINGS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """Values of named parameters and how sure they are, if the noise is white.

    Solved for base parameters, a value is that of a whole sum (`base_parameters(robot).equations()`), not of the parameter
    whose name it bears; `base_parameters(robot).model(robot, solution)` is the model it stands for.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 100, 1))
    >>> base = bf.base_parameters(robot)
    >>> answer = bf.solve(bf.reduce(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), columns=base))
    >>> answer.names == base.independent
    True
    """

    names: tuple[str, ...]
    values: Array
    covariance: Array
    row_names: tuple[str, ...]
    noise: Array  # (rows,) standard deviation of the torque error of a sample with weight 1, in the rows' units
    condition: float  # of the weighted factor
    samples: int

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values for independent errors from sample to sample; too small for filtered data.

        >>> Solution(("a",), np.ones(1), np.array([[4.0]]), (), np.ones(0), 1.0, 5).deviations
        array([2.])
        """
        return np.sqrt(np.diag(self.covariance))

    @property
    def relative_deviations(self) -> Array:
        """Standard deviations as a fraction of the values; infinite for a value of zero.

        >>> Solution(("a",), np.full(1, 8.0), np.array([[4.0]]), (), np.ones(0), 1.0, 5).relative_deviations
        array([0.25])
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.values != 0, self.deviations / np.abs(self.values), np.inf)

    def __repr__(self) -> str:
        noise = ", ".join(f"{x:.3g}" for x in self.noise)
        return f"Solution({len(self.names)} parameters from {self.samples} samples, torque noise {noise})"

    def table(self) -> str:
        """Name, value and standard deviation, one line each.

        >>> print(Solution(("a",), np.full(1, 8.0), np.array([[4.0]]), (), np.ones(0), 1.0, 5).table())
        a  8 +- 2
        """
        width = max((len(name) for name in self.names), default=0)
        rows = zip(self.names, self.values, self.deviations, strict=True)
        return "\n".join(f"{name:<{width}}  {value:.6g} +- {deviation:.2g}" for name, value, deviation in rows)


def solve(reduction: Reduction, *, weights: Literal["per row", "equal"] | ArrayLike = "per row") -> Solution:
    """Least-squares values of all columns of a reduction; every column must be seen by the data.

    The covariance takes the torque errors of different samples as independent. Filtered data are not: decimate them to the
    filter's bandwidth first.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> base = bf.base_parameters(robot)
    >>> data = bf.reduce(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), columns=base)
    >>> np.allclose(bf.solve(data).values, base.from_full(robot.parameters().values))
    True
    """
    block = reduction.merged()
    given = _row_weights(weights, reduction.row_names)
    fit = _Fit.of(reduction.column_names, block, np.ones(len(block.rows)) if given is None else given)
    for _ in range(REWEIGHTINGS if given is None and fit.each_row_tells else 0):
        previous, fit = fit, _Fit.of(reduction.column_names, block, 1.0 / fit.noise)
        if np.all(np.abs(fit.weights / previous.weights - 1) < SETTLED):
            break
    return Solution(
        reduction.column_names, fit.values, fit.covariance, reduction.row_names, fit.noise, fit.condition, reduction.samples
    )


def _row_weights(weights: object, names: tuple[str, ...]) -> Array | None:
    """Given weights; ones for "equal"; None if they are to be found."""
    if isinstance(weights, str):
        if weights not in ("per row", "equal"):
            what, remedy = f"there are no weights '{weights}'", 'ask for "per row" or "equal", or give one number per row'
            raise SolveError(what, remedy=remedy)
        return np.ones(len(names)) if weights == "equal" else None
    given = np.asarray(weights, dtype=float)
    if given.shape != (len(names),) or not np.isfinite(given).all() or np.any(given <= 0):
        raise SolveError(f"weights must be {len(names)} positive numbers, one per row", remedy=f"rows are {', '.join(names)}")
    return given


@dataclass(frozen=True, eq=False)
class _Fit:
    """Least squares with given row weights."""

    weights: Array
    values: Array
    inverse: Array  # of the triangular factor
    condition: float
    residuals: Array  # (rows,) norms
    free: Array  # (rows,) equations that the parameters have not used up
    floor: Array  # (rows,) what rounding leaves of the torque

    @classmethod
    def of(cls, names: tuple[str, ...], block: BlockFactor, weights: Array) -> _Fit:
        count, samples = len(names), np.array([row.samples for row in block.rows])
        equations = sum(min(row.samples, len(row.columns)) for row in block.rows)
        if equations < count or not count:
            what = f"{block.samples} samples give at most {equations} independent equations for {count} parameters"
            raise SolveError(what, remedy="give more samples, or solve for fewer parameters (columns=...)")
        triangle = stack(block, weights, count)
        r, z = triangle[:count, :count], triangle[:count, count]
        singular: Array = np.linalg.svd(r, compute_uv=False)  # type: ignore[assignment]
        if not singular[-1] > singular[0] / WORST_CONDITION:
            raise _unseen(names, r, singular)
        inverse: Array = np.linalg.solve(r, np.eye(count))  # type: ignore[assignment]
        values: Array = np.linalg.solve(r, z)  # type: ignore[assignment]
        pairs = zip(weights, block.rows, strict=True)
        leverage = [np.sum((w * row.triangle[:, :-1] @ inverse[row.columns]) ** 2) for w, row in pairs]
        torque = np.array([np.linalg.norm(row.triangle[:, -1]) for row in block.rows]) / np.sqrt(np.maximum(samples, 1))
        floor = 1e-12 * np.where(torque > 0, torque, max(torque.max(initial=0.0), 1.0))
        residuals = np.array([row.residual(values) for row in block.rows])
        condition = float(singular[0] / singular[-1])
        return cls(weights, values, inverse, condition, residuals, samples - np.array(leverage), floor)

    @property
    def each_row_tells(self) -> bool:
        """Whether every row has equations to spare, so that its own noise can be told."""
        return bool(np.all(self.free >= 1))

    @property
    def common(self) -> float:
        """Standard deviation of the weighted errors of all rows together; infinite if no equation is to spare."""
        spare = self.free.sum()
        return float(np.sqrt(np.sum((self.weights * self.residuals) ** 2) / spare)) if spare > 1e-9 else np.inf

    @property
    def noise(self) -> Array:
        """Of every row by itself, or of all together where a row cannot tell."""
        if not self.each_row_tells:
            return np.maximum(self.common / self.weights, self.floor)
        return np.maximum(self.residuals / np.sqrt(self.free), self.floor)

    @property
    def covariance(self) -> Array:
        """Of the values; infinite if nothing tells the noise."""
        if not np.isfinite(self.common):
            return np.full((len(self.values), len(self.values)), np.inf)
        return self.common**2 * self.inverse @ self.inverse.T


def _unseen(names: Sequence[str], r: Array, singular: Array) -> SolveError:
    """Which parameters the data leave open."""
    _, _, directions = np.linalg.svd(r)
    open_directions = directions[singular <= singular[0] / WORST_CONDITION]
    share = np.abs(open_directions).max(axis=0)
    worst = [names[k] for k in np.argsort(-share) if share[k] > 0.3][:6]
    return SolveError(
        f"the data do not determine {len(open_directions)} of {len(names)} parameters, among them {', '.join(worst)}",
        likely="a motion that does not excite them, or columns that can only be seen in combination",
        remedy="move all joints with speed and acceleration; solve for base parameters (columns=base_parameters(robot))",
    )
