"""How a text log is laid out: what separates the columns, what the decimal sign is, where the names stand.

Looked at are the first lines. Every pair of separator and decimal sign splits them; the one that makes the same number of
columns in every line and numbers of most fields wins, more columns before fewer. What was declared is not guessed.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bifilar.errors import RecordingError
from bifilar.recording.units import is_unit
from bifilar.robot.spreadsheet import unguarded

SPACE = " "  # stands for any run of blanks and tabs
CANDIDATES = ((";", "."), (";", ","), ("\t", "."), ("\t", ","), (",", "."), ("|", "."), (SPACE, "."), (SPACE, ","))
COMMENTS = ("#", "%", "//")
MISSING = ("", "nan", "-nan", "+nan", "null", "none", "na", "n/a", "#n/a", "-", "--", "?", "missing", "nil", ".")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eEdD][+-]?\d+)?|[+-]?inf(inity)?", re.I)  # one way to match only
OWN = ("time [s],", "assumed time [s],")  # how bifilar's own files begin: nothing is guessed
LOOKED = 60  # lines that are looked at
COLUMNS = 20000  # more are no log


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The layout of a text file.

    >>> Layout(delimiter=",", names=("t", "q")).decimal
    '.'
    """

    delimiter: str
    decimal: str = "."
    names: tuple[str, ...]  # of the columns; empty words without a header
    header: bool = False
    first: int = 1  # line on which the numbers begin
    comment: str = ""  # begins lines that are to be left out
    before: tuple[str, ...] = ()  # lines before the header that said something else


def sniffed(
    head: str,
    where: str,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | int | None = None,
    skip: int = 0,
    comment: str | None = None,
    names: Sequence[str] | None = None,
) -> Layout:
    """The layout of a file that begins with `head` (whole lines), where it was not declared.

    >>> found = sniffed("t;q1\\n0,5;1,25\\n0,6;1,5\\n", "log.csv")
    >>> found.delimiter, found.decimal, found.names, found.first
    (';', ',', ('t', 'q1'), 2)
    """
    delimiter = _declared_marks(delimiter, decimal, where)
    if head.startswith(OWN) and not skip and names is None and header is None:
        try:
            named = next(csv.reader([head.split("\n", 1)[0].rstrip("\r")]))
        except csv.Error as error:
            raise RecordingError("columns.names", where=f"{where}:1", error=error) from None
        return Layout(delimiter=",", names=tuple(map(unguarded, named)), header=True, first=2)
    lines = head.split("\n")
    lines = [line.rstrip("\r") for line in lines[:-1]] + ([lines[-1].rstrip("\r")] if lines[-1] else [])
    mark = comment if comment is not None else _comment(lines[skip:])
    numbered = [(k, line) for k, line in enumerate(lines, 1) if k > skip and line.strip()]
    spoken = [(k, line) for k, line in numbered if not (mark and line.lstrip().startswith(mark))]
    if not spoken:
        raise RecordingError("file.empty/text_layout" if numbered else "file.empty/sniffed", where=where)
    looked = [line for _, line in (spoken[-LOOKED:-1] if len(spoken) > 3 else spoken)]  # the last may be cut off
    separator, sign = _separator(looked, delimiter, decimal)
    width = _width(looked, separator, sign)
    if width > COLUMNS:
        raise RecordingError("file.too_wide", where=where, width=width)
    start = _start(spoken, separator, sign, width, header)
    first, heading = spoken[start][0] if start < len(spoken) else spoken[-1][0] + 1, None
    if header is not False and start > 0:
        heading = start - 1
    if isinstance(header, int) and not isinstance(header, bool):
        heading = next((j for j, (k, _) in enumerate(spoken) if k == header), None)
    words: list[str] | None = list(names) if names is not None else None
    if words is None and heading is not None:
        words = _heading(spoken, heading, separator, width)
    if words is None and header is None:
        words = _commented(numbered, first, mark, separator, width)
    if names is not None and len(names) != width:
        raise RecordingError("columns.count", where=f"{where}:{first}", name_count=len(names), width=width)
    before = tuple(line for k, line in spoken[: heading or 0])[:20]
    return Layout(
        delimiter=separator,
        decimal=sign,
        names=tuple(words or [""] * width),
        header=words is not None and names is None,
        first=first,
        comment=mark,
        before=before,
    )


def split(line: str, delimiter: str) -> list[str]:
    """The fields of a line.

    >>> split('1, "a,b",3', ","), split(" 1   2 ", " ")
    (['1', 'a,b', '3'], ['1', '2'])
    """
    if delimiter == SPACE:
        return line.split()
    if '"' not in line:
        return [word.strip() for word in line.split(delimiter)]
    try:
        return [word.strip() for word in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])]
    except csv.Error:
        return [word.strip() for word in line.split(delimiter)]


