"""The numba engine: the functions of `plain`, the same numbers, through compiled kernels.

Inputs are taken as they are: C-contiguous, finite, of the right shape (the callers check).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.plain import ENORMOUS, solved
from bifilar.dynamics.plan import Rows, frozen
from bifilar.dynamics.tree import Tree
from bifilar.dynamics.workspace import BLOCK, Call, RegressorCall

Array = NDArray[np.float64]
AT_REST = frozen(np.zeros((1, 9)))


def poses(tree: Tree, q: Array) -> tuple[Array, Array]:
    """Rotation (samples, bodies, 3, 3) and translation (samples, bodies, 3), root_from_body.

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
    >>> poses(tree, np.zeros((1, 1)))[1][0, 1]
    array([0., 0., 2.])
    """
    rotation, translation = np.empty((len(q), tree.n_joints + 1, 3, 3)), np.empty((len(q), tree.n_joints + 1, 3))
    Call(tree, len(q)).run("kinematics", "poses", q, AT_REST, rotation, translation)
    return rotation, translation


def jacobian(tree: Tree, q: Array, body: int, point: Array) -> Array:
    """Velocity of a point of a body per unit of root and joint velocities, (samples, 6, 6 + coordinates).

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
    >>> jacobian(tree, np.zeros((1, 1)), 1, np.array([1.0, 0, 0]))[0, :, 6]
    array([0., 1., 0., 0., 0., 1.])
    """
    out = np.zeros((len(q), 6, 6 + tree.n_coordinates))
    Call(tree, len(q)).run("kinematics", "jacobian", q, AT_REST, np.uint64(body), np.asarray(point, dtype=float), out)
    return out


def inverse_dynamics(tree: Tree, phi: Array, q: Array, v: Array, a: Array, root: Array) -> Array:
    """Base wrench and joint torques, (samples, 6 + coordinates).

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
    >>> phi = np.array([np.zeros(10), [0, 0, 0, 0, 0, 0, 0, 0, 0, 3.0]])
    >>> one = np.ones((1, 1))
    >>> inverse_dynamics(tree, phi, one, one, one, np.zeros((1, 9)))[0, 6]
    np.float64(3.0)
    """
    out = np.zeros((len(q), 6 + tree.n_coordinates))
    Call(tree, len(q)).run("torque", "inverse_dynamics", phi, q, v, a, root, out)
    return out


def tangent(tree: Tree, phi: Array, q: Array, v: Array, a: Array, root: Array, dq: Array, dv: Array, da: Array) -> Array:
    """Derivative of inverse dynamics along (dq, dv, da), (samples, 6 + coordinates).

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
    >>> phi = np.array([np.zeros(10), [0, 0, 0, 0, 0, 0, 0, 0, 0, 3.0]])
    >>> one = np.ones((1, 1))
    >>> tangent(tree, phi, one, one, one, np.zeros((1, 9)), one, one, one)[0, 6]
    np.float64(3.0)
    """
    out = np.zeros((len(q), 6 + tree.n_coordinates))
    Call(tree, len(q)).run("torque", "tangent", phi, q, v, a, root, dq, dv, da, out)
    return out


def adjoint(tree: Tree, phi: Array, q: Array, v: Array, a: Array, root: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Gradients of weight . inverse_dynamics by position, velocity and acceleration, (samples, coordinates) each.

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
    >>> phi = np.array([np.zeros(10), [0, 0, 0, 0, 0, 0, 0, 0, 0, 3.0]])
    >>> one = np.ones((1, 1))
    >>> adjoint(tree, phi, one, one, one, np.zeros((1, 9)), np.ones((1, 7)))[2]
    array([[6.]])
    """
    gq, gv, ga = (np.zeros((len(q), tree.n_coordinates)) for _ in range(3))
    Call(tree, len(q)).run("torque", "adjoint", phi, q, v, a, root, weight, gq, gv, ga)
    return gq, gv, ga


def mass_matrix(tree: Tree, phi: Array, q: Array) -> Array:
    """Mass matrix, base rows first, (samples, 6 + coordinates, 6 + coordinates).

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
    >>> phi = np.array([np.zeros(10), [0, 0, 0, 0, 0, 0, 0, 0, 0, 3.0]])
    >>> mass_matrix(tree, phi, np.zeros((1, 1)))[0, 6, 6]
    np.float64(3.0)
    """
    size = 6 + tree.n_coordinates
    out = np.zeros((len(q), size, size))
    Call(tree, len(q)).run("matrices", "mass_matrix", phi, q, AT_REST, out)
    return out


