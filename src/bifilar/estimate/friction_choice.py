"""Friction chosen by evidence: terms are added one by one while they predict blocks of time that were not fitted.

    1  the width of the smooth sign, joint by joint
    2  forward selection among offset, rotor inertia, Stribeck, cube root and other powers, load, position, asymmetry: whatever
       lowers the cross-validated error most, if it does so by more than luck

All candidates are columns of one reduction, so the data are read once for each of the two steps; a trial is then the solution
of a small system per fold. An addition is believed if the mean gain over the blocks exceeds its standard error by

    max(1, sqrt(2 ln n))         the largest of n gains that are nothing but luck

Numbers that enter nonlinearly (widths, Stribeck speeds, exponents) are tried on a grid in units of the joint's own speed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bifilar.errors import Note
from bifilar.estimate.friction_candidates import candidates_at, groups_of, joined, kind_of, place_of, rounded
from bifilar.estimate.least_squares import LeastSquares
from bifilar.estimate.loaded import Loaded
from bifilar.estimate.problem import BLOCKS
from bifilar.estimate.sources import Data, Equations, equations_of, listed
from bifilar.estimate.trials import Evidence, Trials
from bifilar.estimate.usual_friction import USUAL_FRICTION, with_usual
from bifilar.recording.recipes import Recipe
from bifilar.robot.base_parameters import BaseParameters, base_parameters
from bifilar.robot.friction import Coulomb, Friction, Term, Viscous, friction_of
from bifilar.robot.robot import Robot

WIDTHS = (0.01, 0.03, 0.1, 0.3)  # of the smooth sign, in root mean square speeds of the joint
ROUNDED = 1.25  # sqrt(pi / 2): width of v / sqrt(v^2 + w^2) as steep at rest as the mean sign of v + noise, in its deviations
FOLDS = 6
LIVELY = 0.2  # least scatter of a load's size, of its mean
TIE = 1e-6  # relative difference of two gains that rounding can make
ALMOST = 0.9  # of the best gain: what fewer columns may give away


@dataclass(frozen=True)
class FrictionTrial:
    """One comparison: a term at some joints beside the model of that step.

    >>> print(FrictionTrial(1, "Stribeck(speed=0.05)", ("joint2",), 0.9, 0.1, 0.02, True))
    1 Stribeck(speed=0.05) at joint2: error 0.9, gain 0.1 +- 0.02, chosen
    """

    step: int  # 0: widths of the sign
    term: str
    at: tuple[str, ...]  # joints or motors
    error: float  # cross-validated, weighted by joint noise; the error of the model at the start is 1
    gain: float  # mean over blocks, as a share of the error of the step's model
    standard_error: float  # of the gain, over blocks
    chosen: bool

    def __str__(self) -> str:
        verdict = ", chosen" if self.chosen else ""
        gain = f"gain {self.gain:.2g} +- {self.standard_error:.2g}"
        return f"{self.step} {self.term} at {', '.join(self.at)}: error {self.error:.4g}, {gain}{verdict}"


@dataclass(frozen=True, repr=False)
class FrictionChoice:
    """What was chosen, and every comparison that led there.

    >>> FrictionChoice(Friction((Viscous(),)), ())
    FrictionChoice(Viscous(), 0 of 0 trials chosen)
    """

    friction: Friction
    table: tuple[FrictionTrial, ...]

    def __repr__(self) -> str:
        chosen = sum(trial.chosen for trial in self.table)
        words = " + ".join(_word(term) for term in self.friction)
        return f"FrictionChoice({words}, {chosen} of {len(self.table)} trials chosen)"

    @property
    def chosen(self) -> tuple[FrictionTrial, ...]:
        """The additions that were believed, in their order.

        >>> FrictionChoice(Friction(), (FrictionTrial(1, "Offset()", ("a",), 1.0, 0.0, 1.0, False),)).chosen
        ()
        """
        return tuple(trial for trial in self.table if trial.chosen)

    def sentence(self) -> Note:
        """What was added, and where.

        >>> trial = FrictionTrial(1, "Stribeck(speed=0.05)", ("hip", "knee"), 0.9, 0.1, 0.02, True)
        >>> FrictionChoice(Friction(), (trial,)).sentence()
        'friction by evidence: Stribeck at every joint (held-out errors fall by 10 %)'
        >>> FrictionChoice(Friction(), ()).sentence()
        'friction by evidence: no candidate predicts held-out segments better'
        """
        added = [trial for trial in self.chosen if trial.step > 0]
        widths = [trial for trial in self.chosen if trial.step == 0]
        if not self.chosen:
            return Note("friction.chosen/none")
        every = {name for trial in self.table for name in trial.at}
        smooth = tuple(name for trial in widths for name in trial.at)

        def where(at: tuple[str, ...]) -> str:
            return "every joint" if len(every) > 1 and set(at) == every else ", ".join(at)

        told = [f"{trial.term.partition('(')[0]} at {where(trial.at)}" for trial in added]
        told += [f"a smooth sign of speed at {where(smooth)}"] if smooth else []
        return Note("friction.chosen", terms=told, fall=1 - (added or widths)[-1].error)

    def summary(self, *, best: int = 5) -> str:
        """The table in words: of every step the best few.

        >>> print(FrictionChoice(Friction(), (FrictionTrial(1, "Offset()", ("a",), 1.0, 0.0, 1.0, False),)).summary())
        1 Offset() at a: error 1, gain 0 +- 1
        """
        steps = sorted({trial.step for trial in self.table})
        ranked = [sorted((t for t in self.table if t.step == k), key=lambda t: -t.gain)[:best] for k in steps]
        return "\n".join(str(trial) for few in ranked for trial in few)


def choose_friction(
    robot: Robot,
    recordings: Data | Iterable[Data],
    *,
    start: Friction | Term | Iterable[Term] | None = None,
    candidates: Sequence[Term] | None = None,
    recipe: str | Recipe = "default",
    blocks: int = BLOCKS,
    folds: int | Sequence[int] = FOLDS,
    most: int = 24,
    caution: float | None = None,
    gears: Mapping[str, int] | None = None,
    cables: bool = False,
) -> FrictionChoice:
    """Friction terms that the recordings support, by cross-validation over blocks of them.

    `start` is kept whatever happens (viscous, Coulomb and offset if left out; terms without `at` sit at every joint).
    `candidates` are single terms without `at`, each tried at every joint and motor of the start; left out, the usual ones on
    a grid; each is tried at every joint by itself and at all of them together. At most `most` additions are made.
    `folds`: so many stretches of time, or the fold of each recording (or part of one) that is given; what has a negative one is
    fitted always and predicted never.
    `caution`: standard errors that a gain must exceed; left out, as many as luck among so many candidates would reach.
    `gears`: turns of the motor for one of the joint (or motor of the start); friction that changes with each turn of the motor,
    as that of a shaft which is out of true, is then tried, too.
    `cables`: whether waves that differ between directions are tried, which can be any torque of the position alone.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Stribeck(speed=0.3))
    >>> robot = robot.with_parameters({"joint1.viscous": 0.2, "joint1.stribeck": 1.0})
    >>> t = np.linspace(0, 20, 2000)[:, None]
    >>> q, v, a = np.sin(t) + np.sin(2.2 * t), np.cos(t) + 2.2 * np.cos(2.2 * t), -np.sin(t) - 4.84 * np.sin(2.2 * t)
    >>> tau = robot.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    >>> choice = choose_friction(robot, (q, v, a, tau), start=bf.Viscous() + bf.Coulomb())
    >>> choice.chosen[0].term[:8]
    'Stribeck'
    """
    first = friction_of(USUAL_FRICTION if start is None else start)
    sources = tuple(equations_of(data, robot.with_friction(first), recipe) for data in listed(recordings))
    places = _places(robot, first)
    settings: dict[str, Any] = {"blocks": blocks, "folds": folds}
    limit = _Limit(most, caution)
    speeds, travel, noise = _motion(robot.with_friction(first), sources, places)
    base = base_parameters(robot.with_friction(()))
    table: list[FrictionTrial] = []
    begun = _choose_widths(robot, sources, base, _spread(first, places), speeds, noise, settings, table)
    sources = loaded(robot, sources, Friction(begun), blocks=blocks)
    pool = [
        c
        for p in places
        for c in (
            candidates_at(p, speeds[p], begun, gears, cables=cables, travel=travel[p])
            if candidates is None
            else _at(candidates, p)
        )
    ]
    pool = _with_lively_loads(robot, sources, pool)
    chosen = _forward(robot, sources, base, begun, pool, limit, settings, table)
    return FrictionChoice(joined((*begun, *chosen)), tuple(table))


def loaded(robot: Robot, sources: Sequence[Equations], friction: Friction, *, blocks: int = BLOCKS) -> tuple[Equations, ...]:
    """The sources with the load of a first fit, for friction that depends on it.

    >>> from bifilar.estimate.sources import Arrays
    >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
    >>> type(loaded(robot, [Arrays(still, still, still, still)], bf.Viscous() + bf.Coulomb())[0]).__name__
    'Loaded'
    """
    plain = Friction(tuple(term for term in friction if not term.law.needs_load))
    model = LeastSquares(uncertainty="white").fit(robot, sources, friction=plain, blocks=blocks).model
    return tuple(source if isinstance(source, Loaded) else Loaded(source, model) for source in sources)


def chosen_friction(
    robot: Robot, recordings: Data | Iterable[Data], recipe: str | Recipe
) -> tuple[tuple[Equations, ...], Friction, FrictionChoice]:
    """What `friction="choose"` stands for: sources (with a load if one is needed), terms, and how they were chosen.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 300, 1))
    >>> tau = robot.inverse_dynamics(q, v, a) + 0.1 * np.random.default_rng(2).normal(size=q.shape)
    >>> estimate = bf.LeastSquares().fit(robot, (q, v, a, tau), friction="choose")
    >>> estimate.tables["friction"].chosen
    ()
    """
    start = with_usual(robot.friction)
    sources = tuple(equations_of(data, robot.with_friction(start), recipe) for data in listed(recordings))
    choice = choose_friction(robot, sources, start=start)
    needs = any(term.law.needs_load for term in choice.friction)
    return loaded(robot, sources, choice.friction) if needs else sources, choice.friction, choice


class _Limit(NamedTuple):
    most: int  # additions
    caution: float | None  # standard errors


def _choose_widths(
    robot: Robot,
    sources: Sequence[Equations],
    base: BaseParameters,
    start: tuple[Term, ...],
    speeds: dict[str, float],
    noise: dict[str, float],
    settings: dict[str, Any],
    table: list[FrictionTrial],
) -> tuple[Term, ...]:
    """Every sign that has no width of its own gets the least one that noise allows, or a wider one that predicts better."""
    open_ones = [k for k, term in enumerate(start) if isinstance(term, Coulomb) and term.width == 0]
    least = {k: rounded(ROUNDED * x) if (x := noise[place_of(start[k])]) > 0 else 0.0 for k in open_ones}
    terms = [replace_width(term, least[k]) if k in least else term for k, term in enumerate(start)]
    wider = {k: [w for x in WIDTHS if (w := rounded(x * speeds[place_of(start[k])])) > least[k]] for k in open_ones}
    pool = [replace_width(start[k], width) for k in open_ones for width in wider[k]]
    if not pool:
        return tuple(terms)
    trials = Trials.of(robot, sources, base, (*terms, *pool), first=len(terms), **settings)
    held, first = list(range(len(terms))), len(terms)
    begun = trials.error(held)
    for k in open_ones:
        own = list(range(first, first + len(wider[k])))
        first += len(own)
        found = trials.compare(held, [[n if j == k else j for j in held] for n in own])
        best = _first_best([e.gain for e in found]) if found else -1
        believed = bool(found) and _believed(found[best], len(found))
        for n, e in zip(own, found):
            word = _word(pool[n - len(terms)])
            table.append(_trial(0, word, (place_of(start[k]),), begun, e, believed and n == own[best]))
        held[k] = own[best] if believed else k
    return tuple((*terms, *pool)[n] for n in held)


def replace_width(term: Term, width: float) -> Term:
    """The same term with another width of its smooth sign.

    >>> replace_width(bf.Coulomb(), 0.1).width
    0.1
    """
    settings: dict[str, Any] = {"width": width}
    return replace(term, **settings)


def _forward(
    robot: Robot,
    sources: Sequence[Equations],
    base: BaseParameters,
    begun: tuple[Term, ...],
    pool: list[Term],
    limit: _Limit,
    settings: dict[str, Any],
    table: list[FrictionTrial],
) -> list[Term]:
    """Adds the best candidate (a term, or a term at all joints) while it is believed."""
    trials = Trials.of(robot, sources, base, (*begun, *pool), first=len(begun), **settings)
    groups, first_error = groups_of(pool), trials.error(range(len(begun)))
    chosen: list[int] = []
    for step in range(1, limit.most + 1):
        taken = {kind_of(pool[n]) for n in chosen}
        left = list(
            dict.fromkeys(g for g in (tuple(n for n in group if kind_of(pool[n]) not in taken) for group in groups) if g)
        )
        if not left:
            break
        held = [*range(len(begun)), *(len(begun) + n for n in chosen)]
        found = trials.extended(held, [[len(begun) + n for n in g] for g in left])
        best = _simplest([sum(len(pool[n].parts) for n in g) for g in left], [e.gain for e in found])
        sure = _believed(found[best], len({(len(g), kind_of(pool[g[0]])) for g in left}), limit.caution)
        for k, (g, e) in enumerate(zip(left, found)):
            places = tuple(dict.fromkeys(place_of(pool[n]) for n in g))
            table.append(_trial(step, _words([pool[n] for n in g]), places, first_error, e, sure and k == best))
        if not sure:
            break
        chosen += left[best]
    return [pool[n] for n in chosen]


def _simplest(sizes: Sequence[int], gains: Sequence[float]) -> int:
    """The candidate with the fewest columns among those that gain almost as much as the best."""
    almost = [k for k, gain in enumerate(gains) if gain >= ALMOST * max(gains)] or [_first_best(gains)]
    small = [k for k in almost if sizes[k] == min(sizes[n] for n in almost)]
    return small[_first_best([gains[k] for k in small])]


def _first_best(gains: Sequence[float]) -> int:
    """The first of the best; gains that differ by rounding are equal."""
    most = max(gains)
    return next(k for k, gain in enumerate(gains) if gain >= most - TIE * max(abs(most), TIE))


def _believed(evidence: Evidence, tried: int, caution: float | None = None) -> bool:
    """Whether a gain exceeds what the best of so many tries gains by luck."""
    luck = max(1.0, np.sqrt(2 * np.log(max(tried, 1)))) if caution is None else caution
    return evidence.gain > luck * evidence.standard_error and evidence.gain > 1e-9


def _trial(step: int, word: str, places: tuple[str, ...], begun: float, e: Evidence, chosen: bool) -> FrictionTrial:
    return FrictionTrial(step, word, places, e.error / max(begun, 1e-300), e.gain, e.standard_error, chosen)


def _at(candidates: Sequence[Term], place: str) -> list[Term]:
    return [replace(term, at=(place,)) for term in candidates]


def _places(robot: Robot, start: Friction) -> tuple[str, ...]:
    """Joints and motors that may have friction."""
    named = [name for term in start for name in (robot.joint_names if term.at is None else term.at)]
    return tuple(dict.fromkeys(named or robot.joint_names))


def _spread(friction: Friction, places: tuple[str, ...]) -> tuple[Term, ...]:
    """One term per joint: each has settings of its own."""
    joints = [place for place in places]
    everywhere = {term for term in friction if term.at is None}
    return tuple(replace(term, at=(place,)) for term in friction for place in (joints if term in everywhere else term.at or ()))


def _motion(
    robot: Robot, sources: Sequence[Equations], places: tuple[str, ...]
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Of every joint and motor: root mean square speed, travel, and the standard deviation of its measured speed."""
    columns = Friction(tuple(Viscous(at=(p,)) for p in places)).columns(robot.joint_names, robot.drivetrain).columns
    total, count = np.zeros(len(places)), 0
    low, high, noise = np.full(len(places), np.inf), np.full(len(places), -np.inf), np.zeros(len(places))
    for source in sources:
        own = getattr(source, "velocity_noise", None)
        noise = noise if own is None else np.maximum(noise, np.sqrt(columns.drive**2 @ np.asarray(own) ** 2))
        for chunk in source.chunks(robot):
            speed, q = (np.asarray(x, dtype=float) @ columns.drive.T for x in (chunk.velocity, chunk.position))
            total, count = total + np.sum(speed**2, axis=0), count + len(speed)
            low, high = np.minimum(low, q.min(axis=0)), np.maximum(high, q.max(axis=0))
    rms = np.sqrt(total / max(count, 1))
    speeds = {place: float(x) or 1.0 for place, x in zip(places, rms)}
    return speeds, dict(zip(places, (high - low).tolist())), dict(zip(places, noise.tolist()))


