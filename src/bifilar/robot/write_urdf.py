"""URDF files, written by changing numbers only: every comment, mesh, blank and line ending of the original stays.

A reader of the file sees a difference of numbers and nothing else. The inertial frame keeps its rotation R, so a link whose
body became m, h, I (about the link origin) is written as

    mass = m     xyz = c = h / m     ixx ... izz = R' (I + m [c]^2) R

and a number that agrees with the text to rounding keeps its text. What was written is read again and compared before
anybody gets it. Only inertias, joint friction and joint limits can be changed so (a continuous joint that was given an end
becomes revolute); a robot with other links or joints needs `fresh_urdf`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np

from bifilar.errors import Finding, RobotError
from bifilar.robot.description import UNLIMITED, Description, Joint, Link
from bifilar.robot.fresh_urdf import fresh_urdf, inertial_lines, limit_line, numbers, unknown_line
from bifilar.robot.inertia import Array, Inertia
from bifilar.robot.read_urdf import UrdfSource, description_of, parse_urdf
from bifilar.robot.urdf_fields import NUMBER, Reading
from bifilar.robot.write_file import write_file
from bifilar.robot.xml_reader import Document, Element, parse_document, shown

ACCURACY = 1e-12  # relative: what is read back must agree this well
_SIX = ("ixx", "ixy", "iyy", "ixz", "iyz", "izz")
_WORD = re.compile(rb"[^ \t\r\n]+")
_FRESH = "write a new file instead: fresh_urdf(name, links, joints)"
Edit = tuple[int, int, bytes]  # from byte, to byte, what stands there instead


def write_urdf(
    description: Description, links: Sequence[Link], joints: Sequence[Joint], path: str | os.PathLike[str] | None = None
) -> bytes:
    """The description's file with these links' inertias and these joints' friction and limits; also written to `path` if given.

    >>> from dataclasses import replace
    >>> arm = parse_urdf(b'''<robot name="arm"><link name="arm"><!-- 2 kg by the scale -->
    ...   <inertial><mass value="2.0"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>''')
    >>> heavier = replace(arm.links[0], inertia=Inertia.from_center_of_mass(2.5, [0, 0, 0], np.eye(3)))
    >>> print(write_urdf(arm, [heavier], []).decode())
    <robot name="arm"><link name="arm"><!-- 2 kg by the scale -->
      <inertial><mass value="2.5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>
    """
    _refuse_what_cannot_be_stated(links, joints)
    if isinstance(description.source, UrdfSource):
        document = parse_document(description.source.data, description.source.name)
        original = description_of(document)
        _refuse_other_structure(original, links, joints)
        data = _edited(original, Reading(document), links, joints)
    else:
        data = fresh_urdf(description.name, links, joints)
    _verify(data, links, joints)
    if path is not None:
        write_file(path, data)
    return data


def left_out(joints: Sequence[Joint]) -> tuple[Finding, ...]:
    """What these joints have that a URDF cannot say.

    >>> print(left_out([Joint("elbow", "revolute", "a", "b", armature=0.1)])[0].what)
    URDF cannot state its rotor inertia of 0.1 kg m^2
    """
    return tuple(
        Finding("urdf.rotor_inertia", "note", f"joint {shown(joint.name)}", armature=joint.armature)
        for joint in joints
        if joint.armature
    )


def _refuse_what_cannot_be_stated(links: Sequence[Link], joints: Sequence[Joint]) -> None:
    for link in links:
        if not np.all(np.isfinite(link.inertia.vector)):
            raise RobotError("inertia.not_finite/write_urdf", name=shown(link.name))
        if link.inertia.mass == 0 and link.inertia.first_moment.any():
            raise RobotError("urdf.massless", name=shown(link.name))
    for joint in joints:
        if not np.isfinite([joint.damping, joint.friction]).all():
            raise RobotError("not_finite/write_urdf", name=shown(joint.name))


def _refuse_other_structure(original: Description, links: Sequence[Link], joints: Sequence[Joint]) -> None:
    for kind, old, new in (("link", original.links, links), ("joint", original.joints, joints)):
        there, wanted = {item.name for item in old}, {item.name for item in new}  # type: ignore[attr-defined]
        if len(wanted) != len(new):
            raise RobotError("name.twice/write_urdf", kind=kind)
        for name in sorted(there ^ wanted):
            side = "is not in the file" if name in wanted else "of the file is missing"
            raise RobotError("urdf.differs/write_urdf", kind=kind, name=shown(name), side=side)
    before = {joint.name: joint for joint in original.joints}
    for joint in joints:
        _refuse_other_joint(before[joint.name], joint, "the file", exact=True)


def _refuse_other_joint(old: Joint, new: Joint, reader: str, exact: bool) -> None:
    """Kinematics and mimic are not among the numbers that are changed, so they must be what the file says."""
    close = 0.0 if exact else 1e-12
    same = {
        "kind": old.kind == new.kind or {old.kind, new.kind} == {"revolute", "continuous"},
        "parent": old.parent == new.parent,
        "child": old.child == new.child,
        "position": np.allclose(old.pose.translation, new.pose.translation, rtol=close, atol=close),
        "orientation": np.allclose(old.pose.rotation, new.pose.rotation, rtol=close, atol=close),
        "axis": not new.moves or np.allclose(old.axis, new.axis, rtol=close, atol=close),
        "mimic": old.mimic == new.mimic,
    }
    for what, agrees in same.items():
        if not agrees:
            raise RobotError(
                "urdf.differs/refuse_other_joint" if exact else "urdf.differs/write_urdf_refuse_other_joint",
                name=shown(new.name),
                thing=what,
                reader=reader,
            )


def _edited(original: Description, reading: Reading, links: Sequence[Link], joints: Sequence[Joint]) -> bytes:
    """The original bytes with every edit made, from the last to the first so that positions stay valid."""
    document = reading.document
    elements = {(e.tag, e.get("name")): e for e in document.root.children if e.tag in ("link", "joint")}
    edits: list[Edit] = []
    before = {link.name: link for link in original.links}
    for link in links:
        if not np.array_equal(link.inertia.vector, before[link.name].inertia.vector):
            edits += _link_edits(reading, elements.get(("link", link.name)), link)
    stated = {joint.name: joint for joint in original.joints}
    for joint in joints:
        old, element = stated[joint.name], elements[("joint", joint.name)]
        if joint.moves and (joint.damping, joint.friction) != (old.damping, old.friction):
            edits += _friction_edits(reading, element, joint)
        if joint.moves and (joint.kind, joint.limits) != (old.kind, old.limits):
            edits += _limit_edits(reading, element, old, joint)
    pieces, done = [], 0
    for start, end, text in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [document.data[done:start], text]
        done = end
    return b"".join([*pieces, document.data[done:]])


def _link_edits(reading: Reading, element: Element | None, link: Link) -> Iterator[Edit]:
    if element is None:
        raise RobotError("urdf.link_missing", name=shown(link.name))
    owner, document = f"link {shown(link.name)}", reading.document
    inertial = reading.only(element, "inertial", owner)
    if inertial is None:
        yield from _inserted(document, element, inertial_lines(link.inertia))
        return
    mass, inertia = (reading.only(inertial, tag, owner) for tag in ("mass", "inertia"))
    assert mass is not None and inertia is not None  # the reader has refused a file without
    origin = reading.only(inertial, "origin", owner)
    pose = reading.pose(inertial, owner)
    body = link.inertia
    center = body.center_of_mass if body.mass else pose.translation  # without mass any place will do
    turned = pose.rotation.T @ body.about_center_of_mass @ pose.rotation
    yield from _number_edits(document, mass, "value", np.array([body.mass]), 0.0)
    if origin is not None:
        yield from _number_edits(document, origin, "xyz", center, float(np.max(np.abs(center))))
    elif center.any():
        yield from _inserted(document, inertial, [f'<origin xyz="{numbers(center)}" rpy="0 0 0"/>'])
    scale = float(np.max(np.abs(body.rotational)))
    for key, (row, column) in zip(_SIX, ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)), strict=True):
        value = 0.5 * (turned[row, column] + turned[column, row])
        yield from _number_edits(document, inertia, key, np.array([value]), scale)


def _friction_edits(reading: Reading, element: Element, joint: Joint) -> Iterator[Edit]:
    dynamics = reading.only(element, "dynamics", f"joint {shown(joint.name)}")
    if dynamics is None:
        line = f'<dynamics damping="{numbers([joint.damping])}" friction="{numbers([joint.friction])}"/>'
        yield from _inserted(reading.document, element, [line])
        return
    for key, value in (("damping", joint.damping), ("friction", joint.friction)):
        yield from _number_edits(reading.document, dynamics, key, np.array([value]), 0.0)


def _limit_edits(reading: Reading, element: Element, old: Joint, joint: Joint) -> Iterator[Edit]:
    """Where a limit is unknown now and the file has a number, a placeholder stands for it, with a comment that says so."""
    document = reading.document
    if joint.kind != old.kind:
        span = document.value_span(element, "type")
        assert span is not None  # the reader has refused a joint without
        yield *span, joint.kind.encode()
    limit = reading.only(element, "limit", f"joint {shown(joint.name)}")
    if limit is None:
        yield from _inserted(document, element, list(limit_line(joint)))
        return
    ends = ("lower", "upper") if joint.kind != "continuous" else ()
    unknown = []
    for key in (*ends, "velocity", "effort", "acceleration", "jerk"):
        before, now = getattr(old.limits, key), getattr(joint.limits, key)
        span, text = document.value_span(limit, key), numbers([min(max(now, -UNLIMITED), UNLIMITED)])
        if span is None and (now != before or key in ends):  # other readers take an end that is not stated for zero
            after_tag = limit.start + 1 + len(limit.tag.encode())
            yield after_tag, after_tag, f' {key}="{text}"'.encode()
        elif span is not None and (now != before or (key in ends and joint.kind != old.kind)):  # those were ignored before
            yield *span, text.encode()
        else:
            continue
        unknown += [key] if np.isinf(now) else []
    for line in unknown_line(unknown):
        yield limit.start, limit.start, line.encode()


def _number_edits(document: Document, element: Element, attribute: str, values: Array, scale: float) -> Iterator[Edit]:
    """Replace the numbers of one attribute that changed by more than rounding (8 units in the last place of `scale`)."""
    span = document.value_span(element, attribute)
    if span is None:
        if values.any():
            after_tag = element.start + 1 + len(element.tag.encode())
            yield after_tag, after_tag, f' {attribute}="{numbers(values)}"'.encode()
        return
    words = list(_WORD.finditer(document.data, *span))
    if len(words) != len(values) or not all(NUMBER.fullmatch(word[0].decode()) for word in words):
        yield *span, numbers(values).encode()  # written with character references such as &#49;
        return
    for word, value in zip(words, values, strict=True):
        if abs(float(word[0]) - value) > 8 * np.finfo(float).eps * scale:
            yield *word.span(), numbers([value]).encode()


def _inserted(document: Document, parent: Element, lines: list[str]) -> Iterator[Edit]:
    """New child right after the parent's start tag, indented as its surroundings are; <link/> is opened for it."""
    data, end = document.data, document.tag_end(parent)
    line_start = max(data.rfind(b"\n", 0, parent.start), data.rfind(b"\r", 0, parent.start)) + 1
    before = data[line_start : parent.start]
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    step = newline + before if not before.strip() else b""  # a file on one line stays on one line
    text = b"".join((step + b"  " if step else b"") + (line if step else line.strip()).encode() for line in lines)
    if data[end - 2 : end] == b"/>":
        slash = len(data[: end - 2].rstrip())
        yield slash, end, b">" + text + step + b"</" + parent.tag.encode() + b">"
    else:
        yield end, end, text


