"""What a report is about: an estimate, its verdict, the recordings it was fitted to and judged on, and how it came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.score import predicted
from bifilar.estimate.sources import Data, equations_of
from bifilar.export.carried_error import FileVerdict
from bifilar.recording.samples import Samples
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.validate.verdict import REPEATED, Verdict


@dataclass(frozen=True, eq=False)
class Signals:
    """One recording as the fit saw it: rows of motion, and of torque measured, by the description, and identified.

    >>> robot = bf.Robot.load("pendulum")
    >>> data = *np.random.default_rng(0).normal(size=(3, 200, 1)), np.ones((200, 1))
    >>> signals_of(data, bf.LeastSquares().fit(robot, data), "swing").error.shape
    (200, 1)
    """

    name: str
    time: Array  # (rows,) [s] from the first row
    position: Array  # (rows, joints)
    velocity: Array
    acceleration: Array
    torque: Array  # measured, filtered as the fit filters it
    described: Array
    identified: Array
    starts: tuple[int, ...] = (0,)  # first rows of uninterrupted stretches

    @property
    def error(self) -> Array:
        """Measured minus identified torque."""
        return self.torque - self.identified


def signals_of(data: Data, estimate: BaseEstimate, name: str) -> Signals | None:
    """A recording as the fit saw it; None where the rows' motion is not known (a floating base).

    >>> robot = bf.Robot.load("pendulum")
    >>> data = *np.random.default_rng(0).normal(size=(3, 200, 1)), np.ones((200, 1))
    >>> signals_of(data, bf.LeastSquares().fit(robot, data), "swing").name
    'swing'
    """
    source = equations_of(data, estimate.described, estimate.recipe)
    if not all(hasattr(source, word) for word in ("position", "velocity", "acceleration", "torque")):
        return None
    motion = [np.asarray(getattr(source, word)) for word in ("position", "velocity", "acceleration", "torque")]
    if motion[3].shape != motion[0].shape:
        return None
    time = source.time - source.time[0] if isinstance(source, Samples) else np.arange(float(len(motion[0])))
    starts = tuple(part.start for part in source.segments) if isinstance(source, Samples) else (0,)
    described, identified = predicted(estimate.described, source), predicted(estimate.model, source)
    q, v, a, tau = motion
    return Signals(name, time, q, v, a, tau, described, identified, starts)


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """Everything a report tells.

    >>> [field for field in Run.__dataclass_fields__][:3]
    ['estimate', 'verdict', 'title']
    """

    estimate: BaseEstimate
    verdict: Verdict
    title: str = "An identified robot"
    robot: str = ""  # as it was named: a file, or a robot of the library
    train: Sequence[tuple[str, Data]] = ()  # names and recordings that were fitted
    test: Sequence[tuple[str, Data]] = ()  # that it was judged on
    judged_on: str = ""  # in words
    findings: Sequence[tuple[str, Sequence[Finding]]] = ()  # of the logs, by their names
    score: str = ""  # at a cut-off that was asked for, in words
    files: Sequence[FileVerdict] = ()  # of formats that may be handed over
    folder: str = ""  # of the run
    command: str = ""  # that made it
    lock: Sequence[str] = ()  # joints that were held
    read_with: Sequence[str] = ()  # words of the command that said how the logs are read, --lock among them
    inputs: Sequence[tuple[str, str]] = ()  # files that were read, and the hash of each
    versions: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str] = ()  # files that are gone or changed, so that nothing of them is drawn

    @property
    def described(self) -> Robot:
        """The robot as it was before."""
        return self.estimate.described

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Of the robot."""
        return self.described.joint_names

    @property
    def units(self) -> tuple[str, ...]:
        """Of the joints' torques."""
        return tuple("N" if name in self.described.sliding else "N m" for name in self.joint_names)

    @property
    def angles(self) -> tuple[str, ...]:
        """Units of the joints' positions."""
        return tuple("m" if name in self.described.sliding else "rad" for name in self.joint_names)

    @cached_property
    def fitted(self) -> tuple[Signals, ...]:
        """Recordings that were fitted, as the fit saw them."""
        return self._signals(self.train)

    @cached_property
    def judged(self) -> tuple[Signals, ...]:
        """Recordings that it was judged on, as a fit would see them."""
        return self._signals(self.test)

    @property
    def seen(self) -> tuple[Signals, ...]:
        """All of them."""
        return (*self.fitted, *self.judged)

    def _signals(self, recordings: Sequence[tuple[str, Data]]) -> tuple[Signals, ...]:
        found = [signals_of(data, self.estimate, name) for name, data in recordings]
        return tuple(one for one in found if one is not None and len(one.time))

    @property
    def model(self) -> Model:
        """What was identified."""
        return self.estimate.model

    @property
    def floor(self) -> Array:
        """Torque noise that the fit found, (joints,); nan where it found none."""
        noise = np.asarray(self.estimate.noise, dtype=float)[-len(self.joint_names) :]
        return np.where(np.isfinite(noise), noise, np.nan)


def repeats(verdict: Verdict) -> bool:
    """Whether a verdict is about the fitted motion once more.

    >>> repeats(bf.Verdict("good", ()))
    False
    """
    return verdict.validation is not None and verdict.validation.repeated > REPEATED


def judged_motion(run: Run) -> str:
    """What the motion that it was judged on is to the fit, in words.

    >>> judged_motion(Run(estimate=None, verdict=bf.Verdict("good", ())))
    'motion that was not fitted'
    """
    return "samples that were not fitted, of the motion that was" if repeats(run.verdict) else "motion that was not fitted"


def owners(robot: Robot) -> dict[str, int]:
    """The place of the joint that moves each link, and of each joint itself, by name.

    >>> owners(bf.Robot.load("two_link"))["link2"]
    1
    """
    found = {joint.child: robot.joint_names.index(joint.name) for joint in robot.joints if joint.name in robot.joint_names}
    return found | {name: k for k, name in enumerate(robot.joint_names)}
