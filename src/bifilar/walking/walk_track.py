"""A filter over the recording of a walk: the state at every sample, the absolute angle that no encoder sees among it.

In every sample: notice a touchdown of the last period and map the prediction through it, correct it by what the sensors read,
predict the next sample with the torque that is held until then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, Remedy, RobotError
from bifilar.filters.belief import Belief
from bifilar.recording.recording import Recording
from bifilar.walking.closed_loop import LOST
from bifilar.walking.detector import Detector
from bifilar.walking.guard import Guard
from bifilar.walking.hybrid_filter import HybridFilter, Kind, Passage
from bifilar.walking.hybrid_maps import HybridMaps
from bifilar.walking.phases import Phases
from bifilar.walking.sensor_file import Carried
from bifilar.walking.sensor_set import SensorSet
from bifilar.walking.stretches import even_period, standing, table_of
from bifilar.walking.walk_log import link_angles
from bifilar.walking.walker import Walker

ANGLES, RATES = 1e-3, 1e-2  # variances of (4.74), on the derivative: a period adds its square times them
FIRST = (0.5, 1e-3, 3.0)  # deviations at the start: torso [rad], encoders [rad], rates [rad/s]
SLOPE = 0.1  # [rad] deviation at the start
GUARD = 1e-3  # [rad or m] of the guard at a touchdown, where the ground's slope is looked for


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkTrack:
    """What the filter believed."""

    walker: Walker
    time: Array  # (N,)
    names: tuple[str, ...]  # of the states: torso, encoders, their rates, slope
    mean: Array  # (N, d) after correction
    deviation: Array  # (N, d)
    surprise: Array  # (N,) squared innovation in its own deviations, per channel; 1 if all is well, 0 if nothing was read
    stance: NDArray[np.int64]  # (N,) foot the filter stands on
    angles: Array  # (N, n) of the links, in the order of the first foot's model
    truth: Array | None  # the same, if the log has it
    lost: bool  # its numbers ran away; the rows after are missing

    @property
    def touchdowns(self) -> int:
        """How often it changed its foot."""
        return int(np.sum(self.stance[1:] != self.stance[:-1]))

    def mean_surprise(self, after: float = 1.0) -> float:
        """Mean of the surprises after so many seconds, of samples that were read at all; of all samples of a shorter log."""
        late = self.time - self.time[0] >= after
        read = self.surprise[late if late.any() else slice(None)]
        read = read[read > 0]  # nothing read, nothing to be surprised by: such samples are no praise
        return float(read.mean()) if len(read) else float("inf")

    def torso_error(self, after: float = 1.0) -> float | None:
        """Root mean square of the torso's error [rad] after so many seconds; None without a truth."""
        if self.truth is None:
            return None
        torso = self.walker.planar(0).names.index(self.walker.base)
        late = self.time - self.time[0] >= after
        error = (self.angles - self.truth)[late, torso]
        return float(np.sqrt(np.mean(error**2))) if len(error) else None


def track_walk(
    carried: Carried,
    recording: Recording,
    *,
    phases: Phases | None = None,
    kind: Kind = "unscented",
    passage: Passage = "saltation",
    detector: Detector | None = None,
    guard: Guard | None = None,
    sloped: bool = False,
    skip: bool = False,
) -> WalkTrack:
    """Follow a recording; `phases`: the model, if not the description's; `skip`: lost readings are left out."""
    sensors, walker, detector = carried.sensors, carried.sensors.walker, detector or Detector()
    read, torque = _columns(carried, recording, skip)
    period, switch = even_period(recording), detector.by == "switch"
    feet = standing(walker, recording) if switch or "contact" in recording.channels else np.zeros(len(recording), np.int64)
    maps = HybridMaps(sensors=sensors, phases=phases or Phases.of(walker), guard=guard or Guard(), sloped=sloped, period=period)
    noise = np.array([ANGLES] * len(maps.phases) + [RATES] * len(maps.phases) + [0.0] * sloped) * period**2
    # gravity's direction says nothing about the ground; that the foot met it at a known posture does
    filter = HybridFilter(
        maps=maps, kind=kind, passage=passage, process_noise=noise, guard_noise=GUARD if sloped and switch else None
    )
    belief, stance = _start(maps, read, period), int(feet[0])
    rows, quiet, last = detector.rows(sensors), round(detector.quiet / period), 0
    kept: list[tuple[Array, Array, float, int, Array]] = []
    for k, y in enumerate(read):
        now = 0.5 * (torque[k] + torque[max(k - 1, 0)])
        touched = k > 0 and bool(feet[k] != feet[k - 1])
        if not switch:
            touched = k - last >= quiet and _told(detector, rows, maps, belief, stance, now, torque[k - 1], y)
        if touched:
            belief, stance, last, now = filter.touchdown(belief, stance, torque[k - 1]), 1 - stance, k, torque[k]
        done = filter.correct(belief, stance, now, y)
        belief = done.belief
        if not np.abs(belief.mean).max() < LOST:
            break
        kept.append((belief.mean, belief.deviations, _surprise(done), stance, maps.links(belief.mean, stance)))
        belief = filter.predict(belief, stance, torque[k])
    if not kept:
        raise RecordingError("filter.lost")
    mean, deviation, surprise, foot, links = (np.array(column) for column in zip(*kept))
    truth, count = recording.channels.get("truth"), len(kept)
    return WalkTrack(
        walker=walker,
        time=recording.time[:count],
        names=maps.names,
        mean=mean,
        deviation=deviation,
        surprise=surprise,
        stance=foot,
        angles=link_angles(walker, links, foot),
        truth=None if truth is None else _ordered(walker, truth.values[:count], truth.columns),
        lost=count < len(recording),
    )


