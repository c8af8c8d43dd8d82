"""A walker whose controller sees only what a filter makes of its sensors. In every sample, as Dolinsky 2017, 4.1, has it:

    read the sensors and apply the torque that was computed before; notice a touchdown of the last period and map the
    prediction through it; correct it; predict the next sample; compute the next torque from the prediction

so a touchdown is known one sample late, and the torque after it was computed for the foot that stood before. The plant has
its own constants, noise and touchdowns at their instants.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.filters.belief import Belief, noise_matrix
from bifilar.walking.detector import Detector
from bifilar.walking.feedback import Feedback
from bifilar.walking.hybrid import Stepping, advance
from bifilar.walking.hybrid_filter import HybridFilter
from bifilar.walking.phases import Phases
from bifilar.walking.sensor_set import SensorSet

SWITCH = Detector()
LOST = 1e4  # a mean beyond is no state of a walker


@dataclass(frozen=True, eq=False)
class Tracked:
    """A walk and what a filter thought of it. Rows are samples; states are the filter's (torso, encoders, rates, slope)."""

    time: Array  # (N,) [s]
    truth: Array  # (N, d)
    mean: Array  # (N, d) after correction
    deviation: Array  # (N, d) of it
    surprise: Array  # (N,) normalised squared error; d on average if the filter is honest
    stance: NDArray[np.int64]  # (N,) foot
    followed: NDArray[np.int64]  # (N,) foot the filter stands on
    readings: Array  # (N, m)
    torques: Array  # (N, joints) applied from this sample on
    fell: bool
    lost: bool  # the filter's numbers ran away

    @property
    def touched(self) -> NDArray[np.bool_]:
        """(N,) samples after a touchdown."""
        return np.concatenate([[False], self.stance[1:] != self.stance[:-1]])

    @property
    def noticed(self) -> NDArray[np.bool_]:
        """(N,) samples at which the filter changed its foot."""
        return np.concatenate([[False], self.followed[1:] != self.followed[:-1]])

    @property
    def steps(self) -> int:
        """Touchdowns."""
        return int(self.touched.sum())

    def torso_rms(self, after: float = 1.0) -> float:
        """Root mean square error of the torso's angle [rad] from this instant on; infinite if the walk ended before."""
        error = (self.mean - self.truth)[self.time >= after, 0]
        return float(np.sqrt(np.mean(error**2))) if len(error) else float("inf")


@dataclass(frozen=True, eq=False, kw_only=True)
class Loop:
    """Plant, sensors, filter and controller."""

    plant: Phases
    sensors: SensorSet  # as they are mounted on the plant
    filter: HybridFilter
    feedback: Feedback
    detector: Detector = SWITCH
    inner_steps: int = 10  # of the plant's integrator within a period
    plant_noise: ArrayLike = 0.0  # variances that a period adds to the plant's torso, encoders and rates

    @property
    def slope(self) -> float:
        """Of the plant's ground, counted from the filter's [rad]."""
        one, other = (phases.planar[0].gravity for phases in (self.filter.maps.phases, self.plant))
        return float(np.arctan2(one[1] * other[0] - one[0] * other[1], one @ other))

    def run(
        self, links: ArrayLike, belief: Belief, seconds: float, seed: int, *, stance: int = 0, compiled: bool = True
    ) -> Tracked:
        """A walk from a state of the links, with the first prediction given.

        `compiled`: the fused loop of kernels; otherwise the functions of `hybrid_filter` one by one, which is slower and
        gives the same numbers.
        """
        maps = self.filter.maps
        if self.sensors.channels != maps.sensors.channels:
            raise ShapeError("walker.sensors_differ")
        count, rng = round(seconds / maps.period), np.random.default_rng(seed)
        n = len(self.plant)
        noise = rng.normal(size=(count, len(self.sensors.channels)))
        push = rng.normal(size=(count, 2 * n)) @ _root(noise_matrix(self.plant_noise, 2 * n)).T
        x = self.plant.state(links)
        maps.guard.check_start(self.plant, stance, x)
        if compiled:
            from bifilar.walking.fused_loop import fused

            return fused(self, x, belief, stance, noise, push)
        return self._plain(x, belief, stance, noise, push)

    def _plain(self, x: Array, belief: Belief, stance: int, noise: Array, push: Array) -> Tracked:
        filter, maps = self.filter, self.filter.maps
        stepping = Stepping(method="rk4", period=maps.period, steps=self.inner_steps)
        rows, watched = self.detector.rows(maps.sensors), round(self.detector.quiet / maps.period)
        foot = before = stance
        u = held = np.zeros(len(self.plant) - 1)
        table, fell, lost, last, since = [], False, False, -watched, 0.0
        for k in range(len(noise)):
            exact = self.sensors.expected(self.plant, foot, x[None], self.plant.torques(foot, u)[None])[0]
            y = exact + self.sensors.noise(exact) * noise[k]
            if k - last >= watched or self.detector.by == "switch":
                z = belief.mean
                expected = maps.readings(z, stance, u)
                after = maps.readings(maps.touchdown(z, stance, held, located=False), 1 - stance, u)
                if self.detector.tells(rows, foot != before, y, expected, after):
                    belief, stance, last = filter.touchdown(belief, stance, held, since=since), 1 - stance, k
            before = foot
            belief = filter.correct(belief, stance, u, y).belief
            truth = maps.state(x, foot, self.slope)
            table.append((k * maps.period, truth, belief, foot, stance, y, u))
            lost = not np.abs(belief.mean).max() < LOST
            fell = not abs(x[0]) < maps.guard.fallen
            if lost or fell:
                break
            belief, held = filter.predict(belief, stance, u), u
            x, foot, _, hits = advance(self.plant, foot, x, u, maps.guard, stepping)
            since = maps.period - hits[-1].time if hits else since
            x = x + maps.coordinates[foot].both @ push[k]
            u = self.feedback(0.0, maps.links(belief.mean, stance), stance)
        return _gathered(table, fell, lost)


def _root(covariance: Array) -> Array:
    """A matrix whose square, with its transpose, is the covariance; it may be singular."""
    if np.count_nonzero(covariance - np.diag(np.diag(covariance))) == 0:
        return np.sqrt(covariance)
    values, vectors = decompose.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _gathered(table: list[tuple[float, Array, Belief, int, int, Array, Array]], fell: bool, lost: bool) -> Tracked:
    time, truth, beliefs, feet, followed, read, torques = zip(*table)
    return Tracked(
        np.array(time),
        np.array(truth),
        np.array([belief.mean for belief in beliefs]),
        np.array([belief.deviations for belief in beliefs]),
        np.array([belief.surprise(true) for belief, true in zip(beliefs, truth)]),
        np.array(feet),
        np.array(followed),
        np.array(read),
        np.array(torques),
        fell,
        lost,
    )
