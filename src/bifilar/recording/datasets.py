"""Public recordings and models by name. Each is one TOML file in `registry/`: files with checksums, where they come from,
licence, citation, mapping, robot, and what is treacherous about them. None of them has code of its own.

    bf.datasets.names()                       bf.datasets.load("panda_gaz")              one recording
    bf.datasets.describe("tiago")             bf.datasets.load("kuka_lwr4", run="1")     one of several
    bf.datasets.robot("kuka_lwr4")            bf.datasets.load("kuka_lwr4")              all of them, by name
"""

from __future__ import annotations

from collections.abc import Mapping as TableOf
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, near_names
from bifilar.recording.dataset_files import DataFile, folder_of, present
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot
from bifilar.robot.table import parse_toml

KINDS = ("recording", "problem", "model")


@dataclass(frozen=True)
class Dataset:
    """What is known about a set, before anything of it is read.

    >>> describe("kinova_gen3").runs
    ('1', '2', '3')
    """

    name: str
    title: str
    kind: str  # "recording", "problem" (ready-made equations) or "model" (descriptions only)
    licence: str
    citation: str
    notes: tuple[str, ...] = ()  # what is treacherous about it
    runs: tuple[str, ...] = ()  # () if there is one only
    repository: str = ""
    files: tuple[DataFile, ...] = ()
    scored: TableOf[str, Any] = field(default_factory=dict)  # how errors are compared: cut-off, parts, the floor to beat
    content: TableOf[str, Any] = field(default_factory=dict, repr=False)  # the whole entry

    def __str__(self) -> str:
        """Everything a reader wants to know, a line each."""
        lines = [f"{self.name}: {self.title}", f"licence   {self.licence}", f"citation  {self.citation}"]
        lines += [f"source    {self.repository}"] if self.repository else []
        lines += [f"runs      {', '.join(self.runs)}"] if self.runs else []
        scored = ", ".join(f"{key} {value}" for key, value in self.scored.items())
        lines += [f"scored    {scored}"] if scored else []
        return "\n".join([*lines, *(f"note      {note}" for note in self.notes)])


@dataclass(frozen=True, eq=False)
class Problem:
    """Equations that somebody else has set up: matrix @ parameters = right_side, and what else belongs to them.

    >>> Problem(np.eye(2), np.ones(2), {}).matrix.shape
    (2, 2)
    """

    matrix: Array  # (rows, parameters)
    right_side: Array  # (rows,)
    more: TableOf[str, Array]  # by name: a prior, poses of bodies


def names(kind: str = "") -> tuple[str, ...]:
    """All sets, or those of one kind.

    >>> names("problem")
    ('human_force_plate',)
    """
    if kind and kind not in KINDS:
        raise RecordingError(
            "dataset.kind_unknown", kinds=KINDS, kind=kind, near=near_names(kind, KINDS, 1, 0.6), choices=sorted(KINDS)
        )
    files = resources.files("bifilar.recording").joinpath("registry").iterdir()
    found = sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))
    return tuple(name for name in found if not kind or describe(name).kind == kind)


@cache
def describe(name: str) -> Dataset:
    """What is known about a set.

    >>> describe("panda_gaz").licence
    'GPL-3.0'
    >>> describe("panda_gass")
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: there is no set 'panda_gass'
      likely  a misspelling of 'panda_gaz'
      try     bf.datasets.names() or 'bifilar datasets' lists them
    """
    if not isinstance(name, str) or name not in _files():
        raise RecordingError(
            "dataset.unknown", name=name, near=near_names(str(name), _files(), 1, 0.6), choices=sorted(_files())
        )
    file = resources.files("bifilar.recording").joinpath("registry", f"{name}.toml")
    entry: dict[str, Any] = parse_toml(file.read_bytes(), file.name)
    source = entry.get("source", {})
    return Dataset(
        name=name,
        title=entry["title"],
        kind=entry["kind"],
        licence=entry["licence"],
        citation=entry["citation"],
        notes=tuple(entry.get("notes", ())),
        runs=tuple(entry.get("runs", ())),
        repository=source.get("repository", ""),
        files=tuple(DataFile(**{**source, **stated}) for stated in entry.get("files", ())),
        scored=MappingProxyType(entry.get("scored", {})),
        content=MappingProxyType(entry),
    )


