"""`bifilar validate RUN LOG`: an identified robot on a log that it has not seen."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from bifilar import __version__
from bifilar.cli.guard import UsageError
from bifilar.cli.letter import json_text
from bifilar.cli.output import patience, show

SUMMARY = """An identified robot on logs that it has not seen: errors joint by joint, what they still know, and a verdict.

Exit code 1 if the verdict is poor or refused."""
EXAMPLES = """\
  bifilar validate runs/arm-001 other.csv                    as the run's own logs were read and filtered
  bifilar validate runs/arm-001 other.csv --good 0.02        a verdict that asks for more
"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which run, which logs, and what is asked for.

    >>> Settings(run="runs/arm-001", logs=("other.csv",)).good
    0.05
    """

    run: Annotated[Positional[str], arg(metavar="RUN")]  # folder that 'bifilar fit' wrote
    logs: Annotated[Positional[tuple[str, ...]], arg(metavar="LOG ...")]  # to judge on
    good: Annotated[float, arg(metavar="SHARE")] = 0.05  # relative torque error of a good model, at most
    usable: Annotated[float, arg(metavar="SHARE")] = 0.15  # of a usable one
    over_noise: Annotated[float, arg(metavar="TIMES")] = 2.0  # error over the fit's noise that a good one may have at a joint
    json: Annotated[bool, arg(help_behavior_hint="")] = False  # one JSON object instead of text


def run(settings: Settings) -> int:
    """Judge; 1 if the verdict is poor or refused.

    >>> run(Settings(run="nowhere", logs=("other.csv",)))
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: there is no estimate here
    ...
    """
    from bifilar.cli.fit_run import read_as, run_settings, was_fitted
    from bifilar.cli.fit_view import verdict_lines
    from bifilar.estimate.saved import load_estimate
    from bifilar.validate.holdout import held_out
    from bifilar.validate.verdict import Thresholds, judge

    asked = Thresholds(good=settings.good, usable=settings.usable, over_noise=settings.over_noise)
    estimate = load_estimate(settings.run)
    before = run_settings(Path(settings.run))
    for name in settings.logs:
        if was_fitted(Path(settings.run), name):
            what = f"'{name}' was fitted by this run: it says nothing about unseen motion"
            raise UsageError(what, remedy="judge on a log of another motion")
    with patience("reading; the first time, kernels are compiled"):
        logs = [read_as(before, name, estimate.described) for name in settings.logs]
        verdict = judge(estimate, held_out(estimate, logs), asked)
    if settings.json:
        facts = {"bifilar": __version__, "run": settings.run, "logs": list(settings.logs), "verdict": verdict.facts()}
        sys.stdout.write(json_text(facts))
    else:
        show(verdict_lines(verdict, ", ".join(settings.logs)))
    return 0 if verdict.level in ("good", "usable") else 1
