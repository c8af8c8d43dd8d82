"""The words that a log was read with, typed again: a command that is offered works as it stands.

Every command that offers another one about the same log takes these words from here, whichever of them its settings have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bifilar.cli.public_sets import named

ONE = ("mapping", "rate", "run")
SEVERAL = ("lock", "gain", "sign", "unit", "rename")
OF_ALL = ("lock", "gain")  # of public sets as well
DECIDED = ("log_delay", "kinematics")  # auto if nothing is said


def log_options(settings: Any, *logs: str, lock: bool = True) -> list[str]:
    """Mapping, rate, locks, signs, units, delay and how columns are matched, as they were given; public sets need the locks,
    the gains and the delay only.

    >>> from bifilar.cli.check import Settings
    >>> log_options(Settings(log="run.csv", mapping="run.toml", rate=500.0, lock=("finger*",), by_position=True))
    ['--mapping', 'run.toml', '--rate', '500', '--lock', 'finger*', '--by-position']
    >>> log_options(Settings(log="panda_gaz", sign=("elbow=-1",), lock=("finger*",)), "panda_gaz")
    ['--lock', 'finger*']
    >>> log_options(Settings(log="run.csv", log_delay=0.005))
    ['--log-delay', '0.005']
    """
    public = bool(logs) and all(named(log) is not None for log in logs)
    given = settings if isinstance(settings, Mapping) else vars(settings)
    parts: list[str] = []
    for word in () if public else ONE:
        value = given.get(word)
        parts += [] if value is None else [f"--{word}", f"{value:.12g}" if isinstance(value, float) else str(value)]
    for word in SEVERAL:
        values = given.get(word, ()) if (lock if word == "lock" else word in OF_ALL or not public) else ()
        parts += [f"--{word}", *map(str, values)] if values else []
    for word in DECIDED:
        value = given.get(word, "auto")
        parts += (
            []
            if value == "auto"
            else [f"--{word.replace('_', '-')}", f"{value:.12g}" if isinstance(value, float) else str(value)]
        )
    return parts + (["--by-position"] if given.get("by_position") and not public else [])
