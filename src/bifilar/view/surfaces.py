"""Triangles of simple shapes: what a browser draws of a link.

Everything round is a line turned about z. Corners are not shared across an edge, because a renderer averages the normals of
triangles that meet in a corner, and a cylinder's rim would look melted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.robot.description import Shape

AROUND = 32  # corners of a circle
CURVED = 9  # rings of a half sphere


class Surface(NamedTuple):
    """Corners (n, 3) [m] and triangles (m, 3) of their numbers, anticlockwise seen from outside.

    >>> ball = surface_of(Shape("sphere", (1.0,)))
    >>> round(ball.volume / (4 / 3 * np.pi), 2)  # a little less than the ball: corners lie on it
    0.98
    """

    corners: Array
    triangles: NDArray[np.int64]

    @property
    def volume(self) -> float:
        """What it encloses, by the divergence theorem [m^3]; negative if it were inside out.

        >>> surface_of(Shape("box", (1.0, 2.0, 3.0))).volume
        6.0
        """
        a, b, c = (self.corners[self.triangles[:, k]] for k in range(3))
        return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6)


def surface_of(shape: Shape) -> Surface:
    """A shape of a description in its own frame; meshes are read elsewhere (`meshes.py`).

    >>> float(surface_of(Shape("capsule", (0.1, 0.4))).corners[:, 2].max().round(6))
    0.3
    """
    if shape.kind == "box":
        return box(np.asarray(shape.size))
    if shape.kind == "sphere":
        return turned([half_sphere(shape.size[0], 0.0, -1), half_sphere(shape.size[0], 0.0, 1)])
    radius, half = shape.size[0], shape.size[1] / 2
    if shape.kind == "cylinder":
        return turned([[(0, -half), (radius, -half)], [(radius, -half), (radius, half)], [(radius, half), (0, half)]])
    side = [(radius, -half), (radius, half)]
    return turned([half_sphere(radius, -half, -1) + side[1:] + half_sphere(radius, half, 1)[1:]])


def half_sphere(radius: float, height: float, way: int) -> list[tuple[float, float]]:
    """The line of a half sphere from below upwards, as (distance from z, z); `way` -1 is its lower half.

    >>> half_sphere(1.0, 0.0, 1)[-1]
    (0.0, 1.0)
    """
    angles = np.linspace(-np.pi / 2, 0, CURVED) if way < 0 else np.linspace(0, np.pi / 2, CURVED)
    line = [(radius * float(np.cos(t)), height + radius * float(np.sin(t))) for t in angles]
    pole = 0 if way < 0 else -1
    line[pole] = (0.0, height + way * radius)
    return line


def turned(lines: list[list[tuple[float, float]]]) -> Surface:
    """Lines of (distance from z, z) turned about z, each with corners of its own.

    >>> turned([[(1.0, 0.0), (1.0, 2.0)]]).corners.shape
    (64, 3)
    """
    angle = np.arange(AROUND) * 2 * np.pi / AROUND
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    corners, triangles, first = [], [], 0
    for line in lines:
        for r, z in line:
            corners.append(np.column_stack([r * circle, np.full(AROUND, z)]))
        k, nxt = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
        for ring in range(len(line) - 1):
            low, high = first + ring * AROUND, first + (ring + 1) * AROUND
            triangles += [np.column_stack([low + k, low + nxt, high + nxt]), np.column_stack([low + k, high + nxt, high + k])]
        first += len(line) * AROUND
    return _without_slivers(Surface(np.vstack(corners), np.vstack(triangles)))


def box(size: Array) -> Surface:
    """A box about the origin, each face with its own four corners.

    >>> len(box(np.ones(3)).triangles)
    12
    """
    corners: list[Array] = []
    triangles: list[list[int]] = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            u, v = (u, v) if side > 0 else (v, u)
            middle = side * np.eye(3)[axis]
            first = 4 * len(corners)
            corners.append(np.array([middle - u - v, middle + u - v, middle + u + v, middle - u + v]) * size / 2)
            triangles += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
    return Surface(np.vstack(corners), np.array(triangles))


def _without_slivers(surface: Surface) -> Surface:
    """At a pole one of every two triangles has no area."""
    a, b, c = (surface.corners[surface.triangles[:, k]] for k in range(3))
    wide = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0
    return Surface(surface.corners, surface.triangles[wide])
