"""`reduce`: samples of a robot's motion into triangular factors with named rows and columns.

    torque = Y(position, velocity, acceleration) phi          for every sample, never stacked into one tall matrix

What comes out is small (a few hundred kilobytes for a 7-joint arm), independent of the length of the recording, and enough for
any weighted least squares, cross-validation and bootstrap over blocks. Reductions of the same robot add, wherever they were
computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.reduce import BlockFactor, Reducer, merge_blocks, stack
from bifilar.dynamics.state import BaseMotion, table
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError, SolveError
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.model import Model
from bifilar.robot.model_data import Rows


class Chunk(NamedTuple):
    """Some samples in a row: position, velocity, acceleration and torque, (samples, joints) each.

    >>> Chunk(*[np.zeros((5, 7))] * 4).weight is None
    True
    """

    position: ArrayLike
    velocity: ArrayLike
    acceleration: ArrayLike
    torque: ArrayLike  # (samples, rows of the equations): joints, or base wrench, or both
    weight: ArrayLike | None = None  # (samples, rows) or (samples,); 0 leaves a sample out
    base: BaseMotion | None = None  # of a floating robot
    load: ArrayLike | None = None  # [N m] for load-dependent friction; left out, the model's own rigid-body torque
    columns_filter: Callable[[Array], Array] | None = (
        None  # (samples, k) -> (rows, k): torque and weight went through it before
    )


def dense_rows(model: Model, chunk: Chunk, columns: ArrayLike | None = None) -> Array:
    """The regressor of a chunk, through its filter, (rows, rows of the equations, columns); some columns, or all.

    >>> robot = bf.Robot.load("pendulum")
    >>> chunk = Chunk(*[np.zeros((6, 1))] * 3, np.zeros((3, 1)), columns_filter=lambda x: x[::2])
    >>> dense_rows(robot, chunk, [0, 1]).shape
    (3, 1, 2)
    """
    dense = model.regressor(chunk.position, chunk.velocity, chunk.acceleration, base=chunk.base, load=chunk.load)
    dense = dense if columns is None else np.take(dense, np.asarray(columns, dtype=np.int64), axis=-1)
    if chunk.columns_filter is None:
        return dense
    flat = chunk.columns_filter(np.ascontiguousarray(dense.reshape(len(dense), -1)))
    return flat.reshape(len(flat), *dense.shape[1:])


@runtime_checkable
class Source(Protocol):
    """Anything that makes chunks for a model; `Samples`, which `prepare` makes of a recording, is one.

    >>> isinstance([], Source)
    False
    """

    def chunks(self, model: Model) -> Iterable[Chunk]:
        """Samples in a row, one chunk after the other."""
        ...


@dataclass(frozen=True, eq=False)
class Reduction:
    """Triangular factors of a recording, one per row of the equations and block of samples.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 100, 1))
    >>> whole = reduce(robot, (q, v, a, robot.inverse_dynamics(q, v, a)))
    >>> whole.samples, len(whole.blocks)
    (100, 1)
    >>> float(whole.residuals(robot.parameters().values)[0]) < 1e-9
    True
    """

    column_names: tuple[str, ...]  # of the unknowns, parameters of the robot
    row_names: tuple[str, ...]  # of the equations
    blocks: tuple[BlockFactor, ...]

    @property
    def samples(self) -> int:
        """How many samples went in.

        >>> Reduction(("link1.mass",), ("joint1",), ()).samples
        0
        """
        return sum(block.samples for block in self.blocks)

    def __add__(self, other: Reduction) -> Reduction:
        if (self.column_names, self.row_names) != (other.column_names, other.row_names):
            raise ShapeError("factors.differ/reduction")
        return Reduction(self.column_names, self.row_names, self.blocks + other.blocks)

    def choose(self, blocks: Sequence[int]) -> Reduction:
        """Some of the blocks, possibly repeated: what cross-validation and bootstrap ask for.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> reduce(robot, (still, still, still, still), block=30).choose([0, 0, 2]).samples
        90
        """
        return Reduction(self.column_names, self.row_names, tuple(self.blocks[k] for k in blocks))

    def merged(self) -> BlockFactor:
        """All blocks as one factor per row.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> reduce(robot, (still, still, still, still), block=30).merged().samples
        90
        """
        if not self.blocks:
            raise SolveError("samples.none/problem")
        return merge_blocks(self.blocks)

    def triangle(self, weights: ArrayLike | None = None) -> Array:
        """Upper triangular factor of [W torque] over all rows, each multiplied by its weight; the torque is the last column.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> reduce(robot, (still, still, still, still)).triangle().shape
        (11, 11)
        """
        given = np.ones(len(self.row_names)) if weights is None else np.asarray(weights, dtype=float)
        if given.shape != (len(self.row_names),):
            raise ShapeError("weights.wrong/reduction", size=given.size, row_name_count=len(self.row_names))
        return stack(self.merged(), given, len(self.column_names))

    def residuals(self, values: ArrayLike) -> Array:
        """Norm of the torque error of every row for given parameter values, over all samples.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> reduce(robot, (still, still, still, still + 2)).residuals(np.zeros(10))
        array([6.])
        """
        x = np.asarray(values, dtype=float)
        if x.shape != (len(self.column_names),):
            raise ShapeError("shape.wrong/reduction", shape=x.shape, column_name_count=len(self.column_names))
        return np.array([row.residual(x) for row in self.merged().rows])


def reduce(
    model: Model,
    samples: Chunk | Sequence[ArrayLike] | Iterable[Chunk | Sequence[ArrayLike]] | Source,
    *,
    columns: BaseParameters | Sequence[str] | None = None,
    rows: Rows | None = None,
    block: int | None = None,
) -> Reduction:
    """Reduce samples, given as (position, velocity, acceleration, torque) or as an iterable of such chunks, in any number.

    `columns` are the parameters to solve for: base parameters, which can be told apart, or names (all by default).
    `block` is the number of samples that get a factor of their own; left out, there is one for everything. What `prepare`
    makes of a recording is taken as it is; its regressor columns go through the filter of its torque.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> tau = robot.inverse_dynamics(q, v, a)
    >>> chunks = ((q[k : k + 50], v[k : k + 50], a[k : k + 50], tau[k : k + 50]) for k in range(0, 200, 50))
    >>> reduce(robot, chunks, block=100).blocks[1].samples
    100
    """
    if block is not None and (not isinstance(block, int) or block < 1):
        raise ShapeError("setting.wrong/reduction", block=block)
    labels = model.column_names(rows)
    chosen = labels if columns is None else columns.independent if isinstance(columns, BaseParameters) else tuple(columns)
    reducer = Reducer(model.tree, model._rows(rows), model.drive_columns.columns, _places(chosen, labels))
    blocks: list[BlockFactor] = []
    room = block or 0  # samples that still fit into the current block
    for chunk in _chunks(samples.chunks(model) if isinstance(samples, Source) else samples):
        checked = _checked(model, chunk, rows)
        filtered = None if chunk.columns_filter is None else reducer.filtered(*checked[:5], checked.load, chunk.columns_filter)
        for part in _parts(len(checked.torque), block, room):
            reducer.add(*checked.part(part)) if filtered is None else reducer.add_rows(filtered[part], checked.weight_of(part))
            if block:
                room = (room - (part.stop - part.start)) or block
                blocks += [reducer.take()] if room == block else []
    last = reducer.take()
    blocks += [last] if last.samples else []
    return _finite(Reduction(chosen, model.row_names(rows), tuple(blocks)))


class _Checked(NamedTuple):
    """A chunk as arrays the reducer takes."""

    q: Array
    v: Array
    a: Array
    root: Array
    torque: Array
    weight: Array | None
    load: Array | None

    def part(self, part: slice) -> _Checked:
        return _Checked(
            *(x if x is None or (name == "root" and len(x) == 1) else x[part] for name, x in self._asdict().items())
        )

    def weight_of(self, part: slice) -> Array | None:
        return None if self.weight is None else self.weight[part]


def _chunks(samples: object) -> Iterator[Chunk]:
    """One chunk, or many."""
    if isinstance(samples, Chunk) or (isinstance(samples, (tuple, list)) and len(samples) > 0 and _is_table(samples[0])):
        samples = [samples]
    if isinstance(samples, np.ndarray) or not isinstance(samples, Iterable):
        raise _no_chunk(f"{type(samples).__name__} was given")
    for chunk in samples:
        yield chunk if isinstance(chunk, Chunk) else _chunk_of(chunk)


def _is_table(entry: object) -> bool:
    """Whether an entry holds numbers, not arrays: what it belongs to is then a chunk itself, not a sequence of chunks."""
    if isinstance(entry, list):
        return not entry or isinstance(entry[0], (int, float)) or (isinstance(entry[0], list) and _is_table(entry[0]))
    return hasattr(entry, "__array__")


def _chunk_of(chunk: object) -> Chunk:
    if not isinstance(chunk, (tuple, list)) or not 4 <= len(chunk) <= len(Chunk._fields):
        count = f"{len(chunk)} arrays" if isinstance(chunk, (tuple, list)) else type(chunk).__name__
        raise _no_chunk(f"{count} instead of four were given")
    return Chunk(*chunk)


def _no_chunk(likely: str) -> ShapeError:
    return ShapeError("samples.form", likely=likely)


def _checked(model: Model, chunk: Chunk, rows: Rows | None) -> _Checked:
    states = {"position": chunk.position, "velocity": chunk.velocity, "acceleration": chunk.acceleration}
    (q, v, a), root, _ = model._states(chunk.base, **states)
    labels = model.row_names(rows)
    torque, _ = table("torque", chunk.torque, labels, "row")
    weight = None if chunk.weight is None else _weights(chunk.weight, labels, len(torque))
    if len(torque) != len(q) and chunk.columns_filter is None:
        raise ShapeError("shape.wrong/checked", torque_count=len(torque), q_count=len(q))
    return _Checked(q, v, a, root, torque, weight, model._regressor_load(chunk.load, q, v, a, root))


def _weights(weight: ArrayLike, labels: tuple[str, ...], samples: int) -> Array:
    given = np.asarray(weight, dtype=float)
    wide = np.repeat(given[:, None], len(labels), axis=1) if given.ndim == 1 else given
    if wide.shape != (samples, len(labels)) or not np.isfinite(wide).all() or np.any(wide < 0):
        raise ShapeError("weights.wrong/weights", samples=samples, label_count=len(labels), shape=given.shape)
    return np.ascontiguousarray(wide)


def _places(chosen: tuple[str, ...], labels: tuple[str, ...]) -> NDArray[np.int64]:
    where = {name: k for k, name in enumerate(labels)}
    unknown = [name for name in chosen if name not in where]
    if unknown or len(set(chosen)) < len(chosen):
        raise ShapeError("column.unknown/reduction" if unknown else "column.unknown/places", unknown=unknown[:1])
    return np.array([where[name] for name in chosen], dtype=np.int64)


def _parts(samples: int, block: int | None, room: int) -> Iterator[slice]:
    """Slices that cover the samples and end where a block does."""
    start = 0
    while start < samples:
        stop = min(samples, start + room) if block else samples
        yield slice(start, stop)
        start, room = stop, block or 0


def _finite(reduction: Reduction) -> Reduction:
    for k, block in enumerate(reduction.blocks):
        if not all(np.isfinite(row.triangle).all() for row in block.rows):
            raise SolveError("numbers.overflow", where=f"block {k}")
    return reduction
