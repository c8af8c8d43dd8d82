"""Parameters as a table: JSON for programs, CSV for spreadsheets. Names are those of the regressor's columns.

A robot gives every link's own ten numbers; an Estimate those of its bodies (links fixed to a moving link counted in it) with
deviation and origin; a BaseEstimate its base parameters, each with the sum it stands for. Names come from files of strangers:
in CSV, a text that a spreadsheet could take for a formula gets an apostrophe in front, which spreadsheets do not show.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.export.parity import States
from bifilar.formats import KEY, PARAMETERS
from bifilar.robot.friction_data import drivetrain_data, friction_data
from bifilar.robot.robot import Robot
from bifilar.robot.spreadsheet import guarded, unguarded


@dataclass(frozen=True, eq=False)
class Table:
    """One row per parameter; deviations, origins and equations only where there are some.

    >>> table_of(bf.Robot.load("pendulum")).names[:2]
    ('link0.mass', 'link0.mcx')
    """

    title: str
    what: str  # in words: whose numbers these are
    names: tuple[str, ...]
    values: Array
    units: tuple[str, ...]
    deviations: Array | None = None
    origins: tuple[str, ...] = ()
    equations: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Rows by column name; what is not finite is None.

        >>> table_of(bf.Robot.load("pendulum")).rows()[0]
        {'name': 'link0.mass', 'value': 0.0, 'unit': 'kg'}
        """
        columns: dict[str, Sequence[Any]] = {"name": self.names, "value": self.values.tolist(), "unit": self.units}
        if self.deviations is not None:
            columns["deviation"] = [x if math.isfinite(x) else None for x in self.deviations.tolist()]
        columns |= {key: column for key, column in (("origin", self.origins), ("equation", self.equations)) if column}
        return [dict(zip(columns, row)) for row in zip(*columns.values())]


def table_of(subject: Robot | BaseEstimate) -> Table:
    """The table of a robot, an Estimate or a BaseEstimate.

    >>> table_of(bf.Robot.load("two_link")).what
    'every link'
    """
    if isinstance(subject, Estimate):
        known, title = subject.parameters, subject.described.name
        whose = "bodies; links fixed to a moving link are counted in it"
        return Table(title, whose, known.names, known.values, known.units, subject.parameter_deviations, subject.origins)
    if isinstance(subject, BaseEstimate):
        every = subject.described.parameters(subject.base.rows)
        units = tuple(every.units[every.index(name)] for name in subject.names)
        values, equations = np.asarray(subject.values), tuple(subject.base.equations())
        title, whose = subject.described.name, "base parameters; each stands for the sum in its equation"
        return Table(title, whose, subject.names, values, units, subject.deviations, equations=equations)
    known = subject.parameters_of()
    return Table(subject.name, "every link", known.names, known.values, known.units)


def json_bytes(subject: Robot | BaseEstimate) -> bytes:
    """The table as JSON, with gravity, joints, friction terms and drives.

    >>> json.loads(json_bytes(bf.Robot.load("pendulum")))["joints"]
    ['joint1']
    """
    table = table_of(subject)
    robot = subject.described if isinstance(subject, BaseEstimate) else subject
    facts = {
        KEY: PARAMETERS.stamp,
        "robot": table.title,
        "parameters_of": table.what,
        "joints": list(robot.joint_names),
        "gravity": robot.gravity.tolist(),
        "floating": robot.is_floating,
        "friction": friction_data(robot.friction),
        "drivetrain": drivetrain_data(robot.drivetrain),
        "parameters": table.rows(),
    }
    return (json.dumps(facts, indent=2, allow_nan=False) + "\n").encode()


def csv_bytes(subject: Robot | BaseEstimate) -> bytes:
    """The table as CSV; texts in quotes, numbers to the last digit.

    >>> print(csv_bytes(bf.Robot.load("pendulum")).decode().splitlines()[1])
    "link0.mass",0.0,"kg"
    """
    rows = table_of(subject).rows()
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(rows[0] if rows else ("name", "value", "unit"))
    for row in rows:
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row.values()])
    return text.getvalue().encode("utf-8", "surrogatepass")


def values_from_json(data: bytes) -> dict[str, float]:
    """Names and values of a table in JSON.

    >>> values_from_json(json_bytes(bf.Robot.load("pendulum")))["link1.mass"]
    1.0
    """
    facts = json.loads(data)
    PARAMETERS.check(facts)
    return _by_name((row["name"], row["value"]) for row in facts["parameters"])


def values_from_csv(data: bytes) -> dict[str, float]:
    """Names and values of a table in CSV.

    >>> values_from_csv(csv_bytes(bf.Robot.load("pendulum")))["link1.mass"]
    1.0
    """
    lines = csv.reader(io.StringIO(data.decode("utf-8", "surrogatepass"), newline=""))
    next(lines)
    return _by_name((unguarded(line[0]), line[1]) for line in lines)


def _by_name(pairs: Any) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in pairs:
        if name in found:
            raise RobotError("export.twice/table", name=name)
        found[name] = float(value)
    return found


def table_torque(values: dict[str, float], subject: Robot | BaseEstimate, states: States) -> Array:
    """Torque that the numbers of a table stand for, through the regressor (base parameters: through their model).

    >>> from bifilar.export.parity import states_of
    >>> robot = bf.Robot.load("two_link")
    >>> states = states_of(robot)
    >>> torque = table_torque(values_from_csv(csv_bytes(robot)), robot, states)
    >>> bool(np.allclose(torque, robot.inverse_dynamics(states.q, states.v, states.a)))
    True
    """
    motion = states.q, states.v, states.a
    if isinstance(subject, BaseEstimate) and not isinstance(subject, Estimate):
        model = subject.base.model(subject.described, _ordered(values, subject.names))
        return model.inverse_dynamics(*motion, base=states.base)
    if isinstance(subject, Estimate):
        names = subject.parameters.names
        return subject.robot.regressor(*motion, base=states.base) @ _ordered(values, names)
    names = subject.column_names(per_link=True)
    return subject.regressor(*motion, per_link=True, base=states.base) @ _ordered(values, names)


def _ordered(values: dict[str, float], names: Sequence[str]) -> Array:
    missing = [name for name in names if name not in values]
    if missing:
        raise RobotError("export.incomplete/table", missing=missing[0])
    return np.array([values[name] for name in names])
