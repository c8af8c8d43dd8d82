"""Columns beside the inertial ones: friction, torque offset, rotor inertia, in joints or in coupled drives.

Every such column has one shape: a scalar function of one speed (or acceleration, or load), pushed onto one or several rows,

    torque = effect * f(drive . velocity)

`drive` picks the speed (a joint's own, another joint's, a motor's mixture), `effect` the rows it loads. The functions:

    VISCOUS s      COULOMB sgn(s)      OFFSET 1      STRIBECK exp(-(s/speed)^2) sgn(s)      POWER |s|^exponent sgn(s)
    LOAD |effect . load| sgn(s)        ROTOR drive . acceleration
    POSITION sin(harmonic (drive . position) + phase) sgn(s)

sgn is s / sqrt(s^2 + width^2); width 0 is the hard sign. `side` +1 or -1 keeps one direction of motion only, by the factor
(1 + side sgn(s)) / 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bifilar.errors import ShapeError

Array = NDArray[np.float64]

VISCOUS, COULOMB, OFFSET, STRIBECK, POWER, LOAD, ROTOR, POSITION = range(8)


@dataclass(frozen=True, eq=False)
class Columns:
    """A list of drive columns as plain arrays; `Columns.none(n)` has none.

    >>> Columns.none(7).count
    0
    """

    kind: NDArray[np.int64]  # (m,) one of the constants above
    drive: Array  # (m, coordinates) mixes velocities or accelerations into the column's own
    effect: Array  # (m, coordinates) pushes the column's value onto the rows
    width: Array  # (m,) [rad/s] width of the smooth sign
    speed: Array  # (m,) [rad/s] Stribeck speed
    exponent: Array  # (m,) of the power law
    side: Array  # (m,) 0 both directions, +1 or -1 one of them
    harmonic: Array = None  # type: ignore[assignment]  # (m,) waves per turn of POSITION columns; zeros if left out
    phase: Array = None  # type: ignore[assignment]  # (m,) [rad] of these waves; zeros if left out

    def __post_init__(self) -> None:
        for name in ("harmonic", "phase"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros(len(self.kind)))

    @classmethod
    def none(cls, coordinates: int) -> Columns:
        """No columns for a robot of so many coordinates.

        >>> Columns.none(3).drive.shape
        (0, 3)
        """
        empty = np.zeros(0)
        wide = np.zeros((0, coordinates))
        return cls(np.zeros(0, np.int64), wide, wide, empty, empty, empty, empty)

    @property
    def count(self) -> int:
        """How many.

        >>> Columns.none(1).count
        0
        """
        return len(self.kind)

    @cached_property
    def needs_load(self) -> bool:
        """Whether a column depends on the load torque.

        >>> Columns.none(1).needs_load
        False
        """
        return bool(np.any(self.kind == LOAD))

    @cached_property
    def needs_position(self) -> bool:
        """Whether a column depends on the position.

        >>> Columns.none(1).needs_position
        False
        """
        return bool(np.any(self.kind == POSITION))

    @cached_property
    def _places(self) -> tuple[tuple[int, NDArray[np.int64]], ...]:
        """Kinds that are there, with their columns: found once, for they are asked for at every state of a simulation."""
        return tuple((kind, np.flatnonzero(self.kind == kind)) for kind in np.unique(self.kind).tolist())

    @cached_property
    def _one_sided(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.side)

    def values(self, velocity: Array, acceleration: Array, load: Array | None = None, position: Array | None = None) -> Array:
        """The scalar f of every column at every sample, (samples, m).

        >>> Columns.none(2).values(np.zeros((4, 2)), np.zeros((4, 2))).shape
        (4, 0)
        """
        torque, wave = self._load_or_zero(velocity, load), self._angle(velocity, position)
        s = velocity @ self.drive.T
        sign = smooth_sign(s, self.width)
        formulas: dict[int, Callable[[NDArray[np.int64]], Array]] = {
            VISCOUS: lambda k: s[:, k],
            COULOMB: lambda k: sign[:, k],
            STRIBECK: lambda k: np.exp(-((s[:, k] / self.speed[k]) ** 2)) * sign[:, k],
            POWER: lambda k: np.abs(s[:, k]) ** self.exponent[k] * sign[:, k],
            LOAD: lambda k: np.abs(torque @ self.effect[k].T) * sign[:, k],
            ROTOR: lambda k: acceleration @ self.drive[k].T,
            POSITION: lambda k: np.sin(wave[:, k]) * sign[:, k],
        }
        f = np.ones_like(s)
        for kind, k in self._places:
            if kind in formulas:
                f[:, k] = formulas[kind](k)
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
        torque, wave = self._load_or_zero(velocity, load), self._angle(velocity, position)
        s = velocity @ self.drive.T
        sign, steep = smooth_sign(s, self.width), smooth_sign_slope(s, self.width)
        formulas: dict[int, Callable[[NDArray[np.int64]], Array]] = {
            VISCOUS: lambda k: np.ones(len(k)),
            COULOMB: lambda k: steep[:, k],
            STRIBECK: lambda k: _stribeck_slope(s[:, k], self.speed[k], sign[:, k], steep[:, k]),
            POWER: lambda k: _power_slope(s[:, k], self.exponent[k], sign[:, k], steep[:, k]),
            LOAD: lambda k: np.abs(torque @ self.effect[k].T) * steep[:, k],
            POSITION: lambda k: np.sin(wave[:, k]) * steep[:, k],
        }
        slope = np.zeros_like(s)
        for kind, k in self._places:
            if kind in formulas:
                slope[:, k] = formulas[kind](k)
        one = self._one_sided
        if len(one):
            still = np.zeros_like(velocity)
            both = replace(self, side=np.zeros_like(self.side)).values(velocity, still, load, position)[:, one]
            factor = 0.5 * (1 + self.side[one] * sign[:, one])
            slope[:, one] = slope[:, one] * factor + both * 0.5 * self.side[one] * steep[:, one]
        return slope

    def load_slopes(self, velocity: Array, load: Array) -> Array:
        """Derivative of every column's value with respect to its own load (effect . load), (samples, m).

        >>> Columns.none(2).load_slopes(np.zeros((4, 2)), np.zeros((4, 2))).shape
        (4, 0)
        """
        sign = smooth_sign(velocity @ self.drive.T, self.width)
        factor = np.where(self.side == 0, 1.0, 0.5 * (1 + self.side * sign))
        return np.where(self.kind == LOAD, np.sign(load @ self.effect.T) * sign * factor, 0.0)

    def position_slopes(self, velocity: Array, position: Array) -> Array:
        """Derivative of every column's value with respect to its own position (drive . position), (samples, m).

        >>> Columns.none(2).position_slopes(np.zeros((4, 2)), np.zeros((4, 2))).shape
        (4, 0)
        """
        if not self.needs_position:
            return np.zeros((len(velocity), self.count))
        sign = smooth_sign(velocity @ self.drive.T, self.width)
        factor = np.where(self.side == 0, 1.0, 0.5 * (1 + self.side * sign))
        wave = self.harmonic * np.cos(self._angle(velocity, position))
        return np.where(self.kind == POSITION, wave * sign * factor, 0.0)

    def _angle(self, velocity: Array, position: Array | None) -> Array:
        """Of the waves over the position, (samples, m); anything where there are none."""
        if not self.needs_position:
            return velocity
        if position is None:
            what = "position-dependent friction needs the position"
            raise ShapeError(what, code="friction.needs_position", remedy="give position=, (samples, coordinates)")
        return position @ self.drive.T * self.harmonic + self.phase

    def _load_or_zero(self, velocity: Array, load: Array | None) -> Array:
        if load is None and self.needs_load:
            raise ShapeError(
                "load-dependent friction needs the load torque",
                code="friction.needs_load",
                remedy="give load=, (samples, coordinates)",
            )
        return np.zeros_like(velocity) if load is None else load


def _stribeck_slope(s: Array, speed: Array, sign: Array, steep: Array) -> Array:
    return np.exp(-((s / speed) ** 2)) * (steep - 2 * s / speed**2 * sign)


def _power_slope(s: Array, exponent: Array, sign: Array, steep: Array) -> Array:
    size = np.abs(s)
    # |s|^(p-1) is infinite at standstill for p < 1; times the smooth sign the limit is zero.
    inner = np.where(size > 0, exponent * np.where(size > 0, size, 1.0) ** (exponent - 1) * np.abs(sign), 0.0)
    return inner + size**exponent * steep


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
