"""A log too large for the memory: looked through once, in pieces.

Of every stretch of time the lowest and highest sample of each column are kept (for the picture and the overview), the clock and
missing values are followed from the first sample to the last, and the full check is done on a few pieces spread over the log.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bifilar.cli.check_facts import Checked
from bifilar.cli.log_words import Log
from bifilar.cli.output import console
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place, RecordingError, Severity
from bifilar.recording.channel import Channel
from bifilar.recording.check import check
from bifilar.recording.findings import Findings
from bifilar.recording.plausible_rows import without_absurd
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

ROWS = 65536  # samples of a piece
STRETCHES = 2048  # kept for the picture; twice as many at times
PIECES = 6  # that are checked in full


@dataclass
class Envelope:
    """Lowest and highest values of stretches that double in length when there are too many.

    >>> kept = Envelope()
    >>> kept.add(np.arange(10.0)[:, None], 4)
    >>> len(kept.low), kept.high[-1]
    (3, array([9.]))
    """

    low: list[Array] = field(default_factory=list)
    high: list[Array] = field(default_factory=list)
    length: int = 0  # samples of a stretch

    def add(self, rows: Array, first_length: int) -> None:
        """More samples, (rows, columns).

        >>> Envelope().add(np.zeros((3, 1)), 2)
        """
        self.length = self.length or first_length
        starts = np.arange(0, len(rows), self.length)
        with np.errstate(invalid="ignore"):
            self.low += list(np.fmin.reduceat(rows, starts, axis=0))
            self.high += list(np.fmax.reduceat(rows, starts, axis=0))
        while len(self.low) > 2 * STRETCHES:
            last_low, last_high = (self.low[-1:], self.high[-1:]) if len(self.low) % 2 else ([], [])
            self.low = [np.fmin(a, b) for a, b in zip(self.low[::2], self.low[1::2])] + last_low
            self.high = [np.fmax(a, b) for a, b in zip(self.high[::2], self.high[1::2])] + last_high
            self.length *= 2

    def line(self) -> Array:
        """Lowest and highest in turn, (2 stretches, columns).

        >>> kept = Envelope()
        >>> kept.add(np.array([[1.0], [5.0]]), 2)
        >>> kept.line()
        array([[1.], [5.]])
        """
        return np.stack([np.array(self.low), np.array(self.high)], axis=1).reshape(2 * len(self.low), -1)


@dataclass
class Clock:
    """Stamps from the first to the last: how often they stand, go back or jump.

    >>> clock = Clock()
    >>> clock.add(np.array([0.0, 1.0, 2.0, 3.0])); clock.add(np.array([4.0, 30.0, 31.0, 30.5]))
    >>> [finding.code for finding in clock.findings()]
    ['back', 'gap']
    """

    step: float = 0.0  # usual, from the first piece [s]
    last: float = np.nan
    samples: int = 0
    counts: dict[str, int] = field(default_factory=lambda: {"back": 0, "duplicate": 0, "gap": 0, "nan_time": 0})
    places: dict[str, list[Place]] = field(default_factory=dict)
    longest: float = 0.0
    steps: Envelope = field(default_factory=Envelope)

    def add(self, time: Array) -> None:
        """The stamps of the next piece.

        >>> Clock().add(np.zeros(2))
        """
        steps = np.diff(time, prepend=self.last)
        self.samples += len(time)
        self.steps.add(steps[:, None], 64)
        positive = steps[steps > 0]
        self.step = self.step or (float(np.median(positive)) if len(positive) else 0.0)
        seen = {"back": steps < 0, "duplicate": steps == 0, "gap": steps > 5 * self.step, "nan_time": ~np.isfinite(time)}
        for kind, where in seen.items():
            found = np.flatnonzero(where)
            self.counts[kind] += len(found)
            kept = self.places.setdefault(kind, [])
            before = [time[k - 1] if k else self.last for k in found[: 40 - len(kept)]]
            kept += [Place("time", "", float(a), float(time[k])) for k, a in zip(found, before)]
        self.longest = max([self.longest, *steps[seen["gap"]]])
        known = time[np.isfinite(time)]
        self.last = float(known[-1]) if len(known) else self.last

    def findings(self) -> list[Finding]:
        """What is wrong with the clock of the whole log.

        >>> Clock().findings()
        []
        """
        few = 2 * self.counts["duplicate"] < self.samples
        kinds: dict[str, tuple[str, Severity]] = {
            "back": ("back/stream", "error"),
            "duplicate": ("duplicate/stream_few", "warning") if few else ("duplicate/stream", "error"),
            "gap": ("gap/stream", "warning"),
            "nan_time": ("nan_time/stream", "error"),
        }
        return [
            Finding(key, severity, "clock", count=self.counts[kind], longest=self.longest, at=tuple(self.places[kind]))
            for kind, (key, severity) in kinds.items()
            if self.counts[kind]
        ]


def streamed(log: Log, robot: Robot | None) -> Checked:
    """Look through a log once, in little memory.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "swing.csv")
    >>> time = np.arange(0, 4, 0.01)
    >>> Recording(joint_names=("hip",), time=time, position=np.sin(time)[:, None], torque=np.cos(time)[:, None]).save(file)
    >>> streamed(Log(str(file), False, {}), None).size
    400
    """
    first: Recording | None = None
    clock, envelopes, missing, samples = Clock(), dict[str, Envelope](), dict[str, Array](), 0
    notes: dict[tuple[str, str], Finding] = {}
    kept: list[tuple[int, Recording]] = []  # pieces for the full check, thinned as the log turns out longer
    every = 1
    for number, piece in enumerate(watched(log.pieces(robot, ROWS))):
        piece = without_absurd(piece)
        first = first or piece
        clock.add(piece.time[piece.mask | np.isfinite(piece.time)])
        samples += len(piece)
        envelopes.setdefault("", Envelope()).add(piece.time[:, None], 64)
        for name, channel in piece.channels.items():
            envelopes.setdefault(name, Envelope()).add(channel.values, 64)
            missing[name] = missing.get(name, 0) + (~np.isfinite(channel.values)).sum(axis=0)
        notes |= {(note.where, note.what): note for note in piece.notes}
        if number % every == 0:
            kept.append((number, replace(piece, notes=())))
        if len(kept) > PIECES:
            every *= 2
            kept = [(k, each) for k, each in kept if k % every == 0]
    if first is None:
        raise RecordingError("samples.none/check_stream", where=log.name)
    found = [*notes.values(), *clock.findings(), *_missing(first, missing, samples), *_of_pieces(kept, robot)]
    about = f"Read in pieces: {samples:,} samples. Clock and missing values were followed throughout, "
    about += f"all else was checked in {len(kept)} pieces of {ROWS:,}."
    drawn, steps = _drawn(first, envelopes), clock.steps.line()[:, 0]
    return Checked(log, drawn, Findings(found), robot, samples, clock.step, about, steps)


def watched(pieces: Iterator[Recording]) -> Iterator[Recording]:
    """The same pieces; a line on stderr counts the samples, where a person is watching.

    >>> [len(piece) for piece in watched(iter([Recording(joint_names=(), time=[0.0, 0.1])]))]
    [2]
    """
    if not sys.stderr.isatty():
        yield from pieces
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console(sys.stderr), transient=True) as line:
        task, samples = line.add_task("opening a large log"), 0
        for piece in pieces:
            samples += len(piece)
            line.update(task, description=f"{samples:,} samples read")
            yield piece


def _drawn(first: Recording, envelopes: dict[str, Envelope]) -> Recording:
    """The envelope as a recording of its own."""
    time = envelopes[""].line()[:, 0]
    channels: dict[str, Any] = {}
    for name, channel in first.channels.items():
        if channel.time is None:
            channels[name] = Channel(
                envelopes[name].line(), channel.columns, channel.units, channel.stated_unit, channel.origin, channel.clock,
                frame=channel.frame,
            )  # fmt: skip
    words = {"joint_names": first.joint_names, "sliding": first.sliding, "clock": first.clock, "name": first.name}
    return Recording(time=time, channels=channels, **words)  # type: ignore[arg-type]


def _missing(first: Recording, missing: dict[str, Array], samples: int) -> list[Finding]:
    found = []
    for name, counts in missing.items():
        for column, count in zip(first.channels[name].columns, counts):
            if count:
                severity: Severity = "error" if 2 * count > samples else "warning"
                found.append(Finding("nan/check_stream", severity, f"{name} of '{column}'", count=count, samples=samples))
    return found


def _of_pieces(kept: list[tuple[int, Recording]], robot: Robot | None) -> list[Finding]:
    """Findings of the full check, each told once with all its places; what concerns single pieces only is told as such."""
    clocks = {"gap", "back", "duplicate", "nan", "nan_time"}  # followed through the whole log already
    told: dict[tuple[str, str], list[Finding]] = {}
    for _, piece in kept:
        for finding in check(piece, robot):
            if isinstance(finding, Finding) and finding.code not in clocks:
                told.setdefault((finding.code, finding.where), []).append(finding)
    found = []
    for same in told.values():
        worst = min(same, key=lambda finding: ("error", "warning", "note").index(finding.severity))
        seen = f" (in {len(same)} of {len(kept)} pieces)" if len(kept) > 1 else ""
        at = tuple(place for finding in same for place in finding.at)[:40]
        found.append(worst.changed(what=worst.what + seen, at=at))
    return found
