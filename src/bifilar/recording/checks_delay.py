"""Torque that comes later (or earlier) than the motion: a scan.

For every shift d the torque at t + d is explained by the motion at t, twice: by the description's gravity and inertial torque
with friction, rotor and offset, and by the whole regressor with all parameters free. The columns do not change with d, so one
factor serves the whole scan,

    left_i(d) = |(1 - Q_i Q_i') torque_i(t + d)|,        cost(d) = sum_i log left_i(d)

and the minimum lies where motion and torque belong together. Slow samples of a joint are left out: friction builds up
after a turn of speed over some tenths of a degree, which looks like a torque that is late (10 ms on a Panda). Free parameters
swallow part of a shift and imitate another (17 ms on a Gen3 that has none), a poor description may too: both must agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.recording.checks_model import FLOOR, Comparison, drive
from bifilar.recording.checks_view import View
from bifilar.recording.findings import Place, Suspicion

SCAN = 0.05  # [s] to either side
COUNT = 41  # shifts
FAR = 0.8  # of the scan: beyond it there is no minimum, but a motion too slow to tell
LEAST = 3e-3  # [s] of the clearer scan: filters of drives and one or two ticks of a controller are usual
OTHER = 2.2e-3  # [s] of the other scan
ALONE = 1e-2  # [s] of free parameters where the description has nothing to say
STEPS = 0.4  # least, in samples
CLEAR = 0.15  # nats by which the cost must fall, summed over the joints: below it a fit is hardly better for the shift
SLOW = 0.3  # of the root-mean-square speed: slower samples of a joint do not count
USUAL = 1e-3  # [s] that a delay must be beyond, three deviations below its estimate
STRETCHES = 8  # of the recording, for the deviation
RANK = 1e-6  # of the largest singular value


class Lag(NamedTuple):
    """Where the scan has its minimum.

    >>> Lag(0.005, 2.0, 1.0, 0.001).delay
    0.005
    """

    delay: float  # [s] positive: torque is late
    curve: float  # [nats] by which the cost rises to the ends of the scan, both together
    gain: float  # [nats] by which the cost falls from no shift to the best
    deviation: float  # [s] of the delay, from how stretches of the recording disagree


def lag(view: View, comparison: Comparison | None = None) -> Lag | None:
    """The delay of torque behind motion, by free parameters or, with a comparison, by the description; None: nobody can tell.

    >>> still = np.zeros((100, 1))
    >>> lag(View.of(bf.Recording(joint_names=("a",), time=np.arange(100), position=still, torque=still))) is None
    True
    """
    if view.robot is None or view.torque is None:
        return None
    if comparison is None:
        Y = view.robot.with_friction(None).regressor(view.position, view.velocity, view.acceleration)
    else:
        Y = np.stack([comparison.gravity, comparison.inertial], axis=2)
    shifts = np.linspace(-SCAN, SCAN, COUNT)
    inside = (view.time > view.every_time[0] + SCAN) & (view.time < view.every_time[-1] - SCAN)
    size, found = [], []
    for i in np.flatnonzero(view.moves & (view.torque.std(axis=0) > 0)):
        v = view.velocity[:, i]
        rows = inside & (np.abs(v) > SLOW * np.sqrt(np.mean(v**2)))
        columns = np.column_stack([Y[rows, i], drive(v[rows], view.acceleration[rows, i])])
        if rows.sum() < 2 * columns.shape[1]:
            continue
        late = np.stack([np.interp(view.time[rows] + d, view.every_time, view.every_torque[:, i]) for d in shifts], axis=1)
        rest = _rest(columns, late)
        size.append(np.linalg.norm(rest, axis=0) / (np.linalg.norm(late - late.mean(axis=0), axis=0) + 1e-300))
        found.append((view.time[rows], rest))
    if not size:
        return None
    cost = np.log(np.maximum(size, 0.1 * FLOOR)).sum(axis=0)
    best = int(np.argmin(cost))
    shift, deviation = float(shifts[best]), np.inf
    if 0 < best < COUNT - 1:  # a parabola through the three lowest
        low, mid, high = cost[best - 1 : best + 2]
        shift += 0.5 * (low - high) / (low - 2 * mid + high) * (shifts[1] - shifts[0])
        deviation = _deviation(found, best, float(shifts[1] - shifts[0]))
    return Lag(shift, float(cost[0] + cost[-1] - 2 * cost[best]), float(cost[COUNT // 2] - cost[best]), deviation)


def _deviation(found: list[tuple[Array, Array]], best: int, step: float) -> float:
    """Of the minimum: the slope of the cost in each stretch of time is a draw, and they should cancel (a sandwich)."""
    slope, curve = np.zeros(STRETCHES), 0.0
    start, stop = min(t[0] for t, _ in found), max(t[-1] for t, _ in found)
    for time, rest in found:
        here, change = rest[:, best], (rest[:, best + 1] - rest[:, best - 1]) / (2 * step)
        noise = float(np.mean(here**2)) + 1e-300
        stretch = np.minimum((STRETCHES * (time - start) / (stop - start)).astype(int), STRETCHES - 1)
        slope += np.bincount(stretch, here * change / noise, STRETCHES)
        curve += float(change @ change) / noise
    return float(np.sqrt(np.sum(slope**2)) / curve) if curve else np.inf


def delay(view: View, comparison: Comparison, step: float) -> Iterator[Suspicion]:
    """A finding if torque and motion are clearly apart; `step` [s] is that of the recording.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording, robot)
    >>> list(delay(view, Comparison.of(view), 0.004))
    []
    """
    free, described = lag(view), lag(view, comparison) if comparison.speaks.any() else None
    if free is None:
        return
    found = free if described is None or free.curve > described.curve else described
    other = free if found is described else described
    gain = max(found.gain, other.gain if other else 0.0)
    if abs(found.delay) > FAR * SCAN:  # no clear minimum
        return
    if abs(found.delay) < max(LEAST, STEPS * step) or gain < CLEAR or abs(found.delay) - 3 * found.deviation < USUAL:
        return
    if (other is None and abs(found.delay) < ALONE) or (other is not None and np.sign(found.delay) * other.delay < OTHER):
        return
    word = "after" if found.delay > 0 else "before"
    yield Suspicion(
        "warning",
        "torque",
        f"comes {abs(found.delay) * 1e3:.1f} ms {word} the motion that goes with it (within {2e3 * found.deviation:.1g} ms)",
        f"shift it by {-found.delay:+.4g} s before preparing, or stamp torque and position by one clock",
        "another bus, a filter in the drive, or stamps taken on arrival",
        "delay",
        (Place("torque", "", float(view.time[0]), float(view.time[-1])),),
    )


def unexplained(columns: Array, targets: Array) -> Array:
    """Share of each target's spread that the columns do not explain.

    >>> unexplained(np.ones((4, 1)), np.array([[1.0], [1.0], [3.0], [3.0]]))
    array([1.])
    """
    rest = _rest(columns, targets)
    return np.asarray(np.linalg.norm(rest, axis=0) / (np.linalg.norm(targets - targets.mean(axis=0), axis=0) + 1e-300))


def _rest(columns: Array, targets: Array) -> Array:
    norms = np.linalg.norm(columns, axis=0)
    kept = columns[:, norms > 1e-9 * norms.max(initial=0.0)]
    if not kept.size or not np.isfinite(kept).all():  # nothing that could explain anything
        return targets
    q, r = np.linalg.qr(kept / np.linalg.norm(kept, axis=0))
    u, s, _ = np.linalg.svd(r)
    basis = q @ u[:, s > RANK * s[0]]
    return np.asarray(targets - basis @ (basis.T @ targets))
