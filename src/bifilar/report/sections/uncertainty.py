"""How sure the values are, and which of them are only known together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.bars import Bar, bar_groups, correlation_map
from bifilar.report.markup import fill, paragraphs, table
from bifilar.report.page import Section
from bifilar.report.plot import colour
from bifilar.report.run import Run, owners
from bifilar.report.ticks import short

STRONG = 0.8  # correlation of two values that are not known apart
MOST = 10  # pairs that are named
BARS = 12  # changes that are drawn


@dataclass(frozen=True, eq=False)
class UncertaintySection(Section):
    """Changes in units of their deviation, a map of correlations, and the strongest pairs.

    >>> UncertaintySection.title
    'Uncertainty and correlation'
    """

    run: Run
    title = "Uncertainty and correlation"
    template: ClassVar[str] = (
        "{words}<h3>Where the description was wrong</h3>{why}{changes}<h3>What is only known together</h3>{map}{pairs}"
    )

    def parts(self) -> Mapping[str, Any]:
        """Words, bars, map, table."""
        estimate = self.run.estimate
        kept = np.flatnonzero(np.isfinite(estimate.deviations) & (estimate.deviations > 0))
        first = {name.rpartition(".")[0]: k for k, name in reversed(list(enumerate(estimate.names)))}
        kept = np.array(
            sorted(kept, key=lambda k: (first[estimate.names[k].rpartition(".")[0]], k)), dtype=int
        )  # owner by owner
        names = [estimate.names[k] for k in kept]
        rho = correlations(estimate.covariance[np.ix_(kept, kept)])
        words = (
            "± is one standard deviation: how far a value would scatter if the same motion were recorded again, if the "
            "model is "
            "right. Friction of another shape, a flexible gear or a torque constant that is off move values by more, "
            "and no bar knows."
        )
        why, changes = self._moved()
        pairs = strongest(rho, names)
        rows = [["known together", "", "correlation"], *([a, b, f"{r:+.3f}"] for a, b, r in pairs[:MOST])]
        said = (
            f"{len(pairs)} pairs have a correlation beyond {STRONG}; their sum or difference is known better than each. "
            "Blue: they err together, orange: against each other."
            if pairs
            else f"No two values have a correlation beyond {STRONG}. Blue: they err together, orange: against each other."
        )
        return {
            "words": paragraphs(words),
            "why": paragraphs(why),
            "changes": changes,
            "map": fill("{said}{map}", said=paragraphs(said), map=correlation_map(rho, names) if names else ""),
            "pairs": table(rows) if pairs else "",
        }

    def _moved(self) -> tuple[str, Any]:
        """Numbers of links that the description got wrong, and by how much; friction is not among them."""
        estimate, robot = self.run.estimate, self.run.described
        before = estimate.base.from_full(robot.parameters())
        drives = set(robot.drive_columns.names)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.abs(estimate.values - before) / estimate.deviations
        kept = [
            k
            for k in range(len(moved))
            if np.isfinite(moved[k]) and estimate.deviations[k] > 0 and estimate.names[k] not in drives
        ]
        order = sorted(kept, key=lambda k: -moved[k])
        far = sum(moved[k] > 2 for k in kept)
        words = (
            f"Of {len(kept)} base parameters of links, {far} are more than two standard deviations from the "
            "description; chance alone "
            f"would move about {0.05 * len(kept):.0f}. The largest changes, in deviations:"
        )
        own = owners(robot)
        groups = []
        for k in order[:BARS]:
            place = own.get(estimate.names[k].rpartition(".")[0], 8)
            told = f"{moved[k]:.1f}  ({short(before[k])} → {short(estimate.values[k])})"
            groups.append((estimate.names[k], [Bar(float(moved[k]), colour(place), told)]))
        return words, fill('<div class="far">{bars}</div>', bars=bar_groups(groups))


def correlations(covariance: Array) -> Array:
    """From a covariance.

    >>> correlations(np.array([[4.0, 1.0], [1.0, 1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return np.clip(covariance / np.outer(deviation, deviation), -1, 1)


def strongest(rho: Array, names: list[str]) -> list[tuple[str, str, float]]:
    """Pairs that are hardly known apart, the strongest first.

    >>> strongest(np.array([[1.0, -0.9], [-0.9, 1.0]]), ["a", "b"])
    [('a', 'b', -0.9)]
    """
    rows, columns = np.nonzero(np.triu(np.abs(rho) > STRONG, 1))
    found = [(names[i], names[j], float(rho[i, j])) for i, j in zip(rows, columns)]
    return sorted(found, key=lambda pair: -abs(pair[2]))
