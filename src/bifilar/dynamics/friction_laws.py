"""The table of friction laws: every kind of drive column, declared once.

A column is a product of at most four things, multiplied by its coefficient,

    times      1, the speed s or the acceleration
    factor     a function of speed, load and position, written once with NumPy functions
    sign       sgn(s) = s / sqrt(s^2 + width^2); width 0 is the hard sign
    side       (1 + side sgn(s)) / 2, where a column belongs to one direction of motion

NumPy engine, plant, generated code and torque limits call `factor` itself on arrays or expressions; the compiled kernels call
machine code made from it (`kernels/laws.py`). Names, units, settings, texts and what file formats call a term stand beside
it. A declaration that contradicts itself raises an error: slopes are compared with differences and bounds with values when a
`Law` is made. docs/extending.md adds a law.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bifilar.errors import RobotError

Array = NDArray[np.float64]
Factor = Callable[..., Any]  # (speed, load, position, *settings): arrays, numbers in a kernel, expressions of an export
MOST_SETTINGS = 4  # numbers of its own that a column has
FORMS = LINEAR, SIGNED, ACCELERATION, LOADED, PLACED, STEEP = 1, 2, 4, 8, 16, 32  # bits of Law.form


@dataclass(frozen=True)
class Setting:
    """A number that enters a law nonlinearly: its name, a typical value, its range.

    >>> Setting("speed", 0.05).refusal(-1.0)
    'must be a finite positive number'
    """

    name: str
    example: float
    least: float = 1e-9
    most: float = np.inf
    whole: bool = False
    zero: bool = False  # whether zero is allowed beside its range
    remedy: str = "1e-9 is the smallest that makes sense"

    def refusal(self, value: object) -> str:
        """What is wrong with a value; nothing if it can be used.

        >>> Setting("harmonic", 2, least=1, most=1000, whole=True).refusal(1.5)
        'is no count'
        """
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        x = float(value) if number else np.nan  # type: ignore[arg-type]
        if np.isfinite(x) and (self.least <= x <= self.most or (self.zero and x == 0)) and not (self.whole and x % 1):
            return ""
        if self.whole:
            return "is no count"
        if self.most < np.inf:
            return f"must be a number from {self.least:g} to {self.most:g}"
        return f"must be a finite {'positive ' * (self.least > 0)}number{' or zero' * self.zero}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Law:
    """One kind of column. `factor` and its slopes take (speed, load, position, *settings); None is 1, and a slope of 0.

    >>> drag = Law(word="drag", title="drag", formula="|v| v", times="speed", factor=_size, by_speed=_size_slope,
    ...            bound=lambda size: (size, 1.0))
    >>> drag.value(np.array([-3.0]), None)
    array([-9.])
    >>> Law(word="drag", title="drag", formula="|v| v", times="speed", factor=_size)
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: the friction law 'drag': by_speed is not the derivative of factor
      try     ...
    """

    word: str  # in names of columns: joint3.stribeck
    title: str  # in sentences
    formula: str  # what the coefficient multiplies; s(v) is the sign of speed
    times: Literal["one", "speed", "acceleration"] = "one"
    factor: Factor | None = None
    by_speed: Factor | None = None
    by_load: Factor | None = None  # given: the law depends on the load
    by_position: Factor | None = None  # given: the law depends on the position
    sign: bool = False  # whether it is multiplied by the sign of speed, which has a width
    bound: Callable[..., tuple[Any, Any]] | None = (
        None  # (|speed|, *settings): most of |factor|, convex, and its slope; None: 1
    )
    settings: tuple[Setting, ...] = ()
    units: tuple[str, str] = ("N m", "N")  # of the coefficient, at a rotating and at a sliding joint
    signed: bool = False  # whether a negative coefficient is as good as a positive one
    dissipates: bool = True  # whether it is friction; an offset and a rotor inertia belong to the drive
    places: Mapping[str, str] = field(default_factory=dict)  # what file formats call the coefficient of a joint

    def __post_init__(self) -> None:
        slopes = (self.by_speed, self.by_load, self.by_position)
        if not self.word.isidentifier() or not self.title or not self.formula or len(self.units) != 2:
            self._refuse("friction.law/friction_laws")
        if self.times not in ("one", "speed", "acceleration") or len(self.settings) > MOST_SETTINGS:
            self._refuse("friction.law/post_init", most_settings=MOST_SETTINGS)
        if self.factor is None and (any(slopes) or self.bound or self.settings):
            self._refuse("friction.law/friction_laws_post_init")
        if self.times == "acceleration" and (self.factor or self.sign):
            self._refuse("friction.law/friction_laws_post_init_2")
        if self.needs_load and (self.bound or self.times != "one"):
            self._refuse("friction.law/friction_laws_post_init_3")
        if self.factor is not None:
            self._compare(self.factor)

    def __reduce__(self) -> Any:
        """A law of this table stays itself when a robot is copied or sent to another process."""
        own = next((name for name, law in globals().items() if law is self), None)
        return own or (_made, ({one.name: getattr(self, one.name) for one in fields(self)},))

    # ---- what it is

    @property
    def needs_load(self) -> bool:
        """Whether it depends on the load.

        >>> LOAD.needs_load, COULOMB.needs_load
        (True, False)
        """
        return self.by_load is not None

    @property
    def needs_position(self) -> bool:
        """Whether it depends on the position.

        >>> POSITION.needs_position
        True
        """
        return self.by_position is not None

    @property
    def is_inertia(self) -> bool:
        """Whether it is proportional to acceleration: part of the mass matrix, not friction.

        >>> ROTOR.is_inertia
        True
        """
        return self.times == "acceleration"

    @property
    def is_linear(self) -> bool:
        """Whether it is proportional to speed.

        >>> VISCOUS.is_linear, POWER.is_linear
        (True, False)
        """
        return self.times == "speed" and self.factor is None and not self.sign

    @cached_property
    def form(self) -> int:
        """What the kernels have to know, as bits.

        >>> COULOMB.form == SIGNED, ROTOR.form == LINEAR | ACCELERATION
        (True, True)
        """
        steep = self.factor is not None and not self.sign and (self.times == "speed" or self.by_speed is not None)
        bits = (self.times != "one", self.sign, self.is_inertia, self.needs_load, self.needs_position, steep)
        return sum(form for form, bit in zip(FORMS, bits) if bit)

    # ---- its equations, without the side

    def value(
        self, speed: Any, sign: Any, load: Any = 0.0, position: Any = 0.0, acceleration: Any = 0.0, settings: Sequence[Any] = ()
    ) -> Any:
        """times factor sign, for arrays or expressions.

        >>> STRIBECK.value(np.array([0.1]), np.array([1.0]), settings=(0.1,)).round(4)
        array([0.3679])
        """
        times = 1.0 if self.times == "one" else speed if self.times == "speed" else acceleration
        if self.factor is not None:
            factor = self.factor(speed, load, position, *settings)
            times = factor if self.times == "one" else times * factor
        elif self.sign and self.times == "one":
            return sign
        return times * sign if self.sign else times

    def slope(
        self, speed: Array, sign: Array, steep: Array, load: Any = 0.0, position: Any = 0.0, settings: Sequence[Any] = ()
    ) -> Any:
        """Derivative of `value` with respect to speed; `steep` is that of the sign.

        >>> POWER.slope(np.array([-2.0]), np.array([-1.0]), np.array([0.0]), settings=(2.0,))
        array([4.])
        """
        if self.factor is None and self.times != "speed":
            return steep if self.sign else 0.0
        inner = (speed, load, position, *settings)
        value = 1.0 if self.factor is None else self.factor(*inner)
        slope = 0.0 if self.by_speed is None else self.by_speed(*inner)
        if self.times == "speed":
            value, slope = speed * value, value + speed * slope
        return slope * sign + value * steep if self.sign else slope

    def inner_slope(self, by: Factor | None, speed: Array, sign: Array, inner: Sequence[Any]) -> Any:
        """Derivative of `value` by load or position, whichever `by` belongs to.

        >>> LOAD.inner_slope(LOAD.by_load, np.ones(1), np.ones(1), (np.full(1, -3.0), 0.0))
        array([-1.])
        """
        if by is None:
            return 0.0
        slope = by(speed, *inner)
        slope = slope * speed if self.times == "speed" else slope
        return slope * sign if self.sign else slope

    def largest(self, size: Array, settings: Sequence[Any] = ()) -> tuple[Any, Any]:
        """A bound on |value| at speeds up to `size`, convex in it, and its slope; per unit of load where there is one.

        >>> VISCOUS.largest(np.array([2.0])), COULOMB.largest(np.array([2.0]))
        ((array([2.]), array([1.])), (1.0, 0.0))
        """
        most, slope = (1.0, 0.0) if self.bound is None else self.bound(size, *settings)
        return (size * most, most + size * slope) if self.times == "speed" else (most, slope)

    # ---- whether the declaration holds together

    def _refuse(self, key: str, **facts: Any) -> None:
        raise RobotError(key, word=self.word, **facts)

    def _compare(self, factor: Factor) -> None:
        """Slopes with differences, bounds with values, at states that nothing is special about."""
        at = np.random.default_rng(0).uniform(-2.0, 2.0, (3, 16))
        at[0] *= np.geomspace(0.02, 1.0, 16)
        own = [np.full(16, float(one.example)) for one in self.settings]
        value = factor(*at, *own)
        if np.shape(value) != (16,) or not np.isfinite(value).all():
            self._refuse("friction.law/compare")
        for k, name in enumerate(("by_speed", "by_load", "by_position")):
            move = np.zeros((3, 16))
            move[k] = 1e-6
            rise = (factor(*(at + move), *own) - factor(*(at - move), *own)) / 2e-6
            slope, stated = getattr(self, name), np.zeros(16)
            stated = stated if slope is None else stated + slope(*at, *own)
            if not np.abs(stated - rise).max() <= 1e-5 * (1.0 + np.abs(rise).max()):
                self._refuse("friction.law/friction_laws_compare", name=name, rise=rise[:3], stated=stated[:3])
        most = (1.0 if self.bound is None else self.bound(np.abs(at[0]), *own)[0]) * (np.abs(at[1]) if self.needs_load else 1.0)
        if not (np.abs(value) <= most * (1 + 1e-9)).all():
            self._refuse("friction.law/friction_laws_compare_2")


def _made(settings: dict[str, Any]) -> Law:
    return Law(**settings)


def smooth_sign(s: Array, width: Array | float) -> Array:
    """s / sqrt(s^2 + width^2), the sign itself where the width is zero.

    >>> smooth_sign(np.array([-2.0, 0.0, 3.0]), 0.0)
    array([-1.,  0.,  1.])
    """
    wide = np.asarray(width) > 0
    if wide.all():
        return np.asarray(s / np.sqrt(s * s + np.asarray(width) ** 2))
    return np.where(wide, s / np.sqrt(s * s + np.where(wide, width, 1.0) ** 2), np.sign(s))


def smooth_sign_slope(s: Array, width: Array | float) -> Array:
    """Derivative of `smooth_sign`: width^2 / (s^2 + width^2)^(3/2), zero where the width is zero.

    >>> smooth_sign_slope(np.array([0.0, 1.0]), np.array([0.5, 0.0]))
    array([2., 0.])
    """
    width = np.broadcast_to(width, s.shape)
    return np.where(width > 0, width**2 / (s * s + np.where(width > 0, width, 1.0) ** 2) ** 1.5, 0.0)


# ---- factors: (speed, load, position, *settings). Compiled and traced as they stand: NumPy functions and arithmetic only.


def _size(speed, load, position):  # type: ignore[no-untyped-def]
    return np.abs(speed)


def _size_slope(speed, load, position):  # type: ignore[no-untyped-def]
    return np.sign(speed)


def _fading(speed, load, position, fade):  # type: ignore[no-untyped-def]
    ratio = speed / fade
    return np.exp(-(ratio * ratio))


def _fading_slope(speed, load, position, fade):  # type: ignore[no-untyped-def]
    return -2.0 * speed / fade**2 * np.exp(-((speed / fade) ** 2))


def _power(speed, load, position, exponent):  # type: ignore[no-untyped-def]
    return np.abs(speed) ** exponent


def _power_slope(speed, load, position, exponent):  # type: ignore[no-untyped-def]
    # |s|^(p-1) is infinite at standstill for p < 1; times the smooth sign the limit is zero.
    size = np.abs(speed)
    return np.where(size > 0, exponent * np.where(size > 0, size, 1.0) ** (exponent - 1) * np.sign(speed), 0.0)


def _power_bound(size, exponent):  # type: ignore[no-untyped-def]
    # |s|^p <= 1 + |s| for p < 1, where the power itself is not convex
    steep = np.maximum(exponent, 1.0)
    bound = np.where(exponent < 1, 1 + size, size**steep), np.where(exponent < 1, 1.0, exponent * size ** (steep - 1))
    return bound


def _load(speed, load, position):  # type: ignore[no-untyped-def]
    return np.abs(load)


def _load_slope(speed, load, position):  # type: ignore[no-untyped-def]
    return np.sign(load)


def _wave(speed, load, position, harmonic, phase):  # type: ignore[no-untyped-def]
    return np.sin(harmonic * position + phase)


def _wave_slope(speed, load, position, harmonic, phase):  # type: ignore[no-untyped-def]
    return harmonic * np.cos(harmonic * position + phase)


_DAMPING = {"URDF": "damping", "SDF": "damping", "MJCF": "damping"}
_FRICTION = {"URDF": "friction", "SDF": "friction", "MJCF": "frictionloss"}
_WAVES = "whole waves per turn: 1, 2, 3, ..., one term for each"

VISCOUS = Law(
    word="viscous",
    title="viscous friction",
    formula="v",
    times="speed",
    units=("N m s/rad", "N s/m"),
    places=_DAMPING,
)
COULOMB = Law(word="coulomb", title="Coulomb friction", formula="s(v)", sign=True, places=_FRICTION)
OFFSET = Law(word="offset", title="torque offset", formula="1", signed=True, dissipates=False)
STRIBECK = Law(
    word="stribeck",
    title="Stribeck friction",
    formula="exp(-(v/speed)^2) s(v)",
    sign=True,
    factor=_fading,
    by_speed=_fading_slope,
    settings=(Setting("speed", 0.05),),
)
POWER = Law(
    word="power",
    title="friction by a power of the speed",
    formula="|v|^exponent s(v)",
    sign=True,
    factor=_power,
    by_speed=_power_slope,
    bound=_power_bound,
    settings=(Setting("exponent", 0.5),),
    units=("N m (s/rad)^p", "N (s/m)^p"),
)
LOAD = Law(
    word="load",
    title="load-dependent friction",
    formula="|load| s(v)",
    sign=True,
    factor=_load,
    by_load=_load_slope,
    units=("1", "1"),
)
ROTOR = Law(
    word="rotor_inertia",
    title="rotor inertia",
    formula="a",
    times="acceleration",
    units=("kg m^2", "kg"),
    dissipates=False,
    places={"MJCF": "armature"},
)
POSITION = Law(
    word="position",
    title="position-dependent friction",
    formula="sin(harmonic q) s(v), cos(harmonic q) s(v)",
    sign=True,
    factor=_wave,
    by_position=_wave_slope,
    settings=(Setting("harmonic", 2, least=1, most=1000, whole=True, remedy=_WAVES), Setting("phase", 0.3, least=-np.inf)),
    signed=True,
)
LAWS = (VISCOUS, COULOMB, OFFSET, STRIBECK, POWER, LOAD, ROTOR, POSITION)
