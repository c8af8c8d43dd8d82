"""The velocity channel beside the derivative of position, and channels of targets beside position.

    measured_i = k_i d/dt position_i

k = 1 if all is well; one k for all joints is a wrong rate (k = true rate / declared rate) or degrees in one of the two; a k
of -1, or one that only another joint's derivative explains, is a sign or an order; no k at all: velocity is not
what it is called.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place
from bifilar.recording.checks_rate import stamps_remedy
from bifilar.recording.checks_view import View
from bifilar.recording.recording import Recording

ALIKE = 0.9  # correlation of two signals that are the same
NOT_ALIKE = 0.7  # correlation of two signals that are not; in between filters and noise may explain it
FOLLOWS = 0.5  # correlation of a target and what follows it, however late
WRONG = 0.08  # relative: a velocity is not scaled that wrongly by a filter
DEGREE = np.pi / 180
TARGETS = ("commanded_position", "target_position", "desired_position", "reference_position")


def velocity(view: View) -> Iterator[Finding]:
    """Findings about the velocity channel.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> [finding.code for finding in velocity(View.of(recording.with_clock(rate=5 * recording.rate)))]
    ['rate']
    """
    measured = view.measured_velocity
    if measured is None:
        return
    moving = np.flatnonzero(view.moves & (measured.std(axis=0) > 0) & (view.velocity.std(axis=0) > 0))
    if not len(moving):
        return
    match = _correlation(measured[:, moving], view.velocity[:, moving])
    own = np.diag(match)
    ratio = _slope(measured[:, moving], view.velocity[:, moving])
    span = (float(view.time[0]), float(view.time[-1]))
    alike = np.abs(own) > ALIKE
    k = float(np.median(ratio[alike])) if alike.any() else 1.0
    common = alike.any() and np.abs(ratio[alike] / k - 1).max() < WRONG if k else False
    if common and k > 0 and abs(k - 1) > WRONG:
        yield _common(k, span, view.stamped)
        k_expected = k
    else:
        k_expected = 1.0
    for place, i in enumerate(moving):
        joint = view.joint_names[i]
        where, at = f"velocity of '{joint}'", (Place("velocity", joint, *span),)
        best = int(np.argmax(np.abs(match[place])))
        if abs(own[place]) < NOT_ALIKE and abs(match[place, best]) > ALIKE:
            other = view.joint_names[moving[best]]
            yield Finding("order/checks_velocity", "error", where, other=other, at=at)
        elif abs(own[place]) < NOT_ALIKE:
            yield Finding("velocity/checks_velocity", "warning", where, own=own[place], at=at)
        elif alike[place] and abs(ratio[place] / k_expected - 1) > 2 * WRONG:
            yield Finding(
                "velocity/velocity" if abs(ratio[place] + k_expected) < WRONG else "velocity/checks_velocity_velocity",
                "warning",
                where,
                ratio=ratio[place],
                at=at,
            )


def _common(k: float, span: tuple[float, float], stamped: bool) -> Finding:
    whole = (Place("velocity", "", *span),)
    for factor, word in ((DEGREE, "position"), (1 / DEGREE, "velocity")):
        if abs(k / factor - 1) < WRONG:
            unit = "deg" if word == "position" else "deg/s"
            return Finding("degrees/checks_velocity", "error", word, k=k, word=word, unit=unit, at=(Place(word, "", *span),))
    if stamped:
        remedy = stamps_remedy(1 / k, "about")
        return Finding("rate/stamps", "error", "clock", ratio=1 / k, velocity_ratio=k, remedy=remedy, at=whole)
    return Finding("rate/velocity", "error", "clock", ratio=1 / k, velocity_ratio=k, at=whole)


def targets(recording: Recording) -> Iterator[Finding]:
    """Commanded positions that are not in the unit of the positions.

    >>> wave = np.sin(np.arange(300) / 30)[:, None]
    >>> both = {"position": wave, "target_position": wave * np.pi / 180}
    >>> [f.code for f in targets(Recording(joint_names=("hip",), time=np.arange(300) / 100, channels=both))]
    ['target_unit']
    """
    if recording.position is None or len(recording) < 50:
        return
    for name in TARGETS:
        wanted = recording.get(name)
        if wanted is None:
            continue
        fine = np.isfinite(recording.position).all(axis=1) & np.isfinite(wanted).all(axis=1)
        q, r = recording.position[fine], wanted[fine]
        live = (
            (np.ptp(q, axis=0) > 1e-3 * np.ptp(q, axis=0).max(initial=0)) & (np.ptp(r, axis=0) > 0)
            if len(q)
            else np.zeros(0, bool)
        )
        if not live.any():
            continue
        alike = np.diag(_correlation(r[:, live], q[:, live])) > FOLLOWS
        # spans, not slopes: a machine follows late
        k = float(np.median((np.ptp(r, axis=0) / np.ptp(q, axis=0))[live][alike])) if alike.any() else 1.0
        if not 0.5 < k < 2.0:
            degrees = "deg" if abs(k * DEGREE - 1) < WRONG else "another unit"
            place = (Place(name, "", float(recording.time[0]), float(recording.time[-1])),)
            yield Finding(
                "target_unit/checks_velocity" if abs(k / DEGREE - 1) < WRONG else "target_unit/targets",
                "warning",
                name.replace("_", " "),
                k=k,
                name=name,
                degrees=degrees,
                at=place,
            )


def _correlation(a: Array, b: Array) -> Array:
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    return np.asarray(a.T @ b / (np.linalg.norm(a, axis=0)[:, None] * np.linalg.norm(b, axis=0) + 1e-300))


def _slope(a: Array, b: Array) -> Array:
    """k of a = k b, per column, both without their means."""
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    return np.asarray((a * b).sum(axis=0) / ((b * b).sum(axis=0) + 1e-300))
