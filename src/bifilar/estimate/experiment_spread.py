"""Spread across experiments (Bargsten et al. 2013): what comes out differently every time goes, one at a time.

    spread_j = deviation of p_j over the experiments / |mean of p_j|

after each loss all experiments are solved again. The paper names no limit; 57 parameters became 25.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.rungs import Path, one_by_one
from bifilar.estimate.subset import Subset, Triangle

FEWEST = 3  # experiments that have a spread worth the name


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The parameter with the largest relative spread over the experiments goes.

    >>> runs = [Triangle(("a", "b"), np.array([[1.0, 0, 5 + e], [0, 1, e], [0, 0, 1]]), 9) for e in (-0.1, 0.0, 0.2)]
    >>> path = Spread().path(runs[0], runs)
    >>> path.rungs[1].dropped, path.own
    (('b',), 1)
    """

    limit: float = 0.3  # relative spread above which a value is not repeated by other experiments

    @property
    def words(self) -> str:
        """Its name.

        >>> Spread().words
        'spread across experiments'
        """
        return "spread across experiments"

    def path(self, triangle: Triangle, experiments: Sequence[Triangle] = ()) -> Path:
        """The ladder, and where every spread is below the limit.

        >>> Spread().path(Triangle(("a",), np.eye(2), 9))
        Traceback (most recent call last):
        ...
        bifilar.errors.SolveError: 0 experiments have no spread to compare
          try     give 3 recordings or more, or one that is long enough to be cut
        """
        if len(experiments) < FEWEST:
            raise SolveError("experiments.too_few", experiment_count=len(experiments), fewest=FEWEST)

        def scored(model: Subset) -> tuple[Array, Callable[[int], str]]:
            found = np.array([one.solved(model.kept).values[list(model.kept)] for one in experiments])
            mean = np.abs(found.mean(axis=0))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                spread = np.where(mean > 0, found.std(axis=0, ddof=1) / np.where(mean > 0, mean, 1.0), np.inf)
            spread = np.where(np.isfinite(spread), spread, 1e300)
            return (
                -spread,
                lambda k: f"differs most between experiments, by {100 * min(float(spread[k]), 1e6):.3g} % of its mean",
            )

        rungs = one_by_one(triangle, scored)
        own = next((k for k, rung in enumerate(rungs[1:]) if -rung.score <= self.limit), len(rungs) - 1)
        return Path(rungs, own, f"spread below {100 * self.limit:g} %")
