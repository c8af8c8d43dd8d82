"""`bifilar benchmark-methods [ROBOT]`: every method on the same recordings of a virtual arm whose parameters are known."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from bifilar.cli.letter import json_text
from bifilar.cli.options import JsonOutput, Seed
from bifilar.cli.output import show

SUMMARY = """Every method of estimation on the same recordings of a virtual arm whose parameters are known.

A table of errors, bias, spread, coverage, failures and time, over noise levels and wrong descriptions to start from. The
loop reads the noisy positions, as on a machine. Failed runs are counted, and their values stay in the figures."""
EXAMPLES = """\
  bifilar benchmark-methods                                  a two-link arm, two noise levels, four starts: two minutes
  bifilar benchmark-methods arm.urdf --starts 10             your own arm
  bifilar benchmark-methods --noise 1e-4:0.02 1e-3:0.1       noise of positions [rad] and torques [N m]
  bifilar benchmark-methods --methods likelihood weighted    some methods only
  bifilar benchmark-methods --preset birdy --repeats 1       noise levels and starts of the BIRDy benchmark, each once
"""
ONE_WORD = "benchmark-methods takes one robot at a time"


@dataclass(frozen=True, kw_only=True)
class Settings(JsonOutput):
    """What to play, and how often.

    >>> Settings().preset
    'quick'
    """

    robot: Annotated[Positional[str | None], arg(metavar="ROBOT")] = None  # a file or a built-in name; left out: the preset's
    preset: Literal["quick", "birdy"] = "quick"
    """birdy: six joints, 10 s, five noise levels, 25 starts, as many repeats as there are base parameters"""
    methods: Annotated[tuple[str, ...], arg(metavar="WORD ...", help_behavior_hint="")] = ()  # those with such a word
    noise: Annotated[tuple[str, ...], arg(metavar="RAD:NM ...", help_behavior_hint="")] = ()
    """standard deviations of positions and torques in place of the preset's"""
    starts: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None  # wrong descriptions to start from
    repeats: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None  # recordings for each
    wrong: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="(default: 0.15)")] = None  # by which starts are off
    duration: Annotated[float | None, arg(metavar="S", help_behavior_hint="")] = None  # of the motion
    friction: Literal["viscous", "coulomb"] = "viscous"  # of an arm that has none in its file; coulomb: both
    seed: Seed = 0


def run(settings: Settings) -> int:
    """Run the study; 1 if every run of some method failed.

    >>> run(Settings(robot="pendulum", methods=("weighted",), noise=("1e-5:0.001",), starts=1, duration=3.0))
    pendulum...
    0
    """
    from bifilar.cli.benchmark_methods_study import facts, studied
    from bifilar.cli.benchmark_methods_view import view

    done = studied(settings)
    rows = done.result.summaries()
    if settings.json:
        sys.stdout.write(json_text(facts(done)))
    else:
        show(view(done, settings.robot or "arm.urdf"))
    by_method: dict[str, list[bool]] = {}
    for row in rows:
        by_method.setdefault(row.method, []).append(row.failures == row.runs)
    return 1 if any(all(lost) for lost in by_method.values()) else 0
