"""Torque errors of two runs, joint by joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bifilar.report.bars import Bar, bar_groups
from bifilar.report.markup import paragraphs
from bifilar.report.page import Section
from bifilar.report.plot import legend
from bifilar.report.run import Run
from bifilar.report.ticks import percent

COLOURS = ("identified", "j2")
FULL = 1.5  # share of the torque beyond which a bar is cut


@dataclass(frozen=True, eq=False)
class CompareErrors(Section):
    """Two bars a joint, and the description's.

    >>> CompareErrors.title
    'Torque errors'
    """

    runs: tuple[Run, Run]
    title = "Torque errors"
    template: ClassVar[str] = "{words}{legend}{bars}"

    def parts(self) -> Mapping[str, Any]:
        """Of joints that both have."""
        rows = error_rows(self.runs)
        if not rows:
            return {"words": paragraphs("No joint was judged in both runs."), "legend": "", "bars": ""}
        keys = [("description", "described", "box"), *((r.folder, colour, "box") for r, colour in zip(self.runs, COLOURS))]
        groups = [
            (row.joint, [Bar(x, colour, percent(x), word) for x, (word, colour, _) in zip(row[1:4], keys)]) for row in rows
        ]
        top = max([bar.value for _, bars in groups for bar in bars if np.isfinite(bar.value)], default=1.0)
        words = "Share of the torque that is missing on unseen motion."
        words += "" if one_description(rows) else " The description's is that of the first run: the second has another."
        return {"words": paragraphs(words), "legend": legend(keys), "bars": bar_groups(groups, min(top, FULL))}


class Errors(NamedTuple):
    """Relative torque errors of a joint in two runs, each beside what its own description left.

    >>> Errors("elbow", 0.4, 0.1, 0.2, 0.4).second
    0.2
    """

    joint: str
    description: float
    first: float
    second: float
    second_description: float


def one_description(rows: Sequence[Errors]) -> bool:
    """Whether both runs began at the same description, as far as its errors tell.

    >>> one_description([Errors("elbow", 0.4, 0.1, 0.2, 0.4)])
    True
    """
    return all(np.isclose(row.description, row.second_description, rtol=1e-3, equal_nan=True) for row in rows)


def error_rows(runs: tuple[Run, Run]) -> list[Errors]:
    """Errors of the joints that both have."""
    first, second = (run.verdict.validation for run in runs)
    if first is None or second is None:
        return []
    other = {name: both for name, *both in zip(second.joint_names, second.per_joint, second.described_per_joint)}
    rows = zip(first.joint_names, first.described_per_joint, first.per_joint)
    return [Errors(name, *map(float, (was, now, *other[name]))) for name, was, now in rows if name in other]
