"""Fourteen ways to spoil a good recording, each as it happens in laboratories, to see whether they are found.

`MISTAKES[name]` spoils; `NAMES[name]` is the code by which `check` should call it. Which joint is hit, and where, is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.recording.recording import Recording

Draw = np.random.Generator
Mistake = Callable[[Recording, Draw], Recording]


def spoilt(recording: Recording, mistake: str, seed: int = 0) -> Recording:
    """A copy of a recording with one mistake in it; the same seed spoils alike.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> NAMES["torque in mN m"] in spoilt(recording, "torque in mN m").check(robot).codes
    True
    """
    return MISTAKES[mistake](recording, np.random.default_rng([seed, 14]))


def _moving(recording: Recording, draw: Draw) -> int:
    """A joint that moves."""
    span = np.ptp(np.nan_to_num(recording.require("position")), axis=0)
    return int(draw.choice(np.flatnonzero(span > 0.05 * span.max())))


def _rate(recording: Recording, draw: Draw) -> Recording:
    return recording.with_clock(time=recording.time[0] + (recording.time - recording.time[0]) / 5)


def _torque(factor: float) -> Mistake:
    return lambda recording, draw: recording.with_channel("torque", factor * recording.require("torque"))


def _one_sign(recording: Recording, draw: Draw) -> Recording:
    torque = recording.require("torque").copy()
    torque[:, _moving(recording, draw)] *= -1
    return recording.with_channel("torque", torque)


def _swapped(recording: Recording, draw: Draw) -> Recording:
    """Neighbours exchanged in all channels: names that do not belong to the columns."""
    first = int(draw.integers(len(recording.joint_names) - 1))
    order = np.arange(len(recording.joint_names))
    order[[first, first + 1]] = order[[first + 1, first]]
    for name in ("position", "velocity", "torque"):
        values = recording.get(name)
        recording = recording if values is None else recording.with_channel(name, values[:, order])
    return recording


def _degrees(recording: Recording, draw: Draw) -> Recording:
    factor = np.array([1.0 if name in recording.sliding else 180 / np.pi for name in recording.joint_names])
    for name in ("position", "velocity"):
        values = recording.get(name)
        recording = recording if values is None else recording.with_channel(name, values * factor)
    return recording


def _wrapped(recording: Recording, draw: Draw) -> Recording:
    """One joint counted modulo a turn, from an angle it passes."""
    position = recording.require("position").copy()
    j = _moving(recording, draw)
    middle = np.nanmedian(position[:, j])
    position[:, j] = middle + np.mod(position[:, j] - middle, 2 * np.pi)
    return recording.with_channel("position", position)


def _clipped(recording: Recording, draw: Draw) -> Recording:
    torque = recording.require("torque")
    most = 0.6 * np.nanmax(np.abs(torque), axis=0)
    return recording.with_channel("torque", np.clip(torque, -most, most))


def _dropped(recording: Recording, draw: Draw) -> Recording:
    kept = np.flatnonzero(draw.random(len(recording)) >= 0.02)
    return _rows(recording, kept).with_clock(rate=recording.rate)


def _delayed(recording: Recording, draw: Draw) -> Recording:
    time, torque = recording.time, recording.require("torque")
    late = np.column_stack([np.interp(time - 5e-3, time, column) for column in torque.T])
    return recording.with_channel("torque", late)


def _not_numbers(recording: Recording, draw: Draw) -> Recording:
    torque = recording.require("torque").copy()
    start = int(draw.integers(len(torque) * 8 // 10))
    torque[start : start + len(torque) // 50, _moving(recording, draw)] = np.nan
    return recording.with_channel("torque", torque)


def _repeated_stamps(recording: Recording, draw: Draw) -> Recording:
    time = recording.time.copy()
    rows = 1 + draw.choice(len(time) - 1, max(3, len(time) // 200), replace=False)
    time[rows] = time[rows - 1]
    return recording.with_clock(time=np.maximum.accumulate(time))


def _dead(recording: Recording, draw: Draw) -> Recording:
    torque = recording.require("torque").copy()
    torque[:, _moving(recording, draw)] = 0.0
    return recording.with_channel("torque", torque)


def _rows(recording: Recording, rows: NDArray[np.intp]) -> Recording:
    chosen = np.asarray(rows, dtype=np.int64)
    content = {name: channel.rows(chosen) for name, channel in recording.channels.items()}
    time: Array = recording.time[chosen]
    return replace(recording, time=time, mask=recording.mask[chosen], channels=content, truth=None)


MISTAKES: dict[str, Mistake] = {
    "rate times 5": _rate,
    "torque in mN m": _torque(1000.0),
    "torque in kN m": _torque(0.001),
    "one sign": _one_sign,
    "all signs": _torque(-1.0),
    "two joints swapped": _swapped,
    "degrees": _degrees,
    "wrapped": _wrapped,
    "clipped at 60 %": _clipped,
    "2 % dropped": _dropped,
    "5 ms late": _delayed,
    "a block of nan": _not_numbers,
    "repeated stamps": _repeated_stamps,
    "a dead channel": _dead,
}

NAMES: dict[str, str] = {
    "rate times 5": "rate",
    "torque in mN m": "unit",
    "torque in kN m": "unit",
    "one sign": "sign",
    "all signs": "sign_all",
    "two joints swapped": "order",
    "degrees": "degrees",
    "wrapped": "wrap",
    "clipped at 60 %": "saturation",
    "2 % dropped": "dropped",
    "5 ms late": "delay",
    "a block of nan": "nan",
    "repeated stamps": "duplicate",
    "a dead channel": "dead",
}
