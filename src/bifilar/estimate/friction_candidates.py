"""Which friction is tried at a joint, what is tried together, and how chosen terms become one sum.

Numbers that enter nonlinearly (Stribeck speeds, exponents) are on a grid in units of the joint's own speed. Waves over the
position have a few lengths per turn of the joint and, where its gear is known, of its motor: a shaft that is out of true turns
with the motor. Terms that are declared elsewhere state in `tried` with which settings they are candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bifilar.errors import RobotError
from bifilar.robot.friction import (
    TERMS,
    Coulomb,
    Friction,
    LoadDependent,
    Offset,
    PositionDependent,
    PowerLaw,
    RotorInertia,
    Stribeck,
    Term,
    Viscous,
)

SPEEDS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)  # Stribeck's, in root mean square speeds of the joint
EXPONENTS = (1 / 3, 0.5, 2.0)
HARMONICS = (1, 2, 3, 4)  # waves per turn of a joint, of friction that depends on the position
MOTOR_HARMONICS = (1, 2)  # waves per turn of its motor


def candidates_at(
    place: str,
    speed: float,
    begun: Sequence[Term],
    gears: Mapping[str, int] | None = None,
    *,
    cables: bool = True,
    travel: float = np.inf,
) -> list[Term]:
    """The usual candidates at one joint: those of the start only where they bring another column.

    >>> from bifilar.estimate.friction_candidates import candidates_at
    >>> terms = candidates_at("elbow", 1.0, [bf.Viscous(at="elbow")], {"elbow": -45})
    >>> sorted({term.harmonic for term in terms if isinstance(term, bf.PositionDependent)})
    [1, 2, 3, 4, 45, 90]
    >>> len(terms) - len(candidates_at("elbow", 1.0, [bf.Viscous(at="elbow")], {"elbow": -45}, cables=False))
    6
    """
    here = [term for term in begun if place_of(term) == place]
    width = next((term.width for term in here if isinstance(term, Coulomb)), 0.0)
    at, have = (place,), {type(term) for term in here if not term.driven_by}
    usual: list[Term] = [Viscous(at=at), Coulomb(at=at, width=width), Offset(at=at), RotorInertia(at=at)]
    terms = [term for term in usual if type(term) not in have]
    # below the width of the sign a Stribeck curve is only another shape of that width: nothing tells the two apart
    terms += [Stribeck(at=at, speed=rounded(x * speed), width=width) for x in SPEEDS if x * speed > width]
    terms += [PowerLaw(at=at, exponent=round(x, 4), width=width) for x in EXPONENTS]
    terms += [LoadDependent(at=at, width=width)]
    for kind in TERMS:
        common: dict[str, Any] = {"at": at} | ({"width": width} if kind.law.sign else {})
        terms += [kind(**common, **own) for own in kind.tried]
    gear = _gear(gears, place)
    waves = [k for k in HARMONICS if k * travel >= 2 * np.pi]  # a part of a wave is extrapolated beyond it
    waves += [gear * k for k in MOTOR_HARMONICS if gear > max(HARMONICS)]
    terms += [
        PositionDependent(at=at, harmonic=k, width=width, asymmetric=b) for b in (False, True)[: 1 + cables] for k in waves
    ]
    terms += [Viscous(at=at, asymmetric=True)]
    # Coulomb friction and an offset are asymmetric already; a third column would only tell what happens at standstill
    terms += [] if Offset in have else [Coulomb(at=at, width=width, asymmetric=True)]
    there = {kind_of(term) for term in here}
    return [term for term in terms if kind_of(term) not in there]


def _gear(gears: Mapping[str, int] | None, place: str) -> int:
    """Turns of the motor at this place, zero if they are not known."""
    ratio = abs((gears or {}).get(place, 0))
    if ratio != round(ratio):
        raise RobotError("gear.not_whole", place=place, ratio=ratio)
    return int(ratio)


def groups_of(pool: list[Term]) -> list[tuple[int, ...]]:
    """What is tried together: a term by itself, or at all joints. Waves that differ between directions only with their mean:
    both together can be a torque that depends on the position alone, as that of a cable or of a sensor's zero.

    >>> from bifilar.estimate.friction_candidates import groups_of
    >>> groups_of([bf.PositionDependent(at="a"), bf.PositionDependent(at="a", asymmetric=True), bf.Offset(at="a")])
    [(0,), (0, 1), (2,)]
    """
    waves = {kind_of(term): n for n, term in enumerate(pool) if isinstance(term, PositionDependent)}
    pairs = {n: (waves[(*kind[:2], False)], n) for kind, n in waves.items() if kind[2] and (*kind[:2], False) in waves}
    alone = [pairs.get(n, (n,)) for n in range(len(pool))]
    return [*alone, *(group for group in _alike(pool) if len(group) > 1 and group[0] not in pairs)]


def _alike(pool: list[Term]) -> list[tuple[int, ...]]:
    """Candidates of one kind and of the same place in the grid, at all joints together."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    count: dict[tuple[Any, ...], int] = {}
    for n, term in enumerate(pool):
        key = (type(term), term.asymmetric, place_of(term))
        count[key] = count.get(key, 0) + 1
        groups.setdefault((type(term), term.asymmetric, count[key]), []).append(n)
    return [tuple(group) for group in groups.values()]


def joined(terms: Sequence[Term]) -> Friction:
    """Terms with the same settings at several joints as one; an asymmetric one replaces the symmetric one.

    >>> from bifilar.estimate.friction_candidates import joined
    >>> joined([bf.Viscous(at="a"), bf.Viscous(at="b"), bf.Viscous(at="b", asymmetric=True)]).terms[0].at
    ('a',)
    """
    asymmetric = {kind_of(term)[:2] for term in terms if term.asymmetric}
    kept = [term for term in terms if term.asymmetric or kind_of(term)[:2] not in asymmetric]
    groups: dict[Term, list[str]] = {}
    for term in kept:
        groups.setdefault(replace(term, at=None), []).append(place_of(term))
    return Friction(tuple(replace(term, at=tuple(places)) for term, places in groups.items()))


def kind_of(term: Term) -> tuple[str, str, bool]:
    """What a joint can have once.

    >>> from bifilar.estimate.friction_candidates import kind_of
    >>> kind_of(bf.Stribeck(at="a", speed=0.1))
    ('a', 'stribeck', False)
    """
    return place_of(term), term.word + term.parts[0][0], term.asymmetric


def place_of(term: Term) -> str:
    """The joint or motor of a term that is at one of them.

    >>> from bifilar.estimate.friction_candidates import place_of
    >>> place_of(bf.Offset(at="a"))
    'a'
    """
    return term.at[0] if term.at else ""


def rounded(x: float) -> float:
    """Two digits are enough for a setting.

    >>> from bifilar.estimate.friction_candidates import rounded
    >>> rounded(0.12345)
    0.12
    """
    return float(f"{max(x, 1e-6):.2g}")
