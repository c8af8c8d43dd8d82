"""What cannot be simplified, told by the names of parameters and joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.held_errors import HeldErrors
from bifilar.estimate.problem import Problem
from bifilar.estimate.weighted_rows import WeightedRows
from bifilar.recording.checks_excitation import SMALL
from bifilar.recording.samples import Samples
from bifilar.robot.solve import inverted, open_names

NAMED = 8  # parameters in a sentence
NOTHING = 0.95  # of the torque that even the best model leaves: it explains none of it


def refuse_open(problem: Problem, rows: WeightedRows, kept: Sequence[int] | None = None) -> None:
    """Data that leave parameters open, of all or of those `kept`: values that could be anything contribute anything.

    >>> robot = bf.Robot.load("two_link").with_friction(bf.Viscous())
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2)) * [1, 0]
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)))
    >>> refuse_open(problem, WeightedRows.of(problem, np.ones(2)))
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: the recordings leave 1 of 8 parameters open, among them joint2.viscous
      still   joint2
      likely  joint2 hardly moves
      try     record motion of every joint; hold joints that never move: robot.locked
    """
    places = list(range(len(problem.base)) if kept is None else kept)
    r: Array = np.linalg.qr(rows.triangle[:, places], mode="r")  # type: ignore[assignment]
    open_directions = inverted(r)[1]
    if not len(open_directions):
        return
    worst = open_names([problem.base.independent[k] for k in places], open_directions, NAMED)
    still = still_joints(problem)
    raise SolveError(
        "parameters.open/simplify_refusals" if still else "parameters.open/refuse_open",
        open_direction_count=len(open_directions),
        place_count=len(places),
        worst=worst,
        still=still,
        still_count=len(still),
    )


def still_joints(problem: Problem) -> tuple[str, ...]:
    """Joints that hardly move in any of the recordings.

    >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
    >>> still_joints(Problem.of(robot, (still, still, still, still)))
    ('joint1',)
    """
    spans = []
    for source in problem.sources:
        if isinstance(source, Samples):
            spans.append(np.ptp(source.position, axis=0))
        else:
            parts = [np.asarray(chunk.position, dtype=float) for chunk in source.chunks(problem.robot)]
            spans.append(np.ptp(np.concatenate(parts), axis=0) if parts else np.zeros(0))
    names = problem.robot.joint_names
    widest = np.max([span for span in spans if len(span) == len(names)], axis=0, initial=0.0)
    return tuple(name for name, width in zip(names, np.broadcast_to(widest, (len(names),))) if width < SMALL)


def refuse_stranger(held: HeldErrors) -> None:
    """Recordings to validate on of which no model of the ladder explains anything.

    >>> held = HeldErrors(("a",), np.full((1, 1, 1), 4.0), np.full((1, 1), 4.0), np.ones((1, 1)), np.ones(1))
    >>> refuse_stranger(held)
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: no model of the fitted recordings explains the torque to validate on; the best leaves 100 % of it
      worst   a 100 %
      likely  a recording of another robot, other units or signs
      try     'bifilar check LOG --robot ROBOT' looks at signs, units and order
    """
    best = int(np.argmin(held.relative))
    if held.relative[best] < NOTHING:
        return
    share = np.sqrt(held.squares[best].sum(axis=0) / np.maximum(held.torque.sum(axis=0), 1e-300))
    order = np.argsort(-share)[:3]
    raise SolveError(
        "model.explains_nothing",
        worst=", ".join(f"{held.joint_names[j]} {100 * share[j]:.3g} %" for j in order),
        relative=held.relative[best],
    )
