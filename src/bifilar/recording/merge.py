"""Several recordings of the same time as one: files that hold one signal each, or logs of two machines on one clock.

The first recording's stamps are kept. A sample of another one belongs to the nearest of them if it is within the tolerance;
where none is, its channels are missing (nan). Nothing is interpolated: that is the work of `prepare`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.recording.channel import Channel
from bifilar.recording.recording import Recording


def merged(recordings: Sequence[Recording], tolerance: float | None = None) -> Recording:
    """One recording; `tolerance` [s] is a quarter of the first one's step unless given.

    >>> a = Recording(joint_names=("hip",), time=[0, 1, 2], position=[[1], [2], [3]])
    >>> b = Recording(joint_names=("hip",), time=[1.01, 2.02], torque=[[5], [6]])
    >>> merged([a, b]).torque.ravel()
    array([nan, 5., 6.])
    """
    if not recordings:
        raise RecordingError("recordings.none/merge")
    first = recordings[0]
    for other in recordings[1:]:
        first = _joined(first, other, _tolerance(first, tolerance))
    return first


def _tolerance(first: Recording, tolerance: float | None) -> float:
    if tolerance is None:
        return 0.25 / first.rate if len(first) > 1 and np.isfinite(first.rate) else 0.0
    if not 0 <= tolerance < np.inf:
        raise RecordingError("tolerance.wrong/merge", tolerance=tolerance)
    return tolerance


def _joined(a: Recording, b: Recording, tolerance: float) -> Recording:
    partner, found = _partners(a, b, tolerance)
    names = a.joint_names + tuple(name for name in b.joint_names if name not in a.joint_names)
    content = dict(a.channels)
    for name, channel in b.channels.items():
        fitted = channel if channel.time is not None else _fitted(channel, partner, found)
        content[name] = _beside(name, content[name], fitted) if name in content else fitted
    notes = a.notes + b.notes
    if not found.all():
        notes += (
            Finding(
                "merge.gap",
                "warning",
                b.name or "the second recording",
                found_count=int((~found).sum()),
                a_count=len(a),
                tolerance=tolerance,
            ),
        )
    mask = a.mask & np.where(found, b.mask[partner] if len(b) else False, True)
    sliding = a.sliding + tuple(name for name in b.sliding if name not in a.sliding)
    return replace(a, joint_names=names, sliding=sliding, channels=content, mask=mask, notes=notes, truth=a.truth or b.truth)


def _partners(a: Recording, b: Recording, tolerance: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For every sample of a the nearest one of b, and whether it is near enough."""
    if len(a) == len(b) and np.array_equal(a.time, b.time, equal_nan=True):
        return np.arange(len(a)), np.ones(len(a), dtype=bool)
    where = f"{a.name or 'the first'} and {b.name or 'the second'}"
    if not np.all(np.diff(b.time) >= 0):
        raise RecordingError("clock.not_rising/merge", where=where)
    if not len(b):
        return np.zeros(len(a), dtype=np.int64), np.zeros(len(a), dtype=bool)
    after = np.clip(np.searchsorted(b.time, a.time), 0, len(b) - 1)
    before = np.clip(after - 1, 0, None)
    partner = np.where(np.abs(b.time[before] - a.time) <= np.abs(b.time[after] - a.time), before, after)
    found = np.abs(b.time[partner] - a.time) <= tolerance
    if 2 * found.sum() < min(len(a), len(b)):
        raise RecordingError("merge.no_partner", where=where, found_count=int(found.sum()), a_count=len(a), tolerance=tolerance)
    return partner, found


def _fitted(channel: Channel, partner: NDArray[np.int64], found: NDArray[np.bool_]) -> Channel:
    if not len(channel):
        return replace(channel, values=np.full((len(partner), len(channel.columns)), np.nan))
    values: Array = channel.values[partner]
    return replace(channel, values=values if found.all() else np.where(found[:, None], values, np.nan))


def _beside(name: str, a: Channel, b: Channel) -> Channel:
    """Columns of the same kind of channel for different joints."""
    twice = [column for column in b.columns if column in a.columns]
    if twice or (a.time is None) != (b.time is None) or len(a) != len(b):
        raise RecordingError(
            "merge.twice/merge" if twice else "merge.twice/beside",
            where=f"{a.origin} and {b.origin}",
            name=name,
            twice=twice[:1],
        )
    origin = ", ".join(filter(None, (a.origin, b.origin)))
    values = np.hstack([a.values, b.values])
    return replace(a, values=values, columns=a.columns + b.columns, units=a.units + b.units, origin=origin)
