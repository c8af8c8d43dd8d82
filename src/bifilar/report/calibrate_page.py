"""Pages about sensors and drives that a known load calibrated: what was found, and how well it predicts what was not used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bifilar.calibrate.drive_gain import DriveGains
from bifilar.calibrate.torque_sensor import TorqueSensorCalibration
from bifilar.dynamics.tree import Array
from bifilar.report.page import Drawings, Page, Section, Words
from bifilar.report.plot import Line, Plot
from bifilar.report.sweep_figures import SWEEP_KEYS, SWEEP_WORDS, against_plots

Rows = Sequence[Sequence[str]]


class Unused(NamedTuple):
    """A run that no fit has seen, and what was predicted of it.

    >>> Unused("with the load", np.zeros(1), np.ones((1, 2)), np.ones((1, 2))).errors
    array([0., 0.])
    """

    name: str
    time: Array  # (N,) [s]
    measured: Array  # (N, joints)
    predicted: Array  # (N, joints)

    @property
    def errors(self) -> Array:
        """Root mean square (joints,).

        >>> Unused("", np.zeros(1), np.full((1, 2), 3.0), np.ones((1, 2))).errors
        array([2., 2.])
        """
        return np.sqrt(np.nanmean((self.measured - self.predicted) ** 2, axis=0))

    @property
    def size(self) -> Array:
        """Root mean square of what was measured, (joints,).

        >>> Unused("", np.zeros(1), np.full((1, 2), 3.0), np.ones((1, 2))).size
        array([3., 3.])
        """
        return np.sqrt(np.nanmean(self.measured**2, axis=0))


def torque_sensor_page(
    found: TorqueSensorCalibration,
    *,
    sweeps: Sequence[Plot] = (),
    unused: Unused | None = None,
    errors: Rows = (),
    title: str = "Torque sensors",
    words: str = "",
    doubt: str = "",
) -> Page:
    """Gains and offsets; readings over the angle of each swept joint; measured over predicted at poses not used.

    >>> robot = bf.Robot.load("pendulum")
    >>> q = np.linspace(-1, 1, 9)[:, None]
    >>> bare = bf.StaticPoses(robot.joint_names, q, robot.gravity_torque(q) + 0.2)
    >>> page = torque_sensor_page(bf.calibrate_torque_sensors(robot, bare, [], frame="link1"))
    >>> [section.title for section in page.sections]
    ['Sensors', 'Status']
    """

    def told(value: float, size: float, seen: bool) -> list[str]:
        return [f"{value:.4f}", f"{size:.2g}"] if seen else ["not seen", ""]

    rows = [["joint", "gain", "±", "offset [N m]", "±"]]
    for j, name in enumerate(found.joint_names):
        gain = told(found.gain[j], found.gain_deviation[j], bool(found.gain_seen[j]))
        offset = told(found.offset[j], found.offset_deviation[j], bool(found.offset_seen[j]))
        rows.append([name, *gain, *offset])
    count = int(found.gain_seen.sum())
    facts = [(f"{count} of {len(found.gain)}", "gains told", "" if found.gain_seen.all() else "warn")]
    sections: list[Section] = [Words("Sensors", words, rows)]
    if sweeps:
        text = f"{SWEEP_WORDS} Readings as they came, and what the calibrated model reads."
        sections.append(Drawings("Sweeps", text, sweeps, SWEEP_KEYS))
    if unused is not None:
        text = "Every third pose, predicted by a fit to the other two thirds."
        plots = against_plots(found.joint_names, unused.predicted, unused.measured)
        sections.append(Drawings("Poses not used", text, plots, table=errors))
    sections += [Words("Doubts", doubt)] if doubt else []
    if not found.status.ok:
        sections.append(Words("Status", f"{found.status}. {found.status.remedy}"))
    return Page(title, facts=facts, sections=sections)


def drive_gain_page(
    found: DriveGains,
    nominal: Array,
    *,
    unused: Sequence[Unused] = (),
    errors: Rows = (),
    unit: str = "",
    title: str = "Drive gains",
    words: str = "",
    ahead: str = "",
    load: str = "",
    doubts: Sequence[str] = (),
) -> Page:
    """Gains beside those that the logs were made with; motion that was not used, measured and predicted, over time.

    >>> gains = DriveGains(("a",), np.full(1, 9.0), np.eye(1), np.ones(1, bool), np.zeros(3), 1.0, np.ones(1), bf.Status())
    >>> [section.title for section in drive_gain_page(gains, np.ones(1)).sections]
    ['Gains']
    """
    columns = found.joint_names, found.gain * nominal, found.deviations * nominal, nominal, found.gain, found.by_gravity
    rows = [
        [name, f"{gain:.4g}", f"{size:.2g}", f"{was:.4g}", f"{factor:.4g}", "weight" if felt else "inertia alone"]
        for name, gain, size, was, factor, felt in zip(*columns, strict=True)
    ]
    head = ["joint", f"gain{' [N m/A]' if unit == 'A' else ''}", "±", "nominal", "times nominal", "told by"]
    count = int(found.identified.sum())
    facts = [(f"{count} of {len(found.gain)}", "gains identified by weight", "" if found.identified.all() else "warn")]
    sections: list[Section] = [Words("Gains", words, [head, *rows])]
    if unused:
        keys = (("measured", "ink", "line"), ("predicted", "identified", "line"))
        plots = [plot for run in unused for plot in _over_time(run, found.joint_names, unit)]
        sections.append(Drawings("Motion not used", ahead, plots, keys, table=errors))
    sections += [Words("The load again", load)] if load else []
    sections += [Words("Doubts", " ".join(doubts))] if doubts else []
    sections += [Words("Status", str(found.status))] if not found.status.ok else []
    return Page(title, facts=facts, sections=sections)


def _over_time(run: Unused, names: Sequence[str], unit: str) -> list[Plot]:
    return [
        Plot(
            name,
            f"{run.name} [{unit}]" if unit else run.name,
            [
                Line(run.time, run.measured[:, j], "ink", "measured"),
                Line(run.time, run.predicted[:, j], "identified", "predicted"),
            ],
            y_unit=unit,
        )
        for j, name in enumerate(names)
    ]
