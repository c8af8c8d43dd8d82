"""One joint moves slowly forth and back, the others are held: gravity and friction of that joint alone.

Each way has a smooth start, a stretch of constant speed and a smooth stop. In a ramp of T seconds the speed follows
V (10u^3 - 15u^4 + 6u^5): the position is a polynomial of degree 6, continuous up to jerk at every seam, the ramp covers V T/2
and accelerates with at most 15/8 V/T. Half the sum and half the difference of the torque forth and back at the same position
are gravity and friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import MotionError
from bifilar.experiment.checks import inside, named, place, positive, row
from bifilar.experiment.piecewise import Piecewise
from bifilar.experiment.trajectory import Array, Window

if TYPE_CHECKING:
    from bifilar.robot.described import JointLimits

# Control values of 5/2 u^4 - 3 u^5 + u^6: the way of a ramp whose final speed is 1 per ramp time.
_RAMP = np.array([0, 0, 0, 0, 1 / 6, 1 / 3, 1 / 2])


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Piecewise):
    """A sweep, and when it has constant speed; made by `sweep`.

    >>> bf.sweep(["a", "b"], "b", pose=[0, 0], lower=-1, upper=1, speed=0.2, acceleration=1.0).forth[0].start
    0.375
    """

    forth: tuple[Window, ...] = ()  # constant positive speed
    back: tuple[Window, ...] = ()  # constant negative speed

    def slowed(self, factor: float) -> Self:
        """The same path in `factor` times the time.

        >>> slow = bf.sweep(["a"], "a", pose=[0], lower=-1, upper=1, speed=0.2, acceleration=1.0).slowed(2)
        >>> slow.forth[0].start
        0.75
        """
        forth, back = (tuple(window.slowed(factor) for window in windows) for windows in (self.forth, self.back))
        return replace(super().slowed(factor), forth=forth, back=back)


def sweep(
    joint_names: Sequence[str],
    joint: str,
    *,
    pose: ArrayLike,
    lower: float,
    upper: float,
    speed: float,
    acceleration: float,
    repeats: int = 1,
    pause: float = 0.0,
    limits: JointLimits | None = None,
) -> Sweep:
    """`joint` goes from `lower` to `upper` and back, `repeats` times; the others stay where `pose` says.

    `speed` [rad/s] between the ramps, `acceleration` [rad/s^2] at most within them, `pause` [s] of rest at either end.

    >>> slow = bf.sweep(["a", "b"], "b", pose=[0.5, 0], lower=-1, upper=1, speed=0.2, acceleration=1.0)
    >>> slow.at([0.0, 5.0]).velocity[:, 1]
    array([0. , 0.2])
    """
    names = named(joint_names)
    j, q0 = place(joint, names), np.array(row("pose", pose, names))
    V, highest = positive("the speed", speed, "rad/s"), positive("the acceleration", acceleration, "rad/s^2")
    if not repeats >= 1 or repeats != int(repeats):
        raise MotionError("sweep.repeats", repeats=repeats)
    ramp, way = 15 / 8 * V / highest, _way(joint, lower, upper)
    if V * ramp >= way:
        raise MotionError("sweep.too_fast", joint=joint, v=V, way=way, v_2=V * ramp, sqrt=np.sqrt(way * highest * 8 / 15))
    q0[j] = lower
    top = q0.copy()
    top[j] = upper
    inside("the end", np.stack([q0, top]), names, limits)
    rest = positive("the pause", pause, "s", zero=True)
    times, values = _there_and_back(lower, upper, V, ramp, rest)
    steps = np.tile(times, int(repeats))
    knots = np.concatenate([[0.0], np.cumsum(steps)])
    control = np.broadcast_to(q0, (len(steps), 7, len(names))).copy()
    control[:, :, j] = np.tile(values, (int(repeats), 1))
    cruise, half = 1, len(times) // 2
    forth, back = (
        tuple(Window(float(knots[k]), float(knots[k + 1])) for k in range(first, len(steps), len(times)))
        for first in (cruise, half + cruise)
    )
    return Sweep(names, knots, control, forth, back)


def _way(joint: str, lower: float, upper: float) -> float:
    ends = row("the range", [lower, upper], ("lower", "upper"))
    if ends[1] <= ends[0]:
        raise MotionError("sweep.range", joint=joint, lower=lower, upper=upper)
    return float(ends[1] - ends[0])


def _there_and_back(lower: float, upper: float, V: float, ramp: float, rest: float) -> tuple[Array, Array]:
    """Lengths (pieces,) and control values (pieces, 7) of one sweep: ramp, constant speed, ramp, rest; and the same back."""
    reach = V * ramp
    up = [lower + reach * _RAMP, np.linspace(lower + reach / 2, upper - reach / 2, 7), (upper - reach * _RAMP)[::-1]]
    times = [ramp, (upper - lower - reach) / V, ramp]
    if rest:
        up, times = [*up, np.full(7, upper)], [*times, rest]
    down = [lower + upper - piece for piece in up]
    return np.array(times * 2), np.array(up + down)
