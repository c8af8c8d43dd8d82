"""Pieces of JSON Schema (draft 2020-12), so that a schema reads like the object it describes.

    record({"name": text("of the joint"), "rmse": number("[N m]"), "still": many(text())}, optional={"r2": number()})

Every `number` may be null: JSON has no infinity, so what is not finite or not known is null. Keys of a record are required
unless they are optional, and objects may have further keys: a program that reads them shall not break when one is added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Kind = dict[str, Any]


def text(about: str = "") -> Kind:
    """A text.

    >>> text("of the joint")
    {'type': 'string', 'description': 'of the joint'}
    """
    return _with(about, {"type": "string"})


def number(about: str = "") -> Kind:
    """A number; null if it is not finite or not known.

    >>> number()
    {'type': ['number', 'null']}
    """
    return _with(about, {"type": ["number", "null"]})


def count(about: str = "") -> Kind:
    """A whole number.

    >>> count()
    {'type': 'integer'}
    """
    return _with(about, {"type": "integer"})


def flag(about: str = "") -> Kind:
    """True or false.

    >>> flag()
    {'type': 'boolean'}
    """
    return _with(about, {"type": "boolean"})


def anything(about: str = "") -> Kind:
    """Whatever it is: no promise is made.

    >>> anything("settings of the term")
    {'description': 'settings of the term'}
    """
    return _with(about, {})


def word(*choices: str, about: str = "") -> Kind:
    """One of these texts.

    >>> word("good", "poor")
    {'enum': ['good', 'poor']}
    """
    return _with(about, {"enum": list(choices)})


def many(kind: Kind, about: str = "") -> Kind:
    """A list of one kind.

    >>> many(count(), "of harmonics")
    {'type': 'array', 'items': {'type': 'integer'}, 'description': 'of harmonics'}
    """
    return _with(about, {"type": "array", "items": kind})


def by_name(kind: Kind, about: str = "") -> Kind:
    """An object whose keys are names, of joints or the like, and whose values are of one kind.

    >>> by_name(count())
    {'type': 'object', 'additionalProperties': {'type': 'integer'}}
    """
    return _with(about, {"type": "object", "additionalProperties": kind})


def record(kinds: Mapping[str, Kind], about: str = "", *, optional: Mapping[str, Kind] | None = None) -> Kind:
    """An object with these keys; those of `optional` need not be there.

    >>> record({"name": text()}, optional={"unit": text()})["required"]
    ['name']
    """
    both = {**kinds, **(optional or {})}
    return _with(about, {"type": "object", "properties": both, "required": list(kinds)})


def maybe(kind: Kind, about: str = "") -> Kind:
    """The kind, or null.

    >>> maybe(text())
    {'anyOf': [{'type': 'string'}, {'type': 'null'}]}
    """
    return _with(about, {"anyOf": [kind, {"type": "null"}]})


def either(*kinds: Kind, about: str = "") -> Kind:
    """One of several kinds.

    >>> either(text(), count())
    {'anyOf': [{'type': 'string'}, {'type': 'integer'}]}
    """
    return _with(about, {"anyOf": list(kinds)})


def shared(name: str, about: str = "") -> Kind:
    """A definition of `bifilar.cli.schemas.definitions`.

    >>> shared("finding")
    {'$ref': '#/$defs/finding'}
    """
    return _with(about, {"$ref": f"#/$defs/{name}"})


def _with(about: str, kind: Kind) -> Kind:
    return {**kind, "description": about} if about else kind
