"""Files of one folder that another process may be replacing meanwhile (`fit --force`): all of one result, or read again.

No call of Python exchanges two folders at once, so `run_folder` puts the old one aside and gives the new one its name. Between
these two renames there is no folder for a moment, and a reader that has opened one file before it and opens another after it
would mix two results. A folder that was replaced is another one to the system, whatever its name: its number and time of change
are looked at before and after, and what was read in between is taken only if they are the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

from bifilar.errors import BifilarError, ResourceError
from bifilar.export.run_folder import LOCK, real

TRIES = 200
PAUSE = 0.01  # [s]

T = TypeVar("T")


def at_once(folder: str | os.PathLike[str], read: Callable[[], T]) -> T:
    """What `read` returns of the folder, done again if the folder was replaced or is being replaced meanwhile.

    >>> import pathlib, tempfile
    >>> home = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (home / "answer.txt").write_text("42")
    >>> at_once(home, lambda: (home / "answer.txt").read_text())
    '42'
    >>> at_once(home / "nowhere", lambda: (home / "nowhere" / "answer.txt").read_text())
    Traceback (most recent call last):
    ...
    FileNotFoundError: ...
    """
    for left in reversed(range(TRIES)):
        before = _which(folder)
        try:
            found = read()
        except (BifilarError, OSError):
            gone = before is None and left and _being_replaced(folder)
            if _which(folder) == before and not gone:
                raise
        else:
            if _which(folder) == before:
                return found
        time.sleep(PAUSE)
    raise ResourceError("folder.busy/run_reader", where=str(folder))


def _which(folder: str | os.PathLike[str]) -> tuple[int, int, int] | None:
    """What tells this folder from another of the same name; None where there is none."""
    try:
        facts = os.stat(folder)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_mtime_ns


def _being_replaced(folder: str | os.PathLike[str]) -> bool:
    """Whether a run that is at work beside it will have this name."""
    final = real(folder)
    try:
        beside = [LOCK.fullmatch(name) for name in os.listdir(final.parent)]
    except OSError:
        return False
    return any(lock is not None and lock["name"] == final.name for lock in beside)
