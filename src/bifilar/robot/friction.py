"""Friction, torque offset and rotor inertia as terms that add: `Viscous() + Coulomb() + Offset()`.

Each term is linear in its unknown coefficient and becomes one column per joint (two if asymmetric) beside the inertial
ones; its `law` in bifilar.dynamics.friction_laws has formula, units and all else. Numbers that enter nonlinearly (Stribeck
speed, exponent, width of the smooth sign) are settings of the term. A class with a law of its own is a term everywhere.
Column names are paths: `joint3.viscous`, `joint3.coulomb_forward`, `joint5.viscous_by_joint6`, `motor6.coulomb`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.friction_laws import (
    COULOMB,
    LOAD,
    MOST_SETTINGS,
    OFFSET,
    POSITION,
    POWER,
    ROTOR,
    STRIBECK,
    VISCOUS,
    Law,
    Setting,
)
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.robot.drivetrain import Drivetrain

WIDTH = Setting("width", 0.01, zero=True)  # [rad/s] or [m/s] of the smooth sign
TERMS: list[type[Term]] = []  # every term there is, in the order of declaration


class DriveColumns(NamedTuple):
    """The columns of a friction model with their names, units and smallest physical values.

    >>> Viscous().columns(("elbow",)).names
    ('elbow.viscous',)
    """

    columns: Columns
    names: tuple[str, ...]
    units: tuple[str, ...]
    lower_bounds: Array


@dataclass(frozen=True, kw_only=True)
class Term:
    """What every term can say. Use one of the terms below.

    >>> Coulomb(at=("elbow",), asymmetric=True).columns(("shoulder", "elbow")).names
    ('elbow.coulomb_forward', 'elbow.coulomb_backward')
    """

    at: tuple[str, ...] | None = None  # joints or motors that have it; None: every independent joint
    driven_by: str | None = None  # joint or motor whose speed it depends on; None: its own
    asymmetric: bool = False  # a coefficient for each direction of motion

    law: ClassVar[Law]
    word: ClassVar[str]  # of its columns, the law's
    directional: ClassVar[bool] = True  # whether it may differ by direction, or follow the speed of another shaft
    tried: ClassVar[tuple[Mapping[str, Any], ...]] = ()  # settings of candidates when terms are chosen by evidence

    def __init_subclass__(cls, **settings: object) -> None:
        """A class that states a law becomes one of `TERMS`; made again under the same name, it replaces the earlier one."""
        super().__init_subclass__(**settings)
        if not isinstance(getattr(cls, "law", None), Law):
            raise RobotError("friction.no_law", name=cls.__name__)
        if "law" not in cls.__dict__:
            return  # a variant of a term, by its parent's law
        cls.word = cls.law.word
        same = [other for other in TERMS if (other.__module__, other.__qualname__) == (cls.__module__, cls.__qualname__)]
        words = {name: other for other in TERMS if other not in same for name in (word_of(other), other.__name__)}
        for name in (word_of(cls), cls.__name__):
            if name in words:
                raise RobotError("friction.twice/friction", name=words[name].__name__, name_2=cls.__name__, name_3=name)
        for other in same:
            TERMS.remove(other)
        TERMS.append(cls)

    def __new__(cls, *values: object, **settings: object) -> Term:
        """Refuses what stands without a name: a coefficient is no setting of a term."""
        if values:
            remedy = f'with_friction({cls.__name__}(), {{"joint1.{cls.law.word}": {values[0]!r}}})'
            if isinstance(values[0], (str, tuple, list)):
                remedy = f"{cls.__name__}(at={values[0]!r}) for some joints only"
            raise RobotError("friction.form/friction", name=cls.__name__, value=values[0], remedy=remedy)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        if isinstance(self.at, str):
            object.__setattr__(self, "at", (self.at,))
        elif self.at is not None:
            object.__setattr__(self, "at", tuple(self.at))
        named = {one.name for one in fields(self)}
        if missing := {one.name for one in self._settings} - named - set(self.parts[0][1]):
            raise RobotError("friction.setting/friction", kind=type(self).__name__, missing=sorted(missing))
        for setting in self._settings:
            if setting.name in named:
                value = getattr(self, setting.name)
                if refusal := setting.refusal(value):
                    raise RobotError(
                        "friction.setting/post_init",
                        kind=type(self).__name__,
                        name=setting.name,
                        value=value,
                        refusal=refusal,
                        remedy=setting.remedy,
                    )
                object.__setattr__(self, setting.name, int(value) if setting.whole else value)

    def __add__(self, other: Term | Friction) -> Friction:
        return Friction((self,)) + other

    @property
    def _settings(self) -> tuple[Setting, ...]:
        return (*self.law.settings, *((WIDTH,) if self.law.sign else ()))

    @property
    def parts(self) -> tuple[tuple[str, Mapping[str, float]], ...]:
        """Columns it has at each joint, for each direction: what follows its word in their names, and settings of their own.

        >>> Viscous().parts
        (('', {}),)
        """
        return (("", {}),)

    def columns(self, joint_names: Sequence[str], drivetrain: Drivetrain | None = None) -> DriveColumns:
        """Columns of this term alone.

        >>> Offset().columns(("a", "b")).names
        ('a.offset', 'b.offset')
        """
        return Friction((self,)).columns(joint_names, drivetrain)


def word_of(kind: type[Term]) -> str:
    """What a term is called in a text.

    >>> [word_of(kind) for kind in TERMS]
    ['viscous', 'coulomb', 'offset', 'stribeck', 'power', 'load', 'position', 'rotor']
    """
    return kind.law.word.partition("_")[0]


def term_of(word: str) -> type[Term] | None:
    """The term that the last part of a column's name belongs to.

    >>> term_of("coulomb_forward").__name__, term_of("mass")
    ('Coulomb', None)
    """
    found = [kind for kind in TERMS if word == kind.law.word or word.startswith(f"{kind.law.word}_")]
    return found[0] if found else None


@dataclass(frozen=True, kw_only=True)
class Viscous(Term):
    """Proportional to speed.

    >>> Viscous().columns(("elbow",)).units
    ('N m s/rad',)
    """

    law = VISCOUS


@dataclass(frozen=True, kw_only=True)
class Coulomb(Term):
    """Opposes motion with a constant torque; width > 0 makes the sign smooth: v / sqrt(v^2 + width^2).

    >>> Coulomb(width=0.01).columns(("elbow",)).columns.width
    array([0.01])
    """

    width: float = 0.0  # [rad/s] or [m/s] of the smooth sign
    law = COULOMB


@dataclass(frozen=True, kw_only=True)
class Offset(Term):
    """A constant torque: current offset, spring, asymmetric Coulomb friction.

    >>> Offset().columns(("elbow",)).lower_bounds
    array([-inf])
    """

    law = OFFSET


@dataclass(frozen=True, kw_only=True)
class Stribeck(Term):
    """The excess of static over Coulomb friction, fading with speed: exp(-(v/speed)^2) sgn(v).

    >>> Stribeck(speed=0.05).columns(("elbow",)).names
    ('elbow.stribeck',)
    """

    speed: float  # [rad/s] or [m/s]
    width: float = 0.0  # [rad/s] or [m/s] of the smooth sign
    law = STRIBECK


@dataclass(frozen=True, kw_only=True)
class PowerLaw(Term):
    """|v|^exponent sgn(v), between Coulomb (0) and viscous (1).

    >>> PowerLaw(exponent=0.5).columns(("elbow",)).columns.values(np.array([[-4.0]]), np.array([[0.0]]))
    array([[-2.]])
    """

    exponent: float
    width: float = 0.0  # [rad/s] or [m/s] of the smooth sign
    law = POWER


@dataclass(frozen=True, kw_only=True)
class LoadDependent(Term):
    """A share of the load torque's size, against the motion: |load| sgn(v), as gears have.

    >>> LoadDependent().columns(("elbow",)).columns.needs_load
    True
    """

    width: float = 0.0  # [rad/s] or [m/s] of the smooth sign
    law = LOAD


@dataclass(frozen=True, kw_only=True)
class PositionDependent(Term):
    """Coulomb friction that changes along the way, as gears out of true have: sin(k q) sgn(v) and cos(k q) sgn(v).

    It stands beside Coulomb(), the mean. Its coefficients are signed; that both together stay non-negative is not enforced.
    At a motor, q is the motor's angle; at a sliding joint one wave is 2 pi / k metres long.

    >>> PositionDependent(harmonic=2).columns(("elbow",)).names
    ('elbow.position_sin2', 'elbow.position_cos2')
    """

    harmonic: int = 1  # k: waves per turn
    width: float = 0.0  # [rad/s] or [m/s] of the smooth sign
    law = POSITION

    @property
    def parts(self) -> tuple[tuple[str, Mapping[str, float]], ...]:
        """Sine and cosine.

        >>> [word for word, _ in PositionDependent().parts]
        ['_sin1', '_cos1']
        """
        return (f"_sin{self.harmonic}", {"phase": 0.0}), (f"_cos{self.harmonic}", {"phase": np.pi / 2})


@dataclass(frozen=True, kw_only=True)
class RotorInertia(Term):
    """Inertia of the rotor and the gear, reflected to the joint: proportional to acceleration.

    >>> RotorInertia(at=("elbow",)).columns(("shoulder", "elbow")).units
    ('kg m^2',)
    """

    law = ROTOR
    directional = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.asymmetric or self.driven_by:
            raise RobotError("friction.rotor")


@dataclass(frozen=True)
class Friction:
    """A sum of terms.

    >>> (Viscous() + Coulomb()).columns(("a", "b")).names
    ('a.viscous', 'b.viscous', 'a.coulomb', 'b.coulomb')
    """

    terms: tuple[Term, ...] = ()

    def __add__(self, other: Term | Friction) -> Friction:
        if isinstance(other, Term):
            return Friction((*self.terms, other))
        return Friction(self.terms + other.terms) if isinstance(other, Friction) else NotImplemented

    def __iter__(self) -> Iterator[Term]:
        return iter(self.terms)

    def columns(
        self, joint_names: Sequence[str], drivetrain: Drivetrain | None = None, sliding: Iterable[str] = ()
    ) -> DriveColumns:
        """Columns for a robot's independent joints, of which `sliding` are prismatic (their units differ).

        >>> coupled = Drivetrain(joints=("a", "b"), motors=("m",), matrix=[[1, 1]])
        >>> Viscous(at=("m",)).columns(("a", "b"), coupled).columns.effect
        array([[1., 1.]])
        """
        shafts = _shafts(tuple(joint_names), drivetrain)
        made = [column for term in self.terms for column in _columns_of(term, tuple(joint_names), shafts, frozenset(sliding))]
        names = [column.name for column in made]
        for k, name in enumerate(names):
            if name in names[:k]:
                raise RobotError("friction.twice/columns", name=name)
        return DriveColumns(_stacked(made, len(joint_names)), tuple(names), *_facts(made))

    def without(self, names: set[str]) -> Friction:
        """The terms that are left when some joints (or motors) no longer move.

        >>> Coulomb(at=("a", "b")) + Viscous(at=("b",)) == (Coulomb(at=("a", "b")) + Viscous(at=("b",))).without({"c"})
        True
        """
        kept = [term for term in self.terms if term.driven_by not in names]
        narrowed = [t if t.at is None else replace(t, at=tuple(name for name in t.at if name not in names)) for t in kept]
        return Friction(tuple(term for term in narrowed if term.at is None or term.at))

    def renamed(self, new: dict[str, str]) -> Friction:
        """The same terms at joints that changed their names.

        >>> Friction((Coulomb(at=("a",)),)).renamed({"a": "b"}).terms[0].at
        ('b',)
        """
        return Friction(tuple(_renamed(term, new) for term in self.terms))


def friction_of(friction: Friction | Term | Iterable[Term | Friction]) -> Friction:
    """One term, a sum or a list of terms as a sum.

    >>> friction_of([Viscous(), Coulomb()]) == Viscous() + Coulomb()
    True
    """
    several = isinstance(friction, Iterable) and not isinstance(friction, (str, bytes, dict))
    total = Friction()
    for term in friction if several else (friction,):  # type: ignore[union-attr]
        if not isinstance(term, (Term, Friction)):
            raise RobotError("friction.form/friction_of", term=term)
        total = total + term
    return total


class _Column(NamedTuple):
    name: str
    unit: str
    lower: float
    term: Term
    drive: Array
    effect: Array
    side: float
    own: Mapping[str, float]


def _shafts(joint_names: tuple[str, ...], drivetrain: Drivetrain | None) -> dict[str, Array]:
    """Row of every joint and motor: how joint speeds add up to the shaft's."""
    shafts = dict(zip(joint_names, np.eye(len(joint_names))))
    if drivetrain is not None:
        ordered = drivetrain.in_order(joint_names)
        shafts |= {motor: ordered.row(motor) for motor in ordered.motors if motor not in shafts}
    return shafts


