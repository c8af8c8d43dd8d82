"""From links and joints to the arrays the dynamics run on: sort from the root outwards, fold fixed links into moving ones.

A moving joint's child link gives the body its frame and its name; links held by fixed joints ride on that body with a
constant pose, and their ten numbers add to its own: phi_body = sum over links of X_link phi_link. Joints of the tree are
numbered from the root outwards (the file's order where that leaves a choice); coordinates keep the file's order.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array, Tree
from bifilar.errors import RobotError, near_names
from bifilar.robot.description import Description, Joint, Link, Mimic, Pose
from bifilar.robot.inertia import Inertia


@dataclass(frozen=True, eq=False)
class Assembly:
    """A tree with the places of every link on it.

    >>> alone = assemble(Description("rock", links=(Link("rock"),), joints=()))
    >>> alone.tree.n_joints, alone.body_names
    (0, ('rock',))
    """

    tree: Tree
    joint_names: tuple[str, ...]  # of the coordinates
    body_names: tuple[str, ...]  # root first, then tree order
    sliding: tuple[str, ...]  # coordinates that are prismatic joints
    link_body: tuple[int, ...]  # body that carries each link; -1: stands in the world beside a floating base
    link_pose: tuple[Pose, ...]  # body_from_link

    def fold(self, links: tuple[Link, ...]) -> Array:
        """Body parameters (bodies, 10): every body with the fixed links that ride on it.

        >>> assemble(Description("rock", links=(Link("rock"),), joints=())).fold((Link("rock"),)).shape
        (1, 10)
        """
        folded = np.zeros((len(self.body_names), 10))
        for link, body, pose in zip(links, self.link_body, self.link_pose):
            if body >= 0:
                folded[body] += _seen_from_body(link.inertia, pose)
        return folded


MAX_JOINTS = 150  # that move: base parameters of more take minutes
MAX_LINKS = 5000


def _check_number(description: Description) -> None:
    moving = sum(joint.moves for joint in description.joints)
    if moving > MAX_JOINTS or len(description.links) > MAX_LINKS:
        links = len(description.links)
        raise RobotError("robot.too_large", moving=moving, links=links, most_joints=MAX_JOINTS, most_links=MAX_LINKS)


def assemble(description: Description, *, floating: bool | None = None, gravity: object = None) -> Assembly:
    """Check that links and joints form one tree and number it.

    `floating`: whether the root link moves freely; None leaves it to the description (a floating joint at the root).

    >>> arm = Description("arm", (Link("base"), Link("rod")), (Joint("hinge", "revolute", "base", "rod"),))
    >>> assemble(arm, floating=True).tree.n_rows
    7
    """
    _check_names(description)
    _check_number(description)
    root = _root(description)
    order = _outwards(description, root)
    free = _free_joint(description, root, floating)
    base = free.child if free is not None else root
    place = _places(description, order, base, free)
    moving = [joint for joint in order if joint.moves]
    by_name = {joint.name: joint for joint in description.joints}
    leader = [leader_of(joint, by_name) for joint in moving]
    independent = [joint for joint in description.joints if joint.moves and joint.mimic is None]
    number = {joint.name: k for k, joint in enumerate(independent)}
    at = [place[joint.parent][1] @ joint.pose for joint in moving]
    gravity = {} if gravity is None else {"gravity": _gravity(gravity)}
    tree = Tree(
        parent=np.array([place[joint.parent][0] for joint in moving], np.int64),
        prismatic=np.array([joint.kind == "prismatic" for joint in moving], bool),
        rotation=np.array([pose.rotation for pose in at]),
        translation=np.array([pose.translation for pose in at]),
        axis=np.array([joint.axis / np.linalg.norm(joint.axis) for joint in moving]),
        coordinate=np.array([number[name] for name, _, _ in leader], np.int64),
        ratio=np.array([ratio for _, ratio, _ in leader], float),
        offset=np.array([offset for _, _, offset in leader], float),
        floating=free is not None or bool(floating),
        **gravity,
    )
    bodies = (base, *(joint.child for joint in moving))
    places = [place[link.name] for link in description.links]
    return Assembly(
        tree=tree,
        joint_names=tuple(number),
        body_names=bodies,
        sliding=tuple(joint.name for joint in independent if joint.kind == "prismatic"),
        link_body=tuple(body for body, _ in places),
        link_pose=tuple(pose for _, pose in places),
    )


def joint_motion(joint: Joint, position: float) -> Pose:
    """child(0)_from_child(position): what the joint does to its child link.

    >>> joint_motion(Joint("slide", "prismatic", "a", "b", axis=[1, 0, 0]), 0.2).translation
    array([0.2, 0. , 0. ])
    """
    if joint.kind == "prismatic":
        return Pose(np.eye(3), position * joint.axis)
    x, y, z = joint.axis / np.linalg.norm(joint.axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return Pose(np.eye(3) + np.sin(position) * cross + (1 - np.cos(position)) * cross @ cross, np.zeros(3))


def moving_matrix(pose: Pose) -> Array:
    """10 x 10: the ten numbers of a link, seen from the body that carries it at this pose (body_from_link).

    >>> moving_matrix(Pose(np.eye(3), [0, 0, 2.0]))[:, 0]  # a point mass, 2 m up
    array([1., 0., 0., 2., 4., 0., 4., 0., 0., 0.])
    """
    units = (Inertia.from_vector(unit) for unit in np.eye(10))
    return np.column_stack([_seen_from_body(unit, pose) for unit in units])


def _seen_from_body(inertia: Inertia, pose: Pose) -> Array:
    stands_at_body = not pose.translation.any() and np.array_equal(pose.rotation, np.eye(3))
    return inertia.vector if stands_at_body else inertia.moved(pose.rotation, pose.translation).vector


def _check_names(description: Description) -> None:
    """Names used once, references that exist, numbers that are numbers."""
    links = {link.name for link in description.links}
    for what, items in (("link", description.links), ("joint", description.joints)):
        names = [item.name for item in items]
        if len(set(names)) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            raise RobotError("name.twice/assemble", where=description.name, thing=what, twice=twice)
    for joint in description.joints:
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                what = f"joint '{joint.name}' names the {role} link '{name}', which does not exist"
                raise RobotError(
                    "link.unknown/assemble",
                    where=description.name,
                    name=joint.name,
                    role=role,
                    name_2=name,
                    near=near_names(name, sorted(links)),
                )
        _check_geometry(description, joint)
    for link in description.links:
        if not np.isfinite(link.inertia.vector).all():
            raise RobotError("inertia.not_finite/assemble", where=description.name, name=link.name)


def _check_geometry(description: Description, joint: Joint) -> None:
    rotation, translation = joint.pose.rotation, joint.pose.translation
    if not (np.isfinite(rotation).all() and np.isfinite(translation).all() and np.isfinite(joint.axis).all()):
        raise RobotError("joint.not_finite", where=description.name, name=joint.name)
    if np.abs(rotation @ rotation.T - np.eye(3)).max() > 1e-6 or np.linalg.det(rotation) < 0:
        raise RobotError("joint.rotation", where=description.name, name=joint.name)
    if joint.moves and np.linalg.norm(joint.axis) < 1e-9:
        raise RobotError("joint.axis", where=description.name, name=joint.name)


def _root(description: Description) -> str:
    """The one link that is nobody's child."""
    holder: dict[str, str] = {}
    for joint in description.joints:
        if joint.child in holder:
            raise RobotError(
                "link.two_parents", where=description.name, child=joint.child, holder=holder[joint.child], name=joint.name
            )
        holder[joint.child] = joint.name
    roots = [link.name for link in description.links if link.name not in holder]
    if not description.links:
        raise RobotError("robot.no_links", where=description.name)
    if not roots:
        raise RobotError("robot.loop/assemble", where=description.name)
    if len(roots) > 1:
        raise RobotError("robot.several_roots", where=description.name, root_count=len(roots), roots=roots[:5])
    return roots[0]


