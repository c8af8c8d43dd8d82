"""New trajectories from given ones: slower, about another pose, one after the other.

A motion that is slowed by s goes the same way at 1/s of the speed: v -> v/s, a -> a/s^2, jerk -> jerk/s^3. That is how a
new motion is first tried on a machine: at 10, 25, 50 and 100 % of its speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import MotionError
from bifilar.experiment.checks import named, positive, row
from bifilar.experiment.piecewise import quintic
from bifilar.experiment.trajectory import Array, Curve, Derivatives, Motion, Trajectory

SPEEDS = (0.10, 0.25, 0.50, 1.0)
SEAM = 1e-6  # [rad], [rad/s], [rad/s^2]: what may differ where one part ends and the next begins


@dataclass(frozen=True, eq=False, repr=False)
class Slowed(Curve):
    """Any trajectory in `factor` times its time.

    >>> slow = Slowed(bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]), 2.0)
    >>> slow.at(2.0).velocity
    array([[0.46875]])
    """

    trajectory: Trajectory
    factor: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", slowing(self.factor))
        object.__setattr__(self, "joint_names", named(self.trajectory.joint_names))

    @property
    def duration(self) -> float:
        """Length in seconds.

        >>> Slowed(bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]), 2.0).duration
        4.0
        """
        return self.trajectory.duration * self.factor

    def _derivatives(self, time: Array) -> Derivatives:
        s, inner = self.factor, self.trajectory.at(np.minimum(time / self.factor, self.trajectory.duration))
        jerk = None if inner.jerk is None else inner.jerk / s**3
        return inner.position.copy(), inner.velocity / s, inner.acceleration / s**2, jerk


@dataclass(frozen=True, eq=False, repr=False)
class Shifted(Curve):
    """Any trajectory with a constant added to its positions.

    >>> Shifted(bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]), 0.5).at(0.0).position
    array([[0.5]])
    """

    trajectory: Trajectory
    offset: Array  # (joints,)

    def __post_init__(self) -> None:
        names = named(self.trajectory.joint_names)
        object.__setattr__(self, "joint_names", names)
        object.__setattr__(self, "offset", row("offset", self.offset, names))

    @property
    def duration(self) -> float:
        """Length in seconds.

        >>> Shifted(bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]), 0.5).duration
        2.0
        """
        return self.trajectory.duration

    def _derivatives(self, time: Array) -> Derivatives:
        inner = self.trajectory.at(time)
        return inner.position + self.offset, inner.velocity, inner.acceleration, inner.jerk


@dataclass(frozen=True, eq=False, repr=False)
class Concatenated(Curve):
    """Trajectories one after the other; made by `concatenate`, which checks the seams.

    >>> there = bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0])
    >>> Concatenated((there, there.with_offset(1.0))).duration
    4.0
    """

    parts: tuple[Trajectory, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint_names", named(self.parts[0].joint_names))

    @cached_property
    def starts(self) -> Array:
        """When each part begins, and when the last one ends.

        >>> there = bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0])
        >>> Concatenated((there, there.with_offset(1.0))).starts
        array([0., 2., 4.])
        """
        starts = np.concatenate([[0.0], np.cumsum([part.duration for part in self.parts])])
        starts.flags.writeable = False
        return starts

    @property
    def duration(self) -> float:
        """Length in seconds.

        >>> Concatenated((bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]),)).duration
        2.0
        """
        return float(self.starts[-1])

    def _derivatives(self, time: Array) -> Derivatives:
        which = np.clip(np.searchsorted(self.starts, time, side="right") - 1, 0, len(self.parts) - 1)
        result = [np.zeros((len(time), len(self.joint_names))) for _ in range(4)]
        known = True
        for k, part in enumerate(self.parts):
            here = which == k
            motion = part.at(np.clip(time[here] - self.starts[k], 0.0, part.duration))
            known &= motion.jerk is not None
            for array, values in zip(result, (motion.position, motion.velocity, motion.acceleration, motion.jerk)):
                array[here] = 0.0 if values is None else values
        return result[0], result[1], result[2], result[3] if known else None


def concatenate(*trajectories: Trajectory, transition: float | None = None) -> Concatenated:
    """One trajectory after the other, without jumps of position, velocity or acceleration.

    `transition`: seconds for a quintic from where one part rests to where the next one begins, where these differ.

    >>> there = bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0])
    >>> bf.concatenate(there, there, transition=1.0).duration
    5.0
    """
    if not trajectories:
        raise MotionError("motion.empty/compose")
    parts: list[Trajectory] = [trajectories[0]]
    for k, following in enumerate(trajectories[1:], 1):
        _same_joints(trajectories[0], following, k)
        end, start = parts[-1].at(parts[-1].duration), following.at(0.0)
        if transition is not None and np.abs(start.position - end.position).max() > SEAM:
            bridge = quintic(following.joint_names, np.concatenate([end.position, start.position]), [0.0, transition])
            _no_jump(end, bridge.at(0.0), k)
            end = bridge.at(bridge.duration)
            parts.append(bridge)
        _no_jump(end, start, k)
        parts.append(following)
    return Concatenated(tuple(parts))


def speed_ladder(trajectory: Trajectory, speeds: Sequence[float] = SPEEDS) -> dict[float, Trajectory]:
    """The same path at these fractions of the full speed, to be tried in this order.

    >>> ladder = bf.speed_ladder(bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]))
    >>> [(speed, slow.duration) for speed, slow in ladder.items()]
    [(0.1, 20.0), (0.25, 8.0), (0.5, 4.0), (1.0, 2.0)]
    """
    slower = trajectory.slowed if isinstance(trajectory, Curve) else lambda factor: Slowed(trajectory, factor)
    return {speed: trajectory if speed == 1 else slower(1 / positive("the speed", speed)) for speed in speeds}


def slowing(factor: float) -> float:
    """A factor of at least 1; less would be faster than the motion that was checked.

    >>> slowing(2)
    2.0
    """
    factor = positive("the factor of time", factor)
    if factor < 1:
        raise MotionError("motion.faster", factor=factor, factor_2=1 / factor)
    return factor


def _same_joints(first: Trajectory, other: Trajectory, k: int) -> None:
    if tuple(first.joint_names) != tuple(other.joint_names):
        same = set(first.joint_names) == set(other.joint_names)
        raise MotionError(
            "motion.joints_differ/compose" if same else "motion.joints_differ/same_joints",
            k=k,
            joint_names=other.joint_names,
            joint_names_2=first.joint_names,
        )


def _no_jump(end: Motion, start: Motion, k: int) -> None:
    for what in ("position", "velocity", "acceleration"):
        jump: ArrayLike = getattr(start, what)[0] - getattr(end, what)[0]
        j = int(np.argmax(np.abs(jump)))
        if abs(np.asarray(jump)[j]) > SEAM:
            raise MotionError(
                "motion.jumps/compose" if what == "position" else "motion.jumps/no_jump",
                thing=what,
                joint_name=end.joint_names[j],
                getattr=getattr(end, what)[0, j],
                getattr_2=getattr(start, what)[0, j],
                k=k,
            )
