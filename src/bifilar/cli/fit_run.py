"""What `bifilar fit` does: read and check the logs, fit, judge on what was kept apart, write a run folder."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar import __version__, formats
from bifilar.cli.design_words import robot_of
from bifilar.cli.exchanged import refuse_exchange
from bifilar.cli.fit_delay import answered, in_time, reading_facts
from bifilar.cli.fit_folder import IDENTIFIED, PAGE, RUN, input_facts, may_be_made
from bifilar.cli.friction_words import CHOOSE, USUAL, asked_for, friction_facts, refuse_unknown, usual_of
from bifilar.cli.guard import UsageError
from bifilar.cli.held import locked_as, without_held
from bifilar.cli.light_joints import without_unrecorded
from bifilar.cli.log_words import log_of, one_log, recipe_with
from bifilar.cli.one_unit import refuse_two_units
from bifilar.cli.progress import Tell, quiet
from bifilar.cli.public_sets import named
from bifilar.cli.scored import Scored, scored
from bifilar.errors import BifilarError, Note, RecordingError, ResourceError, RobotError
from bifilar.estimate.estimate import BaseEstimate, Estimate
from bifilar.estimate.likely import MISTAKES, told
from bifilar.estimate.methods import chosen
from bifilar.estimate.saved import PREDICTOR, estimate_facts, plain, save_estimate
from bifilar.export.carried_error import FileVerdict, file_verdicts
from bifilar.export.carried_friction import friction_carried
from bifilar.export.run_folder import TAKEN, numbered, writing
from bifilar.export.write_model import written as exported
from bifilar.recording.check import check
from bifilar.recording.findings import Findings
from bifilar.recording.prepare import prepare
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file
from bifilar.validate.holdout import held_out
from bifilar.validate.repeats import fitted_too
from bifilar.validate.verdict import Verdict, judge

if TYPE_CHECKING:
    from bifilar.cli.fit import Settings

KEPT = 0.3  # of every log's time, at its end, if no log is named to judge on
LIBRARIES = ("numpy", "numba", "clarabel", "scipy", "pyarrow")
# checks that cap the level: a delay is moved by the fit, lost rows and a tool that was not carried do no harm
SPOILING = (*(code for code in MISTAKES if code not in ("delay", "dropped", "tool")), "velocity", "simulated")
FITTING = 3.0  # as long as so many other steps, for the length of the bar only
TWICE = "error bars would claim twice the data"
TRIES = 50  # names of a series, if other runs take them at the same time


@dataclass(frozen=True, eq=False)
class Fitted:
    """Everything that one `bifilar fit` found out.

    >>> [field for field in Fitted.__dataclass_fields__][:3]
    ['settings', 'robot', 'logs']
    """

    settings: Settings
    robot: Robot
    logs: tuple[str, ...]
    tests: tuple[str, ...]
    kept_apart: str  # in words: what it was judged on
    findings: tuple[tuple[str, Findings], ...]
    estimate: BaseEstimate
    verdict: Verdict
    score: Scored | None  # at the cut-off that was asked for
    train: tuple[Recording, ...]  # what was fitted, for pictures
    test: tuple[Recording, ...]  # what it was judged on
    cutoff: float | None = None  # [Hz] of the filter that the first log went through: why rows are fewer than samples
    inputs: tuple[dict[str, Any], ...] = ()  # files and hashes as they were when they were read
    verb: str = "fit"  # the command that made it
    files: tuple[FileVerdict, ...] = ()  # of formats that cannot state all, by what they can
    predictor: Verdict | None = None  # of the torque predictor, where one is handed over

    @property
    def asked_friction(self) -> str:
        """What `--friction` said.

        >>> isinstance(Fitted.asked_friction, property)
        True
        """
        return self.settings.friction

    def facts(self, folder: Path) -> dict[str, Any]:
        """What `--json` says, and `run.json` holds."""
        facts = {
            "bifilar": __version__,
            "folder": str(folder),
            "robot": self.robot.name,
            "judged_on": self.kept_apart,
            "verdict": self.verdict.facts(),
            "files": [file.facts() for file in self.files],
            "torque_predictor": self._predictor(),
            "rows_used": rows_used(self.estimate, self.train),
            "score": None if self.score is None else self.score.facts(),
            "friction": friction_facts(self.estimate, self.asked_friction) | {"urdf": self._in_urdf()},
            "findings": {name: [f.data() for f in found] for name, found in self.findings},
            **reading_facts(self.settings, self.estimate),
            "estimate": estimate_facts(self.estimate),
        }
        return dict(plain(facts))  # JSON has no infinite deviation

    def _predictor(self) -> dict[str, Any] | None:
        """The comparison on held-out blocks of the fitted logs, and the verdict of the predictor where it is handed over."""
        found = self.estimate.tables.get("torque predictor")
        if found is None:
            return None
        verdict = None if self.predictor is None else self.predictor.facts()
        return {**asdict(found), "offered": found.offered, "folder": PREDICTOR if found.offered else None, "verdict": verdict}

    def _in_urdf(self) -> list[dict[str, Any]] | None:
        """How the identified robot's file carries its friction; nothing of base parameters, which have no file."""
        robot = self.estimate.robot if isinstance(self.estimate, Estimate) else None
        return None if robot is None else list(friction_carried(robot, "URDF"))


