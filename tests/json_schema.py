"""A small validator of JSON Schema, for the keywords that our schemas use; any other keyword is refused.

`problems(value, schema)` are the places where a value breaks a schema. `strict` also names keys that the schema does not
mention: published schemas let them pass, but what bifilar prints today shall be described.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

META = {"$schema", "$id", "$defs", "title", "description"}
KINDS: dict[str, Callable[[Any], bool]] = {
    "string": lambda x: isinstance(x, str),
    "boolean": lambda x: isinstance(x, bool),
    "integer": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool) and float(x).is_integer(),
    "number": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool),
    "null": lambda x: x is None,
    "array": lambda x: isinstance(x, list),
    "object": lambda x: isinstance(x, dict),
}


def problems(value: Any, schema: dict[str, Any], strict: bool = False) -> list[str]:
    """What is wrong with a value, each with its place."""
    return list(_problems(value, schema, schema.get("$defs", {}), "", strict))


def _problems(value: Any, schema: dict[str, Any], defs: dict[str, Any], at: str, strict: bool) -> Iterator[str]:
    parts = list(_all(schema, defs))
    for part in parts:
        strange = set(part) - META - {"type", "enum", "items", "properties", "required", "additionalProperties", "anyOf"}
        assert not strange, f"the validator does not know {strange}"
        kinds = part.get("type", list(KINDS))
        if not any(KINDS[kind](value) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
            yield f"{at or 'all'}: {str(value)[:60]!r} is not {kinds}"
            return
        if "enum" in part and value not in part["enum"]:
            yield f"{at}: {value!r} is not one of {part['enum']}"
        if "anyOf" in part:
            each = [list(_problems(value, one, defs, at, strict)) for one in part["anyOf"]]
            if all(each):
                yield from min(each, key=len)
        if isinstance(value, list) and "items" in part:
            for k, item in enumerate(value):
                yield from _problems(item, part["items"], defs, f"{at}[{k}]", strict)
        if isinstance(value, dict):
            yield from (f"{at}.{key} is missing" for key in part.get("required", ()) if key not in value)
            for key, item in value.items():
                if key in part.get("properties", {}):
                    yield from _problems(item, part["properties"][key], defs, f"{at}.{key}", strict)
                elif "additionalProperties" in part:
                    yield from _problems(item, part["additionalProperties"], defs, f"{at}.{key}", strict)
    if strict and isinstance(value, dict) and any("properties" in part for part in parts):
        known = {key for part in parts for key in part.get("properties", {})}
        yield from (f"{at}.{key} is not described" for key in value if key not in known)


def _all(schema: dict[str, Any], defs: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and everything that holds beside it: what it refers to, and all of `allOf`."""
    yield {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}
    if "$ref" in schema:
        yield from _all(defs[schema["$ref"].removeprefix("#/$defs/")], defs)
    for each in schema.get("allOf", ()):
        yield from _all(each, defs)
