"""What really happened while a virtual robot was recorded. For tests, never for a fit."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.recording.channel import frozen
from bifilar.robot.parameters import Parameters


@dataclass(frozen=True, eq=False, kw_only=True)
class Truth:
    """What really happened at the recorded samples; only a virtual robot can tell. For tests, never for a fit.

    >>> Truth(time=[0.0], position=[[1.0]], velocity=[[0.0]], acceleration=[[0.0]], torque=[[2.0]]).position
    array([[1.]])
    """

    time: Array  # (N,) [s] when the samples were really taken
    position: Array  # (N, joints) [rad] or [m] of the links
    velocity: Array  # (N, joints)
    acceleration: Array  # (N, joints) under the torque that begins to act at this sample
    torque: Array  # (N, joints) [N m] or [N] that the motors put out, from this sample to the next
    motor_position: Array | None = None  # (N, joints) of the motor side, where joints are flexible
    motor_velocity: Array | None = None  # (N, joints)
    parameters: Parameters | None = None  # of the robot that was played

    def __post_init__(self) -> None:
        for name in self._arrays():
            object.__setattr__(self, name, frozen(name, getattr(self, name)))

    def rows(self, chosen: slice | NDArray[np.int64]) -> Truth:
        """Some of the samples.

        >>> still = np.zeros((5, 1))
        >>> Truth(time=range(5), position=still, velocity=still, acceleration=still, torque=still).rows(slice(3)).time
        array([0., 1., 2.])
        """
        return replace(self, **{name: getattr(self, name)[chosen] for name in self._arrays()})

    def pick(self, places: list[int]) -> Truth:
        """Some of the joints, by their place.

        >>> still = np.zeros((5, 3))
        >>> Truth(time=range(5), position=still, velocity=still, acceleration=still, torque=still).pick([2]).position.shape
        (5, 1)
        """
        return replace(self, **{name: getattr(self, name)[:, places] for name in self._arrays() if name != "time"})

    def _arrays(self) -> list[str]:
        """Names of the fields that hold one row per sample."""
        names = [field.name for field in fields(self) if field.name != "parameters"]
        return [name for name in names if getattr(self, name) is not None]
