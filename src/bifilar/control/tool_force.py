"""Force feedback at the tool: a stated force along one direction, motion along all others.

    torque = B (u - B^-1 n' m n u) + C v + g + friction + n' F,        n = direction . J(q),   m = 1 / (n B^-1 n')
    F = force + gain * integral(force - measured) - damping m n v

u is computed torque's acceleration; its part along the direction is taken out with the mass m that the tool has there, and the
force takes its place (Raibert and Craig 1981, Khatib 1987). Against a spring of any stiffness the force settles if the gain is
smaller than the damping (Routh); without contact the tool approaches at no more than 2 force / (damping m).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bifilar.control.friction_share import friction_to_compensate
from bifilar.control.gains import per_joint, share
from bifilar.control.positive_mass import refuse_indefinite
from bifilar.control.sampling import refuse_unstable_omega
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError
from bifilar.robot.model import Model
from bifilar.robot.smooth import SLIP, smoothed
from bifilar.simulate.controller import Conditions, Goal, State

PAUSE = 0.1  # [s] longer gaps between two calls are not integrated


class ToolForce:
    """A controller of one run; it reads `state.wrench`, what the world does to the tool.

    >>> robot = bf.Robot.load("panda")
    >>> law = bf.ToolForce(robot, "link7", direction=[0, 0, -1], force=10.0, omega=20.0)
    >>> q, still = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0]), np.zeros(7)
    >>> touched = bf.State(q, still, np.array([0, 0, 10.0, 0, 0, 0]))
    >>> held = law.torque(touched, bf.Goal(q, still, still), 0.0) - robot.gravity_torque(q)
    >>> bool(np.allclose(held, robot.jacobian("link7", q)[:3].T @ [0, 0, -10.0]))
    True
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        *,
        direction: Sequence[float] | Array,
        force: float,
        omega: ArrayLike,
        gain: float = 10.0,
        damping: float = 40.0,
        friction: float = 1.0,
        slip: float = SLIP,
    ) -> None:
        """`frame`: the tool, whose origin presses. `direction`: in the world, any length. `force` [N]: of the tool onto the
        world along it. `omega` [rad/s]: of the motion along the other directions. `gain` and `damping` [1/s].
        """
        axis = np.asarray(direction, dtype=float)
        if axis.shape != (3,) or not np.isfinite(axis).all() or not np.linalg.norm(axis) > 0:
            raise ShapeError("force.direction", direction=direction)
        if not (np.isfinite(force) and 0 <= gain < np.inf and 0 < damping < np.inf):
            raise ShapeError("setting.wrong/tool_force", force=force, gain=gain, damping=damping)
        if gain >= damping:
            raise RobotError("loop.unstable/tool_force", gain=gain, damping=damping)
        model._frame(frame)  # a name that does not exist is refused here
        self.model, self.frame, self.axis = smoothed(model, slip), frame, axis / np.linalg.norm(axis)
        self.force, self.gain, self.damping = float(force), float(gain), float(damping)
        self._omega, self._share = per_joint("omega", omega, model.joint_names), share("friction", friction)
        self._sum, self._time, self._off = 0.0, np.nan, 0.0

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """For this instant.

        >>> robot, still = bf.Robot.load("panda"), np.zeros(7)
        >>> law = bf.ToolForce(robot, "link7", direction=[0, 0, -1], force=10.0, omega=20.0)
        >>> law.torque(bf.State(still, still), bf.Goal(still, still, still), 0.0)
        Traceback (most recent call last):
        bifilar.errors.RobotError: the force at 'link7' is not measured
          try     give state.wrench: force and moment of the world on the tool
        """
        if state.wrench is None:
            raise RobotError("force.not_measured", frame=self.frame)
        (q, v), (to, speed, push) = state[:2], reference
        self._add(time)
        self._off = self.force + float(self.axis @ state.wrench[:3])  # what is missing; the world pushes back
        u = push + 2 * self._omega * (speed - v) + self._omega**2 * (to - q)
        n = self.axis @ self.model.jacobian(self.frame, q)[:3]
        m = 1.0 / max(float(n @ np.linalg.solve(self.model.mass_matrix(q), n)), 1e-9)
        tau = self.model.inverse_dynamics(q, v, u, friction=False) - n * m * (n @ u)
        if self._share:
            tau = tau + self._share * friction_to_compensate(self.model, q, v, speed)
        return np.asarray(tau + n * (self.force + self._sum - self.damping * m * (n @ v)))

    def check(self, conditions: Conditions) -> None:
        """Raise if the motion's loop would be unstable at its sampling rate, or the model has a place without mass.

        >>> robot, pose = bf.Robot.load("panda"), np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0])
        >>> law = bf.ToolForce(robot, "link7", direction=[0, 0, -1], force=10.0, omega=20.0)
        >>> law.check(bf.Conditions(1e-3, 0.0, 0.0, None, pose, robot.limits.lower, robot.limits.upper))
        """
        refuse_unstable_omega(np.append(self._omega, self.damping / 2), 1.0, (*self.model.joint_names, "the tool"), conditions)
        refuse_indefinite(self.model, conditions.lower, conditions.upper, near=conditions.position)

    def _add(self, time: float) -> None:
        """The error of the last instant, held until now; no more than the force itself, else it winds up on the way."""
        step = time - self._time
        self._time = time
        if 0 < step <= PAUSE:
            most = abs(self.force)
            self._sum = float(np.clip(self._sum + self.gain * self._off * step, -most, most))
