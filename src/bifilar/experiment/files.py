"""Sampled motions as files: CSV or Parquet with names and units in the columns, and what a ROS 2 controller reads.

    # any comments
    time_s,elbow.position_rad,elbow.velocity_rad_per_s,elbow.acceleration_rad_per_s2,elbow.jerk_rad_per_s3
    0.0,0.1,0.0,0.0,12.5

Numbers are written so that reading gives the same bits. Sliding joints are in m. Files in degrees or mm are converted.
The ending of a file's name says what it is: .csv, .parquet, .yaml (for a controller, written only).
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from bifilar.errors import MotionError, unreadable
from bifilar.experiment.checks import place
from bifilar.experiment.parquet import parquet_bytes, read_parquet
from bifilar.experiment.trajectory import Array, Motion
from bifilar.formats import KEY, MOTION
from bifilar.readers import joined
from bifilar.robot.spreadsheet import guarded, unguarded
from bifilar.robot.write_file import write_file

QUANTITIES = ("position", "velocity", "acceleration", "jerk")
SAMPLED = (".csv", ".parquet")  # written and read
COMMANDED = (".yaml", ".yml")  # a ROS 2 JointTrajectory: written only
PER = {"position": "", "velocity": "_per_s", "acceleration": "_per_s2", "jerk": "_per_s3"}
UNITS = {"rad": 1.0, "m": 1.0, "deg": np.pi / 180, "mm": 1e-3}
Path_ = str | os.PathLike[str]


def save_motion(path: Path_, motion: Motion, *, units: Mapping[str, str] | None = None, comments: Sequence[str] = ()) -> None:
    """Write a motion as .csv, .parquet or .yaml (`save_joint_trajectory`). `units`: {"slide": "m"} for joints not in rad.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "move.csv")
    >>> bf.save_motion(file, bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).sample(100))
    >>> file.read_text().splitlines()[1]
    '0.0,0.0,0.0,0.0,7.5'
    """
    ending = motion_ending(path)
    if ending in COMMANDED:
        return save_joint_trajectory(path, motion, comments=comments)
    unit = _units(motion.joint_names, units)
    quantities = [name for name in QUANTITIES if getattr(motion, name) is not None]
    header = ["time_s", *(f"{joint}.{name}_{unit[joint]}{PER[name]}" for joint in motion.joint_names for name in quantities)]
    columns = np.stack([getattr(motion, name) for name in quantities], axis=2).reshape(len(motion), -1)
    values = np.column_stack([motion.time, columns])
    if ending == ".parquet":
        return write_file(path, parquet_bytes(header, values, {KEY: MOTION.stamp, "comments": list(comments)}))
    text = io.StringIO()
    text.writelines(_commented(comments))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([guarded(name) for name in header])
    writer.writerows(values.tolist())  # Python writes the shortest text that reads the same
    write_file(path, text.getvalue().encode("utf-8"))


def load_motion(path: Path_, *, joint_names: Sequence[str] | None = None) -> Motion:
    """Read a motion that `save_motion` or somebody with the same header wrote; `joint_names` picks and orders joints.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "move.csv")
    >>> bf.save_motion(file, bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).sample(1))
    >>> bf.load_motion(file).position.ravel()
    array([0. , 0.5, 1. ])
    """
    where = os.fspath(path)
    if motion_ending(path, read=True) == ".parquet":
        header, channels, values = _from_parquet(path)
    else:
        header, channels, values = _from_csv(path)
    joints = tuple(dict.fromkeys(joint for joint, _, _ in channels.values()))
    tables: dict[str, Array] = {}
    for name in QUANTITIES:
        found = {joint: values[:, k] * factor for k, (joint, what, factor) in channels.items() if what == name}
        missing = [joint for joint in joints if joint not in found]
        if missing and (found or name != "jerk"):
            raise MotionError("motion.channel_missing/files", where=where, missing=missing[0], name=name, per=PER[name])
        if found:
            tables[name] = np.column_stack([found[joint] for joint in joints])
    time = values[:, [column.strip() for column in header].index("time_s")]
    _rises(time, where)
    motion = Motion(joint_names=joints, time=time, **tables)  # type: ignore[arg-type]
    return motion if joint_names is None else motion.joints(joint_names)


def save_joint_trajectory(
    path: Path_, motion: Motion, *, frame_id: str = "", accelerations: bool = True, comments: Sequence[str] = ()
) -> None:
    """Write a trajectory_msgs/msg/JointTrajectory as YAML, as `ros2 topic pub` and controllers read it.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "move.yaml")
    >>> bf.save_joint_trajectory(file, bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).sample(1))
    >>> print("\\n".join(file.read_text().splitlines()[4:9]))
    joint_names: ["elbow"]
    points:
      - positions: [0.0]
        velocities: [0.0]
        accelerations: [0.0]
    """
    if not len(motion):
        raise MotionError("motion.empty/files", where=os.fspath(path))
    nanoseconds = [round(t * 1e9) for t in (motion.time - motion.time[0]).tolist()]
    if any(later <= earlier for earlier, later in pairwise(nanoseconds)):
        raise MotionError("clock.not_rising/files", where=os.fspath(path))
    out = [
        *(line.rstrip("\n") for line in _commented(comments)),
        "header:",
        "  stamp: {sec: 0, nanosec: 0}",
        f"  frame_id: {_quoted(frame_id)}",
        "# rad, sliding joints m",
    ]
    out += [f"joint_names: [{', '.join(map(_quoted, motion.joint_names))}]", "points:"]
    for k, t in enumerate(nanoseconds):
        out.append(f"  - positions: {_listed(motion.position[k])}")
        out.append(f"    velocities: {_listed(motion.velocity[k])}")
        out += [f"    accelerations: {_listed(motion.acceleration[k])}"] if accelerations else []
        out.append(f"    time_from_start: {{sec: {t // 10**9}, nanosec: {t % 10**9}}}")
    write_file(path, ("\n".join(out) + "\n").encode("utf-8"))


# ---- reading


def _lines(path: Path_) -> tuple[list[str], int]:
    """Lines from the header on, and how many comments stand before it."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise MotionError("file.not_text/files", where=os.fspath(path)) from None
        raise unreadable(MotionError, "file", error, os.fspath(path)) from None
    if "\0" in text:
        raise MotionError("file.not_text/lines", where=os.fspath(path))
    lines = io.StringIO(text, newline="").readlines()
    skipped = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if skipped == len(lines):
        raise MotionError("file.empty/files", where=os.fspath(path))
    return lines[skipped:], skipped


