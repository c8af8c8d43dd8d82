"""A belief: what a state is thought to be, and how sure one is; a normal distribution with names. Nothing changes it.

Filters are functions from beliefs to beliefs: `kalman`, `extended`, `unscented`, `continuous`, `rls`, `rts`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import decompose
from bifilar.errors import ShapeError

Array = NDArray[np.float64]
ROUNDING = 1e-6  # of the largest variance: a negative number of that size is rounding


@dataclass(frozen=True, eq=False, repr=False)
class Belief:
    """Mean, covariance, names and the instant they hold for.

    >>> Belief([1.0, 2.0], np.diag([0.04, 0.09]), ("mass", "length"))
    Belief(mass 1 +- 0.2, length 2 +- 0.3)
    """

    mean: Array  # (n,)
    covariance: Array  # (n, n) symmetric, positive semi-definite
    names: tuple[str, ...] = ()  # x0, x1, ... if left out
    time: float = 0.0  # [s]

    def __post_init__(self) -> None:
        mean = np.array(self.mean, dtype=float).reshape(-1)
        covariance = np.array(self.covariance, dtype=float)
        names = tuple(self.names) or tuple(f"x{k}" for k in range(len(mean)))
        if covariance.shape != (len(mean), len(mean)) or len(names) != len(mean):
            raise ShapeError("belief.shapes", mean_count=len(mean), shape=covariance.shape, name_count=len(names))
        covariance, variances = 0.5 * (covariance + covariance.T), np.diag(covariance)
        if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
            raise ShapeError("belief.not_finite")
        if (variances < -ROUNDING * np.abs(variances).max(initial=0.0)).any():
            raise ShapeError("belief.variance/belief", smallest=variances.min())
        for array in (mean, covariance):
            array.flags.writeable = False
        for name, value in (("mean", mean), ("covariance", covariance), ("names", names), ("time", float(self.time))):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        parts = [f"{n} {m:.4g} +- {d:.2g}" for n, m, d in zip(self.names, self.mean, self.deviations)]
        return f"Belief({', '.join(parts[:6])}{', ...' if len(parts) > 6 else ''})"

    def __len__(self) -> int:
        return len(self.mean)

    def __getitem__(self, name: str) -> float:
        return float(self.mean[self.index(name)])

    def index(self, name: str) -> int:
        """Place of a name.

        >>> Belief([1.0, 2.0], np.eye(2), ("a", "b")).index("b")
        1
        """
        if name not in self.names:
            raise ShapeError("belief.name_unknown", names=self.names[:20], name=name)
        return self.names.index(name)

    @property
    def deviations(self) -> Array:
        """Standard deviations.

        >>> Belief([0.0], [[4.0]]).deviations
        array([2.])
        """
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    def with_(self, mean: ArrayLike, covariance: ArrayLike, time: float | None = None) -> Belief:
        """The same names with other numbers.

        >>> Belief([0.0], [[4.0]], ("a",)).with_([1.0], [[1.0]])
        Belief(a 1 +- 1)
        """
        return replace(self, mean=mean, covariance=covariance, time=self.time if time is None else time)  # type: ignore[arg-type]

    def surprise(self, truth: ArrayLike) -> float:
        """Normalised squared error of a state that was true; n on average, if the covariance is honest.

        >>> Belief([0.0, 0.0], np.diag([1.0, 4.0])).surprise([1.0, 2.0])
        2.0
        """
        error = np.asarray(truth, dtype=float) - self.mean
        return float(error @ np.linalg.solve(self.covariance, error))


class Updated(NamedTuple):
    """What a measurement makes of a belief.

    >>> Updated(Belief([0.0], [[1.0]]), np.zeros(1), np.eye(1)).surprise
    0.0
    """

    belief: Belief
    innovation: Array  # (m,) measured minus expected, before the update
    covariance: Array  # (m, m) of the innovation

    @property
    def surprise(self) -> float:
        """Normalised squared innovation; m on average.

        >>> Updated(Belief([0.0], [[1.0]]), np.array([2.0]), 4 * np.eye(1)).surprise
        1.0
        """
        return float(self.innovation @ np.linalg.solve(self.covariance, self.innovation))


def noise_matrix(noise: ArrayLike, size: int) -> Array:
    """A covariance from a variance for all, one each, or a matrix; never negative.

    >>> noise_matrix(2.0, 2)
    array([[2., 0.],
           [0., 2.]])
    """
    given = np.asarray(noise, dtype=float)
    matrix = given if given.ndim == 2 else np.diag(np.broadcast_to(given, (size,)))
    if matrix.shape != (size, size) or not np.isfinite(matrix).all() or np.any(np.diag(matrix) < 0):
        key = "belief.variance/negative" if matrix.shape == (size, size) else "belief.variance/shape"
        raise ShapeError(key, shape=given.shape, size=size)
    if given.ndim == 2:
        size_of = np.abs(matrix).max(initial=0.0)
        if np.abs(matrix - matrix.T).max(initial=0.0) > 1e-9 * size_of or decompose.eigvalsh(matrix).min() < -1e-9 * size_of:
            raise ShapeError("noise.no_covariance")
    return matrix
