"""`bifilar datasets [NAME]`: public recordings and models by name, what is known about them, where they come from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from bifilar.cli.letter import json_text
from bifilar.cli.options import JsonOutput
from bifilar.cli.output import Column, complete_table, heading, next_step, show, words
from bifilar.recording.datasets import Dataset, describe, names

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

SUMMARY = """Public recordings and models by name.

Files are looked for in the folder named by BIFILAR_DATA, then in the user's cache, else downloaded. Checksums are compared."""
EXAMPLES = """\
  bifilar datasets                     all of them
  bifilar datasets panda_gaz           licence, citation, runs, and what is treacherous about it
  bifilar check panda_gaz              look at one
  bifilar fit panda_gaz:robot panda_gaz    identify the robot that was recorded
  bifilar convert kuka_lwr4:2 lwr.parquet  the second run of several
"""
ONE_WORD = "datasets takes one name at a time"


@dataclass(frozen=True, kw_only=True)
class Settings(JsonOutput):
    """Which set to describe; all if none is named.

    >>> Settings().name is None
    True
    """

    name: Annotated[Positional[str | None], arg(metavar="NAME")] = None  # of a set; without it, all are listed


def run(settings: Settings) -> int:
    """List all sets, or describe one.

    >>> run(Settings(name="sarcos"))
    sarcos: Sarcos arm, inferred
    ...
    0
    """
    chosen = [describe(settings.name)] if settings.name is not None else [describe(name) for name in names()]
    if settings.json:
        sys.stdout.write(json_text({"datasets": [facts(each) for each in chosen]}))
    elif settings.name is not None:
        show(_one(chosen[0]))
    else:
        show(_all(chosen))
    return 0


def facts(known: Dataset) -> dict[str, Any]:
    """What `--json` says of a set.

    >>> facts(describe("sarcos"))["kind"]
    'model'
    """
    kept = {word: getattr(known, word) for word in ("name", "title", "kind", "licence", "citation", "repository")}
    files = [{"name": file.name, "sha256": file.sha256, "address": file.address} for file in known.files]
    return {**kept, "notes": list(known.notes), "runs": list(known.runs), "scored": dict(known.scored), "files": files}


def _one(known: Dataset) -> Iterator[RenderableType]:
    for line in str(known).splitlines():
        yield words(line)
    yield heading("To use it")
    command, *others = _uses(known)
    yield from (words(line) for line in others)
    yield heading("Files")
    titles = [Column("", "name"), Column("sha256", drop=2), Column("from", "name", drop=1)]
    yield from complete_table(
        titles, [[words(f.name), f.sha256[:16], words(f.address or "no known address")] for f in known.files]
    )
    yield next_step(command)


def _uses(known: Dataset) -> list[str]:
    """What to type next, and in Python."""
    if known.kind != "recording":
        verb = "problem" if known.kind == "problem" else "robot"
        return ["bifilar datasets", f'bf.datasets.{verb}("{known.name}")     in Python']
    log = f"{known.name}:{known.runs[-1]}" if known.runs else known.name
    call = f'"{known.name}", "{known.runs[-1]}"' if known.runs else f'"{known.name}"'
    beside = f' and bf.datasets.robot("{known.name}")' if known.content.get("robot") else ""
    typed = [f"bifilar fit {known.name}:robot {log}     on the command line"] if known.content.get("robot") else []
    return [f"bifilar check {log}", *typed, f"bf.datasets.load({call}){beside}     in Python"]


def _all(sets: list[Dataset]) -> Iterator[RenderableType]:
    titles = [Column("name", "name"), Column("kind"), Column("runs", "number", drop=2), Column("licence", "name", drop=1)]
    rows: list[list[str | Text]] = [
        [words(each.name), each.kind, str(max(len(each.runs), 1)) if each.kind == "recording" else "", words(each.licence),
         words(each.title)] for each in sets
    ]  # fmt: skip
    yield from complete_table([*titles, Column("", "wrapped", least=24)], rows)
    yield next_step("bifilar datasets panda_gaz")
