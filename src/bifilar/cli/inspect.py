"""`bifilar inspect ROBOT`: the tree, what is odd about the links, what measurements can and cannot identify."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from json import dumps as quoted  # JSON's texts and lists of texts are Python's too
from typing import Annotated, Literal

from tyro.conf import arg

from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.options import Full, HeldJoints, JsonOutput, RobotFile
from bifilar.cli.output import patience, show
from bifilar.cli.public_sets import ROBOT, public_robot, robot_named
from bifilar.robot.robot import Robot

SUMMARY = "What a robot is, what is odd about it, and what its motion can tell."
EXAMPLES = """\
  bifilar inspect panda                         a built-in robot
  bifilar inspect arm.urdf --full               your own, with every equation
  bifilar inspect arm.urdf --lock finger1       with a joint that does not move
  bifilar inspect dog.urdf --floating --json    a free base, for a program to read
"""

ONE_WORD = "inspect takes one robot at a time"

Rows = Literal["auto", "joints", "base", "both"]


@dataclass(frozen=True, kw_only=True)
class Settings(JsonOutput):
    """What to look at, and how.

    >>> Settings(robot="panda").rows
    'auto'
    """

    robot: RobotFile
    rows: Rows = "auto"  # what is measured: joint torque, base wrench, or both; auto is joints, both if floating
    lock: HeldJoints = ()
    floating: Annotated[bool, arg(help_behavior_hint="")] = False  # the base moves freely
    gravity: Annotated[tuple[float, ...], arg(metavar="X Y Z", help_behavior_hint="(default: the file's, or 0 0 -9.81)")] = ()
    # [m/s^2] in the world frame
    full: Full = False


def run(settings: Settings) -> int:
    """Inspect a robot; 1 if it has errors that make its numbers meaningless.

    >>> run(Settings(robot="pendulum", json=True))
    {...}
    0
    """
    from bifilar.cli.identifiable import identify
    from bifilar.cli.inspect_facts import facts

    robot = load(settings)
    with patience("compiling kernels, this once ('bifilar doctor --warm' does it for all of them)"):
        base = identify(robot, settings.rows)
    findings = (*robot.check(), *base.findings)
    if settings.json:
        sys.stdout.write(json_text(facts(robot, settings.robot, findings, base)))
    else:
        from bifilar.cli.inspect_view import view

        show(view(robot, settings.robot, findings, base, settings.full, python(settings), settings.lock))
    return 1 if any(finding.severity == "error" for finding in findings) else 0


def load(settings: Settings) -> Robot:
    """The robot as the settings want it.

    >>> load(Settings(robot="two_link", lock=("joint2",))).joint_names
    ('joint1',)
    """
    if settings.gravity and len(settings.gravity) != 3:
        raise UsageError("usage.value/inspect", gravity_count=len(settings.gravity))
    robot = public_robot(settings.robot)
    if robot is None:
        robot = Robot.load(settings.robot, floating=True if settings.floating else None, gravity=settings.gravity or None)
    elif settings.floating:
        raise UsageError("usage.not_for/inspect")
    elif settings.gravity:
        robot = robot.with_gravity(settings.gravity)
    return robot.locked(settings.lock) if settings.lock else robot


def python(settings: Settings) -> str:
    """The expression that gives the same robot in Python.

    >>> python(Settings(robot="panda", lock=("joint7",), gravity=(0.0, 0.0, -1.62)))
    'bf.Robot.load("panda", gravity=[0.0, 0.0, -1.62]).locked(["joint7"])'
    """
    public = robot_named(settings.robot)
    if public is None:
        text = f"bf.Robot.load({quoted(settings.robot, ensure_ascii=False)}"
        text += ", floating=True" if settings.floating else ""
        text += f", gravity={list(settings.gravity)})" if settings.gravity else ")"
    else:
        which = [word for word in public if word not in ("", ROBOT)]
        text = f"bf.datasets.robot({', '.join(map(quoted, which))})"
        text += f".with_gravity({list(settings.gravity)})" if settings.gravity else ""
    return text + (f".locked({quoted(list(settings.lock), ensure_ascii=False)})" if settings.lock else "")
