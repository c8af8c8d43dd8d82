"""`bifilar calibrate ROBOT --free LOG --loaded LOG --mass KG`: drives and torque sensors, by a load of known mass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import arg

from bifilar.cli.calibrate_drives import drives
from bifilar.cli.calibrate_logs import refuse_grams
from bifilar.cli.design_files import may_be_written
from bifilar.cli.design_words import robot_of
from bifilar.cli.friction_words import GIVEN_WORDS, beside
from bifilar.cli.gravity import nominal_of
from bifilar.cli.guard import UsageError
from bifilar.cli.log_words import page_of
from bifilar.cli.options import Anyway, Cutoff, Gains, LoadLink, MotionSettings, PageOutput, RobotFile

FRICTION = beside("viscous+coulomb:width=0+offset+rotor if left out and the robot's file states none")
SUMMARY = """Torque per ampere of every drive (or what recorded torque must be multiplied by), from a load of known mass.

With --sensors: gain and offset of every joint's torque sensor, from poses that are held without and with the load."""
EXAMPLES = """\
  bifilar calibrate arm.urdf --free a.csv --loaded b.csv --mass 2.8             logs whose torque is a current
  bifilar calibrate arm.urdf --free a.csv --loaded b.csv --mass 2.8 --nominal 10 10 8 9 9 10
                                                         the torque is current times these: shown in N m/A
  bifilar calibrate arm.urdf --free a.csv --loaded b.csv --mass 2.8 --test-free c.csv --test-loaded d.csv
                                                         other runs: predicted, and the load's mass found again
  bifilar calibrate arm.urdf --sensors --free bare.csv --loaded here.csv there.csv --mass 2 --moved 0 0 0 0.1 0 0
                                                         torque sensors; the load hung 0.1 m further in there.csv
"""


@dataclass(frozen=True, kw_only=True)
class Settings(MotionSettings, PageOutput):
    """Which arm, which logs, which load.

    >>> Settings(robot="arm.urdf", free=("a.csv",), loaded=("b.csv",), mass=2.0).link is None
    True
    """

    robot: RobotFile
    free: Annotated[tuple[str, ...], arg(metavar="LOG ...")]  # without the load; a public set as NAME:RUN
    loaded: Annotated[tuple[str, ...], arg(metavar="LOG ...")]  # with it
    mass: Annotated[float, arg(metavar="KG")]  # of the load
    link: LoadLink = None
    friction: Annotated[str | None, arg(metavar="TERMS", help=FRICTION, help_behavior_hint=""), GIVEN_WORDS] = None
    nominal: Gains = ()
    sensors: Annotated[bool, arg(help_behavior_hint="")] = False  # torque sensors from held poses, not drives from motion
    moved: Annotated[tuple[float, ...], arg(metavar="X Y Z ...", help_behavior_hint="")] = ()
    """with --sensors: how far [m] from its first point the load hung in each loaded log, in the link's axes"""
    encoders: Annotated[bool, arg(help_behavior_hint="")] = False  # with --sensors: positions may be off by gain and offset
    test_free: Annotated[tuple[str, ...], arg(metavar="LOG ...", help_behavior_hint="")] = ()
    """without --sensors: other runs without the load, to be predicted; else the first 70 % of every log predict the rest"""
    test_loaded: Annotated[tuple[str, ...], arg(metavar="LOG ...", help_behavior_hint="")] = ()
    """other runs with the load: its mass is found there again, with these gains and with the nominal ones"""
    cutoff: Cutoff = None
    anyway: Anyway = False


def run(settings: Settings) -> int:
    """Calibrate; 1 if the data leave a gain open, gains and links did not settle, or the load seems to lift the arm.

    >>> run(Settings(robot="panda", free=("nowhere.csv",), loaded=("nowhere.csv",), mass=1.0))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: ...
    """
    if not 0 < settings.mass < float("inf"):
        raise UsageError("usage.value/calibrate", mass=settings.mass)
    page = None if settings.output is None else page_of(settings.output)
    if page is not None:
        may_be_written([page], force=settings.force)
    robot = robot_of(settings.robot)
    nominal = nominal_of(settings.nominal, robot)
    _understood(settings)
    if not settings.anyway:
        refuse_grams(settings.mass, robot)
    if settings.sensors:
        from bifilar.cli.calibrate_sensors import sensors

        return sensors(settings, robot, page)
    return drives(settings, robot, nominal, page)


def _understood(settings: Settings) -> None:
    """Refuses options of the other kind of calibration, which would be passed over in silence."""
    strangers = ("friction", "nominal", "cutoff", "test_free", "test_loaded") if settings.sensors else ("moved", "encoders")
    for word in strangers:
        if getattr(settings, word) not in (None, (), False):
            how = "goes without" if settings.sensors else "goes with"
            raise UsageError("usage.together/calibrate", word=word.replace("_", "-"), how=how)
