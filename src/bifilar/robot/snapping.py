"""Angles that were rounded when a file was written (1.5708, 3.1416): the same robot with exact right angles.

A twist of 90 degrees written with five digits is off by 4e-6 rad. That is nothing for a torque, but axes that were parallel
or perpendicular no longer are, and parameters that had no effect of their own get one of 4e-6. A rotation whose entries
all lie within 5e-5 of 0, 1 or -1 is moved to the quarter turn it stands for; joint axes along a coordinate axis likewise.
Translations stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.robot.changes import rebuilt
from bifilar.robot.description import Joint, Pose
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot

NEAR = 5e-5  # entries within are moved
EXACT = 1e-10  # entries off by less are as good as exact


class Snapped(NamedTuple):
    """A model with exact right angles, and how far each joint (or the body it moves) was off [rad].

    >>> snapped(bf.Robot.load("two_link")).off
    {}
    """

    model: Model
    off: dict[str, float]


def snapped_rotation(rotation: Array) -> Array:
    """The quarter turns a rotation stands for, or the rotation itself if it stands for none.

    >>> c, s = np.cos(1.5708), np.sin(1.5708)
    >>> snapped_rotation(np.array([[1, 0, 0], [0, c, -s], [0, s, c]])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    """
    near = np.round(rotation) + 0.0  # no negative zeros
    close = np.abs(near - rotation).max() <= NEAR
    return near if close and np.array_equal(near @ near.T, np.eye(3)) else rotation


def snapped_axis(axis: Array) -> Array:
    """The coordinate axis that a joint axis stands for, or the axis itself, of length one.

    >>> snapped_axis(np.array([1e-6, 0.0, -1.0])).tolist()
    [0.0, 0.0, -1.0]
    """
    unit = _unit(axis)
    near = np.round(unit) + 0.0
    return near if np.abs(near - unit).max() <= NEAR and np.abs(near).sum() == 1 else unit


def snapped(model: Model) -> Snapped:
    """The model with exact right angles. A robot's fixed joints are snapped too, each by itself.

    >>> twist = bf.Pose(np.array([[1, 0, 0], [0, np.cos(1.5708), -np.sin(1.5708)], [0, np.sin(1.5708), np.cos(1.5708)]]))
    >>> links = bf.Link("base"), bf.Link("rod")
    >>> robot = bf.Robot.build(bf.Description("arm", links, (bf.Joint("hinge", "revolute", "base", "rod", twist),)))
    >>> {name: float(f"{angle:.1e}") for name, angle in snapped(robot).off.items()}
    {'hinge': 3.7e-06}
    """
    if isinstance(model, Robot):
        joints = tuple(_snapped_joint(joint) for joint in model.joints)
        off = {one.name: _off(one, two) for one, two in zip(model.joints, joints)}
        off = {name: angle for name, angle in off.items() if angle > EXACT}
        return Snapped(rebuilt(model, joints=joints, source=None) if off else model, off)
    tree = model.tree
    rotation = np.array([snapped_rotation(turn) for turn in tree.rotation]).reshape(-1, 3, 3)
    axis = np.array([snapped_axis(one) for one in tree.axis]).reshape(-1, 3)
    change = np.maximum(np.abs(rotation - tree.rotation).max((1, 2), initial=0.0), np.abs(axis - tree.axis).max(1, initial=0.0))
    off = {name: float(angle) for name, angle in zip(model.body_names[1:], change) if angle > EXACT}
    return Snapped(replace(model, tree=replace(tree, rotation=rotation, axis=axis)) if off else model, off)


def _snapped_joint(joint: Joint) -> Joint:
    pose = Pose(snapped_rotation(joint.pose.rotation), joint.pose.translation)
    return replace(joint, pose=pose, axis=snapped_axis(joint.axis) if joint.moves else joint.axis)


def _off(joint: Joint, exact: Joint) -> float:
    turned = float(np.abs(joint.pose.rotation - exact.pose.rotation).max())
    return max(turned, float(np.abs(_unit(joint.axis) - _unit(exact.axis)).max())) if joint.moves else turned


def _unit(axis: Array) -> Array:
    return np.asarray(axis / np.linalg.norm(axis), dtype=np.float64)
