"""Limits that the description does not state, or states wrongly: given by name, in Python or in a TOML file.

    format = "bifilar limits 1"   # may be left out

    [joints.elbow]           # a table for each joint that is given limits; what is left out stays as the robot has it
    lower = -2.9             # [rad], or [m] of a prismatic joint
    upper = 2.9
    velocity = 2.2           # [rad/s]
    acceleration = 15.0      # [rad/s^2]
    jerk = 7500.0            # [rad/s^3]
    effort = 87.0            # [N m], or [N]

A name may be a pattern: [joints."*"] is for every joint, [joints."arm_*"] for some; what names a joint outright wins.
The same file may hold what a motion must keep away from ([[above]], [[within]], [[speed]], [collision], [[obstacle]]), which is
not read here. `inf` says that there is no such limit.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar.errors import Finding, RobotError, near_names
from bifilar.formats import KEY, LIMITS
from bifilar.robot.changes import rebuilt
from bifilar.robot.description import Joint, Limits
from bifilar.robot.table import read_toml
from bifilar.robot.write_file import write_file
from bifilar.robot.xml_reader import shown

if TYPE_CHECKING:
    from bifilar.robot.robot import Robot

LIMITS_FILE = "--limits FILE ('bifilar design ROBOT --write-limits limits.toml' writes one to fill in)"
EFFORT = f"give effort limits by {LIMITS_FILE}"  # as they are typed

FIELDS = ("lower", "upper", "velocity", "acceleration", "jerk", "effort")
ELSEWHERE = ("above", "within", "speed", "collision", "obstacle")  # tables of the same file that others read
TURNS = 20.0  # [rad] a revolute joint that turns farther than that is stated in degrees
_RATES = {"lower": "", "upper": "", "velocity": "/s", "acceleration": "/s^2", "jerk": "/s^3"}
_BARE = re.compile(r"[A-Za-z0-9_-]+")  # a TOML key that needs no quotes


def with_limits(robot: Robot, limits: Mapping[str, Any] | str | os.PathLike[str]) -> Robot:
    """Other limits by joint; see `Robot.with_limits`.

    >>> with_limits(bf.Robot.load("pendulum"), {"joint1": {"velocity": 3.0}}).limits.velocity
    array([3.])
    """
    given, where = _given(limits)
    given = _by_pattern(robot, given)
    new = {name: _changed(_joint(robot, name, where), values, where) for name, values in given.items()}
    joints = tuple(new.get(joint.name, joint) for joint in robot.joints)
    findings = tuple(finding for finding in robot.findings if not _answered(finding, new))
    return rebuilt(robot, joints=joints, findings=findings)


def at_most(robot: Robot, largest: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Limits of every joint that are unknown or larger than these, by joint, for `Robot.with_limits`.

    >>> at_most(bf.Robot.load("pendulum"), {"acceleration": 5.0})
    {'joint1': {'acceleration': 5.0}}
    """
    joints = {name: asdict(robot.joint(name).limits) for name in robot.joint_names}
    found = {joint: {key: x for key, x in largest.items() if stated[key] > x} for joint, stated in joints.items()}
    return {joint: changed for joint, changed in found.items() if changed}


def write_limits(robot: Robot, path: str | os.PathLike[str], missing_only: bool = False) -> None:
    """Write a file for `Robot.with_limits`: what is known, and a commented line for each limit that is not, to be filled in.

    `missing_only` leaves out what is known.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "limits.toml")
    >>> write_limits(bf.Robot.load("pendulum"), file, missing_only=True)
    >>> print(file.read_text().partition("[")[1:][0] + file.read_text().partition("[joints")[2])
    [.joint1]
    # acceleration =   # [rad/s^2]
    # jerk =   # [rad/s^3]
    <BLANKLINE>
    """
    head = f"Limits of robot {shown(robot.name)}, for robot.with_limits({shown(os.path.basename(path), chr(34))})."
    lines = [
        f"# {head}",
        "# A line that begins with # is not known: write its number, and remove the #.",
        "",
        f'{KEY} = "{LIMITS.stamp}"',
        "",
    ]
    for name in robot.joint_names:
        inside = list(_lines(robot.joint(name), missing_only))
        if inside:
            key = name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
            lines += [f"[joints.{key}]", *inside, ""]
    write_file(path, "\n".join(lines).encode())


def missing_limits(robot: Robot, fields: tuple[str, ...] = FIELDS) -> dict[str, tuple[str, ...]]:
    """Which limits are not known, by joint; a continuous joint needs no lower and upper one.

    >>> missing_limits(bf.Robot.load("pendulum"))
    {'joint1': ('acceleration', 'jerk')}
    """
    found = {name: tuple(f for f in _unknown(robot.joint(name)) if f in fields) for name in robot.joint_names}
    return {name: unknown for name, unknown in found.items() if unknown}


def _given(limits: object) -> tuple[dict[str, Any], str]:
    """Tables of limits by joint, and where they were written."""
    if isinstance(limits, Mapping):
        return dict(limits), ""
    if not isinstance(limits, (str, os.PathLike)):
        raise RobotError("limits.form/limits_file", kind=type(limits).__name__)
    where = os.fspath(limits)
    table = LIMITS.unstamped(read_toml(where), where)
    for name in table:
        if name not in ("joints", *ELSEWHERE):
            key = "limits.file/robot" if "row" in table else "limits.file/limits_file"
            known = ("joints", *ELSEWHERE)
            raise RobotError(key, where=where, name=shown(name), near=near_names(name, known, 1, 0.6), choices=sorted(known))
    joints = table.get("joints", {})
    if not isinstance(joints, dict):
        raise RobotError("limits.file/given", where=where)
    return joints, where


