"""How a parameter filter is tuned: what it knows at the start, how fast it forgets, what it takes for a change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.errors import ShapeError


@dataclass(frozen=True, kw_only=True)
class Change:
    """A gate on the innovation: one reading that is not believable is refused, several in a row open the covariance.

    >>> Change().limit(7) > 7
    True
    """

    chance: float = 1e-6  # of an innovation as large as this, if nothing has changed
    patience: int = 3  # strange readings in a row that are a change
    opening: float = 1.0  # deviation that every state gets then, in deviations of the prior

    def __post_init__(self) -> None:
        if not 0 < self.chance < 1 or self.patience < 1 or not self.opening > 0:
            raise ShapeError("gate.wrong", this=self)

    def limit(self, rows: int) -> float:
        """Normalised squared innovation of so many rows that is exceeded with that chance (Wilson and Hilferty 1931).

        >>> round(Change(chance=0.05).limit(7), 1)
        14.0
        """
        from statistics import NormalDist

        z, part = NormalDist().inv_cdf(1.0 - self.chance), 2.0 / (9.0 * rows)
        return float(rows * (1.0 - part + z * np.sqrt(part)) ** 3)


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Settings of a parameter filter. A state is a number near one: a sigmoid's argument, or a share of the bounds.

    >>> Tuning(process=0.01, anneal=2.0).prior
    1.0
    """

    prior: float = 1.0  # deviation of every state at the start; for a sigmoid in the middle of its bounds 1 is half the guess
    drives: float | None = None  # the same for friction and other drive coefficients, if it differs
    relative: float | None = None  # deviation of every parameter at the start as a share of its value; instead of `prior`
    process: float = 0.0  # [1/s] variance that the random walk adds to every state
    anneal: float | None = None  # [s] in which the random walk dies away to 1/e; None: it goes on (tracking)
    forgetting: float = 1.0  # information that is left of an old sample in directions that a new one shows; 1: all
    iterations: int = 1  # linearisations of one update
    change: Change | None = None  # the gate; None: every reading is believed
    exact: bool | None = None  # keep all readings and linearise none for good, for parameters that do not change;
    # None: wherever that is needed for honest deviations and possible, False: the filter as in the paper

    @property
    def constant(self) -> bool:
        """Whether parameters are thought not to change.

        >>> Tuning().constant, Tuning(process=0.1).constant
        (True, False)
        """
        return self.process == 0 and self.forgetting == 1 and self.change is None

    def __post_init__(self) -> None:
        positive = {"prior": self.prior, "drives": self.drives, "relative": self.relative, "anneal": self.anneal}
        for name, value in positive.items():
            if value is not None and not 0 < value < np.inf:
                raise ShapeError("tuning.setting", name=name, value=value)
        if not 0 <= self.process < np.inf:
            raise ShapeError("tuning.process", process=self.process)
        if not 0 < self.forgetting <= 1:
            raise ShapeError("tuning.forgetting", forgetting=self.forgetting)
        if self.exact and not self.constant:
            raise ShapeError("tuning.exact")
        if not 1 <= self.iterations <= 100:
            raise ShapeError("tuning.iterations", iterations=self.iterations)