def _from_csv(path: Path_) -> tuple[list[str], dict[int, tuple[str, str, float]], Array]:
    """Header, what its columns are, and the numbers."""
    where = os.fspath(path)
    lines, skipped = _lines(path)
    rows = csv.reader(lines)
    try:
        header = [unguarded(name) for name in next(rows, [])]
        channels = _channels(header, f"{where}:{skipped + 1}")
        return header, channels, _numbers(rows, len(header), where, skipped)
    except csv.Error as error:
        raise MotionError("file.not_csv", where=f"{where}:{skipped + rows.line_num}", error=error) from None


def _from_parquet(path: Path_) -> tuple[list[str], dict[int, tuple[str, str, float]], Array]:
    where, (names, values, facts) = os.fspath(path), read_parquet(path, MotionError)
    if "measured" not in facts:  # else it is a recording, which is told by its columns
        MOTION.check(facts, where)
    channels = _channels(names, where)
    _finite(values, where)
    return list(names), channels, values


def _finite(values: Array, where: str) -> None:
    if not len(values):
        raise MotionError("motion.empty/finite", where=where)
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        place = f"{where}, sample {bad[0]}"
        raise MotionError("not_finite/files", where=place)


def motion_ending(path: Path_, *, read: bool = False) -> str:
    """The ending of a motion's file; others than are written, or read, are refused.

    >>> motion_ending("move.CSV"), motion_ending("move.yaml")
    ('.csv', '.yaml')
    """
    ending = Path(path).suffix.lower()
    if ending in (("", *SAMPLED) if read else (*SAMPLED, *COMMANDED)):
        return ending
    if ending in COMMANDED:
        raise MotionError("motion.file_ending/commanded", where=os.fspath(path), forms=joined(SAMPLED))
    key = "motion.file_ending/read" if read else "motion.file_ending/written"
    forms = joined(SAMPLED) if read else joined((*SAMPLED, COMMANDED[0]))
    raise MotionError(key if ending else f"{key}_none", where=os.fspath(path), ending=ending, forms=forms)


