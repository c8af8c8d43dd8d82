"""The motion as unknown as the parameters: residuals of torque and position along a recording, and their derivatives.

    torque    (Y(q, D q, D^2 q) theta - tau) / sigma_tau           velocity and acceleration are differences of the unknown q:
    position  (q - q_measured) / sigma_q                           nothing is filtered, nothing differentiated beforehand
    readings  (h(q, D q, D^2 q) - reading) / sigma                 of other sensors (`readings`); then sigma_q may be infinite

D and D^2 are central differences over 2 s + 1 samples (s = 1 or 2, exact to h^2 or h^4), so a torque meets a window of
2 s + 1 positions and the normal equations are banded, with a half width of (2 s + 1) n - 1. The derivative of a
window's torque is  (by_q at its middle) + D (by_v) + D^2 (by_a).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import engine
from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.estimate.banded import BandedSystem, kernels
from bifilar.estimate.readings import Readings
from bifilar.estimate.true_motion_steps import gather
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot

CHUNK = 2048  # samples whose matrices are held at once
VELOCITY = {1: np.array([-1, 0, 1]) / 2, 2: np.array([1, -8, 0, 8, -1]) / 12}
ACCELERATION = {1: np.array([1.0, -2.0, 1.0]), 2: np.array([-1, 16, -30, 16, -1]) / 12}


class Piece(NamedTuple):
    """Uninterrupted measurements on an even clock.

    >>> Piece(np.zeros((5, 1)), np.zeros((5, 1)), 0.01).period
    0.01
    """

    position: Array  # (N, joints) as measured
    torque: Array  # (N, joints) as measured
    period: float  # [s]
    weight: float = 1.0  # 2 counts as if its torque noise were half


class Windows(NamedTuple):
    """Some consecutive torque equations at one guess of motion and parameters.

    >>> Windows(np.zeros(1, int), np.zeros((1, 1, 3)), np.zeros((1, 1, 2))).residual.shape
    (1, 1)
    """

    first: NDArray[np.int64]  # (K,) first unknown of each
    jacobian: Array  # (K, joints, window) by the unknowns, divided by sigma_tau
    border: Array  # (K, joints, parameters + 1): Y / sigma_tau, then the residual

    @property
    def residual(self) -> Array:
        """(K, joints), in deviations of the torque.

        >>> Windows(np.zeros(1, int), np.zeros((1, 1, 3)), np.ones((1, 1, 2))).residual
        array([[1.]])
        """
        return self.border[:, :, -1]


@dataclass(frozen=True, eq=False)
class TrueMotion:
    """The likelihood of motion and parameters, as `banded.minimise` takes it.

    >>> robot = bf.Robot.load("pendulum")
    >>> q = np.sin(np.arange(50.0) / 10)[:, None]
    >>> piece = Piece(q, np.zeros((50, 1)), 0.01)
    >>> TrueMotion(robot, bf.base_parameters(robot), (piece,), np.ones(1), np.ones(1)).equations
    48
    """

    model: Robot
    base: BaseParameters
    pieces: tuple[Piece, ...]
    position_noise: Array  # (joints,)
    torque_noise: Array  # (joints,)
    stencil: int = 1  # samples to either side that a difference takes in
    readings: tuple[Readings, ...] = ()  # of sensors that are no encoders

    def __post_init__(self) -> None:
        short = [k for k, piece in enumerate(self.pieces) if len(piece.position) < 2 * self.stencil + 1]
        if short or not self.pieces:
            raise RecordingError("samples.too_few/true_motion", stencil=2 * self.stencil + 1)

    @property
    def joints(self) -> int:
        """How many."""
        return len(self.model.joint_names)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Sample at which each piece begins, and the number of all.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> piece = Piece(still, still, 0.01)
        >>> TrueMotion(robot, bf.base_parameters(robot), (piece, piece), np.ones(1), np.ones(1)).starts
        (0, 9, 18)
        """
        return (0, *(int(k) for k in np.cumsum([len(piece.position) for piece in self.pieces])))

    @property
    def equations(self) -> int:
        """Torque equations of each joint."""
        return self.starts[-1] - 2 * self.stencil * len(self.pieces)

    @cached_property
    def measured(self) -> Array:
        """All measured positions in one row, (unknowns,)."""
        return np.concatenate([piece.position.ravel() for piece in self.pieces])

    def system(self) -> BandedSystem:
        """Room for the normal equations.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> likelihood = TrueMotion(robot, bf.base_parameters(robot), (Piece(still, still, 0.01),), np.ones(1), np.ones(1))
        >>> likelihood.system().band.shape
        (9, 3)
        """
        return BandedSystem(self.measured.size, (2 * self.stencil + 1) * self.joints, self.base.rank)

    def fill(self, x: Array, theta: Array, system: BandedSystem) -> None:
        """Everything at one point, into the normal equations.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((9, 1))
        >>> likelihood = TrueMotion(robot, bf.base_parameters(robot), (Piece(still, still, 0.01),), np.ones(1), np.ones(1))
        >>> system = likelihood.system()
        >>> likelihood.fill(np.ones(9), np.zeros(3), system)
        >>> system.cost
        9.0
        """
        for windows in self.windows(x, theta):
            system.add(*windows)
        for windows in self.sensed(x):
            system.add(*windows)
            system.hold(windows.first, windows.jacobian)
        weight = np.tile(1.0 / self.position_noise**2, self.starts[-1])
        system.anchor(weight, x - self.measured)

    def sensed(self, x: Array) -> Iterator[Windows]:
        """Equations of the other sensors, some at a time. No parameter is in them."""
        if not self.readings:
            return
        s = self.stencil
        for number, first, low, part in self._parts(x):
            one, two = VELOCITY[s] / part.period, ACCELERATION[s] / part.period**2
            motion = self._differences(part.position, len(part.torque), one, two)
            here = slice(low, low + len(part.torque))
            for readings in self.readings:
                jacobian, residual = readings.windows(here, number, motion, one, two)
                border = np.zeros((*residual.shape, self.base.rank + 1))
                border[:, :, -1] = residual
                yield Windows(self.joints * np.arange(first, first + len(residual), dtype=np.int64), jacobian, border)

    def windows(self, x: Array, theta: Array) -> Iterator[Windows]:
        """Torque equations, some at a time, in the order of the recording."""
        model = self.base.model(self.model, theta)
        for _, first, _, part in self._parts(x):
            yield self._windows(model, part, first, theta)

    def _parts(self, x: Array) -> Iterator[tuple[int, int, int, Piece]]:
        """Stretch, first sample of all, first equation in its stretch, and positions with the torques they surround."""
        q, s = x.reshape(-1, self.joints), self.stencil
        for number, ((start, stop), piece) in enumerate(zip(pairwise(self.starts), self.pieces)):
            own, tau = q[start:stop], piece.torque
            for low in range(s, len(own) - s, CHUNK):
                high = min(low + CHUNK, len(own) - s)
                yield number, start + low - s, low, Piece(own[low - s : high + s], tau[low:high], piece.period, piece.weight)

    def _differences(self, q: Array, count: int, one: Array, two: Array) -> tuple[Array, Array, Array]:
        shifted = [q[k : k + count] for k in range(2 * self.stencil + 1)]
        v, a = (np.ascontiguousarray(sum(c * part for c, part in zip(by, shifted))) for by in (one, two))
        return np.ascontiguousarray(shifted[self.stencil]), v, a

    def _windows(self, model: Model, part: Piece, first: int, theta: Array) -> Windows:
        q, tau, period, share = part
        s, n, count = self.stencil, self.joints, len(tau)
        one, two = VELOCITY[s] / period, ACCELERATION[s] / period**2
        q0, v, a = self._differences(q, count, one, two)
        root = model._root(None, count)
        run, columns = engine.current(), model.drive_columns.columns
        by_q, by_v = run.derivatives(model.tree, model.body_parameters, q0, v, a, root)
        mass = run.mass_matrix(model.tree, model.body_parameters, q0)
        friction = (columns.slopes(v, position=q0) * model._friction_values) @ self._pushes
        if columns.needs_position:
            by_q[:, 6:] += ((columns.position_slopes(v, q0) * model._friction_values) @ self._pushes).reshape(count, n, n)
        Y = run.regressor(model.tree, q0, v, a, root, "joints", columns, None)
        jacobian, border = np.empty((count, n, (2 * s + 1) * n)), np.empty((count, n, len(theta) + 1))
        known = (model._rotor, Y, self.base.columns, tau, share / self.torque_noise, theta, one, two)
        _gather()(by_q, by_v, mass, friction, *known, jacobian, border)
        return Windows(n * np.arange(first, first + count, dtype=np.int64), jacobian, border)

    @cached_property
    def _pushes(self) -> Array:
        """How the slope of a drive column acts on the joints, (columns, joints joints)."""
        columns = self.model.drive_columns.columns
        return (columns.effect[:, :, None] * columns.drive[:, None, :]).reshape(columns.count, self.joints**2)

    def velocity_deviation(self, inside: Array) -> Array:
        """Root mean square of the deviation of each joint's velocity, from the motion's covariance inside the band."""
        s, n = self.stencil, self.joints
        total = np.zeros(n)
        for (start, stop), piece in zip(pairwise(self.starts), self.pieces):
            places = n * np.arange(start, stop - 2 * s, dtype=np.int64)
            one = np.zeros((n, 2 * s + 1, n))
            one[np.arange(n), :, np.arange(n)] = VELOCITY[s] / piece.period
            out = np.empty((len(places), n))
            rows = np.ascontiguousarray(np.broadcast_to(one.reshape(n, -1), (len(places), n, (2 * s + 1) * n)))
            kernels().spread(places, rows, inside, out)
            total += out.sum(axis=0)
        return np.sqrt(np.maximum(total, 0.0) / self.equations)

    def absorbed(self, x: Array, theta: Array, inside: Array) -> tuple[Array, Array]:
        """Per joint: squares of the torque residuals, and how many of them the freedom of the motion has taken up.

        The second is the trace of J P J', P the covariance of the motion inside the band.
        """
        squares, taken = np.zeros(self.joints), np.zeros(self.joints)
        for windows in self.windows(x, theta):
            out = np.empty(windows.residual.shape)
            kernels().spread(windows.first, windows.jacobian, inside, out)
            squares += (windows.residual**2).sum(axis=0)
            taken += out.sum(axis=0)
        return squares, taken


def _gather() -> Callable[..., Any]:
    return _compiled() if engine.current().__name__.endswith("fast") else gather


@cache
def _compiled() -> Callable[..., Any]:
    from numba import types

    from bifilar.dynamics.kernels.lanes import IN1, IN2, OUT3, entry

    cube = types.Array(types.float64, 3, "C", readonly=True)
    places = types.Array(types.int64, 1, "C", readonly=True)
    return entry(cube, cube, cube, IN2, IN2, cube, places, IN2, IN1, IN1, IN1, IN1, OUT3, OUT3)(gather)
