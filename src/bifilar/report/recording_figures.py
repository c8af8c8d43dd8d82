"""A recording as pictures: a small one for every column of every channel, with the findings marked where they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.recording.channel import Channel
from bifilar.recording.recording import Recording
from bifilar.report.envelope import envelope
from bifilar.report.style import QUIET, axis, colour, figure, label
from bifilar.robot.description import Finding

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SMALL = 196  # [px] height of a picture
SHADES = {"error": "#b91c1c", "warning": "#d97706", "note": "#2563eb"}
MOST_MARKS = 40  # of one finding in one picture
LATE = 1e5  # [s] stamps that begin later are drawn from 0: nobody reads the seconds since 1970


class Mark(NamedTuple):
    """Where a finding is to be seen.

    >>> Mark(1, "error", "gap", "a gap of 2 s", "time", "", 1.0, 3.0).number
    1
    """

    number: int  # of the finding, from 1
    severity: str
    code: str
    what: str
    channel: str
    joint: str  # "" for all
    start: float
    stop: float


def marks(findings: Iterable[Finding]) -> list[Mark]:
    """All places of all findings; findings without a place have none.

    >>> from bifilar.recording.findings import Place, Suspicion
    >>> marks([Suspicion("note", "time", "a gap", code="gap", at=(Place("time", "", 0.0, 1.0),))])[0].stop
    1.0
    """
    return [
        Mark(number, finding.severity, getattr(finding, "code", ""), finding.what, *place)
        for number, finding in enumerate(findings, 1)
        for place in getattr(finding, "at", ())[:MOST_MARKS]
    ]


def begin(recording: Recording) -> float:
    """What is taken off every stamp in pictures.

    >>> begin(Recording(joint_names=(), time=[1.7e9, 1.7e9 + 1])), begin(Recording(joint_names=(), time=[3.0, 4.0]))
    (1700000000.0, 0.0)
    """
    known = recording.time[np.isfinite(recording.time)]
    return float(known[0]) if len(known) and abs(known[0]) > LATE else 0.0


def channel_figures(recording: Recording, name: str, found: Sequence[Mark] = ()) -> list[Figure]:
    """A picture for every column of a channel.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.1, 0.2], position=[[0], [1], [2]])
    >>> len(channel_figures(swing, "position"))
    1
    """
    channel = recording.channels[name]
    time = recording.time if channel.time is None else channel.time
    return [_column(recording, time, channel, name, k, found) for k in range(len(channel.columns))]


def clock_figure(recording: Recording, found: Sequence[Mark] = (), steps: Array | None = None) -> Figure:
    """The time from each sample to the next, in milliseconds.

    >>> clock_figure(Recording(joint_names=(), time=[0.0, 0.1, 0.2])).data[0].y.tolist()
    [100.0, 100.0]
    """
    step, time = (1e3 * np.diff(recording.time), recording.time[1:]) if steps is None else (1e3 * steps, recording.time)
    zero = begin(recording)
    drawn = _frame("", 240, recording, zero)
    _line(drawn, time - zero, step, QUIET, "ms")
    _mark(drawn, [mark for mark in found if mark.channel in ("time", "clock")], step, recording, zero)
    drawn.update_yaxes(title={"text": "step [ms]", "font": {"size": 13, "color": QUIET}})
    return drawn


def _column(recording: Recording, time: Array, channel: Channel, name: str, k: int, found: Sequence[Mark]) -> Figure:
    column, zero = channel.columns[k], begin(recording)
    place = recording.joint_names.index(column) if column in recording.joint_names else k
    drawn = _frame(
        f"<b>{label(column)}</b>  {label(name.replace('_', ' '))} [{label(channel.units[k])}]", SMALL, recording, zero
    )
    values = channel.values[:, k]
    _line(drawn, time - zero, values, colour(place), channel.units[k])
    mine = [mark for mark in found if mark.channel == name and mark.joint in ("", column)]
    _mark(drawn, mine, values, recording, zero)
    return drawn


def _frame(title: str, height: int, recording: Recording, zero: float) -> Figure:
    drawn = figure(height, margin={"l": 46, "r": 14, "t": 30 if title else 10, "b": 26}, showlegend=False, hovermode="closest")
    if title:
        drawn.update_layout(title={"text": title, "font": {"size": 13}, "x": 0.01, "y": 0.97, "yanchor": "top"})
    known = recording.time[np.isfinite(recording.time)] - zero
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    drawn.update_xaxes(axis("", range=[low, high if high > low else low + 1], ticksuffix=" s", nticks=6))
    drawn.update_yaxes(axis("", nticks=6))
    return drawn


def _line(drawn: Figure, time: Array, values: Array, ink: str, unit: str) -> None:
    t, y = envelope(time, values)
    if not np.isfinite(y).any():
        drawn.add_annotation(text="no numbers", x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
        return
    precise = np.float32 if np.nanmax(np.abs(t), initial=0) < 1e4 else np.float64  # half the size of the page
    drawn.add_scatter(
        x=t.astype(precise), y=y.astype(np.float32), mode="lines" if np.isfinite(y).sum() > 1 else "markers",
        line={"color": ink, "width": 1.2}, hovertemplate=f"%{{x:.4f}} s: %{{y:.5g}} {label(unit)}<extra></extra>",
    )  # fmt: skip


def _mark(drawn: Figure, found: Sequence[Mark], values: Array, recording: Recording, zero: float) -> None:
    """A shaded stretch for every place, its finding's number above the first; what covers everything is hardly shaded."""
    real = values[np.isfinite(values)]
    low, high = (float(real.min()), float(real.max())) if len(real) else (0.0, 1.0)
    span = high - low if high - low > 1e-9 * abs(high) else 0.2 * abs(high) or 1.0  # round-off is not drawn as a signal
    first, last = drawn.layout.xaxis.range
    narrow = 0.01 if drawn.layout.height == SMALL else 0.003  # of the width: three pixels or so
    drawn.update_yaxes(range=[low - 0.08 * span, high + (0.22 if found else 0.08) * span])
    shapes: list[dict[str, Any]] = []
    heads: dict[int, tuple[Mark, float]] = {}
    for number in sorted({mark.number for mark in found}, reverse=True):  # the worst come last, on top
        mine = [mark for mark in found if mark.number == number]
        for start, stop in _stretches(mine, zero, first, last, narrow):
            share = (stop - start) / (last - first)
            opacity = 0.05 if share > 0.5 else 0.15 if share > 0.1 else 0.25 if share > 0.02 else 0.5
            shapes.append({
                "type": "rect", "xref": "x", "yref": "paper", "x0": start, "x1": stop, "y0": 0, "y1": 1,
                "fillcolor": SHADES[mine[0].severity], "opacity": opacity, "line": {"width": 0}, "layer": "below",
            })  # fmt: skip
            heads.setdefault(number, (mine[0], (start + stop) / 2))
    drawn.update_layout(shapes=shapes)
    places = _apart([x for _, x in heads.values()], 0.06 * (last - first), first, last)
    for (mark, _), x in zip(heads.values(), places):
        words = f"{mark.number}: {label(mark.code)}<br>" + "<br>".join(_wrapped(label(mark.what)))
        drawn.add_scatter(
            x=[x], y=[high + 0.13 * span], mode="text", text=[str(mark.number)], hovertext=[words], hoverinfo="text",
            textfont={"color": SHADES[mark.severity], "size": 12, "weight": 700}, cliponaxis=False,
        )  # fmt: skip


