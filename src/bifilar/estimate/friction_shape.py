"""What error bars owe to the shape of friction near standstill, which no column describes.

Coulomb friction changes its sign over a width of speed that is guessed: from the noise, or from a coarse grid of
candidates. Torque of another width is no noise, it pulls at every parameter that it resembles: Coulomb and viscous friction
first. For the Coulomb term of joint j, with dry friction c_j (Stribeck's part included) and width w_j, the next width that
could be true makes

    d_j = c_j (sign(v; 3 w_j) - sign(v; w_j)),       3 w_j not below 3 % of the joint's RMS speed

more torque, and w_j / 3 in the place of 3 w_j likewise, where w_j is not narrow already. How much of it there is, n ~ N(0,
1) before the data, they say themselves. With weighted columns X of the values, their covariance C, weighted differences D
and residuals e,

    M = 1 + D'D - D'X C X'D,     m = M^-1 D'e,     covariance of the values: C + G (M^-1 + m m') G',   G = C X'D

A width that is plainly wrong shows in m, and the bars then contain what it does.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.reduce import merge_blocks, stack
from bifilar.dynamics.tree import Array
from bifilar.estimate.problem import Problem
from bifilar.estimate.trials import named_apart
from bifilar.robot.friction import Coulomb, Friction
from bifilar.robot.reduction import reduce

WIDER = 3.0  # a width is guessed to about this factor: the step between candidates
LEAST = 0.03  # of the RMS speed: narrower signs look alike


def shape_root(problem: Problem, row_weights: Array, values: Array, root: Array) -> Array:
    """Columns (values, k) whose squares add to the covariance of all values; k = 0 where no sign of speed is fitted.

    `root`: root root' is the covariance of the values for independent errors, as in consistent_parts.

    >>> from bifilar.estimate.friction_shape import shape_root
    >>> robot = bf.Robot.load("pendulum")
    >>> problem = bf.Problem.of(robot, tuple(np.ones((4, 30, 1))), friction=bf.Viscous())
    >>> shape_root(problem, np.ones(1), np.ones(11), np.eye(11)).shape
    (11, 0)
    """
    base, names = problem.base, {name: k for k, name in enumerate(problem.names)}
    speeds, others = _speeds(problem, names), []
    for term in problem.robot.friction.terms:
        if not isinstance(term, Coulomb) or term.asymmetric or term.driven_by:
            continue
        places = term.at or problem.robot.joint_names
        for place in places if isinstance(places, tuple) else (places,):
            column, speed = names.get(f"{place}.coulomb"), speeds.get(str(place), 0.0)
            if column is not None and speed > 0:
                other = [max(WIDER * term.width, LEAST * speed)]
                other += [term.width / WIDER] if WIDER * term.width > LEAST * speed else []
                others += [(place, column, Coulomb(at=(place,), width=width)) for width in other]
    if not others or not problem.whole or not np.isfinite(row_weights).all():
        return np.zeros((len(values), 0))
    shadows = tuple(named_apart(term, k) for k, (_, _, term) in enumerate(others))
    robot = problem.robot.with_friction(Friction((*problem.robot.friction.terms, *shadows)))
    columns = [*base.independent, *robot.drive_columns.names[-len(others) :]]
    blocks = [block for source in problem.sources for block in reduce(robot, source, columns=columns).blocks]
    triangle, count = stack(merge_blocks(blocks), row_weights, len(columns)), len(base)
    dry = [sum(values[names[name]] for name in _dry(place, names)) for place, _, _ in others]
    hard = triangle[:, :count] @ base.matrix[:, [column for _, column, _ in others]]
    more = np.array(dry) * (triangle[:, count:-1] - hard)
    error = triangle[:, -1] - triangle[:, :count] @ base.from_full(values)
    through = (triangle[:, :count] @ base.matrix) @ root
    pulled = through.T @ more
    amount = np.eye(len(others)) + more.T @ more - pulled.T @ pulled
    inverse = np.linalg.inv(0.5 * (amount + amount.T))
    mean = inverse @ (more.T @ error)
    moved = root @ pulled
    return np.hstack([moved @ np.linalg.cholesky(0.5 * (inverse + inverse.T)), moved @ mean[:, None]])


def _dry(place: str, names: dict[str, int]) -> list[str]:
    """Coefficients that make up the friction of slow motion."""
    return [name for name in (f"{place}.coulomb", f"{place}.stribeck") if name in names]


def _speeds(problem: Problem, names: dict[str, int]) -> dict[str, float]:
    """RMS speed of every joint, from its viscous column."""
    found: dict[str, float] = {}
    for joint, row in zip(problem.row_names, problem.merged.rows):
        column = names.get(f"{joint}.viscous", -1)
        for place in np.flatnonzero(row.columns == column):
            found[joint] = float(np.linalg.norm(row.triangle[:, place]) / np.sqrt(max(row.samples, 1)))
    return found
