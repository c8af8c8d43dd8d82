"""Stretches on one foot, cut out of the recording of a walk, and their first motion, which no encoder has seen.

A stretch leaves out the samples beside a touchdown, whose torque and differences belong to two models. The pivot's first angle
comes from a gyroscope, summed up, whose level an accelerometer on the same link gives, or from a distance meter.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, RobotError
from bifilar.recording.recording import Recording
from bifilar.walking.sensor_file import Carried
from bifilar.walking.sensor_set import angle_from_distance
from bifilar.walking.sensors import Accelerometer, ContactSwitch, DistanceMeter, Encoder, Gyroscope, Sensor
from bifilar.walking.stance import StanceLog, smoothed
from bifilar.walking.stance_sensors import StanceSensor, angle_from_felt
from bifilar.walking.walk_log import channel_of
from bifilar.walking.walker import Walker

SHORTEST = 30  # samples of a stretch
UNEVEN = 0.05  # of a period, that stamps may be off
AFTER, BEFORE = 1, 2  # samples left out after and before a touchdown
CUTOFF = 0.2  # of half the rate, of the first motion


@dataclass(frozen=True, eq=False)
class Stretch:
    """A stretch on one foot; positions of the log are of the pinned robot's joints."""

    log: StanceLog
    stance: int
    start: int  # sample of the recording that it begins at
    motion: Array  # (N, joints) first guess, the pivot too
    held: Array | None = None  # (N, joints) torques as commanded, each from its sample to the next


def stretches(carried: Carried, recording: Recording, *, skip: bool = False) -> list[Stretch]:
    """All stretches long enough, in their order; `skip`: leave out those with lost readings."""
    sensors, walker = carried.sensors, carried.sensors.walker
    table = table_of(walker, recording, [s for s in sensors.sensors if not isinstance(s, ContactSwitch)])
    if not skip:
        for k in range(len(recording)):
            sensors_of = {name: column[k] for name, column in table.items()}
            bad = [name for name, value in sensors_of.items() if not np.isfinite(value)]
            if bad:
                raise RecordingError(
                    "reading.lost/stretches", bad=bad[0], sensors_of=sensors_of[bad[0]], time=recording.time[k]
                )
    whole = np.asarray(np.isfinite(np.stack(list(table.values()), axis=1)).all(axis=1))
    period, found = even_period(recording), []
    for start, stop, stance in _on_one_foot(walker, recording):
        if stop - start >= SHORTEST and whole[start:stop].all():
            found.append(_stretch(carried, table, slice(start, stop), stance, period, recording.get("target_torque")))
    if not found:
        raise RecordingError("stance.too_short/stretches", shortest=SHORTEST, words=" without a lost reading" if skip else "")
    return found


def table_of(walker: Walker, recording: Recording, sensors: list[Sensor]) -> dict[str, Array]:
    """Columns by the names of the sensors' channels, and torques."""
    found: dict[str, Array] = {}
    for sensor in sensors:
        name, columns = channel_of(sensor)
        channel = recording.channels.get(name)
        for label, column in zip(sensor.channels, columns):
            if channel is None or column not in channel.columns:
                raise RecordingError(
                    "recording.column_missing",
                    has=", ".join((f"{c}.{word}" for word, each in recording.channels.items() for c in each.columns)),
                    column=column,
                    name=name,
                )
            found[label] = np.asarray(channel.values[:, channel.columns.index(column)])
    torque = recording.channels.get("torque")
    for joint in walker.encoders:
        if torque is None or joint not in torque.columns:
            raise RecordingError("torque.missing/stretches", joint=joint)
        found[f"torque.{joint}"] = np.asarray(torque.values[:, torque.columns.index(joint)])
        if f"encoder.{joint}" not in found:
            raise RobotError("sensors.no_encoder/stretches", joint=joint)
    return found


def even_period(recording: Recording) -> float:
    """Time between samples; refused where it is not even.

    >>> even_period(Recording(joint_names=("a",), time=[0.0, 0.1, 0.2], position=np.zeros((3, 1))))
    0.1
    """
    steps = np.diff(recording.time)
    period = float(np.median(steps)) if len(steps) else 0.0
    if not period > 0 or np.abs(steps - period).max() > UNEVEN * period:
        raise RecordingError("clock.uneven/stretches")
    return period


def _on_one_foot(walker: Walker, recording: Recording) -> list[tuple[int, int, int]]:
    """First and last sample and foot of every stretch, without the samples beside a touchdown."""
    if len(walker.feet) == 1:
        return [(0, len(recording), 0)]
    touches = _touches(walker, recording)
    stance = np.where(touches.sum(axis=1) == 1, touches.argmax(axis=1), -1)
    edges = [0, *(np.flatnonzero(np.diff(stance)) + 1).tolist(), len(stance)]
    return [(a + AFTER, b - BEFORE, int(stance[a])) for a, b in pairwise(edges) if stance[a] >= 0]


