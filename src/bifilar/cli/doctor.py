"""`bifilar doctor`: is everything in place, and does it compute right? `--warm` compiles every kernel once."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

from tyro.conf import arg

from bifilar import __version__
from bifilar.cli.doctor_facts import blas, datasets, machine, package_findings, packages
from bifilar.cli.kernel_cache import CacheState, cache_state, tidy, warm
from bifilar.cli.letter import json_text
from bifilar.cli.options import JsonOutput
from bifilar.cli.output import console, patience, show
from bifilar.cli.self_test import Check, self_test
from bifilar.dynamics import engine
from bifilar.errors import BifilarError, Finding

SUMMARY = "Whether everything bifilar needs is in place, and works."
EXAMPLES = """\
  bifilar doctor             a look at this machine, and a short self-test
  bifilar doctor --warm      compile every kernel now, so that no later call has to
  bifilar doctor --tidy      delete compiled kernels that other versions left behind
"""


@dataclass(frozen=True, kw_only=True)
class Settings(JsonOutput):
    """What to do beside looking.

    >>> Settings().warm
    False
    """

    warm: Annotated[bool, arg(help_behavior_hint="")] = False  # compile every kernel once; takes a minute or two
    tidy: Annotated[bool, arg(help_behavior_hint="")] = False  # delete kernels of other versions of bifilar, numba or Python


@dataclass(frozen=True)
class Health:
    """Everything that was looked at.

    >>> Health("numpy", None, [Check("sums", 0.0)], 0.1, []).is_good
    True
    """

    engine: str
    cache: CacheState | None  # None without the compiled engine
    checks: list[Check]
    seconds: float  # of the self-test, compiling included
    findings: list[Finding]

    @property
    def is_good(self) -> bool:
        """Whether every check passed and nothing needed is missing.

        >>> Health("numpy", None, [Check("sums", 1.0)], 0.1, []).is_good
        False
        """
        return all(check.passed for check in self.checks) and not any(f.severity == "error" for f in self.findings)


def run(settings: Settings) -> int:
    """Look, compile if asked to, test; 1 if something does not work.

    >>> run(Settings(json=True))
    {...}
    0
    """
    health = examine(compile_first=settings.warm, tidy_first=settings.tidy)
    if settings.json:
        sys.stdout.write(json_text(facts(health)))
    else:
        from bifilar.cli.doctor_view import view

        show(view(health))
    return 0 if health.is_good else 1


def examine(compile_first: bool = False, tidy_first: bool = False) -> Health:
    """Look at everything and run the self-test.

    >>> examine().is_good
    True
    """
    findings = package_findings(packages())
    try:
        name = {module: name for name, module in engine.MODULES.items()}[engine.current().__name__]
    except BifilarError as error:
        return Health(
            "none",
            None,
            [],
            0.0,
            [
                *findings,
                Finding("doctor.robot", "error", error.where, thing=error.what, reason=error.code, advice=error.remedy),
            ],
        )
    compiles = name == "numba"
    removed = tidy() if compiles and tidy_first else 0
    if compiles and compile_first:
        _warm_with_progress()
    start = time.perf_counter()
    checks, broken = _tested()
    seconds = time.perf_counter() - start
    cache = replace(cache_state(), removed=removed) if compiles else None
    return Health(name, cache, checks, seconds, [*findings, *broken, *_engine_findings(name), *_cache_findings(cache)])


def facts(health: Health) -> dict[str, Any]:
    """What `--json` prints.

    >>> list(facts(examine()))[:3]
    ['bifilar', 'good', 'machine']
    """
    state = health.cache
    return {
        "bifilar": __version__,
        "good": health.is_good,
        "machine": machine(),
        "packages": [{**asdict(package), "present": package.present} for package in packages()],
        "blas": blas(),
        "engine": health.engine,
        "kernels": None if state is None else {**asdict(state), "warm": state.is_warm},
        "datasets": datasets(),
        "self_test": [{**asdict(check), "passed": check.passed} for check in health.checks],
        "self_test_seconds": round(health.seconds, 3),
        "findings": [finding.data() for finding in health.findings],
    }


def _tested() -> tuple[list[Check], list[Finding]]:
    """A self-test that breaks is a result here, not a crash."""
    try:
        with patience("compiling what the self-test needs, some seconds this first time"):
            return self_test(), []
    except Exception as error:
        return [Check("the self-test runs", float("inf"))], [
            Finding("doctor.self_test", "error", "self-test", kind=type(error).__name__, error=error)
        ]


def _warm_with_progress() -> None:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    shown = (
        TextColumn("compiling", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[kernel]}"),
    )
    with Progress(*shown, console=console(sys.stderr), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", kernel="")
        warm(lambda name, done, of: bar.update(task, completed=done, total=of, kernel=name))


def _engine_findings(name: str) -> list[Finding]:
    if name == "numba" or engine.available()[0] == name:
        return []
    return [Finding("doctor.numpy_engine", "note", "engine")]


def _cache_findings(state: CacheState | None) -> list[Finding]:
    if state is None or state.writable:
        return []
    return [Finding("doctor.cache_unwritable", "warning", "kernel cache", folder=state.folder)]
