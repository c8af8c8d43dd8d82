"""A torque that was logged late (or early), moved to where it belongs.

    torque(t) = logged torque(t + delay)            delay > 0: the torque's timestamps are late

Only the torque moves; positions, velocities and the clock stay. Between samples a cubic is read (`filters.interpolate`), so a
delay need not be a whole number of samples. Rows whose torque would lie outside of the log, or in one of its gaps, have none.
How late a torque is can be declared when a log is read (`Recording.load(..., log_delay=0.005)`, `--log-delay 0.005`, or
`log_delay = 0.005` in a mapping); what nobody declared, a fit looks for (`estimate.delay_choice`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.recording.channel import Channel
from bifilar.recording.recording import Recording
from bifilar.recording.stretches import on_the_stamps

LONGEST = 10.0  # [s] more is another recording, not a delay


def seconds_of(delay: object) -> float:
    """A declared delay as a number of seconds, refused if it is none.

    >>> seconds_of(0.005), seconds_of("-0.01")
    (0.005, -0.01)
    """
    try:
        seconds = float(delay)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        seconds = np.nan
    if not abs(seconds) <= LONGEST:
        raise RecordingError("delay.wrong/log_delay", delay=delay, longest=LONGEST)
    return seconds


def declared_delay(recording: Recording) -> float | None:
    """By how much the torque was moved because somebody said so [s]; None: nobody said anything.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.1, 0.2], torque=[[0.0], [1.0], [2.0]])
    >>> declared_delay(swing), declared_delay(without_delay(swing, 0.1))
    (None, 0.1)
    """
    channel = recording.channels.get("torque")
    return None if channel is None else channel.delay


def without_delay(recording: Recording, delay: float) -> Recording:
    """The recording with its torque moved by a declared delay [s]; rows that lose their torque are masked.

    >>> t = np.arange(6) / 10
    >>> late = Recording(joint_names=("hip",), time=t, position=t[:, None], torque=(t - 0.2)[:, None])
    >>> moved = without_delay(late, 0.2)
    >>> moved.torque[:4, 0].round(9).tolist(), moved.mask.sum()
    ([0.0, 0.1, 0.2, 0.3], np.int64(4))
    """
    moved = moved_torque(recording, delay)
    channel = moved.channels.get("torque")
    if channel is None:
        return recording
    told = replace(moved, channels={**moved.channels, "torque": replace(channel, delay=delay)})
    if not delay:
        return told
    before, after = recording.get("torque"), told.get("torque")
    lost = np.isnan(after).all(axis=1)  # type: ignore[arg-type]
    lost &= True if before is None else ~np.isnan(before).all(axis=1)
    return told.masked(~lost)


def in_time(recording: Recording, delay: float) -> Recording:
    """The recording with its torque moved by a delay [s] that was found, unless one was declared for it.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 1.0, 2.0], torque=[[0.0], [1.0], [2.0]])
    >>> in_time(swing, 1.0).torque[0, 0], in_time(without_delay(swing, 0.0), 1.0).torque[0, 0]
    (np.float64(1.0), np.float64(0.0))
    """
    return recording if declared_delay(recording) is not None else moved_torque(recording, delay)


def moved_torque(recording: Recording, delay: float) -> Recording:
    """The same, without a word that it was declared: nan where the log holds no torque that late.

    >>> t = np.arange(4.0)
    >>> late = Recording(joint_names=("hip",), time=t, position=t[:, None], torque=t[:, None])
    >>> moved_torque(late, 1.0).torque[:, 0]
    array([ 1.,  2.,  3., nan])
    """
    channel = recording.channels.get("torque")
    if channel is None or not delay:
        return recording
    own = recording.time if channel.time is None else channel.time
    early = replace(channel, time=own - delay)
    late = replace(recording, channels={**recording.channels, "torque": early}, truth=None)
    values = on_the_stamps(late, "torque")
    there = replace(channel, values=_in_columns(values, channel.columns, recording.joint_names), time=None)
    return replace(recording, channels={**recording.channels, "torque": there})


def stream_without_delay(pieces: Iterable[Recording], delay: float) -> Iterator[Recording]:
    """Pieces of one log that follow each other, their torque moved across the borders between them.

    >>> t = np.arange(6) / 10
    >>> whole = Recording(joint_names=("hip",), time=t, position=t[:, None], torque=t[:, None])
    >>> pieces = [whole.part(None, 0.25), whole.part(0.25, None)]
    >>> [piece.torque[:, 0].round(9).tolist() for piece in stream_without_delay(pieces, 0.1)]
    [[0.1, 0.2, 0.3], [0.4, 0.5, nan]]
    """
    before: Recording | None = None
    here: Recording | None = None
    for after in pieces:
        if here is not None:
            yield _between(before, here, after, delay)
        before, here = here, after
    if here is not None:
        yield _between(before, here, None, delay)


def _between(before: Recording | None, here: Recording, after: Recording | None, delay: float) -> Recording:
    parts = [part for part in (before, here, after) if part is not None]
    joined = Recording(
        joint_names=here.joint_names,
        sliding=here.sliding,
        time=np.concatenate([part.time for part in parts]),
        channels={"torque": _joined(parts)} if "torque" in here.channels else {},
    )
    moved = without_delay(joined, delay)
    first = 0 if before is None else len(before)
    chosen = np.arange(first, first + len(here))
    if "torque" not in here.channels:
        return here
    torque = moved.channels["torque"].rows(chosen)
    return replace(here, channels={**here.channels, "torque": torque}, mask=here.mask & moved.mask[chosen], truth=None)


def _joined(parts: list[Recording]) -> Channel:
    channels = [part.channels["torque"] for part in parts]
    return replace(channels[0], values=np.concatenate([channel.values for channel in channels]))


def _in_columns(values: Array, columns: tuple[str, ...], names: tuple[str, ...]) -> Array:
    """Columns of the joints as a channel has them."""
    return np.ascontiguousarray(values[:, [names.index(name) for name in columns if name in names]])
