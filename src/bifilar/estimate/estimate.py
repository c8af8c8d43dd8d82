"""What a fit gives back: values, how sure they are, and a model.

A `BaseEstimate` holds base parameters: sums over links that torque can tell apart. It predicts and controls, but has no URDF,
because its links could not exist one by one. An `Estimate` also holds ten numbers for every link that a real body can have,
says of each whether it comes from the data or from the prior, and is a Robot that can be saved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.reduce import BlockFactor
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate.freedom import quantile
from bifilar.estimate.linear import SEEN
from bifilar.estimate.score import Score, predicted, score
from bifilar.estimate.sources import Data, equations_of
from bifilar.estimate.split_bodies import robot_of
from bifilar.estimate.status import Status
from bifilar.recording.recipes import Recipe
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.model import Model
from bifilar.robot.parameters import Parameters
from bifilar.robot.robot import Robot

USUAL = 0.95  # probability of an interval
UNTOLD = ("not converged", "infeasible", "doubtful")  # then no number is presented as identified, whatever its bar
NOT_IDENTIFIED = 0.30  # relative deviation beyond which a mass is called uncertain
SIGNIFICANT = 3.0  # deviations from zero: three in a thousand numbers that are zero are farther away

MASSES_UNKNOWN = "masses.unknown"  # code of the note that masses mean nothing

Origin = Literal["data", "prior"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BaseEstimate:
    """Base parameters with covariance, and the model they stand for.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> estimate = bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
    >>> estimate.status.ok, len(estimate.names)
    (True, 6)
    >>> np.allclose(estimate.predict((q, v, a, 0 * a)), robot.inverse_dynamics(q, v, a))
    True
    """

    described: Robot  # as it was before: the description's numbers, the friction terms that were fitted
    base: BaseParameters
    values: Array  # (base parameters,)
    covariance: Array  # of the values
    noise: Array  # (rows of the equations,) standard deviation of a torque error
    status: Status
    method: str  # in words
    rows: int  # samples that went in
    recipe: str | Recipe = "default"  # how recordings were prepared
    notes: tuple[Note, ...] = ()  # what was assumed, chosen or odd
    timings: Mapping[str, float] = field(default_factory=dict)  # [s] by step
    tables: Mapping[str, Any] = field(default_factory=dict)  # comparisons that led to a choice, by name
    seen: Array | None = None  # (base parameters,) share of a change of the machine that arrives in the value; None: all
    freedom: Array | None = None  # (base parameters,) independent errors that told each deviation; None: very many
    importance: Array | None = (
        None  # (base parameters,) RMS torque per unit over noise, of the joint where it is most; None: unknown
    )

    @property
    def names(self) -> tuple[str, ...]:
        """Of the values; each stands for a whole sum, see `base.equations()`."""
        return self.base.independent

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> bf.LeastSquares().fit(robot, (still, still, still, still), friction=()).deviations[2]
        np.float64(inf)
        """
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def relative_deviations(self) -> Array:
        """Standard deviations as a fraction of the values; infinite for a value of zero.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> bf.LeastSquares().fit(robot, (still, still, still, still), friction=()).relative_deviations[2]
        np.float64(inf)
        """
        return _relative(self.values, self.deviations)

    @property
    def significance(self) -> Array:
        """Size of the values in standard deviations; few rows, which tell little of the noise, make it smaller.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> bf.LeastSquares().fit(robot, (still, still, still, still), friction=()).significance[2]
        np.float64(0.0)
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.abs(self.values) / (self._wider * self.deviations)
        return np.where(np.isnan(size), 0.0, size)

    @property
    def _wider(self) -> Array:
        """Student's quantile over the normal one."""
        return quantile(USUAL, np.inf if self.freedom is None else self.freedom) / quantile(USUAL, np.inf)

    @property
    def identified(self) -> NDArray[np.bool_]:
        """Which values the data determine: significant, or known so well that no joint's torque would show the difference.

        A value is significant if it is three deviations from zero. One near zero, or at zero, is identified as well if two
        deviations of it change the torque of no joint by more than the noise (RMS over the rows). Values that are the prior's
        more than the data's are not; none is in an estimate that did not converge, is infeasible or doubtful.

        >>> robot, still = bf.Robot.load("pendulum"), np.zeros((20, 1))
        >>> bf.LeastSquares().fit(robot, (still, still, still, still), friction=()).identified[2]  # inertia, at rest
        np.False_
        """
        known: NDArray[np.bool_] = self.significance >= SIGNIFICANT
        if self.importance is not None:
            with np.errstate(invalid="ignore"):
                known |= (2 * self._wider * self.deviations * self.importance <= 1) & (self.importance > 0)
        known &= self.status.code not in UNTOLD
        return known if self.seen is None else known & (self.seen >= SEEN)

    def interval(self, level: float = USUAL) -> tuple[Array, Array]:
        """Between which values the true ones lie, each with this probability: Student's law, for few rows tell little of noise.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 12, 1))
        >>> estimate = bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e), friction=())
        >>> low, high = estimate.interval()
        >>> ((high - low) / 2 / estimate.deviations).round(2)  # of nine errors to spare
        array([2.26, 2.26, 2.26])
        """
        return _interval(self.values, self.deviations, np.inf if self.freedom is None else self.freedom, level)

    @cached_property
    def model(self) -> Model:
        """What was identified: same torque, mass matrix and gravity as any robot with these base parameters.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> bf.LeastSquares().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a))).model
        Model(joint1)
        """
        return self.base.model(self.described, self.values)

    def predict(self, recording: Data) -> Array:
        """Torque at the rows of a recording, through its filter, (rows, joints).

        >>> robot = bf.Robot.load("pendulum")
        >>> data = *np.random.default_rng(0).normal(size=(3, 200, 1)), np.ones((200, 1))
        >>> bf.LeastSquares().fit(robot, data).predict(data).shape
        (200, 1)
        """
        return predicted(self.model, equations_of(recording, self.described, self.recipe))

    def score(self, recording: Data, *, masked: bool = False) -> Score:
        """Torque errors on a recording, best one that was not fitted.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
        >>> bf.LeastSquares().fit(robot, data).score(data).relative < 1e-12
        True
        """
        return score(self.model, recording, recipe=self.recipe, masked=masked)

    def summary(self) -> str:
        """All of it in words, one line per value.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> tau = robot.inverse_dynamics(q, v, a) + 0.01 * np.random.default_rng(1).normal(size=(200, 1))
        >>> print(bf.LeastSquares().fit(robot, (q, v, a, tau), friction=()).summary())
        3 base parameters by weighted least squares, 200 rows
        status  ok
        noise   joint1 0.0092
        <BLANKLINE>
        link1.mcx     0.24984 +- 9.8e-05
        link1.mcy  -7.2398e-05 +- 7e-05
        link1.Izz     0.08457 +- 0.00065
        """
        kind = f"{len(self.values)} base parameters by {self.method}, {self.rows} rows"
        words = tuple("" if known else "not identified" for known in self.identified)
        return "\n".join([kind, *self._head(), "", *_lines(self.names, self.values, self.deviations, words)])

    def _head(self) -> list[str]:
        noise = ", ".join(f"{name} {x:.2g}" for name, x in zip(self.described.row_names(), self.noise))
        return [f"status  {self.status}", f"noise   {noise}", *(f"note    {note}" for note in self.notes)]

    def _repr_html_(self) -> str:
        """Every value beside the description's, in a notebook."""
        from bifilar.robot.notebook import notebook_table

        before = self.base.from_full(self.described.parameters())
        known = ["" if yes else "not identified" for yes in self.identified]
        numbers = zip(self.names, before, self.values, self.deviations, known)
        rows = [[name, f"{was:.4g}", f"{now:.4g}", f"± {bar:.2g}", word] for name, was, now, bar, word in numbers]
        head = ["base parameter", "description", "identified", "± deviation", ""]
        note = "; ".join([f"status: {self.status}", f"{self.rows:,} rows", *self.notes])
        return notebook_table(repr(self), [head, *rows], note)

    def __repr__(self) -> str:
        known = f"{int(np.sum(self.identified))} of {len(self.values)} base parameters identified"
        return f"{type(self).__name__}({known} by {self.method}, {self.status.code})"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Estimate(BaseEstimate):
    """Physically consistent parameters of every link; base parameters are those that follow from them.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 400, 1))
    >>> heavy = robot.with_payload("link1", bf.Inertia.from_center_of_mass(0.5, [0.5, 0, 0], np.eye(3) * 0.01))
    >>> torque = heavy.inverse_dynamics(q, v, a)
    >>> estimate = bf.PhysicallyConsistent(prior_weight=1e-6).fit(robot, (q, v, a, torque), friction=())
    >>> bool(np.abs(torque - estimate.robot.inverse_dynamics(q, v, a)).max() < 1e-3)
    True
    """

    parameters: Parameters  # of all columns: ten numbers per body, then friction and drives
    parameter_covariance: Array  # of all columns, prior included
    origins: tuple[Origin, ...]  # of every parameter: what decided its value
    predictor: BaseEstimate | None = None  # of torque only, where it clearly predicts better; see torque_predictor.py

    @cached_property
    def robot(self) -> Robot:
        """The robot that was identified; `estimate.robot.save("arm.urdf")` writes it."""
        return robot_of(self.described, self.parameters)

    @cached_property
    def model(self) -> Model:
        """The same as `robot`: here every link can exist."""
        return self.robot

    @property
    def has_masses(self) -> bool:
        """Whether masses mean anything: somebody stated them, their total, or how large the links are.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> bf.fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=()).has_masses
        True
        """
        return all(Note.of(note).code != MASSES_UNKNOWN for note in self.notes)

    @property
    def parameter_deviations(self) -> Array:
        """Standard deviations of all parameters."""
        return np.sqrt(np.maximum(np.diag(self.parameter_covariance), 0.0))

    def parameter_interval(self, level: float = USUAL) -> tuple[Array, Array]:
        """Between which values the true parameters lie, each with this probability, if the prior is right: of parameters
        whose origin is the prior this is the belief in the description, which nobody measured.
        """
        least = np.inf if self.freedom is None else np.min(self.freedom, initial=np.inf)
        return _interval(self.parameters.values, self.parameter_deviations, least, level)

    def summary(self) -> str:
        """All of it in words, one line per parameter with where it comes from; what the prior decided has no deviation.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 200, 1))
        >>> data = q, v, a, robot.inverse_dynamics(q, v, a) + 0.01 * e
        >>> lines = bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, data, friction=()).summary().splitlines()
        >>> print(next(line for line in lines if line.startswith("link1.mass")))
        link1.mass      1.0096 from prior (described: 1)
        """
        kind = f"{len(self.parameters)} parameters ({len(self.values)} combinations seen) by {self.method}, {self.rows} rows"
        told = [origin == "data" for origin in self.origins]
        words = ("from data" if self.status.code not in UNTOLD else "not identified",) * len(told)
        lines = _lines(self.parameters.names, self.parameters.values, self.parameter_deviations, words)
        width = max(map(len, self.parameters.names), default=0)
        before = self.described.parameters().values
        for k, (name, value) in enumerate(zip(self.parameters.names, self.parameters.values)):
            if not told[k]:  # a deviation would be the belief in the description, which nobody measured
                lines[k] = f"{name:<{width}}  {value:>10.5g} from prior (described: {before[k]:.5g})"
        return "\n".join([kind, *self._head(), "", *lines])


