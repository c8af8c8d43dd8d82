"""Samples: what a fit may eat. Finite, on one clock, filtered alike, with the history of what was done.

A row of the equations is torque = W(position, velocity, acceleration) phi. Torque has to be filtered, and W is not linear
in the motion: computed from a filtered motion it is not the filtered W. So the motion is kept at its full rate (`fine`), W is
computed there, put through the torque's own filter and evaluated at the rows, stretch by stretch and some rows at a time:
`reduce(robot, samples)` and `samples.predict(robot)` do so, and W is never stored as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, RecordingError, ShapeError
from bifilar.filters.butterworth import Derived
from bifilar.filters.fir import RowFilter
from bifilar.robot.reduction import Chunk

if TYPE_CHECKING:
    from bifilar.robot.model import Model

CHUNK = 8192  # samples of fine motion that are worked on at once, besides what the filter needs around them


@dataclass(frozen=True, eq=False)
class Stretch:
    """Uninterrupted motion on an even clock, and which of its samples are rows.

    >>> Stretch(np.arange(3.0), Derived(*np.zeros((3, 3, 1))), np.array([1])).rows
    array([1])
    """

    time: Array  # (N,) [s]
    motion: Derived  # (N, joints) each
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Samples:
    """Positions, velocities, accelerations and torques of named joints, ready for a fit; made by `prepare`.

    >>> t = np.arange(2000) / 200
    >>> swing = bf.Recording(joint_names=("joint1",), time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
    >>> samples = bf.prepare(swing, cutoff=5.0)
    >>> samples
    Samples(joint1: 94 rows at 10 Hz in 1 stretch, filtered at 5 Hz)
    """

    joint_names: tuple[str, ...]
    sliding: tuple[str, ...]
    time: Array  # (M,) [s] of the rows
    position: Array  # (M, joints) [rad] or [m], filtered as the torque
    velocity: Array
    acceleration: Array
    torque: Array  # (M, joints) [N m] or [N]
    raw_torque: Array  # (M, joints) as measured, on the same clock: what an honest error is also compared with
    mask: NDArray[np.bool_]  # (M, joints) False: too slow for a sign of the velocity
    rate: float  # [Hz] of the rows
    cutoff: float | None  # [Hz] of the filter that torque and columns went through; None: none
    noise: Array | None  # (joints,) standard deviation of a row's torque, where periods were averaged
    history: tuple[Note, ...]
    fine: tuple[Stretch, ...]
    filter: RowFilter | None  # of the torque and the columns; None: columns are computed at the rows
    velocity_noise: Array | None = None  # (joints,) [rad/s] or [m/s] standard deviation of the velocity; None: not known
    masks_smooth: bool = False  # whether the mask holds for smooth signs too: speeds that were given, not found

    def __post_init__(self) -> None:
        for name in ("time", "position", "velocity", "acceleration", "torque", "raw_torque", "mask"):
            array = np.ascontiguousarray(getattr(self, name))
            if array.dtype != bool and not np.isfinite(array).all():
                raise RecordingError("not_finite/samples", name=name)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        names = ", ".join(self.joint_names[:8]) + (", ..." if len(self.joint_names) > 8 else "")
        parts = f"{len(self.fine)} stretch{'' if len(self.fine) == 1 else 'es'}"
        how = "not filtered" if self.cutoff is None else f"filtered at {self.cutoff:.3g} Hz"
        return f"Samples({names}: {len(self)} rows at {self.rate:.4g} Hz in {parts}, {how})"

    def __len__(self) -> int:
        return len(self.time)

    @property
    def segments(self) -> tuple[slice, ...]:
        """Rows of each uninterrupted stretch.

        >>> t = np.arange(2000) / 200
        >>> swing = bf.Recording(joint_names=("joint1",), time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
        >>> bf.prepare(swing, cutoff=5.0).segments
        (slice(0, 94, None),)
        """
        ends = np.cumsum([0, *(len(stretch.rows) for stretch in self.fine)])
        return tuple(slice(int(a), int(b)) for a, b in pairwise(ends))

    def chunks(self, model: Model | None = None) -> Iterator[Chunk]:
        """What `reduce` eats: motion with a halo, the filter for the columns, and torque and weights of the rows.

        Rows of joints that are too slow for a sign have no weight if the model has friction with a sign.

        >>> t = np.arange(2000) / 200
        >>> swing = bf.Recording(joint_names=("joint1",), time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
        >>> sum(len(chunk.torque) for chunk in bf.prepare(swing, cutoff=5.0).chunks())
        94
        """
        signs = self._has_signs(model)
        weight = self.mask.astype(float) if signs and not self.mask.all() else None
        for stretch, rows in zip(self.fine, self.segments):
            for first, last in self._groups(stretch):
                chosen = slice(rows.start + first, rows.start + last)
                weights = None if weight is None else weight[chosen]
                if self.filter is None:
                    motion = (self.position[chosen], self.velocity[chosen], self.acceleration[chosen])
                    yield Chunk(*motion, self.torque[chosen], weights)
                    continue
                places = stretch.rows[first:last]
                low = max(0, int(places[0]) - self.filter.halo)
                high = int(places[-1]) + self.filter.halo + 1
                fine = Derived(*(x[low:high] for x in stretch.motion))
                yield Chunk(*fine, self.torque[chosen], weights, columns_filter=_At(self.filter, places - low))

    def predict(self, model: Model) -> Array:
        """Torque that a model would have shown at the rows, through the same filter, (rows, joints).

        >>> t = np.arange(2000) / 200
        >>> swing = bf.Recording(joint_names=("joint1",), time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
        >>> bf.prepare(swing, cutoff=5.0).predict(bf.Robot.load("pendulum")).shape
        (94, 1)
        """
        out = np.empty_like(self.torque)
        start = 0
        for chunk in self.chunks():
            torque = model.inverse_dynamics(chunk.position, chunk.velocity, chunk.acceleration)
            torque = torque if chunk.columns_filter is None else chunk.columns_filter(torque)
            out[start : start + len(torque)] = torque
            start += len(torque)
        return out

    def filter_columns(self, columns: ArrayLike) -> Array:
        """Anything computed from the fine motion, (fine samples, ...), through the torque's filter and at the rows.

        >>> t = np.arange(2000) / 200
        >>> swing = bf.Recording(joint_names=("joint1",), time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
        >>> samples = bf.prepare(swing, cutoff=5.0)
        >>> bool(np.allclose(samples.filter_columns(samples.fine[0].motion.velocity), samples.velocity))
        True
        """
        array = np.asarray(columns, dtype=float)
        lengths = np.cumsum([0, *(len(stretch.time) for stretch in self.fine)])
        if len(array) != lengths[-1]:
            raise ShapeError("shape.wrong/samples", array_count=len(array), length=lengths[-1])
        parts = [array[a:b] for a, b in pairwise(lengths)]
        filtered = [x[s.rows] if self.filter is None else self.filter.at(x, s.rows) for x, s in zip(parts, self.fine)]
        return np.concatenate(filtered)

    def part(self, start: float | None = None, stop: float | None = None) -> Samples:
        """The rows with start <= time < stop [s]. Filters have looked across such a border; cut the recording to avoid it.

        >>> t = np.arange(2000) / 200
        >>> swing = bf.Recording(joint_names=("joint1",), time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
        >>> samples = bf.prepare(swing, cutoff=5.0)
        >>> len(samples.part(None, 5.0)) + len(samples.part(5.0)) == len(samples)
        True
        """
        low, high = -np.inf if start is None else start, np.inf if stop is None else stop
        chosen = (self.time >= low) & (self.time < high)
        pairs = [(stretch, chosen[rows]) for stretch, rows in zip(self.fine, self.segments)]
        fine = tuple(replace(stretch, rows=stretch.rows[keep]) for stretch, keep in pairs if keep.any())
        names = ("time", "position", "velocity", "acceleration", "torque", "raw_torque", "mask")
        history = (*self.history, Note("samples.part", low=low, high=high))
        return replace(self, **{name: getattr(self, name)[chosen] for name in names}, fine=fine, history=history)

    def _has_signs(self, model: Model | None) -> bool:
        """Whether friction jumps with the sign of a velocity, by a width that is less than its noise."""
        if model is None:
            return False
        known = np.zeros(len(self.joint_names)) if self.velocity_noise is None else self.velocity_noise
        noise = dict(zip(self.joint_names, known))
        for term in model.friction:
            widest = max([noise.get(name, max(noise.values())) for name in term.at or self.joint_names], default=0.0)
            if hasattr(term, "width") and (self.masks_smooth or term.width == 0 or term.width < widest):
                return True
        return False

    def _groups(self, stretch: Stretch) -> Iterator[tuple[int, int]]:
        """Rows whose fine motion is about a chunk."""
        ends = np.searchsorted(stretch.rows, np.arange(stretch.rows[0], stretch.rows[-1] + CHUNK + 1, CHUNK))
        ends = np.unique([*ends, len(stretch.rows)])
        yield from ((int(a), int(b)) for a, b in pairwise(ends))


@dataclass(frozen=True, eq=False)
class _At:
    """A filter evaluated at given rows of a chunk."""

    filter: RowFilter
    places: NDArray[np.int64]

    def __call__(self, columns: Array) -> Array:
        return self.filter.at(columns, self.places)