def with_parameters(walker: Walker, values: dict[str, float]) -> Phases:
    """The walker's phases with base parameters that `fit_walk` found.

    Touchdowns ask for the total mass too, which motion on one foot does not show. If the legs are alike, the first moment of
    everything about the foot and that of the other leg's last link do: their difference is the mass times the length of the
    link on the ground. Otherwise the mass stays the description's.

    >>> with_parameters(Walker.load("walker3"), {"tail.mass": 1.0})
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: the parameters are not those of this walker on one foot
      has     foot1.mcz, foot1.Iyy, link3.mcz, link3.Iyy, link5.mcz, link5.Iyy
    """
    from bifilar.walking.walk_fit import base_of, smooth_pinned

    pinned = smooth_pinned(walker)
    base = base_of(pinned)
    if tuple(values) != tuple(base.independent):
        raise RobotError("walk.other_parameters", has=base.independent)
    model: Any = base.model(pinned, np.array(list(values.values())))
    planar, mass = walker.planar_of(model), walker.planar(0).mass
    if walker.is_symmetric:
        way = planar.ways[1, 0]  # along the link on the ground
        mass = float((planar.moment[0] - planar.moment[-1]) @ way / (way @ way))
    return Phases.of(walker).with_planar(replace(planar, mass=mass))


def _columns(carried: Carried, recording: Recording, skip: bool) -> tuple[Array, Array]:
    """Readings (N, channels) and torques (N, joints), the commanded ones where the log has them."""
    sensors, walker = carried.sensors, carried.sensors.walker
    table = table_of(walker, recording, list(sensors.sensors))
    read = np.stack([table[name] for name in sensors.channels], axis=1)
    if not skip:
        try:
            for row, time in zip(read, recording.time):
                sensors.check(row, float(time))
        except RecordingError as error:
            error.remedy = Remedy("skip=True goes on with the other channels", cli="--skip goes on with the other channels")
            raise
    command = recording.channels.get("target_torque")
    torque = np.stack([table[f"torque.{joint}"] for joint in walker.encoders], axis=1)
    if command is not None and all(joint in command.columns for joint in walker.encoders):
        torque = np.stack([command.values[:, command.columns.index(joint)] for joint in walker.encoders], axis=1)
    if not np.isfinite(torque).all():
        raise RecordingError("torque.missing/walk_track")
    return read, torque


def _start(maps: HybridMaps, read: Array, period: float) -> Belief:
    """Upright and still but for what the encoders say, with wide deviations."""
    sensors: SensorSet = maps.sensors
    n = len(maps.phases)
    mean = np.zeros(len(maps))
    for k, joint in enumerate(sensors.walker.encoders, start=1):
        column = read[:3, sensors.channels.index(f"encoder.{joint}")]
        mean[k] = column[0] if np.isfinite(column[0]) else 0.0
        mean[n + k] = (column[2] - column[0]) / (2 * period) if np.isfinite(column).all() else 0.0
    wide = np.array([FIRST[0], *[FIRST[1]] * (n - 1), *[FIRST[2]] * n, *[SLOPE] * maps.sloped])
    return Belief(mean, np.diag(wide**2), maps.names)


def _told(
    detector: Detector, rows: slice, maps: HybridMaps, belief: Belief, stance: int, now: Array, held: Array, y: Array
) -> bool:
    z = belief.mean
    after = maps.readings(maps.touchdown(z, stance, held, located=False), 1 - stance, now)
    return detector.tells(rows, False, y, maps.readings(z, stance, now), after)


def _surprise(done: Any) -> float:
    if not len(done.innovation):
        return 0.0
    return float(done.innovation @ np.linalg.solve(done.covariance, done.innovation) / len(done.innovation))


def _ordered(walker: Walker, values: Array, columns: tuple[str, ...]) -> Array | None:
    names = walker.planar(0).names
    return None if any(name not in columns for name in names) else values[:, [columns.index(name) for name in names]]
