"""The ten numbers of a body from other descriptions of it, with exact derivatives.

    principal      m, moments J1 J2 J3 at the centre of mass along fixed axes, first moment h:
                   I = V diag(J) V' + rest + (|h|^2 1 - h h') / m     not linear in m and h: d/dm and d/dh are needed
    second         the same with second moments S1 S2 S3 in place of moments, J1 = S2 + S3 ...: positive numbers are a body that
                   can exist, whatever the first moment (J's triangle inequality holds)
    log_cholesky   J = U U', U upper triangular: any ten real numbers are a body that can exist (see robot.inertia)

Joukov et al. write the first in (10)-(14); their (13) with (14) counts m r^2 twice, and takes the acceleration of the frame
where that of the centre of mass is needed. Here (m, h, I about the origin) go into the regressor, which is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.robot.inertia import Array, Inertia, six_of


def principal(seven: ArrayLike, axes: ArrayLike, rest: ArrayLike | None = None, *, second: bool = False) -> tuple[Array, Array]:
    """Ten numbers from (m, J1, J2, J3, hx, hy, hz), and the derivatives (10, 7).

    `axes`: columns are the directions of the moments. `rest`: six numbers of inertia at the centre of mass beside them.
    `second`: the three are second moments.

    >>> ten, slope = principal([2.0, 0.1, 0.2, 0.3, 0.0, 0.0, 1.0], np.eye(3))
    >>> ten[[0, 3, 4, 9]], slope[4, 6]
    (array([2. , 1. , 0.6, 0.3]), np.float64(1.0))
    """
    m, j, h = (lambda s: (s[0], s[1:4], s[4:7]))(np.asarray(seven, dtype=float))
    over = 1.0 / m if abs(m) > 1e-9 else np.copysign(1e9, m)
    v, one = np.asarray(axes, dtype=float), np.eye(3)
    parts = [(one if second else 0.0) + (-1.0 if second else 1.0) * np.outer(v[:, k], v[:, k]) for k in range(3)]
    steiner = (h @ h * one - np.outer(h, h)) * over
    matrix = j[0] * parts[0] + j[1] * parts[1] + j[2] * parts[2] + steiner
    ten = np.concatenate([[m], h, six_of(matrix) + (0.0 if rest is None else np.asarray(rest, dtype=float))])
    slope = np.zeros((10, 7))
    slope[0, 0] = 1.0
    slope[4:, 0] = -six_of(steiner) * over
    for k in range(3):
        slope[4:, 1 + k] = six_of(parts[k])
        slope[1 + k, 4 + k] = 1.0
        slope[4:, 4 + k] = six_of(2 * h[k] * one - np.outer(one[k], h) - np.outer(h, one[k])) * over
    return ten, slope


def principal_parts(inertia: Inertia, *, second: bool = False) -> tuple[Array, Array]:
    """(m, J1, J2, J3, hx, hy, hz) of a body along its own principal axes, and the axes; `second`: second moments.

    >>> body = Inertia.from_center_of_mass(2.0, [0, 0, 0.5], np.diag([0.1, 0.2, 0.3]))
    >>> seven, axes = principal_parts(body)
    >>> bool(np.allclose(principal(seven, axes)[0], body.vector))
    True
    """
    moments, axes = decompose.eigh(inertia.about_center_of_mass)
    order = np.argmax(np.abs(axes), axis=0)
    if len(set(order.tolist())) == 3:  # nearest to x, y, z: names stay meaningful
        place = np.argsort(order)
        moments, axes = moments[place], axes[:, place] * np.sign(axes[order[place], place])
    moments = 0.5 * moments.sum() - moments if second else moments
    return np.concatenate([[inertia.mass], moments, inertia.first_moment]), axes


def log_cholesky(theta: ArrayLike) -> tuple[Array, Array]:
    """Ten numbers from (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3), and the derivatives (10, 10).

    >>> ten, slope = log_cholesky(np.zeros(10))
    >>> ten[[0, 4]], slope[0, 0]
    (array([1., 2.]), np.float64(2.0))
    """
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = np.asarray(theta, dtype=float)
    e1, e2, e3 = np.exp([d1, d2, d3])
    u = np.exp(alpha) * np.array([[e1, s12, s13, t1], [0, e2, s23, t2], [0, 0, e3, t3], [0, 0, 0, 1.0]])
    slope = np.empty((10, 10))
    ten = np.einsum("rij,ij->r", _OF_PSEUDO, u @ u.T)
    slope[:, 0] = 2 * ten
    size = 2.0 * np.exp(alpha) * np.array([e1, e2, e3, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    slope[:, 1:] = np.einsum("rkj,jk->rk", _OF_PSEUDO[:, _ROWS, :], u[:, _COLUMNS]) * size  # of J = U U', by one entry of U
    return ten, slope


def _of_pseudo() -> Array:
    """(10, 4, 4), symmetric: ten numbers = sum of this times the pseudo-inertia."""
    out = np.zeros((10, 4, 4))
    for i in range(4):
        for j in range(4):
            unit = np.zeros((4, 4))
            unit[i, j] += 0.5
            unit[j, i] += 0.5
            out[:, i, j] = Inertia.from_pseudo(unit).vector
    return out


_OF_PSEUDO = _of_pseudo()
_ROWS, _COLUMNS = (
    np.array([0, 1, 2, 0, 1, 0, 0, 1, 2]),
    np.array([0, 1, 2, 1, 2, 2, 3, 3, 3]),
)  # of d1 d2 d3 s12 s23 s13 t1 t2 t3
