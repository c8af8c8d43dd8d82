"""Where points of the robot may go, and how fast: half-spaces, boxes, speed.

Positions are linear in the Jacobian: d p / d q = J. The speed s = |J v| has d (s^2 / 2) / d v = M v and
d (s^2 / 2) / d q = C' v, where M and C are the mass and Coriolis matrices of a unit mass at the point (the rate of M is
C + C', and C v is that rate times v less d T / d q).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.engine import current
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.constraints import Room, Slopes, Wall
from bifilar.experiment.norms import Bodies
from bifilar.experiment.recheck import Recheck
from bifilar.robot.robot import Robot

AXES = "xyz"


def _three(what: str, value: ArrayLike, *, finite: bool = True) -> Array:
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (3,) or np.isnan(array).any() or (finite and not np.isfinite(array).all()):
        raise MotionError("setting.wrong/points", thing=what, value=value, finite="finite " * finite)
    array.flags.writeable = False
    return array


def _number(what: str, value: float, *, least: float = -np.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value) or value < least:
        above = f" of at least {least:g}" if np.isfinite(least) else ""
        raise MotionError("setting.wrong/number", thing=what, value=value, above=above)
    return float(value)


@dataclass(frozen=True, eq=False)
class _Point:
    """A point of a robot's body, found by the name of a frame."""

    robot: Robot
    frame: str
    point: Array  # in the link's frame [m]
    body: int
    place: Array  # in the body's frame [m]

    @classmethod
    def of(cls, robot: Robot, frame: str, point: Array) -> _Point:
        if robot.is_floating:
            raise MotionError("robot.floating/clearance", name=robot.name)
        body, pose = robot._frame(frame)
        return cls(robot, frame, point, body, pose.rotation @ point + pose.translation)

    def position(self, q: Array) -> Array:
        rotation, translation = current().poses(self.robot.tree, q)
        return translation[:, self.body] + rotation[:, self.body] @ self.place

    def jacobian(self, q: Array) -> Array:
        return current().jacobian(self.robot.tree, q, self.body, self.place)[:, :3, 6:]

    def distance(self) -> float:
        return float(np.linalg.norm(self.place))


@dataclass(frozen=True, eq=False)
class Above:
    """A point of a link stays on the upper side of a plane: normal . p >= least, in the world frame.

    >>> bf.Above("hand", 0.15).normal
    array([0., 0., 1.])
    """

    frame: str  # link whose point is watched
    least: float  # [m] along the normal, from the world's origin
    point: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]  # [m] in the link's frame
    normal: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]  # unit vector, world frame
    margin: float = 0.0  # [m] kept clear of the plane when a motion is designed

    def __post_init__(self) -> None:
        normal = _three("the normal of a plane", self.normal)
        if not np.linalg.norm(normal) > 0:
            raise MotionError("plane.normal")
        unit = normal / np.linalg.norm(normal)
        unit.flags.writeable = False
        object.__setattr__(self, "normal", unit)
        object.__setattr__(self, "point", _three("the point", self.point))
        object.__setattr__(self, "least", _number("the least height", self.least))
        object.__setattr__(self, "margin", _number("the margin", self.margin, least=0.0))

    def on(self, robot: Robot) -> Wall:
        """The wall on a robot.

        >>> bf.Above("link1", 0.15).on(bf.Robot.load("pendulum")).watched[0].limit
        0.15
        """
        axis = next((f"{sign}{AXES[k]}" for k in range(3) for sign, s in (("+", 1), ("-", -1)) if self.normal[k] == s), "")
        name = f"{self.frame} along {axis or tuple(self.normal.round(3).tolist())}"
        room = Room(name, self.least, "m")
        return _Planes(
            _Point.of(robot, self.frame, self.point), self.normal[None], np.array([self.least + self.margin]), (room,)
        )

    def without_margin(self) -> Above:
        """The plane itself.

        >>> bf.Above("hand", 0.15, margin=0.1).without_margin().margin
        0.0
        """
        return replace(self, margin=0.0)


