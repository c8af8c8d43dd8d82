"""How much of its limits a motion uses, joint by joint: position, velocity, acceleration, torque.

share = |q - middle| / half the range        for positions,        |x| / limit        for the others
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.experiment.trajectory import Motion
from bifilar.robot.described import JointLimits
from bifilar.robot.robot import Robot

QUANTITIES = ("position", "velocity", "acceleration", "torque")
ENDLESS = 100.0  # [rad] or [m] between the limits: so far apart they are none
UNITS = {"position": ("rad", "m"), "velocity": ("rad/s", "m/s"), "acceleration": ("rad/s²", "m/s²"), "torque": ("N m", "N")}


def travel(limits: JointLimits) -> Array:
    """The range of every joint; infinite where its limits are no stops: ±1e4 rad is how some files write an endless joint.

    >>> limits = bf.Robot.load("two_link").limits
    >>> travel(limits._replace(lower=np.array([-1e4, -2.0]), upper=np.array([1e4, 2.0])))
    array([inf,  4.])
    """
    span = np.asarray(limits.upper - limits.lower)
    return np.where(span < ENDLESS, span, np.inf)


@dataclass(frozen=True, eq=False)
class Use:
    """One quantity of all joints over time beside its limits; infinite where there is none.

    >>> robot = bf.Robot.load("pendulum")
    >>> used(robot, bf.quintic(robot.joint_names, [[0.0], [1.0]], [0.0, 2.0]).sample(10))[0].highest
    array([1.])
    """

    quantity: str
    units: tuple[str, ...]  # per joint
    values: Array  # (samples, joints)
    lower: Array  # (joints,)
    upper: Array

    @property
    def lowest(self) -> Array:
        """Per joint.

        >>> Use("torque", ("N m",), np.array([[1.0], [-2.0]]), -np.ones(1), np.ones(1)).lowest
        array([-2.])
        """
        return self.values.min(axis=0)

    @property
    def highest(self) -> Array:
        """Per joint.

        >>> Use("torque", ("N m",), np.array([[1.0], [-2.0]]), -np.ones(1), np.ones(1)).highest
        array([1.])
        """
        return self.values.max(axis=0)

    @property
    def shares(self) -> Array:
        """Of the limits over time, signed, 1 at the upper and -1 at the lower limit; nan where there is no limit.

        >>> Use("position", ("rad",), np.array([[1.0], [2.0]]), np.zeros(1), np.full(1, 2.0)).shares.ravel()
        array([0., 1.])
        """
        bounded = np.isfinite(self.lower) & np.isfinite(self.upper) & (self.upper > self.lower)
        low, high = np.where(bounded, self.lower, -1.0), np.where(bounded, self.upper, 1.0)
        return np.where(bounded, (2 * self.values - low - high) / (high - low), np.nan)

    @property
    def share(self) -> Array:
        """The largest of every joint, of 1; nan where there is no limit.

        >>> Use("torque", ("N m",), np.array([[1.0], [-2.0]]), np.full(1, -4.0), np.full(1, 4.0)).share
        array([0.5])
        """
        return np.abs(self.shares).max(axis=0)


def used(robot: Robot, motion: Motion, torque: Array | None = None) -> tuple[Use, ...]:
    """What a motion asks of a robot; `torque` that was measured, else what the robot's own model needs.

    >>> robot = bf.Robot.load("pendulum")
    >>> [use.quantity for use in used(robot, bf.quintic(robot.joint_names, [[0.0], [1.0]], [0.0, 2.0]).sample(10))]
    ['position', 'velocity', 'acceleration', 'torque']
    """
    motion = motion.joints(robot.joint_names)
    if torque is None:
        torque = robot.inverse_dynamics(motion.position, motion.velocity, motion.acceleration)
    limits = robot.limits
    stops = np.isfinite(travel(limits))
    slides = [name in robot.sliding for name in robot.joint_names]
    rows = (
        (motion.position, np.where(stops, limits.lower, -np.inf), np.where(stops, limits.upper, np.inf)),
        (motion.velocity, -limits.velocity, limits.velocity),
        (motion.acceleration, -limits.acceleration, limits.acceleration),
        (torque, -limits.effort, limits.effort),
    )
    return tuple(
        Use(quantity, tuple(UNITS[quantity][slide] for slide in slides), values, low, high)
        for quantity, (values, low, high) in zip(QUANTITIES, rows)
    )
