"""Words of `simulate` as a machine: friction it has, a payload it holds, how unlike its description it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from bifilar.cli.design_words import assigned, number, three
from bifilar.cli.friction_words import CHOOSE, MEANT, NONE, USUAL, asked_for, friction_of
from bifilar.cli.guard import UsageError
from bifilar.errors import RobotError
from bifilar.robot.friction import Friction, Term
from bifilar.robot.friction_text import term_text
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot

EXAMPLE = "viscous=0.5 joint3.coulomb=0.2"
WORDS = ("typical", NONE)
TYPICAL = {"coulomb": 0.01, "viscous": 0.01, "offset": 0.004}  # of the effort limit; viscous at the velocity limit


def machine(robot: Robot, *, friction: Sequence[str], payload: str | None, unlike: float, seed: int = 0) -> Robot:
    """The machine that is played; another seed is another one, as unlike.

    >>> machine(Robot.load("pendulum"), friction=["viscous=0.1"], payload=None, unlike=0.0).drive_values
    array([0.1])
    """
    if not 0 <= unlike < 1:
        raise UsageError("usage.value/run", unlike=unlike)
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


def _with_friction(robot: Robot, given: Sequence[str]) -> Robot:
    """`typical`, `none`, or terms with values: viscous=0.5 for all joints, joint3.coulomb=0.2 or coulomb@joint3=0.2 for one."""
    if len(given) == 1 and "=" not in given[0]:
        if given[0] == NONE:
            return robot.with_friction(None)
        if given[0] == WORDS[0]:
            return _typical(robot)
    values: dict[str, float] = {}
    terms: dict[tuple[object, ...], Term] = {}
    for word in given:
        name, text = assigned("--friction", word, EXAMPLE) if "=" in word else _valueless(word)
        for term in _terms(robot, name):
            places = robot.joint_names if term.at is None else term.at
            for place in places:
                one = replace(term, at=(place,))
                key = place, one.word, tuple(name for name, _ in one.parts), one.asymmetric, one.driven_by
                terms[key] = one
                values |= _values(one, text, robot)
    friction = Friction(tuple(_joined(terms.values(), robot)))
    return robot.with_friction(friction, values)


def _valueless(word: str) -> tuple[str, str]:
    raise UsageError(
        "friction.no_value/simulate_words" if word in (CHOOSE, USUAL) else "friction.no_value/valueless", word=word, words=WORDS
    )


def _terms(robot: Robot, name: str) -> list[Term]:
    """Of a term as text, with the joint in front (joint3.coulomb) or behind it (coulomb@joint3)."""
    joint, text = _apart(name, robot)
    try:
        found = [one.term for one in asked_for(text, robot, keywords=WORDS)]
    except UsageError as error:
        error.remedy = f"{error.remedy}=0.3" if error.code == MEANT else error.remedy
        raise
    return found if joint is None else [replace(term, at=(joint,)) for term in found]


def _apart(name: str, robot: Robot) -> tuple[str | None, str]:
    """Joint and term of `joint3.coulomb:width=0.01`; no joint of a term alone."""
    head = re.split("[:@]", name, maxsplit=1)[0]
    for front in (name, head):
        joint, dot, kind = front.rpartition(".")
        if dot and joint in robot.joint_names:
            return joint, kind + name[len(front) :]
    if "." in head:
        raise UsageError("joint.unknown/simulate_words", joints=robot.joint_names, rpartition=head.rpartition(".")[0])
    return None, name


def _values(term: Term, text: str, robot: Robot) -> dict[str, float]:
    """Of the columns of a term at one joint: a number for each, or one: of both directions, of the sine of a wave."""
    names = term.columns(robot.joint_names, robot.drivetrain).names
    given = [number("--friction", part, EXAMPLE) for part in text.split("/")]
    if len(given) not in (1, len(names)):
        raise UsageError(
            "friction.values", given_count=len(given), term_text=term_text(term), name_count=len(names), names=names
        )
    if len(given) == 1:
        return {name: given[0] for k, name in enumerate(names) if k % len(term.parts) == 0}
    return dict(zip(names, given))


def _joined(terms: Iterable[Term], robot: Robot) -> Iterator[Term]:
    """Terms with the same settings at several joints as one; at every joint, without their names."""
    groups: dict[Term, list[str]] = {}
    for term in terms:
        groups.setdefault(replace(term, at=None), []).extend(term.at or ())
    for term, places in groups.items():
        yield term if set(places) == set(robot.joint_names) else replace(term, at=tuple(places))


def _typical(robot: Robot) -> Robot:
    effort, speed = robot.limits.effort, robot.limits.velocity
    if not np.isfinite([effort, speed]).all():
        raise RobotError("limits.missing/simulate_words")
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
        raise UsageError("usage.value/simulate_words", kilograms=kilograms)
    center = np.nan_to_num(three("--payload", place, example)) if place else np.zeros(3)
    ball = 0.4 * kilograms * 0.05**2 * np.eye(3)  # of 5 cm radius
    return robot.with_payload(link, Inertia.from_center_of_mass(kilograms, center, ball))
