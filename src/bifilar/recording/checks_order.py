"""Joints in another order than the description's: does an exchange of two explain the torques much better?

Every pair is exchanged, in all channels, in torque alone, or in position alone, and the torques compared with the model's
(`likelihood`, checks_model); a joint that would leave its limits counts against an order. The best exchange is taken if it
gains clearly, and the next is looked for on top of it: three joints in a circle are two exchanges. On seven real recordings
the best wrong exchange gains 0.6 nats. Where the torques stay unexplained, orders are searched more widely; what that finds
must gain more, and explain them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place
from bifilar.recording.checks_model import Comparison, likelihood, parts
from bifilar.recording.checks_order_search import OUTSIDE, Columns, Order, best_order, order_within_limits, outside
from bifilar.recording.checks_robot import clearly_explains, free_left, robot_explains, whole
from bifilar.recording.checks_view import View

GAIN = 1.2  # nats over all joints
ROWS = 400  # samples are enough to compare orders
MOST = 10  # joints: 45 pairs
KINEMATICS = 0.98  # of what is left with free masses as recorded: an exchange leaves less, whatever the links weigh
WIDE = 4.0  # nats over all joints, of an order among thousands


class Exchange(NamedTuple):
    """An order that explains more: column k of the channels belongs to joint order[k].

    >>> Exchange("torque", np.array([1, 0]), 3.0).which
    'torque'
    """

    which: str  # "joints" (all channels), "torque" or "position"
    order: Order
    gain: float  # [nats]


def exchange(view: View) -> Exchange | None:
    """The order that explains the torques best, if that is not the recorded one.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> swapped = recording.with_channel("torque", recording.torque[:, ::-1])
    >>> exchange(View.of(swapped, robot)).order
    array([1, 0])
    """
    n = len(view.joint_names)
    if view.robot is None or view.torque is None or not 2 <= n <= MOST:
        return None
    small = _fewer(view)
    start = _value(small, "joints", np.arange(n))
    best: Exchange | None = None
    for which in ("joints", "torque", "position"):
        order, value = np.arange(n), start
        for _ in range(n - 1):
            trials = [(_value(small, which, pair), pair) for pair in _exchanged(order)]
            top, found = max(trials, key=lambda trial: trial[0])
            if top - value < GAIN / n:
                break
            order, value = found, top
        gain = n * (value - start)
        if gain > (best.gain * 1.05 if best else GAIN):  # the simplest story first
            best = Exchange(which, order, gain)
    if robot_explains(view, Comparison.of(view)) or (best is not None and _explains(view, best)):
        return best if best is not None and _whatever_the_masses(view, best) else None
    return _wide(view, small, start)  # an exchange that leaves the torques unexplained is another robot's (checks_robot)


def _whatever_the_masses(view: View, found: Exchange) -> bool:
    """Whether the order explains more with free masses too: a tool that was not carried must not look like an exchange."""
    seen = _reordered(view, found)
    as_recorded, exchanged = (whole(x, free_left(x)) for x in (view, seen))
    return exchanged < KINEMATICS * as_recorded


def _wide(view: View, small: View, start: float) -> Exchange | None:
    """What a wider search finds, if it explains the torques."""
    columns, n = Columns(view), len(view.joint_names)
    for which, order in (("torque", columns.torques()), ("joints", best_order(columns))):
        found = Exchange(which, order, n * (_value(small, which, order) - start))
        if found.gain > WIDE and _explains(view, found):
            return found
    return None


def _explains(view: View, found: Exchange) -> bool:
    """Whether the description explains the torques in that order."""
    seen = _reordered(view, found)
    return clearly_explains(seen, Comparison.of(seen))


def _reordered(view: View, found: Exchange) -> View:
    back = np.argsort(found.order)
    assert view.torque is not None
    seen = view if found.which == "position" else replace(view, torque=view.torque[:, back])
    if found.which != "torque":
        q, v, a = (np.ascontiguousarray(x[:, back]) for x in (view.position, view.velocity, view.acceleration))
        seen = replace(seen, position=q, velocity=v, acceleration=a)
    return seen


def order(view: View) -> Iterator[Finding]:
    """A finding if the joints are in another order than the description's.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> list(order(View.of(recording, robot)))
    []
    """
    found = exchange(view)
    if found is None:
        yield from _by_limits(view)
        return
    names = view.joint_names
    moved = [k for k in range(len(names)) if found.order[k] != k]
    if not view.moves[moved].all():  # torques of joints that stand still hardly vary: they fit anywhere
        return
    where = "joints" if found.which == "joints" else f"columns of {found.which}"
    new = [names[found.order[k]] for k in range(len(names))]
    yield Finding(
        "order/checks_order",
        "error",
        where,
        told=[f"'{names[k]}' holds '{names[found.order[k]]}'" for k in moved],
        exp=np.exp(found.gain / len(names)),
        new=new,
        words="" if found.which == "joints" else f" (for {found.which} only, in the mapping)",
        at=tuple(Place("torque", names[k], float(view.time[0]), float(view.time[-1])) for k in moved),
    )


def _by_limits(view: View) -> Iterator[Finding]:
    """Positions that break limits as recorded and keep them in another order, where torques do not say what is right."""
    comparison = Comparison.of(view)
    if comparison is not None and np.any(comparison.gravity.std(axis=0) > 0):
        return
    order = order_within_limits(view)
    if order is None:
        return
    names = view.joint_names
    moved = [k for k in range(len(names)) if order[k] != k]
    new = [names[order[k]] for k in range(len(names))]
    places = tuple(Place("position", names[k], float(view.time[0]), float(view.time[-1])) for k in moved)
    yield Finding("order/by_limits", "error", "positions", moved=[repr(names[k]) for k in moved], new=new, at=places)


def _exchanged(order: Order) -> Iterator[Order]:
    for i, j in combinations(range(len(order)), 2):
        other = order.copy()
        other[[i, j]] = other[[j, i]]
        yield other


def _value(view: View, which: str, order: Order) -> float:
    """Likelihood if column k of the named channels belonged to joint order[k]."""
    assert view.robot is not None and view.torque is not None
    back = np.argsort(order)  # which column holds joint i
    motion = back if which != "torque" else np.arange(len(order))
    force = back if which != "position" else np.arange(len(order))
    q, v, a = (x[:, motion] for x in (view.position, view.velocity, view.acceleration))
    seen = replace(view, position=q, velocity=v, acceleration=a)
    gravity, inertial = parts(view.robot, q, v, a)
    return likelihood(seen, view.torque[:, force], gravity + inertial) - OUTSIDE * outside(view.robot, q, v) / len(order)


def _fewer(view: View) -> View:
    rows = slice(None, None, -(-len(view.time) // ROWS))
    assert view.torque is not None

    def some(x: Array) -> Array:
        return np.ascontiguousarray(x[rows])

    return replace(
        view,
        time=some(view.time),
        position=some(view.position),
        velocity=some(view.velocity),
        acceleration=some(view.acceleration),
        torque=some(view.torque),
    )
