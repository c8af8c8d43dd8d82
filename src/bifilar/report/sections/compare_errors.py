"""Torque errors of two runs, joint by joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

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
        """Of joints that both have.

        >>> CompareErrors.parts.__name__
        'parts'
        """
        rows = error_rows(self.runs)
        if not rows:
            return {"words": paragraphs("No joint was judged in both runs."), "legend": "", "bars": ""}
        names = (self.runs[0].folder, self.runs[1].folder)
        keys = [("description", "described", "box"), *((name, colour, "box") for name, colour in zip(names, COLOURS))]
        groups = [
            (joint, [Bar(x, colour, percent(x), word) for x, (word, colour, _) in zip((was, a, b), keys)])
            for joint, was, a, b in rows
        ]
        top = max([bar.value for _, bars in groups for bar in bars if np.isfinite(bar.value)], default=1.0)
        words = "Share of the torque that is missing on unseen motion. The description's is that of the first run."
        return {"words": paragraphs(words), "legend": legend(keys), "bars": bar_groups(groups, min(top, FULL))}


def error_rows(runs: tuple[Run, Run]) -> list[tuple[str, float, float, float]]:
    """Joint, and the relative error of the description, of the first run, of the second.

    >>> error_rows.__name__
    'error_rows'
    """
    first, second = (run.verdict.validation for run in runs)
    if first is None or second is None:
        return []
    other = dict(zip(second.joint_names, second.per_joint))
    rows = zip(first.joint_names, first.described_per_joint, first.per_joint)
    return [(name, float(was), float(now), float(other[name])) for name, was, now in rows if name in other]
