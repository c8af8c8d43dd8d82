"""Friction terms and drivetrains as plain data, for JSON and TOML, and back: every field by its name, nothing evaluated.

[{"term": "Coulomb", "at": ["elbow"], "width": 0.01}, {"term": "Viscous"}]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from bifilar.errors import RobotError, near_names
from bifilar.robot.drivetrain import Drivetrain
from bifilar.robot.friction import TERMS, Friction, Term


def friction_data(friction: Friction) -> list[dict[str, Any]]:
    """Terms as a list of tables; settings at their defaults are left out.

    >>> friction_data(bf.Viscous() + bf.Coulomb(at=("elbow",), width=0.01))
    [{'term': 'Viscous'}, {'term': 'Coulomb', 'at': ['elbow'], 'width': 0.01}]
    """
    return [{"term": type(term).__name__, **_settings(term)} for term in friction]


def friction_from(data: Sequence[Mapping[str, Any]]) -> Friction:
    """Terms from a list of tables.

    >>> friction_from([{"term": "Coulomb", "width": 0.01}])
    Friction(terms=(Coulomb(at=None, driven_by=None, asymmetric=False, width=0.01),))
    >>> friction_from([{"term": "Colomb"}])
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: there is no friction term 'Colomb'
      likely  a misspelling of 'Coulomb'
      try     choose among Viscous, Coulomb, ...
    """
    return Friction(tuple(_term(entry) for entry in data))


def drivetrain_data(drivetrain: Drivetrain | None) -> dict[str, Any] | None:
    """Joints, motors and the matrix between them.

    >>> drivetrain_data(bf.Drivetrain(joints=("a", "b"), motors=("m",), matrix=[[1, 1]]))
    {'joints': ['a', 'b'], 'motors': ['m'], 'matrix': [[1.0, 1.0]]}
    """
    if drivetrain is None:
        return None
    return {"joints": list(drivetrain.joints), "motors": list(drivetrain.motors), "matrix": drivetrain.matrix.tolist()}


def drivetrain_from(data: Mapping[str, Any] | None) -> Drivetrain | None:
    """A drivetrain from such a table.

    >>> drivetrain_from({"joints": ["a"], "motors": ["m"], "matrix": [[2.0]]}).matrix
    array([[2.]])
    """
    if data is None:
        return None
    return Drivetrain(joints=tuple(data["joints"]), motors=tuple(data["motors"]), matrix=data["matrix"])


def _settings(term: Term) -> dict[str, Any]:
    found = {field.name: (getattr(term, field.name), field.default) for field in fields(term)}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, (value, usual) in found.items() if value != usual
    }


def _term(entry: Mapping[str, Any]) -> Term:
    name, kinds = str(entry.get("term", "")), {kind.__name__: kind for kind in TERMS}
    if name not in kinds:
        raise RobotError("friction.unknown/friction_data", name=name, near=near_names(name, list(kinds)), kinds=kinds)
    known = {field.name for field in fields(kinds[name])}
    settings: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items() if k != "term"}
    strange = sorted(set(settings) - known)
    if strange:
        raise RobotError(
            "friction.setting/friction_data",
            name=name,
            strange=strange[0],
            near=near_names(strange[0], sorted(known)),
            known=sorted(known),
        )
    return kinds[name](**settings)
