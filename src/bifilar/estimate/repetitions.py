"""The same experiment several times: how much every parameter differs (Wang et al. 2018, (13) and (14)).

    mean  = sum over i of x_i / n                                       (13)
    spread = 100 sqrt(sum over i of (x_i - mean)^2 / n) / |mean|  [%]   (14)

The paper prints sqrt(sum ...) / (n mean), 1/sqrt(n) of this and negative for negative means; its own table follows the formula
above. Its (15) and (16) are `Score.rmse` and `Score.relative`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.estimate.estimate import BaseEstimate


class Repetitions(NamedTuple):
    """Means and spreads of parameters over repetitions.

    >>> Repetitions(("a",), np.ones(1), np.full(1, 2.5)).spread
    array([2.5])
    """

    names: tuple[str, ...]
    mean: Array
    spread: Array  # [%] of the mean's size; infinite for a mean of zero


def repetitions(estimates: Sequence[BaseEstimate]) -> Repetitions:
    """Of estimates of the same robot from repeated recordings.

    >>> robot = bf.Robot.load("pendulum")
    >>> found = []
    >>> for seed in range(5):
    ...     q, v, a, e = np.random.default_rng(seed).normal(size=(4, 200, 1))
    ...     data = q, v, a, robot.inverse_dynamics(q, v, a) + 0.01 * e
    ...     found.append(bf.LeastSquares().fit(robot, data, friction=()))
    >>> bool(repetitions(found).spread[0] < 1)
    True
    """
    names = estimates[0].names if estimates else ()
    if any(one.names != names for one in estimates):
        raise ShapeError("parameters.differ")
    return Repetitions(names, *spread_of([one.values for one in estimates]))


def spread_of(values: ArrayLike) -> tuple[Array, Array]:
    """Mean and spread [%] of every column of (repetitions, parameters).

    >>> mean, spread = spread_of([[13.8238], [14.0202], [13.7847], [13.8903], [13.8968]])
    >>> mean.round(4), spread.round(4)
    (array([13.8832]), array([0.5783]))
    """
    table = np.asarray(values, dtype=float)
    if table.ndim != 2 or len(table) < 2:
        raise ShapeError("shape.wrong/repetitions", shape=table.shape)
    mean = table.mean(axis=0)
    deviation = np.sqrt(np.mean((table - mean) ** 2, axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean, np.where(mean != 0, 100 * deviation / np.abs(mean), np.inf)
