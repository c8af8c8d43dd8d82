"""`Loop.run` in compiled loops: a walk of five seconds with an unscented filter in tens of milliseconds.

Arrays are made once per loop, kernels go from touchdown to touchdown, and there `HybridFilter.touchdown` maps the belief.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import BifilarError
from bifilar.filters.belief import Belief
from bifilar.walking.coordinates import Coordinates
from bifilar.walking.phases import Phases
from bifilar.walking.sensor_set import SensorSet
from bifilar.walking.sensors import DistanceMeter, Mounted

if TYPE_CHECKING:
    from bifilar.walking.closed_loop import Loop, Tracked

KINDS = {"angle": (0,), "rate": (1,), "distance": (5,), "height": (6,)}


def machine_arrays(phases: Phases, coordinates: tuple[Coordinates, ...]) -> Any:
    """Both feet's constants, as kernels take them.

    >>> from bifilar.walking.walker import Walker
    >>> walker = Walker.load("walker3")
    >>> machine_arrays(Phases.of(walker), tuple(walker.coordinates("torso", k) for k in (0, 1))).part.shape
    (6, 3, 3)
    """
    from bifilar.walking.kernels.machine import Machine

    feet = phases.planar
    arrays = [
        _fixed(np.concatenate([planar.parts for planar in feet])),
        *(_fixed([getattr(planar, name) for planar in feet]) for name in ("moment", "rub", "joint")),
        _fixed([[*planar.gravity, planar.width] for planar in feet]),
        _fixed([planar.mass for planar in feet]),
        *(_fixed(table) for table in (phases.foot, phases.swap, phases.encoder_rows)),
        *(_fixed([getattr(one, name) for one in coordinates]) for name in ("matrix", "inverse", "offset")),
    ]
    return Machine(*arrays)


def sensor_arrays(sensors: SensorSet) -> Any:
    """Channels seen from either foot, as kernels take them.

    >>> from bifilar.walking.sensor_set import usual_sensors
    >>> from bifilar.walking.walker import Walker
    >>> sensor_arrays(usual_sensors(Walker.load("walker3"), "imu")).kind
    array([0., 0., 1., 2., 4.])
    """
    from bifilar.walking.kernels.eyes import Eyes

    n = len(sensors.walker.planar(0))
    feet = [[(each, kind) for each in mounted for kind in _kinds(each)] for mounted in sensors.mounted]
    zero, none = np.zeros(n), np.zeros((n, 2))
    noise = [
        (sensor.noise, sensor.growth if isinstance(sensor, DistanceMeter) else 0.0)
        for sensor in sensors.sensors
        for _ in sensor.channels
    ]
    arrays = [
        _fixed([kind for _, kind in feet[0]]),
        _fixed([[each.body for each, _ in channels] for channels in feet]),
        _fixed([[zero if each.row is None else each.row for each, _ in channels] for channels in feet]),
        *(
            _fixed([[(none if each.way is None else each.way)[:, axis] for each, _ in channels] for channels in feet])
            for axis in (0, 1)
        ),
        _fixed([[_numbers(each) for each, _ in channels] for channels in feet]),
        _fixed(noise),
    ]
    return Eyes(*arrays)


def _kinds(mounted: Mounted) -> tuple[int, ...]:
    return KINDS.get(mounted.kind, (2, 4) if mounted.axes == 2 else (2, 3, 4))


def _numbers(mounted: Mounted) -> list[float]:
    direction = (0.0, -1.0) if mounted.direction is None else mounted.direction
    return [mounted.offset, mounted.sensor.bias, mounted.tilt, *direction]


def _fixed(values: Any) -> Array:
    array = np.ascontiguousarray(values, dtype=float)
    array = array.copy() if array.base is not None or not array.flags.owndata else array
    array.flags.writeable = False
    return array


def _room(n: int, d: int, m: int) -> Any:
    from bifilar.walking.kernels.machine import Room

    shapes = [2 * n, 2 * n, n, 3, n * n + 30 * n + 8 * n * (3 * n + 1), (2 * d, d), (2 * d, m), (d, d), (d, d), (d, d)]
    shapes += [(n, 3 * n + 1), (2 * n, 3 * n + 1), (m, d), (m, d), (m, m), (n + 4, n + 4), n + 4, m, m, d, (m, 3 * n + 1)]
    return Room(*(np.zeros(shape) for shape in shapes))


def _ways(loop: Loop) -> Array:
    maps = loop.filter.maps
    from bifilar.walking.closed_loop import LOST

    head = [loop.filter.kind == "unscented", maps.period, maps.steps, maps.method == "euler", loop.inner_steps, LOST]
    return np.array([*head, *loop.detector.numbers(maps.sensors, maps.period), loop.slope, 0.0], dtype=float)


def fused(loop: Loop, links: Array, belief: Belief, stance: int, noise: Array, push: Array) -> Tracked:
    """A walk with its noise given; called by `Loop.run`."""
    from bifilar.walking.kernels import walk

    maps = loop.filter.maps
    n, d, (count, m) = len(loop.plant), len(maps), noise.shape
    coordinates = tuple(loop.sensors.walker.coordinates("torso", foot) for foot in (0, 1))
    plant, mounted = machine_arrays(loop.plant, coordinates), sensor_arrays(loop.sensors)
    model, eyes = machine_arrays(maps.phases, maps.coordinates), sensor_arrays(maps.sensors)
    steering = machine_arrays(loop.feedback.phases, maps.coordinates)
    ways, process = _ways(loop), np.ascontiguousarray(loop.filter.process_noise, dtype=float)
    fixed = (*loop.feedback.arguments, maps.guard.numbers, process, ways, noise, np.ascontiguousarray(push))
    x, z, p = links.copy(), belief.mean.copy(), belief.covariance.copy()
    torque, held, history = np.zeros(n - 1), np.zeros(n - 1), np.zeros((count, 4 * d + m + n + 1))
    where, room = np.array([0.0, stance, stance, stance, -ways[10], 0.0, 0.0, 0.0, 0.0]), _room(n, d, m)
    moving = (where, x, z, p, torque, held, history, room)
    while walk.walk_on(plant, mounted, model, eyes, steering, *fixed, *moving):
        try:
            belief = loop.filter.touchdown(belief.with_(z, p), int(where[3]), held, since=float(where[8]))
        except BifilarError:  # a belief that is none any more
            where[7] = 1.0
            break
        z[:], p[:] = belief.mean, belief.covariance
        where[3], where[4] = 1 - where[3], where[0]
    return _tracked(history[: int(where[0])], maps.period, d, m, bool(where[6]), bool(where[7]))


def _tracked(rows: Array, period: float, d: int, m: int, fell: bool, lost: bool) -> Tracked:
    from bifilar.walking.closed_loop import Tracked

    truth, mean, deviation = (rows[:, k * d : (k + 1) * d] for k in range(3))
    feet = np.asarray(rows[:, -2:].round(), dtype=np.int64)
    time = np.asarray(period * np.arange(len(rows)), dtype=np.float64)
    read, torques = rows[:, 4 * d : 4 * d + m], rows[:, 4 * d + m : -2]
    return Tracked(time, truth, mean, deviation, rows[:, 3 * d], feet[:, 0], feet[:, 1], read, torques, fell, lost)