def work(settings: Settings) -> float:
    """Steps of `fitted`, by their weights.

    >>> from bifilar.cli.fit import Settings
    >>> work(Settings(robot="arm.urdf", logs=("run.csv",)))
    6.0
    """
    return 2.0 * len((*settings.logs, *settings.test)) + FITTING + 1.0


def fitted(settings: Settings, tell: Tell = quiet) -> Fitted:
    """Read, check, fit, judge; `tell` hears what is being done."""
    _understood(settings)
    inputs = _inputs(settings)
    try:
        robot = robot_of(settings.robot)
        # words that make no sense are told before a log is read
        refuse_unknown(settings.friction, locked_as(robot, settings.lock))
    except RobotError as error:
        error.remedy = error.remedy or f"bifilar inspect {settings.robot}"
        raise
    judged = settings.test != ("none",)
    train = [(name, read_whole(settings, name, robot, tell)) for name in settings.logs]
    test = [(name, read_whole(settings, name, robot, tell)) for name in settings.test] if judged else []
    refuse_two_units(settings.unit, [*train, *test])
    robot = locked_as(robot, settings.lock, [*train, *test])
    train, test = ([(name, without_held(log, settings.lock)) for name, log in logs] for logs in (train, test))
    findings = tuple((name, checked(name, recording, robot, tell)) for name, recording in [*train, *test])
    if not settings.anyway:
        refuse(findings)
    once(train, test)
    robot = without_unrecorded(robot, [recording for _, recording in [*train, *test]])
    if judged and not test:
        fit_on, judge_on, words = *parted([recording for _, recording in train]), f"the last {100 * KEPT:.0f} % of each log"
    else:
        fit_on, judge_on = [recording for _, recording in train], [recording for _, recording in test]
        words = ", ".join(name for name, _ in test) if test else "nothing"
    tell("choosing friction and fitting" if settings.friction == CHOOSE else "fitting", FITTING)
    with _way_out(settings.logs[0]):
        estimate = _estimate(settings, robot, fit_on)
    tell("judging")
    validation = held_out(estimate, judge_on, described=robot, fitted=fit_on) if judge_on else None
    verdict = judge(estimate, validation)
    findings = answered(findings, estimate)
    if not settings.anyway:
        verdict = in_time(_of_right_size(_of_sound_logs(verdict, findings), findings), findings, settings.logs)
    score = scored(estimate, judge_on, settings.score_cutoff, robot) if settings.score_cutoff and judge_on else None
    names = tuple(name for name, _ in test)
    drawn = tuple(fit_on), tuple(judge_on)
    cutoff = _cutoff(fit_on[0], robot, estimate)
    files = file_verdicts(estimate, verdict, judge_on) if isinstance(estimate, Estimate) and judge_on else ()
    told = settings, robot, settings.logs, names, words, findings, estimate, verdict, score
    free = estimate.predictor if isinstance(estimate, Estimate) else None
    seen = None if free is None or not judge_on else held_out(free, judge_on, described=robot, fitted=fit_on)
    predictor = None if free is None else judge(free, seen)
    return Fitted(*told, *drawn, cutoff, inputs, files=files, predictor=predictor)


def rows_used(estimate: BaseEstimate, recordings: Sequence[Recording]) -> dict[str, int]:
    """Rows of every joint that the fit used: those near standstill have no weight where friction jumps with the sign of speed.

    >>> recording = bf.Recording(joint_names=("joint1",), time=[0.0], position=[[0.0]], torque=[[0.0]])
    >>> estimate = bf.LeastSquares().fit(bf.Robot.load("pendulum"), tuple(np.ones((4, 90, 1))))
    >>> rows_used(estimate, [recording])  # too short to be prepared
    {}
    """
    total: dict[str, int] = {}
    with suppress(BifilarError):
        for recording in recordings:
            samples = prepare(recording, estimate.recipe, robot=estimate.described)
            counts = np.zeros(len(samples.joint_names), dtype=int)
            for chunk in samples.chunks(estimate.described):
                weight = np.ones(np.shape(chunk.torque)) if chunk.weight is None else np.asarray(chunk.weight)
                counts += np.sum(weight > 0, axis=0)
            total = {name: total.get(name, 0) + int(n) for name, n in zip(samples.joint_names, counts)}
    return total


