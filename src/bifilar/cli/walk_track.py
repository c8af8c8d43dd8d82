"""`bifilar walk track WALKER LOG`: the state of a walker at every sample, through its touchdowns, by a Kalman filter."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar import __version__
from bifilar.cli.design_files import free_name, may_be_written, page_path
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.cli.walk_fit import sensors_of
from bifilar.errors import RecordingError
from bifilar.formats import WALK

if TYPE_CHECKING:
    from bifilar.cli.walk import Settings
    from bifilar.walking.phases import Phases
    from bifilar.walking.walk_track import WalkTrack
    from bifilar.walking.walker import Walker

SETTLED = 1.0  # [s] after which errors and surprises are counted
POOR = 9.0  # squared innovation per channel: readings three deviations away on average are not believed in
MOST = 1 << 20  # [bytes] of a file that fit wrote


def run(settings: Settings) -> int:
    """Follow; 1 if the filter was lost, or if its readings contradict it.

    >>> from bifilar.cli.walk import Settings
    >>> run(Settings(what="track", walker="walker3", log="nowhere.csv"))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: ...
    """
    from bifilar.recording.recording import Recording
    from bifilar.walking.detector import Detector
    from bifilar.walking.walk_track import track_walk
    from bifilar.walking.walker import Walker

    log = Path(str(settings.log))
    output = free_name(settings.output, f"{log.stem}_track.csv", force=settings.force)
    if output.suffix.lower() != ".csv":
        raise UsageError("usage.value/track", name=output.name)
    files = [output, *([] if settings.no_page else [page_path(output)])]
    may_be_written(files, force=settings.force)
    walker = Walker.load(settings.walker, slope=math.radians(settings.number("slope", 0.0, -20.0, 20.0)))
    with steps(3) as tell:
        tell("reading")
        recording = Recording.load(log)
        carried = sensors_of(settings, walker, log)
        model = None if settings.fitted is None else fitted_phases(walker, settings.fitted)
        tell("following; the first time, kernels are compiled", 4.0)
        found = track_walk(
            carried,
            recording,
            phases=model,
            kind=settings.filter,
            passage=settings.passage,
            detector=Detector(by=settings.touchdown),
            sloped=settings.find_slope,
            skip=settings.skip,
        )
        tell("writing")
        _write(found, output)
        if not settings.no_page:
            from bifilar.report.walk_track_page import tracked_page

            about = f"{settings.walker}, {settings.log}; {settings.filter} filter, touchdowns by {settings.touchdown}"
            tracked_page(found, lead=about).save(files[1])
    facts = _facts(settings, found, files)
    if settings.json:
        sys.stdout.write(json_text(facts))
    else:
        show(_view(settings, found, facts, files))
    return 0 if facts["trusted"] else 1


def fitted_phases(walker: Walker, file: str) -> Phases:
    """The model of a file that `walk fit` wrote.

    >>> from bifilar.walking.walker import Walker
    >>> fitted_phases(Walker.load("walker3"), "nowhere.json")
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: the parameters cannot be read: No such file or directory
      where   nowhere.json
      try     name a file that 'bifilar walk fit' wrote
    """
    from bifilar.walking.walk_track import with_parameters

    try:
        with open(file, "rb") as stream:
            content = dict(json.loads(stream.read(MOST)))
        WALK.check(content, file)
        rows = content["parameters"]
        values = {str(row["name"]): float(row["value"]) for row in rows}
    except OSError as error:
        raise RecordingError("file.unreadable/walk_track", where=file, strerror=error.strerror) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise RecordingError("file.other_kind/walk_track", where=file) from None
    if not np.isfinite(list(values.values())).all():
        raise RecordingError("not_numbers/walk_track", where=file)
    return with_parameters(walker, values)


def _facts(settings: Settings, found: WalkTrack, files: list[Path]) -> dict[str, Any]:
    late = found.time - found.time[0] >= SETTLED
    surprise = found.mean_surprise(SETTLED)
    torso = found.names.index(found.walker.base)
    facts: dict[str, Any] = {
        "bifilar": __version__,
        "walker": settings.walker,
        "log": settings.log,
        "model": settings.fitted or "description",
        "filter": settings.filter,
        "touchdowns": found.touchdowns,
        "lost": found.lost,
        "trusted": not found.lost and surprise <= POOR,
        "surprise": surprise,
        "torso_deviation": float(found.deviation[late, torso].mean()) if late.any() else None,
        "torso_error": found.torso_error(SETTLED),
        "files": [str(file) for file in files],
    }
    if "slope" in found.names:
        facts["slope_degrees"] = math.degrees(float(found.mean[-1, -1]) + found.walker.slope)
        facts["slope_deviation_degrees"] = math.degrees(float(found.deviation[-1, -1]))
    return facts


def _write(found: WalkTrack, path: Path) -> None:
    from bifilar.robot.write_file import write_file

    names = [part for name in found.names for part in (name, f"{name}.deviation")]
    lines = [",".join(["time", "foot", *(name.replace(",", ";") for name in names)])]
    feet = found.walker.feet
    for t, foot, mean, wide in zip(found.time, found.stance, found.mean, found.deviation):
        pairs = [f"{x:.9g}" for pair in zip(mean, wide) for x in pair]
        lines.append(",".join([f"{t:.9g}", feet[int(foot)], *pairs]))
    write_file(path, ("\n".join(lines) + "\n").encode())


def _view(settings: Settings, found: WalkTrack, facts: dict[str, Any], files: list[Path]) -> list[Any]:
    lines = [
        words(f"follow   {len(found.time)} samples, {found.touchdowns} touchdowns{', then it was lost' if found.lost else ''}")
    ]
    error, wide = facts["torso_error"], facts["torso_deviation"]
    if wide is not None:
        true = f", {1e3 * error:.3g} mrad off the truth (root mean square)" if error is not None else ""
        lines.append(words(f"torso    ± {1e3 * wide:.2g} mrad by its own account after {SETTLED:g} s{true}"))
    if "slope_degrees" in facts:
        lines.append(words(f"slope    {facts['slope_degrees']:.3g} ± {facts['slope_deviation_degrees']:.2g} degrees"))
    verdict = (
        "as foretold" if facts["surprise"] < 2 else "worse than foretold" if facts["trusted"] else "they contradict the model"
    )
    lines.append(words(f"readings {facts['surprise']:.3g} squared deviations per channel: {verdict}"))
    lines.append(words(f"wrote    {', '.join(str(file) for file in files)}"))
    if not facts["trusted"] and settings.fitted is None:
        return [*lines, next_step(typed_command("bifilar", "walk", "fit", settings.walker, str(settings.log)))]
    after = f"open {files[1]}" if not settings.no_page else typed_command("bifilar", "check", str(settings.log))
    return [*lines, next_step(after)]
