"""The page about a designed motion: what it does, what it leaves of the limits, what it promises, how it looks in space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.experiment.trajectory import Motion
from bifilar.report.bar_figures import Promise, deviations_figure, margins_figure
from bifilar.report.motion_figures import joint_figures, shares_figure
from bifilar.report.page import Page, Section
from bifilar.report.pose_figure import pose_figure
from bifilar.report.usage import used
from bifilar.robot.robot import Robot

GOOD = 0.10  # relative deviation


def design_page(
    robot: Robot,
    motion: Motion,
    found: Sequence[Promise],
    *,
    title: str = "An exciting motion",
    lead: str = "",
    facts: Sequence[tuple[str, str, str]] = (),
    margins: Sequence[Sequence[str]] = (),
    foot: str = "",
) -> Page:
    """All about a designed motion; `found`: what it promises, `margins`: a table of what was proven, its head first.

    >>> robot = bf.Robot.load("two_link")
    >>> motion = bf.quintic(robot.joint_names, [[0.0, 0.0], [1.0, -1.0]], [0.0, 2.0]).sample(100)
    >>> [section.title for section in design_page(robot, motion, []).sections][:2]
    ['The motion in space', 'Joint positions']
    """
    uses = used(robot, motion)
    names = robot.joint_names
    sections = [
        Section("The motion in space", SPACE, [pose_figure(robot, motion)]),
        Section(
            "Joint positions",
            "Limits in red. Every joint has its colour on the whole page.",
            joint_figures(motion.time, uses[0], names),
            small=True,
        ),
        Section(
            "Use of the limits",
            "The largest share of each limit. What is left above a bar is its margin.",
            [margins_figure(uses, names)],
            table=margins,
        ),
        Section(
            "Over time",
            "In shares of the limits, torque by the description's own numbers. A click on a name hides a joint.",
            [shares_figure(motion.time, uses[1:], names)],
        ),
    ]
    if found:
        sections.append(Section("What it will tell", promise_words(found), [deviations_figure(found, owners(robot))]))
    return Page(title, lead, facts, sections, foot)


SPACE = (
    "Links as sticks between their origins, a ball for every joint, the path of the end in grey. Drag to turn, scroll to zoom."
)


def owners(robot: Robot) -> dict[str, int]:
    """The place of the joint that moves each link, and of each joint itself, by name.

    >>> owners(bf.Robot.load("two_link"))["link2"]
    1
    """
    found = {joint.child: robot.joint_names.index(joint.name) for joint in robot.joints if joint.name in robot.joint_names}
    return found | {name: k for k, name in enumerate(robot.joint_names)}


def promise_words(found: Sequence[Promise]) -> str:
    """The picture in a sentence.

    >>> promise_words([Promise("link1.mass", 0.1, 2.0, 2.0), Promise("joint1.offset", 0.1, 0.0, 0.0)])
    "Standard deviations ...: 1 of 2 below 10 % of the parameter's size ...
    """
    good = sum(promise.relative < GOOD for promise in found)
    words = "Standard deviations that least squares on this motion will have, for the torque noise assumed: "
    words += (
        f"{good} of {len(found)} below 10 % of the parameter's size (its stated value, or a tenth of the largest of its kind)."
    )
    words += " A name stands for a whole sum of parameters, see bifilar inspect --full."
    unknown = [promise for promise in found if not np.isfinite(promise.relative)]
    if unknown:
        shown = ", ".join(f"{promise.name} ± {promise.deviation:.2g}" for promise in unknown[:8])
        words += f" Nothing of the kind is stated of {len(unknown)}: {shown}{', and others' if len(unknown) > 8 else ''}."
    return words
