"""The same tree in frames that are cheap to compute in: Khalil and Kleinfinger's, and masses moved towards the base.

Frames (Khalil and Kleinfinger 1986): a turning body's z is its joint's axis, its x the common normal to the next axis, its
origin where that normal begins. Then a joint's constant rotation is one angle about x, mostly a quarter turn of zeros and
ones, and its translation has few elements. A sliding body takes over its parent's axes.

Masses (Gautier and Khalil 1990): what lies on a turning joint's axis moves with either of its two bodies,

    mass, first moment along z, and a rod along z (second moment zz)           of a turning body
    all second moments                                                        of a sliding body

so it is counted with the parent, and the body itself keeps seven (four) numbers. Torque, mass matrix and Coriolis matrix are
those of the given tree to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bifilar.dynamics.tree import Array, Tree

ROUNDING = 4e-15  # rotations and lengths (beside the robot's) that differ by less from 0 or 1 are 0 or 1
PARALLEL = 0.05  # sine of the angle between axes below which their common normal is too far away to put a frame there


@dataclass(frozen=True, eq=False)
class Arranged:
    """A tree and what its bodies weigh, as second moments: S = integral of x x' dm, h = mass times centre, m.

    >>> arranged(Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]]), np.zeros((2, 10))).tree.axis
    array([[0., 0., 1.]])
    """

    tree: Tree
    bodies: Array  # (bodies, 4, 4) [[S, h], [h', m]]


def second_moments(phi: Array) -> Array:
    """[[S, h], [h', m]] from the ten numbers of a body, (..., 10) -> (..., 4, 4).

    >>> second_moments(np.array([1.0, 0, 0, 0, 1, 0, 1, 0, 0, 0]))[2, 2]
    np.float64(1.0)
    """
    inertia = phi[..., [[4, 5, 7], [5, 6, 8], [7, 8, 9]]]
    out = np.zeros((*phi.shape[:-1], 4, 4))
    out[..., :3, :3] = 0.5 * np.trace(inertia, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - inertia
    out[..., :3, 3] = out[..., 3, :3] = phi[..., 1:4]
    out[..., 3, 3] = phi[..., 0]
    return out


def arranged(tree: Tree, phi: Array) -> Arranged:
    """The tree in cheap frames; masses stay with their bodies.

    >>> tilted = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0.6, 0.8, 0]])
    >>> arranged(tilted, np.ones((2, 10))).tree.rotation[0].round(3)[:, 2]
    array([0.6, 0.8, 0. ])
    """
    own = _turning_frames(tree)
    rotation, translation, axis = np.array(tree.rotation), np.array(tree.translation), np.array(tree.axis)
    offset, bodies = np.array(tree.offset), second_moments(phi)
    for i in range(tree.n_joints):
        above = own[int(tree.parent[i])]
        joint = _pose(tree.rotation[i], tree.translation[i])
        if tree.prismatic[i]:
            own[i + 1] = _inverse(joint) @ above  # the parent's own axes and, at position zero, its origin
        joint = _inverse(above) @ joint @ own[i + 1]
        if tree.prismatic[i]:
            joint, axis[i] = np.eye(4), own[i + 1][:3, :3].T @ tree.axis[i]
        else:
            axis[i] = (0.0, 0.0, 1.0)
            joint[:3, :3], turned = _less_turned(joint[:3, :3])
            offset[i] += turned
        rotation[i], translation[i] = joint[:3, :3], joint[:3, 3]
        if not np.array_equal(own[i + 1], np.eye(4)):
            back = _inverse(own[i + 1])
            bodies[i + 1] = _without_dust(back @ bodies[i + 1] @ back.T)
    length = np.abs(tree.translation).max(initial=1e-300)
    cleaned = replace(
        tree,
        rotation=_clean(rotation),
        translation=np.where(np.abs(translation) < ROUNDING * length, 0.0, translation),
        axis=_clean(axis),
        offset=np.where(np.abs(offset) < ROUNDING, 0.0, offset),
    )
    return Arranged(cleaned, bodies)


def towards_the_base(given: Arranged) -> Arranged:
    """What lies on a joint's axis, or does not feel that it slides, counted with the parent.

    >>> two = Tree([0, 1], [False] * 2, [np.eye(3)] * 2, np.eye(3)[:2], [[0, 0, 1]] * 2)
    >>> towards_the_base(arranged(two, np.ones((3, 10)))).bodies[:, 3, 3]
    array([3., 0., 0.])
    """
    tree, bodies = given.tree, given.bodies.copy()
    for i in reversed(range(tree.n_joints)):
        moved = np.zeros((4, 4))
        if tree.prismatic[i]:
            moved[:3, :3] = bodies[i + 1, :3, :3]
        else:
            moved[2:, 2:] = bodies[i + 1, 2:, 2:]
        pose = _pose(tree.rotation[i], np.zeros(3) if tree.prismatic[i] else tree.translation[i])
        bodies[i + 1] -= moved
        bodies[tree.parent[i]] += pose @ moved @ pose.T
    return Arranged(tree, bodies)


def as_given(tree: Tree, phi: Array) -> Arranged:
    """The tree in its own frames.

    >>> as_given(Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 1, 0]]), np.zeros((2, 10))).tree.axis
    array([[0., 1., 0.]])
    """
    return Arranged(replace(tree, rotation=_clean(tree.rotation), axis=_clean(tree.axis)), second_moments(phi))


def _turning_frames(tree: Tree) -> list[Array]:
    """old_from_new of every body, from the leaves inwards; sliding bodies get theirs later."""
    own: list[Array] = [np.eye(4) for _ in range(tree.n_joints + 1)]
    size = np.ones(tree.n_joints + 1)
    for i in reversed(range(tree.n_joints)):
        size[tree.parent[i]] += size[i + 1]
    for i in reversed(range(tree.n_joints)):
        if not tree.prismatic[i]:
            own[i + 1] = _normal_frame(tree.axis[i], _next_axis(tree, i + 1, size, own))
    return own


def _next_axis(tree: Tree, body: int, size: Array, own: list[Array]) -> tuple[Array, Array] | None:
    """Direction of the next turning axis and the origin on it, in the frame of the body; seen through sliding ones."""
    rotation, point, here = np.eye(3), np.zeros(3), body
    while True:
        children = [i for i in range(tree.n_joints) if tree.parent[i] == here]
        if not children:
            return None
        i = max(children, key=lambda child: size[child + 1])
        point = point + rotation @ tree.translation[i]
        rotation = rotation @ tree.rotation[i]
        here = i + 1
        if not tree.prismatic[i]:
            return rotation @ tree.axis[i], point + rotation @ own[here][:3, 3]


def _normal_frame(axis: Array, beyond: tuple[Array, Array] | None) -> Array:
    """z along the axis, x along the common normal to the next one, origin where it begins; the old ones if nothing asks."""
    x, shift = None, 0.0
    if beyond is not None:
        direction, point = beyond
        across = np.cross(axis, direction)
        sine = float(np.linalg.norm(across))
        if sine > PARALLEL:
            x = across
            shift = float(np.dot(np.cross(point, direction), across)) / sine**2
        else:
            shift = float(point @ axis)
            side = point - shift * axis
            x = side if np.linalg.norm(side) > 1e-9 else None
    if x is None:
        x = _any_normal(axis)
    old = np.array([1.0, 0.0, 0.0])
    x = x - (x @ axis) * axis
    x = _clean(x / np.linalg.norm(x))
    x = x if x @ old >= -0.5 else -x  # rather the old direction than the opposite one
    frame = np.eye(4)
    frame[:3, :3] = np.column_stack((x, np.cross(axis, x), axis))
    frame[:3, :3] = _clean(frame[:3, :3])
    frame[:3, 3] = shift * axis
    return frame


def _any_normal(axis: Array) -> Array:
    """The coordinate axis that is least along, made normal; the old x for a joint about the old z."""
    least = np.eye(3)[int(np.argmin(np.round(np.abs(axis), 12)))]
    normal = least - (least @ axis) * axis
    return np.asarray(normal / np.linalg.norm(normal))


def _less_turned(rotation: Array) -> tuple[Array, float]:
    """The rotation without its turn about z beyond quarter turns, and that turn, which the joint's angle takes over."""
    clean = _clean(rotation)
    if np.count_nonzero(clean) == 3:
        return clean, 0.0
    sine = np.hypot(rotation[2, 0], rotation[2, 1])
    turn = np.arctan2(*rotation[2, :2]) if sine > ROUNDING else np.arctan2(-rotation[0, 1], rotation[0, 0])
    turn -= np.round(turn / (np.pi / 2)) * (np.pi / 2)
    c, s = np.cos(turn), np.sin(turn)
    return _clean(rotation @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])), float(turn)


def _pose(rotation: Array, translation: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, translation
    return pose


def _inverse(pose: Array) -> Array:
    return _pose(pose[:3, :3].T, -pose[:3, :3].T @ pose[:3, 3])


def _without_dust(body: Array) -> Array:
    """Elements that are nothing but rounding beside the others of their kind become zero."""
    kinds = np.zeros((4, 4), int)
    kinds[3, :], kinds[:, 3], kinds[3, 3] = 1, 1, 2
    largest = np.array([np.abs(body[kinds == kind]).max() for kind in range(3)])
    return np.where(np.abs(body) < 4e-16 * largest[kinds], 0.0, body)


def _clean(values: Array) -> Array:
    """Zeros and ones where rounding is all that is between."""
    near = np.round(values)
    return np.where(np.abs(values - near) < ROUNDING, near + 0.0, values)
