"""Files that `design` and `simulate` write: whether they may be written is asked before the work, not after it."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bifilar.errors import BifilarError, ResourceError

EARLIER = "an earlier run; its recordings may need it"
SPEEDS = (10, 25, 50)  # [%] of the ladder, beside the motion itself


class TakenError(BifilarError):
    """A file exists already, and nobody said that it may be replaced.

    >>> TakenError("excite.csv exists").exit_code
    3
    """


class FolderError(BifilarError):
    """There is no such folder to write into.

    >>> FolderError("there is no folder 'nowhere'").exit_code
    3
    """


class Stale(NamedTuple):
    """Files of an earlier motion of the same name, which the new one did not replace.

    >>> Stale().removed
    ()
    """

    removed: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()  # they stay, and nothing certifies them any more


def ladder_paths(path: Path) -> list[Path]:
    """Files of the slower motions.

    >>> [path.name for path in ladder_paths(Path("excite.csv"))]
    ['excite_10.csv', 'excite_25.csv', 'excite_50.csv']
    """
    return [path.with_name(f"{path.stem}_{speed}{path.suffix}") for speed in SPEEDS]


def page_path(path: Path) -> Path:
    """The page beside a file.

    >>> page_path(Path("excite.csv")).name
    'excite.html'
    """
    return path.with_suffix(".html")


def free_name(given: str | None, usual: str, *, force: bool) -> Path:
    """The name that was given; else the usual one, with a number where it or the page beside it exists already.

    >>> import tempfile
    >>> usual = Path(tempfile.mkdtemp(), "track.csv")
    >>> page_path(usual).touch()
    >>> free_name(None, str(usual), force=False).name, free_name(None, str(usual), force=True).name
    ('track-2.csv', 'track.csv')
    """
    path = Path(usual if given is None else given)
    if given is not None or force:
        return path
    names = (path if k == 1 else path.with_name(f"{path.stem}-{k}{path.suffix}") for k in itertools.count(1))
    return next(name for name in names if not name.exists() and not page_path(name).exists())


def may_be_written(paths: Sequence[Path], *, force: bool) -> None:
    """Refuse a folder that is missing or read-only, and files that exist unless `force`.

    >>> may_be_written([Path("nowhere", "excite.csv")], force=False)
    Traceback (most recent call last):
    ...
    bifilar.cli.design_files.FolderError: there is no folder 'nowhere'
    ...
    """
    folder = paths[0].parent
    if not folder.is_dir():
        raise FolderError("folder.missing", where=str(paths[0]), folder=folder)
    if not os.access(folder, os.W_OK):
        raise ResourceError("folder.unwritable/design_files", where=str(paths[0]), folder=folder)
    taken = [path for path in paths if path.exists()]
    if any(path.is_dir() for path in taken):
        raise TakenError("file.is_folder", first=next(path for path in taken if path.is_dir()))
    if taken and not force:
        more = f" and {len(taken) - 1} more of its files" if len(taken) > 1 else ""
        raise TakenError(
            "file.taken/design_files" if all(path.suffix == ".html" for path in taken) else "file.taken/may_be_written",
            where=str(taken[0]),
            name=taken[0].name,
            more=more,
            words="" if more else "s",
        )


def listed_before(path: Path) -> dict[Path, str]:
    """Files that an earlier certificate of the same name lists, with their hashes; to be asked before the new one is written.

    >>> listed_before(Path("nowhere", "excite.csv"))
    {}
    """
    from bifilar.experiment.certificate import Certificate

    try:
        earlier = Certificate.load(path.with_suffix(".certificate.json"))
    except BifilarError:
        return {}
    plain = [run for run in earlier.runs if run.file and Path(run.file).name == run.file]
    return {path.with_name(run.file): run.sha256 for run in plain}


def cleared(path: Path, before: Mapping[Path, str], files: Sequence[Path]) -> Stale:
    """Remove slower motions of an earlier run that are as they were written; name what else is not of the new motion.

    >>> cleared(Path("excite.csv"), {}, [])
    Stale(removed=(), kept=())
    """
    still = {*files, *listed_before(path)}  # the new certificate may speak of earlier files of the same motion
    removed: list[Path] = []
    kept: list[Path] = []
    for file, known in before.items():
        if file in still or not file.is_file():
            continue
        ours = file in ladder_paths(path) and hashlib.sha256(file.read_bytes()).hexdigest() == known
        if ours:
            file.unlink()
        (removed if ours else kept).append(file)
    if before and page_path(path) not in files and page_path(path).exists():
        kept.append(page_path(path))
    return Stale(tuple(removed), tuple(kept))
