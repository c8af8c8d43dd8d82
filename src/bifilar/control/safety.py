"""What stands between a controller and the motors: torque and its rate never leave their limits, whatever comes in.

Every step, in this order: a command that cannot be trusted (not finite, from a stale or impossible state) is replaced by the
last good one for a moment and by damping after that; the torque is faded in after a start; it is clamped; it moves from the
last torque by no more than rate times the time that passed. The last two hold by construction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError
from bifilar.robot.robot import Robot

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
    damping: Array | None = None  # (joints,) [N m s/rad] when nothing can be trusted; none if left out
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
            raise RobotError(
                f"joint '{lacking[0]}' has no torque limit", remedy="state it in the description, or give SafetySettings"
            )
        if not (0 < share <= 1 and seconds > 0):
            raise RobotError(f"a share of {share} in {seconds} s", remedy="a share in (0, 1], a positive time")
        top = share * np.asarray(limits.effort, dtype=float)
        known = {"torque": top, "rate": top / seconds, "lower": limits.lower - slack, "upper": limits.upper + slack}
        return cls(**(known | {"velocity": 2 * limits.velocity} | other))  # type: ignore[arg-type]


class Safety:
    """Remembers the last torque; one per running controller.

    >>> safety = Safety(SafetySettings(torque=np.array([10.0]), rate=np.array([100.0]), fade_in=0.0))
    >>> [safety.step([50.0], [0.0], [0.0], k / 100).torque[0] for k in range(4)]
    [np.float64(0.0), np.float64(1.0), np.float64(2.0), np.float64(3.0)]
    """

    def __init__(self, settings: SafetySettings) -> None:
        self.settings = settings
        n = len(settings.torque)
        wide = np.full(n, np.inf)
        self._top, self._rate = (_positive(name, getattr(settings, name), n) for name in ("torque", "rate"))
        self._lower = -wide if settings.lower is None else np.asarray(settings.lower, dtype=float)
        self._upper = wide if settings.upper is None else np.asarray(settings.upper, dtype=float)
        self._fastest = wide if settings.velocity is None else np.asarray(settings.velocity, dtype=float)
        self._damping = np.zeros(n) if settings.damping is None else np.asarray(settings.damping, dtype=float)
        self._last, self._good = np.zeros(n), np.zeros(n)
        self._time, self._begun, self._lost = np.nan, np.nan, np.nan

    def step(
        self, wanted: ArrayLike, position: ArrayLike, velocity: ArrayLike, time: float, stamp: float | None = None
    ) -> Guarded:
        """What may be sent now. `time` [s] is the clock, `stamp` when the state was measured (now, if left out). Never raises.

        >>> safety = Safety(SafetySettings(torque=np.array([10.0]), rate=np.array([1e3]), fade_in=0.0))
        >>> safety.step([np.nan], [0.0], [0.0], 0.0).state
        'holding'
        """
        q, v, tau = (self._sized(x) for x in (position, velocity, wanted))
        passed = self._passed(time)
        trusted = self._trusted(q, v, tau, stamp)
        target, state = self._target(tau, v, trusted)
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
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return np.full(len(self._top), np.nan)
        return array if array.shape == self._top.shape else np.full(len(self._top), np.nan)

    def _passed(self, time: float) -> float:
        """Seconds since the last step: none if the clock stands, runs back or is not a number."""
        now = float(time) if isinstance(time, (int, float, np.floating, np.integer)) else np.nan
        if not np.isfinite(now):
            return 0.0
        if not np.isfinite(self._time):
            self._time = self._begun = now
            return 0.0
        passed = now - self._time
        if passed <= 0:
            return 0.0
        self._time = now
        return min(passed, self.settings.longest)

    def _trusted(self, q: Array, v: Array, tau: Array, stamp: float | None) -> bool:
        if stamp is not None and not (np.isfinite(stamp) and -1e-3 <= self._time - stamp <= self.settings.stale):
            return False
        inside = (q >= self._lower) & (q <= self._upper) & (np.abs(v) <= self._fastest)
        return bool(inside.all() and np.isfinite(tau).all() and np.isfinite(q).all() and np.isfinite(v).all())

    def _target(self, tau: Array, v: Array, trusted: bool) -> tuple[Array, State]:
        if trusted:
            if np.isfinite(self._lost):  # coming back is a start: fade in again
                self._lost, self._begun = np.nan, self._time
            self._good = np.minimum(np.maximum(tau, -self._top), self._top)
            since = self._time - self._begun if np.isfinite(self._time) else 0.0
            share = 1.0 if self.settings.fade_in <= 0 else min(since / self.settings.fade_in, 1.0)
            return share * self._good if share < 1 else tau, "ok" if share == 1 else "fading in"
        if not np.isfinite(self._lost):
            self._lost = self._time
            self._good = self._last.copy()
        if not np.isfinite(self._time) or self._time - self._lost <= self.settings.hold:
            return self._good, "holding"
        with np.errstate(over="ignore", invalid="ignore"):
            brake = -self._damping * v
        return np.where(np.isfinite(brake), brake, 0.0), "damping"


def _positive(name: str, value: ArrayLike, n: int) -> Array:
    given = np.asarray(value, dtype=np.float64)
    if given.shape != (n,) or not np.all(given > 0) or not np.isfinite(given).all():
        raise ShapeError(f"the limit of {name} must be {n} positive numbers", remedy="give one per joint")
    return given
