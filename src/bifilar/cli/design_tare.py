"""`bifilar design ROBOT --kind tare -o poses.csv`: poses to hold that tell a wrist sensor's load from its bias."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bifilar.calibrate.tare_poses import TarePoses, propose_tare_poses
from bifilar.cli.design_files import may_be_written
from bifilar.cli.design_sweep import HELD, understood
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import next_step, show, typed_command, words
from bifilar.experiment.files import save_motion
from bifilar.experiment.sweep_plan import BLIND, held_poses
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.design import Settings

HOLD = 1.5  # [s] of every pose
WEIGHED = (1.0, 0.1)  # [kg] and [N]: load and noise that the promised deviation is for


def tare_poses(robot: Robot, settings: Settings) -> int:
    """Choose poses and write a motion that holds them.

    >>> import pathlib, tempfile
    >>> from bifilar.cli.design import Settings
    >>> file = pathlib.Path(tempfile.mkdtemp(), "poses.csv")
    >>> tare_poses(bf.Robot.load("panda"), Settings(robot="panda", kind="tare", output=str(file), json=True))
    {...}
    0
    """
    if settings.output is None:
        raise UsageError("usage.missing/design_tare", robot=settings.robot)
    understood(settings, "poses for a wrist sensor", (*(word for word in HELD if word != "margin"), "sensor"))
    output = Path(settings.output)
    may_be_written([output], force=settings.force)
    link = settings.sensor or robot.frame_names[-1]
    chosen = propose_tare_poses(robot, link, count=settings.poses, seed=settings.seed)
    motion = held_poses(robot, chosen.position, HOLD)
    notes = [f"poses of {robot.name} for a wrist sensor at {link}", BLIND]
    save_motion(output, motion.sample(settings.rate), units=dict.fromkeys(robot.sliding, "m") or None, comments=notes)
    if settings.json:
        facts = {"robot": robot.name, "files": [str(output)], "sensor": link, "duration": motion.duration}
        more = {
            "suffice": chosen.suffice,
            "mass_deviation": float(chosen.mass_deviation[-1]),
            "poses": chosen.position.tolist(),
        }
        sys.stdout.write(json_text({**facts, **more}))
    else:
        _show(settings, chosen, motion.duration, link, output)
    return 0


def _show(settings: Settings, chosen: TarePoses, duration: float, link: str, output: Path) -> None:
    mass, noise = WEIGHED
    promise = f"{mass:g} kg would be known to {1e3 * chosen.mass_deviation[-1]:.2g} g at {noise:g} N of noise"
    after = ("tare", "recorded.csv", "--robot", settings.robot, "--link", link)
    show(
        [
            words(f"{len(chosen.position)} poses in {duration:.0f} s; {BLIND}"),
            words(f"{chosen.suffice} of them suffice to tell the load from the bias; after all of them {promise}"),
            words(f"wrote    {output}"),
            next_step(typed_command("bifilar", *after)),
        ]
    )
