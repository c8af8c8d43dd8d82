"""What the compiled kernels are called with: the modules themselves, constants and scratch of a tree, ranges of samples.

A few samples go one by one through kernels compiled for one lane, more go through blocks; both come from the same source,
which is loaded a second time under another name. Scratch is kept per tree and thread, so a call allocates only its result.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.parallel import in_parallel, thread_count
from bifilar.dynamics.plan import Plan, Rows, frozen, joint_constants, joint_table
from bifilar.dynamics.tree import Tree

Array = NDArray[np.float64]
BLOCK = 32  # samples worked on together: LANES of the kernel package
SHORT = 8  # so few samples go one by one
REGRESSOR_ROWS, BODY_ROWS, TEMPORARY_ROWS = 30, 88, 128  # of scratch; see kernels/layout.py
GRAIN = 1024  # samples that are worth a thread


def kernels(lanes: int, part: str) -> ModuleType:
    """One module of the kernel package, compiled for one sample or for blocks.

    >>> int(kernels(1, "lanes").L), int(kernels(BLOCK, "lanes").L)
    (1, 32)
    """
    package = "bifilar.dynamics.kernels" if lanes == BLOCK else f"bifilar.dynamics.kernels_{lanes}"
    if package not in sys.modules:
        folder = Path(__file__).parent / "kernels"
        spec = importlib.util.spec_from_file_location(package, folder / "__init__.py", submodule_search_locations=[str(folder)])
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[package] = module
        spec.loader.exec_module(module)
    return importlib.import_module(f"{package}.{part}")


class Workspace:
    """What is kept between calls for one tree and block size: constants, plans, and scratch arrays per thread.

    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> Workspace.of(tree, BLOCK) is Workspace.of(tree, BLOCK)
    True
    """

    _kept: ClassVar[weakref.WeakKeyDictionary[Tree, dict[int, Workspace]]] = weakref.WeakKeyDictionary()

    def __init__(self, tree: Tree, lanes: int) -> None:
        self.lanes = lanes
        self.constants = joint_constants(tree)
        self.table = joint_table(tree)
        self.plans: weakref.WeakKeyDictionary[Columns, dict[str, Plan]] = weakref.WeakKeyDictionary()
        self._laws: weakref.WeakKeyDictionary[Columns, tuple[NDArray[np.uint64], Array]] = weakref.WeakKeyDictionary()
        self._local = threading.local()

    @classmethod
    def of(cls, tree: Tree, lanes: int) -> Workspace:
        """The tree's workspace, made at the first call.

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> Workspace.of(tree, 1).lanes
        1
        """
        spaces = cls._kept.setdefault(tree, {})
        if lanes not in spaces:
            spaces[lanes] = cls(tree, lanes)
        return spaces[lanes]

    def plan(self, tree: Tree, rows: Rows, columns: Columns) -> Plan:
        """Where the numbers of this regressor lie.

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> Workspace.of(tree, 1).plan(tree, "joints", Columns.none(1)).shape
        (1, 10)
        """
        plans = self.plans.setdefault(columns, {})
        if rows not in plans:
            plans[rows] = Plan.of(tree, rows, columns, self.lanes)
        return plans[rows]

    def laws(self, columns: Columns) -> tuple[NDArray[np.uint64], Array]:
        """Form and address of each column's law, (m, 2); width, side and settings, (m, 6).

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> laws, shape = Workspace.of(tree, 1).laws(bf.Coulomb(width=0.1).columns(("a",)).columns)
        >>> laws.tolist(), shape[0, :2].tolist()
        ([[2, 0]], [0.1, 0.0])
        """
        if columns not in self._laws:
            address = kernels(self.lanes, "laws").address
            known = {law: (law.form, address(law)) for law in set(columns.laws)}
            laws = np.array([known[law] for law in columns.laws], dtype=np.uint64).reshape(-1, 2)
            shape = np.column_stack([columns.width, columns.side, columns.settings])
            self._laws[columns] = frozen(laws), frozen(shape)
        return self._laws[columns]

    def buffer(self, name: str, rows: int) -> Array:
        """Scratch of at least so many rows of lanes, this thread's own, zero at first.

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> Workspace.of(tree, BLOCK).buffer("test", 2).shape
        (64,)
        """
        buffers = self._local.__dict__
        if name not in buffers or len(buffers[name]) < rows * self.lanes:
            buffers[name] = _aligned(rows * self.lanes)
        return buffers[name]


def _aligned(size: int) -> Array:
    """Zeros that start at a cache line: vectors that straddle two lines take twice as long."""
    room = np.zeros(size + 8)
    skip = -room.ctypes.data % 64 // 8
    return room[skip : skip + size]


def _lanes(samples: int) -> int:
    return 1 if samples <= SHORT else BLOCK


def _scratch_rows(tree: Tree, body_rows: int) -> int:
    return (tree.n_joints + 1) * body_rows + 3 * tree.n_joints + TEMPORARY_ROWS


class RegressorCall:
    """One regressor, ready to run over ranges of samples: arguments collected once, in the order the kernels take them.

    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> state = np.zeros((3, 1))
    >>> RegressorCall(tree, state, state, state, np.zeros((1, 9)), "joints", Columns.none(1), None).plan.shape
    (1, 10)
    """

    def __init__(
        self,
        tree: Tree,
        q: Array,
        v: Array,
        a: Array,
        root: Array,
        rows: Rows,
        columns: Columns,
        load: Array | None,
        lanes: int | None = None,
    ) -> None:
        self.lanes = lanes or _lanes(len(q))
        self.space = Workspace.of(tree, self.lanes)
        self.plan = plan = self.space.plan(tree, rows, columns)
        screws = int(np.diff(plan.starts.astype(np.int64)).max(initial=1))  # that move one body
        self.scratch_rows = _scratch_rows(tree, REGRESSOR_ROWS) + 6 * screws
        self.samples = len(q)
        self.state = (self.space.constants, self.space.table, q, v, a, root)
        self.cells = (plan.pairs, plan.starts, plan.own, plan.folds)
        laws, shape = self.space.laws(columns)
        mixture = (plan.mix_starts, plan.mix_rows, plan.mix_weights)
        entries = (plan.entries, plan.factors)
        self.drives = (laws, *mixture, columns.effect, shape, *entries, v if load is None else load)

    def dense(self, out: Array) -> None:
        """The whole matrix of every sample into `out`.

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> state, out = np.full((3, 1), 2.0), np.empty((3, 1, 10))
        >>> RegressorCall(tree, state, state, state, np.zeros((1, 9)), "joints", Columns.none(1), None).dense(out)
        >>> out[0, 0, 9]
        np.float64(2.0)
        """
        kernel, flat = kernels(self.lanes, "write").dense, out.reshape(-1)
        size, shift = np.uint64(self.plan.source.size), np.uint64(flat.ctypes.data // 8 % 4)

        def run(part: int, start: int, stop: int) -> None:
            lines = self.space.buffer("lines", 4 * len(self.plan.order) // self.lanes + 1)
            self._run(kernel, self.plan.order, size, lines, flat, shift, np.uint64(start), np.uint64(stop))

        in_parallel(run, self.samples, grain=GRAIN)

    def transposed_times(self, weight: Array) -> Array:
        """Sum over samples and rows of weight times the matrix: W' weight, without forming W.

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> state = np.full((3, 1), 2.0)
        >>> call = RegressorCall(tree, state, state, state, np.zeros((1, 9)), "joints", Columns.none(1), None, lanes=BLOCK)
        >>> call.transposed_times(np.ones((3, 1)))[9]
        np.float64(6.0)
        """
        plan = self.plan
        gradients = np.zeros((thread_count(), plan.shape[1]))

        def run(part: int, start: int, stop: int) -> None:
            sums = np.zeros((len(plan.terms), 4))
            tables = (plan.terms, plan.term_starts, weight, sums.reshape(-1), np.uint64(start), np.uint64(stop))
            self._run(kernels(self.lanes, "reduce").transposed_times, *tables)
            np.add.at(gradients[part], plan.term_columns, sums.sum(axis=1))

        in_parallel(run, self.samples, grain=GRAIN)
        return gradients.sum(axis=0)

    def reduce(
        self,
        tables: tuple[
            NDArray[np.uint64], ...
        ],  # block rows of every equation row's columns, their starts, their triangles' starts
        torque: Array,
        weight: Array,
        triangles: Array,
        start: int,
        stop: int,
    ) -> None:
        """Some samples into triangular factors, on this thread; see `kernels/reduce.py` and `Reducer`.

        >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
        >>> state, triangle = np.full((3, 1), 2.0), np.zeros(4)
        >>> call = RegressorCall(tree, state, state, state, np.zeros((1, 9)), "joints", Columns.none(1), None, lanes=BLOCK)
        >>> table = np.array([[10 * BLOCK, 11 * BLOCK], [0, 2]], dtype=np.uint64)
        >>> call.reduce((table[0], table[1], table[1, :1]), state, np.zeros((0, 1)), triangle, 0, 1)
        >>> abs(triangle)
        array([2., 2., 0., 0.])
        """
        kernel = kernels(self.lanes, "reduce").reduce_rows
        self._run(kernel, *tables, torque, weight, triangles, np.uint64(start), np.uint64(stop))

    def _run(self, kernel: Callable[..., None], *arguments: object) -> None:
        scratch = self.space.buffer("scratch", self.scratch_rows)
        block = self.space.buffer("block", self.plan.block_rows + self.plan.shape[0])  # and a row per torque
        kernel(scratch, block, *self.state, *self.cells, *self.drives, *arguments)


class Call:
    """A kernel on the bodies of a tree, run over all samples: constants and scratch filled in, split over threads.

    >>> tree = Tree([0], [False], [np.eye(3)], np.zeros((1, 3)), [[0, 0, 1]])
    >>> Call(tree, 100).space.lanes
    32
    """

    def __init__(self, tree: Tree, samples: int) -> None:
        self.tree = tree
        self.samples = samples
        self.lanes = _lanes(samples)
        self.space = Workspace.of(tree, self.lanes)

    def run(self, module: str, name: str, *arguments: object, work_rows: int = 0) -> None:
        """Call kernels.module.name(scratch[, work], constants, table, *arguments, start, stop).

        >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 2]], [[0, 0, 1]])
        >>> turn, place = np.empty((1, 2, 3, 3)), np.empty((1, 2, 3))
        >>> Call(tree, 1).run("kinematics", "poses", np.zeros((1, 1)), np.zeros((1, 9)), turn, place)
        >>> place[0, 1]
        array([0., 0., 2.])
        """
        kernel = getattr(kernels(self.lanes, module), name)
        rows = _scratch_rows(self.tree, BODY_ROWS)

        def work(part: int, start: int, stop: int) -> None:
            scratch = [self.space.buffer("large", rows)]
            scratch += [self.space.buffer("work", work_rows)] if work_rows else []
            kernel(*scratch, self.space.constants, self.space.table, *arguments, np.uint64(start), np.uint64(stop))

        in_parallel(work, self.samples, grain=GRAIN)
