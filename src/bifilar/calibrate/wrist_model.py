"""What a wrist sensor reads at rest, as a function of twelve numbers, with its derivative."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError

Frame = Literal["sensor", "base"]
TURNED = 1e-2  # least spread of orientations that tell load from bias
PARTS = (3, 3, 3, 3)  # weight in the base frame, force bias, centre, moment bias


def rotations(value: ArrayLike) -> Array:
    """Rotation matrices (N, 3, 3) from matrices or quaternions xyzw (N, 4).

    >>> rotations([[0, 0, 0, 1.0]])[0]
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    given = numbers("rotation", value)
    if not np.isfinite(given).all():
        raise ShapeError("rotation.not_finite")
    if given.ndim == 3 and given.shape[1:] == (3, 3):
        off = np.abs(given @ np.swapaxes(given, 1, 2) - np.eye(3)).max(initial=0.0)
        if off > 1e-3:
            raise ShapeError("rotation.not_orthogonal/wrist_model", off=off)
        if np.any(np.linalg.det(given) < 0):
            raise ShapeError("rotation.mirrors")
        return given
    if given.ndim != 2 or given.shape[1] != 4:
        raise ShapeError("shape.wrong/wrist_model", shape=given.shape)
    size = np.linalg.norm(given, axis=1, keepdims=True)
    if np.any(np.abs(size - 1) > 0.05):
        raise ShapeError("rotation.quaternion")
    x, y, z, w = (given / size).T
    return np.moveaxis(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        ),
        2,
        0,
    )


def wrenches(value: ArrayLike, count: int) -> Array:
    """Readings (N, 6), finite, one per pose.

    >>> wrenches(np.zeros((2, 6)), 2).shape
    (2, 6)
    """
    given = numbers("wrench", value)
    if given.shape != (count, 6):
        raise ShapeError("shape.wrong/wrenches", shape=given.shape, count=count)
    if not np.isfinite(given).all():
        raise ShapeError("not_finite/wrist_model", argwhere=int(np.argwhere(~np.isfinite(given))[0, 0]))
    return given


def sensor_frame(wrench: Array, R: Array, frame: Frame) -> Array:
    """Readings with the sensor's own axes.

    >>> sensor_frame(np.ones((1, 6)), np.eye(3)[None], "base")
    array([[1., 1., 1., 1., 1., 1.]])
    """
    if frame not in ("sensor", "base"):
        raise ShapeError("frame.unknown", frame=frame)
    if frame == "sensor":
        return wrench
    return np.einsum("nba,nkb->nka", R, wrench.reshape(-1, 2, 3)).reshape(-1, 6)


def predicted(x: Array, R: Array) -> Array:
    """Readings (N, 6) in the sensor's frame.

    >>> predicted(np.append([0, 0, -10.0], np.zeros(9)), np.eye(3)[None])
    array([[  0.,   0., -10.,   0.,   0.,   0.]])
    """
    pull = np.einsum("nba,b->na", R, x[:3])
    return np.concatenate([pull + x[3:6], np.cross(x[6:9], pull) + x[9:]], axis=1)


def jacobian(x: Array, R: Array) -> Array:
    """Derivative of the readings with respect to the twelve numbers, (N, 6, 12).

    >>> jacobian(np.ones(12), np.eye(3)[None]).shape
    (1, 6, 12)
    """
    J = np.zeros((len(R), 6, sum(PARTS)))
    turned = np.swapaxes(R, 1, 2)
    J[:, :3, :3] = turned
    J[:, :3, 3:6] = J[:, 3:, 9:] = np.eye(3)
    J[:, 3:, :3] = skew(x[6:9]) @ turned
    J[:, 3:, 6:9] = -skew(turned @ x[:3])
    return J


def skew(v: Array) -> Array:
    """(..., 3, 3) with skew(v) @ u = v x u.

    >>> skew(np.array([0.0, 0.0, 1.0])) @ [1.0, 0.0, 0.0]
    array([0., 1., 0.])
    """
    zero = np.zeros(v.shape[:-1])
    rows = [[zero, -v[..., 2], v[..., 1]], [v[..., 2], zero, -v[..., 0]], [-v[..., 1], v[..., 0], zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def spread(R: Array, along: Array, free: Array | None = None) -> float:
    """How well orientations tell load from bias whatever the load: least over largest singular value, for a weight of one.

    >>> spread(np.repeat(np.eye(3)[None], 9, axis=0), np.array([0.0, 0.0, -1.0])) < 1e-9
    True
    """
    x = np.concatenate([along, np.zeros(9)])
    J = jacobian(x, R) if free is None else jacobian(x, R) @ free
    singular = decompose.svd(J.reshape(6 * len(R), -1), compute_uv=False)
    return float(singular[-1] / singular[0])


def start(R: Array, y: Array, known: Array | None) -> Array:
    """A first guess: forces alone, then moments with the weight that they gave.

    >>> x = np.append([0, 0, -10.0], np.ones(9))
    >>> R = rotations(np.array([[0, 0, 0, 5], [0, 3, 0, 4], [3, 0, 0, 4], [0, 0, 3, 4]]) / 5)
    >>> bool(np.allclose(start(R, predicted(x, R), None), x))
    True
    """
    turned = np.swapaxes(R, 1, 2)
    pull = turned if known is None else (turned @ known)[:, :, None]
    A = np.concatenate([pull, np.broadcast_to(np.eye(3), R.shape)], axis=2).reshape(-1, pull.shape[2] + 3)
    force = decompose.lstsq(A, y[:, :3].ravel(), rcond=None)[0]
    weight = force[:-3] if known is None else force[0] * known
    B = np.concatenate([-skew(turned @ weight), np.broadcast_to(np.eye(3), R.shape)], axis=2).reshape(-1, 6)
    moment = decompose.lstsq(B, y[:, 3:].ravel(), rcond=None)[0]
    return np.concatenate([weight, force[-3:], moment])
