"""`write_model`: hand a robot or an estimate on, in a format others read, and see that what they read is the same robot.

    written to a temporary name -> read again by another program -> joint torques compared at random states -> named

URDF and MJCF are read again by MuJoCo, a URDF by Pinocchio too where it is installed. What no other program takes (links
without mass, say) and SDF, JSON, CSV and YAML are read again by bifilar itself, and `reader` says so.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bifilar.dynamics.tree import Array
from bifilar.errors import ResourceError, RobotError
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.export.formats import TABLES, Format, format_of
from bifilar.export.losses import carried, lost
from bifilar.export.parity import States, carried_torque, demand, difference, states_of
from bifilar.export.table import csv_bytes, json_bytes, table_of, table_torque, values_from_csv, values_from_json
from bifilar.robot.friction_data import friction_data
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file

OURSELVES = "bifilar itself"


@dataclass(frozen=True)
class Exported:
    """A file that was written, who read it again, and what it could not take.

    >>> Exported("arm.urdf", "URDF", "MuJoCo 3.3", 1e-14, ("2 links, 1 moving joint",), ()).format
    'URDF'
    """

    path: str
    format: Format
    reader: str  # who read it again
    difference: float  # largest difference of joint torque, relative to the torque's size
    carried: tuple[str, ...]  # what the file says
    lost: tuple[str, ...]  # what it cannot say, with values

    def facts(self) -> dict[str, Any]:
        """For programs.

        >>> Exported("arm.urdf", "URDF", "MuJoCo 3.3", 1e-14, (), ()).facts()["reread_by"]
        'MuJoCo 3.3'
        """
        return {
            "file": self.path,
            "format": self.format,
            "reread_by": self.reader,
            "torque_difference": self.difference,
            "carried": list(self.carried),
            "lost": list(self.lost),
        }


@dataclass(frozen=True)
class Pending:
    """A file under a temporary name that was found right; `take_name` gives it its own, `discard` removes it.

    >>> Pending.take_name.__name__
    'take_name'
    """

    exported: Exported
    temporary: Path
    target: Path

    def take_name(self) -> Exported:
        """Replace what was there.

        >>> Pending.take_name.__doc__.split(".")[0]
        'Replace what was there'
        """
        try:
            with contextlib.suppress(FileNotFoundError):
                os.chmod(self.temporary, os.stat(self.target).st_mode & 0o777)
            os.replace(self.temporary, self.target)
        except OSError as error:
            self.discard()
            raise ResourceError(f"the file cannot be written: {error.strerror}", where=self.exported.path) from None
        return self.exported

    def discard(self) -> None:
        """Remove the temporary file.

        >>> Pending.discard.__doc__.split(".")[0]
        'Remove the temporary file'
        """
        with contextlib.suppress(OSError):
            self.temporary.unlink()


def write_model(subject: Robot | BaseEstimate, path: str | os.PathLike[str], *, format: str | None = None) -> Exported:
    """Write a robot or an estimate; the format is the ending's, or named. A file that exists is replaced.

    Base parameters belong to no links: a BaseEstimate is written as a table only (.json, .csv). Whatever another program reads
    differently by more than 1e-9 of the torque is refused, and then nothing is written.

    >>> import tempfile
    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Offset(), {"joint1.offset": 0.2})
    >>> done = bf.write_model(robot, tempfile.mkdtemp() + "/pendulum.xml")
    >>> done.format, done.difference < 1e-9, done.reader.split()[0]
    ('MJCF', True, 'MuJoCo')
    >>> done.lost
    ('MJCF cannot state torque offset: joint1 0.2 N m', ...)
    """
    return prepared(subject, path, format=format).take_name()


def prepared(subject: Robot | BaseEstimate, path: str | os.PathLike[str], *, format: str | None = None) -> Pending:
    """The same, up to the moment before the file gets its name: to write several files or none.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> prepared(bf.Robot.load("pendulum"), folder / "pendulum.csv").discard()
    >>> list(folder.iterdir())
    []
    """
    if not isinstance(subject, (Robot, BaseEstimate)):
        raise RobotError(f"a robot or an estimate is written, not {type(subject).__name__}")
    kind = format_of(path, format)
    refuse_base_parameters(subject, kind)
    data = written(subject, kind)
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    write_file(temporary, data)
    try:
        reader, off = compared(temporary.read_bytes(), subject, kind, os.fspath(path))
        here, gone = _said(subject, kind)
        return Pending(Exported(os.fspath(path), kind, reader, off, here, gone), temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def refuse_base_parameters(subject: Robot | BaseEstimate, format: Format) -> None:
    """A BaseEstimate has no links.

    >>> refuse_base_parameters(bf.Robot.load("pendulum"), "URDF")
    """
    if isinstance(subject, BaseEstimate) and not isinstance(subject, Estimate) and format not in TABLES:
        raise RobotError(
            f"these are base parameters: {format} wants mass and inertia of every link, and torque alone tells sums of them",
            likely="a fit by least squares, which gives base parameters",
            remedy="fit links that can exist (bf.fit, 'bifilar fit --method consistent'), or write a table: .json or .csv",
        )


def written(subject: Robot | BaseEstimate, format: Format) -> bytes:
    """What the file will hold.

    >>> written(bf.Robot.load("pendulum"), "CSV").splitlines()[0]
    b'"name","value","unit"'
    """
    if format == "JSON":
        return json_bytes(subject)
    if format == "CSV":
        return csv_bytes(subject)
    robot = robot_of(subject)
    if format == "URDF":
        from bifilar.robot.write_urdf import write_urdf

        description = robot.description()
        return write_urdf(description, description.links, description.joints)
    if format == "MJCF":
        from bifilar.robot.write_mjcf import write_mjcf

        return write_mjcf(robot.description(), floating=robot.is_floating).encode()
    if format == "SDF":
        from bifilar.export.sdf import sdf_bytes

        return sdf_bytes(robot)
    from bifilar.export.yaml_file import yaml_bytes

    return yaml_bytes(robot)


def compared(data: bytes, subject: Robot | BaseEstimate, format: Format, where: str) -> tuple[str, float]:
    """Who read the file again, and how far its torques are off; refuses what is another robot.

    >>> robot = bf.Robot.load("pendulum")
    >>> compared(written(robot, "YAML"), robot, "YAML", "pendulum.yaml")[0]
    'bifilar itself'
    """
    robot = subject.described if isinstance(subject, BaseEstimate) else subject
    states = states_of(robot)
    if format in ("URDF", "MJCF"):
        return _by_others(data, robot_of(subject), format, states, where)
    try:
        off = difference(*_by_ourselves(data, subject, format, states))
    except (LookupError, ValueError, TypeError) as error:
        what = f"the written {format} cannot be read again ({type(error).__name__}: {error})"
        raise RobotError(what, where=where, likely="names that the format cannot hold", remedy="nothing was written") from None
    demand(off, OURSELVES, where)
    return OURSELVES, off


def robot_of(subject: Robot | BaseEstimate) -> Robot:
    """The robot itself, or the one that was identified.

    >>> robot_of(bf.Robot.load("pendulum")).name
    'pendulum'
    """
    if isinstance(subject, Estimate):
        return subject.robot
    assert isinstance(subject, Robot)
    return subject


def _by_others(data: bytes, robot: Robot, format: Format, states: States, where: str) -> tuple[str, float]:
    """MuJoCo, and Pinocchio for a URDF; ourselves where neither takes it."""
    from bifilar.export import reread

    wanted = carried_torque(robot, format, states)
    programs = [(reread.mujoco_name(), reread.mujoco_torque)]
    if format == "URDF" and reread.pinocchio_name():
        programs.append((reread.pinocchio_name(), reread.pinocchio_torque))
    readers, refusals, worst = [], [], 0.0
    for name, torque in programs:
        try:
            off = difference(torque(data, robot, states), wanted)
        except reread.RefusedError as refusal:
            refusals.append(f"{name.split()[0]} does not take it: {refusal}")
            continue
        demand(off, name, where)
        readers.append(name)
        worst = max(worst, off)
    if not readers:
        if format == "MJCF":
            raise RobotError(f"MuJoCo does not take the written MJCF: {refusals[0]}", where=where, remedy="nothing was written")
        readers, worst = [OURSELVES], difference(_own_urdf(data, robot, states), wanted)
        demand(worst, OURSELVES, where)
    return ", ".join(readers) + (f" ({'; '.join(refusals)})" if refusals else ""), worst


def _own_urdf(data: bytes, robot: Robot, states: States) -> Array:
    from bifilar.robot.read_urdf import parse_urdf

    read = Robot.build(parse_urdf(data, "the written file"), floating=robot.is_floating, gravity=robot.gravity)
    return read.inverse_dynamics(states.q, states.v, states.a, base=states.base)


def _by_ourselves(data: bytes, subject: Robot | BaseEstimate, format: Format, states: States) -> tuple[Array, Array]:
    """Torque of the file and torque of the subject."""
    model = subject.model if isinstance(subject, BaseEstimate) else subject
    if format in TABLES:
        values = values_from_json(data) if format == "JSON" else values_from_csv(data)
        read = table_torque(values, subject, states)
    elif format == "SDF":
        from bifilar.export.read_sdf import sdf_torque

        return sdf_torque(data, robot_of(subject), states), carried_torque(robot_of(subject), "SDF", states)
    else:
        from bifilar.export.yaml_file import yaml_torque

        read = yaml_torque(data, robot_of(subject), states)
    return read, model.inverse_dynamics(states.q, states.v, states.a, base=states.base)


def _said(subject: Robot | BaseEstimate, format: Format) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the file holds, and what it does not."""
    error_bars = isinstance(subject, BaseEstimate)
    if format in TABLES:
        table = table_of(subject)
        columns = " and origins" if table.origins else ""
        here = [f"{len(table.names)} parameters of {table.what}", *([f"deviations{columns}"] if error_bars else [])]
        gone = ["a table has no geometry and no limits: the description has"]
        robot = subject.described if isinstance(subject, BaseEstimate) else subject
        kept = {key for term in friction_data(robot.friction) for key in term} - {"term", "at", "asymmetric"}
        if format == "CSV" and (kept or robot.drivetrain is not None):
            gone.append("settings of friction terms and coupled drives are in .json only")
        return tuple(here), tuple(gone)
    robot = robot_of(subject)
    if format == "YAML":
        bars = ["YAML has no place for error bars: a .json or .csv beside it has"] if error_bars else []
        here = [f"inertias of {len(robot.links)} links", f"limits and friction of {len(robot.joint_names)} joints"]
        return tuple(here), ("YAML has no geometry: where joints sit stays in the robot's description", *bars)
    notes: tuple[str, ...] = ()
    if format == "SDF":
        from bifilar.export.sdf import notes_of

        notes = notes_of(robot)
    return carried(robot, format), (*lost(robot, format, error_bars=error_bars), *notes)
