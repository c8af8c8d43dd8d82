"""From a log to a recording: open the files, see what the columns are, read them, and put the joints into the robot's order.

A mapping may spread a recording over several files; their rows belong together. A file that lost its last rows shortens all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from collections.abc import Mapping as Pairs
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError, Finding, RecordingError, near_names
from bifilar.readers import reader_for, without_ending
from bifilar.recording.declarations import check_rename, rename_remedy, renamed, scaled
from bifilar.recording.log_delay import seconds_of, stream_without_delay, without_delay
from bifilar.recording.mapping import ChannelForm, FileForm, Mapping
from bifilar.recording.open_source import names_joints, open_source
from bifilar.recording.plain_rows import is_unordered, numbered
from bifilar.recording.plan import Plan, recorded
from bifilar.recording.plan_mapping import planned
from bifilar.recording.plan_names import understood
from bifilar.recording.plausible_rows import in_order
from bifilar.recording.recording import Recording
from bifilar.recording.signs import signed
from bifilar.recording.source import Source, rechunked
from bifilar.recording.store import own
from bifilar.recording.units import quantity, unit
from bifilar.robot.robot import Robot

PathLike = str | os.PathLike[str]
EXAMPLES = {"rename": "joint2", "gain": 13.6}
EPOCH = ((1e17, "ns"), (1e14, "us"), (1e11, "ms"))  # stamps since 1970 tell their unit by their size


def load(
    path: PathLike,
    robot: Robot | None = None,
    mapping: Mapping | PathLike | None = None,
    by_position: bool = False,
    **declared: Any,
) -> Recording:
    """Read a log whole.

    `declared`: rate= [Hz] where there are no stamps, unit={"position": "deg"}, sign={"elbow": -1} of torques ({"*": -1}: of
    all), rename={"axis_2": "elbow"} of joints, gain={"elbow": 13.6} that torques (or currents, if there are none) are
    multiplied by, log_delay= [s] by which the torque is late (it is moved), ordered=False where rows may come in no order of
    time, and
    what [file] of a mapping may say (delimiter=, decimal=, header=, skip=, names=, ...). Words in braces of a mapping's file
    names are given by name too: run="2".

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.csv")
    >>> _ = file.write_text("t;hip_pos_deg;hip_torque\\n0;90;1,5\\n0,1;180;2\\n")
    >>> load(file).torque.ravel()
    array([1.5, 2. ])
    """
    with _located(path):
        return _whole(path, robot, mapping, by_position, _declared(declared))


def _whole(
    path: PathLike, robot: Robot | None, mapping: Mapping | PathLike | None, by_position: bool, settings: _Declared
) -> Recording:
    mapping = _mapping(mapping)
    settings = replace(settings, log_delay=_late(settings, mapping))
    made = own(path) if mapping is None else None
    if made is not None:
        return _finished(_as_declared(renamed(made, _names(settings, mapping)), robot, by_position, settings), robot, settings)
    reader = reader_for("recording", path)
    if reader is not None and reader.whole:
        found = _as_declared(renamed(reader.open(path, mapping), _names(settings, mapping)), robot, by_position, settings)
        return _finished(found, robot, settings)
    opened = _opened(path, robot, _mapping(mapping), by_position, settings)
    raw = [[*source.blocks(wanted)] or [np.zeros((0, len(wanted)))] for source, wanted in opened.parts()]
    raw, notes = _same_length(raw, list(opened.sources.values()))
    clock_unit = _clock_unit(opened, raw)
    notes += [note for source in opened.sources.values() for note in source.notes]
    return _finished(recorded(opened.plan, raw, 0, opened.name, clock_unit, notes), None, settings)


def stream(
    path: PathLike,
    robot: Robot | None = None,
    mapping: Mapping | PathLike | None = None,
    by_position: bool = False,
    rows: int = 65536,
    **declared: Any,
) -> Iterator[Recording]:
    """Read a log in pieces of at most so many samples; text and Parquet take constant memory.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.csv")
    >>> _ = file.write_text("t,hip_pos,hip_torque\\n0,90,1\\n1,180,2\\n2,0,3\\n")
    >>> [piece.time.tolist() for piece in stream(file, rows=2)]
    [[0.0, 1.0], [2.0]]
    """
    if rows < 1:
        raise RecordingError("setting.wrong/load", rows=rows)
    with _located(path):
        settings, told = _declared(declared), _mapping(mapping)
        late = _late(settings, told)
        pieces = _streamed(path, robot, told, by_position, rows, replace(settings, log_delay=0.0) if late else settings)
        yield from stream_without_delay(pieces, late) if late else pieces


def _streamed(
    path: PathLike,
    robot: Robot | None,
    mapping: Mapping | PathLike | None,
    by_position: bool,
    rows: int,
    settings: _Declared,
) -> Iterator[Recording]:
    made = own(path) if mapping is None else None
    if made is not None or names_joints(path):
        whole = renamed(made, _names(settings, None)) if made is not None else load(path, None, mapping, rename=settings.rename)
        whole = _as_declared(whole, robot, by_position, settings)
        yield from _pieces(_finished(whole, robot, settings), rows)
        return
    opened = _opened(path, robot, _mapping(mapping), by_position, settings)
    readers = [rechunked(source.blocks(wanted), rows) for source, wanted in opened.parts()]
    first, told, clock_unit = 0, 0, None
    while True:
        raw = [next(reader, None) for reader in readers]
        if any(blocks is None for blocks in raw):
            more = max((sum(map(len, blocks)) for blocks in raw if blocks is not None), default=0)
            if more > max(1, first // 1000):
                raise RecordingError("log.lengths_differ/load", first=first)
            return
        held = [blocks for blocks in raw if blocks is not None]
        blocks, notes = _same_length(held, list(opened.sources.values()), partly=True)
        clock_unit = clock_unit or _clock_unit(opened, blocks)
        said = [note for source in opened.sources.values() for note in source.notes]
        piece = recorded(opened.plan, blocks, first, opened.name, clock_unit, [*notes, *said[told:]])
        first, told = first + len(piece), len(said)
        yield _finished(piece, None, settings, whole=False)


@contextmanager
def _located(path: PathLike) -> Iterator[None]:
    """Letters from deeper inside do not know the file: they are told."""
    try:
        yield
    except BifilarError as error:
        error.where = error.where or os.fspath(path)
        raise


@dataclass(frozen=True)
class _Opened:
    plan: Plan
    sources: dict[str, Source]
    name: str

    def parts(self) -> list[tuple[Source, list[int]]]:
        return [(source, self.plan.wanted(k)) for k, source in enumerate(self.sources.values())]


@dataclass(frozen=True, kw_only=True)
class _Declared:
    """What the caller says beside the file."""

    rate: float | None = None
    log_delay: float | None = None
    ordered: bool = True
    units: dict[str, str]
    sign: dict[str, float]
    rename: dict[str, str]
    gain: dict[str, float]
    file: dict[str, Any]
    words: dict[str, str]


def _declared(given: dict[str, Any]) -> _Declared:
    forms = {field.name for field in fields(FileForm)} - {"name"}
    units, sign, rate = given.pop("unit", {}), given.pop("sign", {}), given.pop("rate", None)
    units = {"position": units} if isinstance(units, str) else dict(units)
    for word in units.values():
        unit(word)
    if rate is not None and not (isinstance(rate, int | float) and 0 < rate < np.inf):
        raise RecordingError("rate.wrong/load", rate=rate)
    rename, gain = _pairs(given, "rename", str), _pairs(given, "gain", (int, float))
    delay, ordered = given.pop("log_delay", None), given.pop("ordered", True)
    delay = None if delay is None else seconds_of(delay)
    file = {name: given.pop(name) for name in list(given) if name in forms}
    file["names"] = tuple(file["names"]) if file.get("names") is not None else None
    strange = [name for name, value in given.items() if not isinstance(value, str | int)]
    if strange:
        raise RecordingError(
            "option.unknown/load",
            known="rate, unit, sign, rename, gain, log_delay, ordered, " + ", ".join(sorted(forms)),
            strange=strange[0],
        )
    words = {k: str(v) for k, v in given.items()}
    more: dict[str, Any] = {"file": file, "words": words, "rename": rename, "gain": gain}
    return _Declared(rate=rate, log_delay=delay, ordered=bool(ordered), units=units, sign=dict(sign), **more)


def _pairs(given: dict[str, Any], word: str, kind: Any) -> dict[str, Any]:
    """A declaration by joint."""
    found = given.pop(word, {})
    if not isinstance(found, Pairs) or not all(isinstance(k, str) and isinstance(v, kind) for k, v in found.items()):
        raise RecordingError("setting.wrong/by_joint", word=word, found=repr(found)[:100], example=EXAMPLES[word])
    return dict(found)


def _names(said: _Declared, mapping: Mapping | None) -> dict[str, str]:
    """Other names of joints: as declared, and as the mapping says where nothing is declared."""
    return {**(mapping.rename if mapping is not None else {}), **said.rename}


def _late(said: _Declared, mapping: Mapping | None) -> float | None:
    """The delay of the torque: as declared, else as the mapping says [s]; None: nobody said it."""
    if said.log_delay is not None or mapping is None or mapping.log_delay is None:
        return said.log_delay
    return seconds_of(mapping.log_delay)


def _mapping(mapping: Mapping | PathLike | None) -> Mapping | None:
    return mapping if mapping is None or isinstance(mapping, Mapping) else Mapping.load(mapping)


def _opened(path: PathLike, robot: Robot | None, mapping: Mapping | None, by_position: bool, said: _Declared) -> _Opened:
    form = replace(mapping.file if mapping else FileForm(), **{k: v for k, v in said.file.items() if v is not None})
    if mapping is None:
        if said.words:
            raise RecordingError("option.unknown/opened", where=os.fspath(path), first=next(iter(said.words)))
        source = open_source(path, form)
        how = {"by_position": by_position, "rate": said.rate, "units": said.units, "ordered": said.ordered}
        how |= {"rename": said.rename}
        plan = understood(source, robot, **how)  # type: ignore[arg-type]
        return _Opened(plan, {"": source}, without_ending("recording", path))
    if names := _names(said, mapping):
        mapping = _with_names(mapping, names)
    if said.rate is not None:
        mapping = replace(mapping, clock=replace(mapping.clock, rate=said.rate, column=None, nanoseconds=None, file=""))
    if said.units:
        mapping = _with_units(mapping, said.units)
    files = list(dict.fromkeys([*(f.file for f in mapping.channels.values() if not f.source), mapping.clock.file]))
    files = [name for name in files if name or _needed(mapping)] if mapping.channels else [""]
    words = _words(path, mapping, said.words)
    sources = {name: _open(path, name, mapping, form, words) for name in files}
    return _Opened(planned(mapping, sources, robot, by_position, said.ordered), sources, without_ending("recording", path))


def _with_names(mapping: Mapping, rename: dict[str, str]) -> Mapping:
    """The mapping with other names of its joints."""
    every = [*mapping.joints, *(name for form in mapping.channels.values() for name in form.joints)]
    check_rename(rename, list(dict.fromkeys(every)))

    def new(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(rename.get(name, name) for name in names)

    channels = {name: replace(form, joints=new(form.joints)) for name, form in mapping.channels.items()}
    return replace(mapping, joints=new(mapping.joints), sliding=new(mapping.sliding), channels=channels)


def _with_units(mapping: Mapping, units: dict[str, str]) -> Mapping:
    """What is declared beside a mapping wins over what it says, of the clock as of its channels."""
    clock = mapping.clock
    if "time" in units and clock.rate is not None:
        raise RecordingError("unit.of_rate", where=mapping.where, rate=clock.rate)
    if "time" in units and unit(units["time"]).si != "s":
        raise RecordingError("unit.unknown/load", time=units["time"])

    def stated(name: str, form: ChannelForm) -> str:
        kind = quantity(name) or ""
        return units.get(name) or ("" if kind in mapping.channels else units.get(kind, "")) or form.unit

    changed = {name: replace(form, unit=stated(name, form)) for name, form in mapping.channels.items()}
    return replace(mapping, channels=changed, clock=replace(clock, unit=units.get("time", clock.unit)))


def _needed(mapping: Mapping) -> bool:
    """Whether the log itself is read, or only the files that the mapping names."""
    clocked = mapping.clock.rate is None and not mapping.clock.file
    return clocked or any(not form.file and not form.source for form in mapping.channels.values())


def _words(path: PathLike, mapping: Mapping, given: dict[str, str]) -> dict[str, str]:
    """What stands for the words in braces: as declared, else as the log's own name says."""
    pattern = mapping.file.name
    if not pattern:
        return given
    holes = re.findall(r"\{(\w+)\}", pattern)
    parts = re.split(r"\{\w+\}", pattern)
    found = re.fullmatch("(.+?)".join(map(re.escape, parts)), Path(path).name)
    return dict(zip(holes, found.groups() if found else ())) | given


