"""How good a motion is: one number from the information matrix it gives, larger is better, with its derivative.

With M the information on the (scaled) parameters, eigenvalues m_1 <= .. <= m_p,

    D   log det M                          volume of the confidence ellipsoid; its gradient is M^-1, smooth everywhere
    A   -log trace M^-1                    mean variance
    E   log m_1, smoothed                  worst direction
    condition   log m_1 - log m_p, smoothed
    worst   -log max_k (M^-1)_kk, smoothed     largest variance of a single parameter; relative, if M is scaled by a prior

E and condition jump between eigenvectors; power means of order -p and p stand in for the smallest and the largest eigenvalue
(m_1 <= (sum m^-p)^(-1/p) p^(1/p)), closer the larger `sharpness` is. The gradient of the plain condition number contains
1/m_1 and drowns in rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError

Kind = Literal["D", "A", "E", "condition", "worst"]
KINDS: tuple[Kind, ...] = ("D", "A", "E", "condition", "worst")


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """What a motion is judged by.

    >>> round(Criterion(kind="D").value(np.diag([1.0, np.e])), 12)
    1.0
    """

    kind: Kind = "D"  # D, A, E, condition or worst
    sharpness: float = 8.0  # order of the power means behind E, condition and worst

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise MotionError("criterion.unknown", kind=self.kind, kinds=KINDS)
        if not self.sharpness >= 1:
            raise MotionError("criterion.sharpness", sharpness=self.sharpness)

    def value(self, information: Array) -> float:
        """The number; minus infinity where the motion leaves a parameter open.

        >>> Criterion(kind="condition").value(np.eye(3)) <= 0
        True
        """
        return self.judged(information)[0]

    def judged(self, information: Array) -> tuple[float, Callable[[], Array]]:
        """The number, and a function that gives its derivative by the (symmetric) information matrix.

        >>> Criterion(kind="D").judged(2 * np.eye(2))[1]()
        array([[0.5, 0. ],
               [0. , 0.5]])
        """
        if self.kind == "D":
            return self._volume(information)
        m, vectors = decompose.eigh(information)
        if not m[0] > 1e-14 * m[-1]:
            return -np.inf, lambda: np.zeros_like(information)
        if self.kind == "worst":
            return self._worst((vectors / m) @ vectors.T)
        value, slopes = getattr(self, f"_{self.kind.lower()}")(m)
        return float(value), lambda: (vectors * slopes) @ vectors.T

    def _volume(self, information: Array) -> tuple[float, Callable[[], Array]]:
        """From a triangular factor, cheaper than eigenvalues; scaled first, so that a small parameter does not look open."""
        size = np.sqrt(np.diag(information))
        try:
            if not size.all():
                raise np.linalg.LinAlgError
            factor = np.linalg.cholesky(information / np.outer(size, size))
        except np.linalg.LinAlgError:
            return -np.inf, lambda: np.zeros_like(information)
        diagonal = np.diag(factor)
        if not diagonal.min() > 1e-7:  # squared, 1e-14
            return -np.inf, lambda: np.zeros_like(information)
        return 2 * float(np.log(diagonal * size).sum()), lambda: np.asarray(np.linalg.inv(information), dtype=np.float64)

    def _worst(self, covariance: Array) -> tuple[float, Callable[[], Array]]:
        """d (M^-1)_kk = -(M^-1 dM M^-1)_kk."""
        variance = np.diag(covariance)
        share = (variance / variance.max()) ** self.sharpness
        value = -np.log(variance.max()) - np.log(share.sum()) / self.sharpness
        return float(value), lambda: (covariance * (share / share.sum() / variance)) @ covariance

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
