"""Files that `design` and `simulate` write: whether they may be written is asked before the work, not after it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bifilar.errors import BifilarError, ResourceError

SPEEDS = (10, 25, 50)  # [%] of the ladder, beside the motion itself


class TakenError(BifilarError):
    """A file exists already, and nobody said that it may be replaced.

    >>> TakenError("excite.csv exists").exit_code
    3
    """


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


def may_be_written(paths: Sequence[Path], *, force: bool) -> None:
    """Refuse a folder that is missing or read-only, and files that exist unless `force`.

    >>> may_be_written([Path("nowhere", "excite.csv")], force=False)
    Traceback (most recent call last):
    ...
    bifilar.errors.ResourceError: there is no folder 'nowhere'
    ...
    """
    folder = paths[0].parent
    if not folder.is_dir():
        raise ResourceError(f"there is no folder '{folder}'", where=str(paths[0]), remedy="make it, or choose another")
    if not os.access(folder, os.W_OK):
        raise ResourceError(f"the folder '{folder}' may not be written", where=str(paths[0]), remedy="choose another")
    taken = [path for path in paths if path.exists()]
    if any(path.is_dir() for path in taken):
        raise TakenError(f"'{next(path for path in taken if path.is_dir())}' is a folder", remedy="choose another name")
    if taken and not force:
        more = f" and {len(taken) - 1} more of its files" if len(taken) > 1 else ""
        raise TakenError(
            f"'{taken[0].name}'{more} exist{'' if more else 's'} already",
            where=str(taken[0]),
            likely="an earlier run; its recordings may need it",
            remedy="--force replaces it, or choose another name",
        )
