"""Fast simulation of a model under its controller, along a reference: what a machine without noise would have done.

    torque_k = feedforward_k + Kp (q*_k - q_k) + Kd (v*_k - w_k) + Ki sum (q* - q) period       held until tick k + 1

The instruments of `InstrumentalVariables` and the whole regressor of `DirectInverse` come from here, several times per fit, so
the loop is one compiled kernel (`loop_kernel`): 10 s at 1 kHz of a two-link arm take 0.04 s. Signs of speed are smooth over
`slip`, as those of the virtual robot are. A loop that runs away, or a mass matrix that is not positive, is a status, never NaN.

A controller of another kind is anything with `begin(reference) -> law(tick, position, velocity) -> torque`; it is asked tick by
tick, which is slower (about a second per 10 s at 1 kHz beside its own time).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, RobotError, ShapeError
from bifilar.estimate.status import Status
from bifilar.robot.model import Model
from bifilar.robot.smooth import SLIP, smoothed
from bifilar.simulate.reference import Reference
from bifilar.simulate.virtual_robot import VirtualRobot

Law = Callable[[int, Array, Array], Array]


@runtime_checkable
class Controller(Protocol):
    """What moves the machine along a reference; anything with this method will do.

    >>> isinstance(JointController(kp=10.0, kd=1.0), Controller)
    True
    """

    def begin(self, reference: Reference) -> Law:
        """A law that is asked once per tick, in order: torque = law(tick, position, velocity), (joints,) each.

        >>> still = Reference(np.arange(3) / 1e3, np.zeros((3, 1)), np.zeros((3, 1)))
        >>> JointController(kp=10.0, kd=1.0).begin(still)(0, np.full(1, 0.1), np.zeros(1))
        array([-1.])
        """
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class JointController:
    """PD or PID per joint with feed-forward, sampled at the reference's ticks, torque held in between.

    >>> JointController(kp=[100.0, 30.0], kd=[10.0, 3.0]).ki
    0.0
    """

    kp: ArrayLike  # [N m/rad] one for all joints, one each, (joints, joints), or (ticks, joints, joints)
    kd: ArrayLike  # [N m s/rad] alike
    ki: ArrayLike = 0.0  # [N m/(rad s)] alike
    feedforward: Model | ArrayLike | None = None  # torque at every tick (ticks, joints), or whose gravity at the reference
    velocity_cutoff: float | None = None  # [rad/s] of a low-pass behind differences of positions; None: velocity itself is read
    limit: ArrayLike = np.inf  # [N m] at which torques are cut off

    @classmethod
    def cascade(cls, *, position: ArrayLike, velocity: ArrayLike, integral: ArrayLike = 0.0, **more: Any) -> JointController:
        """A position loop (P, [1/s]) around a velocity loop (P and I), as drives have it, written as one PID.

        The velocity loop integrates v* + position (q* - q) - v, and v* - v integrates to q* - q: both start together.

        >>> JointController.cascade(position=20.0, velocity=5.0, integral=2.0).kp
        np.float64(102.0)
        """
        p, v, i = (np.asarray(x, dtype=float) for x in (position, velocity, integral))
        return cls(kp=v * p + i, kd=v, ki=i * p, **more)

    @classmethod
    def of(cls, machine: VirtualRobot, reference: Reference) -> JointController:
        """What a virtual robot does along a reference.

        >>> still = Reference(np.arange(3) / 1e3, np.zeros((3, 1)), np.zeros((3, 1)))
        >>> JointController.of(bf.VirtualRobot(bf.Robot.load("pendulum")), still).kp.shape
        (3, 1, 1)
        """
        believed = machine.robot if machine.controller_model is None else machine.controller_model
        if machine.gains is not None:
            kp, kd = (np.asarray(gain, dtype=float) for gain in machine.gains)
        else:
            inertia = believed.mass_matrix(reference.position)
            kp, kd = machine.bandwidth**2 * inertia, 2 * machine.damping_ratio * machine.bandwidth * inertia
        cutoff = machine.velocity_cutoff if machine.feedback == "measured" else None
        limit = machine.robot.limits.effort
        return cls(kp=kp, kd=kd, feedforward=believed, velocity_cutoff=cutoff, limit=limit)

    def scaled(self, factor: float) -> JointController:
        """The same with all gains multiplied; the feed-forward stays.

        >>> JointController(kp=10.0, kd=1.0).scaled(1.2).kp
        np.float64(12.0)
        """
        kp, kd, ki = (factor * np.asarray(gain, dtype=float) for gain in (self.kp, self.kd, self.ki))
        return replace(self, kp=kp, kd=kd, ki=ki)

    def begin(self, reference: Reference) -> Law:
        """The same law, tick by tick.

        >>> still = Reference(np.arange(3) / 1e3, np.zeros((3, 1)), np.zeros((3, 1)))
        >>> JointController(kp=10.0, kd=1.0, feedforward=np.ones((3, 1))).begin(still)(0, np.full(1, 0.1), np.zeros(1))
        array([0.])
        """
        kp, kd, ki, feed, limit = self.arrays(reference)
        period, keep = _period(reference), self._keep(reference)
        total, last, seen = np.zeros_like(limit), np.array(reference.position[0]), np.array(reference.velocity[0])

        def law(tick: int, position: Array, velocity: Array) -> Array:
            nonlocal total, last, seen
            if keep < 0:
                seen = velocity
            elif tick:
                seen = keep * seen + (1 - keep) * (position - last) / period
            last, row, error = np.array(position), tick if len(kp) > 1 else 0, reference.position[tick] - position
            wanted = feed[tick] + kp[row] @ error + kd[row] @ (reference.velocity[tick] - seen) + ki[row] @ total
            torque = np.clip(wanted, -limit, limit)
            total = total + np.where(np.abs(torque) < limit, error * period, 0.0)
            return torque

        return law

    def arrays(self, reference: Reference) -> tuple[Array, Array, Array, Array, Array]:
        """kp, kd, ki (ticks or 1, joints, joints), feed-forward (ticks, joints) and limits (joints,), checked.

        >>> still = Reference(np.arange(3) / 1e3, np.zeros((3, 2)), np.zeros((3, 2)))
        >>> [x.shape for x in JointController(kp=10.0, kd=[1.0, 2.0]).arrays(still)]
        [(1, 2, 2), (1, 2, 2), (1, 2, 2), (3, 2), (2,)]
        """
        ticks, joints = reference.position.shape
        gains = [_gain(name, getattr(self, name), ticks, joints) for name in ("kp", "kd", "ki")]
        if len({len(gain) for gain in gains}) > 1:
            gains = [np.ascontiguousarray(np.broadcast_to(gain, (ticks, joints, joints))) for gain in gains]
        feed = np.zeros((ticks, joints))
        if isinstance(self.feedforward, Model):
            feed = self.feedforward.gravity_torque(reference.position)
        elif self.feedforward is not None:
            feed = numbers("feedforward", self.feedforward)
            if feed.shape != (ticks, joints):
                raise ShapeError("shape.wrong/closed_loop", shape=feed.shape, value=(ticks, joints))
        limit = np.array(np.broadcast_to(np.abs(np.asarray(self.limit, dtype=float)), (joints,)))
        return gains[0], gains[1], gains[2], np.ascontiguousarray(feed), limit

    def _keep(self, reference: Reference) -> float:
        """What is kept of the filtered velocity from tick to tick; negative: the velocity itself is read."""
        return -1.0 if self.velocity_cutoff is None else float(np.exp(-self.velocity_cutoff * _period(reference)))


@dataclass(frozen=True, eq=False)
class Simulation:
    """States and torques at the ticks; where the status is not ok only `ticks` of them were reached, the rest is the last one.

    >>> Simulation(np.zeros(2), *np.zeros((4, 2, 1)), 2, 2, Status()).ok
    True
    """

    time: Array  # (ticks,) [s]
    position: Array  # (ticks, joints)
    velocity: Array
    acceleration: Array  # mean of before and after the tick: it jumps with the torque
    torque: Array  # (ticks, joints) from this tick on
    ticks: int  # that were reached
    steps: int  # of the integrator
    status: Status

    @property
    def ok(self) -> bool:
        """Whether the end was reached.

        >>> Simulation(np.zeros(2), *np.zeros((4, 2, 1)), 1, 2, Status("infeasible", "it ran away")).ok
        False
        """
        return self.status.ok

    @property
    def held_torque(self) -> Array:
        """Mean of the torque before and after each tick: what the accelerations belong to; see `held`.

        >>> Simulation(np.zeros(2), *np.zeros((3, 2, 1)), np.array([[1.0], [2.0]]), 2, 2, Status()).held_torque.ravel()
        array([1. , 1.5])
        """
        return centred(self.torque)


def centred(torque: Array) -> Array:
    """Mean of each row and the one before it; the first as it is.

    >>> centred(np.array([[1.0], [3.0]])).ravel()
    array([1., 2.])
    """
    return 0.5 * (torque + np.concatenate([torque[:1], torque[:-1]]))


def simulate_loop(
    model: Model, controller: Controller, reference: Reference, *, slip: float = SLIP, longest_step: float = 1e-3
) -> Simulation:
    """The model moved by the controller along the reference, from the reference's first state, without noise.

    >>> time = np.arange(1001) / 1e3
    >>> swing = Reference(time, 0.3 * np.sin(6 * time)[:, None], 1.8 * np.cos(6 * time)[:, None])
    >>> run = simulate_loop(bf.Robot.load("pendulum"), JointController(kp=200.0, kd=20.0), swing)
    >>> run.ok, bool(np.abs(run.position - swing.position).max() < 0.1)
    (True, True)
    """
    loop = _Loop(smoothed(model, slip), reference, longest_step)
    ticks = len(reference.time)
    if isinstance(controller, JointController):
        gains = controller.arrays(reference)
        loop.run(gains, controller._keep(reference), 0, ticks)
    else:
        nothing, law = np.zeros((1, loop.joints, loop.joints)), controller.begin(reference)
        feed, free = np.zeros((ticks, loop.joints)), np.full(loop.joints, np.inf)
        for tick in range(ticks):
            feed[tick] = law(tick, loop.memory[0].copy(), loop.memory[1].copy())
            if not np.isfinite(feed[tick]).all() or not loop.run((nothing, nothing, nothing, feed, free), -1.0, tick, tick + 1):
                break
    return loop.result()


class _Loop:
    """Arrays of one simulation, in the order the kernel takes them."""

    def __init__(self, model: Model, reference: Reference, longest_step: float) -> None:
        from bifilar.dynamics.state import fixed_root
        from bifilar.dynamics.workspace import Workspace

        columns = model.drive_columns.columns
        loaded = columns.having(lambda law: law.needs_load)
        if model.is_floating or np.any(loaded & (model.drive_values != 0)):
            what = "a floating base" if model.is_floating else "friction that depends on the load"
            raise RobotError("loop.not_simulated", thing=what)
        if reference.position.shape[1] != len(model.joint_names) or len(reference.time) < 2:
            raise ShapeError("reference.shape", joints=model.joint_names, shape=reference.position.shape)
        self.reference, self.joints, self.names = reference, len(model.joint_names), model.joint_names
        used = np.flatnonzero(~columns.is_inertia & ~loaded)
        space = Workspace.of(model.tree, 1)
        laws, shape = space.laws(columns)
        shape = np.column_stack([np.maximum(columns.width, 1e-9), shape[:, 1:]])
        push = columns.effect[used] * model.drive_values[used, None]
        self.fixed = (
            *(space.constants, space.table, model.body_parameters, model._rotor, fixed_root(model.gravity)),
            *map(np.ascontiguousarray, (laws[used], columns.drive[used], push, shape[used])),
        )
        self.space, self.bodies, self.longest = space, model.tree.n_joints + 1, longest_step
        self.goals = tuple(map(np.ascontiguousarray, (reference.position, reference.velocity)))
        self.memory, self.buffers, self.done = (
            np.zeros((5, self.joints)),
            np.zeros((13 + 2 * self.joints, self.joints)),
            np.zeros(2),
        )
        self.memory[[0, 2]], self.memory[[1, 3]] = reference.position[0], reference.velocity[0]
        self.out = np.zeros((4, *reference.position.shape))

    def run(self, gains: tuple[Array, Array, Array, Array, Array], keep: float, start: int, stop: int) -> bool:
        """Some ticks; whether all were reached."""
        from bifilar.estimate.loop_kernel import run, scratch

        period = _period(self.reference)
        settings = (*gains, *self.goals, period, keep, self.longest, self.memory, self.buffers, *self.out, self.done)
        run(*scratch(self.space, self.bodies, self.joints), *self.fixed, *settings, np.uint64(start), np.uint64(stop))
        return int(self.done[0]) == stop

    def result(self) -> Simulation:
        """What was reached; numbers beyond repeat the last good ones."""
        ticks, total = int(self.done[0]), len(self.reference.time)
        status = Status()
        if ticks < total:
            when, motion = self.reference.time[ticks] - self.reference.time[0], self.out[:, ticks]
            wild = np.nan_to_num(np.abs(motion[1]), nan=np.inf, posinf=np.inf)
            worst = self.names[int(np.argmax(wild))]
            singular = not np.isfinite(motion[2]).all() and np.isfinite(motion[:2]).all()
            how = "its mass matrix is not positive" if singular else f"'{worst}' runs away"
            status = Status("infeasible", Note("simulation.stops", when=when, how=how))
            self.out[:, ticks:] = self.out[:, max(ticks - 1, 0)][:, None] if ticks else 0.0
        q, v, a, torque = self.out
        return Simulation(self.reference.time, q, v, a, torque, ticks, int(self.done[1]), status)


def _period(reference: Reference) -> float:
    return float(reference.time[-1] - reference.time[0]) / (len(reference.time) - 1)


def _gain(name: str, value: ArrayLike, ticks: int, joints: int) -> Array:
    array = numbers(name, value)
    if array.ndim < 2:
        array = np.diag(np.broadcast_to(array, (joints,))) if array.shape in ((), (joints,)) else array
    array = array[None] if array.ndim == 2 else array
    if array.shape not in ((1, joints, joints), (ticks, joints, joints)) or not np.isfinite(array).all():
        raise ShapeError("shape.wrong/gain", name=name, shape=np.shape(value), joints=joints, ticks=ticks)
    return np.ascontiguousarray(array)
