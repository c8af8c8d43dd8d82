"""`PhysicallyConsistent`: parameters of links that can exist, near a prior where the data say nothing.

    minimise  1/2 |(torque - Y phi) / noise|^2 + w sum_i divergence(J_i(phi), J_i of the description)
                                               + v/2 sum_i (m_i / m_i of the description - 1)^2

with every pseudo-inertia J_i positive definite, friction and rotor inertia not negative, and whatever else is known. Torque
sees only combinations of a robot's numbers; without the prior the masses of a consistent fit run away. Both weights are chosen
on held-out blocks (prior_strength.py); a w that is given stands alone, v = 0. What the prior decided is marked: a parameter
comes "from data" if its value follows them more than the prior (see consistent_parts.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal, get_args

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.reduce import stack
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate.consistent_bars import Bars, Uncertainty, bars
from bifilar.estimate.consistent_parts import Known, drive_rows, known_bodies, mass_rows, spread_of, within_torque
from bifilar.estimate.consistent_words import QUIETEST, belief, status_of
from bifilar.estimate.doubts import doubts
from bifilar.estimate.ellipsoids import Ellipsoid
from bifilar.estimate.estimate import Estimate, Origin, torque_of_unit
from bifilar.estimate.likely import fitted_by
from bifilar.estimate.lmi import clarabel_solution
from bifilar.estimate.log_det import newton, newton_path
from bifilar.estimate.odd_bodies import odd_bodies, words
from bifilar.estimate.physical_problem import PhysicalAnswer, PhysicalProblem
from bifilar.estimate.physical_rules import Rows, rules, total_of
from bifilar.estimate.prior_strength import MASSES, PriorStrength, Rule, colour, nominal_deviation, prior_strength
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data
from bifilar.estimate.split_bodies import robot_of
from bifilar.estimate.status import Status
from bifilar.estimate.torque_predictor import compared, torque_predictor
from bifilar.robot.robot import Robot
from bifilar.robot.solve import row_weights, weighted_fit


@dataclass(frozen=True, kw_only=True)
class PhysicallyConsistent:
    """Settings of a physically consistent fit.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> estimate = bf.PhysicallyConsistent(prior_weight=1.0).fit(robot, data, friction=())
    >>> estimate.status.ok, estimate.robot.link("link2").inertia.is_consistent
    (True, True)
    """

    prior: Robot | None = None  # whose numbers to stay near; left out: the description's
    prior_weight: float | None = None  # bodies known to 1/sqrt of it; left out: chosen on held-out blocks
    rule: Rule = "standard"  # of that choice: the standard weight unless another is clearly better, or the smallest error
    weights: Literal["per joint", "equal"] | tuple[float, ...] = "per joint"  # of the joints: 1/noise, alike, or given
    total_mass: float | tuple[float, float] | None = None  # [kg] of all moving links; with a deviation: (mass, deviation)
    inside: Literal["anywhere", "shapes"] | Mapping[str, Ellipsoid] = "anywhere"  # where each link's mass may lie
    symmetric: Mapping[str, str] = field(default_factory=dict)  # links that are their own mirror image: plane by link
    alike: tuple[tuple[str, str, str], ...] = ()  # (link, other link, plane): the other is the first's mirror image
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # least and most, by name or pattern
    solver: Literal["newton", "clarabel"] = "newton"  # Newton's method, or Clarabel as a second opinion
    uncertainty: Uncertainty = "robust"  # error bars: of errors that follow each other, or of white ones (faster)

    def fit(self, robot: Robot, recordings: Data | Iterable[Data], *, strict: bool = False, **problem: Any) -> Estimate:
        """Build the problem (settings as in `Problem.of`) and solve it; `strict` raises unless the status is ok.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> estimate = bf.PhysicallyConsistent().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
        >>> [name for name, origin in zip(estimate.parameters.names, estimate.origins) if origin == "data"]
        ['link1.mcx', 'link1.mcy', 'link1.Izz']
        """
        return fitted_by(self, robot, recordings, strict, **problem)

    def solve(self, problem: Problem, *, strict: bool = False, built: float = 0.0) -> Estimate:
        """Solve a problem that was built before.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
        >>> problem = bf.Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=())
        >>> bf.PhysicallyConsistent(total_mass=2.0).solve(problem).parameters["link1.mass"].__round__(6)
        2.0
        """
        self._checked()
        with one_blas_thread():
            estimate = self._solved(problem, built)
        if strict:
            estimate.status.insist()
        return estimate

    def _checked(self) -> None:
        weight = self.prior_weight
        if self.prior is not None and not isinstance(self.prior, Robot):
            raise SolveError("setting.prior/consistent", prior=self.prior)
        if self.total_mass is not None:
            total_of(self.total_mass)
        if not isinstance(self.inside, (str, Mapping)):
            raise SolveError("setting.inside/consistent", inside=self.inside)
        for name in ("bounds", "symmetric"):
            if not isinstance(getattr(self, name), Mapping):
                raise SolveError("setting.wrong/consistent", name=name, getattr=getattr(self, name))
        if weight is not None and not (isinstance(weight, (int, float)) and np.isfinite(weight) and weight >= 0):
            raise SolveError("setting.prior/checked", prior_weight=self.prior_weight)
        if self.solver not in ("newton", "clarabel"):
            raise SolveError("solver.unknown", solver=self.solver)
        if self.rule not in get_args(Rule):
            raise SolveError("rule.unknown/consistent", rule=self.rule, get_args=get_args(Rule))
        if isinstance(self.weights, str) and self.weights not in ("per joint", "equal"):
            raise SolveError("weights.unknown/consistent", weights=self.weights)
        if self.uncertainty not in ("robust", "white"):
            raise SolveError("uncertainty.unknown/consistent", uncertainty=self.uncertainty)

    def _solved(self, problem: Problem, built: float) -> Estimate:
        start = perf_counter()
        weights = "per row" if isinstance(self.weights, str) and self.weights == "per joint" else self.weights
        names = problem.base.independent
        factor = problem.factor()
        given = row_weights(weights, problem.row_names)
        plain = weighted_fit(names, factor, given, problem.prior())
        noise = np.maximum(plain.noise, QUIETEST / 1e-12 * plain.floor)
        row_weight = np.asarray(1.0 / noise)
        if given is not None:  # the joints count as they were asked to; the prior is weighed against their noise as a whole
            row_weight = given / max(plain.common, float(np.min(given * noise)))
        rows = rules(
            problem.robot,
            total_mass=self.total_mass,
            inside=self.inside,
            symmetric=self.symmetric,
            alike=self.alike,
            bounds=self.bounds,
        )
        rows = within_torque(problem, rows)
        triangle = stack(factor, row_weight, len(names))
        total = None if self.total_mass is None else total_of(self.total_mass)[0]
        known = known_bodies(problem, self.prior, triangle, total)
        prepared = perf_counter()
        strength = None
        if self.prior_weight is None:
            c, count = colour(problem, row_weight), len(names)
            off = nominal_deviation(triangle[:, :count] @ problem.base.matrix, triangle[:, count], known.bodies, c)
            inner = self._inner(problem, known, rows, c * MASSES)
            about: dict[str, Any] = {"deviation": off, "variance": c, "bodies": known.bodies}
            strength = prior_strength(problem, row_weight, inner, **about, rule=self.rule)
        weight = float(self.prior_weight) if strength is None else strength.weight  # type: ignore[arg-type]
        masses, believed = (0.0, None) if strength is None else (strength.mass_weight, strength.believed)
        chosen = perf_counter()
        stated = stated_problem(problem, triangle, known, rows, weight, masses)
        answer, told = self._answer(stated)
        if answer.outcome != "infeasible" and len(known.beyond(answer.values)):
            rows = rows.bounded(10 * np.arange(len(known.bodies)), *np.array(known.limits).T)
            stated = stated_problem(problem, triangle, known, rows, weight, masses)
            answer, told = self._answer(stated)
            told = (*told, *_at_limit(problem, known, answer.values))
        solved = perf_counter()
        there = answer.outcome != "infeasible"
        values = answer.values if there else np.concatenate([known.bodies.ravel(), known.drives])
        spread = spread_of(stated, values, known.mass_pulls(masses), believed) if there else None
        sure = _nothing(problem)
        if spread is not None:
            sure = bars(problem, triangle, row_weight, noise, spread, values, self.uncertainty).without(
                problem.base, plain.open
            )
        times = {"problem": built, "noise": prepared - start, "weight": chosen - prepared, "solve": solved - chosen}
        times["error bars"] = perf_counter() - solved
        comparison = None
        if there and strength is not None and given is None:
            inner = self._inner(problem, known, rows, masses)
            comparison = compared(problem, row_weight, lambda r, z: problem.base.from_full(inner(r, z, [weight])[0]))
        times["predictor"] = perf_counter() - solved - times["error bars"]
        found, excess = problem.base.from_full(values), None if comparison is None else comparison.excess
        status, cost = status_of(problem, factor, plain, row_weight, answer, found, excess)
        status = status.worse(doubts(problem, plain.values if given is None else None))
        notes = (
            *told,
            *known.notes,
            *rows.words,
            *belief(weight, strength, bool(np.any(known.mass_pulls(1.0)))),
            cost,
            *sure.notes,
        )
        estimate = _estimate(problem, values, sure, noise, status, strength, notes, times)
        if comparison is None:
            return estimate
        estimate = replace(estimate, tables={**estimate.tables, "torque predictor": comparison})
        if not comparison.offered:
            return estimate
        free = torque_predictor(problem, comparison, self.uncertainty)
        return replace(estimate, predictor=free, notes=(*estimate.notes, comparison.sentence()))

    def _inner(self, problem: Problem, known: Known, rows: Rows, masses: float) -> Any:
        def solver(factor: Array, target: Array, weights: list[float]) -> list[Array]:
            triangle = np.column_stack([factor, target])
            stated = stated_problem(problem, triangle, known, rows, weights[0], masses)
            return newton_path(stated, weights, tolerance=1e-7)

        return solver

    def _answer(self, stated: PhysicalProblem) -> tuple[PhysicalAnswer, tuple[Note, ...]]:
        plain = not np.all(np.asarray(stated.weight) > 0)
        first, other = (clarabel_solution, newton) if self.solver == "clarabel" or plain else (newton, clarabel_solution)
        answer = first(stated)
        if answer.solved or (self.solver == "clarabel" and not plain):
            return answer, ()
        second, names = other(stated), {newton: "Newton's method", clarabel_solution: "Clarabel"}
        if second.solved or (answer.outcome == "infeasible" and first is newton):
            told = Note("solver.second", first=names[first], outcome=answer.words, second=names[other])
            return second, (told,) if second.solved else ()
        return answer, ()


def stated_problem(
    problem: Problem, triangle: Array, known: Known, rows: Rows, weight: float, masses: float = 0.0
) -> PhysicalProblem:
    """The physical problem of all columns, from a factor [R z] of the base columns in units of the noise.

    `masses`: weight of the masses by themselves.
    """
    count = len(problem.base)
    factor, target = triangle[:, :count] @ problem.base.matrix, triangle[:, count]
    extra, extra_target = drive_rows(factor, known, target)
    held, held_target = mass_rows(known, factor.shape[1], masses)
    held, held_target = (held, held_target) if masses > 0 else (held[:0], held_target[:0])
    soft, soft_target = (factor[:0], target[:0]) if rows.soft is None else rows.soft
    return PhysicalProblem(
        factor=np.vstack([factor, extra, held, soft]),
        target=np.concatenate([target, extra_target, held_target, soft_target]),
        prior=known.bodies,
        weight=weight,
        lower=rows.lower,
        upper=rows.upper,
        equal=rows.equal,
        above=rows.above,
    )


def _at_limit(problem: Problem, known: Known, values: Array) -> tuple[Note, ...]:
    """A note about masses that are held at their limits, because torque alone would have them farther off."""
    names = problem.robot.body_names[-len(known.bodies) :]
    held = {names[k]: (float(values[10 * k]), float(known.bodies[k, 0])) for k in known.beyond(values, 1e-3).tolist()}
    if not held:
        return ()
    facts: dict[str, Any] = {"links": list(held)}
    facts |= {"masses": [pair[0] for pair in held.values()], "nominal": [pair[1] for pair in held.values()]}
    return (
        Note(
            "mass.at_limit",
            shown=[f"'{name}' {mass:.3g} kg (nominal {nominal:.3g})" for name, (mass, nominal) in held.items()],
            **facts,
        ),
    )


def _nothing(problem: Problem) -> Bars:
    """Of values that are no answer."""
    width = len(problem.names)
    nobody: Origin = "prior"
    return Bars(np.full((width, width), np.inf), np.zeros(len(problem.base)), (nobody,) * width, ())


def _estimate(
    problem: Problem,
    values: Array,
    sure: Bars,
    noise: Array,
    status: Status,
    strength: PriorStrength | None,
    notes: tuple[Note, ...],
    times: dict[str, float],
) -> Estimate:
    base, count = problem.base, len(problem.base)
    known = np.isfinite(sure.covariance).all()
    parameters = problem.robot.parameters().with_values(values)
    odd = odd_bodies(problem.robot, robot_of(problem.robot, parameters))
    said = words(odd, dict(zip(parameters.names, sure.origins)))
    return Estimate(
        described=problem.robot,
        base=base,
        values=base.from_full(values),
        covariance=base.matrix @ sure.covariance @ base.matrix.T if known else np.full((count, count), np.inf),
        noise=noise,
        status=status,
        method="physically consistent least squares",
        rows=problem.reduction.samples,
        recipe=problem.recipe,
        notes=(*problem.notes, *notes, *said),
        timings=times,
        tables=dict(problem.tables) | ({} if strength is None else {"prior weight": strength}),
        parameters=parameters,
        parameter_covariance=sure.covariance,
        origins=sure.origins,
        seen=sure.seen,
        freedom=sure.freedom,
        importance=torque_of_unit(problem.factor(), noise, count),
    )
