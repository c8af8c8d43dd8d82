"""The loop behind `true_motion`: derivatives of some samples' torque, gathered into windows and divided by the noise."""

from __future__ import annotations

from typing import Any


def gather(
    by_q: Any,  # (K, 6 + n, n) derivatives of the rigid-body torque, base rows first
    by_v: Any,  # (K, 6 + n, n)
    mass: Any,  # (K, 6 + n, 6 + n)
    friction: Any,  # (K, n n) derivatives of friction by velocity
    rotor: Any,  # (n, n)
    regressor: Any,  # (K, n, all columns)
    places: Any,  # (p,) of the base parameters among the columns
    torque: Any,  # (K, n) measured
    weight: Any,  # (n,) 1 / sigma_tau
    theta: Any,  # (p,)
    one: Any,  # (2 s + 1,) first difference
    two: Any,  # (2 s + 1,) second difference
    jacobian: Any,  # (K, n, (2 s + 1) n) result
    border: Any,  # (K, n, p + 1) result
) -> None:
    """Derivatives of the weighted torque residual by every position of its window, and Y with the residual.

    >>> six, jacobian, border = np.zeros((1, 7, 1)), np.zeros((1, 1, 3)), np.zeros((1, 1, 2))
    >>> mass = np.full((1, 7, 7), 2.0)
    >>> drive, Y, where = np.zeros((1, 1)), np.full((1, 1, 1), 5.0), np.zeros(1, int)
    >>> differences = np.array([-0.5, 0, 0.5]), np.array([1.0, -2, 1])
    >>> gather(six, six, mass, drive, drive, Y, where, np.ones((1, 1)), np.ones(1), np.ones(1), *differences, jacobian, border)
    >>> jacobian[0, 0], border[0, 0]
    (array([ 2., -4.,  2.]), array([5., 4.]))
    """
    samples, n, columns = border.shape
    points = len(one)
    middle = points // 2
    for k in range(samples):
        for i in range(n):
            w = weight[i]
            for c in range(n):
                slope = w * (by_v[k, 6 + i, c] + friction[k, i * n + c])
                inertia = w * (mass[k, 6 + i, 6 + c] + rotor[i, c])
                for m in range(points):
                    jacobian[k, i, m * n + c] = one[m] * slope + two[m] * inertia
                jacobian[k, i, middle * n + c] += w * by_q[k, 6 + i, c]
            residual = -w * torque[k, i]
            for j in range(columns - 1):
                value = w * regressor[k, i, places[j]]
                border[k, i, j] = value
                residual += value * theta[j]
            border[k, i, columns - 1] = residual
