"""What the kernels need to know of a tree, worked out once: constants, tables, and where each number of a regressor lies.

The regressor of a block is kept as rows of samples, ten for each pair of a joint and a body it carries (and of the six base
rows and every body), then one for each entry of the drive columns. `cells` say where a pair's ten rows start, `segments` how to
copy them into the flattened matrix of one sample, `source` which row holds entry (row, column), -1 for zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.tree import Tree

Rows = Literal["joints", "base", "both"]
Table = NDArray[np.uint64]
NOTHING = 2**63  # start of a segment of zeros


def cross_matrix(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Matrix of the cross product with r from the left.

    >>> cross_matrix(np.array([0.0, 0.0, 1.0])) @ [1.0, 0.0, 0.0]
    array([0., 1., 0.])
    """
    x, y, z = r
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def joint_constants(tree: Tree) -> NDArray[np.float64]:
    """One line of 38 numbers per joint: R = A + cos q B + sin q C (3 x 9), origin, slide, axis, mimic ratio and offset.

    >>> from bifilar.dynamics.tree import Tree
    >>> joint_constants(Tree([0], [True], [np.eye(3)], [[0, 0, 1]], [[1, 0, 0]]))[0, 30:33]
    array([1., 0., 0.])
    """
    table = np.zeros((tree.n_joints, 38))
    for i, (turn, axis, slides) in enumerate(zip(tree.rotation, tree.axis, tree.prismatic, strict=True)):
        along = np.outer(axis, axis)
        if slides:
            table[i, :9] = turn.ravel()
            table[i, 30:33] = turn @ axis
        else:
            table[i, :9] = (turn @ along).ravel()
            table[i, 9:18] = (turn @ (np.eye(3) - along)).ravel()
            table[i, 18:27] = (turn @ cross_matrix(axis)).ravel()
        table[i, 27:30] = tree.translation[i]
        table[i, 33:36] = tree.ratio[i] * axis
        table[i, 36:38] = tree.ratio[i], tree.offset[i]
    return frozen(table)


def joint_table(tree: Tree) -> Table:
    """Parent body, whether prismatic, coordinate: one line per joint.

    >>> from bifilar.dynamics.tree import Tree
    >>> joint_table(Tree([0], [True], [np.eye(3)], [[0, 0, 1]], [[1, 0, 0]])).tolist()
    [[0, 1, 0]]
    """
    return frozen(np.stack([tree.parent, tree.prismatic, tree.coordinate], axis=1).astype(np.uint64).reshape(-1, 3))


def frozen(array: NDArray) -> NDArray:
    """The array, C-contiguous and read-only.

    >>> frozen(np.zeros(2)).flags.writeable
    False
    """
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def carriers(tree: Tree, body: int) -> list[int]:
    """Joints that carry a body, from its own to the root.

    >>> from bifilar.dynamics.tree import Tree
    >>> carriers(Tree([0, 1], [False] * 2, [np.eye(3)] * 2, np.zeros((2, 3)), [[0, 0, 1]] * 2), 2)
    [1, 0]
    """
    path = []
    while body > 0:
        path.append(body - 1)
        body = int(tree.parent[body - 1])
    return path