def load(name: str, run: str | int | None = None) -> Recording | dict[str, Recording]:
    """The recording of a set, joints and units as its entry declares; of a set with several runs one, or all by name.

    >>> load("puma560")
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: 'puma560' holds no recording
      try     bf.datasets.robot('puma560')
    """
    known = describe(name)
    if known.kind != "recording":
        verb = "problem" if known.kind == "problem" else "robot"
        raise RecordingError("dataset.no_recording/datasets", name=name, verb=verb)
    if run is not None and str(run) not in known.runs:
        runs = ", ".join(known.runs) or "there is one only: leave it out"
        raise RecordingError(
            "dataset.no_run/datasets",
            runs=runs,
            name=name,
            run=run,
            near=near_names(str(run), known.runs, 1, 0.6),
            choices=sorted(known.runs),
        )
    if known.runs and run is None:
        return {each: _recording(known, each) for each in known.runs}
    return _recording(known, "" if run is None else str(run))


def robot(name: str, description: str = "") -> Robot:
    """The robot that was recorded; `description` names another file of the set, where there are several.

    >>> robot("rokae_xmate7").joint_names
    ('j1', 'j2', 'j3', 'j4', 'j5', 'j6', 'j7')
    """
    known = describe(name)
    entry = known.content.get("robot")
    if not entry:
        raise RecordingError("dataset.no_robot", name=name)
    if not description or description == entry.get("file"):
        return _robot(known, entry)
    others = entry.get("others", {})
    if description not in others:
        raise RecordingError(
            "dataset.no_description",
            descriptions=[entry.get("file", "the default"), *others],
            name=name,
            description=description,
        )
    return _robot(known, {"file": description, **others[description]})


def problem(name: str) -> Problem:
    """Equations that are ready to be solved.

    >>> problem("puma560")
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: 'puma560' is no ready-made problem
    ...
    """
    known = describe(name)
    places = known.content.get("problem")
    if not places:
        raise RecordingError("dataset.no_problem", name=name, names=names("problem"))
    from bifilar.recording.read_mat import arrays_of_mat

    wanted = {word: place.split(":") for word, place in places.items()}
    needed = sorted({file for file, _ in wanted.values()})
    folder = folder_of(name, [file for file in known.files if file.name in needed])
    tables = {file: arrays_of_mat(folder / file) for file in needed}
    arrays = {word: np.asarray(tables[file][array], dtype=float) for word, (file, array) in wanted.items()}
    return Problem(arrays.pop("matrix"), arrays.pop("right_side").reshape(-1), MappingProxyType(arrays))


@cache
def _files() -> tuple[str, ...]:
    files = resources.files("bifilar.recording").joinpath("registry").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def _recording(known: Dataset, run: str) -> Recording:
    from bifilar.recording.load import load as load_log
    from bifilar.recording.mapping import Mapping

    word = known.content.get("runs_files", {}).get(run, run)  # what stands for the run in names of files
    table = _filled(known.content["mapping"], word)
    needed = {table["file"]["name"], table.get("clock", {}).get("file", "")}
    needed |= {channel.get("file", "") for channel in table["channels"].values()}
    folder = folder_of(known.name, [file for file in known.files if file.name in needed])
    mapping = Mapping.of(_found(table, folder), f"the entry of '{known.name}'")
    return load_log(folder / mapping.file.name, mapping=mapping)


def _filled(value: Any, run: str) -> Any:
    """The mapping of one run: `{run}` replaced in every text."""
    if isinstance(value, str):
        return value.replace("{run}", run)
    if isinstance(value, list):
        return [_filled(item, run) for item in value]
    return {key: _filled(item, run) for key, item in value.items()} if isinstance(value, dict) else value


def _found(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Names of files as they are in this folder: packed or not."""

    def actual(part: dict[str, Any], key: str) -> dict[str, Any]:
        place = present(folder, part[key]) if part.get(key) else None
        return part if place is None else {**part, key: place.name}

    channels = {name: actual(channel, "file") for name, channel in table["channels"].items()}
    clock = actual(table.get("clock", {}), "file")
    return {**table, "file": actual(table["file"], "name"), "clock": clock, "channels": channels}


def _robot(known: Dataset, entry: TableOf[str, Any]) -> Robot:
    settings = {"floating": True} if entry.get("floating") else {}
    if "library" in entry:
        made = Robot.load(entry["library"], **settings)
    elif "table" in entry:
        from bifilar.robot.read_dh import from_table
        from bifilar.robot.table import Table

        made = Robot.build(from_table(Table(entry["table"], f"the entry of '{known.name}'"), default_name=known.name))
    else:
        file = next(file for file in known.files if file.name == entry["file"])
        made = Robot.load(folder_of(known.name, [file]) / file.name, **settings)
    made = made.locked(entry["lock"]) if "lock" in entry else made
    made = made.select(list(entry["select"])) if "select" in entry else made
    return made.renamed(entry["rename"]) if "rename" in entry else made
