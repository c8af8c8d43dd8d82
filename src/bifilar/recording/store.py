"""Recordings on disk: Parquet, NPZ without pickles, and CSV, with names and units in the columns.

    time [s],shoulder.position [rad],slide.position [m],shoulder.velocity [rad/s],...,fx.wrench [N]

Parquet has these columns too, and behind them those of the truth. Decimals read back as the same doubles. A channel with
stamps of its own goes into a file beside it (run.wrench.csv), except in NPZ, which holds everything; beside Parquet it is
loaded back with it, beside CSV it is a log of its own.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.experiment.parquet import KEY as METADATA
from bifilar.experiment.parquet import parquet_bytes, read_parquet
from bifilar.formats import KEY, RECORDING
from bifilar.readers import joined
from bifilar.recording.channel import Channel
from bifilar.recording.column_names import OWN
from bifilar.recording.read_npz import read_npz
from bifilar.recording.recording import Recording
from bifilar.recording.truth import Truth
from bifilar.recording.units import QUANTITIES
from bifilar.robot.parameters import Parameters
from bifilar.robot.spreadsheet import guarded
from bifilar.robot.write_file import write_file

CLOCKS = {"recorded": "time [s]", "assumed": "assumed time [s]", "none": "row"}
TRUTH = ("time", "position", "velocity", "acceleration", "torque", "motor_position", "motor_velocity")
USUAL = ("position", "velocity", "acceleration", "torque")  # these come first, in this order
FACTS = ("stated_unit", "origin", "clock", "frame")


def written(recording: Recording, path: str | os.PathLike[str]) -> list[Path]:
    """Write a recording; the ending of the name says how. The files that were written.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = written(Recording(joint_names=("a",), sliding=("a",), time=[0], position=[[1]], torque=[[2]]), file)
    >>> file.read_text().splitlines()[0]
    'time [s],a.position [m],a.torque [N]'
    """
    form, place = FORMS[written_ending(path)], Path(path)
    files = [place]
    write_file(path, form(recording))
    if form is _npz:
        return files
    for name, channel in recording.channels.items():
        if channel.time is not None:
            alone = replace(channel, time=None)
            beside = Recording(joint_names=_joints_of(recording, channel), time=channel.time, channels={name: alone})
            files.append(place.with_name(f"{place.stem}.{name}{place.suffix}"))
            write_file(files[-1], form(beside))
    return files


def own(path: str | os.PathLike[str]) -> Recording | None:
    """A recording that `written` wrote as Parquet or NPZ; None for a file of somebody else.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "a.npz")
    >>> _ = written(Recording(joint_names=("a",), sliding=("a",), time=[0], position=[[1]], torque=[[2]]), file)
    >>> own(file).sliding
    ('a',)
    """
    name = os.fspath(path)
    ending = Path(name).suffix.lower()
    if ending not in (".npz", ".parquet") or not os.path.isfile(name):
        return None
    try:
        found = _from_npz(Path(name)) if ending == ".npz" else _with_beside(Path(name))
    except RecordingError as error:
        error.where = error.where or name
        raise
    return None if found is None else replace(found, name=found.name or Path(name).stem)


def written_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a name that a recording can be written to; others are refused.

    >>> written_ending("run.CSV")
    '.csv'
    """
    ending = Path(path).suffix.lower()
    if ending not in FORMS:
        raise RecordingError(
            "recording.ending/store" if ending else "recording.ending/written_ending",
            where=os.fspath(path),
            ending=ending,
            joined=joined(tuple(FORMS)),
        )
    return ending


def _joints_of(recording: Recording, channel: Channel) -> tuple[str, ...]:
    return tuple(name for name in recording.joint_names if name in channel.columns)


def _ordered(recording: Recording) -> dict[str, Channel]:
    """Channels on the recording's clock, the usual ones first."""
    names = [name for name in USUAL if name in recording.channels]
    names += [name for name in recording.channels if name not in names]
    return {name: recording.channels[name] for name in names if recording.channels[name].time is None}


# ---- NPZ


def _npz(recording: Recording) -> bytes:
    content: dict[str, Any] = {KEY: np.array(RECORDING.stamp), "joint_names": np.array(recording.joint_names, dtype=str)}
    content |= {"sliding": np.array(recording.sliding, dtype=str), "time": recording.time, "usable": recording.mask}
    for name, channel in recording.channels.items():
        content[name] = channel.values
        content[f"columns_{name}"] = np.array(channel.columns, dtype=str)
        content[f"units_{name}"] = np.array(channel.units, dtype=str)
        content[f"facts_{name}"] = np.array([str(getattr(channel, fact)) for fact in FACTS])
        if channel.time is not None:
            content[f"time_{name}"] = channel.time
    content["facts"] = np.array([recording.clock, recording.name, json.dumps(_notes(recording))])
    if recording.truth is not None:
        content |= {f"truth_{n}": getattr(recording.truth, n) for n in TRUTH if getattr(recording.truth, n) is not None}
        if recording.truth.parameters is not None:
            content["truth_names"] = np.array(recording.truth.parameters.names, dtype=str)
            content["truth_values"] = recording.truth.parameters.values
    buffer = io.BytesIO()
    np.savez(buffer, **content)  # numbers and names only: nothing that would need a pickle
    return buffer.getvalue()


