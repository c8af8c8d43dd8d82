"""Solutions from a triangular factor of [Z W y]: least squares of either, and instrumental variables, also weak ones.

    Z = Qz Rz,  W = Qw Rw,  x = Rw phi:      least squares  x = Qw' y      instruments  C x = Qz' y,   C = Qz' Qw = U S V'

S are the canonical correlations of Z and W: 1 where the simulated motion shows the same as the measured one, small where W is
mostly noise or the simulation moves otherwise. Dividing by a small one multiplies the noise, so there, direction by direction,
least squares stand in, and it is counted how often. No product such as Z'W is formed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array

WORST = 1e12  # condition of scaled columns beyond which a direction counts as open
WEAK = 0.5  # canonical correlation: three quarters of the power of such a direction are not the motion's


@dataclass(frozen=True, eq=False)
class Solved:
    """Values and how errors reach them.

    >>> solve_triangle(np.array([[2.0, 2.0, 6.0], [0, 0, 0.5], [0, 0, 0.1]]), "Z", "W", np.zeros(1)).values
    array([3.])
    """

    values: Array  # (p,)
    pull: Array  # (p, 2 p): error of the values = pull [Z W]' error
    whiten: Array  # (2 p, p): [Z W] whiten has orthonormal columns
    open: Array  # (k, p) directions that the data leave open
    weak: int = 0  # directions in which least squares stand in for instruments


def solve_triangle(triangle: Array, left: str, right: str, prior: Array) -> Solved:
    """A' (y - B phi) = 0 for A and B of Z and W; open directions keep the prior's value.

    >>> solve_triangle(np.array([[2.0, 1.0, 6.0], [0, 1.0, 2.0], [0, 0, 0.1]]), "W", "W", np.zeros(1)).values.round(9)
    array([4.])
    """
    p = len(prior)
    z, w, y = triangle[:, :p], triangle[:, p : 2 * p], triangle[:, -1]
    if left == "Z" and right == "W":
        return _instrumental(z, w, y, prior)
    a = z if left == "Z" else w
    inverse, open_directions = _inverse(a)
    start = prior if len(open_directions) else np.zeros(p)
    values = start + inverse @ (a @ inverse).T @ (y - a @ start)
    whiten, pull = np.zeros((2 * p, p)), np.zeros((p, 2 * p))
    place = slice(0, p) if left == "Z" else slice(p, 2 * p)
    whiten[place], pull[:, place] = inverse, inverse @ inverse.T
    return Solved(values, pull, whiten, open_directions)


def _instrumental(z: Array, w: Array, y: Array, prior: Array) -> Solved:
    p = len(prior)
    inverse_z, _ = _inverse(z)
    inverse_w, open_directions = _inverse(w)
    qz, qw = z @ inverse_z, w @ inverse_w
    u, s, vt = decompose.svd(qz.T @ qw)
    start = prior if len(open_directions) else np.zeros(p)
    error, strong = y - w @ start, s >= WEAK
    x = np.where(strong, u.T @ (qz.T @ error) / np.where(strong, s, 1.0), vt @ (qw.T @ error))
    v, weak = vt.T, ~strong
    by_z = inverse_w @ (v[:, strong] / s[strong]) @ u[:, strong].T @ inverse_z.T
    by_w = inverse_w @ v[:, weak] @ vt[weak] @ inverse_w.T
    whiten = np.vstack([inverse_z, np.zeros((p, p))])
    return Solved(
        start + inverse_w @ (v @ x), np.hstack([by_z, by_w]), whiten, open_directions, int(weak.sum()) - len(open_directions)
    )


def _inverse(a: Array) -> tuple[Array, Array]:
    """(p, p) matrix that makes the columns of a orthonormal; where they depend on each other, the open directions."""
    r = np.linalg.qr(a, mode="r")
    size = np.linalg.norm(r, axis=0)
    tiny = ~(size > size.max(initial=0.0) / 1e13)  # columns of rounding are not made large
    size = np.where(tiny, 1.0, size)
    left, sizes, right = decompose.svd(np.where(tiny, 0.0, r / size))
    kept = sizes > sizes[0] / WORST if len(sizes) and sizes[0] > 0 else np.zeros(len(sizes), dtype=bool)
    open_directions = right[~kept] / size
    open_directions = open_directions / np.linalg.norm(open_directions, axis=1, keepdims=True)
    return (right[kept] / size).T / sizes[kept] @ left[:, kept].T, open_directions
