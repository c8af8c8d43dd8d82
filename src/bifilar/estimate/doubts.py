"""Doubts: whether a recording can be of this robot at all.

Least squares fits any robot to any recording, and a low error proves nothing. But rigid bodies must earn their place:

    torque that is zero throughout               nothing was measured
    a fit no better than friction alone          whole, or of one joint: the links of this robot do not explain the torque
    a description that explains nothing          its links, times any factor, leave the torque as unexplained as without them
    a joint whose torque opposes the description's    another robot, a wrong sign, or joints in another order

The description is asked with a free factor, so that masses that are guesses, or torque in another unit, raise no doubt. Arms of
the same build are not told apart by any of this: their links explain each other's torque.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.dynamics.reduce import RowFactor
from bifilar.dynamics.tree import Array
from bifilar.estimate.problem import Problem
from bifilar.estimate.status import Status
from bifilar.robot.solve import weighted_fit

NO_BETTER = 0.9  # error over that of friction alone, of all joints
WORSE = 1.05  # the same of one joint
NOTHING = 0.8  # what the description leaves of what friction leaves
AGAINST = -0.5  # correlation of a joint's torque with the description's
LITTLE = 1e-6  # of the torque: a description without masses is not asked
REMEDY = "check that robot and recording belong together: bf.check(recording, robot) looks at signs, units and order"


class Evidence(NamedTuple):
    """Of every joint, friction taken out: torque, what the description says, and what the fit leaves.

    >>> Evidence(np.ones(1), np.ones(1), np.ones(1), np.ones(1), np.ones(1)).factor
    1.0
    """

    torque: Array  # (joints,) norm, friction not taken out
    left: Array  # (joints,) norm of what friction leaves
    described: Array  # (joints,) norm of the description's torque
    product: Array  # (joints,) of the two
    fitted: Array  # (joints,) norm of what the fit leaves

    @classmethod
    def of(cls, problem: Problem) -> Evidence:
        """From the factors alone: no second pass.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> evidence = Evidence.of(Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a))))
        >>> bool(evidence.fitted[0] < 1e-9 * evidence.left[0])
        True
        """
        factor, base = problem.factor(), problem.base
        rigid = base.columns < len(base.names) - problem.robot.drive_columns.columns.count
        values = weighted_fit(base.independent, factor, None, problem.prior()).values
        described = np.where(rigid, problem.prior(), 0.0)
        parts = [_parts(row, rigid, described) for row in factor.rows]
        torque = np.array([np.linalg.norm(row.triangle[:, -1]) for row in factor.rows])
        left, said = (np.array([np.linalg.norm(part[k]) for part in parts]) for k in (0, 1))
        product = np.array([float(a @ b) for a, b in parts])
        return cls(torque, left, said, product, np.array([row.residual(values) for row in factor.rows]))

    @property
    def factor(self) -> float:
        """By which the description's torque explains most; joints count by their torque.

        >>> Evidence(np.ones(1), np.ones(1), np.full(1, 2.0), np.full(1, 2.0), np.ones(1)).factor
        0.5
        """
        return float(self.product.sum() / np.sum(self.described**2))

    @property
    def unexplained(self) -> float:
        """Share of what friction leaves that the description leaves too.

        >>> Evidence(np.ones(1), np.ones(1), np.ones(1), np.ones(1), np.ones(1)).unexplained
        0.0
        """
        whole = float(np.sum(self.left**2))
        return float(np.sqrt(max(whole - self.factor * float(self.product.sum()), 0.0) / whole))


def _parts(row: RowFactor, rigid: Array, described: Array) -> tuple[Array, Array]:
    """Torque and the description's, without what friction can explain of each."""
    drives = row.triangle[:, :-1][:, ~rigid[row.columns].astype(bool)]
    torque, said = row.triangle[:, -1], row.triangle[:, :-1] @ described[row.columns]
    if not drives.shape[1]:
        return torque, said
    left, sizes, _ = np.linalg.svd(drives, full_matrices=False)
    basis = left[:, sizes > 1e-12 * max(sizes[0], 1e-300)]
    return torque - basis @ (basis.T @ torque), said - basis @ (basis.T @ said)


def doubts(problem: Problem) -> Status:
    """Ok, or doubtful with what speaks against robot and recording belonging together.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> print(doubts(Problem.of(robot, (q, v, a, -robot.inverse_dynamics(q, v, a)))))
    doubtful: the torque of 'joint1' runs against what the description's masses would cause
    """
    names, seen = problem.row_names, Evidence.of(problem)
    if not seen.torque.any():
        return Status("doubtful", "the torque is zero throughout", "give the torque that was measured")
    silent = [name for name, size in zip(names, seen.torque) if size == 0]
    if silent:
        return Status("doubtful", f"the torque of '{silent[0]}' is zero throughout", "give the torque that was measured")
    rounding = 1e-9 * seen.torque
    if np.linalg.norm(seen.fitted) > NO_BETTER * np.linalg.norm(seen.left + rounding):
        return Status("doubtful", "friction alone explains the torque as well as the whole robot does", REMEDY)
    worst = int(np.argmax(seen.fitted / (seen.left + rounding)))
    if seen.fitted[worst] > WORSE * seen.left[worst] + rounding[worst]:
        return Status("doubtful", f"friction alone explains the torque of '{names[worst]}' better than the robot does", REMEDY)
    return _against_description(names, seen)


def _against_description(names: tuple[str, ...], seen: Evidence) -> Status:
    if not np.linalg.norm(seen.described) > LITTLE * np.linalg.norm(seen.torque):
        return Status()
    size = seen.left * seen.described
    alike = np.where(size > LITTLE * seen.torque**2, seen.product / np.where(size > 0, size, 1.0), 0.0)
    worst = int(np.argmin(alike))
    if alike[worst] < AGAINST:
        return Status(
            "doubtful", f"the torque of '{names[worst]}' runs against what the description's masses would cause", REMEDY
        )
    if seen.unexplained > NOTHING:
        share = f"{100 * seen.unexplained:.0f} %"
        what = f"the description, whatever its scale, leaves {share} of the torque that friction does not explain"
        return Status("doubtful", what, REMEDY)
    return Status()
