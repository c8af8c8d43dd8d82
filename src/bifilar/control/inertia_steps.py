"""Steps on bodies along a gradient, measured so that what a body weighs does not matter.

With the pseudo-inertia P (4 x 4, positive definite for a body that can exist) and the gradient b of a cost by the ten numbers,
written as the matrix G with tr(P G) = phi . b,

    natural   P' = -rate P G P             along a geodesic of the metric tr((P^-1 dP)^2): never leaves the bodies that exist
    fixed     P' = -rate P0 G P0           the same metric as it is at the start P0: straight, and free to leave them

A step along the geodesic is P+ = L exp(-rate h L' G L) L' with P = L L', positive definite however long it is.
Lee, Kwon and Park 2018; Wensing and Slotine 2020.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.robot.inertia import Inertia

LONGEST = 0.5  # exponent of one step: a body changes at most by this e-fold


@cache
def _maps() -> tuple[Array, Array]:
    """Pseudo-inertia of each of the ten numbers, (10, 4, 4), and the matrices M_i with phi_i = tr(P M_i)."""
    there = np.stack([Inertia.from_vector(one).pseudo() for one in np.eye(10)])
    back = np.zeros((10, 4, 4))
    for i, j in np.ndindex(4, 4):
        unit = np.zeros((4, 4))
        unit[i, j] += 0.5
        unit[j, i] += 0.5
        back[:, i, j] = Inertia.from_pseudo(unit).vector
    return there, back


def pseudo_of(bodies: Array) -> Array:
    """Pseudo-inertias (bodies, 4, 4) of ten numbers each.

    >>> ball = Inertia.from_pseudo(np.diag([1.0, 2.0, 3.0, 4.0]))
    >>> bool(np.allclose(pseudo_of(ball.vector[None])[0], ball.pseudo()))
    True
    """
    return np.tensordot(bodies, _maps()[0], 1)


def numbers_of(pseudo: Array) -> Array:
    """Ten numbers (bodies, 10) of pseudo-inertias.

    >>> numbers = np.arange(10.0)[None]
    >>> bool(np.allclose(numbers_of(pseudo_of(numbers)), numbers))
    True
    """
    return np.tensordot(pseudo, _maps()[1], ([1, 2], [1, 2]))


def gradient_of(by_numbers: Array) -> Array:
    """G (bodies, 4, 4) of a gradient by the ten numbers (bodies, 10): tr(P G) = phi . b.

    >>> phi, b = np.random.default_rng(0).normal(size=(2, 1, 10))
    >>> bool(np.isclose(np.trace(pseudo_of(phi)[0] @ gradient_of(b)[0]), (phi * b).sum()))
    True
    """
    return np.tensordot(by_numbers, _maps()[1], 1)


def natural_step(pseudo: Array, gradient: Array, length: float) -> Array:
    """P (bodies, 4, 4) after a step along the geodesic that -P G P begins; `length` is rate times time.

    >>> natural_step(np.eye(4)[None], np.eye(4)[None], 0.1)[0].diagonal().round(4)
    array([0.9048, 0.9048, 0.9048, 0.9048])
    """
    L: Array = np.linalg.cholesky(pseudo)  # type: ignore[assignment]
    values, vectors = decompose.eigh(np.swapaxes(L, 1, 2) @ gradient @ L)
    half = np.exp(0.5 * np.clip(-length * values, -LONGEST, LONGEST))
    return _square((L @ vectors) * half[:, None, :])


def bounded(pseudo: Array, most: float) -> Array:
    """The nearest P with eigenvalues from 1 / most to most: what keeps digits, and a link from running away.

    >>> bounded(np.diag([1.0, 2.0, 1e-9, 1e9])[None], 100.0)[0].diagonal()
    array([1.e+00, 2.e+00, 1.e-02, 1.e+02])
    """
    values, vectors = decompose.eigh(pseudo)
    if (values > 1 / most).all() and (values < most).all():
        return pseudo
    return _square(vectors * np.sqrt(np.clip(values, 1 / most, most))[:, None, :])


def _square(factor: Array) -> Array:
    return np.asarray(factor @ np.swapaxes(factor, 1, 2))
