"""What a recording left open, in newton metres: how much torque each parameter's uncertainty can cost where the robot may go.

    cost of parameter p at joint j = deviation of p  x  root mean square of its column at j, over states anywhere in the limits

A number may be known to 200 % and matter to nobody; one that is known to 5 % may cost more than all noise. So parameters are
compared by what their uncertainty does, with the torque noise of the fit as the measure: those that alone cost more, and
where all together cost more than it, those with the largest parts.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.report.run import Run

STATES = 400
PART = 0.3  # of the noise: a parameter's cost that counts where all together cost more than the noise
USE = 0.8  # of the limits of speed and acceleration that a motion is expected to reach
SPEED, QUICK = 1.0, 4.0  # [rad/s] or [m/s] and [1/s] taken where the description states no limit


class Weak(NamedTuple):
    """A base parameter whose uncertainty costs torque.

    >>> Weak("link6.Izz", "joint6", 0.3, 3.0, False).open
    False
    """

    name: str
    joint: str  # where it costs most
    cost: float  # [N m] or [N]
    over_noise: float  # the same in units of the joint's noise
    open: bool  # nothing at all is known of it


class Reach:
    """States anywhere in a robot's limits, and what the estimate's uncertainty costs there.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> estimate = bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)))
    >>> Reach(Run(estimate=estimate, verdict=bf.judge(estimate))).speed
    array([...])
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        limits = run.described.limits
        count = len(run.joint_names)
        fast = [np.abs(s.velocity).max(axis=0) for s in run.seen] or [np.zeros(count)]
        quick = [np.abs(s.acceleration).max(axis=0) for s in run.seen] or [np.zeros(count)]
        self.seen_speed, self.seen_quick = np.max(fast, axis=0), np.max(quick, axis=0)
        some = np.where(np.isfinite(limits.velocity), USE * limits.velocity, SPEED)
        self.speed = np.maximum(self.seen_speed, some)
        self.quick = np.maximum(
            self.seen_quick, np.where(np.isfinite(limits.acceleration), USE * limits.acceleration, QUICK * some)
        )

    def states(self, speed: Array, quick: Array) -> tuple[Array, Array, Array]:
        """Random ones: poses anywhere in the limits, speeds and accelerations up to those given."""
        limits, rng = self.run.described.limits, np.random.default_rng(0)
        low = np.where(np.isfinite(limits.lower), limits.lower, -np.pi)
        high = np.where(np.isfinite(limits.upper), limits.upper, np.pi)
        shape = (STATES, len(low))
        q, v, a = (rng.uniform(-1, 1, shape) for _ in range(3))
        return 0.5 * (low + high) + 0.5 * (high - low) * q, speed * v, quick * a

    def deviation(self, q: Array, v: Array, a: Array) -> Array:
        """Root mean square of the torque's deviation because of the parameters', (joints,); inf where one is open."""
        estimate = self.run.estimate
        y = self._columns(q, v, a)
        known = np.isfinite(np.diag(estimate.covariance))
        covariance = np.where(np.outer(known, known), estimate.covariance, 0.0)
        variance = np.einsum("tjp,pq,tjq->tj", y, covariance, y, optimize=True)
        lost = np.any(y[..., ~known] != 0, axis=(0, 2))
        return np.where(lost, np.inf, np.sqrt(np.maximum(variance.mean(axis=0), 0.0)))

    def _columns(self, q: Array, v: Array, a: Array) -> Array:
        """The base columns of the regressor, (states, joints, parameters)."""
        robot = self.run.described
        load = robot.with_friction(None).inverse_dynamics(q, v, a) if robot.drive_columns.columns.needs_load else None
        return np.asarray(robot.regressor(q, v, a, load=load))[..., self.run.estimate.base.columns]

    @cached_property
    def weak(self) -> tuple[Weak, ...]:
        """Parameters whose uncertainty costs more than the noise somewhere, the worst first."""
        estimate, floor = self.run.estimate, self.run.floor
        y = self._columns(*self.states(self.speed, self.quick))
        size = np.sqrt(np.mean(y**2, axis=0))  # (joints, parameters)
        noise = np.where(np.isfinite(floor) & (floor > 0), floor, 1e-3 * np.maximum(size.max(), 1e-12))
        least = np.where(self.together > noise, PART, 1.0)
        found = []
        for p, (name, deviation) in enumerate(zip(estimate.names, estimate.deviations)):
            nothing = not np.isfinite(deviation)
            cost = size[:, p] * (max(abs(estimate.values[p]), 1e-9) if nothing else deviation)
            worst = int(np.argmax(cost / (noise * least)))
            over = float(cost[worst] / noise[worst])
            if over > least[worst] or nothing:
                found.append(Weak(name, self.run.joint_names[worst], float(cost[worst]), over, nothing))
        return tuple(sorted(found, key=lambda w: (not w.open, -w.over_noise)))

    @cached_property
    def together(self) -> Array:
        """What all parameters' uncertainty costs together, anywhere in the limits at lively speeds, (joints,) [N m] or [N]."""
        return self.deviation(*self.states(self.speed, self.quick))
