"""Tables of a mapping file against what they may hold: names, kinds and sizes, with a letter for what is wrong."""

from __future__ import annotations

import difflib
import math
from dataclasses import fields
from typing import Any

from bifilar.errors import RecordingError

Number = float  # of either sign
Row = float | tuple[float, ...]  # one number, or one per column
MOST = 10000  # entries of a list


def checked(table: Any, form: type, where: str, also: tuple[str, ...] = (), hidden: tuple[str, ...] = ()) -> dict[str, Any]:
    """Keys and values of a table for the dataclass `form`.

    >>> from bifilar.recording.mapping import ClockForm
    >>> checked({"rate": 100}, ClockForm, "log.toml")
    {'rate': 100.0}
    """
    if not isinstance(table, dict):
        raise RecordingError("mapping.form/mapping_checks", where=where, said=_said(table))
    kinds = {field.name: str(field.type) for field in fields(form) if field.name not in hidden}
    found = {}
    for key, value in table.items():
        if key not in kinds:
            raise _unknown(str(key), sorted({*kinds, *also}), where)
        found[key] = _value(value, kinds[key], key, where)
    return found


def _unknown(key: str, known: list[str], where: str) -> RecordingError:
    near = difflib.get_close_matches(key[:60], known, 1)
    shown = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")
    return RecordingError(
        "mapping.key_unknown/mapping_checks" if near else "mapping.key_unknown/unknown",
        where=where,
        entry=key[:60],
        near=near[:1],
        shown=shown,
    )


def _value(value: Any, kind: str, key: str, where: str) -> Any:
    """The value as the kind that the dataclass asks for; kinds are few, each has one line here."""
    if kind == "str" and isinstance(value, str):
        return value
    if kind == "dict[str, str]" and isinstance(value, dict) and len(value) <= MOST:
        if all(isinstance(new, str) and new for new in value.values()):
            return dict(value)
    if kind == "str | None" and isinstance(value, str):
        return value
    if kind == "int" and _whole(value) and 0 <= value < 10**6:
        return value
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind == "bool | int | None" and (isinstance(value, bool) or (_whole(value) and 0 < value < 10**6)):
        return value
    if kind == "float | None" and _number(value) and value > 0:
        return float(value)
    if kind == "Number | None" and _number(value):
        return float(value)
    if kind == "str | int | None" and (isinstance(value, str) or (_whole(value) and value > 0)):
        return value
    if kind == "Row" and (_number(value) or (_list(value) and all(map(_number, value)))):
        return float(value) if not isinstance(value, list) else tuple(map(float, value))
    if (
        kind.startswith(("tuple[str, ...]", "str | tuple[str, ...]"))
        and _list(value)
        and all(isinstance(v, str) for v in value)
    ):
        return tuple(value)
    if kind.startswith("str | tuple") and isinstance(value, str):
        return value
    if (
        kind == "str | tuple[str | int, ...]"
        and _list(value)
        and all(isinstance(v, str) or (_whole(v) and v > 0) for v in value)
    ):
        return tuple(value)
    if kind.startswith("tuple[tuple") and _list(value) and all(_list(row) and all(map(_number, row)) for row in value):
        return _table(value, kind, key, where)
    raise RecordingError("mapping.value", where=where, entry=key, said=_said(value), remedy=_wanted(kind))


def _table(value: list[list[Any]], kind: str, key: str, where: str) -> Any:
    if len({len(row) for row in value}) > 1:
        raise RecordingError("mapping.rows", where=where, entry=key)
    pairs = "int, int" in kind or "float, float]" in kind
    if pairs and any(len(row) != 2 for row in value):
        raise RecordingError("mapping.pairs", where=where, entry=key)
    if "int, int" in kind:
        if any(not _whole(number) or number < 0 for row in value for number in row):
            raise RecordingError("mapping.numbers", where=where, entry=key)
        return tuple(tuple(row) for row in value)
    return tuple(tuple(map(float, row)) for row in value)


def _wanted(kind: str) -> str:
    if kind.startswith("tuple[tuple"):
        return "give a list of rows, [[1.0, 0.0], [0.0, 1.0]]"
    if kind == "Number | None":
        return "give a number"
    if kind == "Row":
        return "give a number, or one for each column"
    if "tuple" in kind:
        return "give a list of words" + (", or numbers of columns from 1 on" if "int" in kind else "")
    if "float" in kind:
        return "give a number above 0"
    return "give true or false" if "bool" in kind else "give a whole number" if kind == "int" else "give a word in quotes"


def _said(value: Any) -> str:
    if isinstance(value, str):
        return f"the word '{value[:40]}'"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "a table"
    return str(value)[:40] if not isinstance(value, int) or abs(value) < 10**30 else "such a number"


def _list(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53


def _column(value: Any) -> bool:
    return isinstance(value, str) or (_whole(value) and value > 0)


def _number(value: Any) -> bool:
    return (_whole(value) or isinstance(value, float)) and math.isfinite(value)
