"""Lines of text to numbers: Arrow where it can, and line by line where a block is odd, so that the odd line can be named."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.recording.text_layout import MISSING, NUMBER, SPACE, Layout, split

NULLS = [form for word in MISSING for form in {word, word.upper(), word.capitalize()}] + ["NaN", "-NaN", "N/A"]
CACHED = 512 * 2**10  # [bytes]
BOOLEANS = {"true": 1.0, "false": 0.0, "on": 1.0, "off": 0.0}


def fast_numbers(block: bytes, layout: Layout, columns: Sequence[int]) -> Array | None:
    """(lines, columns) numbers of a block of whole lines, or None if it is not as regular as it should be.

    >>> fast_numbers(b"1,2\\n3,4\\n", Layout(delimiter=",", names=("t", "q")), [1])
    array([[2.], [4.]])
    >>> fast_numbers(b"1,2\\n3\\n", Layout(delimiter=",", names=("t", "q")), [1])
    """
    if layout.comment and layout.comment.encode() in block:
        return None
    if layout.delimiter == SPACE:
        block = _single_blanks(block)
    if not block or block.isspace():
        return np.zeros((0, len(columns)))
    for missing in ([""], NULLS):  # few words are looked up faster; nan and inf are numbers to Arrow
        found = _by_arrow(block, layout, columns, missing)
        if found is not None:
            return found
    return None


def _by_arrow(block: bytes, layout: Layout, columns: Sequence[int], missing: list[str]) -> Array | None:
    import pyarrow
    import pyarrow.csv

    names = [str(k) for k in range(len(layout.names))]
    wanted = [names[k] for k in columns]
    try:
        table = pyarrow.csv.read_csv(
            pyarrow.BufferReader(block),
            pyarrow.csv.ReadOptions(column_names=names, use_threads=False, block_size=_piece(block)),
            pyarrow.csv.ParseOptions(
                delimiter=layout.delimiter,
                quote_char='"' if b'"' in block else False,
            ),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(wanted, pyarrow.float64()),
                include_columns=list(dict.fromkeys(wanted)),
                decimal_point=layout.decimal,
                null_values=missing,
                check_utf8=False,
            ),
        )
    except (pyarrow.ArrowException, ValueError, UnicodeError):
        return None
    found = np.empty((table.num_rows, len(columns)))
    for k, name in enumerate(wanted):
        start = 0
        for chunk in table.column(name).chunks:
            found[start : start + len(chunk), k] = chunk.to_numpy(zero_copy_only=False)
            start += len(chunk)
    return found


def slow_numbers(
    block: bytes,
    layout: Layout,
    columns: Sequence[int],
    where: str,
    line: Callable[[], int],
    last: bool,
    bad_lines: str = "refuse",
) -> tuple[Array, int | None]:
    """The same line by line; and the number of the very last line if that was cut off. `line` tells that of the first.

    >>> layout = Layout(delimiter=",", names=("t", "q"))
    >>> slow_numbers(b"1,2\\n3", layout, [1], "log.csv", lambda: 7, last=True)
    (array([[2.]]), 8)
    """
    found: list[list[float]] = []
    lines = block.decode("utf-8", "replace").split("\n")
    while lines and not lines[-1].strip("\r \t"):
        lines.pop()
    for k, text in enumerate(lines):
        text = text.rstrip("\r")
        if not text.strip() or (layout.comment and text.lstrip().startswith(layout.comment)):
            continue
        try:
            found.append(_row(text, layout, columns))
        except ValueError as error:
            if last and k == len(lines) - 1:
                return np.array(found).reshape(-1, len(columns)), line() + k
            if bad_lines == "nan":
                found.append([np.nan] * len(columns))
                continue
            raise RecordingError("file.line/text_numbers", where=f"{where}:{line() + k}", error=error) from None
    return np.array(found).reshape(-1, len(columns)), None


def lined_up(block: bytes, delimiter: str, decimal: str, where: str | os.PathLike[str], line: int) -> Array:
    """All numbers of one line, however many: for files that hold one signal per line.

    >>> lined_up(b"1\\t2\\t\\n", "\\t", ".", "log.dat", 1)
    array([1., 2.])
    """
    text = block.decode("utf-8", "replace").strip()
    words = text.split() if delimiter == SPACE else [word for word in text.strip(delimiter).split(delimiter)]
    try:
        return np.array([number(word, decimal) for word in words])
    except ValueError as error:
        raise RecordingError("file.line/lined_up", where=f"{os.fspath(where)}:{line}", error=error) from None


def number(word: str, decimal: str = ".") -> float:
    """A field as a number; nan where it says that there is none. ValueError for words.

    >>> number("1,5", ","), number("1D3"), number("N/A")
    (1.5, 1000.0, nan)
    """
    plain = word.strip().strip('"').strip()
    if decimal != ".":
        plain = plain.replace(decimal, ".") if "." not in plain else plain + "?"
    if plain.isascii() and NUMBER.fullmatch(plain):  # float() alone takes 1_000 and digits of other scripts
        return float(plain.replace("d", "e").replace("D", "e"))
    low = plain.lower()
    if low in MISSING:
        return float("nan")
    if low in BOOLEANS:
        return BOOLEANS[low]
    raise ValueError(f"'{word[:40]}' is no number")


def _row(text: str, layout: Layout, columns: Sequence[int]) -> list[float]:
    words = split(text, layout.delimiter)
    width = len(layout.names)
    if len(words) == width + 1 and not words[-1]:
        words.pop()
    if len(words) != width and not (len(words) == width - 1 and not layout.names[-1] and max(columns, default=0) < width - 1):
        raise ValueError(f"{len(words)} values, {width} are expected")
    return [number(words[k], layout.decimal) for k in columns]


def _piece(block: bytes) -> int:
    """Bytes that Arrow takes at a time: a piece that stays in the cache is read twice as fast. Long lines must fit in."""
    usual = block.find(b"\n") < CACHED // 16
    return CACHED if usual else len(block) + 1


def _single_blanks(block: bytes) -> bytes:
    block = block.replace(b"\t", b" ").replace(b"\r", b"")
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    return block.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")
