"""The page about a simulated recording: torque beside its limits, how well the motion was followed, the motion in space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.experiment.trajectory import Motion
from bifilar.recording.recording import Recording
from bifilar.report.design_page import SPACE
from bifilar.report.envelope import envelope
from bifilar.report.motion_figures import joint_keys, joint_plots, shares_plots
from bifilar.report.page import Drawings, Page
from bifilar.report.plot import Line, Plot, colour
from bifilar.report.scene import space
from bifilar.report.usage import used
from bifilar.robot.robot import Robot


def simulation_page(
    robot: Robot,
    recording: Recording,
    tracking: Array,
    *,
    title: str = "A simulated recording",
    lead: str = "",
    facts: Sequence[tuple[str, str, str]] = (),
    table: Sequence[Sequence[str]] = (),
    foot: str = "",
) -> Page:
    """All about a recording of the virtual robot; `tracking`: true minus wanted position, (samples, joints).

    >>> robot, time = bf.Robot.load("pendulum"), np.linspace(0, 1, 101)
    >>> recording = bf.VirtualRobot(robot).play((time, 0 * time[:, None], 0 * time[:, None]), rate=100)
    >>> simulation_page(robot, recording, recording.position).sections[0].title
    'Measured torque'
    """
    truth = recording.truth
    assert truth is not None and recording.velocity is not None  # the virtual robot tells
    motion = Motion(
        joint_names=recording.joint_names,
        time=recording.time,
        position=recording.require("position"),
        velocity=recording.velocity,
        acceleration=truth.acceleration,
    )
    uses, names = used(robot, motion, recording.torque), robot.joint_names
    picture = space(robot, recording.time, motion.joints(names).position, described=np.array(robot.body_parameters))
    sections = [
        Drawings("Measured torque", "Limits in red.", joint_plots(recording.time, uses[3], names)),
        Drawings(
            "How well it followed", "True minus wanted position.", tracking_plots(recording.time, tracking, names), table=table
        ),
        Drawings(
            "Over time",
            "In percent of the limits. A click on a name hides a joint.",
            shares_plots(recording.time, [uses[0], uses[1], uses[3]], names),
            keys=joint_keys(names),
            wide=True,
        ),
        Drawings("The motion in space", SPACE, pictures=picture),
    ]
    return Page(title, lead, facts, sections, foot)


def tracking_plots(time: Array, tracking: Array, joint_names: Sequence[str]) -> list[Plot]:
    """Errors of all joints over time, in thousandths of rad or m.

    >>> len(tracking_plots(np.arange(3.0), np.zeros((3, 2)), ["a", "b"]))
    2
    """
    return [
        Plot(name, "mrad (mm if it slides)", [Line(*envelope(time, 1e3 * tracking[:, k]), colour(k), "error")], height=120)
        for k, name in enumerate(joint_names)
    ]
