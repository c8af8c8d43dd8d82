"""`bifilar calibrate ROBOT --free ... --loaded ...`: torque per ampere of every drive, checked on motion that was not used.

Given another pair of runs, links and load that were found with the gains predict it, and the load's mass is found again there,
with the gains and with the nominal ones. Otherwise the first 70 % of every log's time predict the rest.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bifilar.calibrate.drive_gain import DriveGains, identify_drive_gains
from bifilar.cli.calibrate_logs import EXCHANGED, lifts, logs_of, other_way
from bifilar.cli.friction_words import friction_of
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.log_words import recipe_with
from bifilar.cli.output import Column, complete_table, next_step, show, typed_command, unbroken, words
from bifilar.cli.progress import steps
from bifilar.cli.typed_log import log_options
from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError, Note
from bifilar.estimate.consistent import PhysicallyConsistent
from bifilar.estimate.payload import Payload, identify_payload
from bifilar.recording.prepare import prepare
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.calibrate import Settings
    from bifilar.report.calibrate_page import Unused

THOUSANDTH = "gains are about {times:.1g} times the nominal ones: is the current in {unit}, or --mass not in kilograms?"
UNITS = ((1e-3, "mA"), (1e3, "kA"))
NEAR = (0.15, 6.0)  # times such a factor: nominal gains are not that wrong
WORSE = 1.2  # times the error without calibration: as a verdict calls a joint worse
SHARE = 0.7  # of every log's time that predicts the rest, where no other runs are given


class Again(NamedTuple):
    """What runs that were not used say.

    >>> Again([], None, None).runs
    []
    """

    runs: list[Unused]
    ours: Payload | None  # the load by the gains that were found
    theirs: Payload | None  # and by the nominal ones
    worse: tuple[Note, ...] = ()  # joints that are predicted worse than without calibration


def drives(settings: Settings, robot: Robot, nominal: Array, page: Path | None) -> int:
    """Calibrate; 1 if the data leave a gain open, gains and links did not settle, or something speaks against the gains.

    >>> from bifilar.cli.calibrate import Settings
    >>> arm = Settings(robot="panda", free=("a.csv",), loaded=("b.csv",), mass=1.0, test_free=("c.csv",))
    >>> drives(arm, bf.Robot.load("panda"), np.ones(7), None)
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: --test-free and --test-loaded go together
      try     give runs without and with the load
    """
    if bool(settings.test_free) != bool(settings.test_loaded):
        raise UsageError("usage.together/calibrate_drives")
    more: dict[str, Any] = {"mass": settings.mass, "link": settings.link}
    more |= {} if settings.friction is None else {"friction": friction_of(settings.friction, robot)}
    count = sum(map(len, (settings.free, settings.loaded, settings.test_free, settings.test_loaded)))
    with steps(count + 2) as tell:
        logs = logs_of(settings, robot, tell)
        free, loaded, *tests = logs[:4]
        tell("fitting")
        ready = [[_prepared(settings, log) for log in group] for group in (free, loaded)]
        found = identify_drive_gains(robot, *ready, **more)
        tell("predicting")
        if settings.test_free:
            again = _again(settings, robot, found, tests)
            unused = [_prepared(settings, log) for log in tests[0]]
            again = again._replace(worse=_worse(robot, found, ready[0], unused))
        else:
            again = _later(settings, robot, free, loaded, more)
    doubts = _doubts(settings, robot, found, [*free, *loaded])
    again = again._replace(runs=[_in_amperes(run, nominal) for run in again.runs])
    if page is not None:
        _page(settings, robot, found, nominal, again, [*doubts, *logs.odd], page)
    if settings.json:
        sys.stdout.write(json_text(_facts(settings, found, nominal, again, doubts, page) | {"findings": logs.odd}))
    else:
        _show(settings, found, nominal, again, [*doubts, *logs.odd], page)
    return 1 if found.status.code in ("rank deficient", "not converged") or doubts else 0


def _doubts(settings: Settings, robot: Robot, found: DriveGains, logs: list[Recording]) -> list[str]:
    """What speaks against the gains, in sentences."""
    said = [EXCHANGED] if lifts(found.gain, found.by_gravity, logs, robot) else []
    if settings.nominal and found.by_gravity.any():
        times = float(np.median(np.abs(found.gain[found.by_gravity])))
        near = [unit for factor, unit in UNITS if NEAR[0] < times / factor < NEAR[1]]
        said += [THOUSANDTH.format(times=times, unit=unit) for unit in near]
    return said


def _after(settings: Settings, found: DriveGains, again: Again, doubts: list[str]) -> str:
    """The next command: a fit that reads the logs with these gains, or the same with the logs the other way round."""
    if EXCHANGED in doubts:
        return other_way(settings)
    kept = {note.facts["joint"] for note in again.worse}
    gains = {name: float(gain) for name, gain in zip(found.joint_names, found.gain) if name not in kept}
    gains = {name: float(f"{gain * _before(settings, name):.6g}") for name, gain in gains.items()}
    read = replace(settings, gain=tuple(f"{name}={gain:g}" for name, gain in gains.items()))
    return typed_command("bifilar", "fit", settings.robot, *settings.free, *log_options(read, *settings.free))


def _before(settings: Settings, joint: str) -> float:
    """The gain that the logs were read with."""
    given = dict(word.split("=", 1) for word in settings.gain)
    return float(next((value for word, value in given.items() if fnmatch(joint, word)), 1.0))


def _prepared(settings: Settings, log: Recording) -> Samples:
    return prepare(log, recipe_with(settings, settings.cutoff))


def _times(samples: Samples, factor: Array) -> Samples:
    """With torque in another unit; filters are linear."""
    noise = None if samples.noise is None else samples.noise * np.abs(factor)
    return replace(samples, torque=samples.torque * factor, raw_torque=samples.raw_torque * factor, noise=noise)


def _again(settings: Settings, robot: Robot, found: DriveGains, tests: list[list[Recording]]) -> Again:
    """Other runs, predicted by the robot that goes with the gains; and the load found there once more."""
    ready = [[_prepared(settings, log) for log in group] for group in tests]
    more = {} if settings.friction is None else {"friction": friction_of(settings.friction, robot)}

    def load(factor: Array) -> Payload:
        free, loaded = ([_times(samples, factor) for samples in group] for group in ready)
        return identify_payload(robot, free, loaded, link=settings.link, **more)

    return Again(_predicted(settings, found, *ready), load(found.gain), load(np.ones_like(found.gain)))


def _later(settings: Settings, robot: Robot, free: list[Recording], loaded: list[Recording], more: dict[str, Any]) -> Again:
    """The last part of every log, predicted by a fit to its first part; nothing where that is too little."""

    def parts(group: list[Recording], late: bool) -> list[Samples]:
        borders = [log.time[0] + SHARE * log.duration for log in group]
        cuts = [(border, None) if late else (None, border) for border in borders]
        return [_prepared(settings, log.part(*cut)) for log, cut in zip(group, cuts, strict=True)]

    try:
        first = identify_drive_gains(robot, parts(free, False), parts(loaded, False), **more)
        late = parts(free, True)
        worse = _worse(robot, first, parts(free, False), late)
        return Again(_predicted(settings, first, late, parts(loaded, True)), None, None, worse)
    except BifilarError:
        return Again([], None, None)


def _worse(robot: Robot, found: DriveGains, fitted: list[Samples], unused: list[Samples]) -> tuple[Note, ...]:
    """Joints whose unused torque, in the unit of the log, the calibrated model predicts worse than a fit of the same kind to
    the torque as it was recorded: a load tells little about the gains of a light wrist."""
    if found.estimate is None:
        return ()
    plain = PhysicallyConsistent(uncertainty="white").fit(robot, fitted, friction=found.estimate.described.friction)
    notes = []
    errors = [
        np.sqrt(np.mean(np.concatenate([run.torque - run.predict(model) / gain for run in unused]) ** 2, axis=0))
        for model, gain in ((found.estimate.robot, found.gain), (plain.robot, np.ones_like(found.gain)))
    ]
    for j, name in enumerate(found.joint_names):
        after, before = float(errors[0][j]), float(errors[1][j])
        if after > WORSE * before:
            notes.append(Note("calibrate.joint_worse", joint=name, ratio=after / before))
    return tuple(notes)


def _predicted(settings: Settings, found: DriveGains, free: list[Samples], loaded: list[Samples]) -> list[Unused]:
    """What was recorded and what is predicted of it, in its unit."""
    from bifilar.report.calibrate_page import Unused

    if found.estimate is None or found.load is None:
        return []
    bare = found.estimate.robot
    heavy = bare.with_payload(settings.link or _last_link(bare), found.load)
    cases = [("without the load", bare, free), ("with the load", heavy, loaded)]
    return [
        Unused(name, run.time - run.time[0], run.torque, run.predict(model) / found.gain)
        for name, model, runs in cases
        for run in runs
    ]


def _last_link(robot: Robot) -> str:
    """The one that carries the load where none is named."""
    return [name for name in robot.column_names() if name.endswith(".mass")][-1].removesuffix(".mass")


def _in_amperes(run: Unused, nominal: Array) -> Unused:
    return run._replace(measured=run.measured / nominal, predicted=run.predicted / nominal)


def _rows(found: DriveGains, again: Again, unit: str) -> list[list[str]]:
    if not again.runs:
        return []
    head = ["joint", *(f"{run.name}{f' [{unit}]' if unit else ''}, RMS" for run in again.runs)]
    head = [word for k, word in enumerate(head) for word in ([word] if k == 0 else [word, "left"])]
    rows = []
    for j, name in enumerate(found.joint_names):
        rows.append([name, *(f"{x[j]:.3g}" for run in again.runs for x in (run.size, run.errors))])
    return [head, *rows]


def _sentence(settings: Settings) -> str:
    if settings.test_free:
        return "Runs that were not used, predicted by the links, friction and load that were found with the gains."
    return f"The last {1 - SHARE:.0%} of every log, predicted by a fit to the first {SHARE:.0%}."


def _load(settings: Settings, again: Again) -> str:
    if again.ours is None or again.theirs is None:
        return ""
    ours, theirs = ((load.mass, load.deviations[0]) for load in (again.ours, again.theirs))
    return (
        f"In the runs that were not used the load of {settings.mass:g} kg is {ours[0]:.3g} ± {ours[1]:.2g} kg with these gains "
        f"({ours[0] / settings.mass - 1:+.1%}), and {theirs[0]:.3g} ± {theirs[1]:.2g} kg with the nominal ones."
    )


def _facts(
    settings: Settings, found: DriveGains, nominal: Array, again: Again, doubts: list[str], page: Path | None
) -> dict[str, Any]:
    loads = {"found": again.ours, "nominal": again.theirs}
    return {
        "robot": settings.robot,
        "joints": list(found.joint_names),
        "gain": (found.gain * nominal).tolist(),
        "deviations": (found.deviations * nominal).tolist(),
        "nominal": nominal.tolist(),
        "factor": found.gain.tolist(),
        "identified": found.identified.tolist(),
        "by_gravity": found.by_gravity.tolist(),
        "centre": found.centre.tolist(),
        "status": found.status.data(),
        "doubt": " ".join(doubts),
        "unused": [{"run": r.name, "size": r.size.tolist(), "error": r.errors.tolist()} for r in again.runs],
        "load": {name: [x.mass, float(x.deviations[0])] for name, x in loads.items() if x is not None},
        "worse": [note.data() for note in again.worse],
        "page": None if page is None else str(page),
    }


def _show(settings: Settings, found: DriveGains, nominal: Array, again: Again, doubts: list[str], page: Path | None) -> None:
    unit = "N m/A" if settings.nominal else "N m per unit of what was recorded"
    beside = [words("nominal: " + ", ".join(f"{gain:.4g}" for gain in nominal), "dim")] if settings.nominal else []
    rows, load = _rows(found, again, _unit(settings)), _load(settings, again)
    table = complete_table([Column(rows[0][0], "name"), *(Column(x, "number") for x in rows[0][1:])], rows[1:]) if rows else []
    show(
        [
            words(f"gain [{unit}]", "dim"),
            *map(words, found.summary(nominal).splitlines()),
            *beside,
            *map(words, doubts),
            *([words(""), words(_sentence(settings), "dim")] if rows else []),
            *table,
            *([words(load)] if load else []),
            *(words(f"note     {note.typed}") for note in again.worse),
            unbroken(f"use      {_mapped(found, nominal)}"),
            *([words(f"look     {page}")] if page is not None else []),
            next_step(_after(settings, found, again, doubts)),
        ]
    )


def _mapped(found: DriveGains, nominal: Array) -> str:
    """How a mapping turns what the drives report into torque by these gains."""
    factors = ", ".join(f"{gain:.5g}" for gain in found.gain * nominal)
    return f'in a mapping, below [channels.torque]: from = "current", factor = [{factors}]'


def _unit(settings: Settings) -> str:
    return "A" if settings.nominal else ""


def _page(
    settings: Settings, robot: Robot, found: DriveGains, nominal: Array, again: Again, doubts: list[str], page: Path
) -> None:
    from bifilar.report.calibrate_page import drive_gain_page

    unit = _unit(settings)
    drive_gain_page(
        found,
        nominal,
        unused=again.runs,
        errors=_rows(found, again, unit),
        unit=unit,
        title=f"Drive gains of {robot.name}",
        words=f"From a load of {settings.mass:g} kg; its centre was found at {found.centre.round(3).tolist()} m in the link's "
        "frame.",
        ahead=_sentence(settings),
        load=_load(settings, again),
        doubts=[*doubts, *(note.both for note in again.worse)],
    ).save(page)
