"""Each channel by itself: missing values, dead or stuck sensors, coarse steps, saturation.

saturation   far more samples on the highest (or lowest) level than on the levels next to it, while the joint moves
stuck        one value for long, then a jump far beyond the steps before
coarse       the span of the channel counted in its smallest step
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place, Remedy, Severity
from bifilar.recording.recording import Recording
from bifilar.recording.units import quantity

LEVELS = 256  # fewer is a note: 8 bits
FEW_LEVELS = 32  # fewer is a warning: 5 bits
CROWD = 8.0  # times as many samples on the last level as on those next to it
CLIPPED = 0.004  # least share of the samples on the last level
SPOILT = 0.05  # of a joint's samples at both ends together: more is an error, no fit is right then
FROZEN = 25  # samples with one value
SMALL = 0.05  # [rad] or [m] span of a joint that hardly moves
WORDS = ("position", "velocity", "torque")


def channels(recording: Recording) -> Iterator[Finding]:
    """All findings about single channels.

    >>> wave = np.sin(np.arange(400) / 20)[:, None]
    >>> clipped = Recording(joint_names=("hip",), time=np.arange(400) / 100, position=wave, torque=np.clip(wave, -1, 0.5))
    >>> [finding.code for finding in channels(clipped)]
    ['saturation']
    """
    for word in WORDS:
        channel = recording.channels.get(word)
        if channel is None:
            if word != "velocity" and recording.joint_names:  # a sensor alone has neither
                yield _missing(recording, word)
            continue
        time, live = recording.time, _live(recording)
        if channel.time is not None:  # stamps of its own: what was logged is judged, not what becomes of it
            place = np.clip(np.searchsorted(time, channel.time) - 1, 0, max(len(live) - 1, 0))
            time, live = channel.time, live[place[:-1]] if len(live) else live
        for joint, column in zip(recording.joint_names, channel.table(recording.joint_names).T):
            if joint in channel.columns:
                yield from _channel(time, word, joint, column, live, _moved(recording, joint))
            else:
                yield _no_column(recording, word, joint)


def _no_column(recording: Recording, word: str, joint: str) -> Finding:
    severity: Severity = "error" if word != "velocity" else "note"  # velocity is computed where it is not measured
    remedy = f"name its column in a mapping, or record again with it: '{joint}' moves, and cannot be left out"
    if word != "torque" or not _moved(recording, joint):
        remedy = Remedy(
            f"recording.joints([...]) without '{joint}'",
            cli=f"--lock {joint}",
            lead="name its column in a mapping, log it, or leave the joint out: ",
            needs=["--lock"],
            otherwise=f"name its column in a mapping, log it, or make it a fixed joint of the description: '{joint}'",
        )
    return Finding("missing/checks_channels", severity, f"{word} of '{joint}'", remedy=remedy)


def _moved(recording: Recording, joint: str) -> bool:
    """Whether a joint moves by more than its noise: then its torque cannot be done without."""
    position = recording.channels.get("position")
    if position is None or joint not in position.columns:
        return False
    q = position.pick([joint]).values
    q = q[np.isfinite(q)]
    return bool(len(q) and np.ptp(np.percentile(q, [1, 99])) > SMALL)


def _missing(recording: Recording, word: str) -> Finding:
    others = [name for name in recording.channels if name not in WORDS]
    likely = f"it may be called otherwise; the recording also has {', '.join(others)}" if others else "it was not logged"
    remedy = "name its columns in a mapping, or log it"
    current = next((name for name in recording.channels if quantity(name) == "current"), None)
    if word == "torque" and current is not None:
        likely = f"only {current.replace('_', ' ')} was logged"
        remedy = f'in a mapping: [channels.torque] with from = "{current}" and factor = [...], N m/A of every joint'
    return Finding("missing/missing", "error", word, likely=likely, remedy=remedy)


def _live(recording: Recording) -> NDArray[np.bool_]:
    """Steps at which the machine moves; a channel that rests at a standstill is not dead."""
    position = recording.position if recording.position is not None else recording.torque
    if position is None or len(position) < 2:
        return np.zeros(0, dtype=bool)
    with np.errstate(all="ignore"):
        change = np.abs(np.diff(position, axis=0))  # nan beside a value that is missing, which tells nothing
    change = np.where(np.isfinite(change), change, 0.0)
    return np.asarray((change > 0.05 * change.mean(axis=0)).any(axis=1) & (change > 0).any(axis=1))


def _channel(time: Array, word: str, joint: str, column: Array, live: NDArray[np.bool_], moved: bool) -> Iterator[Finding]:
    where = f"{word} of '{joint}'"
    known = np.isfinite(column)
    if not known.all():
        yield _not_numbers(time, word, joint, known)
    if known.sum() < 50 or not live.any():
        return
    column = np.where(known, column, column[known][0])
    span = float(np.ptp(column))
    moving = np.append(live, live[-1]) & known
    whole = (Place(word, joint, float(time[0]), float(time[-1])),)
    if not np.ptp(column[moving]) > 1e-12 * (1 + np.abs(column).max()):
        # a joint that stands still is often meant; a torque that does not change while the machine moves never is
        severity: Severity = "note" if word != "torque" else "error"
        remedy = Remedy(
            f"recording.joints([...]) without '{joint}', or mend the sensor",
            cli=f"--lock {joint}, or mend the sensor",
            lead="leave it out: ",
            needs=["--lock"],
            otherwise=f"leave it out: a fixed '{joint}' in the description, or mend the sensor",
        )
        if word == "torque" and moved:
            remedy = Remedy(f"mend the sensor, or name its column in a mapping: '{joint}' moves, and cannot be left out")
        likely = "a locked joint" if word != "torque" else "a sensor that is not connected, or a column that is never filled"
        yield Finding("dead", severity, where, column=column[0], likely=likely, remedy=remedy, at=whole)
        return
    levels, counts = np.unique(column, return_counts=True)
    quantum = _quantum(levels, span)
    yield from _coarse(where, span, quantum, len(levels), whole)
    yield from _stuck(time, word, joint, column, moving, quantum)
    if word == "torque":
        yield from _saturated(time, joint, column, moving, levels, counts)


def _not_numbers(time: Array, word: str, joint: str, known: NDArray[np.bool_]) -> Finding:
    missing = ~known
    starts, stops = _runs(missing)
    longest = int(np.argmax(stops - starts))
    places = tuple(Place(word, joint, float(time[a]), float(time[b - 1])) for a, b in zip(starts[:50], stops[:50]))
    severity: Severity = "error" if missing.mean() > 0.5 else "warning"
    return Finding(
        "nan/all" if missing.all() else "nan",
        severity,
        f"{word} of '{joint}'",
        missing=int(missing.sum()),
        samples=len(known),
        longest=int(stops[longest] - starts[longest]),
        start=float(time[starts[longest]]),
        at=places,
    )


def _quantum(levels: Array, span: float) -> float:
    """Smallest step between values that is not rounding."""
    gaps = np.diff(levels)
    gaps = gaps[gaps > 1e-9 * span]
    return float(np.quantile(gaps, 0.02)) if len(gaps) else span


def _coarse(where: str, span: float, quantum: float, distinct: int, whole: tuple[Place, ...]) -> Iterator[Finding]:
    levels = span / quantum
    if levels < LEVELS and distinct < LEVELS:
        severity: Severity = "warning" if levels < FEW_LEVELS else "note"
        yield Finding("coarse", severity, where, levels=levels, quantum=quantum, at=whole)


def _stuck(time: Array, word: str, joint: str, x: Array, moving: NDArray[np.bool_], quantum: float) -> Iterator[Finding]:
    same = np.diff(x) == 0
    rim = (x[:-1] == x.max()) | (x[:-1] == x.min())  # a channel at its end is saturated, which is another matter
    starts, stops = _runs(same & moving[:-1] & ~rim)
    size = stops - starts
    long = np.flatnonzero(size >= FROZEN)
    if not len(long) or stops[long[-1]] + 1 > len(x):
        return
    usual = float(np.median(np.abs(np.diff(x))[~same])) if (~same).any() else 0.0
    inside = long[(stops[long] + 1 < len(x)) & (starts[long] > 0)]
    jump = np.abs(x[np.minimum(stops[inside] + 1, len(x) - 1)] - x[stops[inside]])
    frozen = inside[jump > max(10 * usual, 3 * quantum)]
    if len(frozen):
        k = frozen[np.argmax(size[frozen])]
        places = tuple(Place(word, joint, float(time[starts[j]]), float(time[stops[j]])) for j in frozen[:50])
        yield Finding(
            "stuck", "warning", f"{word} of '{joint}'", x=x[starts[k]], size=size[k] + 1, time=time[starts[k]], at=places
        )


def _saturated(
    time: Array, joint: str, x: Array, moving: NDArray[np.bool_], levels: Array, counts: NDArray[np.int64]
) -> Iterator[Finding]:
    """Noise and motion thin the density out towards its ends; only a limiter piles samples up there."""
    width = max(1e-9 * float(np.ptp(levels)), 0.0)
    ends = []
    for level, order in ((levels[-1], slice(None, None, -1)), (levels[0], slice(None))):
        at = np.abs(x - level) <= width
        crowd = int((at & moving).sum())
        near = counts[order][1:9]
        if crowd < max(10, CLIPPED * len(x)) or crowd < CROWD * max(1.0, float(near.mean()) if len(near) else np.inf):
            continue
        starts, stops = _runs(at)
        if 3 <= (stops - starts).max() <= 0.9 * len(x):
            ends.append(("highest" if order.step else "lowest", level, crowd, starts, stops))
    together = sum(crowd for _, _, crowd, _, _ in ends) / len(x)
    severity: Severity = "error" if together > SPOILT else "warning"
    for words, level, crowd, starts, stops in ends:
        places = tuple(Place("torque", joint, float(time[a]), float(time[b - 1])) for a, b in zip(starts[:50], stops[:50]))
        facts = {"words": words, "level": level, "crowd": crowd, "share": crowd / len(x), "together": together}
        yield Finding("saturation", severity, f"torque of '{joint}'", at=places, **facts)


def _runs(true: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and ends of the stretches that are true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], true.astype(np.int8), [0]])))
    return edges[::2], edges[1::2]
