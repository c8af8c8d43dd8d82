"""A recording as drawings: a small one for every column of every channel, with the findings marked where they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding
from bifilar.recording.channel import Channel
from bifilar.recording.recording import Recording
from bifilar.report import plot
from bifilar.report.envelope import envelope
from bifilar.report.plot import Line, Plot, colour

SMALL = 140  # [px] height of a drawing
MOST_MARKS = 40  # of one finding in one drawing
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

    >>> from bifilar.errors import Finding, Place
    >>> marks([Finding("gap", "note", "time", at=(Place("time", "", 0.0, 1.0),))])[0].stop
    1.0
    """
    return [
        Mark(number, finding.severity, finding.code, finding.what, *place)
        for number, finding in enumerate(findings, 1)
        for place in finding.at[:MOST_MARKS]
    ]


def begin(recording: Recording) -> float:
    """What is taken off every stamp in drawings.

    >>> begin(Recording(joint_names=(), time=[1.7e9, 1.7e9 + 1])), begin(Recording(joint_names=(), time=[3.0, 4.0]))
    (1700000000.0, 0.0)
    """
    known = recording.time[np.isfinite(recording.time)]
    return float(known[0]) if len(known) and abs(known[0]) > LATE else 0.0


def channel_plots(recording: Recording, name: str, found: Sequence[Mark] = ()) -> list[Plot]:
    """A drawing for every column of a channel.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.1, 0.2], position=[[0], [1], [2]])
    >>> len(channel_plots(swing, "position"))
    1
    """
    channel = recording.channels[name]
    time = recording.time if channel.time is None else channel.time
    return [_column(recording, time, channel, name, k, found) for k in range(len(channel.columns))]


def clock_plot(recording: Recording, found: Sequence[Mark] = (), steps: Array | None = None) -> Plot:
    """The time from each sample to the next, in milliseconds.

    >>> clock_plot(Recording(joint_names=(), time=[0.0, 0.1, 0.2])).lines[0].y.tolist()
    [100.0, 100.0]
    """
    step, time = (1e3 * np.diff(recording.time), recording.time[1:]) if steps is None else (1e3 * steps, recording.time)
    zero = begin(recording)
    mine = [mark for mark in found if mark.channel in ("time", "clock")]
    return _drawn("clock", "step [ms]", time - zero, step, "quiet", "ms", recording, mine)


def _column(recording: Recording, time: Array, channel: Channel, name: str, k: int, found: Sequence[Mark]) -> Plot:
    column, zero = channel.columns[k], begin(recording)
    place = recording.joint_names.index(column) if column in recording.joint_names else k
    mine = [mark for mark in found if mark.channel == name and mark.joint in ("", column)]
    what = f"{name.replace('_', ' ')} [{channel.units[k]}]"
    return _drawn(column, what, time - zero, channel.values[:, k], colour(place), channel.units[k], recording, mine)


def _drawn(
    title: str, what: str, time: Array, values: Array, ink: str, unit: str, recording: Recording, found: Sequence[Mark]
) -> Plot:
    zero = begin(recording)
    known = recording.time[np.isfinite(recording.time)] - zero
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    ends = (low, high if high > low else low + 1)
    t, y = envelope(time, values)
    line = Line(t, y, ink, title, "line" if np.isfinite(y).sum() > 1 else "points")
    real = y[np.isfinite(y)]
    bottom, top = (float(real.min()), float(real.max())) if len(real) else (0.0, 1.0)
    span = top - bottom if top - bottom > 1e-9 * abs(top) else 0.2 * abs(top) or 1.0  # round-off is not drawn as a signal
    window = (bottom - 0.08 * span, top + (0.25 if found else 0.08) * span)
    narrow = 0.003 if title == "clock" else 0.01  # of the width: three pixels or so
    shown = _marks(found, zero, ends, narrow)
    return Plot(title, what, [line], marks=shown, x_range=ends, y_range=window, y_unit=unit, height=SMALL)


def _marks(found: Sequence[Mark], zero: float, ends: tuple[float, float], narrow: float) -> list[plot.Mark]:
    """A shaded stretch for every place, its finding's number above the first; what covers everything is hardly shaded."""
    shown, first = [], []
    for number in sorted({mark.number for mark in found}, reverse=True):  # the worst come last, on top
        mine = [mark for mark in found if mark.number == number]
        for k, (start, stop) in enumerate(_stretches(mine, zero, *ends, narrow)):
            share = (stop - start) / (ends[1] - ends[0])
            opacity = 0.06 if share > 0.5 else 0.15 if share > 0.1 else 0.25 if share > 0.02 else 0.5
            words = f"{number}: {mine[0].code} {mine[0].what}"
            shown.append(plot.Mark(start, stop, mine[0].severity, "" if k else str(number), words, opacity))
            if not k:
                first.append(len(shown) - 1)
    places = _apart([(shown[k].start + shown[k].stop) / 2 for k in first], 0.07 * (ends[1] - ends[0]), *ends)
    for k, at in zip(first, places):
        shown[k] = shown[k]._replace(at=at)
    return shown


def _stretches(found: Sequence[Mark], zero: float, first: float, last: float, narrow: float) -> list[tuple[float, float]]:
    """Places of one finding inside the drawing, wide enough to be seen; those that touch are one."""
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
