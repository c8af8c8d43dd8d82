"""The equations of motion in NumPy: the reference reading, the fallback without numba, the check of the kernels.

Plain arrays in, plain arrays out, samples first. Positions, speeds and accelerations are (samples, coordinates). `root` is
(samples or 1, 9): angular velocity, angular acceleration and linear acceleration minus gravity of the root, in its own frame.
`phi` is (bodies, 10), the root's row first. Rows are the six of the base (force, moment about the root's origin, root axes),
then the coordinates'. `bifilar.dynamics.engine` chooses between this module and `fast`, which has the same functions.

The passes behind: `plain_motion` (poses, screws, velocities), `plain_matrices` (inverse dynamics and its matrices),
`plain_regressor` (everything linear in the parameters).
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.plain_matrices import coriolis_matrix, derivatives, inverse_dynamics, mass_matrix
from bifilar.dynamics.plain_motion import Array, batches, cross, place, to_coordinates
from bifilar.dynamics.plain_motion import path as _path
from bifilar.dynamics.plain_regressor import energy_regressor, momentum_regressor, parameter_gradient, regressor
from bifilar.dynamics.tree import Tree
from bifilar.errors import SolveError

__all__ = [
    "adjoint",
    "coriolis_matrix",
    "derivatives",
    "energy_regressor",
    "forward_dynamics",
    "inverse_dynamics",
    "jacobian",
    "mass_matrix",
    "momentum_regressor",
    "parameter_gradient",
    "poses",
    "regressor",
    "regressor_adjoint",
    "tangent",
]

ENORMOUS = 1e6  # [rad/s^2, m/s^2] accelerations above are suspected of a singular mass matrix
ROUNDING = 1e-14  # singular values this small beside the largest are zero


def poses(tree: Tree, q: Array) -> tuple[Array, Array]:
    """root_from_body of every body: rotation (samples, bodies, 3, 3), translation (samples, bodies, 3).

    >>> rail = Tree([0], [True], [np.eye(3)], [[0, 0, 1]], [[1, 0, 0]])
    >>> poses(rail, np.array([[0.5]]))[1][0, 1]
    array([0.5, 0. , 1. ])
    """
    rotation, translation = np.empty((len(q), tree.n_joints + 1, 3, 3)), np.empty((len(q), tree.n_joints + 1, 3))
    for part in batches(tree, len(q)):
        turned, moved, _ = place(tree, q[part])
        rotation[part], translation[part] = np.moveaxis(turned, -1, 0), np.moveaxis(moved, -1, 0)
    return rotation, translation


def jacobian(tree: Tree, q: Array, body: int, point: Array) -> Array:
    """Velocity of a body's point (linear, angular, root axes) per unit of the root's twist and of the coordinates' speeds.

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    >>> jacobian(pendulum, np.zeros((1, 1)), 1, np.array([0, 0, 1.0]))[0, :, 6]
    array([1., 0., 0., 0., 1., 0.])
    """
    out = np.empty((len(q), 6, 6 + tree.n_coordinates))
    moving = [*range(6), *(6 + i for i in _path(tree, body))]
    for part in batches(tree, len(q)):
        rotation, position, screw = place(tree, q[part])
        where = position[body] + np.einsum("abs,b->as", rotation[body], np.asarray(point, dtype=float))
        twist = np.zeros_like(screw)
        twist[moving] = screw[moving]
        twist[:, :3] += cross(twist[:, 3:], where)
        out[part] = to_coordinates(tree, twist).transpose(2, 1, 0)
    return out


def tangent(tree: Tree, phi: Array, q: Array, v: Array, a: Array, root: Array, dq: Array, dv: Array, da: Array) -> Array:
    """How the inverse dynamics change along a direction (dq, dv, da), (samples, 6 + coordinates).

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    >>> body = np.array([np.zeros(10), [1, 0, 0, 0.5, 0, 0, 0.25, 0, 0, 0.25]])
    >>> zero, one = np.zeros((1, 1)), np.ones((1, 1))
    >>> tangent(pendulum, body, zero, zero, zero, np.zeros((1, 9)), zero, zero, one)[0, 6]
    np.float64(0.25)
    """
    by_q, by_v = derivatives(tree, phi, q, v, a, root)
    by_a = mass_matrix(tree, phi, q)[..., 6:]
    return sum(np.einsum("srj,sj->sr", matrix, step) for matrix, step in ((by_q, dq), (by_v, dv), (by_a, da)))


def adjoint(tree: Tree, phi: Array, q: Array, v: Array, a: Array, root: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Gradient of weight . inverse dynamics by positions, speeds and accelerations, (samples, coordinates) each.

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    >>> body = np.array([np.zeros(10), [1, 0, 0, 0.5, 0, 0, 0.25, 0, 0, 0.25]])
    >>> adjoint(pendulum, body, *np.zeros((3, 1, 1)), np.zeros((1, 9)), np.array([[0, 0, 0, 0, 0, 0, 1.0]]))[2]
    array([[0.25]])
    """
    by_q, by_v = derivatives(tree, phi, q, v, a, root)
    by_a = mass_matrix(tree, phi, q)[..., 6:]
    gq, gv, ga = (np.einsum("srj,sr->sj", matrix, weight) for matrix in (by_q, by_v, by_a))
    return gq, gv, ga