def coriolis_matrix(tree: Tree, phi: Array, q: Array, v: Array, root: Array) -> Array:
    """Coriolis matrix in Christoffel form, base rows first.

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
    >>> coriolis_matrix(tree, np.ones((2, 10)), np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 9)))[0, 6, 6]
    np.float64(0.0)
    """
    size = 6 + tree.n_coordinates
    out = np.zeros((len(q), size, size))
    Call(tree, len(q)).run("matrices", "coriolis_matrix", phi, q, v, root, out)
    return out


def derivatives(tree: Tree, phi: Array, q: Array, v: Array, a: Array, root: Array) -> tuple[Array, Array]:
    """Derivatives of inverse dynamics by position and velocity, (samples, 6 + coordinates, coordinates) each.

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
    >>> one = np.ones((1, 1))
    >>> derivatives(tree, np.ones((2, 10)), one, one, one, np.zeros((1, 9)))[1][0, 6]
    array([0.])
    """
    size = 6 + tree.n_coordinates
    dq, coriolis = np.zeros((len(q), size, tree.n_coordinates)), np.zeros((len(q), size, size))
    Call(tree, len(q)).run("matrices", "derivatives", phi, q, v, a, root, dq, coriolis)
    return dq, 2.0 * coriolis[:, :, 6:]


def forward_dynamics(tree: Tree, phi: Array, extra: Array, q: Array, v: Array, tau: Array, root: Array) -> Array:
    """Accelerations that the torques cause; `extra` is added to the joints' block of the mass matrix.

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
    >>> phi = np.array([np.zeros(10), [0, 0, 0, 0, 0, 0, 0, 0, 0, 3.0]])
    >>> one = np.ones((1, 1))
    >>> forward_dynamics(tree, phi, 0 * one, one, one, one, np.zeros((1, 9)))
    array([[0.33333333]])
    """
    skip, size = (6 if tree.floating else 0), tau.shape[1]
    if tree.floating:  # the base's accelerations are among the unknowns
        root = np.hstack([root[:, :3], np.zeros((len(root), 6))])
    out = np.empty((len(q), size))
    arguments = (phi, extra, q, v, np.zeros_like(q), tau, root, np.uint64(skip), out)
    Call(tree, len(q)).run("forward", "forward_dynamics", *arguments, work_rows=max(size * (size + 1), 1))
    doubtful = np.flatnonzero(~(np.abs(out).max(axis=1, initial=0.0) <= ENORMOUS))
    if len(doubtful):  # the kernel's Cholesky factor asks for a positive definite matrix
        state = q[doubtful], v[doubtful], tau[doubtful], root if len(root) == 1 else root[doubtful]
        out[doubtful] = _forward_by_lu(tree, phi, extra, *state, doubtful)
    return out


def _forward_by_lu(
    tree: Tree, phi: Array, extra: Array, q: Array, v: Array, tau: Array, root: Array, samples: NDArray[np.int64]
) -> Array:
    """Forward dynamics where the mass matrix may be indefinite; `samples` are the numbers the user knows them by."""
    matrix = mass_matrix(tree, phi, q)
    matrix[:, 6:, 6:] += extra
    first = 0 if tree.floating else 6
    bias = inverse_dynamics(tree, phi, q, v, np.zeros_like(q), root)
    return solved(matrix[:, first:, first:], tau - bias[:, first:], samples)


def regressor(
    tree: Tree,
    q: Array,
    v: Array,
    a: Array,
    root: Array,
    rows: Rows = "joints",
    columns: Columns | None = None,
    load: Array | None = None,
    out: Array | None = None,
) -> Array:
    """Dense regressor, (samples, rows, columns).

    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> state = np.ones((1, 1))
    >>> regressor(tree, state, state, state, np.zeros((1, 9)), "joints", Columns.none(1), None)[0, 0, 9]
    np.float64(1.0)
    """
    columns = _no_columns(tree.n_coordinates) if columns is None else columns
    call = RegressorCall(tree, q, v, a, root, rows, columns, load)
    if out is None:
        out = np.empty((len(q), *call.plan.shape))
    call.dense(out)
    return out


