"""A walk as its sensors see it: a Recording.

position        encoders, in the robot's order              gyroscope, accelerometer, distance   by their links
torque          as a sensor at the motor reads it: what was held before a sample and after it, in the mean
target_torque   what is held from a sample to the next      contact   1 under the foot that stands
truth           angles of all links, of a simulated walk
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.recording.channel import Channel
from bifilar.recording.recording import Recording
from bifilar.walking.planar import Planar
from bifilar.walking.sensor_file import Carried
from bifilar.walking.sensors import Encoder, Sensor
from bifilar.walking.walker import Walker

UNITS = {"gyroscope": "rad/s", "accelerometer": "m/s^2", "distance": "m", "height": "m"}


def walk_recording(
    carried: Carried,
    time: Array,
    states: Array,
    stance: NDArray[np.int64],
    torques: Array,
    rng: np.random.Generator,
    *,
    name: str = "",
    planars: Sequence[Planar] | None = None,
) -> Recording:
    """What is recorded of a simulated motion: states (N, 2 n) of the links, the foot that stands, torques (N, joints) as held.

    `planars`: the model that moved on each foot, if it is not the walker's own: accelerometers feel what moved.

    >>> from bifilar.walking.sensor_file import carried
    >>> still, none = np.zeros((3, 6)), np.zeros(3, dtype=int)
    >>> set_ = carried(Walker.load("walker3"), "imu")
    >>> log = walk_recording(set_, np.arange(3.0), still, none, np.zeros((3, 2)), np.random.default_rng(0))
    >>> sorted(log.channels)
    ['accelerometer', 'contact', 'gyroscope', 'position', 'target_torque', 'torque', 'truth']
    """
    sensors, walker = carried.sensors, carried.sensors.walker
    acted = _in_the_mean(stance, torques)
    readings = np.empty((len(time), len(sensors.channels)))
    for foot in range(len(walker.feet)):
        mine, planar = np.flatnonzero(stance == foot), (walker.planar(foot) if planars is None else planars[foot])
        if len(mine):
            turns = planar.rates(states[mine], walker.torques(foot, acted[mine]))[:, len(planar) :]
            exact = sensors.readings(foot, states[mine], turns)
            readings[mine] = [sensors.measured(row, rng) for row in exact]
    columns = dict(zip(sensors.channels, readings.T))
    position = np.full(acted.shape, np.nan)
    for k, joint in enumerate(walker.encoders):
        position[:, k] = columns.get(f"encoder.{joint}", np.nan)
    channels: dict[str, Channel] = {}
    for kind in dict.fromkeys(name.partition(".")[0] for name in columns):
        if kind != "encoder":
            mine_ = [name for name in columns if name.startswith(f"{kind}.")]
            values = np.stack([columns[name] for name in mine_], axis=1)
            channels[kind] = Channel(values, tuple(name.partition(".")[2] for name in mine_), (UNITS[kind],) * len(mine_))
    contact = (stance[:, None] == np.arange(len(walker.feet))).astype(float)
    channels["contact"] = Channel(contact, walker.feet, ("1",) * len(walker.feet))
    channels["truth"] = Channel(link_angles(walker, states, stance), walker.planar(0).names, ("rad",) * len(walker.planar(0)))
    noisy = acted + carried.torque * rng.normal(size=acted.shape)
    return Recording(
        joint_names=walker.encoders,
        time=time,
        position=position,
        torque=noisy,
        target_torque=torques,
        channels=channels,
        name=name,
    )


def link_angles(walker: Walker, states: Array, stance: NDArray[np.int64]) -> Array:
    """Angles (N, n) in the order of the first foot's model, whichever foot stands.

    >>> link_angles(Walker.load("walker3"), np.array([[1.0, 2, 3, 0, 0, 0]]), np.array([1]))
    array([[3., 2., 1.]])
    """
    n = states.shape[1] // 2
    out = np.array(states[:, :n])
    for foot in range(1, len(walker.feet)):
        names = walker.planar(foot).names
        out[stance == foot] = out[stance == foot][:, [names.index(name) for name in walker.planar(0).names]]
    return out


def channel_of(sensor: Sensor) -> tuple[str, tuple[str, ...]]:
    """Channel and columns of a recording that hold a sensor's readings.

    >>> from bifilar.walking.sensors import Accelerometer
    >>> channel_of(Accelerometer("link3"))
    ('accelerometer', ('link3.x', 'link3.z'))
    """
    parts = [name.partition(".") for name in sensor.channels]
    return ("position" if isinstance(sensor, Encoder) else parts[0][0]), tuple(part[2] for part in parts)


def _in_the_mean(stance: NDArray[np.int64], torques: Array) -> Array:
    """Of what was held before and after each sample; after a touchdown, what is held after it."""
    before = np.vstack([torques[:1], torques[:-1]])
    changed = np.concatenate([[True], stance[1:] != stance[:-1]])
    before[changed] = torques[changed]
    return np.asarray(0.5 * (before + torques))
