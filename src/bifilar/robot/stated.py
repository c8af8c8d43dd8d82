"""Damping, friction and armature that a file states at its joints, as friction terms with values, and back.

A mimic joint loads the coordinate it follows: with ratio r its damping counts r^2, its Coulomb friction |r|, its armature
r^2 (equal power on both sides).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bifilar.robot.assemble import leader_of
from bifilar.robot.description import Joint
from bifilar.robot.friction import Coulomb, Friction, RotorInertia, Viscous

FIELDS = {"viscous": "damping", "coulomb": "friction", "rotor_inertia": "armature"}
TERMS = {"viscous": Viscous(), "coulomb": Coulomb(), "rotor_inertia": RotorInertia()}


def stated_values(joints: Sequence[Joint]) -> dict[str, float]:
    """Drive values of the independent joints, `joint.viscous` and so on, zero where the file says nothing.

    >>> stated_values([Joint("elbow", "revolute", "a", "b", damping=0.5)])
    {'elbow.viscous': 0.5, 'elbow.coulomb': 0.0, 'elbow.rotor_inertia': 0.0}
    """
    by_name = {joint.name: joint for joint in joints}
    values = {f"{j.name}.{word}": 0.0 for j in joints if j.moves and j.mimic is None for word in FIELDS}
    for joint in joints:
        if joint.moves:
            leader, ratio, _ = leader_of(joint, by_name)
            for word, field in FIELDS.items():
                values[f"{leader}.{word}"] += getattr(joint, field) * (abs(ratio) if word == "coulomb" else ratio * ratio)
    return values


def stated_friction(values: Mapping[str, float]) -> Friction:
    """The terms these values need: each that is not zero somewhere.

    >>> stated_friction({"elbow.viscous": 0.5, "elbow.coulomb": 0.0}).terms
    (Viscous(at=None, driven_by=None, asymmetric=False),)
    """
    return Friction(tuple(t for word, t in TERMS.items() if any(v for name, v in values.items() if name.endswith(f".{word}"))))


def restated(joints: Sequence[Joint], values: Mapping[str, float]) -> tuple[Joint, ...]:
    """Joints that state these drive values. Where nothing changed, they stay as the file has them, mimic joints too.

    >>> restated([Joint("elbow", "revolute", "a", "b", damping=0.5)], {"elbow.viscous": 0.7})[0].damping
    0.7
    """
    before = stated_values(joints)
    by_name = {joint.name: joint for joint in joints}
    changed = {name for name, value in before.items() if values.get(name, 0.0) != value}
    result = []
    for joint in joints:
        if joint.moves and changed:
            leader = leader_of(joint, by_name)[0]
            words = [word for word in FIELDS if f"{leader}.{word}" in changed]
            own = leader == joint.name
            new: dict[str, Any] = {FIELDS[word]: values.get(f"{leader}.{word}", 0.0) if own else 0.0 for word in words}
            joint = replace(joint, **new) if new else joint
        result.append(joint)
    return tuple(result)
