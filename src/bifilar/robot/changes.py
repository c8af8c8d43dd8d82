"""Robots made from robots: other numbers, locked joints, other names. Each rebuilds from the links and joints.

The methods of `Robot` call these; what they share is that nothing is changed in place and that unknown names are refused
with the names that look like them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar.errors import RobotError, near_names
from bifilar.robot.assemble import joint_motion, leader_of
from bifilar.robot.description import Joint
from bifilar.robot.drivetrain import Drivetrain
from bifilar.robot.inertia import PARAMETERS, Inertia
from bifilar.robot.parameters import Parameters

if TYPE_CHECKING:
    from bifilar.robot.robot import Robot


def rebuilt(robot: Robot, *, values: Mapping[str, float] | None = None, **other: Any) -> Robot:
    """The robot with some of its parts replaced; drive coefficients whose names survive are kept.

    >>> rebuilt(bf.Robot.load("pendulum"), name="swing").name
    'swing'
    """
    part = {name: other.pop(name) for name in ("name", "links", "joints", "findings", "source") if name in other}
    description = replace(robot.description(), **part)
    new: dict[str, Any] = {"gravity": robot.gravity, "floating": robot.is_floating, "friction": robot.friction} | other
    new.setdefault("drivetrain", robot.drivetrain)
    bare = type(robot).build(description, **new)
    kept = dict(zip(robot.drive_columns.names, robot.drive_values.tolist()))
    kept = {name: value for name, value in kept.items() if name in bare.drive_columns.names}
    return type(robot).build(description, **new, values=kept | dict(values or {}))


def known_drive_values(values: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """Drive coefficients, checked against the columns there are.

    >>> known_drive_values({"elbow.viscous": 1}, ["elbow.viscous"])
    {'elbow.viscous': 1.0}
    """
    for name, value in values.items():
        if name not in names:
            raise RobotError("parameters.unknown/changes", name=name, near=near_names(name, names))
        _finite(name, value)
    return {name: float(value) for name, value in values.items()}


def with_parameters(robot: Robot, values: Mapping[str, float] | Parameters) -> Robot:
    """Other numbers by name; see `Robot.with_parameters`.

    >>> with_parameters(bf.Robot.load("pendulum"), {"link1.mcx": 0.3}).body_parameters[1, 1]
    np.float64(0.3)
    """
    given = _by_name(values)
    numbers = {link.name: link.inertia.vector for link in robot.links}
    bodies = dict(zip(robot.body_names, robot.body_parameters)) if getattr(values, "of_bodies", False) else {}
    drives: dict[str, float] = {}
    for name, value in given.items():
        place, _, word = name.rpartition(".")
        if place in numbers and word in PARAMETERS:
            k, number = PARAMETERS.index(word), _finite(name, value)
            numbers[place][k] = numbers[place][k] + number - bodies[place][k] if place in bodies else number
        elif name in robot.drive_columns.names:
            drives[name] = _finite(name, value)
        else:
            every = [f"{link}.{word}" for link in numbers for word in PARAMETERS] + list(robot.drive_columns.names)
            raise RobotError("parameters.unknown/with_parameters", name=robot.name, name_2=name, near=near_names(name, every))
    changed = {name.rpartition(".")[0] for name in given if name not in drives}
    links = tuple(
        _with_inertia(link, Inertia.from_vector(numbers[link.name])) if link.name in changed else link for link in robot.links
    )
    return rebuilt(robot, links=links, values=drives)


def _by_name(values: object) -> dict[str, float]:
    """Names and values of a mapping or of Parameters; anything else gets a letter."""
    if isinstance(values, Parameters):
        return values.as_dict()
    if isinstance(values, Mapping):
        return dict(values)
    likely, remedy = "", 'give a dictionary such as {"link3.mass": 2.1}, or Parameters'
    if hasattr(values, "covariance"):
        likely = "a solution holds base parameters: sums over several links that bear the name of one of their terms"
        remedy = "base_parameters(robot).model(robot, solution) is a model with the same torque"
    raise RobotError("parameters.by_name", kind=type(values).__name__, likely=likely, remedy=remedy)


def with_inertia(robot: Robot, inertias: Mapping[str, Inertia]) -> Robot:
    """Other inertias by link; see `Robot.with_inertia`.

    >>> with_inertia(bf.Robot.load("pendulum"), {"link1": Inertia.zero()}).body_parameters[1].any()
    np.False_
    """
    for name in inertias:
        robot.link(name)  # refuses an unknown name
    links = tuple(_with_inertia(link, inertias[link.name]) if link.name in inertias else link for link in robot.links)
    return rebuilt(robot, links=links)


def locked(robot: Robot, joints: Mapping[str, float] | Iterable[str]) -> Robot:
    """Joints held at a position; see `Robot.locked`.

    >>> locked(bf.Robot.load("pendulum"), {"joint1": 0.0}).tree.n_joints
    0
    """
    by_name = {joint.name: joint for joint in robot.joints}
    positions = _leading(robot, by_name, joints)
    held = {joint.name: _held(joint, by_name, positions) for joint in robot.joints}
    return rebuilt(
        robot,
        joints=tuple(held.values()),
        source=None,  # a writer that changes only numbers could not say this; a fresh file can
        friction=robot.friction.without(set(positions) | _idle_motors(robot.drivetrain, set(positions))),
        drivetrain=None if robot.drivetrain is None else robot.drivetrain.without(set(positions)),
    )


def select(robot: Robot, joints: Sequence[str]) -> Robot:
    """Only these joints move; see `Robot.select`.

    >>> select(bf.Robot.load("two_link"), ["joint2"]).joint_names
    ('joint2',)
    """
    names = (joints,) if isinstance(joints, str) else tuple(joints)
    for name in names:
        if name not in robot.joint_names:
            raise _cannot_lock(robot, name)
    return locked(robot, [name for name in robot.joint_names if name not in names])


def renamed(robot: Robot, names: Mapping[str, str]) -> Robot:
    """Other names; see `Robot.renamed`.

    >>> renamed(bf.Robot.load("pendulum"), {"link1": "rod"}).body_names
    ('link0', 'rod')
    """
    existing = [link.name for link in robot.links] + [joint.name for joint in robot.joints]
    for name in names:
        if name not in existing:
            raise RobotError("name.unknown/changes", name=robot.name, name_2=name, near=near_names(name, existing))
    new = dict(names)
    links = tuple(replace(link, name=new.get(link.name, link.name)) for link in robot.links)
    joints = tuple(_renamed_joint(joint, new) for joint in robot.joints)
    drives = robot.drivetrain
    if drives is not None:
        drives = replace(drives, joints=tuple(new.get(name, name) for name in drives.joints))
    description = replace(robot.description(), links=links, joints=joints, source=None)
    friction = robot.friction.renamed(new)
    fresh = type(robot).build(
        description, gravity=robot.gravity, floating=robot.is_floating, friction=friction, drivetrain=drives
    )
    return rebuilt(fresh, values=dict(zip(fresh.drive_columns.names, robot.drive_values.tolist())))


def _finite(name: str, value: object) -> float:
    if isinstance(value, (str, bytes, complex)) or np.ndim(value) or not np.isfinite(float(value)):  # type: ignore[arg-type]
        raise RobotError("setting.wrong/changes", name=name, value=value)
    return float(value)  # type: ignore[arg-type]


def _with_inertia(link: Any, inertia: Inertia) -> Any:
    return replace(link, inertia=inertia, has_inertia=True)


def _cannot_lock(robot: Robot, name: str) -> RobotError:
    leaders = {j.name: j.mimic.joint for j in robot.joints if j.mimic is not None and j.moves}
    if name in leaders:
        return RobotError("mimic.follower/changes", name=name, leader=leaders[name])
    return RobotError(
        "joint.unknown/changes",
        joints=robot.joint_names,
        name=robot.name,
        name_2=name,
        near=near_names(name, robot.joint_names),
    )


def _leading(robot: Robot, by_name: dict[str, Joint], joints: Mapping[str, float] | Iterable[str]) -> dict[str, float]:
    """Positions of the independent joints to lock: those given, or for bare names zero or the limit nearest to it.

    A joint that mimics may be named beside its leader; a position given for it must be the one it has there.
    """
    limits = robot.limits
    nearest = np.clip(0.0, np.minimum(limits.lower, limits.upper), limits.upper)
    zero = dict(zip(robot.joint_names, nearest.tolist()))
    names = (joints,) if isinstance(joints, str) else tuple(joints)
    given = dict(joints) if isinstance(joints, Mapping) else {name: zero.get(name) for name in names}
    leading = {name: _finite(f"position of {name}", at) for name, at in given.items() if name in zero}
    for name, at in given.items():
        if name in zero:
            continue
        if name not in by_name or not by_name[name].moves:
            raise _cannot_lock(robot, name)
        leader, ratio, offset = leader_of(by_name[name], by_name)
        if leader not in leading:
            raise _cannot_lock(robot, name)
        if at is not None and not np.isclose(_finite(f"position of {name}", at), ratio * leading[leader] + offset, atol=1e-9):
            raise _cannot_lock(robot, name)
    return leading


def _held(joint: Joint, by_name: dict[str, Joint], positions: Mapping[str, float]) -> Joint:
    """The joint, fixed where it stands if it or its leader is locked."""
    if not joint.moves:
        return joint
    leader, ratio, offset = leader_of(joint, by_name)
    if leader not in positions:
        return joint
    pose = joint.pose @ joint_motion(joint, ratio * float(positions[leader]) + offset)
    return replace(joint, kind="fixed", pose=pose, mimic=None)


def _idle_motors(drivetrain: Drivetrain | None, locked_joints: set[str]) -> set[str]:
    if drivetrain is None:
        return set()
    left = drivetrain.without(locked_joints)
    return set(drivetrain.motors) - set(left.motors if left is not None else ())


def _renamed_joint(joint: Joint, new: dict[str, str]) -> Joint:
    mimic = None if joint.mimic is None else replace(joint.mimic, joint=new.get(joint.mimic.joint, joint.mimic.joint))
    name, parent, child = (new.get(old, old) for old in (joint.name, joint.parent, joint.child))
    return replace(joint, name=name, parent=parent, child=child, mimic=mimic)
