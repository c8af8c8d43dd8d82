"""`bifilar view ROBOT [RECORDING]`: the robot in a browser, moved by sliders or by a recording, inertias before and after."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.log_words import log_of, one_log
from bifilar.cli.options import HeldJoints, HowSettings, JsonOutput, MeshFolder, RobotOrRun
from bifilar.cli.output import patience
from bifilar.errors import RobotError
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.recording.recording import Recording
    from bifilar.view.viewer import Viewer

SUMMARY = """The robot in a browser: a slider per joint, a recording played back, inertias before and after as ellipsoids.

Needs the extra 'view': pip install 'bifilar[view]'. The page is served on this machine and loads nothing from elsewhere."""
EXAMPLES = """\
  bifilar view panda                             a built-in robot, with sliders
  bifilar view arm.urdf run.csv                  a recording played back; --mapping, --unit, --rate as in 'check'
  bifilar view runs/arm-001                      a run's robot, inertias before (orange) and after (blue)
  bifilar view arm.urdf run.csv --run runs/arm-001
"""
ONE_WORD = "view takes one robot and at most one recording"


@dataclass(frozen=True, kw_only=True)
class Settings(HowSettings, JsonOutput):
    """What to look at.

    >>> Settings(robot="panda").port
    8080
    """

    robot: RobotOrRun
    recording: Annotated[Positional[str | None], arg(metavar="[RECORDING]", help_behavior_hint="")] = None
    """a log, a designed motion, or the name of a public set, to be played back"""
    run: Annotated[str | None, arg(metavar="RUN", help_behavior_hint="")] = None
    """a folder that 'bifilar fit' wrote: its identified inertias beside the described ones"""
    lock: HeldJoints = ()
    mesh_folder: MeshFolder = None
    port: Annotated[int, arg(metavar="N")] = 8080  # of the page; the next free one if it is taken
    host: Annotated[str, arg(metavar="ADDRESS")] = "127.0.0.1"  # 0.0.0.0 lets other machines look, without a password
    no_browser: Annotated[bool, arg(help_behavior_hint="")] = False  # only say where the page is


def run(settings: Settings) -> int:
    """Serve the page until Ctrl-C.

    >>> Settings(robot="panda", no_browser=True).recording is None
    True
    """
    if not 0 < settings.port < 65536:
        raise UsageError("usage.value/view", port=settings.port)
    with patience("reading; the first time, kernels are compiled"):
        viewer = opened(settings)
    with viewer:
        _tell(settings, viewer)
        try:
            viewer.wait()
        except KeyboardInterrupt:  # the way out that the command names
            return 0
    return 0


def opened(settings: Settings) -> Viewer:
    """The viewer of these settings, serving already.

    >>> with opened(Settings(robot="pendulum", port=8090)) as viewer:
    ...     viewer.robot.name
    'pendulum'
    """
    from bifilar.view.viewer import Viewer

    robot, identified = subjects(settings)
    recording = None if settings.recording is None else _recording(settings, robot)
    words: dict[str, Any] = {"mesh_folder": settings.mesh_folder, "host": settings.host, "port": settings.port}
    return Viewer(robot, recording, identified=identified, **words)


def subjects(settings: Settings) -> tuple[Robot, Robot | None]:
    """The robot as described, and as identified if a run is named.

    >>> subjects(Settings(robot="pendulum"))
    (Robot('pendulum': joint1), None)
    """
    from bifilar.cli.design_words import robot_of
    from bifilar.cli.run_robot import links_of

    if settings.mesh_folder is not None and not os.path.isdir(settings.mesh_folder):
        raise UsageError("usage.value/subjects", where=settings.mesh_folder)
    is_run = os.path.isdir(settings.robot)
    if is_run and settings.run is not None:
        raise UsageError("usage.together/view", run=settings.run)
    folder = settings.robot if is_run else settings.run
    if folder is None:
        return robot_of(settings.robot, lock=settings.lock), None
    estimate = links_of(folder)
    described, identified = estimate.described, estimate.robot
    robot = described if is_run else robot_of(settings.robot, lock=settings.lock)
    _same_machine(robot, described, folder)
    return robot, identified


def _same_machine(robot: Robot, described: Robot, folder: str) -> None:
    """The same joints at the same places; some may be locked in one of the two."""
    places = {joint.name: joint.pose.translation for joint in described.joints}
    known = [joint for joint in robot.joints if joint.name in places]
    moved = [joint.name for joint in known if abs(joint.pose.translation - places[joint.name]).max() > 1e-6]
    if not known or moved:
        what = f"joint '{moved[0]}' stands elsewhere" if moved else f"no joint of '{robot.name}' is in it"
        raise RobotError("robot.other/view", where=folder, thing=what, folder=folder)


def _recording(settings: Settings, robot: Robot) -> Recording:
    return log_of(one_log(settings, str(settings.recording))).read(robot)


def _tell(settings: Settings, viewer: Viewer) -> None:
    if settings.json:
        facts = {"address": viewer.address, "robot": viewer.robot.name, "joints": list(viewer.robot.joint_names)}
        sys.stdout.write(json_text({**facts, "notes": viewer.scene.notes}))
    else:
        sys.stdout.write(f"look    {viewer.address}\nstop    Ctrl-C\n")
    sys.stdout.flush()
    if not settings.no_browser and not settings.json:
        import webbrowser

        webbrowser.open(viewer.address)