@dataclass(frozen=True, eq=False)
class Within:
    """A point of a link stays in a box whose sides are parallel to the world's axes; infinite sides are open.

    >>> bf.Within("hand", [-1, -1, 0.1], [1, 1, np.inf]).upper
    array([ 1.,  1., inf])
    """

    frame: str  # link whose point is watched
    lower: Array  # [m] world frame
    upper: Array  # [m]
    point: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]  # [m] in the link's frame
    margin: float = 0.0  # [m] kept clear of the walls when a motion is designed

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, _three(f"the {name} corner of a box", getattr(self, name), finite=False))
        object.__setattr__(self, "point", _three("the point", self.point))
        object.__setattr__(self, "margin", _number("the margin", self.margin, least=0.0))
        if np.any(self.upper - self.lower <= 2 * self.margin):
            k = int(np.argmin(self.upper - self.lower))
            raise MotionError(
                "box.empty/points" if self.upper[k] < self.lower[k] else "box.empty/post_init",
                frame=self.frame,
                axe=AXES[k],
                lower=self.lower[k],
                upper=self.upper[k],
            )

    def on(self, robot: Robot) -> Wall:
        """The wall on a robot, one room per finite side.

        >>> [str(room) for room in bf.Within("link1", [-1, -9, -9], [np.inf, 9, 9]).on(bf.Robot.load("pendulum")).watched][:2]
        ['link1 along x, lower', 'link1 along y, lower']
        """
        normals, least, watched = [], [], []
        for sign, corner in ((1.0, self.lower), (-1.0, self.upper)):
            for k in np.flatnonzero(np.isfinite(corner)):
                normals.append(sign * np.eye(3)[k])
                least.append(sign * corner[k] + self.margin)
                name = f"{self.frame} along {AXES[k]}, {'lower' if sign > 0 else 'upper'}"
                watched.append(Room(name, float(corner[k]), "m", side=int(sign)))
        if not watched:
            raise MotionError("box.no_wall", frame=self.frame)
        return _Planes(_Point.of(robot, self.frame, self.point), np.array(normals), np.array(least), tuple(watched))

    def without_margin(self) -> Within:
        """The box itself.

        >>> bf.Within("hand", [-1, -1, 0], [1, 1, 1], margin=0.1).without_margin().margin
        0.0
        """
        return replace(self, margin=0.0)


@dataclass(frozen=True, eq=False)
class _Planes(Wall):
    """Room of one point to several planes."""

    point: _Point
    normals: Array  # (k, 3)
    least: Array  # (k,)
    watched: tuple[Room, ...]

    def rooms(self, q: Array, v: Array, a: Array) -> Array:
        return self.point.position(q) @ self.normals.T - self.least

    def sloped(self, q: Array, v: Array, a: Array) -> tuple[Array, Slopes]:
        return self.rooms(q, v, a), Slopes(self.normals @ self.point.jacobian(q))

    def second_opinion(self, second: Recheck, q: Array, v: Array, a: Array) -> Array:
        return second.points([(self.point.frame, self.point.point)], q)[:, 0] @ self.normals.T - self.least

    def rates(self, bodies: Bodies) -> Array:
        speed, _ = bodies.point(self.point.body, self.point.distance())
        return np.repeat(speed[:, None], len(self.watched), axis=1)


@dataclass(frozen=True, eq=False)
class SpeedBelow:
    """A point of a link is never faster than this.

    >>> bf.SpeedBelow("hand", 1.0).most
    1.0
    """

    frame: str  # link whose point is watched
    most: float  # [m/s]
    point: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]  # [m] in the link's frame
    margin: float = 0.0  # share of the speed that stays unused when a motion is designed

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _three("the point", self.point))
        object.__setattr__(self, "most", _number("the speed limit", self.most, least=1e-9))
        object.__setattr__(self, "margin", _number("the margin", self.margin, least=0.0))
        if self.margin >= 1:
            raise MotionError("margin.wrong/points", margin=self.margin)

    def on(self, robot: Robot) -> Wall:
        """The wall on a robot.

        >>> bf.SpeedBelow("link1", 1.0).on(bf.Robot.load("pendulum")).watched[0].unit
        'm/s'
        """
        room = Room(f"speed of {self.frame}", self.most, "m/s", side=-1, gain=1 - self.margin)
        return _Speed(_Point.of(robot, self.frame, self.point), self.most * (1 - self.margin), (room,))

    def without_margin(self) -> SpeedBelow:
        """The limit itself.

        >>> bf.SpeedBelow("hand", 1.0, margin=0.1).without_margin().margin
        0.0
        """
        return replace(self, margin=0.0)


@dataclass(frozen=True, eq=False)
class _Speed(Wall):
    point: _Point
    most: float
    watched: tuple[Room, ...]

    @property
    def scales(self) -> Array:
        return np.array([self.most])

    def rooms(self, q: Array, v: Array, a: Array) -> Array:
        velocity = np.einsum("nij,nj->ni", self.point.jacobian(q), v)
        return self.most - np.linalg.norm(velocity, axis=1, keepdims=True)

    def sloped(self, q: Array, v: Array, a: Array) -> tuple[Array, Slopes]:
        rooms, tree = self.rooms(q, v, a), self.point.robot.tree
        phi = np.zeros((tree.n_joints + 1, 10))
        x, y, z = self.point.place
        phi[self.point.body] = [1, x, y, z, y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y]
        root = np.zeros((1, 9))
        inertia = current().mass_matrix(tree, phi, q)[:, 6:, 6:]
        coriolis = current().coriolis_matrix(tree, phi, q, v, root)[:, 6:, 6:]
        speed = np.maximum(self.most - rooms, 1e-9 * self.most)
        by_q = -np.einsum("nij,ni->nj", coriolis, v) / speed
        by_v = -np.einsum("nij,nj->ni", inertia, v) / speed
        return rooms, Slopes(by_q[:, None], by_v[:, None])

    def second_opinion(self, second: Recheck, q: Array, v: Array, a: Array) -> Array:
        return self.most - second.speeds([(self.point.frame, self.point.point)], q, v)

    def rates(self, bodies: Bodies) -> Array:
        _, acceleration = bodies.point(self.point.body, self.point.distance())
        return acceleration[:, None]
