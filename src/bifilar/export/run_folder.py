"""A folder of results that appears whole or not at all, whatever happens to the process or beside it.

    with writing("runs/panda") as folder:      # a hidden folder beside the target
        ...                                    # write anything into it
                                               # only now it gets its name

Until the end everything is in `.panda.<token>.part`, and the process holds a lock on `.panda.<token>.lock`, which is made first
and removed last. The system gives up the lock of a killed process: the next run finds it free and removes what belongs to it;
what has no lock beside it is not ours. A folder that is replaced is put aside as `.panda.<token>.old` for the moment between
two renames; if the process is stopped or dies exactly there, it is put back, by itself or by the next run. Once the new folder
has the name, the old one is called `.panda.<token>.gone` until it is removed. Readers of several files: `run_reader`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from bifilar.errors import ResourceError
from bifilar.export.file_lock import same, take

TAKEN = "folder.taken"  # code of a letter about a name that another run has

TRIES = 200
LOCK = re.compile(r"\.(?P<name>.+)\.bifilar-[0-9a-f]{12}\.lock", re.DOTALL)  # nobody else names files like this
RUN = "run.json"  # what every result holds


@contextlib.contextmanager
def writing(target: str | os.PathLike[str], *, replace: bool = False) -> Iterator[Path]:
    """A folder to fill; it takes the target's name when the block ends well, and is gone if it does not.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> with writing(home / "run") as folder:
    ...     _ = (folder / "answer.txt").write_text("42")
    >>> (home / "run" / "answer.txt").read_text()
    '42'
    >>> sorted(path.name for path in home.iterdir())
    ['run']
    """
    final = real(target)
    _prepared(final, replace)
    stem = f".{final.name}.bifilar-{secrets.token_hex(6)}"
    lock, part = final.parent / f"{stem}.lock", final.parent / f"{stem}.part"
    try:
        held = _locked(lock)
        part.mkdir()
    except OSError as error:
        raise _cannot(final, error) from None
    try:
        yield part
        _named(part, final, replace)
    except ResourceError as error:
        error.where = error.where.replace(str(part), str(final))  # the name that was asked for
        raise
    except OSError as error:
        if not _ours(error, final.parent):
            raise
        raise _cannot(final, error) from None
    finally:
        for left in (part, part.with_suffix(".gone")):  # a stop may have come while the replaced result was removed
            shutil.rmtree(left, ignore_errors=True)
        if not part.with_suffix(".old").exists():  # else it could not be put back: the next run does it
            with contextlib.suppress(OSError):
                lock.unlink()
        held.close()


def real(target: str | os.PathLike[str]) -> Path:
    """The full path of a folder; of a link, that of what it points to, which is replaced while the link stays.

    >>> real("runs/arm") == Path.cwd() / "runs" / "arm"
    True
    """
    path = Path(os.path.abspath(target))
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def numbered(parent: str | os.PathLike[str], name: str) -> Path:
    """The next free name of a series: panda-001, panda-002, ...

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> (home / "panda-007").mkdir()
    >>> numbered(home, "panda").name
    'panda-008'
    """
    place = Path(parent)
    taken = [entry.name for entry in place.iterdir()] if place.is_dir() else []
    ends = [entry.removeprefix(f"{name}-") for entry in taken if entry.startswith(f"{name}-")]
    highest = max((int(end) for end in ends if end.isdecimal()), default=0)
    return place / f"{name}-{highest + 1:03d}"


def tidy(parent: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Remove what killed runs left behind, put back what they had put aside; what was removed.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> (home / ".run.bifilar-0a1b2c3d4e5f.part").mkdir()
    >>> tidy(home)
    ()
    >>> (home / ".run.bifilar-0a1b2c3d4e5f.lock").touch()
    >>> [path.name for path in tidy(home)]
    ['.run.bifilar-0a1b2c3d4e5f.part']
    """
    place = Path(parent)
    removed: list[Path] = []
    for lock in sorted(place.iterdir()) if place.is_dir() else []:
        ours = LOCK.fullmatch(lock.name)
        if not ours:
            continue
        with _free(lock) as free:
            if free:
                removed += _cleared(lock, place / ours["name"])
    return tuple(removed)


