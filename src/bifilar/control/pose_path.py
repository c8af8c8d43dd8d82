"""A path through poses: points with the least jerk between them, orientations along the shortest turn.

Between two orientations the tool turns about a fixed axis, by the share 10 u^3 - 15 u^4 + 6 u^5 of the angle: it comes to rest,
as far as turning goes, at every pose, so that no angular velocity or acceleration jumps. Points are passed without stopping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from bifilar.control.cartesian_path import moved, three
from bifilar.control.rotations import turn_of, turned
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.piecewise import Piecewise, quintic
from bifilar.robot.description import Pose

SQUARE = 1e-6  # what a rotation times its transpose may differ from one


@dataclass(frozen=True, eq=False)
class PosePath:
    """Through poses or bare points, at rest at the first and the last.

    >>> path = bf.PosePath([[0.4, 0, 0.5], [0.4, 0.1, 0.5], [0.4, 0.1, 0.6]])
    >>> path.point(np.array([0.0, 0.5, 1.0])).round(6)
    array([[0.4, 0. , 0.5],
           [0.4, 0.1, 0.5],
           [0.4, 0.1, 0.6]])
    """

    poses: Sequence[Pose | ArrayLike]  # root_from_tool, or points [m] alone
    frame: Pose = field(default_factory=Pose)  # root_from_frame: what the poses are meant in
    scale: float = 1.0  # of the points about their mean

    def __post_init__(self) -> None:
        poses = tuple(self.poses)
        if len(poses) < 2:
            raise MotionError("path.poses", pose_count=len(poses))
        kinds = {isinstance(pose, Pose) for pose in poses}
        if len(kinds) > 1:
            raise MotionError("path.orientations")
        for k, pose in enumerate(poses):
            three(f"point {k}", pose.translation if isinstance(pose, Pose) else pose)
            if isinstance(pose, Pose):
                _a_rotation(k, np.asarray(pose.rotation))
        object.__setattr__(self, "poses", poses)

    @property
    def turns(self) -> float:
        """Where s ends.

        >>> bf.PosePath([[0, 0, 0], [1, 0, 0]]).turns
        1.0
        """
        return 1.0

    @cached_property
    def _points(self) -> Array:
        x = np.array([p.translation if isinstance(p, Pose) else p for p in self.poses], dtype=float)
        return x.mean(axis=0) + self.scale * (x - x.mean(axis=0))

    @cached_property
    def _way(self) -> Piecewise:
        return quintic(("x", "y", "z"), self._points, np.linspace(0, 1, len(self._points)), stop=False)

    def point(self, s: Array) -> Array:
        """Places [m] at these parameters.

        >>> bf.PosePath([[0, 0, 0], [1, 0, 0]]).point(np.array([0.5]))
        array([[0.5, 0. , 0. ]])
        """
        return moved(self.frame, self._way.at(s).position)

    def rotation(self, s: Array) -> Array | None:
        """Orientations root_from_tool, None for bare points.

        >>> bf.PosePath([bf.Pose(), bf.Pose(np.eye(3), [1, 0, 0])]).rotation(np.array([0.5]))[0].round(9) + 0.0
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
        """
        if not isinstance(self.poses[0], Pose):
            return None
        fixed = np.array([pose.rotation for pose in self.poses])  # type: ignore[union-attr]
        at = np.clip(np.asarray(s) * (len(fixed) - 1), 0, len(fixed) - 1)
        piece = np.minimum(at.astype(int), len(fixed) - 2)
        u = (at - piece)[:, None]
        share = u**3 * (10 + u * (-15 + 6 * u))
        way = turn_of(np.swapaxes(fixed[:-1], 1, 2) @ fixed[1:])
        return np.asarray(self.frame.rotation) @ fixed[piece] @ turned(share * way[piece])

    def shrunk(self, share: float) -> PosePath:
        """The points nearer to their mean.

        >>> bf.PosePath([[0, 0, 0], [1, 0, 0]]).shrunk(0.5).size
        0.5
        """
        return PosePath(self.poses, self.frame, share * self.scale)

    @property
    def size(self) -> float:
        """The longest way between two of the points.

        >>> bf.PosePath([[0, 0, 0], [1, 0, 0]]).size
        1.0
        """
        return float(np.linalg.norm(self._points[:, None] - self._points[None], axis=2).max())


def _a_rotation(k: int, R: Array) -> None:
    wrong = R.shape != (3, 3) or not np.isfinite(R).all() or np.abs(R @ R.T - np.eye(3)).max() > SQUARE
    if wrong or np.linalg.det(R) < 0:
        raise MotionError("rotation.not_orthogonal/pose_path", k=k)
