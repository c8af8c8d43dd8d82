"""A study of methods: every one on the same recordings of a virtual arm, over noise levels, starts and repeats.

The machine is known, so errors are: its base parameters theta against each fit's. Of those values that act
(each at least a thousandth of the torque along the other motion, below):

    error     mean over runs and parameters of |fitted - theta| / |theta|
    bias      mean over parameters of |mean over runs - theta| / |theta|
    spread    mean over parameters of the standard deviation over runs / |theta|
    torque    |torque of the fit - torque| / |torque| along another motion without noise: what hardly acts counts little
    coverage  share of 95 % intervals that hold the truth

A start is a description that is wrong by some share (masses, centres, inertias, friction), as a user would have it: iterative
methods begin there, consistent ones stay near it. Nothing is dropped: a run whose status is not ok counts as a failure and its
values stay in the figures; only a run that raised has no values, and it counts as a failure too.

`birdy_levels` are the noise levels of the benchmark BIRDy (Leboutet, Roux, Janot, Guadarrama-Olvera, Cheng 2021), which has 25
starts with a deviation of 0.15, as many repeats as there are base parameters, and motions of 10 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError
from bifilar.estimate.methods import Case, Maker, available_methods
from bifilar.estimate.study_arm import exciting, mistaken
from bifilar.robot.base_parameters import BaseParameters, base_parameters
from bifilar.robot.robot import Robot
from bifilar.simulate.sensors import Sensors
from bifilar.simulate.virtual_robot import VirtualRobot

ACTS = 1e-3  # of the torque: a value that makes less of it is not counted


class NoiseLevel(NamedTuple):
    """White noise of the readings.

    >>> NoiseLevel("standard", 1e-3, 0.05).position
    0.001
    """

    name: str
    position: float  # [rad] or [m] standard deviation; the loop reads it too
    torque: float  # [N m] or [N]


def birdy_levels() -> tuple[NoiseLevel, ...]:
    """The five noise levels of BIRDy; its positions are in degrees.

    >>> [level.name for level in birdy_levels()][1]
    'standard'
    """
    degree = np.pi / 180
    return (
        NoiseLevel("low position", 1e-4 * degree, 0.05),
        NoiseLevel("standard", 1e-3 * degree, 0.05),
        NoiseLevel("high torque", 1e-3 * degree, 0.10),
        NoiseLevel("high position", 1e-2 * degree, 0.05),
        NoiseLevel("high both", 1e-2 * degree, 0.10),
    )


@dataclass(frozen=True, eq=False)
class Trial:
    """One method on one recording from one start.

    >>> Trial("least squares", "standard", 0, 0, None, None, "raised", "no samples", 0.1, np.nan).failed
    True
    """

    method: str
    noise: str
    start: int
    repeat: int
    values: Array | None  # base parameters; None: it raised
    deviations: Array | None
    status: str  # code of the estimate's status, or "raised"
    sentence: str
    seconds: float
    torque: float  # relative error along the other motion
    reach: Array | None = None  # half the width of 95 % intervals; None: 1.96 deviations

    @property
    def failed(self) -> bool:
        """Whether the method itself, or an error, says that the result is not to be used as it is.

        >>> Trial("least squares", "standard", 0, 0, np.ones(1), np.ones(1), "ok", "", 0.1, 0.01).failed
        False
        """
        return self.status != "ok" or self.values is None or not np.isfinite(self.values).all()


class Summary(NamedTuple):
    """All runs of one method at one noise level; errors are shares, times are medians.

    >>> Summary("least squares", "standard", 4, 0, *[0.1] * 5, 0.2, ()).runs
    4
    """

    method: str
    noise: str
    runs: int
    failures: int
    error: float
    bias: float
    spread: float
    torque: float
    coverage: float
    seconds: float
    reasons: tuple[str, ...]  # of the failures, each once


@dataclass(frozen=True, eq=False)
class StudyResult:
    """Every run, and what they come to.

    >>> StudyResult(("a",), np.ones(1), np.ones(1, bool), ()).summaries()
    ()
    """

    names: tuple[str, ...]
    truth: Array
    counted: NDArray[np.bool_]  # which values act
    trials: tuple[Trial, ...]

    def summaries(self) -> tuple[Summary, ...]:
        """One row for every noise level and method, in the order they were run.

        >>> trial = Trial("least squares", "standard", 0, 0, np.full(1, 1.1), np.ones(1), "ok", "", 0.1, 0.05)
        >>> round(StudyResult(("a",), np.ones(1), np.ones(1, bool), (trial,)).summaries()[0].error, 9)
        0.1
        """
        groups: dict[tuple[str, str], list[Trial]] = {}
        for trial in self.trials:
            groups.setdefault((trial.noise, trial.method), []).append(trial)
        return tuple(self._summary(noise, method, group) for (noise, method), group in groups.items())

    def _summary(self, noise: str, method: str, group: list[Trial]) -> Summary:
        real = self.counted
        size = np.abs(self.truth[real])
        given = [trial for trial in group if trial.values is not None and trial.deviations is not None]
        figures: tuple[float, float, float, float, float] = (np.nan,) * 5
        if given:
            off = np.array([trial.values[real] - self.truth[real] for trial in given])  # type: ignore[index]
            bars = np.array([_reach(trial)[real] for trial in given])
            figures = (
                float(np.mean(np.abs(off) / size)),
                float(np.mean(np.abs(off.mean(axis=0)) / size)),
                float(np.mean(off.std(axis=0) / size)),
                float(np.mean([trial.torque for trial in given])),
                float(np.mean(np.abs(off) <= bars)),
            )
        failures = [trial for trial in group if trial.failed]
        reasons = tuple(dict.fromkeys(f"{trial.status}: {trial.sentence}" for trial in failures))
        seconds = float(np.median([trial.seconds for trial in group]))
        return Summary(method, noise, len(group), len(failures), *figures, seconds, reasons)


@dataclass(frozen=True, kw_only=True, eq=False)
class MethodStudy:
    """What is played, how noisy, and from where the methods start.

    >>> study = MethodStudy(robot=bf.Robot.load("pendulum"), levels=(NoiseLevel("little", 1e-5, 1e-3),), duration=3.0)
    >>> result = study.run({"least squares": lambda case: bf.LeastSquares()})
    >>> [(row.runs, row.failures, row.error < 0.05) for row in result.summaries()]
    [(1, 0, True)]
    """

    robot: Robot  # the machine, with friction and its values
    levels: tuple[NoiseLevel, ...]
    starts: int = 1  # descriptions that are wrong in another way each
    repeats: int = 1  # recordings for each start
    wrong: float = 0.15  # relative deviation of a start's numbers
    duration: float = 10.0  # [s] of the motion
    rate: float = 1000.0  # [Hz] of loop and recording
    bandwidth: float = 20.0  # [rad/s] of the loop, which reads the noisy positions
    velocity_cutoff: float = 100.0  # [rad/s] of its velocities; more, and noise drives the motors to their limits
    seed: int = 0  # of motion, starts and noise

    def runs(self, methods: Mapping[str, Maker] | None = None) -> int:
        """How many fits there will be.

        >>> MethodStudy(robot=bf.Robot.load("pendulum"), levels=birdy_levels(), starts=3).runs({"one": None})
        15
        """
        count = len(available_methods() if methods is None else methods)
        return count * len(self.levels) * self.starts * self.repeats

    def run(
        self, methods: Mapping[str, Maker] | None = None, *, progress: Callable[[int, int], None] | None = None
    ) -> StudyResult:
        """All methods (left out: every one there is) on all recordings; `progress(done, of)` is called after every fit.

        >>> list(MethodStudy.run.__annotations__)
        ['methods', 'progress', 'return']
        """
        chosen = available_methods() if methods is None else methods
        base = base_parameters(self.robot)
        truth = base.from_full(self.robot.parameters())
        judge = self._judge(base)
        trials = []
        for trial in self._trials(chosen, judge):
            trials.append(trial)
            if progress is not None:
                progress(len(trials), self.runs(chosen))
        return StudyResult(base.independent, truth, judge.acting(truth), tuple(trials))

    def _judge(self, base: BaseParameters) -> _Judge:
        other = exciting(self.robot, duration=min(self.duration, 5.0), rate=100.0, seed=self.seed + 1)
        states = other.position, other.velocity, other.acceleration
        return _Judge(self.robot, base, states, self.robot.inverse_dynamics(*states))

    def _trials(self, methods: Mapping[str, Maker], judge: _Judge) -> Iterator[Trial]:
        swing = exciting(self.robot, duration=self.duration, rate=self.rate, seed=self.seed)
        loop: dict[str, float] = {"bandwidth": self.bandwidth, "velocity_cutoff": self.velocity_cutoff}
        machine = VirtualRobot(self.robot, feedback="measured", **loop)  # type: ignore[arg-type]
        for level in self.levels:
            sensors = Sensors(position_noise=level.position, torque_noise=level.torque, velocity=False)
            for start in range(self.starts):
                described = mistaken(self.robot, self.wrong, seed=self.seed + start) if self.wrong else self.robot
                for repeat in range(self.repeats):
                    seed = self.seed + start * self.repeats + repeat
                    recording = machine.play(swing.played, rate=self.rate, control_rate=self.rate, seed=seed, sensors=sensors)
                    case = Case(described, recording, machine, swing.played)
                    for name, make in methods.items():
                        yield judge.trial(name, make, case, (level.name, start, repeat))


class _Judge(NamedTuple):
    """What fits are compared with."""

    robot: Robot
    base: BaseParameters
    states: tuple[Array, Array, Array]
    torque: Array

    def trial(self, name: str, make: Maker, case: Case, place: tuple[str, int, int]) -> Trial:
        begun = perf_counter()
        try:
            estimate = make(case).fit(case.described, case.recording, friction=case.described.friction, base=self.base)
        except (BifilarError, ArithmeticError, np.linalg.LinAlgError) as error:
            what = str(getattr(error, "what", error))
            return Trial(name, *place, None, None, "raised", what, perf_counter() - begun, np.nan)
        seconds = perf_counter() - begun
        values = np.array(estimate.values)
        status, sentence = estimate.status.code, estimate.status.sentence
        low, high = estimate.interval()
        bars = np.array(estimate.deviations)
        return Trial(name, *place, values, bars, status, sentence, seconds, self._error(values), 0.5 * (high - low))

    def acting(self, truth: Array) -> NDArray[np.bool_]:
        """Which values make a share of the torque worth counting."""
        columns = self.base.regressor(self.robot.regressor(*self.states)).reshape(-1, len(truth))
        return np.linalg.norm(columns, axis=0) * np.abs(truth) >= ACTS * np.linalg.norm(self.torque)

    def _error(self, values: Array) -> float:
        if not np.isfinite(values).all():
            return float("nan")
        off = self.base.model(self.robot, values).inverse_dynamics(*self.states) - self.torque
        return float(np.linalg.norm(off) / np.linalg.norm(self.torque))


def _reach(trial: Trial) -> Array:
    """Half the width of a trial's 95 % intervals."""
    return trial.reach if trial.reach is not None else 1.96 * np.asarray(trial.deviations)
