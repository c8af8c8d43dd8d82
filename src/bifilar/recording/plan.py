"""What will be read from which columns, and how it becomes channels: the same for a mapping and for names that were understood.

value = offset + scale * (matrix @ (unit factor * stated value))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.recording.channel import Channel
from bifilar.recording.recording import Recording
from bifilar.recording.source import Source
from bifilar.recording.units import unit


@dataclass(frozen=True, kw_only=True)
class ChannelPlan:
    """One channel: which columns, and what happens to their numbers.

    >>> ChannelPlan(name="position", places=(1,), columns=("hip",), units=("rad",), stated_unit="deg").source
    0
    """

    name: str
    source: int = 0  # which of the files
    places: tuple[int, ...] = ()  # columns of the file
    parent: str = ""  # or another channel
    columns: tuple[str, ...]
    units: tuple[str, ...]
    stated_unit: str = ""
    scale: Array = field(default_factory=lambda: np.ones(1))
    offset: Array = field(default_factory=lambda: np.zeros(1))
    matrix: Array | None = None
    origin: str = ""
    frame: str = ""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All channels and the clock.

    >>> Plan(joint_names=("hip",), channels=(), rate=100.0).clock is None
    True
    """

    joint_names: tuple[str, ...]
    sliding: tuple[str, ...] = ()
    channels: tuple[ChannelPlan, ...]
    clock: tuple[int, int] | None = None  # file and column of the stamps
    clock_rest: int | None = None  # column of that file with nanoseconds, to be added to whole seconds
    clock_unit: str = ""
    assumed: bool = False  # stamps are there, but nobody measured them
    rate: float | None = None  # [Hz] assumed, without stamps
    numbered: bool = False  # whether rows have no order in time
    samples: tuple[tuple[int, int], ...] = ()  # that may be used
    time: tuple[tuple[float, float], ...] = ()  # [s] that may be used
    notes: tuple[Finding, ...] = ()

    def wanted(self, source: int) -> list[int]:
        """Columns that are read from a file.

        >>> Plan(joint_names=(), channels=(), clock=(0, 3)).wanted(0)
        [3]
        """
        own = {place for channel in self.channels if channel.source == source for place in channel.places}
        if self.clock and self.clock[0] == source:
            own |= {self.clock[1]} | ({self.clock_rest} if self.clock_rest is not None else set())
        return sorted(own)


def recorded(
    plan: Plan, raw: Sequence[Sequence[Array]], first: int, name: str, clock_unit: str, notes: Sequence[Finding] = ()
) -> Recording:
    """A recording from the rows that were read (blocks of each file), the first of which is number `first` of the log.

    >>> hip = ChannelPlan(name="position", places=(1,), columns=("hip",), units=("rad",), stated_unit="deg")
    >>> plan = Plan(joint_names=("hip",), channels=(hip,), clock=(0, 0))
    >>> recorded(plan, [[np.array([[0.5, 180.0]])]], 0, "log", "s").position
    array([[3.14159265]])
    """
    place = [{column: k for k, column in enumerate(plan.wanted(j))} for j in range(len(raw))]
    count = sum(map(len, raw[0]))
    if plan.clock is not None:
        time = _stamps(plan, raw[plan.clock[0]], place[plan.clock[0]], unit(clock_unit).factor)
    else:
        assert plan.rate is not None
        time = (first + np.arange(count)) / plan.rate
    clock = "assumed" if plan.clock is None or plan.assumed else "recorded"
    clock = "none" if plan.numbered else clock
    content: dict[str, Channel] = {}
    for channel in plan.channels:
        if channel.parent:
            values = content[channel.parent].values
        else:
            values = _columns(raw[channel.source], [place[channel.source][k] for k in channel.places])
        content[channel.name] = _channel(channel, values, clock)
    return Recording(
        joint_names=plan.joint_names,
        sliding=plan.sliding,
        time=_readonly(time),
        channels=content,
        clock=clock,
        mask=_mask(plan, time, first, content),
        name=name,
        notes=(*plan.notes, *notes),
    )


def _stamps(plan: Plan, blocks: Sequence[Array], place: dict[int, int], factor: float) -> Array:
    """Stamps in seconds; a second column holds what is beyond whole seconds, as ROS stores it."""
    assert plan.clock is not None
    time = _columns(blocks, [place[plan.clock[1]]])[:, 0] * factor
    if plan.clock_rest is None:
        return time
    rest = _columns(blocks, [place[plan.clock_rest]])[:, 0]
    known = rest[np.isfinite(rest)]
    if known.min(initial=0.0) < 0 or known.max(initial=0.0) >= 1e9:
        raise RecordingError("clock.nanoseconds/plan", smallest=known.min(), largest=known.max())
    return time + 1e-9 * rest


def _columns(blocks: Sequence[Array], places: list[int]) -> Array:
    """Some columns of all blocks; each is touched while it is small, so that only the result takes new memory."""
    parts = [np.take(block, places, axis=1) for block in blocks]
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.zeros((0, len(places)))


def _channel(plan: ChannelPlan, values: Array, clock: str) -> Channel:
    factor = unit(plan.stated_unit).factor if not plan.parent else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        if plan.matrix is not None:
            values = values @ (factor * plan.matrix.T)
            factor = 1.0
        scale = factor * plan.scale
        values = values if np.all(scale == 1.0) else values * scale
        values = values if np.all(plan.offset == 0.0) else values + plan.offset
    return Channel(
        _readonly(values),
        plan.columns,
        plan.units,
        stated_unit=plan.stated_unit,
        origin=plan.origin,
        clock=clock,
        frame=plan.frame,
    )


def _mask(plan: Plan, time: Array, first: int, content: dict[str, Channel]) -> NDArray[np.bool_] | None:
    """What may be used: as the mapping says, and no row without a stamp and any number, as broken lines become."""
    lost = ~np.isfinite(time)
    if lost.any():
        empty = [~np.isfinite(channel.values[lost]).any(axis=1) for channel in content.values()]
        lost[lost] = np.logical_and.reduce(empty) if empty else True
    if not plan.samples and not plan.time:
        return ~lost if lost.any() else None
    number = first + np.arange(len(time))
    usable = np.zeros(len(time), dtype=bool)
    for start, stop in plan.samples:
        usable |= (number >= start) & (number < stop)
    for low, high in plan.time:
        usable |= (time >= low) & (time < high)
    return usable & ~lost


def _readonly(values: Array) -> Array:
    """What was made here and is nobody else's: no copy is needed."""
    values = np.ascontiguousarray(values)
    values = values if values.base is None else values.copy()
    values.flags.writeable = False
    return values


def row(value: float | tuple[float, ...], count: int, key: str, where: str) -> Array:
    """One number per column.

    >>> row(2.0, 3, "ratio", "log.toml")
    array([2., 2., 2.])
    """
    array = np.asarray(value, dtype=float)
    if array.shape not in ((), (count,)):
        raise RecordingError("mapping.count/plan", where=where, entry=key, size=array.size, count=count)
    return np.broadcast_to(array, (count,))


def named(source: Source, places: Sequence[int]) -> str:
    """File and columns, for `Channel.origin`.

    >>> from bifilar.recording.source import Arrays
    >>> named(Arrays("logs/a.npz", ("t", "q"), []), [1])
    'a.npz: q'
    """
    words = [source.names[k] or f"column {k + 1}" for k in places]
    shown = ", ".join(words[:8]) + (", ..." if len(words) > 8 else "")
    return f"{source.where.replace(chr(92), '/').rsplit('/', 1)[-1]}: {shown}"
