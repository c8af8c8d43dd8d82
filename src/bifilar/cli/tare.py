"""`bifilar tare LOG`: bias of a wrist force/torque sensor, and mass and centre of what it carries, from poses at rest."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from tyro.conf import arg

from bifilar.calibrate.wrist_model import rotations, sensor_frame
from bifilar.calibrate.wrist_sensor import FIRST, STANDARD, Prediction, Way, WristCalibration, predictions, tare
from bifilar.cli.design_files import may_be_written
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.log_checks import OF_MOTION, looked_at
from bifilar.cli.log_words import keep_log, log_of, page_of
from bifilar.cli.options import Anyway, LoadLink, LoggedRobot, LogSettings, PageOutput
from bifilar.cli.output import Column, complete_table, finding_table, next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.recording.recording import Recording

SUMMARY = "Bias of a wrist force/torque sensor, and mass and centre of what it carries, from poses at rest or slow motion."
EXAMPLES = """\
  bifilar tare poses.csv                              columns qx qy qz qw (base_from_sensor) and fx fy fz tx ty tz
  bifilar tare run.csv --robot arm.urdf --link tool0  orientations from the joints, the sensor at a link
  bifilar tare ft_static --axes base -o tare.html     a public recording whose wrenches have the base's axes
"""
MOST = 2000  # rows of slow motion that are used
SLOW = 0.05  # [rad/s] faster samples of a moving arm are left out
MENDED = ("frame", "reversed")  # codes of findings that an option mends
NAMES: dict[Way, str] = {"followed": "bias followed", "constant": "bias constant", "robust": "bias constant, robust"}


@dataclass(frozen=True, kw_only=True)
class Settings(LogSettings, PageOutput):
    """Which log, and how it is written.

    >>> Settings(log="poses.csv").axes
    'sensor'
    """

    robot: LoggedRobot = None
    link: LoadLink = None
    axes: Literal["sensor", "base"] = (
        "sensor"  # in whose axes the wrenches are written; the moment is about the sensor's origin
    )
    reversed: Annotated[bool, arg(help_behavior_hint="")] = False  # the wrenches have the other sign: what the tool exerts
    inverted: Annotated[bool, arg(help_behavior_hint="")] = False  # the logged quaternions are sensor_from_base
    gravity: Annotated[float, arg(metavar="M/S2")] = STANDARD  # its size where the robot stands
    level: Annotated[bool, arg(help_behavior_hint="")] = False  # gravity is along the base's -z, not to be found
    steady: Annotated[bool, arg(help_behavior_hint="")] = False  # the bias is constant, or the poses come in no order
    robust: Annotated[bool, arg(help_behavior_hint="")] = False  # something touched the tool in some poses; bias constant
    reach: Annotated[tuple[float, ...], arg(metavar="N N N NM NM NM", help_behavior_hint="")] = ()  # largest readings, six
    anyway: Anyway = False


def run(settings: Settings) -> int:
    """Calibrate; 1 if a finding says that the numbers are not to be trusted.

    >>> import pathlib, tempfile
    >>> rotation, wrench = bf.calibrate_example()
    >>> run(Settings(log="nowhere.csv"))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: ...
    """
    if settings.reach and len(settings.reach) != 6:
        raise UsageError("usage.value/tare", reach_count=len(settings.reach))
    if not 0 < settings.gravity < 100:
        raise UsageError("usage.value/tare_run", gravity=settings.gravity)
    if settings.inverted and settings.robot is not None:
        raise UsageError("usage.together/tare")
    page = None if settings.output is None else page_of(settings.output)
    if page is not None:
        keep_log(settings.log, page)
        may_be_written([page], force=settings.force)
    with steps(2) as tell:
        tell("reading")
        recording, rotation, wrench = _read(settings)
        tell("fitting")
        found, ahead = _found(settings, rotation, wrench)
    if page is not None:
        from bifilar.report.tare_page import tare_page

        in_sensor = sensor_frame(wrench, rotation, settings.axes)
        unused = (ahead[0].read, ahead[0].predicted) if ahead else None
        words_of: dict[str, Any] = {"title": f"Wrist sensor, {settings.log}", "ahead": _sentence(ahead)}
        tare_page(found, rotation, in_sensor, errors=_table(ahead), unused=unused, **words_of).save(page)
    if settings.json:
        sys.stdout.write(json_text(facts(found, ahead) | {"log": settings.log, "page": None if page is None else str(page)}))
    else:
        _show(settings, found, ahead, page is not None)
    return 1 if any(f.severity == "error" for f in found.findings) else 0


def _read(settings: Settings) -> tuple[Recording, Array, Array]:
    """The log, rotations base_from_sensor and wrenches."""
    plain = settings.robot is None and settings.rate is None and settings.mapping is None
    ordered = plain and Path(settings.log).is_file()
    log = log_of(replace(settings, rate=1.0) if ordered else settings)  # of poses that were logged the order counts, no clock
    if settings.robot is None:
        recording = log.read(None)
        rotation = _posed(recording)
        rotation = np.swapaxes(rotation, 1, 2) if settings.inverted else rotation
    else:
        from bifilar.cli.design_words import robot_of

        robot = robot_of(settings.robot)
        recording = log.read(robot).joints(robot.joint_names)
        # positions that cannot be those of the robot give orientations that were never there; no torque is asked for
        looked_at([(settings.log, recording)], robot, anyway=settings.anyway, without=OF_MOTION | {"missing"})
        q = recording.require("position")
        rotation = robot.pose(settings.link or robot.frame_names[-1], q)[0]
    channel = recording.channels.get("wrench")
    if channel is None:
        raise RecordingError("wrench.missing", where=settings.log)
    wrench = np.asarray(channel.values, dtype=float) * (-1.0 if settings.reversed else 1.0)
    if wrench.shape != (len(rotation), 6):
        raise RecordingError("shape.wrong/tare", where=settings.log, shape=wrench.shape, rotation_count=len(rotation))
    kept = _slow(recording, len(rotation)) & np.isfinite(wrench).all(axis=1) & np.isfinite(rotation).all(axis=(1, 2))
    places = np.flatnonzero(kept)
    places = places[:: max(1, -(-len(places) // MOST))]
    return recording, rotation[places], wrench[places]


def _posed(recording: Recording) -> Array:
    """From quaternions that were logged."""
    channel = recording.channels.get("pose")
    if channel is None or not {"qx", "qy", "qz", "qw"} <= set(channel.columns):
        raise RecordingError("orientation.missing", where=recording.name)
    places = [channel.columns.index(name) for name in ("qx", "qy", "qz", "qw")]
    return rotations(np.asarray(channel.values)[:, places])


def _slow(recording: Recording, count: int) -> Any:
    """Samples at which the arm hardly moves; all of them where poses were logged one by one."""
    if recording.position is None or not recording.joint_names:
        return np.ones(count, dtype=bool)
    v = np.abs(np.gradient(recording.require("position"), recording.time, axis=0)).max(axis=1)
    still = v < SLOW
    if still.sum() < 8:
        raise RecordingError("poses.none/tare", where=recording.name, slow=SLOW)
    return still


def _found(settings: Settings, rotation: Array, wrench: Array) -> tuple[WristCalibration, tuple[Prediction, ...]]:
    """The calibration from all poses, and how well the first ones predict the others: as it was found, and otherwise."""
    gravity: Any = [0.0, 0.0, -settings.gravity] if settings.level else settings.gravity
    more: dict[str, Any] = {"frame": settings.axes, "gravity": gravity}
    drift = False if settings.steady or settings.robust else None
    found = tare(rotation, wrench, reach=settings.reach or None, drift=drift, robust=settings.robust, **more)
    if found.compared:
        return found, found.compared
    asked: tuple[Way, ...] = ("robust", "constant") if settings.robust else ("constant", "robust")
    told = predictions(rotation, wrench, asked if drift is False else ("followed",), **more)
    return found, tuple(sorted(told, key=lambda each: asked.index(each.way) if each.way in asked else 0))


def _sentence(ahead: Sequence[Prediction]) -> str:
    if not ahead:
        return "Too few poses to predict some by the others."
    return f"The first {FIRST:.0%} of the poses predict the others; the first line is what is given above:"


def _table(ahead: Sequence[Prediction]) -> list[list[str]]:
    rows = [[NAMES[way.way], f"{way.mass:.4g}", f"{way.force:.3g}", f"{1e3 * way.moment:.3g}"] for way in ahead]
    return [["", "mass by the first [kg]", "force, RMS [N]", "moment, RMS [mN m]"], *rows] if rows else []


def facts(found: WristCalibration, ahead: Sequence[Prediction]) -> dict[str, Any]:
    """As plain values, for JSON.

    >>> facts(bf.tare(*bf.calibrate_example()), [])["poses"]
    30
    """
    return {
        "mass": found.mass,
        "mass_deviation": found.mass_deviation,
        "centre": found.center.tolist(),
        "bias": found.bias.tolist(),
        "weight": found.weight.tolist(),
        "deviations": found.deviations.tolist(),
        "noise": list(found.noise),
        "drift": found.drift.tolist(),
        "poses": found.poses,
        "predicted": [ahead[0].force, ahead[0].moment] if ahead else None,
        "held_out": {NAMES[way.way]: {"mass": way.mass, "force": way.force, "moment": way.moment} for way in ahead},
        "constant_bias_mass": found.constant_bias_mass,
        "findings": [f.data() for f in found.findings],  # type: ignore[attr-defined]
    }


def _how(settings: Settings) -> list[str]:
    """The options that decide how the log is read, to be typed again."""
    named = {"--run": settings.run, "--mapping": settings.mapping, "--robot": settings.robot, "--link": settings.link}
    again = [word for option, value in named.items() if value is not None for word in (option, str(value))]
    again += ["--axes", settings.axes] if settings.axes != "sensor" else []
    flags: tuple[tuple[str, bool], ...] = (("--reversed", settings.reversed), ("--inverted", settings.inverted))
    flags += (("--level", settings.level), ("--steady", settings.steady), ("--robust", settings.robust))
    return again + [option for option, on in flags if on]


def _mended(settings: Settings, finding: Finding) -> Settings:
    """The settings with which a finding about frames or signs would not be; flags that were given are taken back."""
    typed = finding.typed.split()
    other: Literal["sensor", "base"] = "base" if settings.axes == "sensor" else "sensor"
    return replace(
        settings,
        axes=other if "--axes" in typed else settings.axes,
        inverted=settings.inverted ^ ("--inverted" in typed),
        reversed=settings.reversed ^ ("--reversed" in typed),
    )


def _said(settings: Settings, findings: Iterable[Finding]) -> list[Finding]:
    """Findings whose remedy knows what was typed already."""
    given = {f"--{word}" for word in ("inverted", "reversed") if getattr(settings, word)}
    back = [(finding, [word for word in finding.typed.split() if word in given]) for finding in findings]
    return [f.changed(remedy=f"leave {' and '.join(taken)} out") if taken else f for f, taken in back]


def _show(settings: Settings, found: WristCalibration, ahead: Sequence[Prediction], paged: bool) -> None:
    lines = found.summary().splitlines()[:5]
    rows = _table(ahead)
    table = complete_table([Column(rows[0][0], "name"), *(Column(x, "number") for x in rows[0][1:])], rows[1:]) if rows else []
    findings: list[Finding] = list(found.findings)
    fixed = [_mended(settings, finding) for finding in findings if finding.code in MENDED]
    again = ("tare", settings.log, *_how(fixed[0] if fixed else settings))
    after = again if fixed else (*again, "-o", "tare.html") if not paged else ("check", settings.log)
    show(
        [
            *(words(line) for line in lines),
            words(_sentence(ahead)),
            *table,
            *([finding_table(_said(settings, findings))] if findings else []),
            *([words(f"look     {settings.output}")] if paged else []),
            next_step(typed_command("bifilar", *after)),
        ]
    )
