"""A controller moves the plant: sampled at its own period, through drives that lag, while somebody pushes.

    every period:  state = sensors(plant),  command = controller.torque(state, goal(t), t)
    in between:    drives (limits, lag, delay, pushes) move MuJoCo's robot

The plant shares no dynamics with the controller's model, so that a small tracking error means something.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers, table
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError, SolveError
from bifilar.experiment.trajectory import Motion
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.robot.smooth import smoothed
from bifilar.simulate.controller import Conditions, Controller, Goal, State
from bifilar.simulate.drives import Drives
from bifilar.simulate.feedback import Encoders, Feedback, TrueState, VelocityFilter
from bifilar.simulate.plant import Plant
from bifilar.simulate.pushes import Push, known
from bifilar.simulate.reference import Playable, ticks, wanted_motion
from bifilar.simulate.sensors import Sensors
from bifilar.simulate.wall import Wall

RUNAWAY = 1e4  # [rad/s] or [m/s]: no arm does that
SEEN = ("seen_position", "seen_velocity", "command", "torque")
Goals = Playable | Callable[[float], Goal]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LoopRun:
    """What happened, one row per tick of the controller; arrays are read-only.

    >>> robot = bf.Robot.load("pendulum")
    >>> move = bf.quintic(["joint1"], [[0.0], [0.5]], [0.0, 1.0])
    >>> run = run_loop(robot, bf.ComputedTorque(robot, omega=20.0), move)
    >>> run, bool(np.abs(run.error).max() < 1e-3)
    (LoopRun(joint1: 1001 ticks, 1 s at 1000 Hz), True)
    """

    joint_names: tuple[str, ...]
    time: Array  # (ticks,) [s]
    position: Array  # (ticks, joints) of the links, as they truly were
    velocity: Array  # (ticks, joints) of the links
    acceleration: Array  # (ticks, joints) of the links, from this tick on
    motor_position: Array  # (ticks, joints) the links' where the joint is stiff
    motor_velocity: Array  # (ticks, joints)
    seen_position: Array  # (ticks, joints) what the controller was told
    seen_velocity: Array  # (ticks, joints)
    command: Array  # (ticks, joints) [N m] what the controller sent
    torque: Array  # (ticks, joints) [N m] what the drives delivered, at this instant
    reference: Motion  # where the joints should have been

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __repr__(self) -> str:
        duration = self.time[-1] - self.time[0]
        rate = (len(self.time) - 1) / duration if len(self.time) > 1 else 0.0
        names = ", ".join(self.joint_names[:8]) + (", ..." if len(self.joint_names) > 8 else "")
        return f"LoopRun({names}: {len(self.time)} ticks, {duration:.4g} s at {rate:.4g} Hz)"

    @property
    def error(self) -> Array:
        """Reference less position, (ticks, joints).

        >>> robot = bf.Robot.load("pendulum")
        >>> move = bf.quintic(["joint1"], [[0.0], [0.5]], [0.0, 1.0])
        >>> run_loop(robot, bf.ComputedTorque(robot, omega=20.0), move).error.shape
        (1001, 1)
        """
        return self.reference.position - self.position


def run_loop(
    machine: Robot | Plant,
    controller: Controller,
    motion: Goals,
    *,
    duration: float | None = None,
    period: float = 1e-3,
    torque_lag: float = 0.0,
    delay: float = 0.0,
    limits: ArrayLike | None = None,
    pushes: Push | tuple[Push, ...] | list[Push] = (),
    velocity: VelocityFilter | None = None,
    sensors: Sensors | None = None,
    own_gravity: Model | None = None,
    wall: Wall | None = None,
    start: State | None = None,
    seed: int = 0,
) -> LoopRun:
    """Move a robot in MuJoCo along a motion (a trajectory, samples, or a function of time that gives a Goal).

    `period` [s]: of the controller. `torque_lag` [s]: time constant of the drives' torque loop; `delay` [s], at most a
    period: from the reading to the moment its command arrives there. `limits`: largest torques, the robot's own if left out.
    `velocity`: what makes the velocity from the encoders (`Sensors` says how good they are); left out, the true state is
    read. `own_gravity`: a model whose gravity torque the robot adds to every command by itself. `wall`: something to press
    against; the controller then reads its force. `start`: where it begins; left out, on the reference. The same seed gives
    the same run.

    >>> robot = bf.Robot.load("two_link")
    >>> move = bf.quintic(robot.joint_names, [[0.0, 0.0], [0.5, -0.5]], [0.0, 1.0])
    >>> push = bf.JointPush(joint="joint2", torque=0.5, start=0.2, stop=0.3)
    >>> run = run_loop(robot, bf.ComputedTorque(robot, omega=30.0), move, torque_lag=0.005, pushes=push)
    >>> bool(0.001 < np.abs(run.error[:, 1]).max() < 0.1)
    True
    """
    plant = machine if isinstance(machine, Plant) else Plant(smoothed(machine))
    robot = plant.robot
    _check_times(period, torque_lag, delay)
    top = np.asarray(robot.limits.effort) if limits is None else _torques(limits, robot)
    time, goal = _goals(robot, motion, duration, period)
    first = goal(0) if start is None else _state(start, robot)
    check = getattr(controller, "check", None)
    if check is not None:
        limits_of = robot.limits.lower, robot.limits.upper
        check(Conditions(period, torque_lag, delay, velocity, first.position, *limits_of))
    plant.reset(first.position, first.velocity)
    feedback: Feedback = TrueState(plant)
    if velocity is not None:
        sensors = sensors or Sensors.perfect()
        noise = sensors.encoder_noise((len(time), len(robot.joint_names)), seed)
        feedback = Encoders(plant, noise, velocity, step=sensors.position_step, period=period)
    world = {"pushes": known(pushes, robot), "own_gravity": own_gravity, "wall": wall}
    drives = Drives(plant, limits=top, lag=torque_lag, delay=delay, **world)  # type: ignore[arg-type]
    return run_ticks(drives, plant, controller, feedback, time, goal)


def run_ticks(
    drives: Drives, plant: Plant, controller: Controller, feedback: Feedback, time: Array, goal: Callable[[int], Goal]
) -> LoopRun:
    """The loop itself, from the state in which the plant is; `goal` is asked once for every tick, in order.

    >>> robot = bf.Robot.load("pendulum")
    >>> plant, still = Plant(robot), Goal(*np.zeros((3, 1)))
    >>> drives, law = Drives(plant, limits=np.array([9.0])), bf.GravityPD(robot, kp=10.0, kd=1.0)
    >>> run_ticks(drives, plant, law, TrueState(plant), np.arange(3) / 1e3, lambda k: still).torque.ravel()
    array([0., 0., 0.])
    """
    names = ("position", "velocity", "acceleration", "motor_position", "motor_velocity", *SEEN)
    joints = plant.robot.joint_names
    rows = np.empty((len(time), len(names), len(joints)))
    goals = np.empty((3, len(time), len(joints)))
    for k, now in enumerate(time):
        to, state = goal(k), State(*feedback.read(k), drives.wrench)
        sent = np.asarray(controller.torque(state, to, float(now)), dtype=float)
        if sent.shape != (len(joints),) or not np.isfinite(sent).all():
            raise _no_torque(controller, sent, float(now), len(joints))
        drives.send(sent)
        here = (plant.position, plant.velocity, plant.acceleration(drives.torque), plant.motor_position, plant.motor_velocity)
        rows[k], goals[:, k] = (*here, *state[:2], sent, drives.torque), to
        if not np.abs(plant.velocity).max(initial=0.0) < RUNAWAY:
            raise _ran_away(plant.robot, plant.velocity, float(now))
        if k + 1 < len(time):
            drives.advance(float(time[k + 1] - now))
    wanted = Motion(joint_names=joints, time=time, position=goals[0], velocity=goals[1], acceleration=goals[2])
    columns = {name: np.ascontiguousarray(rows[:, place]) for place, name in enumerate(names)}
    return LoopRun(joint_names=joints, time=wanted.time, reference=wanted, **columns)


def _goals(robot: Robot, motion: Goals, duration: float | None, period: float) -> tuple[Array, Callable[[int], Goal]]:
    """The controller's ticks, and a function that says where the joints should be at one of them."""
    if callable(motion):
        if duration is None:
            raise ShapeError("motion.endless")
        ask, names = motion, robot.joint_names
        time = ticks(float(duration), 1.0 / period)

        def goal(k: int) -> Goal:
            parts = zip(("position", "velocity", "acceleration"), ask(float(time[k])), strict=True)
            return Goal(*(table(name, value, names)[0][0] for name, value in parts))

        return time, goal
    found = wanted_motion(robot, motion, 1.0 / period)
    count = len(found) if duration is None else len(ticks(float(duration), 1.0 / period))
    if count > len(found):
        raise ShapeError("motion.too_long/closed_loop", duration=duration, time=found.time[-1])
    return found.time[:count], list(map(Goal, found.position, found.velocity, found.acceleration)).__getitem__


