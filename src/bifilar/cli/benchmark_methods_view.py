"""What `bifilar benchmark-methods` shows: the study in a line, a table per noise level, why runs failed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bifilar.cli.benchmark_methods_study import Studied
from bifilar.cli.letter import counted, plain
from bifilar.cli.output import Column, complete_table, flowing, heading, next_step, typed_command, words
from bifilar.estimate.method_study import Summary

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS = (
    Column("method", "name"),
    Column("error", "number"),
    Column("bias", "number"),
    Column("spread", "number"),
    Column("torque", "number", drop=2),
    Column("covered", "number", drop=1),
    Column("failed", "number"),
    Column("time [s]", "number", drop=3),
)


def view(done: Studied, robot: str = "arm.urdf") -> Iterator[RenderableType]:
    """The parts, from top to bottom.

    >>> import inspect
    >>> inspect.isgeneratorfunction(view)
    True
    """
    from rich.text import Text

    study = done.study
    yield words(done.robot.name, "bold")
    facts = [
        counted(len(done.robot.joint_names), "joint"),
        f"{len(done.result.names)} base parameters, {int(done.result.counted.sum())} of them act",
    ]
    facts += [counted(study.starts, "start") + f" wrong by {100 * study.wrong:.3g} %", counted(study.repeats, "repeat")]
    yield Text(flowing([*facts, f"{study.duration:.3g} s at {study.rate:.4g} Hz"]), style="dim")
    rows = done.result.summaries()
    for level in study.levels:
        yield heading(f"{level.name}: positions {level.position:.2g} rad, torques {level.torque:.2g} N m")
        yield from complete_table(COLUMNS, [_cells(row) for row in rows if row.noise == level.name])
    yield words("")
    yield words(
        "error, bias, spread: of the base parameters, as shares of their values; torque: along another motion; "
        "covered: of 95 % intervals; failed runs that gave values are in the figures",
        "dim",
    )
    failed = [(row.method, row.noise, reason) for row in rows for reason in row.reasons]
    if failed:
        yield heading("Failures")
        for method, noise, reason in failed:
            yield words(f"{method}, {noise}: {plain(reason)}")
    yield next_step(typed_command("bifilar", "fit", robot, "run.csv", "--test", "other.csv"))


def _cells(row: Summary) -> list[str]:
    shares = [_share(x) for x in (row.error, row.bias, row.spread, row.torque)]
    covered = "" if math.isnan(row.coverage) else f"{100 * row.coverage:.0f} %"
    return [row.method, *shares, covered, f"{row.failures} of {row.runs}", f"{row.seconds:.2g}"]


def _share(value: float) -> str:
    return "none" if math.isnan(value) else f"{100 * value:.2g} %" if value < 1 else f"{100 * value:.0f} %"
