"""Where every body of a tree is and how it moves: the pass that all NumPy equations start from.

Everything is expressed in the root frame about the root's origin, as spatial vectors with the linear part first, seen from an
inertial frame that coincides with the root frame at this instant and travels with its origin (so that the root's linear
velocity is zero, and its spatial and classical accelerations are the same). Joint i then has one screw psi_i, and

    v_i = v_parent + psi_i qd_i
    a_i = a_parent + psi_i qdd_i + (v_parent x psi_i) qd_i          since a screw moves with its body: psi' = v x psi

(Featherstone 2008, chapter 5). Gravity enters as an upward acceleration of the root. Inside the NumPy engine the samples are
the LAST axis: vectors are (..., 3 or 6, samples), matrices (..., 3, 3, samples), so that each line runs over many samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Tree

Array = NDArray[np.float64]
CHUNK = 16384  # bodies times samples worked on at a time: hides the cost of a call, keeps memory to some megabytes


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses, screws, velocities and accelerations of all bodies, root frame, about the root's origin, samples last.

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 1]], [[0, 1, 0]])
    >>> move(pendulum, np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 1)), np.zeros((1, 9))).velocity[1, :, 0]
    array([-1.,  0.,  0.,  0.,  1.,  0.])
    """

    rotation: Array  # (bodies, 3, 3, samples) root_from_body
    position: Array  # (bodies, 3, samples) [m] of the body's origin
    screw: Array  # (6 + joints, 6, samples) twist per unit speed: six of the root (the unit vectors), then the joints'
    velocity: Array  # (bodies, 6, samples) spatial
    acceleration: Array  # (bodies, 6, samples) spatial, gravity included


def batches(tree: Tree, samples: int) -> Iterator[slice]:
    """Slices that cover so many samples, a chunk each, shorter for larger trees.

    >>> pendulum = Tree([0], [False], [np.eye(3)], [[0, 0, 1]], [[0, 1, 0]])
    >>> [part.stop for part in batches(pendulum, 10_000)]
    [8192, 10000]
    """
    size = max(64, CHUNK // (tree.n_joints + 1))
    return (slice(start, min(start + size, samples)) for start in range(0, samples, size))


def cross(a: Array, b: Array) -> Array:
    """Cross product of (..., 3, samples).

    >>> cross(np.array([[1.0], [0], [0]]), np.array([[0.0], [1], [0]])).ravel()
    array([0., 0., 1.])
    """
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for x, y, z in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[..., y, :], b[..., z, :], out=result[..., x, :])
        result[..., x, :] -= a[..., z, :] * b[..., y, :]
    return result


def turn(matrix: Array, x: Array) -> Array:
    """Matrix (..., 3, 3, samples) times vector (..., 3, samples).

    >>> turn(np.eye(3)[:, :, None], np.ones((3, 1))).ravel()
    array([1., 1., 1.])
    """
    return np.einsum("...abs,...bs->...as", matrix, x)


def cross_motion(v: Array, x: Array) -> Array:
    """v x x: how a twist (or screw) x changes when it is carried along by the twist v.

    >>> cross_motion(np.ones((6, 1)), np.ones((6, 1))).any()
    np.False_
    """
    linear, angular = v[..., :3, :], v[..., 3:, :]
    carried = cross(angular, x[..., :3, :]) + cross(linear, x[..., 3:, :])
    return np.concatenate((carried, cross(angular, x[..., 3:, :])), axis=-2)


def cross_force(v: Array, f: Array) -> Array:
    """v x* f: how a wrench (or momentum) f changes when it is carried along by the twist v; dual to `cross_motion`.

    >>> cross_force(np.array([[1.0, 0, 0, 0, 0, 0]]).T, np.array([[0, 1.0, 0, 0, 0, 0]]).T).ravel()
    array([0., 0., 0., 0., 0., 1.])
    """
    linear, angular = v[..., :3, :], v[..., 3:, :]
    carried = cross(angular, f[..., 3:, :]) + cross(linear, f[..., :3, :])
    return np.concatenate((cross(angular, f[..., :3, :]), carried), axis=-2)


def of_joints(tree: Tree, x: Array) -> Array:
    """Speeds or accelerations of the joints, (joints, samples), from those of the coordinates (samples, coordinates).

    >>> gripper = Tree([0, 0], [True] * 2, [np.eye(3)] * 2, np.zeros((2, 3)), np.eye(3)[:2], coordinate=[0, 0], ratio=[1, -1])
    >>> of_joints(gripper, np.array([[2.0]])).ravel()
    array([ 2., -2.])
    """
    return tree.ratio[:, None] * x.T[tree.coordinate]


def path(tree: Tree, body: int) -> list[int]:
    """The joints between the root and a body, outwards.

    >>> path(Tree([0, 1, 1], [False] * 3, [np.eye(3)] * 3, np.zeros((3, 3)), np.eye(3)), 3)
    [0, 2]
    """
    joints: list[int] = []
    while body > 0:
        joints.insert(0, body - 1)
        body = int(tree.parent[body - 1])
    return joints


