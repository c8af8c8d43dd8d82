"""Many bodies at once: ten numbers each, their 4 x 4 pseudo-inertias, and what optimisers need of both.

    J(x) = sum_k x_k E_k = [[S, h], [h', m]],   S = tr(I)/2 1 - I          (linear, one to one; see robot/inertia.py)

    divergence(J, J0) = tr(J0^-1 J) - log det(J0^-1 J) - 4  >= 0, zero only for J = J0

The divergence (Lee, Wensing and Park 2020: "entropic") does not depend on frames or units and is infinite at the border of
what can exist. Near J0 it is half the square of the relative change, so a weight w on it says: known to 1 / sqrt(w).
Log-Cholesky numbers as in Rucker and Wensing (2022), in the order of `Inertia.log_cholesky`, with their Jacobian.
Arrays are (..., 10) and (..., 4, 4).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array

_ROWS = np.array([0, 0, 1, 0, 1, 2])  # of the six moments xx xy yy xz yz zz
_COLS = np.array([0, 1, 1, 2, 2, 2])
NEAREST = 1e-15  # least over largest eigenvalue of a pseudo-inertia in balanced units: what is below is rounding


def _basis() -> Array:
    """E_k: the pseudo-inertia of the k-th unit vector, (10, 4, 4)."""
    e = np.zeros((10, 4, 4))
    e[0, 3, 3] = 1.0
    for k in range(3):
        e[1 + k, k, 3] = e[1 + k, 3, k] = 1.0
    for k, (r, c) in enumerate(zip(_ROWS, _COLS, strict=True)):
        if r == c:
            e[4 + k, :3, :3] = 0.5 * np.eye(3)
            e[4 + k, r, r] = -0.5
        else:
            e[4 + k, r, c] = e[4 + k, c, r] = -1.0
    return e


def _back() -> Array:
    """Ten numbers of a symmetric matrix, (16, 10); exact, where a pseudo-inverse would leave rounding errors."""
    j = np.eye(16).reshape(16, 4, 4)
    j = 0.5 * (j + j.transpose(0, 2, 1))
    moments = np.trace(j[:, :3, :3], axis1=1, axis2=2)[:, None, None] * np.eye(3) - j[:, :3, :3]
    return np.column_stack([j[:, 3, 3], j[:, :3, 3], moments[:, _ROWS, _COLS]])


BASIS = _basis()
_FLAT = BASIS.reshape(10, 16)
_BACK = _back()
for _array in (BASIS, _FLAT, _BACK):
    _array.flags.writeable = False


def pseudo(ten: ArrayLike) -> Array:
    """Pseudo-inertias, (..., 10) -> (..., 4, 4).

    >>> from bifilar.estimate.bodies import pseudo
    >>> ball = bf.Inertia.from_center_of_mass(2.0, [0.1, 0, 0], np.eye(3))
    >>> bool(np.allclose(pseudo(ball.vector), ball.pseudo()))
    True
    """
    x = np.asarray(ten, dtype=float)
    return (x @ _FLAT).reshape(*x.shape[:-1], 4, 4)


def ten_of(matrices: ArrayLike) -> Array:
    """Ten numbers of symmetric 4 x 4 matrices: the inverse of `pseudo`.

    >>> from bifilar.estimate.bodies import pseudo, ten_of
    >>> bool(np.allclose(ten_of(pseudo(np.arange(10.0))), np.arange(10.0)))
    True
    """
    j = np.asarray(matrices, dtype=float)
    return j.reshape(*j.shape[:-2], 16) @ _BACK


def traces(matrices: ArrayLike) -> Array:
    """tr(E_k M) for every k: the gradient of tr(M J(x)) by the ten numbers, (..., 4, 4) -> (..., 10).

    >>> from bifilar.estimate.bodies import traces
    >>> float(traces(np.diag([0, 0, 0, 3.0]))[0])
    3.0
    """
    m = np.asarray(matrices, dtype=float)
    return m.reshape(*m.shape[:-2], 16) @ _FLAT.T


def is_definite(ten: ArrayLike) -> bool:
    """Whether every body has a positive definite pseudo-inertia.

    >>> from bifilar.estimate.bodies import is_definite
    >>> is_definite([[1.0, 0, 0, 0, 1, 0, 1, 0, 0, 1], [1.0, 0, 0, 0, 1, 0, 1, 0, 0, 3]])
    False
    """
    return bool(np.all(margins(ten) > 0))


def margins(ten: ArrayLike) -> Array:
    """How far every body is from the border of what can exist: smallest over largest eigenvalue, in balanced units.

    Units are balanced by the diagonal (a congruence, which keeps the sign), so that kilograms and kg m^2 compare.

    >>> from bifilar.estimate.bodies import margins
    >>> float(margins([1.0, 0, 0, 0, 2, 0, 2, 0, 0, 2]).round(9))
    1.0
    """
    j = pseudo(ten)
    diagonal = np.abs(np.diagonal(j, axis1=-2, axis2=-1))
    least = np.finfo(float).tiny ** 0.25
    scale = 1.0 / np.sqrt(np.maximum(diagonal, least))
    values = decompose.eigvalsh(j * scale[..., :, None] * scale[..., None, :])
    return values[..., 0] / np.maximum(np.abs(values[..., -1]), least)


def log_dets(ten: ArrayLike) -> Array:
    """log det J of every body; -inf where it is not positive definite.

    >>> from bifilar.estimate.bodies import log_dets
    >>> float(log_dets([1.0, 0, 0, 0, 2, 0, 2, 0, 0, 2]))
    0.0
    """
    values = decompose.eigvalsh(pseudo(ten))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values[..., 0] > 0, np.log(np.abs(values)).sum(axis=-1), -np.inf)


def divergences(ten: ArrayLike, prior: ArrayLike) -> Array:
    """tr(J0^-1 J) - log det(J0^-1 J) - 4 of every body; inf for a body that cannot exist.

    >>> from bifilar.estimate.bodies import divergences
    >>> body = np.array([1.0, 0, 0, 0, 2, 0, 2, 0, 0, 2])
    >>> float(divergences(body, body)), float(divergences(2 * body, body).round(4))
    (0.0, 1.2274)
    """
    root = np.linalg.cholesky(pseudo(prior))
    half = np.linalg.solve(root, pseudo(ten))
    ratio = np.linalg.solve(root, np.swapaxes(half, -1, -2))  # L^-1 J L^-T
    values = decompose.eigvalsh(0.5 * (ratio + np.swapaxes(ratio, -1, -2)))
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(values > 0, values - 1.0 - np.log(np.abs(values)), np.inf)
    return np.maximum(each, 0.0).sum(axis=-1)


def curvatures(ten: ArrayLike) -> Array:
    """Hessian of -log det J by the ten numbers, tr(J^-1 E_k J^-1 E_l), (..., 10) -> (..., 10, 10).

    >>> from bifilar.estimate.bodies import curvatures
    >>> float(curvatures([2.0, 0, 0, 0, 2, 0, 2, 0, 0, 2])[0, 0].round(9))
    0.25
    """
    roots = curvature_roots(ten)
    return roots @ np.swapaxes(roots, -1, -2)


def curvature_roots(ten: ArrayLike) -> Array:
    """F with F F' = `curvatures`, (..., 10) -> (..., 10, 16): row k is T E_k T' with T' T = J^-1.

    A product of real factors cannot become negative by rounding, whatever body it is of. Eigenvalues of J, in balanced units,
    are taken to be at least NEAREST of the largest: those of a body at the border of what can exist are rounding errors below.

    >>> from bifilar.estimate.bodies import curvature_roots
    >>> point = [2.0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> curvature_roots(point).shape, bool(np.isfinite(curvature_roots(point)).all())
    ((10, 16), True)
    """
    j = pseudo(ten)
    diagonal = np.abs(np.diagonal(j, axis1=-2, axis2=-1))
    least = NEAREST * diagonal.max(axis=-1, keepdims=True)
    scale = 1.0 / np.sqrt(np.maximum(diagonal, np.maximum(least, np.finfo(float).tiny ** 0.25)))
    values, axes = decompose.eigh(j * scale[..., :, None] * scale[..., None, :])
    values = np.maximum(values, NEAREST * np.maximum(values[..., -1:], 1.0))
    t = np.swapaxes(axes, -1, -2) / np.sqrt(values)[..., :, None] * scale[..., None, :]
    v = np.einsum("...ab,kbc,...dc->...kad", t, BASIS, t, optimize=True)
    return np.asarray(v.reshape(*v.shape[:-2], 16), dtype=float)


def log_cholesky(ten: ArrayLike) -> Array:
    """Ten free numbers for every body; the bodies must be positive definite.

    >>> from bifilar.estimate.bodies import from_log_cholesky, log_cholesky
    >>> body = np.array([1.0, 0.1, 0, 0, 2, 0, 2, 0, 0, 2])
    >>> bool(np.allclose(from_log_cholesky(log_cholesky(body)), body))
    True
    """
    j = pseudo(ten)
    u = np.linalg.cholesky(j[..., ::-1, ::-1])[..., ::-1, ::-1]  # the lower factor of the flipped matrix is the upper one
    corner = u[..., 3, 3]
    s = u / corner[..., None, None]
    logs = np.log(np.stack([s[..., k, k] for k in range(3)], axis=-1))
    rest = np.stack([s[..., r, c] for r, c in _FREE], axis=-1)
    return np.concatenate([np.log(corner)[..., None], logs, rest], axis=-1)


_FREE = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))  # places of s12, s23, s13, t1, t2, t3 in U


def _factor(theta: Array) -> Array:
    u = np.zeros((*theta.shape[:-1], 4, 4))
    for k in range(3):
        u[..., k, k] = np.exp(theta[..., 1 + k])
    for k, (r, c) in enumerate(_FREE):
        u[..., r, c] = theta[..., 4 + k]
    u[..., 3, 3] = 1.0
    return np.exp(theta[..., :1])[..., None] * u


def from_log_cholesky(theta: ArrayLike) -> Array:
    """Ten numbers of bodies that can exist, from any ten real numbers each.

    >>> from bifilar.estimate.bodies import from_log_cholesky, is_definite
    >>> is_definite(from_log_cholesky(np.random.default_rng(0).normal(size=(5, 10))))
    True
    """
    u = _factor(np.asarray(theta, dtype=float))
    return ten_of(u @ np.swapaxes(u, -1, -2))


def log_cholesky_jacobian(theta: ArrayLike) -> Array:
    """Derivative of the ten numbers by the log-Cholesky numbers, (..., 10) -> (..., 10, 10): x = row, theta = column.

    >>> from bifilar.estimate.bodies import from_log_cholesky, log_cholesky_jacobian
    >>> theta = np.linspace(-0.4, 0.5, 10)
    >>> step = 1e-6 * np.ones(10)
    >>> change = from_log_cholesky(theta + step) - from_log_cholesky(theta - step)
    >>> bool(np.allclose(log_cholesky_jacobian(theta) @ (2 * step), change, atol=1e-10))
    True
    """
    theta = np.asarray(theta, dtype=float)
    u = _factor(theta)
    scale = np.exp(theta[..., 0])
    slopes = np.zeros((*theta.shape, 4, 4))
    slopes[..., 0, :, :] = u
    for k in range(3):
        slopes[..., 1 + k, k, k] = u[..., k, k]
    for k, (r, c) in enumerate(_FREE):
        slopes[..., 4 + k, r, c] = scale
    half = slopes @ np.swapaxes(u, -1, -2)[..., None, :, :]
    return np.swapaxes(ten_of(half + np.swapaxes(half, -1, -2)), -1, -2)
