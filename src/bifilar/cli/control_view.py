"""What `bifilar control` shows: tool, path and push in a line each, joint by joint, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bifilar.cli.control_facts import Controlled
from bifilar.cli.letter import plain
from bifilar.cli.output import COLOURS, Column, complete_table, heading, next_step, table, typed_command, words

if TYPE_CHECKING:
    from rich.console import RenderableType


def view(done: Controlled, files: Sequence[Path]) -> Iterator[RenderableType]:
    """The parts, from top to bottom.

    >>> from bifilar.cli.control import Settings
    >>> from bifilar.cli.control_facts import controlled
    >>> done = controlled(Settings(robot="two_link", reference="line:0.2,0,-0.2:0.3,0,-0.1", duration=0.5))
    >>> next(view(done, [])).plain
    'two_link  along line:0.2,0,-0.2:0.3,0,-0.1'
    """
    from rich.text import Text

    given = done.settings
    yield Text.assemble((plain(done.robot.name), "bold"), "  ", (f"along {plain(given.reference)}", "dim"))
    loop = f"{given.controller} at {1e3 * given.period:g} ms, omega {given.omega:g} rad/s, drives lag {1e3 * given.lag:g} ms"
    yield words(f"{loop}. {done.believed}. {done.read}.", "dim")
    yield words("")
    yield table([Column(""), Column("", "wrapped")], [[name, text] for name, text in done.told()])
    yield heading("Joints")
    head, *rows = done.rows()
    columns = [Column(head[0], "name"), *(Column(title, "number", drop) for title, drop in zip(head[1:], (2, 1, 3, 0)))]
    yield from complete_table(columns, rows)
    if done.saturated:
        yield words("")
        yield words("Drives gave all they have: a slower motion, or --controller path-following on a path.", COLOURS["error"])
    if done.safety.lost:
        yield words("The safety wrapper no longer believed the state: what follows is not the controller's.", COLOURS["error"])
    if done.left:
        yield words(f"The machine left its limits: {'; '.join(done.left)}", COLOURS["error"])
    for path in files:
        yield heading("Written")
        yield Text.assemble((plain(str(path)), "cyan"), "  ", ("pictures and playback, for a browser", "dim"))
    yield next_step(typed_command("bifilar", "export", given.model or given.robot, "--to", "c"))
