"""What `bifilar simulate` shows: what was recorded, joint by joint, and what to do with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bifilar.cli.letter import counted, plain
from bifilar.cli.output import COLOURS, Column, complete_table, flowing, heading, next_step, typed_command, words
from bifilar.cli.simulate_facts import Played

if TYPE_CHECKING:
    from rich.console import RenderableType


def view(done: Played, files: Sequence[Path], robot: str = "arm.urdf") -> Iterator[RenderableType]:
    """The parts, from top to bottom; `robot` as it was named.

    >>> from bifilar.cli.simulate import Settings
    >>> from bifilar.cli.simulate_facts import played
    >>> robot = bf.Robot.load("pendulum")
    >>> motion = bf.quintic(["joint1"], [[0.0], [1.0]], [0.0, 2.0]).sample(100)
    >>> done = played(robot, robot, motion, Settings(robot="pendulum", motion="x.csv", output="y.csv", noise="none"))
    >>> next(view(done, [Path("y.csv")])).plain
    'pendulum  played x.csv'
    """
    from rich.text import Text

    yield Text.assemble((plain(done.robot.name), "bold"), "  ", (f"played {plain(done.motion)}", "dim"))
    lost = f"{done.dropped} of {done.expected:,} dropped"
    yield Text(
        flowing([counted(done.samples, "sample"), lost, f"{done.recording.duration:g} s at {done.recording.rate:.0f} Hz"])
    )
    if done.uncovered:
        yield words(f"not certified: {done.uncovered}; it was simulated, it is not called executable", COLOURS["warning"])
    else:
        yield words(done.executable, COLOURS["ok"])
        if done.open:
            yield words(f"not checked: {'; '.join(done.open)}", COLOURS["warning"])
    yield heading("Joints")
    head, *rows = done.rows()
    columns = [Column(head[0], "name"), *(Column(title, "number", drop) for title, drop in zip(head[1:], (2, 1, 3, 0)))]
    yield from complete_table(columns, rows)
    if done.saturated.any():
        yield words("")
        yield words(
            "Motors gave all they have: the machine did not follow, and torque says less than it seems to.", COLOURS["error"]
        )
    if done.left:
        yield words(f"The machine left its limits: {'; '.join(done.left)}", COLOURS["error"])
    yield heading("Written")
    for path, what in zip(files, ("the recording, with the truth", "pictures, for a browser")):
        what = "the recording" if path.suffix == ".csv" else what
        yield Text.assemble((plain(str(path)), "cyan"), "  ", (what, "dim"))
    yield next_step(typed_command("bifilar", "check", str(files[0]), "--robot", robot))