def _verify(data: bytes, links: Sequence[Link], joints: Sequence[Joint]) -> None:
    """Read what was written and compare every number that matters."""
    again = parse_urdf(data, "the written file")
    read_links: Mapping[str, Link] = {link.name: link for link in again.links}
    read_joints: Mapping[str, Joint] = {joint.name: joint for joint in again.joints}
    if read_links.keys() != {link.name for link in links} or read_joints.keys() != {joint.name for joint in joints}:
        raise RobotError("urdf.differs/verify")
    for link in links:
        off = disagreement(read_links[link.name].inertia, link.inertia)
        if off > ACCURACY:
            raise RobotError("urdf.differs/write_urdf_verify", name=shown(link.name), off=off)
    for joint in joints:
        back = read_joints[joint.name]
        _refuse_other_joint(joint, back, "the robot", exact=False)
        if joint.moves and (back.damping, back.friction) != (joint.damping, joint.friction):
            raise RobotError("urdf.differs/write_urdf_verify_2", name=shown(joint.name))
        if joint.moves and _stated_limits(back) != _stated_limits(joint):
            raise RobotError("urdf.differs/write_urdf_verify_3", name=shown(joint.name))


def _stated_limits(joint: Joint) -> dict[str, float]:
    """Limits as a URDF can state them: none of a continuous joint's ends, infinity as a large number."""
    limits = {key: min(max(value, -UNLIMITED), UNLIMITED) for key, value in asdict(joint.limits).items()}
    if joint.kind == "continuous":
        limits |= {"lower": -UNLIMITED, "upper": UNLIMITED}
    return limits


def disagreement(one: Inertia, other: Inertia) -> float:
    """Largest difference of mass, first moment and rotational inertia, each relative to its own size.

    >>> disagreement(Inertia.zero(), Inertia.zero())
    0.0
    """
    blocks = ((one.mass, other.mass), (one.first_moment, other.first_moment), (one.rotational, other.rotational))
    return max(
        float(np.max(np.abs(np.subtract(a, b)))) / (max(float(np.max(np.abs(a))), float(np.max(np.abs(b)))) or 1.0)
        for a, b in blocks
    )
