"""What `bifilar inspect --json` prints: the same as the text, complete and with names that stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bifilar import __version__
from bifilar.cli.identifiable import identifiable_facts
from bifilar.errors import Finding
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.description import Joint, Link
from bifilar.robot.inertia import PARAMETERS
from bifilar.robot.library import citation, names
from bifilar.robot.robot import Robot


def facts(robot: Robot, source: str, findings: Sequence[Finding], base: BaseParameters) -> dict[str, Any]:
    """Everything as plain numbers, texts and lists; SI units and radians, no limit is null.

    >>> from bifilar.cli.identifiable import identify
    >>> robot = Robot.load("pendulum")
    >>> list(facts(robot, "pendulum", robot.check(), identify(robot)))
    ['bifilar', 'robot', 'links', 'joints', 'findings', 'identifiable']
    """
    return {
        "bifilar": __version__,
        "robot": {
            "name": robot.name,
            "source": source,
            "citation": citation(source) if source in names() else None,
            "floating": robot.is_floating,
            "gravity": robot.gravity.tolist(),
            "mass": float(sum(link.inertia.mass for link in robot.links)),
            "moving_joints": list(robot.joint_names),
            "moving_links": list(robot.body_names[1:]),
        },
        "links": [_link(robot, link) for link in robot.links],
        "joints": [_joint(joint) for joint in robot.joints],
        "findings": [finding.data() for finding in findings],
        "identifiable": identifiable_facts(base),
    }


def _link(robot: Robot, link: Link) -> dict[str, Any]:
    place = robot.link_map().get(link.name)
    return {
        "name": link.name,
        "moves_with": None if place is None else robot.body_names[place.body],
        "stated": link.has_inertia,
        "consistent": bool(link.inertia.is_consistent),
        "center_of_mass": link.inertia.center_of_mass.tolist() if link.inertia.mass else None,
        **dict(zip(PARAMETERS, link.inertia.vector.tolist())),
    }


def _joint(joint: Joint) -> dict[str, Any]:
    return {
        "name": joint.name,
        "kind": joint.kind,
        "parent": joint.parent,
        "child": joint.child,
        "axis": joint.axis.tolist(),
        "limits": asdict(joint.limits),
        "mimic": None if joint.mimic is None else asdict(joint.mimic),
        "damping": joint.damping,
        "friction": joint.friction,
        "armature": joint.armature,
    }