def _channels(header: Sequence[str], where: str) -> dict[int, tuple[str, str, float]]:
    """Column -> joint, quantity and factor to SI."""
    names = [name.strip() for name in header]
    if "time_s" not in names:
        raise MotionError("motion.no_time/files" if names else "motion.no_time/channels", where=where, columns=names[:8])
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise MotionError("motion.column_twice/files", where=where, twice=twice[0], count=names.count(twice[0]))
    channels = {k: _channel(name, where) for k, name in enumerate(names) if name != "time_s"}
    seen: set[tuple[str, str]] = set()
    for joint, what, _ in channels.values():
        if (joint, what) in seen:
            raise MotionError("motion.column_twice/channels", where=where, thing=what, joint=joint)
        seen.add((joint, what))
    if not channels:
        raise MotionError("joints.none/files", where=where)
    return channels


def _channel(name: str, where: str) -> tuple[str, str, float]:
    joint, _, word = name.rpartition(".")
    for what in QUANTITIES:
        for unit, factor in UNITS.items():
            if joint and word == f"{what}_{unit}{PER[what]}":
                return joint, what, factor
    raise MotionError("motion.column_unknown", where=where, name=name)


def _numbers(rows: Iterable[list[str]], width: int, where: str, skipped: int) -> Array:
    line, values = getattr(rows, "line_num", 0), []
    for fields in rows:
        line = getattr(rows, "line_num", line)
        if not fields:
            continue
        here = f"{where}:{skipped + line}"
        if len(fields) != width:
            raise MotionError(
                "file.ragged/files" if len(fields) < width else "file.ragged/numbers",
                where=here,
                field_count=len(fields),
                width=width,
            )
        values.append([_value(field, here) for field in fields])
        if not np.isfinite(values[-1]).all():
            raise MotionError("not_finite/numbers", where=here)
    if not values:
        raise MotionError("motion.empty/numbers", where=where)
    return np.array(values)


def _rises(time: Array, where: str) -> None:
    steps = np.diff(time)
    if (steps <= 0).any():
        k = int(np.argmax(steps <= 0))
        raise MotionError("clock.not_rising/rises", where=f"{where}, sample {k + 1}", time=time[k], time_2=time[k + 1])


# ---- writing


def _commented(comments: Sequence[str]) -> list[str]:
    return [f"# {line}\n" for comment in comments for line in comment.splitlines()]


def _units(joint_names: tuple[str, ...], units: Mapping[str, str] | None) -> dict[str, str]:
    given = dict(units or {})
    for joint, unit in given.items():
        place(joint, joint_names)
        if unit not in ("rad", "m"):
            raise MotionError("unit.unknown/files", joint=joint, unit=unit)
    return {joint: given.get(joint, "rad") for joint in joint_names}


def _listed(values: Array) -> str:
    return f"[{', '.join(map(_number, values.tolist()))}]"


def _number(value: float) -> str:
    """YAML 1.1 readers take 1e-05 for text: a number needs its point."""
    mantissa, e, exponent = repr(value).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"


def _quoted(text: str) -> str:
    """A double-quoted YAML scalar; what cannot be printed is escaped."""
    escapes = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(escapes.get(c) or (c if c.isprintable() else f"\\U{ord(c):08x}") for c in text) + '"'


def _value(field: str, where: str) -> float:
    try:
        return float(field)
    except ValueError:
        raise MotionError("not_numbers/files", where=where, field=field) from None
