"""Single fields of a URDF: the one child, the required name, the strict numbers. Each refusal names file and line.

URDF numbers are decimal: [sign] digits [. digits] [e exponent]. Python's float() also takes '1_000', 'nan' and
'infinity', C's strtod stops silently at the first wrong character; neither is used here without this grammar first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bifilar.errors import Finding, RobotError, Severity, near_names
from bifilar.robot.description import Pose
from bifilar.robot.inertia import Array
from bifilar.robot.xml_reader import Document, Element, parse_document, shown

LARGEST = 1e12  # no length, angle, mass or inertia of a robot is larger; keeps products of three finite
# A digit can be taken in one way only: [0-9]+\.?[0-9]* would try all ways to divide a long row of them.
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPACES = re.compile(r"[ \t\r\n]+")  # XML's white space; str.split() would also take a non-breaking space
_KNOWN = {
    "origin": {"xyz", "rpy", "quat_xyzw"},
    "mass": {"value"},
    "inertia": {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"},
    "axis": {"xyz"},
    "limit": {"lower", "upper", "velocity", "acceleration", "jerk", "effort"},
    "dynamics": {"damping", "friction"},
    "mimic": {"joint", "multiplier", "offset"},
    "parent": {"link"},
    "child": {"link"},
}


@dataclass
class Reading:
    """One pass over one document; collects what the user should know.

    >>> reading = Reading.of(b'<mass value="2.5"/>')
    >>> reading.number(reading.document.root, "value", "link 'arm'")
    2.5
    """

    document: Document
    findings: list[Finding] = field(default_factory=list)
    unknown: dict[str, tuple[Element, set[str]]] = field(default_factory=dict)  # tag -> first place, attributes nobody reads

    @classmethod
    def of(cls, data: bytes, name: str = "robot.urdf") -> Reading:
        """Begin to read a file's bytes.

        >>> Reading.of(b"<robot/>").document.root.tag
        'robot'
        """
        return cls(parse_document(data, name))

    def refuse(self, element: Element, key: str, attribute: str = "", **facts: Any) -> RobotError:
        """The error for something wrong at an element.

        >>> reading = Reading.of(b"<robot/>")
        >>> reading.refuse(reading.document.root, "urdf.invalid/unexpanded").where
        'robot.urdf:1'
        """
        return RobotError(key, where=self.document.where(element, attribute), **facts)

    def find(self, key: str, severity: Severity, element: Element, *, about: str = "", **facts: Any) -> None:
        """Remember something the user should know about an element.

        >>> reading = Reading.of(b"<robot/>")
        >>> reading.find("urdf.no_filename", "note", reading.document.root, owner="link 'arm'")
        >>> print(reading.findings[0])
        note  robot.urdf:1: link 'arm': <mesh> has no filename
        """
        self.findings.append(Finding(key, severity, self.document.where(element), about=about, **facts))

    def only(self, parent: Element, tag: str, owner: str) -> Element | None:
        """The one child of that tag, or None; two are refused, because other readers silently take the first.

        >>> reading = Reading.of(b"<link><inertial/></link>")
        >>> reading.only(reading.document.root, "inertial", "link 'arm'").tag
        'inertial'
        """
        found = [child for child in parent.children if child.tag == tag]
        if len(found) > 1:
            raise self.repeated(found, owner)
        if not found:
            return None
        if strange := {name for name, _ in found[0].attributes} - _KNOWN.get(tag, {name for name, _ in found[0].attributes}):
            self.unknown.setdefault(tag, (found[0], set()))[1].update(strange)
        return found[0]

    def note_unknown_attributes(self) -> None:
        """One note per tag with attributes that nobody reads; a misspelt one would otherwise be a silent default.

        >>> reading = Reading.of(b'<joint><origin xzy="0 0 1"/></joint>')
        >>> pose = reading.pose(reading.document.root, "joint 'elbow'")
        >>> reading.note_unknown_attributes()
        >>> reading.findings[0].what
        "<origin> has attributes that URDF does not know, ignored: 'xzy'"
        """
        for tag, (first, names) in self.unknown.items():
            self.find("urdf.attributes", "note", first, tag=tag, shown=list(map(shown, sorted(names)[:6])))

    def repeated(self, found: list[Element], owner: str) -> RobotError:
        """The letter for several elements where one is expected.

        >>> reading = Reading.of(b"<link>\\n<mass/>\\n<mass/></link>")
        >>> reading.repeated(list(reading.document.root.children), "link 'arm'").what
        "link 'arm' has 2 <mass> where one is expected (lines 2 and 3)"
        """
        return self.refuse(
            found[1],
            "urdf.invalid/urdf_fields",
            owner=owner,
            found_count=len(found),
            tag=found[0].tag,
            lines=[str(element.line) for element in found[:3]],
        )

    def text(self, element: Element, attribute: str, owner: str) -> str:
        """A required attribute that is a name.

        >>> reading = Reading.of(b'<link name="arm"/>')
        >>> reading.text(reading.document.root, "name", "a link")
        'arm'
        """
        value = element.get(attribute)
        if value is None:
            raise self.refuse(element, "urdf.invalid/text", owner=owner, tag=element.tag, field=attribute)
        if not value.strip():
            raise self.refuse(
                element, "urdf.invalid/urdf_fields_text", attribute, owner=owner, tag=element.tag, field=attribute
            )
        if "${" in value or "$(" in value:
            raise self.unexpanded(element, attribute)
        return value

    def unexpanded(self, element: Element, attribute: str = "") -> RobotError:
        """The letter for a file that is still a template.

        >>> reading = Reading.of(b"<robot/>")
        >>> reading.unexpanded(reading.document.root).what
        'this is a xacro template, not a URDF'
        """
        return self.refuse(element, "urdf.invalid/unexpanded", attribute)

    def numbers(self, element: Element, attribute: str, count: int, owner: str, default: float | None = None) -> list[float]:
        """Exactly `count` finite numbers from an attribute; `default` fills in for an attribute that is not there.

        >>> reading = Reading.of(b'<axis xyz="0 .5 -1e-1"/>')
        >>> reading.numbers(reading.document.root, "xyz", 3, "joint 'elbow'")
        [0.0, 0.5, -0.1]
        """
        value = element.get(attribute)
        label = f"{owner}: <{element.tag}>"
        if value is None:
            if default is not None:
                return [default] * count
            raise self.refuse(element, "urdf.invalid/text", owner=owner, tag=element.tag, field=attribute)
        words = [word for word in _SPACES.split(value) if word]
        for word in words:
            if not NUMBER.fullmatch(word):
                if "${" in value or "$(" in value:
                    raise self.unexpanded(element, attribute)
                raise self._malformed(element, attribute, word, label)
        if len(words) != count:
            expected = "one number" if count == 1 else f"{count} numbers"
            raise self.refuse(
                element,
                "urdf.invalid/numbers",
                attribute,
                owner=owner,
                tag=element.tag,
                field=attribute,
                value=shown(value, chr(34)),
                word_count=len(words),
                expected=expected,
            )
        found = [float(word) for word in words]
        if not all(map(math.isfinite, found)):
            raise self.refuse(
                element,
                "urdf.invalid/urdf_fields_numbers",
                attribute,
                owner=owner,
                tag=element.tag,
                field=attribute,
                value=shown(value, chr(34)),
            )
        return found

    def measures(self, element: Element, attribute: str, count: int, owner: str, default: float | None = None) -> list[float]:
        """Numbers that are lengths, angles, masses or inertias, and therefore of a size that squares stay finite.

        >>> reading = Reading.of(b'<box size="1 2 3"/>')
        >>> reading.measures(reading.document.root, "size", 3, "link 'arm'")
        [1.0, 2.0, 3.0]
        """
        found = self.numbers(element, attribute, count, owner, default)
        if max(map(abs, found)) > LARGEST:
            value = shown(element.get(attribute) or "", '"')
            raise self.refuse(
                element,
                "urdf.invalid/measures",
                attribute,
                owner=owner,
                tag=element.tag,
                field=attribute,
                value=value,
                largest=LARGEST,
            )
        return found

    def number(self, element: Element, attribute: str, owner: str, default: float | None = None) -> float:
        """One finite number.

        >>> reading = Reading.of(b'<limit effort="12"/>')
        >>> reading.number(reading.document.root, "effort", "joint 'elbow'")
        12.0
        """
        return self.numbers(element, attribute, 1, owner, default)[0]

    def measure(self, element: Element, attribute: str, owner: str, default: float | None = None) -> float:
        """One length, angle, mass or inertia.

        >>> reading = Reading.of(b'<mass value="2.5"/>')
        >>> reading.measure(reading.document.root, "value", "link 'arm'")
        2.5
        """
        return self.measures(element, attribute, 1, owner, default)[0]

    def _malformed(self, element: Element, attribute: str, word: str, label: str) -> RobotError:
        """The letter for a word that is not a number, with what was probably meant."""
        likely, remedy = _probably_meant(word)
        return self.refuse(
            element,
            "urdf.invalid/malformed",
            attribute,
            label=label,
            field=attribute,
            get=shown(element.get(attribute) or "", chr(34)),
            word=shown(word),
            likely=likely,
            remedy=remedy,
        )

    def pose(self, parent: Element, owner: str) -> Pose:
        """What <origin> says; the identity without one, as URDF wants.

        >>> reading = Reading.of(b'<joint><origin xyz="0 0 1"/></joint>')
        >>> reading.pose(reading.document.root, "joint 'elbow'").translation
        array([0., 0., 1.])
        """
        origin = self.only(parent, "origin", owner)
        return Pose() if origin is None else self.pose_of(origin, owner)

    def pose_of(self, origin: Element, owner: str) -> Pose:
        """Translation and rotation of one <origin>.

        >>> reading = Reading.of(b'<origin xyz="0 0 2" rpy="0 0 3.1"/>')
        >>> reading.pose_of(reading.document.root, "joint 'elbow'").rotation[2, 2]
        np.float64(1.0)
        """
        translation = np.array(self.measures(origin, "xyz", 3, owner, default=0.0))
        if origin.get("quat_xyzw") is None:
            return Pose(rotation_from_rpy(*self.measures(origin, "rpy", 3, owner, default=0.0)), translation)
        if origin.get("rpy") is not None:
            raise self.refuse(origin, "urdf.invalid/pose_of", owner=owner)
        return Pose(self._rotation_from_quaternion(origin, owner), translation)

    def _rotation_from_quaternion(self, origin: Element, owner: str) -> Array:
        xyzw = np.array(self.measures(origin, "quat_xyzw", 4, owner))
        length = math.sqrt(float(xyzw @ xyzw))
        if abs(length - 1.0) > 1e-3:
            raise self.refuse(origin, "urdf.invalid/rotation_from_quaternion", "quat_xyzw", owner=owner, length=length)
        x, y, z, w = xyzw / length
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """R = Rz(yaw) Ry(pitch) Rx(roll); angles as written, not snapped to anything.

    >>> rotation_from_rpy(0.0, 0.0, np.pi / 2).round(12) @ [1.0, 0.0, 0.0]
    array([0., 1., 0.])
    """
    cr, sr, cp, sp, cy, sy = (f(angle) for angle in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def closest(name: str, names: Iterable[str]) -> list[str]:
    """A known name that is near, as it is shown, or nothing.

    >>> closest("uper_arm", ["upper_arm", "hand"])
    ["'upper_arm'"]
    """
    short = [other for other in names if len(other) <= 100][:2000]  # difflib is quadratic in the length
    return [shown(near) for near in near_names(name, short, 1, 0.6)] if len(name) <= 100 else []


def _probably_meant(word: str) -> tuple[str, str]:
    """Likely cause and remedy for a word that is not a number."""
    if re.fullmatch(r"[+-]?(nan|inf|infinity)", word, re.IGNORECASE):
        return "a program that wrote the result of a failed calculation", "write a finite number"
    if NUMBER.fullmatch(word.replace(",", ".")):
        return "a decimal comma", f"write {shown(word.replace(',', '.'), '')}"
    if NUMBER.fullmatch(word.replace("_", "")):
        return "a digit separator", f"write {shown(word.replace('_', ''), '')}"
    unsigned = word.replace("-", "")
    if "-" in word[1:] and NUMBER.fullmatch(unsigned):
        return "a minus sign in the wrong place", f"write {shown('-' + unsigned, '')} or {shown(unsigned, '')}"
    if "," in word:
        return "commas between the numbers", "separate them by blanks"
    return "", "write a decimal number such as -0.021 or 2.1e-2"
