"""From the words of `bifilar benchmark-methods` to a study, and what `--json` says of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bifilar.cli.guard import UsageError
from bifilar.cli.output import console
from bifilar.estimate.method_study import MethodStudy, NoiseLevel, StudyResult, Trial, birdy_levels
from bifilar.estimate.methods import Maker, available_methods
from bifilar.estimate.study_arm import with_typical_friction
from bifilar.robot.base_parameters import base_parameters
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.benchmark_methods import Settings

ARMS = {"quick": "two_link", "birdy": "ur10e"}  # BIRDy's own arm, a TX40, is not built in
QUICK = (NoiseLevel("low", 1e-4, 0.05), NoiseLevel("standard", 1e-3, 0.05))
STARTS = {"quick": 4, "birdy": 25}


class Studied(NamedTuple):
    """A study and its result.

    >>> Studied._fields
    ('robot', 'study', 'methods', 'result')
    """

    robot: Robot
    study: MethodStudy
    methods: tuple[str, ...]
    result: StudyResult


def studied(settings: Settings) -> Studied:
    """Run what was asked for.

    >>> from bifilar.cli.benchmark_methods import Settings
    >>> words = {"robot": "pendulum", "methods": ("weighted",), "noise": ("1e-5:0.001",), "starts": 1, "duration": 3.0}
    >>> len(studied(Settings(**words)).result.trials)
    1
    """
    methods = chosen(settings.methods)
    robot = with_typical_friction(Robot.load(settings.robot or ARMS[settings.preset]), coulomb=settings.friction == "coulomb")
    preset = QUICK if settings.preset == "quick" else birdy_levels()
    repeats = settings.repeats
    if repeats is None:
        repeats = len(base_parameters(robot)) if settings.preset == "birdy" else 1
    starts = STARTS[settings.preset] if settings.starts is None else settings.starts
    if starts < 1 or repeats < 1:
        raise UsageError("usage.value/benchmark_methods_study")
    study = MethodStudy(
        robot=robot,
        levels=tuple(map(level, settings.noise)) or preset,
        starts=starts,
        repeats=repeats,
        wrong=0.15 if settings.wrong is None else settings.wrong,
        duration=10.0 if settings.duration is None else settings.duration,
        seed=settings.seed,
    )
    with watched(study.runs(methods)) as progress:
        return Studied(robot, study, tuple(methods), study.run(methods, progress=progress))


def chosen(words: tuple[str, ...]) -> dict[str, Maker]:
    """Methods with one of the words in their name; all without words.

    >>> list(chosen(("likelihood",)))
    ['maximum likelihood']
    """
    every = available_methods()
    found = {name: make for name, make in every.items() if not words or any(word.lower() in name.lower() for word in words)}
    for word in words:
        if not any(word.lower() in name.lower() for name in every):
            raise UsageError("method.unknown/benchmark_methods_study", methods=every, word=word)
    return found


def level(text: str) -> NoiseLevel:
    """A noise level from `1e-3:0.05`.

    >>> level("1e-3:0.05").torque
    0.05
    """
    first, colon, second = text.partition(":")
    try:
        position, torque = float(first), float(second)
    except ValueError:
        position = torque = np.nan
    if not colon or not (0 <= position < np.inf and 0 <= torque < np.inf):
        raise UsageError("usage.value/level", text=text)
    return NoiseLevel(text, position, torque)


def facts(done: Studied) -> dict[str, Any]:
    """What `--json` says: settings, one row per noise level and method, and every run.

    >>> from bifilar.cli.benchmark_methods import Settings
    >>> words = {"robot": "pendulum", "methods": ("weighted",), "noise": ("1e-5:0.001",), "starts": 1, "duration": 3.0}
    >>> sorted(facts(studied(Settings(**words))))
    ['counted', 'levels', 'names', 'robot', 'runs', 'study', 'summaries', 'truth']
    """
    study = done.study
    kept = ("starts", "repeats", "wrong", "duration", "rate", "bandwidth", "velocity_cutoff", "seed")
    return {
        "robot": done.robot.name,
        "study": {word: getattr(study, word) for word in kept},
        "levels": [each._asdict() for each in study.levels],
        "names": list(done.result.names),
        "truth": done.result.truth.tolist(),
        "counted": done.result.counted.tolist(),
        "summaries": [{**row._asdict(), "reasons": list(row.reasons)} for row in done.result.summaries()],
        "runs": [_run_facts(trial) for trial in done.result.trials],
    }


def _run_facts(trial: Trial) -> dict[str, Any]:
    words = {name: getattr(trial, name) for name in ("method", "noise", "start", "repeat", "status", "sentence", "seconds")}
    arrays = {
        name: None if x is None else x.tolist() for name, x in (("values", trial.values), ("deviations", trial.deviations))
    }
    return words | arrays | {"torque": trial.torque, "failed": trial.failed}


@contextmanager
def watched(total: int) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr where a person is watching, None elsewhere.

    >>> with watched(3) as progress:
    ...     progress is None
    True
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress

    with Progress(console=console(sys.stderr), transient=True) as bar:
        task = bar.add_task(f"{total} fits", total=total)
        yield lambda done, of: bar.update(task, completed=done)
