"""`bifilar calibrate ROBOT --sensors ...`: gain and offset of torque sensors, from held poses without and with a known mass."""

from __future__ import annotations

import sys
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bifilar.calibrate.sensor_equations import HungMass
from bifilar.calibrate.torque_sensor import TorqueSensorCalibration, calibrate_torque_sensors
from bifilar.cli.calibrate_logs import EXCHANGED, lifts, logs_of, other_way
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import Column, complete_table, next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.cli.typed_log import log_options
from bifilar.dynamics.tree import Array
from bifilar.errors import Remedy, SolveError
from bifilar.recording.static_poses import StaticPoses
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.calibrate import Settings

AHEAD = "Every third pose, predicted by a fit to the other two thirds, root mean square:"


def sensors(settings: Settings, robot: Robot, page: Path | None) -> int:
    """Calibrate; 1 if the data leave a gain open, or the load seems to lift the arm.

    >>> from bifilar.cli.calibrate import Settings
    >>> arm = Settings(robot="panda", free=("nowhere.csv",), loaded=("b.csv",), mass=1.0, moved=(0.1,), sensors=True)
    >>> sensors(arm, bf.Robot.load("panda"), None)
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: --moved has 1 numbers for 1 loaded log
      try     three per log: --moved 0 0 0
    """
    count = len(settings.loaded)
    if settings.moved and len(settings.moved) != 3 * count:
        raise UsageError("usage.value/calibrate_sensors", moved_count=len(settings.moved), count=count)
    if count > 1 and not settings.moved:
        raise UsageError("usage.missing/calibrate_sensors")
    way = np.reshape(settings.moved or (0.0, 0.0, 0.0), (-1, 3))
    with steps(len(settings.free) + count + 1) as tell:
        logs = logs_of(settings, robot, tell)
        free, loaded = logs[:2]
        bare = reduce(add, map(StaticPoses.of, free))
        hung = [(StaticPoses.of(log), HungMass(settings.mass, moved)) for log, moved in zip(loaded, way, strict=True)]
        tell("fitting")
        frame = settings.link or robot.frame_names[-1]
        more: dict[str, Any] = {"frame": frame, "position_gain": settings.encoders, "position_offset": settings.encoders}
        found = calibrate_torque_sensors(robot, bare, hung, **more)
        unused = _unused(robot, bare, hung, more)
        doubt = EXCHANGED if lifts(found.gain, found.gain_seen, [*free, *loaded], robot) else ""
    if page is not None:
        _page(settings, found, bare, hung, unused, doubt, page)
    if settings.json:
        sys.stdout.write(json_text(_facts(settings, found, unused, doubt, page) | {"findings": logs.odd}))
    else:
        rows = _rows(found, unused)
        columns = [Column(rows[0][0], "name"), *(Column(x, "number") for x in rows[0][1:])] if rows else []
        ahead = [words(""), words(AHEAD, "dim"), *complete_table(columns, rows[1:])] if rows else []
        look = [words(f"look     {page}")] if page is not None else []
        remedy = [words(f"try      {Remedy.of(found.status.remedy).cli}")] if found.status.remedy else []
        again = log_options(settings, *settings.free)
        gravity = typed_command("bifilar", "gravity", settings.robot, *settings.free, *again)
        after = next_step(other_way(settings) if doubt else gravity)
        odd = [*([doubt] if doubt else []), *logs.odd]
        show([*map(words, [*found.summary().splitlines(), *odd]), *ahead, *remedy, *look, after])
    return 0 if found.status.ok and not doubt else 1


Hung = list[tuple[StaticPoses, HungMass]]


