"""How logs are read, decided once, before anything is fitted: the delay of the torque, and where velocities come from.

`Recipe(delay=None, kinematics="auto")`, the default, leaves both to the recordings that are fitted. The decision is written
into the recipe, which the estimate keeps: recordings that it is evaluated on are read in the same way, and decide nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.errors import BifilarError, Note
from bifilar.estimate.delay_choice import REACH, SHARE, STEP, DelayChoice, choose_delay
from bifilar.estimate.kinematics_choice import KinematicsChoice, choose_kinematics
from bifilar.estimate.reading_evidence import Rows, rows_of
from bifilar.estimate.sources import Data, listed
from bifilar.recording.log_delay import declared_delay, in_time
from bifilar.recording.plain_rows import is_unordered
from bifilar.recording.prepare import prepare
from bifilar.recording.recipes import Recipe, recipe_of
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.robot.robot import Robot

DERIVING = ("butterworth", "smoother", "differences")  # methods that logged velocities may take the place of


class Reading(NamedTuple):
    """Recordings, or what was prepared of them already, the recipe without anything open, and how it was decided.

    >>> Reading((), "default", {}).recipe
    'default'
    """

    recordings: tuple[Data, ...]
    recipe: str | Recipe
    tables: dict[str, Any]  # "delay" and "kinematics", where they were looked for


def decided(robot: Robot, recordings: Data | Iterable[Data], recipe: str | Recipe) -> Reading:
    """A recipe that leaves nothing open, from the recordings themselves; samples and arrays decide nothing.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> reading = decided(robot, recording, "default")
    >>> reading.recipe.delay, reading.recipe.kinematics, reading.tables["delay"].code
    (0.0, 'derived', 'delay.none')
    """
    data = listed(recordings)
    settings = recipe_of(recipe)
    logs = [one for one in data if isinstance(one, Recording)]
    if not logs or (settings.delay is not None and settings.kinematics != "auto"):
        return Reading(data, recipe, {})
    if any(log.clock == "none" or (settings.kinematics == "logged" and is_unordered(log)) for log in logs):
        plain = {"filter_torque": False, "filter_columns": False, "decimate": False, "edge": 0.0}
        return Reading(data, recipe_of(settings, delay=settings.delay or 0.0, kinematics="logged", **plain), {})
    known = settings.delay if all(declared_delay(log) is None for log in logs) else settings.delay or 0.0
    usual = recipe_of(
        settings, delay=known or 0.0, kinematics="derived" if settings.kinematics == "auto" else settings.kinematics
    )
    looked = _looked_at(robot, data, recipe_of(settings, delay=known), usual)
    if looked is None:
        return Reading(data, usual, {})
    prepared, rows = looked
    tables: dict[str, Any] = {}
    with one_blas_thread():
        if known is None:
            tables["delay"] = choose_delay(rows, max(1 / log.rate for log in logs))
        delay = tables["delay"].delay if "delay" in tables else 0.0  # of the rows: what is known was taken out of them
        choice = choose_kinematics(rows, _moved(rows, delay)) if settings.kinematics == "auto" else None
    tables |= {} if choice is None else {"kinematics": choice}
    changed = {"delay": delay} if delay else {}
    changed |= {"kinematics": "logged"} if choice is not None and choice.chosen == "logged" else {}
    return Reading(data if changed else prepared, recipe_of(usual, **changed), tables)


def _looked_at(robot: Robot, data: tuple[Data, ...], settings: Recipe, usual: Recipe) -> tuple[tuple[Data, ...], Rows] | None:
    """What was prepared of the recordings in the usual way, and rows to decide on; None where nothing can be told."""
    if robot.is_floating or not (usual.filter_torque and usual.filter_columns and usual.method in DERIVING):
        return None
    shortest = min(log.duration for log in data if isinstance(log, Recording))
    reach = min(REACH, SHARE * shortest) if settings.delay is None else 0.0
    with suppress(BifilarError, np.linalg.LinAlgError):  # what is wrong with a recording is told by who prepares it
        prepared: list[Data] = [prepare(one, usual, robot=robot) if isinstance(one, Recording) else one for one in data]
        pairs = [
            (in_time(log, usual.delay or 0.0), one)
            for log, one in zip(data, prepared)
            if isinstance(log, Recording) and isinstance(one, Samples)
        ]
        rows = rows_of(robot, pairs, reach, STEP, logged=settings.kinematics == "auto")
        return None if rows is None else (tuple(prepared), rows)
    return None


def _moved(rows: Rows, delay: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The torque of the rows at a delay, between the shifts of the scan."""
    if len(rows.shifts) < 2:
        return rows.torque[:, :, 0]
    k = int(np.clip(np.searchsorted(rows.shifts, delay, side="right") - 1, 0, len(rows.shifts) - 2))
    part = (delay - rows.shifts[k]) / (rows.shifts[k + 1] - rows.shifts[k])
    return (1 - part) * rows.torque[:, :, k] + part * rows.torque[:, :, k + 1]


def sentences(tables: dict[str, Any]) -> tuple[Note, ...]:
    """What was decided and is not the usual, for an estimate's notes.

    >>> sentences({})
    ()
    """
    choices = [one for one in tables.values() if isinstance(one, (DelayChoice, KinematicsChoice))]
    return tuple(text for one in choices if (text := one.sentence()))
