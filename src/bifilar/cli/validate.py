"""`bifilar validate RUN LOG`: an identified robot on a log that it has not seen."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from bifilar import __version__
from bifilar.cli.exchanged import refuse_exchange
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.options import Anyway, JsonOutput, Logs, MotionSettings, RunFolder, ScoreCutoff
from bifilar.cli.output import next_step, show, typed_command, unbroken, words
from bifilar.cli.progress import Tell, steps
from bifilar.cli.typed_log import DECIDED, log_options

if TYPE_CHECKING:
    from bifilar.cli.fit import Settings as FitSettings
    from bifilar.estimate.estimate import BaseEstimate
    from bifilar.recording.recording import Recording

SUMMARY = """An identified robot on logs that it has not seen: errors joint by joint, what they still know, and a verdict.

The logs are read as the run's own were, with its delay and kinematics. With --mapping, --sign, --unit, --rename, --gain,
--rate or --by-position, no option about the run's own logs is taken over but --lock; --mapping none: the columns say what
they are.
Exit code 1 if the verdict is poor or refused."""
EXAMPLES = """\
  bifilar validate runs/arm-001 other.csv                    as the run's own logs were read and filtered
  bifilar validate runs/arm-001 other.csv --good 0.02        a verdict that asks for more
  bifilar validate runs/arm-001 deg.csv --unit position=deg  a log of another logger
  bifilar validate runs/arm-001 odd.csv --anyway             although checks found errors in the log
"""
REMEDY = "{remedy}; --anyway judges it as it is"
READING = ("mapping", "sign", "unit", "rename", "gain", "rate", "by_position")
ABOVE, NOT_BELOW = ("good", "usable", "over_noise", "worse"), ("negligible", "least_eigenvalue")  # 0
LOAD = "load     if the machine carried something else: {command}"


@dataclass(frozen=True, kw_only=True)
class UnseenLogs(MotionSettings):
    """Which run, and logs that it has not seen.

    >>> UnseenLogs(run="runs/arm-001", logs=("other.csv",)).anyway
    False
    """

    run: RunFolder
    logs: Logs
    anyway: Anyway = False


@dataclass(frozen=True, kw_only=True)
class Settings(UnseenLogs, JsonOutput):
    """Which run, which logs, and what is asked for.

    >>> Settings(run="runs/arm-001", logs=("other.csv",)).good
    0.05
    """

    good: Annotated[float, arg(metavar="SHARE")] = 0.05  # relative torque error of a good model, at most
    usable: Annotated[float, arg(metavar="SHARE")] = 0.15  # of a usable one
    over_noise: Annotated[float, arg(metavar="TIMES")] = 2.0  # error over the fit's noise that a good one may have at a joint
    worse: Annotated[float, arg(metavar="TIMES")] = 1.2  # error over the description's own beyond which it is refused
    negligible: Annotated[float, arg(metavar="SHARE")] = (
        1e-4  # torque error that no measurement shows: below, it is never worse
    )
    least_eigenvalue: Annotated[float, arg(metavar="VALUE")] = 0.0
    """of the mass matrix [kg m^2], anywhere inside the limits: at or below, it is refused"""
    score_cutoff: ScoreCutoff = None


def run(settings: Settings) -> int:
    """Judge; 1 if the verdict is poor or refused.

    >>> run(Settings(run="nowhere", logs=("other.csv",)))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    from bifilar.cli.fit_folder import inputs_of, run_settings
    from bifilar.cli.fit_view import verdict_lines
    from bifilar.cli.scored import scored
    from bifilar.estimate.estimate import Estimate
    from bifilar.estimate.saved import load_estimate
    from bifilar.export.run_reader import at_once
    from bifilar.recording.recipes import recipe_of
    from bifilar.validate.holdout import held_out
    from bifilar.validate.verdict import Thresholds, judge

    if not settings.logs:
        raise UsageError("usage.no_log/validate", run=settings.run)
    refuse_exchange("validate", settings.run, settings.logs, "run and log")
    asked = Thresholds(**_thresholds(settings))
    place = Path(settings.run)
    before, estimate, inputs = at_once(place, lambda: (run_settings(place), load_estimate(place), inputs_of(place)))
    with steps(2 * len(settings.logs) + len(before.logs) + 1) as tell:
        logs, fitted = unseen(settings, before, estimate, inputs, tell)
        tell("judging")
        if settings.kinematics != "auto":
            estimate = replace(estimate, recipe=recipe_of(estimate.recipe, kinematics=settings.kinematics))
        verdict = judge(estimate, held_out(estimate, logs, fitted=fitted), asked)
        score = scored(estimate, logs, settings.score_cutoff, estimate.described) if settings.score_cutoff else None
    if settings.json:
        facts = {"bifilar": __version__, "run": settings.run, "logs": list(settings.logs), "verdict": verdict.facts()}
        sys.stdout.write(json_text({**facts, "score": None if score is None else score.facts()}))
    else:
        ending = ".xml" if isinstance(estimate, Estimate) else ".csv"
        good = verdict.level in ("good", "usable")
        after = (
            ("export", settings.run, "-o", f"{estimate.described.name}{ending}")
            if good
            else (
                "check",
                settings.logs[0],
                "--robot",
                before.robot,
                *log_options(read_with(settings, before), settings.logs[0]),
            )
        )
        odd = [] if score is None else [words(f"scored   {score}")]
        load = ("payload", settings.run, *settings.logs, *log_options(read_with(settings, before), *settings.logs))
        odd += [] if good else [unbroken(LOAD.format(command=typed_command("bifilar", *load)))]
        shown = verdict_lines(verdict, ", ".join(settings.logs))
        show([*shown, words(""), *odd, next_step(typed_command("bifilar", *after))])
    return 0 if verdict.level in ("good", "usable") else 1