def _unused(robot: Robot, bare: StaticPoses, hung: Hung, more: dict[str, Any]) -> Late | None:
    """Every third pose, predicted by a fit to the others; nothing where these are too few."""

    def some(poses: StaticPoses, late: bool) -> StaticPoses:
        _, first, group = np.unique(poses.position.round(3), axis=0, return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))[group]  # a pose that is held twice, from both sides, is one
        return poses[(place % 3 == 2) == late]

    try:
        rest = [(some(poses, False), load) for poses, load in hung]
        first = calibrate_torque_sensors(robot, some(bare, False), rest, **more)
    except SolveError:
        return None
    runs: list[tuple[StaticPoses, HungMass | None]] = [(some(bare, True), None)]
    runs += [(some(poses, True), load) for poses, load in hung]
    read, predicted, true = (
        np.vstack(parts)
        for parts in zip(
            *((p.torque, first.readings(p.position, load), first.torque_at(p.position, load)) for p, load in runs), strict=True
        )
    )
    return Late(read, predicted, true) if len(read) else None


class Late(NamedTuple):
    """Poses that a fit did not use.

    >>> Late(np.ones((1, 2)), np.ones((1, 2)), np.zeros((1, 2))).read.shape
    (1, 2)
    """

    read: Array  # (N, joints) [N m]
    predicted: Array  # readings that the fit predicts
    true: Array  # torque that it takes for the true one


def _sizes(late: Late) -> list[Array]:
    """Root mean square of readings, of their distance from true torque, and of that from what was predicted."""
    return [np.sqrt(np.nanmean(x**2, axis=0)) for x in (late.read, late.read - late.true, late.read - late.predicted)]


def _rows(found: TorqueSensorCalibration, late: Late | None) -> list[list[str]]:
    if late is None:
        return []
    rows = [[name, *(f"{x[j]:.3g}" for x in _sizes(late))] for j, name in enumerate(found.joint_names)]
    return [["joint", "reading [N m]", "as if it were torque, off by", "calibrated, off by"], *rows]


def _where(load: HungMass) -> str:
    way = float(np.linalg.norm(load.moved))
    return f", with {load.mass:g} kg" + (f" moved by {way:.3g} m" if way else "")


def _page(
    settings: Settings, found: TorqueSensorCalibration, bare: StaticPoses, hung: Hung, late: Late | None, doubt: str, page: Path
) -> None:
    from bifilar.report.calibrate_page import Unused, torque_sensor_page
    from bifilar.report.sweep_figures import sweep_plots

    runs: list[tuple[StaticPoses, HungMass | None, str]] = [(bare, None, "")]
    runs += [(poses, load, _where(load)) for poses, load in hung]
    sweeps = []
    for poses, load, where in runs:

        def model(q: Array, load: HungMass | None = load) -> Array:
            return found.readings(q, load)

        sweeps += sweep_plots(found.joint_names, poses.position, poses.torque, model, where=where)
    unused = None if late is None else Unused("", np.zeros(len(late.read)), late.read, late.predicted)
    where = found.attachment.round(3).tolist()
    torque_sensor_page(
        found,
        sweeps=sweeps,
        unused=unused,
        errors=_rows(found, late),
        title=f"Torque sensors of {Path(settings.robot).stem}",
        words=f"From a load of {settings.mass:g} kg, found to hang at {where} m in the link's frame.",
        doubt=doubt,
    ).save(page)


def _facts(
    settings: Settings, found: TorqueSensorCalibration, late: Late | None, doubt: str, page: Path | None
) -> dict[str, Any]:
    return {
        "robot": settings.robot,
        "joints": list(found.joint_names),
        "gain": found.gain.tolist(),
        "gain_deviation": found.gain_deviation.tolist(),
        "gain_seen": found.gain_seen.tolist(),
        "offset": found.offset.tolist(),
        "offset_deviation": found.offset_deviation.tolist(),
        "offset_seen": found.offset_seen.tolist(),
        "position_gain": found.position_gain.tolist(),
        "position_gain_seen": found.position_gain_seen.tolist(),
        "position_offset": found.position_offset.tolist(),
        "position_offset_seen": found.position_offset_seen.tolist(),
        "attachment": found.attachment.tolist(),
        "noise": found.noise.tolist(),
        "unused": None if late is None else dict(zip(("reading", "plain", "calibrated"), (x.tolist() for x in _sizes(late)))),
        "status": found.status.data(),
        "doubt": doubt,
        "page": None if page is None else str(page),
    }
