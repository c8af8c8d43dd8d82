"""What `bifilar simplify` prints: the ladder with the step taken, what is gone, the errors, other rules, files, next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bifilar.cli.fit_folder import PAGE
from bifilar.cli.fit_view import verdict_lines
from bifilar.cli.output import Column, complete_table, heading, next_step, typed_command, words
from bifilar.cli.simplify_run import Simpler
from bifilar.estimate.ladder import Ladder
from bifilar.estimate.simplify import Simplified
from bifilar.estimate.simplify_compare import rival_table

if TYPE_CHECKING:
    from rich.console import RenderableType

SHOWN = 14  # steps of the ladder
GONE = 6  # parameters whose reasons are shown; the page has all


def view(done: Simpler, folder: Path) -> Iterator[RenderableType]:
    """The parts, one below the other."""
    found = done.found
    yield from ladder_lines(found.ladder, found)
    yield from score_lines(found)
    if done.rivals:
        yield heading("Other rules, the same logs")
        head, *rows = rival_table(done.rivals)
        columns = [Column(head[0], "wrapped"), *(Column(title, "number", drop=k) for k, title in enumerate(head[1:]))]
        yield from complete_table(columns, rows)
    yield words("")
    yield from verdict_lines(done.verdict, done.kept_apart)
    yield words("")
    files = [name for name in (PAGE, "estimate.json", "run.json") if (folder / name).exists()]
    yield words(f"wrote    {folder}: {', '.join(files)}")
    yield next_step(typed_command("bifilar", "export", str(folder), "-o", f"{done.robot.name}.csv"))


def ladder_lines(ladder: Ladder, found: Simplified | None = None) -> Iterator[RenderableType]:
    """Steps as a table, and what is gone."""
    steps = ladder.steps
    taken = steps[ladder.chosen]
    yield words(f"{steps[0].size} -> {taken.size} parameters by {ladder.rule}", "bold")
    yield words(f"stopped at {ladder.halt.why}; judged on {ladder.judged_on}")
    yield words("")
    columns = [Column("parameters", "number"), Column("dropped", "wrapped"), Column("condition", "number", drop=2)]
    columns += [Column("fitted", "number", drop=1), Column("held out", "number"), Column("in noise", "number", drop=3)]
    columns += [Column("", "wrapped")]
    rows = [_row(ladder, k) for k in _some(ladder)]
    yield from complete_table(columns, rows)
    if ladder.over_full is not None and ladder.chosen:
        yield words(f"held out: {ladder.over_full.text}")
    if found is not None and found.dropped:
        yield heading("Gone, first to last")
        for name, why in found.dropped[:GONE]:
            yield words(f"  {name}: {why}")
        if len(found.dropped) > GONE:
            yield words(f"  and {len(found.dropped) - GONE} more, see the page", "dim")


def score_lines(found: Simplified) -> Iterator[RenderableType]:
    """Errors on logs that neither fit nor choice has seen, and whether a tolerance holds there."""
    if not found.scores:
        return
    yield heading("Scored on logs that neither fit nor choice has seen")
    for name, ours, full in found.scores:
        told = f"{100 * ours.relative:.3g} % of the torque, full model {100 * full.relative:.3g} %"
        yield words(f"  {name or 'kept apart'}: {told}")
    if found.tolerance is None:
        return
    names = found.scores[0][1].joint_names
    worst = np.max([score.rmse for _, score, _ in found.scores], axis=0)  # of all logs
    limits = [found.tolerance.get(joint, float("inf")) for joint in names]
    pairs = ", ".join(f"{n} {x:.3g} of {m:.3g}" for n, x, m in zip(names, worst, limits))
    yield words(f"tolerance {'kept' if found.keeps_tolerance else 'NOT kept'}: {pairs}", "" if found.keeps_tolerance else "red")


def _some(ladder: Ladder) -> Sequence[int]:
    """Steps worth a line: evenly, and those around the one that was taken."""
    count = len(ladder.steps)
    every = max(1, -(-count // SHOWN))
    near = {ladder.chosen - 1, ladder.chosen, ladder.chosen + 1, *([] if ladder.turn is None else [ladder.turn])}
    return sorted({*range(0, count, every), count - 1, *(k for k in near if 0 <= k < count)})


def _row(ladder: Ladder, k: int) -> list[str]:
    step = ladder.steps[k]
    held = "" if step.held is None else f"{100 * step.held:.3g} %"
    marks = ["taken"] * (k == ladder.chosen) + ["least held-out error"] * (k == ladder.turn)
    return [
        str(step.size),
        ", ".join(step.dropped),
        f"{step.condition:.4g}",
        f"{100 * step.fitted:.3g} %",
        held,
        "" if step.held_noise is None else f"{step.held_noise:.4g}",
        "; ".join(marks),
    ]
