"""A filter over a log of a walker: readings, torques and switches as they were recorded, belief by belief."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.filters.belief import Belief
from bifilar.walking.detector import Detector
from bifilar.walking.hybrid_filter import HybridFilter

Missing = Literal["refuse", "skip"]


@dataclass(frozen=True, eq=False)
class Followed:
    """Beliefs after every sample, and the foot of each.

    >>> Followed((), np.zeros(0, dtype=int)).steps
    0
    """

    beliefs: tuple[Belief, ...]
    stance: NDArray[np.int64]

    @property
    def steps(self) -> int:
        """Touchdowns noticed.

        >>> Followed((), np.array([0, 0, 1])).steps
        1
        """
        return int((self.stance[1:] != self.stance[:-1]).sum())

    @property
    def means(self) -> Array:
        """(N, d).

        >>> Followed((Belief([1.0], [[1.0]]),), np.zeros(1, dtype=int)).means
        array([[1.]])
        """
        return np.array([belief.mean for belief in self.beliefs])

    @property
    def deviations(self) -> Array:
        """(N, d).

        >>> Followed((Belief([1.0], [[4.0]]),), np.zeros(1, dtype=int)).deviations
        array([[2.]])
        """
        return np.array([belief.deviations for belief in self.beliefs])


def follow(
    filter: HybridFilter,
    belief: Belief,
    readings: ArrayLike,
    torques: ArrayLike,
    *,
    touched: Sequence[bool] | None = None,
    stance: int = 0,
    detector: Detector | None = None,
    missing: Missing = "refuse",
) -> Followed:
    """Beliefs of a walk. `belief`: for the first sample, before it; `readings` (N, channels), `torques` (N, joints) held after
    each sample; `touched` (N,): whether a switch told a touchdown since the sample before, where a switch is the detector.

    >>> from bifilar.walking.hybrid_maps import HybridMaps
    >>> from bifilar.walking.sensor_set import usual_sensors
    >>> from bifilar.walking.walker import Walker
    >>> filter = HybridFilter(maps=HybridMaps(sensors=usual_sensors(Walker.load("walker3"), "encoders")))
    >>> first = filter.start(np.zeros(6), 0, 0.1)
    >>> follow(filter, first, np.zeros((3, 2)), np.zeros((3, 2)), touched=[False] * 3).means.round(3)[-1] + 0.0
    array([0., 0., 0., 0., 0., 0.])
    """
    maps, detector = filter.maps, detector or Detector()
    y, u = np.asarray(readings, dtype=float), np.asarray(torques, dtype=float)
    _check(filter, y, u, touched, detector)
    rows, quiet = detector.rows(maps.sensors), round(detector.quiet / maps.period)
    beliefs, feet, last = [], [], -quiet
    for k in range(len(y)):
        if missing == "refuse":
            maps.sensors.check(y[k], k * maps.period)
        told = bool(touched[k]) if touched is not None else False
        if detector.by == "switch" or (k - last >= quiet and np.isfinite(y[k, rows]).all()):
            before = maps.readings(belief.mean, stance, u[k])
            mapped = maps.touchdown(belief.mean, stance, u[max(k - 1, 0)], located=False)
            after = maps.readings(mapped, 1 - stance, u[k])
            if detector.tells(rows, told, y[k], before, after):
                belief, stance, last = filter.touchdown(belief, stance, u[max(k - 1, 0)]), 1 - stance, k
        belief = filter.correct(belief, stance, u[k], y[k]).belief
        beliefs.append(belief)
        feet.append(stance)
        belief = filter.predict(belief, stance, u[k])
    return Followed(tuple(beliefs), np.array(feet, dtype=np.int64))


def _check(filter: HybridFilter, y: Array, u: Array, touched: Sequence[bool] | None, detector: Detector) -> None:
    channels, joints = filter.maps.sensors.channels, filter.maps.phases.encoders
    if y.ndim != 2 or y.shape[1] != len(channels) or u.shape != (len(y), len(joints)):
        what = f"readings {y.shape} and torques {u.shape} are no log of this walker"
        raise RecordingError(what, remedy=f"(N, {len(channels)}): {', '.join(channels)}; (N, {len(joints)})")
    if not np.isfinite(u).all():
        row, joint = np.argwhere(~np.isfinite(u))[0]
        what = f"torque of '{joints[joint]}' is {u[row, joint]:g} in sample {row}"
        raise RecordingError(what, remedy="a filter needs every torque: cut the log there")
    if detector.by == "switch" and (touched is None or len(touched) != len(y)):
        raise RecordingError(
            "nobody tells when a foot touched down",
            remedy='give touched=..., one per sample, or detector=Detector(by="gyroscope") or "accelerometer"',
        )
