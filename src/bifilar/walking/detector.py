"""Who tells that a foot has touched down: a switch under it, a jump of the torso's gyroscope, or an accelerometer by (4.1).

    switch          as it is: touched since the last sample
    gyroscope       |read - predicted| above a limit
    accelerometer   |read - predicted after a touchdown|^2 + margin < |read - predicted|^2          Dolinsky 2017, (4.1)

All compare with the filter's prediction for this sample, before it is corrected. After a touchdown the next one is not
looked for during `quiet`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.walking.sensor_set import SensorSet

By = Literal["switch", "gyroscope", "accelerometer"]
WORDS: tuple[By, ...] = ("switch", "gyroscope", "accelerometer")


@dataclass(frozen=True, kw_only=True)
class Detector:
    """How a touchdown is noticed.

    >>> Detector(by="gyroscope").limit
    1.0
    """

    by: By = "switch"
    limit: float = 1.0  # [rad/s] for the gyroscope, ten times its deviation
    margin: float = 0.5  # [m^2/s^4] for the accelerometer, fifty times its variance; (4.1) itself has none
    quiet: float = 0.2  # [s] after a touchdown

    def __post_init__(self) -> None:
        if self.by not in WORDS:
            raise RobotError("touchdown.unknown_way", detectors=WORDS, by=self.by)

    def rows(self, sensors: SensorSet) -> slice:
        """Its channels among the sensors'.

        >>> from bifilar.walking.sensor_set import usual_sensors
        >>> from bifilar.walking.walker import Walker
        >>> Detector(by="accelerometer").rows(usual_sensors(Walker.load("walker3"), "imu"))
        slice(3, 5, None)
        """
        if self.by == "switch":
            return slice(0, 0)
        found = [k for k, name in enumerate(sensors.channels) if name.startswith(self.by)]
        if not found:
            raise RobotError("touchdown.no_sensor", channels=sensors.channels, by=self.by)
        return slice(found[0], found[-1] + 1)

    def numbers(self, sensors: SensorSet, period: float) -> Array:
        """As kernels take them: which, first and last channel, limit, samples of quiet.

        >>> from bifilar.walking.sensor_set import usual_sensors
        >>> from bifilar.walking.walker import Walker
        >>> Detector().numbers(usual_sensors(Walker.load("walker3"), "encoders"), 0.01)
        array([ 0.,  0.,  0.,  0., 20.])
        """
        rows = self.rows(sensors)
        limit = {"switch": 0.0, "gyroscope": self.limit, "accelerometer": self.margin}[self.by]
        return np.array([WORDS.index(self.by), rows.start, rows.stop, limit, round(self.quiet / period)], dtype=float)

    def tells(self, rows: slice, touched: bool, readings: Array, before: Array, after: Array) -> bool:
        """Whether these readings are of a touchdown; `before`, `after`: predicted without and with one.

        >>> Detector().tells(slice(0, 0), True, np.zeros(0), np.zeros(0), np.zeros(0))
        True
        """
        if self.by == "switch":
            return touched
        off = readings[rows] - before[rows]
        if self.by == "gyroscope":
            return bool(np.abs(off).max() > self.limit)
        return bool(np.sum((readings[rows] - after[rows]) ** 2) + self.margin < np.sum(off**2))
