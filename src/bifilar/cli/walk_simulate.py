"""`bifilar walk simulate WALKER`: a gait is found and walked, or a leg swung; sensors are recorded, the walker drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar import __version__
from bifilar.cli.design_files import may_be_written, page_path
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.readers import joined

if TYPE_CHECKING:
    from bifilar.cli.walk import Settings
    from bifilar.walking.demonstration import Shown
    from bifilar.walking.sensor_file import Carried

NOISE = 0.02  # of the largest torque, of its measurement


def sensors_path(log: Path) -> Path:
    """The file of sensors beside a log.

    >>> sensors_path(Path("walk.csv")).name
    'walk.sensors.toml'
    """
    return log.with_suffix(".sensors.toml")


def run(settings: Settings) -> int:
    """Simulate; 1 if the walker fell.

    >>> import pathlib, tempfile
    >>> from bifilar.cli.walk import Settings
    >>> log = pathlib.Path(tempfile.mkdtemp(), "leg.csv")
    >>> run(Settings(what="simulate", walker="leg", seconds=1.0, output=str(log), no_page=True, json=True))
    {...}
    0
    """
    from bifilar.recording.store import FORMS
    from bifilar.walking.demonstration import SHAKE, swung, unlike, walked
    from bifilar.walking.sensor_file import Carried, carried
    from bifilar.walking.walk_log import walk_recording
    from bifilar.walking.walker import Walker

    output = Path(settings.output or "walk.csv")
    if output.suffix.lower() not in FORMS:
        raise UsageError("usage.value/walk_simulate", name=output.name, joined=joined(tuple(FORMS)))
    files = [output, sensors_path(output), *([] if settings.no_page else [page_path(output)])]
    may_be_written(files, force=settings.force)
    seconds = settings.number("seconds", 10.0, 0.0, 600.0)
    period, seed = 1 / settings.number("hz", 200.0, 10.0, 5000.0), int(settings.number("seed", 0, -1, 2**31))
    slope, torso = (
        np.radians(settings.number("slope", 0.0, -20.0, 20.0)),
        np.radians(settings.number("torso", 30.0, -80.0, 80.0)),
    )
    shake = settings.number("shake", SHAKE, -1e-9, 1.0)
    described = Walker.load(settings.walker, slope=float(slope))
    machine = unlike(described, settings.number("unlike", 0.0, -1e-9, 0.6), seed)
    set_ = carried(machine, settings.sensors or "imu")
    with steps(3) as tell:
        tell("looking for a gait; the first time, kernels are compiled")
        if len(described.feet) == 2:
            shown = walked(machine, seconds, period=period, shake=shake, torso=float(torso), seed=seed)
        else:
            shown = swung(machine, seconds, period=period, seed=seed)
        tell("recording")
        set_ = Carried(set_.sensors, float(f"{NOISE * np.abs(shown.torques).max():.2g}") or set_.torque)
        rng = np.random.default_rng([seed, 4])
        motion = (shown.time, shown.states, shown.stance, shown.torques)
        log = walk_recording(set_, *motion, rng, name=output.stem, planars=shown.planars)
        tell("writing")
        log.save(output)
        set_.save(files[1])
        if not settings.no_page:
            from bifilar.report.walk_page import simulated_page

            simulated_page(machine, shown, log, lead=_about(settings)).save(files[2])
    if settings.json:
        sys.stdout.write(json_text(_facts(settings, shown, set_, files)))
    else:
        show(_view(settings, shown, set_, files))
    return 1 if shown.walk is not None and shown.walk.fell else 0


def _about(settings: Settings) -> str:
    unlike = f", up to {settings.unlike:.0%} unlike its description" if settings.unlike else ""
    return f"{settings.walker}{unlike}; sensors: {settings.sensors or 'imu'}"


def _facts(settings: Settings, shown: Shown, carried: Carried, files: list[Path]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "bifilar": __version__,
        "walker": settings.walker,
        "samples": len(shown.time),
        "seconds": float(shown.time[-1]),
        "channels": list(carried.sensors.channels),
        "torque_noise": carried.torque,
        "files": [str(file) for file in files],
    }
    if shown.walk is not None and shown.gait is not None:
        gait = shown.gait
        facts |= {"steps": shown.walk.steps, "fell": shown.walk.fell, "way": float(shown.origin[-1] - shown.origin[0])}
        facts["gait"] = {
            "rate": gait.rate,
            "period": gait.period,
            "multiplier": gait.multiplier,
            "speed": gait.speed,
            "step": gait.length,
            "peak_torque": gait.peak_torque,
        }
        facts["findings"] = [f"{each.where}: {each.what}" for each in gait.touchdown.findings]
    return facts


def _view(settings: Settings, shown: Shown, carried: Carried, files: list[Path]) -> list[Any]:
    lines = []
    if shown.walk is not None and shown.gait is not None:
        gait, walk = shown.gait, shown.walk
        steady = "stable" if gait.is_stable else "not stable"
        lines.append(
            words(
                f"gait     {gait.rate:.3f} rad/s before touchdown, a step of {gait.length:.3f} m in {gait.period:.3f} s, "
                f"multiplier {gait.multiplier:.2f}: {steady}"
            )
        )
        way = float(shown.origin[-1] - shown.origin[0])
        lines.append(
            words(f"walk     {walk.steps} steps, {way:.2f} m in {walk.time[-1]:.3g} s{', then it fell' if walk.fell else ''}")
        )
        lines += [words(f"{each.severity:<8} {each.where}: {each.what}") for each in gait.touchdown.findings]
    else:
        lines.append(words(f"swing    {shown.time[-1]:.3g} s on a pivot that nothing drives"))
    lines.append(words(f"sensors  {', '.join(carried.sensors.channels)}; torque ± {carried.torque:g} N m"))
    lines.append(words(f"wrote    {', '.join(str(file) for file in files)}"))
    return [*lines, next_step(typed_command("bifilar", "walk", "fit", settings.walker, str(files[0])))]
