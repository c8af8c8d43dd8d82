"""Links and joints as a description file states them: the vocabulary of every reader and writer.

Nothing here computes. A reader turns a file into `Link`s and `Joint`s, `Robot.build` turns those into a robot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
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


UNLIMITED = 1e9  # a placeholder: written where a format demands a number and the limit is unknown, never believed when read
BELIEVED = {  # the largest limit that is taken for one: rotating, sliding; beyond it the limit is unknown
    "lower": (1e5, 1e4),  # [rad], [m]
    "upper": (1e5, 1e4),
    "velocity": (100.0, 20.0),  # [rad/s], [m/s]
    "acceleration": (1e6, 1e5),
    "jerk": (1e8, 1e8),
    "effort": (1e5, 1e5),  # [N m], [N]
}


@dataclass(frozen=True)
class Limits:
    """What a joint may do; infinite where the limit is unknown or there is none.

    >>> Limits(lower=-1.0, upper=1.0).velocity
    inf
    """

    lower: float = -np.inf  # [rad] or [m]
    upper: float = np.inf
    velocity: float = np.inf  # [rad/s] or [m/s]
    acceleration: float = np.inf
    jerk: float = np.inf
    effort: float = np.inf  # [N m] or [N]

    def believed(self, slides: bool) -> tuple[Limits, dict[str, float]]:
        """Limits without those that no machine has, and these by name: placeholders of files that must hold a number.

        >>> Limits(velocity=1e9, effort=87.0).believed(slides=False)
        (Limits(lower=-inf, upper=inf, velocity=inf, acceleration=inf, jerk=inf, effort=87.0), {'velocity': 1000000000.0})
        """
        values = {key: float(getattr(self, key)) for key in BELIEVED}
        absurd = {key: x for key, x in values.items() if BELIEVED[key][slides] < abs(x) < np.inf}
        return replace(self, **{key: math.copysign(math.inf, x) for key, x in absurd.items()}), absurd


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

    def believed(self) -> Description:
        """With unknown limits where the file states what no machine has, and a finding about each such joint.

        A placeholder of ours is a note, other people's numbers are a warning.

        >>> wheel = Joint("wheel", "continuous", "a", "b", limits=Limits(velocity=1e6))
        >>> read = Description("cart", (Link("a"), Link("b")), (wheel,)).believed()
        >>> read.joints[0].limits.velocity, read.findings[0].code, read.findings[0].severity
        (inf, 'limits.absurd', 'warning')
        """
        joints, findings = [], list(self.findings)
        for joint in self.joints:
            limits, absurd = joint.limits.believed(joint.kind == "prismatic")
            joints.append(replace(joint, limits=limits) if absurd else joint)
            findings += [_absurd_limits(joint.name, absurd)] if absurd else []
        return replace(self, joints=tuple(joints), findings=tuple(findings))


def _absurd_limits(joint: str, absurd: dict[str, float]) -> Finding:
    where = f"joint '{joint}'"
    if all(abs(value) == UNLIMITED for value in absurd.values()):
        return Finding("limits.absurd/placeholder", "note", where, about=joint, fields=list(absurd))
    stated = [f"{name} {value:g}" for name, value in absurd.items()]
    return Finding("limits.absurd/stated", "warning", where, about=joint, fields=list(absurd), stated=stated)
