"""`bifilar simplify --next FOLDER`: a motion for every model; run it, put its log into the folder, call again.

Each call reads the logs that are there, fits their stages, designs the next motion if it is missing, and says what to run. What
was done before is read, not done again, and days may lie between two calls. With --validate the ladder so far is
shown with the stage to take; with -o that stage is written as a run. One command at a time works in a folder.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bifilar import __version__
from bifilar.cli.design_words import robot_of
from bifilar.cli.fit_folder import input_facts, may_be_made
from bifilar.cli.fit_run import once, written
from bifilar.cli.fit_view import verdict_lines
from bifilar.cli.friction_words import USUAL
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import next_step, show, typed_command, words
from bifilar.cli.progress import Tell, quiet, steps
from bifilar.cli.simplify_folder import (
    StageError,
    load_stage,
    log_path,
    logs_of,
    read_begun,
    save_stage,
    stage_file,
    stage_path,
    write_begun,
)
from bifilar.cli.simplify_motion import refuse_other_motion
from bifilar.cli.simplify_run import Simpler, judged, judged_logs, method_of, read_logs, recipe_for, stated_friction
from bifilar.cli.simplify_view import ladder_lines, score_lines
from bifilar.estimate.log_reading import decided
from bifilar.estimate.problem import Problem
from bifilar.estimate.simplify import Simplified, Simplify
from bifilar.estimate.simplify_loop import Fitted, Redesigning, Stage, after, first, fitted, taken
from bifilar.estimate.simplify_scores import scored
from bifilar.experiment.constraint_file import load_constraints
from bifilar.experiment.fingerprint import described, limits_hash, robot_hash
from bifilar.export.file_lock import alone_in
from bifilar.recording.recipes import Recipe
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bifilar.cli.simplify import Settings

STARTS = 3  # searches for the first motion, as `bifilar design` has them
FIXED = ("duration", "harmonics", "rule", "weights", "friction", "cutoff", "lock", "sign", "unit", "rate", "by_position")
FILES = ("limits", "mapping")  # remembered by their full path

Named = list[tuple[str, Recording]]


@dataclass(frozen=True, eq=False)
class Begun:
    """A folder and what it was begun with.

    >>> Begun.__dataclass_fields__["robot"].type
    'Robot'
    """

    folder: Path
    settings: Settings  # words that were left out are those the folder was begun with
    described: Robot  # as it moves, with limits
    robot: Robot  # with the friction that is fitted
    how: Redesigning
    method: Simplify


@dataclass(frozen=True, eq=False)
class Standing:
    """Where a folder stands: stages with their logs, and the stage that waits for one.

    >>> Standing.__dataclass_fields__["waiting"].type
    'Stage | None'
    """

    told: list[Fitted]
    groups: list[Named]  # logs of every stage, then those to validate and to test on
    findings: tuple[tuple[str, Any], ...]
    waiting: Stage | None


def proceed(settings: Settings) -> int:
    """One step on; 0, or 1 if a run was written whose verdict is poor.

    >>> from bifilar.cli.simplify import Settings
    >>> proceed(Settings(robot="pendulum", logs=("run.csv",), next="steps"))
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: logs are named beside --next
      try     put them into 'steps' as log-01.csv, log-02.csv, ...
    """
    if settings.logs:
        raise UsageError("usage.together/simplify_next", next=settings.next)
    if settings.output is not None:
        may_be_made(Path(settings.output), force=settings.force)
    with alone_in(str(settings.next)), steps(4) as tell:
        begun = begin(settings)
        standing = stand(begun, tell)
        found = chosen(begun, standing) if standing.told and may_choose(settings) else None
        done = folder = None
        if settings.output is not None:
            done = run_of(begun, standing, found or chosen(begun, standing))
            folder = written(done)
    if settings.json:
        sys.stdout.write(json_text(facts(begun, standing, found, folder)))
    else:
        show(_view(begun, standing, found, done, folder))
    return 1 if done is not None and done.is_poor else 0


def begin(settings: Settings) -> Begun:
    """The folder's settings, checked against those it was begun with; a new folder is begun.

    >>> from bifilar.cli.simplify import Settings
    >>> begin(Settings(robot="two_link", next="nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: --duration is missing
      try     bifilar simplify two_link --next nowhere --duration 20
    """
    folder = Path(str(settings.next)).resolve()
    before = read_begun(folder)
    settings = _as_begun(settings, before.get("settings", {}), folder) if before else settings
    if settings.duration is None:
        raise UsageError("usage.missing/simplify_next", robot=settings.robot, next=settings.next)
    loose = [word for word in settings.lock if "=" not in word]
    if loose:
        raise UsageError("usage.lock/simplify_next", loose=loose[0])
    robot = robot_of(settings.robot, lock=settings.lock, limits=settings)
    constraints = () if settings.limits is None else tuple(load_constraints(robot, settings.limits))
    how = Redesigning(duration=settings.duration, harmonics=settings.harmonics, starts=STARTS, constraints=constraints)
    hashes = {"robot": robot_hash(robot), "limits": limits_hash(robot, [described(one) for one in constraints])}
    if before is None:
        kept = {name: getattr(settings, name) for name in FIXED} | {name: _full(getattr(settings, name)) for name in FILES}
        write_begun(folder, {"bifilar": __version__, **hashes, "settings": kept})
    else:
        _refuse_other(before, hashes, folder)
    return Begun(folder, settings, robot, robot.with_friction(stated_friction(settings, robot)), how, method_of(settings))


def stand(begun: Begun, tell: Tell = quiet, *, only: Sequence[str] = ()) -> Standing:
    """Read the logs that are there, fit their stages, design what is missing; with `only`, stages of these logs alone."""
    folder, settings = begun.folder, begun.settings
    names = _stage_logs(folder, {str(Path(name).resolve()) for name in only})
    _, groups, findings = read_logs(settings, (*names, settings.validate, judged_logs(settings)), tell)
    train = [pair for group in groups[: len(names)] for pair in group]
    once(train, [*groups[-2], *groups[-1]])
    once(groups[-2], groups[-1], "chosen by")
    told: list[Fitted] = []
    recipe = _recipe(begun, groups[0] if names else ())
    for k in range(len(names)):
        tell(f"stage {k + 1}")
        stage = _stage(begun, k + 1, told, names[k - 1] if k else ())
        if not settings.anyway and not stage_file(folder, k + 2).exists():  # a log with a stage after it was taken before
            refuse_other_motion(stage.motion, stage_path(folder, k + 1).name, groups[k])
        told.append(fitted(begun.robot, stage, [log for _, log in groups[k]], begun.method, recipe))
        if len(stage.kept) <= max(begun.how.least, 1):
            return Standing(told, groups, findings, None)
    if only:
        return Standing(told, groups, findings, None)
    tell(f"designing the motion of stage {len(names) + 1}", 3.0)
    return Standing(told, groups, findings, _stage(begun, len(names) + 1, told, names[-1] if names else ()))


def _recipe(begun: Begun, first: Sequence[tuple[str, Recording]]) -> str | Recipe:
    """How the logs of all stages are read, as those of the first say."""
    recipe = recipe_for(begun.settings)
    return decided(begun.robot, [log for _, log in first], recipe).recipe if first else recipe


def chosen(begun: Begun, standing: Standing) -> Simplified:
    """The stage to take of those that are recorded, scored on logs that neither fit nor choice has seen."""
    *_, validate, test = standing.groups
    recipe = _recipe(begun, standing.groups[0])
    held = [log for _, log in validate]
    problem = Problem.of(begun.robot, held, friction=begun.robot.friction, recipe=recipe) if held else None
    return scored(taken(begun.method, standing.told, problem), [log for _, log in test] or None)


def run_of(begun: Begun, standing: Standing, found: Simplified) -> Simpler:
    """The stage taken as a run; its folder remembers all logs of the stages, so that it can be run again."""
    stages, test = standing.groups[: len(standing.told)], standing.groups[-1]
    logs = tuple(name for group in stages for name, _ in group)
    settings = replace(begun.settings, next=str(begun.folder), logs=logs)
    named = [settings.robot, *settings.logs, *settings.validate, *judged_logs(settings), settings.mapping, settings.limits]
    inputs = tuple(input_facts(name) for name in named if name)
    train = [log for _, log in stages[found.ladder.chosen]]
    return judged(settings, begun.described, found, train, test, standing.findings, inputs)


def staged(settings: Settings, tell: Tell = quiet) -> Simpler:
    """A run that was made from a folder, again: of the logs it remembers, whatever came into the folder since."""
    with alone_in(str(settings.next)):
        begun = begin(settings)
        standing = stand(begun, tell, only=settings.logs)
        return run_of(begun, standing, chosen(begun, standing))


def may_choose(settings: Settings) -> bool:
    """Whether anything is there to choose a stage by: another motion, or a stop that needs none.

    >>> from bifilar.cli.simplify import Settings
    >>> may_choose(Settings(robot="arm.urdf")), may_choose(Settings(robot="arm.urdf", stop="stall"))
    (False, True)
    """
    return bool(settings.validate) or (settings.stop in ("condition", "stall") and not settings.tolerance)


def facts(begun: Begun, standing: Standing, found: Simplified | None, run: Path | None) -> dict[str, Any]:
    """What `--json` says."""
    number, waiting = len(standing.told) + 1, standing.waiting
    upcoming = None
    if waiting is not None:
        upcoming = {
            "stage": number,
            "motion": str(stage_path(begun.folder, number)),
            "log": str(log_path(begun.folder, number)),
        }
        upcoming |= {"parameters": list(waiting.kept), "condition": waiting.condition}
        upcoming |= {"dropped": list(waiting.dropped), "why": waiting.why, "motions at most": len(waiting.kept)}
    return {
        "bifilar": __version__,
        "folder": str(begun.folder),
        "recorded": len(standing.told),
        "next": upcoming,
        "ladder": None if found is None else found.ladder.facts(),
        "run": None if run is None else str(run),
    }


def _view(
    begun: Begun, standing: Standing, found: Simplified | None, done: Simpler | None, run: Path | None
) -> Iterator[RenderableType]:
    number, waiting, given = len(standing.told) + 1, standing.waiting, begun.settings
    again = ("bifilar", "simplify", given.robot, "--next", str(given.next))
    if found is not None:
        yield from ladder_lines(found.ladder, found)
        yield from score_lines(found)
        yield words("")
    if done is not None:
        yield from verdict_lines(done.verdict, done.kept_apart)
        yield words(f"wrote    {run}")
    if waiting is None:
        yield words("one parameter is left: there is nothing more to record", "bold")
        if run is None:
            yield next_step(typed_command(*again, "--validate", "other.csv", "-o", "runs/simpler"))
        return
    for name in waiting.dropped:
        yield words(f"dropped  {name}: {waiting.why}")
    count = len(waiting.kept)
    yield words(f"stage {number}: {count} parameter{'s' * (count != 1)}, condition number {waiting.condition:.4g}", "bold")
    yield words(
        f"motions  {count} more at most, this one among them: one parameter goes at a time, and --validate says when to stop"
    )
    yield words(f"run      {stage_path(begun.folder, number)}")
    yield words(f"record   {log_path(begun.folder, number)}, or any format that bifilar reads")
    extra = ("--validate", *given.validate) if given.validate else ()
    yield next_step(typed_command(*again, *extra))


def _stage(begun: Begun, number: int, told: Sequence[Fitted], logs: Sequence[str]) -> Stage:
    """A stage as it was written, else designed and written now."""
    stage = load_stage(begun.folder, number)
    if stage is not None:
        return stage
    how = begun.how
    stage = after(begun.robot, told[-1], begun.method, how, number - 2) if told else first(begun.robot, how)
    made_from = (*logs, *([str(stage_file(begun.folder, number - 1))] if told else []))
    save_stage(begun.folder, number, stage, begun.described, how.constraints, how.rate, made_from)
    return stage


def _stage_logs(folder: Path, only: set[str]) -> list[tuple[str, ...]]:
    """Logs of the stages in their order, up to the first that has none; one that is out of turn is told."""
    found: list[tuple[str, ...]] = []
    while (logs := logs_of(folder, len(found) + 1)) and (not only or set(logs) <= only):
        found.append(logs)
    if not only:
        later = [name for k in range(len(found) + 2, len(found) + 100) for name in logs_of(folder, k)]
        if later:
            missing = log_path(folder, len(found) + 1)
            raise StageError("simplify.log_missing", where=str(folder), name=Path(later[0]).name, name_2=missing.name)
    return found


def _as_begun(settings: Settings, before: dict[str, Any], folder: Path) -> Settings:
    """Words that are left out are the folder's; others must be the same."""
    usual = {field.name: field.default for field in fields(settings) if field.default is not MISSING}
    changes: dict[str, Any] = {}
    for name in (*FIXED, *FILES):
        stored = before.get(name, usual[name])
        stored = tuple(stored) if isinstance(stored, list) else stored
        stored = USUAL if name == "friction" and stored == "" else stored  # begun before friction was chosen by default
        given = getattr(settings, name)
        given = _full(given) if name in FILES else given
        if given not in (usual[name], stored):
            word = name.replace("_", "-")
            raise StageError("simplify.changed/simplify_next", where=str(folder), word=word, given=given, stored=stored)
        changes[name] = stored
    return replace(settings, **changes)


def _refuse_other(before: dict[str, Any], hashes: dict[str, str], folder: Path) -> None:
    for what, words_ in (("robot", "another robot"), ("limits", "other limits")):
        if before.get(what) != hashes[what]:
            raise StageError(
                "simplify.changed/refuse_other" if what == "robot" else "simplify.changed/simplify_next_refuse_other",
                where=str(folder),
                words=words_,
            )


def _full(file: str | None) -> str | None:
    return None if file is None else str(Path(file).resolve())
