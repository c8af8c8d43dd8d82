"""`bifilar schema [COMMAND]`: the JSON Schema of what a command prints with --json."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from bifilar.cli import VERBS
from bifilar.cli.friction_words import Words
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.options import JsonOutput
from bifilar.cli.output import Column, complete_table, next_step, show, words
from bifilar.cli.schemas import schema_of

SUMMARY = """The JSON Schema (draft 2020-12) of what a command prints with --json.

Keys that a schema requires are always there. Objects may have further keys: ignore those that you do not know."""
EXAMPLES = """\
  bifilar schema                       commands that have --json: all of them
  bifilar schema fit                   the schema of 'bifilar fit ... --json'
  bifilar schema fit > fit.schema.json   to validate with, or to generate types from
"""
ONE_WORD = "schema takes one command at a time"


@dataclass(frozen=True, kw_only=True)
class Settings(JsonOutput):
    """Which command; all are listed if none is named.

    >>> Settings(command="fit").json
    False
    """

    command: Annotated[Positional[str | None], arg(metavar="COMMAND", help_behavior_hint=""), Words(tuple(VERBS))] = None
    """whose output is described; without it, all are listed"""


def run(settings: Settings) -> int:
    """Print the schema of a command, or list the commands.

    >>> run(Settings(command="convert"))
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
    ...
    0
    """
    if settings.command is not None:
        sys.stdout.write(json_text(schema_of(_known(settings.command))))
    elif settings.json:
        sys.stdout.write(json_text({"commands": VERBS}))
    else:
        rows = [[words(verb), words(about)] for verb, about in VERBS.items()]
        lines = complete_table([Column("command"), Column("what --json tells", "wrapped")], rows)
        show([*lines, words(""), next_step("bifilar schema fit")])
    return 0


def _known(command: str) -> str:
    from difflib import get_close_matches

    if command in VERBS:
        return command
    near = get_close_matches(command.lower(), VERBS, 1, 0.5)
    raise UsageError(
        "usage.command_unknown/schema" if near else "usage.command_unknown/known",
        commands=VERBS,
        command=command,
        near=near[:1],
    )
