"""The folder of a run as commands read it: all of one run, typed, and as it was written or not at all."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from bifilar.cli.fit_folder import RunError, input_facts
from bifilar.cli.friction_words import USUAL
from bifilar.cli.letter import plain
from bifilar.errors import Note, Severity
from bifilar.estimate.saved import NoteFacts, load_estimate
from bifilar.export.run_reader import at_once
from bifilar.formats import RUN
from bifilar.run_files import ABOUT, FACTS, changed, refuse_changed
from bifilar.typed import damage_named, read_json, typed
from bifilar.validate.verdict import Level

if TYPE_CHECKING:
    from bifilar.cli.fit import Settings
    from bifilar.estimate.estimate import BaseEstimate


class InputFacts(TypedDict):
    """A file that a run read.

    >>> sorted(InputFacts.__annotations__)
    ['given', 'name', 'sha256']
    """

    name: str  # where it is
    given: str  # as it was named
    sha256: str | None


class _JointFacts(TypedDict):
    joint: str
    rmse: float | None
    relative_error: float | None
    relative_error_of_description: float | None
    r2: float | None
    error_over_noise: float | None


class _ResidualFacts(TypedDict):
    joint: str
    on: str
    share: float
    chance: float


class _VerdictFacts(TypedDict):
    level: Level
    reasons: list[str]


class VerdictFacts(_VerdictFacts, total=False):
    """What `Verdict.facts` gives; without test motion no more than this.

    >>> sorted(VerdictFacts.__required_keys__)
    ['level', 'reasons']
    """

    findings: list[NoteFacts]
    joints: list[_JointFacts]
    residuals: list[_ResidualFacts]
    repeated: float
    still: list[str]


class SeenFacts(VerdictFacts):
    """What it gives beside that where there was test motion.

    >>> "rows" in SeenFacts.__required_keys__
    True
    """

    rows: int
    relative_error: float | None
    relative_error_raw: float | None
    relative_error_of_description: float | None


class _Severity(TypedDict):
    severity: Severity


class FindingFacts(_Severity, total=False):
    """What `Finding.data` gives; older ones have no facts.

    >>> "code" in FindingFacts.__annotations__
    True
    """

    code: str
    where: str
    what: str
    likely: str
    remedy: str
    facts: dict[str, Any]
    numbers: dict[str, Any]


class _FileFacts(TypedDict):
    format: str
    level: str
    relative_error: float | None
    whole: float | None
    without: list[str]
    instead: list[str]


class _ScoreFacts(TypedDict):
    cutoff: float
    relative_error: float | None
    relative_error_raw: float | None
    relative_error_of_description: float | None


class _LaterFacts(TypedDict, total=False):
    """What runs have since it is written."""

    score: _ScoreFacts | None
    files: list[_FileFacts]


class RunFacts(_LaterFacts):
    """What is read of `run.json`.

    >>> "verdict" in RunFacts.__annotations__
    True
    """

    folder: str
    robot: str
    command: list[str]
    settings: dict[str, Any]
    inputs: list[InputFacts]
    versions: dict[str, str]
    judged_on: str
    verdict: VerdictFacts
    findings: dict[str, list[FindingFacts]]


class Input(NamedTuple):
    """A file that a run read.

    >>> Input("a.csv", "/logs/a.csv", True).same
    True
    """

    given: str
    place: str
    same: bool  # as the run read it


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A run as its folder holds it.

    >>> [field for field in StoredRun.__dataclass_fields__]
    ['folder', 'facts', 'estimate', 'settings', 'changed']
    """

    folder: Path
    facts: RunFacts
    estimate: BaseEstimate
    settings: Settings  # of `fit` or `simplify`; files by where they are
    changed: tuple[str, ...]  # files that are not as they were written

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """Files that the run read, and whether they are still the same; nobody looks at them before this is asked."""
        return tuple(
            Input(entry["given"], entry["name"], entry["sha256"] in (None, input_facts(entry["name"])["sha256"]))
            for entry in self.facts["inputs"]
        )


def stored(folder: str, *, anyway: bool = False) -> StoredRun:
    """Read a run; one whose files changed since is refused, unless `anyway`.

    >>> stored("nowhere")
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    found = at_once(folder, lambda: _read(Path(folder), anyway))
    notes = [note for note in found.estimate.notes if Note.of(note).code == "seal.none"]
    if notes:
        sys.stderr.write(f"note     {plain(folder)}: {notes[0]}\n")
    return found


def about_run(folder: Path) -> RunFacts:
    """What `run.json` says, of a run whose files are as they were written.

    >>> about_run(Path("nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    refuse_changed(folder, changed(folder))
    return _facts(folder)


def _facts(folder: Path) -> RunFacts:
    if not (folder / ABOUT).is_file():
        raise RunError("folder.no_run/fit_folder", where=str(folder))
    facts = read_json(folder / ABOUT, RunFacts, RUN)
    if "joints" in facts["verdict"]:
        typed(facts["verdict"], SeenFacts, str(folder / ABOUT))
    return facts


def _read(folder: Path, anyway: bool) -> StoredRun:
    odd = changed(folder) or ()
    if not anyway:
        refuse_changed(folder, odd)
    facts = _facts(folder)
    if not (folder / FACTS).is_file():
        raise RunError("folder.no_run/export_run", where=str(folder))
    settings = _settings(facts, {entry["given"]: entry["name"] for entry in facts["inputs"]}, str(folder / ABOUT))
    return StoredRun(folder, facts, load_estimate(folder, anyway=anyway), settings, odd)


def _settings(facts: RunFacts, places: dict[str, str], where: str) -> Settings:
    """The settings of a run as its folder remembers them; those of `simplify` have words of their own beside those of `fit`."""
    stored = facts["settings"]
    kind = import_module(f"bifilar.cli.{'simplify' if stored.get('verb') == 'simplify' else 'fit'}").Settings
    known = {field.name for field in fields(kind)}
    words: dict[str, Any] = {name: value for name, value in stored.items() if name in known}
    if words.get("friction") == "":  # what runs had that were made before friction was chosen by default
        words["friction"] = USUAL
    settings: Settings = typed(words, kind, where)
    with damage_named(where):
        several = {key: getattr(settings, key) for key in ("logs", "test", "validate") if hasattr(settings, key)}
        moved: dict[str, Any] = {key: tuple(places.get(name, name) for name in names) for key, names in several.items()}
        moved |= {key: places.get(getattr(settings, key), getattr(settings, key)) for key in ("robot", "mapping")}
        return kind(**{name: getattr(settings, name) for name in known} | moved)  # type: ignore[no-any-return]
