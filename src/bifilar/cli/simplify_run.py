"""What `bifilar simplify` does: read and check the logs, climb down the ladder, choose, score, compare with other rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar.cli.design_words import assigned, number, robot_of
from bifilar.cli.exchanged import refuse_exchange
from bifilar.cli.fit_folder import input_facts, may_be_made
from bifilar.cli.fit_run import KEPT, Fitted, checked, once, parted, read_whole, refuse
from bifilar.cli.friction_words import CHOOSE, USUAL, asked_for, friction_of, open_usual, refuse_unknown, usual_of
from bifilar.cli.guard import UsageError
from bifilar.cli.held import locked_as, without_held
from bifilar.cli.light_joints import without_unrecorded
from bifilar.cli.log_words import recipe_with
from bifilar.cli.progress import Tell, quiet
from bifilar.errors import RobotError
from bifilar.estimate.asked_friction import ready
from bifilar.estimate.loaded import Loaded
from bifilar.estimate.problem import Problem
from bifilar.estimate.saved import plain
from bifilar.estimate.simplify import Simplified, Simplify
from bifilar.estimate.simplify_compare import Rival, compare_rules
from bifilar.estimate.simplify_scores import scored
from bifilar.estimate.sources import equations_of
from bifilar.estimate.stopping import LeastError
from bifilar.recording.recipes import Recipe, recipe_of
from bifilar.recording.recording import Recording
from bifilar.robot.friction import Friction
from bifilar.robot.friction_text import EXAMPLE
from bifilar.robot.robot import Robot
from bifilar.validate.holdout import held_out
from bifilar.validate.verdict import judge

if TYPE_CHECKING:
    from bifilar.cli.simplify import Settings

Named = Sequence[tuple[str, Recording]]
RULE_WORDS = {"deviation": "largest deviation"}  # words of the command that are others in Python


@dataclass(frozen=True, eq=False)
class Simpler(Fitted):
    """Everything that one `bifilar simplify` found out.

    >>> [field for field in Simpler.__dataclass_fields__][-2:]
    ['found', 'rivals']
    """

    found: Simplified = None  # type: ignore[assignment]
    rivals: tuple[Rival, ...] = ()

    @property
    def asked_friction(self) -> str:
        """What `--friction` said, or stands for.

        >>> isinstance(Simpler.asked_friction, property)
        True
        """
        return asked_friction(self.settings)  # type: ignore[arg-type]

    @property
    def is_poor(self) -> bool:
        """Whether the verdict is poor, or a tolerance does not hold on the test.

        >>> isinstance(Simpler.is_poor, property)
        True
        """
        return self.verdict.level not in ("good", "usable", "not judged") or self.found.keeps_tolerance is False


def method_of(settings: Settings) -> Simplify:
    """The settings as the library has them.

    >>> from bifilar.cli.simplify import Settings
    >>> method_of(Settings(robot="arm.urdf", logs=("run.csv",), tolerance=("joint1=2",))).tolerance
    {'joint1': 2.0}
    """
    if not 0 <= settings.slack < np.inf:
        raise UsageError("usage.value/simplify_run", slack=settings.slack)
    if settings.slack and settings.stop != "validation":
        raise UsageError("usage.together/simplify_run")
    if settings.judged != "noise" and (settings.stop != "validation" or settings.tolerance):
        raise UsageError("usage.together/method_of")
    stop: Any = LeastError(slack=settings.slack, judged=settings.judged) if settings.stop == "validation" else settings.stop
    weights = "per joint" if settings.weights == "noise" else "equal"
    rule = RULE_WORDS.get(settings.rule, settings.rule)
    return Simplify(rule=rule, stop=stop, tolerance=_tolerance(settings.tolerance), weights=weights)


def _tolerance(words: Sequence[str]) -> dict[str, float] | float | None:
    if not words:
        return None
    if len(words) == 1 and "=" not in words[0]:
        return _torque(words[0])
    pairs = [assigned("--tolerance", word, "joint1=2.0") for word in words]
    return {name: _torque(value) for name, value in pairs}


def _torque(text: str) -> float:
    value = number("--tolerance", text, "2.0, in N m")
    if value <= 0:
        raise UsageError("usage.value/torque", text=text)
    return value


def asked_friction(settings: Settings) -> str:
    """What `--friction` says, or stands for where it is left out.

    A choice of terms is not the default: free numbers for rotor inertias came out negative on a real arm (panda_gaz, 51 of 75
    parameters kept, refused), where the usual terms give a usable model of 25. Motions of --next are designed before there is
    a log to choose widths by.

    >>> from bifilar.cli.simplify import Settings
    >>> asked_friction(Settings(robot="pendulum")), asked_friction(Settings(robot="pendulum", next="steps"))
    ('viscous+coulomb+offset', 'usual')
    """
    if settings.friction is None:
        return EXAMPLE if settings.next is None else USUAL
    return settings.friction


def stated_friction(settings: Settings, robot: Robot) -> Friction:
    """Friction that is fitted where there is no log to choose by; open signs are hard, as usual.

    >>> from bifilar.cli.simplify import Settings
    >>> len(stated_friction(Settings(robot="pendulum", friction="none", next="steps"), Robot.load("pendulum")).terms)
    0
    """
    text = asked_friction(settings)
    return usual_of(robot) if text == USUAL else friction_of(text, robot)


def problem_of(settings: Settings, robot: Robot, logs: Sequence[Recording], recipe: str | Recipe) -> Problem:
    """The problem of the logs to be fitted, with friction as asked for."""
    text = asked_friction(settings)
    if text in (CHOOSE, USUAL):
        friction: Any = CHOOSE if text == CHOOSE else usual_of(robot)
        return Problem.of(robot, logs, friction=friction, recipe=recipe)
    terms = asked_for(text, robot) if settings.friction is not None else open_usual(robot)
    asked = ready(robot, logs, terms, recipe)
    problem = Problem.of(robot, asked.sources, friction=asked.friction, recipe=recipe)
    if asked.choice is None:
        return problem
    return replace(problem, notes=(asked.choice.sentence(), *problem.notes), tables={"friction": asked.choice})


def problem_like(problem: Problem, logs: Sequence[Recording], recipe: str | Recipe) -> Problem:
    """The problem of other logs with the same columns; loads are those of the same first fit."""
    sources = [equations_of(log, problem.robot, recipe) for log in logs]
    models = [source.model for source in problem.sources if isinstance(source, Loaded)]
    same = [Loaded(source, models[0]) for source in sources] if models else sources
    return Problem.of(problem.robot, same, friction=problem.robot.friction, base=problem.base, recipe=recipe)


def recipe_for(settings: Settings) -> str | Recipe:
    """How logs are prepared.

    >>> from bifilar.cli.simplify import Settings
    >>> recipe_for(Settings(robot="pendulum"))
    'default'
    """
    if settings.cutoff is not None and not 0 < settings.cutoff < float("inf"):
        raise UsageError("usage.value/recipe_for", cutoff=settings.cutoff)
    return recipe_with(settings, settings.cutoff)


def simplified(settings: Settings, tell: Tell = quiet) -> Simpler:
    """Read, check, simplify, score; `tell` hears what is being done."""
    if settings.next is not None:  # a run of stages, done again
        from bifilar.cli.simplify_next import staged

        return staged(settings, tell)
    method, recipe = method_of(settings), recipe_for(settings)
    refuse_exchange("simplify", settings.robot, settings.logs)
    if settings.output is not None:
        may_be_made(Path(settings.output), force=settings.force)
    inputs = tuple(input_facts(name) for name in _files(settings) if name)
    robot, groups, findings = read_logs(settings, (settings.logs, settings.validate, judged_logs(settings)), tell)
    train, validate, test = groups
    once(train, [*validate, *test])
    once(validate, test, "chosen by")
    fit_on, judge_on, judged_on = [log for _, log in train], [log for _, log in test], ", ".join(name for name, _ in test)
    if not test and settings.test != ("none",):
        fit_on, judge_on = parted(fit_on)
        judged_on = f"the last {100 * KEPT:.0f} % of each log"
    tell("simplifying", 3.0)
    problem = problem_of(settings, robot, fit_on, recipe)
    held = problem_like(problem, [log for _, log in validate], problem.recipe) if validate else None
    found = scored(method.solve(problem, validate=held), judge_on or None)
    tell("comparing rules")
    rivals: tuple[Rival, ...] = ()
    if not settings.no_rivals:
        every = recipe_of(problem.recipe, slow=0.0)  # rows that are slow are scored as well
        unseen = problem_like(problem, judge_on, every) if judge_on else None
        rivals = compare_rules(problem, method, validate=held, test=unseen)
        tables = dict(found.estimate.tables) | {"rivals": [plain(vars(rival)) for rival in rivals]}
        found = replace(found, estimate=replace(found.estimate, tables=tables))
    tell("judging")
    return judged(settings, robot, found, fit_on, test, findings, inputs, judge_on=judge_on, words=judged_on, rivals=rivals)


def judged(
    settings: Settings,
    robot: Robot,
    found: Simplified,
    fit_on: Sequence[Recording],
    test: Named,
    findings: tuple[tuple[str, Any], ...],
    inputs: tuple[dict[str, Any], ...],
    *,
    judge_on: Sequence[Recording] | None = None,
    words: str | None = None,
    rivals: tuple[Rival, ...] = (),
) -> Simpler:
    """What was found with a verdict on the logs to test on, or on `judge_on` where parts of the fitted ones are kept apart."""
    judge_on = [log for _, log in test] if judge_on is None else list(judge_on)
    seen = held_out(found.estimate, judge_on, described=robot, fitted=list(fit_on)) if judge_on else None
    return Simpler(
        settings=settings,  # type: ignore[arg-type]
        robot=robot,
        logs=settings.logs,
        tests=tuple(name for name, _ in test),
        kept_apart=(", ".join(name for name, _ in test) if words is None else words) or "nothing",
        findings=findings,
        estimate=found.estimate,
        verdict=judge(found.estimate, seen),
        score=None,
        train=tuple(fit_on),
        test=tuple(judge_on),
        inputs=inputs,
        verb="simplify",
        found=found,
        rivals=rivals,
    )


def judged_logs(settings: Settings) -> tuple[str, ...]:
    """Logs to score on; none if 'none' is said.

    >>> from bifilar.cli.simplify import Settings
    >>> judged_logs(Settings(robot="pendulum", test=("none",)))
    ()
    """
    return () if settings.test == ("none",) else settings.test


def read_logs(
    settings: Settings, groups: Sequence[Sequence[str]], tell: Tell
) -> tuple[Robot, list[list[tuple[str, Recording]]], tuple[tuple[str, Any], ...]]:
    """The robot with joints held, logs of every group, and what is wrong with them; errors are refused."""
    try:
        robot = robot_of(settings.robot)
        refuse_unknown(asked_friction(settings), locked_as(robot, settings.lock))  # before a log is read
    except RobotError as error:
        error.remedy = error.remedy or f"bifilar inspect {settings.robot}"
        raise
    whole = [[(name, read_whole(settings, name, robot, tell)) for name in group] for group in groups]  # type: ignore[arg-type]
    everything = [pair for group in whole for pair in group]
    robot = locked_as(robot, settings.lock, everything)
    logs = [[(name, without_held(log, settings.lock)) for name, log in group] for group in whole]
    together = [pair for group in logs for pair in group]
    findings = tuple((name, checked(name, log, robot, tell)) for name, log in together)
    if not settings.anyway:
        refuse(findings, "{remedy}; --anyway takes it as it is")
    return without_unrecorded(robot, [log for _, log in together]), logs, findings


def facts(done: Simpler, folder: Path) -> dict[str, Any]:
    """What `--json` says."""
    found = done.found
    tested = [
        {
            "log": name,
            "relative_error": ours.relative,
            "full_model": full.relative,
            "rmse": dict(zip(ours.joint_names, ours.rmse.tolist())),
        }
        for name, ours, full in found.scores
    ]
    return {
        **done.facts(folder),
        "simplified": {
            "parameters": {"full": len(found.full.values), "kept": list(found.kept)},
            "dropped": [{"name": name, "why": why} for name, why in found.dropped],
            "tested": tested,
            "tolerance": found.tolerance,
            "tolerance_kept": found.keeps_tolerance,
            "ladder": found.ladder.facts(),
            "rivals": [plain(vars(rival)) for rival in done.rivals],
        },
    }


def _files(settings: Settings) -> list[str | None]:
    return [settings.robot, *settings.logs, *settings.validate, *judged_logs(settings), settings.mapping]
