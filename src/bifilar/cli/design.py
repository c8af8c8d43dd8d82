"""`bifilar design ROBOT --duration 20 -o excite.csv`: a motion that tells most about a robot and breaks none of its limits."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import arg

from bifilar.cli.design_files import cleared, ladder_paths, listed_before, may_be_written, page_path
from bifilar.cli.design_words import robot_of
from bifilar.cli.friction_words import GivenFriction, friction_of
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.options import GivenLimits, HeldJoints, MeshFolder, PagedOutput, RobotFile, Seed, written
from bifilar.cli.output import next_step, patience, show, typed_command, words
from bifilar.experiment.files import COMMANDED, SAMPLED
from bifilar.readers import joined

SUMMARY = """Design a motion that tells most about a robot's parameters, inside all its limits at every instant.

Ctrl-C ends the search; the best motion so far is certified and written (exit code 0). Files that exist are not replaced
without --force."""
EXAMPLES = """\
  bifilar design panda --duration 20 -o excite.csv
  bifilar design arm.urdf --duration 20 -o excite.parquet --above tool=0.15 --starts 5
  bifilar design arm.urdf --write-limits limits.toml            limits the file lacks, to be filled in; then
  bifilar design arm.urdf --limits limits.toml --duration 20 -o excite.csv
  bifilar design arm.urdf --duration 20 -o second.csv --after excite.csv
                                                    what the first motion did not show
  bifilar design arm.urdf --kind sweep -o sweeps.csv            poses to hold, for bifilar gravity
  bifilar design arm.urdf --kind tare --sensor tool0 -o poses.csv    poses to hold, for bifilar tare
"""
ONE_WORD = "design takes one robot at a time"

Criterion = Literal["D", "A", "E", "condition", "worst"]

WRITTEN = f"{joined(SAMPLED, 'or')}, or {COMMANDED[0]} (a ROS 2 JointTrajectory)"


@dataclass(frozen=True, kw_only=True)
class Settings(GivenLimits, PagedOutput):
    """What to design for which robot.

    >>> Settings(robot="panda", duration=20.0, output="excite.csv").harmonics
    5
    """

    robot: RobotFile
    kind: Literal["fourier", "sweep", "tare"] = "fourier"
    """a periodic motion for all parameters; held poses for gravity alone; held poses for a wrist sensor"""
    duration: Annotated[float | None, arg(metavar="S", help_behavior_hint="(required)")] = None  # of one period
    output: Annotated[str | None, written("FILE", "(required)", WRITTEN)] = None
    harmonics: Annotated[int, arg(metavar="N")] = 5  # of the Fourier series
    criterion: Criterion = "D"  # D: log det, A: trace, E: least eigenvalue, condition, worst: relative deviation
    starts: Annotated[int, arg(metavar="N")] = 3  # searches from different random motions; the best is kept
    seed: Seed = 0
    margin: Annotated[float, arg(metavar="SHARE")] = 0.05  # of joint limits and of --speed that stays unused
    clearance: Annotated[float, arg(metavar="M")] = 0.01  # least margin [m] to heights, boxes, obstacles and between links
    noise: Annotated[tuple[float, ...], arg(metavar="NM ...", help_behavior_hint="(default: 1 % of each effort limit)")] = ()
    """torque noise [N m], for all joints or one for each"""
    rate: Annotated[float, arg(metavar="HZ")] = 100.0  # of the samples in the file, and of the recording that is assumed
    friction: GivenFriction = "viscous+coulomb+offset"
    only: Annotated[tuple[str, ...], arg(metavar="PATTERN ...", help_behavior_hint="(default: all)")] = ()
    """parameters that matter, such as '*.viscous' or 'link7.*'"""
    after: Annotated[tuple[str, ...], arg(metavar="FILE ...", help_behavior_hint="")] = ()  # motions that are recorded already
    write_limits: Annotated[str | None, arg(metavar="FILE", help_behavior_hint="")] = None  # write such a file, to fill in; end
    above: Annotated[tuple[str, ...], arg(metavar="LINK=M ...", help_behavior_hint="")] = ()  # least height of a link's origin
    within: Annotated[tuple[str, ...], arg(metavar="LINK=X,Y,Z:X,Y,Z ...", help_behavior_hint="")] = ()
    """box that a link's origin stays in, two corners [m]; an empty number is no bound"""
    speed: Annotated[tuple[str, ...], arg(metavar="LINK=M/S ...", help_behavior_hint="")] = ()  # most speed of a link's origin
    self_collision: Annotated[bool, arg(help_behavior_hint="")] = False  # keep links apart, by capsules around their shapes
    mesh_folder: MeshFolder = None
    start: Annotated[tuple[str, ...], arg(metavar="POSITION ...", help_behavior_hint="")] = ()
    """pose to begin and end at: a number per joint, or joint1=0.1 joint2=..."""
    lock: HeldJoints = ()
    poses: Annotated[int, arg(metavar="N")] = 9  # of every joint that is swept (--kind sweep), or in all (--kind tare)
    sensor: Annotated[str | None, arg(metavar="LINK", help_behavior_hint="")] = None  # of --kind tare; the last if left out
    at_stops: Annotated[bool, arg(help_behavior_hint="")] = False  # sweeps: the other joints pressed on their stops
    no_ladder: Annotated[bool, arg(help_behavior_hint="")] = False  # no files at 10, 25 and 50 % of the speed


