"""`bifilar rerun RUN`: do a run again from its own settings and inputs, and compare values, deviations, verdict and score."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from bifilar import __version__
from bifilar.cli.letter import json_text
from bifilar.cli.options import JsonOutput, RunFolder, written
from bifilar.cli.output import next_step, show, typed_command, words
from bifilar.cli.progress import steps
from bifilar.errors import RecordingError

if TYPE_CHECKING:
    from bifilar.dynamics.tree import Array
    from bifilar.estimate.estimate import BaseEstimate

SUMMARY = """Do a run again from its own settings and inputs, and compare.

Compared to the last digit: values, deviations, the verdict with its numbers, and the score. Exit code 1 if any of
them differ. Inputs that changed since are refused."""
EXAMPLES = """\
  bifilar rerun runs/arm-001                    the same numbers?
  bifilar rerun runs/arm-001 -o runs/again      and keep the second run
"""


@dataclass(frozen=True, kw_only=True)
class Settings(JsonOutput):
    """Which run.

    >>> Settings(run="runs/arm-001").output is None
    True
    """

    run: RunFolder
    output: Annotated[str | None, written("FOLDER")] = None  # to keep it


def run(settings: Settings) -> int:
    """Run again and compare; 1 if a number differs.

    >>> run(Settings(run="nowhere"))
    Traceback (most recent call last):
    ...
    bifilar.cli.fit_folder.RunError: there is no run here
    ...
    """
    from bifilar.cli import fit_run, simplify_run
    from bifilar.cli.fit_folder import about_run, inputs_of, may_be_made, run_settings
    from bifilar.estimate.saved import load_estimate
    from bifilar.export.run_reader import at_once

    place = Path(settings.run)
    before, about, inputs, stored = at_once(
        place, lambda: (run_settings(place), about_run(place), inputs_of(place), load_estimate(place))
    )
    if settings.output is not None:
        may_be_made(Path(settings.output), forced_by="")
    changed = [name for _, name, same in inputs if not same]
    if changed:
        there = Path(changed[0]).is_file()
        raise RecordingError("run.changed/rerun" if there else "run.changed/gone", where=settings.run, file=changed[0])
    again = replace(before, output=settings.output, force=False)
    fitted: Any = simplify_run.simplified if about["settings"].get("verb") == "simplify" else fit_run.fitted
    with steps(fit_run.work(again)) as tell:
        done = fitted(again, tell)
    folder = None if settings.output is None else fit_run.written(done)
    now = done.estimate
    named = stored.names == now.names
    largest = float(np.abs(stored.values - now.values).max()) if named else float("nan")
    facts = json.loads(json.dumps(done.facts(Path(settings.run))))  # as a run stores them
    compared = {
        "values": named and all(np.array_equal(*pair) for pair in zip(_values(stored), _values(now))),
        "deviations": named
        and all(np.array_equal(*pair, equal_nan=True) for pair in zip(_deviations(stored), _deviations(now))),
        "verdict": _alike(about.get("verdict"), facts["verdict"]),
        "score": _alike(about.get("score"), facts["score"]),
    }
    differ = [what for what, alike in compared.items() if not alike]
    same = not differ
    if settings.json:
        said = {"bifilar": __version__, "run": settings.run, "same": same, "largest_difference": largest}
        said |= {"compared": list(compared), "differ": differ}
        sys.stdout.write(json_text({**said, "folder": None if folder is None else str(folder)}))
    else:
        which = [what for what in compared if what != "score" or about.get("score") is not None or facts["score"] is not None]
        text = f"the same {_and(which)} to the last digit" if same else f"{_and(differ)} differ"
        text += f", values by {largest:.3g} at most" if "values" in differ and named else ""
        kept = [] if folder is None else [words(f"wrote    {folder}")]
        after = ("validate", settings.run, "other.csv") if same else ("doctor",)
        show([words(f"rerun    {settings.run}: {text}"), *kept, next_step(typed_command("bifilar", *after))])
    return 0 if same else 1


def _values(estimate: BaseEstimate) -> list[Array]:
    """Of base parameters, and of a robot's own where they are told apart."""
    from bifilar.estimate.estimate import Estimate

    return [estimate.values, *([estimate.parameters.values] if isinstance(estimate, Estimate) else [])]


def _deviations(estimate: BaseEstimate) -> list[Array]:
    from bifilar.estimate.estimate import Estimate

    return [estimate.deviations, *([estimate.parameter_deviations] if isinstance(estimate, Estimate) else [])]


WORDS = {"reasons", "findings"}  # of a verdict


def _alike(stored: Any, now: Any) -> bool:
    """Whether facts are the same, but for sentences: those may be worded anew, the level and the numbers may not.

    >>> _alike({"level": "good", "reasons": ["so"]}, {"level": "good", "reasons": ["thus"]}), _alike({"r2": 0.1}, {"r2": 0.2})
    (True, False)
    """
    if isinstance(stored, dict) and isinstance(now, dict):
        keys = stored.keys() - WORDS
        return keys == now.keys() - WORDS and all(_alike(stored[key], now[key]) for key in keys)
    if isinstance(stored, list) and isinstance(now, list):
        return len(stored) == len(now) and all(map(_alike, stored, now))
    return bool(stored == now)


def _and(several: list[str]) -> str:
    return " and ".join([", ".join(several[:-1]), several[-1]] if len(several) > 1 else several)
