"""What of a recording can be used, as uninterrupted stretches: rows that are finite, stamps that rise, no holes.

Nothing is filtered across a hole, and nothing is invented in one that is longer than the motion forgives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, RecordingError
from bifilar.filters.butterworth import low_pass
from bifilar.filters.interpolate import between
from bifilar.recording.recording import Recording
from bifilar.recording.wraps import continued, whole_turns

FEW_STEPS = 3.5  # a hole of so many samples is none
FASTER = 1.5  # times the position's rate: a torque that is sampled faster is smoothed before it is put on fewer stamps
BAND = 0.4  # of the slower of two rates: what a filter leaves before samples are dropped
SHARP = 8  # order of that filter


@dataclass(frozen=True, eq=False)
class Usable:
    """Rows of a recording that can be used, in the order of their stamps; made by `usable`.

    >>> t = np.arange(5.0)
    >>> swing = Recording(joint_names=("hip",), time=t, position=t[:, None], torque=[[1], [np.nan], [1], [1], [1]])
    >>> usable(swing).time
    array([0., 2., 3., 4.])
    """

    time: Array  # (N,) [s], rising
    position: Array  # (N, joints) [rad] or [m], without wraps
    torque: Array
    velocity: Array | None
    acceleration: Array | None
    history: tuple[Note, ...]

    @property
    def step(self) -> float:
        """Time from one sample to the next, jitter averaged out and holes left out [s].

        >>> t = np.arange(4.0)[:, None]
        >>> usable(Recording(joint_names=("hip",), time=t[:, 0], position=t, torque=t)).step
        1.0
        """
        steps = np.diff(self.time)
        return float(steps[steps < 1.5 * np.median(steps)].mean())

    def stretches(self, gap: float) -> list[slice]:
        """Parts without a hole longer than `gap` [s].

        >>> t = np.array([0.0, 1.0, 2.0, 9.0, 10.0])
        >>> rows = usable(Recording(joint_names=("hip",), time=t, position=t[:, None], torque=t[:, None]))
        >>> rows.stretches(4.0)
        [slice(0, 3, None), slice(3, 5, None)]
        """
        ends = np.flatnonzero(np.diff(self.time) > gap) + 1
        edges = [0, *(int(k) for k in ends), len(self.time)]
        return [slice(a, b) for a, b in pairwise(edges)]


def usable(recording: Recording, *, derivatives: bool = False) -> Usable:
    """The rows that are not masked and whose position and torque are finite; with `derivatives`, also what is logged of those.

    >>> t = np.array([0.0, 1.0, 1.0, 2.0, 3.0])
    >>> usable(Recording(joint_names=("hip",), time=t, position=t[:, None], torque=t[:, None])).history
    ('left out 1 sample that repeats a timestamp',)
    """
    history: list[Note] = []
    if not recording.joint_names:
        raise RecordingError("joints.none/stretches", where=recording.name)
    if recording.clock == "none":
        raise RecordingError("clock.unordered", where=recording.name)
    q = recording.require("position")
    tau = _on_the_stamps(recording, "torque", history)
    v, a = (_logged(recording, name, history) if derivatives else None for name in ("velocity", "acceleration"))
    finite = np.isfinite(recording.time)
    for values in (q, tau, v, a):
        finite = finite if values is None else finite & np.isfinite(values).all(axis=1)
    for key, bad in (("samples.left_out/masked", ~recording.mask), ("samples.left_out/nan", recording.mask & ~finite)):
        if bad.any():
            history.append(Note(key, count=int(bad.sum())))
    rows = np.flatnonzero(recording.mask & finite)
    rows = rows[_rising(recording.time[rows], history)]
    if len(rows) < 4:
        raise RecordingError(
            "samples.too_few/stretches", where=recording.name, row_count=len(rows), recording_count=len(recording)
        )
    turning = np.array([name not in recording.sliding for name in recording.joint_names])
    straight = _unwrapped(q[rows], turning, recording.joint_names, history)
    v, a = (None if x is None else x[rows] for x in (v, a))
    return Usable(recording.time[rows], straight, tau[rows], v, a, tuple(history))


def without_history(rows: Usable, part: slice) -> Usable:
    """One stretch of it.

    >>> t = np.arange(4.0)[:, None]
    >>> rows = usable(Recording(joint_names=("hip",), time=t[:, 0], position=t, torque=t))
    >>> without_history(rows, slice(1, 3)).time
    array([1., 2.])
    """
    v, a = (None if x is None else x[part] for x in (rows.velocity, rows.acceleration))
    cut = {"time": rows.time[part], "position": rows.position[part], "torque": rows.torque[part]}
    return replace(rows, **cut, velocity=v, acceleration=a, history=())


def on_the_stamps(recording: Recording, name: str) -> Array:
    """A channel at the recording's stamps, (samples, joints). One with stamps of its own is put there: smoothed where it is
    sampled faster, interpolated, and nan outside of its stamps and in their holes.

    >>> from bifilar.recording.channel import Channel
    >>> own = Channel([[0.0], [4.0], [8.0]], ("hip",), time=[0.0, 2.0, 4.0])
    >>> both = Recording(joint_names=("hip",), time=[0.0, 1.0, 4.0, 5.0], channels={"torque": own})
    >>> on_the_stamps(both, "torque")[:, 0]
    array([ 0.,  2.,  8., nan])
    """
    channel = recording.channels.get(name)
    if channel is None or channel.time is None:
        return recording.require(name)
    values, own = channel.table(recording.joint_names), channel.time
    good = np.isfinite(values).all(axis=1) & np.isfinite(own)
    values, own = values[good], own[good]
    keep = _rising(own, [], f"of {name} ")
    values, own = values[keep], own[keep]
    out = np.full((len(recording.time), values.shape[1]), np.nan)
    if len(own) < 2:
        return out
    usual = float(np.median(np.diff(own)))
    ends = np.flatnonzero(np.diff(own) > FEW_STEPS * usual) + 1
    for a, b in pairwise([0, *(int(k) for k in ends), len(own)]):
        inside = (recording.time >= own[a]) & (recording.time <= own[b - 1])
        if b - a > 1 and inside.any():
            out[inside] = _thinned(own[a:b], values[a:b], recording.time[inside])
    return out


def resampled(stamps: Array, x: Array, time: Array, finer: int) -> Array:
    """Columns of x at evenly spaced instants `time`, so many times fewer than the stamps: what would alias is filtered out.

    >>> stamps, time = np.arange(0, 10, 0.001), np.arange(0, 9.9, 0.01)
    >>> fold = np.sin(2 * np.pi * 99 * stamps)[:, None]
    >>> bool(np.abs(resampled(stamps, fold, time, 10))[20:-20].max() < 1e-4)
    True
    """
    if finer == 1 or len(time) < 2:
        return between(stamps, np.clip(time, stamps[0], stamps[-1])).of(x)
    step = float(time[-1] - time[0]) / (len(time) - 1)
    fine = np.clip(time[0] + step / finer * np.arange((len(time) - 1) * finer + 1), stamps[0], stamps[-1])
    return low_pass(between(stamps, fine).of(x), rate=finer / step, cutoff=BAND / step, order=SHARP)[::finer]


def _thinned(stamps: Array, x: Array, wanted: Array) -> Array:
    """One stretch at other instants, smoothed first where those are fewer."""
    span = float(stamps[-1] - stamps[0])
    step, own = float(np.median(np.diff(wanted))) if len(wanted) > 1 else 0.0, float(np.median(np.diff(stamps)))
    if not step > FASTER * own:
        return between(stamps, wanted).of(x)
    count = int(np.ceil(span / own))
    even = np.clip(stamps[0] + span / count * np.arange(count + 1), stamps[0], stamps[-1])
    calm = low_pass(between(stamps, even).of(x), rate=count / span, cutoff=BAND / step, order=SHARP)
    return between(even, wanted).of(calm)


def _on_the_stamps(recording: Recording, name: str, history: list[Note]) -> Array:
    channel = recording.channels.get(name)
    if channel is not None and channel.time is not None:
        history.append(Note("clock.own", name=name))
    return on_the_stamps(recording, name)


def _logged(recording: Recording, name: str, history: list[Note]) -> Array | None:
    """A channel that was logged, where it holds a number for every joint somewhere."""
    if name not in recording.channels:
        return None
    values = _on_the_stamps(recording, name, history)
    return values if np.isfinite(values).any(axis=0).all() else None


def _rising(time: Array, history: list[Note], whose: str = "") -> NDArray[np.bool_]:
    steps = np.diff(time)
    if (steps < 0).any():
        k = int(np.argmax(steps < 0))
        raise RecordingError("clock.not_rising/stretches", whose=whose, time=time[k], time_2=time[k + 1])
    keep = np.concatenate([[True], steps > 0]) if len(time) else np.ones(0, dtype=bool)
    repeats = ~keep
    if repeats.any():
        history.append(Note("samples.left_out/repeated", count=int(repeats.sum())))
    return keep


def _unwrapped(q: Array, turning: NDArray[np.bool_], names: tuple[str, ...], history: list[Note]) -> Array:
    """Angles that jump by whole turns, made continuous."""
    turns = whole_turns(q) * turning
    if not turns.any():
        return q
    joints = [names[k] for k in np.flatnonzero(turns.any(axis=0))]
    history.append(Note("position.unwrapped", joints=joints))
    return continued(q, turns)
