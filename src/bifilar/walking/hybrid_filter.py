"""Kalman filters that follow a walker through its touchdowns (Dolinsky 2017, chapter 4, and beyond it).

    predict     to the next sample, on the foot that stood
    touchdown   once a sensor has told it, one sample late: the prediction is not valid, and is mapped before it is corrected
    correct     with what the sensors read, model and encoders of the new foot

How the belief passes a touchdown:

    "saltation"  through the instant at which the belief's own guard is zero: errors of the instant are errors of the state
    "reset"      through the same instant, covariance by the touchdown's own derivative, as if the instant were given
    "timed"      at an instant that is given (a switch with a clock), by the touchdown's own derivative, which is right there
    "sample"     at the sample, (4.6) and (4.20) to (4.22): the instant's error is left to `impact_noise`
    "heuristic"  at the sample, covariance plus `impact_noise`, (4.16)
    "ignored"    the feet change their roles, nothing else happens: what a filter without impact does

The unscented filter sends points through instead of derivatives; for it "saltation" means that each goes through its own
instant. The noise of the period is in the prediction already when a touchdown is told, and passes it with the rest, although
some of it came later; with `impact_noise` besides it is counted twice, unless `noise_after`.

A switch also says where the walker is: its guard is zero. With `guard_noise` this is taken as a measurement; where
only the sample is known, the guard has been sinking for a time that is evenly distributed over a period.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.filters.belief import Belief, Updated, noise_matrix
from bifilar.filters.extended import predict_extended, update_extended
from bifilar.filters.kalman import corrected
from bifilar.filters.unscented import predict_unscented, update_unscented
from bifilar.walking.hybrid_maps import HybridMaps

Kind = Literal["extended", "unscented"]
Passage = Literal["saltation", "reset", "timed", "sample", "heuristic", "ignored"]
PASSAGES: tuple[Passage, ...] = ("saltation", "reset", "timed", "sample", "heuristic", "ignored")


@dataclass(frozen=True, eq=False, kw_only=True)
class HybridFilter:
    """A filter's settings; its functions take beliefs and give beliefs.

    >>> from bifilar.walking.sensor_set import usual_sensors
    >>> from bifilar.walking.walker import Walker
    >>> maps = HybridMaps(sensors=usual_sensors(Walker.load("walker3"), "encoders"))
    >>> HybridFilter(maps=maps).start(np.array([-0.39, 0.1, 0.39, 1.5, 0.5, -1.5]), 0, 0.1).names[0]
    'link3'
    """

    maps: HybridMaps
    kind: Kind = "unscented"
    passage: Passage = "saltation"
    process_noise: ArrayLike = 1e-7  # variances that a period adds: one, one per state, or a matrix
    impact_noise: ArrayLike = 1e-4  # variances that a touchdown adds
    noise_after: bool = False  # a touchdown's period has its noise after it alone, as impact_noise, not before it as well
    guard_noise: float | None = None  # [rad or m] deviation of the guard at touchdown, beside the sampling; None: not used

    def __post_init__(self) -> None:
        if self.kind not in ("extended", "unscented") or self.passage not in PASSAGES:
            raise ShapeError("filter.kind_unknown", kind=self.kind, passage=self.passage, passages=PASSAGES)
        for name in ("process_noise", "impact_noise"):
            object.__setattr__(self, name, noise_matrix(getattr(self, name), len(self.maps)))

    def start(self, links: ArrayLike, stance: int, deviation: ArrayLike, slope: float = 0.0) -> Belief:
        """A belief from a state of the links; `deviation` of the filter's states: one, or one each."""
        z = self.maps.state(np.asarray(links, dtype=float), stance, slope)
        spread = np.broadcast_to(np.asarray(deviation, dtype=float), z.shape)
        return Belief(z, np.diag(spread**2), self.maps.names)

    def predict(self, belief: Belief, stance: int, torque: Array) -> Belief:
        """The belief at the next sample, if no foot touches down; `torque` of the encoders' joints."""
        maps, later = self.maps, belief.time + self.maps.period
        if self.kind == "extended":
            moved, slope = maps.flow_slope(belief.mean, stance, torque)
            return predict_extended(belief, lambda z: moved, lambda z: slope, self.process_noise, time=later)
        return predict_unscented(
            belief, lambda z: maps.flow(z, stance, torque), self.process_noise, time=later, triangular=True
        )

    def touchdown(self, belief: Belief, stance: int, torque: Array, *, since: float | None = None) -> Belief:
        """The prediction after a touchdown that happened in the last period; the other foot stands from here on.

        `since` [s]: how long ago it was, for the passage "timed".
        """
        if self.passage == "ignored":
            return belief
        if self.noise_after:
            belief = belief.with_(belief.mean, belief.covariance - np.asarray(self.process_noise, dtype=float))
        if self.guard_noise is not None and self.passage != "timed":
            belief = self._on_guard(belief, stance, torque)
        maps, located = self.maps, self.passage in ("saltation", "reset")
        if self.passage == "timed":
            return self._timed(belief, stance, torque, since)
        if self.passage == "heuristic":
            after = maps.touchdown(belief.mean, stance, torque, located=False)
            return belief.with_(after, belief.covariance + np.asarray(self.impact_noise, dtype=float))
        if self.kind == "extended":
            after, slope = maps.touchdown_slope(
                belief.mean, stance, torque, located=located, salted=self.passage == "saltation"
            )
            return predict_extended(belief, lambda z: after, lambda z: slope, self.impact_noise)
        return predict_unscented(
            belief, lambda z: maps.touchdown(z, stance, torque, located=located), self.impact_noise, triangular=True
        )

    def _timed(self, belief: Belief, stance: int, torque: Array, since: float | None) -> Belief:
        """Back to the instant, guard zero there, the other foot, and forward again."""
        if since is None:
            raise ShapeError("touchdown.not_told")
        back = self._flown(belief, stance, torque, -since)
        if self.guard_noise is not None:
            value, row, _ = self.maps.guard_slope(back.mean, stance, torque)
            back = corrected(back, np.array([-value]), row[None], np.array([[float(self.guard_noise) ** 2]])).belief
        if self.kind == "extended":
            after, slope = self.maps.touchdown_slope(back.mean, stance, torque, located=False)
            hit = predict_extended(back, lambda z: after, lambda z: slope, self.impact_noise)
        else:
            hit = predict_unscented(
                back, lambda z: self.maps.touchdown(z, stance, torque, located=False), self.impact_noise, triangular=True
            )
        return self._flown(hit, 1 - stance, torque, since)

    def _flown(self, belief: Belief, stance: int, torque: Array, span: float) -> Belief:
        """The belief after a span of either sign, without noise."""
        if self.kind == "extended":
            moved, slope = self.maps.flow_slope(belief.mean, stance, torque, span)
            return predict_extended(belief, lambda z: moved, lambda z: slope, 0.0)
        return predict_unscented(belief, lambda z: self.maps.flow(z, stance, torque, span), 0.0, triangular=True)

    def _on_guard(self, belief: Belief, stance: int, torque: Array) -> Belief:
        """The belief, knowing that the guard became zero within the last period."""
        value, row, rate = self.maps.guard_slope(belief.mean, stance, torque)
        sunk = abs(rate) * self.maps.period
        variance = sunk**2 / 12 + float(self.guard_noise or 0.0) ** 2
        return corrected(belief, np.array([-0.5 * sunk - value]), row[None], np.array([[variance]])).belief

    def correct(self, belief: Belief, stance: int, torque: Array, readings: Array) -> Updated:
        """The belief after the sensors' readings; channels that are not numbers are left out."""
        maps = self.maps
        seen = np.isfinite(readings)
        if not seen.any():
            return Updated(belief, np.zeros(0), np.zeros((0, 0)))
        noise = np.diag(maps.sensors.noise(np.where(seen, readings, 0.0))[seen] ** 2)
        if self.kind == "extended":
            value, slope = maps.readings_slope(belief.mean, stance, torque)
            return update_extended(belief, readings[seen], lambda z: value[seen], lambda z: slope[seen], noise)
        return update_unscented(
            belief, readings[seen], lambda z: maps.readings(z, stance, torque)[seen], noise, triangular=True
        )
