"""Joint impedance: whoever pushes the arm feels springs and dampers of one's choice, and the arm's own inertia.

    torque = B a* + C(q, v) v* + g + K (q* - q) + D(q) (v* - v) + share * friction
    B e'' + C e' + D e' + K e = what the world pushes with

D damps every mode of (B, K) equally: with B = A A' and K = A W A', D = 2 damping A sqrt(W) A' (Albu-Schaeffer et al. 2003). The
inertia is not reshaped, so that no force needs to be measured and contact with anything passive stays stable.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from bifilar.control.friction_share import friction_to_compensate
from bifilar.control.gains import per_joint, share
from bifilar.control.mixed_motion import mixed_torque
from bifilar.control.positive_mass import refuse_indefinite
from bifilar.control.sampling import refuse_unstable_gains
from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.robot.model import Model
from bifilar.robot.smooth import SLIP, smoothed
from bifilar.simulate.controller import Conditions, Goal, State


@dataclass(frozen=True, eq=False)
class JointImpedance:
    """Springs per joint.

    >>> robot = bf.Robot.load("two_link")
    >>> law = bf.JointImpedance(robot, stiffness=[50.0, 20.0])
    >>> q, still = np.array([0.3, 0.2]), np.zeros(2)
    >>> pull = law.torque(bf.State(q, still), bf.Goal(q + 0.1, still, still), 0.0) - robot.gravity_torque(q)
    >>> pull.round(9)
    array([5., 2.])
    """

    model: Model
    _: KW_ONLY
    stiffness: Array | float  # [N m/rad] for all joints or one for each
    damping: float = 1.0  # ratio of every mode; 1 is critical
    friction: float = 1.0  # share of the model's friction that is compensated
    slip: float = SLIP  # [rad/s] or [m/s] least width of its sign of speed

    def __post_init__(self) -> None:
        object.__setattr__(self, "stiffness", per_joint("stiffness", self.stiffness, self.model.joint_names))
        object.__setattr__(self, "damping", float(per_joint("damping", self.damping, ("all",))[0]))
        share("friction", self.friction)
        object.__setattr__(self, "model", smoothed(self.model, self.slip))

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """For this instant.

        >>> still = np.zeros(1)
        >>> law = bf.JointImpedance(bf.Robot.load("pendulum"), stiffness=10.0)
        >>> law.torque(bf.State(still, still), bf.Goal(still + 0.1, still, still), 0.0)
        array([1.])
        """
        (q, v), (to, speed, push) = state[:2], reference
        tau = mixed_torque(self.model, q, v, speed, push) + self.stiffness * (to - q) + self.dampers(q) @ (speed - v)
        return tau + self.friction * friction_to_compensate(self.model, q, v, speed) if self.friction else tau

    def dampers(self, position: Array) -> Array:
        """D at a pose [N m s/rad], (joints, joints), symmetric and positive.

        >>> robot = bf.Robot.load("pendulum")
        >>> D = bf.JointImpedance(robot, stiffness=10.0).dampers(np.zeros(1))
        >>> bool(np.isclose(D[0, 0], 2 * np.sqrt(10.0 * robot.mass_matrix([0.0])[0, 0])))
        True
        """
        try:
            L = np.linalg.cholesky(self.model.mass_matrix(position))
        except np.linalg.LinAlgError as error:
            raise SolveError("mass_matrix.not_positive/impedance") from error
        half = np.linalg.solve(L, np.diag(np.sqrt(self.stiffness)))  # L^-1 K L^-T = half half'
        values, vectors = decompose.eigh(half @ half.T)
        A = L @ vectors
        return np.asarray(2 * self.damping * (A * np.sqrt(np.maximum(values, 0.0))) @ A.T)

    def check(self, conditions: Conditions) -> None:
        """Raise if the loop would be unstable at its sampling rate, or the model has a place without mass.

        >>> robot, pose = bf.Robot.load("pendulum"), np.zeros(1)
        >>> law = bf.JointImpedance(robot, stiffness=10.0)
        >>> law.check(bf.Conditions(1e-3, 0.005, 0.0, None, pose, pose - 1, pose + 1))
        """
        refuse_indefinite(self.model, conditions.lower, conditions.upper, near=conditions.position)
        dampers = self.dampers(conditions.position)
        refuse_unstable_gains(np.diag(self.stiffness), dampers, self.model, conditions, left=1 - self.friction)
