"""The same tree of links, held somewhere else: its root becomes the ground, joined to any link by a pivot.

Joints between the new root and the old base are turned round: with parent_from_child = X R(axis, q), the former parent gets a
frame at the joint, N = X, and child_from_parent = R(-axis, q). Positions of joints keep their meaning and sign, so that an
encoder reads the same whoever carries whom. Links beyond the old base (the slides of a planar base) are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bifilar.robot.description import Description, Joint, Link, Pose, Shape
from bifilar.robot.inertia import Inertia

GROUND, PIVOT = "ground", "pivot"


@dataclass(frozen=True, eq=False)
class Rerooted:
    """A description with another root, and where the old link frames are.

    >>> rerooted(bf.Robot.load("walker3").description(), "link3", "foot1").description.joints[0].name
    'pivot'
    """

    description: Description
    old_from_new: dict[str, Pose]  # of every link: its new frame, seen from the old one


def rerooted(description: Description, base: str, held: str, *, axis: tuple[float, float, float] = (0.0, 1.0, 0.0)) -> Rerooted:
    """The links that hang on `base` (itself included), turning about `axis` at the link `held`.

    >>> pinned = bf.Robot.build(rerooted(bf.Robot.load("walker3").description(), "link3", "foot1").description)
    >>> pinned.joint_names
    ('pivot', 'joint4', 'joint5')
    """
    by_child = {joint.child: joint for joint in description.joints}
    below: dict[str, list[Joint]] = {}
    for joint in description.joints:
        below.setdefault(joint.parent, []).append(joint)
    beyond = by_child.get(base)
    turning = Joint(PIVOT, "continuous", GROUND, held, axis=np.array(axis))
    if beyond is not None and _same_body(description, base, held):  # what rubs at the base rubs at the pivot
        turning = replace(turning, damping=beyond.damping, friction=beyond.friction, armature=beyond.armature)
    moved, joints = {held: Pose()}, [turning]
    waiting = [held]
    while waiting:
        link = waiting.pop(0)
        up = by_child.get(link)
        if up is not None and link != base and up.parent not in moved:
            moved[up.parent] = up.pose
            joints.append(replace(up, parent=link, child=up.parent, pose=moved[link].inverse(), axis=-up.axis))
            waiting.append(up.parent)
        for joint in below.get(link, ()):
            if joint.child not in moved:
                moved[joint.child] = Pose()
                joints.append(replace(joint, pose=moved[link].inverse() @ joint.pose))
                waiting.append(joint.child)
    links = [Link(GROUND), *(_seen(link, moved[link.name]) for link in description.links if link.name in moved)]
    again = Description(f"{description.name} on {held}", tuple(links), tuple(joints), gravity=description.gravity)
    return Rerooted(again, moved)


def _same_body(description: Description, one: str, other: str) -> bool:
    """Whether fixed joints lead from `other` back to `one`."""
    by_child = {joint.child: joint for joint in description.joints}
    while other != one and other in by_child and not by_child[other].moves:
        other = by_child[other].parent
    return other == one


def _seen(link: Link, old_from_new: Pose) -> Link:
    new = old_from_new.inverse()
    inertia: Inertia = link.inertia.moved(new.rotation, new.translation)
    shapes: tuple[Shape, ...] = tuple(replace(shape, pose=new @ shape.pose) for shape in link.shapes)
    return replace(link, inertia=inertia, shapes=shapes)
