"""Something to press against: a plane with a spring and a damper that meets one point of one link.

    depth = normal . (place - point),    force = max(0, stiffness depth - damping depth') normal       without friction

(depth counts against the normal, which points out of the wall.)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.robot.model import Model
from bifilar.simulate.pushes import LinkPush

ALWAYS = 1e9  # [s]


@dataclass(frozen=True, kw_only=True, eq=False)
class Wall:
    """In the world.

    >>> floor = bf.Wall(link="link7", place=[0, 0, 0.4], normal=[0, 0, 1], stiffness=5e3)
    >>> floor.force(np.array([0.5, 0.0, 0.399]), np.zeros(3))
    array([0., 0., 5.])
    """

    link: str
    place: Array  # [m] a point of the plane
    normal: Array  # out of the wall
    stiffness: float  # [N/m]
    damping: float = 0.0  # [N s/m]
    point: Array = field(default_factory=lambda: np.zeros(3))  # [m] of the link that touches, in its frame

    def __post_init__(self) -> None:
        for name in ("place", "normal", "point"):
            value = np.array(getattr(self, name), dtype=float)
            if value.shape != (3,) or not np.isfinite(value).all():
                raise ShapeError("wall.setting/wall", name=name, value=value)
            if name == "normal":
                if not np.linalg.norm(value) > 0:
                    raise ShapeError("wall.normal")
                value = value / np.linalg.norm(value)
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if not (0 < self.stiffness < np.inf and 0 <= self.damping < np.inf):
            raise ShapeError("wall.setting/post_init", stiffness=self.stiffness, damping=self.damping)

    def force(self, point: Array, velocity: Array) -> Array:
        """Of the wall on the link, axes of the world [N].

        >>> wall = bf.Wall(link="link7", place=[0, 0, 0], normal=[0, 0, 1], stiffness=5e3)
        >>> wall.force(np.array([0.0, 0.0, 0.1]), np.zeros(3))
        array([0., 0., 0.])
        """
        depth = float(self.normal @ (self.place - point))
        if depth <= 0:
            return np.zeros(3)
        return np.asarray(max(0.0, self.stiffness * depth - self.damping * float(self.normal @ velocity)) * self.normal)

    def push(self, model: Model, position: Array, velocity: Array) -> LinkPush:
        """What the wall does to a robot in this state.

        >>> wall = bf.Wall(link="link1", place=[0, 0, 9], normal=[0, 0, 1], stiffness=1.0)
        >>> wall.push(bf.Robot.load("pendulum"), np.zeros(1), np.zeros(1)).force
        array([0., 0., 9.])
        """
        rotation, origin = model.pose(self.link, position)
        speed = model.jacobian(self.link, position, self.point)[:3] @ velocity
        force = self.force(origin + rotation @ self.point, speed)
        return LinkPush(link=self.link, force=force, point=self.point, start=0.0, stop=ALWAYS)

    def wrench(self, model: Model, position: Array, velocity: Array) -> Array:
        """Force and moment about the link's origin, axes of the world, (6,): what a sensor between arm and link reads.

        >>> wall = bf.Wall(link="link1", place=[0, 0, 9], normal=[0, 0, 1], stiffness=1.0)
        >>> wall.wrench(bf.Robot.load("pendulum"), np.zeros(1), np.zeros(1))
        array([0., 0., 9., 0., 0., 0.])
        """
        push = self.push(model, position, velocity)
        arm = model.pose(self.link, position)[0] @ self.point
        return np.concatenate([push.force, np.cross(arm, push.force)])
