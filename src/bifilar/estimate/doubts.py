"""Doubts: whether a recording can be of this robot at all.

Least squares fits any robot to any recording, and a low error proves nothing. But rigid bodies must earn their place:

    torque that is zero throughout               nothing was measured
    a fit no better than friction alone          whole, or of one joint: the links of this robot do not explain the torque
    a description far from the torque            its parts would have to be wrong by more than can be: another robot
    a joint whose torque opposes the description's    another robot, a wrong sign, or joints in another order
    links some hundred times as heavy as described    a unit

The parts of a description are the weight and the inertia of every link. With d_j its torque at a joint, p_jk its parts'
(d_j = sum over k of p_jk) and t_j the part of the measured torque that some links could cause and friction cannot,

    wrong_j = min over factors u >= 0 of |u t_j - d_j| / max(|d_j|, |p_j|),       |p_j|^2 = sum over k of |p_jk|^2

is how far its parts must be off to explain t_j. The factor is free, so that masses that are guesses, or torque in another unit,
raise no doubt. Where gravity and inertia nearly cancel, as in a pendulum that swings freely, small errors of the parts turn
d_j round, so the parts and not their sum are the measure. What no links could cause is no evidence against these. Only joints
with a good share of the torque are asked for their sign. Arms of the same build are not told apart by any of this: their links
explain each other's torque.

Limits were set on public recordings (two_link, panda_gaz, kuka_lwr4, kinova_gen3, tiago, staubli_tx40, ur10e_mamedov, pendulum,
double_pendulum, friction_franka): their own robots 0.02 to 0.38, robots of another build with as many joints mostly 0.45 to 1.
Of a pendulum that falls freely (0.64) the doubt is right: its torque is zero but for friction, and the fit's mass a tenth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.reduce import RowFactor
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, Remedy
from bifilar.estimate.problem import Problem
from bifilar.estimate.status import Status
from bifilar.robot.solve import weighted_fit

NO_BETTER = 0.9  # error over that of friction alone, of all joints
WORSE = 1.05  # the same of one joint
NOTHING = 0.45  # by which a description's parts may be wrong; descriptions of real machines: 0.02 to 0.38
SHARE = 0.1  # of the largest torque that links could cause: joints with less are not asked
AGAINST = -0.5  # correlation of a joint's torque with the description's
ODD = 200.0  # times the description's torque, or that part of it: a unit is so far off; real machines: 0.012 to 1.2
LITTLE = 1e-6  # of the torque: a description without masses is not asked
REMEDY = Remedy(
    "bf.check(recording, robot) looks at signs, units and order",
    cli="'bifilar check LOG --robot ROBOT' looks at signs, units and order",
    lead="check that robot and recording belong together: ",
)


class Evidence(NamedTuple):
    """Of every joint, friction taken out: torque, what the description says, and what the fit leaves.

    >>> Evidence(*np.ones((7, 1))).alike
    array([1.])
    """

    torque: Array  # (joints,) norm, friction not taken out
    left: Array  # (joints,) norm of what friction leaves
    caused: Array  # (joints,) norm of what some links could cause of that
    described: Array  # (joints,) norm of the description's torque
    parts: Array  # (joints,) norm of all its parts together
    product: Array  # (joints,) of torque and description
    fitted: Array  # (joints,) norm of what the fit leaves

    @classmethod
    def of(cls, problem: Problem, values: Array | None = None) -> Evidence:
        """From the factors alone: no second pass. `values`: of weighted least squares, if they are known already.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> evidence = Evidence.of(Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a))))
        >>> bool(evidence.fitted[0] < 1e-9 * evidence.left[0])
        True
        """
        factor, base = problem.factor(), problem.base
        inertial = len(base.names) - problem.robot.drive_columns.columns.count
        rigid = base.columns < inertial
        if values is None:
            values = weighted_fit(base.independent, factor, None, problem.prior()).values
        parts = np.where(rigid[:, None], described_parts(problem, inertial), 0.0)
        sizes = np.array([_sizes(row, rigid, parts) for row in factor.rows]).T
        torque = np.array([np.linalg.norm(row.triangle[:, -1]) for row in factor.rows])
        left, caused, described, together, product = sizes
        fitted = np.array([row.residual(values) for row in factor.rows])
        return cls(torque, left, caused, described, together, product, fitted)

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Joints with a good share of the torque that links could cause.

        >>> Evidence(*np.ones((2, 2)), np.array([1.0, 0.01]), *np.ones((4, 2))).asked
        array([ True, False])
        """
        return (self.caused >= SHARE * self.caused.max()) & (self.caused > LITTLE * self.torque)

    @property
    def alike(self) -> Array:
        """Correlation of torque and description, joint by joint; 0 where either has none.

        >>> Evidence(*np.ones((5, 1)), np.full(1, -1.0), np.ones(1)).alike
        array([-1.])
        """
        size = self.caused * self.described
        return np.where(size > LITTLE * self.torque**2, self.product / np.where(size > 0, size, 1.0), 0.0)

    @property
    def wrong(self) -> Array:
        """Share by which the parts of the description must be wrong to explain each joint's torque, whatever its scale.

        >>> Evidence(*np.ones((4, 1)), np.full(1, 2.0), np.full(1, -1.0), np.ones(1)).wrong
        array([0.5])
        """
        angle = np.sqrt(1.0 - np.clip(self.alike, 0.0, 1.0) ** 2)
        return angle * np.minimum(self.described / np.where(self.parts > 0, self.parts, np.inf) + (self.parts == 0), 1.0)

    @property
    def unexplained(self) -> float:
        """The same of all joints, each by its share of the torque that links could cause.

        >>> Evidence(*np.ones((7, 1))).unexplained
        0.0
        """
        total = np.sum(self.caused**2)
        return float(np.sqrt(np.sum((self.caused * self.wrong) ** 2) / total)) if total > 0 else 0.0


