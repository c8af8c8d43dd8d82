"""The drives between a controller and the plant: limits, a torque loop that lags, a delay, and the pushes of the world.

    set point = clip(command(t - delay) + own gravity torque, limits)
    lag torque' = set point - torque                              first order; exact between the plant's steps

The plant is moved by the mean of the torque over a step. Pushes begin and end between steps: their impulse is exact.
A robot that compensates gravity by itself (`own_gravity`, as KUKA's FRI does) adds its torque at every step of the plant.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.robot.model import Model
from bifilar.simulate.plant import Plant
from bifilar.simulate.pushes import LinkPush, Push, joint_torque
from bifilar.simulate.wall import Wall

SHORTEST = 1e-12  # [s] less than this is rounding


class Drives:
    """Moves a plant by commands; one per run.

    >>> plant = Plant(bf.Robot.load("pendulum"))
    >>> drives = Drives(plant, limits=np.array([5.0]), lag=0.01)
    >>> drives.send(np.array([0.0]))
    >>> drives.advance(1e-3)
    >>> drives.send(np.array([9.0]))
    >>> drives.advance(0.01)
    >>> drives.torque.round(3)
    array([3.161])
    """

    def __init__(
        self,
        plant: Plant,
        *,
        limits: Array,
        lag: float = 0.0,
        delay: float = 0.0,
        pushes: tuple[Push, ...] = (),
        own_gravity: Model | None = None,
        wall: Wall | None = None,
    ) -> None:
        self._plant, self._limits, self._lag, self._delay = plant, limits, lag, delay
        self._pushes, self._own, self._wall = pushes, own_gravity, wall
        self._command: Array | None = None  # what acts now
        self._next: Array | None = None  # what was sent and is on its way
        self._torque = np.zeros(len(limits))
        self.time = 0.0  # [s]

    def send(self, command: Array) -> None:
        """A new command, from `delay` after now on. The first one finds the drives settled.

        >>> drives = Drives(Plant(bf.Robot.load("pendulum")), limits=np.array([5.0]), delay=1e-3)
        >>> drives.send(np.array([2.0]))
        >>> drives.torque
        array([2.])
        """
        if self._command is None:
            self._command = command
            self._torque = self._set_point()
        self._next = command
        if not self._delay:
            self._command = command
        if not self._lag:
            self._torque = self._set_point()
        self._push(self.time)

    @property
    def torque(self) -> Array:
        """What the drives deliver at this instant.

        >>> Drives(Plant(bf.Robot.load("pendulum")), limits=np.array([5.0])).torque
        array([0.])
        """
        return self._torque

    @property
    def wrench(self) -> Array | None:
        """What a wall does to its link, (6,); None without a wall.

        >>> Drives(Plant(bf.Robot.load("pendulum")), limits=np.array([5.0])).wrench is None
        True
        """
        plant = self._plant
        return None if self._wall is None else self._wall.wrench(plant.robot, plant.position, plant.velocity)

    def advance(self, period: float) -> None:
        """Let the commands act for a while.

        >>> drives = Drives(Plant(bf.Robot.load("pendulum")), limits=np.array([5.0]))
        >>> drives.send(np.array([2.0]))
        >>> drives.advance(1e-3)
        >>> drives.time
        0.001
        """
        if self._delay:
            first = min(self._delay, period)
            self._hold(first)
            self._command, period = self._next, period - first
        if period > SHORTEST:
            self._hold(period)

    def _hold(self, period: float) -> None:
        """The same command for a while, in pieces between the instants at which pushes begin and end."""
        begin, end = self.time, self.time + period
        edges = {t for push in self._pushes for t in (push.start, push.stop) if begin + SHORTEST < t < end - SHORTEST}
        for edge in sorted(edges | {end}):
            self._piece(edge - self.time)
            self.time = edge

    def _piece(self, period: float) -> None:
        """Nothing but the drives, the own gravity torque and the wall changes: one go, if there is none of these."""
        begin = self.time
        changing = self._lag or self._own is not None or self._wall is not None
        steps = max(1, int(np.ceil(period / self._plant.step - 1e-9))) if changing else 1
        h = period / steps
        for k in range(steps):
            goal = self._set_point()
            acting = goal
            if self._lag:
                left = np.exp(-h / self._lag)
                acting = goal + (self._torque - goal) * (1 - left) * self._lag / h  # mean over the step
                self._torque = goal + (self._torque - goal) * left
            else:
                self._torque = goal
            self._push(begin + (k + 0.5) * h)
            self._plant.advance(acting, h)

    def _set_point(self) -> Array:
        assert self._command is not None
        wanted = self._command
        if self._own is not None:
            wanted = wanted + self._own.gravity_torque(self._plant.motor_position)
        return np.minimum(np.maximum(wanted, -self._limits), self._limits)

    def _push(self, time: float) -> None:
        if self._pushes or self._wall is not None:
            links: tuple[LinkPush, ...] = tuple(push for push in self._pushes if isinstance(push, LinkPush) and push.acts(time))
            if self._wall is not None:
                links += (self._wall.push(self._plant.robot, self._plant.position, self._plant.velocity),)
            self._plant.push(joint_torque(self._pushes, self._plant.robot.joint_names, time), links)
