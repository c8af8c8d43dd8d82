"""What a format carries of a robot, and what it cannot, in sentences with the values that stay behind.

URDF and SDF know, at every joint, viscous and Coulomb friction; MJCF rotor inertia as well (damping, frictionloss, armature).
Torque offsets, Stribeck friction, friction that depends on load, position or direction, and what belongs to the motor of a
coupled drive have no place in any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from bifilar.dynamics.tree import GRAVITY
from bifilar.export.carried_friction import carried_columns, sign_sentences
from bifilar.export.formats import Format
from bifilar.robot.fresh_urdf import limit_line
from bifilar.robot.friction import TERMS
from bifilar.robot.robot import Robot

UNITS = {
    "velocity": ("rad/s", "m/s"),
    "acceleration": ("rad/s^2", "m/s^2"),
    "jerk": ("rad/s^3", "m/s^3"),
    "effort": ("N m", "N"),
}
NO_LIMITS: dict[str, tuple[str, ...]] = {"MJCF": ("velocity", "acceleration", "jerk"), "SDF": ("acceleration", "jerk")}


def carried(robot: Robot, format: Format) -> tuple[str, ...]:
    """What the file says, in words.

    >>> carried(bf.Robot.load("pendulum"), "URDF")
    ('2 links, 1 moving joint',)
    """
    moving = sum(joint.moves for joint in robot.joints)
    counted = f"{len(robot.links)} links, {moving} moving joint{'' if moving == 1 else 's'}"
    here = [k for k in carried_columns(robot, format) if robot.drive_values[k]]
    laws = dict.fromkeys(robot.drive_columns.columns.laws[k] for k in here)
    return (counted, *(f"{law.title} of joints" for law in laws), *(["gravity"] if format == "MJCF" else []))


def lost(robot: Robot, format: Format, *, error_bars: bool = False) -> tuple[str, ...]:
    """What stays behind, one sentence each, with values.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset(), {"joint1.offset": 0.3})
    >>> lost(robot, "URDF")
    ('URDF cannot state torque offset: joint1 0.3 N m',)
    """
    sentences = [
        *friction_sentences(robot, format),
        *_limits(robot, format),
        *_surroundings(robot, format),
        *_file(robot, format),
    ]
    if error_bars:
        sentences.append(f"{format} has no place for error bars: a .json or .csv beside it has")
    return tuple(sentences)


def friction_sentences(robot: Robot, format: Format) -> Iterator[str]:
    """What a format does not carry of friction and drives, with values.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset(), {"joint1.offset": 0.3})
    >>> list(friction_sentences(robot, "MJCF"))
    ['MJCF cannot state torque offset: joint1 0.3 N m']
    """
    here = carried_columns(robot, format)
    gone: dict[str, list[str]] = {}
    for k, name in enumerate(robot.drive_columns.names):
        if k not in here and robot.drive_values[k]:
            value = f"{robot.drive_values[k]:.6g} {robot.drive_columns.units[k]}"
            gone.setdefault(_label(robot, k), []).append(f"{_place(robot, name)} {value}")
    yield from (f"{format} cannot state {label}: {', '.join(values)}" for label, values in gone.items())
    yield from sign_sentences(robot, format)


def _label(robot: Robot, k: int) -> str:
    name, columns = robot.drive_columns.names[k], robot.drive_columns.columns
    place, _, word = name.rpartition(".")
    said = columns.laws[k].title
    if "_by_" in name and "_by_" in name[len(place) :]:
        return f"{said} that another joint's speed causes"
    if place not in robot.joint_names:
        return f"{said} of the motors of a coupled drive"
    return f"{said} that differs by direction" if columns.side[k] else said


def _place(robot: Robot, name: str) -> str:
    """The joint alone where the label says the rest."""
    place, _, word = name.rpartition(".")
    return place if place in robot.joint_names and word in {kind.law.word for kind in TERMS} else name


def _limits(robot: Robot, format: Format) -> Iterator[str]:
    for key in NO_LIMITS.get(format, ()):
        values = getattr(robot.limits, key)
        known = [(name, value) for name, value in zip(robot.joint_names, values) if np.isfinite(value)]
        if known:
            said = ", ".join(f"{name} {value:.6g} {UNITS[key][name in robot.sliding]}" for name, value in known)
            yield f"{format} cannot state limits of {key}: {said}"
    if format == "URDF":
        unknown = [n for n in robot.joint_names for line in limit_line(robot.joint(n)) if line.startswith("<!--")]
        if unknown:
            yield f"URDF demands limits that are unknown, so placeholders stand in the file: {', '.join(unknown)}"


def _surroundings(robot: Robot, format: Format) -> Iterator[str]:
    if format != "MJCF" and not np.array_equal(robot.gravity, GRAVITY):
        yield f"{format} cannot state gravity, which is ({_triple(robot.gravity)}) m/s^2 here"
    if format == "URDF" and robot.is_floating and not any(joint.kind == "floating" for joint in robot.joints):
        yield "URDF does not say that the base moves freely"
    if format == "MJCF":
        soft = [f"{j.name} of {j.mimic.joint}" for j in robot.joints if j.mimic is not None and j.moves]
        if soft:
            yield f"joints that follow others are soft constraints in MuJoCo: {', '.join(soft)}"


def _file(robot: Robot, format: Format) -> Iterator[str]:
    if format == "URDF":
        if robot.source is None and robot.file and robot.file.lower().endswith(".urdf"):
            yield "it is a new file, not the robot's own with other numbers: joints that were held are fixed, comments gone"
        return
    if robot.source is not None:
        yield f"comments and extensions of the robot's own file are not carried over to {format}"
    meshes = [shape.mesh for link in robot.links for shape in link.shapes if shape.kind == "mesh"]
    if format == "MJCF" and meshes:
        yield f"meshes are not written to MJCF: {_few(dict.fromkeys(meshes))}"


def _triple(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _few(names: Iterable[str], most: int = 4) -> str:
    every = list(names)
    return ", ".join(every[:most]) + (f" and {len(every) - most} more" if len(every) > most else "")
