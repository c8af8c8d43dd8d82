"""MATLAB files: arrays of numbers of version 5 (through SciPy), and 7.3, which is HDF5. Structs are opened, objects are not."""

from __future__ import annotations

import os
from typing import Any

from bifilar.errors import RecordingError
from bifilar.recording.source import RATIO, UNPACKED

DEEPEST = 4


def arrays_of_mat(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Arrays by name; a field of a struct is 'struct.field'.

    >>> import pathlib, scipy.io, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.mat")
    >>> scipy.io.savemat(file, {"t": np.arange(3.0), "log": {"q": np.zeros((3, 2))}})
    >>> {name: array.shape for name, array in arrays_of_mat(file).items()}
    {'t': (1, 3), 'log.q': (3, 2)}
    """
    import scipy.io

    where = os.fspath(path)
    _refuse_sizes(where)
    try:
        content = scipy.io.loadmat(where, chars_as_strings=True, struct_as_record=True)
    except NotImplementedError:
        raise RecordingError("the file is of MATLAB 7.3", where=where, remedy="name it .h5, or save it with '-v7'") from None
    except OSError as error:
        raise RecordingError(f"the recording cannot be read: {error.strerror or error}", where=where) from None
    except Exception as error:  # SciPy's reader answers damaged files with errors of any kind
        what = f"the file is no MATLAB file: {type(error).__name__} {str(error)[:160]}"
        raise RecordingError(what, where=where, likely="an interrupted copy") from None
    found: dict[str, Any] = {}
    for name, value in content.items():
        if not name.startswith("__"):
            _unfold(name, value, found, DEEPEST)
    return found


def _unfold(name: str, value: Any, found: dict[str, Any], depth: int) -> None:
    if getattr(value, "dtype", None) is None or depth == 0:
        return
    if value.dtype.names and value.size == 1:
        for field in value.dtype.names:
            _unfold(f"{name}.{field}", value.reshape(-1)[0][field], found, depth - 1)
    elif value.dtype.kind in "fiub":
        found[name] = value


def _refuse_sizes(where: str) -> None:
    """Walk over the elements of a version 5 file: none may claim more than the file holds, packed ones not much more."""
    import struct
    import zlib

    total = os.path.getsize(where)
    with open(where, "rb") as file:
        head = file.read(128)
        if len(head) < 128 or not head.startswith(b"MATLAB 5.0"):
            if head.startswith(b"MATLAB 7.3") or head[:4] == b"\x89HDF":
                raise RecordingError("the file is of MATLAB 7.3", where=where, remedy="name it .h5, or save it with '-v7'")
            if not head.startswith(b"MATLAB"):
                raise RecordingError("the file is no MATLAB file of version 5", where=where, remedy="save it with '-v7'")
        order = ">" if head[126:128] == b"MI" else "<"
        while len(tag := file.read(8)) == 8:
            kind, size = struct.unpack(order + "II", tag)
            if size > total - file.tell():
                raise RecordingError("an element is larger than the file", where=where, likely="an interrupted copy")
            if kind == 15:
                machine, got, place = zlib.decompressobj(), 0, file.tell()
                packed = file.read(size)
                try:
                    while packed and got <= max(UNPACKED, RATIO * size):
                        got += len(machine.decompress(packed, 2**20))
                        packed = machine.unconsumed_tail
                except zlib.error as error:
                    raise RecordingError(f"an element is damaged: {error}", where=where) from None
                if got > max(UNPACKED, RATIO * size):
                    raise RecordingError(f"an element unfolds to more than {RATIO} times its size", where=where)
                file.seek(place)
            file.seek(size, 1)