def _by_pattern(robot: Robot, given: dict[str, Any]) -> dict[str, Any]:
    """Tables of patterns such as "*" or "arm_*" as tables of the joints that they match; what names a joint outright wins."""
    patterns = [name for name in given if isinstance(name, str) and set(name) & set("*?[") and name not in robot.joint_names]
    found: dict[str, Any] = {}
    for pattern in patterns:
        matched = [name for name in robot.joint_names if fnmatchcase(name, pattern)]
        if not matched or not isinstance(given[pattern], Mapping):
            return given  # refused by its name
        for name in matched:
            found[name] = {**found.get(name, {}), **given[pattern]}
    for name in given.keys() - set(patterns):
        own = given[name]
        found[name] = {**found.get(name, {}), **own} if isinstance(own, Mapping) else own
    return found


def _joint(robot: Robot, name: str, where: str) -> Joint:
    """The joint that limits are given for; it must be one that moves by itself."""
    found = [joint for joint in robot.joints if joint.name == name]
    if found and found[0].moves and found[0].mimic is None:
        return found[0]
    if found and found[0].mimic is not None and found[0].moves:
        leader = found[0].mimic.joint
        raise RobotError("mimic.follower/limits_file", where=where, name=name, leader=leader)
    raise RobotError(
        "joint.unknown/still" if found else "joint.unknown/limits_file",
        where=where,
        joints=robot.joint_names,
        name=shown(str(name)),
        robot=robot.name,
        near=near_names(name, robot.joint_names, 1, 0.6),
    )


def _changed(joint: Joint, values: object, where: str) -> Joint:
    """The joint with these limits; a continuous one that is given an end becomes revolute."""
    place = f"{where} [joints.{joint.name}]" if where else f"limits of '{joint.name}'"
    given = asdict(values) if isinstance(values, Limits) else values
    if not isinstance(given, Mapping):
        raise RobotError("limits.form/changed", where=where, name=joint.name, given=given)
    for key in given:
        if key not in FIELDS:
            near = near_names(key, FIELDS, 1, 0.6)
            raise RobotError("limits.key_unknown", where=place, entry=shown(str(key)), fields=FIELDS, near=near)
    limits = replace(joint.limits, **{key: _meant(joint, key, value, place) for key, value in given.items()})
    if limits.lower > limits.upper:
        raise RobotError(
            "limits.exchanged/limits_file" if {"lower", "upper"} <= set(given) else "limits.exchanged/changed",
            where=place,
            lower=limits.lower,
            name=joint.name,
            upper=limits.upper,
        )
    ends = math.isfinite(limits.lower) or math.isfinite(limits.upper)
    return replace(joint, limits=limits, kind="revolute" if joint.kind == "continuous" and ends else joint.kind)


def _meant(joint: Joint, key: str, value: object, place: str) -> float:
    """The number; refused if it cannot be meant."""
    number = _number(value)
    if math.isnan(number):
        raise RobotError(
            "limits.value/limits_file", where=place, entry=key, name=joint.name, value=value, unit=unit(joint, key)
        )
    if key not in ("lower", "upper"):
        if number <= 0:
            raise RobotError("limits.value/meant", where=place, entry=key, name=joint.name, number=number)
        return number
    if math.isinf(number) and (number > 0) == (key == "lower"):
        raise RobotError("limits.value/limits_file_meant", where=place, entry=key, name=joint.name, number=number)
    if joint.kind != "prismatic" and TURNS < abs(number) < math.inf:
        endless = "-inf" if key == "lower" else "inf"
        raise RobotError(
            "limits.degrees",
            where=place,
            entry=key,
            name=joint.name,
            number=number,
            number_2=abs(number) / (2 * math.pi),
            radians=math.radians(number),
            endless=endless,
        )
    return number


def _number(value: object) -> float:
    """A number as it is, NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def unit(joint: Joint, key: str) -> str:
    """What a limit of this joint is counted in.

    >>> unit(bf.Robot.load("pendulum").joint("joint1"), "jerk")
    'rad/s^3'
    """
    slides = joint.kind == "prismatic"
    return ("N" if slides else "N m") if key == "effort" else ("m" if slides else "rad") + _RATES[key]


def _unknown(joint: Joint) -> tuple[str, ...]:
    endless = ("lower", "upper") if joint.kind == "continuous" else ()
    return tuple(key for key in FIELDS if not math.isfinite(getattr(joint.limits, key)) and key not in endless)


def _lines(joint: Joint, missing_only: bool) -> Iterator[str]:
    unknown = [
        key for key in FIELDS if not math.isfinite(getattr(joint.limits, key))
    ]  # a motion needs ends, endless joint or not
    for key in FIELDS:
        value = getattr(joint.limits, key)
        if key in unknown:
            yield f"# {key} =   # [{unit(joint, key)}]"
        elif math.isfinite(value) and not missing_only:
            yield f"{key} = {value!r}  # [{unit(joint, key)}]"


def _answered(finding: Finding, new: Mapping[str, Joint]) -> bool:
    """Whether a finding of reading the file complains of an end that is given now."""
    joint = new.get(finding.about) if finding.code == "limits.missing" else None
    return joint is not None and not {"lower", "upper"} & {*_unknown(joint)}
