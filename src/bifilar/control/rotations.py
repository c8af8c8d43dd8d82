"""Rotations and the vectors they turn about, many at once.

    R = exp([w]) = 1 + sin(t)/t [w] + (1 - cos(t))/t^2 [w]^2,      t = |w|       (Rodrigues)

The way back uses the unit quaternion, which stays accurate near half a turn as well as near none.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.tree import Array


def turned(vector: Array) -> Array:
    """Rotation matrices (N, 3, 3) that turn about vectors (N, 3) [rad].

    >>> turned(np.array([[0, 0, np.pi / 2]])).round(9)[0, :2, :2] + 0.0
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    angle = np.linalg.norm(vector, axis=1)[:, None, None]
    cross = np.zeros((len(vector), 3, 3))
    x, y, z = vector.T
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -z, y, -x
    cross[:, 1, 0], cross[:, 2, 0], cross[:, 2, 1] = z, -y, x
    return np.eye(3) + np.sinc(angle / np.pi) * cross + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (cross @ cross)


def turn_of(rotation: Array) -> Array:
    """Vectors (N, 3) [rad] that rotations turn about, the shorter way.

    >>> turn_of(turned(np.array([[0.1, -0.2, 3.0]]))).round(9)
    array([[ 0.1, -0.2,  3. ]])
    """
    quaternion = _quaternion(rotation)
    quaternion *= np.where(quaternion[:, :1] < 0, -1.0, 1.0)
    sine = np.linalg.norm(quaternion[:, 1:], axis=1)
    angle = 2 * np.arctan2(sine, quaternion[:, 0])
    scale = np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2.0)
    return scale[:, None] * quaternion[:, 1:]


def _quaternion(R: Array) -> Array:
    """Unit quaternions (N, 4), w first: the largest of the four is computed by a root, the others from it."""
    a, b, c = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    four = 0.25 * np.stack([1 + a + b + c, 1 + a - b - c, 1 - a + b - c, 1 - a - b + c], axis=1)  # squares
    products = np.empty((len(R), 4, 4))
    products[:, range(4), range(4)] = four
    pairs = {(0, 1): R[:, 2, 1] - R[:, 1, 2], (0, 2): R[:, 0, 2] - R[:, 2, 0], (0, 3): R[:, 1, 0] - R[:, 0, 1]}
    pairs |= {(1, 2): R[:, 1, 0] + R[:, 0, 1], (1, 3): R[:, 0, 2] + R[:, 2, 0], (2, 3): R[:, 2, 1] + R[:, 1, 2]}
    for (i, j), value in pairs.items():
        products[:, i, j] = products[:, j, i] = 0.25 * value
    best = np.argmax(four, axis=1)
    row = products[np.arange(len(R)), best]
    return row / np.linalg.norm(row, axis=1)[:, None]
