"""Gravity identified on the assembled arm: from sweeps of one joint at a time, or from any poses and slow motion.

    torque = G(q) n + friction columns            G of gravity_model.py, two unknowns n per turning joint

`recursive` goes from the tip to the base (Ma and Hollerbach 1996): joint i's own sweep gives N_i, the normal part of its
composite mass moment, and n_i = N_i minus what the joints beyond contribute. `all at once` is weighted least squares over every
torque that was measured. If each sweep logs its own joint's torque only, both give the same numbers: a sweep then has
exactly its own two unknowns. With all sensors logged the second knows more. `with description` is the second, drawn to the
description where the data hardly tell a number (gravity_prior.py).

Friction terms of the arm are fitted beside gravity: an offset, Coulomb friction by the side from which a pose was approached,
viscous friction and rotor inertia for slow motion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.reduce import BlockFactor, RowFactor
from bifilar.dynamics.state import states
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, ShapeError, SolveError
from bifilar.estimate.gravity_model import GravityModel, gravity_matrix, gravity_names
from bifilar.estimate.gravity_prior import JointRows, drawn, scales
from bifilar.estimate.status import Status
from bifilar.recording.samples import Samples
from bifilar.recording.static_poses import StaticPoses
from bifilar.robot.friction import Friction, Term
from bifilar.robot.robot import Robot
from bifilar.robot.solve import TOUCHED, WeightedFit, weighted_fit

OPEN = 1e-9  # relative singular value below which a sweep leaves a direction open
Way = Literal["all at once", "recursive", "with description"]
Data = StaticPoses | Samples | tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]


@dataclass(frozen=True, eq=False, repr=False)
class GravityEstimate:
    """A gravity model from data, what was fitted beside it, and which numbers the data could tell.

    >>> robot = bf.Robot.load("two_link")
    >>> q = np.random.default_rng(0).uniform(-1, 1, (20, 2))
    >>> found = bf.identify_gravity(robot, (q, robot.gravity_torque(q)))
    >>> bool(np.allclose(found.model.values, bf.GravityModel.of(robot).values))
    True
    """

    model: GravityModel
    seen: NDArray[np.bool_]  # (numbers,) False: the data do not tell it; the value is the description's
    friction_names: tuple[str, ...]
    friction_values: Array
    friction_covariance: Array
    noise: Array  # (joints,) [N m] standard deviation of a torque; NaN for a joint without torque
    rows: int
    status: Status
    method: Way
    share: float | None = None  # how far off the description was found to be, of what each number could be

    def torque(self, position: ArrayLike) -> Array:
        """Gravity torque at any pose, without offset and friction, (N, joints) [N m].

        >>> robot = bf.Robot.load("pendulum")
        >>> found = bf.identify_gravity(robot, ([[0.0], [1.0], [2.0]], robot.gravity_torque([[0.0], [1.0], [2.0]])))
        >>> bool(np.allclose(found.torque([0.5]), robot.gravity_torque([0.5])))
        True
        """
        return self.model.torque(position)

    def summary(self) -> str:
        """Every number with its standard deviation.

        >>> robot = bf.Robot.load("pendulum")
        >>> found = bf.identify_gravity(robot, ([[0.0], [1.0], [2.0]], robot.gravity_torque([[0.0], [1.0], [2.0]])))
        >>> found.summary().splitlines()[0].split()[:2]
        ['joint1.nx', '0.25']
        """
        names = (*self.model.names, *self.friction_names)
        values = np.append(self.model.values, self.friction_values)
        sizes = np.append(self.model.deviations, np.sqrt(np.diag(self.friction_covariance)))
        seen = np.append(self.seen, np.ones(len(self.friction_names), dtype=bool))
        width = max(map(len, names))
        lines = []
        for name, value, size, known in zip(names, values, sizes, seen, strict=True):
            doubt = f"± {size:.2g}" + ("" if known else "  description") if np.isfinite(size) else "not seen"
            lines.append(f"{name:<{width}}  {value:10.5g}  {doubt}")
        return "\n".join(lines if self.status.ok else [*lines, str(self.status)])

    def __repr__(self) -> str:
        seen = f"{int(self.seen.sum())} of {len(self.seen)} numbers seen"
        return f"GravityEstimate({seen} in {self.rows} torques, {self.status.code})"


def identify_gravity(
    robot: Robot, data: Data, *, friction: Friction | Term | None = None, method: Way = "all at once"
) -> GravityEstimate:
    """Mass moments from static poses, or from slow motion with the friction terms that it needs.

    `data`: StaticPoses, prepared Samples, or arrays (position, torque) or (position, velocity, acceleration, torque). Torques
    that are NaN were not measured. `friction` is fitted beside gravity; static poses support `Offset` and, with approaches
    from both sides, `Coulomb`. `method`: "all at once", "recursive" (joint by joint from the tip, own sweeps only), or "with
    description", which leaves numbers that the data hardly tell near the description's.

    >>> robot = bf.Robot.load("two_link")
    >>> q = np.random.default_rng(0).uniform(-1, 1, (20, 2))
    >>> bf.identify_gravity(robot, (q, robot.gravity_torque(q) + 0.3), friction=bf.Offset()).friction_values.round(6)
    array([0.3, 0.3])
    """
    if method not in get_args(Way):
        raise SolveError("method.unknown/gravity", method=method, get_args=get_args(Way))
    arm = robot.with_friction(friction)
    table = _Rows.of(arm, data)
    if method == "recursive":
        return _recursive(arm, table)
    found = _all_at_once(arm, table)
    return found if method == "all at once" else _with_description(arm, table, found)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Equations joint by joint: (poses, joints, columns), torque with NaN where it was not measured, sweeps."""

    matrix: Array
    torque: Array
    swept: NDArray[np.bool_]
    names: tuple[str, ...]

    @classmethod
    def of(cls, arm: Robot, data: Data) -> _Rows:
        poses, v, a = _motion(arm, data)
        gravity = gravity_matrix(arm, poses.position)
        columns = arm.drive_columns.columns
        if columns.count:
            f = columns.values(v, a, np.nan_to_num(poses.torque), poses.position)
            gravity = np.concatenate([gravity, f[:, None, :] * columns.effect.T], axis=2)
        return cls(gravity, poses.torque, poses.swept(), (*gravity_names(arm), *arm.drive_columns.names))

    def of_joint(self, j: int, which: NDArray[np.bool_] | None = None) -> tuple[Array, Array]:
        """Its equations and torques, of all poses or of some."""
        kept = np.isfinite(self.torque[:, j]) if which is None else np.isfinite(self.torque[:, j]) & which
        return self.matrix[kept, j], self.torque[kept, j]