def _from_npz(path: Path) -> Recording | None:
    content = read_npz(path)
    if not {"joint_names", "sliding", "time"} <= set(content):
        return None
    if KEY in content:
        RECORDING.check({KEY: " ".join(_strings(content[KEY]))}, str(path))
    truth = {name: content[f"truth_{name}"] for name in TRUTH if f"truth_{name}" in content}
    if "truth_names" in content and "truth_values" in content:
        named = zip(content["truth_names"].tolist(), content["truth_values"].ravel().tolist())
        truth["parameters"] = Parameters.of(dict(named))
    if truth and not set(TRUTH[:5]) <= set(truth):
        raise RecordingError("recording.truth/store")
    clock, name, notes = _words(content.get("facts"), 3)
    parts = [key.removeprefix("columns_") for key in content if key.startswith("columns_")]
    channels: dict[str, Any] = {part: _npz_channel(part, content) for part in parts if part in content}
    channels |= {part: content[part] for part in QUANTITIES if part in content and part not in channels}
    return Recording(
        joint_names=_strings(content["joint_names"]),
        sliding=_strings(content["sliding"]),
        time=content["time"],
        channels=channels,
        mask=content.get("usable"),
        clock=clock or "recorded",
        name=name,
        notes=_read_notes(notes),
        truth=Truth(**truth) if truth else None,
    )


def _npz_channel(name: str, content: dict[str, Any]) -> Channel:
    facts = dict(zip(FACTS, _words(content.get(f"facts_{name}"), len(FACTS))))
    facts["clock"] = facts["clock"] or "recorded"
    units = _strings(content[f"units_{name}"]) if f"units_{name}" in content else ()
    columns = _strings(content[f"columns_{name}"])
    return Channel(content[name], columns, units, time=content.get(f"time_{name}"), **facts)  # type: ignore[arg-type]


def _strings(array: Any) -> tuple[str, ...]:
    return tuple(str(word) for word in array.ravel().tolist())


def _words(array: Any, count: int) -> list[str]:
    words = [] if array is None else list(_strings(array))
    return [*words, *[""] * count][:count]


def _notes(recording: Recording) -> list[list[str]]:
    return [[note.severity, note.where, note.what, note.remedy, note.likely, note.code] for note in recording.notes]


def _read_notes(text: str) -> list[Finding]:
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    good = isinstance(found, list) and all(isinstance(note, list) and len(note) in (4, 6) for note in found)
    severities = ("error", "warning", "note")
    if not good:
        return []
    notes = [(*map(str, note), "", "")[:6] for note in found if note[0] in severities]
    return [
        Finding(code, severity, where, what=what, remedy=remedy, likely=likely)
        for severity, where, what, remedy, likely, code in notes
    ]


# ---- Parquet


def _parquet(recording: Recording) -> bytes:
    header, values = _columns(recording)
    facts: dict[str, Any] = {KEY: RECORDING.stamp, "measured": len(header), "clock": recording.clock, "name": recording.name}
    facts["channels"] = {name: {fact: getattr(c, fact) for fact in FACTS} for name, c in _ordered(recording).items()}
    facts["notes"] = _notes(recording)
    facts["beside"] = [name for name, channel in recording.channels.items() if channel.time is not None]
    facts |= {"joints": list(recording.joint_names), "sliding": list(recording.sliding)}
    if not recording.mask.all():
        header, values = [*header, "usable"], np.column_stack([values, recording.mask])
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


def _with_beside(path: Path) -> Recording | None:
    """A recording and its channels with stamps of their own, from the files beside it; a note tells if one is gone."""
    facts = _ours(path)
    found = _from_parquet(path)
    if facts is None or found is None:
        return None
    for name in _listed(facts.get("beside")):
        file = path.with_name(f"{path.stem}.{name}{path.suffix}")
        other = _from_parquet(file) if re.fullmatch(r"\w+", name) and file.is_file() else None
        if other is None or name not in other.channels:
            note = Finding("log.part_missing", "warning", str(path), name=name, name_2=file.name)
            found = replace(found, notes=(*found.notes, note))
        else:
            found = found.with_channel(name, replace(other.channels[name], time=other.time))
    return found