def described_parts(problem: Problem, inertial: int) -> Array:
    """Base values of the description's parts, (base values, 2 links): weight, then inertia of every link.

    >>> robot = bf.Robot.load("pendulum")
    >>> described_parts(Problem.of(robot, tuple(np.zeros((4, 9, 1))), friction=()), 10).round(3)
    array([[0.25 , 0.   ],
           [0.   , 0.   ],
           [0.   , 0.083]])
    """
    values = problem.robot.parameters().values[:inertial]
    matrix = (problem.base.matrix[:, :inertial] * values).reshape(len(problem.base), -1, 10)
    return np.stack([matrix[:, :, :4].sum(axis=2), matrix[:, :, 4:].sum(axis=2)], axis=2).reshape(len(problem.base), -1)


def _sizes(row: RowFactor, rigid: NDArray[np.bool_], parts: Array) -> tuple[float, float, float, float, float]:
    """Of one joint, without what friction can explain: as the fields of `Evidence`."""
    told = np.column_stack([row.triangle[:, -1], row.triangle[:, :-1] @ parts[row.columns]])
    drives = row.triangle[:, :-1][:, ~rigid[row.columns]]
    if drives.shape[1]:
        basis, sizes, _ = decompose.svd(drives, full_matrices=False)
        basis = basis[:, sizes > 1e-12 * max(sizes[0], 1e-300)]
        told = told - basis @ (basis.T @ told)
    torque, said = told[:, 0], told[:, 1:].sum(axis=1)
    left = float(np.linalg.norm(torque))
    caused = float(np.sqrt(max(left**2 - float(row.triangle[-1, -1]) ** 2, 0.0)))  # the rest no column explains
    return left, caused, float(np.linalg.norm(said)), float(np.linalg.norm(told[:, 1:])), float(torque @ said)


def doubts(problem: Problem, values: Array | None = None) -> Status:
    """Ok, or doubtful with what speaks against robot and recording belonging together.

    `values`: of weighted least squares, if they are known already.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> print(doubts(Problem.of(robot, (q, v, a, -robot.inverse_dynamics(q, v, a)))))
    doubtful: the torque of 'joint1' has the opposite sign of the nominal model's
    """
    names, seen = problem.row_names, Evidence.of(problem, values)
    if not seen.torque.any():
        return Status("doubtful", Note("torque.zero/doubts"))
    rows = [row.samples for row in problem.merged.rows]
    silent = [name for name, size, count in zip(names, seen.torque, rows) if size == 0 and count]
    if silent:
        return Status("doubtful", Note("torque.zero/joint", joint=silent[0]))
    rounding = 1e-9 * seen.torque + np.finfo(float).tiny
    if np.linalg.norm(seen.fitted) > NO_BETTER * np.linalg.norm(seen.left + rounding):
        return Status("doubtful", Note("torque.friction_alone/doubts"))
    worst = int(np.argmax(np.where(seen.asked, seen.fitted / (seen.left + rounding), 0.0)))
    if seen.fitted[worst] > WORSE * seen.left[worst] + rounding[worst]:
        return Status("doubtful", Note("torque.friction_alone/doubts_doubts", name=names[worst]))
    return _against_description(names, seen)


def _against_description(names: tuple[str, ...], seen: Evidence) -> Status:
    if not np.linalg.norm(seen.described) > LITTLE * np.linalg.norm(seen.torque):
        return Status()
    alike = np.where(seen.asked & (seen.wrong > NOTHING), seen.alike, 0.0)
    worst = int(np.argmin(alike))
    if alike[worst] < AGAINST:
        return Status("doubtful", Note("torque.opposed", name=names[worst]))
    if seen.unexplained > NOTHING:
        return Status("doubtful", Note("torque.unexplained", unexplained=seen.unexplained))
    times = float(np.linalg.norm(seen.caused) / np.linalg.norm(seen.parts))
    if not 1 / ODD < times < ODD:
        return Status("doubtful", Note("torque.scale/doubts", times=times))
    return Status()
