"""`bifilar calibrate ROBOT --free LOG --loaded LOG --mass KG`: drives and torque sensors, by a load of known mass."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from tyro.conf import Positional, arg

from bifilar.calibrate.drive_gain import DriveGains, identify_drive_gains
from bifilar.cli.design_files import may_be_written
from bifilar.cli.design_words import friction_of, robot_of
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.log_words import LogSettings, log_of, page_of
from bifilar.cli.output import next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.recording.prepare import prepare
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

SUMMARY = """Torque per ampere of every drive (or what recorded torque must be multiplied by), from a load of known mass.

With --sensors: gain and offset of every joint's torque sensor, from poses that are held without and with the load."""
EXAMPLES = """\
  bifilar calibrate arm.urdf --free a.csv --loaded b.csv --mass 2.8             logs whose torque is a current
  bifilar calibrate arm.urdf --free a.csv --loaded b.csv --mass 2.8 --nominal 10 10 8 9 9 10
                                                         the torque is current times these: shown in N m/A
  bifilar calibrate arm.urdf --sensors --free bare.csv --loaded here.csv there.csv --mass 2 --moved 0 0 0 0.1 0 0
                                                         torque sensors; the load hung 0.1 m further in there.csv
"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which arm, which logs, which load.

    >>> Settings(robot="arm.urdf", free=("a.csv",), loaded=("b.csv",), mass=2.0).link is None
    True
    """

    robot: Annotated[Positional[str], arg(metavar="ROBOT")]  # .urdf, .xml or .mjcf, .toml (DH table), or a built-in name
    free: Annotated[tuple[str, ...], arg(metavar="LOG ...")]  # without the load; a public set as NAME:RUN
    loaded: Annotated[tuple[str, ...], arg(metavar="LOG ...")]  # with it
    mass: Annotated[float, arg(metavar="KG")]  # of the load
    link: Annotated[str | None, arg(metavar="LINK", help_behavior_hint="")] = None  # that carries it; the last if left out
    friction: Annotated[str | None, arg(metavar="TERMS", help_behavior_hint="")] = None
    """viscous+coulomb+offset+rotor if left out"""
    nominal: Annotated[tuple[float, ...], arg(metavar="NM/A ...", help_behavior_hint="")] = ()
    """gains that the logs' torque was made with, one per joint: results are shown times these"""
    sensors: Annotated[bool, arg(help_behavior_hint="")] = False  # torque sensors from held poses, not drives from motion
    moved: Annotated[tuple[float, ...], arg(metavar="X Y Z ...", help_behavior_hint="")] = ()
    """with --sensors: how far [m] from its first point the load hung in each loaded log, in the link's axes"""
    cutoff: Annotated[float | None, arg(metavar="HZ", help_behavior_hint="")] = None  # of the filter; from the logs if left out
    mapping: Annotated[str | None, arg(metavar="FILE", help_behavior_hint="")] = None  # .toml: what the columns are
    output: Annotated[str | None, arg(metavar="PAGE", aliases=["-o"], help_behavior_hint="")] = None  # .html with the numbers
    force: Annotated[bool, arg(help_behavior_hint="")] = False  # replace a page that exists
    json: Annotated[bool, arg(help_behavior_hint="")] = False  # one JSON object instead of text


