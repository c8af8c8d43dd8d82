"""The recursions behind `smoother`, one sample after the other; compiled where numba is, run on all joints at once where not.

State: position, velocity, acceleration; the jerk is white noise of intensity s. Time in sample periods, h from one
sample to the next, and the measurement noise is 1:

    F = [1 h h^2/2; 0 1 h; 0 0 1],      Q = s [h^5/20 h^4/8 h^3/6; h^4/8 h^3/3 h^2/2; h^3/6 h^2/2 h]

Backward in the form of Bryson and Frazier, which gives the numbers of Rauch, Tung and Striebel without an inverse.
Plain arithmetic only: y[k] may be one number or a row of joints, so the same lines serve both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

DIFFUSE = 1e8  # variance of the first state, in units of the measurement noise: nothing is known


def forward(y: Any, h: Any, s: Any, state: Any, spread: Any, sums: Any) -> None:
    """Kalman filter. `state` (N, 3, ...) and `spread` (N, 6, ...) receive the predictions; with one row only, nothing is kept.

    `sums`: (2, ...) log determinant and squares of the innovations, from the fourth sample on.

    >>> state, spread, sums = np.zeros((4, 3)), np.zeros((4, 6)), np.zeros(2)
    >>> forward(np.ones(4), np.ones(4), 1e-3, state, spread, sums)
    >>> state[3].round(3) + 0.0
    array([1., 0., 0.])
    """
    zero = y[0] * 0.0
    q, v, a = zero, zero, zero
    p00, p01, p02, p11, p12, p22 = zero + DIFFUSE, zero, zero, zero + DIFFUSE, zero, zero + DIFFUSE
    keep = len(state) == len(y)
    squares, grown = zero, zero + 1.0
    for k in range(len(y)):
        if k > 0:
            t = h[k]
            t2, t3 = t * t, t * t * t
            q, v = q + t * v + 0.5 * t2 * a, v + t * a
            p00 = p00 + 2.0 * t * p01 + t2 * (p11 + p02) + t3 * p12 + 0.25 * t2 * t2 * p22 + s * t3 * t2 / 20.0
            p01 = p01 + t * (p11 + p02) + 1.5 * t2 * p12 + 0.5 * t3 * p22 + s * t2 * t2 / 8.0
            p02 = p02 + t * p12 + 0.5 * t2 * p22 + s * t3 / 6.0
            p11 = p11 + 2.0 * t * p12 + t2 * p22 + s * t3 / 3.0
            p12 = p12 + t * p22 + s * t2 / 2.0
            p22 = p22 + s * t
        if keep:
            state[k, 0], state[k, 1], state[k, 2] = q, v, a
            spread[k, 0], spread[k, 1], spread[k, 2] = p00, p01, p02
            spread[k, 3], spread[k, 4], spread[k, 5] = p11, p12, p22
        total = p00 + 1.0
        e = (y[k] - q) / total
        if k > 2:
            squares = squares + e * e * total
            grown = grown * total
            if k % 32 == 0:  # one logarithm for many factors
                sums[0] = sums[0] + np.log(grown)
                grown = zero + 1.0
        q, v, a = q + p00 * e, v + p01 * e, a + p02 * e
        p11, p12, p22 = p11 - p01 * p01 / total, p12 - p01 * p02 / total, p22 - p02 * p02 / total
        p00, p01, p02 = p00 / total, p01 / total, p02 / total
    sums[0] = sums[0] + np.log(grown)
    sums[1] = squares


def backward(y: Any, h: Any, state: Any, spread: Any, variance: Any) -> None:
    """Smoothed states in place of the predicted ones, and the variances (N, 3, ...) of what they are wrong by.

    >>> y, h, state, spread, variance = np.ones(9), np.ones(9), np.zeros((9, 3)), np.zeros((9, 6)), np.zeros((9, 3))
    >>> forward(y, h, 1e-3, state, spread, np.zeros(2))
    >>> backward(y, h, state, spread, variance)
    >>> state[4].round(6) + 0.0
    array([1., 0., 0.])
    """
    zero = y[0] * 0.0
    l0, l1, l2 = zero, zero, zero
    m00, m01, m02, m11, m12, m22 = zero, zero, zero, zero, zero, zero
    for k in range(len(y) - 1, -1, -1):
        if k < len(y) - 1:  # through the step from k to k + 1: F' l and F' M F
            t = h[k + 1]
            c = 0.5 * t * t
            l1, l2 = l1 + t * l0, l2 + t * l1 + c * l0
            n01, n02 = m01 + t * m00, m02 + t * m01 + c * m00
            n11, n12 = m11 + t * m01, m12 + t * m11 + c * m01
            n22 = m22 + t * m12 + c * m02
            m01, m02 = n01, n02
            m11, m12 = n11 + t * n01, n12 + t * n02
            m22 = n22 + t * n12 + c * n02
        p00, p01, p02 = spread[k, 0], spread[k, 1], spread[k, 2]
        p11, p12, p22 = spread[k, 3], spread[k, 4], spread[k, 5]
        total = p00 + 1.0
        k0, k1, k2 = p00 / total, p01 / total, p02 / total
        e = (y[k] - state[k, 0]) / total
        l0 = l0 - (k0 * l0 + k1 * l1 + k2 * l2) - e  # (I - K H)' l - H' e / S
        w0, w1, w2 = k0 * m00 + k1 * m01 + k2 * m02, k0 * m01 + k1 * m11 + k2 * m12, k0 * m02 + k1 * m12 + k2 * m22
        m00 = m00 - 2.0 * w0 + (k0 * w0 + k1 * w1 + k2 * w2) + 1.0 / total
        m01, m02 = m01 - w1, m02 - w2
        state[k, 0] = state[k, 0] - (p00 * l0 + p01 * l1 + p02 * l2)
        state[k, 1] = state[k, 1] - (p01 * l0 + p11 * l1 + p12 * l2)
        state[k, 2] = state[k, 2] - (p02 * l0 + p12 * l1 + p22 * l2)
        for i in range(3):  # what the measurements took away from the predicted covariance: the diagonal of P M P
            x, w, z = (p00, p01, p02) if i == 0 else (p01, p11, p12) if i == 1 else (p02, p12, p22)
            known = x * (m00 * x + 2.0 * (m01 * w + m02 * z)) + w * (m11 * w + 2.0 * m12 * z) + m22 * z * z
            variance[k, i] = (p00 if i == 0 else p11 if i == 1 else p22) - known
