"""The files of a run's folder, and the seal over them: a file that was changed, is gone or was added since is named.

    run.json             how it was made, the verdict, and the seal: SHA-256 of every other file and of its own content
    identified.urdf      the robot, if it may be used
    report.html          the page
    robot.urdf, estimate.json, estimate.npz      the estimate; that of the torque predictor in a folder of its own

The seal detects damage and accidents: an incomplete copy, a bad disk, a number edited by hand. It is no signature: whoever
means to deceive can write a new one. Commands that write into a run (`report`) check the seal before and seal again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypedDict

from bifilar.bounds import RUN_FILE
from bifilar.errors import FormatError
from bifilar.formats import KEY, RUN
from bifilar.typed import read_json

ABOUT, IDENTIFIED, PAGE = "run.json", "identified.urdf", "report.html"
ROBOT, FACTS, NUMBERS = "robot.urdf", "estimate.json", "estimate.npz"
PREDICTOR = "torque_predictor"  # folder of the estimate that only predicts torque, where there is one
ESTIMATE = {ROBOT, FACTS, NUMBERS}
FILES = {ABOUT, IDENTIFIED, PAGE, PREDICTOR, *ESTIMATE}  # all that a run writes
NAMES = (IDENTIFIED, PAGE, *sorted(ESTIMATE), *(f"{PREDICTOR}/{name}" for name in sorted(ESTIMATE)))  # that are sealed
SEALED = 2  # version of a run's format from which on it has a seal


class Seal(TypedDict):
    """Hashes of the files, by their names in the folder, and of what `run.json` says beside this one.

    >>> sorted(Seal.__annotations__)
    ['content', 'files']
    """

    files: dict[str, str]
    content: str


class _Sealed(TypedDict, total=False):
    seal: Seal


def sealed(facts: Mapping[str, Any], folder: Path, new: Mapping[str, bytes] | None = None) -> dict[str, Any]:
    """What `run.json` is to say, with a seal over it and over the files in the folder; `new` ones are not there yet.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "robot.urdf").write_text("<robot/>")
    >>> list(sealed({"verdict": {"level": "good"}}, folder)["seal"]["files"])
    ['robot.urdf']
    """
    there = {name: file_hash(folder / name) for name in NAMES if (folder / name).is_file()}
    files = there | {name: hashlib.sha256(content).hexdigest() for name, content in (new or {}).items()}
    unsealed = {KEY: RUN.stamp} | {name: value for name, value in facts.items() if name not in ("seal", KEY)}
    return unsealed | {"seal": {"files": files, "content": _content_hash(unsealed, files)}}


def about_bytes(facts: Mapping[str, Any]) -> bytes:
    """The content of `run.json`.

    >>> about_bytes({"verdict": None})
    b'{\\n  "verdict": null\\n}\\n'
    """
    return (json.dumps(facts, indent=2, allow_nan=False) + "\n").encode()


def changed(folder: Path) -> tuple[str, ...] | None:
    """Files that are not as they were when the folder was written; None: it has no seal, being older or no run.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "robot.urdf").write_text("<robot/>")
    >>> _ = (folder / "run.json").write_bytes(about_bytes(sealed({}, folder)))
    >>> changed(folder)
    ()
    >>> _ = (folder / "robot.urdf").write_text("<robot></robot>")
    >>> changed(folder)
    ('robot.urdf',)
    """
    if not (folder / ABOUT).is_file():
        return None
    facts = read_json(folder / ABOUT, _Sealed, RUN)
    seal = facts.get("seal")
    if seal is None and RUN.check(facts) < SEALED:
        return None
    if seal is None:
        return (ABOUT,)
    files = seal["files"]
    unsealed = {name: value for name, value in facts.items() if name != "seal"}
    if _content_hash(unsealed, files) != seal["content"] or set(files) - set(NAMES):
        return (ABOUT,)
    return tuple(name for name in NAMES if _hash(folder / name) != files.get(name))


def refuse_changed(folder: Path, found: Iterable[str] | None) -> None:
    """An error if what is read of a run is not what was written; the page is not read.

    >>> refuse_changed(Path("arm"), ["estimate.npz"])
    Traceback (most recent call last):
    ...
    bifilar.errors.FormatError: estimate.npz changed, or went missing, since the run was written
    ...
    """
    read = [name for name in found or () if name != PAGE]
    if read:
        raise FormatError("seal.broken", where=str(folder), files=read)


def file_hash(path: Path) -> str | None:
    """SHA-256 of a file; None of what is no file.

    >>> file_hash(Path("nowhere")) is None
    True
    """
    if not path.is_file():
        return None
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _hash(path: Path) -> str | None:
    return "too large" if path.is_file() and path.stat().st_size > RUN_FILE else file_hash(path)


def _content_hash(facts: Mapping[str, Any], files: Mapping[str, Any]) -> str:
    text = json.dumps([facts, files], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
