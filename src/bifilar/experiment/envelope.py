"""What a Fourier motion may do: joint limits as linear bounds on its coefficients, and proof between the samples.

Position, velocity and acceleration at any instant are linear in the unknowns of a joint (free coefficients, offset), so limits
on a grid are rows lower <= A x <= upper. A grid proves nothing between its points; but there a function f strays at most
h^2/8 max|f''| beyond its neighbours on a grid of spacing h, and for a series max|f''| is at most the sum of its harmonics' own
maxima. That is a proof, not a sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.harmonics import FourierBasis, rest_basis
from bifilar.robot.robot import Robot

QUANTITIES = ("position", "velocity", "acceleration")
FINE = 64  # grid points per period of the highest harmonic in a proof


@dataclass(frozen=True, eq=False)
class Bounds:
    """Lower and upper bound of position, velocity and acceleration of every joint, margins taken off.

    >>> Bounds.of(bf.Robot.load("panda"), margin=0.1).upper[1, 0].round(4)
    np.float64(1.9575)
    """

    lower: Array  # (3, joints)
    upper: Array

    @classmethod
    def of(cls, robot: Robot, *, margin: float = 0.05) -> Bounds:
        """Of a robot's own limits; `margin` is the share of each range that stays unused.

        >>> Bounds.of(bf.Robot.load("two_link"), margin=0.0).lower.shape
        (3, 2)
        """
        limits, names = robot.limits, robot.joint_names
        if not 0 <= margin < 1:
            raise MotionError(f"the margin is {margin:g}", remedy="give a share from 0 to less than 1")
        for what, low, high in (("position", limits.lower, limits.upper), ("velocity", -limits.velocity, limits.velocity)):
            missing = [name for name, a, b in zip(names, low, high, strict=True) if not np.isfinite([a, b]).all()]
            if missing:
                raise MotionError(
                    f"the {what} limits of {', '.join(missing)} are not known",
                    likely="a continuous joint, or a description without <limit>",
                    remedy="state them in the description; a motion is not designed without limits",
                )
        lower = np.array([limits.lower, -limits.velocity, -limits.acceleration])
        upper = np.array([limits.upper, limits.velocity, limits.acceleration])
        with np.errstate(invalid="ignore"):
            off = np.where(np.isfinite(upper), 0.5 * margin * (upper - lower), 0.0)
        return cls(lower + off, upper - off)

    def margins(self, motion: Fourier) -> Array:
        """Room left (3, joints) in every quantity, proven for all instants; negative where a bound may be broken.

        >>> robot = bf.Robot.load("two_link")
        >>> still = bf.Fourier(joint_names=robot.joint_names, base_frequency=0.1, harmonics=3, coefficients=np.zeros((2, 6)))
        >>> bool(np.all(Bounds.of(robot).margins(still) > 0))
        True
        """
        low, high = _proven_range(motion)
        return np.minimum(self.upper - high, low - self.lower)


def _proven_range(motion: Fourier) -> tuple[Array, Array]:
    """Bounds (3, joints) that position, velocity and acceleration never leave, of a series without fades."""
    if motion.fade:
        raise MotionError("the range of a faded series is not proven", remedy="use a series that is at rest by itself (fade=0)")
    w = 2 * np.pi * motion.base_frequency * np.array(motion.harmonics)
    a, b = np.split(motion.coefficients, 2, axis=1)
    size = np.hypot(a, b)  # (joints, harmonics) amplitude of velocity
    count = FINE * max(motion.harmonics)
    step = 1 / motion.base_frequency / count
    rows = motion.series.basis(np.arange(count) * step)
    values = np.array([matrix @ motion.coefficients.T for matrix in rows])  # (3, count, joints)
    values[0] += motion.offset
    stray = step**2 / 8 * np.array([size @ w, size @ w**2, size @ w**3])  # second derivatives of each quantity
    return values.min(axis=1) - stray, values.max(axis=1) + stray


@dataclass(frozen=True, eq=False)
class Unknowns:
    """A series that is at rest at the ends of every period, as a vector: free coefficients and the offset of each joint.

    >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=5), joints=7).size
    56
    """

    series: FourierBasis
    free: Array  # (coefficients, free): c = free y
    joints: int

    @classmethod
    def of(cls, series: FourierBasis, joints: int) -> Unknowns:
        """Of a basis without fades.

        >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=2).free.shape
        (6, 3)
        """
        return cls(series, rest_basis(series.harmonics), joints)

    @property
    def size(self) -> int:
        """Numbers to choose.

        >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=2).size
        8
        """
        return self.joints * (self.free.shape[1] + 1)

    def matrices(self, samples: int) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration over one period per unknown of a joint, (samples, free + 1) each.

        >>> Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=2).matrices(50)[0].shape
        (50, 4)
        """
        time = np.arange(samples) * self.series.period / samples
        q, v, a = (np.hstack([matrix @ self.free, np.zeros((samples, 1))]) for matrix in self.series.basis(time))
        q[:, -1] = 1.0
        return q, v, a

    def motion(self, x: Array, joint_names: tuple[str, ...]) -> Fourier:
        """The series of a vector.

        >>> unknowns = Unknowns.of(bf.FourierBasis.lasting(10.0, harmonics=3), joints=1)
        >>> unknowns.motion(np.ones(4), ("elbow",)).offset
        array([1.])
        """
        table = x.reshape(self.joints, -1)
        return Fourier.of(self.series, joint_names, table[:, :-1] @ self.free.T, table[:, -1])
