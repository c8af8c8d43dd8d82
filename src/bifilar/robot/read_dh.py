"""Robots from Denavit-Hartenberg tables, as TOML or as Python rows.

Standard:  previous_from_frame = Rz(theta + q) Tz(d) Tx(a) Rx(alpha)      joint i turns about z of frame i - 1
Modified:  previous_from_frame = Rx(alpha) Tx(a) Rz(theta + q) Tz(d)      joint i turns about z of frame i
(a prismatic joint adds q to d). Denavit and Hartenberg 1955; Craig, Introduction to Robotics.

Everything a row states about its link (centre of mass, inertia, shapes) is stated in frame i. Our link frames lie on their
joint's axis. Frame i of the modified convention does, and so does frame i of the standard one when a = 0 or the joint is
prismatic: then link i *is* frame i. A standard row with a != 0 and a revolute joint gives link `<name>`, parallel to frame i
but moved back along its x axis by a, onto the joint's axis, with its inertia and shapes moved along; frame i itself stays
available as the fixed, massless link `<name>_dh`, so that published columns can be had in published frames.

    name = "arm"
    convention = "standard"      # or "modified", or "pose" (xyz, rpy, axis instead of a, alpha, d, theta)
    angle = "deg"                # of alpha, theta, rpy, and of limits of revolute joints; "rad" if left out; all else is SI
    [[row]]
    a = 0.5
    alpha = 90
    limits = { lower = -170, upper = 170, velocity = 112, effort = 176 }
    mass = 2.0
    com = [-0.25, 0, 0]                              # or first_moment = [...]   [kg m]
    inertia_com = { xx = 0.01, yy = 0.1, zz = 0.1 }  # or inertia_origin = {...}, about the origin of frame i
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from bifilar.errors import Finding
from bifilar.formats import DH
from bifilar.readers import Reader
from bifilar.robot.description import Description, Joint, Limits, Link, Mimic, Pose, Shape
from bifilar.robot.inertia import Array, Inertia, symmetric
from bifilar.robot.table import Table, read_toml

MAX_ROWS = 1000
KINDS = ("revolute", "continuous", "prismatic", "fixed")
X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def read_dh(path: str | Path) -> Description:
    """Read a TOML file of the form above.

    >>> read_dh("no_such_arm.toml")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: the file cannot be read: No such file or directory
      where   no_such_arm.toml
      try     check the path
    """
    return from_table(Table(DH.unstamped(read_toml(path), str(path)), str(path)), default_name=Path(path).stem)


def from_dh(
    rows: Sequence[Mapping[str, object]],
    *,
    convention: Literal["standard", "modified", "pose"] = "standard",
    name: str = "robot",
    base: Mapping[str, object] | None = None,
    angle: Literal["rad", "deg"] = "rad",
) -> Description:
    """A robot from rows with the keys of the TOML file.

    >>> arm = from_dh([{"a": 1.0, "mass": 2.0, "com": [-0.5, 0, 0]}, {"a": 0.5}])
    >>> [link.name for link in arm.links]
    ['link0', 'link1', 'link1_dh', 'link2', 'link2_dh']
    >>> arm.links[1].inertia.center_of_mass
    array([0.5, 0. , 0. ])
    """
    values = {"name": name, "convention": convention, "angle": angle, "base": base or {}, "row": list(rows)}
    return from_table(Table(values, name), default_name=name)


def from_table(table: Table, default_name: str = "robot") -> Description:
    """A robot from an opened table; `read_dh`, `from_dh` and the library end here.

    >>> from_table(Table({"row": [{"d": 0.1}]}, "here")).joints[0].name
    'joint1'
    """
    builder = _Builder(table)
    rows = table.tables("row")
    if not 0 < len(rows) <= MAX_ROWS:
        raise table.refuse("toml.value/read_dh", row_count=len(rows), max_rows=MAX_ROWS)
    builder.base(table.table("base"))
    for number, row in enumerate(rows, start=1):
        builder.row(row, number)
    name = table.text("name", default_name)
    for key in ("source", "note"):
        table.text(key)
    table.close()
    return Description(name, tuple(builder.links), tuple(builder.joints), findings=tuple(builder.findings)).believed()


class _Builder:
    """Collects links and joints row by row; `tails` remembers frame i seen from link i."""

    def __init__(self, table: Table) -> None:
        self.convention = table.choice("convention", "standard", ("standard", "modified", "pose"))
        self.unit = np.pi / 180 if table.choice("angle", "rad", ("rad", "deg")) == "deg" else 1.0
        self.links: list[Link] = []
        self.joints: list[Joint] = []
        self.findings: list[Finding] = []
        self.tails: dict[str, Pose] = {}
        self.last = ""

    def base(self, table: Table) -> None:
        name = self.new_link(table.text("name", "link0"), table)
        self.links.append(Link(name, *_body(table, Pose(), self.unit)))
        self.tails[name] = Pose()
        self.last = name
        table.close()

    def row(self, row: Table, number: int) -> None:
        name = self.new_link(row.text("name", f"link{number}"), row)
        joint_name = row.text("joint", f"joint{number}")
        if any(joint.name == joint_name for joint in self.joints):
            raise row.refuse("toml.value/row", joint_name=joint_name)
        parent = row.text("parent", self.last)
        if parent not in self.tails:
            raise row.refuse("toml.value/read_dh_row", parent=parent)
        kind = row.choice("kind", "revolute", KINDS)
        place, axis, tail = self.place(row, kind)
        limits = _limits(row.table("limits"), self.unit if kind == "revolute" or kind == "continuous" else 1.0)
        drive = {key: row.number(key) for key in ("damping", "friction", "armature")}
        pose = self.tails[parent] @ place
        joint = Joint(joint_name, kind, parent, name, pose, axis, limits, _mimic(row), **drive)  # type: ignore[arg-type]
        self.joints.append(joint)
        self.links.append(Link(name, *_body(row, tail, self.unit)))
        self.tails[name] = tail
        self.last = name
        row.close()
        if np.any(tail.translation != 0):
            self.frame(name, tail, row)

    def frame(self, name: str, tail: Pose, row: Table) -> None:
        """Keep frame i of a standard row as a fixed link: its origin is not on the joint's axis."""
        frame = self.new_link(f"{name}_dh", row)
        self.links.append(Link(frame))
        self.joints.append(Joint(f"{frame}_fixed", "fixed", name, frame, tail))
        where = f"link '{name}'"
        self.findings.append(Finding("dh.frame", "note", where, frame=frame))

    def place(self, row: Table, kind: str) -> tuple[Pose, Array, Pose]:
        """Where the link stands in the previous frame, its axis, and frame i in the link."""
        if self.convention == "pose":
            place = Pose(rotation_rpy(row.vector("rpy", 3, [0, 0, 0]) * self.unit), row.vector("xyz", 3, [0, 0, 0]))
            return place, _unit_axis(row), Pose()
        a, d = row.number("a"), row.number("d")
        alpha, theta = row.number("alpha") * self.unit, row.number("theta") * self.unit
        twist, turn = about_x(alpha), about_z(theta)
        if self.convention == "modified":
            return Pose(twist, a * X) @ Pose(turn, d * Z), Z, Pose()
        axis = twist.T @ Z
        length = Pose(np.eye(3), a * X)
        place = Pose(turn @ twist, d * Z)
        on_axis = kind in ("revolute", "continuous") and a != 0.0
        return (place, axis, length) if on_axis else (place @ length, axis, Pose())

    def new_link(self, name: str, table: Table) -> str:
        if any(link.name == name for link in self.links):
            raise table.refuse("toml.value/new_link", name=name)
        return name


