"""Rows that no machine can have logged so: checks and fits take absurd values as missing, rows out of order are sorted.

A value beyond 1e9 in SI units (a torque of a billion newton metres) is no measurement of a joint but a damaged number: it would
overflow whatever is computed from it, and be blamed on the clock or the robot. Rows whose stamps go back but, once sorted, rise
without repeating (messages stored out of order) are sorted; stamps that begin again are two runs in one file and stay as they
are: sorted, their rows would be shuffled into each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bifilar.errors import Finding, Place
from bifilar.recording.channel import Channel
from bifilar.recording.declarations import of_joints
from bifilar.recording.recording import Recording

ABSURD = 1e9  # in SI units, of any quantity of a joint
CLOSE = 0.2  # of the usual step: rows that come closer once sorted are of two runs, or of two clocks


def without_absurd(recording: Recording) -> Recording:
    """With absurd values missing, their rows masked, and an error that says where they stand.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.1], position=[[1.0], [1e282]])
    >>> mended = without_absurd(swing)
    >>> mended.mask, mended.notes[-1].code
    (array([ True, False]), 'values.absurd')
    """
    mask, notes, channels = recording.mask.copy(), [], dict(recording.channels)
    for name, channel in recording.channels.items():
        if not of_joints(name) or channel.time is not None or channel.values.shape != (len(recording), len(channel.columns)):
            continue
        with np.errstate(invalid="ignore"):
            odd = np.abs(channel.values) > ABSURD  # infinities too
        if not odd.any():
            continue
        channels[name] = replace(channel, values=np.where(odd, np.nan, channel.values))
        mask &= ~odd.any(axis=1)
        notes += [_absurd(recording, name, channel, j, odd[:, j]) for j in map(int, np.flatnonzero(odd.any(axis=0)))]
    if not notes:
        return recording
    return replace(recording, channels=channels, mask=mask, notes=(*recording.notes, *notes))


def _absurd(recording: Recording, name: str, channel: Channel, j: int, odd: np.ndarray) -> Finding:
    rows = np.flatnonzero(odd)
    first, count = int(rows[0]), len(rows)
    value, joint = float(channel.values[first, j]), channel.columns[j]
    at = (Place(name, joint, float(recording.time[first]), float(recording.time[int(rows[-1])])),)
    return Finding(
        "values.absurd/plausible_rows" if count < len(odd) else "values.absurd/absurd",
        "error",
        f"{name} of '{joint}'",
        count=float(count),
        row=float(first),
        value=value,
        count_2=count,
        value_2="s" * (count > 1),
        unit=channel.units[j],
        first=first,
        at=at,
        about=joint,
    )


def in_order(recording: Recording) -> Recording:
    """With rows sorted by their stamps, if that makes a clock of them, and a warning that says so.

    >>> late = Recording(joint_names=("hip",), time=[0.0, 0.2, 0.1, 0.3], position=[[0.0], [2.0], [1.0], [3.0]])
    >>> in_order(late).position.ravel(), in_order(late).notes[-1].code
    (array([0., 1., 2., 3.]), 'log.rows_sorted')
    """
    time = recording.time
    if len(time) < 3 or not np.isfinite(time).all():
        return recording
    back = np.flatnonzero(np.diff(time) < 0)
    if not len(back):
        return recording
    order = np.argsort(time, kind="stable")
    steps = np.diff(time[order])
    if steps.min() <= CLOSE * np.median(steps):
        return recording
    at = (Place("time", "", float(time[back[0] + 1]), float(time[back[0]])),)
    note = Finding(
        "log.rows_sorted",
        "warning",
        "clock",
        count=float(len(back)),
        row=float(back[0] + 1),
        back_count=len(back),
        back=back[0] + 1,
        at=at,
    )
    channels = {name: c if c.time is not None else c.rows(order) for name, c in recording.channels.items()}
    return replace(
        recording, time=time[order], mask=recording.mask[order], channels=channels, notes=(*recording.notes, note), truth=None
    )
