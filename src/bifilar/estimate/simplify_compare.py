"""Rules of simplification side by side on the same recordings: where each would stop itself, where held-out motion says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bifilar.errors import BifilarError
from bifilar.estimate.held_errors import on_recordings
from bifilar.estimate.problem import Problem
from bifilar.estimate.rungs import Rule
from bifilar.estimate.simplify import Simplify
from bifilar.estimate.simplify_rules import RULES, rule_of


@dataclass(frozen=True)
class Rival:
    """What one rule came to.

    >>> Rival("LASSO path", 40, 20, 0.05, 0.06, None, None).kept
    20
    """

    rule: str
    full: int  # parameters of the full model
    kept: int  # where held-out motion says to stop
    held: float | None  # |error| / |torque| there, on the motion it was chosen by
    tested: float | None  # and on the motion that nobody looked at
    own: int | None  # parameters where the rule itself stops
    own_tested: float | None
    refused: str = ""  # why it has nothing to say


def compare_rules(
    problem: Problem,
    settings: Simplify,
    *,
    validate: Problem | None = None,
    test: Problem | None = None,
    rules: Iterable[str | Rule] = tuple(RULES),
) -> tuple[Rival, ...]:
    """Every rule with the same settings, weights and held-out motion.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 400, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e))
    >>> [rival.kept for rival in compare_rules(problem, Simplify(), rules=("contribution", "lasso"))]
    [2, 2]
    """
    found = []
    for rule in rules:
        try:
            found.append(_rival(problem, replace(settings, rule=rule), validate, test))
        except BifilarError as letter:
            words = rule_of(rule).words
            found.append(Rival(words, len(problem.base), len(problem.base), None, None, None, None, letter.what))
    return tuple(found)


def _rival(problem: Problem, settings: Simplify, validate: Problem | None, test: Problem | None) -> Rival:
    done = replace(settings, uncertainty="white").solve(problem, validate=validate)
    triangle, path = settings.climbed(problem)
    step = done.ladder.steps[done.ladder.chosen]
    own = None if path.own is None else path.rungs[path.own]
    tested = own_tested = None
    if test is not None:
        weights = np.ones(len(test.row_names))
        tested = float(on_recordings(test, [done.estimate.values], weights).relative[0])
        if own is not None:
            own_tested = float(on_recordings(test, [triangle.solved(own.kept).values], weights).relative[0])
    size = None if own is None else own.size
    return Rival(done.ladder.rule, len(problem.base), step.size, step.held, tested, size, own_tested)


def rival_table(rivals: Sequence[Rival | Mapping[str, Any]]) -> list[list[str]]:
    """Rows for a page or a terminal; the first is the head.

    >>> rival_table([Rival("LASSO path", 40, 20, 0.05, 0.06, None, None)])[1][:3]
    ['LASSO path', '20 of 40', '5 %']
    """
    rows = [["rule", "parameters", "held-out error", "test error", "own stop", "test error there"]]
    for one in rivals:
        facts = one if isinstance(one, Mapping) else vars(one)
        if facts["refused"]:
            rows.append([str(facts["rule"]), facts["refused"], "", "", "", ""])
            continue
        own = "" if facts["own"] is None else str(facts["own"])
        kept = f"{facts['kept']} of {facts['full']}"
        rows.append(
            [str(facts["rule"]), kept, _share(facts["held"]), _share(facts["tested"]), own, _share(facts["own_tested"])]
        )
    return rows


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.3g} %"
