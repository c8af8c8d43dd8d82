"""A wrong rate where no velocity was recorded: speeds beyond the limits, or inertia that does not go with gravity.

    torque_i = g_i gravity_i(q) + r_i inertial_i(q, v, a) + friction,        r_i / g_i = (true rate / declared rate)^2

A rate wrong by k makes velocities wrong by k and inertial torques by k^2, and leaves gravity alone. A fit with free inertias
hides that entirely. Rotors, which descriptions leave out, make r larger, up to 20 in wrists: only r far below 1 in *every*
joint that tells, or far above in every one, accuses.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place, Remedy
from bifilar.recording.checks_model import Comparison, drive, fit
from bifilar.recording.checks_view import View

TELLS = 0.7  # left with inertia over left without
LIGHT = 1 / 6  # largest r of a rate that is too high: a factor of 2.5
HEAVY = 12.0  # smallest r of a rate that is too low: a factor of 3.5, rotors considered
SPEED = 1.5  # times the velocity limit
NEAR = 0.3  # powers of ten: so near to a thousand, stamps are in another unit; else they are of another clock


def rate(view: View, comparison: Comparison) -> Iterator[Finding]:
    """A declared rate that cannot be.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording.with_clock(rate=5 * recording.rate), robot)
    >>> [finding.code for finding in rate(view, Comparison.of(view))]
    ['rate']
    """
    whole = (Place("time", "", float(view.time[0]), float(view.time[-1])),)
    ratio = inertia_ratio(view, comparison)
    told = np.isfinite(ratio)
    names = [f"{name} {value:.2g}" for name, value in zip(view.joint_names, ratio) if np.isfinite(value)]
    if told.sum() >= min(2, len(ratio)) and (ratio[told].max() < LIGHT or ratio[told].min() > HEAVY):
        k = float(np.sqrt(np.median(ratio[told])))
        remedy = Remedy(
            f"Recording.load(..., rate=...), about {k:.2g} times the present one",
            cli=f"--rate ..., about {k:.2g} times the present one",
        )
        likely = "a declared rate that is too " + ("high" if k < 1 else "low")
        if view.stamped:
            remedy = stamps_remedy(1 / k, "about")
            likely = "stamps in another unit than was taken, or of another clock"
        yield Finding("rate/checks_rate", "error", "clock", names=names, likely=likely, remedy=remedy, at=whole)
        return
    yield from _speed(view, whole)


def stamps_remedy(steps: float, about: str) -> Remedy:
    """What to say of stamps whose true steps are so many times those that were taken: a larger unit, or a smaller one.

    >>> stamps_remedy(1e-3, "about").cli
    '--unit time=ms, if s were taken: true steps are about 0.001 times as long'
    >>> stamps_remedy(5.2, "at least").cli
    '--unit time=s, if ms were taken: true steps are at least 5.2 times as long'
    >>> stamps_remedy(5.2, "about")
    'log the time at which it was measured: true steps are about 5.2 times as long, which no unit explains'
    """
    thousands = float(np.log10(steps)) / 3
    said = f"true steps are {about} {steps:.2g} times as long"
    if about == "about" and (round(thousands) == 0 or abs(thousands - round(thousands)) > NEAR / 3):
        return Remedy(f"log the time at which it was measured: {said}, which no unit explains")
    true, taken = ("ms", "s") if steps < 1 else ("s", "ms")
    return Remedy(f"unit={{'time': '{true}'}}", cli=f"--unit time={true}, if {taken} were taken: {said}")


def inertia_ratio(view: View, comparison: Comparison) -> Array:
    """r / g per joint; nan where inertia does not show.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording, robot)
    >>> bool(np.nanmax(np.abs(inertia_ratio(view, Comparison.of(view)) - 1)) < 0.3)
    True
    """
    assert view.torque is not None
    n = len(view.joint_names)
    inertia, weight = np.full(n, np.nan), np.full(n, np.nan)
    for i in np.flatnonzero(view.moves & (comparison.inertial.std(axis=0) > 0)):
        friction = drive(view.velocity[:, i], view.acceleration[:, i])[:, [0, 1, 3]]
        gravity, inertial, tau = comparison.gravity[:, i], comparison.inertial[:, i], view.torque[:, i]
        values, left = fit(np.column_stack([inertial, gravity, friction]), tau)
        if left < TELLS * fit(np.column_stack([gravity, friction]), tau)[1]:
            inertia[i] = abs(values[0])
        if left < TELLS * fit(np.column_stack([inertial, friction]), tau)[1] and gravity.std() > 0:
            weight[i] = abs(values[1])
    if np.isfinite(weight).any():  # the unit of torque, as gravity shows it: of the joint itself, or of the others
        return np.asarray(inertia / np.where(np.isfinite(weight), weight, np.nanmedian(weight)))
    # without gravity a factor near a thousand is a unit of torque (checks_torque), not of time
    return np.where(np.abs(np.log10(inertia)) > 2, np.nan, inertia)


def _speed(view: View, whole: tuple[Place, ...]) -> Iterator[Finding]:
    assert view.robot is not None
    limit = view.robot.limits.velocity
    known = np.isfinite(limit) & (limit > 0) & view.moves
    if not known.any():
        return
    share = np.abs(view.velocity).max(axis=0) / np.where(known, limit, np.inf)
    if share.max() < SPEED:
        return
    worst = int(np.argmax(share))
    most = float(share[worst])
    many = float((share[known] > SPEED).mean()) >= 0.5
    remedy = Remedy("Recording.load(..., rate=...)", cli=f"--rate ...: at most {1 / most:.2g} times the present one")
    if many:
        likely = "a declared rate that is too high"
        if view.stamped:
            likely = "stamps in another unit than was taken, or of another clock"
            remedy = stamps_remedy(most, "at least")
        yield Finding(
            "rate/speed",
            "error",
            "clock",
            joint_name=view.joint_names[worst],
            most=most,
            limit=limit[worst],
            likely=likely,
            remedy=remedy,
            at=whole,
        )
    else:
        if view.stamped:
            remedy = Remedy(
                "robot.with_limits({...}) if the machine is faster; otherwise compare unit and gear of its position",
                cli="other limits in the description if the machine is faster; else compare unit and gear of its position",
            )
        yield Finding(
            "speed",
            "warning",
            "velocity",
            joint_name=view.joint_names[worst],
            most=most,
            limit=limit[worst],
            remedy=remedy,
            at=whole,
        )
