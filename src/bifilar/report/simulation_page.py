"""The page about a simulated recording: torque beside its limits, how well the motion was followed, the motion in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.experiment.trajectory import Motion
from bifilar.recording.recording import Recording
from bifilar.report.design_page import SPACE
from bifilar.report.motion_figures import joint_figures, shares_figure
from bifilar.report.page import Page, Section
from bifilar.report.pose_figure import pose_figure
from bifilar.report.style import axis, colour, figure, label, legend, thinned
from bifilar.report.usage import used
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


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
    sections = [
        Section("Measured torque", "Limits in red.", joint_figures(recording.time, uses[3], names), small=True),
        Section(
            "How well it followed",
            "True minus wanted position.",
            [tracking_figure(recording.time, tracking, names)],
            table=table,
        ),
        Section(
            "Over time",
            "In shares of the limits. A click on a name hides a joint.",
            [shares_figure(recording.time, [uses[0], uses[1], uses[3]], names)],
        ),
        Section("The motion in space", SPACE, [pose_figure(robot, motion)]),
    ]
    return Page(title, lead, facts, sections, foot)


def tracking_figure(time: Array, tracking: Array, joint_names: Sequence[str]) -> Figure:
    """Errors of all joints over time, in thousandths of rad or m.

    >>> len(tracking_figure(np.arange(3.0), np.zeros((3, 2)), ["a", "b"]).data)
    2
    """
    drawn = figure(320, hovermode="closest", margin={"l": 60, "r": 12, "t": 10, "b": 66})
    drawn.update_layout(legend=legend())
    for k, name in enumerate(joint_names):
        t, error = thinned(time, 1e3 * tracking[:, k])
        hover = f"{label(name)} at %{{x:.2f}} s: %{{y:.3g}} mrad<extra></extra>"
        drawn.add_scatter(
            x=t, y=error, mode="lines", name=label(name), line={"color": colour(k), "width": 1.4}, hovertemplate=hover
        )
    drawn.update_xaxes(axis("", range=[float(np.min(time)), float(np.max(time))], ticksuffix=" s"))
    drawn.update_yaxes(axis("mrad (sliding joints: mm)"))
    return drawn