def _body(table: Table, tail: Pose, unit: float) -> tuple[Inertia, tuple[Shape, ...], bool]:
    """Inertia and shapes as stated in frame i, moved into the link frame; whether an inertia was stated."""
    stated = "mass" in table
    inertia = _inertia(table).moved(tail.rotation, tail.translation) if stated else Inertia.zero()
    shapes = [_shape(shape, unit) for shape in table.tables("shapes")]
    return inertia, tuple(replace(shape, pose=tail @ shape.pose) for shape in shapes), stated


def _inertia(table: Table) -> Inertia:
    mass = table.number("mass")
    if "com" in table and "first_moment" in table:
        raise table.refuse("toml.value/inertia")
    moment = table.vector("first_moment", 3) if "first_moment" in table else mass * table.vector("com", 3, [0, 0, 0])
    if "inertia_com" in table and "inertia_origin" in table:
        raise table.refuse("toml.value/read_dh_inertia")
    if "inertia_origin" in table:
        return Inertia(mass, moment, _tensor(table.table("inertia_origin")))
    if mass == 0.0 and np.any(moment != 0):
        raise table.refuse("toml.value/read_dh_inertia_2")
    return Inertia.from_center_of_mass(mass, moment / mass if mass else moment, _tensor(table.table("inertia_com")))


