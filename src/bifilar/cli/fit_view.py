"""What `bifilar fit` prints: verdict, errors before and after, what is known best and least, files, the next command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bifilar.cli.fit_folder import IDENTIFIED, PAGE
from bifilar.cli.fit_run import Fitted, rows_used
from bifilar.cli.friction_words import CHOOSE
from bifilar.cli.output import Column, complete_table, heading, next_step, table, typed_command, unbroken, words
from bifilar.cli.typed_log import log_options
from bifilar.errors import Finding, Note
from bifilar.estimate.estimate import NOT_IDENTIFIED, Estimate
from bifilar.estimate.likely import MISTAKE
from bifilar.estimate.methods import chosen, typed
from bifilar.estimate.saved import PREDICTOR
from bifilar.estimate.status import CONSISTENCY
from bifilar.export.carried_error import FileVerdict
from bifilar.validate.verdict import DRIVING, MASS_MATRIX, Verdict

if TYPE_CHECKING:
    from rich.console import RenderableType

SAID = 4  # findings of the logs that are shown; `bifilar check` has the rest
MEANING = (
    "error: root mean square [N m; N of sliding joints]; identified, description: its share of the measured torque's",
    "explained: of the torque's variance; noise: what a perfect model would leave",
)
MASSES = {  # where a mass comes from
    "prior": "prior: torque cannot tell it alone, and it stayed near the description",
    "other links": "other links: torque cannot tell it alone, it moved with what else fits",
    "data, uncertain": "data, uncertain: ± is above 30 %",
}
COLOURS = {"good": "bold green", "usable": "bold yellow", "poor": "bold red", "refused": "bold red", "not judged": "bold"}


def view(done: Fitted, folder: Path) -> Iterator[RenderableType]:
    """The parts, one below the other."""
    estimate = done.estimate
    yield from verdict_head(done.verdict, [str(file) for file in _handed(done, folder)])
    yield words("")
    known = int(np.sum(estimate.identified))
    seen = f"{known} of {len(estimate.values)} base parameters identified"
    fewer = "" if done.cutoff is None else f" (after a {done.cutoff:.3g} Hz filter, {sum(map(len, done.train)):,} samples)"
    yield _told("fitted", [f"{estimate.rows:,} rows{fewer} by {estimate.method}; {seen}"])
    used = {name: n for name, n in rows_used(estimate, done.train).items() if n < estimate.rows}
    if used:
        yield _told("", [f"rows fast enough for a hard sign: {', '.join(f'{name} {n:,}' for name, n in used.items())}"])
    absent = dict.fromkeys(one.what for _, found in done.findings for one in found if one.code == "absent")
    said = {one.what for _, found in done.findings for one in found}  # a note that is a finding as well is told there
    typed = [Note.of(note).typed for note in estimate.notes if note not in said]
    if notes := [*absent, *typed]:
        yield _told("note", notes, "dim")
    found = _findings(done)
    if found:
        yield _told("check", [_finding_line(*pair) for pair in found[:SAID]], "yellow")
    rest = Counter(name for name, _ in found[SAID:])
    yield from (unbroken(f"{'':9}and {count} more: {_check(done, name)}", "yellow") for name, count in rest.items())
    yield from error_table(done.verdict, done.kept_apart)
    if done.score is not None:
        yield _told("scored", [str(done.score)])
    if done.predictor is not None:
        yield _told("torque", _predictor_lines(done))
    if isinstance(estimate, Estimate):
        yield from _links(estimate)
    yield words("")
    files = [name for name in (IDENTIFIED, PAGE, "estimate.json", "run.json") if (folder / name).exists()]
    yield _told("wrote", [f"{folder}: {', '.join(files)}"])
    if _other_friction(done):
        yield next_step(f"friction by evidence: {_again(done, friction=CHOOSE)}")
    yield next_step(_next(done, folder))


def _predictor_lines(done: Fitted) -> list[str]:
    """How the torque predictor does on test motion, and what it is not."""
    seen = done.predictor
    assert seen is not None
    errors = ""
    if seen.validation is not None and done.verdict.validation is not None:
        own, model = 100 * seen.validation.relative, 100 * done.verdict.validation.relative
        errors = f": NRMSE on test motion {own:.3g} % (physically consistent model {model:.3g} %), {seen.level}"
    return [
        f"{PREDICTOR}/{errors}",
        "base parameters as a formula for torque (feed-forward, collision detection), not a model to simulate",
    ]


def _told(label: str, texts: Sequence[str], style: str = "") -> RenderableType:
    """Sentences behind a word, those that are too long for a line below themselves."""
    rows = [[words(f"{'' if k else label:<7}", style), words(text, style)] for k, text in enumerate(texts)]
    return table([Column(""), Column("", "wrapped")], rows)


def _findings(done: Fitted) -> list[tuple[str, Finding]]:
    """What the checks said about the logs, worst first: a fit that went on in spite of it must not hide it."""
    found = [(name, one) for name, all_ in done.findings for one in all_ if one.severity != "note" or one.code == "still"]
    return sorted(found, key=lambda pair: ("error", "warning", "note").index(pair[1].severity))


def _finding_line(log: str, one: Finding) -> str:
    out = "; --lock leaves a joint out" if one.code == "still" else ""
    return f"{one.severity} in {log}: {one.where}: {one.what}{out}"


def _check(done: Fitted, log: str = "") -> str:
    log = log or done.logs[0]
    return typed_command("bifilar", "check", log, "--robot", done.settings.robot, *log_options(done.settings, log))


def _next(done: Fitted, folder: Path) -> str:
    """The command that helps most."""
    seen = done.verdict.validation
    held = ("--lock", *done.settings.lock) if done.settings.lock else ()
    again = typed_command("bifilar", "design", done.settings.robot, "--duration", "20", *held, "-o", "excite.csv")
    if seen is not None and seen.still:
        lock = f"; or --lock {typed_command(*seen.still)}, if they shall stand there" if _others_move(done, seen.still) else ""
        return f"record motion of every joint: {again}{lock}"
    impossible = any(Note.of(reason).code in (MASS_MATRIX, DRIVING) for reason in done.verdict.reasons)
    if not chosen(done.settings.method).consistent and not done.verdict.may_be_used and impossible:
        return f"physically consistent parameters: {_again(done, method=next(iter(typed())))}"
    if not done.verdict.may_be_used and (mistake := _mistake(done)) is not None:
        return _check(done) if mistake.facts.get("mistake") == "strain" else f"{mistake.remedy.cli}; then fit again"
    if not done.verdict.may_be_used and done.estimate.status.cause == CONSISTENCY:
        free = _again(done, method=next(name for name in typed() if not chosen(name).consistent))
        return f"a torque model without masses, with a verdict of its own: {free}"
    if (folder / IDENTIFIED).exists():
        poor = any(file.level == "poor" for file in _handed(done, folder)) and done.verdict.level != "poor"
        name = ("--to", "c") if poor else ("-o", f"{done.robot.name}.xml")
        return typed_command("bifilar", "export", str(folder), *name)
    if done.verdict.may_be_used:  # base parameters only
        return typed_command("bifilar", "export", str(folder), "-o", f"{done.robot.name}.csv")
    if any(one.severity != "note" and one.code != "excitation" for _, found in done.findings for one in found):
        return _check(done)
    better = "the description predicts better: keep it, or " if seen is not None and seen.described < seen.relative else ""
    return f"{better}record more and livelier motion: {again}"


def _mistake(done: Fitted) -> Note | None:
    """The first mistake that is named with a remedy."""
    notes = [Note.of(reason) for reason in done.verdict.reasons]
    return next((note for note in notes if note.code == MISTAKE and note.remedy), None)


def _others_move(done: Fitted, still: Sequence[str]) -> bool:
    return any(name not in still for name in done.robot.joint_names)


def _handed(done: Fitted, folder: Path) -> list[FileVerdict]:
    """Verdicts of files that were written and are notably worse than the model."""
    written = ("URDF",) if (folder / IDENTIFIED).exists() else ()
    return [file for file in done.files if file.format in written and file.notable]


def _other_friction(done: Fitted) -> bool:
    """Whether errors follow speeds in a way that the friction fitted has not, and nothing worse is to be mended first."""
    fair, fixed = done.verdict.level in ("usable", "poor"), done.settings.friction == CHOOSE
    doubts = any(Note.of(reason).code == MISTAKE for reason in done.verdict.reasons)
    follow = any(found.on == "velocity" and found.matters for found in getattr(done.verdict.validation, "dependences", ()))
    return fair and not fixed and not doubts and follow


def _again(done: Fitted, **other: str) -> str:
    """The same fit with other words, all else as it was typed."""
    settings = replace(done.settings, **other)  # type: ignore[arg-type]
    parts = ["bifilar", "fit", settings.robot, *settings.logs, *(("--test", *settings.test) if settings.test else ())]
    friction = None if settings.friction == CHOOSE and "friction" not in other else settings.friction
    ones = (
        ("friction", friction),
        *((word.replace("_", "-"), getattr(settings, word)) for word in ("cutoff", "score_cutoff", "prior")),
    )
    parts += [part for word, value in ones if value for part in (f"--{word}", str(value))]
    parts += ["--total-mass", *(f"{x:g}" for x in settings.total_mass)] if settings.total_mass else []
    parts += ["--anyway"] if settings.anyway else []
    parts += ["--method", settings.method] if not chosen(settings.method).default or "method" in other else []
    return typed_command(*parts, *log_options(settings))


def verdict_head(verdict: Verdict, files: Sequence[str] = ()) -> Iterator[RenderableType]:
    """The verdict, those of files that are worse than the model, and the reasons.

    >>> from bifilar.cli.output import show
    >>> show(verdict_head(Verdict("poor", ("why",))))
    verdict  poor
             why
    """
    from rich.text import Text

    yield Text.assemble(("verdict  ", "dim"), (verdict.level, COLOURS[verdict.level]))
    if files:
        yield _told("", files, "yellow")
    if verdict.reasons:
        yield _told("", [Note.of(reason).typed for reason in verdict.reasons])


def error_table(verdict: Verdict, judged_on: str) -> Iterator[RenderableType]:
    """The errors of every joint; nothing without a test.

    >>> list(error_table(Verdict("poor", ("why",)), "other.csv"))
    []
    """
    if verdict.validation is None:
        return
    yield heading(f"Torque error on {judged_on}")
    head, *rows = verdict.validation.table()
    columns = [Column("joint", "name"), *(Column(title, "number", drop=k) for k, title in enumerate(head[1:]))]
    yield from complete_table(columns, rows)
    yield from (words(line, "dim") for line in MEANING)


def verdict_lines(verdict: Verdict, judged_on: str) -> Iterator[RenderableType]:
    """The verdict, its reasons, and the errors of every joint.

    >>> from bifilar.cli.output import show
    >>> show(verdict_lines(Verdict("poor", ("why",)), "other.csv"))
    verdict  poor
             why
    """
    yield from verdict_head(verdict)
    yield from error_table(verdict, judged_on)


def _links(estimate: Estimate) -> Iterator[RenderableType]:
    """Masses before and after, with where they come from."""
    before, after = estimate.described.parameters(), estimate.parameters
    deviations = dict(zip(after.names, estimate.parameter_deviations))
    origins = dict(zip(after.names, estimate.origins))
    yield heading("Masses [kg]")
    rows = []
    for name in after.names:
        if name.endswith(".mass"):
            bar = f"± {deviations[name]:.2g}" if origins[name] == "data" and np.isfinite(deviations[name]) else ""
            far = abs(after[name] - before[name]) > NOT_IDENTIFIED * abs(before[name])
            said = "other links" if far else "prior"
            if origins[name] == "data":
                said = "data" if deviations[name] <= NOT_IDENTIFIED * abs(after[name]) else "data, uncertain"
            rows.append([name.removesuffix(".mass"), f"{before[name]:.3f}", f"{after[name]:.3f}", bar, said])
    titles = [Column("link", "name"), Column("description", "number"), Column("identified", "number"), Column("", "number")]
    yield from complete_table([*titles, Column("from")], rows)
    yield from (words(MASSES[said], "dim") for said in MASSES if any(row[-1] == said for row in rows))
