"""The recursive simplification of Wang et al. 2018: a motion for the model, a recording of it, the least parameter goes, again.

    1  a motion for all parameters, by condition number             5  a motion for those that are left, begun from the last
    2  the robot runs it                                            6, 7  its condition number; small enough, or on with 2
    3, 4  contributions; the least goes

`first`, `fitted` and `after` are one step each and know nothing of what was before but the last stage, so that days may lie
between them (`bifilar simplify --next` keeps stages in a folder). `run` takes all of them with a function that plays motions: a
simulated robot, or anything that returns a recording. Which stage is taken is chosen on another motion, as always.

`drop=False` designs again and again for the full model, each time from the best so far: the optimised motion alone (the paper's
ODM). `rounds` designs so often for every model before anything goes: both together, as the paper advises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import SolveError
from bifilar.estimate.held_errors import on_recordings
from bifilar.estimate.ladder import ladder_of
from bifilar.estimate.problem import Problem, chosen_columns
from bifilar.estimate.rungs import Path, Rung
from bifilar.estimate.simplified_estimate import estimate_of
from bifilar.estimate.simplify_refusals import refuse_open, refuse_stranger
from bifilar.estimate.simplify_rules import experiments_of, rule_of
from bifilar.estimate.sources import Data
from bifilar.estimate.stopping import Curve
from bifilar.estimate.subset import Subset, Triangle
from bifilar.estimate.weighted_rows import WeightedRows
from bifilar.experiment.constraints import Constraint
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.redesign import redesign
from bifilar.recording.recipes import Recipe
from bifilar.robot.base_parameters import base_parameters
from bifilar.robot.robot import Robot
from bifilar.robot.solve import row_weights, weighted_fit

if TYPE_CHECKING:
    from bifilar.estimate.simplify import Simplified, Simplify

Play = Callable[[Fourier, int], Data]  # a motion and the number of its stage -> what was recorded


@dataclass(frozen=True, kw_only=True)
class Redesigning:
    """How motions are designed in the loop, and when it ends.

    >>> Redesigning(duration=20.0).least
    1
    """

    duration: float  # [s] of a period
    harmonics: int | Sequence[int] = 5
    starts: int = 1  # random motions the first search begins at
    hops: int = 1  # random neighbours tried beside the last motion
    rounds: int = 1  # designs for every model before a parameter goes
    drop: bool = True  # False: the motion alone is optimised, no parameter goes
    margin: float = 0.05  # share of every range that stays unused
    noise: ArrayLike = 1.0  # [N m] by which the rows of joints are weighed in the condition number
    rate: float = 100.0  # [Hz] of the recordings
    constraints: Sequence[Constraint] = field(default=())
    torque: bool = True  # keep the effort limits
    seed: int = 0
    least: int = 1  # parameters that stay
    most: int = 1000  # stages
    patience: int | None = None  # stages in a row without a lower validation error, after which no more are recorded

    def words(self, seed: int) -> dict[str, Any]:
        """What `redesign` is told.

        >>> Redesigning(duration=20.0).words(3)["seed"]
        3
        """
        names = ("hops", "margin", "noise", "rate", "constraints", "torque")
        return {name: getattr(self, name) for name in names} | {"seed": seed}


@dataclass(frozen=True, eq=False)
class Stage:
    """A model and the motion that was designed for it.

    >>> swing = bf.Fourier(joint_names=["joint1"], base_frequency=0.5, harmonics=1, coefficients=[[1.0, 0.0]])
    >>> Stage(("link1.Izz",), swing, 12.0).dropped
    ()
    """

    kept: tuple[str, ...]
    motion: Fourier
    condition: float  # of the observation matrix of the parameters kept, on this motion
    before: float = float("inf")  # the same on the motion before
    dropped: tuple[str, ...] = ()  # to come here
    score: float = float("nan")
    why: str = ""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A stage with what its recording says.

    >>> Fitted.__dataclass_fields__["problem"].type
    'Problem'
    """

    stage: Stage
    problem: Problem
    rows: WeightedRows
    model: Subset


def first(robot: Robot, how: Redesigning) -> Stage:
    """All base parameters, and a motion for them: step 1.

    >>> len(first(bf.Robot.load("two_link"), Redesigning(duration=5.0)).kept)
    6
    """
    names = base_parameters(robot).independent
    made = redesign(robot, names, duration=how.duration, harmonics=how.harmonics, starts=how.starts, **how.words(how.seed))
    stage = Stage(names, made.motion, made.condition)
    return _again(robot, stage, how, how.rounds - 1 if how.drop else 0, 0)


def fitted(
    robot: Robot, stage: Stage, data: Data | Iterable[Data], simplify: Simplify, recipe: str | Recipe = "default"
) -> Fitted:
    """A stage's parameters from the recording of its motion."""
    problem = Problem.of(robot, data, friction=robot.friction, recipe=recipe)
    kept = _places(problem, stage.kept)
    small = chosen_columns(problem.reduction.blocks, problem.base.columns[kept])
    asked = "per row" if isinstance(simplify.weights, str) and simplify.weights == "per joint" else simplify.weights
    own = weighted_fit(stage.kept, small, row_weights(asked, problem.row_names))
    rows = WeightedRows.of(problem, own.weights)
    refuse_open(problem, rows, kept)
    count = sum(row.samples for row in small.rows)
    model = Triangle(problem.base.independent, rows.triangle, count).solved(kept)
    return Fitted(stage, problem, rows, model)