def _cleared(lock: Path, final: Path) -> list[Path]:
    """Clear what belongs to a lock that nobody holds any more, the lock last."""
    aside = lock.with_suffix(".old")
    with contextlib.suppress(OSError):
        if (aside / RUN).is_file() and not os.path.lexists(final):
            aside.rename(final)
        elif (aside / RUN).is_file() and (final / RUN).is_file():
            aside.rename(lock.with_suffix(".gone"))
    left = [path for path in (lock.with_suffix(".part"), lock.with_suffix(".gone")) if path.is_dir()]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    if not aside.exists():
        with contextlib.suppress(OSError):
            lock.unlink()
    return left


def _prepared(final: Path, replace: bool) -> None:
    """The parent is there and tidy, and the name is free or may be taken."""
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot(final, error) from None
    tidy(final.parent)
    if final.exists() and not replace:
        raise ResourceError("folder.taken/run_folder", where=str(final))
    if final.exists() and not (final / RUN).is_file() and (not final.is_dir() or any(final.iterdir())):
        raise ResourceError("folder.no_run/run_folder", where=str(final))


def _named(part: Path, final: Path, replace: bool) -> None:
    """Give the folder its name; files inside are on disk before it has it."""
    for file in part.rglob("*"):
        if file.is_file():
            with open(file, "rb") as stream:
                os.fsync(stream.fileno())
    for _ in range(TRIES):  # others may be taking the same name at the same time: the last one has it
        try:
            if not _taken(final):
                part.rename(final)
                return
            if not replace:
                raise ResourceError("folder.taken/named", where=str(final))
            _swapped(part, final)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
                raise
    raise ResourceError("folder.busy/run_folder", where=str(final))


def _taken(final: Path) -> bool:
    return final.exists() and any(final.iterdir())


def _swapped(part: Path, final: Path) -> None:
    """Put the old folder aside, the new one in its place; the old one back if that fails or is stopped."""
    aside = part.with_suffix(".old")
    try:
        final.rename(aside)  # inside: a stop may come right after it
        part.rename(final)
    except BaseException:
        if aside.exists() and not os.path.lexists(final):
            aside.rename(final)
        elif aside.exists() and (not part.exists() or (final / RUN).is_file()):  # the new one is there, or that of another
            _discarded(aside)
        raise
    _discarded(aside)


def _discarded(aside: Path) -> None:
    """Remove a result that was replaced; half removed it does not look like one."""
    gone = aside.with_suffix(".gone")
    with contextlib.suppress(OSError):
        aside.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _locked(path: Path) -> IO[Any]:
    """An open file with a lock that ends with the process."""
    while True:
        stream = open(path, "w")
        if take(stream) and same(stream, path):  # somebody may have removed the name before it was locked
            stream.write(f"{os.getpid()}\n")
            stream.flush()
            return stream
        stream.close()


@contextlib.contextmanager
def _free(path: Path) -> Iterator[bool]:
    """Whether no living process holds a lock; it is held while one looks, so that nobody else tidies the same."""
    try:
        stream = open(path, "r+")
    except OSError:  # also one that was removed meanwhile, and all it belonged to before it
        yield False
        return
    with stream:
        yield take(stream) and same(stream, path)


def _ours(error: OSError, place: Path) -> bool:
    """Whether the error is about writing into this place, not about something else the block did."""
    return error.filename is None or str(place) in str(error.filename)


def _cannot(final: Path, error: OSError) -> ResourceError:
    return ResourceError("folder.unwritable/run_folder", where=str(final), strerror=error.strerror or error)