def is_number(word: str, decimal: str = ".") -> bool:
    """Whether a field holds a number, or says that it has none.

    >>> is_number("1,5", ","), is_number("nan"), is_number("q1")
    (True, True, False)
    """
    word = word.strip().strip('"')
    if decimal != ".":
        if "." in word:
            return False
        word = word.replace(decimal, ".")
    return NUMBER.fullmatch(word) is not None or word.lower() in MISSING


def _declared_marks(delimiter: str | None, decimal: str | None, where: str) -> str | None:
    """The declared separator, one letter long; a letter of complaint for what cannot be."""
    found = {"tab": "\t", "space": SPACE, "blank": SPACE, "comma": ",", "semicolon": ";"}.get(delimiter or "", delimiter)
    if found is not None and (len(found) != 1 or not found.isascii() or found in '\r\n"\0.' or found.isalnum()):
        raise RecordingError("mapping.delimiter", where=where, found=found[:20])
    if decimal not in (None, ".", ",") or (decimal is not None and decimal == found):
        raise RecordingError("mapping.decimal", where=where, decimal=decimal[:20])
    return found


def _comment(lines: list[str]) -> str:
    return next((mark for mark in COMMENTS if any(line.lstrip().startswith(mark) for line in lines)), "")


def _separator(lines: list[str], delimiter: str | None, decimal: str | None) -> tuple[str, str]:
    best, found = (-1.0, 0), (delimiter or ",", decimal or ".")
    everything = "".join(lines)
    for separator, sign in CANDIDATES:
        if delimiter not in (None, separator) or decimal not in (None, sign):
            continue
        if separator != SPACE and separator not in everything:
            continue
        widths = [len(split(line, separator)) for line in lines]
        width = max(set(widths), key=lambda n: (widths.count(n), n))
        fields = [word for line in lines for word in split(line, separator)]
        good = sum(is_number(word, sign) for word in fields) / max(len(fields), 1) if fields else 0.0
        same = widths.count(width) / len(widths)
        score = (round(good * same, 3) if width > 1 or good == 1 else -0.5, width)
        if score > best:
            best, found = score, (separator, sign)
    if delimiter is not None and not any(separator == delimiter for separator, _ in CANDIDATES):
        found = (delimiter, decimal or ".")
    return found


def _width(lines: list[str], separator: str, sign: str) -> int:
    """Fields of most lines; those of numbers count before those of words."""
    numeric = [line for line in lines if _numeric(split(line, separator), sign)]
    widths = [len(split(line, separator)) for line in numeric or lines]
    return max(set(widths), key=lambda n: (widths.count(n), n))


def _numeric(words: list[str], sign: str) -> bool:
    """Whether a line is one of numbers: at least half of its fields are, and one of them really."""
    good = sum(is_number(word, sign) for word in words)
    return 2 * good >= len(words) and any(NUMBER.fullmatch(word.replace(sign, ".")) for word in words)


def _start(spoken: list[tuple[int, str]], separator: str, sign: str, width: int, header: bool | int | None) -> int:
    """Index of the first line of numbers."""
    if header is False:
        return 0
    if header is True:
        return 1
    if header is not None:
        return next((j + 1 for j, (k, _) in enumerate(spoken) if k == header), 0)
    for j, (_, line) in enumerate(spoken):
        words = split(line, separator)
        if len(words) == width and _numeric(words, sign):
            return j
    return len(spoken)


def _heading(spoken: list[tuple[int, str]], heading: int, separator: str, width: int) -> list[str] | None:
    """Names of the columns; a second line of units goes into brackets behind them."""
    words = _fitted(split(spoken[heading][1], separator), width)
    above = _fitted(split(spoken[heading - 1][1], separator), width) if heading else None
    if words is not None and above is not None and _units(words):
        return [f"{name} [{unit.strip('[]()')}]" if unit else name for name, unit in zip(above, words)]
    return words


def _units(words: list[str]) -> bool:
    stated = [word.strip("[]()") for word in words if word]
    return bool(stated) and all(is_unit(word) or word in ("-", "1") for word in stated)


def _fitted(words: list[str], width: int) -> list[str] | None:
    """Names for `width` columns: lines of numbers may end with one separator more, or one less."""
    if len(words) == width - 1:
        words = [*words, ""]
    if len(words) == width + 1 and not words[-1]:
        words = words[:-1]
    return [word.strip().strip('"') for word in words] if len(words) == width else None


def _commented(numbered: list[tuple[int, str]], first: int, mark: str, separator: str, width: int) -> list[str] | None:
    """Names in the last comment before the numbers, as numpy.savetxt writes them."""
    above = [line for k, line in numbered if k < first and mark and line.lstrip().startswith(mark)]
    if not above:
        return None
    text = above[-1].strip()[len(mark) :].strip()
    words = split(text, separator)
    return words if len(words) == width and not any(is_number(word) for word in words) else None
