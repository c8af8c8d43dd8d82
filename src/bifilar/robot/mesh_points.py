"""Corners of a mesh: where its file is, and the points in it. STL (binary and text) and OBJ; nothing else of a mesh is needed.

A mesh is named by a stranger's file. A name is followed only downwards from the description's folder, or as package://name/rest
from a folder above it that holds name/rest (the way ROS lays packages out); a name that leads elsewhere (../, an absolute
path, the network) is looked for below `mesh_folder`, which the user gives, and nowhere else. Kind and size of a file are
looked at before it is read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bifilar.errors import RobotError, unreadable
from bifilar.robot.inertia import Array
from bifilar.robot.urdf_shapes import leads_outside
from bifilar.robot.xml_reader import shown

MAX_BYTES = 200_000_000  # of one mesh file
READ = (".stl", ".obj")
FARTHEST = 100.0  # [m] from a link's origin: beyond it the mesh is in millimetres
_HEAD, _TRIANGLE = 84, 50  # [bytes] of a binary STL
_CORNER = re.compile(rb"\bvertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", re.IGNORECASE)
_VERTEX = re.compile(rb"^[ \t]*v[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", re.MULTILINE)


def find_mesh(name: str, folder: str, mesh_folder: str | os.PathLike[str] | None = None) -> Path | None:
    """The file of a mesh named in a description that lies in `folder` ("" if it came from no file); None if it is not there.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "hand.stl").write_text("solid hand")
    >>> find_mesh("hand.stl", str(folder)).name, find_mesh("../x/hand.stl", "", folder).name
    ('hand.stl', 'hand.stl')
    """
    for place in _places(name, folder, mesh_folder):
        try:
            if stat.S_ISREG(os.stat(place).st_mode):
                return place
        except (OSError, ValueError):  # not there, or no name a file could have
            continue
    return None


def _places(name: str, folder: str, mesh_folder: str | os.PathLike[str] | None) -> Iterator[Path]:
    """Where to look, in this order: what the user gave, longest tail of the name first; then where the description lies."""
    scheme, _, rest = name.rpartition("://")
    parts = [part for part in re.split(r"[/\\]+", rest) if part not in ("", ".", "..")]
    if not parts:
        return
    if mesh_folder is not None:
        yield from (Path(mesh_folder, *parts[first:]) for first in range(len(parts)))
    if not folder or leads_outside(name) or scheme not in ("", "package", "model"):
        return
    if not scheme:
        yield Path(folder, *parts)
        return
    here = Path(folder)
    for above in (here, *here.parents):
        if above != above.parent:  # not in the root of the file system
            yield Path(above, *parts)
            yield from [Path(above, *parts[parts.index(above.name) + 1 :])] if above.name in parts[:-1] else []
    for above in (here, *here.parents[:2]):
        yield Path(above, *parts[1:])  # a folder that was given another name than the package in it


def read_points(path: str | os.PathLike[str]) -> Array:
    """Corners (n, 3) of an STL or OBJ file, in its own units.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "wedge.obj")
    >>> _ = file.write_text("v 0 0 0\\nv 1 0 0\\nv 0 2 0\\nf 1 2 3\\n")
    >>> read_points(file).max(axis=0)
    array([1., 2., 0.])
    """
    where = shown(os.fspath(path), "")
    suffix = Path(path).suffix.lower()
    if suffix not in READ:
        raise RobotError("mesh.ending", where=where, suffix=suffix, read=READ)
    data = _bytes(path, where)
    points = _obj(data, where) if suffix == ".obj" else _stl(data, where)
    if not len(points):
        raise RobotError("mesh.empty", where=where)
    if not np.isfinite(points).all():
        raise RobotError("mesh.not_finite", where=where)
    return points


def scaled(points: Array, scale: tuple[float, ...], where: str) -> Array:
    """Corners in metres; a mesh the size of a hall is asked about.

    >>> scaled(np.array([[1.0, 2.0, 3.0]]), (0.001, 0.001, 0.001), "hand.stl")
    array([[0.001, 0.002, 0.003]])
    """
    points = points * np.asarray(scale)
    far = float(np.abs(points).max())
    if not far <= FARTHEST:
        raise RobotError("mesh.too_far", where=shown(where, ""), far=far)
    return points


def _bytes(path: str | os.PathLike[str], where: str) -> bytes:
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise RobotError("file.special/mesh_points", where=where)
        if status.st_size > MAX_BYTES:
            raise RobotError("mesh.too_large", where=where, st_size=status.st_size, max_bytes=MAX_BYTES)
        with open(path, "rb") as file:
            return file.read(MAX_BYTES)
    except (OSError, ValueError) as error:
        raise unreadable(RobotError, "mesh", error, where) from None


def _stl(data: bytes, where: str) -> Array:
    """Binary if its own count of triangles says so; many binary files begin with 'solid' as if they were text."""
    count = int.from_bytes(data[80:_HEAD], "little") if len(data) >= _HEAD else 0
    size = _HEAD + _TRIANGLE * count
    if len(data) != size and data[:5].lower() == b"solid" and (b"facet" in data[:2000] or len(data) < _HEAD):
        return _numbers(_CORNER.findall(data), where)
    if not _HEAD <= size <= len(data):
        raise RobotError(
            "mesh.damaged/mesh_points",
            where=where,
            count=count,
            data_count=len(data),
            largest=max(len(data) - _HEAD, 0) // _TRIANGLE,
        )
    layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    return np.frombuffer(data, layout, count, _HEAD)["corners"].reshape(-1, 3).astype(float)


def _obj(data: bytes, where: str) -> Array:
    return _numbers(_VERTEX.findall(data), where)


def _numbers(words: list[tuple[bytes, bytes, bytes]], where: str) -> Array:
    try:
        return np.array([[float(x) for x in word] for word in words], dtype=float).reshape(-1, 3)
    except ValueError as error:
        raise RobotError("mesh.damaged/numbers", where=where, error=shown(str(error), "")) from None
