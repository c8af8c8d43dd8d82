"""How many independent errors a deviation was made from, and the quantiles that follow: few rows make wide intervals.

A deviation s that was itself estimated is uncertain, var(s^2) / s^4 = 2 / freedom; an interval is value +- t(freedom) s, t
Student's quantile. Uncertainties of a joint's noise add up:

    1 / freedom_j = slack_j / n_j + lags / (3.71 n_j)          n_j: rows less what the values have used up

slack = sum over lags of (correlation of errors)^2, 1 for white ones: rows that follow each other tell less. The second
part is the price of a spectrum smoothed by a Parzen taper over so many lags (Priestley 1981), none for white errors. Of joints
with noises of their own a value has, with shares c_j of its variance (Satterthwaite 1946),

    1 / freedom = sum over j of c_j^2 / freedom_j             what a prior adds is taken as known: no part of the sum
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.reduce import BlockFactor
from bifilar.dynamics.tree import Array
from bifilar.estimate.linear import Linear

PARZEN = 3.71  # degrees of freedom of a spectrum by the Parzen taper, per row and lag
MOST = 1e9  # beyond, Student's law is the normal one


class Colour(NamedTuple):
    """How far torque errors are from white ones.

    >>> Colour.white(2).slack
    array([1., 1.])
    """

    slack: Array  # (joints,) rows that tell as much as one
    lags: int  # of the taper that smoothed the errors' spectrum; 0: taken as flat

    @classmethod
    def white(cls, joints: int) -> Colour:
        """Not at all.

        >>> Colour.white(1).lags
        0
        """
        return cls(np.ones(joints), 0)

    @classmethod
    def of(cls, spectral: Array, lags: int) -> Colour:
        """From spectral matrices (frequencies, joints, joints): mean of f^2 over the square of the mean of f.

        >>> Colour.of(np.ones((8, 1, 1)), 4).slack
        array([1.])
        """
        power = np.maximum(np.einsum("wjj->wj", spectral).real, 0.0)
        mean = power.mean(axis=0)
        return cls(np.where(mean > 0, (power**2).mean(axis=0) / np.where(mean > 0, mean, 1.0) ** 2, 1.0), lags)


def freedom(
    line: Linear, block: BlockFactor, weights: Array, noise: Array, colour: Colour, prior: Array | None = None
) -> Array:
    """Of every value, (parameters,). `prior`: variances that are not from the data, (parameters,).

    >>> from bifilar.dynamics.reduce import RowFactor
    >>> from bifilar.robot.solve import WeightedFit
    >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[2.0, 6.0], [0.0, 4.0]]), 5),), 5)
    >>> freedom(Linear.plain(WeightedFit.of(("a",), block, np.ones(1))), block, np.ones(1), np.ones(1), Colour.white(1))
    array([4.])
    """
    rows = np.array([row.samples for row in block.rows], dtype=float)
    parts = line.parts(block, weights)
    free = rows - np.array([np.sum(part**2 * line.bread) for part in parts])
    if not np.all((free >= 1) | (rows == 0)) or not np.isfinite(noise).all():  # one noise for all joints
        return np.full(len(line.spread), max(float(free.sum()), 0.0))
    each = (colour.slack + colour.lags / PARZEN) / np.where(rows > 0, free, np.inf)
    through = line.spread * line.bread
    variances = np.array(
        [(w * s) ** 2 * np.sum((through @ part.T) ** 2, axis=1) for w, s, part in zip(weights, noise, parts)]
    ).T
    known = line.spread**2 @ line.prior if prior is None else prior
    total = variances.sum(axis=1) + known
    shares = variances / np.where(total > 0, total, 1.0)[:, None]
    inverse = shares**2 @ each
    return np.where(inverse > 1 / MOST, 1.0 / np.where(inverse > 0, inverse, 1.0), np.inf)


def quantile(level: float, count: ArrayLike) -> Array:
    """Half the width of an interval in deviations, of so many degrees of freedom; infinite for none.

    >>> quantile(0.95, [np.inf, 10.0, 0.0]).round(3)
    array([1.96 , 2.228,   inf])
    """
    from scipy.special import stdtrit

    told = np.clip(np.asarray(count, dtype=float), 1e-300, MOST)
    return np.where(told < 0.5, np.inf, stdtrit(np.maximum(told, 0.5), 0.5 + level / 2))
