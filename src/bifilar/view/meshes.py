"""Meshes that a description names, as triangles; what cannot be read is told and drawn in a simpler way.

Names are followed as everywhere (`robot/mesh_points.py`): downwards from the description's folder, or below a folder that the
user gives. MuJoCo reads the meshes of its own format, trimesh (a part of the `view` extra) all others.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from bifilar.errors import BifilarError
from bifilar.readers import reader_for
from bifilar.robot.description import Shape
from bifilar.robot.mesh_points import MAX_BYTES, find_mesh, scaled
from bifilar.robot.read_mjcf import MJCF
from bifilar.robot.robot import Robot
from bifilar.view.surfaces import Surface

Reader = Callable[[Shape], "Surface | str"]  # triangles in the shape's frame, or why there are none


def mesh_reader(robot: Robot, mesh_folder: str | os.PathLike[str] | None = None) -> Reader:
    """How this robot's meshes are read.

    >>> mesh_reader(bf.Robot.load("panda"))(Shape("mesh", (1.0, 1.0, 1.0), mesh="hand.stl"))
    'hand.stl is not there'
    """
    if mesh_folder is None and robot.file and reader_for("robot", robot.file) is MJCF:
        known = mujoco_meshes(robot.file)
        return lambda shape: known.get(shape.mesh, f"{shape.mesh} is not there")

    def read(shape: Shape) -> Surface | str:
        path = find_mesh(shape.mesh, os.path.dirname(robot.file), mesh_folder)
        if path is None:
            return f"{os.path.basename(shape.mesh)} is not there"
        if path.stat().st_size > MAX_BYTES:
            return f"{path.name} is too large"
        try:
            found = read_mesh(os.fspath(path))
            return Surface(scaled(found.corners, shape.size, shape.mesh), _outwards(found.triangles, shape.size))
        except BifilarError as error:
            return error.what
        except Exception as error:  # a stranger's file in a stranger's reader: whatever it is, the robot is still drawn
            return f"{path.name} is not read ({type(error).__name__})"

    return read


def read_mesh(path: str) -> Surface:
    """The triangles of a file that trimesh reads: STL, OBJ, PLY, GLB, and DAE where pycollada is installed.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "leaf.obj")
    >>> _ = file.write_text("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n")
    >>> read_mesh(str(file)).triangles.shape
    (1, 3)
    """
    import trimesh

    found: Any = trimesh.load_mesh(path)
    return Surface(np.array(found.vertices, dtype=float), np.array(found.faces, dtype=np.int64))


def mujoco_meshes(path: str) -> dict[str, Surface]:
    """Every mesh of an MJCF file by its name, in the frame that the shapes of its links stand in.

    >>> mujoco_meshes("no_such_file.xml")
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: no such file
    ...
    """
    from bifilar.robot.read_mjcf import compiled, mesh_corners

    corners = mesh_corners(path)
    model, _ = compiled(path, is_file=True)
    found = {}
    for k in range(model.nmesh):
        first, count = int(model.mesh_faceadr[k]), int(model.mesh_facenum[k])
        name = model.mesh(k).name
        found[name] = Surface(corners[name], np.array(model.mesh_face[first : first + count], dtype=np.int64))
    return found


def _outwards(triangles: Any, scale: tuple[float, ...]) -> Any:
    """A mirror image is inside out."""
    return triangles[:, ::-1] if np.prod(scale) < 0 else triangles
