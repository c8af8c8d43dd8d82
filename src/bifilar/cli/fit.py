"""`bifilar fit ROBOT LOG --test OTHER`: from a description and recordings to a better description, judged on unseen motion."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from bifilar.cli.friction_words import CHOOSE, FittedFriction
from bifilar.cli.letter import json_text
from bifilar.cli.log_words import MotionSettings
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

Methods = Literal["consistent", "least-squares"]


@dataclass(frozen=True, kw_only=True)
class Settings(MotionSettings):
    """What to fit to what, and how.

    >>> Settings(robot="arm.urdf", logs=("run.csv",)).method
    'consistent'
    """

    robot: Annotated[Positional[str], arg(metavar="ROBOT")]  # .urdf, .xml or .mjcf, .toml (DH table), or a built-in name
    logs: Annotated[Positional[tuple[str, ...]], arg(metavar="LOG ...", help_behavior_hint="")]
    """to be fitted; see 'bifilar check --help' for formats"""
    test: Annotated[tuple[str, ...], arg(metavar="LOG ...", help_behavior_hint="(default: the last 30 %)")] = ()
    """logs to judge on, never fitted; 'none': fit everything, judge nothing"""
    method: Methods = "consistent"  # links that can exist, or base parameters by least squares
    friction: FittedFriction = CHOOSE
    cutoff: Annotated[float | None, arg(metavar="HZ", help_behavior_hint="(default: from the log)")] = None  # of the filter
    score_cutoff: Annotated[float | None, arg(metavar="HZ", help_behavior_hint="")] = None
    """score the judged logs at this filter too, every sample: a figure to compare with others', whatever the fit used"""
    prior: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="(default: chosen)")] = None
    """how well the description's links are believed: 0.1 is 10 %; left out, held-out blocks of the fitted logs tell"""
    lock: Annotated[tuple[str, ...], arg(metavar="JOINT[=AT] ...", help_behavior_hint="")] = ()
    """joints that stood still, held where the log has them; joint2=-0.5 says where, in rad or m"""
    output: Annotated[str | None, arg(metavar="FOLDER", aliases=["-o"], help_behavior_hint="(default: runs/ROBOT-001)")] = None
    anyway: Annotated[bool, arg(help_behavior_hint="")] = False  # fit a log although checks found errors in it
    no_page: Annotated[bool, arg(help_behavior_hint="")] = False  # no HTML page
    force: Annotated[bool, arg(help_behavior_hint="")] = False  # replace the folder of an earlier run
    json: Annotated[bool, arg(help_behavior_hint="")] = False  # one JSON object instead of text


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