def _columns_of(term: Term, joints: tuple[str, ...], shafts: dict[str, Array], sliding: frozenset[str]) -> Iterator[_Column]:
    for place in joints if term.at is None else term.at:
        effect = _row(place, shafts, term)
        drive = effect if term.driven_by is None else _row(term.driven_by, shafts, term)
        by = "" if term.driven_by is None else f"_by_{term.driven_by}"
        lower = -np.inf if term.law.signed or term.driven_by else 0.0
        for side, suffix in ((1.0, "_forward"), (-1.0, "_backward")) if term.asymmetric else ((0.0, ""),):
            for part, own in term.parts:
                name = f"{place}.{term.word}{part}{suffix}{by}"
                yield _Column(name, term.law.units[place in sliding], lower, term, drive, effect, side, own)


def _row(name: str, shafts: dict[str, Array], term: Term) -> Array:
    if name not in shafts:
        raise RobotError("joint.unknown/friction", names=shafts, kind=type(term).__name__, name=name)
    return shafts[name]


def _stacked(made: list[_Column], joints: int) -> Columns:
    settings = np.zeros((len(made), MOST_SETTINGS))
    for row, c in zip(settings, made):
        for place, one in enumerate(c.term.law.settings):
            row[place] = c.own[one.name] if one.name in c.own else getattr(c.term, one.name)
    return Columns(
        laws=tuple(c.term.law for c in made),
        drive=np.array([c.drive for c in made], float).reshape(len(made), joints),
        effect=np.array([c.effect for c in made], float).reshape(len(made), joints),
        width=np.array([getattr(c.term, "width", 0.0) for c in made], float),
        side=np.array([c.side for c in made], float),
        settings=settings,
    )


def _facts(made: list[_Column]) -> tuple[tuple[str, ...], Array]:
    lower = np.array([c.lower for c in made], float)
    lower.flags.writeable = False
    return tuple(c.unit for c in made), lower


def _renamed(term: Term, new: dict[str, str]) -> Term:
    at = None if term.at is None else tuple(new.get(name, name) for name in term.at)
    return replace(term, at=at, driven_by=new.get(term.driven_by or "", term.driven_by))
