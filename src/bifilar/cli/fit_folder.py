"""The folder of a run: whether a name may be taken, asked before the work, and what a folder remembers of its run."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bifilar import formats
from bifilar.cli.design_files import TakenError
from bifilar.cli.friction_words import USUAL
from bifilar.errors import BifilarError, ResourceError
from bifilar.estimate.saved import FACTS, NUMBERS, PREDICTOR, ROBOT
from bifilar.export.run_folder import real, tidy
from bifilar.robot.write_file import remove_stale

if TYPE_CHECKING:
    from bifilar.cli.fit import Settings

RUN, IDENTIFIED, PAGE = "run.json", "identified.urdf", "report.html"
ESTIMATE = {ROBOT, FACTS, NUMBERS}
FILES = {RUN, IDENTIFIED, PAGE, PREDICTOR, *ESTIMATE}  # all that a run writes


class RunError(BifilarError):
    """There is no run, or it cannot be read.

    >>> RunError("there is no run here").exit_code
    3
    """


def may_be_made(folder: Path, *, force: bool = False, forced_by: str = "--force replaces it, or ") -> None:
    """Refuse a name that is taken or cannot be written; what killed runs left beside it is removed first.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "thesis.txt").touch()
    >>> may_be_made(folder, force=True)
    Traceback (most recent call last):
    ...
    bifilar.cli.design_files.TakenError: the folder holds what no run wrote: thesis.txt
    ...
    """
    above = real(folder).parent
    tidy(above)
    if folder.exists():
        if not folder.is_dir():
            raise TakenError("folder.is_file/fit_folder", where=str(folder))
        known = FILES if (folder / RUN).is_file() else set()
        for name in known:
            remove_stale(str(folder / name))  # as a killed `report` leaves one
        strange = sorted(entry.name for entry in folder.iterdir() if entry.name not in known)
        inner = folder / PREDICTOR
        if inner.is_dir():
            strange += sorted(f"{PREDICTOR}/{entry.name}" for entry in inner.iterdir() if entry.name not in ESTIMATE)
        if strange:
            more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
            raise TakenError("folder.strange/fit_folder", where=str(folder), strange=strange[0], more=more)
        if not force and any(folder.iterdir()):
            raise TakenError("folder.taken/fit_folder", where=str(folder), forced_by=forced_by)
    while not above.exists() and above != above.parent:
        above = above.parent
    if not above.is_dir() or not os.access(above, os.W_OK):
        why = "is a file" if not above.is_dir() else "may not be written"
        raise ResourceError("folder.unwritable/fit_folder", where=str(folder), above=above, why=why)


def run_settings(folder: Path) -> Settings:
    """The settings of a run, as its folder remembers them; files by their full path, wherever one stands now.

    Those of `simplify` have the words of `fit` that say how logs are read, and some of their own.

    >>> run_settings(Path("nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    stored = about_run(folder)["settings"]
    kind = import_module(f"bifilar.cli.{'simplify' if stored.get('verb') == 'simplify' else 'fit'}").Settings
    known = {field.name for field in fields(kind)}
    words: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stored.items() if k in known}
    try:
        places = {given: place for given, place, _ in inputs_of(folder)}
        for key in ("logs", "test", *(("validate",) if "validate" in words else ())):
            words[key] = tuple(places.get(name, name) for name in words[key])
        for key in ("robot", "mapping"):
            words[key] = places.get(words[key], words[key])
        if words.get("friction") == "":  # what runs had that were made before friction was chosen by default
            words["friction"] = USUAL
        return kind(**words)  # type: ignore[no-any-return]
    except (TypeError, KeyError) as error:
        raise _unreadable(folder, error) from None


def inputs_of(folder: Path) -> list[tuple[str, str, bool]]:
    """Files that a run read: as they were named, where they are, and whether they are still the same.

    >>> inputs_of(Path("nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    try:
        return [
            (str(entry["given"]), str(entry["name"]), _same(str(entry["name"]), entry["sha256"]))
            for entry in about_run(folder)["inputs"]
        ]
    except (KeyError, TypeError) as error:
        raise _unreadable(folder, error) from None


def input_facts(name: str) -> dict[str, Any]:
    """What a run remembers of a file: where it is, and the hash of its content; None for names that are no files.

    >>> input_facts("panda")["sha256"] is None
    True
    """
    path = Path(name)
    if not path.is_file():
        return {"name": name, "given": name, "sha256": None}
    with open(path, "rb") as stream:
        return {"name": str(path.resolve()), "given": name, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


def _same(name: str, digest: str | None) -> bool:
    return digest is None or input_facts(name)["sha256"] == digest


def about_run(folder: Path) -> dict[str, Any]:
    """What `run.json` says.

    >>> about_run(Path("nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    if not (folder / RUN).is_file():
        raise RunError("folder.no_run/fit_folder", where=str(folder))
    try:
        about = dict(json.loads((folder / RUN).read_text("utf-8")))
        formats.RUN.check(about, str(folder / RUN))
        if not isinstance(about["settings"], dict) or not isinstance(about["inputs"], list):
            raise KeyError("settings")
        return about
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unreadable(folder, error) from None


def _unreadable(folder: Path, error: Exception) -> RunError:
    return RunError("run.unreadable/fit_folder", where=str(folder / RUN), error=error)
