"""From words to settings: tyro reads the dataclass of a verb, its complaints become letters like every other error."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import textwrap
from dataclasses import fields, replace
from itertools import pairwise
from types import ModuleType
from typing import Any

from bifilar.cli.exchanged import is_log, is_robot
from bifilar.cli.guard import UsageError
from bifilar.cli.options import as_stated, resolved
from bifilar.cli.output import console, typed_command
from bifilar.cli.settings_file import default_of, read_settings, taken_out, without_negations

EVERYWHERE = "  --settings FILE   a .toml file with any of these, such as: json = true; what is typed wins"
BELOW = " " * 6  # before what an example is for, where it has no room beside it
_FRAME = re.compile(r"^[│|╭╰+]|[│|╮╯+]\s*$")


def parse(verb_module: ModuleType, verb: str, words: list[str]) -> Any:
    """The settings of a verb from the words after it; None if its help was asked for and shown.

    >>> from bifilar.cli import doctor
    >>> parse(doctor, "doctor", ["--warm"])
    Settings(json=False, warm=True, tidy=False)
    """
    if any(word in ("-h", "--help") for word in words):
        _help(verb_module, verb)
        return None
    words, file = taken_out(words)
    settings = resolved(verb_module.Settings)
    _refuse_bare(settings, words, f"bifilar {verb} --help")
    words = _gathered(settings, words)
    if file is None:
        return as_stated(verb_module.Settings, _parsed(verb_module, verb, words))
    from bifilar.cli import VERBS

    given = read_settings(file, settings, verb, VERBS)
    words, flags = without_negations(words, given)
    found = _parsed(verb_module, verb, words, default=default_of(settings, given))
    return replace(as_stated(verb_module.Settings, found), **dict.fromkeys(flags, True))


def _help(verb_module: ModuleType, verb: str) -> None:
    """Examples first, then tyro's list of options, then what holds for every command."""
    sys.stdout.write(f"{narrowed(verb_module.EXAMPLES, console().options.max_width)}\n")
    with contextlib.suppress(SystemExit):
        _cli(verb_module, verb, ["--help"])
    sys.stdout.write(f"{narrowed(EVERYWHERE, console().options.max_width)}\n")


def narrowed(examples: str, width: int) -> str:
    """Examples in so many columns: what a command is for goes below it where both have no room side by side.

    >>> print(narrowed("  bifilar fit arm.urdf run.csv --test other.csv     fit one log, judge on another", 60))
      bifilar fit arm.urdf run.csv --test other.csv
          fit one log, judge on another
    """
    lines: list[str] = []
    for line in examples.split("\n"):
        command, about = (re.split(r" {3,}", line.strip(), maxsplit=1) + [""])[:2]
        if line.startswith(BELOW):  # goes on with what the command above is for
            command, about = "", line.strip()
        if len(line) <= width or not about:
            lines.append(line)
        else:
            lines += [f"  {command}"] if command else []
            lines += textwrap.wrap(about, width, initial_indent=BELOW, subsequent_indent=BELOW)
    return "\n".join(lines)


def _parsed(verb_module: ModuleType, verb: str, words: list[str], **more: Any) -> Any:
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return _cli(verb_module, verb, words, **more)
    except SystemExit:
        letter = complaint(said.getvalue(), f"bifilar {verb} --help")
        if letter.code == BARE_WORD:
            letter.likely = getattr(verb_module, "ONE_WORD", "")
            if (meant := _meant(verb, words)) is not None:
                letter.likely, letter.remedy = "a robot is named by --robot", meant
        raise letter from None


def _meant(verb: str, words: list[str]) -> str | None:
    """`check arm.urdf run.csv`, in either order, as it is typed."""
    bare = words[:2]
    robots, logs = [word for word in bare if is_robot(word)], [word for word in bare if is_log(word)]
    if verb != "check" or len(robots) != 1 or len(logs) != 1:
        return None
    return typed_command("bifilar", verb, *logs, "--robot", *robots, *words[2:])