def _of_sound_logs(verdict: Verdict, findings: Sequence[tuple[str, Findings]]) -> Verdict:
    """What a check warns of as a mistake that makes fits wrong caps the level."""
    named = {Note.of(reason).facts.get("mistake") for reason in verdict.reasons}
    found = {one.code: one for _, all_ in findings for one in all_.alarms.of(*SPOILING) if one.code not in named}
    if not found or verdict.level not in ("good", "usable"):
        return verdict
    return replace(verdict, level="usable", reasons=(*verdict.reasons, *map(told, found.values())))


def _of_right_size(verdict: Verdict, findings: Sequence[tuple[str, Findings]]) -> Verdict:
    """Torque of another size than the description's weights need is told by a check, and gives masses of another size."""
    odd = next((one for _, found in findings for one in found if one.code == "torque_scale"), None)
    if odd is None or verdict.level not in ("good", "usable"):
        return verdict
    likely = odd.likely or "another unit"
    return replace(
        verdict, level="poor", reasons=(Note("torque.scale", number=odd.number("scale"), cause=likely), *verdict.reasons)
    )


def _inputs(settings: Settings) -> tuple[dict[str, Any], ...]:
    """Taken before anything is read: a file that changes during the fit is then another than the run remembers."""
    tests = settings.test if settings.test != ("none",) else ()
    found = []
    for name in (settings.robot, *settings.logs, *tests, settings.mapping):
        with suppress(OSError, ValueError):  # what cannot be read is told by who reads it
            found += [input_facts(name)] if name else []
    return tuple(found)


def _cutoff(recording: Recording, robot: Robot, estimate: BaseEstimate) -> float | None:
    with suppress(BifilarError):
        return prepare(recording, estimate.recipe, robot=robot).cutoff
    return None


def _understood(settings: Settings) -> None:
    """What can be said against the command before anything is read."""
    if not settings.logs:
        raise UsageError("usage.no_log/fit_run")
    refuse_exchange("fit", settings.robot, settings.logs)
    if "none" in settings.test and len(settings.test) > 1 and not os.path.exists("none"):
        raise UsageError("usage.value/fit_run")
    numbers = (("cutoff", settings.cutoff, "8, in Hz"), ("score-cutoff", settings.score_cutoff, "8, in Hz"))
    for word, value, example in (*numbers, ("prior", settings.prior, "0.1, 10 %")):
        if value is not None and not 0 < value < float("inf"):
            raise UsageError("usage.value/understood", word=word, value=value, example=example)
    mass = settings.total_mass
    if mass and not (len(mass) <= 2 and 0 < mass[0] < float("inf") and all(0 < x < float("inf") for x in mass[1:])):
        raise UsageError("usage.value/fit_run_understood_2", typed=mass)
    if mass and not chosen(settings.method).consistent:
        raise UsageError("usage.value/fit_run_understood_3", method=settings.method)
    if settings.score_cutoff is not None and settings.test == ("none",):
        raise UsageError("usage.value/fit_run_understood")
    refuse_unknown(settings.friction)
    if settings.output is not None:
        may_be_made(Path(settings.output), force=settings.force)


def once(
    train: Sequence[tuple[str, Recording]], test: Sequence[tuple[str, Recording]], used: str = "fitted", likely: str = TWICE
) -> None:
    """No recording may be there twice, under whatever name: bars would shrink, or a verdict mean nothing.

    >>> once([], [])
    """
    for k, (name, recording) in enumerate(train):
        for other, earlier in train[:k]:
            if fitted_too(earlier, recording):
                key = "log.twice/samples" if name != other else "log.twice/name"
                raise UsageError(key, name=name, other=other, likely=likely)
        for other, judged in test:
            if fitted_too(recording, judged):
                raise UsageError("test.fitted/fit_run", other=other, used=used)


def written(done: Fitted) -> Path:
    """Write the run's folder, whole or not at all; its path."""
    settings = done.settings
    if settings.output is not None:
        return _write(done, Path(settings.output), settings.force)
    for _ in range(TRIES):
        target = numbered("runs", _file_name(done.robot.name))
        try:
            return _write(done, target, False)
        except ResourceError as error:
            if error.code != TAKEN:
                raise
    raise ResourceError("folder.taken/fit_run", where="runs")


def _write(done: Fitted, target: Path, replace: bool) -> Path:
    with writing(target, replace=replace) as folder:
        save_estimate(done.estimate, folder)
        if isinstance(done.estimate, Estimate) and done.verdict.may_be_used and done.estimate.has_masses:
            write_file(folder / IDENTIFIED, exported(done.estimate.robot, "URDF"))
        about = {
            formats.KEY: formats.RUN.stamp,
            "command": ["bifilar", *sys.argv[1:]],
            "settings": {"verb": done.verb, **asdict(done.settings)},
            "inputs": list(done.inputs),
            "versions": {"bifilar": __version__, "python": platform.python_version(), **_versions()},
            "seed": 0,
            **done.facts(target),
        }
        if not done.settings.no_page:
            _page(done, about).save(folder / PAGE)
        write_file(folder / RUN, (json.dumps(about, indent=2, allow_nan=False) + "\n").encode())
    return target