def _tensor(table: Table) -> Array:
    six = symmetric([table.number(key) for key in ("xx", "xy", "yy", "xz", "yz", "zz")])
    table.close()
    return six


def _limits(table: Table, unit: float) -> Limits:
    known = {key: table.number(key) for key in ("lower", "upper", "velocity", "acceleration", "jerk", "effort") if key in table}
    table.close()
    for key in ("velocity", "acceleration", "jerk", "effort"):
        if known.get(key, 1.0) <= 0:
            raise table.refuse("toml.value/limits", entry=key, known=known[key])
    limits = Limits(**{key: value if key == "effort" else value * unit for key, value in known.items()})
    if limits.lower > limits.upper:
        raise table.refuse("toml.value/read_dh_limits", lower=known["lower"], upper=known["upper"])
    return limits


def _mimic(row: Table) -> Mimic | None:
    if "mimic" not in row:
        return None
    table = row.table("mimic")
    if "joint" not in table:
        raise table.refuse("toml.value/mimic")
    mimic = Mimic(table.text("joint"), table.number("ratio", 1.0), table.number("offset"))
    table.close()
    return mimic


def _unit_axis(row: Table) -> Array:
    axis = row.vector("axis", 3, [0, 0, 1])
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        raise row.refuse("toml.value/unit_axis")
    return axis / length


def _shape(table: Table, unit: float) -> Shape:
    """Box and sphere by centre; cylinder and capsule by the two ends of their middle line."""
    kind = table.choice("kind", "capsule", ("box", "sphere", "cylinder", "capsule"))
    if kind == "box":
        size = tuple(table.vector("size", 3))
        pose = Pose(rotation_rpy(table.vector("rpy", 3, [0, 0, 0]) * unit), table.vector("center", 3, [0, 0, 0]))
    elif kind == "sphere":
        size, pose = (table.number("radius"),), Pose(np.eye(3), table.vector("center", 3, [0, 0, 0]))
    else:
        start, end = table.vector("from", 3), table.vector("to", 3)
        size = (table.number("radius"), float(np.linalg.norm(end - start)))
        pose = Pose(rotation_to(end - start), (start + end) / 2)
    table.close()
    if min(size) <= 0:
        raise table.refuse("toml.value/shape", kind=kind)
    return Shape(kind, tuple(float(s) for s in size), pose)  # type: ignore[arg-type]


def cosine_sine(angle: float) -> tuple[float, float]:
    """Cosine and sine, exact at quarter turns: pi/2 as a double must not leave 6e-17 where the machine has a right angle.

    >>> cosine_sine(np.pi / 2)
    (0.0, 1.0)
    """
    quarters = angle / (np.pi / 2)
    if abs(quarters - round(quarters)) < 1e-14:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarters) % 4]
    return float(np.cos(angle)), float(np.sin(angle))


def about_x(angle: float) -> Array:
    """Rotation about x [rad].

    >>> about_x(np.pi) @ [0, 1, 0]
    array([ 0., -1.,  0.])
    """
    c, s = cosine_sine(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def about_z(angle: float) -> Array:
    """Rotation about z [rad].

    >>> about_z(np.pi / 2) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    c, s = cosine_sine(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation_rpy(rpy: Array) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll), as URDF writes it [rad].

    >>> rotation_rpy(np.array([0.0, np.pi / 2, 0.0])) @ [1, 0, 0]
    array([ 0.,  0., -1.])
    """
    c, s = cosine_sine(float(rpy[1]))
    about_y = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    return about_z(float(rpy[2])) @ about_y @ about_x(float(rpy[0]))


def rotation_to(direction: Array) -> Array:
    """A rotation that takes z into a direction; the identity for a direction without length.

    >>> rotation_to(np.array([0.0, 0.0, -2.0])) @ [0, 0, 1]
    array([ 0.,  0., -1.])
    """
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        return np.eye(3)
    z = np.asarray(direction, dtype=float) / length
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x = x / np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


TOML = Reader(
    kind="robot",
    name="TOML",
    endings=(".toml",),
    open=read_dh,
    sniff=lambda path, head: re.search(rb"^\s*(\[\[\s*row\s*\]\]|row\s*=)", head, re.M) is not None,
    about=".toml (DH table)",
)
