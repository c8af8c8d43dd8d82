"""What the kernels need to know of a tree, worked out once: constants, tables, and where each number of a regressor lies.

The regressor of a block is kept as rows of samples, ten for each pair of a joint and a body it carries (and of the six base
rows and every body), then one for each entry of the drive columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.tree import Tree
from bifilar.errors import ShapeError

Rows = Literal["joints", "base", "both"]
Table = NDArray[np.uint64]
NOTHING = 2**63  # where rows are absent
SCREW = 12  # row of a body's scratch where its joint's screw starts: see kernels/layout.py
SCRATCH, TAIL = 30, 15  # rows per body, and after the last


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
    """Where the numbers of one kind of regressor lie. Offsets are rows of the block, or of the scratch, times lanes.

    >>> from bifilar.dynamics.tree import Tree
    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> Plan.of(tree, "joints", Columns.none(1), lanes=64).shape
    (1, 10)
    """

    shape: tuple[int, int]  # rows and columns of one sample's matrix
    block_rows: int  # rows of samples in a block; row 0 holds zeros
    source: NDArray[np.int64]  # (rows, columns) row of the block that holds an entry; 0 where it is always zero
    pairs: Table  # (k, 2) offset of a screw in the scratch, offset of its ten rows
    starts: Table  # (bodies + 1,) where each body's pairs start
    own: Table  # (bodies,) offset of the ten rows of a body and its own revolute joint, or NOTHING
    folds: Table  # (k, 2) ten rows to be added to, ten rows to add
    entries: Table  # (e, 2) drive column, offset of its row
    factors: NDArray[np.float64]  # (e,)
    mix_starts: Table  # (drive columns + 1,) where each column's mixture of speeds starts
    mix_rows: Table  # offsets of the joints' states in the scratch
    mix_weights: NDArray[np.float64]
    order: Table  # (rows * columns,) offset of every entry of the flattened matrix; filled up to a multiple of four
    terms: Table  # (t,) offset of every entry that is not always zero, row by row
    term_starts: Table  # (rows + 1,) where each row's terms start
    term_columns: NDArray[np.int64]  # (t,) their columns

    @classmethod
    def of(cls, tree: Tree, rows: Rows, columns: Columns, lanes: int) -> Plan:
        """Work it out.

        >>> from bifilar.dynamics.tree import Tree
        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> Plan.of(tree, "both", Columns.none(1), lanes=1).shape
        (7, 20)
        """
        above, root = (0, 0) if rows == "joints" else (6, 10)
        inertial = 10 * tree.n_joints + root
        height = above + (0 if rows == "base" else tree.n_coordinates)
        source = np.zeros((height, inertial + columns.count), dtype=np.int64)
        cells = _Cells(tree, lanes)
        if rows != "base":
            cells.joints(source[above:, root:])
        if rows != "joints":
            cells.base(source)
        entries, factors = cells.drives(columns, source[above:, inertial:])
        row, column = np.nonzero(source)
        driven, mixed = np.nonzero(columns.drive)
        joint = [_joint_of(tree, int(k), columns.laws[m].needs_position) for m, k in zip(driven, mixed)]
        states = (tree.n_joints + 1) * SCRATCH + TAIL + 3 * np.array(joint, dtype=np.int64)
        return cls(
            shape=source.shape,
            block_rows=cells.used,
            source=frozen(source),
            pairs=cells.offsets([pair for body in cells.pairs for pair in body], 2),
            starts=frozen(np.cumsum([0] + [len(body) for body in cells.pairs]).astype(np.uint64)),
            own=frozen(np.array([NOTHING if row < 0 else row * lanes for row in cells.own], dtype=np.uint64)),
            folds=cells.offsets(cells.folds, 2),
            entries=frozen(np.array([(k, row * lanes) for k, row in entries], dtype=np.uint64).reshape(-1, 2)),
            factors=frozen(np.array(factors, dtype=float)),
            mix_starts=frozen(np.searchsorted(driven, np.arange(columns.count + 1)).astype(np.uint64)),
            mix_rows=cells.offsets(states),
            mix_weights=frozen(columns.drive[driven, mixed]),
            order=cells.offsets(np.pad(source.ravel(), (0, -source.size % 4))),
            terms=cells.offsets(source[row, column]),
            term_starts=frozen(np.searchsorted(row, np.arange(len(source) + 1)).astype(np.uint64)),
            term_columns=frozen(column),
        )


def _joint_of(tree: Tree, coordinate: int, by_position: bool) -> int:
    """A joint whose speed, and position where that counts, in the scratch is the coordinate's own."""
    own = np.flatnonzero(tree.coordinate == coordinate)
    same = own[(tree.ratio[own] == 1) & (tree.offset[own] == 0)]
    if by_position and not len(same):
        raise ShapeError("joint.no_own_coordinate", coordinate=coordinate)
    return int(same[0] if len(same) else own[0])


class _Cells:
    """Hands out rows of the block."""

    def __init__(self, tree: Tree, lanes: int) -> None:
        self.tree, self.lanes = tree, lanes
        self.used = 1  # row 0 holds zeros
        self.pairs: list[list[tuple[int, int]]] = [[] for _ in range(tree.n_joints + 1)]
        self.own = [-1] * (tree.n_joints + 1)
        self.folds: list[tuple[int, int]] = []

    def offsets(self, rows: object, width: int = 0) -> Table:
        table = (np.asarray(rows, dtype=np.int64) * self.lanes).astype(np.uint64)
        return frozen(table.reshape(-1, width) if width else table)

    def _ten(self) -> int:
        self.used += 10
        return self.used - 10

    def joints(self, source: NDArray[np.int64]) -> None:
        """Ten rows per joint and carried body, those of one coordinate beside each other; nested mimic joints are folded."""
        tree = self.tree
        all_pairs = [(int(tree.coordinate[j]), i, j) for i in range(tree.n_joints) for j in carriers(tree, i + 1)]
        for coordinate, i, j in sorted(all_pairs):
            row = self._ten()
            if i == j and not tree.prismatic[j]:
                self.own[i + 1] = row
            else:
                self.pairs[i + 1].append(((j + 1) * SCRATCH + SCREW, row))
            if source[coordinate, 10 * i]:
                self.folds.append((int(source[coordinate, 10 * i]), row))
            else:
                source[coordinate, 10 * i : 10 * i + 10] = np.arange(row, row + 10)

    def base(self, source: NDArray[np.int64]) -> None:
        """Ten rows per base row and body; a force does not depend on the rotational inertia."""
        units = (self.tree.n_joints + 1) * SCRATCH + TAIL + 3 * self.tree.n_joints
        for r in range(6):
            for body in range(self.tree.n_joints + 1):
                row, width = self._ten(), 4 if r < 3 else 10
                self.pairs[body].append((units + 6 * r, row))
                source[r, 10 * body : 10 * body + width] = np.arange(row, row + width)

    def drives(self, columns: Columns, source: NDArray[np.int64]) -> tuple[list[tuple[int, int]], list[float]]:
        """One row per entry of the drive columns."""
        entries, factors = [], []
        if len(source):
            for column, row in zip(*np.nonzero(columns.effect), strict=True):
                entries.append((int(column), self.used))
                factors.append(float(columns.effect[column, row]))
                source[row, column] = self.used
                self.used += 1
        return entries, factors
