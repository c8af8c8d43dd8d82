"""`bifilar check LOG --robot ROBOT`: what is in a log and what is wrong with it, before anything is fitted to it."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import arg

from bifilar.cli.design_files import may_be_written
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.log_words import Log, keep_log, mapping_of, page_of
from bifilar.cli.options import Full, HeldInLog, LoggedRobot, MovingLog, PageOutput
from bifilar.cli.output import show, typed_command
from bifilar.cli.progress import quiet, steps
from bifilar.cli.typed_log import log_options
from bifilar.errors import RecordingError

SUMMARY = """What is in a log and what is wrong with it: clock, channels, units, signs, order, delay, excitation.

Exit code 1 if there are errors: the log, or what was said about it, is not to be trusted as it is."""
EXAMPLES = """\
  bifilar check run.csv --robot arm.urdf                    findings, each with a remedy
  bifilar check run.csv --robot arm.urdf -o run.html        and a page with every channel drawn
  bifilar check run.csv --write-mapping run.toml            names differ? write down what was understood, correct it, then
  bifilar check run.csv --mapping run.toml --robot arm.urdf
  bifilar check run.csv --robot arm.urdf --sign elbow=-1 --unit position=deg --rate 500
  bifilar check panda_gaz                                   a public recording by name, see 'bifilar datasets'
"""
ONE_WORD = "check takes one log at a time; files that hold one signal each are named in a mapping"


@dataclass(frozen=True, kw_only=True)
class Settings(MovingLog, PageOutput):
    """Which log to check, and what is known about it.

    >>> Settings(log="run.csv").rate is None
    True
    """

    robot: LoggedRobot = None
    write_mapping: Annotated[str | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """write such a file, with what was understood; to be corrected by hand"""
    lock: HeldInLog = ()
    full: Full = False


def run(settings: Settings) -> int:
    """Check a log; 1 if it has errors.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "swing.csv")
    >>> time = np.arange(0, 4, 0.01)
    >>> bf.Recording(joint_names=("hip",), time=time, position=np.sin(time)[:, None], torque=np.cos(time)[:, None]).save(file)
    >>> run(Settings(log=str(file), json=True))
    {...}
    0
    """
    from bifilar.cli.check_facts import checked

    files = [page_of(settings.output)] if settings.output is not None else []
    files += [mapping_of(settings.write_mapping)] if settings.write_mapping is not None else []
    for file in files:
        keep_log(settings.log, file)
        may_be_written([file], force=settings.force)
    if settings.write_mapping is not None:
        _write_mapping(settings, settings.write_mapping)
    large = Log(settings.log, None, {}).large()  # tells how far it is by itself
    with nullcontext(quiet) if large else steps(1) as tell:
        tell("reading and checking")
        done = checked(settings)
    if settings.output is not None:
        done.page().save(settings.output)
    if settings.json:
        sys.stdout.write(json_text(done.facts(files)))
    else:
        from bifilar.cli.check_view import view

        show(view(done, files, settings.full, _next(settings, done.findings.worst == "error")))
    return 1 if done.findings.worst == "error" else 0


def _next(settings: Settings, errors: bool) -> str:
    """A fit with the same words; if there are errors, the same again."""
    beside = log_options(settings)
    if settings.robot is None:
        return typed_command("bifilar", "check", settings.log, "--robot", "arm.urdf", *beside)
    if errors:
        again = typed_command("bifilar", "check", settings.log, "--robot", settings.robot, *beside)
        return f"{again}, with what is said above"
    if settings.run is not None:
        return typed_command("bifilar", "convert", settings.log, "run.csv", *beside)
    return typed_command("bifilar", "fit", settings.robot, settings.log, *beside)


def _write_mapping(settings: Settings, path: str) -> None:
    """Write what is understood; a log that is not understood is refused, with the file to fill in."""
    from bifilar.cli.design_words import robot_of
    from bifilar.cli.log_words import log_of
    from bifilar.recording.suggest import suggest_mapping

    log = log_of(settings)
    if log.public or settings.mapping is not None:
        raise UsageError("usage.together/check")
    robot = None if settings.robot is None else robot_of(settings.robot, lock=settings.lock)
    suggest_mapping(log.name, robot, path)
    try:
        next(iter(log.pieces(robot, 16)), None)
    except RecordingError as error:
        beside = [] if settings.robot is None else ["--robot", settings.robot]
        beside += ["--lock", *settings.lock] if settings.lock else []
        raise RecordingError(
            "log.refused/check",
            where=settings.log,
            thing=error.what,
            reason=error.code,
            cause=error.likely,
            written=path,
            command=shlex.join(["bifilar", "check", settings.log, "--mapping", path, *beside]),
        ) from None
