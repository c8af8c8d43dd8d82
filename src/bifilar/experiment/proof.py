"""Proof that a motion keeps its limits at every instant, not only at samples.

Joint limits: between grid points at distance h a function strays at most h^2/8 max|f''| beyond them, and the derivatives of a
series are bounded by the sum of its harmonics' amplitudes. Walls: a room r that changes no faster than L (`norms`) is, inside
an interval of length h, at least (r_start + r_end - L h) / 2; intervals for which that is too little are halved.
The answer is a lower bound of the least room over the whole motion: a proof, up to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.constraints import Wall
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.norms import Bodies, Span
from bifilar.robot.robot import Robot

FINE = 64  # grid points per period of the highest harmonic that walls begin with
RANGES = 256  # and that bound joint limits: between them a series strays by 0.01 % of its amplitudes
TOLERANCE = 2e-3  # how closely the least room is bounded, in the wall's own scale
SHARE = 0.05  # of the least room, likewise: a motion far from a limit needs no closer bound
MOST = 400_000  # states that one wall may need before the proof is given up


@dataclass(frozen=True, eq=False)
class Path:
    """One period of a Fourier series, with bounds of its derivatives.

    >>> swing = bf.Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
    >>> Path(swing).largest.round(3).ravel()
    array([ 0.318,  1.   ,  3.142,  9.87 , 31.006])
    """

    motion: Fourier

    def __post_init__(self) -> None:
        if self.motion.fade:
            raise MotionError("certificate.not_proven/proof")

    @cached_property
    def largest(self) -> Array:
        """Bounds of |position - offset|, |velocity|, .. of every joint: sums of amplitudes, orders 0 to 4, (5, joints).

        >>> swing = bf.Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
        >>> Path(swing).largest.shape
        (5, 1)
        """
        w = 2 * np.pi * self.motion.base_frequency * np.array(self.motion.harmonics)
        a, b = np.split(self.motion.coefficients, 2, axis=1)
        return np.array([np.hypot(a, b) @ w ** (order - 1.0) for order in range(5)])

    def derivatives(self, time: Array) -> Array:
        """Position, velocity, acceleration and jerk at instants, (4, instants, joints).

        >>> swing = bf.Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
        >>> Path(swing).derivatives(np.zeros(1))[1]
        array([[1.]])
        """
        values = np.array([matrix @ self.motion.coefficients.T for matrix in self.motion.series._series(time, 3)])
        values[0] += self.motion.offset
        return values

    def ranges(self) -> tuple[Array, Array]:
        """Bounds that position, velocity, acceleration and jerk never leave, (4, joints) each.

        >>> swing = bf.Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
        >>> Path(swing).ranges()[1].round(2).ravel()
        array([0.32, 1.  , 3.14, 9.87])
        """
        count = RANGES * max(self.motion.harmonics)
        step = 1 / self.motion.base_frequency / count
        values = self.derivatives(step * np.arange(count, dtype=np.float64))
        highest = np.vstack([self.largest[2:], self._fifth])  # the second derivative of each order
        stray = step**2 / 8 * highest
        return values.min(axis=1) - stray, values.max(axis=1) + stray

    @cached_property
    def _fifth(self) -> Array:
        w = 2 * np.pi * self.motion.base_frequency * np.array(self.motion.harmonics)
        a, b = np.split(self.motion.coefficients, 2, axis=1)
        return np.hypot(a, b) @ w**4.0

    def span(self, start: Array, end: Array, length: Array) -> Span:
        """Bounds during intervals, from derivatives (4, intervals, joints) at their ends.

        >>> swing = bf.Fourier(joint_names=["elbow"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
        >>> path = Path(swing)
        >>> path.span(path.derivatives(np.zeros(1)), path.derivatives(np.ones(1)), np.ones(1)).velocity.round(1)
        array([[2.2]])
        """
        stray = length[None, :, None] ** 2 / 8 * np.vstack([self.largest[2:], self._fifth])[:, None]
        return Span(*(np.maximum(np.abs(start), np.abs(end)) + stray))


def proven_rooms(robot: Robot, wall: Wall, path: Path, *, tolerance: float = TOLERANCE, most: int = MOST) -> Array:
    """Lower bounds of the least rooms over the whole motion, (rooms,); negative where a limit is broken or not proven.

    >>> robot = bf.Robot.load("pendulum")
    >>> swing = bf.Fourier(joint_names=robot.joint_names, base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
    >>> bool(proven_rooms(robot, bf.SpeedBelow("link1", 9.0).on(robot), Path(swing))[0] > 0)
    True
    """
    count = FINE * max(path.motion.harmonics)
    length = np.full(count, 1 / path.motion.base_frequency / count)
    time = np.arange(count) * length[0]
    left = path.derivatives(time)
    rooms = wall.rooms(*left[:3])
    left_rooms, right, right_rooms = rooms, np.roll(left, -1, axis=1), np.roll(rooms, -1, axis=0)
    proven, least, used = np.full(rooms.shape[1], np.inf), rooms.min(axis=0), count
    while len(time):
        rates = wall.rates(Bodies(robot.tree, path.span(left, right, length)))
        bound = 0.5 * (left_rooms + right_rooms - rates * length[:, None])
        # Rooms that are broken at a sample are settled; the others are bounded closely, and above zero if they can be.
        close = np.maximum(tolerance * wall.scales, SHARE * least)
        open_ = (bound < np.maximum(least - close, 0.0)) & (least >= 0)
        split = open_.any(axis=1)
        if used + split.sum() > most:
            split[:] = False
        proven = np.minimum(proven, bound[~split].min(axis=0, initial=np.inf))
        length, time = 0.5 * length[split], time[split]
        middle = path.derivatives(time + length)
        rooms = wall.rooms(*middle[:3])
        used += len(time)
        least = np.minimum(least, rooms.min(axis=0, initial=np.inf))
        left, right = (np.concatenate(pair, axis=1) for pair in ((left[:, split], middle), (middle, right[:, split])))
        left_rooms, right_rooms = (np.concatenate(pair) for pair in ((left_rooms[split], rooms), (rooms, right_rooms[split])))
        time, length = np.concatenate([time, time + length]), np.tile(length, 2)
    return np.minimum(proven, least)
