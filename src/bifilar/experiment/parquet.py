"""Tables of numbers as Parquet: named columns of doubles, and a little JSON beside them under the key 'bifilar'.

What a file claims to hold is compared with a limit before anything is allocated. A null reads as nan.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError, ResourceError, unreadable

KEY = b"bifilar"
MOST = 16 * 2**30  # [bytes] a table may unfold to


class Table(NamedTuple):
    """Named columns.

    >>> Table(("time_s",), np.zeros((3, 1)), {}).values.shape
    (3, 1)
    """

    names: tuple[str, ...]
    values: Array  # (rows, columns)
    facts: dict[str, Any]  # the JSON that was stored with it


def parquet_bytes(names: Sequence[str], values: Array, facts: dict[str, Any] | None = None) -> bytes:
    """A table as the bytes of a Parquet file.

    >>> parquet_bytes(["time_s"], np.zeros((3, 1)))[:4]
    b'PAR1'
    """
    import pyarrow
    import pyarrow.parquet

    columns = [pyarrow.array(np.ascontiguousarray(column)) for column in np.asarray(values, dtype=float).T]
    table = pyarrow.Table.from_arrays(columns, names=list(names))
    table = table.replace_schema_metadata({KEY: json.dumps(facts or {})})
    buffer = io.BytesIO()
    # Measured doubles hardly repeat: a dictionary of them only makes the file larger.
    pyarrow.parquet.write_table(table, buffer, compression="zstd", use_dictionary=False)
    return buffer.getvalue()


def read_parquet(path: str | os.PathLike[str], wrong: type[BifilarError]) -> Table:
    """Read a table; what is not one is answered with an error of the kind `wrong`.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "a.parquet")
    >>> _ = file.write_bytes(parquet_bytes(["time_s"], np.ones((2, 1)), {"made": "here"}))
    >>> read_parquet(file, bf.MotionError)
    Table(names=('time_s',), values=array([[1.], [1.]]), facts={'made': 'here'})
    """
    import pyarrow
    import pyarrow.parquet

    where = os.fspath(path)
    try:
        with pyarrow.parquet.ParquetFile(where, memory_map=False) as file:
            held = file.metadata.num_rows * file.metadata.num_columns * 8
            if held > MOST:
                raise ResourceError("file.too_large/parquet", where=where, held=held / 2**30, most=MOST // 2**30)
            table = file.read()
    except OSError as error:
        letter = unreadable(wrong, "file", error, where)
        letter.likely = "" if error.strerror else "an interrupted copy"
        raise letter from None
    except (pyarrow.ArrowException, ValueError) as error:
        what = f"the file is not Parquet: {str(error).splitlines()[0]}"
        raise wrong(what, where=where, likely="another kind of file, or an interrupted copy") from None
    odd = [field.name for field in table.schema if not (pyarrow.types.is_floating(field.type) or _whole(field.type))]
    if odd:
        raise wrong(f"the column '{odd[0]}' does not hold numbers", where=where)
    columns = [column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False) for column in table.columns]
    values = np.column_stack(columns) if columns else np.zeros((table.num_rows, 0))
    return Table(tuple(table.column_names), values, _facts(table.schema.metadata))


def _whole(kind: Any) -> bool:
    import pyarrow

    return bool(pyarrow.types.is_integer(kind) or pyarrow.types.is_null(kind))


def _facts(metadata: dict[bytes, bytes] | None) -> dict[str, Any]:
    """Ours, if there are any: files of others have none."""
    try:
        found = json.loads((metadata or {}).get(KEY, b"{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
