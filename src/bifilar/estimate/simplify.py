"""`Simplify`: a model with fewer parameters that predicts as well or better, chosen by motion that was not fitted.

    ladder     from the full model to one parameter; a rule says what goes next        rungs.py, contribution.py and rivals
    stop       the step is chosen on one motion and scored on another                  stopping.py
    estimate   an ordinary one: what was dropped is zero, the rest has error bars      simplified_estimate.py

All of it works on triangular factors: the whole ladder, and that of every held-out block, costs small QRs and no second look
at the data. With `validate` the step is chosen on those recordings; without, stretches of the training data are held out in
turn, each with a ladder of its own. `test` recordings are only scored. The loop that designs a new motion for every model is
in simplify_loop.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.reduce import BlockFactor, stack
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.held_errors import HeldErrors, Judged, on_blocks, on_recordings
from bifilar.estimate.ladder import Ladder, ladder_of
from bifilar.estimate.problem import Problem
from bifilar.estimate.rungs import Path, Rule
from bifilar.estimate.score import Score
from bifilar.estimate.simplified_estimate import estimate_of
from bifilar.estimate.simplify_loop import Play, Redesigning, run
from bifilar.estimate.simplify_refusals import refuse_open, refuse_stranger
from bifilar.estimate.simplify_rules import experiments, experiments_of, rule_of
from bifilar.estimate.sources import Data
from bifilar.estimate.stopping import STOPS, Curve, LeastError, Stop, Tolerance
from bifilar.estimate.subset import Triangle
from bifilar.estimate.uncertainty import Uncertainty
from bifilar.estimate.weighted_rows import WeightedRows
from bifilar.recording.recipes import Recipe
from bifilar.robot.robot import Robot
from bifilar.robot.solve import row_weights, weighted_fit

PARTS = 6  # stretches of the training data that are held out in turn


@dataclass(frozen=True, eq=False, repr=False)
class Simplified:
    """What a simplification gives back.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 400, 2))
    >>> found = Simplify().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e))
    >>> found
    Simplified(12 -> 6 parameters by relative contribution)
    >>> type(found.estimate).__name__
    'BaseEstimate'
    """

    ladder: Ladder
    estimate: BaseEstimate  # of the step that was taken
    full: BaseEstimate  # of all parameters
    scores: tuple[tuple[str, Score, Score], ...] = ()  # of every test recording: its name, simplified, full
    tolerance: Mapping[str, float] | None = None  # [N m] or [N] that was asked for, by joint

    @property
    def kept(self) -> tuple[str, ...]:
        """Names of the parameters that are left.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 400, 1))
        >>> Simplify().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e)).kept
        ('link1.mcx', 'link1.Izz')
        """
        gone = {name for name, _ in self.ladder.dropped}
        return tuple(name for name in self.estimate.names if name not in gone)

    @property
    def dropped(self) -> tuple[tuple[str, str], ...]:
        """Names of the parameters that are gone, first to last, each with the reason.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 400, 1))
        >>> Simplify().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e)).dropped[0][1]
        'contributes 0.12 % of the torque, less than any other'
        """
        return self.ladder.dropped

    @property
    def keeps_tolerance(self) -> bool | None:
        """Whether every test recording stays inside the tolerance; None if nothing was asked or tested.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 400, 1))
        >>> data = q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e
        >>> Simplify(tolerance=0.2).fit(robot, data, test=data).keeps_tolerance
        True
        """
        if self.tolerance is None or not self.scores:
            return None
        limits = [self.tolerance.get(name, np.inf) for name in self.scores[0][1].joint_names]
        return all(bool(np.all(score.rmse <= limits)) for _, score, _ in self.scores)

    def summary(self) -> str:
        """All of it in words.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 400, 1))
        >>> print(Simplify().fit(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e)).summary().split(";")[0])
        6 -> 2 parameters by relative contribution
        """
        steps = self.ladder.steps
        sizes = f"{steps[0].size} -> {steps[self.ladder.chosen].size} parameters"
        lines = [f"{sizes} by {self.ladder.rule}; stopped at {self.ladder.halt.why}", "", self.ladder.text()]
        if self.dropped:
            lines += ["", "dropped, first to last", *(f"  {name}: {why}" for name, why in self.dropped)]
        ratio = self.ladder.over_full
        if ratio is not None and self.dropped:
            lines += ["", f"held out: {ratio.text}"]
        for name, ours, full in self.scores:
            lines.append(f"scored on {name}: {100 * ours.relative:.3g} % of the torque, full model {100 * full.relative:.3g} %")
        return "\n".join(lines)

    def __repr__(self) -> str:
        steps = self.ladder.steps
        return f"Simplified({steps[0].size} -> {steps[self.ladder.chosen].size} parameters by {self.ladder.rule})"


@dataclass(frozen=True, kw_only=True)
class Simplify:
    """Settings of a simplification.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 400, 2))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e
    >>> Simplify(rule="largest deviation", stop="own").fit(robot, data)
    Simplified(12 -> 4 parameters by largest deviation, F test)
    """

    rule: str | Rule = "contribution"  # what goes next; `simplify_rules.RULES` has the names
    stop: str | Stop = "validation"  # where to stop: validation, condition, stall, own, or one of `stopping`
    tolerance: Mapping[str, float] | float | None = None  # [N m] or [N] held-out error allowed, by joint; then `stop` is this
    weights: str | Sequence[float] = "per joint"  # of the joints: 1/noise, "equal" as Wang et al. have it, or given
    parts: int = PARTS  # stretches held out in turn where there is no recording to validate on
    uncertainty: Uncertainty = "robust"  # error bars of what is left

    def __post_init__(self) -> None:
        if self.parts < 2:
            raise SolveError("setting.wrong/simplify", parts=self.parts)

    def fit(
        self,
        robot: Robot,
        recordings: Data | Iterable[Data],
        *,
        validate: Data | Iterable[Data] | None = None,
        test: Data | Iterable[Data] | None = None,
        **problem: Any,
    ) -> Simplified:
        """Simplify; settings of the problem (friction, recipe, blocks) are those of `Problem.of`.

        >>> robot = bf.Robot.load("pendulum")
        >>> runs = []
        >>> for seed in range(3):
        ...     q, v, a, e = np.random.default_rng(seed).normal(size=(4, 200, 1))
        ...     runs.append((q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e))
        >>> found = Simplify().fit(robot, runs[0], validate=runs[1], test=runs[2])
        >>> found.scores[0][1].relative < 1.1 * found.scores[0][2].relative
        True
        """
        from bifilar.estimate.simplify_scores import scored

        start = perf_counter()
        built = Problem.of(robot, recordings, **problem)
        same = {k: v for k, v in problem.items() if k == "blocks"} | {"recipe": built.recipe}
        friction = built.robot.friction
        held = None if validate is None else Problem.of(robot, validate, friction=friction, base=built.base, **same)
        found = self.solve(built, validate=held, built=perf_counter() - start)
        return scored(found, test)

    def solve(self, problem: Problem, *, validate: Problem | None = None, built: float = 0.0) -> Simplified:
        """Simplify a problem that was built before; `validate` must have the same base parameters.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 200, 1))
        >>> Simplify().solve(Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e))).ladder.chosen > 0
        True
        """
        start = perf_counter()
        with one_blas_thread():
            rows = self._rows(problem)
            triangle, path = self.climbed(problem, rows)
            models = [triangle.solved(rung.kept) for rung in path.rungs]
            held = self._held(problem, validate, path, [model.values for model in models], rows.weights)
            if held is not None and validate is not None:
                refuse_stranger(held)
            curve = Curve(
                np.array([rung.size for rung in path.rungs]),
                np.array([model.condition for model in models]),
                held,
                path.own,
                path.own_words,
            )
            stop = self.stopped()
            halt = stop.halt(curve)
        parts = min(self.parts, len(problem.reduction.blocks))
        words = "other recordings" if validate is not None else f"{parts} stretches of the fitted data, in turn"
        ladder = ladder_of(path, models, held, halt, rule_of(self.rule).words, words if held else "nothing", judged_by(stop))
        solved = perf_counter() - start
        time = {"problem": built, "solve": solved}
        taken = estimate_of(problem, rows, path.rungs[halt.step].kept, self.uncertainty, ladder, time)
        full = estimate_of(problem, rows, path.rungs[0].kept, self.uncertainty, None, time)
        return Simplified(ladder, taken, full, (), limits_of(stop, problem.row_names))

    def run(
        self,
        robot: Robot,
        play: Play,
        how: Redesigning,
        *,
        validate: Data | Iterable[Data] | None = None,
        test: Data | Iterable[Data] | None = None,
        recipe: str | Recipe = "default",
    ) -> Simplified:
        """With a new motion for every model (Wang et al. 2018): `play(motion, stage)` is the robot, and returns a recording.

        >>> robot = bf.Robot.load("two_link").with_friction(bf.Viscous())
        >>> def play(motion, stage):
        ...     state = motion.sample(100.0)
        ...     return state.position, state.velocity, state.acceleration, _torque(robot, state, stage)
        >>> def _torque(robot, state, seed):
        ...     tau = robot.inverse_dynamics(state.position, state.velocity, state.acceleration)
        ...     return tau + 0.1 * np.random.default_rng(seed).normal(size=tau.shape)
        >>> how = bf.Redesigning(duration=5.0, least=5)
        >>> found = Simplify().run(robot, play, how, validate=play(bf.design(robot, duration=5.0).motion, 9))
        >>> conditions = [step.condition for step in found.ladder.steps]
        >>> conditions == sorted(conditions, reverse=True)
        True
        """
        return run(self, robot, play, how, validate=validate, test=test, recipe=recipe)

    def climbed(self, problem: Problem, rows: WeightedRows | None = None) -> tuple[Triangle, Path]:
        """The ladder on all blocks of a problem, without errors.

        >>> robot = bf.Robot.load("pendulum")
        >>> q, v, a, e = np.random.default_rng(0).normal(size=(4, 200, 1))
        >>> len(Simplify().climbed(Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a) + 0.1 * e)))[1].rungs)
        6
        """
        rows = rows or self._rows(problem)
        triangle = Triangle(problem.base.independent, problem.triangle(rows.weights), _count(problem.factor()))
        return triangle, rule_of(self.rule).path(triangle, experiments_of(problem, rows.weights))

    def _rows(self, problem: Problem) -> WeightedRows:
        weights = "per row" if isinstance(self.weights, str) and self.weights == "per joint" else self.weights
        rows = WeightedRows.of(problem, row_weights(weights, problem.row_names))
        refuse_open(problem, rows)
        return rows

    def stopped(self) -> Stop:
        """The stopping rule that the settings ask for.

        >>> Simplify(stop="condition").stopped()
        Condition(below=100.0)
        """
        if self.tolerance is not None:
            return Tolerance(torque=self.tolerance)
        if isinstance(self.stop, str):
            if self.stop not in STOPS:
                raise SolveError("stop.unknown", stop=self.stop, stops=STOPS)
            return STOPS[self.stop]
        return self.stop

    def _held(
        self, problem: Problem, validate: Problem | None, path: Path, values: Sequence[Array], weights: Array
    ) -> HeldErrors | None:
        if validate is not None:
            return on_recordings(validate, values, weights)
        if len(problem.reduction.blocks) < 2:
            return None
        names, width = problem.base.independent, len(problem.base)
        given = None if isinstance(self.weights, str) and self.weights == "per joint" else weights

        def climb(merged: BlockFactor, blocks: Sequence[BlockFactor], owners: Sequence[int]) -> tuple[Triangle, Path]:
            own = weighted_fit(names, merged, given, problem.prior()).weights
            triangle = Triangle(names, stack(merged, own, width), _count(merged))
            return triangle, rule_of(self.rule).path(triangle, experiments(names, blocks, owners, own))

        return on_blocks(problem, [rung.size for rung in path.rungs], climb, weights, self.parts)


def judged_by(stop: Stop) -> Judged:
    """In which unit held-out errors are compared.

    >>> judged_by(LeastError(judged="torque")), judged_by(Tolerance(torque=2.0))
    ('torque', 'noise')
    """
    return stop.judged if isinstance(stop, LeastError) else "noise"


def limits_of(stop: Stop, names: tuple[str, ...]) -> dict[str, float] | None:
    """The tolerance of every joint, if the stop is one.

    >>> limits_of(Tolerance(torque=2.0), ("a", "b"))
    {'a': 2.0, 'b': 2.0}
    """
    return dict(zip(names, stop.of(names).tolist(), strict=True)) if isinstance(stop, Tolerance) else None


def _count(block: BlockFactor) -> int:
    return sum(row.samples for row in block.rows)