def regressor_adjoint(
    tree: Tree, q: Array, v: Array, a: Array, root: Array, rows: Rows, weight: Array
) -> tuple[Array, Array, Array]:
    """Gradients of sum(weight * regressor) by position, velocity and acceleration; weight (samples, rows, inertial columns).

    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> state = np.ones((1, 1))
    >>> regressor_adjoint(tree, state, state, state, np.zeros((1, 9)), "joints", np.ones((1, 1, 10)))[2]
    array([[1.]])
    """
    above, skip = (0, 0) if rows == "joints" else (6, 10)
    gq, gv, ga = (np.zeros((len(q), tree.n_coordinates)) for _ in range(3))
    flat = weight.reshape(len(q), weight.shape[1] * weight.shape[2])
    sizes = (np.uint64(weight.shape[2]), np.uint64(above), np.uint64(skip))
    Call(tree, len(q)).run("pull", "regressor_adjoint", q, v, a, root, flat, *sizes, gq, gv, ga)
    return gq, gv, ga


def parameter_gradient(
    tree: Tree, q: Array, v: Array, a: Array, root: Array, rows: Rows, columns: Columns, load: Array | None, weight: Array
) -> Array:
    """Sum over samples of weight times the regressor, (columns,); the regressor is not formed.

    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> state, none = np.ones((5, 1)), Columns.none(1)
    >>> parameter_gradient(tree, state, state, state, np.zeros((1, 9)), "joints", none, None, state)[9]
    np.float64(5.0)
    """
    return RegressorCall(tree, q, v, a, root, rows, columns, load, lanes=BLOCK).transposed_times(weight)


def momentum_regressor(tree: Tree, q: Array, v: Array, root_twist: Array) -> Array:
    """Linear momentum, then angular momentum about the root's origin, (samples, 6, 10 bodies).

    Momentum depends on velocities as the wrench of a body at rest depends on accelerations.

    >>> tree = Tree([0], [True], [np.eye(3)], [[0, 0, 1]], [[1, 0, 0]])
    >>> momentum_regressor(tree, np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 6)))[0, :, 10]
    array([1., 0., 0., 0., 1., 0.])
    """
    return regressor(tree, q, np.zeros_like(v), v, _as_acceleration(root_twist), "base", _no_columns(tree.n_coordinates), None)


def energy_regressor(tree: Tree, q: Array, v: Array, root_twist: Array, gravity_in_root: Array) -> tuple[Array, Array]:
    """Kinetic and potential energy per unit of the parameters, (samples, 10 bodies) each; potential zero at the root's origin.

    >>> tree = Tree([0], [True], [np.eye(3)], [[0, 0, 1]], [[1, 0, 0]])
    >>> down = np.array([[0, 0, -9.81]])
    >>> kinetic, potential = energy_regressor(tree, np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 6)), down)
    >>> kinetic[0, 10], potential[0, 10]
    (np.float64(0.5), np.float64(9.81))
    """
    none = _no_columns(tree.n_coordinates)
    generalized = regressor(tree, q, np.zeros_like(v), v, _as_acceleration(root_twist), "both", none, None)
    twist = np.broadcast_to(root_twist, (len(q), 6))
    kinetic = 0.5 * np.einsum("nr,nrc->nc", np.hstack([twist, v]), generalized)
    rotation, translation = poses(tree, q)
    down = np.broadcast_to(gravity_in_root, (len(q), 3))
    potential = np.zeros((len(q), tree.n_joints + 1, 10))
    potential[:, :, 0] = -np.einsum("nk,nbk->nb", down, translation)
    potential[:, :, 1:4] = -np.einsum("nk,nbkj->nbj", down, rotation)
    return kinetic, potential.reshape(kinetic.shape)


@cache
def _no_columns(coordinates: int) -> Columns:
    """Always the same object, so that plans made for it are found again."""
    return Columns.none(coordinates)


def _as_acceleration(root_twist: Array) -> Array:
    """A root at rest whose accelerations are the given velocities."""
    return np.hstack([np.zeros((len(root_twist), 3)), root_twist[:, 3:], root_twist[:, :3]])
