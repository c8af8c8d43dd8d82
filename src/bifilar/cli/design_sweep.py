"""`bifilar design ROBOT --kind sweep -o sweeps.csv`: poses to hold for a gravity model, one joint turned at a time."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from bifilar.cli.design_files import may_be_written
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import Column, next_step, show, table, typed_command, words
from bifilar.experiment.design import design
from bifilar.experiment.sweep_plan import BLIND, SweepPlan
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.design import Settings

HELD = ("robot", "kind", "output", "rate", "margin", "seed", "limits", "lock", "poses", "force", "json")
PAGE = ("no_page", "no_ladder")  # held poses have neither: asking for none of them is no mistake


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
        raise UsageError("usage.missing/design_sweep", robot=settings.robot)
    understood(settings, "sweeps", (*HELD, "at_stops"))
    output = Path(settings.output)
    may_be_written([output], force=settings.force)
    plan = design(
        robot, kind="sweep", count=settings.poses, at_stops=settings.at_stops, margin=settings.margin, seed=settings.seed
    )
    plan.save(output, rate=settings.rate)
    if settings.json:
        sys.stdout.write(json_text(_facts(robot, plan, output)))
    else:
        _show(robot, plan, settings, output)
    return 0


def understood(settings: Settings, who: str, taken: tuple[str, ...]) -> None:
    """Refuses options that a kind of motion would pass over in silence.

    >>> from bifilar.cli.design import Settings
    >>> understood(Settings(robot="panda", kind="sweep"), "sweeps", HELD)
    """
    for word in fields(settings):
        if word.name not in (*taken, *PAGE) and getattr(settings, word.name) != word.default:
            raise UsageError("usage.not_for/design_sweep", who=who, name=word.name.replace("_", "-"))


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
