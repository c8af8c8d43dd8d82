"""Piecewise polynomials, and the quintic motions made of them.

On the piece [t_k, t_k+1] of length h, with u = (t - t_k) / h,

    q(t) = sum_i  C(d, i) u^i (1-u)^(d-i)  p_i             (Bernstein form)

so that q stays between the smallest and the largest p_i, between the samples too; derivatives have the control values
d (p_i+1 - p_i) / h and the same property. Quintics: position, velocity and acceleration at both ends of a piece decide it.
From rest to rest over a distance D in the time T, |v| <= 15/8 D/T, |a| <= 10/sqrt(3) D/T^2, |jerk| <= 60 D/T^3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers, table
from bifilar.errors import MotionError, ShapeError
from bifilar.experiment.checks import inside, instants, named, read_only, row
from bifilar.experiment.trajectory import Array, Curve, Derivatives, Motion

if TYPE_CHECKING:
    from bifilar.robot.described import JointLimits


@dataclass(frozen=True, eq=False, repr=False)
class Piecewise(Curve):
    """A polynomial per piece.

    >>> line = Piecewise(("slide",), [0.0, 2.0], [[[0.0], [1.0]]])
    >>> line.at(1.0).velocity
    array([[0.5]])
    """

    joint_names: tuple[str, ...]
    knots: Array  # (pieces + 1,) [s], from 0
    control: Array  # (pieces, degree + 1, joints)

    def __post_init__(self) -> None:
        names, knots, control = named(self.joint_names), instants(self.knots), numbers("control", self.control)
        increasing("the knots", knots)
        if control.ndim != 3 or control.shape[::2] != (len(knots) - 1, len(names)) or control.shape[1] < 1:
            raise ShapeError("shape.wrong/piecewise", shape=control.shape, knot_count=len(knots) - 1, name_count=len(names))
        table("control", control.reshape(-1, len(names)), names)
        for name, value in (("joint_names", names), ("knots", read_only(knots)), ("control", read_only(control))):
            object.__setattr__(self, name, value)

    @property
    def duration(self) -> float:
        """Length in seconds.

        >>> Piecewise(("slide",), [0.0, 2.0], [[[0.0], [1.0]]]).duration
        2.0
        """
        return float(self.knots[-1])

    @property
    def degree(self) -> int:
        """Of the position.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).degree
        5
        """
        return self.control.shape[1] - 1

    def controls(self, order: int) -> Array:
        """Control values (pieces, degree + 1 - order, joints) of a derivative: it stays between the extremes of each piece.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).controls(1).max()
        np.float64(2.5)
        """
        c, h = self.control, np.diff(self.knots)[:, None, None]
        for _ in range(order):
            c = np.diff(c, axis=1) * ((c.shape[1] - 1) / h) if c.shape[1] > 1 else np.zeros_like(c)
        return c

    def _derivatives(self, time: Array) -> Derivatives:
        piece = np.clip(np.searchsorted(self.knots, time, side="right") - 1, 0, len(self.knots) - 2)
        u = (time - self.knots[piece]) / np.diff(self.knots)[piece]
        q, v, a, j = (_bernstein(self.controls(order), piece, u) for order in range(4))
        return q, v, a, j

    def slowed(self, factor: float) -> Self:
        """The same path in `factor` times the time.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).slowed(4).knots
        array([0., 8.])
        """
        from bifilar.experiment.compose import slowing

        return replace(self, knots=self.knots * slowing(factor))

    def with_offset(self, offset: ArrayLike) -> Self:
        """The same motion about another pose.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).with_offset(1.0).at(0.0).position
        array([[1.]])
        """
        return replace(self, control=self.control + row("offset", offset, self.joint_names))


def _bernstein(control: Array, piece: np.ndarray, u: Array) -> Array:
    d = control.shape[1] - 1
    k = np.arange(d + 1)
    weights = np.array([comb(d, i) for i in k]) * u[:, None] ** k * (1 - u[:, None]) ** (d - k)
    result = np.zeros((len(u), control.shape[2]))
    for i in k:  # a sum of d + 1 gathered rows: less memory than gathering all of them
        result += weights[:, i, None] * control[piece, i]
    return result


def increasing(what: str, time: Array) -> None:
    """Refuse times that do not begin at 0 and rise.

    >>> increasing("the knots", np.array([0.0, 1.0]))
    """
    if len(time) < 2:
        raise MotionError("motion.too_short/piecewise", thing=what, time_count=len(time))
    steps = np.diff(time)
    if (steps <= 0).any():
        k = int(np.argmax(steps <= 0))
        raise MotionError("clock.not_rising/piecewise", where=f"instant {k + 1}", thing=what, time=time[k], time_2=time[k + 1])
    if time[0] != 0:
        raise MotionError("clock.start", thing=what, time=time[0])


def hermite(joint_names: Sequence[str], times: Array, position: Array, velocity: Array, acceleration: Array) -> Piecewise:
    """Quintic pieces with these states (points, joints) at these times; jerk may jump there.

    >>> hermite(["slide"], np.array([0.0, 1.0]), *(np.array([[x], [y]]) for x, y in [(0, 1), (1, 1), (0, 0)])).at(0.5).position
    array([[0.5]])
    """
    h = np.diff(times)[:, None]
    q0, q1 = position[:-1], position[1:]
    v0, v1 = h * velocity[:-1] / 5, h * velocity[1:] / 5
    a0, a1 = h**2 * acceleration[:-1] / 20, h**2 * acceleration[1:] / 20
    control = np.stack([q0, q0 + v0, q0 + 2 * v0 + a0, q1 - 2 * v1 + a1, q1 - v1, q1], axis=1)
    return Piecewise(tuple(joint_names), times, control)


def quintic(
    joint_names: Sequence[str],
    points: ArrayLike,
    times: ArrayLike,
    *,
    stop: bool = True,
    limits: JointLimits | None = None,
) -> Piecewise:
    """Through `points` (points, joints) at `times` (from 0), at rest at both ends.

    `stop`: rest at every point; otherwise pass through with the smallest integral of squared jerk (continuous up to snap).
    `limits` (robot.limits): points outside are refused; a smooth motion may still swing beyond them between the points.

    >>> move = bf.quintic(["elbow"], [[0.0], [1.0], [0.0]], [0.0, 1.0, 2.0], stop=False)
    >>> bool(np.abs(move.at([0.0, 2.0]).velocity).max() < 1e-12)
    True
    """
    names, t = named(joint_names), instants(times)
    q = table("points", points, names)[0]
    if len(q) != len(t):
        raise ShapeError("motion.length/piecewise", q_count=len(q), t_count=len(t))
    increasing("the times", t)
    inside("point", q, names, limits)
    rates = np.zeros((len(q), 2, q.shape[1])) if stop or len(q) == 2 else _least_jerk(t, q)
    return hermite(names, t, q, rates[:, 0], rates[:, 1])


def interpolated(motion: Motion) -> Piecewise:
    """A trajectory through sampled states, such as a file's: quintic between the samples, time from 0.

    >>> motion = bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).sample(10)
    >>> bf.interpolated(motion).at(1.0).position
    array([[0.5]])
    """
    t = motion.time - motion.time[0] if len(motion) else motion.time
    increasing("the samples", t)
    return hermite(motion.joint_names, t, motion.position, motion.velocity, motion.acceleration)


# Integral of squared jerk over a piece of unit length as a quadratic form of (q, v, a at the start, q, v, a at the end):
# third differences of the control values are the jerk's control values / 60, and quadratic Bernstein polynomials have the
# inner products GRAM.
_CONTROL = np.array(
    [[1, 0, 0, 0, 0, 0], [1, 1 / 5, 0, 0, 0, 0], [1, 2 / 5, 1 / 20, 0, 0, 0]]
    + [[0, 0, 0, 1, -2 / 5, 1 / 20], [0, 0, 0, 1, -1 / 5, 0], [0, 0, 0, 1, 0, 0]]
)
_GRAM = np.array([[6, 3, 1], [3, 4, 3], [1, 3, 6]]) / 30
_JERK = 60 * np.diff(_CONTROL, n=3, axis=0)
_ENERGY = _JERK.T @ _GRAM @ _JERK


def _least_jerk(t: Array, q: Array) -> Array:
    """Velocities and accelerations (points, 2, joints) of the smoothest motion: a block-tridiagonal positive system."""
    h = np.diff(t)
    scale = np.stack([np.ones_like(h), h, h**2] * 2, axis=1)  # states in units of the piece's own time
    H = _ENERGY * scale[:, :, None] * scale[:, None, :] / h[:, None, None] ** 5
    inner = range(1, len(t) - 1)
    diagonal = [H[k - 1, 4:, 4:] + H[k, 1:3, 1:3] for k in inner]
    right = [-(H[k - 1, 4:, [0, 3]].T @ q[k - 1 : k + 1] + H[k, 1:3, [0, 3]].T @ q[k : k + 2]) for k in inner]
    for i in range(1, len(diagonal)):  # forward elimination, then substitution from the end
        above = H[i, 1:3, 4:]
        factor = np.linalg.solve(diagonal[i - 1], above).T
        diagonal[i] = diagonal[i] - factor @ above
        right[i] = right[i] - factor @ right[i - 1]
    rates = np.zeros((len(t), 2, q.shape[1]))
    for i in reversed(range(len(diagonal))):
        known = H[i + 1, 1:3, 4:] @ rates[i + 2]
        rates[i + 1] = np.linalg.solve(diagonal[i], right[i] - known)
    return rates
