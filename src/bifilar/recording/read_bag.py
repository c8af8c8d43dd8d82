"""A log of messages as a recording: joints by the names in the messages, sensors with stamps of their own.

Every message names its joints, and may name them in another order than the one before: they are matched by name. The topic
of joint states with the most messages is the clock; other topics of joint states join it where their stamps fit.
"""

from __future__ import annotations

import os
import struct
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.readers import Reader
from bifilar.recording.bag_files import ENDINGS, Raw, is_bag, messages
from bifilar.recording.channel import Channel
from bifilar.recording.mapping import Mapping
from bifilar.recording.merge import merged
from bifilar.recording.recording import Recording
from bifilar.recording.ros_messages import Message, message
from bifilar.recording.units import SENSORS, si_unit

TABLES = ("position", "velocity", "torque")
FIELDS = {"position": "position", "velocity": "velocity", "torque": "effort"}


@dataclass
class _Stream:
    """Messages of one topic that speak of the same joints."""

    topic: str
    kind: str
    names: tuple[str, ...] = ()
    frame: str = ""
    stamps: list[float] = field(default_factory=list)
    logged: list[int] = field(default_factory=list)
    rows: dict[str, list[tuple[float, ...]]] = field(default_factory=lambda: defaultdict(list))


def bag_recording(path: str | os.PathLike[str], mapping: Mapping | None = None) -> Recording:
    """Read MCAP, or a ROS 2 bag.

    >>> bag_recording("missing.db3")
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: the recording cannot be read: No such file or directory
      where   missing.db3
      try     check the path
    """
    notes: list[Finding] = []
    where = os.fspath(path)
    streams = _streams(messages(path, notes), where)
    if mapping is not None and mapping.channels:
        raise RecordingError("mapping.of_bag/bag_recording", where=mapping.where)
    joints = [stream for stream in streams if stream.kind == "joints"]
    sensors = [stream for stream in streams if stream.kind != "joints"]
    chosen = mapping.clock.topic if mapping is not None else ""
    joints.sort(key=lambda s: (s.topic != chosen, -len(s.stamps) * len(s.names)))
    if chosen and (not joints or joints[0].topic != chosen):
        raise RecordingError("bag.topic_unknown", where=where, topics=_topics(joints), chosen=chosen)
    if not streams:
        raise RecordingError("bag.no_message", where=where)
    name = Path(where).name.rsplit(".", 1)[0]
    recording = _of_joints(joints[0], name, notes, where) if joints else _of_sensor(sensors.pop(0), name, notes, where)
    for other in joints[1:]:
        recording = _joined(recording, _of_joints(other, other.topic, notes, where), other, where)
    for sensor in sensors:
        label = sensor.kind if sensor.kind not in recording.channels else f"{sensor.kind}{sensor.topic.replace('/', '_')}"
        recording = recording.with_channel(label, _sensor_channel(sensor, notes, where))
    return replace(recording, notes=tuple(notes) + recording.notes)


def _streams(raw: Iterable[Raw], where: str) -> list[_Stream]:
    found: dict[tuple[str, frozenset[str]], _Stream] = {}
    for number, (topic, kind, logged, data) in enumerate(raw, 1):
        try:
            said = message(kind, data)
        except (ValueError, struct.error) as error:
            raise RecordingError("file.damaged/read_bag", where=f"{where} {topic}, message {number}", error=error) from None
        key = (topic, frozenset(said.names))
        stream = found.setdefault(key, _Stream(topic, kind, said.names, said.frame))
        stream.stamps.append(said.stamp)
        stream.logged.append(logged)
        _keep(stream, said)
    return list(found.values())


def _keep(stream: _Stream, said: Message) -> None:
    if stream.kind != "joints":
        stream.rows[stream.kind].append(said.values)
        return
    order = None if said.names == stream.names else [said.names.index(name) for name in stream.names]
    for name in TABLES:
        values = said.tables[name]
        if values and order is not None:
            values = tuple(values[k] for k in order)
        stream.rows[name].append(values)


def _clock(stream: _Stream, notes: list[Finding], where: str) -> Array:
    """Stamps of the headers; the time of logging where nobody set them."""
    stamps = np.array(stream.stamps)
    if stamps.any():
        return stamps
    notes.append(Finding("log.stamps_of_arrival", "warning", f"{where} {stream.topic}"))
    return np.array(stream.logged, dtype=float) * 1e-9


def _of_joints(stream: _Stream, name: str, notes: list[Finding], where: str) -> Recording:
    if len(set(stream.names)) < len(stream.names):
        raise RecordingError("bag.joint_twice", where=f"{where} {stream.topic}", joints=stream.names)
    channels = {}
    missing = (np.nan,) * len(stream.names)
    for table in TABLES:
        rows = stream.rows[table]
        if any(rows):
            values = np.array([row or missing for row in rows]).reshape(len(rows), -1)
            units = (si_unit(table),) * len(stream.names)
            origin = f"{stream.topic} {FIELDS[table]}"
            channels[table] = Channel(values, stream.names, units, stated_unit=units[0] if units else "", origin=origin)
    return Recording(joint_names=stream.names, time=_clock(stream, notes, where), channels=channels, name=name)


def _sensor_channel(stream: _Stream, notes: list[Finding], where: str) -> Channel:
    columns, units = SENSORS[stream.kind]
    time = _clock(stream, notes, where)
    values = np.array(stream.rows[stream.kind])
    return Channel(values, columns, units, origin=stream.topic, time=time, frame=stream.frame)


def _of_sensor(stream: _Stream, name: str, notes: list[Finding], where: str) -> Recording:
    channel = _sensor_channel(stream, notes, where)
    assert channel.time is not None
    return Recording(joint_names=(), time=channel.time, channels={stream.kind: replace(channel, time=None)}, name=name)


def _joined(main: Recording, other: Recording, stream: _Stream, where: str) -> Recording:
    """With the joints of another stream where their stamps fit; else without, and a note."""
    if set(other.joint_names) & set(main.joint_names):
        return replace(
            main, notes=(*main.notes, Finding("log.topic_chosen", "note", where, topic=stream.topic, other_count=len(other)))
        )
    try:
        return merged([main, other], tolerance=0.5 / main.rate if len(main) > 1 and np.isfinite(main.rate) else 0.0)
    except RecordingError as error:
        return replace(
            main,
            notes=(
                *main.notes,
                Finding(
                    "log.topic_left_out", "note", f"{where} {stream.topic}", joint_names=other.joint_names[:8], thing=error.what
                ),
            ),
        )


def _topics(streams: list[_Stream]) -> str:
    return ", ".join(dict.fromkeys(stream.topic for stream in streams)) or "none"


BAG = Reader(
    kind="recording",
    name="ROS 2 bag",
    endings=(*ENDINGS, ".bag"),
    open=bag_recording,
    sniff=is_bag,
    about=".mcap, a ROS 2 bag",
    whole=True,
)
