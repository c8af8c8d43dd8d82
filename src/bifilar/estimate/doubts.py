"""Doubts: whether a recording can be of this robot at all.

Least squares fits any robot to any recording, and a low error proves nothing. But rigid bodies must earn their place:

    torque that is zero throughout               nothing was measured
    a fit no better than friction alone          whole, or of one joint: the links of this robot do not explain the torque
    a description that explains little           its links, times any factor for each joint, leave much of the torque
    a joint whose torque opposes the description's    another robot, a wrong sign, or joints in another order

The description is asked with a free factor, so that masses that are guesses, or torque in another unit, raise no doubt, and
only joints with a good share of the torque are asked. Arms of the same build are not told apart by any of this: their links
explain each other's torque.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.reduce import RowFactor
from bifilar.dynamics.tree import Array
from bifilar.estimate.problem import Problem
from bifilar.estimate.status import Status
from bifilar.robot.solve import weighted_fit

NO_BETTER = 0.9  # error over that of friction alone, of all joints
WORSE = 1.05  # the same of one joint
NOTHING = 0.45  # of what friction leaves that the description leaves too; descriptions of real machines: 0.05 to 0.32
SHARE = 0.1  # of the largest torque that friction leaves: joints with less are not asked
AGAINST = -0.5  # correlation of a joint's torque with the description's
LITTLE = 1e-6  # of the torque: a description without masses is not asked
REMEDY = "check that robot and recording belong together: bf.check(recording, robot) looks at signs, units and order"


class Evidence(NamedTuple):
    """Of every joint, friction taken out: torque, what the description says, and what the fit leaves.

    >>> Evidence(np.ones(1), np.ones(1), np.ones(1), np.ones(1), np.ones(1)).alike
    array([1.])
    """

    torque: Array  # (joints,) norm, friction not taken out
    left: Array  # (joints,) norm of what friction leaves
    described: Array  # (joints,) norm of the description's torque
    product: Array  # (joints,) of the two
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
        rigid = base.columns < len(base.names) - problem.robot.drive_columns.columns.count
        if values is None:
            values = weighted_fit(base.independent, factor, None, problem.prior()).values
        described = np.where(rigid, problem.prior(), 0.0)
        parts = [_parts(row, rigid, described) for row in factor.rows]
        torque = np.array([np.linalg.norm(row.triangle[:, -1]) for row in factor.rows])
        left, said = (np.array([np.linalg.norm(part[k]) for part in parts]) for k in (0, 1))
        product = np.array([float(a @ b) for a, b in parts])
        return cls(torque, left, said, product, np.array([row.residual(values) for row in factor.rows]))

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Joints with a good share of the torque that friction leaves.

        >>> Evidence(np.ones(2), np.array([1.0, 0.01]), np.ones(2), np.ones(2), np.ones(2)).asked
        array([ True, False])
        """
        return self.left >= SHARE * self.left.max()

    @property
    def alike(self) -> Array:
        """Correlation of torque and description, joint by joint; 0 where either has none.

        >>> Evidence(np.ones(1), np.ones(1), np.full(1, 2.0), np.full(1, -2.0), np.ones(1)).alike
        array([-1.])
        """
        size = self.left * self.described
        return np.where(size > LITTLE * self.torque**2, self.product / np.where(size > 0, size, 1.0), 0.0)

    @property
    def unexplained(self) -> float:
        """Share of what friction leaves that the description leaves too, with a factor for each joint.

        >>> Evidence(np.ones(1), np.ones(1), np.ones(1), np.ones(1), np.ones(1)).unexplained
        0.0
        """
        kept = self.left**2 * (1.0 - np.minimum(np.maximum(self.alike, 0.0), 1.0) ** 2)
        return float(np.sqrt(kept.sum() / np.sum(self.left**2)))


def _parts(row: RowFactor, rigid: NDArray[np.bool_], described: Array) -> tuple[Array, Array]:
    """Torque and the description's, without what friction can explain of each."""
    drives = row.triangle[:, :-1][:, ~rigid[row.columns]]
    torque, said = row.triangle[:, -1], row.triangle[:, :-1] @ described[row.columns]
    if not drives.shape[1]:
        return torque, said
    left, sizes, _ = np.linalg.svd(drives, full_matrices=False)
    basis = left[:, sizes > 1e-12 * max(sizes[0], 1e-300)]
    return torque - basis @ (basis.T @ torque), said - basis @ (basis.T @ said)


def doubts(problem: Problem, values: Array | None = None) -> Status:
    """Ok, or doubtful with what speaks against robot and recording belonging together.

    `values`: of weighted least squares, if they are known already.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> print(doubts(Problem.of(robot, (q, v, a, -robot.inverse_dynamics(q, v, a)))))
    doubtful: the torque of 'joint1' runs against what the description's masses would cause
    """
    names, seen = problem.row_names, Evidence.of(problem, values)
    if not seen.torque.any():
        return Status("doubtful", "the torque is zero throughout", "give the torque that was measured")
    rows = [row.samples for row in problem.merged.rows]
    silent = [name for name, size, count in zip(names, seen.torque, rows) if size == 0 and count]
    if silent:
        return Status("doubtful", f"the torque of '{silent[0]}' is zero throughout", "give the torque that was measured")
    rounding = 1e-9 * seen.torque + np.finfo(float).tiny
    if np.linalg.norm(seen.fitted) > NO_BETTER * np.linalg.norm(seen.left + rounding):
        return Status("doubtful", "friction alone explains the torque as well as the whole robot does", REMEDY)
    worst = int(np.argmax(np.where(seen.asked, seen.fitted / (seen.left + rounding), 0.0)))
    if seen.fitted[worst] > WORSE * seen.left[worst] + rounding[worst]:
        return Status("doubtful", f"friction alone explains the torque of '{names[worst]}' better than the robot does", REMEDY)
    return _against_description(names, seen)


def _against_description(names: tuple[str, ...], seen: Evidence) -> Status:
    if not np.linalg.norm(seen.described) > LITTLE * np.linalg.norm(seen.torque):
        return Status()
    alike = np.where(seen.asked, seen.alike, 0.0)
    worst = int(np.argmin(alike))
    if alike[worst] < AGAINST:
        return Status(
            "doubtful", f"the torque of '{names[worst]}' runs against what the description's masses would cause", REMEDY
        )
    if seen.unexplained > NOTHING:
        share = f"{100 * seen.unexplained:.0f} %"
        what = f"the description, whatever its scale, leaves {share} of the torque that friction leaves"
        return Status("doubtful", what, REMEDY)
    return Status()
