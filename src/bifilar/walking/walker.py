"""A walker: a Robot that stands on feet. Its base is two slides (x, z) and a pitch joint; all its joints turn about +y or -y.

Free, it has the Robot's own coordinates. On a foot, the same tree is re-rooted there (`pinned`), which is what the free
equations with a contact force become when the foot stands still: with E the foot's Jacobian and N its null space,

    M a + c = S' u + E' f,  E a + E' v = 0      =>      N' M N a' + N' (c + M n) = N' S' u,      f is gone

Angles are about +y (clockwise, x to the right, z up). On a slope, x runs along the ground and gravity leans.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.robot.description import Description
from bifilar.robot.robot import Robot
from bifilar.walking.coordinates import Coordinates
from bifilar.walking.planar import Planar
from bifilar.walking.reroot import Rerooted, rerooted

Where = Literal["stance", "torso", "absolute"]
SAME = 1e-9  # of a constant: legs that differ by more are not the same
_OF_BASE = ("a slide along x", "a slide along z", "a turn about y")


@dataclass(frozen=True, eq=False)
class Walker:
    """A robot, its feet, the ground under it.

    >>> walker = Walker.load("walker3")
    >>> walker.feet, walker.encoders
    (('foot1', 'foot2'), ('joint4', 'joint5'))
    """

    robot: Robot
    feet: tuple[str, ...] = ()  # links that touch the ground, as points; left out: those named foot...
    slope: float = 0.0  # [rad] by which the ground rises towards +x
    _pinned: dict[int, Robot] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        feet = tuple(self.feet) or tuple(link.name for link in self.robot.links if link.name.startswith("foot"))
        object.__setattr__(self, "feet", feet)
        _check(self.robot, feet)

    @classmethod
    def load(cls, source: str | os.PathLike[str], *, feet: Sequence[str] = (), slope: float = 0.0) -> Walker:
        """From a file (a DH table with poses, URDF, MJCF) or by name: "walker3", "walker5" and "leg" are built in.

        >>> Walker.load("leg").encoders
        ('leg_2',)
        """
        from bifilar.walking.builtin import leg_description

        robot = Robot.build(leg_description()) if source == "leg" else Robot.load(source)
        return cls(robot, tuple(feet), slope)

    @classmethod
    def build(cls, description: Description, *, feet: Sequence[str] = (), slope: float = 0.0) -> Walker:
        """From links and joints.

        >>> from bifilar.walking.builtin import GRIZZLE, walker_description
        >>> Walker.build(walker_description(*GRIZZLE)).feet
        ('foot1', 'foot2')
        """
        return cls(Robot.build(description), tuple(feet), slope)

    def with_robot(self, robot: Robot) -> Walker:
        """The same feet and ground, other parameters.

        >>> walker = Walker.load("walker3")
        >>> walker.with_robot(walker.robot.with_parameters({"link3.mass": 2.0})).robot.link("link3").inertia.mass
        2.0
        """
        return Walker(robot, self.feet, self.slope)

    def on_slope(self, slope: float) -> Walker:
        """The same walker on another ground [rad].

        >>> Walker.load("walker3").on_slope(0.1).gravity.round(3)
        array([-0.979, -9.761])
        """
        return Walker(self.robot, self.feet, slope)

    @property
    def base(self) -> str:
        """The link that the slides and the pitch joint carry: the torso.

        >>> Walker.load("walker3").base
        'link3'
        """
        return self.robot.joint(self.robot.joint_names[2]).child

    @property
    def encoders(self) -> tuple[str, ...]:
        """Joints between links, in the robot's order: what encoders see and motors drive.

        >>> Walker.load("walker5").encoders
        ('joint4', 'joint5', 'joint6', 'joint7')
        """
        return self.robot.joint_names[3:]

    @property
    def gravity(self) -> Array:
        """x and z, in the frame of the ground [m/s^2].

        >>> Walker.load("walker3").gravity
        array([ 0.  , -9.81])
        """
        g = float(np.linalg.norm(self.robot.gravity))
        return np.array([-g * np.sin(self.slope) + 0.0, -g * np.cos(self.slope)])

    def swing_foot(self, stance: int) -> int:
        """The other foot; a walker with one foot has none.

        >>> Walker.load("walker3").swing_foot(0)
        1
        """
        if len(self.feet) != 2:
            raise RobotError("walker.no_swing_foot", feet_count=len(self.feet))
        return 1 - stance

    def _rooted(self, stance: int) -> Rerooted:
        return rerooted(self.robot.description(), self.base, self.feet[stance])

    def pinned(self, stance: int = 0) -> Robot:
        """The robot turning about a foot; its joints are the pivot and the encoders' joints, from the foot outwards.

        Its base wrench is the force between foot and ground; D, C, G and F are its mass_matrix, coriolis_matrix,
        gravity_torque and friction_torque.

        >>> Walker.load("walker3").pinned(1).joint_names
        ('pivot', 'joint5', 'joint4')
        """
        if stance not in self._pinned:
            gravity = [self.gravity[0], 0.0, self.gravity[1]]
            self._pinned[stance] = Robot.build(self._rooted(stance).description, gravity=gravity)
        return self._pinned[stance]

    @property
    def unpinned(self) -> Robot:
        """The robot with a free base, on this ground.

        >>> Walker.load("walker3").unpinned.joint_names[:3]
        ('joint1', 'joint2', 'joint3')
        """
        return self.robot.with_gravity([self.gravity[0], 0.0, self.gravity[1]])

    @cached_property
    def _planars(self) -> tuple[Planar, ...]:
        return tuple(self.planar_of(self.pinned(stance), stance) for stance in range(len(self.feet)))

    def planar_of(self, pinned: Robot, stance: int = 0) -> Planar:
        """Constants of another model of the pinned robot, such as an estimate; links are named as in the robot.

        >>> walker = Walker.load("walker3")
        >>> walker.planar_of(walker.pinned(0)).names
        ('link4', 'link3', 'link5')
        """
        moved = self._rooted(stance).old_from_new
        names = self.pinned(stance).body_names[1:]
        tilt = np.array([_pitch(moved[name].rotation) for name in names])
        return _named(Planar.of(pinned, tilt), tuple(self._carrier(name) for name in names))

    def planar(self, stance: int = 0) -> Planar:
        """The same dynamics as constants, for speed; links from the foot outwards, named as in the robot.

        >>> Walker.load("walker5").planar(0).names
        ('link5', 'link4', 'link3', 'link6', 'link7')
        """
        return self._planars[stance]

    def _carrier(self, link: str) -> str:
        """Body of the robot that carries a link."""
        robot = self.robot
        number = robot.assembly.link_body[[each.name for each in robot.links].index(link)]
        return robot.body_names[number]

    def place(self, link: str, stance: int = 0) -> tuple[int, Array]:
        """Which of the pinned links carries a link of the robot, and where its origin is there (x, z) [m].

        >>> Walker.load("walker3").place("foot2", stance=0)[0]
        2
        """
        robot, planar = self.robot, self.planar(stance)
        names = [each.name for each in robot.links]
        if link not in names:
            raise RobotError("link.unknown/walker", links=names, name=robot.name, link=link)
        body = planar.names.index(self._carrier(link))
        at = robot.assembly.link_pose[names.index(link)].translation  # in the robot's body frame
        origin = self._origin(stance, body)
        return body, np.asarray(at)[[0, 2]] - origin

    def _origin(self, stance: int, body: int) -> Array:
        """Where a pinned link hangs, in the robot's frame of that body (x, z)."""
        name = self.pinned(stance).body_names[1 + body]
        pose = self._rooted(stance).old_from_new[name]  # of the link that names the pinned body
        names = [each.name for each in self.robot.links]
        own = self.robot.assembly.link_pose[names.index(name)]
        return np.asarray((own @ pose).translation)[[0, 2]]

    def way(self, link: str, stance: int = 0, point: Sequence[float] = (0.0, 0.0)) -> Array:
        """Contributions of every pinned link to the way from the foot to a point (x, z) of a link, (n, 2).

        >>> Walker.load("walker3").way("foot2")
        array([[ 0.   ,  0.535],
               [ 0.   ,  0.   ],
               [ 0.   , -0.535]])
        """
        body, at = self.place(link, stance)
        return self.planar(stance).way(body, at + np.asarray(point, dtype=float))

    def order(self, stance: int) -> tuple[int, ...]:
        """Rows of `planar(stance).joint` that are the encoders, in the robot's order.

        >>> Walker.load("walker3").order(0), Walker.load("walker3").order(1)
        ((1, 2), (2, 1))
        """
        names = self.pinned(stance).joint_names
        return tuple(names.index(name) for name in self.encoders)

    def torques(self, stance: int, torque: Array) -> Array:
        """Torques of all rows of a pinned model, (..., n), from those of the encoders' joints, (..., n - 1).

        >>> Walker.load("walker3").torques(1, np.array([1.0, 2.0]))
        array([0., 2., 1.])
        """
        torque = np.asarray(torque, dtype=float)
        out = np.zeros((*torque.shape[:-1], torque.shape[-1] + 1))
        out[..., list(self.order(stance))] = torque
        return out

    def swap(self, stance: int) -> tuple[int, ...]:
        """Which link of `planar(stance)` is link k of the other foot's model, for every k.

        >>> Walker.load("walker3").swap(0)
        (2, 1, 0)
        """
        before, after = self.planar(stance).names, self.planar(self.swing_foot(stance)).names
        return tuple(before.index(name) for name in after)

    def coordinates(self, where: Where, stance: int = 0) -> Coordinates:
        """A set of coordinates on a foot: which absolute angle it has beside the encoders' angles.

        "stance": the link on the ground (the pinned robot's own coordinates); "torso": the base, first; "absolute": all links.

        >>> Walker.load("walker3").coordinates("torso").names
        ('link3', 'joint4', 'joint5')
        >>> Walker.load("walker3").coordinates("torso").angles(np.array([0.1, 0.2, 0.3])).round(3)
        array([0.3, 0.1, 0.4])
        """
        planar = self.planar(stance)
        if where == "absolute":
            return Coordinates(planar.names, np.eye(len(planar)))
        if where == "stance":
            rows, offset, names = planar.joint, planar.offset, self.pinned(stance).joint_names
        else:
            base = np.eye(len(planar))[planar.names.index(self.base)]
            pick = list(self.order(stance))
            rows, offset = np.vstack([base, planar.joint[pick]]), np.array([0.0, *planar.offset[pick]])
            names = (self.base, *self.encoders)
        inverse = np.asarray(np.linalg.inv(rows), dtype=np.float64)  # values = rows @ angles - offset
        return Coordinates(names, inverse, inverse @ offset)

    @cached_property
    def asymmetry(self) -> float:
        """How far the two feet's models are from being the same, relative; relabelling needs 0.

        >>> Walker.load("walker3").asymmetry < 1e-12
        True
        """
        one, other = self.planar(0), self.planar(self.swing_foot(0))
        apart = [
            np.abs(getattr(one, name) - getattr(other, name)).max() / max(np.abs(getattr(one, name)).max(), 1e-300)
            for name in ("parts", "moment", "joint", "offset", "rub")
        ]
        foot = np.abs(self.way(self.feet[1], 0) - self.way(self.feet[0], 1)).max() / max(np.abs(one.ways).max(), 1e-300)
        return float(max(*apart, foot))

    @property
    def is_symmetric(self) -> bool:
        """Whether the legs are alike, so that one model with the legs renamed serves both feet.

        >>> Walker.load("walker5").is_symmetric
        True
        """
        return self.asymmetry < SAME


