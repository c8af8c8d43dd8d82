"""Least squares on some of the columns, from one triangle: what every rule of simplification asks again and again.

    [W torque] = Q R,      columns of R keep the norms and angles of those of W

so values, residual, deviations, condition number and the torque that every parameter contributes follow from R without a
look at the data, for any choice of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array

ROUNDING = 1e-14  # of the largest entry or singular value: what is below says nothing


@dataclass(frozen=True, eq=False)
class Triangle:
    """Weighted equations of named parameters.

    >>> two = Triangle(("a", "b"), np.array([[2.0, 0, 6], [0, 1, 1], [0, 0, 3]]), 10)
    >>> two.solved((0,)).values
    array([3., 0.])
    """

    names: tuple[str, ...]
    factor: Array  # (parameters + 1, parameters + 1) upper triangular, of [W torque]
    rows: int  # equations

    def solved(self, kept: Sequence[int]) -> Subset:
        """Least squares on the columns `kept`; all others are zero.

        >>> Triangle(("a",), np.array([[2.0, 6], [0, 3]]), 10).solved((0,)).residual
        3.0
        """
        width = len(kept)
        r: Array = np.linalg.qr(self.factor[:, [*kept, -1]], mode="r")  # type: ignore[assignment]
        own = r[:width, :width]
        if width and not np.abs(np.diag(own)).min() > ROUNDING * np.abs(np.diag(own)).max():
            found: Array = decompose.lstsq(own, r[:width, width], rcond=None)[0]
        else:
            found = np.asarray(np.linalg.solve(own, r[:width, width]) if width else np.zeros(0), dtype=float)
        values = np.zeros(len(self.names))
        values[list(kept)] = found
        left = float(np.linalg.norm(r[width:, width])) if len(r) > width else 0.0
        return Subset(self, tuple(kept), values, own, left)


@dataclass(frozen=True, eq=False)
class Subset:
    """A model with some of the parameters.

    >>> model = Triangle(("a", "b"), np.array([[2.0, 0, 6], [0, 1, 1], [0, 0, 3]]), 10).solved((0, 1))
    >>> model.condition, model.relative_deviations.round(3)
    (2.0, array([0.177, 1.061]))
    """

    triangle: Triangle
    kept: tuple[int, ...]
    values: Array  # of all parameters, zero where not kept
    factor: Array  # (kept, kept)
    residual: float  # norm of what is not explained

    @cached_property
    def condition(self) -> float:
        """Of the observation matrix; infinite if the data leave anything open.

        >>> Triangle(("a",), np.array([[2.0, 6], [0, 3]]), 10).solved((0,)).condition
        1.0
        """
        if not self.kept:
            return 1.0
        sizes = decompose.svd(self.factor, compute_uv=False)
        return float(sizes[0] / sizes[-1]) if sizes[-1] > 0 else np.inf

    @property
    def contributions(self) -> Array:
        """Norms of the torque that every kept parameter contributes, (8) of Wang et al. 2018.

        >>> Triangle(("a",), np.array([[2.0, 6], [0, 3]]), 10).solved((0,)).contributions
        array([6.])
        """
        places = list(self.kept)
        return np.linalg.norm(self.triangle.factor[:, places], axis=0) * np.abs(self.values[places])

    @property
    def inverse(self) -> Array:
        """Of the factor; what the data leave open, to rounding, is left out of it.

        >>> Triangle(("a",), np.array([[2.0, 6], [0, 3]]), 10).solved((0,)).inverse
        array([[0.5]])
        """
        if self.condition < 1.0 / ROUNDING:
            return np.asarray(np.linalg.inv(self.factor), dtype=float)
        return np.asarray(decompose.pinv(self.factor, rcond=ROUNDING), dtype=float)

    @property
    def relative_deviations(self) -> Array:
        """Standard deviations of the kept values over the values, errors taken as white.

        >>> Triangle(("a",), np.array([[2.0, 6], [0, 3]]), 10).solved((0,)).relative_deviations.round(4)
        array([0.1667])
        """
        spare = max(self.triangle.rows - len(self.kept), 1)
        inverse = self.inverse
        deviations = self.residual / np.sqrt(spare) * np.linalg.norm(inverse, axis=1)
        sizes = np.abs(self.values[list(self.kept)])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(sizes > 0, deviations / np.where(sizes > 0, sizes, 1.0), np.inf)
