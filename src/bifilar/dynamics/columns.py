"""Columns beside the inertial ones: friction, torque offset, rotor inertia, in joints or in coupled drives.

Every such column has one shape: a scalar function of one speed (acceleration, load, position), pushed onto one or several rows,

    torque = effect * f(drive . velocity)

`drive` picks the speed (a joint's own, another joint's, a motor's mixture), `effect` the rows it loads. The functions are those
of the table in `friction_laws`; a column holds its law, so there is no kind that one engine knows and another does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.friction_laws import MOST_SETTINGS, Law, smooth_sign, smooth_sign_slope
from bifilar.errors import ShapeError

Array = NDArray[np.float64]
Places = NDArray[np.int64]


class Group(NamedTuple):
    """The columns of one law.

    >>> group = bf.PowerLaw(exponent=0.5).columns(("a", "b")).columns.groups[0]
    >>> group.law.word, group.at, group.own
    ('power', slice(0, 2, None), (array([0.5, 0.5]),))
    """

    law: Law
    at: slice | Places  # their places
    own: tuple[Array, ...]  # their settings, one array each
    drive: Array  # (coordinates, columns)
    effect: Array  # (coordinates, columns)

    @classmethod
    def of(cls, law: Law, places: Sequence[int], columns: Columns) -> Group:
        """Columns at these places. A slice, where it can be one, is faster than places.

        >>> columns = bf.Viscous().columns(("a", "b")).columns
        >>> Group.of(columns.laws[0], [1], columns).drive
        array([[0.],
               [1.]])
        """
        first, last = places[0], places[-1]
        at = slice(first, last + 1) if last - first + 1 == len(places) else np.array(places, dtype=np.int64)
        own = tuple(np.ascontiguousarray(columns.settings[at, place]) for place in range(len(law.settings)))
        return cls(law, at, own, columns.drive[at].T, columns.effect[at].T)

    def inner(self, load: Array | None, position: Array | None) -> tuple[Any, Any]:
        """Their own load and position; zero where the law depends on none.

        >>> bf.LoadDependent().columns(("a",)).columns.groups[0].inner(np.array([[3.0]]), None)
        (array([[3.]]), 0.0)
        """
        return (
            0.0 if self.law.by_load is None or load is None else load @ self.effect,
            0.0 if self.law.by_position is None or position is None else position @ self.drive,
        )


@dataclass(frozen=True, eq=False)
class Columns:
    """A list of drive columns as plain arrays; `Columns.none(n)` has none.

    >>> Columns.none(7).count
    0
    """

    laws: tuple[Law, ...]  # (m,)
    drive: Array  # (m, coordinates) mixes velocities, accelerations or positions into the column's own
    effect: Array  # (m, coordinates) pushes the column's value onto the rows
    width: Array  # (m,) [rad/s] width of the smooth sign
    side: Array  # (m,) 0 both directions, +1 or -1 one of them
    settings: Array  # (m, 4) numbers of the law, in its order; zeros behind them

    def __post_init__(self) -> None:
        shapes = {"width": (self.count,), "side": (self.count,), "settings": (self.count, MOST_SETTINGS)}
        wrong = [name for name, shape in shapes.items() if getattr(self, name).shape != shape]
        if wrong or not all(isinstance(law, Law) for law in self.laws) or self.drive.shape != self.effect.shape:
            raise ShapeError("columns.shape", wrong=", ".join(wrong) or "laws, drive or effect")

    @classmethod
    def none(cls, coordinates: int) -> Columns:
        """No columns for a robot of so many coordinates.

        >>> Columns.none(3).drive.shape
        (0, 3)
        """
        empty = np.zeros(0)
        wide = np.zeros((0, coordinates))
        return cls((), wide, wide, empty, empty, np.zeros((0, MOST_SETTINGS)))

    @property
    def count(self) -> int:
        """How many.

        >>> Columns.none(1).count
        0
        """
        return len(self.laws)

    def having(self, wanted: Callable[[Law], Any]) -> NDArray[np.bool_]:
        """Columns whose law is so, as a mask.

        >>> bf.RotorInertia().columns(("a", "b")).columns.having(lambda law: law.is_inertia)
        array([ True,  True])
        """
        return np.array([bool(wanted(law)) for law in self.laws], dtype=bool)

    def setting(self, name: str, otherwise: float = np.nan) -> Array:
        """A setting by its name, (m,); `otherwise` where the law has none of this name.

        >>> (bf.Stribeck(speed=0.2) + bf.Viscous()).columns(("a",)).columns.setting("speed", 1.0)
        array([0.2, 1. ])
        """
        found = np.full(self.count, otherwise)
        for law, k, own, *_ in self.groups:
            for one, values in zip(law.settings, own):
                if one.name == name:
                    found[k] = values
        return found

    @cached_property
    def is_inertia(self) -> NDArray[np.bool_]:
        """Which columns are rotors.

        >>> (bf.Viscous() + bf.RotorInertia()).columns(("a",)).columns.is_inertia
        array([False,  True])
        """
        return self.having(lambda law: law.is_inertia)

    @cached_property
    def needs_load(self) -> bool:
        """Whether a column depends on the load torque.

        >>> Columns.none(1).needs_load
        False
        """
        return any(law.needs_load for law in self.laws)

    @cached_property
    def needs_position(self) -> bool:
        """Whether a column depends on the position.

        >>> Columns.none(1).needs_position
        False
        """
        return any(law.needs_position for law in self.laws)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Laws that are there, with their columns: found once, for simulations ask at every state.

        >>> [(one.law.word, one.at) for one in (bf.Viscous() + bf.Offset()).columns(("a", "b")).columns.groups]
        [('viscous', slice(0, 2, None)), ('offset', slice(2, 4, None))]
        """
        places: dict[Law, list[int]] = {}
        for k, law in enumerate(self.laws):
            places.setdefault(law, []).append(k)
        return tuple(Group.of(law, k, self) for law, k in places.items())

    @cached_property
    def _one_sided(self) -> Places:
        return np.flatnonzero(self.side)

    def values(self, velocity: Array, acceleration: Array, load: Array | None = None, position: Array | None = None) -> Array:
        """The scalar f of every column at every sample, (samples, m).

        >>> Columns.none(2).values(np.zeros((4, 2)), np.zeros((4, 2))).shape
        (4, 0)
        """
        _refuse_missing(self, load, position)
        s = velocity @ self.drive.T
        sign, f = smooth_sign(s, self.width), np.empty_like(s)
        for group in self.groups:
            law, k, own, drive, _ = group
            rate = acceleration @ drive if law.times == "acceleration" else 0.0
            f[:, k] = law.value(s[:, k], sign[:, k], *group.inner(load, position), rate, own)
        one = self._one_sided
        if len(one):
            f[:, one] *= 0.5 * (1 + self.side[one] * sign[:, one])
        return f

    def slopes(self, velocity: Array, load: Array | None = None, position: Array | None = None) -> Array:
        """Derivative of every column's value with respect to its own speed (drive . velocity), (samples, m).

        A hard sign (width 0) counts as constant, also at standstill; rotor columns depend on no speed.

        >>> Columns.none(2).slopes(np.zeros((4, 2))).shape
        (4, 0)
        """
        _refuse_missing(self, load, position)
        s = velocity @ self.drive.T
        sign, steep, slope = smooth_sign(s, self.width), smooth_sign_slope(s, self.width), np.empty_like(s)
        for group in self.groups:
            law, k, own, *_ = group
            inner, side = group.inner(load, position), self.side[k]
            slope[:, k] = law.slope(s[:, k], sign[:, k], steep[:, k], *inner, own)
            if side.any():
                both = law.value(s[:, k], sign[:, k], *inner, settings=own)
                slope[:, k] *= np.where(side == 0, 1.0, 0.5 * (1 + side * sign[:, k]))
                slope[:, k] += both * 0.5 * side * steep[:, k]
        return slope

    def load_slopes(self, velocity: Array, load: Array, position: Array | None = None) -> Array:
        """Derivative of every column's value with respect to its own load (effect . load), (samples, m).

        >>> Columns.none(2).load_slopes(np.zeros((4, 2)), np.zeros((4, 2))).shape
        (4, 0)
        """
        return self._inner_slopes(velocity, load, position, lambda law: law.by_load)

    def position_slopes(self, velocity: Array, position: Array, load: Array | None = None) -> Array:
        """Derivative of every column's value with respect to its own position (drive . position), (samples, m).

        >>> Columns.none(2).position_slopes(np.zeros((4, 2)), np.zeros((4, 2))).shape
        (4, 0)
        """
        return self._inner_slopes(velocity, load, position, lambda law: law.by_position)

    def _inner_slopes(self, velocity: Array, load: Array | None, position: Array | None, of: Callable[[Law], Any]) -> Array:
        slope = np.zeros((len(velocity), self.count))
        for group in self.groups:
            law, k, own, drive, _ = group
            if of(law) is None:
                continue
            _refuse_missing(law, load, position)
            s = velocity @ drive
            sign = smooth_sign(s, self.width[k])
            slope[:, k] = law.inner_slope(of(law), s, sign, (*group.inner(load, position), *own))
            if self.side[k].any():
                slope[:, k] *= np.where(self.side[k] == 0, 1.0, 0.5 * (1 + self.side[k] * sign))
        return slope


def _refuse_missing(of: Columns | Law, load: Array | None, position: Array | None) -> None:
    if load is None and of.needs_load:
        raise ShapeError("friction.needs_load/columns")
    if position is None and of.needs_position:
        raise ShapeError("friction.needs_position/columns")
