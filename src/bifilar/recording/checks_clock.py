"""The clock: stamps that are missing, go back, repeat, leave gaps or are unsteady.

Everything is counted in the recording's own step (the median of the differences), so that no threshold has a unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place
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
        yield Finding("nan_time", "error", "clock", bad_count=len(bad), time_count=len(time), bad=bad[0])
        time = time[np.isfinite(time)]
    if len(time) < 3:
        yield Finding("short", "error", "clock", time_count=len(time))
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
            "back",
            "error",
            "clock",
            back_count=len(back),
            far=far,
            time=time[back[0]],
            back=back[0] + 1,
            rows=_rows(recording),
            at=_places(time, back),
        )
    if len(same):
        most = len(same) > STANDS * len(time)
        first, likely = "keep one sample of each stamp", "rows written twice, or stamps of too few digits"
        if most:
            first = "name the column of nanoseconds in a mapping ([clock] nanoseconds = ...)"
            likely = "whole seconds, whose rest stands in another column, or too few digits"
        yield Finding(
            "duplicate",
            "error" if most else "warning",
            "clock",
            same_count=len(same),
            share=len(same) / len(time),
            time=time[same[0]],
            first=first,
            likely=likely,
            at=_places(time, same),
        )


def _rows(recording: Recording) -> str:
    """A way out where everything that a row of the equations needs was logged."""
    return f"; {AS_ROWS}" if {"position", "velocity", "acceleration", "torque"} <= set(recording.channels) else ""


def _gaps(time: Array, steps: Array, step: float) -> Iterator[Finding]:
    long = np.flatnonzero(steps > GAP * step)
    lost = float(np.round(steps[steps > 1.5 * step] / step - 1).sum())
    if len(long) and steps[long].sum() > 3 * GAP * step:
        widest = long[np.argmax(steps[long])]
        facts: dict[str, Any] = {
            "count": len(long),
            "limit": GAP,
            "step": step,
            "longest": steps[widest],
            "start": time[widest],
        }
        yield Finding("gap", "warning", "clock", **facts, at=_places(time, long))
    elif lost:
        few = lost < LOST * len(time)
        f"about {lost:.0f} samples ({lost / len(time):.2%}) are missing between the stamps"
        places = _places(time, np.flatnonzero(steps > 1.5 * step))
        yield Finding("lost", "note" if few else "warning", "clock", lost=lost, share=lost / len(time), at=places)


def _jitter(time: Array, steps: Array, step: float) -> Iterator[Finding]:
    # the middle 80 % of the steps: lost samples and gaps are told apart from an unsteady clock
    low, high = np.quantile(steps, [0.1, 0.9])
    spread = float(high - low) / 2.56 / step
    if spread > JITTER:
        yield Finding(
            "jitter",
            "warning" if spread > UNSTEADY else "note",
            "clock",
            step=step,
            spread=spread,
            low=low,
            high=high,
            at=(Place("time", "", float(time[0]), float(time[-1])),),
        )


def _places(time: Array, rows: NDArray[np.int64]) -> tuple[Place, ...]:
    return tuple(Place("time", "", float(time[row]), float(time[row + 1])) for row in rows[:MOST_PLACES])