def _open(path: PathLike, name: str, mapping: Mapping, form: FileForm, words: dict[str, str]) -> Source:
    name = name or (mapping.file.name if os.path.isdir(path) else "")
    for word, value in words.items():
        name = name.replace("{" + word + "}", value)
    hole = re.search(r"\{(\w+)\}", name)
    if hole:
        raise RecordingError("dataset.which", where=mapping.where, hole=hole[1], name=name, name_2=mapping.file.name)
    folder = Path(path) if os.path.isdir(path) else Path(path).parent
    if name and (Path(name).is_absolute() or ".." in Path(name).parts):
        raise RecordingError("file.outside", where=mapping.where, name=name)
    place = folder / name if name else Path(path)
    count = _lines_per_sample(mapping, form, name)
    return open_source(place, replace(form, one_value_per_line=count))


def _lines_per_sample(mapping: Mapping, form: FileForm, name: str) -> int:
    """Declared for a channel's file, else for all; a file with the clock alone holds one value per sample."""
    own_counts = [f.one_value_per_line for f in mapping.channels.values() if f.file and f.one_value_per_line and f.file == name]
    if own_counts:
        return own_counts[0]
    clock_only = mapping.clock.file and mapping.clock.file == name
    return 0 if clock_only else form.one_value_per_line


