"""HDF5 logs (the extra 'hdf5'): every data set of numbers is an array by its path, read slice by slice."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.readers import Reader
from bifilar.recording.source import from_arrays, refuse_unfolding

ROWS = 65536
MOST = 10000  # data sets
COLUMNS = 20000  # of one


@dataclass
class Hdf5Log:
    """Data sets of one file that have one row per sample.

    >>> import tempfile, pathlib, h5py
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.h5")
    >>> with h5py.File(file, "w") as log:
    ...     log["t"], log["arm/q"] = np.arange(3.0), np.zeros((3, 2))
    >>> source = hdf5_source(file)
    >>> source.names, next(source.blocks([0])).ravel()
    (('arm/q[0]', 'arm/q[1]', 't'), array([0., 0., 0.]))
    """

    where: str
    names: tuple[str, ...]
    groups: dict[str, tuple[int, ...]]
    places: list[tuple[str, int]]  # data set and column
    joint_names: tuple[str, ...] = ()
    notes: list[Finding] = field(default_factory=list)

    def blocks(self, columns: Sequence[int]) -> Iterator[Array]:
        """Rows of those columns, (any number, columns), in order.

        >>> Hdf5Log("a.h5", (), {}, []).groups
        {}
        """
        with _file(self.where) as file:
            sets = {name: file[name] for name in dict.fromkeys(self.places[k][0] for k in columns)}
            lengths = {len(data) for data in sets.values()}
            if len(lengths) > 1:
                raise RecordingError(
                    "file.ragged/read_hdf5",
                    where=self.where,
                    samples=", ".join((f"{name}: {len(data)}" for name, data in list(sets.items())[:6])),
                )
            for start in range(0, min(lengths, default=0), ROWS):
                try:
                    parts = {name: np.asarray(data[start : start + ROWS], dtype=float) for name, data in sets.items()}
                except (OSError, ValueError, TypeError, RuntimeError) as error:
                    raise RecordingError("file.damaged/read_hdf5", where=self.where, error=str(error)[:160]) from None
                tables = {name: part.reshape(len(part), -1) for name, part in parts.items()}
                yield np.column_stack([tables[name][:, column] for name, column in (self.places[k] for k in columns)])


def hdf5_source(path: str | os.PathLike[str]) -> Any:
    """Data sets of numbers as columns. What lies the other way round (one row per signal) is read whole and turned.

    >>> import tempfile, pathlib, h5py
    >>> file = pathlib.Path(tempfile.mkdtemp(), "log.h5")
    >>> with h5py.File(file, "w") as log:
    ...     log["t"], log["q"] = np.arange(3.0), np.zeros((2, 3))
    >>> hdf5_source(file).names
    ('q[0]', 'q[1]', 't')
    """
    import h5py

    where = os.fspath(path)
    found: dict[str, tuple[int, ...]] = {}
    odd: list[str] = []
    sizes: list[int] = []

    def visit(name: str, item: Any) -> None:
        if not isinstance(item, h5py.Dataset) or len(found) + len(odd) > MOST:
            return
        good = item.dtype.kind in "fiub" and item.ndim in (1, 2) and item.size
        elsewhere = bool(item.external) or item.is_virtual  # numbers of other files are not this log's
        if good and not elsewhere and (item.ndim == 1 or min(item.shape) <= COLUMNS):
            found[name] = item.shape
            sizes.append(8 * item.size)
            refuse_unfolding(max(sum(sizes), 8 * math.prod(item.chunks or ())), where)
        else:
            odd.append(name)

    with _file(where) as file:
        try:
            file.visititems(visit)
            lengths = [max(shape) for shape in found.values()]
            rows = max(set(lengths), key=lambda n: (lengths.count(n), n)) if lengths else 0
            turned = any(shape[0] != rows and rows in shape for shape in found.values())
            if turned:
                return from_arrays(where, {name: np.asarray(file[name], dtype=float) for name in found})
        except (OSError, ValueError, RuntimeError, KeyError, TypeError) as error:
            raise RecordingError("file.damaged/read_hdf5", where=where, error=str(error)[:160]) from None
    names: list[str] = []
    groups: dict[str, tuple[int, ...]] = {}
    places: list[tuple[str, int]] = []
    for name, shape in found.items():
        width = shape[1] if len(shape) == 2 else 1
        groups[name] = tuple(range(len(names), len(names) + width))
        names += [name] if width == 1 else [f"{name}[{k}]" for k in range(width)]
        places += [(name, k) for k in range(width)]
    notes = [Finding("log.columns_left_out/read_hdf5", "note", where, odd=odd[:12])] if odd else []
    return Hdf5Log(where, tuple(names), groups, places, notes=notes)


def _file(where: str) -> Any:
    try:
        import h5py
    except ImportError:
        raise RecordingError("package.missing/read_hdf5", where=where) from None
    try:
        return h5py.File(where, "r")
    except OSError as error:
        raise RecordingError("file.unreadable/read_hdf5", where=where, error=str(error)[:160]) from None


HDF5 = Reader(
    kind="recording",
    name="HDF5",
    endings=(".h5", ".hdf5", ".hdf"),
    open=lambda path, form: hdf5_source(path),
    sniff=lambda path, head: head.startswith((b"\x89HDF", b"MATLAB 7.3")),
    about=".h5",
)
