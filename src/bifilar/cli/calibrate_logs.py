"""The logs of `bifilar calibrate`, read and looked at before anything is found from them.

What stands as torque may be a current, or a reading of a sensor, of any gain and sign: these are asked for. Whatever else
makes a log useless makes it useless here: degrees, another robot's log, joints in another order, a wrong clock
(checks_current). Two more mistakes need two logs: the same one without and with the load, and currents of one in A, of the
other in mA. Runs without and with the load need not be of the same motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.cli.guard import UsageError
from bifilar.cli.log_checks import OF_MOTION, looked_at
from bifilar.cli.log_words import log_of, one_log
from bifilar.cli.one_unit import refuse_two_units
from bifilar.cli.output import typed_command
from bifilar.cli.progress import Tell, quiet
from bifilar.cli.typed_log import log_options
from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.recording.checks_current import directions
from bifilar.recording.recording import Recording
from bifilar.robot.robot import Robot

if TYPE_CHECKING:
    from bifilar.cli.calibrate import Settings

Named = tuple[str, Recording]
EXCHANGED = "the load seems to lift the arm: are --free and --loaded exchanged?"
BOTH = "a log that is named twice tells nothing about a load"
THOUSAND = (2.2, 3.8)  # log10 of a ratio near 1000: a load and another motion make far less of a difference
HEAVY = 3.0  # times its own weight: more than any arm carries


class Logs(NamedTuple):
    """What was recorded, and what is odd about it.

    >>> Logs([], [], [], [], ["warning of a.csv: clock: a gap of 2 s"]).free
    []
    """

    free: list[Recording]
    loaded: list[Recording]
    test_free: list[Recording]
    test_loaded: list[Recording]
    odd: list[str]  # sentences


def logs_of(settings: Settings, robot: Robot, tell: Tell = quiet) -> Logs:
    """Recordings without the load and with it, and those to judge on, joints in the robot's order; refused if they are wrong.

    >>> from bifilar.cli.calibrate import Settings
    >>> logs_of(Settings(robot="panda", free=("nowhere.csv",), loaded=("b.csv",), mass=1.0), bf.Robot.load("panda"))
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: ...
    """
    from bifilar.cli.fit_run import once

    names = (settings.free, settings.loaded, settings.test_free, settings.test_loaded)
    groups = [[(name, _read(settings, name, robot, tell)) for name in group] for group in names]
    together = [log for group in groups for log in group]
    refuse_two_units(settings.unit, together)
    odd = looked_at(together, robot, anyway=settings.anyway, current=True, without=OF_MOTION if settings.sensors else ())
    if not settings.anyway:
        refuse_two_scales(together)
    once([*groups[0], *groups[1]], [*groups[2], *groups[3]], "calibrated with", BOTH)
    free, loaded, test_free, test_loaded = ([log for _, log in group] for group in groups)
    return Logs(free, loaded, test_free, test_loaded, odd)


def _read(settings: Settings, name: str, robot: Robot, tell: Tell) -> Recording:
    """A log with the robot's joints in its order; NAME:RUN is a run of a public set."""
    tell(f"reading {name}")
    log = log_of(one_log(settings, name)).read(robot).joints(robot.joint_names)
    if log.torque is not None or log.current is None:
        return log
    return log.with_channel("torque", log.current)  # gains are found for whatever the drives report


def lifts(gain: Array, told: NDArray[np.bool_], logs: Sequence[Recording], robot: Robot) -> bool:
    """Whether the load seems to lift the arm: most gains that are `told` contradict how each log by itself says motors turn.

    A drive that is wired the other way, or a sensor that is turned round, has a negative gain by both.

    >>> from bifilar.recording.check import example
    >>> recording, arm = example()
    >>> lifts(np.array([-8.0, -5.0]), np.ones(2, bool), [recording], arm)
    True
    >>> lifts(np.array([-8.0, -5.0]), np.ones(2, bool), [recording.with_channel("torque", -recording.torque)], arm)
    False
    """
    wired = np.sign(sum((directions(log, robot) for log in logs), np.zeros(len(gain))))
    wired = wired if wired.any() else np.ones(len(gain))  # a description without masses: the usual way
    return bool((np.sign(gain) * wired)[told].sum() < 0)


def other_way(settings: Settings) -> str:
    """The command with the logs exchanged.

    >>> from bifilar.cli.calibrate import Settings
    >>> other_way(Settings(robot="arm.urdf", free=("a.csv",), loaded=("b.csv",), mass=2.0))
    'bifilar calibrate arm.urdf --free b.csv --loaded a.csv --mass 2'
    """
    more = (
        "--mass",
        f"{settings.mass:g}",
        *(["--sensors"] if settings.sensors else []),
        *log_options(settings, *settings.free),
    )
    return typed_command("bifilar", "calibrate", settings.robot, "--free", *settings.loaded, "--loaded", *settings.free, *more)


def refuse_two_scales(logs: Sequence[Named]) -> None:
    """Refuse logs of which one records torques a thousand times those of another.

    >>> one = Recording(joint_names=("hip",), time=[0.0, 1.0], torque=[[0.0], [1.0]])
    >>> refuse_two_scales([("a.csv", one), ("b.csv", one.with_channel("torque", 800 * one.torque))])
    Traceback (most recent call last):
    ...
    bifilar.errors.RecordingError: torque of 'b.csv' is 800 times that of 'a.csv'
      where   b.csv
      likely  currents in mA in one, in A in the other, or N m beside mN m
      try     bifilar convert b.csv right.csv --unit torque=mNm, then name right.csv; --anyway takes it as it is
    """
    size = {name: np.nanstd(log.torque, axis=0) for name, log in logs if log.torque is not None and len(log)}
    for name, one in size.items():
        for other, less in size.items():
            there = (one > 0) & (less > 0)
            ratio = float(np.median(one[there] / less[there])) if there.any() else 1.0
            if THOUSAND[0] < np.log10(ratio) < THOUSAND[1]:
                convert = typed_command("bifilar", "convert", name, "right.csv", "--unit", "torque=mNm")
                raise RecordingError("torque.uneven", where=name, name=name, ratio=ratio, other=other, convert=convert)


def refuse_grams(mass: float, robot: Robot) -> None:
    """Refuse a load that no arm of that weight carries.

    >>> refuse_grams(2.8, bf.Robot.load("ur10e"))
    >>> refuse_grams(2800.0, bf.Robot.load("ur10e"))
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: --mass 2800 is 96 times what the arm itself weighs, 29.1 kg
      likely  it is in grams
      try     --mass 2.8, in kilograms; --anyway takes it as it is
    """
    weight = float(sum(link.inertia.mass for link in robot.links))
    if 0 < HEAVY * weight < mass:
        raise UsageError("load.heavy", mass=mass, mass_2=mass / weight, weight=weight, mass_3=mass / 1000)
