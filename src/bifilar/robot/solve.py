"""`solve`: weighted least squares from a reduction, with covariance.

With the factor R of the chosen columns and z of the torque, R x = z. Row weights 1/sigma come from the residuals,
sigma^2 = |e|^2 / (samples - parameters per row), of an unweighted fit and then of the weighted ones until they settle: a noisy
joint spoils the first fit of a quiet one. The covariance is (R'R)^-1 of the weighted factor. It holds for white noise on the
torque; for filtered or correlated noise it is too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.robot.reduction import Reduction

WORST_CONDITION = 1e13  # beyond, no digit of the answer is left
REWEIGHTINGS = 4  # each squares the share of the error that is left in the weights


@dataclass(frozen=True, eq=False)
class Solution:
    """Values of named parameters and how sure they are.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 100, 1))
    >>> columns = bf.base_parameters(robot).independent
    >>> answer = bf.solve(bf.reduce(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), columns=columns))
    >>> answer.names == columns
    True
    """

    names: tuple[str, ...]
    values: Array
    covariance: Array
    row_names: tuple[str, ...]
    noise: Array  # (rows,) standard deviation of the torque error, in the rows' units
    condition: float  # of the weighted factor
    samples: int

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values.

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

    def as_dict(self) -> dict[str, float]:
        """Values by name.

        >>> Solution(("a",), np.ones(1), np.eye(1), (), np.ones(0), 1.0, 5).as_dict()
        {'a': 1.0}
        """
        return {name: float(value) for name, value in zip(self.names, self.values, strict=True)}


def solve(reduction: Reduction, *, weights: Literal["per row", "equal"] | ArrayLike = "per row") -> Solution:
    """Least-squares values of all columns of a reduction; every column must be seen by the data.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> base = bf.base_parameters(robot)
    >>> data = bf.reduce(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), columns=base.independent)
    >>> np.allclose(bf.solve(data).values, base.from_full(robot.parameters().values))
    True
    """
    if isinstance(weights, str):
        row_weights = np.ones(len(reduction.row_names))
        for _ in range(REWEIGHTINGS if weights == "per row" else 0):
            row_weights = 1.0 / _noise(reduction, _values(reduction, row_weights)[0])
    else:
        row_weights = np.asarray(weights, dtype=float)
    values, triangle, condition = _values(reduction, row_weights)
    inverse = np.linalg.solve(triangle, np.eye(len(triangle)))
    noise = _noise(reduction, values)
    scale = 1.0 if isinstance(weights, str) and weights == "per row" else _common_scale(reduction, values, row_weights)
    return Solution(
        reduction.column_names, values, scale**2 * inverse @ inverse.T, reduction.row_names, noise, condition, reduction.samples
    )


def _values(reduction: Reduction, row_weights: Array) -> tuple[Array, Array, float]:
    """Solution, triangular factor, condition number."""
    count = len(reduction.column_names)
    equations = sum(min(reduction.samples, len(row.columns)) for row in reduction.merged().rows)
    if equations < count:
        raise SolveError(
            f"{reduction.samples} samples give at most {equations} independent equations for {count} parameters",
            remedy="give more samples, or solve for fewer parameters (columns=...)",
        )
    triangle = reduction.triangle(row_weights)
    r, z = triangle[:count, :count], triangle[:count, count]
    singular: Array = np.linalg.svd(r, compute_uv=False)  # type: ignore[assignment]
    if singular[-1] <= singular[0] / WORST_CONDITION:
        raise _unseen(reduction.column_names, r, singular)
    values: Array = np.linalg.solve(r, z)  # type: ignore[assignment]
    return values, r, float(singular[0] / singular[-1])


def _unseen(names: Sequence[str], r: Array, singular: Array) -> SolveError:
    """Which parameters the data leave open."""
    _, _, directions = np.linalg.svd(r)
    open_directions = directions[singular <= singular[0] / WORST_CONDITION]
    share = np.abs(open_directions).max(axis=0)
    worst = [names[k] for k in np.argsort(-share) if share[k] > 0.3][:6]
    return SolveError(
        f"the data do not determine {len(open_directions)} of {len(names)} parameters, among them {', '.join(worst)}",
        likely="columns that can only be seen in combination, or a motion that does not excite them",
        remedy="solve for base parameters (columns=base_parameters(robot).independent), or move more joints",
    )


def _noise(reduction: Reduction, values: Array) -> Array:
    """Standard deviation of every row's torque error; never below what rounding leaves of the torque."""
    rows = reduction.merged().rows
    share = len(values) / max(len(rows), 1)  # parameters are shared among the rows
    free = max(reduction.samples - share, 1.0)
    torque = np.array([np.linalg.norm(row.triangle[:, -1]) for row in rows]) / np.sqrt(max(reduction.samples, 1))
    floor = 1e-12 * np.where(torque > 0, torque, max(torque.max(initial=0.0), 1.0))
    return np.maximum(reduction.residuals(values) / np.sqrt(free), floor)


def _common_scale(reduction: Reduction, values: Array, row_weights: Array) -> float:
    """Standard deviation of the weighted errors of all rows together."""
    square = np.sum((row_weights * reduction.residuals(values)) ** 2)
    return float(np.sqrt(square / max(reduction.samples * len(row_weights) - len(values), 1)))
