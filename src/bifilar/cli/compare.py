"""`bifilar compare RUN1 RUN2`: two runs side by side, in the terminal and on a page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from bifilar import __version__
from bifilar.cli.letter import json_text
from bifilar.cli.output import Column, complete_table, heading, next_step, patience, show, typed_command, words

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bifilar.report.run import Run

SUMMARY = """Two runs side by side: verdicts, torque errors joint by joint, and parameters that differ beyond their error bars.

Writes a page as well. Exit code 0 whichever is better."""
EXAMPLES = """\
  bifilar compare runs/arm-001 runs/arm-002                     a table here, and compare.html
  bifilar compare runs/arm-001 runs/arm-002 --json --no-page    for a program
"""
SHOWN = 10  # parameters in the terminal


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which runs.

    >>> Settings(first="runs/a", second="runs/b").output
    'compare.html'
    """

    first: Annotated[Positional[str], arg(metavar="RUN1")]  # folder that 'bifilar fit' wrote
    second: Annotated[Positional[str], arg(metavar="RUN2")]  # another
    output: Annotated[str, arg(metavar="FILE", aliases=["-o"])] = "compare.html"  # page to write
    no_page: Annotated[bool, arg(help_behavior_hint="")] = False  # no HTML page
    force: Annotated[bool, arg(help_behavior_hint="")] = False  # replace a page that exists
    json: Annotated[bool, arg(help_behavior_hint="")] = False  # one JSON object instead of text


def run(settings: Settings) -> int:
    """Compare, and write the page.

    >>> run(Settings(first="nowhere", second="nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    from bifilar.cli.design_files import may_be_written
    from bifilar.cli.fit_folder import about_run
    from bifilar.cli.log_words import page_of as page_named
    from bifilar.cli.report_run import stored_run
    from bifilar.report.compare_page import compare_page

    for name in (settings.first, settings.second):
        about_run(Path(name))
    target = None if settings.no_page else page_named(settings.output)
    if target is not None:
        may_be_written([target], force=settings.force)
    with patience("reading both"):
        runs = stored_run(settings.first), stored_run(settings.second)
        if target is not None:
            compare_page(runs, f"Made by bifilar {__version__}.").save(target)
    if settings.json:
        sys.stdout.write(json_text({**_facts(runs), "file": None if target is None else str(target)}))
    else:
        after = [next_step(typed_command("bifilar", "report", settings.second))] if target is None else []
        show([*_view(runs, target), *after])
    return 0


def _facts(runs: tuple[Run, Run]) -> dict[str, Any]:
    from bifilar.report.sections.compare_errors import error_rows
    from bifilar.report.sections.compare_parameters import differences
    from bifilar.report.sections.compare_verdicts import better, same_judge

    keys = ("joint", "description", "first", "second")
    return {
        "bifilar": __version__,
        "runs": [{"folder": run.folder, "verdict": run.verdict.facts()} for run in runs],
        "summary": better(runs),
        "judged_on_the_same": same_judge(runs),
        "joints": [dict(zip(keys, row)) for row in error_rows(runs)],
        "parameters": [{**d._asdict(), "apart": d.apart} for d in differences(runs)],
    }


def _view(runs: tuple[Run, Run], target: Path | None) -> Iterator[RenderableType]:
    from bifilar.report.sections.compare_errors import error_rows
    from bifilar.report.sections.compare_parameters import difference_words, differences
    from bifilar.report.sections.compare_verdicts import better, fact_rows, same_judge
    from bifilar.report.ticks import percent, short

    yield words(better(runs), "bold")
    if not same_judge(runs):
        yield words("They were judged on different motions: errors are not strictly comparable.", "yellow")
    yield words("")
    _, *facts = fact_rows(runs)
    titles = [Column(run.folder, "wrapped") for run in runs]
    yield from complete_table([Column("", "name"), *titles], facts)
    if rows := error_rows(runs):
        yield heading("Torque missing on unseen motion")
        told = [[name, *(percent(x) for x in (was, a, b))] for name, was, a, b in rows]
        head = [Column("joint", "name"), Column("description", "number"), *(Column(r.folder, "number") for r in runs)]
        yield from complete_table(head, told)
    found = differences(runs)
    yield heading("Base parameters")
    yield words(difference_words(found))
    numbers = ((d.first, d.first_deviation, d.second, d.second_deviation) for d in found[:SHOWN])
    told = [[d.name, *map(short, four), f"{d.apart:.1f}"] for d, four in zip(found, numbers)]
    columns = [Column("parameter", "name"), *(Column(t, "number") for r in runs for t in (r.folder, "±"))]
    yield from complete_table([*columns, Column("apart", "number")], told)
    if target is not None:
        yield words("")
        yield words(f"wrote    {target}")
        yield words("next     open it in a browser: a double click is enough")
