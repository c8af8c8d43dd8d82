"""The equations of motion as a matrix times the bodies' ten parameters each, in NumPy.

With r_x, r_y, r_z the axes of a body's frame, p its origin, w and u the angular velocity and the velocity of its origin, every
quantity that is linear in m, mc and I has columns of the same build: a force F, and a moment about the root's origin,

                      mass    first moment, axis a                      inertia about axes a, b (added for b, a if they differ)
    momentum   F      u       w x r_a                                   0
               moment p x F   p x F + r_a x u                           r_a w_b
    wrench     F      u'      w' x r_a + w x (w x r_a)                  0
               moment p x F   p x F + r_a x u'                          r_a w'_b + (w x r_a) w_b

where w_b = r_b . w. A torque is the joint's screw times the wrench (Atkeson, An and Hollerbach 1986), kinetic energy half the
body's twist times its momentum.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.plain_motion import Array, Motion, batches, carry, cross, move, path
from bifilar.dynamics.tree import Tree
from bifilar.errors import ShapeError

ROWS = ("joints", "base", "both")


def regressor(
    tree: Tree,
    q: Array,
    v: Array,
    a: Array,
    root: Array,
    rows: str = "joints",
    columns: Columns | None = None,
    load: Array | None = None,
    out: Array | None = None,
) -> Array:
    """Y with inverse dynamics = Y phi: ten columns per body (the root's only with base rows), then the drive columns.

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    >>> regressor(pendulum, *np.zeros((2, 1, 1)), np.ones((1, 1)), np.array([[0, 0, 0, 0, 0, 0, 0, 0, 9.81]]))[0, 0, :7]
    array([ 0.  , -9.81,  0.  ,  0.  ,  0.  ,  0.  ,  1.  ])
    """
    columns = Columns.none(tree.n_coordinates) if columns is None else columns
    shape = regressor_shape(tree, len(q), rows, columns)
    out = np.empty(shape) if out is None else out
    if out.shape != shape or not out.flags.c_contiguous:
        raise ShapeError("buffer.shape/plain_regressor", shape=out.shape, shape_2=shape)
    root = np.broadcast_to(root, (len(q), 9))
    for part in batches(tree, len(q)):
        motion = move(tree, q[part], v[part], a[part], root[part])
        _fill(out[part], tree, motion, rows)
        if columns.count and rows != "base":
            values = columns.values(v[part], a[part], None if load is None else load[part], q[part])
            out[part, shape[1] - tree.n_coordinates :, shape[2] - columns.count :] = values[:, None, :] * columns.effect.T
    return out


def regressor_shape(tree: Tree, samples: int, rows: str, columns: Columns) -> tuple[int, int, int]:
    """The size of a regressor: samples, rows, columns.

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]])
    >>> regressor_shape(pendulum, 5, "both", Columns.none(1))
    (5, 7, 20)
    """
    if rows not in ROWS:
        raise ShapeError("rows.unknown/plain_regressor", rows=rows, rows_2=ROWS)
    bodies = tree.n_joints + (rows != "joints")
    count = {"joints": 0, "base": 6, "both": 6}[rows] + (tree.n_coordinates if rows != "base" else 0)
    return samples, count, 10 * bodies + columns.count


def _fill(y: Array, tree: Tree, motion: Motion, rows: str) -> None:
    """Write the inertial columns of some samples into y; zero where a joint does not move a body."""
    y[:] = 0.0
    first_body, first_row = (1, 0) if rows == "joints" else (0, 6)
    for body in range(first_body, tree.n_joints + 1):
        force, moment = _wrench_columns(motion, body)
        first = 10 * (body - first_body)
        if rows != "joints":
            y[:, :3, first : first + 4] = force.transpose(2, 1, 0)
            y[:, 3:6, first : first + 10] = moment.transpose(2, 1, 0)
        if rows != "base" and body > 0:
            coordinates, screw = _coordinate_screws(tree, motion, body)
            torque = np.einsum("kas,cas->kcs", screw[:, 3:], moment)
            torque[:, :4] += np.einsum("kas,cas->kcs", screw[:, :3], force)
            for row, ten in zip(coordinates, torque):  # one row at a time: transposing all at once misses the cache
                y[:, first_row + row, first : first + 10] = ten.T


def _coordinate_screws(tree: Tree, motion: Motion, body: int) -> tuple[list[int], Array]:
    """The coordinates that move a body and its twist per unit speed of each, mimic joints added up."""
    twist: dict[int, Array] = {}
    for joint in path(tree, body):
        coordinate, screw = int(tree.coordinate[joint]), tree.ratio[joint] * motion.screw[6 + joint]
        twist[coordinate] = twist[coordinate] + screw if coordinate in twist else screw
    return list(twist), np.stack(list(twist.values()))


def _build(position: Array, axes: Array, rate: Array, turned: Array, *arms: tuple[Array, Array]) -> tuple[Array, Array]:
    """Force (4, 3, samples) and moment (10, 3, samples) of one body's columns, as in the table above.

    `rate` is u or u', `turned` the forces of the axes, `arms` the pairs whose products r_a w_b stand under the inertia.
    """
    force = np.concatenate((rate[None], turned))
    moment = np.empty((10, *rate.shape))
    moment[:4] = cross(position, force)
    moment[1:4] += cross(axes, rate)
    for column, (a, b) in enumerate(((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)), start=4):
        pairs = ((a, b), (b, a)) if a != b else ((a, b),)
        moment[column] = reduce(np.add, [r[x] * w[y] for r, w in arms for x, y in pairs])
    return force, moment


def _wrench_columns(motion: Motion, body: int) -> tuple[Array, Array]:
    """Wrench on a body per unit of its parameters, root frame and origin."""
    p, axes = motion.position[body], motion.rotation[body].swapaxes(0, 1)
    w, dw = motion.velocity[body, 3:], motion.acceleration[body, 3:]
    acceleration = motion.acceleration[body, :3] + cross(dw, p) + cross(w, motion.velocity[body, :3] + cross(w, p))
    spun = cross(w, axes)
    turned = cross(dw, axes) + cross(w, spun)
    own_w, own_dw = np.einsum("bas,as->bs", axes, w), np.einsum("bas,as->bs", axes, dw)
    return _build(p, axes, acceleration, turned, (axes, own_dw), (spun, own_w))


def _momentum_columns(motion: Motion, body: int) -> Array:
    """Momentum of a body per unit of its parameters, (10, 6, samples), linear first, about the root's origin."""
    p, axes, w = motion.position[body], motion.rotation[body].swapaxes(0, 1), motion.velocity[body, 3:]
    own_w = np.einsum("bas,as->bs", axes, w)
    force, moment = _build(p, axes, motion.velocity[body, :3] + cross(w, p), cross(w, axes), (axes, own_w))
    return np.concatenate((np.pad(force, ((0, 6), (0, 0), (0, 0))), moment), axis=1)


