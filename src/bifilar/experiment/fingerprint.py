"""Hashes that bind a certificate: of the robot, of its limits and constraints, of a motion; and the plain data they are of.

Numbers count by their bits, so the same file read twice gives the same hash, and any change another one. That guards against
mistakes (a robot with other masses, an edited file), not against somebody who means to deceive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from bifilar.dynamics.friction_laws import LAWS
from bifilar.experiment.fourier import Fourier
from bifilar.robot.robot import Robot


def robot_hash(robot: Robot) -> str:
    """Of everything that decides how the robot moves and what torque that takes.

    >>> robot_hash(bf.Robot.load("panda")) == robot_hash(bf.Robot.load("panda").with_gravity([0, 0, 0]))
    False
    """
    tree = robot.tree
    arrays: list[Any] = [
        tree.parent,
        tree.prismatic,
        tree.rotation,
        tree.translation,
        tree.axis,
        tree.coordinate,
        tree.ratio,
        tree.offset,
    ]
    arrays += [tree.gravity, robot.body_parameters, robot.drive_values, robot.assembly.link_body]
    arrays += [part for pose in robot.assembly.link_pose for part in (pose.rotation, pose.translation)]
    columns = robot.drive_columns.columns
    # certificates stay valid: the arrays of laws that were there before, in their old order
    kind = [LAWS.index(law) if law in LAWS else -1 for law in columns.laws]
    arrays += [kind, columns.drive, columns.effect, columns.width]
    arrays += [columns.setting("speed", 1.0), columns.setting("exponent", 0.0), columns.side]
    arrays += [columns.setting(name, 0.0) for name in ("harmonic", "phase")] if columns.needs_position else []
    arrays += [columns.settings] if -1 in kind else []
    names = [*robot.joint_names, *robot.body_names, *robot.frame_names, *robot.drive_columns.names]
    found = sha256("\0".join(names).encode())
    for array in arrays:
        found.update(np.ascontiguousarray(array, dtype=np.float64).tobytes())
    return found.hexdigest()


def limits_hash(robot: Robot, constraints: Sequence[dict[str, Any]]) -> str:
    """Of the joints' limits and of constraints as `described` gives them.

    >>> len(limits_hash(bf.Robot.load("panda"), ()))
    64
    """
    table = np.array([list(asdict(joint.limits).values()) for joint in robot.joints])
    text = json.dumps(list(constraints), sort_keys=True, default=plain)
    return sha256(np.ascontiguousarray(table).tobytes() + text.encode()).hexdigest()


def described(thing: Any) -> dict[str, Any]:
    """A constraint as plain data.

    >>> described(bf.TorqueWithin())
    {'kind': 'TorqueWithin', 'uncertainty': 0.0, 'margin': 0.0}
    """
    return {"kind": type(thing).__name__} | {field.name: plain(getattr(thing, field.name)) for field in fields(thing)}


def series_of(motion: Fourier) -> dict[str, Any]:
    """A Fourier series as plain data.

    >>> series_of(bf.Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]]))["offset"]
    [0.0]
    """
    names = ("joint_names", "base_frequency", "harmonics", "periods", "coefficients", "offset")
    return {name: plain(getattr(motion, name)) for name in names}


def digest(data: Any) -> str:
    """Of plain data.

    >>> digest({"a": 1}) == digest({"a": 1.5})
    False
    """
    return sha256(json.dumps(data, sort_keys=True, default=plain).encode()).hexdigest()


def plain(value: Any) -> Any:
    """Arrays as lists, dataclasses as tables, numbers that JSON does not have as text.

    >>> plain(np.array([1.0, np.inf]))
    [1.0, 'inf']
    """
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return described(value)
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)  # JSON has no infinity
    return value
