"""The page about a designed motion: what it does, what it leaves of the limits, what it promises, how it looks in space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.experiment.trajectory import Motion
from bifilar.report.bar_figures import Promise, deviation_bars, margin_bars, margin_keys
from bifilar.report.motion_figures import joint_keys, joint_plots, shares_plots
from bifilar.report.page import Drawings, Page, Section
from bifilar.report.run import owners
from bifilar.report.scene import space
from bifilar.report.usage import used
from bifilar.robot.robot import Robot

GOOD = 0.10  # relative deviation
SPACE = (
    "Links as sticks between their origins, a ball for every joint, the path of the end in grey, links' inertias as "
    "ellipsoids. "
    "Drag to turn, double click to zoom."
)


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
    moved = motion.joints(names)
    picture = space(robot, moved.time, moved.position, described=np.array(robot.body_parameters))
    words = "Limits in red. Every joint has its colour on the whole page."
    sections: list[Section] = [
        Drawings("The motion in space", SPACE, pictures=picture),
        Drawings("Joint positions", words, joint_plots(motion.time, uses[0], names)),
        Drawings(
            "Use of the limits",
            "The largest share of each limit. What is missing to 100 % is its margin.",
            keys=margin_keys(uses),
            pictures=margin_bars(uses, names),
            table=margins,
        ),
        Drawings(
            "Over time",
            "In percent of the limits, torque by the description's own numbers. A click on a name hides a joint.",
            shares_plots(motion.time, uses[1:], names),
            keys=joint_keys(names),
            wide=True,
        ),
    ]
    if found:
        bars = deviation_bars(found, owners(robot))
        sections.append(Drawings("What it will tell", promise_words(found), pictures=bars))
    return Page(title, lead, facts, sections, foot)


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
    words += " The scale is logarithmic; above 100 % a parameter stays unknown."
    words += " A name stands for a whole sum of parameters, see bifilar inspect --full."
    unknown = [promise for promise in found if not np.isfinite(promise.relative)]
    if unknown:
        shown = ", ".join(f"{promise.name} ± {promise.deviation:.2g}" for promise in unknown[:8])
        words += f" Nothing of the kind is stated of {len(unknown)}: {shown}{', and others' if len(unknown) > 8 else ''}."
    return words
