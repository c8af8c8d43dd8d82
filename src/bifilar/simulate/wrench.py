"""A force and a moment on a link as joint torques, and how these change with the pose.

    torque_i = l_i . force + w_i . moment           l_i, w_i: linear and angular velocity of the point per unit speed of joint i

A column turns with every joint before it, and its lever changes with every joint behind it:

    d l_i / d q_j = w_j x l_i,   d w_i / d q_j = w_j x w_i      j before i, or i itself
    d l_i / d q_j = w_i x l_j,   d w_i / d q_j = 0              j behind i

for turning and sliding joints alike (w = 0). Joints that follow others are summed at the end.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.engine import current
from bifilar.dynamics.tree import Array
from bifilar.robot.model import Model
from bifilar.simulate.pushes import LinkPush


def wrench_torque(model: Model, push: LinkPush, position: Array) -> tuple[Array, Array]:
    """Torque of a push at a pose (joints,), and its derivative by the position (joints, joints).

    >>> robot = bf.Robot.load("pendulum")
    >>> push = bf.LinkPush(link="link1", force=[1.0, 0.0, 0.0], point=[0.0, 0.0, -0.5], start=0.0, stop=1.0)
    >>> torque, slope = wrench_torque(robot, push, np.zeros(1))
    >>> bool(np.allclose(torque, robot.jacobian("link1", [0.0], push.point)[:3].T @ push.force))
    True
    """
    tree = model.tree
    body, stand = model._frame(push.link)
    share = np.zeros((tree.n_joints, tree.n_coordinates))
    share[np.arange(tree.n_joints), tree.coordinate] = tree.ratio
    alone = replace(tree, coordinate=np.arange(tree.n_joints), ratio=np.ones(tree.n_joints), offset=np.zeros(tree.n_joints))
    q = (share @ position + tree.offset)[None]
    columns = current().jacobian(alone, q, body, stand.rotation @ push.point + stand.translation)[0, :, 6:]
    l, w = columns[:3].T, columns[3:].T  # (joints, 3)
    before = _before(tree.parent)  # (i, j): whether joint j moves joint i, or is it
    turned = np.cross(w[None, :], l[:, None]) @ push.force + np.cross(w[None, :], w[:, None]) @ push.moment
    lever = np.cross(w[:, None], l[None, :]) @ push.force
    slope = np.where(before, turned, np.where(before.T, lever, 0.0))
    return share.T @ (l @ push.force + w @ push.moment), share.T @ slope @ share


def _before(parent: NDArray[np.int64]) -> NDArray[np.bool_]:
    found = np.eye(len(parent), dtype=bool)
    for i, body in enumerate(parent):
        if body > 0:
            found[i] |= found[body - 1]
    return found
