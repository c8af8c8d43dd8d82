"""The page about a loop: the tool on its path, joints beside what was wanted, a push, torque beside its limits, playback."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bifilar.control.cartesian import PathMotion
from bifilar.control.tracking import Tracking
from bifilar.dynamics.tree import Array
from bifilar.report.design_page import SPACE
from bifilar.report.envelope import envelope
from bifilar.report.page import Drawings, Page, Section, Words
from bifilar.report.plot import Level, Line, Mark, Plot, colour
from bifilar.report.scene import space
from bifilar.report.simulation_page import tracking_plots
from bifilar.robot.robot import Robot
from bifilar.simulate.closed_loop import LoopRun
from bifilar.simulate.pushes import JointPush

KEYS = (("wanted", "ink", "dashed"), ("moved", "identified", "line"))
NEAR = 0.6  # share of its limit from which on a torque's limit is drawn


def control_page(
    robot: Robot,
    run: LoopRun,
    seen: Tracking,
    frame: str,
    *,
    motion: PathMotion | None = None,
    push: JointPush | None = None,
    limits: Array,
    title: str = "A robot in the loop",
    lead: str = "",
    facts: Sequence[tuple[str, str, str]] = (),
    table: Sequence[Sequence[str]] = (),
    told: Sequence[Sequence[Any]] = (),
    foot: str = "",
) -> Page:
    """All about a run; `frame` is the tool.

    >>> robot = bf.Robot.load("pendulum")
    >>> run = bf.run_loop(robot, bf.ComputedTorque(robot, omega=20.0), bf.quintic(["joint1"], [[0.0], [0.5]], [0.0, 1.0]))
    >>> from bifilar.control.tracking import tracking
    >>> page = control_page(robot, run, tracking(robot, run, "link1"), "link1", limits=robot.limits.effort)
    >>> [section.title for section in page.sections]
    ['How well it followed', 'The tool', 'The joints', 'Errors', 'Torque', 'The motion in space']
    """
    names, time = robot.joint_names, run.time
    picture = space(robot, time, run.position, described=np.array(robot.body_parameters))
    sections: list[Section] = [
        Words("How well it followed", "", told or [["", ""]], prose=True),
        Drawings(
            "The tool",
            f"Where '{frame}' was asked to be, and where it was.",
            tool_plots(robot, run, seen, frame),
            KEYS,
            wide=True,
        ),
        Drawings("The joints", "Positions.", joint_plots(robot, run, push), KEYS),
        Drawings("Errors", "Wanted less actual position.", tracking_plots(time, run.error, names), table=table),
        Drawings("Torque", "What the drives delivered. Limits in red where it comes near.", torque_plots(robot, run, limits)),
        Drawings("The motion in space", SPACE, pictures=picture),
    ]
    if push is not None:
        words = f"{push.torque:g} on '{push.joint}', from {push.start:g} s to {push.stop:g} s."
        plot = [_joint(robot, run, names.index(push.joint), push, 220)]
        sections.insert(2, Drawings("The push", words, plot, KEYS, wide=True))
    return Page(title, lead, facts, sections, foot)


def tool_plots(robot: Robot, run: LoopRun, seen: Tracking, frame: str) -> list[Plot]:
    """The tool in the plane of the two directions in which it moves most, and how far off it was."""
    wanted, place = (robot.pose(frame, q)[1] for q in (run.reference.position, run.position))
    first, second = sorted(np.argsort(np.ptp(wanted, axis=0), kind="stable")[-2:].tolist())
    lines = [
        Line(wanted[:, first], wanted[:, second], "ink", "wanted", "dashed"),
        Line(place[:, first], place[:, second], "identified", "moved"),
    ]
    away = [Line(*envelope(run.time, 1e3 * seen.tool), "identified", "from where it should be")]
    if seen.path is not None:
        away.append(Line(*envelope(run.time, 1e3 * seen.path), "described", "from the path"))
    return [
        Plot("In space", f"{'xyz'[second]} [m] over {'xyz'[first]}", lines, x_unit="m", height=300, equal=True),
        Plot("Distance", "from where it should be (blue), from the path (orange) [mm]", away, height=300),
    ]


def joint_plots(robot: Robot, run: LoopRun, push: JointPush | None = None) -> list[Plot]:
    """Wanted and actual positions of every joint."""
    return [_joint(robot, run, k, push, 130) for k in range(len(robot.joint_names))]


def _joint(robot: Robot, run: LoopRun, k: int, push: JointPush | None, height: int) -> Plot:
    name = robot.joint_names[k]
    lines = [
        Line(*envelope(run.time, run.reference.position[:, k]), "ink", "wanted", "dashed"),
        Line(*envelope(run.time, run.position[:, k]), "identified", "moved"),
    ]
    pushed = push is not None and push.joint == name
    marks = [Mark(push.start, push.stop, "warning", "push", f"{push.torque:g}")] if push is not None and pushed else []
    unit = "m" if name in robot.sliding else "rad"
    return Plot(name, f"position [{unit}]", lines, marks=marks, height=height)


def torque_plots(robot: Robot, run: LoopRun, limits: Array) -> list[Plot]:
    """Delivered torque of every joint."""
    plots = []
    for k, name in enumerate(robot.joint_names):
        near = np.abs(run.torque[:, k]).max() > NEAR * limits[k]
        levels = [Level(-float(limits[k]), beyond=-1), Level(float(limits[k]), beyond=1)] if near else []
        unit = "N" if name in robot.sliding else "N m"
        lines = [Line(*envelope(run.time, run.torque[:, k]), colour(k), "torque")]
        top = 1.1 * float(limits[k])
        plots.append(Plot(name, f"[{unit}]", lines, levels=levels, height=120, y_range=(-top, top) if near else None))
    return plots
