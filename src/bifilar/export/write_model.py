"""`write_model`: hand a robot or an estimate on, in a format others read, and see that what they read is the same robot.

    written to a temporary name -> read again by another program -> joint torques compared at random states -> named

URDF and MJCF are read again by MuJoCo, a URDF by Pinocchio too where it is installed. What no other program takes (links
without mass, say) and SDF, JSON, CSV and YAML are read again by bifilar itself, and `reader` says so.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bifilar.errors import RobotError
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.export.carried_friction import commented, friction_carried
from bifilar.export.compare import compared, robot_of
from bifilar.export.formats import CODE, TABLES, Format, format_of
from bifilar.export.losses import carried, friction_sentences, lost
from bifilar.export.table import csv_bytes, json_bytes, table_of
from bifilar.robot.friction_data import friction_data
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import Draft

if TYPE_CHECKING:
    from bifilar.export.write_code import Drafts


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
    unverified: str = ""  # why nobody read it again; empty if somebody did
    friction: tuple[dict[str, Any], ...] = ()  # terms, each with how the file carries it

    def facts(self) -> dict[str, Any]:
        """For programs.

        >>> Exported("arm.urdf", "URDF", "MuJoCo 3.3", 1e-14, (), ()).facts()["reread_by"]
        'MuJoCo 3.3'
        """
        return {
            "file": self.path,
            "format": self.format,
            "reread_by": self.reader or None,
            "torque_difference": None if self.unverified else self.difference,
            "unverified": self.unverified or None,
            "carried": list(self.carried),
            "lost": list(self.lost),
            "friction": list(self.friction),
        }


@dataclass(frozen=True)
class Pending:
    """A file under a temporary name that was found right; `take_name` gives it its own, `discard` removes it."""

    exported: Exported
    draft: Draft | Drafts

    def take_name(self) -> Exported:
        """Replace what was there."""
        self.draft.take_name()
        return self.exported

    def discard(self) -> None:
        """Remove the temporary file."""
        self.draft.discard()


def write_model(subject: Robot | BaseEstimate | Model, path: str | os.PathLike[str], *, format: str | None = None) -> Exported:
    """Write a robot or an estimate; the format is the ending's, or named. A file that exists is replaced.

    Base parameters belong to no links: a BaseEstimate is written as a table (.json, .csv) or as code. Code (.py, or a folder
    with format="c") takes any Model. What others read differently by more than 1e-9 of the torque (code: 1e-12) is refused,
    and then nothing is written.

    >>> import tempfile
    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Offset(), {"joint1.offset": 0.2})
    >>> done = bf.write_model(robot, tempfile.mkdtemp() + "/pendulum.xml")
    >>> done.format, done.difference < 1e-9, done.reader.split()[0]
    ('MJCF', True, 'MuJoCo')
    >>> done.lost
    ('MJCF cannot state torque offset: joint1 0.2 N m', ...)
    """
    return prepared(subject, path, format=format).take_name()


def prepared(subject: Robot | BaseEstimate | Model, path: str | os.PathLike[str], *, format: str | None = None) -> Pending:
    """The same, up to the moment before the file gets its name: to write several files or none.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> prepared(bf.Robot.load("pendulum"), folder / "pendulum.csv").discard()
    >>> list(folder.iterdir())
    []
    """
    kind = format_of(path, format)
    if kind in CODE and isinstance(subject, (Model, BaseEstimate)):
        return _prepared_code(subject, path, kind)
    if not isinstance(subject, (Robot, BaseEstimate)):
        raise RobotError("export.subject", kind=type(subject).__name__)
    refuse_base_parameters(subject, kind)
    draft = Draft(path, written(subject, kind))
    try:
        reader, off = compared(Path(draft.temporary).read_bytes(), subject, kind, os.fspath(path))
        here, gone = _said(subject, kind)
        robot = subject.described if isinstance(subject, BaseEstimate) and kind in TABLES else robot_of(subject)
        return Pending(Exported(os.fspath(path), kind, reader, off, here, gone, "", friction_carried(robot, kind)), draft)
    except BaseException:
        draft.discard()
        raise


def _prepared_code(subject: Model | BaseEstimate, path: str | os.PathLike[str], kind: Format) -> Pending:
    from bifilar.export.write_code import NOT_VERIFIED, drafted

    model = subject.model if isinstance(subject, BaseEstimate) else subject
    draft, (reader, off, said) = drafted(model, path, kind)
    gone = (f"{kind} has no place for error bars: a .json or .csv has",) if isinstance(subject, BaseEstimate) else ()
    unread, terms = "" if reader else NOT_VERIFIED, friction_carried(model, kind)
    return Pending(Exported(os.fspath(path), kind, reader, off, said, gone, unread, terms), draft)


def refuse_base_parameters(subject: Robot | BaseEstimate, format: Format) -> None:
    """A BaseEstimate has no links.

    >>> refuse_base_parameters(bf.Robot.load("pendulum"), "URDF")
    """
    if isinstance(subject, BaseEstimate) and not isinstance(subject, Estimate) and format not in (*TABLES, *CODE):
        raise RobotError("export.base_parameters", format=format)


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
        return commented(
            write_urdf(description, description.links, description.joints), friction_sentences(robot, format), format
        )
    if format == "MJCF":
        from bifilar.robot.write_mjcf import write_mjcf

        frees_itself = any(joint.kind == "floating" for joint in robot.joints)
        text = write_mjcf(robot.description(), floating=robot.is_floating and not frees_itself)
        return commented(text.encode(), friction_sentences(robot, format), format)
    if format == "SDF":
        from bifilar.export.sdf import sdf_bytes

        return commented(sdf_bytes(robot), friction_sentences(robot, format), format)
    from bifilar.export.yaml_file import yaml_bytes

    return yaml_bytes(robot)


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
