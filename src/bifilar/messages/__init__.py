"""The catalogue: every sentence that bifilar says about a code, in one place.

A call site gives a key and facts, `RobotError("joint.unknown", name="elbw", joints=robot.joint_names)`; an entry of a module
of this package gives the sentences. A key is a code, or a code and a variant where one code has several sentences
("file.missing/robot"). Nothing here is loaded before a sentence is shown.

In a template stands `{fact}` or `{fact:.3g}`, as in Python, and four more:

    {1e3*delay:.3g}       a number in another unit
    {names:join}          a list, 'a, b'; {speeds:join.3g} with a format, {names:join| or } with another separator
    {names:quoted}        a list of names in quotes, "'a', 'b'"; {names:quoted| or } likewise
    {count:one=|s}        '' if the number is 1, else 's'

A likely cause or a remedy is left out if one of its facts is None or an empty list; of several in a tuple the first is taken
whose facts are not.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple


class Message(NamedTuple):
    """The sentences of one key.

    >>> entry = Message("no joint '{name}'", likely="a misspelling of {near:quoted| or }", listed=("joints",))
    >>> rendered(entry.what, {"name": "elbw"}), chosen(entry.likely, {"near": ["elbow"]}), chosen(entry.likely, {"near": []})
    ("no joint 'elbw'", "a misspelling of 'elbow'", '')
    """

    what: str
    likely: str | tuple[str, ...] = ""
    remedy: str | tuple[str, ...] = ""  # as Python's user reads it
    cli: str = ""  # the same for the command line, if that differs
    lead: str = ""  # words that both spellings begin with
    needs: tuple[str, ...] = ()  # options that `cli` names; a command without them says `otherwise`
    otherwise: str = ""
    listed: tuple[str, ...] = ()  # facts that an error lists below its sentence, one per line


@cache
def catalogue() -> dict[str, Message]:
    """Every message by its key.

    >>> catalogue()["memory.full"].what
    'there is not enough memory'
    """
    from pkgutil import iter_modules

    found: dict[str, Message] = {}
    for module in iter_modules(__path__):
        found |= import_module(f"{__name__}.{module.name}").MESSAGES
    return found


def message(key: str) -> Message | None:
    """The message of a key; None: there is none.

    >>> message("no.such_code") is None
    True
    """
    return catalogue().get(key)


def rendered(template: str, facts: Mapping[str, Any]) -> str:
    """A template with its facts; a fact that is missing shows as '?', because a message must never fail.

    >>> facts = {"count": 2, "names": ["a", "b"], "late": 0.005}
    >>> rendered("{count} joint{count:one=|s} of {names:quoted}, {1e3*late:.3g} ms", facts)
    "2 joints of 'a', 'b', 5 ms"
    """
    return _FORMATTER.vformat(template, (), facts)


def chosen(templates: str | tuple[str, ...], facts: Mapping[str, Any]) -> str:
    """The first template whose facts are all there, none an empty list, with them; '' if there is none.

    >>> chosen(("a misspelling of {near:quoted}", "known are {known:join}"), {"near": [], "known": ["a", "b"]})
    'known are a, b'
    """
    for template in (templates,) if isinstance(templates, str) else templates:
        if not any(_empty(facts.get(name)) for name in placeholders(template)):
            return rendered(template, facts)
    return ""


def placeholders(template: str) -> set[str]:
    """Names of the facts of a template.

    >>> sorted(placeholders("{1e3*late:.3g} ms at {joint!r}"))
    ['joint', 'late']
    """
    return {name.rpartition("*")[2] for _, name, _, _ in string.Formatter().parse(template) if name}


def joined(value: Any, form: str = "", separator: str = ", ") -> str:
    """A list in words; anything else as it is.

    >>> joined(["a", "b"]), joined(3.14159, ".3g")
    ('a, b', '3.14')
    """
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    return separator.join(format(each, form) for each in value) if several else format(value, form)


def _empty(value: Any) -> bool:
    return value is None or (not isinstance(value, str) and hasattr(value, "__len__") and len(value) == 0)


class _Formatter(string.Formatter):
    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        factor, _, name = field_name.rpartition("*")
        value = kwargs.get(name, "?")
        return (float(factor) * value if factor and value != "?" else value), name

    def format_field(self, value: Any, format_spec: str) -> str:
        kind, _, rest = format_spec.partition("=" if format_spec.startswith("one=") else "|")
        try:
            if kind == "one":
                single, _, several = rest.partition("|")
                return single if value == 1 else several
            if kind.startswith(("join", "quoted")):
                separator = rest or ", "
                values = [value] if isinstance(value, str) else value
                if kind == "quoted":
                    return joined([f"'{each}'" for each in values], "", separator)
                return joined(values, kind[4:], separator)
            return format(value, format_spec)
        except (TypeError, ValueError):  # a fact of another kind than the template expects is still shown
            return str(value)


_FORMATTER = _Formatter()