def _stretches(found: Sequence[Mark], zero: float, first: float, last: float, narrow: float) -> list[tuple[float, float]]:
    """Places of one finding inside the picture, wide enough to be seen; those that touch are one."""
    least = narrow * (last - first)
    merged: list[tuple[float, float]] = []
    for mark in sorted(found, key=lambda mark: (np.isfinite(mark.start), mark.start)):
        start = min(max(mark.start - zero, first), last) if np.isfinite(mark.start) else first
        stop = max(min(mark.stop - zero, last), start) if np.isfinite(mark.stop) else last
        if stop - start < least:  # a single sample is to be seen too
            start, stop = (start + stop - least) / 2, (start + stop + least) / 2
        if merged and start <= merged[-1][1]:
            start, stop = merged[-1][0], max(merged.pop()[1], stop)
        merged.append((start, stop))
    return merged


def _apart(places: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Numbers in a row that do not cover each other, each near where it belongs."""
    order = np.argsort(places, kind="stable")
    moved = [0.0] * len(places)
    before = low - least / 2
    for k in order:
        before = moved[k] = max(places[k], before + least)
    excess = max([0.0, *(x - (high - least / 2) for x in moved)])
    return [x - excess for x in moved]


def _wrapped(text: str, width: int = 60) -> list[str]:
    from textwrap import wrap

    return wrap(text, width) or [""]
