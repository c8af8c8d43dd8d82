"""What a file by itself leaves unexplained: a format that cannot state a torque offset predicts without it.

The error of an identified robot is that of all its terms. Its URDF holds bodies, viscous friction, and Coulomb friction with a
hard sign; whoever uses that file has the error of these alone, which may be as large as the description's. So it is measured
on the same motion. MuJoCo's dry friction is a constraint; where a joint moves it is the hard sign, and is counted as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bifilar.estimate.estimate import Estimate
from bifilar.estimate.score import predicted
from bifilar.estimate.sources import Data, equations_of
from bifilar.export.carried_friction import as_stated, carried_columns, smooth_widths
from bifilar.export.formats import CODE, Format
from bifilar.robot.robot import Robot
from bifilar.validate.verdict import LEVELS, Level, Thresholds, Verdict, worst

FORMATS: tuple[Format, ...] = ("URDF", "MJCF", "SDF")
NOTABLE = 1.1  # times the error of the whole model, from which on it is worth a sentence


def carried_errors(estimate: Estimate, recordings: Sequence[Data]) -> dict[str, float]:
    """|torque - predicted| / |torque| on recordings, of what each format can state of the identified robot.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset(), {"joint1.offset": 5.0})
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 300, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> found = carried_errors(bf.fit(robot, data), [data])
    >>> sorted(found), found["URDF"] > 0.3
    (['MJCF', 'SDF', 'URDF'], True)
    """
    robot = estimate.robot
    sources = [equations_of(data, estimate.described, estimate.recipe) for data in recordings]
    torque = [np.concatenate([np.asarray(chunk.torque) for chunk in source.chunks(robot)]) for source in sources]
    size = float(np.sqrt(sum(np.sum(tau**2) for tau in torque))) or 1.0
    found = {}
    for format in FORMATS:
        alone = as_stated(robot, format)
        errors = [tau - predicted(alone, source) for tau, source in zip(torque, sources, strict=True)]
        found[str(format)] = float(np.sqrt(sum(np.sum(error**2) for error in errors))) / size
    return found


def left_behind(robot: Robot, format: Format) -> tuple[str, ...]:
    """Names of the friction and drive parameters that a format cannot state and that are not zero.

    >>> values = {"joint1.offset": 5.0, "joint1.viscous": 1.0}
    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset() + bf.Viscous(), values)
    >>> left_behind(robot, "URDF")
    ('joint1.offset',)
    """
    kept = set(carried_columns(robot, format))
    return tuple(name for k, name in enumerate(robot.drive_columns.names) if k not in kept and robot.drive_values[k])


@dataclass(frozen=True)
class FileVerdict:
    """The verdict of one format's file on the test motion: by what it can state, without what it cannot.

    >>> one = FileVerdict("URDF", "poor", 0.324, 0.041, ("torque offset",), ("C", "NumPy"))
    >>> print(one)
    URDF poor: NRMSE 32.4 % on test motion without torque offset, the whole model 4.1 %; C or NumPy carries it all
    """

    format: str
    level: Level
    relative_error: float
    whole: float  # relative error of the whole model
    without: tuple[str, ...]  # what it cannot state
    instead: tuple[str, ...]  # formats that state all of it

    @property
    def notable(self) -> bool:
        """Whether the file is notably worse than the model.

        >>> FileVerdict("URDF", "good", 0.041, 0.04, (), ()).notable
        False
        """
        return self.relative_error > NOTABLE * self.whole

    def __str__(self) -> str:
        without = f" without {', '.join(self.without)}" if self.without else ""
        errors = f"NRMSE {100 * self.relative_error:.3g} % on test motion{without}, the whole model {100 * self.whole:.2g} %"
        instead = f"; {' or '.join(self.instead)} carries it all" if self.instead else ""
        return f"{self.format} {self.level}: {errors}{instead}"

    def facts(self) -> dict[str, Any]:
        """For programs.

        >>> FileVerdict("URDF", "good", 0.041, 0.04, (), ()).facts()["level"]
        'good'
        """
        return asdict(self)

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> FileVerdict:
        """What a run's folder remembers.

        >>> FileVerdict.from_facts(FileVerdict("URDF", "good", 0.041, 0.04, ("load",), ()).facts()).without
        ('load',)
        """
        level: Level = next((word for word in LEVELS if word == facts["level"]), "not judged")
        errors = float(facts["relative_error"]), float(facts["whole"])
        return cls(str(facts["format"]), level, *errors, tuple(map(str, facts["without"])), tuple(map(str, facts["instead"])))


def file_verdicts(
    estimate: Estimate, verdict: Verdict, recordings: Sequence[Data], asked: Thresholds | None = None
) -> tuple[FileVerdict, ...]:
    """The verdict of every format that may lose something; none better than the whole model's.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset(), {"joint1.offset": 5.0})
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 300, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> estimate = bf.fit(robot, data)
    >>> [file.level for file in file_verdicts(estimate, bf.judge(estimate, bf.held_out(estimate, data)), [data])]
    ['poor', 'poor', 'poor']
    """
    seen, asked = verdict.validation, asked or Thresholds()
    if seen is None:
        return ()
    kinds = {format: kinds_left_behind(estimate.robot, format) for format in FORMATS}
    whole = (*(format for format in FORMATS if not kinds[format]), *CODE)
    found = []
    for format, error in carried_errors(estimate, recordings).items():
        level: Level = "good" if error <= asked.good else "usable" if error <= asked.usable else "poor"
        worse = error > max(seen.described, NOTABLE * seen.relative)  # the nominal model would do
        level = worst(worst(level, verdict.level), "poor" if worse else "good")
        instead = tuple(one for one in whole if one != format) if kinds[format] else ()  # type: ignore[index]
        found.append(FileVerdict(format, level, error, seen.relative, kinds[format], instead))  # type: ignore[index]
    return tuple(found)


def kinds_left_behind(robot: Robot, format: Format) -> tuple[str, ...]:
    """What a format cannot state of this robot, in words.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset(), {"joint1.offset": 5.0})
    >>> kinds_left_behind(robot, "MJCF")
    ('torque offset',)
    """
    names = set(left_behind(robot, format))
    columns = zip(robot.drive_columns.names, robot.drive_columns.columns.laws, strict=True)
    gone = dict.fromkeys(law.title for name, law in columns if name in names)
    return (*gone, *(["smooth sign of speed"] if smooth_widths(robot, format) else []))
