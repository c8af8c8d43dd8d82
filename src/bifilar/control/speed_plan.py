"""How fast a path may be run: the largest speed at every place that keeps all torques inside their limits.

With s' the speed along a joint path Q(s), x = s'^2 and u = s'' = dx/ds / 2, the torque is linear in (u, x):

    torque = A(s) u + B(s) x + c(s),      A = M Q',   B = M Q'' + C(Q, Q') Q',   c = gravity + friction

(Bobrow, Dubowsky and Gibson 1985; convex in x: Verscheure et al. 2009.) On a grid the fastest speed is a linear program:
maximise the sum of x under the limits of torque, joint velocity and a cap. Friction is taken at the speed of the plan before. A
cap on x spends time that is left: `in_time` finds the one that makes the path last as long as it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.experiment.piecewise import Piecewise
from bifilar.robot.model import Model

SLOWEST = 1e-3  # share of the mean speed at which friction is evaluated at least
ROUNDS = 2  # of friction at the speed of the plan before
HALVINGS = 14  # of the search for the cap


class PathTorque(NamedTuple):
    """Torque along a path, (N, joints) each, at places s (N,).

    >>> PathTorque(np.zeros(2), *np.zeros((5, 2, 1))).s.shape
    (2,)
    """

    s: Array
    position: Array
    slope: Array  # Q'
    a: Array  # torque per s''
    b: Array  # torque per s'^2
    gravity: Array


@dataclass(frozen=True, eq=False)
class SpeedPlan:
    """Speed at every place, and between them.

    >>> plan = SpeedPlan(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    >>> plan.speed(1.0), plan.acceleration(0.5), round(plan.duration, 6)
    (1.0, 0.5, 2.0)
    """

    s: Array  # (N,)
    x: Array  # (N,) squares of the speed

    def speed(self, s: float) -> float:
        """s' at a place.

        >>> SpeedPlan(np.array([0.0, 1.0]), np.array([4.0, 4.0])).speed(0.5)
        2.0
        """
        return float(np.sqrt(max(np.interp(s, self.s, self.x), 0.0)))

    def acceleration(self, s: float) -> float:
        """s'' at a place; constant between two places of the grid.

        >>> SpeedPlan(np.array([0.0, 1.0]), np.array([4.0, 4.0])).acceleration(0.5)
        0.0
        """
        k = int(np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2))
        return float((self.x[k + 1] - self.x[k]) / (2 * (self.s[k + 1] - self.s[k])))

    @property
    def duration(self) -> float:
        """Seconds from the first place to the last.

        >>> SpeedPlan(np.array([0.0, 1.0]), np.array([4.0, 4.0])).duration
        0.5
        """
        v = np.sqrt(np.maximum(self.x, 0.0))
        pace = v[1:] + v[:-1]
        return float((2 * np.diff(self.s) / np.where(pace > 1e-12, pace, 1e-12)).sum())


def path_torque(model: Model, path: Piecewise, s: Array) -> PathTorque:
    """A, B and gravity at places of a joint path.

    >>> path = bf.quintic(["joint1"], [[0.0], [1.0]], [0.0, 1.0])
    >>> path_torque(bf.Robot.load("pendulum"), path, np.linspace(0, 1, 5)).a.shape
    (5, 1)
    """
    Q = path.at(s)
    q, slope, bend = Q.position, Q.velocity, Q.acceleration
    still = np.zeros_like(q)
    gravity = model.gravity_torque(q)
    a = model.inverse_dynamics(q, still, slope, friction=False) - gravity
    b = model.inverse_dynamics(q, slope, bend, friction=False) - gravity
    return PathTorque(np.asarray(s), q, slope, a, b, gravity)


def fastest(
    model: Model,
    along: PathTorque,
    limits: Array,
    *,
    start: float = 0.0,
    stop: float = 0.0,
    cap: float = np.inf,
    velocity: Array | None = None,
    friction: float = 1.0,
    guess: Array | None = None,
) -> SpeedPlan | None:
    """The fastest plan between speeds squared `start` and, at most, `stop`; None if there is no plan at all.

    >>> robot = bf.Robot.load("pendulum").with_limits({"joint1": {"effort": 4.0}})
    >>> along = path_torque(robot, bf.quintic(["joint1"], [[0.0], [0.5]], [0.0, 1.0]), np.linspace(0.05, 0.95, 30))
    >>> bool(fastest(robot, along, robot.limits.effort).duration > 0.1)
    True
    """
    x = np.full(len(along.s), np.square(np.ptp(along.s))) if guess is None else guess
    for _ in range(ROUNDS if friction else 1):
        c = along.gravity + friction * _friction(model, along, x)
        found = _program(along, c, limits, start, stop, _top(along, cap, velocity))
        if found is None:
            return None
        x = found
    return SpeedPlan(along.s, x)


def in_time(model: Model, along: PathTorque, limits: Array, duration: float, **other: object) -> tuple[SpeedPlan, float]:
    """The plan that takes `duration` seconds, with the lowest highest speed, and its cap; the fastest one if that is longer.

    >>> robot = bf.Robot.load("pendulum").with_limits({"joint1": {"effort": 4.0}})
    >>> along = path_torque(robot, bf.quintic(["joint1"], [[0.0], [0.5]], [0.0, 1.0]), np.linspace(0.05, 0.95, 30))
    >>> round(in_time(robot, along, robot.limits.effort, 5.0)[0].duration, 2)
    5.0
    """
    best = fastest(model, along, limits, **other)  # type: ignore[arg-type]
    if best is None:
        raise SolveError("path.torque")
    if best.duration >= duration:
        return best, float(best.x.max())
    low, high = np.square(np.ptp(along.s) / duration), float(best.x.max())
    plan = best
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high)
        tried = fastest(model, along, limits, cap=middle, guess=plan.x, **other)  # type: ignore[arg-type]
        if tried is not None and tried.duration <= duration:
            plan, high = tried, middle
        else:
            low = middle
    return plan, high


def _friction(model: Model, along: PathTorque, x: Array) -> Array:
    """At the speeds of a plan; its sign is that of the path, at rest too."""
    speed = np.sqrt(np.maximum(x, np.square(SLOWEST) * max(float(x.max()), 1e-12)))[:, None]
    load = along.gravity if model.drive_columns.columns.needs_load else None
    return model.friction_torque(along.slope * speed, load, along.position)


def _top(along: PathTorque, cap: float, velocity: Array | None) -> Array:
    """Largest x at every place that the cap and the joints' velocities allow."""
    top = np.full(len(along.s), cap)
    if velocity is not None:
        with np.errstate(divide="ignore"):
            top = np.minimum(top, np.square(velocity / np.maximum(np.abs(along.slope), 1e-12)).min(axis=1))
    return top


def _program(along: PathTorque, c: Array, limits: Array, start: float, stop: float, top: Array) -> Array | None:
    """The linear program: both ends of every interval keep the limits with the u between them."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, vstack

    n, joints = along.a.shape
    h = np.diff(along.s)[:, None]
    rise = along.a / (2 * np.concatenate([h, h[-1:]]))  # A / (2 h) of the interval behind a place
    before = along.a[1:] / (2 * h)  # of the interval before it
    k = np.arange(n - 1)
    row = np.arange((n - 1) * joints)

    def rows(left: Array, right: Array) -> csr_matrix:
        """left x_k + right x_k+1 for every interval and joint."""
        columns = np.repeat(k, joints)
        data = np.concatenate([left.ravel(), right.ravel()])
        return csr_matrix((data, (np.concatenate([row, row]), np.concatenate([columns, columns + 1]))), shape=(len(row), n))

    at_left = rows(along.b[:-1] - rise[:-1], rise[:-1])
    at_right = rows(-before, along.b[1:] + before)
    both = vstack([at_left, at_right])
    free = np.concatenate([(limits - c[:-1]).ravel(), (limits - c[1:]).ravel()])
    down = np.concatenate([(limits + c[:-1]).ravel(), (limits + c[1:]).ravel()])
    bounds = np.stack([np.zeros(n), np.where(np.isfinite(top), top, 1e6)], axis=1)
    bounds[0] = start
    bounds[-1] = 0.0, min(stop, bounds[-1, 1])
    found = linprog(-np.ones(n), A_ub=vstack([both, -both]), b_ub=np.concatenate([free, down]), bounds=bounds, method="highs")
    return None if found.status != 0 else np.maximum(found.x, 0.0)
