"""`bifilar track ROBOT LOG [--payload FRAME]`: a filter over a log, mean and band of every parameter over time."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from tyro.conf import arg

from bifilar import __version__
from bifilar.cli.design_files import free_name, may_be_written, page_path
from bifilar.cli.guard import UsageError
from bifilar.cli.held import locked_as, without_held
from bifilar.cli.letter import json_text
from bifilar.cli.log_checks import as_decided
from bifilar.cli.log_words import log_of
from bifilar.cli.options import Anyway, Cutoff, HeldInLog, MovingLog, PagedOutput, RobotOrRun, written
from bifilar.cli.output import Column, next_step, show, table, typed_command, words
from bifilar.cli.progress import Tell, steps
from bifilar.cli.run_robot import robot_or_run
from bifilar.cli.typed_log import log_options
from bifilar.control.cartesian import end_frame
from bifilar.errors import Finding

if TYPE_CHECKING:
    from bifilar.online.recordings import Track
    from bifilar.recording.recording import Recording
    from bifilar.robot.robot import Robot

SUMMARY = """A filter over a log: masses, inertias and friction, or the load in the hand, as they are believed at every time.

Writes a table (track.csv: value and deviation of every parameter over time) and a page with bands (track.html)."""
EXAMPLES = """\
  bifilar track panda run.csv                           all links and friction, physical at every time
  bifilar track panda run.mcap --payload link7          the load that link7 carries, with a detector of changes
  bifilar track panda run.csv -o believed.csv --json    the last belief as JSON