def place(tree: Tree, q: Array) -> tuple[Array, Array, Array]:
    """Rotation and position of every body and the screws, at the positions q (samples, coordinates).

    >>> rail = Tree([0], [True], [np.eye(3)], [[0, 0, 1]], [[1, 0, 0]])
    >>> place(rail, np.array([[0.5]]))[1][1].ravel()
    array([0.5, 0. , 1. ])
    """
    n, samples, parent = tree.n_joints, len(q), tree.parent
    rotation, position = np.empty((n + 1, 3, 3, samples)), np.zeros((n + 1, 3, samples))
    rotation[0] = np.eye(3)[:, :, None]
    joint = of_joints(tree, q) + tree.offset[:, None]
    swing = _swings(tree, joint)
    for i in range(n):
        rotation[i + 1] = np.einsum("abs,bcs->acs", rotation[parent[i]], swing[i])
    axis = np.einsum("iabs,ib->ias", rotation[1:], tree.axis)
    step = np.einsum("iabs,ib->ias", rotation[parent], tree.translation)
    step[tree.prismatic] += axis[tree.prismatic] * joint[tree.prismatic, None]
    for i in range(n):
        position[i + 1] = position[parent[i]] + step[i]
    screw = np.zeros((6 + n, 6, samples))
    screw[:6] = np.eye(6)[:, :, None]
    screw[6:, :3] = np.where(tree.prismatic[:, None, None], axis, cross(position[1:], axis))
    screw[6:, 3:] = np.where(tree.prismatic[:, None, None], 0.0, axis)
    return rotation, position, screw


def _swings(tree: Tree, joint: Array) -> Array:
    """parent_from_body rotations (joints, 3, 3, samples): exp(u x angle) = u u' + cos (1 - u u') + sin (u x), Rodrigues."""
    along = np.einsum("ia,ib->iab", tree.axis, tree.axis)
    around = np.cross(tree.axis[:, None], np.eye(3)).swapaxes(1, 2)
    shapes = np.stack((along, np.eye(3) - along, around), axis=-1)
    shapes = np.einsum("iab,ibct->iact", tree.rotation, shapes).reshape(-1, 9, 3)
    angle = np.where(tree.prismatic[:, None], 0.0, joint)
    terms = np.stack((np.ones_like(angle), np.cos(angle), np.sin(angle)), axis=1)
    return (shapes @ terms).reshape(-1, 3, 3, joint.shape[1])


def move(tree: Tree, q: Array, v: Array, a: Array | None, root: Array) -> Motion:
    """The whole motion; `root` (samples, 9) as the engine takes it, a = None for zero acceleration.

    >>> rail = Tree([0], [True], [np.eye(3)], [[0, 0, 1]], [[1, 0, 0]])
    >>> move(rail, np.zeros((1, 1)), np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 9))).acceleration[1, :3].ravel()
    array([1., 0., 0.])
    """
    root = np.broadcast_to(root, (len(q), 9)).T
    twist = np.concatenate((np.zeros((3, len(q))), root[:3]))
    return carry(tree, q, v, a, twist, np.concatenate((root[6:], root[3:6])))


def carry(tree: Tree, q: Array, v: Array, a: Array | None, root_velocity: Array, root_acceleration: Array) -> Motion:
    """The whole motion from the root's spatial velocity and acceleration, (6, samples) each.

    >>> none = Tree([], [], np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3)))
    >>> carry(none, np.zeros((4, 0)), np.zeros((4, 0)), None, np.zeros((6, 4)), np.zeros((6, 4))).velocity.shape
    (1, 6, 4)
    """
    rotation, position, screw = place(tree, q)
    velocity = np.empty((tree.n_joints + 1, 6, len(q)))
    acceleration = np.empty_like(velocity)
    velocity[0], acceleration[0] = root_velocity, root_acceleration
    twist = screw[6:] * of_joints(tree, v)[:, None]
    for i, parent in enumerate(tree.parent):
        velocity[i + 1] = velocity[parent] + twist[i]
    growth = cross_motion(velocity[tree.parent], twist)
    if a is not None:
        growth += screw[6:] * of_joints(tree, a)[:, None]
    for i, parent in enumerate(tree.parent):
        acceleration[i + 1] = acceleration[parent] + growth[i]
    return Motion(rotation, position, screw, velocity, acceleration)


def to_coordinates(tree: Tree, x: Array) -> Array:
    """Sum rows (6 + joints, ...) into rows (6 + coordinates, ...): the work of a coordinate is the work of its joints.

    >>> gripper = Tree([0, 0], [True] * 2, [np.eye(3)] * 2, np.zeros((2, 3)), np.eye(3)[:2], coordinate=[0, 0], ratio=[1, -1])
    >>> to_coordinates(gripper, np.arange(8.0))[6:]
    array([-1.])
    """
    rows = np.zeros((6 + tree.n_coordinates, *x.shape[1:]))
    rows[:6] = x[:6]
    for i, (coordinate, ratio) in enumerate(zip(tree.coordinate, tree.ratio, strict=True)):
        rows[6 + coordinate] += ratio * x[6 + i]
    return rows
