"""SDF as `sdf` writes it, read back into links and joints to compare torques. Not a reader of any SDF there is.

A frame becomes a fixed link without mass, a joint to the world says that the base stands, a link without <inertial> weighs
what SDF says: one kilogram.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.export.parity import States
from bifilar.export.sdf import plan_of
from bifilar.robot.description import Description, Joint, Limits, Link, Mimic, Pose
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot
from bifilar.robot.xml_reader import Element, parse_document

UNSTATED = Inertia.from_center_of_mass(1.0, np.zeros(3), np.eye(3))  # what SDF takes for a link that says nothing


def sdf_torque(data: bytes, robot: Robot, states: States) -> Array:
    """Torque of the file's robot.

    >>> from bifilar.export.parity import states_of
    >>> from bifilar.export.sdf import sdf_bytes
    >>> robot = bf.Robot.load("two_link")
    >>> states = states_of(robot)
    >>> torque = sdf_torque(sdf_bytes(robot), robot, states)
    >>> bool(np.allclose(torque, robot.inverse_dynamics(states.q, states.v, states.a)))
    True
    """
    description, stands = read_sdf(data)
    read = Robot.build(description, floating=not stands, gravity=robot.gravity)
    plan = plan_of(robot)
    if read.joint_names != tuple(plan.called("joint", name) for name in robot.joint_names) or stands == robot.is_floating:
        raise RobotError("export.joints_differ/read_sdf")
    return read.inverse_dynamics(states.q, states.v, states.a, base=states.base)


def read_sdf(data: bytes) -> tuple[Description, bool]:
    """Links and joints, and whether the base stands.

    >>> from bifilar.export.sdf import sdf_bytes
    >>> description, stands = read_sdf(sdf_bytes(bf.Robot.load("two_link")))
    >>> [joint.name for joint in description.joints], stands
    (['joint1', 'joint2', 'tip to its parent'], True)
    """
    root = parse_document(data, "the written file").root
    model = _one(root, "model")
    links, poses, joints, stands = [], {}, [], False
    frames = []
    for element in model.children:
        if element.tag == "link":
            name, pose = element.get("name") or "", _some(element, "pose")
            links.append(Link(name, _inertia(_some(element, "inertial")), has_inertia=True))
            poses[name] = Pose() if pose is None else _pose(pose)
        elif element.tag == "frame":
            name, parent = element.get("name") or "", element.get("attached_to") or ""
            links.append(Link(name))
            frames.append(Joint(f"{name} to its parent", "fixed", parent, name, _pose(_one(element, "pose"))))
    for element in model.children:
        if element.tag == "joint" and _text(_one(element, "parent")) == "world":
            stands = True
        elif element.tag == "joint":
            joints.append(_joint(element, poses))
    return Description(model.get("name") or "", tuple(links), (*joints, *frames)), stands


def _joint(element: Element, poses: dict[str, Pose]) -> Joint:
    name, kind, parent, child = element.get("name"), element.get("type"), _one(element, "parent"), _one(element, "child")
    common: dict[str, Any] = {"pose": poses[_text(child)]}
    axis = _some(element, "axis")
    if axis is not None:
        limit = {bound.tag: float(bound.text) for bound in _one(axis, "limit").children}
        damping, friction = (float(_one(_one(axis, "dynamics"), tag).text) for tag in ("damping", "friction"))
        common |= {"axis": _floats(_one(axis, "xyz")), "limits": Limits(**limit), "damping": damping, "friction": friction}
        mimic = _some(axis, "mimic")
        if mimic is not None:
            ratio, offset = (float(_one(mimic, tag).text) for tag in ("multiplier", "offset"))
            common["mimic"] = Mimic(mimic.get("joint") or "", ratio, offset)
    return Joint(name or "", kind, _text(parent), _text(child), **common)  # type: ignore[arg-type]


def _inertia(element: Element | None) -> Inertia:
    if element is None:
        return UNSTATED
    six = {moment.tag: float(moment.text) for moment in _one(element, "inertia").children}
    rows = [[six["i" + "".join(sorted(row + column))] for column in "xyz"] for row in "xyz"]
    return Inertia.from_center_of_mass(float(_one(element, "mass").text), _floats(_one(element, "pose"))[:3], rows)


def _pose(element: Element) -> Pose:
    """Six numbers: x y z, then roll, pitch, yaw with R = Rz Ry Rx."""
    x, y, z, roll, pitch, yaw = _floats(element)
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return Pose(rz @ ry @ rx, np.array([x, y, z]))


def _floats(element: Element) -> list[float]:
    return [float(word) for word in element.text.split()]


def _text(element: Element) -> str:
    return element.text.strip()


def _some(element: Element, tag: str) -> Element | None:
    return next((child for child in element.children if child.tag == tag), None)


def _one(element: Element, tag: str) -> Element:
    found = _some(element, tag)
    if found is None:
        raise RobotError("export.incomplete/read_sdf", tag=tag)
    return found
