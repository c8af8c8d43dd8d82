"""What `bifilar check` found out: the log, an overview of its channels, the findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar import __version__
from bifilar.cli.design_words import robot_of
from bifilar.cli.guard import UsageError
from bifilar.cli.held import locked_as, without_held
from bifilar.cli.log_words import Log, log_of
from bifilar.cli.public_sets import public_robot
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding
from bifilar.recording.channel import Channel
from bifilar.recording.check import check
from bifilar.recording.findings import Findings
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.check import Settings
    from bifilar.report.page import Page


@dataclass(frozen=True, eq=False)
class Checked:
    """A log that was checked.

    >>> time = np.arange(0, 4, 0.01)
    >>> swing = Recording(joint_names=("hip",), time=time, position=np.sin(time)[:, None])
    >>> done = Checked(Log("swing.csv", False, {}), swing, check(swing), None)
    >>> done.findings.codes
    ('missing',)
    """

    log: Log
    recording: Recording  # of a large log: an envelope of it, a few thousand samples
    findings: Findings
    robot: Robot | None
    samples: int = 0  # of a large log; 0: those of the recording
    step: float = 0.0  # [s] from one sample to the next, of a large log
    about: str = ""  # how it was checked, where that needs to be said
    steps: Array | None = None  # [s] of a large log: lowest and highest steps of the clock, as many as the envelope has samples

    @property
    def size(self) -> int:
        """Samples of the log.

        >>> Checked(Log("swing.csv", False, {}), [1, 2], Findings(), None).size
        2
        """
        return self.samples or len(self.recording)

    @property
    def rate(self) -> float:
        """Samples per second, nan if there are too few.

        >>> Checked(Log("", False, {}), Recording(joint_names=(), time=[0, 0.5]), Findings(), None).rate
        2.0
        """
        if self.samples:
            return 1 / self.step if self.step else np.nan
        return self.recording.rate if len(self.recording) > 1 else np.nan

    def facts(self, files: Sequence[Path] = ()) -> dict[str, Any]:
        """What `--json` says.

        >>> Checked(Log("a.csv", False, {}), Recording(joint_names=(), time=[0, 0.5]), Findings(), None).facts()["samples"]
        2
        """
        recording = self.recording
        return {
            "bifilar": __version__,
            "log": self.log.name,
            "robot": "" if self.robot is None else self.robot.name,
            "samples": self.size,
            "used": int(recording.mask.sum()) if not self.samples else self.samples,
            "duration": recording.duration,
            "rate": float(self.rate),
            "clock": recording.clock,
            "joints": list(recording.joint_names),
            "channels": {name: channel_facts(channel) for name, channel in recording.channels.items()},
            "findings": [finding.data() for finding in self.findings],
            "worst": self.findings.worst,
            "files": [str(file) for file in files],
        }

    def page(self) -> Page:
        """The page with every channel drawn."""
        from bifilar.report.recording_page import recording_page

        counts = {kind: sum(f.severity == kind for f in self.findings) for kind in ("error", "warning", "note")}
        facts = [
            (f"{self.size:,}", "samples", ""),
            (f"{self.recording.duration:.4g} s", "long" if not np.isfinite(self.rate) else f"at {self.rate:.4g} Hz", ""),
            (self.recording.clock, "clock", "" if self.recording.clock == "recorded" else "bad"),
            *((f"{n}", f"{kind}{'' if n == 1 else 's'}", "bad" if n and kind == "error" else "") for kind, n in counts.items()),
            _verdict(counts),
        ]
        robot = f" beside the description of {self.robot.name}" if self.robot is not None else ", without a robot"
        lead = f"The log {Path(self.log.name).name}{robot}. {self.about}".strip()
        title = Path(self.log.name).name
        foot = f"Made by bifilar {__version__}."
        return recording_page(self.recording, self.findings, title=title, lead=lead, facts=facts, foot=foot, steps=self.steps)


def _verdict(counts: dict[str, int]) -> tuple[str, str, str]:
    if counts["error"]:
        return "not to be trusted", "as it is", "bad"
    return ("good", "as it is", "good") if not counts["warning"] else ("usable", "mind the warnings", "")


def checked(settings: Settings) -> Checked:
    """Read and check the log; a large one in pieces."""
    log = log_of(settings)
    robot = _robot(settings, log)
    if log.large():
        from bifilar.cli.check_stream import streamed

        return streamed(log, robot if robot is None else locked_as(robot, settings.lock))
    recording = log.read(robot, settings.lock)
    if robot is not None and settings.lock:
        robot = locked_as(robot, settings.lock, [(log.name, recording)])
        recording = without_held(recording, settings.lock)
    return Checked(log, recording, _with_traps(log, check(recording, robot)), robot, about=log.about())


def _robot(settings: Settings, log: Log) -> Robot | None:
    if settings.robot is not None:
        robot = robot_of(settings.robot)
        locked_as(robot, settings.lock)  # words that make no sense are told before the log is read
        return robot
    if settings.lock:
        raise UsageError("usage.no_robot")
    return None if log.public is None else public_robot(f"{log.public.set}:robot")


def _with_traps(log: Log, findings: Findings) -> Findings:
    """What is known about a public set, as notes."""
    if log.public is None:
        return findings
    from bifilar.recording import datasets

    known = datasets.describe(log.public.set)
    return findings + tuple(Finding("known", "note", known.name, thing=note) for note in known.notes)


def channel_facts(channel: Channel) -> dict[str, Any]:
    """A channel in numbers.

    >>> channel_facts(Channel([[1.0], [2.0]], ("hip",), units="rad"))["highest"]
    {'hip': 2.0}
    """
    values = channel.values
    some = np.isfinite(values).any(axis=0)
    low, high = (
        np.where(some, limit(np.where(np.isfinite(values), values, other), axis=0, initial=other), np.nan)
        for limit, other in ((np.min, np.inf), (np.max, -np.inf))
    )
    return {
        "columns": list(channel.columns),
        "units": list(channel.units),
        "stated_unit": channel.stated_unit,
        "origin": channel.origin,
        "clock": channel.clock,
        "frame": channel.frame,
        "delay": channel.delay,
        "lowest": dict(zip(channel.columns, low.tolist())),
        "highest": dict(zip(channel.columns, high.tolist())),
        "missing": {c: int(n) for c, n in zip(channel.columns, (~np.isfinite(values)).sum(axis=0)) if n},
    }