def run(settings: Settings) -> int:
    """Calibrate; 1 if the data leave a gain open.

    >>> run(Settings(robot="panda", free=("nowhere.csv",), loaded=("nowhere.csv",), mass=1.0))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: ...
    """
    if not settings.mass > 0:
        raise UsageError(f"--mass {settings.mass:g} is not above 0", remedy="--mass 2.8, in kilograms")
    page = None if settings.output is None else page_of(settings.output)
    if page is not None:
        may_be_written([page], force=settings.force)
    robot = robot_of(settings.robot)
    if settings.nominal and len(settings.nominal) != len(robot.joint_names):
        what = f"--nominal has {len(settings.nominal)} numbers, {robot.name} has {len(robot.joint_names)} joints"
        raise UsageError(what, joints=", ".join(robot.joint_names), remedy="give one per joint, in this order")
    if settings.sensors:
        from bifilar.cli.calibrate_sensors import sensors

        return sensors(settings, robot, page)
    if settings.moved:
        raise UsageError("--moved goes with --sensors", remedy="leave it out: drives do not need to know where the load is")
    more: dict[str, Any] = {} if settings.friction is None else {"friction": friction_of(settings.friction)}
    with steps(len(settings.free) + len(settings.loaded) + 1) as tell:
        free, loaded = ([_read(settings, name, robot, tell) for name in names] for names in (settings.free, settings.loaded))
        tell("fitting")
        found = identify_drive_gains(robot, free, loaded, mass=settings.mass, link=settings.link, **more)
    nominal = np.array(settings.nominal or [1.0] * len(found.gain))
    if page is not None:
        _page(found, nominal, settings).save(page)
    if settings.json:
        sys.stdout.write(json_text(_facts(settings, found, nominal, page)))
    else:
        after = typed_command("bifilar", "fit", settings.robot, *(name for name in settings.free if Path(name).exists()))
        unit = "N m/A" if settings.nominal else "N m per unit of what was recorded"
        look = [words(f"look     {page}")] if page is not None else []
        show([words(f"gain [{unit}]", "dim"), *map(words, found.summary(nominal).splitlines()), *look, next_step(after)])
    return 1 if found.status.code == "rank deficient" else 0


def _read(settings: Settings, name: str, robot: Robot, tell: Any) -> Any:
    """A log, prepared; NAME:RUN is a run of a public set."""
    tell("reading")
    recording = read_log(settings, name, robot)
    return prepare(recording) if settings.cutoff is None else prepare(recording, cutoff=settings.cutoff)


def read_log(settings: Settings, name: str, robot: Robot) -> Recording:
    """A log with the robot's joints in its order; NAME:RUN is a run of a public set.

    >>> read_log(Settings(robot="panda", free=(), loaded=(), mass=1.0), "nowhere.csv", bf.Robot.load("panda"))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: ...
    """
    log, _, which = name.partition(":") if not Path(name).exists() else (name, "", "")
    return log_of(LogSettings(log=log, mapping=settings.mapping, run=which or None)).read(robot).joints(robot.joint_names)


def _facts(settings: Settings, found: DriveGains, nominal: Any, page: Path | None) -> dict[str, Any]:
    return {
        "robot": settings.robot,
        "joints": list(found.joint_names),
        "gain": (found.gain * nominal).tolist(),
        "deviations": (found.deviations * nominal).tolist(),
        "factor": found.gain.tolist(),
        "identified": found.identified.tolist(),
        "by_gravity": found.by_gravity.tolist(),
        "centre": found.centre.tolist(),
        "status": {"code": found.status.code, "sentence": found.status.sentence},
        "page": None if page is None else str(page),
    }


def _page(found: DriveGains, nominal: Any, settings: Settings) -> Any:
    from bifilar.report.page import Page, Words

    rows = [
        [name, f"{gain:.4g}", f"{size:.2g}", f"{factor:.4g}", "weight" if felt else "inertia alone"]
        for name, gain, size, factor, felt in zip(
            found.joint_names, found.gain * nominal, found.deviations * nominal, found.gain, found.by_gravity, strict=True
        )
    ]
    head = ["joint", "gain [N m/A]" if settings.nominal else "gain", "±", "times nominal", "told by"]
    words_of = (
        f"From a load of {settings.mass:g} kg; its centre was found at {found.centre.round(3).tolist()} m in the link's frame."
    )
    sections = [Words("Drive gains", words_of, [head, *rows])]
    sections += [Words("Status", str(found.status))] if not found.status.ok else []
    return Page(f"Drive gains of {settings.robot}", sections=sections)
