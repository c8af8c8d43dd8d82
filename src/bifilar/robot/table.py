"""Checked reading of tables of numbers: TOML files and Python mappings alike.

A table is a mapping from words to numbers, lists and further tables. Each value is asked for by name and kind, and what was
never asked for is a misspelling, so `close()` refuses it and suggests the nearest known word. Every refusal says where.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bifilar.errors import RobotError, near_names, unreadable
from bifilar.formats import toml_table
from bifilar.robot.inertia import Array

MAX_BYTES = 1_000_000  # of one TOML file


def suggestion(word: str, known: Iterable[str]) -> str:
    """The likely cause when a word is not among the known ones.

    >>> suggestion("revolut", ["revolute", "prismatic"])
    "a misspelling of 'revolute'"
    """
    known = sorted(known)
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"a misspelling of '{near[0]}'" if near else ("known are " + ", ".join(known) if known else "nothing is known here")


def read_toml(path: str | Path) -> dict[str, object]:
    """A TOML file as a mapping; refuses what is too large or not TOML.

    >>> read_toml("there_is_no_such_file.toml")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: the file cannot be read: No such file or directory
      where   there_is_no_such_file.toml
      try     check the path
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable(RobotError, "file", error, path) from None
    if len(data) > MAX_BYTES:
        raise RobotError("file.too_large/table", where=str(path), max_bytes=MAX_BYTES)
    return parse_toml(data, str(path))


def parse_toml(data: bytes, where: str) -> dict[str, object]:
    """The same for bytes already in memory.

    >>> parse_toml(b"a = 1.5", "here")
    {'a': 1.5}
    """
    try:
        return toml_table(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RobotError("file.not_text/table", where=where, start=error.start) from None
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(error, where) from None
    except (RecursionError, ValueError) as error:
        raise RobotError("toml.invalid/table", where=where, kind=type(error).__name__) from None


def toml_place(error: Exception) -> tuple[str, str, str]:
    """What the parser says of a file, its line and its column, "" where it knows none: before Python 3.14 all in one sentence.

    >>> toml_place(tomllib.TOMLDecodeError("Invalid value (at line 3, column 5)"))
    ('Invalid value', '3', '5')
    """
    said = str(error)
    place = re.search(r" \(at line (\d+), column (\d+)\)$", said)
    return (said[: place.start()], place[1], place[2]) if place else (re.sub(r" \(at .*\)$", "", said), "", "")


def _not_toml(error: Exception, where: str) -> RobotError:
    """The parser's sentence, with its line where the other readers put it."""
    what, line, column = toml_place(error)
    facts = {"column": column} if column else {}
    return RobotError("toml.invalid/not_toml", where=f"{where}:{line}" if line else where, thing=what, **facts)


class Table:
    """A mapping that hands out checked values and remembers which were asked for.

    >>> row = Table({"mass": 2, "nam": "arm"}, "row 1")
    >>> row.number("mass"), row.text("name", "link1")
    (2.0, 'link1')
    >>> row.close()
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: unknown key 'nam'
      where   row 1
      likely  a misspelling of 'name'
    """

    def __init__(self, values: object, where: str) -> None:
        if not isinstance(values, Mapping):
            raise RobotError("table.form", where=where, kind=_kind(values))
        self._values = values
        self._asked: set[str] = set()
        self.where = where

    def __contains__(self, key: str) -> bool:
        self._asked.add(key)
        return key in self._values

    def refuse(self, key: str, **facts: Any) -> RobotError:
        """The error to raise about something in this table.

        >>> Table({}, "row 2").refuse("toml.value/read_dh").where
        'row 2'
        """
        return RobotError(key, where=self.where, **facts)

    def number(self, key: str, default: float = 0.0) -> float:
        """A finite number.

        >>> Table({"a": float("nan")}, "row 1").number("a")
        Traceback (most recent call last):
        ...
        bifilar.errors.RobotError: 'a' is nan; a finite number is needed
          where   row 1
        """
        return self._finite(key, self._values[key]) if key in self else default

    def text(self, key: str, default: str = "") -> str:
        """A word or sentence, not empty.

        >>> Table({"name": "arm"}, "row 1").text("name")
        'arm'
        """
        if key not in self:
            return default
        value = self._values[key]
        if not isinstance(value, str) or not value.strip():
            raise self.refuse("toml.value/table", entry=key, kind=_kind(value))
        return value

    def choice(self, key: str, default: str, allowed: Sequence[str]) -> str:
        """One of the allowed words.

        >>> Table({}, "row 1").choice("kind", "revolute", ("revolute", "prismatic"))
        'revolute'
        """
        word = self.text(key, default)
        if word not in allowed:
            raise self.refuse(
                "toml.value/choice",
                entry=key,
                word=word,
                allowed=allowed,
                near=near_names(word, allowed, 1, 0.6),
                choices=sorted(allowed),
            )
        return word

    def vector(self, key: str, length: int, default: Sequence[float] | None = None) -> Array:
        """A list of finite numbers of the given length.

        >>> Table({"com": [0, 0, 1]}, "row 1").vector("com", 3)
        array([0., 0., 1.])
        """
        if key not in self and default is not None:
            return np.array(default, dtype=float)
        value = self._list(key)
        if len(value) != length:
            raise self.refuse("toml.value/vector", entry=key, value_count=len(value), length=length)
        return np.array([self._finite(f"{key}[{i}]", entry) for i, entry in enumerate(value)])

    def table(self, key: str) -> Table:
        """A table inside this one; empty when not given.

        >>> Table({"limits": {"effort": 87}}, "row 1").table("limits").number("effort")
        87.0
        """
        return Table(self._values[key] if key in self else {}, f"{self.where}, {key}")

    def tables(self, key: str) -> list[Table]:
        """A list of tables inside this one; empty when not given.

        >>> len(Table({"row": [{}, {}]}, "arm.toml").tables("row"))
        2
        """
        entries = self._list(key) if key in self else []
        return [Table(entry, f"{self.where}, {key} {i + 1}") for i, entry in enumerate(entries)]

    def close(self) -> None:
        """Refuse keys that nobody asked for.

        >>> Table({}, "row 1").close()
        """
        for key in self._values:
            if key not in self._asked:
                raise self.refuse(
                    "toml.value/close", entry=key, near=near_names(str(key), self._asked, 1, 0.6), choices=sorted(self._asked)
                )

    def _finite(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise self.refuse("toml.value/finite", entry=key, kind=_kind(value))
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.refuse("toml.value/table_finite", entry=key, number=number)
        return number

    def _list(self, key: str) -> Sequence[object]:
        value = self._values.get(key)
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, (list, tuple)):
            raise self.refuse("toml.value/list", entry=key, kind=_kind(value))
        return value


def _kind(value: object) -> str:
    number, sequence = "a number", "a list"
    names = {str: "a text", bool: "true or false", int: number, float: number, list: sequence, tuple: sequence, dict: "a table"}
    return "missing" if value is None else names.get(type(value), f"a {type(value).__name__}")
