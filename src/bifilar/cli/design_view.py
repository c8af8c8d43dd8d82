"""What `bifilar design` shows: the motion, what it uses of the limits, what it promises, what was written, what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bifilar.cli.design_facts import CRITERIA, Designed, room_of
from bifilar.cli.design_files import Stale
from bifilar.cli.design_proven import proven
from bifilar.cli.letter import counted, plain
from bifilar.cli.open_words import grouped
from bifilar.cli.output import COLOURS, Column, complete_table, flowing, heading, next_step, symbol, typed_command, words
from bifilar.experiment.files import SAMPLED
from bifilar.readers import joined

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

SIZE = "a parameter's size: its stated value, or a tenth of the largest of its kind if that is more"
WORST = 10  # parameters that are named
WALLS = 6  # constraints that are named


def view(done: Designed, files: Sequence[Path], stale: Stale | None = None) -> Iterator[RenderableType]:
    """The parts, from top to bottom.

    >>> from bifilar.cli.design import Settings
    >>> from bifilar.cli.design_facts import designed
    >>> robot = bf.Robot.load("two_link")
    >>> done = designed(robot, Settings(robot="two_link", duration=5.0, output="excite.csv", starts=1))
    >>> next(view(done, [Path("excite.csv")])).plain
    'two_link  a motion of 5 s'
    """
    from rich.text import Text

    found, motion = done.found, done.found.motion
    yield Text.assemble((plain(done.robot.name), "bold"), "  ", (f"a motion of {motion.duration:g} s", "dim"))
    best = f"best of {counted(len(found.starts), 'start')}"
    yield Text(flowing([f"{CRITERIA[found.criterion.kind]} {done.score:.5g}", f"{len(motion.harmonics)} harmonics", best]))
    if done.stopped:
        yield words("stopped by Ctrl-C: the best motion so far, certified like any other", COLOURS["warning"])
    run = found.certificate.run()
    proof = f"certified: {proven(found.certificate)} hold at every instant"
    yield words(f"{proof}; {found.certificate.second_opinion} agrees at {run.instants} instants", COLOURS["ok"])
    yield heading("Use of the limits")
    yield from _joints(done)
    yield from _walls(done)
    unchecked = "; ".join(grouped(found.certificate.not_checked))
    if unchecked:
        yield words(
            f"not checked, because no limit is stated or it was not asked for: {unchecked}",
            COLOURS["warning"],
        )
    yield from _known(done)
    yield heading("Written")
    yield from _files(files)
    if stale and stale.removed:
        yield words(f"removed, of the earlier motion: {', '.join(path.name for path in stale.removed)}", "dim")
    if stale and stale.kept:
        names = ", ".join(path.name for path in stale.kept)
        yield words(f"of an earlier motion, and certified by nothing now: {names}", COLOURS["warning"])
    yield heading("Next")
    yield from _next(done, files)


def _joints(done: Designed) -> Iterator[RenderableType]:
    columns = [Column("joint", "name"), Column("positions", "number", 3), Column("of range", "number")]
    columns += [Column(quantity, "number", drop) for quantity, drop in (("velocity", 0), ("acceleration", 1), ("torque", 0))]
    columns += [Column("least margin", drop=2)]
    rows: list[list[str | Text]] = []
    position = done.uses[0]
    for k, name in enumerate(done.robot.joint_names):
        spans = f"{position.lowest[k]:.3g} {symbol('…', '..')} {position.highest[k]:.3g} {position.units[k]}"
        shares = [f"{100 * use.share[k]:.0f} %" if np.isfinite(use.share[k]) else "" for use in done.uses]
        spare = done.spare[k]
        rows.append([words(name), spans, *shares, f"{100 * spare.share:.1f} % of {spare.quantity}"])
    return complete_table(columns, rows)


def _walls(done: Designed) -> Iterator[RenderableType]:
    if not done.walls:
        return
    yield heading("Beyond the joints")
    rows: list[list[str | Text]] = [[words(m.name), room_of(m), f"{m.limit:.3g} {m.unit}"] for m in done.walls[:WALLS]]
    yield from complete_table([Column("", "name"), Column("room left", "number"), Column("limit", "number", 1)], rows)
    if len(done.walls) > WALLS:
        yield words(f"and {len(done.walls) - WALLS} more with more room", "dim")


def _known(done: Designed) -> Iterator[RenderableType]:
    from rich.text import Text

    counts = done.counts()
    yield heading(f"What it will tell: {counts['parameters']} parameters, each beside its size")
    said = [f"{counts['below_10_percent']} to better than 10 %", f"{counts['below_100_percent']} to better than 100 %"]
    said += [f"{counts['above_100_percent']} worse"] if counts["above_100_percent"] else []
    said += [f"{counts['no_stated_value']} of a kind without stated values"] if counts["no_stated_value"] else []
    yield Text(flowing(said))
    finite = [promise for promise in done.promises if np.isfinite(promise.relative)]
    shown = finite[::-1][:WORST]
    if not shown:
        return
    rows: list[list[str | Text]] = [
        [words(p.name), f"{100 * p.relative:.3g} %", f"{p.deviation:.2g}", f"{p.value:.2g}"] for p in shown
    ]
    columns = [
        Column("least known", "name"),
        Column("± of its size", "number"),
        Column("± deviation", "number", 1),
        Column("stated", "number", 2),
    ]
    yield from complete_table(columns, rows)
    yield words(SIZE, "dim")


def _files(files: Sequence[Path]) -> Iterator[RenderableType]:
    from rich.text import Text

    for path in files:
        kind = "the motion"
        if path.suffix == ".html":
            kind = "pictures, for a browser"
        elif path.name.endswith(".certificate.json"):
            kind = "what was proven, for which robot and files"
        elif path != files[0]:
            kind = f"the same at {path.stem.rpartition('_')[2]} % of the speed"
        yield Text.assemble((plain(str(path)), "cyan"), "  ", (kind, "dim"))


def _next(done: Designed, files: Sequence[Path]) -> Iterator[RenderableType]:
    motion, played = files[0], files[0].suffix in SAMPLED
    if not done.settings.no_ladder:
        yield words(f"on the machine: {files[1].name} first, then 25 %, 50 %, and {motion.name} last", "dim")
    if not played:
        yield words(f"{motion.name} is for a controller; 'bifilar simulate' plays a {joined(SAMPLED)} file", "dim")
        yield next_step(typed_command("bifilar", "check", "run.csv", "--robot", done.settings.robot))
    else:
        said = done.settings
        extra = ["--lock", *said.lock] if said.lock else []
        extra += said.limit_words
        extra += ["--mesh-folder", said.mesh_folder] if said.mesh_folder else []
        recording = str(motion.with_name("train.parquet"))
        yield words("without a machine:", "dim")
        yield next_step(typed_command("bifilar", "simulate", said.robot, str(motion), *extra, "-o", recording))
