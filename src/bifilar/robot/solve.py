"""`solve`: weighted least squares from a reduction, with covariance.

With the factor R of the chosen columns and z of the torque, R x = z. A row's noise comes from its residual and the equations
that the parameters have not used up, sigma^2 = |e|^2 / (samples - leverage), leverage = |R_row R^-1|^2 (Frobenius). Rows are
weighted by 1/sigma, and both are repeated until they settle: a noisy joint spoils the first fit of a quiet one. The covariance
is (R'R)^-1 of the weighted factor. It holds for white noise on the torque; for filtered or correlated noise it is too small.

Where the data leave directions of the parameters open, `weighted_fit` keeps a prior's values along them; `solve` refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.reduce import BlockFactor, stack
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.robot.reduction import Reduction

WORST_CONDITION = 1e13  # beyond, no digit of the answer is left
SETTLED = 1e-3  # relative change of the weights
REWEIGHTINGS = 20
TOUCHED = 1e-6  # share of an open direction that makes a parameter open
OPEN = 0.3  # part in the open directions that makes a parameter worth naming


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
    given = row_weights(weights, reduction.row_names)
    enough(reduction.column_names, block)
    fit = weighted_fit(reduction.column_names, block, given)
    if len(fit.open):
        raise unseen(reduction.column_names, fit.open)
    return Solution(
        reduction.column_names, fit.values, fit.covariance, reduction.row_names, fit.noise, fit.condition, reduction.samples
    )


def weighted_fit(
    names: tuple[str, ...], block: BlockFactor, weights: Array | None = None, prior: Array | None = None
) -> WeightedFit:
    """Least squares from factors, with given row weights or, without them, with weights that settle at 1/noise.

    >>> from bifilar.dynamics.reduce import RowFactor
    >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 0.0]]), 5),), 5)
    >>> weighted_fit(("a",), block).values
    array([3.])
    """
    fit = WeightedFit.of(names, block, np.ones(len(block.rows)) if weights is None else weights, prior)
    for _ in range(REWEIGHTINGS if weights is None and fit.each_row_tells else 0):
        previous, fit = fit, WeightedFit.of(names, block, 1.0 / fit.noise, prior)
        if np.all(np.abs(fit.weights / previous.weights - 1) < SETTLED):
            break
    return fit


def enough(names: tuple[str, ...], block: BlockFactor) -> None:
    """Refuses fewer equations than parameters.

    >>> from bifilar.dynamics.reduce import RowFactor
    >>> enough(("a",), BlockFactor((RowFactor(np.array([0]), np.zeros((2, 2)), 5),), 5))
    """
    equations = sum(min(row.samples, len(row.columns)) for row in block.rows)
    if equations < len(names) or not names:
        raise SolveError("samples.too_few/solve", samples=block.samples, equations=equations, name_count=len(names))


def row_weights(weights: object, names: tuple[str, ...]) -> Array | None:
    """Given weights; ones for "equal"; None if they are to be found.

    >>> row_weights("equal", ("joint1", "joint2"))
    array([1., 1.])
    """
    if isinstance(weights, str):
        if weights not in ("per row", "equal"):
            raise SolveError("samples.too_few/row_weights", weights=weights)
        return np.ones(len(names)) if weights == "equal" else None
    given = np.asarray(weights, dtype=float)
    if given.shape != (len(names),) or not np.isfinite(given).all() or np.any(given <= 0):
        raise SolveError("weights.wrong/solve", name_count=len(names), names=names)
    return given


@dataclass(frozen=True, eq=False)
class WeightedFit:
    """Least squares with given row weights.

    >>> from bifilar.dynamics.reduce import RowFactor
    >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
    >>> WeightedFit.of(("a",), block, np.ones(1)).noise
    array([2.])
    """

    weights: Array
    values: Array
    factor: Array  # triangular
    inverse: Array  # of the factor
    residuals: Array  # (rows,) norms
    free: Array  # (rows,) equations that the parameters have not used up
    floor: Array  # (rows,) what rounding leaves of the torque
    open: Array  # (k, parameters) directions that the data leave open

    @classmethod
    def of(cls, names: tuple[str, ...], block: BlockFactor, weights: Array, prior: Array | None = None) -> WeightedFit:
        """Solves; along open directions the values are the prior's (zero without one).

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[0.0, 0.0], [0.0, 4.0]]), 5),), 5)
        >>> WeightedFit.of(("a",), block, np.ones(1), np.array([7.0])).values
        array([7.])
        """
        count, samples = len(names), np.array([row.samples for row in block.rows])
        triangle = stack(block, weights, count)
        r, z = triangle[:count, :count], triangle[:count, count]
        inverse, open_directions = inverted(r)
        start = np.zeros(count) if prior is None or not len(open_directions) else np.asarray(prior, dtype=float)
        solved = start + inverse @ (z - r @ start) if len(open_directions) else np.linalg.solve(r, z)
        values = np.asarray(solved, dtype=float)
        pairs = zip(weights, block.rows, strict=True)
        leverage = [np.sum((w * row.triangle[:, :-1] @ inverse[row.columns]) ** 2) for w, row in pairs]
        torque = np.array([np.linalg.norm(row.triangle[:, -1]) for row in block.rows]) / np.sqrt(np.maximum(samples, 1))
        floor = 1e-12 * np.where(torque > 0, torque, max(torque.max(initial=0.0), 1.0))
        residuals = np.array([row.residual(values) for row in block.rows])
        return cls(weights, values, r, inverse, residuals, samples - np.array(leverage), floor, open_directions)

    @property
    def condition(self) -> float:
        """Of the weighted factor; infinite where data leave directions open.

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
        >>> WeightedFit.of(("a",), block, np.ones(1)).condition
        1.0
        """
        return np.inf if len(self.open) else float(decompose.condition(self.factor))

    @property
    def each_row_tells(self) -> bool:
        """Whether every row has equations to spare, so that its own noise can be told.

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 0.0]]), 1),), 1)
        >>> WeightedFit.of(("a",), block, np.ones(1)).each_row_tells
        False
        """
        return bool(np.all(self.free >= 1))

    @property
    def common(self) -> float:
        """Standard deviation of the weighted errors of all rows together; infinite if no equation is to spare.

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
        >>> WeightedFit.of(("a",), block, np.full(1, 0.5)).common
        1.0
        """
        spare = self.free.sum()
        return float(np.sqrt(np.sum((self.weights * self.residuals) ** 2) / spare)) if spare > 1e-9 else np.inf

    @property
    def noise(self) -> Array:
        """Of every row by itself, or of all together where a row cannot tell.

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
        >>> WeightedFit.of(("a",), block, np.full(1, 0.5)).noise
        array([2.])
        """
        if not self.each_row_tells:
            return np.maximum(self.common / self.weights, self.floor)
        return np.maximum(self.residuals / np.sqrt(self.free), self.floor)

    @property
    def covariance(self) -> Array:
        """Of the values; infinite if nothing tells the noise, and for values that the data leave open.

        >>> from bifilar.dynamics.reduce import RowFactor
        >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
        >>> WeightedFit.of(("a",), block, np.ones(1)).covariance
        array([[1.]])
        """
        if not np.isfinite(self.common):
            return np.full((len(self.values), len(self.values)), np.inf)
        covariance = self.common**2 * self.inverse @ self.inverse.T
        if len(self.open):
            lost = np.abs(self.open).max(axis=0) > TOUCHED
            covariance[lost, lost] = np.inf
        return covariance


def inverted(r: Array) -> tuple[Array, Array]:
    """Inverse of a triangular factor, and the directions it leaves open (then a pseudo-inverse).

    >>> inverted(np.diag([2.0, 0.0]))[1]
    array([[0., 1.]])
    """
    nothing = np.zeros((0, len(r)))
    if np.all(np.diag(r) != 0):
        inverse: Array = np.linalg.solve(r, np.eye(len(r)))  # type: ignore[assignment]
        if np.linalg.norm(r) * np.linalg.norm(inverse) < WORST_CONDITION:  # a bound on the condition
            return inverse, nothing
    singular: Array = decompose.svd(r, compute_uv=False)  # type: ignore[assignment]
    if singular[-1] > singular[0] / WORST_CONDITION:
        return np.asarray(np.linalg.solve(r, np.eye(len(r)))), nothing
    size = np.linalg.norm(r, axis=0)
    seen = np.flatnonzero(size > singular[0] / WORST_CONDITION)  # columns of rounding are not made large, nor mixed with others
    left, sizes, right = decompose.svd(r[:, seen] / size[seen], full_matrices=False)
    kept = sizes > sizes[0] / WORST_CONDITION if len(seen) else np.zeros(0, dtype=bool)
    pseudo = np.zeros((len(r), len(r)))
    pseudo[seen] = (right[kept] / size[seen]).T / sizes[kept] @ left[:, kept].T
    between = np.zeros((int(np.sum(~kept)), len(r)))
    between[:, seen] = right[~kept] / size[seen]
    open_directions = np.vstack([np.delete(np.eye(len(r)), seen, axis=0), between])
    return pseudo, open_directions / np.linalg.norm(open_directions, axis=1, keepdims=True)


def open_names(names: Sequence[str], open_directions: Array, most: int = 6) -> list[str]:
    """Parameters that the open directions consist of, the worst first; of each, its part in the space they span.

    >>> open_names(("a", "b", "c"), np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.01]]))
    ['b', 'c']
    """
    share = np.linalg.norm(np.linalg.qr(open_directions.T)[0], axis=1)  # directions need not be orthogonal
    return [names[k] for k in np.argsort(-share.round(9), kind="stable") if share[k] > OPEN][:most]


def unseen(names: Sequence[str], open_directions: Array) -> SolveError:
    """Which parameters the data leave open.

    >>> unseen(("a", "b"), np.array([[0.0, 1.0]])).what
    'the data do not determine 1 of 2 parameters, among them b'
    """
    return SolveError(
        "parameters.open/solve",
        open_direction_count=len(open_directions),
        name_count=len(names),
        worst=open_names(names, open_directions),
    )
