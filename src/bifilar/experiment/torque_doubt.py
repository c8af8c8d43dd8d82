"""How wrong a model's torque may be, as a bound: by a stated share of its parameters, and by a fit's covariance.

    share        sum over bodies of  u |m| |y_m| + u |h| |y_h| + u |I|_F |y_I|_F    y: the torque's slopes by parameters
    covariance   k sqrt(y C y')                                                          k deviations of the torque itself

The first is the worst torque error of bodies whose mass is wrong by the share u, whose first moment is wrong by a vector of up
to u times its length, and whose inertia about the link's origin is wrong by a matrix of up to u times its norm, all bodies at
once: it depends on no choice of axes, and contains bodies that are scaled as a whole. Friction and rotor inertia are wrong by u
as well.

The second keeps the correlations of inertial parameters; drive coefficients count by their own deviations, one by one, because
the sign of friction jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.norms import sizes
from bifilar.robot.robot import Robot

BLOCKS = (0, 1, 4)  # where mass, first moment and inertia begin among a body's ten parameters
ONCE = np.array([1, 1, 1, 1, 1, np.sqrt(0.5), 1, np.sqrt(0.5), np.sqrt(0.5), 1])  # |y_I|_F: an off-diagonal slope counts twice
SOFT = 1e-6  # of the limit: below it the size of a contribution is rounded off
SIGMAS = 3.0


@dataclass(frozen=True, eq=False)
class ParameterCovariance:
    """Covariance of some of a robot's parameters, by name; `ParameterCovariance.of(estimate)`. Infinite ones are left out.

    >>> known = ParameterCovariance(("link1.mcx", "link1.Izz"), np.diag([1e-4, np.inf]))
    >>> known.left_open, known.deviations
    (('link1.Izz',), array([0.01, 0.  ]))
    """

    names: tuple[str, ...]
    matrix: Array  # (names, names)
    sigmas: float = SIGMAS  # deviations of the torque that are kept inside the limit
    residual: Mapping[str, float] = field(default_factory=dict)  # [N m] RMS torque that the model leaves, by joint; said only

    def __post_init__(self) -> None:
        matrix = numbers("covariance", self.matrix)
        if matrix.shape != 2 * (len(self.names),) or np.isnan(matrix).any() or not 0 < self.sigmas < np.inf:
            raise MotionError("covariance.form", shape=matrix.shape, names=len(self.names), sigmas=self.sigmas)
        object.__setattr__(self, "matrix", matrix)

    @classmethod
    def of(cls, estimate: Any, sigmas: float = SIGMAS) -> ParameterCovariance:
        """Of an estimate's base parameters.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 200, 1))
        >>> found = bf.fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.01 * e), friction=())
        >>> ParameterCovariance.of(found).names
        ('link1.mcx', 'link1.mcy', 'link1.Izz')
        """
        residual = zip(estimate.described.row_names(), np.asarray(estimate.noise).tolist())
        return cls(tuple(estimate.names), estimate.covariance, sigmas, {name: x for name, x in residual if np.isfinite(x)})

    @property
    def left_open(self) -> tuple[str, ...]:
        """Parameters of which nothing is known."""
        return tuple(name for name, variance in zip(self.names, np.diag(self.matrix)) if not np.isfinite(variance))

    @property
    def finite(self) -> Array:
        """The matrix, with zeros where nothing is known."""
        known = np.isfinite(np.diag(self.matrix))
        return np.where(known[:, None] & known, self.matrix, 0.0)

    @property
    def deviations(self) -> Array:
        """Of every parameter; zero where nothing is known."""
        return np.sqrt(np.maximum(np.diag(self.finite), 0.0))

    def described(self) -> dict[str, Any]:
        """As a certificate states it: not the numbers, but their hash.

        >>> ParameterCovariance(("link1.mcx",), np.eye(1)).described()["parameters"]
        1
        """
        from bifilar.experiment.fingerprint import digest

        content = {"names": list(self.names), "matrix": self.matrix}
        return {"parameters": len(self.names), "sigmas": self.sigmas, "sha256": digest(content)}


@dataclass(frozen=True, eq=False)
class TorqueDoubt:
    """The bound on a robot. `rows` are slopes of joint torque by the parameters of moving bodies, (samples, joints, 10 bodies).

    >>> doubt = TorqueDoubt(bf.Robot.load("pendulum"), 0.1, None)
    >>> doubt.size(np.ones((1, 1, 10)), np.ones(1)).round(4)
    array([[0.1683]])
    """

    robot: Robot
    share: float
    covariance: ParameterCovariance | None

    @property
    def is_none(self) -> bool:
        """Whether nothing is said to be wrong.

        >>> TorqueDoubt(bf.Robot.load("pendulum"), 0.0, None).is_none
        True
        """
        return not self.share and self.covariance is None

    def size(self, rows: Array, limit: Array) -> Array:
        """How much the torque of the bodies may be wrong, (samples, joints)."""
        return self._parts(rows, limit)[0]

    def sloped(self, rows: Array, limit: Array) -> tuple[Array, Array]:
        """The same, and its slopes by the entries of the rows."""
        size, scaled, blocks, spread, total = self._parts(rows, limit)
        each = np.repeat(blocks, [1, 3, 6] * (rows.shape[2] // 10), axis=2)
        return size, scaled * self._weight / each + self._sigmas * (spread @ self._root.T) / total[:, :, None]

    def _parts(self, rows: Array, limit: Array) -> tuple[Array, Array, Array, Array, Array]:
        soft = SOFT * np.where(np.isfinite(limit), limit, 1.0)[:, None]
        scaled, spread = rows * self._weight, rows @ self._root
        starts = (np.arange(0, rows.shape[2], 10)[:, None] + np.array(BLOCKS)).ravel()
        blocks = np.sqrt(np.add.reduceat(scaled**2, starts, axis=2) + soft**2)
        total = np.sqrt((spread**2).sum(axis=2) + soft[:, 0] ** 2)
        return (blocks.sum(axis=2) if self.share else 0.0) + self._sigmas * total, scaled, blocks, spread, total

    @cached_property
    def sizes(self) -> Array:
        """What may be wrong of mass, first moment and inertia of every body, for bounds of rates, (bodies, 3).

        >>> TorqueDoubt(bf.Robot.load("pendulum"), 0.1, None).sizes.shape
        (2, 3)
        """
        tensor = np.linalg.norm(self.robot.body_parameters[:, 4:] / ONCE[4:], axis=1)
        own = self.share * np.column_stack([sizes(self.robot.body_parameters)[:, :2], tensor])
        spread = np.zeros_like(self.robot.body_parameters)
        spread[1:] = self._deviations[: spread[1:].size].reshape(-1, 10)
        return own + self._sigmas * np.add.reduceat(spread, BLOCKS, axis=1)

    @cached_property
    def drives(self) -> Array:
        """By how much every drive coefficient may be wrong, (columns,).

        >>> TorqueDoubt(bf.Robot.load("pendulum").with_friction(bf.Viscous(), {"joint1.viscous": 2.0}), 0.1, None).drives
        array([0.2])
        """
        values = self.robot.drive_values
        return self.share * np.abs(values) + self._sigmas * self._deviations[len(self._deviations) - len(values) :]

    @property
    def _sigmas(self) -> float:
        return 0.0 if self.covariance is None else self.covariance.sigmas

    @cached_property
    def _weight(self) -> Array:
        """Of every parameter of moving bodies: what is wrong of its block."""
        phi = self.robot.body_parameters[1:]
        tensor = np.linalg.norm(phi[:, 4:] / ONCE[4:], axis=1)
        most = np.column_stack([np.abs(phi[:, 0]), np.linalg.norm(phi[:, 1:4], axis=1), tensor])
        return self.share * (np.repeat(most, [1, 3, 6], axis=1) * ONCE).ravel()

    @cached_property
    def _places(self) -> list[int]:
        """Of the covariance's parameters among all."""
        if self.covariance is None:
            return []
        place = {name: k for k, name in enumerate(self.robot.parameters().names)}
        unknown = [name for name in self.covariance.names if name not in place]
        if unknown:
            raise MotionError("covariance.other_robot", unknown=unknown, robot=self.robot.name)
        return [place[name] for name in self.covariance.names]

    @cached_property
    def _deviations(self) -> Array:
        """Of every parameter of the robot."""
        every = np.zeros(len(self.robot.parameters().names))
        if self.covariance is not None:
            every[self._places] = self.covariance.deviations
        return every

    @cached_property
    def _root(self) -> Array:
        """R with R R' = covariance of the parameters of moving bodies, (10 bodies, rank)."""
        count = self.robot.body_parameters[1:].size
        inside = [k for k, place in enumerate(self._places) if place < count]
        if self.covariance is None or not inside:
            return np.zeros((count, 1))
        scale = self.covariance.deviations[inside]
        scale = np.where(scale > 0, scale, 1.0)  # units differ by orders of magnitude
        values, vectors = decompose.eigh(self.covariance.finite[np.ix_(inside, inside)] / np.outer(scale, scale))
        root = np.zeros((count, len(inside)))
        root[[self._places[k] for k in inside]] = scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
        return root
