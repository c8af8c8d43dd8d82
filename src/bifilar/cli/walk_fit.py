"""`bifilar walk fit WALKER LOG`: masses, centres and inertias from strides, without an encoder of the absolute angle."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bifilar import __version__
from bifilar.cli.design_files import free_name, may_be_written, page_path
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import Column, next_step, show, table, typed_command, words
from bifilar.cli.progress import steps
from bifilar.cli.walk_simulate import sensors_path
from bifilar.errors import RecordingError
from bifilar.formats import KEY, WALK

if TYPE_CHECKING:
    from bifilar.cli.walk import Settings
    from bifilar.walking.sensor_file import Carried
    from bifilar.walking.walk_fit import WalkFit
    from bifilar.walking.walker import Walker

POOR, LITTLE = 1.2, 1e-3  # times the description's error, and [rad]: more than both is not to be trusted


def run(settings: Settings) -> int:
    """Fit; 1 if the iterations did not end or the description does better.

    >>> from bifilar.cli.walk import Settings
    >>> run(Settings(what="fit", walker="walker3", log="nowhere.csv"))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: ...
    """
    from bifilar.recording.recording import Recording
    from bifilar.robot.write_file import write_file
    from bifilar.walking.walk_fit import HELD, fit_walk
    from bifilar.walking.walker import Walker

    log = Path(str(settings.log))
    output = free_name(settings.output, f"{log.stem}_fit.json", force=settings.force)
    if output.suffix.lower() != ".json":
        raise UsageError("usage.value/walk_fit", name=output.name)
    files = [output, *([] if settings.no_page else [page_path(output)])]
    may_be_written(files, force=settings.force)
    held = settings.number("held", HELD, 0.0, 0.9)
    walker = Walker.load(settings.walker, slope=math.radians(settings.number("slope", 0.0, -20.0, 20.0)))
    with steps(3) as tell:
        tell("reading")
        recording = Recording.load(log)
        carried = sensors_of(settings, walker, log)
        tell("fitting; the first time, kernels are compiled", 4.0)
        found = _fitted(fit_walk, carried, recording, held=held, skip=settings.skip)
        tell("writing")
        facts = _facts(settings, found, files)
        write_file(output, json_text(facts).encode())
        if not settings.no_page:
            from bifilar.report.walk_page import fitted_page

            fitted_page(found, lead=f"{settings.walker}, {settings.log}").save(files[1])
    if settings.json:
        sys.stdout.write(json_text(facts))
    else:
        show(_view(settings, found, files))
    return 0 if facts["trusted"] else 1


def sensors_of(settings: Settings, walker: Walker, log: Path) -> Carried:
    """What the walker carries: as asked for, or as a file beside the log says.

    >>> from bifilar.cli.walk import Settings
    >>> from bifilar.walking.walker import Walker
    >>> sensors_of(Settings(what="fit", walker="leg", log="no.csv"), Walker.load("leg"), Path("no.csv"))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: nobody says which sensors the walker carries, where and how noisy they are
      where   no.sensors.toml
      try     --sensors imu, or a .toml file such as 'bifilar walk simulate' writes
    """
    from bifilar.walking.sensor_file import carried

    beside = sensors_path(log)
    if settings.sensors is None and not os.path.exists(beside):
        raise RecordingError("sensors.unknown", where=str(beside))
    return carried(walker, settings.sensors or beside)


def _fitted(fit: Any, *parts: Any, **more: Any) -> WalkFit:
    return fit(*parts, **more)  # type: ignore[no-any-return]


def _facts(settings: Settings, found: WalkFit, files: list[Path]) -> dict[str, Any]:
    return {
        KEY: WALK.stamp,
        "bifilar": __version__,
        "walker": settings.walker,
        "log": settings.log,
        "method": found.estimate.method,
        "status": found.estimate.status.code,
        "trusted": bool(found.estimate.status.ok and found.error <= max(POOR * found.described_error, LITTLE)),
        "strides": {"fitted": len(found.fitted), "held": len(found.held)},
        "simulation_error": {"horizon": found.horizon, "identified": found.error, "described": found.described_error},
        "parameters": found.rows(),
        "covariance": found.estimate.covariance.tolist(),
        "notes": [*found.notes, *found.estimate.notes],
        "files": [str(file) for file in files],
    }


def _view(settings: Settings, found: WalkFit, files: list[Path]) -> list[Any]:
    columns = [
        Column("parameter", "name"),
        Column("found", "number"),
        Column("± deviation", "number"),
        Column("described", "number"),
        Column("stands for", "name", drop=1),
    ]
    rows = [
        [str(r["name"]), f"{r['value']:.5g}", f"{r['deviation']:.2g}", f"{r['described']:.5g}", str(r["equation"])]
        for r in found.rows()
    ]
    strides = f"strides  {len(found.fitted)} fitted, the last {len(found.held)} held out: {found.estimate.status}"
    error = (
        f"error    {1e3 * found.error:.3g} mrad on the strides held out, simulated over {found.horizon:g} s; "
        f"description {1e3 * found.described_error:.3g} mrad"
    )
    lines: list[Any] = [words(strides), words(""), table(columns, rows), words(""), words(error)]
    lines += [words(f"note     {note}") for note in (*found.notes, *found.estimate.notes)]
    lines.append(words(f"wrote    {', '.join(str(file) for file in files)}"))
    more = ("--fitted", str(files[0]), *(("--sensors", settings.sensors) if settings.sensors else ()))
    if len(found.walker.feet) < 2:  # a filter through touchdowns has nothing to do
        return [*lines, next_step(f"open {files[-1]}")]
    return [*lines, next_step(typed_command("bifilar", "walk", "track", settings.walker, str(settings.log), *more))]
