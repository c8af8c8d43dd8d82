"""Readings of joint torque sensors as a function of gains, offsets, mass moments and the point where a known mass hangs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError
from bifilar.estimate.gravity_model import GravityModel, gravity_matrix
from bifilar.recording.static_poses import StaticPoses
from bifilar.robot.robot import Robot

NUDGE = 1e-6  # [rad] for derivatives with respect to angles
FELT = 1e-6  # of the largest torque, per radian: a smaller slope is none
ENCODER_GAIN, ENCODER_OFFSET = 0.3, 1.0  # an encoder is not looked for further off than this, the second in [rad]


@dataclass(frozen=True, eq=False)
class HungMass:
    """A known mass, and how far from its first point of attachment it hangs.

    >>> HungMass(2.0).moved
    array([0., 0., 0.])
    """

    mass: float  # [kg]
    moved: ArrayLike = field(default_factory=lambda: np.zeros(3))  # (3,) [m] in the tool frame

    def __post_init__(self) -> None:
        if not (np.isfinite(self.mass) and self.mass > 0):
            raise RobotError("load.none/sensor_equations", mass=self.mass)
        way = np.asarray(self.moved, dtype=float)
        if way.shape != (3,) or not np.isfinite(way).all():
            raise ShapeError("load.moved", moved=self.moved)
        object.__setattr__(self, "moved", way)


Load = HungMass


@dataclass(frozen=True)
class Layout:
    """Where each kind of unknown stands in the vector of all.

    >>> Layout.of(bf.Robot.load("two_link"), False, False).count
    11
    """

    sizes: tuple[tuple[str, int], ...]
    joints: int

    @classmethod
    def of(cls, robot: Robot, position_gain: bool, position_offset: bool) -> Layout:
        """Of a robot, with or without encoders that may be wrong.

        >>> Layout.of(bf.Robot.load("two_link"), True, True).count
        15
        """
        n, moments = len(robot.joint_names), len(GravityModel.of(robot).names)
        encoder = (("position_gain", n * position_gain), ("position_offset", n * position_offset))
        return cls((("gain", n), ("offset", n), ("attachment", 3), ("moments", moments), *encoder), n)

    @property
    def count(self) -> int:
        """Number of unknowns.

        >>> Layout.of(bf.Robot.load("pendulum"), False, False).count
        7
        """
        return sum(size for _, size in self.sizes)

    def size(self, name: str) -> int:
        """How many of a kind there are.

        >>> Layout.of(bf.Robot.load("pendulum"), False, False).size("position_gain")
        0
        """
        return dict(self.sizes)[name]

    def part(self, name: str) -> slice:
        """Where a kind stands.

        >>> Layout.of(bf.Robot.load("pendulum"), False, False).part("attachment")
        slice(2, 5, None)
        """
        first = 0
        for word, size in self.sizes:
            if word == name:
                return slice(first, first + size)
            first += size
        raise KeyError(name)

    @property
    def moments(self) -> slice:
        """Where the arm's mass moments stand.

        >>> Layout.of(bf.Robot.load("pendulum"), False, False).moments
        slice(5, 7, None)
        """
        return self.part("moments")

    def bounded(self, x: Array) -> Array:
        """With encoders no further off than one can be.

        >>> Layout.of(bf.Robot.load("pendulum"), True, False).bounded(np.full(8, 9.0))[7]
        np.float64(1.3)
        """
        y = x.copy()
        gain, offset = self.part("position_gain"), self.part("position_offset")
        y[gain] = np.clip(y[gain], 1 - ENCODER_GAIN, 1 + ENCODER_GAIN)
        y[offset] = np.clip(y[offset], -ENCODER_OFFSET, ENCODER_OFFSET)
        return y

    def filled(self, x: Array) -> dict[str, Array]:
        """All kinds by name; encoders are right where they were not asked about.

        >>> Layout.of(bf.Robot.load("pendulum"), False, False).filled(np.ones(7))["position_offset"]
        array([0.])
        """
        full = {name: x[self.part(name)] for name, _ in self.sizes}
        nominal = {"position_gain": np.ones(self.joints), "position_offset": np.zeros(self.joints)}
        return {name: value if len(value) else nominal.get(name, value) for name, value in full.items()}


@dataclass(frozen=True, eq=False)
class Equations:
    """All readings and what predicts them.

    >>> robot = bf.Robot.load("pendulum")
    >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [1.0]])
    >>> Equations.of(robot, "link1", [(poses, None)], Layout.of(robot, False, False)).count
    2
    """

    robot: Robot
    frame: str
    encoder: Array  # (N, joints) [rad] as read
    reading: Array  # (N, joints) NaN: none
    mass: Array  # (N,) [kg] that hangs in each pose
    moved: Array  # (N, 3) [m]
    layout: Layout

    @classmethod
    def of(cls, robot: Robot, frame: str, runs: Sequence[tuple[StaticPoses, Load | None]], layout: Layout) -> Equations:
        """Runs with and without the mass, one after the other.

        >>> robot = bf.Robot.load("pendulum")
        >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [1.0]])
        >>> Equations.of(robot, "link1", [(poses, HungMass(1.0))], Layout.of(robot, False, False)).mass
        array([1., 1.])
        """
        robot.jacobian(frame, np.zeros(len(robot.joint_names)))  # an unknown frame is answered here
        for poses, _ in runs:
            if poses.joint_names != robot.joint_names:
                raise ShapeError("joints.other/sensor_equations", poses=poses.joint_names, robot=robot.joint_names)
        count = [len(poses) for poses, _ in runs]
        mass = np.repeat([0.0 if load is None else load.mass for _, load in runs], count)
        way = np.repeat([np.zeros(3) if load is None else np.asarray(load.moved) for _, load in runs], count, axis=0)
        q, s = (np.vstack([getattr(poses, name) for poses, _ in runs]) for name in ("position", "torque"))
        return cls(robot, frame, q, s, mass, way, layout)

    @property
    def count(self) -> int:
        """Readings that there are.

        >>> robot = bf.Robot.load("pendulum")
        >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [np.nan]])
        >>> Equations.of(robot, "link1", [(poses, None)], Layout.of(robot, False, False)).count
        1
        """
        return int(np.isfinite(self.reading).sum())

    @property
    def owner(self) -> NDArray[np.int64]:
        """The joint of every reading, in the order of `linear`.

        >>> robot = bf.Robot.load("pendulum")
        >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [np.nan]])
        >>> Equations.of(robot, "link1", [(poses, None)], Layout.of(robot, False, False)).owner
        array([0])
        """
        return np.nonzero(np.isfinite(self.reading))[1]

    @property
    def heard(self) -> NDArray[np.bool_]:
        """Joints with readings.

        >>> robot = bf.Robot.load("pendulum")
        >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [np.nan]])
        >>> Equations.of(robot, "link1", [(poses, None)], Layout.of(robot, False, False)).heard
        array([ True])
        """
        return np.asarray(np.isfinite(self.reading).any(axis=0))

    @property
    def never_loaded(self) -> NDArray[np.bool_]:
        """Joints that gravity does not load in any of the poses.

        >>> robot = bf.Robot.load("pendulum").with_gravity([0.0, 9.81, 0.0])
        >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [1.0]])
        >>> Equations.of(robot, "link1", [(poses, None)], Layout.of(robot, False, False)).never_loaded
        array([ True])
        """
        size = np.abs(gravity_matrix(self.robot, self.encoder)).max(axis=(0, 2))
        return np.asarray(size < 1e-6 * float(np.linalg.norm(self.robot.gravity)))

    @property
    def masses(self) -> int:
        """Poses with the mass on.

        >>> robot = bf.Robot.load("pendulum")
        >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [1.0]])
        >>> Equations.of(robot, "link1", [(poses, None)], Layout.of(robot, False, False)).masses
        0
        """
        return int((self.mass > 0).sum())

    @property
    def places(self) -> int:
        """Different points at which it hung.

        >>> robot = bf.Robot.load("pendulum")
        >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [1.0]])
        >>> Equations.of(robot, "link1", [(poses, HungMass(1.0))], Layout.of(robot, False, False)).places
        1
        """
        return len(np.unique(self.moved[self.mass > 0].round(9), axis=0))

    def start(self) -> Array:
        """Nominal sensors, the description's mass moments, the mass at the tool's origin.

        >>> robot = bf.Robot.load("pendulum")
        >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [1.0]])
        >>> Equations.of(robot, "link1", [(poses, None)], Layout.of(robot, False, False)).start()[:2]
        array([1., 0.])
        """
        x = np.zeros(self.layout.count)
        x[self.layout.part("gain")] = 1.0
        x[self.layout.part("position_gain")] = 1.0
        x[self.layout.moments] = GravityModel.of(self.robot).values
        return x

    def linear(self, x: Array) -> tuple[Array, Array]:
        """Derivative (readings, unknowns) and what is left of the readings, at x.

        >>> robot = bf.Robot.load("pendulum")
        >>> poses = bf.StaticPoses(robot.joint_names, [[0.0], [1.0]], [[0.0], [1.0]])
        >>> equations = Equations.of(robot, "link1", [(poses, None)], Layout.of(robot, False, False))
        >>> equations.linear(equations.start())[0].shape
        (2, 7)
        """
        full, n = self.layout.filled(x), self.layout.joints
        q = full["position_gain"] * self.encoder + full["position_offset"]
        G, H, tau = self._torque(q, full)
        J = np.zeros((len(q), n, self.layout.count))
        each = np.arange(n)
        J[:, each, self.layout.part("gain").start + each] = tau
        J[:, each, self.layout.part("offset").start + each] = 1.0
        J[:, :, self.layout.part("attachment")] = full["gain"][:, None] * H * self.mass[:, None, None]
        J[:, :, self.layout.moments] = full["gain"][:, None] * G
        if self.layout.size("position_gain") or self.layout.size("position_offset"):
            self._encoders(J, q, full)
        error = self.reading - full["gain"] * tau - full["offset"]
        known = np.isfinite(self.reading)
        return J[known], error[known]

    def _torque(self, q: Array, full: dict[str, Array]) -> tuple[Array, Array, Array]:
        """Columns of the mass moments, of the first moment of a hung kilogram, and the torque."""
        G = gravity_matrix(self.robot, q)
        origin, *axes = (self._hung(q, point) for point in np.vstack([np.zeros(3), np.eye(3)]))
        H = np.stack([axis - origin for axis in axes], axis=2)
        where = full["attachment"] + self.moved
        load = self.mass[:, None] * (origin + np.einsum("njk,nk->nj", H, where))
        return G, H, G @ full["moments"] + load

    def _hung(self, q: Array, point: Array) -> Array:
        """Torque that holds one kilogram at a point of the frame: -J' g."""
        return -np.einsum("nkj,k->nj", self.robot.jacobian(self.frame, q, point)[:, :3], self.robot.gravity)

    def _encoders(self, J: Array, q: Array, full: dict[str, Array]) -> None:
        size = float(np.abs(self._torque(q, full)[2]).max(initial=0.0))
        for j in range(self.layout.joints):
            nudge = np.zeros(self.layout.joints)
            nudge[j] = NUDGE
            slope = (self._torque(q + nudge, full)[2] - self._torque(q - nudge, full)[2]) / (2 * NUDGE) * full["gain"]
            if np.abs(slope).max(initial=0.0) < FELT * size:  # no torque depends on this angle: what is left is rounding
                continue
            if self.layout.size("position_gain"):
                J[:, :, self.layout.part("position_gain").start + j] = slope * self.encoder[:, j, None]
            if self.layout.size("position_offset"):
                J[:, :, self.layout.part("position_offset").start + j] = slope
