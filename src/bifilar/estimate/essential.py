"""Essential parameters by singular values (Pham and Gautier 1991): what the worst seen direction consists of goes.

    W diag(p) = U S V'        parameters in units of their own size, so that singular values can be compared
    largest entry of the right vector of the smallest singular value goes; again, until S is well conditioned

No residual is looked at: a parameter goes because the motion hardly shows it, not because the torque does without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics import decompose
from bifilar.errors import SolveError
from bifilar.estimate.rungs import Path, Rung
from bifilar.estimate.subset import Triangle


@dataclass(frozen=True, kw_only=True)
class Essential:
    """The parameter that the smallest singular value belongs to goes.

    >>> three = Triangle(("a", "b", "c"), np.array([[1.0, 0, 0, 99], [0, 1, 0, 0.4], [0, 0, 1, 50], [0, 0, 0, 1]]), 9)
    >>> Essential().path(three).rungs[1].dropped
    ('b',)
    """

    condition: float = 30.0  # of the parameters in units of their own size: the rule stops below it

    def __post_init__(self) -> None:
        if not self.condition > 1:
            raise SolveError("threshold.wrong/essential", condition=self.condition)

    @property
    def words(self) -> str:
        """Its name.

        >>> Essential().words
        'essential (singular values)'
        """
        return "essential (singular values)"

    def path(self, triangle: Triangle, experiments: Sequence[Triangle] = ()) -> Path:
        """The ladder, and where the condition number is small enough.

        >>> Essential().path(Triangle(("a", "b"), np.eye(3), 10)).own
        0
        """
        kept = list(range(len(triangle.names)))
        sizes = np.abs(triangle.solved(kept).values)
        scaled = triangle.factor[:, :-1] * np.where(sizes > 0, sizes, sizes[sizes > 0].min(initial=1.0))
        rungs, own = [Rung(tuple(kept))], None
        while True:
            singular, vectors = decompose.svd(scaled[:, kept], full_matrices=False)[1:]
            if own is None and singular[-1] > 0 and singular[0] / singular[-1] <= self.condition:
                own = len(rungs) - 1
            if len(kept) == 1:
                break
            k = int(np.argmax(np.abs(vectors[-1])))
            share = float(singular[-1] / singular[0])
            part = f"largest part ({abs(vectors[-1, k]):.2f})"
            why = f"{part} of the direction that the motion shows least, {share:.1e} of the best"
            rungs.append(Rung(tuple(c for c in kept if c != kept[k]), (triangle.names[kept[k]],), share, why))
            del kept[k]
        return Path(tuple(rungs), own, f"condition in units of the parameters below {self.condition:g}")
