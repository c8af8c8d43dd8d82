"""What of a recording can be used, as uninterrupted stretches: rows that are finite, stamps that rise, no holes.

Nothing is filtered across a hole, and nothing is invented in one that is longer than the motion forgives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.filters.interpolate import between
from bifilar.recording.recording import Recording

JUMP = 0.5  # [rad] that an angle may move from one sample to the next while it wraps
FEW_STEPS = 3.5  # a hole of so many samples is none


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
    history: tuple[str, ...]

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


def usable(recording: Recording) -> Usable:
    """The rows that are not masked and whose position and torque are finite.

    >>> t = np.array([0.0, 1.0, 1.0, 2.0, 3.0])
    >>> usable(Recording(joint_names=("hip",), time=t, position=t[:, None], torque=t[:, None])).history
    ('left out 1 sample that repeats a stamp',)
    """
    history: list[str] = []
    if not recording.joint_names:
        raise RecordingError("no joint is recorded", where=recording.name)
    q = recording.require("position")
    tau = _on_the_stamps(recording, "torque", history)
    v, a = recording.get("velocity"), recording.get("acceleration")
    finite = np.isfinite(recording.time) & np.isfinite(q).all(axis=1) & np.isfinite(tau).all(axis=1)
    for words, bad in (("masked", ~recording.mask), ("without a number somewhere", recording.mask & ~finite)):
        if bad.any():
            history.append(f"left out {_count(bad)} {words}")
    rows = np.flatnonzero(recording.mask & finite)
    rows = rows[_rising(recording.time[rows], history)]
    if len(rows) < 4:
        what = f"{len(rows)} of {len(recording)} samples can be used"
        raise RecordingError(what, where=recording.name, remedy="see recording.check() for what is wrong with the others")
    turning = np.array([name not in recording.sliding for name in recording.joint_names])
    straight = _unwrapped(q[rows], turning, recording.joint_names, history)
    v, a = (None if x is None or not np.isfinite(x[rows]).all() else x[rows] for x in (v, a))
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


def _on_the_stamps(recording: Recording, name: str, history: list[str]) -> Array:
    """A channel at the recording's stamps; one with stamps of its own is interpolated, nan outside of them."""
    channel = recording.channels.get(name)
    if channel is None or channel.time is None:
        return recording.require(name)
    values, own = channel.table(recording.joint_names), channel.time
    good = np.isfinite(values).all(axis=1) & np.isfinite(own)
    good[good] = np.concatenate([[True], np.diff(own[good]) > 0]) if good.any() else True
    out = np.full((len(recording.time), values.shape[1]), np.nan)
    if good.sum() > 1:
        inside = (recording.time >= own[good][0]) & (recording.time <= own[good][-1])
        out[inside] = between(own[good], recording.time[inside]).of(values[good])
    history.append(f"{name} has stamps of its own and was put on those of the position")
    return out


def _rising(time: Array, history: list[str]) -> NDArray[np.bool_]:
    steps = np.diff(time)
    if (steps < 0).any():
        k = int(np.argmax(steps < 0))
        raise RecordingError(
            f"the clock goes back from {time[k]:.6g} s to {time[k + 1]:.6g} s",
            likely="two recordings in one file, or a clock that was set",
            remedy="cut it there: recording.part(...) or recording.masked(...)",
        )
    keep = np.concatenate([[True], steps > 0]) if len(time) else np.ones(0, dtype=bool)
    repeats = ~keep
    if repeats.any():
        history.append(f"left out {_count(repeats)} that repeat{'s' if repeats.sum() == 1 else ''} a stamp")
    return keep


def _unwrapped(q: Array, turning: NDArray[np.bool_], names: tuple[str, ...], history: list[str]) -> Array:
    """Angles that jump by whole turns, made continuous."""
    jumps = np.diff(q, axis=0)
    turns = np.round(jumps / (2 * np.pi)) * turning
    turns[np.abs(jumps - 2 * np.pi * turns) > JUMP] = 0
    if not turns.any():
        return q
    wrapped = ", ".join(names[k] for k in np.flatnonzero(turns.any(axis=0)))
    history.append(f"took out whole turns where the angle wraps: {wrapped}")
    return q - 2 * np.pi * np.concatenate([np.zeros((1, q.shape[1])), np.cumsum(turns, axis=0)])


def _count(chosen: NDArray[np.bool_]) -> str:
    number = int(chosen.sum())
    return f"{number} sample{'' if number == 1 else 's'}"
