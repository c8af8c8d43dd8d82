"""Torque that stays within the drives' limits, even if the model is wrong by what is stated.

    |tau_rigid| + doubt + friction  <=  (1 - margin) effort limit

and the same at rest, without velocity and acceleration: an arm that stops, or runs slowly, must hold itself. (Slower
runs of a motion need a mixture of both torques, so they keep the limits too.)

The doubt is `torque_doubt`'s: a share of every parameter, and some deviations of a fit. Friction counts as if it always opposed
the drive: at most coefficient times size, so that the jump of Coulomb friction at standstill needs no case of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.engine import current
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.constraints import Room, Slopes, Wall
from bifilar.experiment.norms import Bodies, sizes
from bifilar.experiment.recheck import Recheck
from bifilar.experiment.torque_doubt import ParameterCovariance, TorqueDoubt
from bifilar.robot.robot import Robot

PROBES = 2  # random robots whose torques MuJoCo compares with the slopes that a doubt is made of


@dataclass(frozen=True)
class TorqueWithin:
    """Joint torque stays within the effort limits.

    >>> bf.TorqueWithin(uncertainty=0.2).margin
    0.0
    """

    uncertainty: float = 0.0  # share by which every link's parameters, friction and rotor inertia may be wrong
    margin: float = 0.0  # share of the limit that stays unused when a motion is designed
    covariance: ParameterCovariance | None = None  # of a fit: so many deviations of the torque stay within the limit

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
        doubt = TorqueDoubt(robot, float(self.uncertainty), self.covariance)
        return _Torque(robot, known, (1 - self.margin) * limit, doubt, tuple(watched))

    def without_margin(self) -> TorqueWithin:
        """The limit itself; what may be wrong stays.

        >>> bf.TorqueWithin(margin=0.1).without_margin().margin
        0.0
        """
        return replace(self, margin=0.0)


@dataclass(frozen=True, eq=False)
class _Torque(Wall):
    robot: Robot
    joints: NDArray[np.int64]  # places of those with a limit
    limit: Array  # (joints,) [N m], of all
    doubt: TorqueDoubt
    watched: tuple[Room, ...]

    @property
    def scales(self) -> Array:
        return np.tile(np.maximum(self.limit[self.joints], 1e-9), 4)

    def rooms(self, q: Array, v: Array, a: Array) -> Array:
        none = np.zeros_like(q)
        return np.hstack([self._rooms(*state, self._rigid(*state)) for state in ((q, v, a), (q, none, none))])

    def second_opinion(self, second: Recheck, q: Array, v: Array, a: Array) -> Array:
        none, rooms = np.zeros_like(q), []
        probes = [self._probe(seed) for seed in range(0 if self.doubt.is_none else PROBES)]
        for state in ((q, v, a), (q, none, none)):
            rigid = second.torque(*state) - state[2] @ self.robot._rotor.T
            off = np.zeros_like(rigid)
            for probe, again in probes:
                theirs = again.torque(*state) - state[2] @ self.robot._rotor.T
                off = np.maximum(off, np.abs(self._rows(*state) @ probe[1:].ravel() - theirs))
            rooms.append(self._rooms(*state, rigid) - np.tile(off[:, self.joints], 2))
        return np.hstack(rooms)

    def _probe(self, seed: int) -> tuple[Array, Recheck]:
        """Bodies with random parameters of the size that may be wrong: their torque is linear in the slopes of the doubt."""
        phi = self.robot.body_parameters
        wrong = np.random.default_rng(seed).normal(size=phi.shape) * np.repeat(self.doubt.sizes, [1, 3, 6], axis=1)
        return phi + wrong, Recheck(self.robot.with_body_parameters(phi + wrong))

    def _rooms(self, q: Array, v: Array, a: Array, rigid: Array) -> Array:
        torque, left = rigid + a @ self.robot._rotor.T, self.limit - self._drive(v, a)
        doubt = np.zeros_like(rigid) if self.doubt.is_none else self.doubt.size(self._rows(q, v, a), self.limit)
        left = left - doubt
        load = self._load_share()
        left = left - (np.abs(rigid) + doubt) @ load.T if load.any() else left
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
        less = [np.zeros_like(by_q), *self._drive_slopes(v, a)]  # slopes of what is taken off the limit
        load = self._load_share()
        if not self.doubt.is_none:
            more = np.eye(len(self.limit)) + load
            for total, part in zip(less, self._doubt_slopes(q, v, a)):
                total += more @ part
        if load.any():
            side = load * np.sign(self._rigid(q, v, a))[:, None, :]
            less = [total + side @ by for total, by in zip(less, (by_q, by_v, by_a))]
        k, by_a = self.joints, by_a + self.robot._rotor
        return [np.concatenate([(-off - by)[:, k], (-off + by)[:, k]], axis=1) for off, by in zip(less, (by_q, by_v, by_a))]

    def rates(self, bodies: Bodies) -> Array:
        more = np.eye(len(self.limit)) + self._load_share()
        own = sizes(self.robot.body_parameters) + self.doubt.sizes
        rotor = bodies.span.jerk @ np.abs(self.robot._rotor).T
        moving = bodies.torque_rate(own) @ more.T + rotor + self._drive_rate(bodies)
        resting = bodies.torque_rate(own, at_rest=True) @ more.T
        return np.hstack([np.tile(rate[:, self.joints], (1, 2)) for rate in (moving, resting)])

    # ---- parts

    def _rigid(self, q: Array, v: Array, a: Array) -> Array:
        root = self.robot._root(None, len(q))
        return current().inverse_dynamics(self.robot.tree, self.robot.body_parameters, q, v, a, root)[:, 6:]

    def _rows(self, q: Array, v: Array, a: Array) -> Array:
        """Slopes of joint torque by the parameters of every moving body, (samples, joints, 10 bodies)."""
        tree = self.robot.tree
        none = Columns.none(tree.n_coordinates)
        rows = current().regressor(tree, q, v, a, self.robot._root(None, len(q)), "joints", none, None, None)
        return rows.reshape(len(q), tree.n_coordinates, 10 * tree.n_joints)

    def _doubt_slopes(self, q: Array, v: Array, a: Array) -> list[Array]:
        tree, root = self.robot.tree, self.robot._root(None, len(q))
        _, pull = self.doubt.sloped(self._rows(q, v, a), self.limit)
        joints = pull.shape[1]
        slopes = [np.zeros((len(q), joints, joints)) for _ in range(3)]
        for row in range(joints):
            weight = np.zeros_like(pull)
            weight[:, row] = pull[:, row]
            for total, part in zip(slopes, current().regressor_adjoint(tree, q, v, a, root, "joints", weight)):
                total[:, row] = part
        return slopes

    @cached_property
    def _friction_effect(self) -> Array:
        """Size of every column's effect, (columns, joints); inertias and what depends on the load are counted elsewhere."""
        columns = self.robot.drive_columns.columns
        counted = columns.having(lambda law: not law.is_inertia and not law.needs_load)
        return np.abs(columns.effect) * (self._coefficients * counted)[:, None]

    @cached_property
    def _inertia_effect(self) -> Array:
        """What may be wrong of every rotor's effect, (columns, joints)."""
        columns = self.robot.drive_columns.columns
        return np.abs(columns.effect) * (self.doubt.drives * columns.is_inertia)[:, None]

    @cached_property
    def _coefficients(self) -> Array:
        """Of the columns, at most."""
        return np.abs(self.robot._friction_values) + self.doubt.drives

    def _friction_bound(self, s: Array) -> tuple[Array, Array]:
        """Bound on every column's |value| at speeds up to |s|, and its slope, (samples, columns)."""
        columns = self.robot.drive_columns.columns
        bound, slope = np.zeros((2, *s.shape))
        for law, k, own, *_ in columns.groups:
            if not law.is_inertia:
                bound[:, k], slope[:, k] = law.largest(s[:, k], own)
        return bound, slope

    def _drive(self, v: Array, a: Array) -> Array:
        """Friction, and what may be wrong of rotors, (samples, joints)."""
        if not self._friction_effect.any() and not self._inertia_effect.any():
            return np.zeros_like(v)
        drive = self.robot.drive_columns.columns.drive.T
        return self._friction_bound(np.abs(v @ drive))[0] @ self._friction_effect + np.abs(a @ drive) @ self._inertia_effect

    def _drive_slopes(self, v: Array, a: Array) -> tuple[Array, Array]:
        """Of the same, by velocity and by acceleration."""
        if not self._friction_effect.any() and not self._inertia_effect.any():
            none = np.zeros((len(v), v.shape[1], v.shape[1]))
            return none, none.copy()
        drive = self.robot.drive_columns.columns.drive
        s = v @ drive.T
        steep = np.sign(s) * self._friction_bound(np.abs(s))[1]
        return (
            np.einsum("nk,ki,kj->nij", steep, self._friction_effect, drive),
            np.einsum("nk,ki,kj->nij", np.sign(a @ drive.T), self._inertia_effect, drive),
        )

    def _drive_rate(self, bodies: Bodies) -> Array:
        drive = np.abs(self.robot.drive_columns.columns.drive)
        fast, change, jump = (span @ drive.T for span in (bodies.span.velocity, bodies.span.acceleration, bodies.span.jerk))
        return (self._friction_bound(fast)[1] * change) @ self._friction_effect + jump @ self._inertia_effect

    def _load_share(self) -> Array:
        """Friction of each joint per unit of load of each, (joints, joints)."""
        columns = self.robot.drive_columns.columns
        values = np.where(columns.having(lambda law: law.needs_load), self._coefficients, 0.0)
        return np.einsum("k,ki,kj->ij", values, np.abs(columns.effect), np.abs(columns.effect))
