"""The full 6 x 6 matrix of a force/torque sensor, from loads that are known.

    load = matrix @ (reading - bias)            six rows of seven unknowns each, linear in (matrix, matrix @ bias)

Cross-talk between axes is in the off-diagonal. Six loads that span force and moment are needed at least; directions that they
leave out are named, and stay as the nominal matrix says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bifilar.calibrate.wrist_doubts import AXES
from bifilar.calibrate.wrist_model import rotations, skew, wrenches
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.status import Status

SPANNED = 1e-3  # of the largest singular value, of loads scaled to unit size per axis


@dataclass(frozen=True, eq=False, repr=False)
class ShapeCalibration:
    """What turns readings into loads.

    >>> rng = np.random.default_rng(0)
    >>> true, load = np.eye(6) + 0.05 * rng.normal(size=(6, 6)), rng.normal(size=(30, 6))
    >>> found = bf.calibrate_shape(load, load @ np.linalg.inv(true).T + 0.3)
    >>> bool(np.allclose(found.matrix, true)), bool(np.allclose(found.bias, 0.3))
    (True, True)
    """

    matrix: Array  # (6, 6)
    bias: Array  # (6,)
    deviations: Array  # (6, 6) of the matrix
    noise: Array  # (6,) [N], [N m] of one load
    status: Status

    def load(self, reading: ArrayLike) -> Array:
        """Loads (N, 6) from readings.

        >>> ShapeCalibration(np.eye(6), np.ones(6), np.eye(6), np.ones(6), bf.Status()).load(np.ones((1, 6)))
        array([[0., 0., 0., 0., 0., 0.]])
        """
        return (np.asarray(reading, dtype=float) - self.bias) @ self.matrix.T

    def __repr__(self) -> str:
        return f"ShapeCalibration({self.status.code})"


def hung_load(rotation: ArrayLike, mass: ArrayLike, centre: ArrayLike, gravity: ArrayLike = (0.0, 0.0, -9.80665)) -> Array:
    """Wrench (N, 6) in the sensor's frame of known masses [kg] hung at known points (3,) or (N, 3) [m] of that frame.

    >>> hung_load(np.eye(3)[None], 1.0, [0.1, 0, 0])[0].round(3) + 0.0
    array([ 0.   ,  0.   , -9.807,  0.   ,  0.981,  0.   ])
    """
    R = rotations(rotation)
    pull = np.einsum("nba,b->na", R, np.asarray(gravity, dtype=float)) * np.broadcast_to(np.asarray(mass), (len(R),))[:, None]
    where = np.broadcast_to(np.asarray(centre, dtype=float), (len(R), 3))
    return np.concatenate([pull, np.einsum("nab,nb->na", skew(where), pull)], axis=1)


def calibrate_shape(load: ArrayLike, reading: ArrayLike, *, nominal: ArrayLike | None = None) -> ShapeCalibration:
    """The matrix and bias that turn `reading` (N, 6) into the known `load` (N, 6), least squares; `nominal` is the identity.

    >>> bf.calibrate_shape(np.zeros((9, 6)), np.zeros((9, 6))).status.code
    'rank deficient'
    """
    known = np.asarray(load, dtype=float)
    y, x = wrenches(known, len(known)), wrenches(reading, len(known))
    start = np.eye(6) if nominal is None else np.asarray(nominal, dtype=float)
    if len(y) < 7:
        raise SolveError(f"{len(y)} loads are too few for a matrix and a bias", remedy="hang on seven or more different ones")
    size = np.maximum(np.abs(x - x.mean(axis=0)).max(axis=0), 1e-300)
    A = np.column_stack([(x - x.mean(axis=0)) / size, np.ones(len(x))])
    _, singular, right = np.linalg.svd(A, full_matrices=False)
    kept = singular > SPANNED * singular[0]
    inverse = (right[kept].T / singular[kept] ** 2) @ right[kept]
    step = inverse @ A.T @ (y - x @ start.T)  # (7, 6): what is added to the nominal matrix, and the constant
    matrix = start + (step[:6] / size[:, None]).T
    constant = step[6] - (x.mean(axis=0) / size) @ step[:6]
    left = y - x @ matrix.T - constant
    noise = np.sqrt(np.sum(left**2, axis=0) / max(len(y) - int(kept.sum()), 1))
    spread = np.sqrt(np.diag(inverse)[:6]) / size
    bias = -np.linalg.solve(matrix, constant) if np.linalg.cond(matrix) < 1e9 else np.zeros(6)
    return ShapeCalibration(matrix, bias, noise[:, None] * spread[None, :], noise, _status(right[~kept]))


def _status(open_directions: Array) -> Status:
    if not len(open_directions):
        return Status()
    share = np.abs(open_directions[:, :6]).max(axis=0)
    which = ", ".join(axis for axis, part in zip(AXES, share, strict=True) if part > 0.1)
    return Status(
        "rank deficient", f"the loads do not span {which}", "hang masses at points that bend and twist about every axis"
    )
