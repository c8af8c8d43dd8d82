"""Chapter 4 of Dolinsky 2017 as parts of one page, each with as many runs as its demand asks for at least."""

from __future__ import annotations

from collections.abc import Callable

from bifilar.papers.claims import Part
from bifilar.papers.dolinsky_consistency import consistency_part
from bifilar.papers.dolinsky_model_error import table_4_3
from bifilar.papers.dolinsky_online import figure_4_4, table_4_2
from bifilar.papers.dolinsky_touchdown import slope_part, touchdown_part
from bifilar.papers.many_runs import Told

LEAST, HONEST, STEPS = 50, 1000, 1000  # runs of a cell, walks of the error bars, steps of the detectors
Step = Callable[[Told | None], Part]


def online_parts(runs: int, *, jobs: int | None = None) -> dict[str, Step]:
    """Parts by name, still to be computed: part(tell).

    >>> list(online_parts(50))[0]
    'Table 4.2'
    """
    cell = max(runs, LEAST)
    return {
        "Table 4.2": lambda tell: table_4_2(cell, jobs=jobs, tell=tell),
        "Figure 4.4": lambda tell: figure_4_4(),
        "Table 4.3": lambda tell: table_4_3(cell, jobs=jobs, tell=tell),
        "Error bars": lambda tell: consistency_part(HONEST, jobs=jobs, tell=tell),
        "Touchdowns told": lambda tell: touchdown_part(STEPS, jobs=jobs, tell=tell),
        "Slope": lambda tell: slope_part(max(10, min(cell, 50) // 5), jobs=jobs, tell=tell),
    }
