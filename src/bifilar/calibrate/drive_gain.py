"""Torque per ampere of every drive, from runs with and without a load of known mass.

    without   current_j = (W_j x) / gain_j                    x    base parameters and friction of the robot
    with      current_j = (W_j x + V_j phi) / gain_j          phi  ten numbers of the load: its mass is known, nine are not

Without the load only x / gain can be told; the known mass, at lengths that the kinematics know, sets the scale of every joint
that feels its weight; a joint that gravity never loads (a vertical first axis) has nothing but the load's inertia to go by.
Noise is that of the current, so the unknown gains divide the clean side; gain * current = torque is linear in all unknowns and
gives the start, but presses gains towards zero. Solved by Gauss-Newton on the triangular factors, first for free numbers x,
then for links that can exist (consistent_gains.py); error bars by leaving out one block of time after the other (jackknife).

After Gautier and Briot 2014 (total least squares with a known payload mass), with one gain per joint at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.calibrate.consistent_gains import ConsistentGains
from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.reduce import BlockFactor, merge_blocks
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate.consistent import PhysicallyConsistent
from bifilar.estimate.estimate import Estimate
from bifilar.estimate.gravity_model import gravity_matrix
from bifilar.estimate.least_squares import LeastSquares
from bifilar.estimate.payload import carrier_column, neighbours
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data, listed
from bifilar.estimate.status import Status
from bifilar.estimate.usual_friction import USUAL_FRICTION
from bifilar.robot.friction import RotorInertia
from bifilar.robot.inertia import Inertia
from bifilar.robot.robot import Robot

STEPS = 40
SETTLED = 1e-9
OPEN = 1e-10
FELT = 12.0  # what the load adds to the recordings, over their noise, if it is there (chance alone: some three)
QUIETEST = 1e-7  # of what was recorded: noise below this is rounding
UNSETTLED = Status("not converged", Note("gains.not_converged"))
KNOWN = 0.3  # relative deviation beyond which a gain counts as not identified


@dataclass(frozen=True, eq=False, repr=False)
class DriveGains:
    """What recorded torque (or current) has to be multiplied with, joint by joint.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 400, 2))
    >>> heavy = robot.with_payload("link2", bf.Inertia.from_center_of_mass(2.0, [0.1, 0, 0], 0.01 * np.eye(3)))
    >>> current = [arm.inverse_dynamics(q, v, a) / [8.0, 5.0] for arm in (robot, heavy)]
    >>> found = bf.identify_drive_gains(robot, (q, v, a, current[0]), (q, v, a, current[1]), mass=2.0, friction=())
    >>> found.gain.round(6)
    array([8., 5.])
    """

    joint_names: tuple[str, ...]
    gain: Array  # (joints,) [N m per unit of what was recorded]
    covariance: Array  # (joints, joints)
    by_gravity: NDArray[np.bool_]  # (joints,) False: no gravity acts on the joint, its gain rests on the load's inertia alone
    centre: Array  # (3,) [m] of the load, in the frame of the link that carries it
    mass: float  # [kg] as stated
    noise: Array  # (joints,) of one recorded row, in its unit
    status: Status
    estimate: Estimate | None = None  # the robot that goes with these gains, its links such that can exist; None: not asked for
    load: Inertia | None = None  # that can exist, in the frame of the link that carries it

    @property
    def deviations(self) -> Array:
        """Standard deviations of the gains.

        >>> DriveGains(("a",), np.ones(1), np.eye(1), np.ones(1, bool), np.zeros(3), 1.0, np.ones(1), bf.Status()).deviations
        array([1.])
        """
        return np.sqrt(np.diag(self.covariance))

    @property
    def identified(self) -> NDArray[np.bool_]:
        """Which gains are known to better than 30 %, by gravity.

        >>> DriveGains(("a",), np.ones(1), np.eye(1), np.ones(1, bool), np.zeros(3), 1.0, np.ones(1), bf.Status()).identified
        array([False])
        """
        return (self.deviations <= KNOWN * np.abs(self.gain)) & self.by_gravity

    def torque(self, recorded: ArrayLike) -> Array:
        """Torque (N, joints) [N m] of what was recorded.

        >>> gains = DriveGains(("a",), np.full(1, 9.0), np.eye(1), np.ones(1, bool), np.zeros(3), 1.0, np.ones(1), bf.Status())
        >>> gains.torque([[2.0]])
        array([[18.]])
        """
        return np.asarray(recorded, dtype=float) * self.gain

    def summary(self, nominal: ArrayLike = 1.0) -> str:
        """One line per joint; `nominal` multiplies the gains (N m/A that the recording was made with).

        >>> gains = DriveGains(("a",), np.full(1, 9.0), np.eye(1), np.ones(1, bool), np.zeros(3), 1.0, np.ones(1), bf.Status())
        >>> print(gains.summary())
        a  9 ± 1
        """
        scale = np.broadcast_to(np.asarray(nominal, dtype=float), self.gain.shape)
        width = max(map(len, self.joint_names))
        lines = []
        for j, name in enumerate(self.joint_names):
            doubt = "" if self.by_gravity[j] else "   not identifiable by weight: rests on the load's inertia alone"
            doubt = doubt if self.deviations[j] <= KNOWN * abs(self.gain[j]) else "   not identified"
            lines.append(f"{name:<{width}}  {self.gain[j] * scale[j]:.4g} ± {self.deviations[j] * scale[j]:.2g}{doubt}")
        return "\n".join(lines if self.status.ok else [*lines, str(self.status)])

    def __repr__(self) -> str:
        return f"DriveGains({int(self.identified.sum())} of {len(self.gain)} identified, {self.status.code})"


def identify_drive_gains(
    robot: Robot,
    without: Data | Iterable[Data],
    loaded: Data | Iterable[Data],
    *,
    mass: float,
    link: str | None = None,
    method: PhysicallyConsistent | LeastSquares | None = None,
    **problem: Any,
) -> DriveGains:
    """Gains from recordings without a load and with one of known `mass` [kg] on `link` (the last one if left out).

    What stands in the recordings as torque may be a current, or a current times guessed gains. `method`: settings of the
    physically consistent fit that gains, links and load are found in together (the usual ones if left out), or
    `LeastSquares()` for gains beside free numbers. Other settings are those of `Problem.of`; `friction` left out is the
    robot's own, or viscous, Coulomb, offset and rotor inertia where it has none: currents turn rotors too.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 100, 1))
    >>> free = q, v, a, robot.inverse_dynamics(q, v, a) / 3.0
    >>> bf.identify_drive_gains(robot, free, free, mass=0.0)
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: a load of 0.0 kg does not determine a gain
      try     hang a known mass on the arm
    """
    if not (np.isfinite(mass) and mass > 0):
        raise SolveError("load.none/drive_gain", mass=mass)
    count = len(listed(without))
    if problem.get("friction") is None and not len(robot.friction.terms):
        problem = {**problem, "friction": USUAL_FRICTION + RotorInertia()}
    both = Problem.of(robot, [*listed(without), *listed(loaded)], **problem)
    system = _System(both, carrier_column(both.robot, link), mass)
    free = [k for k, owner in enumerate(both.owners) if owner < count]
    held = [k for k, owner in enumerate(both.owners) if owner >= count]
    with one_blas_thread():
        whole = system.solved(free, held)
        rest = [([k for k in free if k not in part], held) for part in neighbours(free)]
        rest += [(free, [k for k in held if k not in part]) for part in neighbours(held)]
        felt = _felt(both.robot)
        there = whole.felt and whole.settled  # without a load gains run away to infinity
        links = Status()
        if there and not whole.open.any() and not isinstance(method, LeastSquares):
            together = _together(system, free, held, rest, whole, felt, method or PhysicallyConsistent())
            if together is not None:
                return together
            links = UNSETTLED
        drawn = np.array([system.solved(*blocks, start=whole).gain for blocks in rest])
    lost = whole.open | (not there)
    covariance = np.where(np.outer(lost, lost), np.inf, _scatter(drawn))
    status = _status(both.row_names, whole.open, felt).worse(links) if there else _not_there(mass)
    return DriveGains(both.row_names, whole.gain, covariance, felt, whole.load[1:4] / mass, mass, whole.noise, status)


def _scatter(drawn: Array) -> Array:
    """Covariance of gains from those of every choice of blocks (jackknife)."""
    around = drawn - drawn.mean(axis=0)
    return (len(drawn) - 1) / len(drawn) * around.T @ around


def _together(
    system: _System,
    free: list[int],
    held: list[int],
    rest: list[tuple[list[int], list[int]]],
    plain: _Answer,
    felt: NDArray[np.bool_],
    method: PhysicallyConsistent,
) -> DriveGains | None:
    """Gains, links and load at once, from where free numbers led; None if they do not settle.

    Where no physically consistent links explain the currents (a load of negative mass, say), the steps wander without an end,
    and where they stand after the last one is decided by rounding: such gains are not handed on.
    """
    problem, mass = system.problem, system.mass
    level = max(float(np.abs(np.concatenate([y for *_, y in system._rows(free, held)[0]])).max()), 1e-300)
    noise = np.maximum(plain.noise, QUIETEST * level)
    fit = ConsistentGains.of(problem, system.carrier, mass, plain.gain, noise, free, method)
    found = fit.solved(free, held, plain.gain)
    if not found.settled:
        return None
    covariance = _scatter(np.array([fit.without(*blocks, found) for blocks in rest]))
    status = _status(problem.row_names, plain.open, felt)
    load = fit.load(found)
    estimate = fit.estimate(free, held, found, covariance, Status())
    centre = np.asarray(load.vector[1:4]) / mass
    return DriveGains(problem.row_names, found.gain, covariance, felt, centre, mass, noise, status, estimate, load)


def _felt(robot: Robot) -> NDArray[np.bool_]:
    """Which joints gravity acts on in some pose."""
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (50, len(robot.joint_names)))
    return np.abs(gravity_matrix(robot, q)).max(axis=(0, 2)) > 1e-6 * float(np.linalg.norm(robot.gravity))


def _not_there(mass: float) -> Status:
    return Status("rank deficient", Note("load.not_felt", mass=mass))


def _status(names: tuple[str, ...], lost: NDArray[np.bool_], felt: NDArray[np.bool_]) -> Status:
    if lost.any():
        return Status(
            "rank deficient", Note("gains.open", which=[name for name, gone in zip(names, lost, strict=True) if gone])
        )
    if not felt.all():
        return Status(
            "doubtful", Note("gains.scale", which=[name for name, known in zip(names, felt, strict=True) if not known])
        )
    return Status()


@dataclass(frozen=True, eq=False)
class _Answer:
    gain: Array
    base: Array
    load: Array  # (10,)
    noise: Array
    open: NDArray[np.bool_]  # (joints,) gains that the data leave open
    felt: bool = True  # whether the load moves what was recorded by more than noise
    settled: bool = True


@dataclass(frozen=True, eq=False)
class _System:
    problem: Problem
    carrier: int
    mass: float

    def solved(self, free: list[int], held: list[int], start: _Answer | None = None) -> _Answer:
        """Gauss-Newton over 1/gain, base parameters and nine numbers of the load; joints weighted by their noise."""
        rows, counts = self._rows(free, held)
        n, p = len(self.problem.row_names), len(self.problem.base)
        first = self._start(rows) if start is None else start
        share, x, load, noise = 1 / first.gain, first.base, first.load, first.noise
        for _ in range(STEPS):
            A, error, owner = self._linear(rows, share, x, load, noise)
            size = np.linalg.norm(A, axis=0)
            size = np.where(size > 1e-12 * size.max(), size, 1.0)
            move = decompose.lstsq(A / size, error, rcond=OPEN)[0] / size
            share, x, load = share + move[:n], x + move[n : n + p], load + np.append(0.0, move[n + p :])
            power = np.bincount(owner, (error - A @ move) ** 2, n) * noise**2
            noise = np.maximum(np.sqrt(power / np.maximum(counts - (p + 9 + n) / n, 1)), 1e-12)
            if np.all(np.abs(move[:n]) < SETTLED * np.abs(share)):
                break
        _, singular, right = decompose.svd(A / size, full_matrices=False)
        lost = np.abs(right[singular <= OPEN * singular[0]]).max(axis=0, initial=0.0)[:n] > 1e-3
        felt = sum(float(np.sum((share[j] * V @ load / noise[j]) ** 2)) for j, _, V, _ in rows)
        settled = bool(np.abs(move[:n] / share).max() < 1e-4)
        return _Answer(1 / share, x, load, noise, lost, bool(felt > FELT**2), settled)

    def _start(self, rows: list[tuple[int, Array, Array, Array]]) -> _Answer:
        """From gain * current = torque, linear in everything."""
        n, p = len(self.problem.row_names), len(self.problem.base)
        A = np.zeros((sum(len(y) for _, _, _, y in rows), n + p + 9))
        right, first = np.zeros(len(A)), 0
        for j, B, V, y in rows:
            part = slice(first, first + len(y))
            A[part, j], A[part, n : n + p], A[part, n + p :] = y, -B, -V[:, 1:]
            right[part] = self.mass * V[:, 0]
            first = part.stop
        size = np.linalg.norm(A, axis=0)
        size = np.where(size > 1e-12 * size.max(), size, 1.0)
        found = decompose.lstsq(A / size, right, rcond=OPEN)[0] / size
        gain = np.where(np.abs(found[:n]) > 1e-9, found[:n], 1.0)
        return _Answer(gain, found[n : n + p], np.append(self.mass, found[n + p :]), np.ones(n), np.zeros(n, dtype=bool))

    def _linear(
        self, rows: list[tuple[int, Array, Array, Array]], share: Array, x: Array, load: Array, noise: Array
    ) -> tuple[Array, Array, NDArray[np.int64]]:
        """Derivatives and errors, divided by noise; and the joint of every row."""
        n, p = len(share), len(x)
        parts, errors, owner = [], [], []
        for j, B, V, y in rows:
            torque = B @ x + V @ load
            J = np.zeros((len(y), n + p + 9))
            J[:, j] = torque
            J[:, n : n + p], J[:, n + p :] = share[j] * B, share[j] * V[:, 1:]
            parts.append(J / noise[j])
            errors.append((y - share[j] * torque) / noise[j])
            owner += [j] * len(y)
        return np.vstack(parts), np.concatenate(errors), np.array(owner)

    def _rows(self, free: list[int], held: list[int]) -> tuple[list[tuple[int, Array, Array, Array]], Array]:
        """Of every joint: base columns, the load's columns (zero without it), what was recorded; and samples per joint."""
        blocks = self.problem.reduction.blocks
        groups = [(merge_blocks([blocks[k] for k in ks]), float(k)) for k, ks in enumerate((free, held)) if ks]
        joints = range(len(self.problem.row_names))
        rows = [self._row(block, j, loaded) for block, loaded in groups for j in joints]
        counts = np.array([[block.rows[j].samples for j in joints] for block, _ in groups]).sum(axis=0)
        return rows, counts

    def _row(self, block: BlockFactor, j: int, loaded: float) -> tuple[int, Array, Array, Array]:
        row = block.rows[j]
        dense = np.zeros((len(row.triangle), len(self.problem.names)))
        dense[:, row.columns] = row.triangle[:, :-1]
        return j, dense[:, self.problem.base.columns], loaded * dense[:, self.carrier : self.carrier + 10], row.triangle[:, -1]
