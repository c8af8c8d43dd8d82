"""What was measured while a walker stood on one foot: encoders, torques, and sensors that see what no encoder does.

Joints are those of the pinned robot: the pivot first, an absolute angle that seldom has an encoder. Its torque is known without
any noise: nothing drives it.

    v_k = (q_(k+n) - q_(k-n)) / (2 n h)        a_k = (v_(k+n) - v_(k-n)) / (2 n h)       after a low-pass: filtered central
                                                                                         differences over n samples
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, ShapeError
from bifilar.estimate.readings import Readings


class Derivatives(NamedTuple):
    """Positions with velocities and accelerations, where differences have all their samples.

    >>> Derivatives(*np.zeros((4, 5, 1))).position.shape
    (5, 1)
    """

    position: Array  # (N', joints)
    velocity: Array
    acceleration: Array
    torque: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class StanceLog:
    """One stretch on one foot, on an even clock.

    >>> StanceLog(position=np.zeros((9, 2)), torque=np.zeros((9, 2)), period=0.01, position_noise=[np.inf, 1e-4],
    ...     torque_noise=[0.0, 0.1]).unseen
    array([ True, False])
    """

    position: Array  # (N, joints) [rad] as measured; whatever where no encoder is
    torque: Array  # (N, joints) [N m] as measured; zero where nothing drives
    period: float  # [s]
    position_noise: Array  # (joints,) [rad] deviation; infinite: no encoder
    torque_noise: Array  # (joints,) [N m] deviation; zero: a joint that nothing drives
    readings: tuple[Readings, ...] = ()  # of other sensors, one stretch each

    def __post_init__(self) -> None:
        q, u = np.asarray(self.position, dtype=float), np.asarray(self.torque, dtype=float)
        if q.ndim != 2 or q.shape != u.shape:
            raise ShapeError("stance.shapes", shape=q.shape, shape_2=u.shape)
        noise = [np.asarray(x, dtype=float) * np.ones(q.shape[1]) for x in (self.position_noise, self.torque_noise)]
        if not (np.all(noise[0] > 0) and np.all(noise[1] >= 0)):
            raise ShapeError("stance.deviation")
        seen = np.isfinite(noise[0])
        for name, table in (("position", q[:, seen]), ("torque", u)):
            if not np.isfinite(table).all():
                row = int(np.argwhere(~np.isfinite(table))[0, 0])
                raise RecordingError("not_finite/stance", name=name, row=row)
        for readings in self.readings:
            if len(readings.values) != 1 or len(readings.values[0]) != len(q):
                raise ShapeError("sensors.length")
            if not np.isfinite(readings.values[0]).any():
                raise RecordingError("sensors.empty")
        object.__setattr__(self, "position", np.where(seen, q, np.nan_to_num(q)))
        object.__setattr__(self, "torque", u)
        object.__setattr__(self, "position_noise", noise[0])
        object.__setattr__(self, "torque_noise", noise[1])

    def __len__(self) -> int:
        return len(self.position)

    @property
    def unseen(self) -> Array:
        """Joints without an encoder, (joints,)."""
        return ~np.isfinite(self.position_noise)

    def with_position(self, position: Array) -> StanceLog:
        """The same with other positions: filtered ones, or an angle that was computed from other sensors."""
        return replace(self, position=np.asarray(position, dtype=float))

    def differences(self, span: int = 1) -> Derivatives:
        """Velocities and accelerations by central differences over `span` samples to either side, twice.

        >>> t = np.arange(60)[:, None] / 100
        >>> log = StanceLog(position=t**2, torque=0 * t, period=0.01, position_noise=1e-9, torque_noise=0.0)
        >>> log.differences(3).acceleration.round(9)[0]
        array([2.])
        """
        if len(self) <= 4 * span:
            raise RecordingError("stance.too_short/stance", self_count=len(self), span=span)
        wide = 2 * span * self.period
        first = (self.position[2 * span :] - self.position[: -2 * span]) / wide
        second = (first[2 * span :] - first[: -2 * span]) / wide
        middle = slice(2 * span, -2 * span)
        return Derivatives(self.position[middle], first[span:-span], second, self.torque[middle])


def as_logs(logs: StanceLog | Sequence[StanceLog]) -> tuple[StanceLog, ...]:
    """One stretch or several, as a tuple; all of the same joints and sensors.

    >>> still = np.zeros((9, 1))
    >>> len(as_logs(StanceLog(position=still, torque=still, period=0.1, position_noise=1, torque_noise=0)))
    1
    """
    several = (logs,) if isinstance(logs, StanceLog) else tuple(logs)
    if not several:
        raise RecordingError("stance.none")
    first = several[0]
    for log in several[1:]:
        same = np.array_equal(log.position_noise, first.position_noise) and np.array_equal(log.torque_noise, first.torque_noise)
        if not same or log.period != first.period or len(log.readings) != len(first.readings):
            raise ShapeError("stance.differ")
    return several


def low_passed(log: StanceLog, share: float, order: int = 5) -> StanceLog:
    """Positions through a Butterworth filter, forwards and backwards; `share` of half the clock's rate, 1: as they are.

    >>> still = np.ones((50, 1))
    >>> log = StanceLog(position=still, torque=still, period=0.01, position_noise=1e-3, torque_noise=0.1)
    >>> bool(np.allclose(low_passed(log, 0.2).position, 1.0))
    True
    """
    return log.with_position(smoothed(log.position, share, order))


def smoothed(table: Array, share: float, order: int = 5) -> Array:
    """Columns through a Butterworth filter, forwards and backwards.

    >>> smoothed(np.ones((50, 2)), 1.0).shape
    (50, 2)
    """
    if share >= 1:
        return table
    from scipy.signal import butter, filtfilt

    return np.asarray(filtfilt(*butter(order, share), table, axis=0))
