"""Computed torque: the model cancels the arm's dynamics, and what is left behaves like one critically damped mass per joint.

    torque = B(q) u + C(q, v) v + g(q) + share * friction,        u = a* + 2 damping omega (v* - v) + omega^2 (q* - q)

With a perfect model e'' + 2 damping omega e' + omega^2 e = 0. No matrix is formed: B u + C v + g is one inverse dynamics.
Coulomb friction is compensated at the wanted velocity, viscous at the actual one (friction_share.py); `friction_at="actual"`
takes all of it at the actual one, as the paper does. That settles twice as fast after a push and tracks up to a fifth worse;
where more friction is compensated than there is, the arm swings by itself. So it is not the default (figures: docs/control.md).
`Superposed` sends the torque less the gravity torque to a robot that adds its own. Bargsten et al. 2013, (10), (11).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from bifilar.control.friction_share import friction_to_compensate
from bifilar.control.gains import per_joint, share
from bifilar.control.positive_mass import refuse_indefinite
from bifilar.control.sampling import refuse_unstable_omega
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.robot.model import Model
from bifilar.robot.smooth import SLIP, smoothed
from bifilar.simulate.controller import Conditions, Controller, Goal, State


@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """Error dynamics per joint.

    >>> robot = bf.Robot.load("two_link")
    >>> law = ComputedTorque(robot, omega=[20.0, 30.0])
    >>> q, v, a = np.array([[0.3, 0.2], [1.0, 2.0], [3.0, 4.0]])
    >>> bool(np.allclose(law.torque(bf.State(q, v), bf.Goal(q, v, a), 0.0), robot.inverse_dynamics(q, v, a)))
    True
    """

    model: Model
    _: KW_ONLY
    omega: Array | float  # [rad/s] of the error dynamics, for all joints or one for each
    damping: float = 1.0  # ratio; 1 is critical
    friction: float = 1.0  # share of the model's friction that is compensated
    slip: float = SLIP  # [rad/s] or [m/s] least width of its sign of speed
    friction_at: Literal["wanted", "actual"] = "wanted"  # velocity whose sign Coulomb friction has

    def __post_init__(self) -> None:
        if self.friction_at not in ("wanted", "actual"):
            raise ShapeError("friction.place", friction_at=self.friction_at)
        for name in ("omega", "damping"):
            names = self.model.joint_names if name == "omega" else ("all",)
            found = per_joint(name, getattr(self, name), names)
            object.__setattr__(self, name, found if name == "omega" else float(found[0]))
        share("friction", self.friction)
        object.__setattr__(self, "model", smoothed(self.model, self.slip))

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """For this instant.

        >>> still = np.zeros(1)
        >>> law = ComputedTorque(bf.Robot.load("pendulum"), omega=10.0)
        >>> law.torque(bf.State(still, still), bf.Goal(still, still, still), 0.0)
        array([0.])
        """
        (q, v), (to, speed, wanted) = state[:2], reference
        u = wanted + 2 * self.damping * self.omega * (speed - v) + self.omega**2 * (to - q)
        tau = self.model.inverse_dynamics(q, v, u, friction=False)
        sign = speed if self.friction_at == "wanted" else v
        return tau + self.friction * friction_to_compensate(self.model, q, v, sign) if self.friction else tau

    def check(self, conditions: Conditions) -> None:
        """Raise if the loop would be unstable at its sampling rate, or the model has a place without mass.

        >>> robot, pose = bf.Robot.load("pendulum"), np.zeros(1)
        >>> ComputedTorque(robot, omega=10.0).check(bf.Conditions(1e-3, 0.005, 0.0, None, pose, pose - 1, pose + 1))
        """
        refuse_unstable_omega(np.asarray(self.omega), self.damping, self.model.joint_names, conditions)
        refuse_indefinite(self.model, conditions.lower, conditions.upper, near=conditions.position)


@dataclass(frozen=True, eq=False)
class Superposed:
    """Any controller, for a robot that adds its own gravity torque: it sends what the controller wants less that.

    >>> robot = bf.Robot.load("pendulum")
    >>> law = Superposed(ComputedTorque(robot, omega=10.0), robot)
    >>> q, still = np.full(1, 0.4), np.zeros(1)
    >>> law.torque(bf.State(q, still), bf.Goal(q, still, still), 0.0)
    array([0.])
    """

    controller: Controller
    gravity: Model  # whose gravity torque the robot adds: its maker's model, not ours

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """For this instant.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros(1)
        >>> law = Superposed(ComputedTorque(robot, omega=10.0), robot)
        >>> law.torque(bf.State(still, still), bf.Goal(still, still, still), 0.0)
        array([0.])
        """
        return self.controller.torque(state, reference, time) - self.gravity.gravity_torque(state.position)

    def __getattr__(self, name: str) -> Any:  # whatever else is asked of the controller, such as check
        if "controller" not in self.__dict__:  # a copy that is being made
            raise AttributeError(name)
        return getattr(self.controller, name)
