"""A simulated log that passes as real: no friction in any joint, torque of the nominal model itself, no noise in any channel.

friction   torque = regressor x, without any friction: hardly anything is left
own        torque = that of the nominal model with its friction: a feed-forward that was logged, not a measurement
noise      third differences are those of rounding: a sampled smooth function, not a sensor
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place
from bifilar.recording.checks_delay import unexplained
from bifilar.recording.checks_view import View
from bifilar.recording.recording import Recording

NOTHING = 5e-3  # of the torque is left: no machine is that well described
SMOOTH = 1e-4  # third difference over that of neighbouring noise: see `_roughness`
ROWS = 500


def simulated(view: View, recording: Recording) -> Iterator[Finding]:
    """A finding if the torques are those of a rigid-body formula, or nothing was measured.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example(friction=False, noise=False)
    >>> [finding.code for finding in simulated(View.of(recording, robot), recording)]
    ['simulated']
    """
    place = (Place("torque", "", float(view.time[0]), float(view.time[-1])),)
    left = _frictionless(view)
    if left is not None:
        yield Finding("simulated", "warning", "torque", left=left, at=place)
        return
    own = _own(view)
    if own is not None:
        yield Finding("simulated/own", "warning", "torque", left=own, at=place)
        return
    rough = [r for r in map(_roughness, (recording.position, recording.torque)) if r is not None]
    if len(rough) == 2 and max(rough) < SMOOTH:
        yield Finding("smooth", "note", "recording", largest=max(rough), at=place)


def _frictionless(view: View) -> float | None:
    """What is left without friction, if that is nothing; None else."""
    if view.robot is None or view.torque is None:
        return None
    rows = slice(None, None, -(-len(view.time) // ROWS))
    q, v, a, tau = (np.ascontiguousarray(x[rows]) for x in (view.position, view.velocity, view.acceleration, view.torque))
    Y = view.robot.with_friction(None).regressor(q, v, a)
    worst = 0.0
    joints = np.flatnonzero(view.moves & (tau.std(axis=0) > 1e-9 * np.abs(tau).max(initial=0.0)))
    for i in joints:
        rigid = np.column_stack([Y[:, i], a[:, i], np.ones(len(a))])
        worst = max(worst, float(unexplained(rigid, tau[:, [i]])[0]))
        if worst > NOTHING:
            return None
    return worst if len(joints) else None


def _own(view: View) -> float | None:
    """What is left beside the nominal model with its own friction, if that is nothing; None else."""
    if view.robot is None or view.torque is None or not len(view.robot.drive_values) or not view.moves.any():
        return None
    rows = slice(None, None, -(-len(view.time) // ROWS))
    q, v, a, tau = (np.ascontiguousarray(x[rows]) for x in (view.position, view.velocity, view.acceleration, view.torque))
    left = float(np.linalg.norm(tau - view.robot.inverse_dynamics(q, v, a)) / max(float(np.linalg.norm(tau)), 1e-300))
    return left if left < NOTHING else None


def _roughness(values: Array | None) -> float | None:
    """Third differences over first ones (robust, worst joint that moves, both of every 1/200 of the length or finer)."""
    if values is None or len(values) < 200 or not np.isfinite(values).all():
        return None
    first, third = (np.median(np.abs(np.diff(values, n=n, axis=0)), axis=0) for n in (1, 3))
    moving = np.ptp(values, axis=0) > 1e-3 * np.ptp(values, axis=0).max(initial=0.0)
    if not moving.any() or not first[moving].all():  # what stands still most of the time has the steps of a sensor
        return None
    return float((third[moving] / first[moving]).max())