def run(settings: Settings) -> int:
    """Design a motion and write it, slower ones, its certificate and a page.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "excite.csv")
    >>> run(Settings(robot="two_link", duration=5.0, output=str(file), starts=1, no_page=True, json=True))
    {...}
    0
    """
    return _run(settings)


def _run(settings: Settings) -> int:
    robot = robot_of(settings.robot, lock=settings.lock, limits=settings)
    if settings.write_limits is not None:
        return _write_limits(robot, settings)
    if settings.kind == "sweep":
        from bifilar.cli.design_sweep import sweep

        return sweep(robot, settings)
    if settings.kind == "tare":
        from bifilar.cli.design_tare import tare_poses

        return tare_poses(robot, settings)
    if settings.duration is None or settings.output is None:
        missing = "--duration" if settings.duration is None else "-o"
        raise UsageError("usage.missing/design", missing=missing, robot=settings.robot)
    friction_of(settings.friction, robot)  # a wrong word is said before the work
    _sensible(settings)
    output = Path(settings.output)
    files = _files(output, settings)
    may_be_written(files, force=settings.force)
    from bifilar.cli.design_facts import designed

    with patience("compiling kernels, this once ('bifilar doctor --warm' does it for all of them)"):
        done = designed(robot, settings)
    before = listed_before(output)
    done.save(output, ladder=not settings.no_ladder)
    stale = cleared(output, before, files)
    if not settings.no_page:
        done.page(output.name).save(page_path(output))
    if settings.json:
        sys.stdout.write(json_text(done.facts(files) | {"removed": _texts(stale.removed), "stale": _texts(stale.kept)}))
    else:
        from bifilar.cli.design_view import view

        show(view(done, files, stale))
    return 0


def _sensible(settings: Settings) -> None:
    if settings.starts < 1:
        raise UsageError("usage.value/design", starts=settings.starts)
    if not 0 <= settings.clearance < math.inf:
        raise UsageError("usage.value/sensible", clearance=settings.clearance)


def _texts(paths: Sequence[Path]) -> list[str]:
    return [str(path) for path in paths]


def _files(output: Path, settings: Settings) -> list[Path]:
    """Everything that will be written, the motion first."""
    from bifilar.experiment.files import motion_ending

    motion_ending(output)
    files = [output, *([] if settings.no_ladder else ladder_paths(output)), output.with_suffix(".certificate.json")]
    return files if settings.no_page else [*files, page_path(output)]


def _write_limits(robot: object, settings: Settings) -> int:
    from bifilar.robot.limits_file import write_limits

    path = Path(str(settings.write_limits))
    may_be_written([path], force=settings.force)
    write_limits(robot, path)  # type: ignore[arg-type]
    if settings.json:
        sys.stdout.write(json_text({"files": [str(path)]}))
    else:
        show(
            [
                words(f"{path} is written. Fill in the lines that begin with #."),
                next_step(
                    typed_command(
                        "bifilar", "design", settings.robot, "--limits", str(path), "--duration", "20", "-o", "excite.csv"
                    )
                ),
            ]
        )
    return 0
