"""One kind of measurement over time: values in SI units, what the columns are, and where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.recording.units import UNKNOWN

CLOCKS = ("recorded", "assumed", "none")  # none: rows have no order in time, and are numbered


@dataclass(frozen=True, eq=False)
class Channel:
    """Positions of the joints, say, or a wrench. Values are read-only, in SI units; nan is a value that is missing.

    >>> Channel([[0.1, 0.2]], ("shoulder", "elbow"), units="rad", stated_unit="deg", origin="log.csv: q1, q2")
    Channel(shoulder, elbow [rad]: 1 sample from log.csv: q1, q2)
    """

    values: Array  # (N, columns)
    columns: tuple[str, ...]  # joints by name; fx, fy, fz, tx, ty, tz of a wrench; gx .. az of an IMU
    units: tuple[str, ...] = ()  # of each column; one word stands for all
    stated_unit: str = ""  # as the file or the user said
    origin: str = ""  # file and columns, or topic and field
    clock: str = "recorded"  # or "assumed": nobody stamped these samples
    time: Array | None = None  # (N,) [s] stamps of its own; None: those of the recording
    frame: str = ""  # in which a wrench or an acceleration is written
    turned: tuple[str, ...] = ()  # columns whose sign whoever read them turned round
    delay: float | None = None  # [s] by which it was declared late, and moved; None: nobody said anything

    def __post_init__(self) -> None:
        columns = (self.columns,) if isinstance(self.columns, str) else tuple(self.columns)
        units = (self.units,) * len(columns) if isinstance(self.units, str) else tuple(self.units)
        values = frozen("a channel", self.values)
        if values.ndim != 2 or values.shape[1] != len(columns):
            raise RecordingError("shape.wrong/channel", columns=columns[:12], column_count=len(columns), shape=values.shape)
        if len(set(columns)) < len(columns):
            twice = next(name for k, name in enumerate(columns) if name in columns[:k])
            raise RecordingError("column.twice/channel", twice=twice)
        if self.clock not in CLOCKS:
            raise RecordingError("clock.kind/channel", clock=self.clock)
        for name, value in (("values", values), ("columns", columns), ("units", units or (UNKNOWN,) * len(columns))):
            object.__setattr__(self, name, value)
        if len(self.units) != len(columns):
            raise RecordingError("units.count", column_count=len(columns), unit_count=len(self.units))
        if self.time is not None:
            object.__setattr__(self, "time", frozen("time", self.time))
            if self.time.shape != (len(values),):  # type: ignore[union-attr]
                raise RecordingError("clock.length", value_count=len(values), size=np.size(self.time))

    def __repr__(self) -> str:
        names = ", ".join(self.columns[:8]) + (", ..." if len(self.columns) > 8 else "")
        units = ", ".join(dict.fromkeys(self.units))
        count = f"{len(self)} sample{'' if len(self) == 1 else 's'}"
        return f"Channel({names} [{units}]: {count}{' from ' + self.origin if self.origin else ''})"

    def __len__(self) -> int:
        return len(self.values)

    def rows(self, chosen: slice | NDArray[np.int64]) -> Channel:
        """Some of the samples.

        >>> Channel([[1.0], [2.0], [3.0]], ("hip",)).rows(slice(1, None)).values.tolist()
        [[2.0], [3.0]]
        """
        return replace(self, values=self.values[chosen], time=None if self.time is None else self.time[chosen])

    def pick(self, names: Iterable[str]) -> Channel:
        """Some of the columns, by name, in the order given.

        >>> Channel([[1.0, 2.0]], ("hip", "knee")).pick(["knee"]).values
        array([[2.]])
        """
        names = tuple(names)
        places = [self.columns.index(name) for name in names]
        return replace(self, values=self.values[:, places], columns=names, units=tuple(self.units[k] for k in places))

    def table(self, names: Sequence[str]) -> Array:
        """(N, names) values in the order of `names`; nan where there is no such column.

        >>> Channel([[1.0, 2.0]], ("hip", "knee")).table(("knee", "ankle", "hip"))
        array([[ 2., nan,  1.]])
        """
        if self.columns == tuple(names):
            return self.values
        place = {name: k for k, name in enumerate(self.columns)}
        found = np.full((len(self), len(names)), np.nan)
        for k, name in enumerate(names):
            if name in place:
                found[:, k] = self.values[:, place[name]]
        found.flags.writeable = False
        return found


def frozen(name: str, value: object) -> Array:
    """Read-only doubles that nobody else can change; what is read-only already is taken as it is.

    >>> frozen("position", [1, 2]).flags.writeable
    False
    """
    array = numbers(name, value)
    untouchable = not array.flags.writeable and not (isinstance(array.base, np.ndarray) and array.base.flags.writeable)
    if untouchable:
        return array
    mine = isinstance(value, list | tuple | range) and array.base is None
    array = array if mine else array.copy()
    array.flags.writeable = False
    return array
