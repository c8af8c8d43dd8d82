"""How small errors pass through a touchdown that happens where the state says, not at an instant that is given.

    Xi = R + (f_after - R f_before) grad / (grad . f_before)            R: derivative of the touchdown at its instant

A state that is an error d nearer to the guard touches down earlier by grad . d / (grad . f_before) and moves on at the new
rates for so much longer; R alone leaves that out. (Aizerman and Gantmakher 1958; Kong, Payne, Council and Johnson 2021 for
Kalman filters.) Around an instant near touchdown, `through` brings a state to its own touchdown and back by the same time:

    through(x) = flow_after(-s, touchdown(flow_before(s, x))),  s: until the guard of x is zero, of either sign

so that states before and after are compared on one clock; its derivative is flow_after' Xi flow_before'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.walking.guard import Guard
from bifilar.walking.impact import impact_jacobian, impact_states
from bifilar.walking.phases import Phases

GRAZING = 1e-6  # of the guard per second: slower than that is no touchdown
ROUNDS = 30  # of Newton's method for the instant
CLOSE = 1e-13  # of the guard


class Crossing(NamedTuple):
    """A state after its touchdown, how it changes with the state before, and when the touchdown was.

    >>> Crossing(np.zeros(6), np.eye(6), np.zeros(6), 0.0).time
    0.0
    """

    state: Array  # (2 n,) links in the order of the new foot's model
    slope: Array  # (2 n, 2 n) by the state before
    turn: Array  # (2 n,) by gravity turning about +y [1/rad]
    time: float  # [s] of the touchdown, from the instant of the state


def saltation(phases: Phases, stance: int, state: Array, torque: Array, guard: Guard) -> tuple[Array, Array]:
    """The state after a touchdown at this state, and Xi (2 n, 2 n); `torque` of the encoders' joints, held.

    >>> from bifilar.walking.walker import Walker
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> x = np.array([np.pi / 8, 0.5, -0.4, 2.0, 0.1, -1.8])
    >>> salted = saltation(phases, 0, x, np.zeros(2), Guard())[1]
    >>> before = phases.planar[0].rates(x[None], np.zeros((1, 3)))[0]
    >>> after = phases.planar[1].rates(impact_states(phases, 0, x[None]), np.zeros((1, 3)))[0]
    >>> bool(np.allclose(salted @ before, after))  # motion before becomes motion after
    True
    """
    after, reset = impact_jacobian(phases, stance, state)
    before_rate = _rate(phases, stance, state, torque)
    after_rate = _rate(phases, 1 - stance, after, torque)
    grad = guard.gradient(phases, stance, state)
    down = float(grad @ before_rate)
    if not down < -GRAZING:
        raise MotionError("touchdown.foot_rises", down=down)
    return after, reset + np.outer(after_rate - reset @ before_rate, grad) / down


def through(
    phases: Phases, stance: int, state: Array, torque: Array, guard: Guard, *, reach: float, steps: int = 2, salted: bool = True
) -> Crossing | None:
    """A state through its own touchdown, which is less than `reach` [s] before or after it; None if it is not.

    `salted`: with the saltation matrix, or with the touchdown's own derivative, as if its instant were given.

    >>> from bifilar.walking.walker import Walker
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> x = np.array([0.38, 0.5, -0.4, 2.0, 0.1, -1.8])
    >>> round(through(phases, 0, x, np.zeros(2), Guard(), reach=0.02).time, 4)
    0.0063
    """
    n = len(phases)
    time = _until_touchdown(phases, stance, state, torque, guard, reach, steps)
    if time is None:
        return None
    before = phases.planar[stance].flow_slopes(state, phases.torques(stance, torque), time, steps)
    if salted:
        after, jump = saltation(phases, stance, before.value, torque, guard)
    else:
        after, jump = impact_jacobian(phases, stance, before.value)
    end = phases.planar[1 - stance].flow_slopes(after, phases.torques(1 - stance, torque), -time, steps)
    turn = end.state @ jump @ before.turn + end.turn
    assert len(end.value) == 2 * n
    return Crossing(end.value, end.state @ jump @ before.state, turn, time)


def through_state(
    phases: Phases, stance: int, state: Array, torque: Array, guard: Guard, *, reach: float, steps: int = 2
) -> Array | None:
    """The state of `through` alone.

    >>> from bifilar.walking.walker import Walker
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> through_state(phases, 0, np.array([0.1, 0.5, -0.1, 2.0, 0.1, -1.8]), np.zeros(2), Guard(), reach=0.02) is None
    True
    """
    time = _until_touchdown(phases, stance, state, torque, guard, reach, steps)
    if time is None:
        return None
    before = phases.planar[stance].flow(state[None], phases.torques(stance, torque)[None], time, steps)
    after = impact_states(phases, stance, before)
    return phases.planar[1 - stance].flow(after, phases.torques(1 - stance, torque)[None], -time, steps)[0]


def _rate(phases: Phases, stance: int, state: Array, torque: Array) -> Array:
    return phases.planar[stance].rates(state[None], phases.torques(stance, torque)[None])[0]


def _until_touchdown(
    phases: Phases, stance: int, state: Array, torque: Array, guard: Guard, reach: float, steps: int
) -> float | None:
    """When the guard is zero, by Newton's method in time."""
    time, u = 0.0, phases.torques(stance, torque)[None]
    for _ in range(ROUNDS):
        at = phases.planar[stance].flow(state[None], u, time, steps)[0] if time else state
        value = guard.value(phases, stance, at)
        down = float(guard.gradient(phases, stance, at) @ _rate(phases, stance, at, torque))
        if abs(value) < CLOSE:
            return time if down < -GRAZING else None
        if not down < -GRAZING:
            return None
        time -= value / down
        if not abs(time) <= reach:
            return None
    return time
