"""`fit`: the usual way from a robot and its recordings to an estimate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol

from bifilar.dynamics.blas import singular_refused
from bifilar.errors import RobotError, SolveError
from bifilar.estimate.consistent import PhysicallyConsistent
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.methods import estimators
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data
from bifilar.robot.robot import Robot


class Method(Protocol):
    """What every method of estimation can do."""

    def fit(self, robot: Robot, recordings: Data | Iterable[Data], *, strict: bool = False, **problem: Any) -> BaseEstimate:
        """Build the problem and solve it."""
        ...

    def solve(self, problem: Problem, *, strict: bool = False) -> BaseEstimate:
        """Solve a problem that was built before."""
        ...


def fit(
    robot: Robot,
    recordings: Data | Iterable[Data],
    method: Method | None = None,
    *,
    total_mass: float | tuple[float, float] | None = None,
    strict: bool = False,
    **problem: Any,
) -> BaseEstimate:
    """Estimate a robot's parameters from one or many recordings by a method; left out, `PhysicallyConsistent()`.

    `total_mass`: of all moving links [kg], or (mass, deviation). Other settings are those of `Problem.of`: friction terms,
    recipe, weights of the recordings.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=()).status.ok
    True
    """
    if not isinstance(robot, Robot):
        raise RobotError("robot.form", robot=robot)
    if isinstance(method, type) or not (method is None or (hasattr(method, "fit") and hasattr(method, "solve"))):
        kinds = dict.fromkeys(f"bf.{each.kind.__name__}()" for each in estimators() if not each.needs_controller)
        raise SolveError(
            "method.form/fit" if isinstance(method, type) else "method.form/fit_fit",
            getattr=getattr(method, "__name__", repr(method)),
            kinds=kinds,
        )
    chosen = PhysicallyConsistent() if method is None else method
    if total_mass is not None:
        if not isinstance(chosen, PhysicallyConsistent):
            raise SolveError("setting.mass/fit", kind=type(chosen).__name__)
        chosen = replace(chosen, total_mass=total_mass)
    with singular_refused():
        return chosen.fit(robot, recordings, strict=strict, **problem)
