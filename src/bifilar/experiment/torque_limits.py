"""Torque that stays within the drives' limits, even if the masses in the description are wrong.

    |tau_rigid| + uncertainty sum over links |tau of the link| + friction  <=  (1 - margin) effort limit

and the same at rest, without velocity and acceleration: an arm that stops, or runs slowly, must hold itself. (Slower
runs of a motion need a mixture of both torques, so they keep the limits too.)

`uncertainty` is the share by which each link's own contribution may be wrong (all ten parameters of a link scaled by a
factor in 1 +- uncertainty): the worst case over all links at once, not a deviation. Friction counts as if it always opposed the
drive: at most coefficient times size, so that the jump of Coulomb friction at standstill needs no case of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.engine import current
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.constraints import Room, Slopes, Wall
from bifilar.experiment.norms import Bodies
from bifilar.experiment.recheck import Recheck
from bifilar.robot.robot import Robot

SOFT = 1e-6  # of the limit: below it the size of a contribution is rounded off


@dataclass(frozen=True)
class TorqueWithin:
    """Joint torque stays within the effort limits.

    >>> bf.TorqueWithin(uncertainty=0.2).margin
    0.0
    """

    uncertainty: float = 0.0  # share by which each link's contribution may be wrong
    margin: float = 0.0  # share of the limit that stays unused when a motion is designed

    def __post_init__(self) -> None:
        shares = (self.uncertainty, self.margin)
        numbers = all(isinstance(share, (int, float, np.number)) for share in shares)
        if not numbers or not 0 <= self.uncertainty < np.inf or not 0 <= self.margin < 1:
            raise MotionError("torque.margin", uncertainty=self.uncertainty, margin=self.margin)

    def on(self, robot: Robot) -> Wall:
        """The wall on a robot; its effort limits must be known.

        >>> bf.TorqueWithin().on(bf.Robot.load("panda")).watched[0].name
        'torque of joint1, upper'
        """
        if robot.is_floating:
            raise MotionError("robot.floating/torque_limits", name=robot.name)
        limit = np.asarray(robot.limits.effort, dtype=float)
        unknown = [name for name, most in zip(robot.joint_names, limit, strict=True) if not np.isfinite(most)]
        if len(unknown) == len(limit):
            raise MotionError("limits.effort_missing/torque_limits", unknown=unknown)
        known = np.flatnonzero(np.isfinite(limit))
        watched = [
            Room(
                f"torque of {joint}{rest}, {side}",
                sign * float(limit[k]),
                "N" if joint in robot.sliding else "N m",
                side=-sign,
                gain=1 - self.margin,
            )
            for rest in ("", " at rest")
            for side, sign in (("upper", 1), ("lower", -1))
            for k, joint in zip(known, np.array(robot.joint_names)[known].tolist())
        ]
        return _Torque(robot, known, (1 - self.margin) * limit, self.uncertainty, tuple(watched))

    def without_margin(self) -> TorqueWithin:
        """The limit itself; the uncertainty stays.

        >>> bf.TorqueWithin(margin=0.1).without_margin().margin
        0.0
        """
        return replace(self, margin=0.0)


@dataclass(frozen=True, eq=False)
class _Torque(Wall):
    robot: Robot
    joints: NDArray[np.int64]  # places of those with a limit
    limit: Array  # (joints,) [N m], of all
    uncertainty: float
    watched: tuple[Room, ...]

    @property
    def scales(self) -> Array:
        return np.tile(np.maximum(self.limit[self.joints], 1e-9), 4)

    def rooms(self, q: Array, v: Array, a: Array) -> Array:
        none = np.zeros_like(q)
        moving, resting = ((q, v, a), (q, none, none))
        return np.hstack([self._rooms(*s, self._rigid(*s), self._parts(*s)) for s in (moving, resting)])

    def second_opinion(self, second: Recheck, q: Array, v: Array, a: Array) -> Array:
        alone = [Recheck(robot) for robot in self._single_links()] if self.uncertainty else []
        none, rooms = np.zeros_like(q), []
        for state in ((q, v, a), (q, none, none)):
            rigid = second.torque(*state) - state[2] @ self.robot._rotor.T
            parts = np.stack([one.torque(*state) for one in alone], axis=2) if alone else None
            rooms.append(self._rooms(*state, rigid, parts))
        return np.hstack(rooms)

    def _single_links(self) -> Iterator[Robot]:
        """The robot with one moving body each, the others without mass."""
        bare = self.robot.with_friction([])
        for body in range(1, len(self.robot.body_parameters)):
            alone = np.zeros_like(self.robot.body_parameters)
            alone[body] = self.robot.body_parameters[body]
            yield bare.with_body_parameters(alone)

    def _rooms(self, q: Array, v: Array, a: Array, rigid: Array, parts: Array | None) -> Array:
        torque, left = rigid + a @ self.robot._rotor.T, self.limit - self._friction(v)
        if parts is not None:
            left = left - self.uncertainty * self._sizes(parts).sum(axis=2)
        load = self._load_share()
        left = left - np.abs(rigid) @ load.T if load.any() else left
        return np.hstack([(left - torque)[:, self.joints], (left + torque)[:, self.joints]])

    def sloped(self, q: Array, v: Array, a: Array) -> tuple[Array, Slopes]:
        moving = self._slopes(q, v, a)
        resting = self._slopes(q, np.zeros_like(q), np.zeros_like(q))
        none = np.zeros_like(resting[0])
        both = zip(moving, (resting[0], none, none))
        return self.rooms(q, v, a), Slopes(*(np.concatenate(pair, axis=1) for pair in both))

    def _slopes(self, q: Array, v: Array, a: Array) -> list[Array]:
        tree, phi, root = self.robot.tree, self.robot.body_parameters, self.robot._root(None, len(q))
        by_q, by_v = (matrix[:, 6:] for matrix in current().derivatives(tree, phi, q, v, a, root))
        by_a = current().mass_matrix(tree, phi, q)[:, 6:, 6:]
        less = [np.zeros_like(by_q), self._friction_slope(v), np.zeros_like(by_a)]  # slopes of what is taken off the limit
        if self.uncertainty:
            for total, part in zip(less, self._uncertain_slopes(q, v, a)):
                total += part
        load = self._load_share()
        if load.any():
            side = load * np.sign(self._rigid(q, v, a))[:, None, :]
            less = [total + side @ by for total, by in zip(less, (by_q, by_v, by_a))]
        k, by_a = self.joints, by_a + self.robot._rotor
        return [np.concatenate([(-off - by)[:, k], (-off + by)[:, k]], axis=1) for off, by in zip(less, (by_q, by_v, by_a))]

    def rates(self, bodies: Bodies) -> Array:
        more = np.eye(len(self.limit)) * (1 + self.uncertainty) + self._load_share()
        rotor = bodies.span.jerk @ np.abs(self.robot._rotor).T
        moving = bodies.torque_rate(self.robot.body_parameters) @ more.T + rotor + self._friction_rate(bodies)
        resting = bodies.torque_rate(self.robot.body_parameters, at_rest=True) @ more.T
        return np.hstack([np.tile(rate[:, self.joints], (1, 2)) for rate in (moving, resting)])

    # ---- parts

    def _rigid(self, q: Array, v: Array, a: Array) -> Array:
        root = self.robot._root(None, len(q))
        return current().inverse_dynamics(self.robot.tree, self.robot.body_parameters, q, v, a, root)[:, 6:]

    def _parts(self, q: Array, v: Array, a: Array) -> Array | None:
        return self._by_link(q, v, a) if self.uncertainty else None

    def _by_link(self, q: Array, v: Array, a: Array) -> Array:
        """Torque of every body on its own, (samples, joints, bodies)."""
        tree, n = self.robot.tree, self.robot.tree.n_joints
        none = Columns.none(tree.n_coordinates)
        rows = current().regressor(tree, q, v, a, self.robot._root(None, len(q)), "joints", none, None, None)
        return np.einsum("nrbk,bk->nrb", rows.reshape(len(q), tree.n_coordinates, n, 10), self.robot.body_parameters[1:])

    def _sizes(self, parts: Array) -> Array:
        return np.sqrt(parts**2 + (SOFT * np.where(np.isfinite(self.limit), self.limit, 1.0)[:, None]) ** 2)

    def _uncertain_slopes(self, q: Array, v: Array, a: Array) -> list[Array]:
        tree, phi = self.robot.tree, self.robot.body_parameters[1:]
        parts = self._by_link(q, v, a)
        pull = self.uncertainty * parts / self._sizes(parts)  # (samples, joints, bodies)
        root, joints = self.robot._root(None, len(q)), pull.shape[1]
        slopes = [np.zeros((len(q), joints, joints)) for _ in range(3)]
        for row in range(joints):
            weight = np.zeros((len(q), joints, phi.size))
            weight[:, row] = (pull[:, row, :, None] * phi).reshape(len(q), -1)
            for total, part in zip(slopes, current().regressor_adjoint(tree, q, v, a, root, "joints", weight)):
                total[:, row] = part
        return slopes

    @cached_property
    def _friction_effect(self) -> Array:
        """Size of every column's effect, (columns, joints); inertias and what depends on the load are counted elsewhere."""
        columns = self.robot.drive_columns.columns
        counted = columns.having(lambda law: not law.is_inertia and not law.needs_load)
        return np.abs(columns.effect * self.robot._friction_values[:, None]) * counted[:, None]

    def _friction_bound(self, s: Array) -> tuple[Array, Array]:
        """Bound on every column's |value| at speeds up to |s|, and its slope, (samples, columns)."""
        columns = self.robot.drive_columns.columns
        bound, slope = np.zeros((2, *s.shape))
        for law, k, own, *_ in columns.groups:
            if not law.is_inertia:
                bound[:, k], slope[:, k] = law.largest(s[:, k], own)
        return bound, slope

    def _friction(self, v: Array) -> Array:
        if not self._friction_effect.any():
            return np.zeros_like(v)
        return self._friction_bound(np.abs(v @ self.robot.drive_columns.columns.drive.T))[0] @ self._friction_effect

    def _friction_slope(self, v: Array) -> Array:
        if not self._friction_effect.any():
            return np.zeros((len(v), v.shape[1], v.shape[1]))
        drive = self.robot.drive_columns.columns.drive
        s = v @ drive.T
        steep = np.sign(s) * self._friction_bound(np.abs(s))[1]
        return np.einsum("nk,ki,kj->nij", steep, self._friction_effect, drive)

    def _friction_rate(self, bodies: Bodies) -> Array:
        drive = np.abs(self.robot.drive_columns.columns.drive)
        fast, change = bodies.span.velocity @ drive.T, bodies.span.acceleration @ drive.T
        return (self._friction_bound(fast)[1] * change) @ self._friction_effect

    def _load_share(self) -> Array:
        """Friction of each joint per unit of load of each, (joints, joints)."""
        columns = self.robot.drive_columns.columns
        values = np.where(columns.having(lambda law: law.needs_load), np.abs(self.robot._friction_values), 0.0)
        return np.einsum("k,ki,kj->ij", values, np.abs(columns.effect), np.abs(columns.effect))
