"""Another robot than the one that was recorded: torques that its description leaves unexplained, and its kinematics too.

    left     what the model, scaled joint by joint, and friction leave; joints weighed by the variance of their torque
    free     what is left if all masses, centres and inertias may be anything: a fit of the regressor

On five real recordings of four arms the right description leaves 2 to 12 % of the torque, on 30 clean simulated ones at most
6 %; the real Panda beside a KUKA's description leaves 31 %, a simulated one 16 %, which passes.
Masses in a description are often made up: only if `free` is large too is it certain
that this is another machine, or a channel that is no torque.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, Place
from bifilar.recording.checks_model import Comparison, drive
from bifilar.recording.checks_order_search import outside
from bifilar.recording.checks_view import View

LEFT = 0.25  # of the torque, more than real descriptions leave
CLEARLY = 0.15  # of the torque, at most: an order of joints that leaves more may be another robot's
RATIO = 0.4  # of what friction, rotors and offsets leave: the model explains little
FREE = 0.12  # of the torque, about what right kinematics leave at worst (TX40: 0.122), with masses to choose
ROWS = 300  # samples are enough for the free fit


def robot_explains(view: View, comparison: Comparison | None) -> bool:
    """Whether the description explains the torques, scaled joint by joint; True also if it cannot tell.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording, robot)
    >>> robot_explains(view, Comparison.of(view))
    True
    """
    if comparison is None or not np.any(comparison.gravity.std(axis=0) + comparison.inertial.std(axis=0) > 0):
        return True
    left, without = (whole(view, x) for x in (comparison.left, comparison.left_without))
    return not (left > LEFT and left > RATIO * without)


def clearly_explains(view: View, comparison: Comparison | None) -> bool:
    """Whether next to nothing is left: that is not by chance.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> view = View.of(recording, robot)
    >>> clearly_explains(view, Comparison.of(view))
    True
    """
    return comparison is not None and whole(view, comparison.left) < CLEARLY


def strange(view: View, comparison: Comparison) -> Iterator[Finding]:
    """A finding if this robot does not explain these torques.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> noise = np.random.default_rng(0).normal(size=(20, 2)).cumsum(axis=0).repeat(100, axis=0)
    >>> view = View.of(recording.with_channel("torque", noise), robot)
    >>> [finding.severity for finding in strange(view, Comparison.of(view))]
    ['error']
    """
    if robot_explains(view, comparison):
        return
    left, free = whole(view, comparison.left), whole(view, free_left(view))
    assert view.robot is not None
    facts: dict[str, Any] = {"robot": view.robot.name, "left": left, "free": free}
    everywhere = (Place("torque", "", float(view.time[0]), float(view.time[-1])),)
    beyond = outside(view.robot, view.position, 0 * view.velocity)
    if free > FREE or beyond:
        facts |= {"beyond": beyond, "joints": len(view.joint_names)}
        yield Finding("robot/beyond" if beyond else "robot/other", "error", "torque", **facts, at=everywhere)
    else:
        yield Finding("robot/masses", "warning", "torque", **facts, at=everywhere)


def free_left(view: View) -> Array:
    """What a fit with free masses and friction leaves of each joint's torque, in its spread; (joints,).

    Where every joint has a factor of its own, its masses are its own too: a factor times the others'.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> bool(free_left(View.of(recording, robot)).max() < 0.1)
    True
    """
    assert view.robot is not None and view.torque is not None
    rows = slice(None, None, -(-len(view.time) // ROWS))
    q, v, a, tau = (np.ascontiguousarray(x[rows]) for x in (view.position, view.velocity, view.acceleration, view.torque))
    count, n = tau.shape
    inertial = np.asarray(view.robot.regressor(q, v, a)).reshape(count, n, -1)
    friction = np.zeros((count, n, 4 * n))
    for i in range(n):
        friction[:, i, 4 * i : 4 * i + 4] = drive(v[:, i], a[:, i])
    spread = tau.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    columns, target = np.concatenate([inertial, friction], axis=2) / spread[:, None], tau / spread
    if view.gains:
        return _left(columns, target)
    return np.concatenate([_left(columns[:, [i]], target[:, [i]]) for i in range(n)])


def _left(columns: Array, target: Array) -> Array:
    """Root mean square of what least squares leave, (joints,); columns (M, joints, parameters), target (M, joints)."""
    count, n = target.shape
    flat = columns.reshape(count * n, -1)
    norms = np.linalg.norm(flat, axis=0)
    flat = flat / np.where(norms > 0, norms, 1.0)
    # directions that hardly show would fit noise: the description's own combinations are well within
    solution = decompose.lstsq(flat, target.ravel(), rcond=1e-3)[0]
    rest = target - (flat @ solution).reshape(count, n)
    return np.asarray(np.sqrt(np.mean(rest**2, axis=0)))


def whole(view: View, left: Array) -> float:
    """Of all joints, weighed by the variance of their torque.

    >>> from bifilar.recording.check import example
    >>> recording, robot = example()
    >>> whole(View.of(recording, robot), np.ones(2))
    1.0
    """
    assert view.torque is not None
    weight = view.torque.var(axis=0) * view.moves
    total = float(weight.sum())
    return float(np.sqrt((weight * np.minimum(left, 1.0) ** 2).sum() / total)) if 0 < total < np.inf else 0.0
