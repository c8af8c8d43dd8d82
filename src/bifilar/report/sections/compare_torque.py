"""What two runs leave of the torque of the same motion, over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.report.envelope import envelope
from bifilar.report.markup import paragraphs
from bifilar.report.page import Section
from bifilar.report.plot import Line, Plot, grid, legend
from bifilar.report.run import Run, Signals
from bifilar.report.sections.compare_errors import COLOURS
from bifilar.report.sections.torque import broken


@dataclass(frozen=True, eq=False)
class CompareTorque(Section):
    """A drawing for every joint, if both have the same motion at hand.

    >>> CompareTorque.title
    'What is left of the torque'
    """

    runs: tuple[Run, Run]
    title = "What is left of the torque"
    template: ClassVar[str] = "{words}{legend}{plots}"

    def parts(self) -> Mapping[str, Any]:
        """Residuals of both over one another."""
        pair = _common(self.runs)
        if pair is None:
            words = "There is no motion that both were judged on and that is at hand."
            return {"words": paragraphs(words), "legend": "", "plots": ""}
        keys = [(run.folder, colour, kind) for run, colour, kind in zip(self.runs, COLOURS, ("line", "dashed"))]
        joints = [name for name in self.runs[0].joint_names if name in self.runs[1].joint_names]
        plots = [self._joint(pair, joint, keys) for joint in joints]
        words = f"Measured minus identified torque on {pair[0].name}, each through the filter of its own fit."
        return {"words": paragraphs(words), "legend": legend(keys), "plots": grid(plots, wide=True)}

    def _joint(self, pair: tuple[Signals, Signals], joint: str, keys: Any) -> Plot:
        lines = []
        for run, signals, (name, colour, kind) in zip(self.runs, pair, keys):
            error = broken(signals, signals.error[:, run.joint_names.index(joint)])
            lines.append(Line(*envelope(signals.time, error), colour, name, kind))
        unit = self.runs[0].units[self.runs[0].joint_names.index(joint)]
        top = 1.1 * max(float(np.nanmax(np.abs(line.y))) for line in lines) + 1e-12
        return Plot(joint, f"what is left [{unit}]", lines, height=110, y_range=(-top, top), y_unit=unit)


def _common(runs: tuple[Run, Run]) -> tuple[Signals, Signals] | None:
    for first in runs[0].judged:
        for second in runs[1].judged:
            if first.name == second.name:
                return first, second
    return None
