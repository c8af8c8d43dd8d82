"""Every number with its error bar, what the description said, and how much of it is the data's rather than the prior's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bifilar.estimate.estimate import NOT_IDENTIFIED, BaseEstimate, Estimate
from bifilar.report.bars import Value, share_bar, values
from bifilar.report.markup import Html, fill, paragraphs, table
from bifilar.report.page import Section
from bifilar.report.run import Run
from bifilar.report.ticks import short

LONG = 90  # letters of an equation that are shown
GROUPS = (("Masses", ("mass",)), ("First moments: mass times centre", ("mcx", "mcy", "mcz")))
INERTIAS = ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
WORDS = (
    "Blue: identified, with a bar of two standard deviations; hollow where it is not identified. Orange: the description. "
    "The short bar on the right is blue as far as the data decided the value and orange as far as the prior did."
)


@dataclass(frozen=True, eq=False)
class ParametersSection(Section):
    """Base parameters, which torque can tell; then links, friction and drives.

    >>> ParametersSection.title
    'Parameters'
    """

    run: Run
    title = "Parameters"
    template: ClassVar[str] = "{words}{links}{base}"

    def parts(self) -> Mapping[str, Any]:
        """Pictures and tables."""
        estimate = self.run.estimate
        links = link_values(estimate) if isinstance(estimate, Estimate) else ""
        words = [WORDS]
        if isinstance(estimate, Estimate):
            words.append(
                "Torque seldom tells a link's numbers alone. Where it does not, the value is one of many that move "
                "alike, picked near "
                "the description: do not quote it as a measurement. The base parameters below are what was measured."
            )
        return {"words": paragraphs(*words), "links": links, "base": base_values(estimate)}


def base_values(estimate: BaseEstimate) -> Html:
    """The sums that torque can tell apart, before and after."""
    before = estimate.base.from_full(estimate.described.parameters())
    rows: list[list[Any]] = [["base parameter", "description", "identified", "± deviation", "", "data", "stands for"]]
    for k, (name, equation) in enumerate(zip(estimate.names, estimate.base.equations(3))):
        known = "" if estimate.identified[k] else "not identified"
        told = equation if len(equation) <= LONG else equation[: LONG - 3].rsplit(" ", 2)[0] + " ..."
        bar = share_bar(None if estimate.seen is None else float(estimate.seen[k]))
        rows.append([name, short(before[k]), short(estimate.values[k]), f"± {short(estimate.deviations[k])}", known, bar, told])
    count = int(np.sum(estimate.identified))
    head = f"Base parameters: {count} of {len(estimate.values)} identified"
    words = "Torque tells these sums apart. Identified: by data more than by the prior, "
    words += "and at least 3 sigma from zero or too small to matter for the torque."
    return fill(
        '<h3>{head}</h3>{words}<details><summary>All {total} with their sums</summary><div '
        'class="left">{table}</div></details>',
        head=head, words=paragraphs(words), total=len(estimate.values), table=table(rows),
    )  # fmt: skip


def link_values(estimate: Estimate) -> Html:
    """All numbers of links, friction and drives, a picture for every kind."""
    before, after = estimate.described.parameters().values, estimate.parameters
    shares = parameter_shares(estimate)
    rows: dict[tuple[str, str], list[Value]] = {}
    for k, name in enumerate(after.names):
        owner, _, word = name.rpartition(".")
        deviation, value = float(estimate.parameter_deviations[k]), float(after.values[k])
        title = _group(word)
        shown = f"{owner} {word}" if title in ("Inertias about the link's origin", GROUPS[1][0]) else owner
        known = deviation <= NOT_IDENTIFIED * abs(value) and estimate.origins[k] == "data"
        rows.setdefault((title, after.units[k]), []).append(Value(shown, float(before[k]), value, deviation, known, shares[k]))
    part = "<h3>{title}{unit}</h3>{values}"
    drawn = []
    for (title, unit), found in rows.items():
        picture = fill(part, title=title, unit=f" [{unit}]" if unit else "", values=values(found, unit))
        if title in ("Inertias about the link's origin", GROUPS[1][0]):
            count = len(found)
            picture = fill(
                '<details><summary>{title}{unit}: {count} numbers</summary>{values}</details>',
                title=title, unit=f" [{unit}]", count=count, values=values(found, unit),
            )  # fmt: skip
        drawn.append(picture)
    return fill("{drawn}", drawn=drawn)


def parameter_shares(estimate: Estimate) -> Sequence[float]:
    """How much of each parameter is the data's: 1 or 0 by its origin, and in between by the base parameters it is part of."""
    if estimate.seen is None:
        return [1.0 if origin == "data" else 0.0 for origin in estimate.origins]
    named = dict(zip(estimate.names, estimate.seen))
    return [
        float(named.get(name, 1.0)) if origin == "data" else 0.0
        for name, origin in zip(estimate.parameters.names, estimate.origins)
    ]


def _group(word: str) -> str:
    for title, words in GROUPS:
        if word in words:
            return title
    if word in INERTIAS:
        return "Inertias about the link's origin"
    return word[:1].upper() + word[1:].replace("_", " ")
