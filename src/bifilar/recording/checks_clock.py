"""The clock: stamps that are missing, go back, repeat, leave gaps or are unsteady.

Everything is counted in the recording's own step (the median of the differences), so that no threshold has a unit.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place, Remedy
from bifilar.recording.plan_names import AS_ROWS
from bifilar.recording.recording import Recording

GAP = 5.0  # steps: a stretch without samples, not a few lost ones
LOST = 0.01  # of the samples: more than a bus loses now and then
STANDS = 0.5  # of the samples: more is no clock at all
JITTER = 0.05  # of a step (robust deviation): beyond it a row index is a bad clock
UNSTEADY = 0.1  # beyond it worth a warning
MOST_PLACES = 50  # marked in a plot


def clock(recording: Recording) -> Iterator[Finding]:
    """All findings about the stamps.

    >>> nothing = np.zeros((5, 0))
    >>> late = Recording(joint_names=(), time=[0.0, 0.1, 0.1, 0.2, 0.3], position=nothing, torque=nothing)
    >>> [finding.code for finding in clock(late)]
    ['duplicate']
    """
    time = recording.time
    if not np.isfinite(time).all():
        bad = np.flatnonzero(~np.isfinite(time))
        what = f"{len(bad)} of {len(time)} stamps are not numbers, the first in row {bad[0]}"
        yield Finding("error", "clock", what, "repair the file, or give rate=... in place of the stamps", code="nan_time")
        time = time[np.isfinite(time)]
    if len(time) < 3:
        what = f"{len(time)} samples"
        yield Finding("error", "clock", what, "record a motion of some seconds", "an empty or cut-off file", "short")
        return
    steps = np.diff(time)
    yield from _order(time, steps, recording)
    forward = steps[steps > 0]
    if len(forward) > 2:
        yield from _gaps(time, steps, float(np.median(forward)))
        yield from _jitter(time, forward, float(np.median(forward)))


def _order(time: Array, steps: Array, recording: Recording) -> Iterator[Finding]:
    back, same = np.flatnonzero(steps < 0), np.flatnonzero(steps == 0)
    if len(back):
        far = float(-steps[back].min())
        yield Finding(
            "error",
            "clock",
            f"goes back {len(back)} times, by up to {far:.4g} s; first after {time[back[0]]:.6g} s (row {back[0] + 1})",
            f"sort or cut the file there, or load the parts as recordings of their own: .part(start, stop){_rows(recording)}",
            "several runs in one file, or messages stored out of order",
            "back",
            _places(time, back),
        )
    if len(same):
        most = len(same) > STANDS * len(time)
        first, likely = "keep one sample of each stamp", "rows written twice, or stamps of too few digits"
        if most:
            first = "name the column of nanoseconds in a mapping ([clock] nanoseconds = ...)"
            likely = "whole seconds, whose rest stands in another column, or too few digits"
        yield Finding(
            "error" if most else "warning",
            "clock",
            f"{len(same)} stamps ({len(same) / len(time):.2%}) repeat the one before; first at {time[same[0]]:.6g} s",
            Remedy("rate=... if rows are evenly timed", cli="--rate if rows are evenly timed", lead=f"{first}, or give "),
            likely,
            "duplicate",
            _places(time, same),
        )


def _rows(recording: Recording) -> str:
    """A way out where everything that a row of the equations needs was logged."""
    return f"; {AS_ROWS}" if {"position", "velocity", "acceleration", "torque"} <= set(recording.channels) else ""


def _gaps(time: Array, steps: Array, step: float) -> Iterator[Finding]:
    long = np.flatnonzero(steps > GAP * step)
    lost = float(np.round(steps[steps > 1.5 * step] / step - 1).sum())
    if len(long) and steps[long].sum() > 3 * GAP * step:
        widest = long[np.argmax(steps[long])]
        what = f"{len(long)} gaps longer than {GAP:g} steps of {step:.4g} s; "
        what += f"the longest lasts {steps[widest]:.4g} s, at {time[widest]:.6g} s"
        remedy = "nothing, if pauses are meant: segments are kept apart; otherwise record again"
        yield Finding("warning", "clock", what, remedy, "pauses, or a logger that was held up", "gap", _places(time, long))
    elif lost:
        few = lost < LOST * len(time)
        what = f"about {lost:.0f} samples ({lost / len(time):.2%}) are missing between the stamps"
        places = _places(time, np.flatnonzero(steps > 1.5 * step))
        remedy = "nothing: the stamps tell where they are; do not replace them by a row index"
        yield Finding("note" if few else "warning", "clock", what, remedy, "a busy bus or logger", "lost", places)


def _jitter(time: Array, steps: Array, step: float) -> Iterator[Finding]:
    # the middle 80 % of the steps: lost samples and gaps are told apart from an unsteady clock
    low, high = np.quantile(steps, [0.1, 0.9])
    spread = float(high - low) / 2.56 / step
    if spread > JITTER:
        yield Finding(
            "warning" if spread > UNSTEADY else "note",
            "clock",
            f"is unsteady: steps of {step:.4g} s vary by {spread:.0%} (between {low:.4g} and {high:.4g} s in 80 % of the rows)",
            "use the stamps, not the row index, and resample (prepare does)",
            "stamped on arrival, not when it was measured",
            "jitter",
            (Place("time", "", float(time[0]), float(time[-1])),),
        )


def _places(time: Array, rows: NDArray[np.int64]) -> tuple[Place, ...]:
    return tuple(Place("time", "", float(time[row]), float(time[row + 1])) for row in rows[:MOST_PLACES])
