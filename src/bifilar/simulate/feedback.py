"""What the loop sees of the motors: the truth, or encoder readings and the velocity that a filter makes of them.

    position[k] = count * round((truth[k] + noise[k]) / count)      as `Sensors` has it, at every tick

What the loop reads acts on the torque, so that errors of position and torque are correlated as they are on a machine: least
squares are biased by that. The filter is the drive's low-pass (`FilteredDifferences`), a Kalman filter
(`bifilar.online.motion.MotionFilter`), or anything with the same `update`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.simulate.plant import Plant


class VelocityFilter(Protocol):
    """Makes a velocity of positions.

    >>> from bifilar.filters.filtered_differences import FilteredDifferences
    >>> follow: VelocityFilter = FilteredDifferences(cutoff=500.0)
    """

    def update(self, time: float, position: ArrayLike) -> tuple[Array, ...]:
        """Position and velocity after a reading; whatever follows them is not used.

        >>> from bifilar.filters.filtered_differences import FilteredDifferences
        >>> FilteredDifferences(cutoff=500.0).update(0.0, [0.3])[0]
        array([0.3])
        """
        ...


class Feedback(Protocol):
    """Where the loop gets position and velocity from, tick by tick.

    >>> isinstance(TrueState(Plant(bf.Robot.load("pendulum"))).read(0), tuple)
    True
    """

    def read(self, tick: int) -> tuple[Array, Array]:
        """Position and velocity of the motors as the controller knows them.

        >>> TrueState(Plant(bf.Robot.load("pendulum"))).read(0)[1]
        array([0.])
        """
        ...


class TrueState:
    """The plant's own state: a loop with perfect sensors.

    >>> TrueState(Plant(bf.Robot.load("pendulum"))).read(0)
    (array([0.]), array([0.]))
    """

    def __init__(self, plant: Plant) -> None:
        self._plant = plant

    def read(self, tick: int) -> tuple[Array, Array]:
        """Position and velocity of the motors.

        >>> TrueState(Plant(bf.Robot.load("pendulum"))).read(0)[0]
        array([0.])
        """
        return self._plant.motor_position, self._plant.motor_velocity


class Encoders:
    """Readings of the motors' positions, and velocities derived from them; ticks are read in order, each once.

    >>> from bifilar.filters.filtered_differences import FilteredDifferences
    >>> plant = Plant(bf.Robot.load("pendulum"))
    >>> plant.reset([0.26], [0.0])
    >>> encoders = Encoders(plant, np.zeros((3, 1)), FilteredDifferences(cutoff=500.0), step=0.1, period=1e-3)
    >>> encoders.read(0)
    (array([0.3]), array([0.]))
    """

    def __init__(self, plant: Plant, noise: Array, velocity: VelocityFilter, *, step: float, period: float) -> None:
        self._plant, self._noise, self._step = plant, noise, step
        self._filter, self._period = velocity, period
        self.position = np.empty_like(noise)  # (ticks, joints) what was read, for the log

    def read(self, tick: int) -> tuple[Array, Array]:
        """Position as the encoders count it, or the filter smooths it, and the filter's velocity.

        >>> from bifilar.filters.filtered_differences import FilteredDifferences
        >>> plant = Plant(bf.Robot.load("pendulum"))
        >>> Encoders(plant, np.full((1, 1), 0.5), FilteredDifferences(), step=0.0, period=1e-3).read(0)[0]
        array([0.5])
        """
        q = self._plant.motor_position + self._noise[tick]
        if self._step:
            q = self._step * np.round(q / self._step)
        self.position[tick] = q
        position, velocity, *_ = self._filter.update(tick * self._period, q)
        return position, velocity
