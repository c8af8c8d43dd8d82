"""What `bifilar fit` prints: verdict, errors before and after, what is known best and least, files, the next command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bifilar.cli.fit_folder import IDENTIFIED, PAGE
from bifilar.cli.fit_run import Fitted
from bifilar.cli.output import Column, complete_table, heading, table, words
from bifilar.estimate.estimate import NOT_IDENTIFIED, Estimate
from bifilar.validate.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import RenderableType

SAID = 4  # findings of the logs that are shown; `bifilar check` has the rest
MEANING = (
    "error: root mean square [N m; N of sliding joints]; identified, description: its share of the measured torque's",
    "explained: of the torque's variance; noise: what a perfect model would leave",
)
COLOURS = {"good": "bold green", "usable": "bold yellow", "poor": "bold red", "refused": "bold red", "not judged": "bold"}


def view(done: Fitted, folder: Path) -> Iterator[RenderableType]:
    """The parts, one below the other.

    >>> view.__name__
    'view'
    """
    estimate = done.estimate
    known = int(np.sum(estimate.identified))
    seen = f"{known} of {len(estimate.values)} base parameters identified"
    yield _told("fitted", [f"{estimate.rows:,} rows by {estimate.method}; {seen}"])
    absent = dict.fromkeys(one.what for _, found in done.findings for one in found if getattr(one, "code", "") == "absent")
    typed = [note.replace("prior_weight= sets another", "--prior sets another") for note in estimate.notes]
    if notes := [*absent, *typed]:
        yield _told("note", notes, "dim")
    if findings := _findings(done):
        yield _told("check", findings, "yellow")
    yield from verdict_lines(done.verdict, done.kept_apart)
    if done.score is not None:
        yield _told("scored", [str(done.score)])
    if isinstance(estimate, Estimate):
        yield from _links(estimate)
    yield words("")
    files = [name for name in (IDENTIFIED, PAGE, "estimate.json", "run.json") if (folder / name).exists()]
    yield _told("wrote", [f"{folder}: {', '.join(files)}"])
    yield _told("next", [_next(done, folder)])


def _told(label: str, texts: Sequence[str], style: str = "") -> RenderableType:
    """Sentences behind a word, those that are too long for a line below themselves."""
    rows = [[words(f"{'' if k else label:<7}", style), words(text, style)] for k, text in enumerate(texts)]
    return table([Column(""), Column("", "wrapped")], rows)


def _findings(done: Fitted) -> list[str]:
    """What the checks said about the logs, worst first: a fit that went on in spite of it must not hide it."""
    found = [
        (name, one)
        for name, all_ in done.findings
        for one in all_
        if one.severity != "note" or getattr(one, "code", "") == "still"
    ]
    found.sort(key=lambda pair: ("error", "warning", "note").index(pair[1].severity))
    out = {"still": "; --lock leaves a joint out"}
    lines = [
        f"{one.severity} in {name}: {one.where}: {one.what}{out.get(getattr(one, 'code', ''), '')}"
        for name, one in found[:SAID]
    ]
    rest = len(found) - SAID
    return [*lines, f"and {rest} more: {_check(done)}"] if rest > 0 else lines


def _check(done: Fitted) -> str:
    return f"bifilar check {shlex.quote(done.logs[0])} --robot {shlex.quote(done.settings.robot)}"


def _next(done: Fitted, folder: Path) -> str:
    """The command that helps most."""
    if (folder / IDENTIFIED).exists():
        return f"bifilar export {shlex.quote(str(folder))} -o {shlex.quote(done.robot.name + '.xml')}"
    if done.verdict.may_be_used:  # base parameters only
        return f"bifilar export {shlex.quote(str(folder))} -o {shlex.quote(done.robot.name + '.csv')}"
    if any(one.severity != "note" for _, found in done.findings for one in found):
        return _check(done)
    seen = done.verdict.validation
    better = "the description predicts better: keep it, or " if seen is not None and seen.described < seen.relative else ""
    again = f"bifilar design {shlex.quote(done.settings.robot)} --duration 20 -o excite.csv"
    return f"{better}record more and livelier motion: {again}"


def verdict_lines(verdict: Verdict, judged_on: str) -> Iterator[RenderableType]:
    """The verdict, its reasons, and the errors of every joint.

    >>> from bifilar.cli.output import show
    >>> show(verdict_lines(Verdict("poor", ("why",)), "other.csv"))
    verdict  poor
             why
    """
    from rich.text import Text

    yield Text.assemble(("verdict  ", "dim"), (verdict.level, COLOURS[verdict.level]))
    if verdict.reasons:
        yield _told("", verdict.reasons)
    if verdict.validation is None:
        return
    yield heading(f"Torque error on {judged_on}")
    head, *rows = verdict.validation.table()
    columns = [Column("joint", "name"), *(Column(title, "number", drop=k) for k, title in enumerate(head[1:]))]
    yield from complete_table(columns, rows)
    yield from (words(line, "dim") for line in MEANING)


def _links(estimate: Estimate) -> Iterator[RenderableType]:
    """Masses before and after, with where they come from."""
    before, after = estimate.described.parameters(), estimate.parameters
    deviations = dict(zip(after.names, estimate.parameter_deviations))
    origins = dict(zip(after.names, estimate.origins))
    yield heading("Masses [kg]")
    rows = []
    for name in after.names:
        if name.endswith(".mass"):
            bar = f"± {deviations[name]:.2g}" if np.isfinite(deviations[name]) else ""
            said = "from the prior: torque cannot tell it alone"
            if origins[name] == "data":
                unsure = not deviations[name] <= NOT_IDENTIFIED * abs(after[name])
                said = f"from the data{', but not identified: ± is above 30 %' if unsure else ''}"
            rows.append([name.removesuffix(".mass"), f"{before[name]:.3f}", f"{after[name]:.3f}", bar, said])
    titles = [Column("link", "name"), Column("description", "number"), Column("identified", "number"), Column("", "number")]
    yield from complete_table([*titles, Column("", drop=1)], rows)
