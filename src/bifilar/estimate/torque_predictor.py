"""The best predictor of torque, handed over beside the physically consistent model where that clearly predicts worse.

Some torque cannot come from rigid links and passive friction: that of a controller in a closed loop, of a sensor behind a part
of the friction, of a cable. Base parameters without inequalities absorb it and predict motion of the same kind better; their
values belong to no machine, so they are a formula for torque, not a model to simulate or to write as a URDF. The two are
compared on held-out blocks of the fitted recordings:

    gain = mean over blocks of (e consistent - e free) / mean of e consistent         e: RMS error of the torque [N m]

The free model is offered if the gain exceeds its standard error (the physically consistent model is the simpler one: Breiman
and others 1984) and 3 %, below which recordings of one machine differ among themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.least_squares import LeastSquares
from bifilar.estimate.prior_metric import Whitened, metric
from bifilar.estimate.prior_strength import folds_of
from bifilar.estimate.problem import Problem
from bifilar.estimate.ridge import strength
from bifilar.estimate.uncertainty import Uncertainty

LEAST_GAIN = 0.03
ROUNDING = 1e-14

Solver = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class Comparison:
    """Errors on held-out blocks of the fitted recordings: the physically consistent model and free base parameters.

    >>> Comparison(0.2, 0.05, 1.0).offered, Comparison(0.2, 0.3, 1.0).offered, Comparison(0.02, 0.0, 1.0).offered
    (True, False, False)
    """

    gain: float  # mean over blocks, as a share of the consistent model's error
    standard_error: float  # of the gain, over blocks
    strength: float  # of the ridge to the nominal model

    @property
    def excess(self) -> float:
        """By how much the error of the consistent model exceeds that of free parameters, as a share of the latter.

        >>> Comparison(0.2, 0.05, 1.0).excess
        0.25
        """
        return self.gain / max(1.0 - self.gain, 1e-12)

    def sentence(self) -> Note:
        """What is handed over beside the model, and why.

        >>> Comparison(0.2, 0.05, 1.0).sentence()
        'a torque predictor is handed over too: free base parameters have 20 % less error on held-out blocks'
        """
        return Note("predictor.offered", gain=self.gain)

    @property
    def offered(self) -> bool:
        """Whether the free parameters are clearly the better predictor.

        >>> Comparison(float("nan"), 0.0, 1.0).offered
        False
        """
        return self.gain > max(self.standard_error, LEAST_GAIN)


def compared(problem: Problem, row_weights: Array, consistent: Solver) -> Comparison | None:
    """Free base parameters against the consistent model, each fitted to all folds but one in turn; None: too few blocks.

    `consistent` gives the base parameters of the consistent model for a factor R and a target z, in units of the noise.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 400, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) - 0.3 * v), friction=bf.Viscous())
    >>> nominal = lambda factor, target: problem.prior()
    >>> compared(problem, np.ones(1), nominal).offered
    True
    """
    parts, width = folds_of(problem), len(problem.base)
    if len(parts) < 2:
        return None
    before: list[float] = []
    after: list[float] = []
    with one_blas_thread():
        g, whole = metric(problem, row_weights), problem.triangle(row_weights)
        if not np.abs(np.diag(g)).min() > ROUNDING * np.abs(np.diag(g)).max():  # a joint without noise or without rows
            return None
        triangles = [problem.choose(part).triangle(row_weights) for part in parts]
        seen = Whitened.of(whole[:width, :width], whole[:width, width], g, problem.prior())
        best = strength(problem, row_weights, g, seen).best
        for k, part in enumerate(parts):
            inner = np.asarray(np.linalg.qr(np.vstack([t for n, t in enumerate(triangles) if n != k]), mode="r"))
            factor, target = inner[:width, :width], inner[:width, width]
            models = consistent(factor, target), Whitened.of(factor, target, g, problem.prior()).ridge(best).values
            for block in part:
                held = problem.choose([block]).triangle(np.ones_like(row_weights))  # a predictor is judged by its torque
                for errors, values in zip((before, after), models):
                    errors.append(float(np.linalg.norm(held[:, :width] @ values - held[:, width])))
    gains, scale = np.array(before) - after, max(float(np.mean(before)), 1e-300)
    return Comparison(float(gains.mean()) / scale, float(gains.std(ddof=1) / np.sqrt(len(gains))) / scale, best)


def torque_predictor(problem: Problem, comparison: Comparison, uncertainty: Uncertainty) -> BaseEstimate:
    """Base parameters of all rows with the strength that was compared.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 400, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) - 0.3 * v), friction=bf.Viscous())
    >>> torque_predictor(problem, Comparison(0.5, 0.1, 0.0), "white").values.round(2)
    array([ 0.25, -0.  ,  0.08, -0.3 ])
    """
    return LeastSquares(ridge=comparison.strength, uncertainty=uncertainty).solve(problem)
