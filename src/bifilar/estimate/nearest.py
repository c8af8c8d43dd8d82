"""From base parameters to a robot that can exist: of all robots with these base parameters, the one nearest the prior.

    minimise  sum_i divergence(J_i(phi), J_i of the prior)    subject to   K phi = beta,  every J_i positive definite

where beta = K phi are the base parameters. Published or plainly fitted base parameters often belong to no robot at all; then
phi is the robot whose base parameters are nearest, (K phi - beta)' C^-1 (K phi - beta) with the covariance C of the given
values, and the answer says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, ShapeError
from bifilar.estimate.consistent_parts import Known, drive_rows
from bifilar.estimate.lmi import clarabel_solution
from bifilar.estimate.log_det import newton
from bifilar.estimate.physical_prior import physical_prior
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.physical_rules import rules
from bifilar.estimate.split_bodies import robot_of
from bifilar.robot.base_parameters import BaseParameters, base_parameters
from bifilar.robot.parameters import Parameters
from bifilar.robot.robot import Robot

EXACT = 1e-7  # of the values' scale: what counts as reproduced
VAGUE = 0.01  # relative deviation of values that come without a covariance
FAINT = 1e-6  # weight of the prior where the given values cannot be met


@dataclass(frozen=True, eq=False)
class Nearest:
    """A robot that can exist, and how well it reproduces the base parameters asked for.

    >>> robot = bf.Robot.load("two_link")
    >>> base = bf.base_parameters(robot)
    >>> bf.nearest(robot, base.from_full(robot.parameters())).exact
    True
    """

    described: Robot
    base: BaseParameters
    wanted: Array  # base values asked for
    parameters: Parameters  # of all columns: ten numbers per body, then friction and drives
    exact: bool  # whether the base values are those asked for
    distance: float  # root mean square of their differences, in standard deviations
    sentence: str
    notes: tuple[Note, ...] = ()

    @property
    def robot(self) -> Robot:
        """It, to be saved.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.nearest(robot, bf.base_parameters(robot).from_full(robot.parameters())).robot.joint_names
        ('joint1', 'joint2')
        """
        return robot_of(self.described, self.parameters)

    @property
    def values(self) -> Array:
        """Its base parameters.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.nearest(robot, bf.base_parameters(robot).from_full(robot.parameters())).values.shape
        (6,)
        """
        return self.base.from_full(self.parameters.values)

    def __str__(self) -> str:
        return self.sentence


def nearest(
    robot: Robot,
    values: ArrayLike,
    *,
    base: BaseParameters | None = None,
    covariance: ArrayLike | None = None,
    prior: Robot | None = None,
) -> Nearest:
    """The robot nearest the prior (left out: the description) that has these base parameters, or nearly has them.

    `base` left out: those of the robot as it is, friction and rotor columns included. `covariance` of the values says which of
    them may give way if no robot has them all; left out, each is taken as known to 1 %.

    >>> robot = bf.Robot.load("two_link")
    >>> wanted = bf.base_parameters(robot).from_full(robot.parameters())
    >>> heavier = bf.nearest(robot, 1.2 * wanted)
    >>> print(heavier)
    a robot with exactly these 6 base parameters, the one nearest the prior
    >>> print(bf.nearest(robot, -wanted).sentence.split(":")[0])
    no robot has these 6 base parameters
    """
    base = base_parameters(robot) if base is None else base
    beta = np.asarray(values, dtype=float)
    if beta.shape != (len(base),) or not np.isfinite(beta).all():
        raise ShapeError("shape.wrong/nearest", base_count=len(base))
    found = physical_prior(robot if prior is None else prior)
    first = len(found.bodies) - (len(base.names) - len(robot.drive_values)) // 10
    known = Known(found.bodies[first:], np.array(robot.drive_values), found.notes)
    root = _root(covariance, beta, len(base))
    rows = rules(robot)
    x, exact = _reproduced(base, beta, known, rows.lower, root)
    if x is None:
        x = _closest(base, beta, known, rows.lower, root)
    distance = float(np.sqrt(np.mean((root @ (base.from_full(x) - beta)) ** 2)))
    words = f"a robot with exactly these {len(base)} base parameters, the one nearest the prior"
    if not exact:
        words = f"no robot has these {len(base)} base parameters: the nearest differs by {distance:.2g} standard deviations"
    return Nearest(robot, base, beta, robot.parameters().with_values(x), exact, distance, words, known.notes)


def _root(covariance: ArrayLike | None, beta: Array, count: int) -> Array:
    """Matrix that turns differences into standard deviations."""
    if covariance is None:
        size = VAGUE * np.maximum(np.abs(beta), 1e-2 * max(float(np.abs(beta).max(initial=0.0)), 1e-12))
        return np.diag(1.0 / size)
    c = np.asarray(covariance, dtype=float)
    if c.shape != (count, count) or not np.isfinite(c).all():
        raise ShapeError("shape.wrong/root", count=count)
    scale = np.sqrt(np.maximum(np.diag(c), 1e-300))
    values, axes = decompose.eigh(c / np.outer(scale, scale))
    return (axes / np.sqrt(np.maximum(values, 1e-12 * values[-1]))).T / scale


def _reproduced(base: BaseParameters, beta: Array, known: Known, lower: Array, root: Array) -> tuple[Array | None, bool]:
    """Values of all columns with exactly these base values; None if there are none."""
    scale = np.linalg.norm(root, axis=1).clip(1e-12)
    drives, pull = drive_rows(np.sqrt(FAINT) * (root / scale[:, None]) @ base.matrix, known)
    stated = PhysicalProblem(factor=drives, target=pull, prior=known.bodies, weight=1.0, lower=lower, equal=(base.matrix, beta))
    answer = newton(stated)
    answer = answer if answer.solved else clarabel_solution(stated)
    if not answer.solved or not np.isfinite(answer.cost):
        return None, False
    off = np.abs(base.from_full(answer.values) - beta) / np.maximum(np.abs(beta), 1e-3 * np.abs(beta).max(initial=1e-12))
    return (answer.values, True) if off.max(initial=0.0) <= EXACT else (None, False)


def _closest(base: BaseParameters, beta: Array, known: Known, lower: Array, root: Array) -> Array:
    factor, target = root @ base.matrix, root @ beta
    drives, pull = drive_rows(factor, known)
    stated = PhysicalProblem(
        factor=np.vstack([factor, drives]),
        target=np.concatenate([target, pull]),
        prior=known.bodies,
        weight=FAINT * max(1.0, float(target @ target)),
        lower=lower,
    )
    answer = newton(stated)
    return answer.values if answer.solved else clarabel_solution(stated).values
