"""Predictive path following: when torque is short, time is given up and not the path.

    torque = M(Q' s'' + Q'' s'^2 + Kd (Q' s' - v) + Kp (Q - q)) + C v + g + friction  =  a s'' + b

The place s on the path is a state of the controller. Every `replan` seconds the speed over the next `horizon` seconds is chosen
anew by a linear program (speed_plan.py) inside the torque limits less a `reserve` for the feedback; it ends at a speed from
which the whole rest of the path is possible. At every tick s'' is what the plan says, cut to the interval in which `a s'' + b`
keeps the full limits: the feedback that holds the arm on the path comes first, progress second (Dahl and Nielsen 1990).
The time is kept as well as the limits allow: a cap on the speed spends what is left, and rises when the arm is late.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.control.cartesian import PathMotion
from bifilar.control.friction_share import friction_to_compensate
from bifilar.control.gains import per_joint, share
from bifilar.control.positive_mass import refuse_indefinite
from bifilar.control.sampling import refuse_unstable_omega
from bifilar.control.speed_plan import SpeedPlan, fastest, in_time, path_torque
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.robot.model import Model
from bifilar.robot.smooth import SLIP, smoothed
from bifilar.simulate.controller import Conditions, Goal, State

PLACES = 160  # of the grid of the whole path
PULL = 20.0  # [1/s] with which the speed is drawn to the plan
AHEAD = 1.5  # how much faster than its cap the arm may catch up
END = 5e-3  # share of the path at whose end s comes to rest like a damped spring
FINISH = 40.0  # [rad/s] of that spring


@dataclass(frozen=True, kw_only=True)
class PathSettings:
    """How far ahead, how often, with how much in reserve.

    >>> PathSettings().replan
    0.05
    """

    horizon: float = 0.5  # [s] over which the speed is chosen
    replan: float = 0.05  # [s] between two plans
    reserve: float = 0.05  # share of the torque limits that is left to the feedback
    places: int = 40  # of the grid of a horizon

    def __post_init__(self) -> None:
        if not (0 < self.replan <= self.horizon < np.inf) or not 0 <= self.reserve < 1 or self.places < 4:
            raise ShapeError("setting.wrong/path_following", this=self)


class PathFollowing:
    """A controller of one run: it remembers where on the path it is.

    >>> robot = bf.Robot.load("panda")
    >>> motion = bf.cartesian_motion(robot, bf.Circle([0.45, 0.0, 0.5], 0.1), duration=2.0)
    >>> law = bf.PathFollowing(robot, motion, omega=40.0)
    >>> round(law.plan.duration, 2)
    2.0
    """

    def __init__(
        self,
        model: Model,
        motion: PathMotion,
        *,
        omega: ArrayLike,
        damping: float = 1.0,
        friction: float = 1.0,
        limits: ArrayLike | None = None,
        settings: PathSettings | None = None,
        slip: float = SLIP,
    ) -> None:
        """`limits` [N m]: of the drives; the robot's own if left out. The rest is as of `ComputedTorque`."""
        self.model, self.motion, self.settings = smoothed(model, slip), motion, settings or PathSettings()
        self._omega, self._damping = per_joint("omega", omega, model.joint_names), float(damping)
        self._share = share("friction", friction)
        own: Any = getattr(model, "limits", None)
        if limits is None and own is None:
            raise ShapeError("limits.effort_missing/path_following")
        self._limits = per_joint("limits", np.minimum(own.effort if limits is None else limits, 1e9), model.joint_names)
        self._velocity = None if own is None else np.asarray(own.velocity)
        self._end = float(motion.path.duration)
        self._whole = path_torque(self.model, motion.path, np.linspace(0.0, self._end, PLACES + 1))
        safe = self._limits * (1 - self.settings.reserve)
        self.plan, self._cap = in_time(
            self.model, self._whole, safe, motion.duration, velocity=self._velocity, friction=self._share
        )
        self._fastest = fastest(self.model, self._whole, safe, velocity=self._velocity, friction=self._share) or self.plan
        self._clock = np.concatenate([[0.0], np.cumsum(_paces(self.plan))])  # when the plan is at its places
        self._near, self._planned = self.plan, 0.0
        self.s, self.speed, self._time, self._push = 0.0, 0.0, np.nan, 0.0
        self.history: list[tuple[float, float, float]] = []  # time, s, s' of every tick

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """For this instant; the path is its own reference, the given one only says which time it is.

        >>> robot = bf.Robot.load("panda")
        >>> motion = bf.cartesian_motion(robot, bf.Circle([0.45, 0.0, 0.5], 0.1), duration=2.0)
        >>> q, still = motion.at(0.0).position[0], np.zeros(7)
        >>> bf.PathFollowing(robot, motion, omega=40.0).torque(bf.State(q, still), bf.Goal(q, still, still), 0.0).shape
        (7,)
        """
        if np.isfinite(self._time) and time > self._time:
            self._advance(time - self._time)
        self._time = time
        if time - self._planned >= self.settings.replan and self.s < self._end * (1 - END):
            self._replan(time)
        Q = self.motion.path.at(self.s)
        q, v = state[:2]
        to, slope, bend = Q.position[0], Q.velocity[0], Q.acceleration[0]
        wanted = slope * self.speed
        pull = 2 * self._damping * self._omega * (wanted - v) + self._omega**2 * (to - q)
        a = self.model.inverse_dynamics(q, np.zeros_like(q), slope, friction=False) - self.model.gravity_torque(q)
        b = self.model.inverse_dynamics(q, v, bend * self.speed**2 + pull, friction=False)
        if self._share:
            b = b + self._share * friction_to_compensate(self.model, q, v, wanted)
        self._push = _inside(self._asked(), a, b, self._limits)
        self.history.append((time, self.s, self.speed))
        return np.clip(a * self._push + b, -self._limits, self._limits)

    def check(self, conditions: Conditions) -> None:
        """Raise if the loop would be unstable at its sampling rate, or the model has a place without mass.

        >>> robot = bf.Robot.load("panda")
        >>> motion = bf.cartesian_motion(robot, bf.Circle([0.45, 0.0, 0.5], 0.1), duration=2.0)
        >>> at = bf.Conditions(1e-3, 0.0, 0.0, None, motion.at(0.0).position[0], robot.limits.lower, robot.limits.upper)
        >>> bf.PathFollowing(robot, motion, omega=40.0).check(at)
        """
        refuse_unstable_omega(self._omega, self._damping, self.model.joint_names, conditions)
        refuse_indefinite(self.model, conditions.lower, conditions.upper, near=conditions.position)

    def _asked(self) -> float:
        """s'' of the plan, drawn to its speed; a damped spring at the end of the path."""
        left = self._end - self.s
        if left < END * self._end:
            return FINISH**2 * left - 2 * FINISH * self.speed
        return self._near.acceleration(self.s) + PULL * (self._near.speed(self.s) - self.speed)

    def _advance(self, step: float) -> None:
        speed = max(self.speed + self._push * step, 0.0)
        self.s = min(self.s + 0.5 * (self.speed + speed) * step, self._end)
        self.speed = speed if self.s < self._end else 0.0

    def _replan(self, time: float) -> None:
        """The next stretch: at the speed of now, to a speed from which the rest is possible."""
        self._planned = time
        late = time - float(np.interp(self.s, self.plan.s, self._clock))
        ahead = max(self.settings.horizon * max(self.speed, self._end / self.motion.duration), 4 * self._end / PLACES)
        stop = min(self.s + ahead, self._end)
        along = path_torque(self.model, self.motion.path, np.linspace(self.s, stop, self.settings.places + 1))
        end = 0.0 if stop >= self._end else float(np.interp(stop, self._fastest.s, self._fastest.x))
        faster = self._cap * min(max(1 + late / self.settings.horizon, 0.25), AHEAD) ** 2
        guess = np.interp(along.s, self._near.s, self._near.x) + 1e-9
        safe = self._limits * (1 - self.settings.reserve)
        found = fastest(
            self.model, along, safe, start=self.speed**2, stop=end, cap=max(faster, self.speed**2),
            velocity=self._velocity, friction=self._share, guess=guess,
        )  # fmt: skip
        if found is not None:  # else the last plan is kept: the ticks still keep the limits
            self._near = found


def _paces(plan: SpeedPlan) -> Array:
    """Seconds between the places of a plan."""
    v = np.sqrt(np.maximum(plan.x, 0.0))
    return 2 * np.diff(plan.s) / np.maximum(v[1:] + v[:-1], 1e-9)


def _inside(asked: float, a: Array, b: Array, limits: Array) -> float:
    """The number nearest to the one asked for that keeps |a x + b| inside the limits, or breaks them least."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-limits - b) / a, (limits - b) / a
    moves = np.abs(a) > 1e-9
    low = float(np.max(np.minimum(one, other)[moves], initial=-np.inf))
    high = float(np.min(np.maximum(one, other)[moves], initial=np.inf))
    if low <= high:
        return float(np.clip(asked, low, high))
    excess = [(float(np.max((np.abs(a * x + b) - limits)[moves])), x) for x in (low, high, 0.5 * (low + high), 0.0)]
    return min(excess)[1]
