"""What `bifilar fit` prints: verdict, errors before and after, what is known best and least, files, the next command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bifilar.cli.fit_run import IDENTIFIED, PAGE, Fitted
from bifilar.cli.output import Column, complete_table, heading, words
from bifilar.estimate.estimate import Estimate
from bifilar.validate.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import RenderableType

COLOURS = {"good": "bold green", "usable": "bold yellow", "poor": "bold red", "refused": "bold red", "not judged": "bold"}


def view(done: Fitted, folder: Path) -> Iterator[RenderableType]:
    """The parts, one below the other.

    >>> view.__name__
    'view'
    """
    estimate = done.estimate
    known = int(np.sum(estimate.identified))
    seen = f"{known} of {len(estimate.values)} base parameters identified"
    yield words(f"fitted   {estimate.rows:,} rows by {estimate.method}; {seen}")
    for note in estimate.notes:
        yield words(f"note     {note}", "dim")
    yield from verdict_lines(done.verdict, done.kept_apart)
    if isinstance(estimate, Estimate):
        yield from _links(estimate)
    yield words("")
    files = [name for name in (IDENTIFIED, PAGE, "estimate.json", "run.json") if (folder / name).exists()]
    yield words(f"wrote    {folder}: {', '.join(files)}")
    if (folder / IDENTIFIED).exists():
        yield words(f"next     bifilar export {shlex.quote(str(folder))} -o {shlex.quote(done.robot.name)}.xml")
    else:
        yield words(f"next     bifilar check {shlex.quote(done.logs[0])} --robot {shlex.quote(done.settings.robot)}")


def verdict_lines(verdict: Verdict, judged_on: str) -> Iterator[RenderableType]:
    """The verdict, its reasons, and the errors of every joint.

    >>> [line.plain for line in verdict_lines(Verdict("poor", ("why",)), "other.csv")]
    ['verdict  poor', '         why']
    """
    from rich.text import Text

    yield Text.assemble(("verdict  ", "dim"), (verdict.level, COLOURS[verdict.level]))
    for reason in verdict.reasons:
        yield words(f"         {reason}")
    if verdict.validation is None:
        return
    yield heading(f"Torque error on {judged_on}")
    head, *rows = verdict.validation.table()
    columns = [Column("joint", "name"), *(Column(title, "number", drop=k) for k, title in enumerate(head[1:]))]
    yield from complete_table(columns, rows)


def _links(estimate: Estimate) -> Iterator[RenderableType]:
    """Masses before and after, with where they come from."""
    before, after = estimate.described.parameters(), estimate.parameters
    deviations = dict(zip(after.names, estimate.parameter_deviations))
    origins = dict(zip(after.names, estimate.origins))
    yield heading("Masses [kg]")
    rows = []
    for name in after.names:
        if name.endswith(".mass"):
            known = origins[name] == "data"
            bar = f"± {deviations[name]:.2g}" if np.isfinite(deviations[name]) else ""
            said = "from the data" if known else "torque cannot tell it alone"
            rows.append([name.removesuffix(".mass"), f"{before[name]:.3f}", f"{after[name]:.3f}", bar, said])
    titles = [Column("link", "name"), Column("description", "number"), Column("identified", "number"), Column("", "number")]
    yield from complete_table([*titles, Column("", drop=1)], rows)
