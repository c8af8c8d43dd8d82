"""Capsules around the links: what distances between links, and to obstacles, are measured with.

A capsule is everything within a radius of a segment, so the distance of two is that of their segments less both radii.
Each link gets one for each of its <collision> shapes, or of its <visual> ones if it has no others: spheres and capsules as they
are, the smallest capsule around a cylinder, a box (along whichever side gives the least volume), or the corners of a mesh.
Every capsule holds its shape, so distances are never overestimated.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bifilar.errors import RobotError
from bifilar.readers import reader_for
from bifilar.robot.described import Described
from bifilar.robot.description import Link, Pose, Shape
from bifilar.robot.enclosing_capsule import Segment, around_cylinder, around_points
from bifilar.robot.inertia import Array
from bifilar.robot.mesh_points import READ, find_mesh, read_points, scaled
from bifilar.robot.read_mjcf import MJCF
from bifilar.robot.xml_reader import shown

Meshes = Callable[[Shape], "Array | None"]  # corners in the shape's frame [m], None if there is no such file


@dataclass(frozen=True, eq=False)
class Capsule:
    """Everything within `radius` of the segment from `start` to `end`; a sphere if they are the same point.

    >>> post = Capsule("", [0.5, 0, 0], [0.5, 0, 1.0], radius=0.05)  # an obstacle: no link, in the world's frame
    >>> post.end
    array([0.5, 0. , 1. ])
    """

    link: str  # which it moves with; "" is the world
    start: Array  # [m] in the link's frame
    end: Array
    radius: float  # [m]

    def __post_init__(self) -> None:
        if self.link is None:
            object.__setattr__(self, "link", "")
        if not isinstance(self.link, str):
            raise RobotError("capsule.form/capsules", link=self.link)
        owner = f"capsule of {shown(self.link)}" if self.link else "capsule of the world"
        for name in ("start", "end"):
            object.__setattr__(self, name, _point(getattr(self, name), f"{name} of the {owner}"))
        radius = _numbers(self.radius)
        if radius is None or radius.ndim or radius < 0:
            raise RobotError("capsule.form/post_init", owner=owner, radius=self.radius)
        object.__setattr__(self, "radius", float(radius))

    @property
    def length(self) -> float:
        """Of the segment; zero for a sphere [m].

        >>> Capsule("hand", [0, 0, 0], [0, 0, 0.2], 0.05).length
        0.2
        """
        return float(np.linalg.norm(self.end - self.start))

    @property
    def volume(self) -> float:
        """What it takes up [m^3].

        >>> round(Capsule("hand", [0, 0, 0], [0, 0, 0], 1.0).volume, 6)
        4.18879
        """
        return float(Segment(self.start, self.end, self.radius).volume)


def capsules(
    robot: Described, *, mesh_folder: str | os.PathLike[str] | None = None, skip_missing: bool = False
) -> tuple[Capsule, ...]:
    """Capsules around every link that has a shape, in the order of `robot.links`.

    Meshes are looked for where the robot's file says; `mesh_folder` is a folder below which they are, in whatever depth their
    names have; STL and OBJ are read. If one is not there a RobotError names it; `skip_missing` leaves such shapes out.

    >>> [capsule.link for capsule in capsules(bf.Robot.load("two_link"))]
    ['link1', 'link2']
    """
    corners = _corners(robot, mesh_folder, skip_missing)
    found: list[Capsule] = []
    missing: list[tuple[str, str]] = []
    for link, body, pose in zip(robot.links, robot.assembly.link_body, robot.assembly.link_pose):
        name, place = (link.name, Pose()) if body >= 0 else ("", pose)  # what stands beside a floating base is the world's
        for shape in _outlines(link):
            segment = _segment(shape, corners)
            if segment is None:
                missing.append((link.name, shape.mesh))
                continue
            at = place @ shape.pose
            start, end = (at.rotation @ point + at.translation for point in (segment.start, segment.end))
            found.append(Capsule(name, start, end, segment.radius))
    if missing and not skip_missing:
        raise _not_found(robot, missing)
    return tuple(found)


def _point(value: object, what: str) -> Array:
    point = _numbers(value)
    if point is None or point.shape != (3,):
        raise RobotError("point.form/capsules", thing=what, value=value)
    point.flags.writeable = False
    return point


def _numbers(value: object) -> Array | None:
    """A finite array of its own; None if it is anything else."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return None
    return array if np.isfinite(array).all() and not isinstance(value, (str, bytes)) else None


def _outlines(link: Link) -> tuple[Shape, ...]:
    solid = tuple(shape for shape in link.shapes if shape.role == "collision")
    return solid or link.shapes


def _segment(shape: Shape, corners: Meshes) -> Segment | None:
    """The smallest capsule around a shape, in the shape's own frame; None for a mesh without a file."""
    if shape.kind == "mesh":
        points = corners(shape)
        return None if points is None else around_points(points)
    if shape.kind == "sphere":
        return Segment(np.zeros(3), np.zeros(3), shape.size[0])
    if shape.kind == "capsule":
        return _along(2, shape.size[1] / 2, shape.size[0])
    if shape.kind == "cylinder":
        return _along(2, *around_cylinder(*shape.size))
    ways = [
        _along(axis, *around_cylinder(float(np.hypot(shape.size[j], shape.size[k])) / 2, shape.size[axis]))
        for axis, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    ]
    return min(ways, key=lambda way: way.volume)


def _along(axis: int, half: float, radius: float) -> Segment:
    tip = half * np.eye(3)[axis]
    return Segment(-tip, tip, radius)


def _corners(robot: Described, mesh_folder: str | os.PathLike[str] | None, only_readable: bool) -> Meshes:
    """How this robot's meshes are read, each once: MuJoCo reads those of its own format, we those of the others."""
    if mesh_folder is not None and not os.path.isdir(mesh_folder):
        raise RobotError("mesh.folder", where=os.fspath(mesh_folder))
    if mesh_folder is None and robot.file and reader_for("robot", robot.file) is MJCF:
        from bifilar.robot.read_mjcf import mesh_corners

        of = mesh_corners(robot.file) if any(shape.kind == "mesh" for link in robot.links for shape in _outlines(link)) else {}
        return lambda shape: of.get(shape.mesh)
    known: dict[tuple[object, ...], Array | None] = {}

    def read(shape: Shape) -> Array | None:
        key = (shape.mesh, shape.size)
        if key not in known:
            path = find_mesh(shape.mesh, os.path.dirname(robot.file), mesh_folder)
            left_out = path is None or (only_readable and path.suffix.lower() not in READ)
            known[key] = None if left_out else scaled(read_points(path), shape.size, shape.mesh)  # type: ignore[arg-type]
        return known[key]

    return read


def _not_found(robot: Described, missing: list[tuple[str, str]]) -> RobotError:
    lines = [f"{shown(mesh)} of link {shown(link)}" for link, mesh in missing]
    more = f" and {len(lines) - 5} more" if len(lines) > 5 else ""
    return RobotError(
        "mesh.missing/capsules" if len(lines) > 1 else "mesh.missing/not_found",
        where=robot.file or robot.name,
        line_count=len(lines),
        name=robot.name,
        line=lines[0],
        **{"meshes": ", ".join(lines[:5]) + more} if len(lines) > 1 else {},
    )
