"""Errors as a person reads them, and JSON as a program reads it. Nothing here needs more than Python itself."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import textwrap
from typing import Any

from bifilar.errors import BifilarError, Remedy


def plain(text: str) -> str:
    """A text from a file as a terminal may show it: control characters and the like are spelt out.

    >>> print(plain("arm\\x1b[31m"))
    arm\\x1b[31m
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


def counted(count: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "joint"), counted(2, "joint")
    ('1 joint', '2 joints')
    """
    return f"{count} {word}{'' if count == 1 else 's'}"


def as_typed(letter: BifilarError, verb: str = "") -> BifilarError:
    """The letter with a remedy that can be typed behind this command; its help, where there is none.

    >>> as_typed(BifilarError("no noise", remedy=Remedy("give noise=...", cli="--noise in N m"))).remedy
    '--noise in N m'
    >>> as_typed(BifilarError("no rows"), "fit").remedy
    'bifilar fit --help'
    """
    module = sys.modules.get(f"bifilar.cli.{verb.replace('-', '_')}")
    settings = getattr(module, "Settings", None)
    fields = getattr(settings, "__dataclass_fields__", None)
    options = None if fields is None else {f"--{name.replace('_', '-')}" for name in fields}
    typed = Remedy.of(letter.remedy).typed(options)
    letter.remedy = typed or (f"bifilar {verb} --help" if verb else "bifilar --help")
    return letter


def letter_text(letter: BifilarError, width: int = 100) -> str:
    """The letter, wrapped.

    >>> print(letter_text(BifilarError("no robot", remedy="name one")))
    BifilarError: no robot
      try     name one
    """
    facts = [("where", letter.where), *letter.listed().items(), ("likely", letter.likely), ("try", letter.remedy)]
    parts = [(plain(name), _one_line(str(value))) for name, value in facts if str(value)]
    margin = max([7, *(len(name) for name, _ in parts)])
    lines = textwrap.wrap(f"{type(letter).__name__}: {_one_line(letter.what)}", width, subsequent_indent="  ")
    for name, value in parts:
        first, next_ = f"  {name:<{margin}} ", " " * (margin + 3)
        wrapper = textwrap.TextWrapper(width, first, next_, break_long_words=False, break_on_hyphens=False)
        lines += wrapper.wrap(value)  # paths and commands stay whole and can be copied
    return "\n".join(lines)


def print_letter(letter: BifilarError) -> None:
    """The letter on stderr, its first line red in a terminal.

    >>> print_letter(BifilarError("no robot"))
    """
    width = max(40, min(120, shutil.get_terminal_size((100, 24)).columns))
    text = letter_text(letter, width)
    if sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        head, colon, rest = text.partition(":")
        text = f"\x1b[1;31m{head}{colon}\x1b[0m{rest}"
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:  # nobody listens
        pass


def json_text(value: Any) -> str:
    """One JSON object with a line end; what is not a finite number is null.

    >>> print(json_text({"limit": float("inf")}), end="")
    {
      "limit": null
    }
    """
    return json.dumps(_finite(value), indent=2, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value


def _one_line(text: str) -> str:
    return plain(" ".join(text.split("\n")))
