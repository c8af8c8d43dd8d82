"""`bifilar rerun RUN`: do a run again from its own settings and inputs, and compare every number."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from tyro.conf import Positional, arg

from bifilar import __version__
from bifilar.cli.letter import json_text
from bifilar.cli.output import next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.errors import RecordingError

SUMMARY = """Do a run again from its own settings and inputs, and compare every number.

Exit code 1 if the numbers differ. Inputs that changed since are refused."""
EXAMPLES = """\
  bifilar rerun runs/arm-001                    the same numbers?
  bifilar rerun runs/arm-001 -o runs/again      and keep the second run
"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which run.

    >>> Settings(run="runs/arm-001").output is None
    True
    """

    run: Annotated[Positional[str], arg(metavar="RUN")]  # folder that 'bifilar fit' wrote
    output: Annotated[str | None, arg(metavar="FOLDER", aliases=["-o"], help_behavior_hint="")] = None  # to keep it
    json: Annotated[bool, arg(help_behavior_hint="")] = False  # one JSON object instead of text


def run(settings: Settings) -> int:
    """Run again and compare; 1 if a number differs.

    >>> run(Settings(run="nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    from bifilar.cli.fit_folder import inputs_of, may_be_made, run_settings
    from bifilar.cli.fit_run import fitted, work, written
    from bifilar.estimate.saved import load_estimate

    before = run_settings(Path(settings.run))
    if settings.output is not None:
        may_be_made(Path(settings.output), forced_by="")
    changed = [name for _, name, same in inputs_of(Path(settings.run)) if not same]
    if changed:
        what = "is not what it was when the run was made" if Path(changed[0]).is_file() else "is gone"
        what = f"'{changed[0]}' {what}"
        raise RecordingError(what, where=settings.run, remedy="put the file back, or start a new run with 'bifilar fit'")
    stored = load_estimate(settings.run)
    again = replace(before, output=settings.output, force=False)
    with steps(work(again)) as tell:
        done = fitted(again, tell)
    folder = None if settings.output is None else written(done)
    now = done.estimate
    same = stored.names == now.names and np.array_equal(stored.values, now.values)
    largest = float(np.abs(stored.values - now.values).max()) if stored.names == now.names else float("nan")
    if settings.json:
        facts = {"bifilar": __version__, "run": settings.run, "same": same, "largest_difference": largest}
        sys.stdout.write(json_text({**facts, "folder": None if folder is None else str(folder)}))
    else:
        said = "the same numbers to the last digit" if same else f"numbers differ, by {largest:.3g} at most"
        kept = [] if folder is None else [words(f"wrote    {folder}")]
        after = ("validate", settings.run, "other.csv") if same else ("doctor",)
        show([words(f"rerun    {settings.run}: {said}"), *kept, next_step(typed_command("bifilar", *after))])
    return 0 if same else 1
