"""By how much a log's torque is late, from blocks of time that are predicted, and whether that is clear enough to act on.

For every delay d the torque logged at t + d is explained by the motion at t (`reading_evidence`). The held-out error has its
minimum where motion and torque belong together. Much else looks like a delay (friction that builds up, elastic joints, filtered
currents, free parameters that swallow one shift and imitate another), so a delay is compensated only if all of this holds:

    late          the torque is behind the motion: noise that a controller feeds back leads it, and so do elastic joints
    inside        the minimum is not at an end of the scan, beyond which it might go on
    size          it is 3 ms and a sample at least: filters of drives and a tick of a controller are usual, and a torque between
                  two samples is interpolated
    blocks        five of six blocks of time have theirs on the same side, and their median is four standard errors from 0
    joints        a clock is common to all joints: two of three have theirs there, within half of the delay or 5 ms
    model         the nominal model with friction, where it explains the torque, agrees: a third as far, or farther
    gain          the held-out error falls by 5 %, by two standard errors of the blocks' own gains at least

A delay of 10 ms or more that the error asks for (5 %), but that fails one of these, is reported and not compensated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.reading_evidence import BLOCKS, Rows, errors, in_noise

REACH = 0.1  # [s] to either side
STEP = 5e-3  # [s] of the scan; a parabola finds what is between
SHARE = 0.05  # of the shortest recording, at most
LEAST = 3e-3  # [s]
SIDE = 5 / 6  # of the blocks, that have the same sign
CLEAR = 4.0  # standard errors of the blocks' median
NEAR, NEAREST = 0.5, 5e-3  # of the delay, and [s]: a joint that is as near agrees
ALIKE = 2 / 3  # of the joints
THIRD = 1 / 3  # of the delay, by the nominal model
SPEAKS = 0.1  # of a joint's torque variance that the nominal model leaves: more, and it says nothing
GAIN, CLEAR_GAIN = 0.05, 2.0  # of the held-out error; standard errors of it
LARGE = 1e-2  # [s] from which a delay that is not consistent is reported

Code = Literal["delay.none", "delay.compensated", "delay.inconsistent"]
RULES = {
    "late": "torque ahead of its motion is more often noise that a controller feeds back than a clock",
    "inside": "it may lie beyond the scan",
    "blocks": "blocks of time disagree",
    "joints": "joints disagree",
    "model": "the nominal model contradicts it",
    "gain": "it is not clear that the held-out error falls",
}


@dataclass(frozen=True)
class DelayChoice:
    """The delay of the torque that was found, and what was decided.

    >>> DelayChoice("delay.compensated", 0.005, 2e-4, 0.21, 0.02, (0.0048, 0.0053), (0.005,), 0.0049, ()).delay
    0.005
    """

    code: Code
    found: float  # [s] where the held-out error is least; positive: torque is late
    deviation: float  # [s] of it, over blocks
    gain: float  # share of the held-out error that is gone there
    gain_deviation: float  # of it, over blocks
    blocks: tuple[float, ...]  # [s] of each block of time by itself
    joints: tuple[float, ...]  # [s] of each joint by itself
    nominal: float | None  # [s] by the nominal model; None: it does not explain the torque
    failed: tuple[str, ...]  # rules, as in the table above, that kept it from being compensated

    @property
    def delay(self) -> float:
        """The delay that is compensated [s].

        >>> DelayChoice("delay.none", 0.001, 2e-4, 0.0, 0.0, (), (), None, ()).delay
        0.0
        """
        return self.found if self.code == "delay.compensated" else 0.0

    def facts(self) -> dict[str, Any]:
        """As plain values.

        >>> DelayChoice("delay.none", 0.001, 2e-4, 0.0, 0.0, (), (), None, ("size",)).facts()["failed"]
        ['size']
        """
        whole = {name: getattr(self, name) for name in ("code", "found", "deviation", "gain", "gain_deviation", "nominal")}
        return whole | {"delay": self.delay, **{name: list(getattr(self, name)) for name in ("blocks", "joints", "failed")}}

    def sentence(self) -> Note | None:
        """What was decided; None where there is nothing to say.

        >>> DelayChoice("delay.compensated", 0.005, 2e-4, 0.21, 0.02, (), (), None, ()).sentence()
        'the torque was logged 5.0 ms late (deviation 0.2 ms) and was moved: the held-out error falls by 21 %'
        """
        if self.code == "delay.none":
            return None
        way: Literal["late", "early"] = "late" if self.found > 0 else "early"
        facts: dict[str, Any] = {"delay": self.found, "size": abs(self.found), "way": way, "deviation": self.deviation}
        if self.code == "delay.compensated":
            return Note("delay.compensated", gain=self.gain, **facts)
        failed = [RULES[name] for name in self.failed if name in RULES]
        return Note("delay.inconsistent", gain=self.gain, reasons=failed, failed=list(self.failed), **facts)


def choose_delay(rows: Rows, sample: float) -> DelayChoice:
    """The delay of the torque in `rows`; `sample` [s] is the log's sampling interval.

    >>> from bifilar.estimate.reading_evidence import rows_of
    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> rows = rows_of(robot, [(recording, bf.prepare(recording, robot=robot))], 0.1, 0.005, logged=False)
    >>> choose_delay(rows, 0.004).code
    'delay.none'
    """
    found = errors(rows, rows.derived, rows.torque)
    found = in_noise(found, _at_lowest(found))
    scan, shifts = found.sum(axis=(0, 1)), rows.shifts
    best, low = _lowest(scan, shifts)
    middle = len(shifts) // 2
    blocks = np.array([_lowest(block.sum(axis=0), shifts)[0] for block in found])
    moving = [j for j in range(found.shape[1]) if np.count_nonzero(rows.weight[:, j]) >= BLOCKS]
    joints = np.array([_lowest(found[:, j].sum(axis=0), shifts)[0] for j in moving])
    at = int(np.argmin(scan))
    gains = 1 - np.sqrt(found[:, :, at].sum(axis=1) / np.maximum(found[:, :, middle].sum(axis=1), 1e-300))
    gain = float(1 - np.sqrt(max(low, 0.0) / scan[middle])) if scan[middle] > 0 else 0.0
    spread = float(np.std(gains, ddof=1) / np.sqrt(len(gains)))
    nominal = _by_nominal_model(rows)
    deviation = max(_sandwich(found, at, shifts), _error_of_median(blocks))
    kept = {
        "late": best > 0,
        "inside": 0 < at < len(shifts) - 1,
        "size": abs(best) >= max(LEAST, 0.999 * sample),
        "blocks": _share(np.sign(blocks) == np.sign(best)) >= SIDE and abs(np.median(blocks)) >= CLEAR * deviation,
        "joints": _share(np.abs(joints - best) <= max(NEAR * abs(best), NEAREST)) >= ALIKE,
        "model": nominal is None or nominal * np.sign(best) >= THIRD * abs(best),
        "gain": gain >= GAIN and float(gains.mean()) >= CLEAR_GAIN * spread,
    }
    failed = tuple(name for name, holds in kept.items() if not holds)
    asked_for = gain >= GAIN and abs(best) >= max(LARGE, sample)
    code: Code = "delay.none" if failed and not asked_for else "delay.inconsistent" if failed else "delay.compensated"
    numbers = float(best), float(deviation), gain, spread
    return DelayChoice(code, *numbers, tuple(map(float, blocks)), tuple(map(float, joints)), nominal, failed)


def _at_lowest(squares: Array) -> Array:
    """Errors of the delay at which joints that count alike have the least, (blocks, joints)."""
    size = np.maximum(squares.sum(axis=0), 1e-300)
    return squares[:, :, int(np.argmin(np.log(size).sum(axis=0)))]


def _lowest(curve: Array, shifts: Array) -> tuple[float, float]:
    """Where a parabola through the lowest point and its neighbours has its minimum, and how low that is."""
    k = int(np.argmin(curve))
    if not 0 < k < len(curve) - 1:
        return float(shifts[k]), float(curve[k])
    before, here, after = curve[k - 1 : k + 2]
    bend = before - 2 * here + after
    if not bend > 0:
        return float(shifts[k]), float(here)
    part = 0.5 * (before - after) / bend
    return float(shifts[k] + part * (shifts[1] - shifts[0])), float(here - 0.25 * (before - after) * part)


def _sandwich(found: Array, at: int, shifts: Array) -> float:
    """Deviation of the minimum: the slope of each block's error there is a draw, and they should cancel."""
    if not 0 < at < len(shifts) - 1:
        return float(np.inf)
    step, blocks = float(shifts[1] - shifts[0]), found.sum(axis=1)
    slopes = (blocks[:, at + 1] - blocks[:, at - 1]) / (2 * step)
    bend = float((blocks[:, at + 1] - 2 * blocks[:, at] + blocks[:, at - 1]).sum()) / step**2
    slopes = slopes - slopes.mean()
    return float(np.sqrt(np.sum(slopes**2)) / bend) if bend > 0 else float(np.inf)