def _still_root(tree: Tree, q: Array, v: Array, twist: Array) -> Motion:
    """Velocities from the root's twist; accelerations do not matter."""
    return carry(tree, q, v, None, twist.T, np.zeros((6, len(q))))


def parameter_gradient(
    tree: Tree, q: Array, v: Array, a: Array, root: Array, rows: str, columns: Columns, load: Array | None, weight: Array
) -> Array:
    """Sum over samples of weight times the regressor, (columns,).

    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> state, none = np.ones((5, 1)), Columns.none(1)
    >>> parameter_gradient(tree, state, state, state, np.zeros((1, 9)), "joints", none, None, state)[9]
    np.float64(5.0)
    """
    gradient = np.zeros(10 * (tree.n_joints + (rows != "joints")) + columns.count)
    for part in batches(tree, len(q)):
        moving, loads = root[part] if len(root) > 1 else root, None if load is None else load[part]
        matrix = regressor(tree, q[part], v[part], a[part], moving, rows, columns, loads)
        gradient += np.einsum("nr,nrc->c", weight[part], matrix)
    return gradient


def momentum_regressor(tree: Tree, q: Array, v: Array, root_twist: Array) -> Array:
    """Linear momentum, then angular momentum about the root's origin, root axes, (samples, 6, 10 bodies).

    >>> rail = Tree([0], [True], [np.eye(3)], [[0, 0, 1]], [[1, 0, 0]])
    >>> momentum_regressor(rail, np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 6)))[0, :, 10]
    array([1., 0., 0., 0., 1., 0.])
    """
    twist = np.broadcast_to(root_twist, (len(q), 6))
    out = np.empty((len(q), 6, 10 * (tree.n_joints + 1)))
    for part in batches(tree, len(q)):
        motion = _still_root(tree, q[part], v[part], twist[part])
        for body in range(tree.n_joints + 1):
            out[part, :, 10 * body : 10 * body + 10] = _momentum_columns(motion, body).T
    return out


def energy_regressor(tree: Tree, q: Array, v: Array, root_twist: Array, gravity_in_root: Array) -> tuple[Array, Array]:
    """Kinetic and potential energy per unit of the parameters, (samples, 10 bodies) each; potential zero at the root's origin.

    >>> rail = Tree([0], [True], [np.eye(3)], [[0, 0, 1]], [[1, 0, 0]])
    >>> down = np.array([[0, 0, -9.81]])
    >>> kinetic, potential = energy_regressor(rail, np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 6)), down)
    >>> kinetic[0, 10], potential[0, 10]
    (np.float64(0.5), np.float64(9.81))
    """
    twist, down = np.broadcast_to(root_twist, (len(q), 6)), np.broadcast_to(gravity_in_root, (len(q), 3))
    kinetic, potential = np.zeros((2, len(q), 10 * (tree.n_joints + 1)))
    for part in batches(tree, len(q)):
        motion = _still_root(tree, q[part], v[part], twist[part])
        for body in range(tree.n_joints + 1):
            ten = slice(10 * body, 10 * body + 10)
            kinetic[part, ten] = 0.5 * np.einsum("as,cas->sc", motion.velocity[body], _momentum_columns(motion, body))
            height = np.concatenate((motion.position[body][:, None], motion.rotation[body]), axis=1)
            potential[part, ten][:, :4] = -np.einsum("sa,acs->sc", down[part], height)
    return kinetic, potential
