"""Contribution below a threshold (Antonelli, Caccavale, Chiacchio 1999): everything that moves too little torque goes at once.

    gamma_j < threshold         gamma of the full model, looked at once

Its rungs drop parameters in that one order, without new contributions in between: what Wang et al. 2018 hold against it, that
several go together although one's loss would have raised another's, can be seen in a table beside theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bifilar.errors import SolveError
from bifilar.estimate.contribution import relative_contributions
from bifilar.estimate.rungs import Path, ordered
from bifilar.estimate.subset import Triangle


@dataclass(frozen=True, kw_only=True)
class ContributionThreshold:
    """All parameters below a share of the torque go together.

    >>> three = Triangle(("a", "b", "c"), np.array([[1.0, 0, 0, 99], [0, 1, 0, 0.4], [0, 0, 1, 50], [0, 0, 0, 1]]), 9)
    >>> path = ContributionThreshold(threshold=0.01).path(three)
    >>> path.rungs[path.own].kept
    (0, 2)
    """

    threshold: float = 0.005  # share of all torque that a parameter must contribute

    def __post_init__(self) -> None:
        if not 0 < self.threshold < 1:
            raise SolveError("threshold.wrong/contribution_threshold", threshold=self.threshold)

    @property
    def words(self) -> str:
        """Its name.

        >>> ContributionThreshold().words
        'contribution threshold'
        """
        return "contribution threshold"

    def path(self, triangle: Triangle, experiments: Sequence[Triangle] = ()) -> Path:
        """The ladder, and where the threshold stops it.

        >>> ContributionThreshold().path(Triangle(("a", "b"), np.eye(3), 10)).own
        1
        """
        gamma = relative_contributions(triangle.solved(range(len(triangle.names))))
        rungs = ordered(
            triangle,
            np.argsort(gamma, kind="stable").tolist(),
            gamma,
            lambda k: f"contributes {100 * gamma[k]:.2g} % of the torque of the full model",
        )
        own = min(int(np.sum(gamma < self.threshold)), len(rungs) - 1)
        return Path(rungs, own, f"contributions below {100 * self.threshold:.2g} %")
