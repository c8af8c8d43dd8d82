"""A bar on stderr with the step that is being done, where a person is watching; nothing anywhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bifilar.cli.letter import plain
from bifilar.cli.output import console

Tell = Callable[..., None]  # tell("fitting", 3.0): the step that begins, and how long it takes beside the others
LINE = 60  # characters of a step's name that are shown


def quiet(step: str, weight: float = 1.0) -> None:
    """Tells nobody.

    >>> quiet("fitting")
    """


@contextmanager
def steps(total: float) -> Iterator[Tell]:
    """What is called when a step begins; the weights of all steps sum up to `total`. The bar is gone at the end.

    >>> with steps(2) as tell:
    ...     tell("reading run.csv")
    ...     tell("fitting")
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield quiet
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), BarColumn(bar_width=24), text, TimeElapsedColumn())
    with Progress(*columns, console=console(sys.stderr), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=total if total > 1 else None)  # one step: the bar swings
        before = 0.0

        def tell(step: str, weight: float = 1.0) -> None:
            nonlocal before
            step = plain(step)
            bar.update(task, advance=before, description=step if len(step) <= LINE else f"{step[: LINE - 1]}…", refresh=True)
            before = weight

        yield tell
