"""`bifilar simplify ROBOT TRAIN --validate V --test T`: a model with fewer parameters, chosen and scored on unseen motion."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from bifilar.cli.friction_words import FITTED, FITTED_WORDS
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.options import Anyway, Cutoff, GivenLimits, HeldInLog, MotionSettings, RobotFile, RunOutput, TestLogs
from bifilar.cli.output import show
from bifilar.cli.progress import steps
from bifilar.robot.friction_text import EXAMPLE

SUMMARY = """A model with fewer parameters that predicts as well or better than the full one.

Parameters go one by one; how many is chosen on one motion (--validate, or stretches of the fitted logs in turn) and scored
on another (--test). Writes a folder as 'bifilar fit' does. With --next every model gets a motion of its own: the command
writes the motion to run, and goes on when its log is in the folder."""
EXAMPLES = """\
  bifilar simplify arm.urdf run1.csv --validate run2.csv --test run3.csv
  bifilar simplify arm.urdf run.csv                        the last 30 % kept apart, stretches of the rest choose
  bifilar simplify arm.urdf run.csv --tolerance 2.0        the smallest model with errors below 2 N m in every joint
  bifilar simplify arm.urdf --next steps --duration 20     a motion to run; again, when its log is in the folder
"""

Rules = Literal["contribution", "threshold", "essential", "deviation", "spread", "lasso"]
Stops = Literal["validation", "condition", "stall", "own"]


@dataclass(frozen=True, kw_only=True)
class Settings(MotionSettings, GivenLimits, RunOutput):
    """What to simplify by what, and how.

    >>> Settings(robot="arm.urdf", logs=("run.csv",)).rule
    'contribution'
    """

    robot: RobotFile
    logs: Annotated[Positional[tuple[str, ...]], arg(metavar="TRAIN ...", help_behavior_hint="")] = ()  # to be fitted
    validate: Annotated[tuple[str, ...], arg(metavar="LOG ...", help_behavior_hint="(default: stretches in turn)")] = ()
    """logs to choose the model by, never fitted"""
    test: TestLogs = ()
    rule: Rules = "contribution"  # what goes next: least torque, worst seen, worst known, most different between runs, LASSO
    stop: Stops = "validation"  # where: least held-out error; condition below 100; no longer falling; the rule's own
    judged: Literal["noise", "torque"] = "noise"  # held-out errors in units of each joint's noise, or all torque together
    slack: Annotated[float, arg(metavar="SHARE")] = 0.0  # a smaller model may be worse by this share: 0.01 is 1 %
    tolerance: Annotated[tuple[str, ...], arg(metavar="NM | JOINT=NM ...", help_behavior_hint="")] = ()
    """the smallest model whose held-out error (root mean square) stays below this, for all joints or by name"""
    weights: Literal["noise", "equal"] = "noise"  # of the joints: by their noise, or all alike as in the paper
    no_rivals: Annotated[bool, arg(help_behavior_hint="")] = False  # no table of the other rules
    friction: Annotated[
        str | None,
        arg(metavar="TERMS", help=FITTED, help_behavior_hint=f"(default: {EXAMPLE}; with --next usual)"),
        FITTED_WORDS,
    ] = None
    cutoff: Cutoff = None
    next: Annotated[str | None, arg(metavar="FOLDER", help_behavior_hint="")] = None
    """design a motion for every model: the folder keeps motions, logs and where it stands"""
    duration: Annotated[float | None, arg(metavar="S", help_behavior_hint="")] = None  # of a motion's period, with --next
    harmonics: Annotated[int, arg(metavar="N", help_behavior_hint="(default: 5)")] = 5  # of the motions, with --next
    lock: HeldInLog = ()
    anyway: Anyway = False


def run(settings: Settings) -> int:
    """Simplify, judge, write; 1 if the verdict is poor or a tolerance does not hold on the test.

    >>> run(Settings(robot="pendulum"))
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: no log is named
      try     bifilar simplify pendulum run.csv, or --next FOLDER for motions to run
    """
    from bifilar.cli.fit_run import work, written
    from bifilar.cli.simplify_run import facts, simplified

    if settings.next is not None:
        from bifilar.cli.simplify_next import proceed

        return proceed(settings)
    if not settings.logs:
        raise UsageError("usage.no_log/simplify", robot=settings.robot)
    with steps(work(settings) + len(settings.validate) + 2) as tell:  # type: ignore[arg-type]
        done = simplified(settings, tell)
        tell("writing")
        folder = written(done)
    if settings.json:
        sys.stdout.write(json_text(facts(done, folder)))
    else:
        from bifilar.cli.simplify_view import view

        show(view(done, folder))
    return 1 if done.is_poor else 0