def regressor_adjoint(
    tree: Tree, q: Array, v: Array, a: Array, root: Array, rows: str, weight: Array
) -> tuple[Array, Array, Array]:
    """Gradients of sum(weight * regressor) by positions, speeds and accelerations; weight (samples, rows, inertial columns).

    Column by column: the regressor's column of a parameter is the inverse dynamics of a robot that has only that one.

    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> state = np.ones((1, 1))
    >>> regressor_adjoint(tree, state, state, state, np.zeros((1, 9)), "joints", np.ones((1, 1, 10)))[2]
    array([[1.]])
    """
    above, skip = (0, 0) if rows == "joints" else (6, 10)
    full = np.zeros((len(q), 6 + tree.n_coordinates, weight.shape[2]))
    full[:, 6 - above : 6 - above + weight.shape[1]] = weight
    gradients = np.zeros((3, len(q), tree.n_coordinates))
    for column in range(10 * tree.n_joints):
        phi = np.zeros((tree.n_joints + 1, 10))
        phi.flat[10 + column] = 1.0
        gradients += np.array(adjoint(tree, phi, q, v, a, root, full[:, :, skip + column]))
    gq, gv, ga = gradients
    return gq, gv, ga


def forward_dynamics(tree: Tree, phi: Array, extra: Array, q: Array, v: Array, tau: Array, root: Array) -> Array:
    """Accelerations that torques cause; `extra` (coordinates, coordinates) is added to the mass matrix (rotor inertia).

    Fixed base: (samples, coordinates). Floating base: tau has the base wrench first and the result the base's acceleration
    (linear minus gravity, angular); only the angular velocity of `root` counts then.

    >>> rail = Tree([0], [True], [np.eye(3)], [[0, 0, 0]], [[1, 0, 0]])
    >>> body = np.array([np.zeros(10), [2.0, 0, 0, 0, 1, 0, 1, 0, 0, 1]])
    >>> forward_dynamics(rail, body, np.zeros((1, 1)), *np.zeros((2, 1, 1)), np.array([[3.0]]), np.zeros((1, 9)))
    array([[1.5]])
    """
    start = np.array(np.broadcast_to(root, (len(q), 9)))
    if tree.floating:
        start[:, 3:] = 0.0
    bias = inverse_dynamics(tree, phi, q, v, np.zeros_like(v), start)
    matrix = mass_matrix(tree, phi, q)
    matrix[:, 6:, 6:] += extra
    first = 0 if tree.floating else 6
    return solved(matrix[:, first:, first:], tau - bias[:, first:], np.arange(len(q)))


def solved(matrix: Array, side: Array, samples: NDArray[np.int64]) -> Array:
    """matrix^-1 side, (k, size), by LU: a description that could not exist may have an indefinite mass matrix.

    A singular matrix is refused with the number of its sample: exactly singular, or so nearly that an enormous answer holds
    nothing but rounding.

    >>> solved(np.array([[[2.0]]]), np.array([[3.0]]), np.arange(1))
    array([[1.5]])
    """
    answer = np.full_like(side, np.inf)
    try:
        answer[:] = np.linalg.solve(matrix, side[..., None])[..., 0]
    except np.linalg.LinAlgError:  # says of none of them which it was
        for k in range(len(matrix)):
            with suppress(np.linalg.LinAlgError):
                answer[k] = np.linalg.solve(matrix[k], side[k])
    enormous = np.flatnonzero(~(np.abs(answer).max(axis=1, initial=0.0) <= ENORMOUS))
    spread = decompose.svd(matrix[enormous], compute_uv=False) if len(enormous) else np.ones((0, 1))
    bad = samples[enormous[~(spread.min(axis=1) > ROUNDING * spread.max(axis=1))]]
    if len(bad):
        raise SolveError("mass_matrix.singular/plain", bad=bad[0])
    return answer
