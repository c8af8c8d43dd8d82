"""What `bifilar simulate` found out: the recording, how well the motion was followed, what the motors had to give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar import __version__
from bifilar.cli.simulate_certified import beyond, verdict
from bifilar.dynamics.tree import Array
from bifilar.experiment.trajectory import Motion
from bifilar.recording.recording import Recording
from bifilar.report.usage import UNITS
from bifilar.robot.robot import Robot
from bifilar.simulate.reference import reference
from bifilar.simulate.sensors import Sensors
from bifilar.simulate.virtual_robot import VirtualRobot

if TYPE_CHECKING:
    from bifilar.cli.simulate import Settings
    from bifilar.report.page import Page

CONTROL = 1000.0  # [Hz] of the loop; faster recordings get a faster loop


@dataclass(frozen=True, eq=False)
class Played:
    """A motion that was played.

    >>> motion = bf.quintic(["joint1"], [[0.0], [1.0]], [0.0, 2.0]).sample(100)
    >>> from bifilar.cli.simulate import Settings
    >>> robot = Robot.load("pendulum")
    >>> done = played(robot, robot, motion, Settings(robot="pendulum", motion="x.csv", output="y.csv", noise="none"))
    >>> done.samples, done.dropped, bool(done.tracking[1].max() < 0.05)
    (2001, 0, True)
    """

    source: str  # of the robot
    motion: str
    robot: Robot  # as described
    recording: Recording
    wanted: Array  # (samples, joints) positions
    expected: int  # samples, had none been lost
    uncovered: str  # why the motion is not certified for this robot; '' if it is
    open: tuple[str, ...] = ()  # what the certificate does not speak of
    changed: str = ""  # options that make the machine another than the robot as described

    @property
    def samples(self) -> int:
        """That were recorded; see the class.

        >>> Played("", "", None, [1, 2], np.zeros(0), 3, "").samples
        2
        """
        return len(self.recording)

    @property
    def dropped(self) -> int:
        """That were lost; see the class.

        >>> Played("", "", None, [1, 2], np.zeros(0), 3, "").dropped
        1
        """
        return self.expected - self.samples

    @property
    def executable(self) -> str:
        """What the certificate says, and of which robot.

        >>> Played("", "", None, [1, 2], np.zeros(0), 3, "", changed="--payload").executable
        'executable on the robot as described: ... It says nothing about the machine played here, which --payload changed'
        """
        if not self.changed:
            return "executable: the certificate covers this file, this robot and its limits"
        return (
            "executable on the robot as described: the certificate covers this file, that robot and its limits. "
            f"It says nothing about the machine played here, which {self.changed} changed"
        )

    @cached_property
    def left(self) -> list[str]:
        """Position and velocity limits that the machine did not keep.

        >>> Played.left.attrname
        'left'
        """
        assert self.recording.truth is not None
        return beyond(self.robot, self.recording.truth.position, self.recording.truth.velocity)

    @cached_property
    def tracking(self) -> tuple[Array, Array]:
        """Root mean square and largest distance from the motion per joint [rad] or [m], of the links' true positions.

        >>> Played.tracking.attrname
        'tracking'
        """
        error = self.errors
        return np.sqrt((error**2).mean(axis=0)), np.abs(error).max(axis=0)

    @cached_property
    def errors(self) -> Array:
        """True minus wanted position, (samples, joints).

        >>> Played.errors.attrname
        'errors'
        """
        assert self.recording.truth is not None
        return self.recording.truth.position - self.wanted

    @cached_property
    def peaks(self) -> Array:
        """Largest torque that each motor put out.

        >>> Played.peaks.attrname
        'peaks'
        """
        assert self.recording.truth is not None
        return np.abs(self.recording.truth.torque).max(axis=0)

    @cached_property
    def saturated(self) -> Array:
        """Share of the samples at which each motor gave all it has.

        >>> Played.saturated.attrname
        'saturated'
        """
        assert self.recording.truth is not None
        return (np.abs(self.recording.truth.torque) >= self.robot.limits.effort * (1 - 1e-12)).mean(axis=0)

    def rows(self) -> list[list[str]]:
        """A line per joint, as text; the head first."""
        mean, most = self.tracking
        slides = [name in self.robot.sliding for name in self.robot.joint_names]
        table = [["joint", "error, rms", "largest", "torque, peak", "of its limit"]]
        for k, name in enumerate(self.robot.joint_names):
            unit, limit = ("mrad", "mm")[slides[k]], self.robot.limits.effort[k]
            share = f"{100 * self.peaks[k] / limit:.0f} %" if np.isfinite(limit) else ""
            share += f", at it {100 * self.saturated[k]:.2g} % of the time" if self.saturated[k] else ""
            torque = f"{self.peaks[k]:.3g} {UNITS['torque'][slides[k]]}"
            table.append([name, f"{1e3 * mean[k]:.3g} {unit}", f"{1e3 * most[k]:.3g} {unit}", torque, share])
        return table

    def facts(self, files: Sequence[Path]) -> dict[str, Any]:
        """What `--json` says."""
        mean, most = self.tracking
        limit = self.robot.limits.effort
        return {
            "bifilar": __version__,
            "robot": self.source,
            "motion": self.motion,
            "certified": not self.uncovered,
            "not_certified_because": self.uncovered,
            "certified_for": "the robot as described",
            "not_checked": list(self.open),
            "machine_changed_by": self.changed,
            "limits_left": self.left,
            "samples": self.samples,
            "dropped": self.dropped,
            "duration": self.recording.duration,
            "joints": {
                name: {
                    "tracking_rms": float(mean[k]),
                    "tracking_largest": float(most[k]),
                    "torque_peak": float(self.peaks[k]),
                    "torque_share": float(self.peaks[k] / limit[k]),
                    "saturated": float(self.saturated[k]),
                }
                for k, name in enumerate(self.robot.joint_names)
            },
            "files": [str(path) for path in files],
        }

    def page(self, name: str) -> Page:
        """The page with pictures."""
        from bifilar.report.simulation_page import simulation_page

        _, most = self.tracking
        shares = (self.peaks / self.robot.limits.effort)[np.isfinite(self.robot.limits.effort)]
        peak = float(shares.max()) if len(shares) else np.nan
        told = (
            ("certified", f"the motion, for {'the robot as described' if self.changed else 'this robot'}", "good")
            if not self.uncovered
            else ("not certified", self.uncovered, "bad")
        )
        facts = [
            (f"{self.samples:,}", f"samples, {self.dropped} dropped", ""),
            (f"{self.recording.duration:g} s", f"at {self.recording.rate:.0f} Hz", ""),
            (f"{1e3 * most.max():.3g} mrad", "largest distance from the motion", ""),
            *(
                [(f"{100 * peak:.0f} %", "of a torque limit at most", "bad" if self.saturated.any() else "")]
                if np.isfinite(peak)
                else []
            ),
            told,
            *([("left its limits", "; ".join(self.left), "bad")] if self.left else []),
        ]
        lead = f"The motion {Path(self.motion).name}, played on a virtual {self.robot.name}."
        lead += f" The machine is another than the robot as described: {self.changed}." if self.changed else ""
        lead += f" The certificate does not speak of: {'; '.join(self.open)}." if self.open and not self.uncovered else ""
        return simulation_page(
            self.robot, self.recording, self.errors, title=name, lead=lead, facts=facts, table=self.rows(),
            foot=f"Made by bifilar {__version__}.",
        )  # fmt: skip


def played(robot: Robot, real: Robot, motion: Motion, settings: Settings) -> Played:
    """Play a motion on the machine `real`, under a controller that knows `robot`; see Played."""
    sensors = Sensors.realistic() if settings.noise == "realistic" else Sensors.perfect()
    control = settings.rate * max(1, -(-CONTROL // settings.rate)) if settings.rate > 0 else CONTROL
    plant = VirtualRobot(real, controller_model=robot.model())
    recording = plant.play(motion, rate=settings.rate, control_rate=control, seed=settings.seed, sensors=sensors)
    wanted = reference(robot, motion, settings.rate)
    assert recording.truth is not None
    kept = np.round(recording.truth.time * settings.rate).astype(int)
    found = verdict(robot, settings.motion, settings.limits, settings.mesh_folder)
    return Played(
        settings.robot, settings.motion, robot, recording, wanted.position[kept], len(wanted.time), found.uncovered, found.open,
        _changes(settings),
    )  # fmt: skip


def _changes(settings: Settings) -> str:
    given = {"--friction": settings.friction, "--payload": settings.payload, "--unlike": settings.unlike}
    return " and ".join(option for option, value in given.items() if value)
