"""`bifilar convert LOG OUT`: any log as CSV, Parquet or NPZ, with names and SI units in the columns."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from bifilar.cli.design_files import may_be_written
from bifilar.cli.design_words import robot_of
from bifilar.cli.letter import json_text, plain
from bifilar.cli.log_words import keep_log, log_of
from bifilar.cli.options import RECORDED, FileOutput, LoggedRobot, LogSettings
from bifilar.cli.output import Column, complete_table, next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.recording.store import written_ending

if TYPE_CHECKING:
    from rich.text import Text

SUMMARY = "Write a log as CSV, Parquet or NPZ, joints by name and units in the columns, all in SI."
EXAMPLES = """\
  bifilar convert run.mcap run.parquet
  bifilar convert run.csv run.parquet --mapping run.toml
  bifilar convert run.txt run.csv --robot arm.urdf           joints in the robot's order
  bifilar convert panda_gaz panda.parquet                    a public recording
"""
ONE_WORD = "convert takes one log and one name for the result"


@dataclass(frozen=True, kw_only=True)
class Settings(LogSettings, FileOutput):
    """Which log to convert, and into what.

    >>> Settings(log="run.mcap", output="run.csv").force
    False
    """

    output: Annotated[Positional[str], arg(metavar="OUT", help=RECORDED)]
    robot: LoggedRobot = None


def run(settings: Settings) -> int:
    """Convert a log.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "run.txt").write_text("t q1_deg tau1\\n0 90 1\\n0.1 91 1\\n")
    >>> run(Settings(log=str(folder / "run.txt"), output=str(folder / "run.csv"), json=True))
    {...}
    0
    >>> print((folder / "run.csv").read_text().splitlines()[0])
    time [s],joint1.position [rad],joint1.torque [N m]
    """
    output = Path(settings.output)
    written_ending(output)
    keep_log(settings.log, output)
    may_be_written([output], force=settings.force)
    log = log_of(settings)
    robot = None if settings.robot is None else robot_of(settings.robot)
    with steps(1) as tell:
        tell("reading")
        recording = log.read(robot)
    recording.save(output)
    if settings.json:
        facts = {"log": settings.log, "samples": len(recording), "joints": list(recording.joint_names)}
        sys.stdout.write(json_text({**facts, "channels": list(recording.channels), "files": [str(output)]}))
        return 0
    lines: list[list[str | Text]] = [
        [words(n), ", ".join(dict.fromkeys(c.units)), words(c.origin)] for n, c in recording.channels.items()
    ]
    show(
        [
            words(f"{plain(str(output))} is written: {len(recording):,} samples of {len(recording.joint_names)} joints"),
            *([words(log.about(), "dim")] if log.about() else []),
            *complete_table([Column("channel", "name"), Column("unit"), Column("from", "wrapped", drop=1)], lines),
            *(words(f"{note.severity}: {note.what}", "dim") for note in recording.notes if note.severity != "note"),
            next_step(typed_command("bifilar", "check", str(output), "--robot", settings.robot or "arm.urdf")),
        ]
    )
    return 0
