"""The joints' own limits, and the unknowns of a Fourier motion that is at rest at both ends.

Position, velocity, acceleration and jerk at any instant are linear in the unknowns of a joint (free coefficients, offset), so
limits on a grid are rows lower <= A x <= upper; `proof` bounds what happens between the grid points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.checks import row
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.harmonics import FourierBasis, rest_basis
from bifilar.experiment.proof import Path
from bifilar.robot.assemble import leader_of
from bifilar.robot.robot import Robot

QUANTITIES = ("position", "velocity", "acceleration", "jerk")
NEAR = 2.5e-3  # share of a range that a start pose must be away from its ends
NEEDED = ("position", "velocity")  # without these nothing is designed


@dataclass(frozen=True, eq=False)
class Bounds:
    """Lower and upper bound of position, velocity, acceleration and jerk of every joint, margins taken off.

    >>> Bounds.of(bf.Robot.load("panda"), margin=0.1).upper[1, 0].round(4)
    np.float64(1.9575)
    """

    joint_names: tuple[str, ...]
    lower: Array  # (4, joints)
    upper: Array

    @classmethod
    def of(cls, robot: Robot, *, margin: float = 0.05) -> Bounds:
        """Of a robot's own limits; `margin` is the share of each range that stays unused.

        >>> Bounds.of(bf.Robot.load("two_link"), margin=0.0).lower.shape
        (4, 2)
        """
        if not isinstance(margin, (int, float, np.number)) or not 0 <= margin < 1:
            raise MotionError("margin.wrong/envelope", margin=margin)
        lower, upper = _with_followers(robot)
        _known(robot.joint_names, lower, upper)
        with np.errstate(invalid="ignore"):
            off = np.where(np.isfinite(upper - lower), 0.5 * margin * (upper - lower), 0.0)
        return cls(robot.joint_names, lower + off, upper - off)

    def margins(self, motion: Fourier) -> Array:
        """Room left (4, joints) in every quantity, proven for all instants; negative where a bound may be broken.

        >>> robot = bf.Robot.load("two_link")
        >>> still = bf.Fourier(joint_names=robot.joint_names, base_frequency=0.1, harmonics=3, coefficients=np.zeros((2, 6)))
        >>> bool(np.all(Bounds.of(robot).margins(still) > 0))
        True
        """
        low, high = Path(motion).ranges()
        return np.minimum(self.upper - high, low - self.lower)

    def holds(self, position: ArrayLike, what: str) -> Array:
        """A pose inside the limits, or a letter.

        >>> Bounds.of(bf.Robot.load("two_link")).holds([0.0, 0.0], "the start")
        array([0., 0.])
        """
        pose = row(what, position, self.joint_names)  # type: ignore[arg-type]
        near = NEAR * (self.upper[0] - self.lower[0])  # from the very edge a joint could move one way only
        out = np.maximum(pose - self.upper[0], self.lower[0] - pose) + near
        if np.any(out > 0):
            j = int(np.argmax(out))
            facts = {"limits": f"{self.lower[0, j]:.4g} to {self.upper[0, j]:.4g}, margin taken off"}
            raise MotionError(
                "limits.broken/envelope" if np.abs(pose).max() > 7 else "limits.broken/holds",
                thing=what,
                joint_name=self.joint_names[j],
                pose=pose[j],
                out=out[j],
                **facts,
            )
        return pose


def _with_followers(robot: Robot) -> tuple[Array, Array]:
    """Limits of the independent joints, (4, joints), narrowed by those of the joints that mimic them."""
    limits = robot.limits
    rates = np.array([limits.velocity, limits.acceleration, limits.jerk])
    lower, upper = np.vstack([limits.lower, -rates]), np.vstack([limits.upper, rates])
    by_name = {joint.name: joint for joint in robot.joints}
    for joint in robot.joints:
        if joint.mimic is None or not joint.moves:
            continue
        leader, ratio, offset = leader_of(joint, by_name)
        if leader not in robot.joint_names or ratio == 0:
            continue
        own, j = joint.limits, robot.joint_names.index(leader)
        ends = sorted([(own.lower - offset) / ratio, (own.upper - offset) / ratio])
        most = np.array([own.velocity, own.acceleration, own.jerk]) / abs(ratio)
        lower[:, j] = np.maximum(lower[:, j], [ends[0], *-most])
        upper[:, j] = np.minimum(upper[:, j], [ends[1], *most])
    return lower, upper


def _known(names: tuple[str, ...], lower: Array, upper: Array) -> None:
    """Limits without which nothing can be designed; all gaps in one letter."""
    missing = {
        what: [name for name, low, high in zip(names, lower[k], upper[k]) if not np.isfinite([low, high]).all()]
        for k, what in enumerate(NEEDED)
    }
    gaps = [f"{what} of {', '.join(joints)}" for what, joints in missing.items() if joints]
    if gaps:
        raise MotionError("limits.missing/envelope", gaps=gaps)
    for k, what in enumerate(QUANTITIES):
        stuck = [name for name, low, high in zip(names, lower[k], upper[k]) if not high > low]
        if stuck:
            j = names.index(stuck[0])
            raise MotionError(
                "limits.no_room", joint=stuck[0], quantity=what, lower=float(lower[k, j]), upper=float(upper[k, j])
            )


@dataclass(frozen=True, eq=False)
class Unknowns:
    """A series that rests at the ends of every period, as a vector: free coefficients, and the offset if the start is free.

    >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=5), joints=7).size
    63
    """

    series: FourierBasis
    free: Array  # (coefficients, free): c = free y
    joints: int
    start: Array | None = None  # (joints,) where it begins and ends

    @classmethod
    def of(cls, series: FourierBasis, joints: int, *, start: Array | None = None) -> Unknowns:
        """Of a basis without fades.

        >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=2).free.shape
        (6, 4)
        """
        return cls(series, rest_basis(series.harmonics, position=False), joints, start)

    @property
    def each(self) -> int:
        """Numbers to choose for each joint.

        >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=2).each
        5
        """
        return self.free.shape[1] + (self.start is None)

    @property
    def size(self) -> int:
        """Numbers to choose.

        >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=2).size
        10
        """
        return self.joints * self.each

    def matrices(self, samples: int) -> Array:
        """Position, velocity, acceleration and jerk over one period per unknown of a joint, (4, samples, each).

        >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=2).matrices(50).shape
        (4, 50, 5)
        """
        time = np.arange(samples) * self.series.period / samples
        rows = np.array(self.series._series(time, 3)) @ self.free
        if self.start is not None:
            rows[0] -= rows[0, 0].copy()
            return rows
        offset = np.zeros((4, samples, 1))
        offset[0] = 1.0
        return np.concatenate([rows, offset], axis=2)

    def motion(self, x: Array, joint_names: tuple[str, ...]) -> Fourier:
        """The series of a vector.

        >>> unknowns = Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=1)
        >>> unknowns.motion(np.ones(5), ("elbow",)).offset
        array([1.])
        """
        table = x.reshape(self.joints, -1)
        coefficients = table[:, : self.free.shape[1]] @ self.free.T
        offset = table[:, -1] if self.start is None else self.start - coefficients @ self.series._series(np.zeros(1), 0)[0][0]
        return Fourier.of(self.series, joint_names, coefficients, offset)

    def still(self, pose: Array) -> Array:
        """The vector of standing still at a pose.

        >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=1).still(np.ones(1))
        array([0., 0., 0., 0., 1.])
        """
        table = np.zeros((self.joints, self.each))
        if self.start is None:
            table[:, -1] = pose
        return table.ravel()
