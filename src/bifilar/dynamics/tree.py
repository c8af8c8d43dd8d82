"""The arrays the dynamics run on: a tree of bodies, its joints, gravity. Knows no names and no Robot.

Bodies are numbered so that a parent comes before its children; body 0 is the root (the base), body i + 1 is moved by
joint i. A joint's frame is its child body's frame at position zero, so that

    body_from_parent(q):  R_i = R_parent rotation_i exp(axis_i x angle),   p_i = p_parent + R_parent (translation_i + ...)

Several joints may follow one coordinate (mimic): position of joint i = ratio_i q[coordinate_i] + offset_i. The order of
the coordinates is the caller's (the file's order of joints); torques and positions are (samples, coordinates).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bifilar.errors import ShapeError

Array = NDArray[np.float64]
GRAVITY = (0.0, 0.0, -9.81)  # [m/s^2] in the world frame


@dataclass(frozen=True, eq=False)
class Tree:
    """A kinematic tree of revolute and prismatic joints, on a fixed or a floating base.

    >>> Tree(parent=[0], prismatic=[False], rotation=[np.eye(3)], translation=[[0, 0, 0]], axis=[[0, 1, 0]]).n_coordinates
    1
    """

    parent: NDArray[np.int64]  # (n,) body number of the parent; 0 is the root
    prismatic: NDArray[np.bool_]  # (n,)
    rotation: Array  # (n, 3, 3) parent_from_joint at position zero
    translation: Array  # (n, 3) [m] of the joint in the parent body's frame
    axis: Array  # (n, 3) unit vectors, in the joint's (child body's) frame
    coordinate: NDArray[np.int64] = None  # type: ignore[assignment]  # (n,) which coordinate moves joint i; 0..n-1 if left out
    ratio: Array = None  # type: ignore[assignment]  # (n,) ones if left out
    offset: Array = None  # type: ignore[assignment]  # (n,) zeros if left out
    gravity: Array = field(default_factory=lambda: np.array(GRAVITY))  # [m/s^2] world frame
    floating: bool = False  # whether the root moves freely; adds six rows before the joints'

    def __post_init__(self) -> None:
        n = len(self.parent)
        defaults = {"coordinate": np.arange(n), "ratio": np.ones(n), "offset": np.zeros(n)}
        shapes = {"rotation": (n, 3, 3), "translation": (n, 3), "axis": (n, 3), "gravity": (3,)}
        kinds = {"parent": np.int64, "coordinate": np.int64, "prismatic": np.bool_}
        for name in ("parent", "prismatic", "rotation", "translation", "axis", "coordinate", "ratio", "offset", "gravity"):
            value = getattr(self, name)
            value = defaults[name] if value is None else value
            array: NDArray[np.generic] = np.array(value, dtype=kinds.get(name, np.float64)).reshape(shapes.get(name, (n,)))
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        used = np.unique(self.coordinate)
        if not np.array_equal(used, np.arange(len(used))):
            raise ShapeError("tree.coordinates")
        if np.any(self.parent > np.arange(n)) or np.any(self.parent < 0):
            raise ShapeError("tree.order")

    @property
    def n_joints(self) -> int:
        """Moving bodies (mimic joints counted).

        >>> Tree([0, 1], [False] * 2, [np.eye(3)] * 2, np.zeros((2, 3)), [[0, 0, 1]] * 2, coordinate=[0, 0]).n_joints
        2
        """
        return len(self.parent)

    @property
    def n_coordinates(self) -> int:
        """Independent joint positions.

        >>> Tree([0, 1], [False] * 2, [np.eye(3)] * 2, np.zeros((2, 3)), [[0, 0, 1]] * 2, coordinate=[0, 0]).n_coordinates
        1
        """
        return int(self.coordinate.max()) + 1 if len(self.coordinate) else 0

    @property
    def n_rows(self) -> int:
        """Rows of the equations of motion: six for a floating base, then one per coordinate.

        >>> Tree([], [], np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3)), floating=True).n_rows
        6
        """
        return self.n_coordinates + (6 if self.floating else 0)

    def with_gravity(self, gravity: object) -> Tree:
        """The same tree under another gravity [m/s^2].

        >>> Tree([], [], np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3))).with_gravity([0, 0, 0]).gravity
        array([0., 0., 0.])
        """
        return replace(self, gravity=np.asarray(gravity, dtype=float))
