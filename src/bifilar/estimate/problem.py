"""The problem every method solves: torque = Y phi with named columns, as blocks that can be read again.

    Problem.of(robot, recordings)    prepares, streams every row once into triangular factors, one per block of time
    problem.choose([0, 2, 5])        some blocks: cross-validation and bootstrap cost a small QR, no second pass
    problem.rows()                   another pass over dense rows: robust weights, autocorrelation, instruments
    problem.triangle(weights)        the factor of [W torque], of the base columns or of all

All columns are reduced, not only the independent ones: a physically consistent fit needs every link's ten. The factor of the
base columns is a choice of columns of the same triangle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.reduce import BlockFactor, RowFactor, stack
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, ShapeError, SolveError
from bifilar.estimate.log_reading import decided, sentences
from bifilar.estimate.sources import Data, Equations, Weighted, as_fitted, equations_of, listed
from bifilar.estimate.usual_friction import USUAL_FRICTION
from bifilar.recording.recipes import Recipe
from bifilar.robot.base_parameters import BaseParameters, base_parameters
from bifilar.robot.friction import Friction, Term
from bifilar.robot.reduction import Chunk, Reduction, dense_rows, reduce
from bifilar.robot.robot import Robot

Which = Literal["base", "all"]
Wanted = Callable[[int, int, int], tuple[int, int] | None]
BLOCKS = 24  # of all recordings together, if nothing else is asked for
FEWEST = 8  # rows of a block


class RowChunk(NamedTuple):
    """Some rows of the equations, dense.

    >>> RowChunk(0, 0, np.zeros((5, 7, 43)), np.zeros((5, 7)), np.ones((5, 7))).columns.shape
    (5, 7, 43)
    """

    recording: int
    first: int  # place of the first row within its recording
    columns: Array  # (rows, joints, parameters), not weighted
    torque: Array  # (rows, joints)
    weight: Array  # (rows, joints); 0: left out


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Problem:
    """Equations of one or several recordings, reduced; made by `Problem.of`.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    Problem(6 of 20 parameters, 200 rows of 2 joints in 23 blocks)
    """

    robot: Robot  # with the friction that is fitted; its numbers are the description's
    base: BaseParameters
    reduction: Reduction  # of all columns, blocks in the order of time, recording after recording
    owners: tuple[int, ...]  # recording of each block
    sources: tuple[Equations, ...]  # weighted as asked for
    recipe: str | Recipe = "default"
    notes: tuple[Note, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)  # comparisons that led to a choice, by name
    whole: bool = True  # whether these are all blocks of the sources, so that `rows` are theirs

    @classmethod
    def of(
        cls,
        robot: Robot,
        recordings: Data | Iterable[Data],
        *,
        friction: Friction | Term | Iterable[Term] | Literal["choose"] | None = None,
        recipe: str | Recipe = "default",
        weights: Sequence[float] | None = None,
        blocks: int = BLOCKS,
        base: BaseParameters | None = None,
    ) -> Problem:
        """From recordings (prepared by the recipe), samples, or (position, velocity, acceleration, torque).

        `friction` left out is the robot's own, or viscous, Coulomb and offset where it has none; `()` is none at all;
        "choose" adds what the recordings support (see `choose_friction`).
        `weights`: of the recordings; one with 2 counts as if its torque noise were half the others'.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a))).notes[0]
        'the nominal model has no friction: viscous, Coulomb and offset terms were added'
        """
        recordings, recipe, tables = decided(robot, recordings, recipe)
        read = sentences(tables)
        if isinstance(friction, str) and friction == "choose":
            from bifilar.estimate.friction_choice import chosen_friction

            recordings, friction, tables["friction"] = chosen_friction(robot, recordings, recipe)
        fitted, notes = _with_friction(robot, friction)
        notes += (*read, *(tables[name].sentence() for name in ("friction",) if name in tables))
        sources = tuple(equations_of(data, fitted, recipe) for data in listed(recordings))
        if weights is not None:
            sources = _weighted(sources, weights)
        total = sum(len(source) for source in sources)
        size = max(FEWEST, -(-total // max(1, blocks)))
        parts = [reduce(fitted, source, block=size) for source in sources]
        owners = tuple(k for k, part in enumerate(parts) for _ in part.blocks)
        joined = parts[0]
        for part in parts[1:]:
            joined = joined + part
        base = base_parameters(fitted) if base is None else base
        if not joined.blocks:
            raise SolveError("samples.none/problem")
        return cls(
            robot=fitted,
            base=base,
            reduction=joined,
            owners=owners,
            sources=sources,
            recipe=as_fitted(recipe, sources),
            notes=(*notes, *_own(base)),
            tables=tables,
        )

    def __repr__(self) -> str:
        counts = f"{len(self.base)} of {len(self.names)} parameters"
        rows = f"{self.reduction.samples} rows of {len(self.row_names)} joint{'s'[: len(self.row_names) > 1]}"
        return f"Problem({counts}, {rows} in {len(self.reduction.blocks)} blocks)"

    @property
    def names(self) -> tuple[str, ...]:
        """All columns.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> Problem.of(robot, (still, still, still, still), friction=()).names[0]
        'link1.mass'
        """
        return self.reduction.column_names

    @property
    def row_names(self) -> tuple[str, ...]:
        """The rows of the equations: joints, for a floating robot the base first.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> Problem.of(robot, (still, still, still, still), friction=()).row_names
        ('joint1',)
        """
        return self.reduction.row_names

    def names_of(self, which: Which) -> tuple[str, ...]:
        """Names of the base columns, or of all.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> Problem.of(robot, (still, still, still, still), friction=()).names_of("base")
        ('link1.mcx', 'link1.mcy', 'link1.Izz')
        """
        return self.base.independent if which == "base" else self.names

    @cached_property
    def merged(self) -> BlockFactor:
        """All blocks as one factor per row, of all columns.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> Problem.of(robot, (still, still, still, still), friction=()).merged.samples
        9
        """
        with one_blas_thread():
            return self.reduction.merged()

    def factor(self, which: Which = "base") -> BlockFactor:
        """All blocks as one factor per row, of the base columns or of all.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> Problem.of(robot, (still, still, still, still), friction=()).factor("base").rows[0].triangle.shape
        (4, 4)
        """
        return self.merged if which == "all" else self._small

    @cached_property
    def _small(self) -> BlockFactor:
        return chosen_columns(self.reduction.blocks, self.base.columns)

    def triangle(self, row_weights: ArrayLike, which: Which = "base") -> Array:
        """Upper triangular factor of [W torque], rows multiplied by their weights; the torque is the last column.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> Problem.of(robot, (still, still, still, still), friction=()).triangle([1.0]).shape
        (4, 4)
        """
        with one_blas_thread():
            return stack(self.factor(which), np.asarray(row_weights, dtype=float), len(self.names_of(which)))

    def prior(self, which: Which = "base") -> Array:
        """What the description says the columns' values are.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> Problem.of(robot, (still, still, still, still), friction=()).prior().shape
        (3,)
        """
        values = self.robot.parameters().values
        return self.base.from_full(values) if which == "base" else np.array(values)

    def choose(self, blocks: Sequence[int]) -> Problem:
        """Some of the blocks, possibly repeated. There is no second pass over them: `rows` are still those of all.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> Problem.of(robot, (still, still, still, still), friction=()).choose([0, 1]).reduction.samples
        16
        """
        owners = tuple(self.owners[k] for k in blocks)
        return replace(self, reduction=self.reduction.choose(blocks), owners=owners, whole=False)

    def reweighted(self, weights: Sequence[ArrayLike]) -> Problem:
        """Another pass: rows multiplied by weights, (rows, joints) for every recording.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((90, 1))
        >>> problem = Problem.of(robot, (still, still, still, still + 1), friction=())
        >>> float(abs(problem.reweighted([np.zeros((90, 1))]).triangle([1.0])).max())
        0.0
        """
        sources = _weighted(self.sources, weights)
        size = max(block.samples for block in self.reduction.blocks)
        parts = [reduce(self.robot, source, block=size) for source in sources]
        joined = parts[0]
        for part in parts[1:]:
            joined = joined + part
        return replace(self, reduction=joined, sources=sources)

    def rows(self, which: Which = "base", *, wanted: Wanted | None = None) -> Iterator[RowChunk]:
        """Dense rows, some thousands at a time, through the filter of the torque.

        `wanted(recording, first, end)`: between which of these rows any is asked for, or None; others may be left out.

        >>> robot = bf.Robot.load("pendulum")
        >>> problem = Problem.of(robot, tuple(np.random.default_rng(0).normal(size=(4, 20, 1))), friction=())
        >>> [chunk.columns.shape for chunk in problem.rows()]
        [(20, 1, 3)]
        """
        for k, source in enumerate(self.sources):
            first = 0
            for chunk in source.chunks(self.robot):
                end = first + len(np.asarray(chunk.torque))
                asked = (first, end) if wanted is None else wanted(k, first, end)
                if asked is not None:
                    low, high = asked if chunk.columns_filter is None and chunk.base is None else (first, end)
                    yield RowChunk(k, low, *self._dense(_part(chunk, slice(low - first, high - first)), which))
                first = end

    def _dense(self, chunk: Chunk, which: Which) -> tuple[Array, Array, Array]:
        """Columns, torque and weights of a chunk."""
        dense = dense_rows(self.robot, chunk, self.base.columns if which == "base" else None)
        torque = np.asarray(chunk.torque, dtype=float)
        weight = np.ones(torque.shape) if chunk.weight is None else np.asarray(chunk.weight, dtype=float)
        return dense, torque, np.broadcast_to(weight[:, None] if weight.ndim == 1 else weight, torque.shape)


def _part(chunk: Chunk, rows: slice) -> Chunk:
    """Some rows of a chunk that goes through no filter."""
    if rows == slice(0, len(np.asarray(chunk.torque))):
        return chunk
    names = ("position", "velocity", "acceleration", "torque", "weight", "load")
    arrays = {name: getattr(chunk, name) for name in names}
    kept: dict[str, Any] = {name: np.asarray(x)[rows] for name, x in arrays.items() if x is not None}
    return chunk._replace(**kept)


def chosen_columns(blocks: BlockFactor | Sequence[BlockFactor], columns: ArrayLike) -> BlockFactor:
    """Factors of some of the columns, renumbered in the order given; several blocks become one.

    >>> block = BlockFactor((RowFactor(np.array([0, 2]), np.arange(9.0).reshape(3, 3), 4),), 4)
    >>> chosen_columns(block, [2]).rows[0].columns
    array([0])
    >>> chosen_columns([block, block], [2]).samples
    8
    """
    given = [blocks] if isinstance(blocks, BlockFactor) else list(blocks)
    place = {column: k for k, column in enumerate(np.asarray(columns, dtype=np.int64).tolist())}
    rows = []
    for same in zip(*(block.rows for block in given), strict=True):
        places = [place.get(column, -1) for column in same[0].columns.tolist()]
        kept = sorted((k for k, at in enumerate(places) if at >= 0), key=lambda k: places[k])
        tall = np.vstack([row.triangle[:, [*kept, len(row.columns)]] for row in same])
        with one_blas_thread():
            short = np.linalg.qr(tall, mode="r")
        triangle = np.zeros((len(kept) + 1, len(kept) + 1))
        triangle[: len(short)] = short
        rows.append(RowFactor(np.array([places[k] for k in kept], dtype=np.int64), triangle, sum(row.samples for row in same)))
    return BlockFactor(tuple(rows), sum(block.samples for block in given))


def _with_friction(robot: Robot, friction: Friction | Term | Iterable[Term] | None) -> tuple[Robot, tuple[Note, ...]]:
    if friction is not None:
        from bifilar.robot.friction import friction_of

        return robot.with_friction(friction_of(friction)), ()
    if len(robot.friction.terms):
        return robot, ()
    return robot.with_friction(USUAL_FRICTION), (Note("friction.added"),)


def _own(base: BaseParameters) -> tuple[Note, ...]:
    return tuple(Note(finding.code, what=str(finding), **finding.facts) for finding in base.findings)


def _weighted(sources: tuple[Equations, ...], weights: Sequence[ArrayLike]) -> tuple[Equations, ...]:
    if len(weights) != len(sources):
        raise ShapeError("recordings.count/problem", weight_count=len(weights), source_count=len(sources))
    arrays = [np.asarray(weight, dtype=float) for weight in weights]
    for weight in arrays:
        if not np.isfinite(weight).all() or np.any(weight < 0):
            raise ShapeError("weights.wrong/problem")
    return tuple(Weighted(source, weight) for source, weight in zip(sources, arrays, strict=True))
