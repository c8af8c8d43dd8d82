"""Inverse dynamics with two velocities, the actual one and a wanted one, as passivity-based controllers need them:

    B(q) a + C(q, v) w + g(q)

C v is a quadratic form of v, and C (the Christoffel form) its symmetric bilinear one, so that three motions give it:

    C(q, v) w = c((v + w) / 2) - c((v - w) / 2),      c(x) = C(q, x) x

B' - 2C is skew with this C, which is what the proofs of stability use.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.robot.model import Model


def mixed_torque(model: Model, position: Array, velocity: Array, wanted: Array, acceleration: Array) -> Array:
    """B a + C(q, v) w + g of one instant, without friction, (joints,).

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, w, a = np.random.default_rng(0).normal(size=(4, 2))
    >>> form = robot.matrix_form(q, v)
    >>> bool(np.allclose(mixed_torque(robot, q, v, w, a), form.mass @ a + form.coriolis @ w + form.gravity))
    True
    """
    one, other, still = model.inverse_dynamics(*_three(position, velocity, wanted, acceleration), friction=False)
    return np.asarray(one - other + still)


def mixed_regressor(model: Model, position: Array, velocity: Array, wanted: Array, acceleration: Array) -> Array:
    """Y with Y phi = B a + C(q, v) w + g for the ten numbers of every moving body, (joints, bodies, 10).

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, w, a = np.random.default_rng(0).normal(size=(4, 2))
    >>> Y = mixed_regressor(robot, q, v, w, a)
    >>> bool(np.allclose(np.tensordot(Y, robot.body_parameters[1:], 2), mixed_torque(robot, q, v, w, a)))
    True
    """
    bodies = len(model.body_names) - 1
    one, other, still = model.regressor(*_three(position, velocity, wanted, acceleration), rows="joints")[..., : 10 * bodies]
    return np.asarray(one - other + still).reshape(len(position), bodies, 10)


def _three(q: Array, v: Array, w: Array, a: Array) -> tuple[Array, Array, Array]:
    none = np.zeros_like(q)
    return np.stack([q, q, q]), np.stack([0.5 * (v + w), 0.5 * (v - w), none]), np.stack([a, none, none])
