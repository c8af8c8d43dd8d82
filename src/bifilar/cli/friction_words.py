"""`--friction` of every command: the same words, the same terms.

    choose   terms by evidence: those that predict held-out segments of the fitted logs better
    usual    viscous, Coulomb (hard sign) and offset, beside what the nominal model states itself
    none     no friction
    TERMS    viscous+coulomb:width=0.01+stribeck:speed=0.05@elbow,wrist*      (bifilar.robot.friction_text)

A sign whose width is left out is smooth: commands that fit choose the width by evidence, others take the one they state.
"""

from __future__ import annotations

import math
from dataclasses import replace
from difflib import get_close_matches
from typing import Annotated, Any, NamedTuple

from tyro.conf import arg

from bifilar.cli.guard import UsageError
from bifilar.errors import RobotError
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.usual_friction import USUAL_FRICTION, with_usual
from bifilar.messages import joined
from bifilar.robot.friction import TERMS, Friction, Term, word_of
from bifilar.robot.friction_data import friction_data
from bifilar.robot.friction_text import EXAMPLE, Asked, asked, friction_text, settings_of, words
from bifilar.robot.robot import Robot

MEANT = "friction.misspelt"  # a letter whose remedy is the text that was meant

CHOOSE, USUAL, NONE = "choose", "usual", "none"
USUAL_TEXT = friction_text(USUAL_FRICTION)


class Words(NamedTuple):
    """What a shell may complete after an option whose value is no plain choice; stands in the option's annotation.

    >>> Words(("choose",)).words
    ('choose',)
    """

    words: tuple[str, ...]


def grammar() -> str:
    """Terms with their settings, as the help has them.

    >>> grammar()
    'viscous, coulomb (width), ... stribeck (speed, width), ... rotor; all but rotor: asymmetric, driven_by'
    """
    common = [one.name for one in settings_of(TERMS[0])]
    own = {kind: [one.name for one in settings_of(kind) if one.name not in common] for kind in TERMS}
    shown = [word_of(kind) + (f" ({', '.join(names)})" if names else "") for kind, names in own.items()]
    plain = [word_of(kind) for kind in TERMS if not settings_of(kind)]
    return f"{', '.join(shown)}; all but {', '.join(plain)}: {', '.join(common)}"


HOW = "joined by '+'; with settings and joints: stribeck:speed=0.05,width=0.01@elbow,'wrist*', viscous:asymmetric"
FITTED_WORDS = Words((CHOOSE, USUAL, NONE, *words()))
GIVEN_WORDS = Words((USUAL, NONE, *words()))
FITTED = f"choose (terms by evidence), usual ({USUAL_TEXT}), none, or terms {HOW}. Terms and settings: {grammar()}"
GIVEN = (
    f"to be identified beside the nominal model's own: {EXAMPLE}, none, or other terms {HOW}. Terms and settings: {grammar()}"
)
FittedFriction = Annotated[str, arg(metavar="TERMS", help=FITTED, help_behavior_hint="(default: choose)"), FITTED_WORDS]
GivenFriction = Annotated[str, arg(metavar="TERMS", help=GIVEN), GIVEN_WORDS]

PLAYED = (
    "typical (1 % of the effort limit), none, or terms with values: viscous=0.5 for all joints, joint3.coulomb=0.2 for one, "
    "stribeck:speed=0.05@joint3=0.3, viscous:asymmetric=0.4/0.5; terms are those of 'bifilar fit --help'"
)
PLAYED_WORDS = Words(("typical", NONE, *(f"{word}=" for word in words())))


def beside(what: str) -> str:
    """A help text: what a command takes by default, and what else it takes.

    >>> beside("offset if left out")[:30]
    'offset if left out. usual, non'
    """
    return f"{what}. {USUAL}, {NONE}, or terms {HOW}; 'bifilar fit --help' lists them"


def asked_for(text: str, robot: Robot | None = None, *, keywords: tuple[str, ...] = (NONE,)) -> tuple[Asked, ...]:
    """Terms that a text names; with a robot, joints and motors are looked up and no column may be there twice.

    >>> len(asked_for("viscous+coulomb")), len(asked_for("none"))
    (2, 0)
    >>> asked_for("vicous")
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: --friction: there is no friction term 'vicous'
      terms   viscous, coulomb, offset, stribeck, power, load, position, rotor; or none
      likely  a misspelling of 'viscous'
      try     --friction viscous
    """
    try:
        found = asked(text, None if robot is None else _names(robot))
        if robot is not None:
            Friction(tuple(one.term for one in found)).columns(robot.joint_names, robot.drivetrain)
        return found
    except RobotError as error:
        raise _usage(error, text, keywords) from None


