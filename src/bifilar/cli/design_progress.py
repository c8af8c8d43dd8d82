"""A line on stderr that tells how the search goes, where a person is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bifilar.cli.output import console

if TYPE_CHECKING:
    from bifilar.experiment.design import Progress

USUAL = 150  # iterations of a start, for the length of the bar only


@contextmanager
def watched(starts: int, criterion: str) -> Iterator[Callable[[Progress], None] | None]:
    """What `design(watch=...)` is given: draws a bar in a terminal, None elsewhere.

    >>> with watched(3, "D") as told:
    ...     told is None
    True
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (SpinnerColumn(), BarColumn(bar_width=24), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns, console=console(sys.stderr), transient=True) as bar:
        task = bar.add_task("looking for a motion inside the limits", total=max(starts, 1))

        def tell(progress: Progress) -> None:
            bar.update(
                task, completed=progress.start + min(progress.iteration / USUAL, 0.98), description=line(progress, criterion)
            )

        yield tell


def line(progress: Progress, criterion: str) -> str:
    """The words beside the bar.

    >>> from bifilar.experiment.design import Progress
    >>> line(Progress(start=0, starts=3, iteration=12, value=540.0, room=0.02), "D")
    'start 1 of 3  D 540.00  least room 2.0 %  (Ctrl-C keeps the best)'
    """
    start = f"start {progress.start + 1} of {progress.starts}"
    return f"{start}  {criterion} {progress.value:.2f}  least room {100 * progress.room:.1f} %  (Ctrl-C keeps the best)"
