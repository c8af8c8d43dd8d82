"""`bifilar calibrate ROBOT --sensors ...`: gain and offset of torque sensors, from held poses without and with a known mass."""

from __future__ import annotations

import sys
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar.calibrate.sensor_equations import HungMass
from bifilar.calibrate.torque_sensor import TorqueSensorCalibration, calibrate_torque_sensors
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.recording.static_poses import StaticPoses
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.calibrate import Settings


def sensors(settings: Settings, robot: Robot, page: Path | None) -> int:
    """Calibrate; 1 if the data leave a gain open.

    >>> from bifilar.cli.calibrate import Settings
    >>> arm = Settings(robot="panda", free=("nowhere.csv",), loaded=("b.csv",), mass=1.0, moved=(0.1,), sensors=True)
    >>> sensors(arm, bf.Robot.load("panda"), None)
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: --moved has 1 numbers for 1 loaded log
      try     three per log: --moved 0 0 0
    """
    from bifilar.cli.calibrate import read_log

    count = len(settings.loaded)
    if settings.moved and len(settings.moved) != 3 * count:
        what = f"--moved has {len(settings.moved)} numbers for {count} loaded log{'' if count == 1 else 's'}"
        raise UsageError(what, remedy="three per log: --moved 0 0 0")
    if count > 1 and not settings.moved:
        raise UsageError(
            "where did the load hang in each log?", remedy="--moved 0 0 0 0.1 0 0: x y z from its first point, per log"
        )
    way = np.reshape(settings.moved or (0.0, 0.0, 0.0), (-1, 3))
    with steps(len(settings.free) + count + 1) as tell:

        def poses(name: str) -> StaticPoses:
            tell("reading")
            return StaticPoses.of(read_log(settings, name, robot))

        bare = reduce(add, map(poses, settings.free))
        hung = [(poses(name), HungMass(settings.mass, moved)) for name, moved in zip(settings.loaded, way, strict=True)]
        tell("fitting")
        found = calibrate_torque_sensors(robot, bare, hung, frame=settings.link or robot.frame_names[-1])
    if page is not None:
        _page(found, settings).save(page)
    if settings.json:
        sys.stdout.write(json_text(_facts(settings, found, page)))
    else:
        look = [words(f"look     {page}")] if page is not None else []
        remedy = [words(f"try      {found.status.remedy}")] if found.status.remedy else []
        after = next_step(typed_command("bifilar", "gravity", settings.robot, *settings.free))
        show([*map(words, found.summary().splitlines()), *remedy, *look, after])
    return 0 if found.status.ok else 1


def _facts(settings: Settings, found: TorqueSensorCalibration, page: Path | None) -> dict[str, Any]:
    return {
        "robot": settings.robot,
        "joints": list(found.joint_names),
        "gain": found.gain.tolist(),
        "gain_deviation": found.gain_deviation.tolist(),
        "gain_seen": found.gain_seen.tolist(),
        "offset": found.offset.tolist(),
        "offset_deviation": found.offset_deviation.tolist(),
        "offset_seen": found.offset_seen.tolist(),
        "attachment": found.attachment.tolist(),
        "noise": found.noise.tolist(),
        "status": {"code": found.status.code, "sentence": found.status.sentence, "remedy": found.status.remedy},
        "page": None if page is None else str(page),
    }


def _page(found: TorqueSensorCalibration, settings: Settings) -> Any:
    from bifilar.report.page import Page, Words

    def told(value: float, size: float, seen: bool) -> list[str]:
        return [f"{value:.4f}", f"{size:.2g}"] if seen else ["not seen", ""]

    rows = [["joint", "gain", "±", "offset [N m]", "±"]]
    for j, name in enumerate(found.joint_names):
        gain = told(found.gain[j], found.gain_deviation[j], bool(found.gain_seen[j]))
        offset = told(found.offset[j], found.offset_deviation[j], bool(found.offset_seen[j]))
        rows.append([name, *gain, *offset])
    text = f"From a load of {settings.mass:g} kg, found to hang at {found.attachment.round(3).tolist()} m in the link's frame."
    sections = [Words("Torque sensors", text, rows)]
    sections += [Words("Status", f"{found.status}. {found.status.remedy}")] if not found.status.ok else []
    return Page(f"Torque sensors of {settings.robot}", sections=sections)
