"""`bifilar control ROBOT REFERENCE`: a controller in the loop with a virtual robot that is not quite what it believes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from bifilar.cli.design_files import free_name, may_be_written
from bifilar.cli.exchanged import refuse_exchange
from bifilar.cli.friction_words import PLAYED, PLAYED_WORDS
from bifilar.cli.letter import json_text
from bifilar.cli.options import GivenLimits, HeldJoints, PagedOutput, Payload, RobotOrRun, Seed, written
from bifilar.cli.output import show
from bifilar.cli.progress import steps
from bifilar.experiment.files import SAMPLED
from bifilar.readers import joined

SUMMARY = """A controller moves a virtual robot along a path; what it believes of the robot is wrong by a stated share.

Told are errors of joints and tool, what a push does, and how much torque is left; a page shows it and plays it.
The controller stands behind limits of torque and of its rate. Exit code 1 if drives gave all they have, joints left
their limits, or the state was no longer believed."""
EXAMPLES = """\
  bifilar control kuka_lwr4 circle:-0.4,0,0.6:0.12:yz                      the tool on a circle, a model wrong by 5 %
  bifilar control kuka_lwr4 circle:-0.4,0,0.6:0.12:yz --period 0.01 --omega 25 --lag 0.005
                                                                           at 10 ms, drives that lag by 5 ms
  bifilar control panda line:0.4,-0.2,0.5:0.4,0.2,0.5 --push joint4=20     pushed on the way
  bifilar control panda line:0.4,-0.2,0.5:0.4,0.2,0.5 --encoders kalman    velocity from noisy encoders
  bifilar control runs/arm-001/identified.urdf excite.csv --model arm.urdf
                                      the robot as identified, the controller with its description: what the fit is worth
"""

Filter = Literal["kalman", "differences"]
Kind = Literal["computed-torque", "gravity-pd", "adaptive", "path-following"]

REFERENCE = f"circle:X,Y,Z:RADIUS[:PLANE], line:X,Y,Z:X,Y,Z, a .toml file with a path, or a motion ({joined(SAMPLED)})"


@dataclass(frozen=True, kw_only=True)
class Settings(GivenLimits, PagedOutput):
    """What moves, where, by which controller, and what disturbs it.

    >>> Settings(robot="panda", reference="move.csv").omega
    20.0
    """

    robot: RobotOrRun
    reference: Annotated[Positional[str], arg(metavar="REFERENCE", help=REFERENCE)]
    controller: Kind = "computed-torque"  # computed-torque, gravity-pd, adaptive, or path-following (torque may be short)
    omega: Annotated[float, arg(metavar="RAD/S")] = 20.0  # of the error dynamics, critically damped
    model_error: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="(default: 0.05, with --model 0)")] = None
    """by which links of the controller's model are wrong, one deviation"""
    model: Annotated[str | None, arg(metavar="RUN|ROBOT", help_behavior_hint="")] = None  # the controller's, of a fit or a file
    friction: Annotated[
        tuple[str, ...],
        arg(metavar="TERM=VALUE ...", help=f"that the robot has: {PLAYED}", help_behavior_hint="(default: the file's)"),
        PLAYED_WORDS,
    ] = ()
    slip: Annotated[float, arg(metavar="RAD/S")] = 0.05  # width of the sign of speed in it; narrow ones on light links are slow
    compensate: Annotated[float, arg(metavar="SHARE")] = 1.0  # of its friction that the controller compensates
    friction_at: Literal["wanted", "actual"] = "wanted"
    """speed whose sign it is: actual settles faster after a push, and swings where friction is overestimated"""
    payload: Payload = None
    period: Annotated[float, arg(metavar="S")] = 0.001  # of the controller
    lag: Annotated[float, arg(metavar="S")] = 0.0  # time constant of the drives' torque
    delay: Annotated[float, arg(metavar="S")] = 0.0  # from a reading to its command, at most a period
    encoders: Annotated[Filter | None, arg(metavar="kalman|differences", help_behavior_hint="(default: the true state)")] = None
    """what makes the velocity of counted, noisy positions: kalman, or differences behind a low-pass"""
    torque: Annotated[float, arg(metavar="SHARE")] = 1.0  # of the effort limits that the drives have
    rise: Annotated[float, arg(metavar="S")] = 0.05  # in which torque may go from nothing to the effort limit, at the fastest
    push: Annotated[str | None, arg(metavar="JOINT=NM[:FROM,TO]", help_behavior_hint="")] = None  # on a joint, [s] from and to
    duration: Annotated[float | None, arg(metavar="S", help_behavior_hint="(default: 4)")] = None  # of a path
    frame: Annotated[str | None, arg(metavar="LINK", help_behavior_hint="(default: the end of the arm)")] = None
    """that follows the path"""
    held: Annotated[bool, arg(help_behavior_hint="")] = False  # keep the orientation of the beginning on a path
    start: Annotated[tuple[str, ...], arg(metavar="POSE ...", help_behavior_hint="")] = ()  # posture to begin a path near
    seed: Seed = 0
    lock: HeldJoints = ()
    output: Annotated[str | None, written("PAGE", "(default: control.html)")] = None
    """the page; where none is named, one that exists is kept: control-2.html"""


def run(settings: Settings) -> int:
    """Run the loop; 1 if drives saturated, joints left their limits, or the state was not believed.

    >>> import tempfile
    >>> move = tempfile.mkdtemp() + "/move.csv"
    >>> bf.save_motion(move, bf.quintic(["joint1"], [[0.0], [1.0]], [0.0, 1.0]).sample(100))
    >>> run(Settings(robot="pendulum", reference=move, no_page=True, json=True))
    {...}
    0
    """
    return _run(settings)


def _run(settings: Settings) -> int:
    from bifilar.cli.control_facts import controlled

    refuse_exchange("control", settings.robot, (settings.reference,), "robot and reference")
    files = [] if settings.no_page else [free_name(settings.output, "control.html", force=settings.force)]
    if files:
        may_be_written(files, force=settings.force)
    with steps(2) as tell:
        done = controlled(settings, tell)
    if files:
        done.page().save(files[0])
    if settings.json:
        sys.stdout.write(json_text(done.facts(files)))
    else:
        from bifilar.cli.control_view import view

        show(view(done, files))
    return 1 if done.saturated or done.left or done.safety.lost else 0
