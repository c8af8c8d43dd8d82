"""Logs as the options of a command (`options`) describe them: refused, read, or read in pieces."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bifilar.cli.design_words import assigned
from bifilar.cli.guard import UsageError
from bifilar.cli.options import HowSettings, LogSettings, MotionSettings, MovingLog
from bifilar.cli.public_sets import Named, named
from bifilar.errors import RecordingError, near_names
from bifilar.readers import is_called
from bifilar.recording.declarations import scaled
from bifilar.recording.log_delay import LONGEST, seconds_of, without_delay
from bifilar.recording.plan_names import CountError
from bifilar.recording.recipes import Recipe, recipe_of
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

LARGE = 150 * 2**20  # [bytes] from which text is read in pieces


class Log(NamedTuple):
    """A log as the command line describes it: a file or a public set.

    >>> Log("kuka_lwr4:2", Named("kuka_lwr4", "2"), {}).about()
    ''
    """

    name: str
    public: Named | None
    words: dict[str, Any]  # for Recording.load
    log_delay: float | None = None  # [s] of a public set, whose entry says nothing about it
    gain: Mapping[str, float] = {}  # of a public set

    def large(self) -> bool:
        """Whether it is read in pieces.

        >>> Log("nowhere.csv", None, {}).large()
        False
        """
        return self.public is None and os.path.isfile(self.name) and os.stat(self.name).st_size > LARGE

    def read(self, robot: Robot | None, lock: Sequence[str] = ()) -> Recording:
        """The whole log. Columns that number joints count those in `lock` as well, or else all but those.

        >>> Log("nowhere.csv", None, {}).read(None)
        Traceback (most recent call last):
        ...
        bifilar.errors.RecordingError: ...
        """
        if self.public is None:
            try:
                return Recording.load(self.name, robot, **self.words)
            except CountError:
                if robot is None or not lock:
                    raise
            from bifilar.cli.held import locked_as

            return Recording.load(self.name, locked_as(robot, lock), **self.words)
        found = self.public.recording()
        if robot is not None and found.joint_names and not set(found.joint_names) & set(robot.joint_names):
            raise RecordingError("robot.other/log_words", name=self.name, name_2=robot.name, set=self.public.set)
        found = scaled(found, self.gain)
        return found if self.log_delay is None else without_delay(found, self.log_delay)

    def about(self) -> str:
        """Which of several runs is read, if nobody said it.

        >>> Log("kuka_lwr4", Named("kuka_lwr4", ""), {}).about()
        "Run '1', the first of 2: kuka_lwr4:2 names another."
        """
        if self.public is None or self.public.part:
            return ""
        from bifilar.recording import datasets

        runs = datasets.describe(self.public.set).runs
        return f"Run '{runs[0]}', the first of {len(runs)}: {self.public.set}:{runs[-1]} names another." if runs else ""

    def pieces(self, robot: Robot | None, rows: int = 65536) -> Iterator[Recording]:
        """The log in pieces.

        >>> next(Log("nowhere.csv", None, {}).pieces(None))
        Traceback (most recent call last):
        ...
        bifilar.errors.RecordingError: ...
        """
        return Recording.stream(self.name, robot, rows=rows, **self.words)


def log_of(settings: LogSettings) -> Log:
    """What is to be read; words that make no sense are refused before anything is read.

    >>> from bifilar.cli.check import Settings
    >>> log_of(Settings(log="run.csv", sign=("elbow=-1",), rate=100.0)).words
    {'sign': {'elbow': -1}, 'rate': 100.0}
    >>> log_of(LogSettings(log="arm.urdf"))
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: 'arm.urdf' is a robot's description, not a log
      try     name a recording there
    """
    if is_called("robot", settings.log):
        raise UsageError(
            "usage.exchanged/log_words" if hasattr(settings, "robot") else "usage.exchanged/log_of", log=settings.log
        )
    public = _public(settings.log)
    delay = delay_of(settings.log_delay)
    words: dict[str, Any] = {}
    if settings.sign:
        words["sign"] = dict(_sign(text) for text in settings.sign)
    if settings.unit:
        words["unit"] = dict(assigned("--unit", text, "position=deg") for text in settings.unit)
    if settings.rename:
        words["rename"] = dict(assigned("--rename", text, "axis_2=elbow") for text in settings.rename)
    gain = dict(_gain(text) for text in settings.gain)
    if gain and public is None:
        words["gain"] = gain
    if settings.rate is not None:
        if not 0 < settings.rate < float("inf"):
            raise UsageError("usage.value/log_words", rate=settings.rate)
        words["rate"] = settings.rate
    if settings.mapping is not None:
        words["mapping"] = settings.mapping
    if settings.by_position:
        words["by_position"] = True
    if public and words:
        raise UsageError("usage.not_for/log_words", log=settings.log, first=next(iter(words)).replace("_", "-"))
    if settings.run is not None:
        if public is not None:
            raise UsageError("usage.not_for/log_of", set=public.set, run=settings.run, log=settings.log)
        if settings.mapping is None:
            raise UsageError("usage.not_for/log_words_log_of")
        words["run"] = settings.run
    if public is None and delay is not None:
        words["log_delay"] = delay
    if public is None and getattr(settings, "kinematics", "auto") == "logged":
        words["ordered"] = False
    return Log(settings.log, public, words, delay, gain if public is not None else {})


def delay_of(given: float | Literal["auto"]) -> float | None:
    """The delay of the torque that was declared [s]; None: auto.

    >>> delay_of("auto"), delay_of(0.005)
    (None, 0.005)
    """
    if given == "auto":
        return None
    try:
        return seconds_of(given)
    except RecordingError:
        raise UsageError("usage.value/delay_of", given=given, longest=LONGEST) from None


def one_log(settings: HowSettings, name: str) -> LogSettings:
    """The options that say how logs are read, for one of them.

    >>> one_log(HowSettings(rate=100.0), "run.csv").rate
    100.0
    """
    kind: type[LogSettings] = MovingLog if isinstance(settings, MotionSettings) else LogSettings
    words = {field.name: getattr(settings, field.name) for field in fields(kind) if hasattr(settings, field.name)}
    return kind(**words | {"log": name, "run": None})


def recipe_with(settings: MotionSettings, cutoff: float | None = None) -> str | Recipe:
    """The recipe that a fit begins with: what is typed, the rest by default.

    >>> recipe_with(MotionSettings()), recipe_with(MotionSettings(kinematics="derived"), 8.0).cutoff
    ('default', 8.0)
    """
    changes: dict[str, Any] = {} if cutoff is None else {"cutoff": cutoff}
    changes |= {} if settings.kinematics == "auto" else {"kinematics": settings.kinematics}
    return recipe_of("default", **changes) if changes else "default"


def page_of(text: str) -> Path:
    """The page's file, which ends in .html.

    >>> page_of("run.html").name
    'run.html'
    """
    path = Path(text)
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError("usage.value/page_of", text=text, name=path.with_suffix(".html").name)
    return path


def mapping_of(text: str) -> Path:
    """The file that a mapping is written to, which ends in .toml.

    >>> mapping_of("run.toml").name
    'run.toml'
    """
    path = Path(text)
    if path.suffix.lower() != ".toml":
        raise UsageError("usage.value/mapping_of", text=text, name=path.with_suffix(".toml").name)
    return path


def keep_log(log: str, output: Path) -> None:
    """A log is never replaced, not even by --force: what was measured cannot be measured again.

    >>> keep_log("run.csv", Path("run.parquet"))
    """
    if output.exists() and os.path.exists(log) and output.samefile(log):
        raise UsageError("usage.value/keep_log", log=log)


def _sign(text: str) -> tuple[str, int]:
    joint, value = assigned("--sign", text, "elbow=-1")
    if value not in ("1", "+1", "-1"):
        raise UsageError("usage.value/sign", text=text)
    return joint, int(value)


def _gain(text: str) -> tuple[str, float]:
    joint, value = assigned("--gain", text, "elbow=13.6")
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < abs(number) < float("inf"):
        raise UsageError("usage.value/gain", text=text, value=value)
    return joint, number


def _public(name: str) -> Named | None:
    """A public set, where there is no such file; a misspelt one is told."""
    found = named(name)
    if found is not None or os.path.exists(name) or os.sep in name or "." in name:
        return found
    from bifilar.recording import datasets

    raise RecordingError(
        "log.unknown", name=name, near=near_names(name, datasets.names(), 1, 0.6), choices=sorted(datasets.names())
    )
