"""Gravity compensation that can be left running: the torque that holds the arm, behind limits.

torque = share * gravity torque(position) - damping * velocity
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from bifilar.control.safety import Guarded, Safety, SafetySettings, damping_of
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError


class HoldsStill(Protocol):
    """Anything that knows the torque of gravity: a GravityModel, a GravityEstimate."""

    def torque(self, position: ArrayLike) -> Array:
        """At a pose.

        >>> bf.GravityModel.of(bf.Robot.load("pendulum")).torque([0.0]).shape
        (1,)
        """
        ...


class GravityCompensation:
    """One per arm; `step` is called at the control rate and never raises.

    >>> robot = bf.Robot.load("panda")
    >>> arm = bf.GravityCompensation(bf.GravityModel.of(robot), bf.SafetySettings.of(robot))
    >>> q = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0])
    >>> steps = [arm.step(q, np.zeros(7), k / 1000).torque for k in range(2000)]
    >>> bool(np.allclose(steps[-1], robot.gravity_torque(q)))
    True
    """

    def __init__(
        self, model: HoldsStill, safety: SafetySettings, *, share: float = 1.0, damping: ArrayLike | None = None
    ) -> None:
        if not 0 <= share <= 1:
            raise RobotError("setting.wrong/gravity_compensation", share=share)
        self._model, self._share, self._safety = model, share, Safety(safety)
        joints = len(safety.torque)
        self._nothing, self._damping = np.full(joints, np.nan), damping_of(damping, joints)
        answer = model.torque(np.zeros(joints))
        if np.shape(answer) != (joints,):
            raise RobotError("shape.wrong/gravity_compensation", shape=np.shape(answer), joints=joints)

    def step(self, position: ArrayLike, velocity: ArrayLike, time: float, stamp: float | None = None) -> Guarded:
        """Torque for this instant; `stamp` [s] is when the state was measured.

        >>> robot = bf.Robot.load("pendulum").with_limits({"joint1": {"effort": 20.0}})
        >>> arm = bf.GravityCompensation(bf.GravityModel.of(robot), bf.SafetySettings.of(robot))
        >>> arm.step([np.nan], [0.0], 0.0).state
        'holding'
        """
        return self._safety.step(self._wanted(position, velocity), position, velocity, time, stamp)

    def _wanted(self, position: ArrayLike, velocity: ArrayLike) -> ArrayLike:
        try:
            q, v = np.asarray(position, dtype=float), np.asarray(velocity, dtype=float)
            if not (np.isfinite(q).all() and np.isfinite(v).all()):
                return self._nothing
            with np.errstate(all="ignore"):
                return self._share * self._model.torque(q) - self._damping * v
        except Exception:  # whatever a state does to the model, the arm must not feel it
            return self._nothing
