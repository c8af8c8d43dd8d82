"""B-splines: motions as sums of bumps, each of which only matters nearby.

    q(t) = sum_i N_i,p(t) P_i         (Cox and de Boor; degree p = 5, knots equally spaced, p + 1 of them at each end)

is linear in the control points P, continuous up to the fourth derivative, and stays within the hull of P: bounds between
the samples come free. The curve begins at the first control point and ends at the last; with the first three alike and the
last three alike it begins and ends at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import table
from bifilar.errors import MotionError
from bifilar.experiment.checks import instants, named, positive, read_only, row
from bifilar.experiment.harmonics import Basis
from bifilar.experiment.trajectory import Array, Curve, Derivatives


@dataclass(frozen=True, eq=False, repr=False)
class BSpline(Curve):
    """A clamped B-spline with equally spaced knots.

    >>> spline = BSpline.at_rest(["elbow"], [[0.0], [1.0], [0.5], [0.0]], duration=4.0)
    >>> spline.at([0.0, 4.0]).velocity.ravel()
    array([0., 0.])
    """

    joint_names: tuple[str, ...]
    control: Array  # (points, joints)
    length: float  # [s]
    degree: int = 5

    def __post_init__(self) -> None:
        names = named(self.joint_names)
        control = table("control points", self.control, names)[0]
        if self.degree != int(self.degree) or self.degree < 1:
            raise MotionError("spline.degree", degree=self.degree)
        if len(control) <= self.degree:
            raise MotionError("spline.points", degree=self.degree, control_count=len(control), degree_2=self.degree + 1)
        values = {"joint_names": names, "control": read_only(control), "length": positive("the duration", self.length, "s")}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def at_rest(cls, joint_names: Sequence[str], points: ArrayLike, duration: float, degree: int = 5) -> Self:
        """Begins at rest at the first point and ends at rest at the last, drawn towards those between.

        >>> BSpline.at_rest(["elbow"], [[0.0], [1.0]], duration=1.0).at(0.5).position
        array([[0.5]])
        """
        names = named(joint_names)
        P = table("control points", points, names)[0]
        if len(P) < 2:
            raise MotionError("motion.too_short/splines", p_count=len(P))
        return cls(names, np.concatenate([P[:1], P[:1], P, P[-1:], P[-1:]]), duration, degree)

    @property
    def duration(self) -> float:
        """Length in seconds.

        >>> BSpline.at_rest(["elbow"], [[0.0], [1.0]], duration=1.0).duration
        1.0
        """
        return self.length

    @cached_property
    def knots(self) -> Array:
        """With the ends repeated degree + 1 times.

        >>> BSpline(("elbow",), [[0.0], [1.0], [2.0]], 2.0, degree=1).knots
        array([0., 0., 1., 2., 2.])
        """
        p = self.degree
        inner = np.linspace(0.0, self.length, len(self.control) - p + 1)
        return read_only(np.concatenate([np.zeros(p), inner, np.full(p, self.length)]))

    def basis(self, time: ArrayLike) -> Basis:
        """Matrices (samples, points) at instants within [0, duration]: position = basis.position @ control, and so on.

        >>> BSpline.at_rest(["elbow"], [[0.0], [1.0]], duration=1.0).basis(0.5).position.sum().round(12)
        np.float64(1.0)
        """
        return Basis(*self._matrices(instants(time), 2))

    def controls(self, order: int) -> Array:
        """Control values (points - order, joints) of a derivative: it stays between their extremes.

        >>> BSpline(("elbow",), [[0.0], [1.0], [2.0]], 2.0, degree=1).controls(1)
        array([[1.],
               [1.]])
        """
        return self._differences(order) @ self.control

    def _differences(self, order: int) -> Array:
        """From control points to those of a derivative, which is a spline of a lower degree."""
        D, p, t = np.eye(len(self.control)), self.degree, self.knots
        for n in range(min(order, p)):
            span = t[p + 1 : len(t) - 1 - n] - t[n + 1 : len(t) - p - 1]
            D = (p - n) * np.diff(D, axis=0) / span[:, None]
        return D

    def _matrices(self, time: Array, order: int) -> list[Array]:
        p, result = self.degree, []
        for n in range(order + 1):
            if n > p:
                result.append(np.zeros((len(time), len(self.control))))
                continue
            knots = self.knots[n : len(self.knots) - n]
            result.append(bumps(time, knots, p - n) @ self._differences(n))
        return result

    def _derivatives(self, time: Array) -> Derivatives:
        q, v, a, j = (matrix @ self.control for matrix in self._matrices(time, 3))
        return q, v, a, j

    def slowed(self, factor: float) -> Self:
        """The same path in `factor` times the time.

        >>> BSpline.at_rest(["elbow"], [[0.0], [1.0]], duration=1.0).slowed(4).duration
        4.0
        """
        from bifilar.experiment.compose import slowing

        return replace(self, length=self.length * slowing(factor))

    def with_offset(self, offset: ArrayLike) -> Self:
        """The same motion about another pose.

        >>> BSpline.at_rest(["elbow"], [[0.0], [1.0]], duration=1.0).with_offset(1.0).at(0.0).position
        array([[1.]])
        """
        return replace(self, control=self.control + row("offset", offset, self.joint_names))


def bumps(time: Array, knots: Array, degree: int) -> Array:
    """The basis functions N_i of Cox and de Boor at instants between the first and the last knot, (samples, functions).

    >>> bumps(np.array([0.5]), np.array([0.0, 0.0, 1.0, 1.0]), 1)
    array([[0.5, 0.5]])
    """
    last = len(knots) - degree - 2  # the last piece includes its end
    piece = np.clip(np.searchsorted(knots, time, side="right") - 1, degree, last)
    N = np.zeros((len(time), len(knots) - 1))
    N[np.arange(len(time)), piece] = 1.0
    t = time[:, None]
    for p in range(1, degree + 1):
        rise, fall = knots[p:-1] - knots[: -p - 1], knots[p + 1 :] - knots[1:-p]
        up = np.divide(t - knots[: -p - 1], rise, out=np.zeros((len(time), len(rise))), where=rise > 0)
        down = np.divide(knots[p + 1 :] - t, fall, out=np.zeros((len(time), len(fall))), where=fall > 0)
        N = up * N[:, :-1] + down * N[:, 1:]
    return N
