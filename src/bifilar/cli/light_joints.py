"""Joints that no log records: fingers are light, and are taken as standing still; an arm's joint is asked for.

A joint that carries a twentieth of the moving mass or less cannot move the torques much, whatever it did. Anything heavier is
refused by name: another robot's log looks like that, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

LIGHT = 0.05  # of the moving mass


def without_unrecorded(robot: Robot, recordings: Sequence[Recording]) -> Robot:
    """The robot, with light joints locked that none of the recordings has.

    >>> swing = Recording(joint_names=("joint1",), time=[0.0, 0.1], position=[[0.0], [1.0]])
    >>> without_unrecorded(bf.Robot.load("two_link"), [swing]).joint_names  # its forearm is not light
    ('joint1', 'joint2')
    """
    recorded = {name for recording in recordings for name in recording.joint_names}
    absent = [name for name in robot.joint_names if name not in recorded]
    if not absent or not recorded or any(share_beyond(robot, name) > LIGHT for name in absent):
        return robot
    return robot.locked(absent)


def share_beyond(robot: Robot, joint: str) -> float:
    """Mass of the links beyond a joint, as a share of all links that move.

    >>> round(share_beyond(bf.Robot.load("two_link"), "joint2"), 2), share_beyond(bf.Robot.load("two_link"), "joint1")
    (0.24, 1.0)
    """
    mass = {link.name: link.inertia.mass for link in robot.links}
    parents = {one.child: one for one in robot.joints}

    def under(link: str, names: set[str]) -> bool:
        while link in parents:
            one = parents[link]
            if one.name in names or (one.mimic is not None and one.mimic.joint in names):
                return True
            link = one.parent
        return False

    moving = sum(m for name, m in mass.items() if under(name, {one.name for one in robot.joints if one.moves}))
    beyond = sum(m for name, m in mass.items() if under(name, {joint}))
    return beyond / moving if moving > 0 else 1.0
