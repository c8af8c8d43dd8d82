"""Error bars of a physically consistent fit: errors of filtered torque follow each other, and a prior is no data.

With the data's factor R and the prior's curvature w H in units of the noise, errors of the torque move the values by C R' e:

    covariance    C (R' K R + w H) C,   K what the errors' law makes of the rows (`sandwich`); white errors: K = 1, so C itself
                  and what a prior that is wrong adds (`Spread.doubt`), and friction of another shape (`friction_shape`)
    seen          diagonal of  B C B' R'R:  share of a change of the machine's base parameters that arrives in the estimate's

R is of the base columns and B turns all values into base values. A base value that arrives by less than half is the prior's
and does not count as identified, however sure the prior is; nor does one that data cannot tell from another.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.consistent_parts import Spread
from bifilar.estimate.estimate import Origin
from bifilar.estimate.freedom import Colour, freedom
from bifilar.estimate.friction_shape import shape_root
from bifilar.estimate.linear import Linear
from bifilar.estimate.problem import Problem
from bifilar.estimate.sandwich import followed
from bifilar.estimate.uncertainty import unable, unresolved
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.solve import TOUCHED

Uncertainty = Literal["robust", "white"]
UNRESOLVED = 1e-10  # of the torque: how closely the solver meets it, seen from noise of 1e-7 of it


class Bars(NamedTuple):
    """How sure all values are, and how much of the base values is the data's.

    >>> from bifilar.estimate.consistent_bars import Bars
    >>> Bars(np.eye(1), np.ones(1), ("data",), ()).notes
    ()
    """

    covariance: Array  # (columns, columns)
    seen: Array  # (base values,)
    origins: tuple[Origin, ...]  # (columns,)
    notes: tuple[Note, ...]
    freedom: Array | None = None  # (base values,) independent errors that told each deviation

    def without(self, base: BaseParameters, open_directions: Array) -> Bars:
        """The same where data leave directions of the base values open: what these touch is told apart by the prior alone.

        >>> from bifilar.estimate.consistent_bars import Bars
        >>> base = bf.base_parameters(bf.Robot.load("pendulum"))
        >>> Bars(np.eye(10), np.ones(3), ("data",) * 10, ()).without(base, np.eye(1, 3)).seen
        array([0., 1., 1.])
        """
        if not len(open_directions):
            return self
        lost = np.abs(open_directions).max(axis=0) > TOUCHED
        places = set(np.asarray(base.columns)[lost].tolist())
        origins: list[Origin] = ["prior" if k in places else origin for k, origin in enumerate(self.origins)]
        return self._replace(seen=np.where(lost, 0.0, self.seen), origins=tuple(origins))


def bars(
    problem: Problem, triangle: Array, weights: Array, noise: Array, spread: Spread, values: Array, how: Uncertainty
) -> Bars:
    """From a factor [R z] of the base columns, the weights of the joints that made it, and their noise.

    >>> from bifilar.estimate.consistent_bars import bars
    >>> robot, one = bf.Robot.load("pendulum"), np.ones(1)
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 50, 1))
    >>> problem = bf.Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    >>> spread = Spread(np.eye(10), ("prior",) * 10)
    >>> bars(problem, problem.triangle(one), one, one, spread, robot.parameters().values, "white").seen.shape
    (3,)
    """
    base, count = problem.base, len(problem.base)
    r = triangle[:, :count]
    turned, small = np.linalg.qr((base.matrix @ spread.root).T)  # base covariance = small' small
    told = r @ small.T
    seen = np.einsum("ik,ki->i", small.T @ small, r.T @ r)
    ones = np.ones(len(small))
    line = Linear(base.from_full(values), np.asarray(small.T), ones, 0 * ones, np.zeros((0, count)), seen)
    why, colour = () if how == "white" else unable(problem, noise), Colour.white(len(noise))
    if not np.isfinite(noise).all():  # then rows have no weight
        law = told.T @ told
    elif how == "white" or why:
        law = line.white(problem.factor(), weights, (weights * noise) ** 2)
    else:
        law, colour = followed(problem, line, weights)
        law = law + unresolved(line, problem.factor(), weights, UNRESOLVED)
    covariance = spread.covariance + spread.root @ (turned @ (law - told.T @ told) @ turned.T) @ spread.root.T
    known = np.sum(small**2, axis=0) - np.sum((told @ small) ** 2, axis=0)  # the prior's part of the variances
    shape = shape_root(problem, weights, values, spread.root)
    covariance = covariance + shape @ shape.T
    known = np.maximum(known, 0.0) + np.diag(spread.doubted(base.matrix @ spread.root))
    known = known + np.sum((base.matrix @ shape) ** 2, axis=1)
    told_by = freedom(line, problem.factor(), weights, noise, colour, known)
    return Bars(0.5 * (covariance + covariance.T), seen, spread.origins, why, told_by)
