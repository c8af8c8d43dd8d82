"""Sensors of a walker that stands on one foot, in the coordinates of its pinned robot: for fits (`Readings`) and first guesses.

Angles of the links are linear in those of the joints, t = T (q + offset), so derivatives follow by T. Without an encoder at the
pivot, its first motion comes from

    accelerometer and gyroscope   the felt acceleration less what turning explains is gravity: its direction is the angle
    distance meter                the beam's length and the joints give the angle, by atan2 (`angle_from_distance`)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.estimate.readings import Readings, Sensed
from bifilar.walking.planar import Planar
from bifilar.walking.sensors import Accelerometer, Mounted, Sensor
from bifilar.walking.walker import Walker

SURE = 1e-9  # least deviation of a reading


@dataclass(frozen=True, eq=False)
class StanceSensor:
    """One sensor as `Readings` takes it.

    >>> from bifilar.walking.sensors import Gyroscope
    >>> gyroscope = StanceSensor(Walker.load("leg"), Gyroscope("leg_1"))
    >>> gyroscope.sensed(np.zeros((1, 2)), np.array([[2.0, 5.0]]), np.zeros((1, 2))).value
    array([[2.]])
    """

    walker: Walker
    sensor: Sensor
    stance: int = 0

    @cached_property
    def _mounted(self) -> Mounted:
        return self.sensor.on(self.walker, self.stance)

    @cached_property
    def _links(self) -> tuple[Array, Array]:
        planar: Planar = self.walker.planar(self.stance)
        return np.asarray(np.linalg.inv(planar.joint), dtype=float), np.asarray(planar.offset)

    def sensed(self, position: Array, velocity: Array, acceleration: Array) -> Sensed:
        """What it reads along a motion of the pinned robot's joints, (N, joints) each."""
        t, offset = self._links
        motion = (position + offset) @ t.T, velocity @ t.T, acceleration @ t.T
        return Sensed(self._mounted.reading(*motion), *(part @ t for part in self._mounted.slope(*motion)))

    def readings(self, values: Array) -> Readings:
        """Measured values of one stretch, with the sensor's noise.

        >>> from bifilar.walking.sensors import Gyroscope
        >>> StanceSensor(Walker.load("leg"), Gyroscope("leg_1", noise=0.1)).readings(np.zeros((5, 1))).noise
        array([0.1])
        """
        table = np.asarray(values, dtype=float)
        noise = self.sensor.deviation(np.nanmedian(np.abs(table), axis=0))
        return Readings(self, (table,), np.maximum(noise, SURE))


def angle_from_felt(
    walker: Walker, sensor: Accelerometer, felt: Array, position: Array, velocity: Array, acceleration: Array, stance: int = 0
) -> Array:
    """Absolute angle of the sensor's link from what it feels, (N,): (3.19) to (3.38) of Dolinsky 2017, for any link.

    `position`, `velocity`, `acceleration`: of the joints, (N, joints), the pivot's rate from a gyroscope and its position
    whatever (only differences of angles enter). `felt`: x and z of the accelerometer, (N, 2).

    >>> from bifilar.walking.sensors import Accelerometer
    >>> still = np.zeros((1, 2))
    >>> angle_from_felt(Walker.load("leg"), Accelerometer("leg_1"), np.array([[0.0, 9.81]]), still, still, still) + 0.0
    array([0.])
    """
    if sensor.axes != 2:
        raise RobotError("sensors.axes/stance_sensors")
    mounted = StanceSensor(walker, sensor, stance)
    whole = mounted.sensed(position, velocity, acceleration).value
    rest = mounted.sensed(position, 0 * velocity, 0 * acceleration).value
    turning = whole - rest  # in the link's axes, so it does not depend on the absolute angle
    up = np.asarray(felt) - sensor.bias - turning
    lean = np.arctan2(-up[:, 0], up[:, 1]) - np.arctan2(walker.gravity[0], -walker.gravity[1])
    return np.unwrap(np.asarray(lean - sensor.tilt))
