"""Walls that a command line puts up: heights, boxes, speeds, distances between links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bifilar.cli.design_words import assigned, number, three
from bifilar.cli.guard import UsageError
from bifilar.experiment.constraint_file import load_constraints
from bifilar.experiment.constraints import Constraint
from bifilar.experiment.points import Above, SpeedBelow, Within
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.design import Settings


def constraints_of(robot: Robot, settings: Settings) -> list[Constraint]:
    """From the limits file, --above, --within, --speed and --self-collision; links are looked up at once.

    >>> from bifilar.cli.design import Settings
    >>> constraints_of(Robot.load("panda"), Settings(robot="panda", above=("flange=0.15",)))[0].least
    0.15
    """
    found: list[Constraint] = [] if settings.limits is None else load_constraints(robot, settings.limits)
    for text in settings.above:
        link, height = assigned("--above", text, "tool=0.15")
        found.append(Above(link, number("--above", height, "tool=0.15")))
    for text in settings.within:
        found.append(_box(text))
    for text in settings.speed:
        link, most = assigned("--speed", text, "tool=0.5")
        found.append(SpeedBelow(link, number("--speed", most, "tool=0.5")))
    if settings.self_collision:
        from bifilar.experiment.clearance import Clearance

        found.append(Clearance.of(robot))
    for constraint in found:
        constraint.on(robot)  # an unknown link is told by name before the search
    return found


def _box(text: str) -> Within:
    example = "tool=-0.5,-0.5,0.1:0.5,0.5,"
    link, corners = assigned("--within", text, example)
    low, colon, high = corners.partition(":")
    if not colon:
        raise UsageError(f"--within '{text}' has one corner", remedy=f"--within {example}")
    lower, upper = np.array(three("--within", low, example)), np.array(three("--within", high, example))
    return Within(link, np.where(np.isnan(lower), -np.inf, lower), np.where(np.isnan(upper), np.inf, upper))
