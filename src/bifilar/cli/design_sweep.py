"""`bifilar design ROBOT --kind sweep -o sweeps.csv`: poses to hold for a gravity model, one joint turned at a time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bifilar.cli.design_files import may_be_written
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import Column, next_step, show, table, typed_command, words
from bifilar.experiment.files import save_motion
from bifilar.experiment.sweep_plan import SweepPlan, plan_sweeps
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.design import Settings

BLIND = "no clearance was looked at: run it slowly first, above the table"


def sweep(robot: Robot, settings: Settings) -> int:
    """Plan sweeps and write them; duration follows from limits of velocity, or two seconds per move.

    >>> import pathlib, tempfile
    >>> from bifilar.cli.design import Settings
    >>> file = pathlib.Path(tempfile.mkdtemp(), "sweeps.csv")
    >>> sweep(bf.Robot.load("two_link"), Settings(robot="two_link", kind="sweep", output=str(file), json=True))
    {...}
    0
    """
    if settings.output is None:
        raise UsageError("-o is missing", remedy=f"bifilar design {settings.robot} --kind sweep -o sweeps.csv")
    looked = [word for word in ("above", "within", "speed", "self_collision", "start") if getattr(settings, word)]
    if looked:
        option = "--" + looked[0].replace("_", "-")
        raise UsageError(f"sweeps do not look at {option}", remedy=f"leave {option} out, and watch the arm")
    output = Path(settings.output)
    may_be_written([output], force=settings.force)
    plan = plan_sweeps(robot, seed=settings.seed)
    notes = [f"sweeps of {robot.name}: {sum(plan.held)} poses", BLIND]
    slides = {name: "m" for name in robot.joint_names if name in _sliding(robot)}
    save_motion(output, plan.motion.sample(settings.rate), units=slides or None, comments=notes)
    if settings.json:
        sys.stdout.write(json_text(_facts(robot, plan, output)))
    else:
        _show(robot, plan, settings, output)
    return 0


def _sliding(robot: Robot) -> set[str]:
    return {robot.joint_names[k] for k in robot.tree.coordinate[robot.tree.prismatic]}


def _facts(robot: Robot, plan: SweepPlan, output: Path) -> dict[str, object]:
    return {
        "robot": robot.name,
        "files": [str(output)],
        "joints": list(robot.joint_names),
        "poses": sum(plan.held),
        "duration": plan.motion.duration,
        "normal": plan.normal.tolist(),
        "unseen": list(plan.unseen),
    }


def _show(robot: Robot, plan: SweepPlan, settings: Settings, output: Path) -> None:
    rows = [
        [name, f"{share:.0%}", "no pose shows it: its axis stays parallel to gravity" if name in plan.unseen else ""]
        for name, share in zip(robot.joint_names, plan.normal, strict=True)
    ]
    show(
        [
            words(f"{sum(plan.held)} poses in {plan.motion.duration:.0f} s, each approached from both sides; {BLIND}"),
            table([Column("joint", "name"), Column("gravity that bends it"), Column("", "text")], rows),
            words(f"wrote    {output}"),
            next_step(typed_command("bifilar", "gravity", settings.robot, "recorded.csv")),
        ]
    )
