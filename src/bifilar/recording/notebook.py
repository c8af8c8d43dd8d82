"""A recording as a notebook shows it: its channels, their units, ranges and gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bifilar.robot.notebook import notebook_table

if TYPE_CHECKING:
    from bifilar.recording.recording import Recording


def recording_table(recording: Recording) -> str:
    """A row for every column of every channel.

    >>> from bifilar.recording.recording import Recording
    >>> recording_table(Recording(joint_names=("hip",), time=[0.0, 0.1], position=[[0], [1]])).count("<tr>")
    2
    """
    rows: list[list[object]] = [["channel", "column", "lowest", "highest", "unit", "missing"]]
    for name, channel in recording.channels.items():
        for k, column in enumerate(channel.columns):
            values = channel.values[:, k]
            known = values[np.isfinite(values)]
            ends = (f"{known.min():.4g}", f"{known.max():.4g}") if len(known) else ("", "")
            lost = len(values) - len(known)
            rows.append([name, column, *ends, channel.units[k], lost or ""])
    rate = f" at {recording.rate:.6g} Hz" if len(recording) > 1 else ""
    note = f"{len(recording):,} samples, {recording.duration:g} s{rate}, clock {recording.clock}"
    return notebook_table(f"Recording {recording.name}".strip(), rows, note, words=2)