def torque_of_unit(factor: BlockFactor, noise: Array, count: int) -> Array:
    """RMS torque of one unit of every base parameter over the noise, at the joint where that is most, (base parameters,).

    >>> from bifilar.dynamics.reduce import RowFactor
    >>> block = BlockFactor((RowFactor(np.array([0]), np.array([[6.0, 6.0], [0.0, 8.0]]), 4),), 4)
    >>> torque_of_unit(block, np.ones(1), 2)
    array([3., 0.])
    """
    most = np.zeros(count)
    for row, size in zip(factor.rows, noise, strict=True):
        if size > 0 and np.isfinite(size):
            own = np.linalg.norm(row.triangle[:, :-1], axis=0) / np.sqrt(max(row.samples, 1)) / size
            most[row.columns] = np.maximum(most[row.columns], own)
    return most


def _lines(names: tuple[str, ...], values: Array, deviations: Array, words: tuple[str, ...]) -> list[str]:
    width = max(map(len, names), default=0)
    rows = zip(names, values, deviations, words, strict=True)
    return [f"{name:<{width}}  {value:>10.5g} +- {deviation:.2g}  {word}".rstrip() for name, value, deviation, word in rows]


def _interval(values: Array, deviations: Array, freedom: ArrayLike, level: float) -> tuple[Array, Array]:
    if not 0 < level < 1:
        raise SolveError("level.wrong/bands", level=level)
    with np.errstate(invalid="ignore"):
        reach = np.where(deviations > 0, quantile(level, freedom) * deviations, 0.0)
    return values - reach, values + reach


def _relative(values: Any, deviations: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(values) != 0, np.asarray(deviations) / np.abs(values), np.inf)
