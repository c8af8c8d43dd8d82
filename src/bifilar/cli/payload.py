"""`bifilar payload RUN LOG`: mass, centre of mass and inertia of a load, with error bars that contain those of the arm."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar import __version__
from bifilar.cli.exchanged import refuse_exchange
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.options import JsonOutput, LoadLink
from bifilar.cli.output import Column, complete_table, next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.cli.typed_log import log_options
from bifilar.cli.validate import UnseenLogs, read_with, unseen
from bifilar.dynamics import decompose
from bifilar.errors import Note

if TYPE_CHECKING:
    from bifilar.estimate.payload import Payload

SUMMARY = """Mass, centre of mass and inertia of a load, from the run of the arm without it and a log with it.

The error bars contain the covariance of the arm's own parameters; the load is physically consistent. The log is read as the
run's own were (as 'validate' reads it). Exit code 1 if the load is not to be trusted."""
EXAMPLES = """\
  bifilar payload runs/arm-001 loaded.csv                    the load that the last link carries
  bifilar payload runs/arm-001 loaded.csv --link forearm     another link carries it
  bifilar payload runs/arm-001 a.csv b.csv --json            two logs with the same load, one JSON object
"""
LOADED = frozenset({"robot", "tool", "load"})  # checks that a load makes speak: here it is expected
REMEDY = "{remedy}; --anyway takes it as it is"
UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)


@dataclass(frozen=True, kw_only=True)
class Settings(UnseenLogs, JsonOutput):
    """Which run, which logs, which link.

    >>> Settings(run="runs/arm-001", logs=("loaded.csv",)).link is None
    True
    """

    link: LoadLink = None


def run(settings: Settings) -> int:
    """Identify; 1 if the mass is open, the load doubtful, or the arm's own verdict poor.

    >>> run(Settings(run="nowhere", logs=("loaded.csv",)))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    from bifilar.cli.fit_folder import about_run, inputs_of, run_settings
    from bifilar.estimate.payload import identify_payload
    from bifilar.estimate.saved import load_estimate
    from bifilar.export.run_reader import at_once
    from bifilar.recording.recipes import recipe_of

    if not settings.logs:
        raise UsageError("usage.no_log/payload", run=settings.run)
    refuse_exchange("payload", settings.run, settings.logs, "run and log")
    place = Path(settings.run)
    before, estimate, inputs, about = at_once(
        place, lambda: (run_settings(place), load_estimate(place), inputs_of(place), about_run(place))
    )
    with steps(2 * len(settings.logs) + len(before.logs) + 1) as tell:
        logs, _ = unseen(settings, before, estimate, inputs, tell, expected=LOADED, remedy=REMEDY)
        tell("fitting")
        if settings.kinematics != "auto":
            estimate = replace(estimate, recipe=recipe_of(estimate.recipe, kinematics=settings.kinematics))
        found = identify_payload(estimate.described, estimate, logs, link=settings.link)
    level = str(about.get("verdict", {}).get("level", ""))
    trusted = level in ("good", "usable", "")
    notes = list(found.notes)
    if not trusted:
        notes.append(Note("payload.arm_verdict", level=level))
    if settings.json:
        sys.stdout.write(json_text(facts(found, notes) | {"run": settings.run, "logs": list(settings.logs)}))
    else:
        again = log_options(read_with(settings, before), settings.logs[0])
        _show(settings, found, notes, again)
    told = found.status.code in ("ok", "rank deficient") and np.isfinite(found.deviations[0])
    return 0 if told and trusted else 1


def facts(found: Payload, notes: list[Note]) -> dict[str, Any]:
    """As plain values, for JSON; an open parameter has no deviation.

    >>> body = bf.Inertia.from_center_of_mass(2.0, [0.1, 0, 0], 0.01 * np.eye(3))
    >>> more = {"covariance": np.eye(10), "unconstrained": body.vector, "noise": np.ones(1)}
    >>> facts(bf.Payload(link="tool", values=body.vector, **more), [])["mass"]
    2.0
    """
    from bifilar.robot.inertia import PARAMETERS

    rows = zip(PARAMETERS, found.values.tolist(), found.deviations.tolist(), UNITS, found.unconstrained.tolist(), strict=True)
    names = ("name", "value", "deviation", "unit", "unconstrained")
    return {
        "bifilar": __version__,
        "link": found.link,
        "mass": found.mass,
        "mass_deviation": float(found.deviations[0]),
        "centre": found.centre.tolist(),
        "centre_deviations": found.centre_deviations.tolist(),
        "parameters": [dict(zip(names, row, strict=True)) for row in rows],
        "arm_scale": found.arm_scale,
        "noise": found.noise.tolist(),
        "status": {"code": found.status.code, "sentence": found.status.sentence, "cause": found.status.cause},
        "findings": [note.data() for note in notes],
    }


def _show(settings: Settings, found: Payload, notes: list[Note], again: list[str]) -> None:
    from bifilar.robot.inertia import PARAMETERS

    moment = found.inertia.about_center_of_mass
    rows = [["mass", _value(found.mass), _bar(found.deviations[0]), "kg"]]
    for axis, at, bar in zip("xyz", found.centre, found.centre_deviations):
        rows.append([f"centre {axis}", _value(1e3 * at), _bar(1e3 * bar), "mm"])
    for name, value, bar in zip(PARAMETERS[4:], found.values[4:], found.deviations[4:]):
        rows.append([name, _value(value), _bar(bar), "kg m^2"])
    principal = ", ".join(f"{x:.3g}" for x in decompose.eigvalsh(moment))
    columns = [Column("load", "name"), Column("value", "number"), Column("± deviation", "number"), Column("unit")]
    status = [] if found.status.ok else [words(f"status   {found.status}")]
    status += [words(f"try      {found.status.remedy}")] if found.status.remedy else []
    track = ("track", settings.run, settings.logs[0], "--payload", found.link, *again)
    show(
        [
            words(f"load at {found.link}, in its frame; inertia about the frame's origin"),
            *complete_table(columns, rows),
            words(f"principal moments about the centre of mass: {principal} kg m^2"),
            *status,
            *(words(f"note     {note.typed}") for note in notes),
            next_step(typed_command("bifilar", *track)),
        ]
    )


def _value(value: float) -> str:
    return f"{value:.4g}"


def _bar(deviation: float) -> str:
    return f"{deviation:.2g}" if np.isfinite(deviation) else "open"
