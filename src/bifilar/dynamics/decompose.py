"""Singular values, least squares and eigenvalues that do not fail on finite numbers.

NumPy takes LAPACK's divide-and-conquer drivers. On some processors they give up on finite matrices that are singular to
rounding ("SVD did not converge"; seen with a 10 s log of a real arm and OpenBLAS's Haswell kernels, while Nehalem's converge).
QR iteration is slower and converges there, so it is asked second. Numbers that are not finite stay NumPy's LinAlgError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """As `numpy.linalg.svd`.

    >>> svd(np.diag([1.0, 2.0]), compute_uv=False)
    array([2., 1.])
    """
    try:
        return cast(Any, np.linalg.svd)(a, full_matrices=full_matrices, compute_uv=compute_uv)
    except np.linalg.LinAlgError:
        return _each(a, lambda one: _slow_svd(one, full_matrices, compute_uv))


def lstsq(a: Array, b: Array, rcond: float | None = None) -> tuple[Array, Array, int, Array]:
    """As `numpy.linalg.lstsq`.

    >>> lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))[0]
    array([2.])
    """
    try:
        return cast(Any, np.linalg.lstsq(a, b, rcond=rcond))
    except np.linalg.LinAlgError:
        u, s, vt = svd(a, full_matrices=False)
        floor = np.finfo(float).eps * max(np.shape(a)) if rcond is None else rcond
        rank = int(np.count_nonzero(s > floor * s.max(initial=0.0)))
        x = vt[:rank].T @ ((u[:, :rank].T @ b).T / s[:rank]).T
        rest = np.sum((b - a @ x) ** 2, axis=0) if rank == np.shape(a)[1] < len(a) else np.zeros(0)
        return x, np.atleast_1d(rest), rank, s


def pinv(a: Array, rcond: float = 1e-15, hermitian: bool = False) -> Array:
    """As `numpy.linalg.pinv` of one matrix.

    >>> pinv(np.diag([2.0, 0.0]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    try:
        return cast(Array, np.linalg.pinv(a, rcond=rcond, hermitian=hermitian))
    except np.linalg.LinAlgError:
        u, s, vt = svd(a, full_matrices=False)
        kept = s > rcond * s.max(initial=0.0)
        return np.asarray((vt[kept].T / s[kept]) @ u[:, kept].T)


def rank(a: Array, tol: float | None = None) -> int:
    """As `numpy.linalg.matrix_rank` of one matrix.

    >>> rank(np.ones((3, 2)))
    1
    """
    s = svd(a, compute_uv=False)
    floor = s.max(initial=0.0) * max(np.shape(a)) * np.finfo(float).eps if tol is None else tol
    return int(np.count_nonzero(s > floor))


def condition(a: ArrayLike) -> Any:
    """Largest over smallest singular value, as `numpy.linalg.cond`.

    >>> float(condition(np.diag([1.0, 4.0])))
    4.0
    """
    s = svd(a, compute_uv=False)
    with np.errstate(all="ignore"):
        ratio = s[..., 0] / s[..., -1]
    return np.where(np.isnan(ratio), np.inf, ratio)[()]


def eigh(a: Any) -> tuple[Array, Any]:
    """As `numpy.linalg.eigh`.

    >>> eigh(np.diag([2.0, 1.0]))[0]
    array([1., 2.])
    """
    try:
        values, vectors = np.linalg.eigh(a)
        return values, vectors
    except np.linalg.LinAlgError:
        return _each(a, _slow_eigh)


def eigvalsh(a: Any) -> Array:
    """As `numpy.linalg.eigvalsh`.

    >>> eigvalsh(np.diag([2.0, 1.0]))
    array([1., 2.])
    """
    try:
        return np.asarray(np.linalg.eigvalsh(a))
    except np.linalg.LinAlgError:
        return eigh(a)[0]


def _each(a: ArrayLike, of: Callable[[Array], Any]) -> Any:
    """A decomposition of every matrix of a stack."""
    matrices = np.asarray(a)
    if not np.isfinite(matrices).all():
        raise np.linalg.LinAlgError("numbers that are not finite")
    if matrices.ndim == 2:
        return of(matrices)
    found = [of(one) for one in matrices.reshape(-1, *matrices.shape[-2:])]
    stack = matrices.shape[:-2]
    if isinstance(found[0], tuple):
        return tuple(np.reshape(part, (*stack, *np.shape(part[0]))) for part in zip(*found))
    return np.reshape(found, (*stack, *np.shape(found[0])))


def _slow_svd(a: Array, full_matrices: bool, compute_uv: bool) -> Any:
    from scipy.linalg import svd as by_scipy

    return by_scipy(a, full_matrices=full_matrices, compute_uv=compute_uv, lapack_driver="gesvd")


def _slow_eigh(a: Array) -> tuple[Array, Array]:
    from scipy.linalg import eigh as by_scipy

    values, vectors = by_scipy(a, driver="ev")
    return values, vectors
