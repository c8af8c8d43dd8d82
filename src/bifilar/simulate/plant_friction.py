"""Friction of the plant at one instant, written anew: the formulas of bifilar.dynamics.columns are what it tests.

    s = drive . speed          sgn = s / sqrt(s^2 + width^2)
    torque = sum over columns of value * effect * {s, sgn, 1, exp(-(s/speed)^2) sgn, |s|^p sgn, |effect . load| sgn,
                                                   sin(k drive . position + phase) sgn}

A column that keeps one direction of motion is halved and weighted by 1 + side sgn. Every sign is smooth here: a hard one has
no solution that an explicit integrator could follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.columns import LOAD, OFFSET, POSITION, POWER, ROTOR, STRIBECK, VISCOUS
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
    drive: Array  # (m, joints) of the columns with a sign
    push: Array  # (joints, m) value times effect
    width2: Array  # (m,) [rad^2/s^2]
    stribeck: NDArray[np.int64]
    speed: Array
    power: NDArray[np.int64]
    exponent: Array
    load: NDArray[np.int64]
    effect: Array  # of the load columns
    sided: NDArray[np.int64]
    side: Array
    viscous: NDArray[np.int64]  # one-sided ones; two-sided are in `linear`
    offset: NDArray[np.int64]  # one-sided ones; two-sided are in `constant`
    position: NDArray[np.int64]
    turn: Array  # (p, joints) of the position columns: joint positions to the angle of the wave
    phase: Array

    @classmethod
    def of(cls, robot: Model) -> PlantFriction:
        """The friction of a robot whose signs are all smooth.

        >>> PlantFriction.of(bf.Robot.load("pendulum")).drive.shape
        (0, 1)
        """
        c, values = robot.drive_columns.columns, robot.drive_values
        plain = (c.side == 0) & (c.kind == VISCOUS)
        still = (c.side == 0) & (c.kind == OFFSET)
        rest = np.flatnonzero(~plain & ~still & (c.kind != ROTOR))
        kind = c.kind[rest]
        at = {k: np.flatnonzero(kind == k) for k in (STRIBECK, POWER, LOAD, VISCOUS, OFFSET, POSITION)}
        sided = np.flatnonzero(c.side[rest])
        return cls(
            linear=(c.effect[plain].T * values[plain]) @ c.drive[plain],
            constant=values[still] @ c.effect[still],
            drive=c.drive[rest],
            push=c.effect[rest].T * values[rest],
            width2=np.maximum(c.width[rest], 1e-9) ** 2,  # 1e-9: no division by zero at standstill
            stribeck=at[STRIBECK],
            speed=c.speed[rest][at[STRIBECK]],
            power=at[POWER],
            exponent=c.exponent[rest][at[POWER]],
            load=at[LOAD],
            effect=c.effect[rest][at[LOAD]],
            sided=sided,
            side=c.side[rest][sided],
            viscous=at[VISCOUS],
            offset=at[OFFSET],
            position=at[POSITION],
            turn=(c.drive * c.harmonic[:, None])[rest][at[POSITION]],
            phase=c.phase[rest][at[POSITION]],
        )

    @cached_property
    def simple(self) -> bool:
        """Whether every sign counts as it is: nothing but Coulomb friction.

        >>> PlantFriction.of(bf.Robot.load("pendulum")).simple
        True
        """
        return not any(map(len, (self.stribeck, self.power, self.load, self.sided, self.position)))

    @cached_property
    def needs_load(self) -> bool:
        """Whether it depends on the load.

        >>> PlantFriction.of(bf.Robot.load("pendulum")).needs_load
        False
        """
        return len(self.load) > 0

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
        if len(self.stribeck):
            f[self.stribeck] *= np.exp(-((s[self.stribeck] / self.speed) ** 2))
        if len(self.power):
            f[self.power] *= np.abs(s[self.power]) ** self.exponent
        if len(self.load) and load is not None:
            f[self.load] *= np.abs(self.effect @ load)
        if len(self.position) and position is not None:
            f[self.position] *= np.sin(self.turn @ position + self.phase)
        if len(self.viscous) or len(self.offset):
            f[self.viscous], f[self.offset] = s[self.viscous], 1.0
        if len(self.sided):
            f[self.sided] *= 0.5 * (1 + self.side * sign[self.sided])
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
        if len(self.load):
            slope[self.load] *= np.abs(self.effect @ load)
        slope[self.viscous] = 1.0
        return bound + np.abs(self.push) @ (slope * np.abs(self.drive).sum(axis=1))
