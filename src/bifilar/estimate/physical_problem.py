"""The estimation problem of bodies that can exist, as plain arrays: what both solvers (log_det.py, lmi.py) are asked.

    minimise     1/2 |R x - z|^2 + 1/2 rest + sum_i w_i divergence(J_i(x), J0_i)
    subject to   J_i(x) - floor J0_i positive (semi-)definite,   lower <= x <= upper,   A x = b,   G x >= g

x holds ten numbers per body, then any others (friction, rotor inertia). Rows are expected in units of their noise, so a cost
of 1/2 is a deviation of one sigma. With w = 0 it is the plain linear matrix inequality.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.estimate.bodies import divergences, margins

Outcome = Literal["solved", "not converged", "infeasible"]
Pair = tuple[Array, Array]


@dataclass(frozen=True, eq=False, kw_only=True)
class PhysicalProblem:
    """One problem; arrays are checked once, here.

    >>> from bifilar.estimate.physical_problem import PhysicalProblem
    >>> ball = np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    >>> problem = PhysicalProblem(factor=np.eye(10), target=ball, prior=ball[None], weight=1.0)
    >>> round(problem.cost(ball), 12), problem.bodies
    (0.0, 1)
    """

    factor: Array  # (rows, columns)
    target: Array  # (rows,)
    prior: Array  # (bodies, 10) positive definite; also the scale of each body
    weight: Array | float  # of the divergence, per body or one for all; 0 for the plain inequality
    lower: Array = None  # type: ignore[assignment]  # (columns,) -inf where there is none
    upper: Array = None  # type: ignore[assignment]
    equal: Pair = None  # type: ignore[assignment]  # A (k, columns), b (k,)
    above: Pair = None  # type: ignore[assignment]  # G (k, columns), g (k,)
    floor: float = 0.0  # share of the prior's pseudo-inertia that every body keeps
    rest: float = 0.0  # squared norm of what no x explains

    def __post_init__(self) -> None:
        r, z, prior = (np.asarray(a, dtype=float) for a in (self.factor, self.target, self.prior))
        p = r.shape[1] if r.ndim == 2 else -1
        if p < 0 or z.shape != (len(r),) or prior.ndim != 2 or prior.shape[1:] != (10,) or 10 * len(prior) > p:
            raise ShapeError("shapes.differ/physical_problem", shape=r.shape, shape_2=z.shape, shape_3=prior.shape)
        weight = np.broadcast_to(np.asarray(self.weight, dtype=float), (len(prior),)).copy()
        if not all(np.isfinite(a).all() for a in (r, z, prior, weight)) or np.any(weight < 0):
            raise ShapeError("not_finite/physical_problem")
        bad = np.flatnonzero(margins(prior) <= 0)
        if len(bad):
            raise ShapeError("body.impossible/physical_problem", bad=bad[0])
        bounds = {"lower": -np.inf, "upper": np.inf}
        for name, free in bounds.items():
            given = getattr(self, name)
            bound = np.full(p, free) if given is None else np.array(given, dtype=float)
            if bound.shape != (p,) or np.isnan(bound).any():
                raise ShapeError("shape.wrong/physical_problem", name=name, p=p)
            object.__setattr__(self, name, bound)
        for name in ("equal", "above"):
            matrix, side = getattr(self, name) or (np.zeros((0, p)), np.zeros(0))
            matrix, side = np.asarray(matrix, dtype=float).reshape(-1, p), np.asarray(side, dtype=float).reshape(-1)
            if len(matrix) != len(side):
                raise ShapeError(
                    "shapes.differ/physical_problem_post_init", name=name, matrix_count=len(matrix), side_count=len(side)
                )
            object.__setattr__(self, name, (matrix, side))
        for name, array in (("factor", r), ("target", z), ("prior", prior), ("weight", weight)):
            object.__setattr__(self, name, array)

    @property
    def bodies(self) -> int:
        """How many bodies there are.

        >>> from bifilar.estimate.physical_problem import PhysicalProblem
        >>> ball = np.array([[1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])
        >>> PhysicalProblem(factor=np.zeros((0, 11)), target=np.zeros(0), prior=ball, weight=1.0).bodies
        1
        """
        return len(self.prior)

    def inequalities(self) -> Pair:
        """All linear inequalities, bounds among them, as matrix @ x >= side.

        >>> from bifilar.estimate.physical_problem import PhysicalProblem
        >>> ball = np.array([[1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])
        >>> empty = dict(factor=np.zeros((0, 10)), target=np.zeros(0), prior=ball, weight=1.0)
        >>> PhysicalProblem(**empty, lower=np.zeros(10)).inequalities()[0].shape
        (10, 10)
        """
        unit = np.eye(self.factor.shape[1])
        low, high = np.isfinite(self.lower), np.isfinite(self.upper)
        matrix, side = self.above
        sides = [self.lower[low], -self.upper[high], side]
        return np.vstack([unit[low], -unit[high], matrix]), np.concatenate(sides)

    def misfit(self, x: Array) -> float:
        """The data's part of the cost.

        >>> from bifilar.estimate.physical_problem import PhysicalProblem
        >>> ball = np.array([[1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])
        >>> PhysicalProblem(factor=np.zeros((0, 10)), target=np.zeros(0), prior=ball, weight=1.0, rest=3.0).misfit(ball[0])
        1.5
        """
        error = self.factor @ x - self.target
        return 0.5 * float(error @ error + self.rest)

    def cost(self, x: Array) -> float:
        """The whole cost; infinite if a body cannot exist. Bounds are not looked at.

        >>> from bifilar.estimate.physical_problem import PhysicalProblem
        >>> ball = np.array([[1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]])
        >>> problem = PhysicalProblem(factor=np.zeros((0, 10)), target=np.zeros(0), prior=ball, weight=2.0)
        >>> round(problem.cost(2 * ball[0]), 4)
        2.4548
        """
        used = np.asarray(self.weight) > 0
        tens = np.asarray(x)[: 10 * self.bodies].reshape(-1, 10)
        return self.misfit(x) + float(np.asarray(self.weight)[used] @ divergences(tens[used], self.prior[used]))


@dataclass(frozen=True, eq=False)
class PhysicalAnswer:
    """What a solver found.

    >>> from bifilar.estimate.physical_problem import PhysicalAnswer
    >>> PhysicalAnswer(np.zeros(10), 0.5, "solved", 7, 1e-12, "").solved
    True
    """

    values: Array  # (columns,)
    cost: float
    outcome: Outcome
    iterations: int
    gap: float  # bound on how much the cost could still fall
    words: str  # the solver's own last word

    @property
    def solved(self) -> bool:
        """Whether the values are an answer.

        >>> from bifilar.estimate.physical_problem import PhysicalAnswer
        >>> PhysicalAnswer(np.zeros(10), 0.5, "infeasible", 7, np.inf, "").solved
        False
        """
        return self.outcome == "solved"
