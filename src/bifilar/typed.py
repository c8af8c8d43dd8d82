"""What a JSON file holds as typed values: everything is of the type that its reader declares, or an error says where it is not.

A reader declares what it expects once, as a `TypedDict` or a dataclass, and mypy and `typed` both go by it:

    class Input(TypedDict):
        given: str
        sha256: str | None

    typed({"given": "a.csv", "sha256": 5}, Input)     FormatError: 'sha256' is a whole number, where text or null is expected

Keys that are not declared are kept as they are. So no code beyond a reader asks again whether a value is there and of its type.
"""

from __future__ import annotations

import json
import math
import os
import types
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from bifilar.bounds import JSON, read_bytes
from bifilar.errors import BifilarError, FormatError, unreadable
from bifilar.formats import Format

LARGEST = 1 << 53  # of whole numbers: beyond, a float is another number
NAMES: dict[Any, str] = {str: "text", float: "a number", int: "a whole number", bool: "true or false", type(None): "null"}

T = TypeVar("T")


def read_json(path: str | os.PathLike[str], kind: type[T], format: Format) -> T:
    """The content of a JSON file of one of our formats.

    >>> import tempfile
    >>> from bifilar.formats import WALK
    >>> file = Path(tempfile.mkdtemp(), "walk.json")
    >>> _ = file.write_text('{"format": "bifilar walk 1", "slope": 0.5}')
    >>> read_json(file, dict, WALK)["slope"]
    0.5
    """
    where = str(path)
    with damage_named(where):
        data = read_bytes(path, JSON)
        if len(data) > JSON:
            raise ValueError(f"larger than {JSON >> 20} MB")
        content = json.loads(data.decode("utf-8"), parse_constant=_refused)
        if not isinstance(content, dict):
            raise TypeError("no JSON object")
        format.check(content, where)
        return typed(content, kind, where)


def typed(value: Any, kind: Any, where: str = "") -> Any:
    """The value as its declared type; dataclasses are made of objects, tuples of lists.

    >>> typed({"a": [1, 2.5]}, dict[str, tuple[float, ...]])
    {'a': (1.0, 2.5)}
    >>> typed({"a": ["x"]}, dict[str, list[float]], "run.json")
    Traceback (most recent call last):
    ...
    bifilar.errors.FormatError: the file is damaged: 'a[0]' is 'x', where a number is expected
      where   run.json
      likely  it was edited, or copied incompletely
      try     copy it again, or write it again with the command that made it
    """
    try:
        return _typed(value, kind, "")
    except _Mismatch as error:
        key = "format.damaged/missing" if error.found is MISSING else "format.damaged"
        raise FormatError(key, where=where, entry=error.at, found=_name_of(error.found), expected=error.expected) from None


@contextmanager
def damage_named(where: str) -> Iterator[None]:
    """Whatever a library says about the content of a file becomes our error, which names the file.

    >>> with damage_named("run.json"):
    ...     json.loads("{")
    Traceback (most recent call last):
    ...
    bifilar.errors.FormatError: the file cannot be read: Expecting property name enclosed in double quotes: ...
    """
    try:
        yield
    except BifilarError:
        raise
    except FileNotFoundError:
        raise FormatError("format.damaged/gone", where=where) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}" if isinstance(error, LookupError) else str(error)
        raise FormatError("format.damaged/content", where=where, reason=reason[:200]) from None
    except OSError as error:
        raise unreadable(FormatError, "file", error, where) from None
    except (EOFError, NotImplementedError, RecursionError, zipfile.BadZipFile) as error:
        raise FormatError("format.damaged/content", where=where, reason=str(error)[:200] or "it ends too early") from None


