"""The full 6 x 6 matrix of a force/torque sensor, from loads that are known.

    reading = matrix^-1 @ load + bias            six rows of seven unknowns each; noise is that of the readings

Loads are known and readings are noisy, so readings are fitted by loads and the matrix is turned round after that. Cross-talk
between axes is in the off-diagonal. Loads that span force and moment are needed; directions that they leave out are named, and
stay as the nominal matrix says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bifilar.calibrate.wrist_doubts import AXES
from bifilar.calibrate.wrist_model import rotations, skew, wrenches
from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, ShapeError, SolveError
from bifilar.estimate.status import Status

SINGULAR = 1e9  # condition of a matrix that has no inverse
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
    noise: Array  # (6,) of one reading
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
        raise SolveError("loads.too_few", y_count=len(y))
    if start.shape != (6, 6) or not decompose.condition(start) < SINGULAR:
        raise ShapeError("matrix.singular/shape_matrix")
    around = y - y.mean(axis=0)
    size = np.abs(around).max(axis=0)
    size = np.where(size > 1e-9 * size.max(initial=0.0), size, 1.0)  # an axis without load stays one
    A = np.column_stack([around / size, np.ones(len(y))])
    _, singular, right = decompose.svd(A, full_matrices=False)
    kept = singular > SPANNED * singular[0]
    inverse = (right[kept].T / singular[kept] ** 2) @ right[kept]
    back = np.linalg.inv(start)
    step = inverse @ A.T @ (x - y @ back.T)  # (7, 6): what is added to the nominal inverse, and the constant
    sense = back + (step[:6] / size[:, None]).T
    bias = step[6] - (y.mean(axis=0) / size) @ step[:6]
    if not decompose.condition(sense) < SINGULAR:
        raise SolveError("matrix.singular/calibrate_shape")
    left = x - y @ sense.T - bias
    matrix = np.linalg.inv(sense)
    noise = np.sqrt(np.sum(left**2, axis=0) / max(len(y) - int(kept.sum()), 1))
    spread = inverse[:6, :6] / np.outer(size, size)  # of a row of `sense`, for noise of one
    deviations = np.sqrt(np.outer(matrix**2 @ noise**2, np.einsum("ij,ik,kj->j", matrix, spread, matrix)))
    return ShapeCalibration(matrix, bias, deviations, noise, _status(right[~kept]))


def _status(open_directions: Array) -> Status:
    if not len(open_directions):
        return Status()
    share = np.abs(open_directions[:, :6]).max(axis=0)
    return Status(
        "rank deficient",
        Note("calibration.unloaded", which=[axis for axis, part in zip(AXES, share, strict=True) if part > 0.1]),
    )
