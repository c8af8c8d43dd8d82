"""Locks that end with the process: a file that one process holds, whatever happens to it.

    with alone_in("steps"):        # the only command at work in this folder; a second one gets a letter
        ...

The system gives up the lock of a killed process; the file it leaves is taken by the next and removed at its end.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from bifilar.errors import ResourceError

NAME = ".bifilar.lock"


@contextlib.contextmanager
def alone_in(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a folder, made if it is not there, and gone again if nothing was put into it.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> with alone_in(home), alone_in(home):
    ...     pass
    Traceback (most recent call last):
    ...
    bifilar.errors.ResourceError: another command is at work in this folder
      where   ...
      try     wait until it has ended; nothing was changed
    """
    place = Path(folder).resolve()
    missing = [path for path in (place, *place.parents) if not path.exists()]
    if (place.exists() and not place.is_dir()) or (not missing and not os.access(place, os.W_OK)):
        yield  # no folder, or one in which nobody of us can write: there is nothing to be kept apart
        return
    try:
        place.mkdir(parents=True, exist_ok=True)
        stream = _taken(place / NAME)
    except OSError as error:
        raise ResourceError("folder.unusable", where=str(place), strerror=error.strerror) from None
    if stream is None:
        raise ResourceError("folder.busy/file_lock", where=str(place))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            (place / NAME).unlink()
        stream.close()
        with contextlib.suppress(OSError):
            for path in missing:
                path.rmdir()  # refused by the system once anything is in it


def _taken(path: Path) -> IO[Any] | None:
    """The lock, or None if a living process holds it."""
    while True:
        stream = open(path, "a+")
        stream.seek(0)
        if not take(stream):
            stream.close()
            return None
        if same(stream, path):
            stream.truncate(0)
            stream.write(f"{os.getpid()}\n")
            stream.flush()
            return stream
        stream.close()  # its holder removed the name before it was locked


def take(stream: IO[Any]) -> bool:
    """Lock an open file; False if another has it.

    >>> import tempfile
    >>> with tempfile.TemporaryFile("w") as stream:
    ...     take(stream)
    True
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return not _alive(stream.read() if stream.readable() else "")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def same(stream: IO[Any], path: Path) -> bool:
    """Whether an open file still has this name.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as stream:
    ...     same(stream, Path(stream.name)), same(stream, Path("nowhere"))
    (True, False)
    """
    try:
        return os.path.samestat(os.fstat(stream.fileno()), os.stat(path))
    except OSError:
        return False


def _alive(text: str) -> bool:
    try:
        os.kill(int(text), 0)
    except (OSError, ValueError):
        return False
    return True
