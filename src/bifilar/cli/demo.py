"""`bifilar demo`: the whole line in a minute, on a Panda-like machine that is unlike its description."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.options import JsonOutput, Seed, written

SUMMARY = """The whole line in a minute, on a simulated Panda that is unlike its description and has friction nobody described.

A motion is designed and played; the recording is checked, fitted, judged on another motion, and the robot written."""
EXAMPLES = """\
  bifilar demo                     files in demo/, a page at the end
  bifilar demo --seed 1            another machine, other motions
  bifilar demo -o elsewhere        another folder; an earlier demo is replaced, nothing else
"""


@dataclass(frozen=True, kw_only=True)
class Settings(JsonOutput):
    """Where to put it.

    >>> Settings().output
    'demo'
    """

    output: Annotated[str, written("FOLDER", None)] = "demo"  # for motions, recordings and results
    duration: Annotated[float, arg(metavar="S")] = 10.0  # of each motion
    unlike: Annotated[float, arg(metavar="SHARE")] = 0.3  # by which links differ from the description at most
    seed: Seed = 0


def run(settings: Settings) -> int:
    """Tell the story; 1 if the result is not to be trusted.

    >>> Settings(duration=5.0).duration
    5.0
    """
    from bifilar.cli.demo_story import story

    if not 0 < settings.duration < float("inf"):
        raise UsageError("usage.value/demo", duration=settings.duration)
    if not 0 <= settings.unlike < 1:
        raise UsageError("usage.value/run", unlike=settings.unlike)
    if settings.seed < 0:
        raise UsageError("usage.value/demo_run", seed=settings.seed)
    say = (lambda line: None) if settings.json else _say
    told = story(Path(settings.output), settings.duration, settings.unlike, say, settings.seed)
    if settings.json:
        sys.stdout.write(json_text(told.facts()))
    return 0 if told.good else 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
