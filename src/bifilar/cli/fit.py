"""`bifilar fit ROBOT LOG --test OTHER`: from a description and recordings to a better description, judged on unseen motion."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import arg

from bifilar.cli.friction_words import CHOOSE, FittedFriction
from bifilar.cli.letter import json_text
from bifilar.cli.options import (
    METHOD,
    Anyway,
    Cutoff,
    HeldInLog,
    Logs,
    MethodWord,
    MotionSettings,
    RobotFile,
    RunOutput,
    ScoreCutoff,
    TestLogs,
)
from bifilar.cli.output import show
from bifilar.cli.progress import steps

SUMMARY = """Masses, inertias and friction of a robot from recordings, and a verdict on motion that was not fitted.

Writes a folder with the identified robot, every number with its error bar, and a page. Exit code 1 if the result is not to
be trusted."""
EXAMPLES = """\
  bifilar fit arm.urdf run.csv --test other.csv          fit one log, judge on another; results in runs/
  bifilar fit arm.urdf run1.mcap run2.mcap               without --test, the last 30 % of each log are kept apart
  bifilar fit arm.urdf run.csv --friction usual          viscous, Coulomb and offset friction, chosen by nobody
  bifilar fit arm.urdf run.csv --friction viscous+coulomb+stribeck:speed=0.05
  bifilar fit arm.urdf run.csv --mapping run.toml --lock 'finger*' -o runs/arm
"""


@dataclass(frozen=True, kw_only=True)
class Settings(MotionSettings, RunOutput):
    """What to fit to what, and how.

    >>> Settings(robot="arm.urdf", logs=("run.csv",)).method
    'consistent'
    """

    robot: RobotFile
    logs: Logs
    test: TestLogs = ()
    method: MethodWord = METHOD
    friction: FittedFriction = CHOOSE
    cutoff: Cutoff = None
    score_cutoff: ScoreCutoff = None
    prior: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="(default: chosen)")] = None
    """deviation of the nominal model's links: 0.1 is 10 %; left out, the fitted logs tell"""
    total_mass: Annotated[tuple[float, ...], arg(metavar="KG [DEVIATION]", help_behavior_hint="(default: unknown)")] = ()
    """mass of all moving links together, exact or with a standard deviation [kg]"""
    lock: HeldInLog = ()
    anyway: Anyway = False


def run(settings: Settings) -> int:
    """Fit, judge, write; 1 if the verdict is poor or refused.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> robot = bf.Robot.load("pendulum")
    >>> time = np.arange(0, 20, 0.01)
    >>> q, v, a = np.sin(time)[:, None], np.cos(time)[:, None], -np.sin(time)[:, None]
    >>> torque = robot.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    >>> bf.Recording(joint_names=("joint1",), time=time, position=q, torque=torque).save(folder / "swing.csv")
    >>> words = {"robot": "pendulum", "logs": (str(folder / "swing.csv"),), "output": str(folder / "run")}
    >>> run(Settings(**words, anyway=True, no_page=True, json=True))
    {...}
    0
    """
    from bifilar.cli.fit_run import fitted, work, written

    with steps(work(settings) + 1) as tell:
        done = fitted(settings, tell)
        tell("writing")
        folder = written(done)
    if settings.json:
        sys.stdout.write(json_text(done.facts(folder)))
    else:
        from bifilar.cli.fit_view import view

        show(view(done, folder))
    return 0 if done.verdict.level in ("good", "usable", "not judged") else 1
