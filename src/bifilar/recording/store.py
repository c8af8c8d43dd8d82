"""Recordings on disk: Parquet, NPZ without pickles, and CSV, with names and units in the columns. Reads what it wrote.

    time [s],shoulder.position [rad],slide.position [m],shoulder.velocity [rad/s],...,shoulder.torque [N m],slide.torque [N]

Parquet has these columns too, and behind them those of the truth. Decimals read back as the same doubles. A file is never
trusted: what an NPZ claims to hold is compared with its size before anything is allocated, and a CSV that is not ours is
refused with the line that is wrong.
"""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, ResourceError
from bifilar.experiment.parquet import parquet_bytes, read_parquet
from bifilar.recording.recording import Recording, Truth
from bifilar.robot.parameters import Parameters
from bifilar.robot.write_file import write_file

QUANTITIES = {"position": ("rad", "m"), "velocity": ("rad/s", "m/s"), "torque": ("N m", "N")}
COLUMN = re.compile(r"(?P<joint>.+)\.(?P<quantity>position|velocity|torque) \[(?P<unit>[^\]]+)\]", re.S)
CLOCK = "time [s]"
MOST = 16 * 2**30  # [bytes] an NPZ may unfold to
TRUTH = ("time", "position", "velocity", "acceleration", "torque", "motor_position", "motor_velocity")


