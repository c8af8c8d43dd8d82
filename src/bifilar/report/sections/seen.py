"""What the data could see, in words: link by link, what is known, what is weak, what only shows in sums, what never shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.estimate.estimate import BaseEstimate
from bifilar.report.markup import paragraphs, table
from bifilar.report.page import Section
from bifilar.report.run import Run
from bifilar.report.ticks import percent

MOST = 6  # words of a cell


@dataclass(frozen=True, eq=False)
class SeenSection(Section):
    """A sentence about all, and a row for every link and joint.

    >>> SeenSection.title
    'What the data could see'
    """

    run: Run
    title = "What the data could see"
    template: ClassVar[str] = "{words}{table}{meaning}"

    def parts(self) -> Mapping[str, Any]:
        """Words and a table."""
        estimate = self.run.estimate
        meaning = (
            "mass; mcx, mcy, mcz: mass times centre; Ixx to Izz: inertia about the link's origin. Percent: one "
            "standard deviation. "
            "A weak value near zero with a small bar is still an answer: see Parameters."
        )
        return {
            "words": paragraphs(seen_words(estimate)),
            "table": table([["", "known", "weak", "only in sums", "never shows"], *_rows(estimate)], prose=True),
            "meaning": paragraphs(meaning),
        }


def seen_words(estimate: BaseEstimate) -> str:
    """One paragraph.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a, noise = np.random.default_rng(0).normal(size=(4, 200, 1))
    >>> seen_words(bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * noise), friction=()))
    "Torque depends on 3 combinations of the robot's 10 numbers, whatever the motion. Of these the data identify 3..."
    """
    count, total = len(estimate.values), len(estimate.base.names)
    known = int(np.sum(estimate.identified))
    open_ = int(np.sum(~np.isfinite(estimate.deviations)))
    words = f"Torque depends on {count} combinations of the robot's {total} numbers, whatever the motion. "
    words += f"Of these the data identify {known}: significant, or without effect on the torque"
    words += f", and say nothing at all of {open_}" if open_ else ""
    return words + ". A name stands for what is added to it as well."


def _rows(estimate: BaseEstimate) -> list[list[str]]:
    share = dict(zip(estimate.names, estimate.relative_deviations))
    known = dict(zip(estimate.names, estimate.identified))
    rows = []
    for sight in estimate.base.sights():
        own = [*sight.alone, *sight.combined]
        good = [f"{word} {percent(share[f'{sight.owner}.{word}'])}" for word in own if known[f"{sight.owner}.{word}"]]
        weak = [_weak(word, share[f"{sight.owner}.{word}"]) for word in own if not known[f"{sight.owner}.{word}"]]
        rows.append([sight.owner, ", ".join(good), ", ".join(weak), ", ".join(sight.inside), ", ".join(sight.hidden)])
    return rows


def _weak(word: str, share: float) -> str:
    return f"{word} (nothing)" if not np.isfinite(share) else f"{word} {percent(share)}" if share < 10 else word
