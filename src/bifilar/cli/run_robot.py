"""A run's folder where a robot is asked for: the robot that it identified, links, friction and all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bifilar.cli.design_words import limited, robot_of
from bifilar.cli.exchanged import is_run
from bifilar.cli.held import locked_as
from bifilar.cli.options import GivenLimits
from bifilar.errors import RobotError
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.estimate.estimate import Estimate


def robot_or_run(source: str, *, lock: Sequence[str] = (), limits: GivenLimits | None = None) -> Robot:
    """The robot that a run identified, or one by its file or name. A run that may not be used is refused.

    >>> robot_or_run("two_link", lock=["joint2"]).joint_names
    ('joint1',)
    """
    if not is_run(source):
        return robot_of(source, lock=lock, limits=limits)
    from bifilar.cli.fit_folder import IDENTIFIED, about_run

    robot = links_of(source).robot
    if not (Path(source) / IDENTIFIED).is_file():
        raise RobotError("verdict.refused/run_robot", where=source, level=about_run(Path(source))["verdict"]["level"])
    robot = locked_as(robot, lock) if lock else robot
    return limited(robot, limits)


def links_of(folder: str) -> Estimate:
    """The estimate of a run, if it has links.

    >>> links_of("nowhere")
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    from bifilar.cli.fit_folder import about_run
    from bifilar.estimate.estimate import Estimate
    from bifilar.estimate.saved import FACTS, load_estimate
    from bifilar.export.run_reader import at_once

    if not (Path(folder) / FACTS).is_file():  # what `bf.save_estimate` writes will do
        about_run(Path(folder))  # a folder that is none is told as such
    estimate = at_once(folder, lambda: load_estimate(folder))
    if not isinstance(estimate, Estimate):
        raise RobotError("run.base_parameters", where=folder)
    return estimate
