"""Static poses: move, hold, move, hold. At rest torque is gravity and an offset, whatever the masses' motion would add.

Moves are quintic from rest to rest. A move takes the time given, or the shortest that keeps every joint within the limits of
velocity, acceleration and jerk of the robot (times a margin).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import table
from bifilar.errors import MotionError
from bifilar.experiment.checks import named, positive
from bifilar.experiment.piecewise import Piecewise, quintic
from bifilar.experiment.trajectory import Array, Motion, Window

if TYPE_CHECKING:
    from bifilar.robot.described import JointLimits


@dataclass(frozen=True, eq=False, repr=False)
class PoseSequence(Piecewise):
    """Poses one after the other, and when each is held; made by `pose_sequence`.

    >>> bf.pose_sequence(["elbow"], [[0.0], [1.0]], hold=2.0, move=1.0).holds
    (Window(start=0.0, stop=2.0), Window(start=3.0, stop=5.0))
    """

    holds: tuple[Window, ...] = ()  # one per pose

    @property
    def poses(self) -> Array:
        """The held positions (poses, joints).

        >>> bf.pose_sequence(["elbow"], [[0.0], [1.0]], hold=2.0, move=1.0).poses.ravel()
        array([0., 1.])
        """
        return self.at([(hold.start + hold.stop) / 2 for hold in self.holds]).position

    def held(self, motion: Motion, settle: float = 0.0) -> list[Motion]:
        """The parts of a sampled motion on the same clock in which each pose is held, without the first `settle` seconds.

        >>> poses = bf.pose_sequence(["elbow"], [[0.0], [1.0]], hold=2.0, move=1.0)
        >>> [len(part) for part in poses.held(poses.sample(10), settle=1.0)]
        [11, 11]
        """
        wait = positive("the time to settle", settle, "s", zero=True)
        slack = 1e-9 * self.duration
        windows = [Window(hold.start + wait - slack, hold.stop + slack) for hold in self.holds]
        return [motion[window.contains(motion.time)] for window in windows]

    def slowed(self, factor: float) -> Self:
        """The same path in `factor` times the time; poses are held that much longer.

        >>> bf.pose_sequence(["elbow"], [[0.0], [1.0]], hold=2.0, move=1.0).slowed(2).holds[1]
        Window(start=6.0, stop=10.0)
        """
        return replace(super().slowed(factor), holds=tuple(hold.slowed(factor) for hold in self.holds))


def pose_sequence(
    joint_names: Sequence[str],
    poses: ArrayLike,
    *,
    hold: float,
    move: float | None = None,
    limits: JointLimits | None = None,
    margin: float = 0.5,
) -> PoseSequence:
    """Hold each of `poses` (poses, joints) for `hold` seconds, moving between them.

    `move` [s] per move; left out: the shortest moves within `margin` times the `limits` of velocity, acceleration and jerk.

    >>> robot = bf.Robot.load("pendulum")
    >>> bf.pose_sequence(robot.joint_names, [[0.0], [1.0], [-1.0]], hold=2.0, move=1.5).duration
    9.0
    """
    names = named(joint_names)
    q = table("poses", poses, names)[0]
    hold = positive("the time of a hold", hold, "s")
    if not len(q):
        raise MotionError("poses.none/poses")
    times = [positive("the time of a move", move, "s")] * (len(q) - 1) if move is not None else _times(names, q, limits, margin)
    stays = [0.0]
    for time in times:
        stays.append(stays[-1] + hold + time)
    starts = np.array(stays)
    knots = np.stack([starts, starts + hold], axis=1).ravel()
    path = quintic(names, np.repeat(q, 2, axis=0), knots, limits=limits)
    return PoseSequence(names, path.knots, path.control, tuple(Window(float(s), float(s + hold)) for s in starts))


def transition_time(distance: ArrayLike, limits: JointLimits, margin: float = 1.0) -> float:
    """Seconds that a quintic from rest to rest needs for `distance` (joints,) within `margin` times the limits.

    >>> limits = bf.Robot.load("panda").limits
    >>> bf.transition_time(np.ones(7), limits) < bf.transition_time(np.ones(7), limits, margin=0.5)
    True
    """
    D = np.abs(np.asarray(distance, dtype=np.float64))
    share = positive("the margin", margin)
    speed = 15 / 8 * D / (share * limits.velocity)
    surge = np.sqrt(10 / np.sqrt(3) * D / (share * limits.acceleration))
    jolt = np.cbrt(60 * D / (share * limits.jerk))
    return float(np.max([speed, surge, jolt]))


def _times(names: tuple[str, ...], q: Array, limits: JointLimits | None, margin: float) -> list[float]:
    if limits is None:
        raise MotionError("duration.missing/poses")
    if len(limits.velocity) != len(names):
        raise MotionError("limits.count/poses", velocity_count=len(limits.velocity), name_count=len(names))
    endless = ~np.isfinite(limits.velocity)
    if endless.any():
        raise MotionError("limits.velocity_missing", name=names[int(np.argmax(endless))])
    times = [transition_time(step, limits, margin) for step in np.diff(q, axis=0)]
    return [max(time, 1e-3) for time in times]  # the same pose twice: a piece still needs a length
