"""Relative torque contribution (Wang et al. 2018): the parameter that moves the least torque goes, one at a time.

    tau_kj = w_kj p_j                       (6)   torque of parameter j in equation k
    tau_j  = sqrt(sum over k of tau_kj^2)   (8)   = |column j| |p_j|
    gamma_j = tau_j / sum over s of tau_s   (7), (9)

p is of the present model, estimated anew after every loss. Columns that are nearly collinear have large values of opposite
sign, hence contributions that are too large: this rule does not see such a pair, a deviation (`largest_deviation`) does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.estimate.rungs import Path, one_by_one
from bifilar.estimate.subset import Subset, Triangle


def relative_contributions(model: Subset) -> Array:
    """gamma of every kept parameter; they sum to 1.

    >>> two = Triangle(("a", "b"), np.array([[2.0, 0, 6], [0, 1, 2], [0, 0, 3]]), 10)
    >>> relative_contributions(two.solved((0, 1)))
    array([0.75, 0.25])
    """
    torque = model.contributions
    total = float(torque.sum())
    return torque / total if total > 0 else np.zeros_like(torque)


@dataclass(frozen=True, kw_only=True)
class Contribution:
    """The least relative contribution goes first, one at a time, with new values after each.

    >>> two = Triangle(("a", "b"), np.array([[2.0, 0, 6], [0, 1, 2], [0, 0, 3]]), 10)
    >>> Contribution().path(two).rungs[1].why
    'contributes 25 % of the torque, less than any other'
    """

    @property
    def words(self) -> str:
        """Its name.

        >>> Contribution().words
        'relative contribution'
        """
        return "relative contribution"

    def path(self, triangle: Triangle, experiments: Sequence[Triangle] = ()) -> Path:
        """The ladder.

        >>> len(Contribution().path(Triangle(("a", "b"), np.eye(3), 10)).rungs)
        2
        """
        return Path(one_by_one(triangle, _scored))


def _scored(model: Subset) -> tuple[Array, Callable[[int], str]]:
    gamma = relative_contributions(model)
    return gamma, lambda k: f"contributes {100 * gamma[k]:.2g} % of the torque, less than any other"
