"""Parameters of a ROS 2 node as YAML, in the manner of ros2_control: joints, limits, friction, inertias; no geometry.

    dynamics:
      ros__parameters:
        joints: ["joint1", ...]
        joint_limits: {joint: has_velocity_limits, max_velocity ...}          as joint_limits.yaml has them
        friction: {joint: viscous, coulomb, offset, rotor_inertia ...}         [N m, N m s/rad, kg m^2]
        inertial: {link: mass [kg], center_of_mass [m], inertia [kg m^2]}      about the centre of mass, link axes

ROS 2 takes maps, numbers, texts and lists of one kind, no lists of maps; terms and drives are therefore JSON in a text. Every
name and text is in double quotes with everything unusual escaped, so no name can become a tag, an alias or another key. Numbers
have a point and, with an exponent, a sign: YAML 1.1 reads 1e-05 as a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.export.parity import States
from bifilar.robot.description import Limits
from bifilar.robot.friction_data import drivetrain_data, drivetrain_from, friction_data, friction_from
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot

NODE = ("dynamics", "ros__parameters")
NAMES = 6  # blanks in front of names of joints and links; other keys are our own words
HEAD = """\
# Dynamics of a robot, in SI units. Inertias: about each link's centre of mass, in the link's axes: xx xy xz yy yz zz.
"""
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r'\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(["\\]))')
_SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def yaml_bytes(robot: Robot) -> bytes:
    """The robot's numbers as YAML.

    >>> print(yaml_bytes(bf.Robot.load("pendulum")).decode().splitlines()[4])
        joints: ["joint1"]
    """
    tree: Any = facts_of(robot)
    for key in reversed(NODE):
        tree = {key: tree}
    return (HEAD + "\n".join(_lines(tree, 0)) + "\n").encode()


def facts_of(robot: Robot) -> dict[str, Any]:
    """What the file holds, as maps, numbers, texts and lists.

    >>> facts_of(bf.Robot.load("pendulum"))["inertial"]["link1"]["mass"]
    1.0
    """
    friction: dict[str, dict[str, float]] = {}
    for name, value in zip(robot.drive_columns.names, robot.drive_values.tolist()):
        place, _, word = name.rpartition(".")
        friction.setdefault(place, {})[word] = value
    facts = {
        "robot": robot.name,
        "joints": list(robot.joint_names),
        "gravity": robot.gravity.tolist(),
        "floating_base": robot.is_floating,
        "joint_limits": {joint.name: _limits(joint.limits) for joint in robot.joints if joint.moves},
        "friction_terms": [json.dumps(term) for term in friction_data(robot.friction)],
        "drivetrain": json.dumps(drivetrain_data(robot.drivetrain)),
        "friction": friction,
        "inertial": {link.name: _inertial(link.name, link.inertia) for link in robot.links},
    }
    return {key: value for key, value in facts.items() if value not in ([], {})}  # ROS 2 has no empty lists


def yaml_torque(data: bytes, robot: Robot, states: States) -> Array:
    """Torque of the numbers in the file, in the geometry of the robot.

    >>> from bifilar.export.parity import states_of
    >>> robot = bf.Robot.load("two_link")
    >>> states = states_of(robot)
    >>> torque = yaml_torque(yaml_bytes(robot), robot, states)
    >>> bool(np.allclose(torque, robot.inverse_dynamics(states.q, states.v, states.a)))
    True
    """
    facts = read_yaml(data)
    if tuple(facts.get("joints", ())) != robot.joint_names or facts["inertial"].keys() != {link.name for link in robot.links}:
        raise RobotError("export.joints_differ/yaml_file")
    drives = {f"{place}.{word}": value for place, words in facts.get("friction", {}).items() for word, value in words.items()}
    bare = robot.with_friction(None).with_drivetrain(drivetrain_from(json.loads(facts["drivetrain"])))
    bare = bare.with_friction(friction_from([json.loads(term) for term in facts.get("friction_terms", ())]), drives)
    read = bare.with_gravity(facts["gravity"]).with_inertia({n: _body(link) for n, link in facts["inertial"].items()})
    return read.inverse_dynamics(states.q, states.v, states.a, base=states.base)


def read_yaml(data: bytes) -> dict[str, Any]:
    """What such a file holds. Only what `yaml_bytes` writes is read: no tags, no aliases, nothing is evaluated.

    >>> read_yaml(yaml_bytes(bf.Robot.load("pendulum")))["joints"]
    ['joint1']
    """
    top: dict[str, Any] = {}
    stack: list[tuple[int, dict[str, Any]]] = [(-1, top)]
    for line in data.decode().split("\n"):
        text = line.lstrip(" ")
        if not text or text.startswith("#"):
            continue
        depth = len(line) - len(text)
        while stack[-1][0] >= depth:
            stack.pop()
        key, rest = _key(text)
        here = stack[-1][1]
        if key in here:
            raise RobotError("export.twice/yaml_file", entry=key)
        here[key] = {} if not rest or rest == "{}" else _value(rest)
        if not rest:
            stack.append((depth, here[key]))
    for key in NODE:
        top = top[key]
    return top


def _lines(tree: Mapping[str, Any], depth: int) -> Iterator[str]:
    for key, value in tree.items():
        name = key if re.fullmatch("[a-z_]+", key) and depth != NAMES else _quoted(key)
        if isinstance(value, Mapping) and value:
            yield f"{' ' * depth}{name}:"
            yield from _lines(value, depth + 2)
        else:
            yield f"{' ' * depth}{name}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_scalar, value))}]"
    text = repr(float(value))
    mantissa, e, power = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{power}" if e else text


def _quoted(text: str) -> str:
    def one(c: str) -> str:
        if c in '"\\':
            return f"\\{c}"
        if c.isprintable():
            return c
        n = ord(c)
        return f"\\x{n:02x}" if n < 0x100 else f"\\u{n:04x}" if n < 0x10000 else f"\\U{n:08x}"

    return '"' + "".join(map(one, text)) + '"'


def _plain(inside: str) -> str:
    return _ESCAPE.sub(lambda m: m[4] or chr(int(m[1] or m[2] or m[3], 16)), inside)


def _key(text: str) -> tuple[str, str]:
    quoted = _TEXT.match(text)
    if quoted:
        return _plain(quoted[1]), text[quoted.end() + 1 :].strip(" ")
    key, _, rest = text.partition(":")
    return key, rest.strip(" ")


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("["):
        inside = text[1:-1]
        return [_plain(m[1]) for m in _TEXT.finditer(inside)] if '"' in inside else [float(x) for x in inside.split(",") if x]
    quoted = _TEXT.fullmatch(text)
    return _plain(quoted[1]) if quoted else float(text)


def _limits(limits: Limits) -> dict[str, Any]:
    """As joint_limits.yaml of ros2_control has them."""
    ends = bool(np.isfinite(limits.lower) and np.isfinite(limits.upper))
    said: dict[str, Any] = {"has_position_limits": ends}
    said |= {"min_position": limits.lower, "max_position": limits.upper} if ends else {}
    for key in ("velocity", "acceleration", "jerk", "effort"):
        value = getattr(limits, key)
        said[f"has_{key}_limits"] = bool(np.isfinite(value))
        said |= {f"max_{key}": value} if np.isfinite(value) else {}
    return said


def _inertial(name: str, inertia: Inertia) -> dict[str, Any]:
    if inertia.mass == 0 and inertia.first_moment.any():
        raise RobotError("export.massless", name=name)
    about = inertia.about_center_of_mass
    center = inertia.center_of_mass if inertia.mass else np.zeros(3)
    return {"mass": float(inertia.mass), "center_of_mass": center.tolist(), "inertia": [float(about[k]) for k in _SIX]}


def _body(facts: Mapping[str, Any]) -> Inertia:
    xx, xy, xz, yy, yz, zz = facts["inertia"]
    return Inertia.from_center_of_mass(facts["mass"], facts["center_of_mass"], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