def _clock_unit(opened: _Opened, raw: list[list[Array]]) -> str:
    """The unit of the stamps: stated, or by their size if they count from 1970, else seconds."""
    plan = opened.plan
    if plan.clock is None or plan.clock_unit:
        return plan.clock_unit
    if plan.clock_rest is not None:
        return "s"
    table = raw[plan.clock[0]][0]
    column = table[:, plan.wanted(plan.clock[0]).index(plan.clock[1])]
    known = column[np.isfinite(column)]
    size = float(np.median(known[:1000])) if len(known) else 0.0
    found = next((word for least, word in EPOCH if size > least), "s")
    if found != "s":
        source = list(opened.sources.values())[plan.clock[0]]
        source.notes.append(Finding("log.unit_assumed/load", "note", source.where, size=size, found=found))
    return found


def _as_declared(recording: Recording, robot: Robot | None, by_position: bool, said: _Declared) -> Recording:
    """A file that states joints and units itself: another rate is taken, what contradicts the file is refused."""
    if said.units:
        raise RecordingError("unit.stated", first=next(iter(said.units)))
    if by_position and robot is not None and set(recording.joint_names) - set(robot.joint_names):
        facts = {"joints": ", ".join(recording.joint_names[:12]), "robot": ", ".join(robot.joint_names[:12])}
        raise RecordingError("joints.by_name/load", remedy=rename_remedy(recording.joint_names, robot.joint_names), **facts)
    if said.words:
        raise RecordingError("option.unknown/opened", first=next(iter(said.words)))
    return recording if said.rate is None else recording.with_clock(rate=said.rate)