def _cli(verb_module: ModuleType, verb: str, words: list[str], **more: Any) -> Any:
    import tyro

    config = (tyro.conf.FlagCreatePairsOff,)
    about = {"prog": f"bifilar {verb}", "description": verb_module.SUMMARY}
    settings: Any = type(more["default"]) if "default" in more else resolved(verb_module.Settings)
    return tyro.cli(settings, args=words, config=config, **about, **more)


def _refuse_bare(settings: type, words: list[str], remedy: str) -> None:
    """An option that takes a list must be followed by something; tyro would take nothing for an empty list."""
    lists = {f"--{field.name}" for field in fields(settings) if field.default == ()}
    for word, after in zip(words, [*words[1:], "--"]):
        if word in lists and after.startswith("--"):
            raise UsageError("usage.value/settings", word=word, remedy=remedy)


def _gathered(settings: type, words: list[str]) -> list[str]:
    """An option that takes a list may be given twice: tyro would keep the last and silently forget the others."""
    lists = {f"--{field.name.replace('_', '-')}" for field in fields(settings) if field.default == ()}
    words = ["--output" if word == "-o" and "--output" in lists else word for word in words]
    starts = [0, *(k for k, word in enumerate(words) if re.match(r"--?[A-Za-z]", word)), len(words)]
    groups: list[list[str]] = []
    for start, stop in pairwise(starts):
        group = words[start:stop]
        first = next((other for other in groups if group and other and group[0] in lists and other[0] == group[0]), None)
        if first is None:
            groups.append(group)
        else:
            first += group[1:]
    return [word for group in groups for word in group]


UNKNOWN_OPTION, BARE_WORD = "usage.option_unknown", "usage.word_too_many"


def complaint(said: str, remedy: str) -> UsageError:
    """What tyro said in a box, as a letter.

    >>> complaint("╭─ Oops ──╮\\n│ Unrecognized options: --jsn │\\n│ ─────── │\\n│ For full helptext, run x │\\n╰──╯", "x").what
    'Unrecognized options: --jsn'
    """
    lines = [_FRAME.sub("", line).strip() for line in said.splitlines()[1:-1]]
    sections = [" ".join(part.split()) for part in re.split(r"─{4,}|-{8,}", "\n".join(lines))]
    sections = [re.sub(r"\[/?bold\]|`", "", part) for part in sections if part]
    what = sections[0] if sections else " ".join(said.split()) or "the command line was not understood"
    what = _in_words(what)
    near = [part.partition(": ")[2] for part in sections if part.startswith("Perhaps you meant")]
    unknown, _, words = what.partition("Unrecognized options: ")
    key = "usage.refused" if unknown or not words else UNKNOWN_OPTION if words.startswith("-") else BARE_WORD
    return UsageError(key, thing=what, cause=" ".join(near), remedy=remedy)


def _in_words(said: str) -> str:
    """A value that an option does not take, without the words of the library that reads them."""
    option = re.match(r"Error parsing (--[\w-]+|[\w.]+): ", said)
    number = re.search(r"could not convert string to float: '(.*?)'", said)
    whole = re.search(r"invalid literal for int\(\) with base 10: '(.*?)'", said)
    several = re.search(r"Could not find valid parse for arguments: \[(.*?)\]", said)
    choice = re.match(r"invalid choice '(.*?)' for argument '(--[\w-]+)'\. Expected one of \((.*?),?\)", said)
    if choice:
        return f"{choice[2]} '{choice[1]}' is not one of {choice[3].replace(chr(39), '')}"
    if option and (found := number or whole):
        return f"{option[1]} '{found[1]}' is not a {'' if number else 'whole '}number"
    if option and several:
        return f"{option[1]} cannot be read: {several[1].replace(chr(39), '').replace(',', '')}"
    return said