@dataclass(frozen=True, eq=False)
class Plan:
    """Where the numbers of one kind of regressor lie.

    >>> from bifilar.dynamics.tree import Tree
    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> Plan.of(tree, "joints", Columns.none(1), lanes=64).shape
    (1, 10)
    """

    shape: tuple[int, int]  # rows and columns of one sample's matrix
    block_rows: int  # rows of samples in a block
    joint_cells: Table  # (n, n) first row of joint j and body i + 1, times lanes
    base_cells: Table  # (6, n + 1)
    folds: Table  # (k, 2) ten rows to be added to, ten rows to add
    entries: Table  # (e, 2) drive column, its row times lanes
    factors: NDArray[np.float64]  # (e,)
    source: NDArray[np.int64]  # (rows, columns) row of the block, -1 for zero
    segments: Table  # (s, 3) start in the flat matrix, row times lanes or NOTHING, length
    terms: Table  # (t, 3) row, column and block row times lanes of every entry that is not always zero

    @classmethod
    def of(cls, tree: Tree, rows: Rows, columns: Columns, lanes: int) -> Plan:
        """Work it out.

        >>> from bifilar.dynamics.tree import Tree
        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> Plan.of(tree, "both", Columns.none(1), lanes=1).shape
        (7, 20)
        """
        n, above = tree.n_joints, 0 if rows == "joints" else 6
        root_columns = 0 if rows == "joints" else 10
        inertial = 10 * n + root_columns
        height = above + (0 if rows == "base" else tree.n_coordinates)
        source = np.full((height, inertial + columns.count), -1, dtype=np.int64)
        joint_cells, folds, used = np.zeros((n, n)), [], 0
        if rows != "base":
            joint_cells, folds, used = _joint_cells(tree, source[above:, root_columns:])
        base_cells, used = _base_cells(n, source, used) if above else (np.zeros((6, n + 1)), used)
        entries, factors, used = _drive_cells(columns, source[above:, inertial:], used)
        return cls(
            shape=(height, inertial + columns.count),
            block_rows=max(used, 1),
            joint_cells=_offsets(joint_cells, lanes),
            base_cells=_offsets(base_cells, lanes),
            folds=_offsets(np.array(folds).reshape(-1, 2), lanes),
            entries=frozen(np.array([(k, row * lanes) for k, row in entries], dtype=np.uint64).reshape(-1, 2)),
            factors=frozen(np.array(factors, dtype=float)),
            source=frozen(source),
            segments=_segments(source.ravel(), lanes),
            terms=_terms(source, lanes),
        )


def _offsets(cells: NDArray, lanes: int) -> Table:
    return frozen((np.asarray(cells) * lanes).astype(np.uint64))


def _joint_cells(tree: Tree, source: NDArray[np.int64]) -> tuple[NDArray, list[tuple[int, int]], int]:
    """Ten rows per pair, those of one coordinate beside each other; nested joints of one coordinate are folded."""
    n = tree.n_joints
    cells, folds, used = np.zeros((n, n), dtype=np.int64), [], 0
    pairs = [(int(tree.coordinate[j]), i, j) for i in range(n) for j in carriers(tree, i + 1)]
    for k, i, j in sorted(pairs):
        cells[j, i] = used
        if source[k, 10 * i] >= 0:
            folds.append((int(source[k, 10 * i]), used))
        else:
            source[k, 10 * i : 10 * i + 10] = np.arange(used, used + 10)
        used += 10
    return cells, folds, used


def _base_cells(n: int, source: NDArray[np.int64], used: int) -> tuple[NDArray, int]:
    cells = np.zeros((6, n + 1), dtype=np.int64)
    for r in range(6):
        for body in range(n + 1):
            cells[r, body] = used
            width = 4 if r < 3 else 10  # a force does not depend on the rotational inertia
            source[r, 10 * body : 10 * body + width] = np.arange(used, used + width)
            used += 10
    return cells, used


def _drive_cells(columns: Columns, source: NDArray[np.int64], used: int) -> tuple[list[tuple[int, int]], list[float], int]:
    entries, factors = [], []
    if len(source):
        for column, row in zip(*np.nonzero(columns.effect), strict=True):
            entries.append((int(column), used))
            factors.append(float(columns.effect[column, row]))
            source[row, column] = used
            used += 1
    return entries, factors, used


def _segments(flat: NDArray[np.int64], lanes: int) -> Table:
    """Runs of consecutive block rows, or of zeros."""
    step = np.diff(flat)
    joined = np.where(flat[1:] < 0, flat[:-1] < 0, (step == 1) & (flat[:-1] >= 0))
    starts = np.flatnonzero(np.concatenate([[True], ~joined])) if len(flat) else np.zeros(0, np.int64)
    lengths = np.diff(np.append(starts, len(flat)))
    rows = [NOTHING if flat[s] < 0 else int(flat[s]) * lanes for s in starts]
    return frozen(np.array(list(zip(starts.tolist(), rows, lengths.tolist(), strict=True)), dtype=np.uint64).reshape(-1, 3))


def _terms(source: NDArray[np.int64], lanes: int) -> Table:
    row, column = np.nonzero(source >= 0)
    return frozen(np.stack([row, column, source[row, column] * lanes], axis=1).astype(np.uint64))
