"""A recorded or designed motion as a viewer plays it: the pose of every joint at any time."""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.experiment.trajectory import Motion
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

Played = Recording | Motion  # what was measured, or samples of what is to be played


class Playback:
    """Joint positions over time, from zero on; joints that were not recorded keep the rest position.

    >>> time = np.array([5.0, 6.0, 7.0])
    >>> log = bf.Recording(joint_names=("joint1",), time=time, position=np.array([[0.0], [1.0], [np.nan]]))
    >>> motion = Playback(bf.Robot.load("pendulum"), log, np.zeros(1))
    >>> motion.duration, float(motion.at(0.5)[0])
    (1.0, 0.5)
    """

    def __init__(self, robot: Robot, played: Played, rest: Array) -> None:
        found = [name for name in robot.joint_names if name in played.joint_names]
        if played.position is None or not found:
            raise RecordingError(
                "recording.no_position/playback" if not found else "recording.no_position/init",
                recorded=played.joint_names[:10],
                robot=robot.joint_names[:10],
            )
        columns = np.array([list(played.joint_names).index(name) for name in found])
        position = np.asarray(played.position, dtype=float)[:, columns]
        whole = np.isfinite(position).all(axis=1) & np.isfinite(played.time)
        if not whole.any():
            raise RecordingError("recording.no_position/playback_init")
        time = np.asarray(played.time, dtype=float)[whole]
        order = np.argsort(time, kind="stable")
        self.time = time[order] - time[order[0]]
        self.missing = tuple(name for name in robot.joint_names if name not in found)
        self.position = np.tile(rest, (len(self.time), 1))
        self.position[:, [robot.joint_names.index(name) for name in found]] = position[whole][order]

    @property
    def duration(self) -> float:
        """From the first sample to the last [s].

        >>> log = bf.Recording(joint_names=("joint1",), time=np.array([1.0, 3.0]), position=np.zeros((2, 1)))
        >>> Playback(bf.Robot.load("pendulum"), log, np.zeros(1)).duration
        2.0
        """
        return float(self.time[-1])

    def at(self, time: float) -> Array:
        """Positions at a time, on the straight line between two samples.

        >>> log = bf.Recording(joint_names=("joint1",), time=np.array([0.0, 2.0]), position=np.array([[0.0], [1.0]]))
        >>> Playback(bf.Robot.load("pendulum"), log, np.zeros(1)).at(1.0)
        array([0.5])
        """
        k = int(np.clip(np.searchsorted(self.time, time, side="right"), 1, max(len(self.time) - 1, 1)))
        if len(self.time) == 1:
            return np.array(self.position[0])
        span = self.time[k] - self.time[k - 1]
        share = 0.0 if span <= 0 else float(np.clip((time - self.time[k - 1]) / span, 0.0, 1.0))
        return np.asarray((1 - share) * self.position[k - 1] + share * self.position[k])
