"""Walls that a command line puts up: heights, boxes, speeds, distances between links."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bifilar.cli.design_words import assigned, number, three
from bifilar.cli.guard import UsageError
from bifilar.experiment.clearance import Clearance
from bifilar.experiment.constraint_file import load_constraints
from bifilar.experiment.constraints import Constraint
from bifilar.experiment.points import Above, SpeedBelow, Within
from bifilar.robot.capsules import capsules
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.design import Settings


def constraints_of(robot: Robot, settings: Settings) -> list[Constraint]:
    """From the limits file, --above, --within, --speed and --self-collision; links are looked up at once.

    >>> from bifilar.cli.design import Settings
    >>> constraints_of(Robot.load("panda"), Settings(robot="panda", above=("flange=0.15",)))[0].least
    0.15
    """
    folder = settings.mesh_folder
    found: list[Constraint] = [] if settings.limits is None else load_constraints(robot, settings.limits, mesh_folder=folder)
    for text in settings.above:
        link, height = assigned("--above", text, "tool=0.15")
        found.append(Above(link, number("--above", height, "tool=0.15")))
    for text in settings.within:
        found.append(_box(text))
    for text in settings.speed:
        link, most = assigned("--speed", text, "tool=0.5")
        found.append(SpeedBelow(link, number("--speed", most, "tool=0.5")))
    if settings.self_collision and not any(isinstance(constraint, Clearance) for constraint in found):
        found.append(Clearance.of(robot, own=None if folder is None else capsules(robot, mesh_folder=folder), margin=0.0))
    found = [_with_margin(constraint, settings) for constraint in found]
    for constraint in found:
        constraint.on(robot)  # an unknown link is told by name before the search
    return found


def _with_margin(constraint: Constraint, settings: Settings) -> Constraint:
    """With --clearance [m] or --margin (a share, of speeds), where the limits file does not ask for more."""
    if isinstance(constraint, SpeedBelow):
        return replace(constraint, margin=max(constraint.margin, settings.margin))
    if isinstance(constraint, (Above, Within, Clearance)):
        return replace(constraint, margin=max(constraint.margin, settings.clearance))
    return constraint


def _box(text: str) -> Within:
    example = "tool=-0.5,-0.5,0.1:0.5,0.5,"
    link, corners = assigned("--within", text, example)
    low, colon, high = corners.partition(":")
    if not colon:
        raise UsageError("usage.value/design_constraints", text=text)
    lower, upper = np.array(three("--within", low, example)), np.array(three("--within", high, example))
    return Within(link, np.where(np.isnan(lower), -np.inf, lower), np.where(np.isnan(upper), np.inf, upper))
