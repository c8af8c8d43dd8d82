"""The certificate: what a motion was proven to keep, for which robot, in which files (`certify` does the proving).

Hashes bind the statement to the robot, its limits, the motion and the files that hold it; a file is executable only if a
certificate covers it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path as FilePath
from typing import Any, Self

import numpy as np

from bifilar.errors import FormatError, MotionError, unreadable
from bifilar.experiment.files import COMMANDED, load_motion
from bifilar.experiment.fingerprint import digest, limits_hash, plain, robot_hash
from bifilar.experiment.fourier import Fourier
from bifilar.formats import CERTIFICATE
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import write_file

CLOSE = 1e-6  # how far samples in a file may be from the series they stand for (files of others round)


@dataclass(frozen=True)
class Margin:
    """Room that is proven to be left, in the unit of the limit.

    >>> Margin("velocity of joint1", 0.1, 2.0, "rad/s").room
    0.1
    """

    name: str
    room: float
    limit: float
    unit: str


@dataclass(frozen=True)
class Run:
    """One speed of the motion: its series and their hash, its margins, and the file that holds it.

    >>> robot = bf.Robot.load("two_link")
    >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).runs[0].speed
    1.0
    """

    speed: float  # share of the full speed
    series: dict[str, Any]  # joint_names, base_frequency, harmonics, periods, coefficients, offset
    series_hash: str
    margins: tuple[Margin, ...]
    instants: int  # at which the second opinion was asked
    disagreement: float  # its largest difference, in the walls' scales
    file: str = ""
    sha256: str = ""

    @property
    def motion(self) -> Fourier:
        """The motion itself.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).runs[0].motion.duration
        5.0
        """
        return Fourier(**self.series)


@dataclass(frozen=True, repr=False)
class Certificate:
    """What holds, for whom. `Certificate.load(file).covers(robot, "excite.csv")` says nothing, or writes a letter.

    >>> robot = bf.Robot.load("two_link")
    >>> certificate = bf.certify(robot, bf.design(robot, duration=5.0).motion)
    >>> certificate.robot == bf.certify(robot, certificate.runs[0].motion).robot
    True
    """

    robot: str  # hash of kinematics, inertias, friction
    limits: str  # hash of joint limits and constraints
    constraints: tuple[dict[str, Any], ...]
    runs: tuple[Run, ...]
    second_opinion: str  # who checked again
    not_checked: tuple[str, ...] = ()  # limits that the robot does not state, or that were not to be kept
    format: str = CERTIFICATE.stamp

    def __repr__(self) -> str:
        speeds = ", ".join(f"{100 * run.speed:g} %" for run in self.runs)
        open_ = f", not checked: {', '.join(self.not_checked)}" if self.not_checked else ""
        return f"Certificate({speeds} speed, {len(self.runs[-1].margins)} limits{open_})"

    def run(self, speed: float = 1.0) -> Run:
        """The run at a speed.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).run().speed
        1.0
        """
        for run in self.runs:
            if run.speed == speed:
                return run
        raise MotionError("certificate.no_run", speeds=", ".join(f"{run.speed:g}" for run in self.runs), speed=speed)

    def with_files(self, files: dict[float, str | os.PathLike[str]]) -> Certificate:
        """Bound to files that hold the runs, by their bytes; speed -> path.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).with_files({}).runs[0].file
        ''
        """
        bound = {speed: FilePath(file) for speed, file in files.items()}
        for speed, file in bound.items():
            _holds(file, self.run(speed))
        runs = [
            replace(run, file=bound[run.speed].name, sha256=_bytes_hash(bound[run.speed])) if run.speed in bound else run
            for run in self.runs
        ]
        return replace(self, runs=tuple(runs))

    def with_runs_of(self, path: str | os.PathLike[str]) -> Certificate:
        """With the runs of other files that an earlier certificate at `path` holds, if it is of the same robot and limits.

        >>> robot = bf.Robot.load("two_link")
        >>> len(bf.certify(robot, bf.design(robot, duration=5.0).motion).with_runs_of("nowhere.json").runs)
        1
        """
        try:
            earlier = Certificate.load(path)
        except (MotionError, FormatError):
            return self
        mine = {run.file for run in self.runs}
        same = (earlier.robot, earlier.limits) == (self.robot, self.limits)
        kept = [
            run
            for run in earlier.runs
            if same and run.file and run.file not in mine and run.series in [r.series for r in self.runs]
        ]
        return replace(self, runs=(*self.runs, *kept))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON.

        >>> import pathlib, tempfile
        >>> robot, file = bf.Robot.load("two_link"), pathlib.Path(tempfile.mkdtemp(), "move.certificate.json")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).save(file)
        >>> bf.Certificate.load(file).runs[0].speed
        1.0
        """
        content = asdict(self)
        text = json.dumps(content | {"digest": digest(content)}, indent=1, default=plain)
        write_file(path, (text + "\n").encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read one that was saved.

        >>> bf.Certificate.load("nowhere.json")
        Traceback (most recent call last):
        bifilar.errors.MotionError: the certificate cannot be read: ...
        """
        try:
            data = json.loads(FilePath(path).read_text(encoding="utf-8"))
            if not isinstance(data, dict):
                raise ValueError("it is none")
            CERTIFICATE.check(data, os.fspath(path))
            if data.pop("digest", "") != digest(data):
                raise ValueError("it was changed after it was written")
            runs = tuple(Run(**run | {"margins": tuple(Margin(**m) for m in run["margins"])}) for run in data.pop("runs"))
            lists: dict[str, Any] = {name: tuple(data.pop(name)) for name in ("constraints", "not_checked")}
            return cls(runs=runs, **lists, **data)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or error
            raise MotionError("certificate.unreadable", where=os.fspath(path), reason=reason) from None

    def covers(self, robot: Robot, file: str | os.PathLike[str]) -> Run:
        """The run that a file holds, if file, robot and limits are still those that were certified; else a letter.

        >>> robot = bf.Robot.load("two_link")
        >>> bf.certify(robot, bf.design(robot, duration=5.0).motion).covers(robot, "other.csv")
        Traceback (most recent call last):
        bifilar.errors.MotionError: the certificate does not cover other.csv
        ...
        """
        where, name = os.fspath(file), FilePath(file).name
        run = next((run for run in self.runs if run.file == name), None)
        if run is None:
            files = ", ".join(run.file for run in self.runs if run.file) or "none"
            raise MotionError("certificate.not_covered", where=where, files=files, name=name)
        if run.series_hash != digest(run.series) or any(not margin.room >= 0 for margin in run.margins):
            raise MotionError("certificate.contradicts", where=where, name=name)
        if _bytes_hash(FilePath(file)) != run.sha256:
            raise MotionError("certificate.changed", where=where, name=name)
        if robot_hash(robot) != self.robot:
            raise MotionError("certificate.other_robot", where=where, name=name)
        if limits_hash(robot, self.constraints) != self.limits:
            raise MotionError("certificate.other_limits", where=where, name=name)
        return run


def certificate_of(file: str | os.PathLike[str]) -> Certificate | None:
    """The certificate beside a file that names it, or None.

    >>> certificate_of("nowhere/move.csv") is None
    True
    """
    path = FilePath(file)
    stem = path.stem
    for candidate in (stem, stem.rpartition("_")[0]):
        beside = path.with_name(f"{candidate}.certificate.json")
        if candidate and beside.exists():
            certificate = Certificate.load(beside)
            if any(run.file == path.name for run in certificate.runs):
                return certificate
    return None


def _bytes_hash(file: FilePath) -> str:
    try:
        return sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise unreadable(MotionError, "file", error, os.fspath(file)) from None


def _holds(file: FilePath, run: Run) -> None:
    """Refuse a file whose samples are not those of the run; a trajectory for ROS is written by ourselves and not read back."""
    if file.suffix in COMMANDED:
        return
    read, motion = load_motion(file, joint_names=run.series["joint_names"]), run.motion
    ours = motion.at(read.time)
    if (
        abs(read.time[0]) > CLOSE
        or abs(read.time[-1] - motion.duration) > 0.5
        or not np.allclose(read.position, ours.position, atol=CLOSE)
    ):
        raise MotionError("certificate.other_motion", where=os.fspath(file), name=file.name)
