"""NumPy archives without pickles. What a header claims is compared with the size of the file before anything is allocated."""

from __future__ import annotations

import math
import os
import zipfile
import zlib
from typing import Any, BinaryIO

import numpy as np

from bifilar.errors import RecordingError, ResourceError, unreadable
from bifilar.readers import Reader
from bifilar.recording.source import MOST, RATIO, UNPACKED, from_arrays

LIKELY = "another kind of file, or an interrupted copy"
WRONG: tuple[type[Exception], ...] = (  # what a damaged archive makes zipfile and NumPy's header parser raise
    *(zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError, RuntimeError, OverflowError, TypeError),
    *(SyntaxError, KeyError, IndexError, RecursionError, UnicodeError),
)


def arrays_of(path: str | os.PathLike[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Arrays of an .npz or .npy by name, and the names of joints if it holds them.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.npz")
    >>> np.savez(file, t=np.arange(3.0), q=np.zeros((3, 2)), joint_names=["hip", "knee"])
    >>> arrays, joints = arrays_of(file)
    >>> list(arrays), joints
    (['t', 'q'], ('hip', 'knee'))
    """
    content = read_npz(path)
    words = {name: array for name, array in content.items() if array.dtype.kind == "U"}
    joints = next((tuple(words[name].ravel().tolist()) for name in ("joint_names", "joints", "names") if name in words), ())
    return {name: array for name, array in content.items() if name not in words}, joints


def read_npz(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Everything in the file.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "q.npy")
    >>> np.save(file, np.arange(3))
    >>> read_npz(file)
    {'q': array([0, 1, 2])}
    """
    where = os.fspath(path)
    try:
        with open(path, "rb") as file:
            if file.read(6) == b"\x93NUMPY":
                file.seek(0)
                name = os.path.basename(where).rsplit(".", 1)[0]
                return {name: _array(file, name, os.path.getsize(path))}
        with zipfile.ZipFile(path) as archive:
            return {info.filename.removesuffix(".npy"): _member(archive, info) for info in _members(archive)}
    except OSError as error:
        raise unreadable(RecordingError, "recording", error, where) from None
    except WRONG as error:
        raise RecordingError("file.other_kind/read_npz", where=where, error=str(error)[:200]) from None
    except (RecordingError, ResourceError) as error:
        error.where = error.where or where
        raise


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    members = archive.infolist()
    total, packed = sum(info.file_size for info in members), sum(info.compress_size for info in members)
    if total > MOST or (total > UNPACKED and total > RATIO * packed):
        raise ResourceError("file.bomb/read_npz", total=total / 2**30, packed=packed / 2**20)
    real = os.fstat(archive.fp.fileno()).st_size if archive.fp else 0
    if packed > 2 * real + 1024:
        raise RecordingError("file.damaged/read_npz")
    return members


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Any:
    """One array; what is stored without packing cannot be longer than the file."""
    size = info.file_size
    if info.compress_type == zipfile.ZIP_STORED and info.compress_size != size:
        raise RecordingError("file.damaged/member", filename=info.filename[:60])
    with archive.open(info) as file:
        return _array(file, info.filename, size)  # type: ignore[arg-type]


def _array(file: BinaryIO, name: str, size: int) -> Any:
    """One array; its header must fit the size of the member, so that nothing is allocated on a lie."""
    major, _ = np.lib.format.read_magic(file)
    if major not in (1, 2, 3):
        raise RecordingError("file.newer", name=name[:60], major=major)
    header = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    try:
        shape, fortran, kind = header(file)
    except Exception as error:  # it is read as a Python expression: errors of the tokenizer and of the parser
        raise RecordingError("file.damaged/array", name=name[:60], error=str(error)[:100]) from None
    if kind.hasobject or kind.kind not in "fiubU" or kind.shape or kind.itemsize > 4096 * 4:
        raise RecordingError("file.objects", name=name[:60])
    count = math.prod(int(n) for n in shape)
    if any(n < 0 for n in shape) or count * kind.itemsize != size - file.tell():
        raise RecordingError("file.damaged/read_npz_array", name=name[:60])
    data = file.read(count * kind.itemsize) if count else b""
    if len(data) != count * kind.itemsize:
        raise RecordingError("file.damaged/read_npz_array_2", name=name[:60])
    if kind.kind == "U":
        _refuse_letters(np.frombuffer(data, dtype=f"{kind.byteorder}u4"), name)
    array = np.frombuffer(data, dtype=kind, count=count)
    array = array.reshape(shape[::-1]).T if fortran else array.reshape(shape)
    return array


def _refuse_letters(codes: Any, name: str) -> None:
    """NumPy believes any four bytes to be a letter; Python does not."""
    if codes.size and (codes.max() > 0x10FFFF or ((codes >= 0xD800) & (codes <= 0xDFFF)).any()):
        raise RecordingError("file.damaged/refuse_letters", name=name[:60])


NPZ = Reader(
    kind="recording",
    name="NumPy",
    endings=(".npz", ".npy"),
    open=lambda path, form: from_arrays(str(path), *arrays_of(path)),
    sniff=lambda path, head: head.startswith((b"PK\x03\x04", b"\x93NUMPY")),
    about=".npz",
)
