"""Adaptive control: the model's numbers follow the error, so that a wrong model becomes one that tracks.

    w = v* + omega (q* - q),   s = v - w
    torque = Y(q, v, w, w') phi - omega B0(q) s,        phi' = -rate metric^-1 Y' s

Y phi = B w' + C(q, v) w + g + friction(w); B0 is the mass matrix of the start, so that a model that is right and stays so gives
the critically damped error of computed torque. The error s goes to zero for any true parameters (Slotine and Li 1987). Friction
is taken at the wanted velocity: it is smooth there, and friction that grows with speed only helps. `metric="natural"` moves the
pseudo-inertia of every link along geodesics (inertia_steps.py), and friction by factors, so that every estimate is a body that
can exist, at any rate and any error, and within a stated factor of the start; "fixed" is the plain law with that metric
frozen at the start.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bifilar.control.gains import per_joint
from bifilar.control.inertia_steps import LONGEST, bounded, gradient_of, natural_step, numbers_of, pseudo_of
from bifilar.control.mixed_motion import mixed_regressor
from bifilar.control.positive_mass import refuse_indefinite
from bifilar.control.sampling import refuse_unstable_omega
from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError
from bifilar.robot.model import Model
from bifilar.robot.smooth import SLIP, smoothed
from bifilar.simulate.controller import Conditions, Goal, State

LEAST = 1e-10  # of a link's size: a smaller eigenvalue of its pseudo-inertia is none
PAUSE = 0.1  # [s] longer gaps between two calls teach nothing


class AdaptiveControl:
    """A controller of one run: it remembers what it has learnt.

    >>> robot = bf.Robot.load("two_link")
    >>> law = bf.AdaptiveControl(robot, omega=10.0)
    >>> q, v, a = np.array([[0.3, 0.2], [1.0, 2.0], [3.0, 4.0]])
    >>> bool(np.allclose(law.torque(bf.State(q, v), bf.Goal(q, v, a), 0.0), robot.inverse_dynamics(q, v, a)))
    True
    """

    def __init__(
        self,
        model: Model,
        *,
        omega: ArrayLike,
        rate: float = 2.0,
        metric: Literal["natural", "fixed"] = "natural",
        within: float = 4.0,
        slip: float = SLIP,
    ) -> None:
        """`omega` [rad/s]: of the error dynamics, for all joints or one for each. `rate` [1/J]: how fast it learns; one joule
        of work against the error changes a link by about this e-fold. Friction of zero is not learnt.
        `within`: how many times heavier or lighter than at the start a link may become in any direction, and friction
        larger or smaller; natural metric only. A push teaches wrong things, and a model far too heavy is a gain far too high.
        """
        if metric not in ("natural", "fixed"):
            raise ShapeError("metric.unknown", metric=metric)
        if not 0 <= rate < np.inf:
            raise ShapeError("setting.wrong/adaptive", rate=rate)
        if not 1 < within < np.inf:
            raise ShapeError("setting.wrong/init", within=within)
        if model.is_floating or model.drive_columns.columns.needs_load:
            what = "a floating base" if model.is_floating else "friction that depends on the load"
            raise RobotError("friction.unknown_to_controller", thing=what)
        self.rate, self.metric, self._within = float(rate), metric, float(within)
        self._start = smoothed(model, slip)
        self._omega = per_joint("omega", omega, model.joint_names)
        first = pseudo_of(np.asarray(model.body_parameters)[1:])
        self._moves = _bodies_that_learn(model, first)
        self._root = np.zeros_like(first)  # L of the start's L L'; a body is L Z L', and Z begins as the unit matrix
        self._root[self._moves] = np.linalg.cholesky(first[self._moves])
        self._relative = np.zeros_like(first) + np.eye(4)
        self._bodies = np.array(model.body_parameters)[1:]
        self._drive = np.array(model.drive_values)
        self._drive_first = np.where(self._drive == 0, 1.0, np.abs(self._drive))
        self._time = np.nan
        self._learning: tuple[Array, Array] | None = None  # gradients of the last call, held until this one

    @property
    def model(self) -> Model:
        """The model as it is now.

        >>> robot = bf.Robot.load("pendulum")
        >>> law = bf.AdaptiveControl(robot, omega=20.0)
        >>> bool(np.allclose(law.model.body_parameters, robot.body_parameters))
        True
        """
        from dataclasses import replace

        bodies = np.vstack([self._start.body_parameters[:1], self._bodies])
        start = self._start.model() if hasattr(self._start, "model") else self._start
        return replace(start, body_parameters=bodies, drive_values=self._drive)

    @property
    def is_physical(self) -> bool:
        """Whether every link that learns is now a body that can exist, and no friction drives.

        >>> bf.AdaptiveControl(bf.Robot.load("pendulum"), omega=20.0).is_physical
        True
        """
        least = decompose.eigvalsh(self._relative)[:, 0]
        return bool((least > 0).all() and (self._drive >= self._start.drive_columns.lower_bounds).all())

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """For this instant; what the last one taught is taken in first.

        >>> law = bf.AdaptiveControl(bf.Robot.load("pendulum"), omega=20.0)
        >>> law.torque(bf.State(np.zeros(1), np.zeros(1)), bf.Goal(*np.zeros((3, 1))), 0.0)
        array([0.])
        """
        self._learn(time)
        (q, v), (to, speed, push) = state[:2], reference
        w, rate = speed + self._omega * (to - q), push + self._omega * (speed - v)
        Y = mixed_regressor(self._start, q, v, w, rate)
        columns = self._start.drive_columns.columns
        f = columns.values(w[None], rate[None], None, q[None])[0]  # (columns,)
        s = v - w
        bodies, drives = np.einsum("jbk,j->bk", Y, s), f * (columns.effect @ s)
        self._learning = gradient_of(bodies), drives
        root = np.sqrt(self._omega)  # on both sides of B0: positive whatever omega each joint has
        damping = root * (self._start.mass_matrix(q) @ (root * s))
        return np.tensordot(Y, self._bodies, 2) + (f * self._drive) @ columns.effect - damping

    def check(self, conditions: Conditions) -> None:
        """Raise if the feedback alone would be unstable at its sampling rate, or the start has a place without mass.

        >>> robot, pose = bf.Robot.load("pendulum"), np.zeros(1)
        >>> bf.AdaptiveControl(robot, omega=10.0).check(bf.Conditions(1e-3, 0.005, 0.0, None, pose, pose - 1, pose + 1))
        """
        refuse_unstable_omega(self._omega, 1.0, self._start.joint_names, conditions)
        refuse_indefinite(self._start, conditions.lower, conditions.upper, near=conditions.position)

    def _learn(self, time: float) -> None:
        step = time - self._time
        self._time = time
        if self._learning is None or not 0 < step <= PAUSE or not self.rate:
            return
        (by_bodies, by_drives), L, length = self._learning, self._root, self.rate * step
        gradient = np.swapaxes(L, 1, 2) @ by_bodies @ L
        if self.metric == "natural":
            self._relative = bounded(natural_step(self._relative, gradient, length), self._within)
        else:
            self._relative = self._relative - length * gradient
        learnt = numbers_of(L @ self._relative @ np.swapaxes(L, 1, 2))
        self._bodies = np.where(self._moves[:, None], learnt, self._bodies)
        self._drive = self._friction_after(by_drives, length)

    def _friction_after(self, gradient: Array, length: float) -> Array:
        """What cannot be negative changes by factors, the rest straight; in the fixed metric all do."""
        straight = self._drive - length * self._drive_first**2 * gradient
        if self.metric == "fixed":
            return np.where(self._drive_first == 1.0, self._drive, straight) if not self._drive.any() else straight
        factor = np.exp(np.clip(-length * self._drive * gradient, -LONGEST, LONGEST))
        low, high = self._drive_first / self._within, self._drive_first * self._within
        return np.where(self._start.drive_columns.lower_bounds >= 0, np.clip(self._drive * factor, low, high), straight)


def _bodies_that_learn(model: Model, pseudo: Array) -> Array:
    """Links with mass; one with mass but without volume has no place among bodies that can exist."""
    values = decompose.eigvalsh(pseudo)
    there = np.abs(pseudo).max(axis=(1, 2)) > 0
    flat = np.flatnonzero(there & (values[:, 0] <= LEAST * np.abs(values).max(axis=1)))
    if len(flat):
        raise RobotError("body.impossible/adaptive", body_name=model.body_names[1 + flat[0]])
    return there