def _outwards(description: Description, root: str) -> list[Joint]:
    """All joints, parents before children, the file's order where that leaves a choice."""
    below: dict[str, list[int]] = {}
    for k, joint in enumerate(description.joints):
        below.setdefault(joint.parent, []).append(k)
    ready, order = list(below.get(root, ())), []
    heapq.heapify(ready)
    while ready:
        joint = description.joints[heapq.heappop(ready)]
        order.append(joint)
        for k in below.get(joint.child, ()):
            heapq.heappush(ready, k)
    if len(order) < len(description.joints):
        reached = {joint.name for joint in order}
        lost = next(joint for joint in description.joints if joint.name not in reached)
        raise RobotError("robot.loop/outwards", where=description.name, name=lost.name)
    return order


def _free_joint(description: Description, root: str, floating: bool | None) -> Joint | None:
    """The floating joint at the root, unless it is told not to float."""
    free = [joint for joint in description.joints if joint.kind == "floating"]
    if not free:
        return None
    beside = [joint for joint in description.joints if joint.parent == root and joint is not free[0]]
    if len(free) > 1 or free[0].parent != root or any(joint.kind != "fixed" for joint in beside):
        raise RobotError("robot.floating_joint/assemble", where=description.name, name=free[-1].name)
    return None if floating is False else free[0]