def friction_of(text: str, robot: Robot | None = None, *, width: float = 0.0) -> Friction:
    """Friction for a command that has no data to choose by; `width` [rad/s] or [m/s] is that of signs for which none is given.

    >>> len(friction_of("viscous+coulomb").terms), friction_of("coulomb", width=0.02).terms[0].width
    (2, 0.02)
    >>> friction_of("choose")
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: --friction choose: this command has no evidence to choose by
      try     --friction usual, or terms: viscous+coulomb+offset
    """
    word = text.strip().lower()
    if word == CHOOSE:
        raise UsageError("friction.no_evidence")
    found = asked_for(USUAL_TEXT if word == USUAL else text, robot, keywords=(USUAL, NONE))
    return Friction(tuple(with_width(one, width) for one in found))


def with_width(one: Asked, width: float) -> Term:
    """The term, with this width where none was given.

    >>> with_width(asked("coulomb")[0], 0.1).width
    0.1
    """
    settings: dict[str, Any] = {"width": width} if one.is_open else {}
    return replace(one.term, **settings)


def refuse_unknown(text: str, robot: Robot | None = None) -> None:
    """Says what is wrong with a text before any work is done.

    >>> refuse_unknown("choose")
    """
    if text.strip().lower() not in (CHOOSE, USUAL):
        asked_for(text, robot, keywords=(CHOOSE, USUAL, NONE))


def usual_of(robot: Robot) -> Friction:
    """What `usual` means for a robot: its own terms, and the usual ones that it lacks.

    >>> friction_text(usual_of(Robot.load("pendulum")))
    'viscous+coulomb:width=0+offset'
    """
    return with_usual(robot.friction)


def open_usual(robot: Robot) -> tuple[Asked, ...]:
    """The same terms with widths to be chosen where none is stated.

    >>> [one.is_open for one in open_usual(Robot.load("pendulum").with_friction(bf.Coulomb(width=0.1)))]
    [False, False, False]
    """
    stated = (friction_data(Friction((term,)))[0] for term in usual_of(robot))
    return tuple(Asked(term, frozenset(data)) for term, data in zip(usual_of(robot), stated, strict=True))


def friction_facts(estimate: BaseEstimate, text: str) -> dict[str, Any]:
    """Friction of an estimate for programs: what was asked for, the terms as a text and one by one, with what each gained.

    `gain` is the share of the held-out error that a term took away where evidence added it, with every trial behind it.

    >>> robot = Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> estimate = bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=bf.Coulomb(width=0.1))
    >>> friction_facts(estimate, "coulomb:width=0.1")["terms"]
    [{'term': 'coulomb', 'joints': ['joint1'], 'settings': {'width': 0.1}, 'gain': None, 'trials': []}]
    """
    robot = estimate.described
    trials = [trial for trial in getattr(estimate.tables.get("friction"), "table", ()) if trial.chosen]
    terms = []
    for term, data in zip(robot.friction, friction_data(robot.friction), strict=True):
        joints = list(robot.joint_names if term.at is None else term.at)
        own = [one for one in trials if one.term.partition("(")[0] == type(term).__name__ and set(one.at) & set(joints)]
        terms.append(
            {
                "term": word_of(type(term)),
                "joints": joints,
                "settings": {name: value for name, value in data.items() if name not in ("term", "at")},
                "gain": 1 - math.prod(1 - one.gain for one in own) if own else None,
                "trials": [{"joints": list(one.at), "gain": one.gain, "standard_error": one.standard_error} for one in own],
            }
        )
    return {"asked": text, "text": friction_text(robot.friction), "terms": terms}


def _names(robot: Robot) -> tuple[str, ...]:
    motors = () if robot.drivetrain is None else robot.drivetrain.motors
    return tuple(dict.fromkeys((*robot.joint_names, *motors)))


def _usage(error: RobotError, text: str, keywords: tuple[str, ...]) -> UsageError:
    """The same error about the option that was typed; a remedy that is a text of friction is typed as such."""
    near = get_close_matches(text.strip().lower(), keywords, 1)
    facts: dict[str, Any] = dict(error.facts)
    if "terms" in facts:
        facts["terms"] = f"{joined(facts['terms'])}; or {joined(keywords)}"
    if near and "terms" in facts and not error.likely:
        error.likely, error.remedy = f"a misspelling of '{near[0]}'", f"--friction {near[0]}"
    meant = _is_text(error.remedy)
    remedy = f"--friction {error.remedy}" if meant else error.remedy
    facts |= {"thing": error.what}
    refused = UsageError("friction.refused", where=error.where, likely=error.likely, remedy=remedy, **facts)
    refused.code = MEANT if meant else error.code
    return refused


def _is_text(remedy: str) -> bool:
    try:
        return bool(asked(remedy))
    except RobotError:
        return False
