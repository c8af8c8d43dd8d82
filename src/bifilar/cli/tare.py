"""`bifilar tare LOG`: bias of a wrist force/torque sensor, and mass and centre of what it carries, from poses at rest."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from tyro.conf import arg

from bifilar.calibrate.wrist_model import rotations, sensor_frame
from bifilar.calibrate.wrist_sensor import STANDARD, WristCalibration, tare
from bifilar.cli.design_files import may_be_written
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.log_checks import OF_MOTION, looked_at
from bifilar.cli.log_words import keep_log, log_of, page_of
from bifilar.cli.options import Anyway, LoadLink, LoggedRobot, LogSettings, PageOutput
from bifilar.cli.output import Column, complete_table, finding_table, next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, SolveError
from bifilar.recording.recording import Recording

SUMMARY = "Bias of a wrist force/torque sensor, and mass and centre of what it carries, from poses at rest or slow motion."
EXAMPLES = """\
  bifilar tare poses.csv                              columns qx qy qz qw (base_from_sensor) and fx fy fz tx ty tz
  bifilar tare run.csv --robot arm.urdf --link tool0  orientations from the joints, the sensor at a link
  bifilar tare ft_static --axes base -o tare.html     a public recording whose wrenches have the base's axes
"""
MOST = 2000  # rows of slow motion that are used
SLOW = 0.05  # [rad/s] faster samples of a moving arm are left out
SHARE = 0.7  # of the poses that predict the rest


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
    wrench = np.asarray(channel.values, dtype=float)
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


class Way(NamedTuple):
    """One way to take the bias, fitted to the first poses, and how well it predicts the others.

    >>> Way("constant", 1.2, 0.1, 0.002, np.zeros((1, 6)), np.zeros((1, 6))).moment
    0.002
    """

    name: str
    mass: float  # [kg] by the first poses
    force: float  # [N] root mean square at the others
    moment: float  # [N m]
    read: Array  # (others, 6) in the sensor's frame
    predicted: Array


def _found(settings: Settings, rotation: Array, wrench: Array) -> tuple[WristCalibration, list[Way]]:
    """The calibration from all poses, and how well the first ones predict the others: as it was found, and otherwise."""
    gravity: Any = [0.0, 0.0, -settings.gravity] if settings.level else settings.gravity
    more: dict[str, Any] = {"frame": settings.axes, "gravity": gravity}
    drift = False if settings.steady or settings.robust else None
    found = tare(rotation, wrench, reach=settings.reach or None, drift=drift, robust=settings.robust, **more)
    cut = int(SHARE * len(rotation))
    late = rotation[cut:], wrench[cut:]

    def way(name: str, **how: Any) -> Way:
        first = tare(rotation[:cut], wrench[:cut], **how, **more)
        off, told = first.external(*late, settings.axes), first.predict(late[0])
        force, moment = (float(np.sqrt(np.mean(part**2))) for part in (off[:, :3], off[:, 3:]))
        return Way(name, first.mass, force, moment, told + off, told)

    wanders = any(finding.code == "drift" for finding in found.findings)  # type: ignore[attr-defined]
    ways: dict[str, dict[str, Any]] = {"bias": {"drift": None}} if drift is None and not wanders else {}
    ways |= {"bias followed": {"drift": None}} if wanders else {}
    ways |= {"bias constant": {"drift": False}} if drift is False or wanders else {}
    ways |= {"bias constant, robust": {"robust": True}} if drift is False or wanders else {}
    if settings.robust:
        ways = dict(reversed(ways.items()))
    try:
        return found, [way(name, **how) for name, how in ways.items()] if len(late[0]) else []
    except SolveError:
        return found, []


def _sentence(ahead: list[Way]) -> str:
    return f"The first {SHARE:.0%} of the poses predict the rest:" if ahead else "Too few poses to predict some by the others."


def _table(ahead: list[Way]) -> list[list[str]]:
    rows = [[way.name, f"{way.mass:.4g}", f"{way.force:.3g}", f"{1e3 * way.moment:.3g}"] for way in ahead]
    return [["", "mass by the first [kg]", "force, RMS [N]", "moment, RMS [mN m]"], *rows] if rows else []


def facts(found: WristCalibration, ahead: list[Way]) -> dict[str, Any]:
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
        "held_out": {way.name: {"mass": way.mass, "force": way.force, "moment": way.moment} for way in ahead},
        "constant_bias_mass": found.constant_bias_mass,
        "findings": [f.data() for f in found.findings],  # type: ignore[attr-defined]
    }


def _how(settings: Settings) -> list[str]:
    """The options that decide how the log is read, to be typed again."""
    named = {"--run": settings.run, "--mapping": settings.mapping, "--robot": settings.robot, "--link": settings.link}
    again = [word for option, value in named.items() if value is not None for word in (option, str(value))]
    again += ["--axes", settings.axes] if settings.axes != "sensor" else []
    flags = (("--level", settings.level), ("--steady", settings.steady), ("--robust", settings.robust))
    return again + [option for option, on in flags if on]


def _show(settings: Settings, found: WristCalibration, ahead: list[Way], paged: bool) -> None:
    lines = found.summary().splitlines()[:5]
    rows = _table(ahead)
    table = complete_table([Column(rows[0][0], "name"), *(Column(x, "number") for x in rows[0][1:])], rows[1:]) if rows else []
    after = ("tare", settings.log, *_how(settings), "-o", "tare.html") if not paged else ("check", settings.log)
    show(
        [
            *(words(line) for line in lines),
            words(_sentence(ahead)),
            *table,
            *([finding_table(found.findings)] if found.findings else []),
            *([words(f"look     {settings.output}")] if paged else []),
            next_step(typed_command("bifilar", *after)),
        ]
    )
