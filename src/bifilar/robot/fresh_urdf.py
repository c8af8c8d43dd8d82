"""A clean URDF for a robot that did not come from one: a DH table, an MJCF file, the library.

URDF wants an inertia about the centre of mass and rotations as roll, pitch, yaw with R = Rz(yaw) Ry(pitch) Rx(roll). It has
no infinite limits: a revolute joint without any is `continuous`; elsewhere a placeholder (`UNLIMITED`) is written, said to be
one by a comment, and not believed when it is read. It has no rotor inertia and (before version 1.2) no capsules: the former is
left out, the latter become a cylinder and two spheres.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import quoteattr

import numpy as np

from bifilar.robot.description import UNLIMITED, Joint, Link, Pose, Shape
from bifilar.robot.inertia import Array, Inertia


def fresh_urdf(name: str, links: Sequence[Link], joints: Sequence[Joint]) -> bytes:
    """The whole file.

    >>> print(fresh_urdf("rock", [Link("stone")], []).decode())
    <?xml version="1.0" encoding="utf-8"?>
    <robot name="rock">
      <link name="stone"/>
    </robot>
    <BLANKLINE>
    """
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<robot name={attribute(name)}>"]
    for link in links:
        lines += _element("link", link.name, "", list(_link_lines(link)))
    for joint in joints:
        kind = "continuous" if _is_free(joint) else joint.kind
        lines += _element("joint", joint.name, f' type="{kind}"', list(_joint_lines(joint)))
    return "\n".join([*lines, "</robot>", ""]).encode()


def attribute(text: str) -> str:
    """Text as a quoted attribute; white space other than blanks would not survive unescaped.

    >>> print(attribute('a & "b"'))
    'a &amp; "b"'
    """
    return quoteattr(text, {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def numbers(values: Sequence[float] | Array) -> str:
    """Shortest texts that read back as exactly these numbers.

    >>> numbers([0.1, -0.0, 2.0])
    '0.1 0 2'
    """
    return " ".join(_number(float(value)) for value in values)


def _number(value: float) -> str:
    text = repr(value + 0.0)  # -0.0 + 0.0 is 0.0
    return text[:-2] if text.endswith(".0") else text


def rpy_from_rotation(rotation: Array) -> tuple[float, float, float]:
    """Roll, pitch, yaw of a rotation, exact to rounding in every position: the roll is taken after undoing the yaw found,
    so that near pitch = +-90 degrees, where only their sum is defined, both still fit together.

    >>> rpy_from_rotation(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])) == (0.0, 0.0, np.pi / 2)
    True
    """
    r = rotation
    yaw = math.atan2(r[1, 0], r[0, 0])
    pitch = math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0]))
    s, c = math.sin(yaw), math.cos(yaw)
    roll = math.atan2(s * r[0, 2] - c * r[1, 2], c * r[1, 1] - s * r[0, 1])
    return roll, pitch, yaw


def inertial_lines(inertia: Inertia) -> list[str]:
    """An <inertial> in axes parallel to the link's.

    >>> inertial_lines(Inertia.zero())[1]
    '  <mass value="0"/>'
    """
    i = inertia.about_center_of_mass
    six = {"ixx": i[0, 0], "ixy": i[0, 1], "ixz": i[0, 2], "iyy": i[1, 1], "iyz": i[1, 2], "izz": i[2, 2]}
    moments = " ".join(f'{key}="{_number(float(value))}"' for key, value in six.items())
    origin = f'  <origin xyz="{numbers(inertia.center_of_mass)}" rpy="0 0 0"/>'
    mass = f'  <mass value="{_number(inertia.mass)}"/>'
    return ["<inertial>", mass, origin, f"  <inertia {moments}/>", "</inertial>"]


def _element(tag: str, name: str, more: str, inside: list[str]) -> list[str]:
    head = f"  <{tag} name={attribute(name)}{more}"
    return [f"{head}>", *(f"    {line}" for line in inside), f"  </{tag}>"] if inside else [f"{head}/>"]


def _link_lines(link: Link) -> Iterator[str]:
    if link.has_inertia or link.inertia.vector.any():
        yield from inertial_lines(link.inertia)
    for shape in link.shapes:
        for part in _written_shapes(shape):
            yield f"<{part.role}>{_origin(part.pose)}<geometry>{_outline(part)}</geometry></{part.role}>"


def _written_shapes(shape: Shape) -> list[Shape]:
    if shape.kind != "capsule":
        return [shape]
    radius, length = shape.size
    tips = [shape.pose @ Pose(translation=np.array([0.0, 0.0, z])) for z in (-length / 2, length / 2)]
    ends = [Shape("sphere", (radius,), tip, role=shape.role) for tip in tips]
    return [Shape("cylinder", shape.size, shape.pose, role=shape.role), *ends]


def _outline(shape: Shape) -> str:
    if shape.kind == "box":
        return f'<box size="{numbers(shape.size)}"/>'
    if shape.kind == "sphere":
        return f'<sphere radius="{numbers(shape.size)}"/>'
    if shape.kind == "mesh":
        return f'<mesh filename={attribute(shape.mesh)} scale="{numbers(shape.size)}"/>'
    return f'<cylinder radius="{_number(shape.size[0])}" length="{_number(shape.size[1])}"/>'


def _origin(pose: Pose) -> str:
    return f'<origin xyz="{numbers(pose.translation)}" rpy="{numbers(rpy_from_rotation(pose.rotation))}"/>'


def _is_free(joint: Joint) -> bool:
    return joint.kind == "revolute" and math.isinf(joint.limits.lower) and math.isinf(joint.limits.upper)


def _joint_lines(joint: Joint) -> Iterator[str]:
    yield _origin(joint.pose)
    yield f"<parent link={attribute(joint.parent)}/>"
    yield f"<child link={attribute(joint.child)}/>"
    if not joint.moves:
        return
    yield f'<axis xyz="{numbers(joint.axis)}"/>'
    yield from limit_line(joint)
    if joint.damping or joint.friction:
        yield f'<dynamics damping="{_number(joint.damping)}" friction="{_number(joint.friction)}"/>'
    if joint.mimic is not None:
        m = joint.mimic
        yield f'<mimic joint={attribute(m.joint)} multiplier="{_number(m.ratio)}" offset="{_number(m.offset)}"/>'


def unknown_line(fields: Iterable[str]) -> Iterator[str]:
    """The comment beside limits whose number is a placeholder.

    >>> list(unknown_line([]))
    []
    """
    named = ", ".join(fields)
    if named:
        yield f"<!-- unknown: {named}; {UNLIMITED:.0f} is a placeholder -->"


def limit_line(joint: Joint) -> Iterator[str]:
    """Where URDF demands an attribute that is unknown a placeholder is written; the rest only when there is something to say.

    >>> list(limit_line(Joint("wheel", "continuous", "a", "b", limits=bf.Limits(velocity=3.0))))
    ['<!-- unknown: effort; 1000000000 is a placeholder -->', '<limit effort="1000000000" velocity="3"/>']
    """
    limits = joint.limits
    bounded = joint.kind != "continuous" and not _is_free(joint)
    wanted = {"effort": limits.effort, "velocity": limits.velocity}
    wanted = ({"lower": limits.lower, "upper": limits.upper} | wanted) if bounded else wanted
    extra = {"acceleration": limits.acceleration, "jerk": limits.jerk}
    extra = {key: value for key, value in extra.items() if math.isfinite(value)}
    if bounded or extra or any(map(math.isfinite, wanted.values())):
        values = {key: min(max(value, -UNLIMITED), UNLIMITED) for key, value in (wanted | extra).items()}
        yield from unknown_line(key for key, value in values.items() if abs(value) == UNLIMITED)
        yield "<limit " + " ".join(f'{key}="{_number(value)}"' for key, value in values.items()) + "/>"
