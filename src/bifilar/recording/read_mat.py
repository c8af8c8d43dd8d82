"""MATLAB files of version 5 (`save -v7` and older): real arrays of numbers, also in structs and cells; others are left out.

The format is public (MAT-File Format, MathWorks): elements of a kind, a size and that many bytes, padded to eight; a matrix
holds its class, dimensions, name and numbers as elements of its own. Every size is compared with what is there before it is
used. (SciPy's reader ends the process on some damaged files.)
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from bifilar.errors import RecordingError, ResourceError, unreadable
from bifilar.readers import Reader
from bifilar.recording.source import MOST, RATIO, UNPACKED, from_arrays

NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
MATRIX, PACKED = 14, 15
CELL, STRUCT, FIRST_NUMERIC, LAST_NUMERIC = 1, 2, 6, 15
COMPLEX = 0x08
DEEPEST = 4


def arrays_of_mat(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Arrays by name; a field of a struct is 'struct.field', a cell 'name{1}'.

    >>> import pathlib, scipy.io, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.mat")
    >>> scipy.io.savemat(file, {"t": np.arange(3.0), "log": {"q": np.zeros((3, 2))}})
    >>> {name: array.shape for name, array in arrays_of_mat(file).items()}
    {'t': (1, 3), 'log.q': (3, 2)}
    """
    where = os.fspath(path)
    try:
        if os.path.getsize(path) > MOST:
            raise ResourceError("file.too_large/read_mat", where=where)
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise unreadable(RecordingError, "recording", error, where) from None
    order = _order(data[:128], where)
    found: dict[str, Any] = {}
    room = max(UNPACKED, RATIO * len(data))  # [bytes] for all elements together
    try:
        for kind, content in _elements(memoryview(data)[128:], order):
            if kind == PACKED:
                plain = _unpacked(content, room)
                room -= len(plain)
                kind, content = next(_elements(memoryview(plain), order), (0, content))
            if kind == MATRIX:
                _matrix(content, order, "", found, DEEPEST)
    except (ValueError, StopIteration, zlib.error) as error:
        raise RecordingError("file.damaged/read_mat", where=where, error=error or "an element is missing") from None
    return found


def _order(head: bytes, where: str) -> str:
    if head.startswith((b"MATLAB 7.3", b"\x89HDF")):
        raise RecordingError("file.other_kind/read_mat", where=where)
    if len(head) < 128 or head[126:128] not in (b"IM", b"MI"):
        raise RecordingError("file.other_kind/order", where=where)
    return "<" if head[126:128] == b"IM" else ">"


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Kind and bytes of one element after the other."""
    place = 0
    while place + 8 <= len(data):
        kind, size = (int(n) for n in np.frombuffer(data[place : place + 8], f"{order}u4"))
        if kind >> 16:  # a small one: kind, size and up to four bytes in eight
            kind, size = kind & 0xFFFF, kind >> 16
            if size > 4:
                raise ValueError(f"a small element of {size} bytes")
            yield kind, data[place + 4 : place + 4 + size]
            place += 8
            continue
        place += 8
        if size > len(data) - place:
            raise ValueError(f"an element claims {size} bytes, {len(data) - place} are left")
        yield kind, data[place : place + size]
        place += size if kind == PACKED else size + -size % 8


def _unpacked(content: memoryview, room: int) -> bytes:
    machine = zlib.decompressobj()
    plain = machine.decompress(content, max(room, 1))
    if machine.unconsumed_tail:
        raise ValueError(f"it unfolds to more than {RATIO} times its size")
    return plain


def _matrix(content: memoryview, order: str, prefix: str, found: dict[str, Any], depth: int, name: str | None = None) -> None:
    parts = _elements(content, order)
    flags = np.frombuffer(next(parts, (0, memoryview(b"")))[1], f"{order}u4")
    if len(flags) < 2:
        return  # an empty matrix, as structs hold them
    shape = tuple(int(n) for n in np.frombuffer(next(parts)[1], f"{order}i4"))
    own = bytes(next(parts)[1]).decode("latin-1")
    called = prefix + (own if name is None else name)
    kind, complicated = int(flags[0]) & 0xFF, int(flags[0]) >> 8 & COMPLEX
    if kind == STRUCT and math.prod(shape) == 1 and depth:
        _struct(parts, order, called, found, depth)
    elif kind == CELL and depth:
        for number, (inner, cell) in enumerate(parts, 1):
            if inner == MATRIX:
                _matrix(cell, order, called, found, depth - 1, f"{{{number}}}")
    elif FIRST_NUMERIC <= kind <= LAST_NUMERIC and not complicated:
        stored, numbers = next(parts)
        if stored not in NUMBERS:
            raise ValueError(f"'{called[:60]}' holds elements of the kind {stored}")
        values = np.frombuffer(numbers, order + NUMBERS[stored])
        if any(n < 0 for n in shape) or math.prod(shape) != len(values):
            raise ValueError(f"'{called[:60]}' says {shape} and holds {len(values)} numbers")
        found[called] = values.reshape(shape[::-1]).T


def _struct(parts: Iterator[tuple[int, memoryview]], order: str, called: str, found: dict[str, Any], depth: int) -> None:
    lengths = np.frombuffer(next(parts)[1], f"{order}i4")
    names = bytes(next(parts)[1])
    length = int(lengths[0]) if len(lengths) else 0
    if length <= 0:
        raise ValueError(f"the fields of '{called[:60]}' have names of {length} letters")
    fields = [names[k : k + length].split(b"\0")[0].decode("latin-1") for k in range(0, len(names), length)]
    for field in fields:
        kind, content = next(parts)
        if kind == MATRIX:
            _matrix(content, order, f"{called}.", found, depth - 1, field)


MAT = Reader(
    kind="recording",
    name="MATLAB",
    endings=(".mat",),
    open=lambda path, form: from_arrays(str(path), arrays_of_mat(path)),
    sniff=lambda path, head: head.startswith(b"MATLAB") and not head.startswith(b"MATLAB 7.3"),
)
