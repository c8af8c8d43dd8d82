"""Files appear whole or not at all: written under a temporary name beside the target, synced, then renamed over it."""

from __future__ import annotations

import contextlib
import os
import tempfile

from bifilar.errors import ResourceError


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` into a file; after a crash the old file or the new one is there, never half of one.

    >>> import pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "arm.urdf")
    >>> write_file(file, b"<robot/>")
    >>> file.read_bytes()
    b'<robot/>'
    """
    target = os.path.realpath(path)  # a link is kept, and what it points to replaced
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=".", suffix=".part", dir=os.path.dirname(target))
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _permissions(target))
        os.replace(temporary, target)
    except (OSError, ValueError) as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        reason = getattr(error, "strerror", None) or str(error)
        remedy = "check that the folder exists, may be written and has room"
        raise ResourceError(f"the file cannot be written: {reason}", where=os.fspath(path), remedy=remedy) from None
    _sync_folder(os.path.dirname(target))


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
