"""What stands between a controller and the motors: torque and its rate never leave their limits, whatever comes in.

Every step, in this order: a command that cannot be trusted (not finite, from a stale or impossible state) is replaced by the
last torque for a moment and by damping after that; the torque is faded in from the one at the start (nothing, unless told),
after damping from the torque of that moment; it is clamped; it moves from the last torque by no more than rate times the time
that passed. The last two hold by construction.

Time is what the clock has advanced. One that runs back is not followed at first, and believed once it has advanced steadily for
`stale` seconds; until then the torque stays where it is. A clock that stands lets no torque change: the caller must drive it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError
from bifilar.robot.robot import Robot

LONG = 1e6  # [s] more than this in one step counts as this much
State = Literal["ok", "fading in", "limited", "holding", "damping"]


class Guarded(NamedTuple):
    """What may be sent, and why it is not what was asked for.

    >>> Guarded(np.zeros(1), "ok").state
    'ok'
    """

    torque: Array  # (joints,) [N m]
    state: State


@dataclass(frozen=True, kw_only=True, eq=False)
class SafetySettings:
    """Limits that hold for every command.

    >>> SafetySettings(torque=np.array([10.0]), rate=np.array([100.0])).hold
    0.05
    """

    torque: Array  # (joints,) [N m] largest torque
    rate: Array  # (joints,) [N m/s] largest rate of the torque
    lower: Array | None = None  # (joints,) [rad] positions below are not believed
    upper: Array | None = None  # (joints,) [rad] positions above are not believed
    velocity: Array | None = None  # (joints,) [rad/s] faster ones are not believed
    damping: Array | None = (
        None  # (joints,) [N m s/rad] when the state cannot be trusted but its velocity can; none if left out
    )
    fade_in: float = 1.0  # [s] from nothing to all of the command
    hold: float = 0.05  # [s] the last good command is repeated before damping begins
    stale: float = 0.05  # [s] an older state is not believed
    longest: float = 0.05  # [s] more time between two steps counts as this much

    @classmethod
    def of(
        cls, robot: Robot, *, share: float = 1.0, seconds: float = 0.5, slack: float = 0.1, **other: object
    ) -> SafetySettings:
        """From a description: `share` of its effort limits, reached in `seconds` at the fastest.

        Positions may be outside their limits by `slack`, velocities twice their limits, before they are not believed.

        >>> SafetySettings.of(bf.Robot.load("panda")).torque[:2]
        array([87., 87.])
        """
        limits = robot.limits
        if not np.isfinite(limits.effort).all():
            lacking = [name for name, top in zip(robot.joint_names, limits.effort, strict=True) if not np.isfinite(top)]
            raise RobotError("limits.effort_missing/safety", lacking=lacking[0])
        if not (0 < share <= 1 and seconds > 0):
            raise RobotError("setting.wrong/safety", share=share, seconds=seconds)
        top = share * np.asarray(limits.effort, dtype=float)
        known = {"torque": top, "rate": top / seconds, "lower": limits.lower - slack, "upper": limits.upper + slack}
        return cls(**(known | {"velocity": 2 * limits.velocity} | other))  # type: ignore[arg-type]


class Safety:
    """Remembers the last torque; one per running controller.

    >>> safety = Safety(SafetySettings(torque=np.array([10.0]), rate=np.array([100.0]), fade_in=0.0))
    >>> [safety.step([50.0], [0.0], [0.0], k / 100).torque[0] for k in range(4)]
    [np.float64(0.0), np.float64(1.0), np.float64(2.0), np.float64(3.0)]
    """

    def __init__(self, settings: SafetySettings, start: ArrayLike | None = None) -> None:
        """`start` (joints,) [N m]: what the drives give already, such as what holds the arm; nothing if left out."""
        self.settings = settings
        n = len(settings.torque)
        self._top, self._rate = (_positive(name, getattr(settings, name), n) for name in ("torque", "rate"))
        self._lower, self._upper = (_each(name, getattr(settings, name), n, side) for name, side in _SIDES)
        self._fastest = _at_least_zero("velocity", _each("velocity", settings.velocity, n, np.inf))
        self._damping = damping_of(settings.damping, n)
        for name in ("fade_in", "hold", "stale", "longest"):
            if not (np.isfinite(getattr(settings, name)) and getattr(settings, name) >= 0):
                raise ShapeError("setting.wrong/safety_init", name=name, getattr=getattr(settings, name))
        given = _each("start", start, n, 0.0)
        self._last = self._from = np.minimum(np.maximum(given, -self._top), self._top)
        self._clock, self._behind, self._steady = np.nan, np.nan, 0.0
        self._time, self._lost, self._faded = 0.0, np.nan, 0.0  # [s] that passed; when the state was lost; of the fading in

    def step(
        self, wanted: ArrayLike, position: ArrayLike, velocity: ArrayLike, time: float, stamp: float | None = None
    ) -> Guarded:
        """What may be sent now. `time` [s] is the clock, `stamp` when the state was measured (now, if left out). Never raises.

        >>> safety = Safety(SafetySettings(torque=np.array([10.0]), rate=np.array([1e3]), fade_in=0.0))
        >>> safety.step([np.nan], [0.0], [0.0], 0.0).state
        'holding'
        """
        q, v, tau = (self._sized(x) for x in (position, velocity, wanted))
        passed = self._passed(_number(time))
        fresh = stamp is None or -1e-3 <= self._clock - _number(stamp) <= self.settings.stale
        fast = ~(np.abs(v) <= self._fastest) | ~np.isfinite(v)
        inside = (q >= self._lower) & (q <= self._upper) & np.isfinite(q) & np.isfinite(tau) & ~fast
        if fresh and inside.all():
            target, state = self._followed(tau, passed)
        else:
            target, state = self._lost_target(np.zeros_like(v) if not fresh else np.where(fast, 0.0, v))
        reach = self._rate * passed
        clamped = np.minimum(np.maximum(target, -self._top), self._top)
        moved = np.minimum(np.maximum(clamped, self._last - reach), self._last + reach)
        torque = np.minimum(np.maximum(moved, -self._top), self._top)
        if state == "ok" and np.any(torque != target):
            state = "limited"
        self._last = torque
        return Guarded(torque.copy(), state)

    def _sized(self, value: ArrayLike) -> Array:
        """As numbers of the right count; anything else is a state nobody can trust."""
        try:
            array = np.array(value, dtype=np.float64)
        except Exception:  # whatever it is, it is no state
            return np.full(len(self._top), np.nan)
        return array if array.shape == self._top.shape else np.full(len(self._top), np.nan)

    def _passed(self, now: float) -> float:
        """Seconds since the last step, for the rate: none if the clock stands, runs back or is not a number."""
        if not np.isfinite(now):
            return 0.0
        if not np.isfinite(self._clock):
            self._clock = now
            return 0.0
        passed = now - self._clock
        if passed < 0:
            passed = self._ran_back(now)
        else:
            self._clock, self._behind = now, np.nan
        self._time += min(passed, LONG)
        return min(passed, self.settings.longest)

    def _ran_back(self, now: float) -> float:
        """A clock that was set back is believed after `stale` seconds of small steps; nothing passes before."""
        step = now - self._behind
        steady = 0 < step <= max(self.settings.longest, 1e-3)
        self._steady = self._steady + step if steady else self._steady if step == 0 else 0.0
        self._behind = now
        if steady and self._steady >= self.settings.stale:
            self._clock, self._behind = now, np.nan
            return float(step)
        return 0.0

    def _followed(self, tau: Array, passed: float) -> tuple[Array, State]:
        self._faded += passed
        if self._time - self._lost > self.settings.hold:  # it was damped: a start from the torque of now
            self._faded, self._from = 0.0, self._last
        self._lost = np.nan
        share = 1.0 if self._faded >= self.settings.fade_in else self._faded / self.settings.fade_in
        if share == 1.0:
            return tau, "ok"
        good = np.minimum(np.maximum(tau, -self._top), self._top)
        return self._from + share * (good - self._from), "fading in"

    def _lost_target(self, v: Array) -> tuple[Array, State]:
        if not np.isfinite(self._lost):
            self._lost = self._time
        if self._time - self._lost <= self.settings.hold:
            return self._last, "holding"
        with np.errstate(over="ignore"):
            return -self._damping * v, "damping"


_SIDES = (("lower", -np.inf), ("upper", np.inf))


def damping_of(value: ArrayLike | None, n: int) -> Array:
    """Of every joint [N m s/rad]; none where none is given, never one that drives.

    >>> damping_of(None, 2)
    array([0., 0.])
    """
    given = _at_least_zero("damping", _each("damping", value, n, 0.0))
    if not np.isfinite(given).all():
        raise ShapeError("setting.wrong/damping_of")
    return given


def _number(value: object) -> float:
    """A number, or none."""
    try:
        return float(value)  # type: ignore[arg-type]
    except Exception:
        return float("nan")


def _each(name: str, value: ArrayLike | None, n: int, left_out: float) -> Array:
    """One number per joint, a copy."""
    given = np.full(n, left_out) if value is None else np.array(value, dtype=np.float64)
    if given.shape != (n,) or np.isnan(given).any():
        raise ShapeError("shape.wrong/safety", name=name, n=n)
    return given


def _at_least_zero(name: str, given: Array) -> Array:
    if np.any(given < 0):
        raise ShapeError("setting.wrong/at_least_zero", name=name)
    return given


def _positive(name: str, value: ArrayLike, n: int) -> Array:
    given = np.array(value, dtype=np.float64)
    if given.shape != (n,) or not np.all(given > 0) or not np.isfinite(given).all():
        raise ShapeError("setting.wrong/positive", name=name, n=n)
    return given
