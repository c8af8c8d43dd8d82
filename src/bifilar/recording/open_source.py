"""Which reader a file needs, by its ending and its first bytes."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from bifilar.errors import RecordingError, unreadable
from bifilar.recording.mapping import FileForm
from bifilar.recording.source import Arrays, Source, from_arrays

ENDINGS = {".npz": "npz", ".npy": "npz", ".mat": "mat", ".parquet": "parquet", ".h5": "hdf5", ".hdf5": "hdf5", ".hdf": "hdf5"}
TEXT = {".csv", ".txt", ".dat", ".tsv"}  # what text of numbers is usually called; any other name is read as well
ROS = {".mcap", ".db3", ".bag"}
MAGIC = {
    b"PK\x03\x04": "npz",
    b"\x93NUMPY": "npz",
    b"PAR1": "parquet",
    b"\x89HDF": "hdf5",
    b"MATLAB 7.3": "hdf5",
    b"MATLAB": "mat",
}

STRANGE = {
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"<svg": "a picture (SVG)",
    b"%PDF": "a PDF document",
    b"<?xml": "XML",
    b"<!DOCTYPE": "a web page",
    b"<html": "a web page",
    b"\x80\x04\x95": "a pickle, which is never opened: it can run any code",
}


def is_bag(path: str | os.PathLike[str]) -> bool:
    """Whether it is a log of messages: MCAP, a ROS 2 bag file, or the folder of one.

    >>> is_bag("run.mcap"), is_bag("run.csv")
    (True, False)
    """
    place = Path(path)
    return place.suffix.lower() in ROS or (place.is_dir() and (place / "metadata.yaml").is_file())


def is_called_a_log(path: str | os.PathLike[str]) -> bool:
    """Whether a name is one that logs have: of several files in a folder, pages and notes beside them are none.

    >>> is_called_a_log("run.csv.gz"), is_called_a_log("run.mcap"), is_called_a_log("run.html")
    (True, True, False)
    """
    place = Path(path)
    unpacked = place.with_suffix("") if place.suffix.lower() == ".gz" else place
    return is_bag(place) or unpacked.suffix.lower() in {*TEXT, *ENDINGS}


def open_source(path: str | os.PathLike[str], form: FileForm, count: int = 0) -> Source:
    """A file as named columns; `count`: so many lines make one sample.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "log.csv")
    >>> _ = file.write_text("t,q1\\n0,1\\n")
    >>> open_source(file, FileForm()).names
    ('t', 'q1')
    """
    where = os.fspath(path)
    try:
        if not os.path.isfile(path):
            if not os.path.isdir(path):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            remedy = "name a file of it; files that hold one signal each are named in a mapping"
            raise RecordingError("this is a folder", code="file.folder", where=where, remedy=remedy)
        kind = _kind(path)
    except OSError as error:
        raise unreadable(RecordingError, "recording", error, where) from None
    except ValueError as error:  # a NUL in the name
        raise RecordingError(f"the recording cannot be read: {error}", code="file.unreadable", where=where[:200]) from None
    if kind == "npz":
        from bifilar.recording.read_npz import arrays_of

        return from_arrays(where, *arrays_of(path))
    if kind == "mat":
        from bifilar.recording.read_mat import arrays_of_mat

        return from_arrays(where, arrays_of_mat(path))
    if kind == "hdf5":
        from bifilar.recording.read_hdf5 import hdf5_source

        return hdf5_source(path)
    if kind == "parquet":
        from bifilar.recording.read_parquet import ParquetLog

        return ParquetLog.open(path)
    return _text(where, form, count)


def _text(where: str, form: FileForm, count: int) -> Source:
    from bifilar.recording.read_text import Folded, TextFile, transposed

    if form.transposed:
        signals = transposed(where, form.delimiter, form.decimal)
        return Arrays(where, ("",) * len(signals), signals)
    declared = {name: getattr(form, name) for name in ("delimiter", "decimal", "header", "skip", "comment")}
    if count:
        return Folded(TextFile.open(where, form.bad_lines, **declared), count)
    return TextFile.open(where, form.bad_lines, names=form.names, **declared)


def _kind(path: str | os.PathLike[str]) -> str:
    """By the ending, else by the first bytes: what is neither is text."""
    with open(path, "rb") as file:
        first = file.read(64)
    _refuse_strange(path, first)
    found = next((kind for mark, kind in MAGIC.items() if first.startswith(mark)), "")
    return found or ENDINGS.get(Path(path).suffix.lower(), "text")


def _refuse_strange(path: str | os.PathLike[str], first: bytes) -> None:
    """A letter for files that are no logs, whatever they are called."""
    plain = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    name = next((name for mark, name in STRANGE.items() if plain.startswith(mark)), "")
    if re.match(rb"\[?\s*\{\s*(\"|\}|$)|\[\s*(\[|\")", plain):
        name = "JSON"
    if name:
        remedy = "give the log itself: text (.csv, .txt), .npz, .mat, .parquet, .h5, .mcap or a ROS 2 bag"
        raise RecordingError(
            f"the file is {name}, not a log of numbers", code="file.other_kind", where=os.fspath(path), remedy=remedy
        )
