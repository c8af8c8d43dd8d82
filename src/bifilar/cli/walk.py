"""`bifilar walk simulate|fit|track WALKER`: a planar walker walks, is identified from its log, is followed by a filter."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from bifilar.cli.guard import UsageError
from bifilar.cli.options import RECORDED, PagedOutput, written

SUMMARY = """Planar walkers: simulate a walk and record its sensors, identify the walker from such a log, follow its state.

simulate writes a log, a file of sensors beside it and a page on which the walker walks. fit finds masses, centres and inertias
from the strides, without any encoder of the absolute angle, and simulates strides that it has not seen. track runs a Kalman
filter over a log, through the touchdowns, and draws the walker as the filter believed it."""
EXAMPLES = """\
  bifilar walk simulate walker3 -o walk.csv                   10 s of walking, encoders and an inertial sensor on the torso
  bifilar walk simulate walker5 --unlike 0.2 -o walk.parquet  a machine up to 20 % unlike its description
  bifilar walk fit walker5 walk.parquet                       its parameters with error bars, judged on the last strides
  bifilar walk track walker5 walk.parquet --fitted walk_fit.json   the torso's angle, by a filter with that model
  bifilar walk simulate leg -o leg.csv                        a leg on a pivot that nothing drives
"""
ONE_WORD = "walk takes one walker and at most one log"
OWN = {  # options that belong to some of the verbs
    "simulate": ("seconds", "hz", "shake", "torso", "unlike", "seed"),
    "fit": ("held", "skip"),
    "track": ("fitted", "filter", "passage", "touchdown", "find_slope", "skip"),
}

WRITES = (
    f"simulate: the log, {RECORDED} (walk.csv); fit: the result (LOG_fit.json); track: a table (LOG_track.csv); "
    "pages lie beside them"
)


@dataclass(frozen=True, kw_only=True)
class Settings(PagedOutput):
    """What is done, with which walker.

    >>> Settings(what="simulate", walker="walker3").sensors is None
    True
    """

    what: Annotated[Positional[Literal["simulate", "fit", "track"]], arg(metavar="simulate|fit|track")]
    walker: Annotated[Positional[str], arg(metavar="WALKER")]
    """walker3, walker5, leg, or a robot's file with slides along x and z, a pitch joint, and links named foot..."""
    log: Annotated[Positional[str | None], arg(metavar="[LOG]", help_behavior_hint="")] = None  # of fit and track
    sensors: Annotated[
        str | None, arg(metavar="NAME|FILE", help_behavior_hint="(default: imu; of fit and track: beside the log)")
    ] = None
    """encoders, gyroscope, accelerometer, imu or distance; or a .toml file such as simulate writes"""
    seconds: Annotated[float | None, arg(metavar="S", help_behavior_hint="(default: 10)")] = None  # that are simulated
    hz: Annotated[float | None, arg(metavar="HZ", help_behavior_hint="(default: 200)")] = None  # of controller and log
    shake: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="(default: 0.03)")] = None
    """sinusoids on the torques, of the gait's largest: a steady gait shows few parameters"""
    torso: Annotated[float | None, arg(metavar="DEG", help_behavior_hint="(default: 30)")] = None  # how far it leans
    slope: Annotated[float | None, arg(metavar="DEG", help_behavior_hint="(default: 0)")] = None  # of the ground, upwards
    unlike: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="(default: 0)")] = None
    """by which links differ from the description at most; legs stay alike"""
    seed: Annotated[int | None, arg(metavar="N", help_behavior_hint="(default: 0)")] = None  # of noise, shaking, unlikeness
    held: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="(default: 0.3)")] = None  # of the strides, to judge
    skip: Annotated[bool, arg(help_behavior_hint="")] = False  # fit leaves strides with lost readings out, track the readings
    fitted: Annotated[str | None, arg(metavar="FILE", help_behavior_hint="")] = None  # what fit wrote, as track's model
    filter: Literal["unscented", "extended"] = "unscented"
    passage: Literal["saltation", "reset", "sample", "heuristic", "ignored"] = "saltation"
    """how the filter's belief passes a touchdown: at its own instant, with or without the instant's error; at the sample, as
    the thesis has it, by its heuristic; or not at all"""
    touchdown: Literal["switch", "gyroscope", "accelerometer"] = "switch"  # what tells it
    find_slope: Annotated[bool, arg(help_behavior_hint="")] = False  # follow the ground's slope as well
    output: Annotated[str | None, written("FILE", "", WRITES)] = None

    def number(self, name: str, usual: float, low: float, high: float) -> float:
        """A setting that was given, or its usual value; refused outside (low, high).

        >>> Settings(what="simulate", walker="walker3").number("seconds", 10.0, 0.0, 600.0)
        10.0
        """
        value = getattr(self, name)
        value = usual if value is None else float(value)
        if not low < value < high:
            raise UsageError("usage.value/walk", name=name, value=value, low=low, high=high, usual=usual)
        return value


def run(settings: Settings) -> int:
    """Do it.

    >>> run(Settings(what="fit", walker="walker3"))
    Traceback (most recent call last):
    ...
    bifilar.cli.guard.UsageError: there is no log to fit
      try     bifilar walk fit walker3 walk.csv
    """
    from importlib import import_module

    _refuse_others(settings)
    return int(import_module(f"bifilar.cli.walk_{settings.what}").run(settings))


def _refuse_others(settings: Settings) -> None:
    """An option of another verb would be forgotten in silence."""
    usual = {field.name: field.default for field in fields(Settings)}
    for verb, names in OWN.items():
        wrong = [name for name in names if getattr(settings, name) != usual[name] and name not in OWN[settings.what]]
        if wrong:
            raise UsageError("usage.not_for/walk", wrong=wrong[0].replace("_", "-"), verb=verb)
    if settings.what == "simulate" and settings.log is not None:
        raise UsageError("usage.value/refuse_others", log=settings.log)
    if settings.what != "simulate" and settings.log is None:
        raise UsageError("usage.no_log/walk", thing=settings.what, walker=settings.walker)
