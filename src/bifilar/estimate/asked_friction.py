"""Friction terms that were asked for by name, made ready for a fit: open widths by evidence, loads where a term needs them.

1  the width of every Coulomb term for which none was given: the one that predicts held-out blocks best (friction_choice)
2  other signs whose width is open take that of their joint's Coulomb term
3  load-dependent terms get the load of a first fit
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from bifilar.estimate.friction_choice import FrictionChoice, choose_friction, loaded
from bifilar.estimate.sources import Data, Equations, equations_of, listed
from bifilar.recording.recipes import Recipe
from bifilar.robot.friction import Coulomb, Friction, Term
from bifilar.robot.friction_text import Asked
from bifilar.robot.robot import Robot


class Ready(NamedTuple):
    """What a method is given.

    >>> Ready((), Friction(), None).choice is None
    True
    """

    sources: tuple[Equations, ...]  # with loads if a term needs them
    friction: Friction
    choice: FrictionChoice | None  # how widths were chosen; None if none was open


def ready(robot: Robot, recordings: Data | Iterable[Data], terms: Sequence[Asked], recipe: str | Recipe = "default") -> Ready:
    """The sources and terms for a fit of terms that were asked for.

    >>> from bifilar.robot.friction_text import asked
    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(width=0.5), {"joint1.coulomb": 2.0})
    >>> t = np.linspace(0, 20, 2000)[:, None]
    >>> q, v, a = np.sin(t) + np.sin(2.2 * t), np.cos(t) + 2.2 * np.cos(2.2 * t), -np.sin(t) - 4.84 * np.sin(2.2 * t)
    >>> tau = robot.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    >>> found = ready(robot, (q, v, a, tau), asked("viscous+coulomb+stribeck:speed=0.1"))
    >>> [getattr(term, "width", None) for term in found.friction]
    [None, 0.51, 0.51]
    """
    plain = Friction(tuple(one.term for one in terms))
    sources = tuple(equations_of(data, robot.with_friction(plain), recipe) for data in listed(recordings))
    choice = None
    if any(_is_chosen(one) for one in terms):
        unloaded = dict.fromkeys(_symmetric(one.term) for one in terms if not one.term.law.needs_load)
        choice = choose_friction(robot, sources, start=tuple(unloaded), candidates=())
        plain = with_widths(terms, _widths(choice.friction), robot.joint_names)
    if any(term.law.needs_load for term in plain):
        sources = loaded(robot, sources, plain)
    return Ready(sources, plain, choice)


def with_widths(terms: Sequence[Asked], widths: dict[str, float], joint_names: Sequence[str]) -> Friction:
    """The terms with the width of each joint where none was given; joints of one width share a term.

    >>> from bifilar.robot.friction_text import asked, friction_text
    >>> friction_text(with_widths(asked("viscous+coulomb"), {"a": 0.1, "b": 0.2}, ("a", "b")))
    'viscous+coulomb:width=0.1@a+coulomb:width=0.2@b'
    """
    found: list[Term] = []
    for one in terms:
        places = tuple(joint_names) if one.term.at is None else one.term.at
        groups: dict[float, list[str]] = {}
        for place in places if one.is_open else ():
            groups.setdefault(widths.get(place, 0.0), []).append(place)
        whole = len(groups) == 1 and one.term.at is None
        settings: list[dict[str, Any]] = [{"width": w} | ({} if whole else {"at": tuple(at)}) for w, at in groups.items()]
        found += [replace(one.term, **each) for each in settings] or [one.term]
    return Friction(tuple(found))


def _is_chosen(one: Asked) -> bool:
    return isinstance(one.term, Coulomb) and one.is_open and one.term.driven_by is None


def _symmetric(term: Term) -> Term:
    """Widths are chosen with one coefficient for both directions."""
    return replace(term, asymmetric=False)


def _widths(friction: Friction) -> dict[str, float]:
    """Of the Coulomb term of each joint or motor."""
    own = [term for term in friction if isinstance(term, Coulomb) and term.driven_by is None]
    return {place: term.width for term in own for place in term.at or ()}
