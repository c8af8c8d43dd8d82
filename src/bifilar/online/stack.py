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

ANYTHING = 1e3  # times the error of a joint that stands, while it has not settled


class Stacked(NamedTuple):
    """Rows of some samples, ready for the filter.

    >>> Stacked(np.zeros((1, 2, 10)), np.zeros((1, 2)), np.ones(1, bool), np.zeros((1, 2, 0))).matrix.shape
    (1, 2, 10)
    """

    matrix: Array  # (N, rows, 10 blocks)
    reading: Array  # (N, rows)
    exists: NDArray[np.bool_]
    effect: Array  # (N, rows, errors) of what lasts as long as joints stand, in deviations


def stacked(
    robot: Robot,
    space: Space,
    measurements: Sequence[Measurement],
    state: tuple[Array, Array, Array],
    reading: Array,
    more_noise: Array | None = None,
    stands: Array | None = None,
) -> Stacked:
    """All measurements of N samples; `more_noise` (N, rows, rows) is added to the noise's covariance.

    `stands` (N, joints): where a joint stands (`standing`), friction that has a sign is none that is known, and where it has
    not settled, its error is anything.

    >>> from bifilar.online.measurements import Torque
    >>> from bifilar.online.states import space_of
    >>> robot, one = bf.Robot.load("pendulum"), np.ones((1, 1))
    >>> space = space_of(robot, ("link1.mass",))
    >>> stacked(robot, space, [Torque(noise=2.0)], (one, one, one), one).matrix.shape
    (1, 1, 10)
    """
    parts, biases, exists, effects = [], [], np.ones(len(reading), dtype=bool), []
    sizes = [len(each.row_names(robot)) for each in measurements]
    covariance = np.zeros((len(reading), sum(sizes), sum(sizes)))
    first = 0
    for each, size in zip(measurements, sizes):
        rows = each.rows(robot, *state)
        owners, deviations = each.standing_errors(robot)
        effect = each.effect(robot, state[0]) * deviations
        effects.append((first, effect))
        if stands is not None:
            quieten(robot, rows.matrix, stands != 0)
            loose = ANYTHING * effect * ((owners >= 0) & (stands[:, owners] < 0))[:, None, :]
            covariance[:, first : first + size, first : first + size] += loose @ loose.swapaxes(1, 2)
        parts.append(_gathered(robot, space, each, rows.matrix))
        biases.append(rows.matrix @ each.known(robot, space.known))
        covariance[:, first : first + size, first : first + size] += rows.covariance
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
    lasting = np.zeros((len(reading), first, sum(part.shape[2] for _, part in effects)))
    place = 0
    for row, part in effects:
        lasting[:, row : row + part.shape[1], place : place + part.shape[2]] = part
        place += part.shape[2]
    lasting = lasting[:, :, lasting_errors(robot, measurements)]
    white = np.linalg.solve(root, np.concatenate([np.concatenate(parts, axis=1), left, lasting], axis=2))
    n = 10 * len(space.blocks)
    parts_ = (white[:, :, :n], white[:, :, n], white[:, :, n + 1 :])
    matrix, right, lasting = (np.ascontiguousarray(part) for part in parts_)
    return Stacked(matrix, right, exists, lasting)


def lasting_errors(robot: Robot, measurements: Sequence[Measurement]) -> NDArray[np.bool_]:
    """Which of the errors of all measurements that last as long as joints stand are larger than zero.

    >>> from bifilar.online.measurements import Torque
    >>> lasting_errors(bf.Robot.load("two_link"), [Torque(standing=[0.0, 0.5])])
    array([False,  True])
    """
    return np.concatenate([each.standing_errors(robot)[1] > 0 for each in measurements])


def quieten(robot: Robot, matrix: Array, standing: NDArray[np.bool_]) -> None:
    """Columns of friction that has a sign become zero where their joint stands; (N, rows, columns), the drives' at the end.

    >>> arm, w = bf.Robot.load("two_link").with_friction(bf.Coulomb() + bf.Viscous()), np.ones((1, 2, 24))
    >>> quieten(arm, w, np.array([[True, False]]))
    >>> w[0, 0, 20:]
    array([0., 1., 1., 1.])
    """
    for column, joint in signed(robot):
        matrix[standing[:, joint], :, column - len(robot.drive_values)] = 0.0


def signed(robot: Robot) -> list[tuple[int, int]]:
    """Drive columns of friction that has a sign, each with its joint.

    >>> signed(bf.Robot.load("two_link").with_friction(bf.Viscous() + bf.Coulomb()))
    [(2, 0), (3, 1)]
    """
    drives = robot.drive_columns.columns
    columns = np.flatnonzero(drives.having(lambda law: law.sign)).tolist()
    return [(k, int(np.argmax(np.abs(drives.drive[k])))) for k in columns]


def _gathered(robot: Robot, space: Space, measurement: Measurement, matrix: Array) -> Array:
    """Ten columns for each block of the state."""
    out = np.zeros((*matrix.shape[:2], 10 * len(space.blocks)))
    for k, block in enumerate(space.blocks):
        if block.kind == SCALAR:
            out[:, :, 10 * k] = matrix[:, :, block.column]
        elif measurement.sees(robot, block.link):
            out[:, :, 10 * k : 10 * k + 10] = matrix[:, :, block.column : block.column + 10]
    return out
