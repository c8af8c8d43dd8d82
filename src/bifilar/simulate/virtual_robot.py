"""The virtual robot: a MuJoCo plant under a PD loop with gravity feed-forward, seen through imperfect sensors.

    torque = gravity(q_ref) + Kp (q_ref - q) + Kd (v_ref - v),        cut off at the effort limits, held for one period
    Kp = bandwidth^2 M(q_ref),   Kd = 2 damping_ratio bandwidth M(q_ref)

gravity and M are those of the controller's model, which may be wrong; the plant's are MuJoCo's. The whole mass matrix, not its
diagonal: on a stretched arm the lightest direction has a fiftieth of the diagonal's inertia, and a sampled loop with the
diagonal's gains is unstable there. Fixed gains per joint can be given instead.

q and v are the true motor-side state, and imperfect sensors only spoil the log; or, with feedback="measured", they are the
encoder readings of the log and their filtered differences (feedback.py), so that noise of the encoders reaches the torque.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import Remedy, RobotError, ShapeError, SolveError
from bifilar.filters.filtered_differences import FilteredDifferences
from bifilar.recording.recording import Recording, Truth
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.robot.smooth import smoothed
from bifilar.simulate.feedback import Encoders, Feedback, TrueState
from bifilar.simulate.plant import Plant
from bifilar.simulate.reference import Playable, Reference, reference
from bifilar.simulate.sensors import Sensors

BLOCK = 2048  # ticks whose gravity and gains are computed at once
RUNAWAY = 1e4  # [rad/s] or [m/s]: no arm does that


@dataclass(frozen=True, eq=False)
class VirtualRobot:
    """A robot to make recordings with.

    >>> time = np.linspace(0, 1, 101)
    >>> swing = (time, 0.3 * np.sin(6 * time)[:, None], 1.8 * np.cos(6 * time)[:, None])
    >>> VirtualRobot(bf.Robot.load("pendulum")).play(swing, rate=100)
    Recording(joint1: 101 samples, 1 s at 100 Hz)
    """

    robot: Robot  # what the machine is: inertias, friction and rotors with their values
    _: KW_ONLY
    controller_model: Model | None = None  # what the controller believes; None: the truth
    bandwidth: float = 50.0  # [rad/s] of the position loop
    damping_ratio: float = 1.0  # of the position loop
    gains: tuple[ArrayLike, ArrayLike] | None = None  # Kp, Kd per joint, in place of the two above
    stiffness: Mapping[str, float] = field(default_factory=dict)  # [N m/rad] of flexible joints, by name
    spring_damping: Mapping[str, float] = field(default_factory=dict)  # [N m s/rad] of flexible joints, by name
    slip: float = 0.01  # [rad/s] or [m/s] least width of the sign of speed in friction
    plant_step: float = 5e-4  # [s] longest step of the integrator
    feedback: Literal["true", "measured"] = "true"  # what the loop reads: the state itself, or what the encoders say of it
    velocity_cutoff: float = 500.0  # [rad/s] of the low-pass behind the differences of measured positions

    def __post_init__(self) -> None:
        if self.feedback not in ("true", "measured"):
            raise ShapeError("feedback.unknown", feedback=self.feedback)
        for name in ("bandwidth", "damping_ratio", "slip", "velocity_cutoff"):
            if not 0 < getattr(self, name) < np.inf:
                raise ShapeError("setting.wrong/virtual_robot", name=name, getattr=getattr(self, name))
        model = self.controller_model
        if model is not None and tuple(model.joint_names) != self.robot.joint_names:
            facts: dict[str, Any] = {"model": list(model.joint_names), "robot": list(self.robot.joint_names)}
            raise RobotError("model.other_joints/virtual_robot", **facts)

    @cached_property
    def played(self) -> Robot:
        """The robot as it is simulated: every hard sign of speed is smooth over `slip`.

        >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(), {"joint1.coulomb": 0.2})
        >>> VirtualRobot(robot).played.friction.terms[0].width
        0.01
        """
        return smoothed(self.robot, self.slip)

    def play(
        self,
        motion: Playable,
        *,
        rate: float = 1000.0,
        control_rate: float = 1000.0,
        seed: int = 0,
        sensors: Sensors | None = None,
    ) -> Recording:
        """Play a motion and record it at `rate` [Hz], a whole fraction of the controller's; the truth is attached.

        `motion`: a trajectory, or samples: a Motion, a Recording, or (time, position, velocity). `sensors` are
        perfect unless given. The robot starts in the motion's first state. The same seed gives the same recording, bit for bit.

        >>> time = np.linspace(0, 1, 101)
        >>> swing = (time, 0.3 * np.sin(6 * time)[:, None], 1.8 * np.cos(6 * time)[:, None])
        >>> recording = VirtualRobot(bf.Robot.load("pendulum")).play(swing, sensors=bf.Sensors(position_step=1e-3))
        >>> float(np.abs(recording.position - recording.truth.position).max().round(4))
        0.0005
        """
        every = _divisor(rate, control_rate)
        wanted = reference(self.robot, motion, control_rate)
        sensors = sensors or Sensors.perfect()
        plant = Plant(self.played, stiffness=self.stiffness, spring_damping=self.spring_damping, step=self.plant_step)
        plant.reset(wanted.position[0], wanted.velocity[0])
        encoders = None
        if self.feedback == "measured":
            noise = sensors.encoder_noise(wanted.position.shape, seed)
            velocity = FilteredDifferences(cutoff=self.velocity_cutoff, velocity=wanted.velocity[0])
            encoders = Encoders(plant, noise, velocity, step=sensors.position_step, period=1.0 / control_rate)
        truth = self._run(plant, encoders or TrueState(plant), wanted, 1.0 / control_rate, every)
        taken = None if encoders is None else encoders.position[::every]
        reading = sensors.read(truth, self.robot.joint_names, self.robot.limits.effort, seed, taken)
        return Recording(
            joint_names=self.robot.joint_names,
            sliding=self.robot.sliding,
            time=reading.time,
            position=reading.position,
            velocity=reading.velocity,
            torque=reading.torque,
            truth=truth.rows(reading.kept),
        )

    def _run(self, plant: Plant, feedback: Feedback, wanted: Reference, period: float, every: int) -> Truth:
        """The closed loop: one row of truth for every so many ticks."""
        limit = self.robot.limits.effort
        rows = -(-len(wanted.time) // every)
        position, velocity, acceleration, torque, motor, motor_speed = np.empty((6, rows, len(limit)))
        for k, (gravity, kp, kd) in enumerate(self._control(wanted)):
            q, v = feedback.read(k)
            tau = gravity + kp @ (wanted.position[k] - q) + kd @ (wanted.velocity[k] - v)
            tau = np.minimum(np.maximum(tau, -limit), limit)
            if k % every == 0:
                row = k // every
                position[row], velocity[row], torque[row] = plant.position, plant.velocity, tau
                motor[row], motor_speed[row] = plant.motor_position, plant.motor_velocity
                acceleration[row] = plant.acceleration(tau)
            if not np.abs(plant.velocity).max(initial=0.0) < RUNAWAY:
                raise self._ran_away(plant.velocity, wanted.time[k])
            if k + 1 < len(wanted.time):
                plant.advance(tau, period)
        return Truth(
            time=wanted.time[::every],
            position=position,
            velocity=velocity,
            acceleration=acceleration,
            torque=torque,
            motor_position=motor if plant.is_flexible else None,
            motor_velocity=motor_speed if plant.is_flexible else None,
            parameters=self.played.parameters(),
        )

    def _ran_away(self, velocity: Array, time: float) -> SolveError:
        worst = self.robot.joint_names[int(np.argmax(np.where(np.isfinite(velocity), np.abs(velocity), np.inf)))]
        slow = self.feedback == "measured"
        return SolveError(
            "loop.runs_away/virtual_robot",
            worst=worst,
            time=time,
            words=" and for velocities that lag behind" if slow else "",
            advice=Remedy(
                "lower bandwidth=..., raise control_rate=...",
                cli="check masses and limits of the description by 'bifilar inspect', or a slower motion",
            )
            + (" or velocity_cutoff=..." if slow else ""),
        )

    def _control(self, wanted: Reference) -> Iterator[tuple[Array, Array, Array]]:
        """Feed-forward and gains of every tick, computed in blocks."""
        model = self.robot if self.controller_model is None else self.controller_model
        fixed = None if self.gains is None else [np.diag(_per_joint(gain, self.robot.joint_names)) for gain in self.gains]
        for start in range(0, len(wanted.time), BLOCK):
            q = wanted.position[start : start + BLOCK]
            gravity = model.gravity_torque(q)
            if fixed is not None:
                yield from ((g, *fixed) for g in gravity)
                continue
            inertia = model.mass_matrix(q)
            kp, kd = self.bandwidth**2 * inertia, 2 * self.damping_ratio * self.bandwidth * inertia
            yield from zip(gravity, kp, kd)


def _divisor(rate: float, control_rate: float) -> int:
    """How many ticks of the controller one sample lasts."""
    for name, value in (("rate", rate), ("control_rate", control_rate)):
        if not 0 < value < np.inf:
            raise ShapeError("setting.wrong/divisor", name=name, value=value)
    every = round(control_rate / rate)
    if every < 1 or abs(control_rate / rate - every) > 1e-9 * every:
        raise ShapeError("rate.too_high/virtual_robot", control_rate=control_rate, rate=rate)
    return every


def _per_joint(gain: ArrayLike, joint_names: tuple[str, ...]) -> Array:
    array = numbers("gains", gain)
    if array.shape not in ((), (len(joint_names),)) or not np.isfinite(array).all():
        raise ShapeError("shape.wrong/virtual_robot", shape=array.shape, joint_name_count=len(joint_names))
    return np.broadcast_to(array, (len(joint_names),))
