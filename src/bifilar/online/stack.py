"""Several measurements of the same sample as one: rows under each other, what is known subtracted, noise made white.

With R = L L' and b = W known, what is handed on are L^-1 W and L^-1 (reading - b): independent rows of variance one.
The columns that remain are ten for each block of the state, zero where a sensor cannot see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.online.measurements import Measurement
from bifilar.online.space import Space
from bifilar.online.tables import SCALAR
from bifilar.robot.inertia import Array
from bifilar.robot.robot import Robot


class Stacked(NamedTuple):
    """Rows of some samples, ready for the filter.

    >>> Stacked(np.zeros((1, 2, 10)), np.zeros((1, 2)), np.ones(1, bool)).matrix.shape
    (1, 2, 10)
    """

    matrix: Array  # (N, rows, 10 blocks)
    reading: Array  # (N, rows)
    exists: NDArray[np.bool_]


def stacked(
    robot: Robot,
    space: Space,
    measurements: Sequence[Measurement],
    state: tuple[Array, Array, Array],
    reading: Array,
    more_noise: Array | None = None,
) -> Stacked:
    """All measurements of N samples; `more_noise` (N, rows, rows) is added to the noise's covariance.

    >>> from bifilar.online.measurements import Torque
    >>> from bifilar.online.states import space_of
    >>> robot, one = bf.Robot.load("pendulum"), np.ones((1, 1))
    >>> space = space_of(robot, ("link1.mass",))
    >>> stacked(robot, space, [Torque(noise=2.0)], (one, one, one), one).matrix.shape
    (1, 1, 10)
    """
    parts, biases, exists = [], [], np.ones(len(reading), dtype=bool)
    sizes = [len(each.row_names(robot)) for each in measurements]
    covariance = np.zeros((len(reading), sum(sizes), sum(sizes)))
    first = 0
    for each, size in zip(measurements, sizes):
        rows = each.rows(robot, *state)
        parts.append(_gathered(robot, space, each, rows.matrix))
        biases.append(rows.matrix @ each.known(robot, space.known))
        covariance[:, first : first + size, first : first + size] = rows.covariance
        exists &= rows.exists
        first += size
    covariance[~exists] = np.eye(sum(sizes))
    if more_noise is not None:
        covariance = covariance + more_noise
    diagonal = np.diagonal(
        covariance, axis1=1, axis2=2
    )  # an image of fewer torques than rows is singular; rows keep their scale
    root = np.linalg.cholesky(covariance + 1e-12 * diagonal[:, :, None] * np.eye(first))
    left = (reading - np.concatenate(biases, axis=1))[:, :, None]
    white = np.linalg.solve(root, np.concatenate([np.concatenate(parts, axis=1), left], axis=2))
    return Stacked(np.ascontiguousarray(white[:, :, :-1]), np.ascontiguousarray(white[:, :, -1]), exists)


def _gathered(robot: Robot, space: Space, measurement: Measurement, matrix: Array) -> Array:
    """Ten columns for each block of the state."""
    out = np.zeros((*matrix.shape[:2], 10 * len(space.blocks)))
    for k, block in enumerate(space.blocks):
        if block.kind == SCALAR:
            out[:, :, 10 * k] = matrix[:, :, block.column]
        elif measurement.sees(robot, block.link):
            out[:, :, 10 * k : 10 * k + 10] = matrix[:, :, block.column : block.column + 10]
    return out