class _Mismatch(Exception):
    def __init__(self, at: str, expected: str, found: Any) -> None:
        super().__init__(at)
        self.at, self.expected, self.found = at or "the whole", expected, found


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _typed(value: Any, kind: Any, at: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin in (Union, types.UnionType):
        return _one_of(value, inner, at)
    if origin is Literal:
        return value if any(value == word and type(value) is type(word) for word in inner) else _wrong(value, kind, at)
    if is_typeddict(kind):
        return _table(value, kind, at)
    if is_dataclass(kind):
        return _made(value, kind, at)
    if origin in (dict, Mapping) or kind is dict:
        of = inner[1] if inner else Any
        return {key: _typed(entry, of, f"{at}.{key}" if at else key) for key, entry in _is(value, dict, kind, at).items()}
    if origin in (list, tuple, Sequence):
        return _several(value, kind, at)
    if kind is float:
        return _number(value, at)
    if kind is int:
        return value if type(value) is int and abs(value) <= LARGEST else _wrong(value, kind, at)
    return _is(value, kind, kind, at)


def _one_of(value: Any, kinds: Sequence[Any], at: str) -> Any:
    inner: _Mismatch | None = None
    for kind in kinds:
        try:
            return _typed(value, kind, at)
        except _Mismatch as error:
            inner = error if error.at != (at or "the whole") else inner  # what is wrong inside says more
    raise inner or _Mismatch(at, _expected(kinds), value)


def _table(value: Any, kind: Any, at: str) -> dict[str, Any]:
    found, needed = dict(_is(value, dict, kind, at)), kind.__required_keys__
    for name, of in _hints(kind).items():
        if name in found:
            found[name] = _typed(found[name], of, f"{at}.{name}" if at else name)
        elif name in needed:
            raise _Mismatch(f"{at}.{name}" if at else name, _expected([of]), MISSING)
    return found


def _made(value: Any, kind: Any, at: str) -> Any:
    if isinstance(value, kind):
        return value
    found, known = _is(value, dict, kind, at), {field.name: field for field in fields(kind) if field.init}
    for name in found:
        if name not in known:
            raise _Mismatch(f"{at}.{name}" if at else name, "no such setting", found[name])
    for name, field in known.items():
        if name not in found and field.default is MISSING and field.default_factory is MISSING:
            raise _Mismatch(f"{at}.{name}" if at else name, _expected([_hints(kind)[name]]), MISSING)
    return kind(**{name: _typed(entry, _hints(kind)[name], f"{at}.{name}" if at else name) for name, entry in found.items()})


def _several(value: Any, kind: Any, at: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if not isinstance(value, (list, tuple)):
        _wrong(value, kind, at)
    if origin is tuple and not (len(inner) == 2 and inner[1] is ...):
        if len(value) != len(inner):
            _wrong(value, kind, at)
        return tuple(_typed(entry, of, f"{at}[{k}]") for k, (entry, of) in enumerate(zip(value, inner, strict=True)))
    found = [_typed(entry, inner[0], f"{at}[{k}]") for k, entry in enumerate(value)]
    return found if origin is list else tuple(found)


def _number(value: Any, at: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _wrong(value, float, at)
    if (isinstance(value, int) and abs(value) > 10**300) or not math.isfinite(value):
        _wrong(value, float, at)
    return float(value)


def _is(value: Any, of: type, kind: Any, at: str) -> Any:
    return value if isinstance(value, of) else _wrong(value, kind, at)


def _wrong(value: Any, kind: Any, at: str) -> NoReturn:
    raise _Mismatch(at, _expected([kind]), value)


def _expected(kinds: Sequence[Any]) -> str:
    names = []
    for kind in kinds:
        origin = get_origin(kind)
        if origin is Literal:
            names += [f"'{word}'" for word in get_args(kind)]
        elif origin in (Union, types.UnionType):
            names.append(_expected(get_args(kind)))
        else:
            names.append(NAMES.get(kind, "a list" if origin in (list, tuple, Sequence) else "an object"))
    return " or ".join(dict.fromkeys(names))


def _name_of(value: Any) -> str:
    if value is MISSING:
        return "missing"
    if (isinstance(value, float) and not math.isfinite(value)) or (type(value) is int and abs(value) > LARGEST):
        return "a number out of range"
    if isinstance(value, str):
        return "text" if len(value) > 20 else f"'{value}'"
    return NAMES.get(type(value), "a list" if isinstance(value, (list, tuple)) else "an object")


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return {name: of for name, of in get_type_hints(kind).items() if get_origin(of) is not ClassVar}
