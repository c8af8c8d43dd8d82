"""Torque that comes later (or earlier) than the motion: a scan.

For every shift d the torque at t + d is explained by the motion at t with all parameters of every joint free (least
squares on the joint's regressor, friction, rotor, offset): no numbers of the description are needed, only its kinematics.
The columns do not change with d, so one factor serves the whole scan,

    left_i(d) = |(1 - Q_i Q_i') torque_i(t + d)|,        cost(d) = sum_i log left_i(d)

and the minimum lies where motion and torque belong together. Slow samples of a joint are left out: friction builds up
after a turn of speed over some tenths of a degree, which looks like a torque that is late (10 ms on a Panda).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.recording.checks_model import FLOOR, drive
from bifilar.recording.checks_view import View
from bifilar.recording.findings import Place, Suspicion

SCAN = 0.05  # [s] to either side
COUNT = 41  # shifts
LEAST = 3e-3  # [s]: filters of drives and one or two ticks of a controller are usual
STEPS = 0.4  # least, in samples
CLEAR = 0.15  # nats by which the cost must fall, summed over the joints: below it a fit is hardly better for the shift
SLOW = 0.3  # of the root-mean-square speed: slower samples of a joint do not count
RANK = 1e-6  # of the largest singular value


class Lag(NamedTuple):
    """Where the scan has its minimum.

    >>> Lag(0.005, 1.0, np.ones(2)).delay
    0.005
    """

    delay: float  # [s] positive: torque is late
    gain: float  # [nats] by which the cost falls from no shift to the best
    left: Array  # (joints,) of the torque's spread at the best shift


def lag(view: View) -> Lag | None:
    """The delay of torque behind motion; None without a robot or torque.

    >>> still = np.zeros((100, 1))
    >>> lag(View.of(bf.Recording(joint_names=("a",), time=np.arange(100), position=still, torque=still))) is None
    True
    """
    if view.robot is None or view.torque is None:
        return None
    Y = view.robot.with_friction(None).regressor(view.position, view.velocity, view.acceleration)
    shifts = np.linspace(-SCAN, SCAN, COUNT)
    inside = (view.time > view.every_time[0] + SCAN) & (view.time < view.every_time[-1] - SCAN)
    left = []
    for i in np.flatnonzero(view.moves & (view.torque.std(axis=0) > 0)):
        v = view.velocity[:, i]
        rows = inside & (np.abs(v) > SLOW * np.sqrt(np.mean(v**2)))
        columns = np.column_stack([Y[rows, i], drive(v[rows], view.acceleration[rows, i])])
        if rows.sum() < 2 * columns.shape[1]:
            continue
        late = [np.interp(view.time[rows] + d, view.every_time, view.every_torque[:, i]) for d in shifts]
        left.append(unexplained(columns, np.stack(late, axis=1)))
    if not left:
        return None
    cost = np.log(np.maximum(left, 0.1 * FLOOR)).sum(axis=0)
    best = int(np.argmin(cost))
    shift = float(shifts[best])
    if 0 < best < COUNT - 1:  # a parabola through the three lowest
        low, mid, high = cost[best - 1 : best + 2]
        shift += 0.5 * (low - high) / (low - 2 * mid + high) * (shifts[1] - shifts[0])
    return Lag(shift, float(cost[COUNT // 2] - cost[best]), np.array(left)[:, best])


def delay(view: View, step: float) -> Iterator[Suspicion]:
    """A finding if torque and motion are clearly apart; `step` [s] is that of the recording.

    >>> still = np.zeros((100, 1))
    >>> list(delay(View.of(bf.Recording(joint_names=("a",), time=np.arange(100), position=still, torque=still)), 1.0))
    []
    """
    found = lag(view)
    if found is None or abs(found.delay) < max(LEAST, STEPS * step) or found.gain < CLEAR:
        return
    if abs(found.delay) > 0.95 * SCAN:  # no minimum: a motion too slow to tell
        return
    word = "after" if found.delay > 0 else "before"
    yield Suspicion(
        "warning",
        "torque",
        f"comes {abs(found.delay) * 1e3:.1f} ms {word} the motion that goes with it",
        f"shift it: delay={found.delay:.4g} when preparing (--delay {found.delay:.4g})",
        "another bus, a filter in the drive, or stamps taken on arrival",
        "delay",
        (Place("torque", "", float(view.time[0]), float(view.time[-1])),),
    )


def unexplained(columns: Array, targets: Array) -> Array:
    """Share of each target's spread that the columns do not explain.

    >>> unexplained(np.ones((4, 1)), np.array([[1.0], [1.0], [3.0], [3.0]]))
    array([1.])
    """
    norms = np.linalg.norm(columns, axis=0)
    kept = columns[:, norms > 1e-9 * norms.max()]
    q, r = np.linalg.qr(kept / np.linalg.norm(kept, axis=0))
    u, s, _ = np.linalg.svd(r)
    basis = q @ u[:, s > RANK * s[0]]
    rest = targets - basis @ (basis.T @ targets)
    return np.asarray(np.linalg.norm(rest, axis=0) / (np.linalg.norm(targets - targets.mean(axis=0), axis=0) + 1e-300))