def _from_parquet(path: Path) -> Recording | None:
    if _ours(path) is None:
        return None
    header, values, facts = read_parquet(path, RecordingError)
    count = facts.get("measured", len(header))
    if not isinstance(count, int) or not 1 <= count <= len(header):
        raise RecordingError("recording.header/store", count=count, header_count=len(header))
    if header[0] not in CLOCKS.values():
        raise RecordingError("recording.header/from_parquet", header=header[0][:40])
    channels = _own_channels(list(header[1:count]), values[:, 1:count], facts.get("channels"))
    rest = count
    mask = None
    if len(header) > rest and header[rest] == "usable":
        mask, rest = values[:, rest] != 0, rest + 1
    joints = _listed(facts.get("joints")) or tuple(dict.fromkeys(c for name in channels for c in channels[name].columns))
    sliding = _listed(facts.get("sliding"))
    if "sliding" not in facts:
        sliding = tuple(j for j in joints if any(_slides(c, j) for c in channels.values()))
    return Recording(
        joint_names=joints,
        sliding=sliding,
        time=values[:, 0],
        channels=channels,
        mask=mask,
        clock=next(clock for clock, name in CLOCKS.items() if name == header[0]),
        name=str(facts.get("name", "")),
        notes=_read_notes(json.dumps(facts.get("notes", []))),
        truth=_truth(facts, header, values, rest, len(joints)),
    )


def _ours(path: Path) -> dict[str, Any] | None:
    """The facts if bifilar wrote the file, and as a recording: they say how many columns were measured."""
    import pyarrow
    import pyarrow.parquet

    try:
        metadata = pyarrow.parquet.read_schema(path).metadata or {}
        facts = json.loads(metadata.get(METADATA, b"{}"))
    except (OSError, ValueError, RecursionError, pyarrow.ArrowException):
        return None
    if not isinstance(facts, dict) or "measured" not in facts:
        return None
    RECORDING.check(facts, str(path))
    return facts


def _listed(value: Any) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list) and all(isinstance(word, str) for word in value) else ()


def _slides(channel: Channel, joint: str) -> bool:
    return joint in channel.columns and channel.units[channel.columns.index(joint)] in ("m", "m/s", "m/s^2", "N")


def _own_channels(header: list[str], values: Array, facts: Any) -> dict[str, Channel]:
    parts: dict[str, list[tuple[str, str, int]]] = {}
    for k, word in enumerate(header):
        match = OWN.fullmatch(word)
        if match is None:
            raise RecordingError("recording.header/own_channels", k=k + 2, word=word[:60])
        parts.setdefault(match["channel"], []).append((match["joint"], match["unit"], k))
    known = facts if isinstance(facts, dict) else {}
    found = {}
    for name, columns in parts.items():
        said: Any = known.get(name) if isinstance(known.get(name), dict) else {}
        about = {fact: str(said[fact]) for fact in FACTS if isinstance(said.get(fact), str)}
        joints, units, places = zip(*columns)
        found[name] = Channel(values[:, list(places)], joints, units, **about)  # type: ignore[arg-type]
    return found


def _truth(facts: dict[str, Any], header: tuple[str, ...], values: Array, count: int, joints: int) -> Truth | None:
    names = facts.get("truth", ())
    if not names:
        return None
    widths = [1 if name == "time" else joints for name in names]
    known = isinstance(names, list) and set(TRUTH[:5]) <= {str(name) for name in names} <= set(TRUTH)
    if not known or sum(widths) != len(header) - count:
        raise RecordingError("recording.truth/truth")
    parts = np.split(values[:, count:], np.cumsum(widths)[:-1], axis=1)
    truth: dict[str, Any] = {name: part[:, 0] if name == "time" else part for name, part in zip(names, parts)}
    if isinstance(facts.get("parameters"), dict):
        truth["parameters"] = Parameters.of(facts["parameters"])
    return Truth(**truth)


# ---- CSV


def _csv(recording: Recording) -> bytes:
    header, values = _columns(recording)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([guarded(name) for name in header])
    writer.writerows(values.tolist())  # repr of a float is the shortest that reads back as the same double
    return text.getvalue().encode()


def _columns(recording: Recording) -> tuple[list[str], Array]:
    """Names and numbers of what was measured, the clock first."""
    held = _ordered(recording)
    header = [f"{column}.{name} [{unit}]" for name, c in held.items() for column, unit in zip(c.columns, c.units)]
    return [CLOCKS[recording.clock], *header], np.column_stack([recording.time, *(c.values for c in held.values())])


FORMS = {".parquet": _parquet, ".npz": _npz, ".csv": _csv}  # that recordings are written in, the best first
