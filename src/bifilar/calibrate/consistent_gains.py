"""Drive gains, links and load estimated together, all bodies being such that can exist.

    current_j = share_j (Y_j phi + F_j friction + V_j load),        share = 1 / gain

    minimise  1/2 |(current - ...) / noise|^2 + w sum_i divergence(J_i(phi), J_i of the description) + w' divergence(load)

with positive pseudo-inertias, friction not negative, and the load's mass as it was weighed. The only product of unknowns is
that of a share with its torque: it is linearised, and the rest is the convex problem of `PhysicallyConsistent`, solved again
until the shares settle (Gauss-Newton). Noise is the current's: the gain stands on the noisy side, as in the total least squares
of Gautier and Briot 2014. How much the description is believed is chosen on held-out blocks of the runs without a load, under
the gains of a fit without description: one that is too heavy is believed little, and does not tell what an ampere is.

Gains' error bars come from leaving out one stretch of time after the other. Those of links, friction and load are the
curvature's, the prior's part included, with rows that count less by as much as these stretches say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.reduce import BlockFactor, RowFactor, merge_blocks
from bifilar.dynamics.tree import Array
from bifilar.estimate.consistent import PhysicallyConsistent, stated_problem
from bifilar.estimate.consistent_parts import Known, drive_rows, known_bodies, spread_of
from bifilar.estimate.consistent_words import belief
from bifilar.estimate.estimate import Estimate
from bifilar.estimate.log_det import newton, newton_path
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.physical_rules import Rows, rules
from bifilar.estimate.prior_strength import PriorStrength, prior_strength
from bifilar.estimate.problem import Problem
from bifilar.estimate.status import Status
from bifilar.robot.inertia import Inertia

STEPS = 60
SETTLED = 1e-7  # relative change of the gains
RADIUS = 0.1  # [m] of the ball that an unknown load is compared with, about the link's origin
BELIEF = 0.1  # the load is known to 1/sqrt of it before the data
Row = tuple[int, Array, Array, Array]  # joint, all columns, the load's columns (zero without it), what was recorded


class Together(NamedTuple):
    """Gains, links and load of one solution, and the torque of every row.

    >>> Together(np.ones(2), np.ones(30), np.ones(9), True).gain
    array([1., 1.])
    """

    gain: Array  # (joints,) [N m per unit of what was recorded]
    values: Array  # ten numbers per body, ten of the load, friction, shares
    torque: Array  # (rows,) [N m]
    settled: bool


@dataclass(frozen=True, eq=False)
class ConsistentGains:
    """The problem, ready to be solved on any choice of blocks; made by `ConsistentGains.of`.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> problem = bf.Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) / 3), friction=())
    >>> gain, noise, method = np.full(1, 3.0), np.full(1, 1e-3), bf.PhysicallyConsistent(prior_weight=2.0)
    >>> ConsistentGains.of(problem, 0, 1.0, gain, noise, [0, 1], method).weight
    2.0
    """

    problem: Problem  # of all blocks; its torque is a current
    carrier: int  # first column of the link that carries the load
    mass: float  # [kg] of the load
    noise: Array  # (joints,) of a current
    known: Known  # the description's bodies and friction
    rules: Rows
    weight: float  # of the description
    strength: PriorStrength | None = None

    @classmethod
    def of(
        cls,
        problem: Problem,
        carrier: int,
        mass: float,
        gain: Array,
        noise: Array,
        free: list[int],
        method: PhysicallyConsistent,
    ) -> ConsistentGains:
        """With the weight of the description as asked for, or chosen on the blocks without a load under these gains."""
        torque, weights = scaled(problem, gain).choose(free), 1 / (np.abs(gain) * noise)
        known = known_bodies(torque, method.prior, torque.triangle(weights))
        given = {name: getattr(method, name) for name in ("total_mass", "inside", "symmetric", "alike", "bounds")}
        rows = rules(problem.robot, **given)
        if method.prior_weight is not None:
            return cls(problem, carrier, mass, noise, known, rows, float(method.prior_weight))

        def solver(factor: Array, target: Array, tried: list[float]) -> list[Array]:
            stated = stated_problem(torque, np.column_stack([factor, target]), known, rows, tried[0])
            return newton_path(stated, tried, tolerance=1e-7)

        strength = prior_strength(torque, weights, solver, rule=method.rule)
        return cls(problem, carrier, mass, noise, known, rows, strength.weight, strength)

    def solved(self, free: list[int], held: list[int], gain: Array) -> Together:
        """Gauss-Newton from these gains."""
        rows = self._rows(free, held)
        now = Together(gain, np.zeros(0), np.concatenate([gain[j] * y for j, _, _, y in rows]), False)
        for _ in range(STEPS):
            before, now = now, self._step(rows, now)
            if np.abs(now.gain / before.gain - 1).max() < SETTLED:
                return now
        return now._replace(settled=False)

    def without(self, free: list[int], held: list[int], found: Together) -> Array:
        """Gains of fewer blocks, to first order: one step from where all of them led."""
        rows = self._rows(free, held)
        return self._step(rows, found._replace(torque=self._torque(rows, found.values))).gain

    def _step(self, rows: list[Row], now: Together) -> Together:
        answer = newton(self._stated(rows, now), tolerance=1e-9)
        x = answer.values
        return Together(1 / x[-len(now.gain) :], x, self._torque(rows, x), answer.solved)

    def _torque(self, rows: list[Row], x: Array) -> Array:
        mine, i = self._mine(x), self.known.bodies.size
        return np.concatenate([W @ x[mine] + V @ x[i : i + 10] for _, W, V, _ in rows])

    def _mine(self, x: Array) -> Array:
        """Places of the robot's own numbers among the unknowns."""
        i = self.known.bodies.size
        return np.r_[0:i, i + 10 : len(x) - len(self.noise)]

    def _rows(self, free: list[int], held: list[int]) -> list[Row]:
        blocks = self.problem.reduction.blocks
        groups = [(merge_blocks([blocks[k] for k in ks]), float(k)) for k, ks in enumerate((free, held)) if ks]
        return [self._row(block, j, loaded) for block, loaded in groups for j in range(len(self.noise))]

    def _row(self, block: BlockFactor, j: int, loaded: float) -> Row:
        row = block.rows[j]
        dense = np.zeros((len(row.triangle), len(self.problem.names)))
        dense[:, row.columns] = row.triangle[:, :-1]
        return j, dense, loaded * dense[:, self.carrier : self.carrier + 10], row.triangle[:, -1]

    def _stated(self, rows: list[Row], now: Together, slower: float = 1.0) -> PhysicalProblem:
        """The convex problem around gains and torques; `slower` rows count as one."""
        n, i, share, first, parts = len(now.gain), self.known.bodies.size, 1 / now.gain, 0, []
        for j, W, V, y in rows:
            torque = now.torque[first : first + len(y)]
            own = np.zeros((len(y), n))
            own[:, j] = torque
            columns = [share[j] * W[:, :i], share[j] * V, share[j] * W[:, i:], own, y + share[j] * torque]
            parts.append(np.column_stack(columns) / self.noise[j])
            first += len(y)
        r = np.asarray(np.linalg.qr(np.vstack(parts), mode="r")) / np.sqrt(slower)
        faint, pull = drive_rows(r[:, self._mine(r[0, :-1])], self.known)
        weighed = np.eye(1, r.shape[1] - 1, i)
        return PhysicalProblem(
            factor=np.vstack([r[:, :-1], self._wide(faint)]),
            target=np.concatenate([r[:, -1], pull]),
            prior=np.vstack([self.known.bodies, _ball(self.mass)]),
            weight=np.append(np.full(len(self.known.bodies), self.weight), min(BELIEF, self.weight)),
            lower=self._wide(self.rules.lower[None], -np.inf)[0],
            upper=self._wide(self.rules.upper[None], np.inf)[0],
            equal=(np.vstack([self._wide(self.rules.equal[0]), weighed]), np.append(self.rules.equal[1], self.mass)),
            above=(self._wide(self.rules.above[0]), self.rules.above[1]),
        )

    def _wide(self, rows: Array, fill: float = 0.0) -> Array:
        """Rows on links and friction as rows on all unknowns."""
        i, count = self.known.bodies.size, len(rows)
        return np.hstack([rows[:, :i], np.full((count, 10), fill), rows[:, i:], np.full((count, len(self.noise)), fill)])

    def estimate(self, free: list[int], held: list[int], found: Together, gains: Array, status: Status) -> Estimate:
        """Links and friction as an estimate like others; `gains`: covariance of the gains, from stretches left out."""
        rows, problem, base = self._rows(free, held), self.problem, self.problem.base
        mine, n = self._mine(found.values), len(self.noise)
        white = spread_of(self._stated(rows, found), found.values).covariance.diagonal()[-n:] * found.gain**4
        slower = max(1.0, float(np.exp(np.mean(np.log(np.diag(gains) / white)))))
        stated = self._stated(rows, found, slower)
        spread = spread_of(stated, found.values)
        values, root = found.values[mine], spread.root[mine]
        arrives = (spread.covariance @ stated.factor.T @ stated.factor)[np.ix_(mine, mine)]
        return Estimate(
            described=problem.robot,
            base=base,
            values=base.from_full(values),
            covariance=base.matrix @ root @ root.T @ base.matrix.T,
            noise=self.noise * np.abs(found.gain),
            status=status,
            method="physically consistent least squares, drive gains with it",
            rows=problem.reduction.samples,
            recipe=problem.recipe,
            notes=(*problem.notes, *self.known.notes, *self.rules.words, *belief(self.weight, None)),
            tables={} if self.strength is None else {"prior weight": self.strength},
            parameters=problem.robot.parameters().with_values(values),
            parameter_covariance=root @ root.T,
            origins=tuple(spread.origins[k] for k in mine),
            seen=np.diag((base.matrix @ arrives)[:, base.columns]),
        )

    def load(self, found: Together) -> Inertia:
        """The load's ten numbers, in the frame of the link that carries it."""
        i = self.known.bodies.size
        return Inertia.from_vector(found.values[i : i + 10])


def scaled(problem: Problem, gain: Array) -> Problem:
    """The same equations with what was recorded multiplied by gains. Its `rows` are still the recorded ones.

    >>> robot = bf.Robot.load("pendulum")
    >>> problem = bf.Problem.of(robot, tuple(np.random.default_rng(0).normal(size=(4, 20, 1))), friction=())
    >>> ratio = scaled(problem, np.full(1, 3.0)).triangle([1.0])[:, -1] / problem.triangle([1.0])[:, -1]
    >>> np.abs(ratio[:3]).round(9)
    array([3., 3., 3.])
    """

    def row(one: RowFactor, factor: float) -> RowFactor:
        size = np.ones(len(one.triangle))
        size[-1] = factor
        return replace(one, triangle=one.triangle * size)

    blocks = tuple(
        replace(block, rows=tuple(row(one, factor) for one, factor in zip(block.rows, gain, strict=True)))
        for block in problem.reduction.blocks
    )
    return replace(problem, reduction=replace(problem.reduction, blocks=blocks))


def _ball(mass: float) -> Array:
    """A load that nothing is known of but its mass."""
    moment = 0.4 * mass * RADIUS**2
    return np.array([mass, 0, 0, 0, moment, 0, moment, 0, 0, moment])
