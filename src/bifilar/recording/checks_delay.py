"""Torque that comes later (or earlier) than the motion: a scan.

For every shift d the torque at t + d is explained by the motion at t, twice: by the description's gravity and inertial torque
with friction, rotor and offset, and by the whole regressor with all parameters free. The columns do not change with d, so one
factor serves the whole scan,

    left_i(d) = |(1 - Q_i Q_i') torque_i(t + d)|,        cost(d) = sum_i log left_i(d)

and the minimum lies where motion and torque belong together. Slow samples of a joint are left out: friction builds up
after a turn of speed over some tenths of a degree, which looks like a torque that is late (10 ms on a Panda). Free parameters
swallow part of a shift and imitate another (17 ms on a Gen3 that has none), a poor description may too: both must agree.

A minimum at the end of the scan may lie beyond: then a quarter of a second to either side is looked through, coarsely, and the
neighbourhood of its minimum as finely as before. A motion that is too slow to tell ends up there, too, but one of the two scans
gains little: 0.9 nats at most on real machines without a delay, where one of 100 ms gains 2 to 20 if the motion is lively.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place, Remedy
from bifilar.recording.checks_model import FLOOR, Comparison, drive
from bifilar.recording.checks_robot import robot_explains
from bifilar.recording.checks_view import View

SCAN = 0.05  # [s] to either side
COUNT = 41  # shifts
FAR = 0.8  # of the scan: beyond it the minimum may be elsewhere
WIDE = 0.25  # [s] to either side of the second scan
WIDE_SHARE = 0.1  # of the recording, at most
WIDE_STEP = 5e-3  # [s]
LEAST = 3e-3  # [s] of the clearer scan: filters of drives and one or two ticks of a controller are usual
OTHER = 2.2e-3  # [s] of the other scan
ALONE = 1e-2  # [s] of free parameters where the description has nothing to say
STEPS = 0.4  # least, in samples
CLEAR = 0.15  # nats by which the cost must fall, summed over the joints: below it a fit is hardly better for the shift
CLEAR_FAR = 1.0  # nats for a minimum of the second scan, by free parameters and by the description
CLEAR_END = 2.0  # nats for one at its end
ALIKE = 0.5  # of a far delay, by which the two may differ
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
    deviation: float  # [s] of the delay, from how stretches of the recording disagree; infinite: it may lie beyond the scan

    @property
    def at_end(self) -> bool:
        """Whether the minimum is at an end of the scan.

        >>> Lag(0.25, 2.0, 3.0, np.inf).at_end
        True
        """
        return not np.isfinite(self.deviation)


Pair = tuple[Lag, Lag | None]


def lag(view: View, comparison: Comparison | None = None, *, middle: float = 0.0, reach: float = SCAN) -> Lag | None:
    """The delay of torque behind motion, by free parameters or, with a comparison, by the description; None: nobody can tell.

    `middle` and `reach` [s] of the scan; the gain is that over its middle.

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
    count = COUNT if reach <= SCAN else 2 * round(reach / WIDE_STEP) + 1
    shifts = middle + np.linspace(-reach, reach, count)
    inside = (view.time + shifts[0] > view.every_time[0]) & (view.time + shifts[-1] < view.every_time[-1])
    size, found = [], []
    for i in np.flatnonzero(view.moves & (view.torque.std(axis=0) > 0)):
        v = view.velocity[:, i]
        rows = inside & (np.abs(v) > SLOW * np.sqrt(np.mean(v**2)))
        if not rows.any():
            continue
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
    if 0 < best < count - 1:  # a parabola through the three lowest
        low, mid, high = cost[best - 1 : best + 2]
        shift += 0.5 * (low - high) / (low - 2 * mid + high) * (shifts[1] - shifts[0])
        deviation = _deviation(found, best, float(shifts[1] - shifts[0]))
    return Lag(shift, float(cost[0] + cost[-1] - 2 * cost[best]), float(cost[count // 2] - cost[best]), deviation)


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


def delay(view: View, comparison: Comparison, step: float) -> Iterator[Finding]:
    """A finding if torque and motion are clearly apart; `step` [s] is that of the recording.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording, robot)
    >>> list(delay(view, Comparison.of(view), 0.004))
    []
    """
    near = _both(lag, view, comparison)
    found = _near(near, step) or _far(view, comparison, near)
    if found is not None:
        yield _said(found, view)


def undone(view: View, comparison: Comparison) -> View:
    """The view with a long delay of the torque undone, if its robot explains the torques then; otherwise the view itself.

    A torque that is a tenth of a second late looks like that of another robot, or of a drive that counts the other way round.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording, robot)
    >>> undone(view, Comparison.of(view)) is view
    True
    """
    found = _far(view, comparison, _both(lag, view, comparison))
    if found is None:
        return view
    there = [np.interp(view.time + found.delay, view.every_time, column) for column in view.every_torque.T]
    together = replace(view, torque=np.stack(there, axis=1))
    return together if robot_explains(together, Comparison.of(together)) else view


def _both(scan: Callable[..., Lag | None], view: View, comparison: Comparison) -> Pair | None:
    """The scan that tells more, by free parameters or by the description, and the other one."""
    free, described = scan(view), scan(view, comparison) if comparison.speaks.any() else None
    if free is None or described is None:
        return None if free is None else (free, None)
    return (free, described) if free.curve > described.curve else (described, free)


def _near(near: Pair | None, step: float) -> Lag | None:
    """A delay within the first scan; `step` [s] of the recording."""
    if near is None:
        return None
    found, other = near
    gain = max(found.gain, other.gain if other else 0.0)
    if abs(found.delay) > FAR * SCAN:  # if anywhere, it is elsewhere
        return None
    if abs(found.delay) < max(LEAST, STEPS * step) or gain < CLEAR or abs(found.delay) - 3 * found.deviation < USUAL:
        return None
    if (other is None and abs(found.delay) < ALONE) or (other is not None and np.sign(found.delay) * other.delay < OTHER):
        return None
    return found


def _far(view: View, comparison: Comparison, near: Pair | None) -> Lag | None:
    """A delay beyond the first scan."""
    if near is None or abs(near[0].delay) <= FAR * SCAN:
        return None
    wide = _both(_wide, view, comparison)
    if wide is None:
        return None
    found, other = wide
    gain = min(found.gain, other.gain if other else np.inf)
    if gain < (CLEAR_END if found.at_end else CLEAR_FAR) or abs(found.delay) <= FAR * SCAN:
        return None
    if other is not None and abs(other.delay - found.delay) > ALIKE * abs(found.delay):
        return None
    return found if found.at_end or abs(found.delay) > 3 * found.deviation + USUAL else None


def _wide(view: View, comparison: Comparison | None = None) -> Lag | None:
    """The minimum of a wide scan, its neighbourhood looked at finely."""
    reach = min(WIDE, WIDE_SHARE * float(view.every_time[-1] - view.every_time[0]))
    wide = lag(view, comparison, reach=reach) if reach > SCAN else None
    if wide is None or wide.at_end:
        return wide
    fine = lag(view, comparison, middle=wide.delay)
    return wide if fine is None or fine.at_end else wide._replace(delay=fine.delay, deviation=fine.deviation)


def _said(found: Lag, view: View) -> Finding:
    end = found.at_end
    word = "after" if found.delay > 0 else "before"
    size = abs(found.delay) * 1e3
    within = "" if end else f" (within {2e3 * found.deviation:.1g} ms)"
    typed = f"{found.delay:.4g}"
    remedy = Remedy(f"Recording.load(..., log_delay={typed})", cli=f"--log-delay {typed} moves it")
    remedy += "; a fit does so by itself where all of the log agrees"
    return Finding(
        "delay/checks_delay",
        "warning",
        "torque",
        delay=found.delay,
        words=f"at least {size:.0f}" if end else f"{size:.1f}",
        word=word,
        within=within,
        remedy=remedy + "; check again: it may be more" if end else remedy,
        numbers=(("delay", found.delay), ("at_least", abs(found.delay)) if end else ("deviation", found.deviation)),
        at=(Place("torque", "", float(view.time[0]), float(view.time[-1])),),
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
    u, s, _ = decompose.svd(r)
    basis = q @ u[:, s > RANK * s[0]]
    return np.asarray(targets - basis @ (basis.T @ targets))
