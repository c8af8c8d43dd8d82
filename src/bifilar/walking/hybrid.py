"""A walker over time: swing phases, touchdowns at the instant they happen, a controller whose torque is held.

Between samples the torque is constant and the state flows (Runge-Kutta of fourth order, Euler, or an adaptive method with an
error bound). Where the guard sinks through zero the step is cut there, the touchdown is applied, and the rest of
the interval goes on from the other foot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.walking.feedback import room
from bifilar.walking.gait import crossing
from bifilar.walking.guard import Guard
from bifilar.walking.impact import Impact, impact
from bifilar.walking.phases import Phases

Integrator = Literal["rk4", "euler", "adaptive"]
Controller = Callable[[float, Array, int], Array]  # time [s], state of the links, foot -> torques in the robot's order
PRECISE = 1e-10  # relative and absolute error of the adaptive method


@dataclass(frozen=True, kw_only=True)
class Stepping:
    """How time goes on.

    >>> Stepping(method="euler", steps=8).steps
    8
    """

    method: Integrator = "rk4"
    period: float = 0.01  # [s] between samples of the controller
    steps: int = 10  # of the integrator within a period

    def __post_init__(self) -> None:
        if not (0 < self.period < np.inf) or self.steps < 1 or self.method not in ("rk4", "euler", "adaptive"):
            raise MotionError("walker.steps", steps=self.steps, method=self.method, period=self.period)


class Touchdown(NamedTuple):
    """An instant of a walk.

    >>> Touchdown._fields
    ('time', 'before', 'impact')
    """

    time: float  # [s]
    before: Array  # (2 n,)
    impact: Impact


@dataclass(frozen=True, eq=False)
class Walk:
    """What a walker did. Rows are samples of the controller; states are of the links, from the foot that stands outwards.

    >>> from bifilar.walking.walker import Walker
    >>> from bifilar.walking.feedback import upright
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> walk = simulate(phases, np.array([-0.39, 0.1, 0.39, 2.0, 0.5, -2.0]), upright(phases), 2.0)
    >>> len(walk.touchdowns), walk.fell
    (3, False)
    """

    phases: Phases
    time: Array  # (N,) [s]
    states: Array  # (N, 2 n)
    stance: NDArray[np.int64]  # (N,) foot
    torques: Array  # (N, joints) in the robot's order, held after each sample
    origin: Array  # (N,) [m] along the ground, of the foot that stands
    touchdowns: tuple[Touchdown, ...]
    fell: bool  # the last row is where it was noticed

    @property
    def steps(self) -> int:
        """Touchdowns."""
        return len(self.touchdowns)

    @property
    def link_angles(self) -> Array:
        """Angles (N, n) in the order of the first foot's model, whichever foot stands."""
        n = len(self.phases)
        out = self.states[:, :n].copy()
        other = self.stance == 1
        out[other] = out[other][:, list(self.phases.swap[1])]
        return out

    def touched(self) -> NDArray[np.bool_]:
        """(N,) whether there was a touchdown since the last sample: what switches at the feet say."""
        return np.concatenate([[False], self.stance[1:] != self.stance[:-1]])


def simulate(
    phases: Phases,
    state: Array,
    controller: Controller | None,
    duration: float,
    *,
    stance: int = 0,
    guard: Guard | None = None,
    stepping: Stepping | None = None,
) -> Walk:
    """A walk from a state of the links; without a controller nothing drives the joints.

    >>> from bifilar.walking.walker import Walker
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> simulate(phases, np.array([-0.1, 0.1, 0.1, 0.0, 0.0, 0.0]), None, 2.0).fell
    True
    """
    guard, stepping = guard or Guard(), stepping or Stepping()
    x, n = phases.state(state), len(phases)
    guard.check_start(phases, stance, x)
    rows: list[tuple[float, Array, int, Array, float]] = []
    hits: list[Touchdown] = []
    origin, fell, still, last = 0.0, False, np.zeros(n - 1), round(duration / stepping.period)
    for k in range(last + 1):
        t = k * stepping.period
        u = still if controller is None else np.asarray(controller(t, x, stance), dtype=float)
        rows.append((t, x, stance, u, origin))
        fell = bool(not np.isfinite(x).all() or abs(x[0]) > guard.fallen)
        if fell or k == last:
            break
        x, stance, origin, new = advance(phases, stance, x, u, guard, stepping, time=t, origin=origin)
        hits += new
    time, states, feet, torques, origins = (np.array(column) for column in zip(*rows))
    return Walk(phases, time, states, feet, torques, origins, tuple(hits), fell)


def advance(
    phases: Phases,
    stance: int,
    state: Array,
    torque: Array,
    guard: Guard,
    stepping: Stepping,
    *,
    time: float = 0.0,
    origin: float = 0.0,
) -> tuple[Array, int, float, list[Touchdown]]:
    """One period with the torque held: state, foot and place of the foot at its end, and touchdowns on the way.

    >>> from bifilar.walking.walker import Walker
    >>> phases = Phases.of(Walker.load("walker3"))
    >>> advance(phases, 0, np.array([0.39, 0.5, -0.39, 2.0, 0.0, -2.0]), np.zeros(2), Guard(), Stepping())[1]
    1
    """
    x, left, hits = state, stepping.period, []
    for _ in range(4):  # more touchdowns in one period are no walk
        u = phases.torques(stance, torque)
        x, used = _flow_until(phases, stance, x, u, left, guard, stepping)
        left -= used
        if left <= 0:
            break
        hit = impact(phases, stance, x)
        origin += float(phases.foot_position(stance, x[: len(phases)])[0])
        hits.append(Touchdown(time + stepping.period - left, x, hit))
        x, stance = hit.state, hit.stance
    return x, stance, origin, hits


def _flow_until(
    phases: Phases, stance: int, x: Array, u: Array, span: float, guard: Guard, stepping: Stepping
) -> tuple[Array, float]:
    """State after `span`, or at the touchdown before it, and the time until then (span if there is none)."""
    if stepping.method == "adaptive":
        return _adaptive(phases, stance, x, u, span, guard)
    from bifilar.walking.kernels import loop

    planar, euler = phases.planar[stance], int(stepping.method == "euler")
    many = max(1, int(np.ceil(stepping.steps * span / stepping.period - 1e-9)))
    h, y = span / many, x.copy()
    count = loop.until(*planar._head, y, u, h, many, euler, guard.numbers, phases.foot[stance], room(planar))
    if count == many:
        return y, span

    def partial(s: float) -> Array:
        return planar.flow(y[None], u[None], s, 1, "euler" if euler else "rk4")[0]

    late = crossing(lambda s: guard.value(phases, stance, partial(s)), h)
    return partial(late), min(count * h + late, span * (1 - 1e-12))


def _adaptive(phases: Phases, stance: int, x: Array, u: Array, span: float, guard: Guard) -> tuple[Array, float]:
    from scipy.integrate import solve_ivp

    planar = phases.planar[stance]

    def touch(t: float, y: Array) -> float:
        return guard.value(phases, stance, y)

    touch.terminal, touch.direction = True, -1.0  # type: ignore[attr-defined]
    done = solve_ivp(
        lambda t, y: planar.rates(y[None], u[None])[0],
        (0.0, span),
        x,
        method="DOP853",
        rtol=PRECISE,
        atol=PRECISE,
        events=touch,
    )
    if len(done.t_events[0]):
        return np.asarray(done.y_events[0][0]), float(min(done.t_events[0][0], span * (1 - 1e-12)))
    return np.asarray(done.y[:, -1]), span
