"""Parameters of two runs: which agree within their error bars, and which do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bifilar.report.bars import pair_track
from bifilar.report.markup import fill, paragraphs, table
from bifilar.report.page import Section
from bifilar.report.run import Run
from bifilar.report.sections.compare_errors import COLOURS
from bifilar.report.ticks import short

FAR = 2.0  # combined deviations beyond which values differ
MOST = 40  # rows that are shown at once


class Difference(NamedTuple):
    """A base parameter in two runs.

    >>> Difference("a.mass", 1.0, 0.1, 1.5, 0.1).apart.__round__(2)
    3.54
    """

    name: str
    first: float
    first_deviation: float
    second: float
    second_deviation: float

    @property
    def apart(self) -> float:
        """How far apart, in combined standard deviations; 0 where one of them is open, or was dropped.

        >>> Difference("a.mass", 1.0, np.inf, 1.5, 0.1).apart
        0.0
        """
        spread = float(np.hypot(self.first_deviation, self.second_deviation))
        return abs(self.first - self.second) / spread if 0 < spread < np.inf and not self.dropped else 0.0

    @property
    def dropped(self) -> bool:
        """Whether one of the runs left it out of its model: a zero without a bar is nothing that was found.

        >>> Difference("a.mass", 1.0, 0.1, 0.0, 0.0).dropped
        True
        """
        pairs = ((self.first, self.first_deviation), (self.second, self.second_deviation))
        return any(value == 0 and deviation == 0 for value, deviation in pairs)

    def cells(self) -> list[str]:
        """Name, both values with their deviations, how far apart.

        >>> Difference("a.mass", 1.0, 0.1, 0.0, 0.0).cells()
        ['a.mass', '1', '0.1', 'dropped', '', '']
        """
        pairs = ((self.first, self.first_deviation), (self.second, self.second_deviation))
        shown = [["dropped", ""] if value == 0 == deviation else [short(value), short(deviation)] for value, deviation in pairs]
        return [self.name, *shown[0], *shown[1], "" if self.dropped else f"{self.apart:.1f}"]


@dataclass(frozen=True, eq=False)
class CompareParameters(Section):
    """A sentence and a table, those that differ most first.

    >>> CompareParameters.title
    'Parameters'
    """

    runs: tuple[Run, Run]
    title = "Parameters"
    template: ClassVar[str] = "{words}{table}{rest}"

    def parts(self) -> Mapping[str, Any]:
        """Base parameters of both."""
        found = differences(self.runs)
        head = [["base parameter", self.runs[0].folder, "±", self.runs[1].folder, "±", "apart", ""]]
        rows = [[*d.cells(), pair_track((d.first, d.first_deviation), (d.second, d.second_deviation), COLOURS)] for d in found]
        kinds = ["bad" if d.apart > FAR else "" for d in found]
        more = rows[MOST:]
        rest = fill("<details><summary>{n} more that agree better</summary>{t}</details>", n=len(more), t=table(head + more))
        return {
            "words": paragraphs(difference_words(found)),
            "table": table(head + rows[:MOST], kinds=kinds[:MOST]),
            "rest": rest if more else "",
        }


def differences(runs: tuple[Run, Run]) -> list[Difference]:
    """Base parameters that both have, those that differ most first."""
    first, second = (run.estimate for run in runs)
    place = {name: k for k, name in enumerate(second.names)}
    found = [
        Difference(name, *map(float, (value, deviation, second.values[place[name]], second.deviations[place[name]])))
        for name, value, deviation in zip(first.names, first.values, first.deviations)
        if name in place
    ]
    return sorted(found, key=lambda d: -d.apart)


def difference_words(found: list[Difference]) -> str:
    """How many differ, in a sentence.

    >>> difference_words([Difference("a.mass", 1.0, 0.1, 1.5, 0.1)])
    "1 of 1 base parameters differ by more than two combined standard deviations; chance alone would give about 0. ..."
    """
    far = sum(d.apart > FAR for d in found)
    if not found:
        return "The two runs share no base parameter: they are of different robots or friction models."
    both = [d for d in found if not d.dropped]
    left = f" {len(found) - len(both)} more were dropped by one of them." if len(both) < len(found) else ""
    return (
        f"{far} of {len(both)} base parameters differ by more than two combined standard deviations; chance alone "
        "would give about "
        f"{0.05 * len(both):.0f}. 'apart' is how far apart they are, in these; bars are two deviations.{left}"
    )