def _state(start: State, robot: Robot) -> State:
    parts = zip(("position", "velocity"), start[:2], strict=True)
    return State(*(table(f"start's {name}", value, robot.joint_names)[0][0] for name, value in parts))


def _torques(limits: ArrayLike, robot: Robot) -> Array:
    given, count = numbers("limits", limits), len(robot.joint_names)
    if given.shape not in ((), (count,)) or not np.all(given >= 0):
        raise ShapeError("torque.limits", limits=limits, count=count)
    return np.broadcast_to(given, (count,))


def _check_times(period: float, lag: float, delay: float) -> None:
    if not 0 < period <= 1:
        raise ShapeError("period.wrong", period=period)
    if not 0 <= lag < np.inf:
        raise ShapeError("lag.wrong", lag=lag)
    if not 0 <= delay <= period * (1 + 1e-9):
        raise ShapeError("delay.wrong/closed_loop", delay=delay, period=period)


def _no_torque(controller: Controller, sent: Array, time: float, joints: int) -> SolveError:
    return SolveError("controller.output", kind=type(controller).__name__, sent=sent, time=time, joints=joints)


def _ran_away(robot: Robot, velocity: Array, time: float) -> SolveError:
    worst = robot.joint_names[int(np.argmax(np.where(np.isfinite(velocity), np.abs(velocity), np.inf)))]
    return SolveError("loop.runs_away/closed_loop", worst=worst, time=time)
