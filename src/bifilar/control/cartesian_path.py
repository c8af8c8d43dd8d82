"""Paths of a tool in space: a circle, a line, poses one after the other. Where, not when.

A path gives points and orientations over its parameter s from 0 to `turns`; how fast it is run is the time law's business.

    circle   x(s) = centre + radius (cos(2 pi s) u + sin(2 pi s) w)         u, w: axes of its plane
    line     x(s) = start + (1 - cos(pi s)) / 2 (stop - start)               there and back as smoothly as a swing
    poses    through the points with the least jerk, turned along the shortest way between orientations (pose_path.py)

Points are in the root frame of the robot [m], or in a frame that is given: `root_from_frame`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.checks import positive, read_only
from bifilar.robot.description import Pose

PLANES = {
    "xy": np.array([[1.0, 0, 0], [0, 1, 0]]),
    "yz": np.array([[0.0, 1, 0], [0, 0, 1]]),
    "zx": np.array([[0.0, 0, 1], [1, 0, 0]]),
}


class CartesianPath(Protocol):
    """Whatever has a length in s, points, perhaps orientations, and can be made smaller.

    >>> path: CartesianPath = Circle([0.5, 0, 0.5], 0.1)
    >>> path.turns
    1.0
    """

    @property
    def turns(self) -> float:
        """Where s ends.

        >>> Circle([0, 0, 0], 0.1, turns=2).turns
        2
        """

    def point(self, s: Array) -> Array:
        """Places [m] at these parameters, (N, 3), in the root frame.

        >>> Line([0, 0, 0], [1, 0, 0]).point(np.array([1.0]))
        array([[1., 0., 0.]])
        """

    def rotation(self, s: Array) -> Array | None:
        """Orientations root_from_tool (N, 3, 3), or None where the path leaves them to whoever runs it.

        >>> Line([0, 0, 0], [1, 0, 0]).rotation(np.array([0.5])) is None
        True
        """

    def shrunk(self, share: float) -> CartesianPath:
        """The same shape, smaller, about its middle: to say how large one may be.

        >>> Circle([0, 0, 0], 0.1).shrunk(0.5).size
        0.05
        """

    @property
    def size(self) -> float:
        """What `shrunk` scales [m]: a radius, a length.

        >>> Circle([0, 0, 0], 0.1).size
        0.1
        """


@dataclass(frozen=True, eq=False)
class Circle:
    """A circle in a plane parallel to two axes, or to any two vectors.

    >>> circle = bf.Circle([0.5, 0.0, 0.6], 0.12, plane="yz")
    >>> circle.point(np.array([0.0, 0.25])).round(6)
    array([[0.5 , 0.12, 0.6 ],
           [0.5 , 0.  , 0.72]])
    """

    center: Array  # (3,) [m]
    radius: float  # [m]
    plane: Any = "yz"  # "xy", "yz", "zx" or two vectors (2, 3): s = 0 lies along the first, s = 0.25 along the second
    turns: float = 1.0
    frame: Pose = field(default_factory=Pose)  # root_from_frame: what the numbers above are meant in

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", three("the centre of the circle", self.center))
        object.__setattr__(self, "radius", positive("the radius", self.radius, "m"))
        positive("the number of turns", self.turns)
        object.__setattr__(self, "plane", _plane(self.plane))

    def point(self, s: Array) -> Array:
        """Places [m] at these parameters.

        >>> bf.Circle([0, 0, 0], 1.0, plane="xy").point(np.array([0.5])).round(9) + 0.0
        array([[-1.,  0.,  0.]])
        """
        angle = 2 * np.pi * np.asarray(s)
        round_ = np.cos(angle)[:, None] * self.plane[0] + np.sin(angle)[:, None] * self.plane[1]
        return moved(self.frame, self.center + self.radius * round_)

    def rotation(self, s: Array) -> None:
        """A circle says nothing about orientation.

        >>> bf.Circle([0, 0, 0], 1.0).rotation(np.zeros(1)) is None
        True
        """
        return None

    def shrunk(self, share: float) -> Circle:
        """With a smaller radius.

        >>> bf.Circle([0, 0, 0], 1.0).shrunk(0.5).radius
        0.5
        """
        return replace(self, radius=share * self.radius)

    @property
    def size(self) -> float:
        """Its radius.

        >>> bf.Circle([0, 0, 0], 1.0).size
        1.0
        """
        return self.radius


@dataclass(frozen=True, eq=False)
class Line:
    """A straight line from one point to another; two turns go there and back.

    >>> bf.Line([0, 0, 0], [1, 0, 0], turns=2).point(np.array([0.5, 1.0, 1.5]))[:, 0].round(9)
    array([0.5, 1. , 0.5])
    """

    start: Array  # (3,) [m]
    stop: Array  # (3,) [m]
    turns: int = 1  # ways: back and forth
    frame: Pose = field(default_factory=Pose)  # root_from_frame

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", three("the start of the line", self.start))
        object.__setattr__(self, "stop", three("the end of the line", self.stop))
        if np.array_equal(self.start, self.stop):
            raise MotionError("path.no_length")
        if self.turns != int(self.turns) or self.turns < 1:
            raise MotionError("path.turns", turns=self.turns)

    def point(self, s: Array) -> Array:
        """Places [m] at these parameters.

        >>> bf.Line([0, 0, 0], [0, 0, 2]).point(np.array([0.5])).round(9)
        array([[0., 0., 1.]])
        """
        share = 0.5 - 0.5 * np.cos(np.pi * np.asarray(s))
        return moved(self.frame, self.start + share[:, None] * (self.stop - self.start))

    def rotation(self, s: Array) -> None:
        """A line says nothing about orientation.

        >>> bf.Line([0, 0, 0], [0, 0, 2]).rotation(np.zeros(1)) is None
        True
        """
        return None

    def shrunk(self, share: float) -> Line:
        """A shorter line about the same middle.

        >>> bf.Line([0, 0, 0], [0, 0, 2]).shrunk(0.5).size
        1.0
        """
        middle = 0.5 * (self.start + self.stop)
        half = 0.5 * share * (self.stop - self.start)
        return replace(self, start=middle - half, stop=middle + half)

    @property
    def size(self) -> float:
        """Its length.

        >>> bf.Line([0, 0, 0], [0, 0, 2]).size
        2.0
        """
        return float(np.linalg.norm(self.stop - self.start))


def three(what: str, value: ArrayLike) -> Array:
    """Three finite numbers [m].

    >>> three("the centre", [0, 0, 1])
    array([0., 0., 1.])
    """
    array = numbers(what, value)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise MotionError("point.form/cartesian_path", thing=what, value=value)
    return read_only(array)


def moved(frame: Pose, points: Array) -> Array:
    """Points (N, 3) of a frame, in the root frame.

    >>> moved(Pose(), np.ones((1, 3)))
    array([[1., 1., 1.]])
    """
    return points @ np.asarray(frame.rotation).T + np.asarray(frame.translation)


def _plane(plane: str | ArrayLike) -> Array:
    """Two orthogonal unit vectors."""
    if isinstance(plane, str):
        if plane not in PLANES:
            raise MotionError("plane.unknown/cartesian_path", plane=plane)
        return read_only(PLANES[plane])
    given = numbers("plane", plane)
    if given.shape != (2, 3) or not np.isfinite(given).all() or np.linalg.norm(np.cross(given[0], given[1])) < 1e-9:
        raise MotionError("plane.form")
    u = given[0] / np.linalg.norm(given[0])
    w = given[1] - (given[1] @ u) * u
    return read_only(np.stack([u, w / np.linalg.norm(w)]))
