"""PD with gravity compensation: springs and dampers to the goal, the model holds the arm's weight.

    torque = g(q) + Kp (q* - q) + Kd (v* - v) + share * friction

Stable for any positive gains in continuous time (Takegaki and Arimoto 1981); it needs no inertias and pays
with errors in motion.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from bifilar.control.friction_share import friction_to_compensate
from bifilar.control.gains import per_joint, share
from bifilar.control.sampling import refuse_unstable_gains
from bifilar.dynamics.tree import Array
from bifilar.robot.model import Model
from bifilar.robot.smooth import SLIP, smoothed
from bifilar.simulate.controller import Conditions, Goal, State


@dataclass(frozen=True, eq=False)
class GravityPD:
    """Gains per joint.

    >>> robot = bf.Robot.load("two_link")
    >>> q, still = np.array([0.3, 0.2]), np.zeros(2)
    >>> hold = GravityPD(robot, kp=100.0, kd=10.0).torque(bf.State(q, still), bf.Goal(q, still, still), 0.0)
    >>> bool(np.allclose(hold, robot.gravity_torque(q)))
    True
    """

    model: Model
    _: KW_ONLY
    kp: Array | float  # [N m/rad] for all joints or one for each
    kd: Array | float  # [N m s/rad] alike
    friction: float = 0.0  # share of the model's friction that is compensated
    slip: float = SLIP  # [rad/s] or [m/s] least width of its sign of speed

    def __post_init__(self) -> None:
        for name in ("kp", "kd"):
            object.__setattr__(self, name, per_joint(name, getattr(self, name), self.model.joint_names, zero=True))
        share("friction", self.friction)
        object.__setattr__(self, "model", smoothed(self.model, self.slip))

    @classmethod
    def like(cls, model: Model, position: ArrayLike, *, omega: ArrayLike, friction: float = 0.0) -> GravityPD:
        """The gains that would give every joint alone this bandwidth at a pose: diag(B) omega^2 and 2 diag(B) omega.

        >>> GravityPD.like(bf.Robot.load("two_link"), [0.0, 0.0], omega=10.0).kp.shape
        (2,)
        """
        w = per_joint("omega", omega, model.joint_names)
        inertia = model.mass_matrix(position).diagonal()
        return cls(model, kp=inertia * w**2, kd=2 * inertia * w, friction=friction)

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """For this instant.

        >>> still = np.zeros(1)
        >>> law = GravityPD(bf.Robot.load("pendulum"), kp=10.0, kd=1.0)
        >>> law.torque(bf.State(still, still), bf.Goal(still + 0.1, still, still), 0.0)
        array([1.])
        """
        (q, v), (to, speed, _) = state[:2], reference
        tau = self.model.gravity_torque(q) + self.kp * (to - q) + self.kd * (speed - v)
        return tau + self.friction * friction_to_compensate(self.model, q, v, speed) if self.friction else tau

    def check(self, conditions: Conditions) -> None:
        """Raise if the loop would be unstable at its sampling rate, seen at the pose where the motion begins.

        >>> robot, pose = bf.Robot.load("pendulum"), np.zeros(1)
        >>> GravityPD(robot, kp=10.0, kd=1.0).check(bf.Conditions(1e-3, 0.005, 0.0, None, pose, pose - 1, pose + 1))
        """
        refuse_unstable_gains(np.diag(self.kp), np.diag(self.kd), self.model, conditions, left=1 - self.friction)