def after(robot: Robot, told: Fitted, simplify: Simplify, how: Redesigning, k: int) -> Stage:
    """The stage after one whose parameters are known."""
    stage = told.stage
    if not how.drop:
        return _again(robot, stage, how, 1, k + 1)
    places = list(told.model.kept)
    whole = told.model.triangle
    part = Triangle(stage.kept, _columns(whole, places), whole.rows)
    singles = [Triangle(stage.kept, _columns(one, places), one.rows) for one in experiments_of(told.problem, told.rows.weights)]
    rung = rule_of(simplify.rule).path(part, singles).rungs[1]
    names = tuple(stage.kept[c] for c in rung.kept)
    made = redesign(robot, names, previous=stage.motion, **how.words(how.seed + k + 1))
    new = Stage(made.names, made.motion, made.condition, made.before, rung.dropped, rung.score, rung.why)
    return _again(robot, new, how, how.rounds - 1, k + 1)


def run(
    simplify: Simplify,
    robot: Robot,
    play: Play,
    how: Redesigning,
    *,
    validate: Data | Iterable[Data] | None = None,
    test: Data | Iterable[Data] | None = None,
    recipe: str | Recipe = "default",
) -> Simplified:
    """All stages, one after the other, and the one to take."""
    from bifilar.estimate.simplify_scores import scored

    held = None if validate is None else Problem.of(robot, validate, friction=robot.friction, recipe=recipe)
    return scored(taken(simplify, recorded(simplify, robot, play, how, held, recipe), held), test)


def recorded(
    simplify: Simplify,
    robot: Robot,
    play: Play,
    how: Redesigning,
    held: Problem | None = None,
    recipe: str | Recipe = "default",
) -> list[Fitted]:
    """All stages with what their recordings say; `held` ends them early where patience is limited."""
    stage = first(robot, how)
    told: list[Fitted] = []
    errors: list[float] = []
    for k in range(how.most):
        told.append(fitted(robot, stage, play(stage.motion, k), simplify, recipe))
        if held is not None:
            errors.append(float(on_recordings(held, [told[-1].model.values], told[0].rows.weights).in_noise[0]))
        if len(stage.kept) <= max(how.least, 1) or k + 1 == how.most or _hopeless(errors, how.patience):
            break
        stage = after(robot, told[-1], simplify, how, k)
    return told


def taken(simplify: Simplify, told: Sequence[Fitted], held: Problem | None) -> Simplified:
    """The stage to take of all that were recorded, as every simplification chooses: on motion that was not fitted."""
    from bifilar.estimate.simplify import Simplified, judged_by, limits_of

    if not told:
        raise SolveError("recordings.none/simplify_loop")
    weights = told[0].rows.weights
    errors = None if held is None else on_recordings(held, [one.model.values for one in told], weights)
    if errors is not None:
        refuse_stranger(errors)
    sizes = np.array([len(one.stage.kept) for one in told])
    stop = simplify.stopped()
    halt = stop.halt(Curve(sizes, np.array([one.stage.condition for one in told]), errors, None, ""))
    rungs = [Rung(one.model.kept, one.stage.dropped, one.stage.score, one.stage.why) for one in told]
    words = "other recordings" if held is not None else "nothing"
    rule = rule_of(simplify.rule).words + ", a new motion for every model"
    ladder = ladder_of(Path(tuple(rungs)), [one.model for one in told], errors, halt, rule, words, judged_by(stop))
    steps = [replace(step, condition=one.stage.condition) for step, one in zip(ladder.steps, told, strict=True)]
    ladder = replace(ladder, steps=tuple(steps))
    best, full = told[halt.step], told[0]
    estimate = estimate_of(best.problem, best.rows, best.model.kept, simplify.uncertainty, ladder, {})
    whole = estimate_of(full.problem, full.rows, full.model.kept, simplify.uncertainty, None, {})
    return Simplified(ladder, estimate, whole, (), limits_of(stop, full.problem.row_names))


def _again(robot: Robot, stage: Stage, how: Redesigning, times: int, k: int) -> Stage:
    """Designs for the same model again, from the best so far: the condition number cannot rise."""
    for extra in range(times):
        seed = how.seed + 1000 * (extra + 1) + k
        made = redesign(robot, stage.kept, previous=stage.motion, **how.words(seed))
        stage = replace(stage, motion=made.motion, condition=made.condition)
    return stage


def _places(problem: Problem, names: Sequence[str]) -> list[int]:
    place = {name: k for k, name in enumerate(problem.base.independent)}
    return [place[name] for name in names]


def _columns(triangle: Triangle, places: list[int]) -> Any:
    r = np.linalg.qr(triangle.factor[:, [*places, -1]], mode="r")
    square = np.zeros((len(places) + 1, len(places) + 1))
    square[: len(r)] = r
    return square


def _hopeless(errors: list[float], patience: int | None) -> bool:
    return patience is not None and len(errors) - 1 - int(np.argmin(errors)) >= patience if errors else False
