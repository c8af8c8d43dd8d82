"""URDF files, read strictly: what cannot be understood is refused with file and line, what looks odd is a finding.

Differences to urdfdom (and so to Pinocchio and ROS), all on the strict side: a number with a wrong character is refused
where they drop the whole inertia; an element that stands twice is refused where they take the first; NaN is refused.
One thing is more generous: a parent link named 'world' need not be declared (Drake's habit).

URDF states a link's inertia about its centre of mass in a frame of its own (<inertial><origin>); here it becomes

    I = R I_file R' - m [c]^2      about the link origin, in the link frame       R = Rz(yaw) Ry(pitch) Rx(roll)

Rotations stay as written: 1.5708 is not pi/2, and base_parameters must be able to say so.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bifilar.errors import RobotError
from bifilar.readers import Reader
from bifilar.robot.description import Description, Joint, JointKind, Limits, Link, Mimic, Pose
from bifilar.robot.inertia import Array, Inertia, symmetric
from bifilar.robot.urdf_fields import Reading
from bifilar.robot.urdf_shapes import note_meshes_outside, read_shapes
from bifilar.robot.urdf_tree import check_floating, check_names, check_tree, resolve_mimics
from bifilar.robot.xml_reader import Document, Element, outermost, parse_document, read_document, shown

KINDS: dict[str, JointKind] = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "floating",
}
_OTHER_FORMATS = {"mujoco": "an MJCF file", "sdf": "an SDF file", "COLLADA": "a COLLADA mesh"}


@dataclass(frozen=True)
class UrdfSource:
    """The bytes a description was read from; the writer changes numbers in them and leaves the rest.

    >>> parse_urdf(b'<robot name="rock"><link name="rock"/></robot>').source.name
    'robot.urdf'
    """

    name: str
    data: bytes


def read_urdf(path: str | os.PathLike[str]) -> Description:
    """A robot description from a URDF file.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "rock.urdf")
    >>> _ = file.write_text('<robot name="rock"><link name="stone"/></robot>')
    >>> read_urdf(file).links[0].name
    'stone'
    """
    return description_of(read_document(path))


def parse_urdf(data: bytes, name: str = "robot.urdf") -> Description:
    """A robot description from the bytes of a URDF; `name` is what messages call the file.

    >>> arm = parse_urdf(b'''<robot name="arm"><link name="base"/><link name="arm"/>
    ...   <joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>''')
    >>> arm.joints[0].kind, arm.joints[0].axis
    ('continuous', array([0., 0., 1.]))
    """
    return description_of(parse_document(data, name))


def description_of(document: Document) -> Description:
    """A robot description from a parsed file.

    >>> description_of(parse_document(b'<robot name="rock"><link name="stone"/></robot>', "rock.urdf")).name
    'rock'
    """
    reading = Reading(document)
    robot = _robot_element(reading)
    links = check_names(reading, [child for child in robot.children if child.tag == "link"], "link")
    joints = check_names(reading, [child for child in robot.children if child.tag == "joint"], "joint")
    if not links:
        raise reading.refuse(robot, "urdf.invalid/read_urdf")
    ends = {name: _ends(reading, name, element) for name, element in joints.items()}
    implicit = _implicit_world(reading, links, joints, ends)
    root = check_tree(reading, {**implicit, **links}, joints, ends)
    read_joints = [_read_joint(reading, name, element, *ends[name], root) for name, element in joints.items()]
    check_floating(reading, root, read_joints, joints)
    read_joints = resolve_mimics(reading, read_joints, joints)
    read_links = [Link(name) for name in implicit] + [_read_link(reading, name, element) for name, element in links.items()]
    note_meshes_outside(reading, list(links.values()))
    reading.note_unknown_attributes()
    name = robot.get("name") or os.path.splitext(os.path.basename(document.name))[0]
    source = UrdfSource(document.name, document.data)
    return Description(name, tuple(read_links), tuple(read_joints), tuple(reading.findings), source).believed()


def _robot_element(reading: Reading) -> Element:
    robot = reading.document.root
    if robot.tag != "robot":
        raise reading.refuse(
            robot,
            "urdf.invalid/robot_element" if robot.tag in _OTHER_FORMATS else "urdf.invalid/read_urdf_robot_element",
            tag=shown(robot.tag, ""),
            other_format=_OTHER_FORMATS.get(robot.tag, ""),
        )
    for child in robot.children:
        for element in child.walk() if child.tag in ("link", "joint") else (child,):
            if element.tag.startswith("xacro:"):
                raise reading.unexpanded(element)
    if not robot.get("name"):
        reading.find("urdf.no_name", "note", robot)
    return robot


def _ends(reading: Reading, name: str, element: Element) -> tuple[str, str]:
    """Names of the links a joint holds together."""
    owner = f"joint {shown(name)}"
    found = []
    for role in ("parent", "child"):
        end = reading.only(element, role, owner)
        if end is None:
            raise reading.refuse(element, "urdf.invalid/ends", name=shown(name), role=role)
        found.append(reading.text(end, "link", owner))
    return found[0], found[1]


def _implicit_world(
    reading: Reading, links: dict[str, Element], joints: dict[str, Element], ends: dict[str, tuple[str, str]]
) -> dict[str, Element]:
    """The link 'world', if joints start from it and nobody declares it."""
    users = [name for name, (parent, _) in ends.items() if parent == "world"]
    if not users or "world" in links:
        return {}
    reading.find("urdf.world", "note", joints[users[0]], user=shown(users[0]))
    return {"world": joints[users[0]]}


def _read_link(reading: Reading, name: str, element: Element) -> Link:
    owner = f"link {shown(name)}"
    inertial = reading.only(element, "inertial", owner)
    shapes = read_shapes(reading, element, owner)
    if inertial is None:
        return Link(name, shapes=shapes)
    mass = reading.only(inertial, "mass", f"<inertial> of {owner}")
    inertia = reading.only(inertial, "inertia", f"<inertial> of {owner}")
    if mass is None or inertia is None:
        missing = "mass" if mass is None else "inertia"
        raise reading.refuse(inertial, "urdf.invalid/read_link", name=shown(name), missing=missing)
    pose = reading.pose(inertial, f"<inertial> of {owner}")
    kilograms = reading.measure(mass, "value", owner)
    six = [reading.measure(inertia, key, owner) for key in ("ixx", "ixy", "iyy", "ixz", "iyz", "izz")]
    turned = pose.rotation @ symmetric(six) @ pose.rotation.T
    body = Inertia.from_center_of_mass(kilograms, pose.translation, 0.5 * (turned + turned.T))
    return Link(name, body, shapes, has_inertia=True)


def _read_joint(reading: Reading, name: str, element: Element, parent: str, child: str, root: str) -> Joint:
    owner = f"joint {shown(name)}"
    kind = _kind(reading, element, owner)
    pose = _mounting(reading, element, owner) if kind == "fixed" and parent == root else reading.pose(element, owner)
    damping, friction = _dynamics(reading, element, owner)
    moves = kind in ("revolute", "continuous", "prismatic")
    return Joint(
        name,
        kind,
        parent,
        child,
        pose,
        axis=_axis(reading, element, owner, moves),
        limits=_limits(reading, element, kind, owner),
        mimic=_mimic(reading, element, owner, moves),
        damping=damping if moves else 0.0,
        friction=friction if moves else 0.0,
    )


def _kind(reading: Reading, element: Element, owner: str) -> JointKind:
    written = reading.text(element, "type", owner)
    if written == "planar":
        raise reading.refuse(element, "urdf.invalid/kind", "type", owner=owner)
    if written not in KINDS:
        raise reading.refuse(element, "urdf.invalid/read_urdf_kind", "type", owner=owner, written=shown(written), kinds=KINDS)
    return KINDS[written]


def _mounting(reading: Reading, element: Element, owner: str) -> Pose:
    """Pose of a joint that fixes a link to the root. Here a second <origin> that only shifts cannot change the robot:
    it moves where the base stands, which no torque and no base wrench depends on."""
    origins = [child for child in element.children if child.tag == "origin"]
    poses = [reading.pose_of(origin, owner) for origin in origins[:2]]
    if len(origins) == 2 and np.array_equal(poses[0].rotation, poses[1].rotation):
        reading.find("urdf.two_bases", "warning", origins[1], owner=owner, line=origins[0].line, line_2=origins[1].line)
        return poses[0]
    return reading.pose(element, owner)


def _axis(reading: Reading, element: Element, owner: str, moves: bool) -> Array:
    axis = reading.only(element, "axis", owner)
    if axis is None:
        if moves:
            reading.find("axis.missing", "note", element, owner=owner)
        return np.array([1.0, 0.0, 0.0])
    xyz = np.array(reading.numbers(axis, "xyz", 3, owner))
    largest = float(np.max(np.abs(xyz)))
    if largest == 0.0:
        if moves:
            raise reading.refuse(axis, "urdf.invalid/axis", "xyz", owner=owner)
        return np.array([1.0, 0.0, 0.0])
    length = largest * float(np.linalg.norm(xyz / largest))  # scaled first: squares of 1e200 overflow
    if moves and abs(length - 1.0) > 1e-6:
        reading.find("axis.length", "note", axis, owner=owner, length=length)
    return (xyz / largest) / float(np.linalg.norm(xyz / largest)) if length != 1.0 else xyz


def _limits(reading: Reading, element: Element, kind: JointKind, owner: str) -> Limits:
    limit = reading.only(element, "limit", owner)
    if limit is None:
        if kind in ("revolute", "prismatic"):
            reading.find(
                "limits.missing/read_urdf", "warning", element, owner=owner, kind=kind, about=element.get("name") or ""
            )
        return Limits()
    given = {
        key: reading.number(limit, key, owner)
        for key in ("lower", "upper", "velocity", "acceleration", "jerk", "effort")
        if limit.get(key) is not None
    }
    if kind in ("fixed", "floating"):
        return Limits()
    if kind == "continuous":
        given = {key: value for key, value in given.items() if key not in ("lower", "upper")}
    _look_at_limits(reading, limit, kind, owner, given, element.get("name") or "")
    return Limits(**given)


def _look_at_limits(reading: Reading, limit: Element, kind: JointKind, owner: str, given: dict[str, float], joint: str) -> None:
    missing = [key for key in ("lower", "upper") if key not in given]
    if kind != "continuous" and missing:
        reading.find("limits.missing/look_at_limits", "warning", limit, owner=owner, missing=missing, about=joint)
    if given.get("lower", -np.inf) > given.get("upper", np.inf):
        reading.find("limits.exchanged/read_urdf", "error", limit, owner=owner, lower=given["lower"], upper=given["upper"])
    for key in ("velocity", "effort"):
        if given.get(key, 1.0) <= 0:
            reading.find("limits.zero", "warning", limit, owner=owner, entry=key, given=given[key])


def _mimic(reading: Reading, element: Element, owner: str, moves: bool) -> Mimic | None:
    mimic = reading.only(element, "mimic", owner)
    if mimic is None:
        return None
    followed = Mimic(
        reading.text(mimic, "joint", owner),
        reading.measure(mimic, "multiplier", owner, default=1.0),
        reading.measure(mimic, "offset", owner, default=0.0),
    )
    if not moves:
        reading.find("mimic.fixed", "note", mimic, owner=owner, joint=shown(followed.joint))
        return None
    if followed.ratio == 0.0:
        reading.find("mimic.zero", "warning", mimic, owner=owner, joint=shown(followed.joint))
    return followed


def _dynamics(reading: Reading, element: Element, owner: str) -> tuple[float, float]:
    dynamics = reading.only(element, "dynamics", owner)
    if dynamics is None:
        return 0.0, 0.0
    damping = reading.measure(dynamics, "damping", owner, default=0.0)
    friction = reading.measure(dynamics, "friction", owner, default=0.0)
    for word, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            reading.find("friction.negative/read_urdf", "warning", dynamics, owner=owner, word=word, value=value)
    return damping, friction


def _xacro(path: Path) -> Description:
    raise RobotError("robot.xacro", where=os.fspath(path))


URDF = Reader(
    kind="robot",
    name="URDF",
    endings=(".urdf", ".xml", ".mjcf"),
    open=read_urdf,
    sniff=lambda path, head: outermost(head) == "robot",
    about=".urdf",
    usual=True,
)
XACRO = Reader(kind="robot", name="xacro", endings=(".xacro",), open=_xacro, listed=False)
