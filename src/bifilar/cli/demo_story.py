"""The story of `bifilar demo`, step by step, each with a line of what came out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bifilar import __version__
from bifilar.cli.design_files import TakenError
from bifilar.cli.fit import Settings as FitSettings
from bifilar.cli.fit_folder import IDENTIFIED, PAGE, may_be_made
from bifilar.cli.fit_run import Fitted, fitted, written
from bifilar.cli.output import typed_command
from bifilar.cli.simulate_words import machine
from bifilar.errors import ResourceError
from bifilar.estimate.estimate import NOT_IDENTIFIED, Estimate
from bifilar.experiment.design import design
from bifilar.export.run_folder import tidy
from bifilar.recording.check import check
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot
from bifilar.robot.write_file import remove_stale
from bifilar.simulate.sensors import Sensors
from bifilar.simulate.virtual_robot import VirtualRobot

SURE = 3.29  # deviations of 99.9 %
MARK = "excite.certificate.json"  # what every demo's folder has, from the first moment
FILES = {MARK, "excite.csv", "excite_10.csv", "excite_25.csv", "excite_50.csv", "train.parquet", "test.parquet", "run"}
RATE = 1000.0  # [Hz] of the recordings


@dataclass(frozen=True, eq=False)
class Told:
    """What came out of the demo."""

    done: Fitted
    folder: Path
    truth: Robot

    @property
    def before(self) -> float:
        """Relative torque error of the description on unseen motion."""
        return self._seen.described

    @property
    def after(self) -> float:
        """Relative torque error of the identified robot on the same."""
        return self._seen.relative

    @property
    def good(self) -> bool:
        """Whether the verdict is good, the error a fifth at most, and every identified mass inside its bars."""
        right = all(inside for *_, known, inside in self.masses() if known)
        return self.done.verdict.level in ("good", "usable") and self.after <= self.before / 5 and right

    @property
    def _seen(self) -> Any:
        return self.done.verdict.validation

    def masses(self) -> list[tuple[str, float, float, float, float, bool, bool]]:
        """Of every moving body: described, true and identified mass, deviation, whether identified, whether the bars hold."""
        estimate = self.done.estimate
        assert isinstance(estimate, Estimate)
        described, true, now = self.done.robot.parameters(), self.truth.parameters(), estimate.parameters
        rows = []
        for k, name in enumerate(now.names):
            if name.endswith(".mass"):
                value, deviation = float(now.values[k]), float(estimate.parameter_deviations[k])
                known = estimate.origins[k] == "data" and deviation <= NOT_IDENTIFIED * abs(value)
                inside = abs(value - true[name]) <= SURE * deviation
                rows.append((name.removesuffix(".mass"), described[name], true[name], value, deviation, known, inside))
        return rows

    def facts(self) -> dict[str, Any]:
        """What `--json` says."""
        keys = ("link", "described", "true", "identified_value", "deviation", "identified", "inside_99_9_percent")
        return {
            "bifilar": __version__,
            "error_of_description": self.before,
            "error_of_identified": self.after,
            "verdict": self.done.verdict.facts(),
            "masses": [dict(zip(keys, row)) for row in self.masses()],
            "folder": str(self.folder),
        }


def story(home: Path, duration: float, unlike: float, say: Callable[[str], None], seed: int = 0) -> Told:
    """Design, play, check, fit, judge, write; another seed is another machine, moved otherwise."""
    _may_be_used(home)
    robot = Robot.load("panda")
    truth = machine(robot, friction=("typical",), payload=None, unlike=unlike, seed=seed)
    say(
        f"robot    a Panda of {len(robot.joint_names)} joints; "
        f"the machine differs from the nominal model by up to {100 * unlike:.0f} %"
    )
    for name, own in (("train", seed), ("test", seed + 7)):
        found = design(robot, duration=duration, starts=1, seed=own)
        plant = VirtualRobot(truth, controller_model=robot.model())
        recording = plant.play(found.motion, rate=RATE, seed=own, sensors=Sensors.realistic())
        recording.save(home / f"{name}.parquet")
        if name == "train":
            room = min(margin.room for margin in found.certificate.run(1.0).margins)
            say(f"design   a motion of {duration:g} s inside every limit, {100 * room:.1f} % of room at the tightest")
            say(f"record   {len(recording):,} samples of noisy positions and torques of {home / 'train.parquet'}")
            found.save(home / "excite.csv")
    worst = [check(Recording.load(home / f"{name}.parquet", robot), robot) for name in ("train", "test")]
    errors = sum(finding.severity == "error" for found in worst for finding in found)
    say(f"check    {errors} errors in the recordings" if errors else "check    nothing is wrong with the recordings")
    return _fitted(home, robot, truth, say)


def _may_be_used(home: Path) -> None:
    """A new or empty folder, or that of an earlier demo: whatever else is in it might be somebody's work."""
    if home.exists() and not home.is_dir():
        raise TakenError("folder.is_file/demo_story", where=str(home))
    if (home / MARK).is_file():
        tidy(home)
        for name in FILES:
            remove_stale(str(home / name))  # as a demo that was killed leaves one
    found = {entry.name for entry in home.iterdir()} if home.is_dir() else set()
    strange = sorted(found - FILES) or sorted(found if found and MARK not in found else ())
    if strange:
        raise TakenError("folder.strange/demo_story", where=str(home), strange=strange[0])
    may_be_made(home / "run", force=True)
    try:
        home.mkdir(parents=True, exist_ok=True)
        (home / MARK).touch()
    except OSError as error:
        raise ResourceError("folder.unwritable/demo_story", where=str(home), strerror=error.strerror) from None


def _fitted(home: Path, robot: Robot, truth: Robot, say: Callable[[str], None]) -> Told:
    train, test = (str(home / f"{name}.parquet") for name in ("train", "test"))
    settings = FitSettings(robot="panda", logs=(train,), test=(test,), output=str(home / "run"), force=True)
    done = fitted(settings)
    estimate = done.estimate
    known = int(np.sum(estimate.identified))
    say(f"fit      {estimate.rows:,} rows, physically consistent; {known} of {len(estimate.values)} base parameters identified")
    folder = written(done)
    told = Told(done, folder, truth)
    say(f"judge    held-out motion: NRMSE {100 * told.before:.1f} % by the nominal model,")
    say(f"         {100 * told.after:.1f} % by the identified robot: {done.verdict.level}")
    masses = [row for row in told.masses() if row[5]]
    shown = ", ".join(f"{row[0]} {row[3]:.2f} ± {row[4]:.2f} kg (truth {row[2]:.2f}, nominal {row[1]:.2f})" for row in masses)
    say(f"masses   {shown or 'none that torque tells alone'}")
    say(f"export   {folder / IDENTIFIED}")
    say(f"look     {folder / PAGE}")
    say(f"next     {typed_command('bifilar', 'export', str(folder), '-o', 'panda.xml')}")
    return told
