"""`bifilar simulate ROBOT MOTION -o RECORDING`: play a motion on a virtual robot and record what its sensors would see."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import arg

from bifilar.cli.design_files import may_be_written, page_path
from bifilar.cli.design_words import motion_of, robot_of
from bifilar.cli.exchanged import refuse_exchange
from bifilar.cli.friction_words import PLAYED, PLAYED_WORDS
from bifilar.cli.letter import json_text
from bifilar.cli.options import (
    RECORDED,
    GivenLimits,
    HeldJoints,
    MeshFolder,
    MotionFile,
    PagedOutput,
    Payload,
    RobotFile,
    Seed,
    written,
)
from bifilar.cli.output import show
from bifilar.cli.progress import steps
from bifilar.cli.simulate_words import machine
from bifilar.recording.store import written_ending

SUMMARY = "Play a motion on a virtual robot (a MuJoCo plant under a position loop) and record it as its sensors would."
EXAMPLES = """\
  bifilar simulate panda excite.csv -o train.parquet                      with the noise of a decent arm
  bifilar simulate panda excite.csv -o train.csv --noise none             the truth itself
  bifilar simulate panda excite.csv -o train.parquet --friction typical --unlike 0.3
                                         a machine with friction, up to 30 % unlike its description
"""

Noise = Literal["realistic", "none"]


@dataclass(frozen=True, kw_only=True)
class Settings(GivenLimits, PagedOutput):
    """What to play, on which machine, and how it is measured.

    >>> Settings(robot="panda", motion="excite.csv", output="train.parquet").noise
    'realistic'
    """

    robot: RobotFile
    motion: MotionFile
    output: Annotated[str, written("FILE", None, f"the recording: {RECORDED}")]
    noise: Noise = "realistic"  # of the sensors: encoders, torque, clock, dropped samples
    rate: Annotated[float, arg(metavar="HZ")] = 1000.0  # of the recording
    seed: Seed = 0
    friction: Annotated[
        tuple[str, ...],
        arg(metavar="TERM=VALUE ...", help=PLAYED, help_behavior_hint="(default: the file's)"),
        PLAYED_WORDS,
    ] = ()
    payload: Payload = None
    unlike: Annotated[float, arg(metavar="SHARE")] = 0.0  # by which links differ from the description at most, always alike
    lock: HeldJoints = ()
    mesh_folder: MeshFolder = None


def run(settings: Settings) -> int:
    """Simulate; 1 if motors saturated, so that the recording is not of the motion that was asked for.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> bf.save_motion(folder / "move.csv", bf.quintic(["joint1"], [[0.0], [1.0]], [0.0, 2.0]).sample(100))
    >>> words = {"robot": "pendulum", "motion": str(folder / "move.csv"), "output": str(folder / "train.csv")}
    >>> run(Settings(**words, no_page=True, json=True))
    {...}
    0
    """
    return _run(settings)


def _run(settings: Settings) -> int:
    from bifilar.cli.simulate_facts import played

    refuse_exchange("simulate", settings.robot, (settings.motion,), "robot and motion", "-o", settings.output)
    output = Path(settings.output)
    files = [output, *([] if settings.no_page else [page_path(output)])]
    written_ending(output)
    may_be_written(files, force=settings.force)
    robot = robot_of(settings.robot, lock=settings.lock, limits=settings)
    motion = motion_of(settings.motion)
    words = {"friction": settings.friction, "payload": settings.payload, "unlike": settings.unlike}
    with steps(1) as tell:
        tell("playing the motion")
        done = played(robot, machine(robot, **words), motion, settings)  # type: ignore[arg-type]
    done.recording.save(output)
    if not settings.no_page:
        done.page(output.name).save(files[1])
    if settings.json:
        sys.stdout.write(json_text(done.facts(files)))
    else:
        from bifilar.cli.simulate_view import view

        show(view(done, files, settings.robot))
    return 1 if done.saturated.any() else 0
