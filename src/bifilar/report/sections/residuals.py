"""What errors still know: against velocity, position and their own past, joint by joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.markup import Html, bullets, fill, paragraphs
from bifilar.report.page import Section
from bifilar.report.plot import Band, Level, Line, Plot, colour, grid
from bifilar.report.run import Run, Signals, judged_motion

LAGS = 40  # rows
BINS = 24
MOST = 12  # joints that are drawn


@dataclass(frozen=True, eq=False)
class ResidualsSection(Section):
    """Three drawings a joint, of the judged motion.

    >>> ResidualsSection.title
    'Residuals'
    """

    run: Run
    title = "Residuals"
    template: ClassVar[str] = "{words}{told}{plots}"

    def parts(self) -> Mapping[str, Any]:
        """Clouds over velocity and position, a histogram, correlations with the past."""
        run = self.run
        signals = run.judged or run.fitted
        if not signals:
            return {"words": paragraphs("The recordings are not at hand."), "told": "", "plots": ""}
        which = judged_motion(run) if run.judged else "the fitted motion"
        words = (
            f"Errors (measured minus identified) on {which}. A complete model leaves a shapeless cloud inside the grey "
            "band of twice "
            "the noise, a bell, and no memory. The line through a cloud is its mean."
        )
        drawn = [self._joint(signals, k) for k in range(min(MOST, len(run.joint_names)))]
        return {"words": paragraphs(words), "told": bullets(self._told()), "plots": drawn}

    def _told(self) -> list[str]:
        seen = self.run.verdict.validation
        found = [] if seen is None else sorted((d for d in seen.dependences if d.matters), key=lambda d: -d.share)
        own = [d for d in found if d.on != "its past"]
        return [str(d) for d in own[:6]] or [self._nothing()]

    def _nothing(self) -> str:
        seen = self.run.verdict.validation
        warm = seen is not None and any(d.on == "temperature" for d in seen.dependences)
        return f"No error follows a position, velocity{', acceleration or temperature' if warm else ' or acceleration'}."

    def _joint(self, signals: Sequence[Signals], k: int) -> Html:
        run = self.run
        name, unit, angle = run.joint_names[k], run.units[k], run.angles[k]
        error = np.concatenate([s.error[:, k] for s in signals])
        noise = float(run.floor[k])
        v, q = (np.concatenate([getattr(s, word)[:, k] for s in signals]) for word in ("velocity", "position"))
        plots = [
            _cloud(name, f"error [{unit}] over velocity", v, error, noise, k, f"{angle}/s"),
            _cloud(name, f"error [{unit}] over position", q, error, noise, k, angle),
            _bell(name, error, noise, unit, k),
            _memory(name, [s.error[:, k] for s in signals], k),
        ]
        return fill('<div class="four">{plots}</div>', plots=grid(plots))


def _cloud(title: str, what: str, x: Array, error: Array, noise: float, k: int, unit: str) -> Plot:
    bands = [Band([x.min(), x.max()], [-2 * noise] * 2, [2 * noise] * 2, "noise")] if np.isfinite(noise) else []
    order = np.array_split(np.argsort(x, kind="stable"), 12)
    means = np.array([(x[part].mean(), error[part].mean()) for part in order if len(part)])
    lines = [Line(x, error, colour(k), "error", "points"), Line(means[:, 0], means[:, 1], "ink", "mean")]
    return Plot(title, what, lines, bands, height=110, x_unit=unit)


def _bell(name: str, error: Array, noise: float, unit: str, k: int) -> Plot:
    """A histogram of errors beside a bell as wide as the noise."""
    counts, edges = np.histogram(error, BINS)
    density = counts / max(1, counts.sum()) / np.diff(edges)
    x, y = np.repeat(edges, 2)[1:-1], np.repeat(density, 2)
    lines = [Line(x, y, colour(k), "errors", "thin")]
    bands = [Band(x, 0 * y, y, colour(k))]
    if np.isfinite(noise) and noise > 0:
        t = np.linspace(min(edges[0], -3 * noise), max(edges[-1], 3 * noise), 81)
        lines.append(Line(t, np.exp(-0.5 * (t / noise) ** 2) / (noise * np.sqrt(2 * np.pi)), "ink", "noise", "dashed"))
    return Plot(name, "how often, per " + unit, lines, bands, height=110, x_unit=unit)


def _memory(name: str, errors: Sequence[Array], k: int) -> Plot:
    """Correlation of errors with their own past, and what chance gives."""
    longest = max(errors, key=len)
    e = longest - longest.mean()
    count = min(LAGS, len(e) - 1)
    power = float(e @ e) or 1.0
    past = [float(e[lag:] @ e[: len(e) - lag]) / power for lag in range(count + 1)]
    chance = 2 / np.sqrt(max(len(e), 1))
    bands = [Band([0, max(count, 1)], [-chance] * 2, [chance] * 2, "noise")]
    lines = [Line(np.arange(count + 1.0), past, colour(k), "correlation")]
    return Plot(
        name, "correlation with its past", lines, bands, [Level(0.0, "quiet")], height=110, x_unit="rows", y_range=(-0.6, 1.05)
    )