def read_as(settings: Settings, name: str, robot: Robot, tell: Tell = quiet) -> Recording:
    """A log, read as the settings of a run say."""
    if settings.lock:
        with suppress(BifilarError):  # a description that is gone: the one that was stored has the other joints
            robot = robot_of(settings.robot)  # columns that number joints count those that are held as well
    return without_held(read_whole(settings, name, robot, tell), settings.lock)


def read_whole(settings: Settings, name: str, robot: Robot, tell: Tell = quiet) -> Recording:
    """A log with the columns of joints that are held."""
    tell(f"reading {name}")
    words = one_log(settings, name)
    if named(name) is not None:  # what is known about a public set stands in its entry
        words = replace(words, mapping=None, sign=(), unit=(), rename=(), rate=None, by_position=False)
    with _way_out(name):
        recording = log_of(words).read(robot, settings.lock)
    if recording.torque is None:
        raise RecordingError("torque.missing/fit_run", where=name, name=name)
    return recording


def checked(
    name: str,
    recording: Recording,
    robot: Robot,
    tell: Tell = quiet,
    *,
    current: bool = False,
    without: Collection[str] = frozenset(),
) -> Findings:
    """What is wrong with a log, but for codes that do not matter here; `current`: its torque is one, of gains not known yet."""
    tell(f"checking {name}")
    with _way_out(name):
        found = check(recording, robot, current=current)
    return Findings(finding for finding in found if finding.code not in without)


@contextmanager
def _way_out(name: str) -> Iterator[None]:
    """Letters that say no way out are given one."""
    try:
        yield
    except BifilarError as error:
        if not error.remedy:
            error.remedy = f"'bifilar check {name}' shows what is in it"
        raise


def refuse(findings: Sequence[tuple[str, Findings]], remedy: str = "{remedy}; --anyway fits it as it is") -> None:
    """Errors of a log are told before anything is done with it: a fit would hide them, a verdict would blame the robot.

    >>> refuse([])
    """
    for name, found in findings:
        errors = [finding for finding in found if finding.severity == "error"]
        if errors:
            more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
            raise RecordingError(
                "log.refused/fit_run",
                where=name,
                place=errors[0].where,
                thing=errors[0].what,
                more=more,
                likely=getattr(errors[0], "likely", ""),
                remedy=remedy.format(remedy=errors[0].typed or f"bifilar check {name}", name=name),
                finding=errors[0].code,
            )


def parted(recordings: Sequence[Recording]) -> tuple[list[Recording], list[Recording]]:
    """The first part of every recording to fit, the last to judge.

    >>> [len(part[0]) for part in parted([bf.Recording(joint_names=(), time=np.arange(10.0))])]
    [7, 3]
    """
    borders = [float(r.time[0] + (1 - KEPT) * (r.time[-1] - r.time[0])) for r in recordings]
    pairs = list(zip(recordings, borders))
    return [r.part(None, border) for r, border in pairs], [r.part(border, None) for r, border in pairs]


def _estimate(settings: Settings, robot: Robot, recordings: list[Recording]) -> BaseEstimate:
    from bifilar.estimate.asked_friction import ready

    recipe = recipe_with(settings, settings.cutoff)
    method = chosen(settings.method).as_typed(asdict(settings))
    if settings.friction in (CHOOSE, USUAL):
        friction = CHOOSE if settings.friction == CHOOSE else usual_of(robot)
        return method.fit(robot, recordings, friction=friction, recipe=recipe)  # type: ignore[no-any-return]
    asked = ready(robot, recordings, asked_for(settings.friction, robot), recipe)
    estimate: BaseEstimate = method.fit(robot, asked.sources, friction=asked.friction, recipe=recipe)
    return (
        estimate
        if asked.choice is None
        else replace(
            estimate,
            notes=(asked.choice.sentence(), *estimate.notes),
            tables={**estimate.tables, "friction": asked.choice},
        )
    )


def _page(done: Fitted, about: dict[str, Any]) -> Any:
    from bifilar.cli.report_run import page_of, run_of

    tests = done.tests or done.logs  # without logs to judge on, these are the ends of those that were fitted
    return page_of(run_of(about, done.estimate, list(zip(done.logs, done.train)), list(zip(tests, done.test))))


def _versions() -> dict[str, str]:
    found = {}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = ""
    return found


def _file_name(name: str) -> str:
    """A robot's name as a folder may be called."""
    kept = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:40]
    return kept or "robot"
