"""Text logs as a source of columns: CSV and its kin, packed or not, of any size.

Blocks of whole lines are turned into numbers by two threads, ahead of whoever asks. A last line that was cut off is left
out and noted; everything before it is kept.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.readers import Reader
from bifilar.recording.mapping import FileForm
from bifilar.recording.source import Arrays, Source
from bifilar.recording.text_bytes import BLOCK, LINE, unpacked, whole_lines
from bifilar.recording.text_layout import Layout, sniffed
from bifilar.recording.text_numbers import fast_numbers, lined_up, slow_numbers

AHEAD = 3  # blocks in work at a time
HEAD = 256 * 2**10  # [bytes] that are looked at to see the layout
LONG_LINE = 32 * 2**20  # [bytes] of a line that is a whole signal


@dataclass
class TextFile:
    """A text log.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.txt")
    >>> _ = file.write_text("t q\\n0 1.5\\n1 2.5\\n2 2.")
    >>> np.concatenate(list(TextFile.open(file).blocks([1]))).ravel()
    array([1.5, 2.5, 2. ])
    """

    where: str
    layout: Layout
    bad_lines: str = "refuse"
    names: tuple[str, ...] = ()  # of the columns, empty words without a header
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    joint_names: tuple[str, ...] = ()
    notes: list[Finding] = field(default_factory=list)

    @classmethod
    def open(cls, path: str | os.PathLike[str], bad_lines: str = "refuse", **declared: Any) -> TextFile:
        """Look at the first lines; `declared` as in `text_layout.sniffed`.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "log.txt")
        >>> _ = file.write_text("0 1.5\\n1 2.5\\n")
        >>> TextFile.open(file, names=("t", "q")).names
        ('t', 'q')
        """
        where = os.fspath(path)
        layout = sniffed(_head(where), where, **declared)
        notes = []
        if layout.before:
            notes.append(
                Finding(
                    "log.lines_left_out", "note", where, before_count=len(layout.before), before=" / ".join(layout.before)[:200]
                )
            )
        return cls(where, layout, bad_lines, layout.names, notes=notes)

    def blocks(self, columns: Sequence[int]) -> Iterator[Array]:
        """Rows of those columns, (any number, columns), in order.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "log.csv")
        >>> _ = file.write_text("t,q\\n0,1.5\\n1,2.5\\n2")
        >>> source = TextFile.open(file)
        >>> sum(len(block) for block in source.blocks([0])), source.notes[-1].what
        (2, 'the last line is cut off and left out')
        """
        wanted = list(columns)
        place = 0  # [bytes] behind the header
        for block, last, found in _ahead(self._blocks(self.notes), lambda block: fast_numbers(block, self.layout, wanted)):
            whole = not last or block.endswith(b"\n") or not block.strip()
            if found is None:
                line = partial(self._line, place)
                found, cut = slow_numbers(block, self.layout, wanted, self.where, line, last, self.bad_lines)
                if cut is not None:
                    self.notes.append(Finding("log.cut_off/read_text", "warning", f"{self.where}:{cut}"))
            elif not whole:
                self.notes.append(Finding("log.rows_left_out", "note", f"{self.where}:{self._line(place + len(block))}"))
            place += len(block)
            yield found

    def _blocks(self, notes: list[Finding]) -> Iterator[bytes]:
        """Blocks of whole lines behind the header; what unpacking finds is told when all are read."""
        told: list[Finding] = []
        skip = self.layout.first - 1
        for block in whole_lines(unpacked(self.where, told), self.where):
            if skip:
                block, passed = _behind(block, skip)
                skip -= passed
            yield block
        notes += told

    def _line(self, place: int) -> int:
        """The line of a byte. Lines are counted only when one has to be named: that is seldom, and costs a second reading."""
        line = self.layout.first
        for block in self._blocks([]):
            line += block.count(b"\n", 0, place)
            if place < len(block):
                break
            place -= len(block)
        return line


def _ahead(blocks: Iterator[bytes], read: Callable[[bytes], Array | None]) -> Iterator[tuple[bytes, bool, Array | None]]:
    """Each block, whether it is the last, and what `read` makes of it; two threads work ahead of the one who asks."""
    first, second = next(blocks, b""), next(blocks, None)
    if second is None:  # one block is not worth a thread
        yield first, True, read(first)
        return
    working: deque[tuple[bytes, Future[Array | None]]] = deque()
    with ThreadPoolExecutor(2) as pool:
        try:
            for block in itertools.chain([first, second], blocks):
                working.append((block, pool.submit(read, block)))
                if len(working) > AHEAD:
                    block, found = working.popleft()
                    yield block, False, found.result()
            while working:
                block, found = working.popleft()
                yield block, not working, found.result()
        finally:
            for _, waiting in working:
                waiting.cancel()


@dataclass
class Folded:
    """A file of one column in which so many lines make one sample.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "q.txt")
    >>> _ = file.write_text("1\\n2\\n3\\n4\\n5\\n")
    >>> next(Folded(TextFile.open(file, header=False), 2).blocks([1]))
    array([[2.], [4.]])
    """

    lines: TextFile
    count: int

    def __post_init__(self) -> None:
        if len(self.lines.names) != 1:
            raise RecordingError("file.one_value", where=self.lines.where, name_count=len(self.lines.names))
        self.where, self.notes = self.lines.where, self.lines.notes
        self.joint_names: tuple[str, ...] = ()
        self.names: tuple[str, ...] = ("",) * self.count
        self.groups: dict[str, tuple[int, ...]] = {}

    def blocks(self, columns: Sequence[int]) -> Iterator[Array]:
        """Rows of those columns, (any number, columns), in order."""
        rest = np.zeros(0)
        for block in self.lines.blocks([0]):
            values = np.concatenate([rest, block[:, 0]])
            whole = len(values) // self.count * self.count
            rest = values[whole:]
            yield values[:whole].reshape(-1, self.count)[:, list(columns)]
        if len(rest):
            self.notes.append(Finding("log.cut_off/blocks", "warning", self.where, rest_count=len(rest), count=self.count))


def transposed(path: str | os.PathLike[str], delimiter: str | None = None, decimal: str | None = None) -> list[Array]:
    """The columns of a file that holds one signal per line.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "q.txt")
    >>> _ = file.write_text("1 2 3\\n4 5 6\\n")
    >>> transposed(file)
    [array([1., 2., 3.]), array([4., 5., 6.])]
    """
    where = os.fspath(path)
    signals: list[Array] = []
    line = 0
    for block in whole_lines(unpacked(path, []), path, LONG_LINE):
        for text in block.splitlines():
            line += 1
            if not text.strip():
                continue
            if delimiter is None or decimal is None:
                layout = sniffed(text[:2000].decode("utf-8", "replace").rsplit(" ", 1)[0], where, header=False)
                delimiter, decimal = delimiter or layout.delimiter, decimal or layout.decimal
            signals.append(lined_up(text, delimiter, decimal, where, line))
    lengths = {len(signal) for signal in signals}
    if len(lengths) != 1:
        raise RecordingError(
            "file.ragged/read_text" if lengths else "file.ragged/transposed",
            where=where,
            map=", ".join(map(str, sorted(lengths)))[:60],
        )
    return signals


def _head(where: str) -> str:
    """The first lines, whole ones only unless the file ends there."""
    taken = b""
    chunks = unpacked(where, [])
    for chunk in chunks:
        taken += chunk
        if (len(taken) >= HEAD and b"\n" in taken[:LINE]) or len(taken) > LINE:
            break
    whole = next(chunks, None) is None and len(taken) <= BLOCK
    if len(taken) > HEAD:
        cut = taken.rfind(b"\n", 0, max(HEAD, taken.find(b"\n") + 1)) + 1
        taken = taken[:cut] if cut else taken[:LINE]
    elif not whole:
        taken = taken[: taken.rfind(b"\n") + 1] or taken
    try:
        return taken.decode("utf-8")
    except UnicodeDecodeError:
        return taken.decode("latin-1")  # units such as a degree sign, written by an old program


def _behind(block: bytes, lines: int) -> tuple[bytes, int]:
    """A block without its first lines, and how many it had of them."""
    place, passed = 0, 0
    for _ in itertools.repeat(None, lines):
        found = block.find(b"\n", place)
        if found < 0:
            return b"", passed + (place < len(block))
        place, passed = found + 1, passed + 1
    return block[place:], passed


def _opened(path: Path, form: FileForm) -> Source:
    where = str(path)
    if form.transposed:
        signals = transposed(where, form.delimiter, form.decimal)
        return Arrays(where, ("",) * len(signals), signals)
    declared = {name: getattr(form, name) for name in ("delimiter", "decimal", "header", "skip", "comment")}
    if form.one_value_per_line:
        return Folded(TextFile.open(where, form.bad_lines, **declared), form.one_value_per_line)
    return TextFile.open(where, form.bad_lines, names=form.names, **declared)


TEXT = Reader(
    kind="recording",
    name="text",
    endings=(".csv", ".txt", ".dat", ".tsv", ".log", ".gz"),
    open=_opened,
    about="text (.csv, .txt, .dat, also .gz)",
    usual=True,
)