def written(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write a recording; the ending of the name says how.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "a.csv")
    >>> written(Recording(joint_names=("a",), sliding=("a",), time=[0], position=[[1]], torque=[[2]]), file)
    >>> file.read_text().splitlines()[0]
    'time [s],a.position [m],a.torque [N]'
    """
    write_file(path, {".npz": _npz, ".csv": _csv, ".parquet": _parquet}[_ending(path)](recording))


def read(path: str | os.PathLike[str]) -> Recording:
    """Read a recording that `written` wrote.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "a.csv")
    >>> written(Recording(joint_names=("a",), sliding=("a",), time=[0], position=[[1]], torque=[[2]]), file)
    >>> read(file).sliding
    ('a',)
    """
    reader = {".npz": _from_npz, ".csv": _from_csv, ".parquet": _from_parquet}[_ending(path)]
    try:
        return reader(Path(path))
    except OSError as error:
        what = f"the recording cannot be read: {error.strerror or error}"
        raise RecordingError(what, where=os.fspath(path)) from None
    except RecordingError as error:
        error.where = error.where or os.fspath(path)
        raise


def _ending(path: str | os.PathLike[str]) -> str:
    ending = Path(path).suffix.lower()
    if ending not in (".npz", ".csv", ".parquet"):
        what = f"a recording has no form '{ending}'" if ending else "the name of the recording has no ending"
        raise RecordingError(what, where=os.fspath(path), remedy="name it .parquet, .npz or .csv")
    return ending


# ---- NPZ


def _npz(recording: Recording) -> bytes:
    content: dict[str, Any] = {"joint_names": np.array(recording.joint_names, dtype=str)}
    content |= {"sliding": np.array(recording.sliding, dtype=str), "time": recording.time}
    content |= {name: getattr(recording, name) for name in QUANTITIES if getattr(recording, name) is not None}
    if recording.truth is not None:
        content |= {f"truth_{n}": getattr(recording.truth, n) for n in TRUTH if getattr(recording.truth, n) is not None}
        if recording.truth.parameters is not None:
            content["truth_names"] = np.array(recording.truth.parameters.names, dtype=str)
            content["truth_values"] = recording.truth.parameters.values
    buffer = io.BytesIO()
    np.savez(buffer, **content)  # numbers and names only: nothing that would need a pickle
    return buffer.getvalue()


def _from_npz(path: Path) -> Recording:
    try:
        with zipfile.ZipFile(path) as archive:
            content = {info.filename.removesuffix(".npy"): _member(archive, info) for info in _members(archive)}
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise RecordingError(
            f"the file is no recording: {error}", likely="another kind of file, or an interrupted copy"
        ) from None
    missing = [name for name in ("joint_names", "time", "position", "torque") if name not in content]
    if missing:
        raise RecordingError(f"the file holds no '{missing[0]}'", arrays=", ".join(content) or "none")
    truth = {name: content[f"truth_{name}"] for name in TRUTH if f"truth_{name}" in content}
    if "truth_names" in content:
        named = zip(content["truth_names"].tolist(), content["truth_values"].tolist(), strict=True)
        truth["parameters"] = Parameters.of(dict(named))
    return Recording(
        joint_names=tuple(content["joint_names"].tolist()),
        sliding=tuple(content["sliding"].tolist()) if "sliding" in content else (),
        time=content["time"],
        truth=Truth(**truth) if truth else None,
        **{name: content[name] for name in QUANTITIES if name in content},
    )


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    members = archive.infolist()
    total = sum(info.file_size for info in members)
    if total > MOST:
        raise ResourceError(f"the recording unfolds to {total / 2**30:.1f} GiB, more than {MOST // 2**30}")
    return members


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Any:
    """One array; its header must fit the size of the member, so that nothing is allocated on a lie."""
    with archive.open(info) as file:
        major, _ = np.lib.format.read_magic(file)
        header = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
        shape, _, kind = header(file)
        if kind.hasobject or kind.kind not in "fiuU":
            raise RecordingError(f"'{info.filename}' holds objects, not numbers or names")
        if int(np.prod([int(n) for n in shape], dtype=object)) * kind.itemsize != info.file_size - file.tell():
            raise RecordingError(f"'{info.filename}' is not as long as it says", likely="a damaged file")
    with archive.open(info) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


# ---- Parquet


def _parquet(recording: Recording) -> bytes:
    header, values = _columns(recording)
    facts: dict[str, Any] = {"measured": len(header)}
    truth = recording.truth
    if truth is not None:
        held = {name: getattr(truth, name) for name in TRUTH if getattr(truth, name) is not None}
        facts["truth"] = list(held)
        for name, array in held.items():
            header += [f"true {name}"] if name == "time" else [f"true {joint}.{name}" for joint in recording.joint_names]
            values = np.column_stack([values, array])
        if truth.parameters is not None:
            facts["parameters"] = dict(zip(truth.parameters.names, truth.parameters.values.tolist()))
    return parquet_bytes(header, values, facts)


def _from_parquet(path: Path) -> Recording:
    header, values, facts = read_parquet(path, RecordingError)
    count = facts.get("measured", len(header))
    if not isinstance(count, int) or not 1 <= count <= len(header):
        raise RecordingError(f"the file says that {count} columns were measured, it has {len(header)}", likely="a changed file")
    recording = _measured(_header(list(header[:count]), path), values[:, :count], path)
    names, joints = facts.get("truth", ()), len(recording.joint_names)
    if not names:
        return recording
    widths = [1 if name == "time" else joints for name in names]
    if not set(names) <= set(TRUTH) or sum(widths) != len(header) - count:
        raise RecordingError("the truth is not as the file says", likely="columns added or removed by another program")
    parts = np.split(values[:, count:], np.cumsum(widths)[:-1], axis=1)
    truth: dict[str, Any] = {name: part[:, 0] if name == "time" else part for name, part in zip(names, parts)}
    if "parameters" in facts:
        truth["parameters"] = Parameters.of(facts["parameters"])
    return replace(recording, truth=Truth(**truth))


# ---- CSV


def _csv(recording: Recording) -> bytes:
    header, values = _columns(recording)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(values.tolist())  # repr of a float is the shortest that reads back as the same double
    return text.getvalue().encode()


def _columns(recording: Recording) -> tuple[list[str], Array]:
    """Names and numbers of what was measured, the clock first."""
    kinds = [name for name in QUANTITIES if getattr(recording, name) is not None]
    header = [f"{joint}.{kind} [{_unit(recording, joint, kind)}]" for kind in kinds for joint in recording.joint_names]
    return [CLOCK, *header], np.column_stack([recording.time, *(getattr(recording, kind) for kind in kinds)])


def _unit(recording: Recording, joint: str, quantity: str) -> str:
    return QUANTITIES[quantity][joint in recording.sliding]


def _from_csv(path: Path) -> Recording:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = csv.reader(file, strict=True)
            header = next(lines, [])
            columns = _header(header, path)
            rows = np.array(list(_rows(lines, len(header), path)), dtype=float).reshape(-1, len(header))
    except (UnicodeDecodeError, csv.Error) as error:
        raise RecordingError(f"the file is no CSV: {error}", likely="another kind of file") from None
    return _measured(columns, rows, path)


def _measured(columns: list[tuple[str, str, str]], rows: Array, path: Path) -> Recording:
    """A recording from joint, quantity and unit of each column behind the clock, and the numbers."""
    names = tuple(dict.fromkeys(joint for joint, _, _ in columns))
    place = {(joint, quantity): k for k, (joint, quantity, _) in enumerate(columns, 1)}
    tables: dict[str, Any] = {}
    for quantity in QUANTITIES:
        there = [name for name in names if (name, quantity) in place]
        if there and len(there) < len(names):
            absent = next(name for name in names if name not in there)
            raise RecordingError(f"joint '{absent}' has no {quantity}, '{there[0]}' has", where=f"{path}:1")
        if there:
            tables[quantity] = rows[:, [place[name, quantity] for name in names]]
        elif quantity != "velocity":
            raise RecordingError(f"the file holds no {quantity}", where=f"{path}:1", remedy="expected 'joint.position [rad]'")
    sliding = tuple(dict.fromkeys(joint for joint, quantity, unit in columns if unit == QUANTITIES[quantity][1]))
    return Recording(joint_names=names, sliding=sliding, time=rows[:, 0], **tables)


def _header(header: list[str], path: Path) -> list[tuple[str, str, str]]:
    """Joint, quantity and unit of every column behind the clock."""
    if header[:1] != [CLOCK]:
        shown = header[0][:40] if header else ""
        remedy = f"the first column of a recording is '{CLOCK}'"
        raise RecordingError(
            f"the header begins with '{shown}'", where=f"{path}:1", likely="not written by bifilar", remedy=remedy
        )
    columns: list[tuple[str, str, str]] = []
    units: dict[str, bool] = {}
    for k, word in enumerate(header[1:], 2):
        match = COLUMN.fullmatch(word)
        if match is None or match["unit"] not in QUANTITIES[match["quantity"]]:
            remedy = "use 'joint.position [rad]', '.velocity [rad/s]', '.torque [N m]'; [m], [m/s], [N] where it slides"
            raise RecordingError(f"column {k} is called '{word[:60]}'", where=f"{path}:1", remedy=remedy)
        joint, quantity, unit = match["joint"], match["quantity"], match["unit"]
        slides = unit == QUANTITIES[quantity][1]
        if (joint, quantity) in {(j, q) for j, q, _ in columns} or units.setdefault(joint, slides) != slides:
            raise RecordingError(
                f"'{joint}.{quantity}' appears twice, or rotates in one column and slides in another", where=f"{path}:1"
            )
        columns.append((joint, quantity, unit))
    return columns


def _rows(lines: Any, width: int, path: Path) -> Iterator[list[float]]:
    for line in lines:
        try:
            if len(line) != width:
                raise ValueError(f"{len(line)} values, the header names {width}")
            yield [float(word) for word in line]
        except ValueError as error:
            where = f"{path}:{lines.line_num}"
            raise RecordingError(f"the line is wrong: {error}", where=where, likely="an interrupted copy") from None
