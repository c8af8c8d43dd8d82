"""Rows as they were logged: position, velocity, acceleration and torque of one instant each, in whatever order.

An equation torque = Y(position, velocity, acceleration) phi holds for a row by itself. Where all four were logged, no clock is
needed to fit them: nothing is filtered, differentiated or left out for a gap. That is the only way for tables of poses and for
logs whose rows were shuffled or merged; where the clock is sound, filtered rows say more (`prepare`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bifilar.errors import Note, RecordingError
from bifilar.filters.butterworth import Derived
from bifilar.recording.recipes import Recipe
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples, Stretch
from bifilar.recording.stretches import on_the_stamps

NEEDED = ("position", "velocity", "acceleration", "torque")
FEWEST = 4  # rows


def is_unordered(recording: Recording) -> bool:
    """Whether the rows have no order in time: there is no clock, or it goes back.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.2, 0.1], position=[[0], [2], [1]])
    >>> is_unordered(swing), is_unordered(swing.part(None, 0.15).with_clock(rate=10))
    (True, False)
    """
    time = recording.time[np.isfinite(recording.time) & recording.mask]
    return recording.clock == "none" or bool((np.diff(time) < 0).any())


def numbered(recording: Recording) -> Recording:
    """Rows that count from 0 in place of a clock.

    >>> numbered(Recording(joint_names=("hip",), time=[0.0, 0.2, 0.1], position=[[0], [2], [1]])).time
    array([0., 1., 2.])
    """
    content = {name: c if c.time is not None else replace(c, clock="none") for name, c in recording.channels.items()}
    return replace(recording, time=np.arange(len(recording), dtype=float), clock="none", channels=content)


def can_be_rows(recording: Recording) -> bool:
    """Whether everything that a row needs was logged, of every joint.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.2, 0.1], position=[[0], [2], [1]])
    >>> can_be_rows(swing)
    False
    """
    found = [recording.get(name) for name in NEEDED]
    return all(values is not None and np.isfinite(values).any(axis=0).all() for values in found)


def as_rows(recording: Recording, recipe: Recipe) -> Samples:
    """Samples from rows without an order; a recording that lacks a channel is refused.

    >>> q, v, a, tau = np.random.default_rng(0).normal(size=(4, 9, 1))
    >>> table = Recording(joint_names=("hip",), time=-np.arange(9), position=q, velocity=v, acceleration=a, torque=tau)
    >>> as_rows(table, Recipe(method="recorded"))
    Samples(hip: 9 rows at 1 Hz in 1 stretch, not filtered)
    """
    absent = [name for name in NEEDED if name not in recording.channels]
    if absent:
        raise RecordingError("rows.channel_missing", where=recording.name, needed=NEEDED, absent=absent[0])
    q, v, a, tau = (on_the_stamps(recording, name) for name in NEEDED)
    finite = np.isfinite(np.hstack([q, v, a, tau])).all(axis=1)
    kept = np.flatnonzero(finite & recording.mask)
    if len(kept) < FEWEST:
        raise RecordingError(
            "rows.too_few", where=recording.name, kept_count=len(kept), recording_count=len(recording), needed=NEEDED
        )
    q, v, a, tau = (np.ascontiguousarray(x[kept]) for x in (q, v, a, tau))
    number = np.arange(len(kept), dtype=float)
    slow = np.zeros(1) if recipe.slow is None else np.asarray(recipe.slow, dtype=float)
    left = len(recording) - len(kept)
    return Samples(
        joint_names=recording.joint_names,
        sliding=recording.sliding,
        time=number,
        position=q,
        velocity=v,
        acceleration=a,
        torque=tau,
        raw_torque=tau,
        mask=np.abs(v) >= slow,
        rate=1.0,
        cutoff=None,
        noise=None,
        history=(*([Note("samples.left_out/rows", count=left)] if left else []), Note("samples.as_logged")),
        fine=(Stretch(number, Derived(q, v, a), np.arange(len(kept))),),
        filter=None,
    )
