"""Torque over time: measured, by the description, identified; below each what the models leave, with the noise's band."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.envelope import envelope
from bifilar.report.markup import Html, fill, paragraphs
from bifilar.report.page import Section
from bifilar.report.plot import Band, Line, Plot, legend
from bifilar.report.run import Run, Signals, judged_motion

KEYS = (
    ("measured", "ink", "thick"),
    ("description", "described", "dashed"),
    ("identified", "identified", "line"),
    ("noise (±2)", "noise", "band"),
)
MOST = 30  # joints that are drawn


@dataclass(frozen=True, eq=False)
class TorqueSection(Section):
    """Judged motion first, then the fitted one.

    >>> TorqueSection.title
    'Torque over time'
    """

    run: Run
    title = "Torque over time"
    template: ClassVar[str] = "{words}{legend}{parts}"

    def parts(self) -> Mapping[str, Any]:
        """Two drawings for each joint and recording."""
        run = self.run
        groups = [(f"Test: {judged_motion(run)}", run.judged), ("Train: motion that was fitted", run.fitted)]
        drawn = [
            fill(
                "<h3>{head}, {name}{more}</h3>{plots}",
                head=head,
                name=all_[0].name,
                more=_more(all_),
                plots=self._plots(all_[0]),
            )
            for head, all_ in groups
            if all_
        ]
        words = (
            "Torque above, below it what each model leaves of it; the description's rest goes beyond the picture where "
            "it is larger. "
            "All through the filter of the fit. Drag to zoom, double click to zoom out, a click on a name hides it."
        )
        return {
            "words": paragraphs(words) if drawn else paragraphs(_gone(run)),
            "legend": legend(KEYS) if drawn else "",
            "parts": drawn,
        }

    def _plots(self, signals: Signals) -> Html:
        pairs = [self._pair(signals, k) for k in range(min(MOST, len(self.run.joint_names)))]
        return fill('<div class="grid wide">{pairs}</div>', pairs=pairs)

    def _pair(self, signals: Signals, k: int) -> Html:
        name, unit = self.run.joint_names[k], self.run.units[k]

        def line(values: Array, colour: str, word: str, kind: Any = "line") -> Line:
            return Line(*envelope(signals.time, broken(signals, values)), colour, word, kind)

        torque = Plot(
            name, f"torque [{unit}]",
            [
                line(signals.torque[:, k], "ink", "measured", "thick"),
                line(signals.described[:, k], "described", "description", "dashed"),
                line(signals.identified[:, k], "identified", "identified"),
            ],
            height=130, y_unit=unit,
        )  # fmt: skip
        left = signals.torque[:, k] - signals.described[:, k]
        noise = 2 * float(self.run.floor[k])
        ends = [signals.time[0], signals.time[-1]]
        top = 1.15 * max(float(np.max(np.abs(signals.error[:, k]))), 1.25 * noise if np.isfinite(noise) else 0.0, 1e-9)
        bands = [Band(ends, [-noise] * 2, [noise] * 2, "noise", "noise (±2)")] if np.isfinite(noise) else []
        rest = Plot(
            "", f"what is left [{unit}]",
            [line(left, "described", "description", "faint"), line(signals.error[:, k], "identified", "identified")],
            bands, height=80, y_unit=unit, y_range=(-top, top),
        )  # fmt: skip
        return fill("<div>{torque}{rest}</div>", torque=torque.html(), rest=rest.html())


def broken(signals: Signals, values: Array) -> Array:
    """Values with a gap where a stretch begins.

    >>> broken(Signals("a", *np.zeros((7, 3)), (0,)), np.ones(3))
    array([1., 1., 1.])
    """
    out = np.array(values, dtype=float)
    out[[start for start in signals.starts if 0 < start < len(out)]] = np.nan
    return out


def _more(signals: tuple[Signals, ...]) -> str:
    return f" (the first of {len(signals)})" if len(signals) > 1 else ""


def _gone(run: Run) -> str:
    return f"Not drawn: {', '.join(run.missing)} is gone or changed since." if run.missing else "There is nothing to draw."
