"""The equations of motion as an implicit solver takes them: no mass matrix is ever inverted.

    s = (q, v),   h(t, s, s') = ( v - q',  inverse dynamics(q, v, v') - torque - pushes ) = 0
    J = dh/ds + alpha dh/ds' = [      -alpha 1                     1                ]
                               [ dtau/dq - dT/dq      dtau/dv - dT/dv + alpha B    ]

All derivatives are exact but those of a torque that is given as a function of the state, which are central differences. It
works for any parameters that predict torques: base parameters alone, or a model whose B is not positive somewhere.
Bargsten, Zometa and Findeisen 2013, equation (9).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError, SolveError
from bifilar.robot.model import Model
from bifilar.robot.smooth import SLIP, smoothed
from bifilar.simulate.pushes import LinkPush, Push, joint_torque, known
from bifilar.simulate.wrench import wrench_torque

Input = ArrayLike | Callable[[float, Array, Array], ArrayLike] | None
STEP = 1e-6  # of the differences of a given function


class ImplicitForm:
    """h and its Jacobian for one robot, its inputs and its friction, whose signs are smooth over `slip`.

    `torque`: constant, or a function of time, position and velocity; none if left out.

    >>> form = ImplicitForm(bf.Robot.load("pendulum"), torque=[1.0])
    >>> form.residual(0.0, np.array([0.0, 2.0]), np.array([2.0, 0.0]))
    array([ 0., -1.])
    """

    def __init__(
        self, model: Model, *, torque: Input = None, pushes: Push | tuple[Push, ...] | list[Push] = (), slip: float = SLIP
    ) -> None:
        if model.is_floating:
            raise RobotError("robot.floating/implicit_form")
        self.model = smoothed(model, slip)
        self.joints = len(model.joint_names)
        self.pushes = known(pushes, model)
        self._held: float | None = None  # the instant whose pushes act, if always the same do
        self._torque: Callable[[float, Array, Array], ArrayLike] | None = None
        self._constant = np.zeros(self.joints)
        if callable(torque):
            self._torque = torque
        elif torque is not None:
            self._constant = numbers("torque", torque)
            if self._constant.shape != (self.joints,) or not np.isfinite(self._constant).all():
                raise ShapeError("shape.wrong/implicit_form", shape=self._constant.shape, joints=self.joints)

    def held(self, time: float) -> ImplicitForm:
        """The same with the pushes of this instant, which then neither begin nor end: smooth, for one stretch of time.

        >>> push = bf.JointPush(joint="joint1", torque=2.0, start=0.0, stop=1.0)
        >>> ImplicitForm(bf.Robot.load("pendulum"), pushes=push).held(0.5).applied(7.0, np.zeros(1), np.zeros(1))
        array([2.])
        """
        form = copy(self)
        form._held = time
        return form

    def applied(self, time: float, position: Array, velocity: Array) -> Array:
        """What acts on the joints: torque and pushes, (joints,).

        >>> ImplicitForm(bf.Robot.load("pendulum"), torque=lambda t, q, v: -2.0 * v).applied(0.0, np.zeros(1), np.ones(1))
        array([-2.])
        """
        total = self._given(time, position, velocity) + joint_torque(self.pushes, self.model.joint_names, self._when(time))
        for push in self._links(time):
            total = total + wrench_torque(self.model, push, position)[0]
        return total

    def residual(self, time: float, state: Array, rate: Array) -> Array:
        """h(t, s, s'), (2 joints,).

        >>> ImplicitForm(bf.Robot.load("pendulum")).residual(0.0, np.zeros(2), np.zeros(2))
        array([0., 0.])
        """
        q, v = np.split(state, 2)
        moved, a = np.split(rate, 2)
        return np.concatenate([v - moved, self.model.inverse_dynamics(q, v, a) - self.applied(time, q, v)])

    def acceleration(self, time: float, position: Array, velocity: Array) -> Array:
        """a with which h = 0, (joints,): one solution of B a = ..., a few where friction depends on the load.

        >>> ImplicitForm(bf.Robot.load("pendulum")).acceleration(0.0, np.zeros(1), np.ones(1)).round(9) + 0.0
        array([0.])
        """
        q, v, a, applied = position, velocity, np.zeros_like(position), self.applied(time, position, velocity)
        for _ in range(20):
            off = self.model.inverse_dynamics(q, v, a) - applied
            if np.abs(off).max(initial=0.0) <= 1e-11 * max(1.0, np.abs(applied).max(initial=0.0), np.abs(a).max(initial=0.0)):
                break
            try:
                a = a - np.linalg.solve(self.model.derivatives(q, v, a)[2], off)
            except np.linalg.LinAlgError:
                raise SolveError("mass_matrix.singular/implicit_form", where=f"position {q.round(4).tolist()}") from None
        return a

    def jacobian(self, time: float, state: Array, rate: Array, alpha: float) -> Array:
        """dh/ds + alpha dh/ds', (2 joints, 2 joints).

        >>> ImplicitForm(bf.Robot.load("pendulum")).jacobian(0.0, np.zeros(2), np.zeros(2), 10.0)[0]
        array([-10.,   1.])
        """
        n, (q, v), (_, a) = self.joints, np.split(state, 2), np.split(rate, 2)
        by_q, by_v, by_a = self.model.derivatives(q, v, a)
        torque_by_q, torque_by_v = self._slopes(time, q, v)
        J = np.zeros((2 * n, 2 * n))
        J[:n, :n], J[:n, n:] = -alpha * np.eye(n), np.eye(n)
        J[n:, :n], J[n:, n:] = by_q - torque_by_q, by_v - torque_by_v + alpha * by_a
        return J

    def _given(self, time: float, q: Array, v: Array) -> Array:
        if self._torque is None:
            return self._constant
        tau = np.asarray(self._torque(time, q, v), dtype=float)
        if tau.shape != q.shape:
            raise ShapeError("shape.wrong/given", shape=tau.shape, q_count=len(q))
        return tau

    def _slopes(self, time: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Derivatives of what acts on the joints."""
        by_q, by_v = np.zeros((2, self.joints, self.joints))
        for push in self._links(time):
            by_q += wrench_torque(self.model, push, q)[1]
        if self._torque is not None:
            for k, step in enumerate(STEP * np.eye(self.joints)):
                by_q[:, k] += (self._given(time, q + step, v) - self._given(time, q - step, v)) / (2 * STEP)
                by_v[:, k] += (self._given(time, q, v + step) - self._given(time, q, v - step)) / (2 * STEP)
        return by_q, by_v

    def _when(self, time: float) -> float:
        return time if self._held is None else self._held

    def _links(self, time: float) -> tuple[LinkPush, ...]:
        return tuple(push for push in self.pushes if isinstance(push, LinkPush) and push.acts(self._when(time)))
