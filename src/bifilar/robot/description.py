"""Links and joints as a description file states them: the vocabulary of every reader and writer.

Nothing here computes. A reader turns a file into `Link`s and `Joint`s, `Robot.build` turns those into a robot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from bifilar.errors import Finding
from bifilar.robot.inertia import Array, Inertia

JointKind = Literal["revolute", "continuous", "prismatic", "fixed", "floating"]


def _frozen(value: object) -> Array:
    array = np.array(value, dtype=float)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Pose:
    """Where one frame stands in another: x_outer = rotation @ x_inner + translation.

    >>> Pose().translation
    array([0., 0., 0.])
    """

    rotation: Array = field(default_factory=lambda: np.eye(3))  # 3 x 3
    translation: Array = field(default_factory=lambda: np.zeros(3))  # [m]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", _frozen(self.rotation))
        object.__setattr__(self, "translation", _frozen(self.translation))

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(self.rotation @ inner.rotation, self.rotation @ inner.translation + self.translation)

    def inverse(self) -> Pose:
        """The pose seen the other way round.

        >>> Pose(np.eye(3), [1.0, 2.0, 3.0]).inverse().translation
        array([-1., -2., -3.])
        """
        return Pose(self.rotation.T, -self.rotation.T @ self.translation)


@dataclass(frozen=True, eq=False)
class Shape:
    """A body's outline: what a capsule, a viewer and the centre-of-mass check need. Meshes are named, never opened here.

    >>> Shape("sphere", (0.1,)).size
    (0.1,)
    """

    kind: Literal["box", "sphere", "cylinder", "capsule", "mesh"]
    size: tuple[float, ...]  # box: x y z; sphere: radius; cylinder, capsule: radius length; mesh: scale x y z  [m]
    pose: Pose = field(default_factory=Pose)  # link_from_shape
    mesh: str = ""  # file name as written in the description
    role: Literal["visual", "collision"] = "visual"


@dataclass(frozen=True, eq=False)
class Link:
    """One body of the description, moving or fixed to its neighbour.

    >>> Link("hand").inertia.mass
    0.0
    """

    name: str
    inertia: Inertia = field(default_factory=Inertia.zero)
    shapes: tuple[Shape, ...] = ()
    has_inertia: bool = False  # whether the file states one


@dataclass(frozen=True)
class Limits:
    """What a joint may do; infinite where the file says nothing.

    >>> Limits(lower=-1.0, upper=1.0).velocity
    inf
    """

    lower: float = -np.inf  # [rad] or [m]
    upper: float = np.inf
    velocity: float = np.inf  # [rad/s] or [m/s]
    acceleration: float = np.inf
    jerk: float = np.inf
    effort: float = np.inf  # [N m] or [N]


@dataclass(frozen=True)
class Mimic:
    """This joint's position is ratio * (the other joint's) + offset.

    >>> Mimic("finger1", ratio=-1.0).offset
    0.0
    """

    joint: str
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint:
    """What holds two links together.

    >>> Joint("elbow", "revolute", parent="upper", child="lower", axis=[0, 1, 0]).axis
    array([0., 1., 0.])
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    pose: Pose = field(default_factory=Pose)  # parent_from_child at joint position zero
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))  # unit, in the child link's frame
    limits: Limits = field(default_factory=Limits)
    mimic: Mimic | None = None
    damping: float = 0.0  # [N m s/rad] viscous friction the file states
    friction: float = 0.0  # [N m] Coulomb friction the file states
    armature: float = 0.0  # [kg m^2] rotor inertia reflected to the joint

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", _frozen(self.axis))

    @property
    def moves(self) -> bool:
        """Whether it has a coordinate, its own or another joint's.

        >>> Joint("weld", "fixed", parent="a", child="b").moves
        False
        """
        return self.kind in ("revolute", "continuous", "prismatic")


@dataclass(frozen=True, eq=False)
class Description:
    """Everything one file said, before it becomes a Robot.

    >>> Description("arm", links=(Link("base"),), joints=()).links[0].name
    'base'
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]  # in the file's order
    findings: tuple[Finding, ...] = ()
    source: object = None  # what the writer of the same format needs to change numbers only
    gravity: Array | None = None  # [m/s^2] world frame, where the file states another than (0, 0, -9.81)
    file: str = ""  # absolute path it was read from, where its meshes are looked for; "" if it came from no file
