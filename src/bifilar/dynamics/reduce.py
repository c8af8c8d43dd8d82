"""A recording of any length as a few triangular factors.

Every row of the equations (a joint, or one of the six base rows) has its own rows in the regressor W, with zeros wherever a
body does not load that joint. [W_row torque] = Q R is kept as R alone: it has the same least-squares solutions, residuals and
singular values, for any row weights chosen later. Rows are eliminated as they come (`kernels/reduce.py`), so W, 39 GB for ten
million samples of a 7-joint arm, is never formed; factors of different stretches of data, or from different computers, are
merged by one small QR.

QR, not the normal equations: at condition 1e10 W'W has no digit left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import engine
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.columns import Columns
from bifilar.dynamics.parallel import in_parallel, thread_count
from bifilar.dynamics.plan import Plan, Rows, frozen
from bifilar.dynamics.tree import Tree
from bifilar.errors import ShapeError

Array = NDArray[np.float64]
CHUNK = 2048  # samples per dense matrix on the NumPy engine


@dataclass(frozen=True, eq=False)
class RowFactor:
    """Triangular factor of one row of the equations over a stretch of samples.

    >>> RowFactor(np.array([0]), np.array([[2.0, 1.0], [0.0, 3.0]])).residual(np.array([0.5]))
    3.0
    """

    columns: NDArray[np.int64]  # (p,) columns of the problem that can be non-zero in this row
    triangle: Array  # (p + 1, p + 1) upper triangular; the last column belongs to the torque
    samples: int = 0  # with a weight that is not zero

    def residual(self, x: Array) -> float:
        """Norm of W x - torque over these samples, x over all columns of the problem.

        >>> RowFactor(np.array([0]), np.array([[2.0, 1.0], [0.0, 0.0]])).residual(np.array([0.0]))
        1.0
        """
        return float(np.linalg.norm(self.triangle[:, :-1] @ x[self.columns] - self.triangle[:, -1]))


@dataclass(frozen=True, eq=False)
class BlockFactor:
    """Factors of every row of the equations over one stretch of samples.

    >>> BlockFactor((), 0).samples
    0
    """

    rows: tuple[RowFactor, ...]
    samples: int


def merge_rows(factors: Sequence[RowFactor]) -> RowFactor:
    """One factor for several stretches of the same row.

    >>> one = RowFactor(np.array([0]), np.array([[3.0, 0.0], [0.0, 0.0]]))
    >>> two = RowFactor(np.array([0]), np.array([[4.0, 0.0], [0.0, 0.0]]))
    >>> abs(merge_rows([one, two]).triangle[0, 0])
    np.float64(5.0)
    """
    if len(factors) == 1:
        return factors[0]
    if any(not np.array_equal(f.columns, factors[0].columns) for f in factors):
        raise ShapeError("factors.differ/reduce")
    triangle = _triangle(np.vstack([f.triangle for f in factors]))
    return RowFactor(factors[0].columns, triangle, sum(f.samples for f in factors))


def merge_blocks(blocks: Sequence[BlockFactor]) -> BlockFactor:
    """One factor per row for several blocks.

    >>> merge_blocks([BlockFactor((), 2), BlockFactor((), 3)]).samples
    5
    """
    rows = tuple(merge_rows(same) for same in zip(*(b.rows for b in blocks), strict=True))
    return BlockFactor(rows, sum(b.samples for b in blocks))


def stack(block: BlockFactor, weights: Array, width: int) -> Array:
    """Upper triangular factor (width + 1, width + 1) of [W torque] over all rows, each row multiplied by its weight.

    >>> block = BlockFactor((RowFactor(np.array([1]), np.array([[3.0, 6.0], [0.0, 0.0]])),), 1)
    >>> R = stack(block, np.array([2.0]), 2)
    >>> (R.T @ R)[1].round(9)
    array([ 0., 36., 72.])
    """
    ends = np.cumsum([0] + [len(factor.triangle) for factor in block.rows])
    tall = np.zeros((max(int(ends[-1]), width + 1), width + 1))
    for factor, weight, start, end in zip(block.rows, weights, ends, ends[1:], strict=False):
        part = tall[start:end]
        part[:, factor.columns] = weight * factor.triangle[:, :-1]
        part[:, width] = weight * factor.triangle[:, -1]
    return _triangle(tall)


def _triangle(matrix: Array) -> Array:
    r: Array = np.linalg.qr(matrix, mode="r")  # type: ignore[assignment]
    return r * np.where(np.diag(r) < 0, -1.0, 1.0)[:, None]


class Reducer:
    """Takes samples, keeps triangles. `columns` of the problem are a choice among the regressor's.

    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> reducer = Reducer(tree, "joints", Columns.none(1), np.array([9]))
    >>> two = np.full((1, 1), 2.0)
    >>> reducer.add(two, two, two, np.zeros((1, 9)), 3 * two)
    >>> abs(reducer.take().rows[0].triangle[0])
    array([2., 6.])
    """

    def __init__(self, tree: Tree, rows: Rows, columns: Columns, selected: NDArray[np.int64]) -> None:
        self.tree, self.rows, self.columns = tree, rows, columns
        source = Plan.of(tree, rows, columns, 1).source
        present = [[k for k, c in enumerate(selected) if source[e, c]] for e in range(len(source))]
        self.present = [np.array(p, dtype=np.int64) for p in present]
        self.selected = np.asarray(selected, dtype=np.int64)
        self._compiled = engine.current().__name__.endswith("fast")
        self._clear()

    def _clear(self) -> None:
        self._samples = 0
        self._counts = np.zeros(len(self.present), dtype=np.int64)
        self._triangles: list[Array] = []  # one set per part that is worked on at the same time
        self._room_for(1)

    def _room_for(self, parts: int) -> None:
        size = int(sum((len(p) + 1) ** 2 for p in self.present))
        self._triangles += [np.zeros(size) for _ in range(parts - len(self._triangles))]

    def add(
        self, q: Array, v: Array, a: Array, root: Array, torque: Array, weight: Array | None = None, load: Array | None = None
    ) -> None:
        """More samples; torque and weight are (samples, rows of the equations).

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> reducer = Reducer(tree, "joints", Columns.none(1), np.array([9]))
        >>> reducer.add(*[np.ones((5, 1))] * 3, np.zeros((1, 9)), np.ones((5, 1)))
        >>> reducer.take().samples
        5
        """
        self._counts += len(q) if weight is None else np.count_nonzero(weight, axis=0)
        weight = np.zeros((0, torque.shape[1])) if weight is None else weight
        (self._add_compiled if self._compiled else self._add_plain)(q, v, a, root, torque, weight, load)
        self._samples += len(q)

    def filtered(
        self,
        q: Array,
        v: Array,
        a: Array,
        root: Array,
        torque: Array,
        load: Array | None,
        through: Callable[[Array], Array],
    ) -> Array:
        """Rows of [W torque] whose columns went through a filter, side by side without those that are always zero.

        Torque is of the filter's output. W is formed for these samples only.

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> reducer = Reducer(tree, "joints", Columns.none(1), np.array([9]))
        >>> a = np.arange(4.0)[:, None]
        >>> reducer.filtered(0 * a, 0 * a, a, np.zeros((1, 9)), 3 * a[::2], None, lambda x: x[::2])
        array([[0., 0.], [2., 6.]])
        """
        dense = engine.current().regressor(self.tree, q, v, a, root, self.rows, self.columns, load)
        width = dense.shape[2]
        used = [e * width + self.selected[p] for e, p in enumerate(self.present)]
        with one_blas_thread():
            rows = through(dense.reshape(len(dense), -1)[:, np.concatenate([*used, np.zeros(0, np.int64)])])
        ends = np.cumsum([len(p) for p in self.present])[:-1]
        pairs = zip(np.split(rows, ends, axis=1), torque.T, strict=True)
        return np.hstack([np.hstack([w, tau[:, None]]) for w, tau in pairs])

    def add_rows(self, rows: Array, weight: Array | None) -> None:
        """More samples, as `filtered` gives them.

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> reducer = Reducer(tree, "joints", Columns.none(1), np.array([9]))
        >>> reducer.add_rows(np.array([[2.0, 6.0]]), None)
        >>> abs(reducer.take().rows[0].triangle[0])
        array([2., 6.])
        """
        self._counts += len(rows) if weight is None else np.count_nonzero(weight, axis=0)
        self._samples += len(rows)
        ends = np.cumsum([len(p) + 1 for p in self.present])[:-1]
        parts = zip(np.split(rows, ends, axis=1), self._views(self._triangles[0]), strict=True)
        with one_blas_thread():
            for e, (w, triangle) in enumerate(parts):
                short = np.linalg.qr(np.vstack([triangle, w if weight is None else w * weight[:, e : e + 1]]), mode="r")
                triangle[: len(short)] = short

    def _add_compiled(
        self, q: Array, v: Array, a: Array, root: Array, torque: Array, weight: Array, load: Array | None
    ) -> None:
        from bifilar.dynamics.workspace import BLOCK, RegressorCall

        call = RegressorCall(self.tree, q, v, a, root, self.rows, self.columns, load, lanes=BLOCK)
        tables = self._tables(call.plan, BLOCK)
        self._room_for(thread_count())
        in_parallel(
            lambda part, start, stop: call.reduce(tables, torque, weight, self._triangles[part], start, stop),
            len(q),
            grain=1024,
        )

    def _tables(self, plan: Plan, lanes: int) -> tuple[NDArray[np.uint64], ...]:
        """Block rows of every equation row's columns (its torque last), where each starts, where its triangle starts."""
        rows = [np.append(plan.source[e, self.selected[p]], plan.block_rows + e) for e, p in enumerate(self.present)]
        starts = np.cumsum([0] + [len(r) for r in rows])
        corners = np.cumsum([0] + [len(r) ** 2 for r in rows])[:-1]
        flat = np.concatenate([*rows, np.zeros(0, np.int64)]) * lanes
        return frozen(flat.astype(np.uint64)), frozen(starts.astype(np.uint64)), frozen(corners.astype(np.uint64))

    def _add_plain(self, q: Array, v: Array, a: Array, root: Array, torque: Array, weight: Array, load: Array | None) -> None:
        for start in range(0, len(q), CHUNK):
            part = slice(start, start + CHUNK)
            moving = root[part] if len(root) > 1 else root
            loads = None if load is None else load[part]
            w = engine.current().regressor(self.tree, q[part], v[part], a[part], moving, self.rows, self.columns, loads)
            w = np.concatenate([w[:, :, self.selected], torque[part, :, None]], axis=2)
            w = w * weight[part, :, None] if len(weight) else w
            for e, triangle in enumerate(self._views(self._triangles[0])):
                tall = np.vstack([triangle, w[:, e, np.append(self.present[e], -1)]])
                short = np.linalg.qr(tall, mode="r")
                triangle[: len(short)] = short

    def _views(self, flat: Array) -> list[Array]:
        sizes = [len(p) + 1 for p in self.present]
        corners = np.cumsum([0] + [s * s for s in sizes])
        return [flat[c : c + s * s].reshape(s, s) for c, s in zip(corners[:-1], sizes, strict=True)]

    def take(self) -> BlockFactor:
        """The factors of everything added since the last `take`; starts afresh.

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> Reducer(tree, "joints", Columns.none(1), np.array([9])).take().samples
        0
        """
        per_thread = list(zip(*(self._views(flat) for flat in self._triangles), strict=True))
        parts = zip(self.present, per_thread, self._counts, strict=True)
        rows = [RowFactor(p, _triangle(np.vstack(same)), int(count)) for p, same, count in parts]
        block = BlockFactor(tuple(rows), self._samples)
        self._clear()
        return block
