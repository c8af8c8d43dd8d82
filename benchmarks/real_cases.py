"""Recordings of real robots, cut into what is fitted and what is predicted, and how the datasets say that errors are scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

import bifilar as bf
from bifilar.recording.recipes import Recipe

LOGGED = Recipe(method="recorded", filter_torque=False, filter_columns=False, decimate=False, edge=0.0, slow=0.0)
SHARE = 0.7  # of a single run is fitted
FAR = 3.0  # usual distances of periods from each other: what is farther is no period yet


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    name: str
    robot: bf.Robot
    folds: list[tuple[list[bf.Recording], list[bf.Recording]]]  # fitted, predicted
    bound: float | None  # what issue and datasets ask for
    cutoff: float | None  # [Hz] of the scored torque; None: as logged
    every: int | None = None  # samples per scored row
    slow: float | tuple[float, ...] = 0.0  # [rad/s] slower rows are not scored, nor fitted
    friction: bf.Friction = field(default_factory=lambda: bf.Viscous() + bf.Coulomb() + bf.Offset())
    rotors: bf.Friction | None = field(default_factory=lambda: bf.Friction((bf.RotorInertia(),)))  # tried in addition
    described: str = "description"  # "none": it holds no inertias
    gears: dict[str, int] | None = None  # turns of a motor per turn of its joint, where the datasets tell
    inner: tuple[float, ...] | str | None = None  # inner blocks: between these times, whole "runs", or (None) twenty stretches
    words: str = ""

    def scored(self, recording: bf.Recording) -> bf.Samples:
        """A recording as errors are scored: torque and prediction through the same filter."""
        return bf.prepare(recording, self.recipe(self.cutoff, every=self.every or False), robot=self.robot)

    def recipe(self, cutoff: float | None, every: int | bool = True) -> Recipe:
        """For a cut-off; none: as logged."""
        return LOGGED if cutoff is None else Recipe(cutoff=cutoff, slow=self.slow, decimate=every)

    @property
    def cutoffs(self) -> list[float | None]:
        """Of the fit, tried on inner blocks."""
        return [None, 10.0] if self.cutoff is None else [self.cutoff, self.cutoff / 2, 2 * self.cutoff]


def two_parts(recording: bf.Recording) -> list[tuple[list[bf.Recording], list[bf.Recording]]]:
    """Cut before anything is filtered."""
    border = recording.time[0] + SHARE * recording.duration
    return [([recording.part(None, border)], [recording.part(border)])]


def panda_gaz() -> Case:
    """Link-side torque of a Panda."""
    load, robot = bf.datasets.load("panda_gaz"), bf.datasets.robot("panda_gaz")
    return Case("panda_gaz", robot, two_parts(load), 0.0145, 8.0, words="first 70 % -> last 30 %")


def staubli_tx40() -> Case:
    """Motor torque of a TX40 whose sixth motor turns with joint 5: six blocks of the time it moves."""
    recording, robot = bf.datasets.load("staubli_tx40"), bf.datasets.robot("staubli_tx40")
    both = bf.Drivetrain(joints=("joint_5", "joint_6"), motors=("motor_6",), matrix=[[1, 1]])
    robot, slow = robot.with_drivetrain(both), tuple(bf.datasets.describe("staubli_tx40").scored["least_speed"])
    samples = bf.prepare(recording, Recipe(cutoff=50.0, slow=slow, decimate=100), robot=robot)
    moving = samples.time[samples.mask.any(axis=1)]
    edges = np.linspace(moving[0] - 0.07, moving[-1] + 0.07, 7)
    parts = [recording.part(a, b) for a, b in pairwise(edges)]
    folds = [
        ([recording.part(a, b) for a, b in ((edges[0], edges[k]), (edges[k + 1], edges[6])) if b > a], [parts[k]])
        for k in range(6)
    ]
    return Case(
        *("staubli_tx40", robot, folds, 0.048, 50.0, 100, slow, tx40_classic(robot.joint_names)),
        rotors=None,
        gears={"joint_1": 32, "joint_2": 32, "joint_3": 45, "joint_4": 48, "joint_5": 45, "motor_6": 32},
        inner=tuple(edges),
        words="six blocks in turn, every setting chosen in the other five",
    )


def tx40_classic(joints: tuple[str, ...], width: float = 0.0) -> bf.Friction:
    """The published model: friction and rotors of the joints, and of motor 6, which sees both joints of the wrist."""
    shafts = (*joints, "motor_6")
    return bf.Viscous(at=shafts) + bf.Coulomb(at=shafts, width=width) + bf.Offset(at=joints) + bf.RotorInertia(at=shafts)


def tiago() -> Case:
    """Motor currents of TIAGo's arm, times the published constants."""
    folds = two_parts(bf.datasets.load("tiago"))
    return Case("tiago", bf.datasets.robot("tiago"), folds, 0.074, 2.0, words="first 70 % -> last 30 %")


