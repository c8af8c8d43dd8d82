"""What the loop sees of the motors: the truth, or encoder readings and the velocity a drive makes of them.

    position[k] = count * round((truth[k] + noise[k]) / count)                        as `Sensors` has it, at every tick
    velocity[k] = a velocity[k-1] + (1 - a) (position[k] - position[k-1]) / period     a = exp(-cutoff * period)

A backward difference behind a first-order low-pass. It lags by 1 / cutoff + period / 2 and lets through white noise of the
encoder with a standard deviation of noise / period * (1 - a) sqrt(2 / (1 + a)). What the loop reads acts on the
torque, so that errors of position and torque are correlated as they are on a machine: least squares are biased by that.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.simulate.plant import Plant


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

    >>> plant = Plant(bf.Robot.load("pendulum"))
    >>> plant.reset([0.26], [0.0])
    >>> encoders = Encoders(plant, np.zeros((3, 1)), step=0.1, period=1e-3, cutoff=500.0)
    >>> encoders.read(0)
    (array([0.3]), array([0.]))
    """

    def __init__(self, plant: Plant, noise: Array, *, step: float, period: float, cutoff: float) -> None:
        self._plant, self._noise, self._step = plant, noise, step
        self._keep = float(np.exp(-cutoff * period))
        self._gain = (1.0 - self._keep) / period
        self._velocity = plant.motor_velocity  # the drive has been running before the motion begins
        self.position = np.empty_like(noise)  # (ticks, joints) what was read, for the log

    def read(self, tick: int) -> tuple[Array, Array]:
        """Position as the encoders count it, and its filtered differences.

        >>> plant = Plant(bf.Robot.load("pendulum"))
        >>> Encoders(plant, np.full((1, 1), 0.5), step=0.0, period=1e-3, cutoff=500.0).read(0)[0]
        array([0.5])
        """
        q = self._plant.motor_position + self._noise[tick]
        if self._step:
            q = self._step * np.round(q / self._step)
        self.position[tick] = q
        if tick:
            self._velocity = self._keep * self._velocity + self._gain * (q - self.position[tick - 1])
        return q, self._velocity
