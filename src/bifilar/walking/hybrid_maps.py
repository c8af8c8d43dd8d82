"""What a filter follows on a walker: torso angle, encoders' angles, their rates, and the slope of the ground if it is unknown.

In these coordinates a joint stays the joint it is when the feet change their roles: a touchdown leaves all angles, encoders
keep their places, and only the model changes to the other foot's. (In Dolinsky 2017 the legs are renamed instead, and with
them the encoders; it is the same map, (4.59).) Every map has its derivative. A slope is a turn of gravity seen from the ground;
angles are counted from the ground's normal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.walking.coordinates import Coordinates
from bifilar.walking.guard import Guard
from bifilar.walking.impact import impact_jacobian, impact_states
from bifilar.walking.phases import Phases
from bifilar.walking.planar import Method, Planar
from bifilar.walking.saltation import through, through_state
from bifilar.walking.sensor_set import SensorSet
from bifilar.walking.sensors import Mounted

GUARD = Guard()


@dataclass(frozen=True, eq=False, kw_only=True)
class HybridMaps:
    """A walker's motion between samples, through touchdowns, and what its sensors read.

    >>> from bifilar.walking.sensor_set import usual_sensors
    >>> from bifilar.walking.walker import Walker
    >>> HybridMaps(sensors=usual_sensors(Walker.load("walker3"), "encoders")).names
    ('link3', 'joint4', 'joint5', 'link3 rate', 'joint4 rate', 'joint5 rate')
    """

    sensors: SensorSet
    phases: Phases = None  # type: ignore[assignment]  # the model, if it is not the one the sensors are mounted on
    guard: Guard = GUARD
    sloped: bool = False  # whether the ground's slope is a state, counted from the walker's own
    period: float = 0.01  # [s] between samples
    steps: int = 2  # of the integrator within it
    method: Method = "rk4"

    def __post_init__(self) -> None:
        if self.phases is None:
            object.__setattr__(self, "phases", Phases.of(self.sensors.walker))

    @cached_property
    def coordinates(self) -> tuple[Coordinates, ...]:
        """Per foot.

        >>> len(HybridMaps.coordinates.__doc__) > 0
        True
        """
        return tuple(self.sensors.walker.coordinates("torso", foot) for foot in (0, 1))

    @property
    def names(self) -> tuple[str, ...]:
        """Of the states."""
        own = self.coordinates[0].names
        return (*own, *(f"{name} rate" for name in own), *(("slope",) if self.sloped else ()))

    def __len__(self) -> int:
        return 2 * len(self.phases) + self.sloped

    def state(self, links: Array, stance: int, slope: float = 0.0) -> Array:
        """A state of the filter from one of the links."""
        z = self.coordinates[stance].states(np.asarray(links, dtype=float))
        return np.append(z, slope) if self.sloped else z

    def links(self, z: Array, stance: int) -> Array:
        """Angles and rates of the links, from the standing foot outwards."""
        if z.shape[-1] != len(self):
            raise ShapeError("state.shape/hybrid_maps", shape=z.shape[-1], self_count=len(self), names=self.names)
        return self.coordinates[stance].links(z[..., : 2 * len(self.phases)])

    def flow(self, z: Array, stance: int, torque: Array, span: float | None = None) -> Array:
        """The state a period later, torque held, no touchdown."""
        planar, u = self._planar(z, stance), self.phases.torques(stance, torque)
        time = self.period if span is None else span
        moved = planar.flow(self.links(z, stance)[None], u[None], time, self.steps, self.method)[0]
        return self._back(moved, stance, z)

    def flow_slope(self, z: Array, stance: int, torque: Array, span: float | None = None) -> tuple[Array, Array]:
        """The same with its derivative."""
        planar, u = self._planar(z, stance), self.phases.torques(stance, torque)
        time = self.period if span is None else span
        moved = planar.flow_slopes(self.links(z, stance), u, time, self.steps, self.method)
        return self._back(moved.value, stance, z), self._square(moved.state, moved.turn, stance, stance)

    def touchdown(self, z: Array, stance: int, torque: Array, *, located: bool) -> Array:
        """The state after a touchdown of the swing foot; `located`: where its guard is zero, and back by the same time."""
        phases, x = self._phases(z), self.links(z, stance)
        after = None
        if located:
            after = through_state(phases, stance, x, torque, self.guard, reach=2 * self.period, steps=self.steps)
        if after is None:  # no touchdown near by: here and now, as the switch says
            after = impact_states(phases, stance, x[None])[0]
        return self._back(after, 1 - stance, z)

    def touchdown_slope(
        self, z: Array, stance: int, torque: Array, *, located: bool, salted: bool = True
    ) -> tuple[Array, Array]:
        """The same with its derivative; `salted`: by the saltation matrix, if the touchdown is located."""
        phases, x = self._phases(z), self.links(z, stance)
        hit = None
        if located:
            hit = through(phases, stance, x, torque, self.guard, reach=2 * self.period, steps=self.steps, salted=salted)
        if hit is not None:
            return self._back(hit.state, 1 - stance, z), self._square(hit.slope, hit.turn, stance, 1 - stance)
        after, slope = impact_jacobian(phases, stance, x)
        return self._back(after, 1 - stance, z), self._square(slope, np.zeros(len(x)), stance, 1 - stance)

    def guard_slope(self, z: Array, stance: int, torque: Array) -> tuple[float, Array, float]:
        """The guard, its derivative by the state, and how fast it changes [1/s]."""
        x = self.links(z, stance)
        gradient = self.guard.gradient(self.phases, stance, x)
        rate = self._planar(z, stance).rates(x[None], self.phases.torques(stance, torque)[None])[0]
        row = np.zeros(len(self))
        row[: len(x)] = gradient @ self.coordinates[stance].both
        return self.guard.value(self.phases, stance, x), row, float(gradient @ rate)

    def readings(self, z: Array, stance: int, torque: Array) -> Array:
        """What the sensors read, without noise."""
        n, x = len(self.phases), self.links(z, stance)
        a = self._planar(z, stance).rates(x[None], self.phases.torques(stance, torque)[None])[0, n:]
        return _read(self._mounted(z, stance), x, a)

    def readings_slope(self, z: Array, stance: int, torque: Array) -> tuple[Array, Array]:
        """The same with the derivative."""
        n, x, planar = len(self.phases), self.links(z, stance), self._planar(z, stance)
        rate, mounted = planar.rate_slopes(x, self.phases.torques(stance, torque)), self._mounted(z, stance)
        parts = [each.slope(x[:n], x[n:], rate.value[n:]) for each in mounted]
        by = [np.vstack(rows) for rows in zip(*parts)]
        h = (np.hstack(by[:2]) + by[2] @ rate.state[n:]) @ self.coordinates[stance].both
        value = _read(mounted, x, rate.value[n:])
        if self.sloped:
            # accelerations change with gravity, and readings are affine in it besides
            turned = [_with_gravity(each, _further(each.gravity)) for each in mounted]
            column = by[2] @ rate.turn[n:] + _read(turned, x, rate.value[n:]) - value
            h = np.column_stack([h, column])
        return value, h

    def _planar(self, z: Array, stance: int) -> Planar:
        planar = self.phases.planar[stance]
        return replace(planar, gravity=_turned(planar.gravity, float(z[-1]))) if self.sloped else planar

    def _phases(self, z: Array) -> Phases:
        return self.phases.with_planar(self._planar(z, 0), self._planar(z, 1)) if self.sloped else self.phases

    def _mounted(self, z: Array, stance: int) -> Sequence[Mounted]:
        mounted = self.sensors.mounted[stance]
        if not self.sloped:
            return mounted
        return [_with_gravity(each, None if each.gravity is None else _turned(each.gravity, float(z[-1]))) for each in mounted]

    def _back(self, links: Array, stance: int, z: Array) -> Array:
        own = self.coordinates[stance].states(links)
        return np.append(own, z[-1]) if self.sloped else own

    def _square(self, links: Array, turn: Array, before: int, after: int) -> Array:
        """A derivative in these coordinates."""
        back = self.coordinates[after].both_inverse
        square = back @ links @ self.coordinates[before].both
        if not self.sloped:
            return square
        whole = np.eye(len(self))
        whole[:-1, :-1], whole[:-1, -1] = square, back @ turn
        return whole


def _read(mounted: Sequence[Mounted], x: Array, a: Array) -> Array:
    n = len(a)
    return np.concatenate([each.reading(x[:n], x[n:], a) for each in mounted])


def _with_gravity(mounted: Mounted, gravity: Array | None) -> Mounted:
    return mounted if gravity is None else replace(mounted, gravity=gravity)


def _further(gravity: Array | None) -> Array | None:
    """gravity + d gravity / d turn; nothing for sensors that do not feel it."""
    return None if gravity is None else np.array([gravity[0] + gravity[1], gravity[1] - gravity[0]])


def _turned(gravity: Array, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * gravity[0] + s * gravity[1], c * gravity[1] - s * gravity[0]])
