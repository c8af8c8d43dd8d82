"""Files appear whole or not at all: written under a temporary name beside the target, synced, then renamed over it.

A process that is killed leaves its temporary file behind, but not the lock on it: whoever writes the same target next finds the
lock free and removes the file.
"""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
import time

from bifilar.errors import ResourceError

LONGEST = 100  # characters of the target's name that the temporary one repeats
STALE = 3600.0  # [s] after which a temporary file has no owner any more, where files cannot be locked
REMEDY = "check that the folder exists, may be written and has room"


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` into a file; after a crash the old file or the new one is there, never half of one.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "arm.urdf")
    >>> write_file(file, b"<robot/>")
    >>> file.read_bytes()
    b'<robot/>'
    """
    Draft(path, data).take_name()


class Draft:
    """A file that is written and has no name yet; `take_name` replaces what was there, `discard` removes it.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "arm.urdf")
    >>> draft = Draft(file, b"<robot/>")
    >>> file.exists()
    False
    >>> draft.take_name()
    >>> file.exists()
    True
    """

    def __init__(self, path: str | os.PathLike[str], data: bytes) -> None:
        self.shown = os.fspath(path)
        self.target = os.path.realpath(path)  # a link is kept, and what it points to replaced
        self.temporary, self._handle = "", -1
        try:
            remove_stale(self.target)
            self._handle, self.temporary = _temporary(self.target)
            with os.fdopen(self._handle, "wb", closefd=False) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except (OSError, ValueError) as error:
            self.discard()
            raise self._letter(error) from None
        except BaseException:
            self.discard()
            raise

    def take_name(self) -> None:
        """Give the file its name."""
        try:
            os.chmod(self.temporary, _permissions(self.target))
            if os.name == "nt":  # where an open file cannot be renamed
                self._close()
            os.replace(self.temporary, self.target)
            self.temporary = ""
        except (OSError, ValueError) as error:
            raise self._letter(error) from None
        finally:
            self.discard()
        _sync_folder(os.path.dirname(self.target))

    def discard(self) -> None:
        """Remove it, if it has no name yet."""
        if self.temporary:
            with contextlib.suppress(OSError):
                os.unlink(self.temporary)
        self.temporary = ""
        self._close()

    def _close(self) -> None:
        if self._handle >= 0:
            handle, self._handle = self._handle, -1
            os.close(handle)

    def _letter(self, error: Exception) -> ResourceError:
        reason = getattr(error, "strerror", None) or str(error)
        return ResourceError("file.unwritable", where=self.shown, reason=reason)


def remove_stale(target: str) -> None:
    """Remove what killed processes left of this file.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / ".arm.urdf.0a1b2c3d.part").touch()
    >>> remove_stale(str(folder / "arm.urdf"))
    >>> list(folder.iterdir())
    []
    """
    folder, name = os.path.split(target)
    pattern = f".{glob.escape(name[:LONGEST])}.{'[0-9a-f]' * 8}.part"
    for path in glob.glob(os.path.join(glob.escape(folder), pattern), include_hidden=True):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            free = _lock(file.fileno())
            if free or (free is None and time.time() - os.stat(path).st_mtime > STALE):
                os.unlink(path)


def _temporary(target: str) -> tuple[int, str]:
    """An open file beside the target, locked as long as it is open."""
    folder, name = os.path.split(target)
    while True:
        path = os.path.join(folder, f".{name[:LONGEST]}.{secrets.token_hex(4)}.part")
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with contextlib.suppress(FileNotFoundError):  # somebody took it for stale before it was locked
            if _lock(handle) is not False and os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle, path
        os.close(handle)


def _lock(handle: int) -> bool | None:
    """Whether a lock on an open file could be taken; None where there are no locks. It ends when the file is closed."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _permissions(target: str) -> int:
    """Those of the file that is replaced, else what a new file gets."""
    with contextlib.suppress(OSError):
        return os.stat(target).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: str) -> None:
    """Make the new name durable; where the system cannot open folders (Windows) the rename already is."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
