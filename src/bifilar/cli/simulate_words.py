"""Words of `simulate` as a machine: friction it has, a payload it holds, how unlike its description it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.cli.design_words import TERMS, assigned, friction_of, number, three
from bifilar.cli.guard import UsageError
from bifilar.errors import RobotError
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot

COLUMNS = {"rotor": "rotor_inertia", "position": "position_sin1"}  # of words that are no column's name
TYPICAL = {"coulomb": 0.01, "viscous": 0.01, "offset": 0.004}  # of the effort limit; viscous at the velocity limit


def machine(robot: Robot, *, friction: Sequence[str], payload: str | None, unlike: float, seed: int = 0) -> Robot:
    """The machine that is played; another seed is another one, as unlike.

    >>> machine(Robot.load("pendulum"), friction=["viscous=0.1"], payload=None, unlike=0.0).drive_values
    array([0.1])
    """
    if not 0 <= unlike < 1:
        raise UsageError(f"--unlike {unlike:g} is not a share from 0 to less than 1", remedy="--unlike 0.3")
    robot = _unlike(robot, unlike, seed) if unlike else robot
    robot = _with_friction(robot, friction) if friction else robot
    return robot if payload is None else _with_payload(robot, payload)


def _unlike(robot: Robot, share: float, seed: int) -> Robot:
    """Every link's mass, centre of mass and inertia off by up to a share, the same for a seed; bodies stay possible."""
    rng = np.random.default_rng(seed)
    changed = {}
    for link in robot.links:
        mass, center, turn = rng.uniform(1 - share, 1 + share, 3)
        body = link.inertia
        if body.mass > 0:
            about = turn * mass * body.about_center_of_mass
            changed[link.name] = Inertia.from_center_of_mass(mass * body.mass, center * body.center_of_mass, about)
    return robot.with_inertia(changed)


def _with_friction(robot: Robot, words: Sequence[str]) -> Robot:
    """`typical`, `none`, or values: viscous=0.5 for every joint, joint3.coulomb=0.2 for one."""
    if len(words) == 1 and "=" not in words[0]:
        if words[0] == "none":
            return robot.with_friction(None)
        if words[0] == "typical":
            return _typical(robot)
        raise UsageError(f"--friction '{words[0]}'", remedy="typical, none, or values such as viscous=0.5 joint3.coulomb=0.2")
    example = "viscous=0.5 joint3.coulomb=0.2"
    values: dict[str, float] = {}
    kinds: list[str] = []
    for word in words:
        name, text = assigned("--friction", word, example)
        joint, _, kind = name.rpartition(".")
        if kind not in TERMS:
            raise UsageError(f"--friction has no term '{kind}'", terms=", ".join(TERMS), remedy=f"--friction {example}")
        if joint and joint not in robot.joint_names:
            raise UsageError(f"--friction: there is no joint '{joint}'", joints=", ".join(robot.joint_names))
        column = COLUMNS.get(kind, kind)
        values |= {f"{j}.{column}": number("--friction", text, example) for j in ([joint] if joint else robot.joint_names)}
        kinds.append(kind)
    return robot.with_friction(friction_of("+".join(dict.fromkeys(kinds))), values)


def _typical(robot: Robot) -> Robot:
    effort, speed = robot.limits.effort, robot.limits.velocity
    if not np.isfinite([effort, speed]).all():
        remedy = "give --limits, or values such as --friction viscous=0.5 coulomb=0.2"
        raise RobotError("typical friction is a share of effort and velocity limits, and some are not known", remedy=remedy)
    sizes = {"coulomb": effort, "viscous": effort / speed, "offset": effort}
    values = {
        f"{j}.{kind}": float(share * sizes[kind][k]) for kind, share in TYPICAL.items() for k, j in enumerate(robot.joint_names)
    }
    return robot.with_friction(friction_of("+".join(TYPICAL)), values)


def _with_payload(robot: Robot, text: str) -> Robot:
    """LINK=KG, or LINK=KG:x,y,z with the place of its centre in the link's frame [m]."""
    example = "flange=1.5:0,0,0.05"
    link, value = assigned("--payload", text, example)
    mass, _, place = value.partition(":")
    kilograms = number("--payload", mass, example)
    if kilograms <= 0:
        raise UsageError(f"--payload weighs {kilograms:g} kg", remedy=f"--payload {example}")
    center = np.nan_to_num(three("--payload", place, example)) if place else np.zeros(3)
    ball = 0.4 * kilograms * 0.05**2 * np.eye(3)  # of 5 cm radius
    return robot.with_payload(link, Inertia.from_center_of_mass(kilograms, center, ball))