def _places(description: Description, order: list[Joint], base: str, free: Joint | None) -> dict[str, tuple[int, Pose]]:
    """Body number and body_from_link of every link; body -1 is the world beside a floating base."""
    place = {base: (0, Pose())}
    if free is not None:
        place[free.parent] = (-1, Pose())
    bodies = 1
    for joint in order:
        if joint is free:
            continue
        body, pose = place[joint.parent]
        if joint.moves:
            if body < 0:
                raise RobotError("robot.floating_joint/places", where=description.name, name=joint.name)
            place[joint.child] = (bodies, Pose())
            bodies += 1
        else:
            place[joint.child] = (body, pose @ joint.pose)
    return place


def leader_of(joint: Joint, by_name: dict[str, Joint]) -> tuple[str, float, float]:
    """Independent joint that a chain of mimics ends at, with ratio and offset.

    >>> thumb = Joint("thumb", "revolute", "palm", "tip", mimic=Mimic("finger", ratio=-2.0, offset=0.1))
    >>> leader_of(thumb, {"thumb": thumb, "finger": Joint("finger", "revolute", "palm", "nail")})
    ('finger', -2.0, 0.1)
    """
    ratio, offset, seen = 1.0, 0.0, {joint.name}
    follower = joint
    while follower.mimic is not None:
        mimic: Mimic = follower.mimic
        if mimic.joint not in by_name:
            raise RobotError(
                "mimic.unknown", name=follower.name, joint=mimic.joint, near=near_names(mimic.joint, list(by_name))
            )
        if mimic.joint in seen or not by_name[mimic.joint].moves:
            why = "which leads back to it" if mimic.joint in seen else "which does not move"
            raise RobotError("mimic.wrong", name=joint.name, joint=mimic.joint, why=why)
        if not (np.isfinite(mimic.ratio) and np.isfinite(mimic.offset)):
            raise RobotError("mimic.not_finite", name=follower.name)
        ratio, offset = ratio * mimic.ratio, ratio * mimic.offset + offset
        seen.add(mimic.joint)
        follower = by_name[mimic.joint]
    return follower.name, ratio, offset


def _gravity(value: object) -> Array:
    array = np.asarray(value, dtype=float)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise RobotError("gravity.wrong/assemble", value=value)
    return array
