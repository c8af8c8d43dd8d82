"""Samples that were lost without a trace in the stamps: all joints together take a step two or three times as long as before.

    m_k = sum_i w_i speed_i(k) usual_i(k) / sum_i w_i usual_i(k)^2,       usual: of the four steps around, w = 1 / noise^2

m is 1 where the clock is right, whatever the motion; 2 where one sample is missing. Only steps at which the joints move well
above their noise are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bifilar.errors import Finding, Place
from bifilar.recording.checks_view import unwrapped
from bifilar.recording.recording import Recording

CLEAR = 0.12  # deviation of m that noise may cause
SHARE = 0.003  # of the clear steps
NEAR = 0.3  # of a whole number
MOST = 200_000  # steps looked at


def lost_steps(recording: Recording) -> Iterator[Finding]:
    """A finding if samples are missing that the stamps do not tell of.

    >>> rows = np.delete(np.arange(1000), [100, 200, 300, 400, 500, 600, 700, 800])
    >>> swing = np.sin(rows / 100)[:, None] + 1e-6 * np.random.default_rng(0).normal(size=(992, 1))
    >>> [f.code for f in lost_steps(Recording(joint_names=("hip",), time=np.arange(992) / 100, position=swing))]
    ['dropped']
    """
    if recording.position is None or len(recording) < 200:
        return
    time = recording.time[:MOST]
    q = unwrapped(recording)[:MOST]
    q = q[:, np.isfinite(q).any(axis=0)]
    step = np.diff(time)
    with np.errstate(all="ignore"):
        speed = np.diff(q, axis=0) / step[:, None]
    speed[~(step > 0)] = np.nan
    near = np.stack([speed[:-4], speed[1:-3], speed[3:-1], speed[4:]])
    usual = (near.sum(axis=0) - near.max(axis=0) - near.min(axis=0)) / 2
    here = speed[2:-2]
    told = np.isfinite(here - usual).any(axis=0)  # stamps that stand still too often tell no speed
    if not told.any():
        return
    near, usual, here, q = near[:, :, told], usual[:, told], here[:, told], q[:, told]
    noise = 1.4826 * np.nanmedian(np.abs(here - usual), axis=0)
    # an encoder's count is noise too: a slow joint stands still, then takes one count
    count = np.nanmin(np.where(np.diff(q, axis=0) != 0, np.abs(np.diff(q, axis=0)), np.nan), axis=0, initial=np.inf)
    count = np.where(np.isfinite(count), count, 0.0) / np.nanmedian(step)
    floor = 1e-9 * np.nanmax(np.abs(here), axis=0, initial=0.0) + 1e-300
    weight = 1.0 / np.maximum(np.maximum(noise, count), floor) ** 2
    size = (weight * usual**2).sum(axis=1)
    with np.errstate(all="ignore"):
        m = (weight * usual * here).sum(axis=1) / size
        clear = (size > CLEAR**-2) & np.isfinite(m)
        # the four steps around must agree: a start or a stop is no lost sample
        steady = ((near.max(axis=0) - near.min(axis=0)) ** 2 * weight).sum(axis=1) < 0.5 * size + 200
    clear &= steady
    whole = np.round(m)
    missing = clear & (whole >= 2) & (whole <= 5) & (np.abs(m - whole) < NEAR)
    held = clear & (np.abs(m) < NEAR / 2)
    count, lost = int(missing.sum()), float((whole[missing] - 1).sum())
    if clear.sum() < 100 or count < 5 or count < SHARE * clear.sum():
        return
    rows = np.flatnonzero(missing) + 2
    places = tuple(Place("position", "", float(time[k]), float(time[k + 1])) for k in rows[:50])
    if lost - held.sum() < max(5.0, SHARE * clear.sum()):  # what stood still was caught up: nothing is missing on the whole
        f"positions stand still in {held.sum() / clear.sum():.1%} of the steps and catch up after: rows are repeated"
        yield Finding("held", "warning", "clock", share=held.sum() / clear.sum(), at=places)
        return
    share = float((lost - held.sum()) / clear.sum())
    yield Finding("dropped", "error", "clock", share=share, start=float(time[rows[0]]), at=places)