def _same_length(
    raw: list[list[Array]], sources: list[Source], partly: bool = False
) -> tuple[list[list[Array]], list[Finding]]:
    lengths = [sum(map(len, blocks)) for blocks in raw]
    least, most = min(lengths), max(lengths)
    if least == most:
        return raw, []
    short, long = sources[lengths.index(least)].where, sources[lengths.index(most)].where
    if not partly and most - least > max(1, most // 1000):
        raise RecordingError(
            "log.lengths_differ/same_length",
            where=short,
            basename=os.path.basename(short),
            least=least,
            basename_2=os.path.basename(long),
            most=most,
        )
    return [[np.concatenate(blocks)[:least]] for blocks in raw], [
        Finding(
            "log.lengths_differ/load_same_length", "warning", short, least=least, most=most, basename=os.path.basename(long)
        )
    ]


def _finished(recording: Recording, robot: Robot | None, said: _Declared, whole: bool = True) -> Recording:
    """With signs, gains and the delay as declared, rows in the order of time, and the joints in the robot's; `whole`: not in
    pieces."""
    recording = scaled(signed(recording, said.sign), said.gain)
    recording = in_order(recording) if said.ordered and whole else recording
    if not said.ordered and is_unordered(recording):
        recording = numbered(recording)
    elif said.log_delay is not None:
        recording = without_delay(recording, said.log_delay)
    for word in said.units:
        if word != "time" and not any(word in (name, quantity(name)) for name in recording.channels):
            raise RecordingError(
                "unit.not_recorded",
                word=word,
                near=near_names(word, [*recording.channels], 1, 0.6),
                choices=sorted([*recording.channels]),
            )
    if robot is not None:
        order = [name for name in robot.joint_names if name in recording.joint_names]
        if recording.joint_names and not order:
            facts = {"joints": ", ".join(recording.joint_names[:12]), "robot": ", ".join(robot.joint_names[:12])}
            remedy = rename_remedy(recording.joint_names, robot.joint_names)
            raise RecordingError("joints.other_robot/finished", where=recording.name, remedy=remedy, **facts)
        recording = recording.joints([*order, *(name for name in recording.joint_names if name not in order)])
    return recording


def _pieces(whole: Recording, rows: int) -> Iterator[Recording]:
    for start in range(0, len(whole), rows):
        chosen = slice(start, start + rows)
        kept = {name: c.rows(chosen) for name, c in whole.channels.items() if c.time is None}
        yield replace(whole, time=whole.time[chosen], mask=whole.mask[chosen], channels=kept, truth=None)