def _motion(arm: Robot, data: Data) -> tuple[StaticPoses, Array, Array]:
    """Poses and torques, with velocity and acceleration; at rest the velocity is the sign of the approach."""
    if isinstance(data, StaticPoses):
        if data.joint_names != arm.joint_names:
            raise ShapeError("joints.other/sensor_equations", poses=data.joint_names, robot=arm.joint_names)
        return data, data.approach, np.zeros_like(data.position)
    if isinstance(data, Samples):
        if data.joint_names != arm.joint_names:
            raise ShapeError("joints.other/gravity", samples=data.joint_names, robot=arm.joint_names)
        signs = any(hasattr(term, "width") for term in arm.friction)  # too slow for a sign: left out, as in every fit
        torque = np.where(data.mask, data.torque, np.nan) if signs else data.torque
        return StaticPoses(arm.joint_names, data.position, torque), data.velocity, data.acceleration
    if len(data) == 2:
        poses = StaticPoses(arm.joint_names, np.asarray(data[0]), np.asarray(data[1]))
        return poses, np.zeros_like(poses.position), np.zeros_like(poses.position)
    if len(data) != 4:
        raise ShapeError("arguments.count", data_count=len(data))
    poses = StaticPoses(arm.joint_names, np.asarray(data[0]), np.asarray(data[3]))
    (v, a), _ = states(arm.joint_names, velocity=data[1], acceleration=data[2])
    return poses, v, a