def kuka_lwr4() -> Case:
    """The same motion again. Run 1 goes through it twice itself, so inner blocks ask the same: a period from the other."""
    runs = [[bf.datasets.load("kuka_lwr4", run)] for run in "12"]
    folds, robot = [(runs[0], runs[1])], bf.datasets.robot("kuka_lwr4")
    return Case("kuka_lwr4", robot, folds, 0.021, 5.0, inner=periods(runs[0][0]), words="run 1 -> run 2")


def periods(recording: bf.Recording) -> tuple[float, ...]:
    """[s] where periods begin and end, from positions alone.

    The period is the delay, of a fifth to four fifths of the run, that changes the positions least. Before the first one lies
    the way to it, where positions are still far from those of a period later.
    """
    rate = 1.0 / np.median(np.diff(recording.time))
    even = np.arange(recording.time[0], recording.time[-1], 1.0 / rate)
    position = np.column_stack([np.interp(even, recording.time, column) for column in recording.position.T])
    lags = range(len(even) // 5, 4 * len(even) // 5)
    changes = [np.median(np.linalg.norm(position[lag:] - position[:-lag], axis=1)) for lag in lags]
    lag = lags[int(np.argmin(changes))]
    change = np.linalg.norm(position[lag:] - position[:-lag], axis=1)
    begin = int(np.argmax(change < FAR * np.median(change)))
    return tuple(float(x) for x in even[begin::lag]) + (np.inf,)


def kinova_gen3() -> Case:
    """Scored as logged: its authors filtered and thinned it. Another run is predicted, so inner blocks are runs."""
    runs = [bf.datasets.load("kinova_gen3", run) for run in "123"]
    robot = bf.datasets.robot("kinova_gen3")
    return Case("kinova_gen3", robot, [(runs[:2], runs[2:])], 0.066, None, inner="runs", words="runs 1, 2 -> run 3")


def rokae_sensor() -> Case:
    """Joint torque sensors of an xMate; its description holds no inertias."""
    folds, robot = two_parts(bf.datasets.load("rokae_xmate7")), bf.datasets.robot("rokae_xmate7")
    return Case("rokae_xmate7 sensor", robot, folds, 0.049, 5.0, described="none", words="first 70 % -> last 30 %")


def rokae_motor() -> Case:
    """Motor torque of the same run."""
    recording = bf.datasets.load("rokae_xmate7")
    folds = two_parts(recording.with_channel("torque", recording.get("motor_torque")))
    robot = bf.datasets.robot("rokae_xmate7")
    return Case("rokae_xmate7 motor", robot, folds, 0.106, 5.0, described="none", words="first 70 % -> last 30 %")


def two_link() -> Case:
    """Laboratory arm: slow run to the normal one."""
    runs = [[bf.datasets.load("two_link", run)] for run in ("slow", "norm")]
    return Case("two_link", bf.datasets.robot("two_link"), [(runs[0], runs[1])], None, 5.0, words="slow -> norm")


def ur10e_mamedov() -> Case:
    """Motor currents of a UR10e, times the published constants."""
    runs = [[bf.datasets.load("ur10e_mamedov", f"ur-20_02_{run}_12harm")] for run in ("12-50sec", "10-30sec")]
    return Case(
        "ur10e_mamedov", bf.datasets.robot("ur10e_mamedov"), [(runs[0], runs[1])], 0.067, 8.0, words="50 s run -> 30 s run"
    )


CASES: dict[str, Callable[[], Case]] = {
    "panda_gaz": panda_gaz,
    "staubli_tx40": staubli_tx40,
    "tiago": tiago,
    "kuka_lwr4": kuka_lwr4,
    "kinova_gen3": kinova_gen3,
    "rokae_sensor": rokae_sensor,
    "rokae_motor": rokae_motor,
    "two_link": two_link,
    "ur10e_mamedov": ur10e_mamedov,
}
