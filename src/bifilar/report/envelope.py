"""Long signals as short lines that hide nothing: of every stretch of time the lowest and the highest sample.

A line of 400 stretches shows every spike of a million samples; stretches without samples break it, so gaps stay visible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array

STRETCHES = 400  # of one line; each gives two points at most


class Line(NamedTuple):
    """Points of a line; nan breaks it.

    >>> Line(np.zeros(2), np.ones(2)).values
    array([1., 1.])
    """

    time: Array
    values: Array


def envelope(time: Array, values: Array, stretches: int = STRETCHES) -> Line:
    """The samples themselves if they are few, else the lowest and the highest of each stretch of time, in their order.

    >>> time = np.arange(100_000.0)
    >>> spiked = np.zeros(100_000)
    >>> spiked[12_345] = 7.0
    >>> line = envelope(time, spiked)
    >>> line.values.max(), len(line.time) <= 2 * STRETCHES
    (np.float64(7.0), True)
    """
    known = np.isfinite(time)
    time, values = time[known], values[known]
    if len(time) <= 2 * stretches:
        return _with_gaps(time, values)
    low, high = float(time.min()), float(time.max())
    place = np.minimum(((time - low) / max(high - low, 1e-300) * stretches).astype(np.int64), stretches - 1)
    real = np.flatnonzero(np.isfinite(values))
    # sorted by stretch, then by value: the first of a stretch is its lowest sample, the last its highest
    order = real[np.lexsort((values[real], place[real]))]
    starts = np.searchsorted(place[order], np.arange(stretches))
    ends = np.append(starts[1:], len(order))
    filled = ends > starts
    first, last = order[starts[filled]], order[ends[filled] - 1]
    t, y = np.full((stretches, 2), np.nan), np.full((stretches, 2), np.nan)
    pairs = np.sort(np.column_stack([first, last]), axis=1)  # in the order in which they were recorded
    t[filled], y[filled] = time[pairs], values[pairs]
    t[~filled] = (low + (high - low) * (np.flatnonzero(~filled) + 0.5) / stretches)[:, None]
    return Line(t.reshape(-1), y.reshape(-1))


def _with_gaps(time: Array, values: Array) -> Line:
    """All samples, and a break where the clock jumps."""
    step = np.diff(time)
    if len(step) < 3:
        return Line(time, values)
    jumps = np.flatnonzero(step > 5 * np.median(step)) + 1
    return Line(np.insert(time, jumps, np.nan), np.insert(values.astype(float), jumps, np.nan))