def _all_at_once(arm: Robot, rows: _Rows) -> GravityEstimate:
    factors, noise_of = [], []
    for j in range(rows.torque.shape[1]):
        W, tau = rows.of_joint(j)
        present = np.flatnonzero(np.any(W != 0, axis=0))
        if not len(tau):
            continue
        square = np.zeros((len(present) + 1, len(present) + 1))
        tall = np.column_stack([W[:, present], tau])
        r = np.linalg.qr(tall, mode="r")
        square[: len(r)] = r
        factors.append(RowFactor(present, square, len(tau)))
        noise_of.append(j)
    count = sum(factor.samples for factor in factors)
    if count < 2:
        raise SolveError("torques.too_few", count=count)
    fit = weighted_fit(rows.names, BlockFactor(tuple(factors), count), None, _described(arm))
    noise = np.full(rows.torque.shape[1], np.nan)
    noise[noise_of] = fit.noise
    return _estimate(arm, rows, fit, noise, count)


def _with_description(arm: Robot, rows: _Rows, plain: GravityEstimate) -> GravityEstimate:
    """The same data, and the description as one more measurement of every number."""
    gravity = len(gravity_names(arm))
    joints = [j for j in range(rows.torque.shape[1]) if np.isfinite(plain.noise[j])]
    if not joints:  # as many numbers as torques: nothing is left that would tell how much they are worth
        return plain
    equations = [JointRows(*rows.of_joint(j), float(plain.noise[j])) for j in joints]
    described = GravityModel.of(arm).values
    every = np.append(plain.model.values, plain.friction_values)
    found = drawn(equations, every, described, scales(arm.tree, arm.body_parameters))
    covariance = found.covariance
    return replace(
        plain,
        model=GravityModel(arm, found.values[:gravity], covariance[:gravity, :gravity]),
        seen=plain.seen & found.told,
        friction_values=found.values[gravity:],
        friction_covariance=covariance[gravity:, gravity:],
        status=_drawn_status(arm, plain, found.told),
        method="with description",
        share=found.share,
    )


def _drawn_status(arm: Robot, plain: GravityEstimate, told: NDArray[np.bool_]) -> Status:
    """What the plain fit said of numbers that are open, and which of the others are the description's for the most part."""
    faint = [name for name, known, seen in zip(plain.model.names, told, plain.seen, strict=True) if seen and not known]
    if not faint:
        return plain.status
    return plain.status.worse(Status("rank deficient", Note("gravity.open", parameters=faint)))


def _described(arm: Robot) -> Array:
    return np.append(GravityModel.of(arm).values, np.zeros(len(arm.drive_columns.names)))


def _estimate(arm: Robot, rows: _Rows, fit: WeightedFit, noise: Array, count: int) -> GravityEstimate:
    gravity = len(gravity_names(arm))
    lost = np.abs(fit.open).max(axis=0) > TOUCHED if len(fit.open) else np.zeros(len(rows.names), dtype=bool)
    covariance = fit.covariance
    return GravityEstimate(
        GravityModel(arm, fit.values[:gravity], covariance[:gravity, :gravity]),
        ~lost[:gravity],
        rows.names[gravity:],
        fit.values[gravity:],
        covariance[gravity:, gravity:],
        noise,
        count,
        _status(arm, rows.names, lost),
        "all at once",
    )


def _status(arm: Robot, names: tuple[str, ...], lost: NDArray[np.bool_]) -> Status:
    """What was not seen, and why."""
    if not lost.any():
        return Status()
    missing = [name for name, gone in zip(names, lost, strict=True) if gone]
    vertical = _never_felt(arm)
    dead = [name for name in missing if name in vertical]
    more = [name for name in missing if name not in vertical]
    key = "gravity.poses" if not dead else "gravity.poses/both" if more else "gravity.no_effect"
    return Status("rank deficient", Note(key, dead=dead, missing=more), cause="poses" if more else "")


