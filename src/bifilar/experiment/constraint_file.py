"""Constraints from the file that holds a robot's limits: what points must keep to, and what links must keep clear of.

[[above]]                      # a point of a link stays above a plane
frame = "hand"
least = 0.15                   # [m]; point = [0, 0, 0.1] in the link, normal = [0, 0, 1] in the world, margin

[[within]]                     # or in a box
frame = "hand"
lower = [-0.8, -0.8, 0.1]      # [m]
upper = [0.8, 0.8, 1.2]

[[speed]]
frame = "hand"
most = 1.0                     # [m/s]

[collision]                    # links stay apart, and away from obstacles
least = 0.02                   # [m]
ignore = [["link5", "hand"]]

[[obstacle]]
start = [0.6, -0.5, 0.0]       # [m] in the world
end = [0.6, 0.5, 0.0]
radius = 0.1
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from bifilar.errors import MotionError, near_names
from bifilar.experiment.clearance import Clearance
from bifilar.experiment.constraints import Constraint
from bifilar.experiment.points import Above, SpeedBelow, Within
from bifilar.formats import LIMITS
from bifilar.robot.capsules import Capsule, capsules
from bifilar.robot.robot import Robot
from bifilar.robot.table import read_toml

TABLES: dict[str, Callable[..., Constraint]] = {"above": Above, "within": Within, "speed": SpeedBelow}
KNOWN = ("joints", *TABLES, "collision", "obstacle")
COLLISION = ("least", "margin", "ignore")


def load_constraints(
    robot: Robot, path: str | os.PathLike[str], *, mesh_folder: str | os.PathLike[str] | None = None
) -> list[Constraint]:
    """The constraints of a limits file, tried on the robot; `mesh_folder`: where `capsules` looks for meshes.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "limits.toml")
    >>> _ = file.write_text('[[above]]\\nframe = "flange"\\nleast = 0.15\\n')
    >>> load_constraints(bf.Robot.load("panda"), file)[0].least
    0.15
    """
    where = os.fspath(path)
    content = LIMITS.unstamped(read_toml(where), where)
    for name in content:
        if name not in KNOWN:
            raise MotionError(
                "limits.file/constraint_file",
                where=where,
                name=name,
                near=near_names(name, KNOWN, 1, 0.6),
                choices=sorted(KNOWN),
            )
    found: list[Constraint] = []
    for name, kind in TABLES.items():
        for k, table in enumerate(_tables(content, name, where)):
            found.append(_made(kind, table, f"{where} [[{name}]] number {k + 1}"))
    obstacles = [_made(Capsule, {"link": ""} | table, f"{where} [[obstacle]]") for table in _tables(content, "obstacle", where)]
    wanted = content.get("collision", {})
    if not isinstance(wanted, dict):
        raise MotionError("limits.file/load_constraints", where=where)
    if "collision" in content or obstacles:
        for key in wanted:
            if key not in COLLISION:
                raise MotionError(
                    "limits.file/constraint_file_load_constraints",
                    where=where,
                    entry=key,
                    near=near_names(key, COLLISION, 1, 0.6),
                    choices=sorted(COLLISION),
                )
        own = None if mesh_folder is None else capsules(robot, mesh_folder=mesh_folder)
        found.append(Clearance.of(robot, obstacles=obstacles, own=own, **wanted))
    for constraint in found:
        constraint.on(robot)  # a link that does not exist is told now, by name
    return found


def _tables(content: dict[str, Any], name: str, where: str) -> list[dict[str, Any]]:
    tables = content.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise MotionError("limits.file/tables", where=where, name=name)
    return tables


def _made(kind: Callable[..., Any], table: dict[str, Any], where: str) -> Any:
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            raise MotionError(
                "limits.file/made", where=where, entry=key, near=near_names(key, known, 1, 0.6), choices=sorted(known)
            )
    try:
        return kind(**table)
    except TypeError as error:
        raise MotionError("limits.file/constraint_file_made", where=where, error=error) from None
    except MotionError as error:
        error.where = error.where or where
        raise
