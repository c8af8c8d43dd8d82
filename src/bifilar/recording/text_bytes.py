"""Bytes of a text log: unpacked, without marks, in blocks that end where a line ends. Constant memory for any size of file."""

from __future__ import annotations

import codecs
import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from bifilar.errors import Finding, RecordingError, ResourceError, unreadable
from bifilar.recording.source import RATIO, UNPACKED

BLOCK = 4 * 2**20  # [bytes] read at once
LINE = 2 * 2**20  # [bytes] the longest line that is taken for one
ONE_PER_LINE = "if every line is one signal, say so in a mapping: [file] transposed = true"
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def unpacked(path: str | os.PathLike[str], notes: list[Finding]) -> Iterator[bytes]:
    """Bytes of a file, as UTF-8 without its mark and with newlines; gzip is seen by its first bytes.

    >>> import gzip, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "a.csv.gz")
    >>> _ = file.write_bytes(gzip.compress(b"\\xef\\xbb\\xbft,q\\r1,2\\r"))
    >>> list(unpacked(file, []))
    [b't,q\\n1,2\\n']
    """
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            yield from _newlines(_utf8(_gunzip(file, path, notes) if packed else iter(lambda: file.read(BLOCK), b""), path))
    except OSError as error:
        raise unreadable(RecordingError, "recording", error, os.fspath(path)) from None


def whole_lines(chunks: Iterator[bytes], path: str | os.PathLike[str], longest: int = LINE) -> Iterator[bytes]:
    """The same bytes, cut at the ends of lines; only the last block may end without one.

    >>> list(whole_lines(iter([b"1,2\\n3,", b"4\\n5"]), "a.csv"))
    [b'1,2\\n', b'3,4\\n', b'5']
    """
    rest = b""
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join((rest, memoryview(chunk)[:cut]))
            rest = chunk[cut:]
        else:
            rest += chunk
        if len(rest) > longest:
            raise RecordingError("file.long_line", where=os.fspath(path), longest=longest / 2**20)
    if rest:
        yield rest


def _gunzip(file: BinaryIO, path: str | os.PathLike[str], notes: list[Finding]) -> Iterator[bytes]:
    machine, given, gotten, between = zlib.decompressobj(31), 0, 0, False
    while packed := file.read(BLOCK // 16):
        given += len(packed)
        if between:  # a file of several members: the next one begins here, behind any padding
            packed = packed.lstrip(b"\0")
        while packed:
            if between and len(packed) < 2:  # its mark lies across two readings
                more = file.read(BLOCK // 16)
                packed, given = packed + more, given + len(more)
            if between and packed[:2] != b"\x1f\x8b":
                return
            between = False
            try:
                plain = machine.decompress(packed, BLOCK)
            except zlib.error as error:
                raise RecordingError("file.damaged/text_bytes", where=os.fspath(path), error=error) from None
            packed = machine.unconsumed_tail
            gotten += len(plain)
            if gotten > UNPACKED and gotten > RATIO * given:
                raise ResourceError("file.bomb/text_bytes", where=os.fspath(path), ratio=RATIO)
            if plain:
                yield plain
            if machine.eof:
                packed = machine.unused_data.lstrip(b"\0")
                machine, between = zlib.decompressobj(31), True
    if not between and (gotten or given):
        notes.append(Finding("log.cut_off/text_bytes", "warning", os.fspath(path)))


def _utf8(chunks: Iterator[bytes], path: str | os.PathLike[str]) -> Iterator[bytes]:
    first = next(chunks, b"")
    mark = next((mark for mark in MARKS if first.startswith(mark)), b"")
    first = first[len(mark) :]
    if not mark or MARKS[mark] == "utf-8":
        yield from filter(None, (first,))
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(MARKS[mark])()
    try:
        yield decoder.decode(first).encode()
        for chunk in chunks:
            yield decoder.decode(chunk).encode()
    except UnicodeError as error:
        raise RecordingError(
            "file.not_text/encoding", where=os.fspath(path), encoding=MARKS[mark], error=str(error)[:160]
        ) from None


def _newlines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Lines of old Macs end with a carriage return alone; such a file has no newline at all."""
    for chunk in chunks:
        old = b"\r" in chunk and b"\n" not in chunk
        yield chunk.replace(b"\r", b"\n") if old else chunk