def _with_lively_loads(robot: Robot, sources: Sequence[Equations], pool: list[Term]) -> list[Term]:
    """Without friction that depends on a load which hardly changes: that is Coulomb friction once more."""
    loads = [np.asarray(chunk.load, dtype=float) for source in sources for chunk in source.chunks(robot)]
    places = [place_of(term) for term in pool if term.law.needs_load]
    if not places:
        return pool
    columns = Friction(tuple(Viscous(at=(p,)) for p in places)).columns(robot.joint_names, robot.drivetrain).columns
    sizes = np.abs(np.concatenate(loads) @ columns.effect.T)
    lively = {p for p, size in zip(places, sizes.T) if np.std(size) > LIVELY * np.mean(size)}
    return [term for term in pool if not term.law.needs_load or place_of(term) in lively]


def _word(term: Term) -> str:
    """The term without its place, and without settings that are the usual ones."""
    settings = {
        name: getattr(term, name) for name in (*(one.name for one in term.law.settings), "width") if getattr(term, name, 0.0)
    }
    words = [f"{name}={value:.4g}" for name, value in settings.items()] + ["asymmetric=True"] * term.asymmetric
    words += [f"driven_by={term.driven_by!r}"] * bool(term.driven_by)
    return f"{type(term).__name__}({', '.join(words)})"


def _words(terms: Sequence[Term]) -> str:
    """Of terms of one kind; settings that differ from joint to joint are left out."""
    if len({place_of(term) for term in terms}) == 1:
        return _word(terms[-1])  # the whole of a pair
    words = {_word(term) for term in terms}
    return words.pop() if len(words) == 1 else f"{type(terms[0]).__name__}(...)"
