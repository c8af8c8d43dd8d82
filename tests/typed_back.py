"""What a letter says to try, typed back: commands that the parser takes, options that the command has.

    try     bifilar check LOG --write-mapping log.toml, then --mapping log.toml
            |___________ a command, parsed ___________|       |_ an option of the command that was typed

A verb alone inside a sentence ('bifilar fit' wrote) only has to exist. Where the remedy begins with an option, it is put into
the command that was typed, in place of what stood there, and that is parsed as well.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from importlib import import_module
from typing import get_type_hints

from bifilar.cli import VERBS
from bifilar.cli.options import is_positional
from bifilar.cli.settings import parse
from bifilar.errors import BifilarError

COMMAND = re.compile(r"'bifilar (?P<quoted>[^']+)'|\bbifilar (?P<plain>(?:'[^']*'|[^,;:()']|[,:](?! |$))+)")
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
VALUE = re.compile(r"[\d=.+/*]|^[A-Z-]")  # what is a value, not a word of the sentence
EVERYWHERE = {"settings", "help"}


def options_of(verb: str) -> set[str]:
    """All options of a command."""
    settings = import_module(f"bifilar.cli.{verb.replace('-', '_')}").Settings
    hints = get_type_hints(settings, include_extras=True)
    named = [field.name for field in fields(settings) if not is_positional(hints[field.name])]
    return EVERYWHERE | {name.replace("_", "-") for name in named}


def refused(words: list[str]) -> str:
    """Why the parser does not take a command; nothing if it does."""
    verb, *rest = words
    if verb == "--help":
        return ""
    if verb not in VERBS:
        return f"there is no command '{verb}'"
    if "--settings" in rest or "--help" in rest:  # files are not here to be read
        return "" if set(OPTION.findall(" ".join(rest))) <= options_of(verb) else f"{verb} has no such option"
    try:
        parse(import_module(f"bifilar.cli.{verb.replace('-', '_')}"), verb, rest)
    except BifilarError as error:
        return error.what
    return ""


def complaints(typed: list[str], remedy: str) -> list[str]:
    """What is wrong with a remedy for a command that was typed."""
    found = []
    for match in COMMAND.finditer(remedy):
        words = shlex.split(match["quoted"] or match["plain"])
        prose = match["plain"] and match.start() > 0 and words[0] not in (*VERBS, "--help")  # "install bifilar again"
        mentioned = match.start() > 0 and ((words[0] in VERBS and len(words) == 1) or words == ["walk", "fit"])
        if not prose and not mentioned and (why := refused(words)):
            found.append(f"bifilar {shlex.join(words)}: {why}")
    verb = typed[0] if typed and typed[0] in VERBS else None
    if verb is None:
        return found
    sentence = COMMAND.sub("", remedy)
    found += [f"{verb} has no --{name}" for name in OPTION.findall(sentence) if name not in options_of(verb)]
    if not found and remedy.startswith("--") and not refused(typed) and (why := refused(_instead(typed, remedy))):
        found.append(f"{shlex.join(_instead(typed, remedy))}: {why}")
    return found


def _instead(typed: list[str], remedy: str) -> list[str]:
    """The typed command with the option that the remedy begins with, in place of its own."""
    option, *others = shlex.split(re.split(r"[,;:()](?: |$)", remedy)[0])
    values = []
    for word in others:
        if not VALUE.search(word):
            break
        values.append(word)
    if not values and option.removeprefix("--") in _with_values(typed[0]):
        return typed  # only named, as "--lock holds joints that stay still"
    kept, inside = [], False
    for word in typed:
        inside = word == option or (inside and not re.match(r"--?[a-z]", word))
        kept += [] if inside else [word]
    return [*kept, option, *values]


def _with_values(verb: str) -> set[str]:
    settings = import_module(f"bifilar.cli.{verb.replace('-', '_')}").Settings
    return {field.name.replace("_", "-") for field in fields(settings) if not isinstance(field.default, bool)}
