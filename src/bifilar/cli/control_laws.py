"""The controllers of `bifilar control`, each behind the safety wrapper, and the encoders it may have to live with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar.control.cartesian import PathMotion
from bifilar.control.safe_controller import SafeController
from bifilar.control.safety import SafetySettings
from bifilar.dynamics.tree import Array
from bifilar.experiment.trajectory import Motion
from bifilar.filters.filtered_differences import FilteredDifferences
from bifilar.online.motion import MotionFilter
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.simulate.closed_loop import LoopRun
from bifilar.simulate.controller import Controller, Goal, State
from bifilar.simulate.sensors import Sensors

if TYPE_CHECKING:
    from bifilar.cli.control import Settings

ENDLESS = 1e9  # [N m] for joints without an effort limit
CUTOFF = 300.0  # [rad/s] of filtered differences
JERK = 100.0  # [rad/s^3 s^0.5] that the Kalman filter expects


class Guard(SafeController):
    """The wrapper of one run; it remembers at which ticks it did not send what was asked for."""

    def __init__(self, controller: Controller, safety: SafetySettings, start: Array) -> None:
        super().__init__(controller, safety, start=start)
        self.limits, self.states = safety, list[tuple[float, str]]()

    def torque(self, state: State, reference: Goal, time: float) -> Array:
        """What may be sent now."""
        sent = super().torque(state, reference, time)
        self.states.append((time, self.last.state))
        return sent


@dataclass(frozen=True, kw_only=True)
class Held:
    """What the wrapper did in a run; shares are of the ticks.

    >>> Held(limited=0.0, first=None, lost=0.0, lost_first=None, rate={}, unguarded=()).said()
    'torque and its rate stayed inside their limits by themselves'
    """

    limited: float  # torque or rate was cut
    first: float | None  # [s] when for the first time
    lost: float  # the state or the command was not believed
    lost_first: float | None  # [s]
    rate: dict[str, float]  # of every joint: torque moved as fast as it may
    unguarded: tuple[str, ...]  # joints without an effort limit

    def said(self) -> str:
        """In words.

        >>> Held(limited=0.02, first=0.5, lost=0.0, lost_first=None, rate={"joint1": 0.02}, unguarded=()).said()
        "torque or its rate was cut 2 % of the time, first at 0.5 s (rate: 'joint1' 2 %)"
        """
        parts = []
        if self.limited:
            fast = ", ".join(f"'{name}' {100 * share:.2g} %" for name, share in self.rate.items() if share)
            parts.append(
                f"torque or its rate was cut {100 * self.limited:.2g} % of the time, first at {self.first:.3g} s"
                + (f" (rate: {fast})" if fast else "")
            )
        if self.lost:
            parts.append(f"the state was not believed {100 * self.lost:.2g} % of the time, first at {self.lost_first:.3g} s")
        if not parts:
            parts.append("torque and its rate stayed inside their limits by themselves")
        if self.unguarded:
            parts.append(f"no effort limit to guard: {', '.join(self.unguarded)}")
        return "; ".join(parts)


def guarded(
    law: Controller, model: Model, real: Robot, motion: PathMotion | Motion, limits: Array, settings: Settings
) -> Guard:
    """A controller behind torque limits and rates of the description; the drives hold the beginning of the motion already."""
    endless = {name: {"effort": ENDLESS} for name, top in zip(real.joint_names, real.limits.effort) if not np.isfinite(top)}
    bounded = real.with_limits(endless) if endless else real
    safety = SafetySettings.of(bounded, seconds=settings.rise, fade_in=0.0, torque=np.minimum(limits, ENDLESS))
    q, v, a = first_goal(motion, model)
    return Guard(law, safety, np.asarray(model.inverse_dynamics(q, v, a)))


def held(guard: Guard, run: LoopRun, real: Robot) -> Held:
    """What it did."""
    times = {word: [time for time, state in guard.states if state in states] for word, states in _WORDS.items()}
    count, cut, lost = len(guard.states), times["cut"], times["lost"]
    fastest = guard.limits.rate * np.diff(run.time)[:, None] * (1 - 1e-9)
    fast = (np.abs(np.diff(run.command, axis=0)) >= fastest).sum(axis=0) / count
    return Held(
        limited=len(cut) / count,
        first=cut[0] if cut else None,
        lost=len(lost) / count,
        lost_first=lost[0] if lost else None,
        rate=dict(zip(real.joint_names, fast.tolist(), strict=True)),
        unguarded=tuple(name for name, top in zip(real.joint_names, real.limits.effort) if not np.isfinite(top)),
    )


_WORDS = {"cut": ("limited",), "lost": ("holding", "damping")}


def read_by(settings: Settings, joints: int) -> dict[str, Any]:
    """What `run_loop` is told of the sensors; nothing where it reads the true state. A filter is of one run.

    >>> from bifilar.cli.control import Settings
    >>> read_by(Settings(robot="panda", reference="move.csv"), 7)
    {}
    """
    if settings.encoders is None:
        return {}
    sensors = Sensors.realistic()
    noise = float(np.hypot(sensors.position_noise, sensors.position_step / np.sqrt(12)))  # and that of counting
    follow = FilteredDifferences(cutoff=CUTOFF) if settings.encoders == "differences" else None
    return {"velocity": follow or MotionFilter(joints, noise=noise, jerk=JERK), "sensors": sensors, "seed": settings.seed}


def first_goal(motion: PathMotion | Motion, model: Model) -> Goal:
    """Where it begins.

    >>> robot = Robot.load("pendulum")
    >>> first_goal(bf.quintic(["joint1"], [[0.5], [1.0]], [0.0, 1.0]).sample(100), robot).position
    array([0.5])
    """
    at = motion.at(0.0) if isinstance(motion, PathMotion) else motion.joints(model.joint_names)
    return Goal(at.position[0], at.velocity[0], at.acceleration[0])


def law_of(model: Model, motion: PathMotion | Motion, limits: Array, settings: Settings) -> Controller:
    """The controller that was asked for."""
    if settings.controller == "path-following":
        from bifilar.control.path_following import PathFollowing

        assert isinstance(motion, PathMotion)
        return PathFollowing(model, motion, omega=settings.omega, friction=settings.compensate, limits=limits)
    if settings.controller == "adaptive":
        from bifilar.control.adaptive import AdaptiveControl

        return AdaptiveControl(model, omega=settings.omega)
    if settings.controller == "gravity-pd":
        from bifilar.control.gravity_pd import GravityPD

        return GravityPD.like(model, first_goal(motion, model).position, omega=settings.omega, friction=settings.compensate)
    from bifilar.control.computed_torque import ComputedTorque

    return ComputedTorque(model, omega=settings.omega, friction=settings.compensate, friction_at=settings.friction_at)
