"""Friction of the plant at one instant, by the laws of bifilar.dynamics.friction_laws: fast for one state.

    s = drive . speed          sgn = s / sqrt(s^2 + width^2)          torque = sum over columns of value * effect * f(s)

A column that keeps one direction of motion is halved and weighted by 1 + side sgn. Every sign is smooth here: a hard one has
no solution that an explicit integrator could follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.columns import Columns, Group
from bifilar.dynamics.friction_laws import SIGNED, STEEP
from bifilar.dynamics.tree import Array
from bifilar.robot.model import Model


@dataclass(frozen=True, eq=False)
class PlantFriction:
    """Columns of one robot, sorted by what they need.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous(), {"joint1.viscous": 0.5})
    >>> PlantFriction.of(robot).torque(np.array([2.0]))
    array([1.])
    """

    linear: Array  # (joints, joints) viscous: torque per speed
    constant: Array  # (joints,) offset
    drive: Array  # (m, joints) of the other columns
    push: Array  # (joints, m) value times effect
    width2: Array  # (m,) [rad^2/s^2]
    groups: tuple[Group, ...]  # the other columns by their laws
    factored: tuple[Group, ...]  # those of them whose law has a factor
    unsigned: NDArray[np.int64]  # places of the columns without a sign
    linear_too: NDArray[np.int64]  # places of the columns that are multiplied by the speed
    sided: NDArray[np.int64]  # places of the columns for one direction
    side: Array  # (m,)

    @classmethod
    def of(cls, robot: Model) -> PlantFriction:
        """The friction of a robot whose signs are all smooth.

        >>> PlantFriction.of(bf.Robot.load("pendulum")).drive.shape
        (0, 1)
        """
        c, values = robot.drive_columns.columns, robot.drive_values
        plain = (c.side == 0) & c.having(lambda law: law.is_linear)
        still = (c.side == 0) & c.having(lambda law: law.form == 0 and law.factor is None)
        other = np.flatnonzero(~plain & ~still & ~c.is_inertia)
        left = Columns(tuple(c.laws[k] for k in other), *(x[other] for x in (c.drive, c.effect, c.width, c.side, c.settings)))
        return cls(
            linear=(c.effect[plain].T * values[plain]) @ c.drive[plain],
            constant=values[still] @ c.effect[still],
            drive=c.drive[other],
            push=c.effect[other].T * values[other],
            width2=np.maximum(c.width[other], 1e-9) ** 2,  # 1e-9: no division by zero at standstill
            groups=left.groups,
            factored=tuple(group for group in left.groups if group.law.factor is not None),
            unsigned=np.flatnonzero(left.having(lambda law: not law.sign)),
            linear_too=np.flatnonzero(left.having(lambda law: law.times == "speed")),
            sided=np.flatnonzero(left.side),
            side=left.side,
        )

    @cached_property
    def simple(self) -> bool:
        """Whether every sign counts as it is: nothing but Coulomb friction.

        >>> PlantFriction.of(bf.Robot.load("pendulum")).simple
        True
        """
        return not len(self.sided) and all(group.law.form == SIGNED and group.law.factor is None for group in self.groups)

    @cached_property
    def needs_load(self) -> bool:
        """Whether it depends on the load.

        >>> PlantFriction.of(bf.Robot.load("pendulum")).needs_load
        False
        """
        return any(group.law.needs_load for group in self.groups)

    def torque(self, speed: Array, load: Array | None = None, position: Array | None = None) -> Array:
        """Friction torque of the joints, against positive motion where positive.

        >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(width=3.0), {"joint1.coulomb": 10.0})
        >>> PlantFriction.of(robot).torque(np.array([4.0]))
        array([8.])
        """
        result = self.linear @ speed + self.constant
        if not len(self.drive):
            return result
        s = self.drive @ speed
        sign = s / np.sqrt(s * s + self.width2)
        if self.simple:
            return result + self.push @ sign
        f = sign.copy()
        if len(self.unsigned):
            f[self.unsigned] = 1.0
        if len(self.linear_too):
            f[self.linear_too] *= s[self.linear_too]
        for group in self.factored:
            f[group.at] *= group.law.factor(s[group.at], *group.inner(load, position), *group.own)  # type: ignore[misc]
        if len(self.sided):
            f[self.sided] *= 0.5 * (1 + self.side[self.sided] * sign[self.sided])
        return result + self.push @ f

    def steepness(self, speed: Array, load: Array) -> Array:
        """A bound on the torque of each joint per change of its speed, near `speed` [N m s/rad]; for the choice of a step.

        >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(width=0.5), {"joint1.coulomb": 10.0})
        >>> PlantFriction.of(robot).steepness(np.zeros(1), np.zeros(1))
        array([20.])
        """
        bound = np.abs(self.linear).sum(axis=1)
        if not len(self.drive):
            return bound
        s = self.drive @ speed
        slope = self.width2 / (s * s + self.width2) ** 1.5
        for law, k, own, _, effect in self.groups:
            if law.needs_load:
                slope[k] *= np.abs(load @ effect)
            elif law.is_linear:
                slope[k] = 1.0
            elif law.form & STEEP:
                slope[k] = np.abs(law.slope(s[k], s[k], s[k], settings=own))
            elif not law.sign:
                slope[k] *= self.side[k] != 0
        return bound + np.abs(self.push) @ (slope * np.abs(self.drive).sum(axis=1))
