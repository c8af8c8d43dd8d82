"""The page about a filter over a recording: every parameter's mean and band over time, what was refused, what was not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bifilar.online.recordings import Track
from bifilar.report.page import Drawings, Page, Section, Words
from bifilar.report.plot import Line, Plot, band_plot

BAND = "Two deviations as a band. A parameter that the motion has not shown keeps its first value and its first band."


def track_page(track: Track, *, title: str = "A filter over a recording", lead: str = "") -> Page:
    """All about it."""
    owners = list(dict.fromkeys(name.rpartition(".")[0] for name in track.names))
    refused = sum(count for word, count in track.outcomes.items() if word not in ("accepted", "changed"))
    changes = track.outcomes.get("changed", 0)
    facts = [
        (str(len(track.samples)), "rows", ""),
        (str(refused), "refused", "warn" if refused else "good"),
        (str(changes), "changes noticed", ""),
        (str(len(track.not_seen[-1])), "parameters not seen", "warn" if track.not_seen[-1] else "good"),
    ]
    innovation = Plot(
        "squared innovation", "in noises, 1 if all is well", [Line(track.time, track.surprise, "ink", "innovation")]
    )
    sections: list[Section] = [Words("At the end", _unseen(track), _table(track))]
    sections += [Drawings(owner, BAND, _plots(track, owner)) for owner in owners]
    sections.append(Drawings("How well readings were foretold", "Before each was taken in.", [innovation], wide=True))
    sections.append(Words("What was done", [*track.samples.history, _words(track.outcomes)]))
    return Page(title, lead, facts, sections)


def _plots(track: Track, owner: str) -> list[Plot]:
    mine = [k for k, name in enumerate(track.names) if name.rpartition(".")[0] == owner]
    return [
        band_plot(
            track.time,
            track.mean[:, k],
            track.deviation[:, k],
            title=track.names[k].rpartition(".")[2],
            what=f"[{track.units[k]}]" if track.units[k] else "",
            height=110,
        )
        for k in mine
    ]


def _table(track: Track) -> Sequence[Sequence[str]]:
    rows = [["parameter", "value", "deviation", "unit", "seen"]]
    for row in track.rows():
        rows.append([row["name"], f"{row['value']:.5g}", f"{row['deviation']:.2g}", row["unit"], seen_words(track, row)])
    return rows


def seen_words(track: Track, row: Mapping[str, Any]) -> str:
    """Since when a parameter is seen, from the log's start: stamps may count from anywhere.

    >>> seen_words(None, {"seen": False})
    'not seen'
    """
    return f"since {row['since'] - track.time[0]:.3g} s" if row["seen"] else "not seen"


def _unseen(track: Track) -> str:
    hidden = track.not_seen[-1] if len(track.not_seen) else ()
    if not track.never_excited and not hidden:
        return "Every parameter had some effect on the readings. Times are from the log's start."
    if not track.never_excited:
        return f"The readings hardly tell {', '.join(hidden)}. Times are from the log's start."
    names = ", ".join(track.never_excited)
    return f"Without any effect of their own on the readings (what is seen of them follows from what a body can be): {names}."


def _words(outcomes: dict[str, int]) -> str:
    return "rows: " + ", ".join(f"{count} {word}" for word, count in outcomes.items())
