"""Several sensors on one walker: readings side by side, whichever foot it stands on; the absolute angle from a beam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, RobotError
from bifilar.walking.phases import Phases
from bifilar.walking.planar import placed
from bifilar.walking.sensors import Accelerometer, DistanceMeter, Encoder, Gyroscope, Mounted, Sensor, Slope
from bifilar.walking.walker import Walker

KINDS = ("encoders", "gyroscope", "accelerometer", "imu")


@dataclass(frozen=True, eq=False)
class SensorSet:
    """Sensors in a row. An encoder keeps its place whichever leg stands: after a touchdown its meaning is swapped with it.

    >>> sensors = SensorSet(Walker.load("walker3"), (Encoder("joint4"), Gyroscope("link3")))
    >>> sensors.channels
    ('encoder.joint4', 'gyroscope.link3')
    """

    walker: Walker
    sensors: tuple[Sensor, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensors", tuple(self.sensors))
        for sensor in self.sensors:
            sensor.on(self.walker, 0)  # says what does not exist

    @cached_property
    def channels(self) -> tuple[str, ...]:
        """Names of all numbers.

        >>> SensorSet(Walker.load("walker3"), (Accelerometer("link3"),)).channels
        ('accelerometer.link3.x', 'accelerometer.link3.z')
        """
        return tuple(name for sensor in self.sensors for name in sensor.channels)

    @cached_property
    def mounted(self) -> tuple[tuple[Mounted, ...], ...]:
        """Per foot.

        >>> len(SensorSet(Walker.load("walker3"), (Gyroscope("link3"),)).mounted)
        2
        """
        return tuple(tuple(s.on(self.walker, foot) for s in self.sensors) for foot in range(len(self.walker.feet)))

    @cached_property
    def feels(self) -> bool:
        """Whether some reading needs accelerations.

        >>> SensorSet(Walker.load("walker3"), (Gyroscope("link3"),)).feels
        False
        """
        return any(isinstance(sensor, Accelerometer) for sensor in self.sensors)

    @cached_property
    def fixed_noise(self) -> Array:
        """Deviations of the channels, those of distance meters at no distance.

        >>> SensorSet(Walker.load("walker3"), (Gyroscope("link3", noise=0.1),)).fixed_noise
        array([0.1])
        """
        return np.array([sensor.noise for sensor in self.sensors for _ in sensor.channels])

    def noise(self, readings: Array) -> Array:
        """Deviations of the channels at these readings.

        >>> SensorSet(Walker.load("walker3"), (Gyroscope("link3", noise=0.1),)).noise(np.zeros(1))
        array([0.1])
        """
        out, k = self.fixed_noise.copy(), 0
        for sensor in self.sensors:
            m = len(sensor.channels)
            if isinstance(sensor, DistanceMeter):
                out[k : k + m] = sensor.deviation(readings[k : k + m])
            k += m
        return out

    def readings(self, stance: int, states: Array, accelerations: Array) -> Array:
        """(K, m) or (m,): what all of them read, from states and accelerations of the links.

        >>> sensors = SensorSet(Walker.load("walker3"), (Gyroscope("link3"),))
        >>> sensors.readings(0, np.array([0.0, 0, 0, 1, 2, 3]), np.zeros(3))
        array([2.])
        """
        n = states.shape[-1] // 2
        t, v = states[..., :n], states[..., n:]
        return np.concatenate([each.reading(t, v, accelerations) for each in self.mounted[stance]], axis=-1)

    def slope(self, stance: int, state: Array, accelerations: Array) -> Slope:
        """Derivatives of all readings by angles, rates, accelerations, each (m, n).

        >>> sensors = SensorSet(Walker.load("walker3"), (Gyroscope("link3"), Encoder("joint4")))
        >>> sensors.slope(0, np.zeros(6), np.zeros(3)).angle
        array([[ 0.,  0.,  0.],
               [ 1., -1.,  0.]])
        """
        n = len(state) // 2
        parts = [each.slope(state[:n], state[n:], accelerations) for each in self.mounted[stance]]
        return Slope(*(np.vstack(rows) for rows in zip(*parts)))

    def expected(self, phases: Phases, stance: int, states: Array, torques: Array) -> Array:
        """Readings (K, m) of states (K, 2 n) of the links with torques (1 or K, n) of the model's rows.

        >>> walker = Walker.load("walker3")
        >>> sensors = SensorSet(walker, (Accelerometer("link3"),))
        >>> sensors.expected(Phases.of(walker), 0, np.zeros((1, 6)), np.zeros((1, 3))).round(9) + 0.0
        array([[0.  , 9.81]])
        """
        n = len(phases)
        accelerations = phases.planar[stance].rates(states, torques)[:, n:] if self.feels else np.zeros((len(states), n))
        return self.readings(stance, states, accelerations)

    def expected_slope(self, phases: Phases, stance: int, state: Array, torque: Array) -> tuple[Array, Array]:
        """Readings of one state and their derivative by it, (m,) and (m, 2 n); accelerations follow from the dynamics.

        >>> walker = Walker.load("walker3")
        >>> SensorSet(walker, (Accelerometer("link3"),)).expected_slope(Phases.of(walker), 0, np.zeros(6), np.zeros(3))[1].shape
        (2, 6)
        """
        n = len(phases)
        if not self.feels:
            none = np.zeros(n)
            slope = self.slope(stance, state, none)
            return self.readings(stance, state, none), np.hstack([slope.angle, slope.rate])
        rate = phases.planar[stance].rate_slopes(state, torque)
        slope = self.slope(stance, state, rate.value[n:])
        by_state = np.hstack([slope.angle, slope.rate]) + slope.acceleration @ rate.state[n:]
        return self.readings(stance, state, rate.value[n:]), by_state

    def measured(self, readings: Array, rng: np.random.Generator) -> Array:
        """Readings with noise.

        >>> SensorSet(Walker.load("walker3"), (Gyroscope("link3"),)).measured(np.array([2.0]), np.random.default_rng(0))
        array([2.])
        """
        return np.asarray(readings + self.noise(readings) * rng.normal(size=readings.shape))

    def check(self, readings: Array, time: float) -> None:
        """Refuses numbers that are none, and names the channel.

        >>> SensorSet(Walker.load("walker3"), (Gyroscope("link3"),)).check(np.array([np.nan]), 0.5)
        Traceback (most recent call last):
        ...
        bifilar.errors.RecordingError: gyroscope.link3 reads nan at 0.5 s
          likely  a lost sample, or a sensor that was not connected
          try     follow with missing="skip": the other channels are used
        """
        bad = np.flatnonzero(~np.isfinite(readings))
        if len(bad):
            raise RecordingError("reading.lost/sensor_set", channel=self.channels[bad[0]], reading=readings[bad[0]], time=time)


def angle_from_distance(meter: Mounted, distance: Array, angles: Array) -> Array:
    """How far the whole walker leans, as one body about its foot [rad], for the beam to be as long as it is read.

    `angles` of the links are given up to a common turn (encoders tell them with any absolute angle); the result is added to
    all. The end of the beam, p + d b, lies on the ground: the turn is atan2 of its height and its way along the ground. (The
    arcsine of Dolinsky 2017, (3.10), is singular where the leg stands upright.) The beam points forwards.

    >>> walker = Walker.load("walker3")
    >>> meter = DistanceMeter("link4", (0.0, -0.2), beam=0.6).on(walker, 0)
    >>> d = meter.reading(np.array([0.3, 0.1, -0.3]), np.zeros(3), np.zeros(3))
    >>> angle_from_distance(meter, d, np.array([0.0, -0.2, -0.6])).round(12)
    array([0.3])
    """
    at = np.atleast_2d(angles)
    d = np.atleast_1d(np.asarray(distance, dtype=float)) - meter.sensor.bias
    turns = []
    for length, t in zip(d, np.broadcast_to(at, (len(d), at.shape[1]))):
        body = t[meter.body]
        beam = placed(np.array([body]), meter.direction[None])[0]
        end = placed(t, meter.way).sum(axis=0) + length * beam
        turns.append(np.arctan2(end[1], end[0]))
    return np.array(turns)


def usual_sensors(
    walker: Walker, kind: str, *, imu: Sequence[float] = (0.0, 0.1), noise: Sequence[float] = (1e-5, 0.1, 0.1)
) -> SensorSet:
    """Encoders at all joints, and on the torso nothing, a gyroscope, an accelerometer or both ("imu").

    `imu`: the point of the torso where it sits; `noise`: deviations of encoders, gyroscope, accelerometer, those of
    Dolinsky 2017, (4.73), if left out.

    >>> usual_sensors(Walker.load("walker3"), "imu").channels[2:]
    ('gyroscope.link3', 'accelerometer.link3.x', 'accelerometer.link3.z')
    """
    if kind not in KINDS:
        raise RobotError("sensors.set_unknown/sensor_set", sets=KINDS, kind=kind)
    sensors: list[Sensor] = [Encoder(name, noise=noise[0]) for name in walker.encoders]
    if kind in ("gyroscope", "imu"):
        sensors.append(Gyroscope(walker.base, noise=noise[1]))
    if kind in ("accelerometer", "imu"):
        sensors.append(Accelerometer(walker.base, (float(imu[0]), float(imu[1])), noise=noise[2]))
    return SensorSet(walker, tuple(sensors))
