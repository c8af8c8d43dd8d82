"""`PeriodicFourier`: the estimation of Bargsten, Zometa and Findeisen 2013, as one method.

    positions   a Fourier series is fitted to the measured ones anew, for every experiment; its derivatives are the motion
    torque      the mean of all periods
    values      least squares (7), all joints alike as in the paper, or weighted by each joint's noise
    zeros       what comes out differently in every experiment is set to zero, one at a time, and the rest is solved again,
                until `keep` parameters are left (57 -> 25 in the paper), or nothing differs by more than `spread`

Every recording is one experiment and needs the periodic motion that was played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bifilar.errors import SolveError
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.experiment_spread import Spread
from bifilar.estimate.least_squares import LeastSquares
from bifilar.estimate.problem import Problem
from bifilar.estimate.simplify import Simplified, Simplify
from bifilar.estimate.stopping import Curve, Halt, Own
from bifilar.experiment.fourier import Fourier
from bifilar.recording.prepare import prepare
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.robot.robot import Robot

RECIPE = "bargsten2013"


@dataclass(frozen=True, kw_only=True)
class PeriodicFourier:
    """Settings of it.

    >>> robot = bf.Robot.load("pendulum")
    >>> swing = bf.Fourier(joint_names=["joint1"], base_frequency=0.5, harmonics=1, coefficients=[[2.0, 0.0]], periods=3)
    >>> log = bf.VirtualRobot(robot).play(swing, rate=200)
    >>> bf.PeriodicFourier(motions=swing).fit(robot, log, friction=())
    BaseEstimate(3 of 3 base parameters identified by least squares, ok)
    """

    motions: Fourier | Sequence[Fourier]  # that were played: one for all recordings, or one for each
    weights: Literal["equal", "per joint"] = "equal"  # of the joints: all alike as in the paper, or by their noise
    keep: int | None = None  # parameters that are left; None: all of them
    spread: float | None = None  # relative spread over the experiments above which a parameter goes, in place of `keep`

    def __post_init__(self) -> None:
        if self.weights not in ("equal", "per joint"):
            raise SolveError("weights.unknown/periodic_fourier", weights=self.weights)
        if self.keep is not None and (self.keep != int(self.keep) or self.keep < 1):
            raise SolveError("setting.wrong/periodic_fourier", keep=self.keep)
        if self.spread is not None and not 0 < self.spread < np.inf:
            raise SolveError("setting.wrong/post_init", spread=self.spread)

    def fit(
        self, robot: Robot, recordings: Recording | Iterable[Recording], *, strict: bool = False, **problem: Any
    ) -> BaseEstimate:
        """From recordings to an estimate; `strict` raises unless the status is ok."""
        return self.solve(self.problem(robot, recordings, **problem), strict=strict)

    def problem(self, robot: Robot, recordings: Recording | Iterable[Recording], **problem: Any) -> Problem:
        """The equations of all experiments."""
        return Problem.of(robot, self.samples(recordings), recipe=RECIPE, **problem)

    def samples(self, recordings: Recording | Iterable[Recording]) -> list[Samples]:
        """One averaged period of every experiment, its motion a series.

        >>> swing = bf.Fourier(joint_names=["joint1"], base_frequency=0.5, harmonics=1, coefficients=[[2.0, 0.0]], periods=3)
        >>> log = bf.VirtualRobot(bf.Robot.load("pendulum")).play(swing, rate=200)
        >>> len(bf.PeriodicFourier(motions=swing).samples(log)[0])
        400
        """
        logs = [recordings] if isinstance(recordings, Recording) else list(recordings)
        motions = [self.motions] * len(logs) if isinstance(self.motions, Fourier) else list(self.motions)
        if len(motions) != len(logs):
            raise SolveError("recordings.count/periodic_fourier", log_count=len(logs), motion_count=len(motions))
        return [prepare(log, RECIPE, motion=motion) for log, motion in zip(logs, motions, strict=True)]

    def solve(self, problem: Problem, *, strict: bool = False) -> BaseEstimate:
        """Solve a problem that was built before."""
        if self.keep is None and self.spread is None:
            return LeastSquares(weights=self.weights).solve(problem, strict=strict)
        return self.reduced(problem).estimate

    def reduced(self, problem: Problem) -> Simplified:
        """The whole way from all parameters to those that are left, with what was dropped and why."""
        rule = Spread() if self.spread is None else Spread(limit=self.spread)
        stop = Own() if self.keep is None else Count(self.keep)
        return Simplify(rule=rule, stop=stop, weights=self.weights).solve(problem)


@dataclass(frozen=True)
class Count:
    """Stop at so many parameters.

    >>> Count(1).halt(Curve(np.array([2, 1]), np.ones(2), None, None, ""))
    Halt(step=1, why='1 parameters')
    """

    keep: int

    def halt(self, curve: Curve) -> Halt:
        """Where to stop: the largest model that is not larger.

        >>> Count(5).halt(Curve(np.array([2, 1]), np.ones(2), None, None, "")).step
        0
        """
        return Halt(int(np.argmax(np.asarray(curve.sizes) <= self.keep)), f"{self.keep} parameters")
