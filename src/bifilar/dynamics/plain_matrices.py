"""Inverse dynamics, mass matrix, Coriolis matrix and derivatives of the inverse dynamics, in NumPy.

A body's force is f = I a + v x* I v. A coordinate moves the bodies beyond it as one rigid piece, so every matrix needs only
the sums over such pieces, and all four have the same shape. With d the deeper of the two joints k, j of one branch, I_d and
B_d summed over all bodies beyond d (zero for joints on different branches),

    rule(x, y)[k, j] = psi_k . (I_d x_j + B_d y_j),            psi' = v x psi,    psi'' = a x psi + v x psi'

    mass matrix               rule(psi, 0)
    Coriolis matrix           rule(psi', psi)                  B = 1/2 [(v x*) I - I (v x) + (I v) x*bar]
    d tau / d qd              2 rule(psi', psi)
    d tau / d q               rule(psi'', 2 psi')  +  psi_k . (psi_j x* F_j) where k comes before j, F_j the force beyond j

Why: turning joint j carries the screws, inertias, velocities and accelerations beyond it along psi_j, which changes f by
psi_j x* f alone; but v_j and a_j stay, and putting them back adds psi' to v and psi'' + psi' x v to a. This B makes C
the Christoffel one: B + B' is the rate of I, hence C + C' the rate of the mass matrix (Echeandia and Wensing 2021; derivatives
as in Singh, Russell and Wensing 2022). The root's six screws, fixed in it, are joints like the others.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.plain_masses import Masses, Swirl, masses, swirls
from bifilar.dynamics.plain_motion import (
    Array,
    Motion,
    batches,
    cross_force,
    cross_motion,
    move,
    path,
    place,
    to_coordinates,
)
from bifilar.dynamics.tree import Tree


def beyond(tree: Tree, x: Array) -> Array:
    """Sum over each body and all bodies it carries, (bodies, ...) to (bodies, ...).

    >>> beyond(Tree([0, 1], [False] * 2, [np.eye(3)] * 2, np.zeros((2, 3)), np.eye(3)[:2]), np.ones(3))
    array([3., 2., 1.])
    """
    total = x.copy()
    for i in range(tree.n_joints - 1, -1, -1):
        total[tree.parent[i]] += total[i + 1]
    return total


def _pieces(tree: Tree, bodies: Masses) -> Masses:
    return Masses(beyond(tree, bodies.mass), beyond(tree, bodies.moment), beyond(tree, bodies.inertia))


def _rule(tree: Tree, screw: Array, inertia: Masses, x: Array, swirl: Swirl | None = None, y: Array | None = None) -> Array:
    """rule(x, y) of the heading, (6 + joints, 6 + joints, samples)."""
    matrix = np.zeros((len(screw), len(screw), screw.shape[-1]))
    for body in range(tree.n_joints + 1):
        own = slice(0, 6) if body == 0 else slice(5 + body, 6 + body)
        upto = [*range(6), *(6 + i for i in path(tree, body))]
        column, row = inertia[body].times(x[own]), inertia[body].times(screw[own])
        below = np.einsum("oas,kas->oks", row, x[upto])
        if swirl is not None and y is not None:
            column += swirl[body].times(y[own])
            below += np.einsum("oas,kas->oks", swirl[body].times_transposed(screw[own]), y[upto])
        matrix[own, upto] = below
        matrix[upto, own] = np.einsum("kas,oas->kos", screw[upto], column)
    return matrix


def _both_to_coordinates(tree: Tree, matrix: Array) -> Array:
    """Rows and columns of joints summed into coordinates, and the samples brought to the front."""
    return np.moveaxis(to_coordinates(tree, to_coordinates(tree, matrix).swapaxes(0, 1)), -1, 0).swapaxes(1, 2)


def _forces(motion: Motion, bodies: Masses) -> tuple[Array, Array]:
    """Momentum of every body and the force that its motion takes."""
    momentum = bodies.times(motion.velocity)
    return momentum, bodies.times(motion.acceleration) + cross_force(motion.velocity, momentum)


def inverse_dynamics(tree: Tree, phi: Array, q: Array, v: Array, a: Array, root: Array) -> Array:
    """Wrench on the base and torques that a motion takes, (samples, 6 + coordinates).

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    >>> body = np.array([np.zeros(10), [1, 0.5, 0, 0, 0, 0, 0.25, 0, 0, 0.25]])
    >>> inverse_dynamics(pendulum, body, *np.zeros((3, 1, 1)), np.array([[0, 0, 0, 0, 0, 0, 0, 0, 9.81]]))[0, 2:]
    array([ 9.81 ,  0.   , -4.905,  0.   , -4.905])
    """
    root = np.broadcast_to(root, (len(q), 9))
    rows = np.empty((len(q), 6 + tree.n_coordinates))
    for part in batches(tree, len(q)):
        motion = move(tree, q[part], v[part], a[part], root[part])
        force = beyond(tree, _forces(motion, masses(phi, motion.rotation, motion.position))[1])
        torque = np.einsum("ias,ias->is", motion.screw[6:], force[1:])
        rows[part] = to_coordinates(tree, np.concatenate((force[0], torque))).T
    return rows


def mass_matrix(tree: Tree, phi: Array, q: Array) -> Array:
    """Mass matrix with the base's six rows and columns first, (samples, 6 + coordinates, 6 + coordinates).

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    >>> mass_matrix(pendulum, np.array([np.zeros(10), [1, 0.5, 0, 0, 0, 0, 0.25, 0, 0, 0.25]]), np.zeros((1, 1)))[0, 6, 6]
    np.float64(0.25)
    """
    matrix = np.empty((len(q), *2 * (6 + tree.n_coordinates,)))
    for part in batches(tree, len(q)):
        rotation, position, screw = place(tree, q[part])
        pieces = _pieces(tree, masses(phi, rotation, position))
        matrix[part] = _both_to_coordinates(tree, _rule(tree, screw, pieces, screw))
    return matrix


def coriolis_matrix(tree: Tree, phi: Array, q: Array, v: Array, root: Array) -> Array:
    """Christoffel's C: C @ (0, root's angular velocity, v) are the velocity torques, rate of the mass matrix - 2 C is skew.

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    >>> coriolis_matrix(pendulum, np.ones((2, 10)), np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 9))).shape
    (1, 7, 7)
    """
    root = np.broadcast_to(root, (len(q), 9))
    matrix = np.empty((len(q), *2 * (6 + tree.n_coordinates,)))
    for part in batches(tree, len(q)):
        motion = move(tree, q[part], v[part], None, root[part])
        bodies = masses(phi, motion.rotation, motion.position)
        swirl = _swirl_beyond(tree, motion, bodies, bodies.times(motion.velocity))
        rate = cross_motion(_carrier(motion.velocity), motion.screw)
        matrix[part] = _both_to_coordinates(tree, _rule(tree, motion.screw, _pieces(tree, bodies), rate, swirl, motion.screw))
    return matrix


def derivatives(tree: Tree, phi: Array, q: Array, v: Array, a: Array, root: Array) -> tuple[Array, Array]:
    """Partial derivatives of `inverse_dynamics` by positions and by speeds, (samples, 6 + coordinates, coordinates) each.

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    >>> body = np.array([np.zeros(10), [1, 0, 0, 0.5, 0, 0, 0.25, 0, 0, 0.25]])
    >>> derivatives(pendulum, body, *np.zeros((3, 1, 1)), np.array([[0, 0, 0, 0, 0, 0, 0, 0, 9.81]]))[0][0, 6]
    array([-4.905])
    """
    root = np.broadcast_to(root, (len(q), 9))
    by_position, by_speed = np.empty((2, len(q), 6 + tree.n_coordinates, tree.n_coordinates))
    for part in batches(tree, len(q)):
        motion = move(tree, q[part], v[part], a[part], root[part])
        bodies = masses(phi, motion.rotation, motion.position)
        momentum, force = _forces(motion, bodies)
        pieces, swirl = _pieces(tree, bodies), _swirl_beyond(tree, motion, bodies, momentum)
        rate = cross_motion(_carrier(motion.velocity), motion.screw)
        second = cross_motion(_carrier(motion.acceleration), motion.screw) + cross_motion(_carrier(motion.velocity), rate)
        dq = _rule(tree, motion.screw, pieces, second, swirl, 2 * rate) + _tilted(tree, motion.screw, beyond(tree, force))
        dv = 2 * _rule(tree, motion.screw, pieces, rate, swirl, motion.screw)
        by_position[part] = _both_to_coordinates(tree, dq)[..., 6:]
        by_speed[part] = _both_to_coordinates(tree, dv)[..., 6:]
    return by_position, by_speed


def _carrier(x: Array) -> Array:
    """Of every screw the velocity (or acceleration) of the body it is fixed to: six times the root's, then the joints'."""
    return np.concatenate((np.broadcast_to(x[0], (6, *x.shape[1:])), x[1:]))


def _swirl_beyond(tree: Tree, motion: Motion, bodies: Masses, momentum: Array) -> Swirl:
    each = swirls(bodies, motion.velocity, momentum)
    return Swirl(beyond(tree, each.momentum), beyond(tree, each.block))


def _tilted(tree: Tree, screw: Array, force: Array) -> Array:
    """psi_k . (psi_j x* F_j) for k strictly before j: the force beyond j turns, the screws before it do not."""
    matrix = np.zeros((len(screw), len(screw), screw.shape[-1]))
    for j in range(tree.n_joints):
        before = [*range(6), *(6 + i for i in path(tree, int(tree.parent[j])))]
        matrix[before, 6 + j] = np.einsum("kas,as->ks", screw[before], cross_force(screw[6 + j], force[j + 1]))
    return matrix
