"""The motion: positions and speeds of every joint over time, beside their limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.envelope import envelope
from bifilar.report.markup import fill, paragraphs
from bifilar.report.page import Section
from bifilar.report.plot import Level, Line, Plot, grid, legend
from bifilar.report.run import Run, Signals
from bifilar.report.sections.torque import broken

KEYS = (("fitted", "identified", "line"), ("judged on", "described", "dashed"))


@dataclass(frozen=True, eq=False)
class MotionSection(Section):
    """Fitted and judged motion over one another.

    >>> MotionSection.title
    'The motion'
    """

    run: Run
    title = "The motion"
    template: ClassVar[str] = "{words}{legend}{plots}"

    def parts(self) -> Mapping[str, Any]:
        """A drawing of position and one of speed for each joint."""
        run = self.run
        if not run.seen:
            return {"words": paragraphs("The recordings are not at hand."), "legend": "", "plots": ""}
        logs = [f"{s.name} ({s.time[-1]:.3g} s)" for s in run.seen]
        words = f"{', '.join(dict.fromkeys(logs))}. Limits in red where the motion comes near. The view of the bodies plays it."
        limits, names, units = run.described.limits, run.joint_names, run.angles
        position = [self._plot(k, "position", units[k], limits.lower[k], limits.upper[k]) for k in range(len(names))]
        speed = [self._plot(k, "velocity", f"{units[k]}/s", -limits.velocity[k], limits.velocity[k]) for k in range(len(names))]
        drawn = fill("{a}<h3>Speeds</h3>{b}", a=grid(position), b=grid(speed))
        return {"words": paragraphs(words), "legend": legend(KEYS), "plots": drawn}

    def _plot(self, k: int, quantity: str, unit: str, lower: float, upper: float) -> Plot:
        run = self.run
        lines = [_line(s, getattr(s, quantity)[:, k], "identified", "fitted") for s in run.fitted]
        lines += [_line(s, getattr(s, quantity)[:, k], "described", "judged on", "dashed") for s in run.judged]
        low, high = window([getattr(s, quantity)[:, k] for s in run.seen], lower, upper)
        levels = [Level(lower, beyond=-1), Level(upper, beyond=1)]
        shown = [level for level in levels if np.isfinite(level.y) and low <= level.y <= high]
        return Plot(
            run.joint_names[k], f"{quantity} [{unit}]", lines, levels=shown, height=110, y_range=(low, high), y_unit=unit
        )


def _line(signals: Signals, values: Array, colour: str, name: str, kind: Any = "line") -> Line:
    return Line(*envelope(signals.time, broken(signals, values)), colour, name, kind)


def window(values: list[Array], lower: float, upper: float) -> tuple[float, float]:
    """What an axis shows: both limits if the values come near them, else the values and some air.

    >>> window([np.array([0.0, 1.0])], -1.0, 2.0)
    (-1.24, 2.24)
    """
    low, high = min(float(v.min()) for v in values), max(float(v.max()) for v in values)
    span = max(high - low, 1e-9)
    if np.isfinite([lower, upper]).all() and upper - lower < 8 * span:
        low, high, span = min(low, lower), max(high, upper), max(upper - lower, span)
    return low - 0.08 * span, high + 0.08 * span
