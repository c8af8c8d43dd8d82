"""What sensors other than encoders say about a motion: a gyroscope, an accelerometer, a distance, along a recording.

    residual = (h(q, v, a) - reading) / sigma

A sensor is a function of position, velocity and acceleration that knows its derivatives; in `true_motion` the last two are
differences of the unknown positions, so a reading meets the same window of unknowns as a torque and the equations stay
banded. A joint that no encoder sees has an infinite `position_noise`; these readings are then all that is known about it.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError


class Sensed(NamedTuple):
    """What a sensor reads, and its derivatives.

    >>> Sensed(np.zeros((5, 2)), *(np.zeros((5, 2, 3)) for _ in range(3))).value.shape
    (5, 2)
    """

    value: Array  # (N, rows)
    by_position: Array  # (N, rows, joints)
    by_velocity: Array  # (N, rows, joints)
    by_acceleration: Array  # (N, rows, joints)


class Sensor(Protocol):
    """Anything that turns a motion into readings; no dynamic parameter in it."""

    def sensed(self, position: Array, velocity: Array, acceleration: Array) -> Sensed:
        """At (N, joints) each."""
        ...


class Readings(NamedTuple):
    """One sensor along the stretches of a recording. NaN is a reading that is missing.

    >>> Readings(None, (np.zeros((5, 2)),), np.ones(2)).noise
    array([1., 1.])
    """

    sensor: Sensor
    values: tuple[Array, ...]  # (N, rows) of each stretch
    noise: Array  # (rows,) deviation

    def windows(
        self, part: slice, stretch: int, motion: tuple[Array, Array, Array], one: Array, two: Array
    ) -> tuple[Array, Array]:
        """Derivatives by the positions of each window, (K, rows, window), and residuals (K, rows), in deviations.

        `part`: samples of the stretch that `motion` (position, velocity, acceleration) belongs to; `one` and `two` are the
        differences that made velocity and acceleration.

        >>> class Gyroscope:
        ...     def sensed(self, q, v, a):
        ...         return Sensed(v, 0 * v[..., None], 1 + 0 * v[..., None], 0 * v[..., None])
        >>> still, differences = np.zeros((1, 1)), (np.array([-0.5, 0, 0.5]), np.array([1.0, -2, 1]))
        >>> turning = Readings(Gyroscope(), (np.full((3, 1), 4.0),), np.full(1, 2.0))
        >>> [x.ravel() for x in turning.windows(slice(1, 2), 0, (still, still, still), *differences)]
        [array([-0.25,  0.  ,  0.25]), array([-2.])]
        """
        reading = self.values[stretch][part]
        own = self.sensor.sensed(*motion)
        if own.value.shape != reading.shape:
            raise ShapeError("shapes.differ/readings", shape=own.value.shape[1], shape_2=reading.shape[1])
        known = np.isfinite(reading)
        weight = np.where(known, 1.0 / self.noise, 0.0)
        count, rows, joints = own.by_position.shape
        jacobian = one[:, None] * own.by_velocity[:, :, None, :] + two[:, None] * own.by_acceleration[:, :, None, :]
        jacobian[:, :, len(one) // 2] += own.by_position
        jacobian *= weight[:, :, None, None]
        return jacobian.reshape(count, rows, len(one) * joints), weight * np.where(known, own.value - reading, 0.0)