def standing(walker: Walker, recording: Recording) -> NDArray[np.int64]:
    """Which foot stands at every sample (N,): of two that touch, the one that came down last.

    >>> from bifilar.recording.channel import Channel
    >>> touch = Channel([[1, 0], [1, 1], [0, 1]], ("foot1", "foot2"), ("1", "1"))
    >>> log = Recording(joint_names=("joint4",), time=[0.0, 0.1, 0.2], channels={"contact": touch})
    >>> standing(Walker.load("walker3"), log)
    array([0, 1, 1])
    """
    touches = _touches(walker, recording)
    feet = np.zeros(len(touches), dtype=np.int64)
    for k, row in enumerate(touches):
        before = int(feet[k - 1]) if k else int(row.argmax())
        new = [foot for foot in np.flatnonzero(row) if foot != before and (k == 0 or not touches[k - 1][foot])]
        feet[k] = new[0] if new else before
    return feet


def _touches(walker: Walker, recording: Recording) -> NDArray[np.bool_]:
    channel = recording.channels.get("contact")
    if channel is None or any(foot not in channel.columns for foot in walker.feet):
        raise RecordingError("walk.no_stance_foot", feet=[f"{foot}.contact" for foot in walker.feet])
    return np.stack([channel.values[:, channel.columns.index(foot)] for foot in walker.feet], axis=1) > 0.5


def _stretch(
    carried: Carried, table: dict[str, Array], part: slice, stance: int, period: float, command: Array | None
) -> Stretch:
    sensors, walker = carried.sensors.sensors, carried.sensors.walker
    names = walker.pinned(stance).joint_names
    encoder = {sensor.joint: sensor for sensor in sensors if isinstance(sensor, Encoder)}
    count = part.stop - part.start
    position, torque = np.zeros((count, len(names))), np.zeros((count, len(names)))
    noise = np.full(len(names), np.inf)
    for k, name in enumerate(names[1:], start=1):
        position[:, k] = table[f"encoder.{name}"][part] - encoder[name].bias
        torque[:, k] = table[f"torque.{name}"][part]
        noise[k] = max(encoder[name].noise, 1e-7)
    others = [sensor for sensor in sensors if not isinstance(sensor, (Encoder, ContactSwitch))]
    read = {sensor: np.stack([table[name][part] for name in sensor.channels], axis=1) for sensor in others}
    log = StanceLog(
        position=position,
        torque=torque,
        period=period,
        position_noise=noise,
        torque_noise=np.where(np.arange(len(names)) == 0, 0.0, carried.torque),
        readings=tuple(StanceSensor(walker, sensor, stance).readings(values) for sensor, values in read.items()),
    )
    held = None if command is None else walker.torques(stance, command[part])
    held = held if held is not None and np.isfinite(held).all() else None
    return Stretch(log, stance, part.start, _first_motion(walker, stance, log, read), held)


def _first_motion(walker: Walker, stance: int, log: StanceLog, read: dict[Sensor, Array]) -> Array:
    """Positions of all joints: the pivot's from the sensors that show it."""
    meter = next((sensor for sensor in read if isinstance(sensor, DistanceMeter)), None)
    felt = next((sensor for sensor in read if isinstance(sensor, Accelerometer)), None)
    turn = next((s for s in read if isinstance(s, Gyroscope) and felt is not None and s.link == felt.link), None)
    planar = walker.planar(stance)
    if meter is not None:
        links = np.linalg.solve(planar.joint, (log.position + planar.offset).T).T
        lean = angle_from_distance(meter.on(walker, stance), read[meter][:, 0], np.asarray(links, dtype=float))
        pivot = smoothed(lean[:, None], CUTOFF)[:, 0]
    elif felt is not None and turn is not None:
        pivot = _from_imu(walker, stance, log, (felt, read[felt]), (turn, read[turn]))
    else:
        has = ", ".join(name for sensor in read for name in sensor.channels) or "encoders only"
        raise RecordingError("sensors.no_absolute_angle", has=has)
    return np.column_stack([pivot, log.position[:, 1:]])


def _from_imu(
    walker: Walker, stance: int, log: StanceLog, felt: tuple[Accelerometer, Array], turn: tuple[Gyroscope, Array]
) -> Array:
    planar, body = walker.planar(stance), walker.place(turn[0].link, stance)[0]
    system = np.vstack([np.eye(len(planar))[body], planar.joint[1:]])  # of the sensor's link and the encoders' joints
    inverse = np.linalg.inv(system)
    q = smoothed(log.position[:, 1:], CUTOFF)
    axes = [0, 1] if felt[0].axes == 2 else [0, 2]
    table = smoothed(np.column_stack([felt[1][:, axes], turn[1]]), CUTOFF)
    v = np.column_stack([table[:, 2] - turn[0].bias, np.gradient(q, log.period, axis=0)]) @ inverse.T  # rates of the links
    v = v @ np.asarray(planar.joint).T  # of the joints
    a = np.gradient(v, log.period, axis=0)
    two = Accelerometer(felt[0].link, felt[0].point, tilt=felt[0].tilt, noise=felt[0].noise, bias=felt[0].bias)
    angle = angle_from_felt(walker, two, table[:, :2], np.column_stack([0 * q[:, 0], q]), v, a, stance)
    rate = turn[1][:, 0] - turn[0].bias
    turned = log.period * np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))])
    lean = turned + np.median(angle - turned)  # the gyroscope has the shape, the accelerometer the level
    links = np.column_stack([lean, log.position[:, 1:] + planar.offset[1:]]) @ inverse.T
    return np.asarray(links @ planar.joint[0] - planar.offset[0])
