"""Parquet logs of others, row group by row group: columns that hold numbers, stamps as seconds; a list becomes columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.readers import Reader
from bifilar.recording.source import refuse_unfolding

ROWS = 65536


@dataclass
class ParquetLog:
    """A Parquet file as columns.

    >>> import pathlib, pyarrow, pyarrow.parquet, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.parquet")
    >>> pyarrow.parquet.write_table(pyarrow.table({"t": [0.0, 1.0], "mode": ["a", "b"], "q1": [1, None]}), file)
    >>> ParquetLog.open(file).names
    ('t', 'q1')
    """

    where: str
    names: tuple[str, ...]
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    joint_names: tuple[str, ...] = ()
    notes: list[Finding] = field(default_factory=list)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ParquetLog:
        """Look at the columns.

        >>> import pathlib, pyarrow, pyarrow.parquet, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "log.parquet")
        >>> pyarrow.parquet.write_table(pyarrow.table({"t": [0.0, 1.0]}), file)
        >>> ParquetLog.open(file).notes
        []
        """

        where = os.fspath(path)
        with _file(where) as file:
            refuse_unfolding(file.metadata.num_rows * file.metadata.num_columns * 8, where)
            schema = file.schema_arrow
        good = [f.name for f in schema if _numeric(f.type)]
        odd = [f.name for f in schema if f.name not in good]
        notes = [Finding("log.columns_left_out/read_parquet", "note", where, odd=odd[:12])] if odd else []
        if len(set(good)) < len(good):
            raise RecordingError("column.twice/read_parquet", where=where)
        if not good:
            raise RecordingError("file.no_numbers", where=where, columns=", ".join(odd[:12]) or "none")
        return cls(where, tuple(good), notes=notes)

    def blocks(self, columns: Sequence[int]) -> Iterator[Array]:
        """Rows of those columns, (any number, columns), in order.

        >>> import pathlib, pyarrow, pyarrow.parquet, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "log.parquet")
        >>> pyarrow.parquet.write_table(pyarrow.table({"t": [0.0, 1.0], "q1": [1, None]}), file)
        >>> next(ParquetLog.open(file).blocks([1])).ravel()
        array([ 1., nan])
        """
        import pyarrow

        wanted = [self.names[k] for k in columns]
        with _file(self.where) as file:
            try:
                for batch in file.iter_batches(ROWS, columns=list(dict.fromkeys(wanted))):
                    yield np.column_stack([_numbers(batch.column(name)) for name in wanted])
            except (pyarrow.ArrowException, ValueError, OSError) as error:
                raise _wrong(error, self.where) from None


def _file(where: str) -> Any:
    import pyarrow
    import pyarrow.parquet

    try:
        return pyarrow.parquet.ParquetFile(where, memory_map=False)
    except (OSError, pyarrow.ArrowException, ValueError) as error:
        raise _wrong(error, where) from None


def _wrong(error: Exception, where: str) -> RecordingError:
    reason = getattr(error, "strerror", None) or (str(error).splitlines() or ["?"])[0][:200]
    return RecordingError("file.unreadable/read_parquet", where=where, reason=reason)


def _numeric(kind: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_floating(kind)
        or types.is_integer(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
        or types.is_temporal(kind)
    ) and not (types.is_interval(kind))


def _numbers(column: Any) -> Array:
    import pyarrow

    kind = column.type
    if pyarrow.types.is_timestamp(kind) or pyarrow.types.is_duration(kind):
        scale = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[kind.unit]
        return column.cast(pyarrow.int64()).cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False) * scale
    if pyarrow.types.is_temporal(kind):
        column = column.cast(pyarrow.int32() if kind.bit_width == 32 else pyarrow.int64())
    if pyarrow.types.is_boolean(kind):
        column = column.cast(pyarrow.int8())
    found: Array = column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    return found


PARQUET = Reader(
    kind="recording",
    name="Parquet",
    endings=(".parquet",),
    open=lambda path, form: ParquetLog.open(path),
    sniff=lambda path, head: head.startswith(b"PAR1"),
)
