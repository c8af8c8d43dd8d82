"""Largest relative deviation first, with an F test: backward elimination as identification of industrial arms has it.

    deviation_j / |p_j| = 1 / |t_j|,      F_j = t_j^2 = (rise of the squared residual without j) / (its mean per spare row)

so the parameter known worst is also the one whose loss costs least on the fitted data. Dropping it is refused by the test
once F exceeds the quantile of F(1, rows - parameters). Rows that follow each other make F too large: recordings decimated
to their bandwidth, as `prepare` does by default, are near to what the test assumes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.freedom import quantile
from bifilar.estimate.rungs import Path, one_by_one
from bifilar.estimate.subset import Subset, Triangle


@dataclass(frozen=True, kw_only=True)
class LargestDeviation:
    """The parameter with the largest relative deviation goes; the rule stops where an F test refuses.

    >>> two = Triangle(("a", "b"), np.array([[2.0, 0, 6], [0, 1, 0.1], [0, 0, 3]]), 50)
    >>> path = LargestDeviation().path(two)
    >>> path.rungs[1].dropped, path.own
    (('b',), 1)
    """

    level: float = 0.95  # of the F test

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise SolveError("level.wrong/largest_deviation", level=self.level)

    @property
    def words(self) -> str:
        """Its name.

        >>> LargestDeviation().words
        'largest deviation, F test'
        """
        return "largest deviation, F test"

    def path(self, triangle: Triangle, experiments: Sequence[Triangle] = ()) -> Path:
        """The ladder, and where the F test stops it.

        >>> LargestDeviation().path(Triangle(("a", "b"), np.eye(3), 10)).own
        1
        """
        rungs = one_by_one(triangle, _scored)
        spare = max(triangle.rows - len(triangle.names), 1)
        limit = float(quantile(self.level, spare)) ** 2  # F(1, n) is the square of Student's t
        own = next((k for k, rung in enumerate(rungs[1:]) if rung.score > limit), len(rungs) - 1)
        return Path(rungs, own, f"F test at {100 * self.level:g} %, limit {limit:.3g}")


def _scored(model: Subset) -> tuple[Array, Callable[[int], str]]:
    share = model.relative_deviations
    with np.errstate(divide="ignore", over="ignore"):
        f = np.where(np.isfinite(share), 1.0 / np.maximum(share, 1e-150) ** 2, 0.0)
    return f, lambda k: f"known worst, to ± {100 * min(float(share[k]), 1e6):.3g} %; F = {f[k]:.3g}"
