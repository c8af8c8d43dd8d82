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
from bifilar.cli.options import PagedOutput, written
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
OWN = ("first's description", "first", "second's description", "second")  # where the descriptions differ
SHOWN = 10  # parameters in the terminal


@dataclass(frozen=True, kw_only=True)
class Settings(PagedOutput):
    """Which runs.

    >>> Settings(first="runs/a", second="runs/b").no_page
    False
    """

    first: Annotated[Positional[str], arg(metavar="RUN1")]  # folder that 'bifilar fit' wrote
    second: Annotated[Positional[str], arg(metavar="RUN2")]  # another
    output: Annotated[str | None, written("PAGE", "(default: compare.html)")] = None
    """page to write; where none is named, one that exists is kept: compare-2.html"""


def run(settings: Settings) -> int:
    """Compare, and write the page.

    >>> run(Settings(first="nowhere", second="nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    from bifilar.cli.design_files import free_name, may_be_written
    from bifilar.cli.fit_folder import about_run
    from bifilar.cli.log_words import page_of as page_named
    from bifilar.cli.report_run import stored_run
    from bifilar.report.compare_page import compare_page

    for name in (settings.first, settings.second):
        about_run(Path(name))
    target = None if settings.no_page else page_named(str(free_name(settings.output, "compare.html", force=settings.force)))
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

    return {
        "bifilar": __version__,
        "runs": [{"folder": run.folder, "verdict": run.verdict.facts()} for run in runs],
        "summary": better(runs),
        "judged_on_the_same": same_judge(runs),
        "joints": [row._asdict() for row in error_rows(runs)],
        "parameters": [{**d._asdict(), "apart": d.apart, "dropped": d.dropped} for d in differences(runs)],
    }


def _view(runs: tuple[Run, Run], target: Path | None) -> Iterator[RenderableType]:
    from bifilar.report.sections.compare_errors import error_rows, one_description
    from bifilar.report.sections.compare_parameters import difference_words, differences
    from bifilar.report.sections.compare_verdicts import better, fact_rows, same_judge
    from bifilar.report.ticks import percent

    yield words(better(runs), "bold")
    if not same_judge(runs):
        yield words("They were judged on different motions: errors are not strictly comparable.", "yellow")
    yield words("")
    yield from (words(f"{name:<9}{run.folder}") for name, run in zip(("first", "second"), runs))
    yield words("")
    _, *facts = fact_rows(runs)
    yield from complete_table([Column("", "wrapped"), Column("first", "wrapped"), Column("second", "wrapped")], facts)
    if rows := error_rows(runs):
        yield heading("Torque missing on unseen motion")
        titles = ("description", "first", "second") if one_description(rows) else OWN
        told = [
            [row.joint, *(percent(getattr(row, title.replace("first's ", "").replace("'s ", "_"))) for title in titles)]
            for row in rows
        ]
        yield from complete_table([Column("joint", "name"), *(Column(title, "number") for title in titles)], told)
    found = differences(runs)
    yield heading("Base parameters")
    yield words(difference_words(found))
    columns = [Column("parameter", "name"), *(Column(title, "number") for title in ("first", "±", "second", "±", "apart"))]
    yield from complete_table(columns, [d.cells() for d in found[:SHOWN]])
    if target is not None:
        yield words("")
        yield words(f"wrote    {target}")
        yield words("next     open it in a browser: a double click is enough")
