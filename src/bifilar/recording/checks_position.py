"""Positions: whole-turn jumps, degrees, motor side, limits.

A joint far beyond its limits (or beyond four turns where none are known) is not in radians of the joint: in degrees if
divided by 57.3 everything lies within the limits and, where the description can tell, the torques are explained; else of
the motor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place
from bifilar.recording.checks_model import Comparison
from bifilar.recording.checks_view import View, unwrapped
from bifilar.recording.recording import Recording

TURNS = 8 * np.pi  # [rad] span of a joint without known limits that is not believed
FAR = 3.0  # times the range the limits allow
BEYOND = 0.02  # [rad] or [m]: calibration and soft limits
STATED = 100.0  # [rad]: a wider "limit" means none
DEGREE = np.pi / 180


def wraps(recording: Recording) -> Iterator[Finding]:
    """Jumps by whole turns.

    >>> turning = np.mod(np.arange(300) / 20 + np.pi, 2 * np.pi)[:, None] - np.pi
    >>> [finding.code for finding in wraps(Recording(joint_names=("hip",), time=np.arange(300) / 100, position=turning))]
    ['wrap']
    """
    if recording.position is None or len(recording) < 3:
        return
    with np.errstate(invalid="ignore"):
        change = np.abs(np.diff(unwrapped(recording) - recording.position, axis=0))
    for j, joint in enumerate(recording.joint_names):
        jumps = np.flatnonzero(change[:, j] > 1.0)
        if not len(jumps):
            continue
        time = recording.time
        places = tuple(Place("position", joint, float(time[k]), float(time[k + 1])) for k in jumps[:50])
        yield Finding("wrap", "warning", f"position of '{joint}'", jump_count=len(jumps), time=time[jumps[0]], at=places)


def scale(view: View, recording: Recording) -> Iterator[Finding]:
    """Positions that cannot be radians of the joints.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> spoilt = recording.with_channel("position", np.degrees(recording.position))
    >>> [finding.code for finding in scale(View.of(spoilt, robot), spoilt)]
    ['degrees']
    """
    lower, upper = _limits(view)
    low, high = view.position.min(axis=0), view.position.max(axis=0)
    turning = np.array([joint not in recording.sliding for joint in view.joint_names])
    allowed = np.where(np.isfinite(upper - lower), upper - lower, 0.0)
    far = turning & (high - low > np.where(allowed > 0, FAR * allowed, TURNS))
    far |= turning & (allowed > 0) & (np.maximum(low - upper, lower - high) > FAR * allowed)
    far &= ~_within_a_turn(recording.joints(view.joint_names))
    if not far.any():
        yield from _outside(view, lower, upper)
        return
    worst = int(np.argmax(np.where(far, (high - low), 0.0)))
    ends: dict[str, Any] = {"joint": view.joint_names[worst], "low": low[worst], "high": high[worst]}
    ends |= {"lower": lower[worst], "upper": upper[worst]}
    variant = "" if allowed[worst] else "/no_limits"
    places = tuple(Place("position", view.joint_names[i], *_span(view)) for i in np.flatnonzero(far))
    if _fits_degrees(view, recording, turning, lower, upper):
        yield Finding(f"degrees{variant}", "error", "position", **ends, at=places)
    else:
        yield Finding(f"motor_side{variant}", "error", "position", **ends, at=places)


def _within_a_turn(recording: Recording) -> np.ndarray:
    """Joints whose angle is counted modulo a turn: a wheel goes on and on, and is in radians."""
    position = recording.require("position")
    span = np.nanmax(position, axis=0, initial=-np.inf) - np.nanmin(position, axis=0, initial=np.inf)
    return np.asarray((span < 2 * np.pi + BEYOND) & (np.ptp(unwrapped(recording), axis=0) > span))


def _limits(view: View) -> tuple[Array, Array]:
    n = len(view.joint_names)
    if view.robot is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    lower, upper = np.array(view.robot.limits.lower), np.array(view.robot.limits.upper)
    loose = ~(upper - lower < STATED)
    return np.where(loose, -np.inf, lower), np.where(loose, np.inf, upper)


def _fits_degrees(view: View, recording: Recording, turning: np.ndarray, lower: Array, upper: Array) -> bool:
    """Whether all fits in degrees, which may jump by 360: then turns are undone, and limits that a turn leaves not asked."""
    known = recording.joints(view.joint_names)
    factor = np.where(turning, DEGREE, 1.0)
    turned = known.with_channel("position", known.require("position") * factor)
    with np.errstate(invalid="ignore"):
        wrapped = bool(np.nanmax(np.abs(unwrapped(turned) - turned.require("position")), initial=0.0) > 1.0)
    seen = View.of(turned, view.robot) if wrapped else None
    if seen is None:
        q = view.position * factor
        seen = replace(view, position=q, velocity=view.velocity * factor, acceleration=view.acceleration * factor)
    margin = 0.05 * np.where(np.isfinite(upper - lower), upper - lower, 0.0) + BEYOND
    inside = ((seen.position > lower - margin) & (seen.position < upper + margin)).all()
    fits = (wrapped or bool(inside)) and bool(np.abs(seen.position[:, turning]).max(initial=0) < TURNS)
    if view.robot is None or seen.torque is None or not fits:
        return fits
    told = Comparison.of(seen)
    assert told is not None
    # a model that explains half of the moving joints cannot be right by chance; one that explains none has no say
    return bool(told.speaks.sum() >= 0.4 * seen.moves.sum()) or not np.any(told.gravity.std(axis=0) > 0)


def _outside(view: View, lower: Array, upper: Array) -> Iterator[Finding]:
    for i, joint in enumerate(view.joint_names):
        over, under = float(view.position[:, i].max() - upper[i]), float(lower[i] - view.position[:, i].min())
        most = max(over, under)
        if not most > BEYOND + 0.01 * (upper[i] - lower[i]):
            continue
        beyond = (view.position[:, i] > upper[i]) | (view.position[:, i] < lower[i])
        start, stop = view.time[beyond][[0, -1]]
        place = (Place("position", joint, float(start), float(stop)),)
        yield Finding(
            "limits",
            "warning",
            f"position of '{joint}'",
            most=most,
            lower=lower[i],
            upper=upper[i],
            mean=beyond.mean(),
            at=place,
        )


def _span(view: View) -> tuple[float, float]:
    return float(view.time[0]), float(view.time[-1])