def _error_of_median(values: Array) -> float:
    """Standard error of a median, from the median of the distances to it."""
    distance = np.median(np.abs(values - np.median(values)))
    return float(1.4826 * 1.2533 * distance / np.sqrt(len(values)))


def _share(holds: NDArray[np.bool_]) -> float:
    return float(np.mean(holds)) + 1e-9 if len(holds) else 0.0


def _by_nominal_model(rows: Rows) -> float | None:
    """The delay by the nominal model's gravity and inertial torque, with friction, rotor and offset of each joint [s]."""
    joints = rows.torque.shape[1]
    own = rows.derived[:, :, -4 * joints :].reshape(len(rows.derived), joints, 4, joints)
    costs, left = [], []
    for j in range(joints):
        chosen = rows.weight[:, j] > 0
        columns = np.column_stack([rows.nominal[chosen, j], own[chosen, j, :, j]])
        target = rows.torque[chosen, j]
        size = np.sum((target - target.mean(axis=0)) ** 2, axis=0) if len(target) else np.zeros(1)
        if len(columns) < 3 * columns.shape[1] or not np.all(size > 0):
            continue
        rest = target - columns @ decompose.lstsq(columns, target, rcond=1e-9)[0]
        share = np.maximum(np.sum(rest**2, axis=0) / size, 1e-12)
        costs.append(np.log(share))
        left.append(float(share.min()))
    if not costs or np.median(left) > SPEAKS or not np.all(np.any(rows.nominal, axis=(0, 1))):
        return None
    return _lowest(np.sum(costs, axis=0), rows.shifts)[0]
