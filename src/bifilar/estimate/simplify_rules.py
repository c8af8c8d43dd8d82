"""The rules of simplification by name: the paper's and its rivals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.dynamics.reduce import BlockFactor, merge_blocks, stack
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.contribution import Contribution
from bifilar.estimate.contribution_threshold import ContributionThreshold
from bifilar.estimate.essential import Essential
from bifilar.estimate.experiment_spread import Spread
from bifilar.estimate.largest_deviation import LargestDeviation
from bifilar.estimate.lasso import Lasso
from bifilar.estimate.problem import Problem, chosen_columns
from bifilar.estimate.rungs import Rule
from bifilar.estimate.subset import Triangle

RULES: dict[str, Rule] = {
    "contribution": Contribution(),
    "threshold": ContributionThreshold(),
    "essential": Essential(),
    "largest deviation": LargestDeviation(),
    "spread": Spread(),
    "lasso": Lasso(),
}
SINGLES = 6  # stretches of one recording that stand for experiments


def rule_of(rule: str | Rule) -> Rule:
    """A rule by its name, or itself.

    >>> rule_of("lasso").words
    'LASSO path'
    """
    if not isinstance(rule, str):
        return rule
    if rule not in RULES:
        raise SolveError("rule.unknown/simplify_rules", rule=rule, rules=RULES)
    return RULES[rule]


def experiments_of(problem: Problem, weights: Array, singles: int = SINGLES) -> Sequence[Triangle]:
    """Equations of every experiment: recordings if there are several, else stretches of the one.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> len(experiments_of(Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a))), np.ones(1)))
    6
    """
    small = [chosen_columns(block, problem.base.columns) for block in problem.reduction.blocks]
    return experiments(problem.base.independent, small, problem.owners, weights, singles)


def experiments(
    names: tuple[str, ...], blocks: Sequence[BlockFactor], owners: Sequence[int], weights: Array, singles: int = SINGLES
) -> list[Triangle]:
    """The same of some blocks; `owners` are the recordings they are of.

    >>> experiments((), [], (), np.ones(1))
    []
    """
    groups = [np.flatnonzero(np.array(owners) == k) for k in sorted(set(owners))]
    if len(groups) < 3:
        groups = [part for part in np.array_split(np.arange(len(blocks)), max(1, min(singles, len(blocks)))) if len(part)]
    merged = [merge_blocks([blocks[int(k)] for k in group]) for group in groups]
    return [Triangle(names, stack(block, weights, len(names)), sum(row.samples for row in block.rows)) for block in merged]