def _never_felt(arm: Robot) -> tuple[str, ...]:
    """Numbers without effect at any pose."""
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (50, len(arm.joint_names)))
    size = np.abs(gravity_matrix(arm, q)).max(axis=(0, 1))
    return tuple(name for name, s in zip(gravity_names(arm), size, strict=True) if s < 1e-9 * np.linalg.norm(arm.gravity))


def _recursive(arm: Robot, rows: _Rows) -> GravityEstimate:
    """Joint by joint from the tip; the estimate is linear in the torques, which gives its covariance."""
    tree, gravity = arm.tree, len(gravity_names(arm))
    if not np.array_equal(tree.coordinate, np.arange(tree.n_joints)):
        raise SolveError("robot.coupled_joints")
    owner = np.concatenate([[j] if tree.prismatic[j] else [j, j] for j in range(tree.n_joints)]).astype(int)
    values = _described(arm)
    covariance = np.zeros((len(rows.names), len(rows.names)))
    noise, used = np.full(tree.n_joints, np.nan), 0
    open_ = np.ones(len(rows.names), dtype=bool)  # not told so far
    for j in reversed(range(tree.n_joints)):
        W, tau = rows.of_joint(j, rows.swept[:, j])
        own = np.append(owner == j, arm.drive_columns.columns.effect[:, j] != 0)
        acts = np.abs(W).max(axis=0, initial=0.0) > 1e-9 * np.abs(W).max(initial=0.0)
        own &= acts
        if not own.any():
            continue
        if len(tau) <= own.sum():
            raise SolveError(
                "poses.too_few/gravity", joint_name=arm.joint_names[j], tau_count=len(tau), own_count=int(own.sum())
            )
        told, values, covariance, noise[j] = _one_joint(W, tau, own, values, covariance)
        if not np.any(acts & ~own & open_):  # else they rest on numbers beyond that nothing told
            open_ &= ~told
        used += len(tau)
    if not used:
        raise SolveError("torque.missing/gravity")
    seen = ~open_
    covariance[np.ix_(~seen, ~seen)] = np.inf
    return GravityEstimate(
        GravityModel(arm, values[:gravity], covariance[:gravity, :gravity]), seen[:gravity], rows.names[gravity:],
        values[gravity:], covariance[gravity:, gravity:], noise, used, _status(arm, rows.names, ~seen), "recursive",
    )  # fmt: skip


def _one_joint(
    W: Array, tau: Array, own: NDArray[np.bool_], values: Array, covariance: Array
) -> tuple[NDArray[np.bool_], Array, Array, float]:
    """Which of its own unknowns its sweep tells, and all of them given those of the joints beyond; what their errors add."""
    A = W[:, own]
    size = np.linalg.norm(A, axis=0)
    _, singular, right = decompose.svd(A / size, full_matrices=False)
    lost = np.abs(right[singular <= OPEN * singular[0]]).max(axis=0, initial=0.0) > TOUCHED
    inverse = decompose.pinv(A / size, rcond=OPEN) / size[:, None]
    start = np.where(own, 0.0, values)[~own]
    found = values[own] + inverse @ (tau - W[:, ~own] @ start - A @ values[own])  # the description's where they are open
    spare = len(tau) - int(np.sum(singular > OPEN * singular[0]))
    sigma = float(np.linalg.norm(tau - W[:, ~own] @ start - A @ found) / np.sqrt(spare))
    carry = -inverse @ W[:, ~own]  # how errors of the others move these
    values, covariance, told = values.copy(), covariance.copy(), own.copy()
    values[own] = found
    told[own] = ~lost
    cross = carry @ covariance[np.ix_(~own, ~own)]
    covariance[np.ix_(own, ~own)] = cross
    covariance[np.ix_(~own, own)] = cross.T
    covariance[np.ix_(own, own)] = sigma**2 * inverse @ inverse.T + cross @ carry.T
    return told, values, covariance, sigma
