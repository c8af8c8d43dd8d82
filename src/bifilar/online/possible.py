"""The nearest body that can exist: a filter that is linear inside is physical outside.

    wanted     y = argmin (y - m)' P^-1 (y - m)   so that every body's pseudo-inertia J(y) is positive, bounded numbers inside
    searched   Newton steps on half of it - mu log det J(y) - mu log(distance to bounds), mu falling to `LAST`

Torque is linear in the ten numbers of a body, so a Kalman filter on them has nothing to linearise, and its covariance P is
honest; but its mean m may be no body. The possible bodies are a convex set that holds the truth, and nothing in a convex set
comes nearer to its points than the nearest one: (y - true)' P^-1 (y - true) <= (m - true)' P^-1 (m - true), in every run. So y
with the covariance P is never less honest than the linear filter. What is possible already is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.engine import current
from bifilar.robot.inertia import Array, Inertia

LAST = 1e-3  # of mu: what the answer is off the border by, in squared deviations
MOST = 200  # Newton steps
THINNEST = 1e-2  # of a pseudo-inertia's largest eigenvalue: its smallest, where the search begins
_UNITS = np.array([Inertia.from_vector(one).pseudo() for one in np.eye(10)])  # J = sum of ten numbers times these


def nearest_possible(
    mean: ArrayLike, root: ArrayLike, bodies: Sequence[ArrayLike], bounds: Sequence[tuple[int, float, float]] = ()
) -> Array:
    """Numbers of which `bodies` (places of ten each) can exist and `bounds` (place, low, high) hold, nearest to the mean.

    `root`: any root of the inverse covariance, P^-1 = root' root.

    >>> turned = [1.0, 0, 0, 0, 1.0, 0, 1.0, 0, 0, 5.0]  # no body: Izz is above Ixx + Iyy
    >>> found = nearest_possible(turned, np.eye(10), [range(10)])
    >>> Inertia.from_vector(found).is_consistent, found[[4, 6, 9]].round(2).tolist()
    (True, [2.0, 2.0, 4.0])
    """
    m, places = np.array(mean, dtype=float), [np.array(list(place)) for place in bodies]  # type: ignore[arg-type]
    walls = [bound for bound in bounds if np.isfinite(bound[1]) or np.isfinite(bound[2])]
    if all(_possible(m[place]) for place in places) and all(low < m[k] < high for k, low, high in walls):
        return m
    weight = np.asarray(root, dtype=float)
    with one_blas_thread(), np.errstate(all="ignore"):
        try:
            search = _compiled if current().__name__.endswith("fast") else _inside
            found = search(m, weight.T @ weight, places, walls)
        except np.linalg.LinAlgError:
            found = np.full_like(m, np.nan)
    return found if np.isfinite(found).all() else _begun(m, places, walls)


def _possible(ten: Array) -> bool:
    return bool(decompose.eigvalsh(_pseudo(ten))[0] > 0)


def _pseudo(ten: Array) -> Array:
    return np.asarray(np.tensordot(ten, _UNITS, 1))


def _begun(m: Array, places: Sequence[NDArray[np.int64]], walls: Sequence[tuple[int, float, float]]) -> Array:
    """Somewhere inside, near the mean: small and negative eigenvalues of every pseudo-inertia are raised."""
    y = m.copy()
    for place in places:
        values, axes = decompose.eigh(_pseudo(m[place]))
        least = THINNEST * max(float(np.abs(values).max()), 1e-12)
        y[place] = Inertia.from_pseudo(axes * np.maximum(values, least) @ axes.T).vector
    for k, low, high in walls:
        margin = 0.01 * (high - low) if np.isfinite(high - low) else 1e-6 + 0.01 * abs(m[k])
        y[k] = min(max(m[k], low + margin), high - margin)
    return y


def _compiled(
    m: Array, information: Array, places: Sequence[NDArray[np.int64]], walls: Sequence[tuple[int, float, float]]
) -> Array:
    """What `_inside` does, compiled."""
    from bifilar.online.kernels.nearest import nearest

    y, n = _begun(m, places, walls), len(m)
    slots = np.array(places, dtype=np.uint64).reshape(-1, 10)
    sides = np.array(walls, dtype=float).reshape(-1, 3)
    scratch = np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros((4, 4)), np.zeros(4), np.zeros((10, 16))
    units = _UNITS.reshape(10, 16)
    nearest.compiled(np.ascontiguousarray(information), m, units, slots, sides, LAST, np.uint64(MOST), y, *scratch)
    return y


def _inside(
    m: Array, information: Array, places: Sequence[NDArray[np.int64]], walls: Sequence[tuple[int, float, float]]
) -> Array:
    y, mu = _begun(m, places, walls), 1.0
    for _ in range(MOST):
        gradient, curvature = _barrier(y, places, walls)
        slope = information @ (y - m) + mu * gradient
        step: Array = -np.linalg.solve(information + mu * curvature, slope).astype(float)
        gain = -float(slope @ step)
        share = min(1.0, 0.9 * _room(y, step, places, walls))
        y = y + share * step
        if share == 1.0 and gain < 0.01 * mu:
            if mu <= LAST:
                break
            mu = max(0.1 * mu, LAST)
    return y


def _barrier(y: Array, places: Sequence[NDArray[np.int64]], walls: Sequence[tuple[int, float, float]]) -> tuple[Array, Array]:
    """First and second derivatives of - log det J - log(distances)."""
    gradient, curvature = np.zeros(len(y)), np.zeros((len(y), len(y)))
    for place in places:
        unit = np.linalg.solve(_pseudo(y[place]), _UNITS)
        gradient[place] -= np.trace(unit, axis1=1, axis2=2)
        curvature[np.ix_(place, place)] += np.einsum("kij,lji->kl", unit, unit)
    for k, low, high in walls:
        below, above = 1.0 / (y[k] - low), 1.0 / (high - y[k])
        gradient[k] += above - below
        curvature[k, k] += above**2 + below**2
    return gradient, curvature


def _room(y: Array, step: Array, places: Sequence[NDArray[np.int64]], walls: Sequence[tuple[int, float, float]]) -> float:
    """Share of a step that leads to a border."""
    most = np.inf
    for place in places:
        root = np.linalg.inv(np.linalg.cholesky(_pseudo(y[place])))
        least = decompose.eigvalsh(root @ _pseudo(step[place]) @ root.T)[0]
        most = min(most, -1.0 / least if least < 0 else np.inf)
    for k, low, high in walls:
        if step[k]:
            most = min(most, ((high if step[k] > 0 else low) - y[k]) / step[k])
    return float(most)
