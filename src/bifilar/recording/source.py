"""Where columns of numbers come from: a file of any kind, seen as named columns that can be read block by block."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError, ResourceError

MOST = 16 * 2**30  # [bytes] that one file may unfold to in memory
UNPACKED = 64 * 2**20  # [bytes] from which a packed file is suspected ...
RATIO = 200  # ... if it unfolds to more than so many times its size


class Source(Protocol):
    """Named columns of numbers, one row per sample."""

    where: str  # the file
    names: tuple[str, ...]  # of the columns; empty words where the file has none
    groups: dict[str, tuple[int, ...]]  # columns that the file keeps together, by name: the arrays of an NPZ
    joint_names: tuple[str, ...]  # where the file names joints apart from columns
    notes: list[Finding]  # grows while reading

    def blocks(self, columns: Sequence[int]) -> Iterator[Array]:
        """Rows of those columns, (any number, columns), in order.

        >>> hasattr(Source, "blocks")
        True
        """
        ...


@dataclass
class Arrays:
    """Columns that are in memory already.

    >>> list(Arrays("log.npz", ("t", "q"), [np.zeros(2), np.ones(2)]).blocks([1]))
    [array([[1.], [1.]])]
    """

    where: str
    names: tuple[str, ...]
    columns: list[Array]  # each (rows,)
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    joint_names: tuple[str, ...] = ()
    notes: list[Finding] = field(default_factory=list)

    def blocks(self, columns: Sequence[int]) -> Iterator[Array]:
        """All rows at once.

        >>> next(Arrays("a", ("t",), [np.zeros(3)]).blocks([0])).shape
        (3, 1)
        """
        lengths = {len(self.columns[k]) for k in columns}
        if len(lengths) > 1:
            a, b = (next(k for k in columns if len(self.columns[k]) == n) for n in sorted(lengths)[:2])
            raise RecordingError(
                "file.ragged/source",
                where=self.where,
                name=self.names[a],
                column_count=len(self.columns[a]),
                name_2=self.names[b],
                column_count_2=len(self.columns[b]),
            )
        yield np.column_stack([self.columns[k] for k in columns]) if columns else np.zeros((0, 0))


def from_arrays(where: str, arrays: dict[str, Any], joint_names: tuple[str, ...] = ()) -> Arrays:
    """Vectors and tables by name as columns: 'q' of three columns becomes q[0], q[1], q[2]. Other shapes are left out.

    >>> from_arrays("log.npz", {"t": np.zeros(4), "q": np.zeros((4, 2))}).names
    ('t', 'q[0]', 'q[1]')
    """
    columns: list[Array] = []
    names: list[str] = []
    groups: dict[str, tuple[int, ...]] = {}
    notes: list[Finding] = []
    tables = {name: a for name, a in arrays.items() if a.dtype.kind in "fiub" and a.ndim in (1, 2) and a.size}
    rows = _usual_rows(list(tables.values()))
    for name, array in tables.items():
        table = array.astype(float, copy=False)
        if table.ndim == 2 and rows not in (table.shape[0], None) and rows == table.shape[1]:
            table = table.T  # one row per signal: MATLAB users do that
        elif table.ndim == 2 and table.shape[0] == 1 != rows:
            table = table.T
        groups[name] = tuple(range(len(columns), len(columns) + (1 if table.ndim == 1 else table.shape[1])))
        flat = table.ndim == 1 or table.shape[1] == 1
        names += [name] if flat else [f"{name}[{k}]" for k in range(table.shape[1])]
        columns += [table.reshape(-1)] if flat else list(table.T)
    odd = [name for name in arrays if name not in tables]
    if odd:
        notes.append(Finding("log.columns_left_out/read_hdf5", "note", where, odd=odd[:12]))
    return Arrays(where, tuple(names), columns, groups, joint_names, notes)


def refuse_unfolding(size: int, where: str) -> None:
    """A letter if a file claims to hold more than can be [bytes]: tables of one value take no room at all.

    >>> refuse_unfolding(1000, "any file")
    """
    real = os.path.getsize(where) if size > UNPACKED else 0
    if size > MOST or (size > UNPACKED and size > RATIO * real):
        raise ResourceError("file.bomb/source", where=where, size=size / 2**30, real=real / 2**20)


def _usual_rows(tables: list[Any]) -> int | None:
    """How many samples there are: the length of most arrays."""
    lengths = [max(table.shape) for table in tables]
    return max(set(lengths), key=lambda n: (lengths.count(n), n)) if lengths else None


def rechunked(blocks: Iterator[Array], rows: int) -> Iterator[list[Array]]:
    """The same rows in pieces of `rows`, each a list of blocks; the last may be shorter.

    >>> [[len(part) for part in piece] for piece in rechunked(iter([np.zeros((3, 1)), np.zeros((4, 1))]), 2)]
    [[2], [1, 1], [2], [1]]
    """
    waiting: list[Array] = []
    count = 0
    for block in blocks:
        while count + len(block) >= rows:
            head, block = block[: rows - count], block[rows - count :]
            yield [*waiting, head]
            waiting, count = [], 0
        if len(block):
            waiting.append(block)
            count += len(block)
    if waiting:
        yield waiting
