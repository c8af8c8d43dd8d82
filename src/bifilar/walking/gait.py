"""Periodic walking. With all constraints kept, a step is a map of one number: the rate of the stance link before touchdown.

    P(rate) = rate before the next touchdown          fixed point P(r) = r,  multiplier P'(r): below one in size, it is stable

(Poincare's map restricted to the zero dynamics: Grizzle, Abba and Plestan 2001.) The law reaches the constraints in finite
time, well within a step, so the whole map has this multiplier and zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError, RobotError, SolveError
from bifilar.walking.feedback import Feedback, room
from bifilar.walking.guard import Guard
from bifilar.walking.impact import Impact, impact
from bifilar.walking.phases import Phases

STEP = 5e-4  # [s] of Runge-Kutta, the controller asked at every stage
LONGEST = 5.0  # [s] that a step may take


@dataclass(frozen=True, eq=False)
class Stride:
    """One step: from just after a touchdown to just before the next.

    >>> Stride(0.5, np.zeros(6), np.zeros((1, 1)), np.zeros((1, 6)), np.zeros((1, 3))).duration
    0.5
    """

    duration: float  # [s]
    end: Array  # (2 n,) before touchdown
    time: Array  # (N,) of the history, if it was asked for
    states: Array  # (N, 2 n)
    torques: Array  # (N, n) the pivot's first


@dataclass(frozen=True, eq=False)
class Gait:
    """A walk that repeats itself.

    >>> from bifilar.walking.walker import Walker
    >>> from bifilar.walking.feedback import upright
    >>> gait = find_gait(upright(Phases.of(Walker.load("walker3"))))
    >>> round(gait.rate, 2), round(gait.period, 2)
    (2.16, 0.69)
    """

    feedback: Feedback
    guard: Guard
    rate: float  # [rad/s] of the stance link before touchdown
    period: float  # [s] of a step
    multiplier: float
    length: float  # [m] of a step
    stride: Stride
    touchdown: Impact

    @property
    def speed(self) -> float:
        """[m/s]."""
        return self.length / self.period

    @property
    def is_stable(self) -> bool:
        """Whether small disturbances die out."""
        return abs(self.multiplier) < 1

    @property
    def start(self) -> Array:
        """The state after a touchdown."""
        return self.touchdown.state

    @property
    def peak_torque(self) -> float:
        """The largest of any motor in a step [N m]."""
        return float(np.abs(self.stride.torques).max())

    def picture(self, count: int = 9) -> str:
        """The walker at some instants of a step, as SVG."""
        from bifilar.walking.picture import strobe

        pick = np.linspace(0, len(self.stride.states) - 1, count).astype(int)
        return strobe(self.feedback.phases, self.stride.states[pick])


def stride(
    feedback: Feedback,
    guard: Guard,
    state: Array,
    stance: int = 0,
    *,
    plant: Phases | None = None,
    step: float = STEP,
    longest: float = LONGEST,
    keep: bool = False,
) -> Stride | None:
    """From a state to just before touchdown; None if the walker falls. `plant`: the machine, if not the controller's model.

    >>> from bifilar.walking.walker import Walker
    >>> from bifilar.walking.feedback import upright
    >>> feedback = upright(Phases.of(Walker.load("walker3")))
    >>> stride(feedback, Guard(), np.array([-0.39, 0.5, 0.39, 0.5, 0.0, -0.5])) is None
    True
    """
    from bifilar.walking.kernels import loop

    phases = feedback.phases
    if plant is not None and plant is not phases:
        raise RobotError("gait.other_plant")
    planar = phases.planar[stance]
    many = round(longest / step)
    x, work = phases.state(state), room(planar)
    guard.check_start(phases, stance, x)
    history = np.zeros((many + 1 if keep else 0, 3 * len(planar)))
    head, law = planar._head, feedback.arguments
    count = loop.driven_until(*head, *law, x, step, many, guard.numbers, phases.foot[stance], work, history)
    if count < 0:
        return None
    if count == many:
        raise MotionError("gait.no_touchdown", longest=longest)

    def partial(span: float) -> Array:
        y = x.copy()
        loop.driven_step(*head, *law, y, span, work)
        return y

    late = crossing(lambda span: guard.value(phases, stance, partial(span)), step)
    end = partial(late)
    n = len(planar)
    kept = history[: count + 1]
    return Stride(
        count * step + late, end, np.asarray(step * np.arange(len(kept)), dtype=np.float64), kept[:, : 2 * n], kept[:, 2 * n :]
    )


def crossing(value: object, span: float, *, rounds: int = 60) -> float:
    """Where a function that is positive at 0 and not at `span` becomes zero; never before it (Illinois' rule).

    >>> round(crossing(lambda s: 0.3 - s, 1.0), 9)
    0.3
    """
    low, high = 0.0, span
    at_low, at_high = float(value(0.0)), float(value(span))  # type: ignore[operator]
    side = 0
    for _ in range(rounds):
        if high - low <= 1e-15 * span or at_high == 0.0:
            break
        middle = high - at_high * (high - low) / (at_high - at_low)
        middle = middle if low < middle < high else 0.5 * (low + high)
        at = float(value(middle))  # type: ignore[operator]
        if at > 0:
            low, at_low = middle, at
            at_high = 0.5 * at_high if side == 1 else at_high
            side = 1
        else:
            high, at_high = middle, at
            at_low = 0.5 * at_low if side == -1 else at_low
            side = -1
            if -at < 1e-14:
                break
    return high


def next_rate(feedback: Feedback, guard: Guard, rate: float) -> float:
    """Poincare's map: the rate before the next touchdown; nan if the walker falls or does not arrive.

    >>> from bifilar.walking.walker import Walker
    >>> from bifilar.walking.feedback import upright
    >>> bool(next_rate(upright(Phases.of(Walker.load("walker3"))), Guard(), 2.3) < 2.3)
    True
    """
    n = len(feedback.phases)
    hit = impact(feedback.phases, 0, feedback.on_constraints(guard.angle, rate))
    try:
        done = stride(feedback, guard, hit.state, hit.stance)
    except MotionError:
        return np.nan
    return np.nan if done is None else float(done.end[n])


def find_gait(feedback: Feedback, guard: Guard | None = None, *, fastest: float | None = None, count: int = 24) -> Gait:
    """The slowest stable gait of a controller; `fastest` [rad/s]: where the search ends.

    >>> from bifilar.walking.walker import Walker
    >>> from bifilar.walking.feedback import upright
    >>> find_gait(upright(Phases.of(Walker.load("walker3")), torso=-0.6))
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: there is no gait: the walker slows down ...
    """
    phases, guard = feedback.phases, guard or Guard()
    if not phases.alike:
        raise RobotError("gait.legs_differ")
    if not np.isfinite(guard.angle):
        raise RobotError("gait.needs_angle")
    leg = float(np.abs(phases.foot[0]).sum()) / 2
    top = fastest if fastest is not None else 3 * np.sqrt(np.linalg.norm(phases.planar[0].gravity) / leg)
    rates, gains = _scanned(feedback, guard, np.linspace(0.1 * top, top, count))
    found = [k for k in range(len(rates) - 1) if gains[k] > 0 >= gains[k + 1]]
    if not found:
        raise SolveError("gait.none", why=_why(rates, gains))
    low, high = rates[found[0]], rates[found[0] + 1]
    rate = low + crossing(lambda r: next_rate(feedback, guard, low + r) - (low + r), high - low, rounds=40)
    d = 1e-3 * rate
    multiplier = (next_rate(feedback, guard, rate + d) - next_rate(feedback, guard, rate - d)) / (2 * d)
    hit = impact(phases, 0, feedback.on_constraints(guard.angle, rate))
    once = stride(feedback, guard, hit.state, hit.stance, keep=True)
    assert once is not None
    length = float(phases.foot_position(hit.stance, once.end[: len(phases)])[0])
    return Gait(feedback, guard, float(rate), once.duration, float(multiplier), length, once, hit)


def _scanned(feedback: Feedback, guard: Guard, rates: Array) -> tuple[Array, Array]:
    """Rates and what a step adds to them, finer where walking begins: slow gaits have little room."""
    gains = np.array([next_rate(feedback, guard, r) - r for r in rates])
    walks = np.flatnonzero(~np.isnan(gains))
    if not len(walks) or walks[0] == 0:
        return rates, gains
    low, high = rates[walks[0] - 1], rates[walks[0]]
    for _ in range(10):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.isnan(next_rate(feedback, guard, middle)) else (low, middle)
    more = np.linspace(high, rates[walks[0]], 10)[:-1]
    more_gains = np.array([next_rate(feedback, guard, r) - r for r in more])
    return np.concatenate([more, rates[walks[0] :]]), np.concatenate([more_gains, gains[walks[0] :]])


def _why(rates: Array, gains: Array) -> str:
    if np.isnan(gains).all():
        return "the walker falls from every rate that was tried"
    walks = rates[~np.isnan(gains)]
    tried = f"between {walks[0]:.2g} and {walks[-1]:.2g} rad/s"
    slower = np.nanmax(gains) < 0
    return f"the walker {'slows down' if slower else 'speeds up'} at every rate {tried}"
