"""How good a motion is: one number from the information matrix it gives, larger is better, with its derivative.

With M the information on the (scaled) parameters, eigenvalues m_1 <= .. <= m_p,

    D   log det M                          volume of the confidence ellipsoid; its gradient is M^-1, smooth everywhere
    A   -log trace M^-1                    mean variance
    E   log m_1, smoothed                  worst direction
    condition   log m_1 - log m_p, smoothed

E and condition jump between eigenvectors; power means of order -p and p stand in for the smallest and the largest eigenvalue
(m_1 <= (sum m^-p)^(-1/p) p^(1/p)), closer the larger `sharpness` is. The gradient of the plain condition number contains
1/m_1 and drowns in rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError

Kind = Literal["D", "A", "E", "condition"]
KINDS: tuple[Kind, ...] = ("D", "A", "E", "condition")


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """What a motion is judged by.

    >>> Criterion(kind="D").value(np.diag([1.0, np.e]))
    1.0
    """

    kind: Kind = "D"  # D, A, E or condition
    sharpness: float = 8.0  # order of the power means behind E and condition

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise MotionError(f"there is no criterion '{self.kind}'", remedy=f"choose one of {', '.join(KINDS)}")
        if not self.sharpness >= 1:
            raise MotionError(f"the sharpness is {self.sharpness:g}", remedy="give 1 or more")

    def value(self, information: Array) -> float:
        """The number; minus infinity where the motion leaves a parameter open.

        >>> Criterion(kind="condition").value(np.eye(3)) <= 0
        True
        """
        return self.value_and_slope(information)[0]

    def value_and_slope(self, information: Array) -> tuple[float, Array]:
        """The number and its derivative by the (symmetric) information matrix.

        >>> Criterion(kind="D").value_and_slope(2 * np.eye(2))[1]
        array([[0.5, 0. ],
               [0. , 0.5]])
        """
        m, vectors = np.linalg.eigh(information)
        if not m[0] > 1e-14 * m[-1]:
            return -np.inf, np.zeros_like(information)
        value, slopes = getattr(self, f"_{self.kind.lower()}")(m)
        return float(value), (vectors * slopes) @ vectors.T

    def _d(self, m: Array) -> tuple[float, Array]:
        return float(np.log(m).sum()), 1 / m

    def _a(self, m: Array) -> tuple[float, Array]:
        total = np.sum(1 / m)
        return -float(np.log(total)), 1 / m**2 / total

    def _e(self, m: Array) -> tuple[float, Array]:
        share = (m[0] / m) ** self.sharpness
        return float(np.log(m[0]) - np.log(share.sum()) / self.sharpness), share / share.sum() / m

    def _condition(self, m: Array) -> tuple[float, Array]:
        smallest, rising = self._e(m)
        share = (m / m[-1]) ** self.sharpness
        largest = np.log(m[-1]) + np.log(share.sum()) / self.sharpness
        return smallest - float(largest), rising - share / share.sum() / m