def _named(planar: Planar, names: tuple[str, ...]) -> Planar:
    from dataclasses import replace

    return replace(planar, names=names)


def _pitch(rotation: Array) -> float:
    return float(np.arctan2(rotation[0, 2], rotation[2, 2]))


def _check(robot: Robot, feet: tuple[str, ...]) -> None:
    """The base slides and pitches, everything turns about y, the feet exist."""
    moving = {joint.name: joint for joint in robot.joints if joint.moves}
    names = robot.joint_names
    if len(names) < 4 or any(joint.mimic is not None for joint in moving.values()):
        raise RobotError("walker.joints", name=robot.name, name_count=len(names))
    wanted = (("prismatic", [1, 0, 0]), ("prismatic", [0, 0, 1]))
    for name, (kind, axis), word in zip(names, wanted, _OF_BASE):
        joint = moving[name]
        if joint.kind != kind or np.abs(joint.axis - np.array(axis)).max() > 1e-9:
            raise RobotError("walker.joint_kind", name=name, name_2=robot.name, word=word)
    for name in names[2:]:
        joint = moving[name]
        if joint.kind == "prismatic" or np.abs(np.abs(joint.axis) - [0, 1, 0]).max() > 1e-9:
            raise RobotError("walker.axis_direction/walker", name=name, name_2=robot.name)
    if moving[names[2]].axis[1] < 0:
        raise RobotError("walker.axis_direction/check", name=names[2], name_2=robot.name)
    if not feet:
        raise RobotError("walker.no_feet", name=robot.name)
    for foot in feet:
        robot.link(foot)  # says what exists
