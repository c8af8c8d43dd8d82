"""How much of a file is read: sizes, counts and numbers beyond which it is refused, for every reader, in one place.

Every reader asks here before it allocates or repeats anything, and counts in sums, not per element: a file that is small on
disk may claim, repeat or pack what fills the memory or never ends. What no robot and no log comes near is refused with a code
(`file.bomb`, `file.too_many`, `file.too_large`, `robot.too_large`, `number.too_large`).
"""

from __future__ import annotations

import errno
import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from bifilar.errors import BifilarError, FormatError, ResourceError, RobotError

MESH = 200_000_000  # [bytes] of a mesh
XML = 64 * 2**20  # [bytes] of a robot
TOML = 1_000_000  # [bytes] of settings, limits, tables
JSON = 2**25  # [bytes] of what a run, a certificate or a walk remembers
RUN_FILE = 2**28  # [bytes] of one file of a run
MOTION = 2**29  # [bytes] of a motion as text
RECORD = 128 * 2**20  # [bytes] of one message of a log

UNFOLDED = 16 * 2**30  # [bytes] that one file may unfold to in memory
UNPACKED = 64 * 2**20  # [bytes] from which a packed file is suspected ...
RATIO = 200  # ... if it unfolds to more than so many times its size

ARRAYS = 10_000  # arrays, data sets, cells, groups, members or topics of one log
COLUMNS = 5000  # of a log
NAME_SETS = 200  # lists of joints that the messages of a log may name
DIRECTORY = 400 * ARRAYS  # [bytes] of the list of members of an archive

JOINTS = 120  # that move: base parameters take time with the cube of their number
LINKS = 5000
LARGEST = 1e12  # no length, angle, mass or inertia of a robot is larger; keeps products of three finite


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """What a file holds, and no more than one byte beyond `most`; an OSError if it is a pipe or a device, which may never end.

    >>> read_bytes(os.devnull, 10)
    Traceback (most recent call last):
    ...
    OSError: [Errno 22] not an ordinary file: ...
    """
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "not an ordinary file", os.fspath(path))
    with open(path, "rb") as file:
        return file.read(most + 1)


def refuse_unfolding(size: float, where: str) -> None:
    """An error if a file claims to hold more than can be [bytes]: tables of one value take no room at all.

    >>> refuse_unfolding(1000, "any file")
    """
    real = os.path.getsize(where) if size > UNPACKED else 0
    if size > UNFOLDED or (size > UNPACKED and size > RATIO * real):
        raise ResourceError("file.bomb/source", where=where, size=size / 2**30, real=real / 2**20)


def refuse_many(count: int, where: str, what: str = "arrays", most: int = ARRAYS) -> None:
    """An error if a file holds more things of a kind than a log does.

    >>> refuse_many(20_001, "log.mat")
    Traceback (most recent call last):
    ...
    bifilar.errors.ResourceError: the file holds more than 10000 arrays
    ...
    """
    if count > most:
        raise ResourceError("file.too_many", where=where, thing=what, most=most)


def refuse_many_members(file: BinaryIO, where: str) -> None:
    """An error if the list of members of a ZIP archive is longer than that of a log; before it is read.

    >>> import io
    >>> refuse_many_members(io.BytesIO(b"PK"), "log.npz")
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 2**16 - 22, 0))
    tail = file.read()
    file.seek(0)
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) < place + 16:
        return  # zipfile says that it is none
    length = int.from_bytes(tail[place + 12 : place + 16], "little")
    long = tail.rfind(b"PK\x06\x06", 0, place)  # of archives beyond 4 GB or 65,535 members
    if long >= 0:
        length = max(length % 0xFFFFFFFF, int.from_bytes(tail[long + 40 : long + 48], "little"))
    refuse_many(length, where, "bytes of names of members", DIRECTORY)


def refuse_large_robot(moving: int, links: int, where: str = "") -> None:
    """An error if a robot has more joints or links than a robot has; asked before they are looked at one by one.

    >>> refuse_large_robot(7, 9)
    """
    if moving > JOINTS or links > LINKS:
        raise RobotError("robot.too_large", where=where, moving=moving, links=links, most_joints=JOINTS, most_links=LINKS)


@contextmanager
def library_errors(where: str) -> Iterator[None]:
    """What a library raises about a damaged file, and no reader foresaw, as our error.

    >>> with library_errors("log.h5"):
    ...     raise RuntimeError("wrong fractal heap")
    Traceback (most recent call last):
    ...
    bifilar.errors.FormatError: the file cannot be read: wrong fractal heap
    ...
    """
    try:
        yield
    except BifilarError:
        raise
    except (ArithmeticError, EOFError, RuntimeError, zipfile.BadZipFile) as error:  # RecursionError is a RuntimeError
        raise FormatError("format.damaged/content", where=where, reason=str(error)[:200] or type(error).__name__) from error
