"""`bifilar calibrate ROBOT --free ... --loaded ...`: torque per ampere of every drive, checked on motion that was not used.

Given another pair of runs, links and load that were found with the gains predict it, and the load's mass is found again there,
with the gains and with the nominal ones. Otherwise the first 70 % of every log's time predict the rest.
"""

from __future__ import annotations

import sys
from dataclasses import replace
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
from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError
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
SHARE = 0.7  # of every log's time that predicts the rest, where no other runs are given


class Again(NamedTuple):
    """What runs that were not used say.

    >>> Again([], None, None).runs
    []
    """

    runs: list[Unused]
    ours: Payload | None  # the load by the gains that were found
    theirs: Payload | None  # and by the nominal ones


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
        again = _again(settings, robot, found, tests) if settings.test_free else _later(settings, robot, free, loaded, more)
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


def _after(settings: Settings, doubts: list[str]) -> str:
    """The next command: a fit, or the same with the logs the other way round."""
    fit = ("bifilar", "fit", settings.robot, *(name for name in settings.free if Path(name).exists()))
    return other_way(settings) if EXCHANGED in doubts else typed_command(*fit)


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
        return Again(_predicted(settings, first, parts(free, True), parts(loaded, True)), None, None)
    except BifilarError:
        return Again([], None, None)


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
            unbroken(f"use      {_mapped(found, nominal)}"),
            *([words(f"look     {page}")] if page is not None else []),
            next_step(_after(settings, doubts)),
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
        doubts=doubts,
    ).save(page)