def _thresholds(settings: Settings) -> dict[str, float]:
    """What the verdict asks for; numbers that ask for nothing are refused."""
    found = {word: float(getattr(settings, word)) for word in (*ABOVE, *NOT_BELOW)}
    cutoff = {} if settings.score_cutoff is None else {"score_cutoff": settings.score_cutoff}
    for word, value in (found | cutoff).items():
        least = "below" if word in NOT_BELOW else "not above"
        if not (0 <= value if word in NOT_BELOW else 0 < value) or not value < float("inf"):
            name = word.replace("_", "-")
            raise UsageError(
                "usage.value/validate" if value <= 0 else "usage.value/thresholds", name=name, value=value, least=least
            )
    if settings.usable < settings.good:
        raise UsageError("usage.value/validate_thresholds", usable=settings.usable, good=settings.good)
    return found


def read_with(settings: MotionSettings, before: FitSettings) -> FitSettings:
    """The run's words, with those that say how logs are read exchanged for the ones that are given here, if any are.

    >>> from bifilar.cli.fit import Settings as FitSettings
    >>> read_with(MotionSettings(rate=50.0), FitSettings(robot="arm.urdf", logs=("a.csv",), rate=100.0)).rate
    50.0
    """
    given = {word: getattr(settings, word) for word in READING}
    before = replace(before, **_decided(settings, before))  # type: ignore[arg-type]
    if not any(value not in (None, (), False) for value in given.values()):
        return before
    return replace(before, **given | {"mapping": None if settings.mapping == "none" else settings.mapping})


def _decided(settings: MotionSettings, before: FitSettings) -> dict[str, str]:
    """Delay and kinematics: as typed here, else as the run was told."""
    return {word: getattr(before if getattr(settings, word) == "auto" else settings, word) for word in DECIDED}


def unseen(
    settings: UnseenLogs,
    before: FitSettings,
    estimate: BaseEstimate,
    inputs: list[tuple[str, str, bool]],
    tell: Tell,
    *,
    expected: Collection[str] = (),
    remedy: str = REMEDY,
) -> tuple[list[Recording], list[Recording]]:
    """The logs, read as the run's own were, none of them fitted, none with errors that would be blamed on the robot; and
    what was fitted. `expected`: codes of checks that do not matter here."""
    from bifilar.cli.design_words import robot_of
    from bifilar.cli.fit_run import checked, parted, read_as, read_whole, refuse
    from bifilar.cli.held import locked_as
    from bifilar.estimate.estimate import Estimate
    from bifilar.validate.repeats import fitted_too

    robot = estimate.described
    reading = read_with(settings, before)
    logs = [read_as(reading, name, robot, tell) for name in settings.logs]
    fitted: list[Recording] = []
    there, changed = ({place for _, place, same in inputs if same is wanted} for wanted in (True, False))
    kept = [path for path in before.logs if path in there]
    if before.lock and kept and before.robot not in changed:  # joints that are held must stand there again
        free = robot_of(before.robot)
        held = [(kept[0], read_whole(before, kept[0], free))]
        locked_as(free, before.lock, [*held, *((name, read_whole(reading, name, free)) for name in settings.logs)])
    for path in kept:
        whole = read_as(before, path, robot, tell)
        fitted.append(whole if before.test else parted([whole])[0][0])
        for name, log in zip(settings.logs, logs):
            if fitted_too(fitted[-1], log):
                raise UsageError("test.fitted/validate", name=name)
    if not settings.anyway and not before.anyway:
        known = estimate.robot if isinstance(estimate, Estimate) else robot
        refuse([(name, checked(name, log, known, tell, without=expected)) for name, log in zip(settings.logs, logs)], remedy)
    return logs, fitted