"""
POOR = 0.5  # of a torque that is not explained: more is said to be wrong


@dataclass(frozen=True, kw_only=True)
class First:
    """What stands before the log.

    >>> First(robot="panda").robot
    'panda'
    """

    robot: RobotOrRun


@dataclass(frozen=True, kw_only=True)
class Settings(MovingLog, First, PagedOutput):
    """Which robot, which log, what is followed.

    >>> Settings(robot="panda", log="run.csv").form
    'log_cholesky'
    """

    payload: Annotated[str | None, arg(metavar="FRAME", help_behavior_hint="")] = None  # follow what this link carries
    form: Literal["log_cholesky", "second", "principal"] = (
        "log_cholesky"  # of the links' numbers; all but the last are physical
    )
    cutoff: Cutoff = None
    lock: HeldInLog = ()
    output: Annotated[str | None, written("FILE", "(default: track.csv)")] = None
    """the table; the page lies beside it. Where none is named, those that exist are kept: track-2.csv"""
    anyway: Anyway = False


def run(settings: Settings) -> int:
    """Follow; 1 if more rows were refused than taken in, or if the robot does not explain the torque.

    >>> run(Settings(robot="pendulum", log="nowhere.csv"))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: ...
    """
    from bifilar.online.recordings import track

    output = free_name(settings.output, "track.csv", force=settings.force)
    page = page_path(output)
    if output.suffix.lower() != ".csv":
        raise UsageError("usage.value/track", name=output.name)
    if settings.cutoff is not None and not 0 < settings.cutoff < float("inf"):
        raise UsageError("usage.value/track_run", cutoff=settings.cutoff)
    may_be_written([output, *([] if settings.no_page else [page])], force=settings.force)
    robot = robot_or_run(settings.robot)
    locked_as(robot, settings.lock)  # words that make no sense are told before the log is read
    with steps(3) as tell:
        tell("reading")
        recording = log_of(settings).read(robot, settings.lock)
        robot = locked_as(robot, settings.lock, [(settings.log, recording)])
        recording = without_held(recording, settings.lock)
        findings = _checked(settings, recording, robot, tell)
        (recording,), decided = as_decided(robot, [recording])
        tell("following; the first time, kernels are compiled")
        follow = partial(track, cutoff=settings.cutoff, kinematics=settings.kinematics)
        found = follow(robot, recording, payload=settings.payload, form=settings.form)
        findings += [Finding("delay/decided", "note", "torque", thing=text) for text in decided]
    _write(found, output)
    if not settings.no_page:
        from bifilar.report.track_page import track_page

        about = f"{settings.robot}, {settings.log}" + (f", load at {settings.payload}" if settings.payload else "")
        track_page(found, lead=about).save(page)
    if settings.json:
        sys.stdout.write(json_text(facts(found, settings) | {"findings": [each.code for each in findings]}))
    else:
        show(_view(found, settings, findings, [output, *([] if settings.no_page else [page])]))
    taken = sum(count for word, count in found.outcomes.items() if word in ("accepted", "changed"))
    return 0 if 2 * taken >= sum(found.outcomes.values()) and _explained(found) else 1


def _checked(settings: Settings, recording: Recording, robot: Robot, tell: Tell) -> list[Any]:
    """Errors and warnings of the log; errors end it. A load is no other robot, and no tool that is missing."""
    from bifilar.cli.fit_run import checked, refuse

    load = {"robot", "tool"} if settings.payload is not None else set()
    found = checked(settings.log, recording, robot, tell, without=load)
    if not settings.anyway:
        refuse([(settings.log, found)], "{remedy}; --anyway follows it as it is")
    return [each for each in found if each.severity != "note"]


def _explained(found: Track) -> bool:
    """Whether most of the torque is that of the robot."""
    size = (found.samples.torque**2).mean(axis=0)
    return bool(np.sum(found.unexplained**2 * size) <= POOR**2 * np.sum(size))


def facts(found: Track, settings: Settings) -> dict[str, Any]:
    """What `--json` says."""
    return {
        "bifilar": __version__,
        "robot": settings.robot,
        "log": settings.log,
        "payload": settings.payload,
        "rows": found.outcomes,
        "noise": found.noise.tolist(),
        "never_excited": list(found.never_excited),
        "not_seen": list(found.not_seen[-1]),
        "unexplained": found.unexplained.tolist(),
        "last": found.rows(),
        "time": found.time.tolist(),
    }


def _write(found: Track, path: Path) -> None:
    from bifilar.robot.write_file import write_file

    names = [part for name in found.names for part in (name, f"{name}.deviation")]
    lines = [",".join(["time", *names])]
    for t, mean, deviation in zip(found.time, found.mean, found.deviation):
        lines.append(",".join(f"{x:.9g}" for x in [t, *(x for pair in zip(mean, deviation) for x in pair)]))
    write_file(path, ("\n".join(lines) + "\n").encode())


def _view(found: Track, settings: Settings, findings: list[Any], files: list[Path]) -> list[Any]:
    from bifilar.report.track_page import seen_words

    said = ", ".join(f"{count} {word}" for word, count in found.outcomes.items())
    rows = [
        [
            r["name"],
            f"{r['value']:.5g}",
            f"{r['deviation']:.2g}",
            r["unit"],
            seen_words(found, r),
        ]
        for r in found.rows()
    ]
    columns = [
        Column("parameter", "name"),
        Column("value", "number"),
        Column("deviation", "number"),
        Column("unit"),
        Column("seen from the start"),
    ]
    lines: list[Any] = [words(f"rows     {said}"), words(""), table(columns, rows), words("")]
    if found.never_excited:
        lines.append(words(f"without any effect of their own on the readings: {', '.join(found.never_excited)}"))
        if any(row["seen"] for row in found.rows() if row["name"] in found.never_excited):
            lines.append(words("where such a number is seen all the same, it follows from others by what a body can be"))
    share = found.unexplained
    parts = [f"{name} {100 * part:.2g} %" for name, part in zip(found.robot.joint_names, share)]
    lines.append(words(f"torque that is not explained: {', '.join(parts)}"))
    if share.max() > POOR:
        worst = found.robot.joint_names[int(share.argmax())]
        lines.append(words(f"the torque of {worst} is not that of this robot: is the log in degrees, or of another robot?"))
        if settings.payload is not None:
            lines.append(
                words("or its links and friction are not those described: 'bifilar fit' first, then its identified.urdf")
            )
    lines += [words(f"{each.severity} of the log: {each.where}: {each.what}") for each in findings]
    lines.append(words(f"wrote    {', '.join(str(path) for path in files)}"))
    more = ["-o", "links.csv"] if settings.payload else ["--payload", end_frame(found.robot), "-o", "load.csv"]
    read = log_options(settings, settings.log)
    return [*lines, next_step(typed_command("bifilar", "track", settings.robot, settings.log, *read, *more))]
