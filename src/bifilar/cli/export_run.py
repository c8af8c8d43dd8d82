"""What `bifilar export` does: find the robot or the run, refuse what must not be handed on, write all files or none."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bifilar import formats
from bifilar.cli.design_files import TakenError, may_be_written
from bifilar.cli.design_words import robot_of
from bifilar.cli.guard import UsageError
from bifilar.errors import RobotError
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.saved import FACTS, load_estimate
from bifilar.export.carried_error import FileVerdict
from bifilar.export.formats import CODE, FOLDERS, Format, ending_of, format_of
from bifilar.export.run_reader import at_once
from bifilar.export.write_model import Exported, Pending, prepared, refuse_base_parameters
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.export import Settings

RUN = "run.json"
DOUBTS = {  # what is said when a robot is handed on that unseen motion does not speak for
    "not judged": "no motion was kept apart: nothing says how it predicts",
    "poor": "it leaves more of the torque than is usable",
    "refused": "handed on anyway",
}
MOST = 1 << 27  # [bytes] of run.json that are read


@dataclass(frozen=True, eq=False)
class Done:
    """What was written, from what.

    >>> [field for field in Done.__dataclass_fields__]
    ['source', 'robot', 'verdict', 'files', 'alone']
    """

    source: str
    robot: str
    verdict: str  # level of the run's verdict; empty for a robot's file
    files: tuple[Exported, ...]
    alone: Mapping[str, FileVerdict] = field(default_factory=dict)  # verdicts of formats that may lose something

    @property
    def doubt(self) -> str:
        """What speaks against using it; nothing for a robot's file or a good run.

        >>> Done("runs/arm-001", "arm", "not judged", ()).doubt
        'no motion was kept apart: nothing says how it predicts'
        """
        return DOUBTS.get(self.verdict, "")

    def facts(self) -> dict[str, Any]:
        """What `--json` says.

        >>> Done("panda", "panda", "", ()).facts()["files"]
        []
        """
        files = [file.facts() | self._own(file.format) for file in self.files]
        verdict = {"verdict": self.verdict or None, "doubt": self.doubt}
        return {"source": self.source, "robot": self.robot, **verdict, "files": files}

    def _own(self, format: str) -> dict[str, Any]:
        """Level and error of a file by itself; code carries the whole model, tables are not models."""
        own = self.alone.get(format)
        if own is not None:
            return {"verdict": own.level, "relative_error": own.relative_error}
        whole = next(iter(self.alone.values()), None) if format in CODE else None
        return {
            "verdict": self.verdict if whole is not None else None,
            "relative_error": None if whole is None else whole.whole,
        }


def exported(settings: Settings) -> Done:
    """Read, look at the verdict, write.

    >>> from bifilar.cli.export import Settings
    >>> exported(Settings(source="pendulum"))
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: no file is named
      try     bifilar export pendulum -o pendulum.urdf
    """
    subject, verdict, alone = at_once(settings.source, lambda: _subject(settings))
    robot = subject.described if isinstance(subject, BaseEstimate) else subject
    targets = _targets(settings, robot)
    for path, format in targets:
        refuse_base_parameters(subject, format)
        _free(path, format, settings.force)
    pending: list[Pending] = []
    try:
        for path, format in targets:
            pending.append(prepared(subject, path, format=format))
    except BaseException:
        for one in pending:
            one.discard()
        raise
    return Done(settings.source, robot.name, verdict, tuple(one.take_name() for one in pending), alone)


def _free(path: Path, format: Format, force: bool) -> None:
    try:
        if format in FOLDERS and path.is_dir():
            from bifilar.export.write_code import code_paths

            may_be_written(code_paths(path, format), force=force)
        else:
            may_be_written([path], force=force and format not in FOLDERS)
    except TakenError as error:
        error.likely = ""  # what it says of recordings is not about robots
        raise


def _subject(settings: Settings) -> tuple[Robot | BaseEstimate, str, dict[str, FileVerdict]]:
    """A robot, or a run's estimate with the level of its verdict, and those of files by their format."""
    source = settings.source
    if not source or not os.path.isdir(source):
        return robot_of(source), "", {}
    folder = Path(source)
    if not (folder / RUN).is_file() or not (folder / FACTS).is_file():
        raise RobotError("folder.no_run/export_run", where=source)
    level, reasons, alone = _verdict(folder / RUN)
    if level == "refused" and not settings.anyway:
        raise RobotError("verdict.refused/export_run", where=source, reason="; ".join(reasons) or "none is stated")
    return load_estimate(folder), level, alone


def _verdict(path: Path) -> tuple[str, list[str], dict[str, FileVerdict]]:
    try:
        if path.stat().st_size > MOST:
            raise ValueError("too large")
        about = dict(json.loads(path.read_text("utf-8")))
        formats.RUN.check(about, str(path))
        verdict, alone = about["verdict"], [FileVerdict.from_facts(dict(file)) for file in about.get("files", ())]
        return str(verdict["level"]), [str(reason) for reason in verdict["reasons"]], {one.format: one for one in alone}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RobotError("run.unreadable/export_run", where=str(path), kind=type(error).__name__, error=error) from None


def _targets(settings: Settings, robot: Robot) -> list[tuple[Path, Format]]:
    """Files and their formats, from the words of the command."""
    if not settings.output and not settings.to:
        name = _stem(settings.source, robot)
        raise UsageError("usage.missing/export_run", source=settings.source, name=name)
    if len(settings.output) == 1 and len(settings.to) == 1:
        return [(Path(settings.output[0]), format_of(settings.output[0], settings.to[0]))]
    if settings.output and settings.to:
        raise UsageError("usage.value/export_run")
    asked = [format_of("", word) for word in dict.fromkeys(settings.to)]
    found = [(Path(_stem(settings.source, robot) + ending_of(format)), format) for format in asked]
    found += [(Path(name), format_of(name)) for name in settings.output]
    names = [os.path.realpath(path) for path, _ in found]
    if len(set(names)) < len(names):
        twice = next(path for path, _ in found if names.count(os.path.realpath(path)) > 1)
        raise UsageError("usage.twice/export_run", twice=twice)
    return found


def _stem(source: str, robot: Robot) -> str:
    """The robot's file without its ending; a run's robot by its name, as a file may be called."""
    name = Path(source).stem if not os.path.isdir(source) else robot.name
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:60].lstrip(".-") or "robot"
