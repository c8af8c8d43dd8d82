"""Torque errors on motion that was not fitted, joint by joint, beside the description's and the noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.report.bars import Bar, bar_groups
from bifilar.report.markup import paragraphs, table
from bifilar.report.page import Section
from bifilar.report.plot import legend
from bifilar.report.run import Run, judged_motion, repeats
from bifilar.report.ticks import percent
from bifilar.validate.holdout import Validation

KEYS = (("description", "described", "box"), ("identified", "identified", "box"), ("noise", "noise", "box"))
FULL = 1.5  # share of the torque beyond which a bar is cut


@dataclass(frozen=True, eq=False)
class ErrorsSection(Section):
    """Bars and a table.

    >>> ErrorsSection.title
    'Torque errors'
    """

    run: Run
    title = "Torque errors"
    template: ClassVar[str] = "{words}{legend}{bars}{table}{meaning}"

    def parts(self) -> Mapping[str, Any]:
        """Of the validation; a sentence where there is none."""
        seen = self.run.verdict.validation
        if seen is None:
            nothing = paragraphs("No motion was kept apart: errors on unseen motion are not known.")
            return {"words": nothing, "legend": "", "bars": "", "table": "", "meaning": ""}
        meaning = (
            "Error: root mean square in N m (N at sliding joints). Identified, description: its share of the measured "
            "torque's. "
            "Explained: of the torque's variance. Noise: what a perfect model would leave."
        )
        return {
            "words": paragraphs(
                f"On {self.run.judged_on or judged_motion(self.run)}: {seen.rows:,} rows{_again(self.run)}.",
                self.run.score,
            ),
            "legend": legend(KEYS),
            "bars": error_bars(seen),
            "table": table([["nothing" if _negative(cell) else cell for cell in row] for row in seen.table()]),
            "meaning": paragraphs(meaning),
        }


def _negative(cell: str) -> bool:
    """Whether a model explains less than nothing: how much less is no news."""
    return cell.startswith("-") and cell.endswith("%")


def error_bars(seen: Validation) -> Any:
    """Shares of the torque that are missing: description, identified, noise."""
    with np.errstate(divide="ignore", invalid="ignore"):
        floor = seen.per_joint * seen.floor / seen.rmse
    groups = []
    for name, was, now, noise in zip(seen.joint_names, seen.described_per_joint, seen.per_joint, floor):
        pairs = zip((was, now, noise), KEYS)
        bars = [Bar(float(x), colour, percent(float(x)), word) for x, (word, colour, _) in pairs if np.isfinite(x)]
        groups.append((name, bars))
    top = max([bar.value for _, bars in groups for bar in bars], default=1.0)
    return bar_groups(groups, min(top, FULL))


def _again(run: Run) -> str:
    return ", of the motion that was fitted" if run.judged_on and repeats(run.verdict) else ""
