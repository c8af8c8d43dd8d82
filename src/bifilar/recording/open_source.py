"""A file of numbers as named columns: the reader that its name and first bytes ask for opens it (`bifilar.readers`)."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from bifilar.errors import RecordingError, unreadable
from bifilar.readers import first_bytes, formats, joined, reader_for
from bifilar.recording.mapping import FileForm
from bifilar.recording.source import Source

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


def names_joints(path: str | os.PathLike[str]) -> bool:
    """Whether it is a log of messages that name joints themselves, such as MCAP, a ROS 2 bag file, or the folder of one.

    >>> names_joints("run.mcap"), names_joints("run.csv")
    (True, False)
    """
    reader = reader_for("recording", path)
    return reader is not None and reader.whole


def open_source(path: str | os.PathLike[str], form: FileForm) -> Source:
    """A file as named columns.

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
            raise RecordingError("file.folder/open_source", where=where)
        with open(path, "rb"):
            pass
    except OSError as error:
        raise unreadable(RecordingError, "recording", error, where) from None
    except ValueError as error:  # a NUL in the name
        raise RecordingError("file.unreadable/open_source", where=where[:200], error=error) from None
    reader, head = reader_for("recording", path), first_bytes(path)
    if reader is None or not reader.recognises(path, head):
        _refuse_strange(where, head)
    assert reader is not None  # text is the usual reader of whatever is not known
    if reader.whole:
        raise RecordingError("mapping.of_log", where=where, name=reader.name)
    source: Source = reader.open(Path(path), form)
    return source


def _refuse_strange(where: str, head: bytes) -> None:
    """A letter for files that are no logs, whatever they are called."""
    plain = head[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
    name = next((name for mark, name in STRANGE.items() if plain.startswith(mark)), "")
    if re.match(rb"\[?\s*\{\s*(\"|\}|$)|\[\s*(\[|\")", plain):
        name = "JSON"
    if name:
        raise RecordingError("file.other_kind/open_source", where=where, name=name, joined=joined(formats("recording")))
