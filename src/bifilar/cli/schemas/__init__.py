"""The JSON Schemas of what commands print with --json."""

from __future__ import annotations

from typing import Any

from bifilar.cli.schemas.kinds import Kind, record, shared


def schema_of(verb: str) -> Kind:
    """The schema (draft 2020-12) of what a command prints with --json: its result, or an error.

    >>> schema = schema_of("convert")
    >>> schema["title"], list(schema["$defs"])
    ('bifilar convert --json', ['error'])
    """
    from bifilar import __version__
    from bifilar.cli import VERBS
    from bifilar.cli.schemas.definitions import SHARED
    from bifilar.cli.schemas.verbs import RESULTS

    results = [*RESULTS[verb], record({"error": shared("error")}, "the command was refused, or failed")]
    used: list[str] = []
    waiting = _named(results)
    while waiting:
        name = waiting.pop(0)
        if name not in used:
            used.append(name)
            waiting += _named(SHARED[name])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:bifilar:{__version__}:{verb}",
        "title": f"bifilar {verb} --json",
        "description": f"{VERBS[verb]}. A number that is not finite or not known is null; units are SI with radians.",
        "anyOf": results,
        "$defs": {name: SHARED[name] for name in SHARED if name in used},
    }


def _named(part: Any) -> list[str]:
    """Definitions that a part of a schema refers to."""
    if isinstance(part, list):
        return [name for each in part for name in _named(each)]
    if not isinstance(part, dict):
        return []
    own = [part["$ref"].rpartition("/")[2]] if isinstance(part.get("$ref"), str) else []
    return [*own, *(name for each in part.values() for name in _named(each))]
