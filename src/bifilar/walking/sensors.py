"""What a walker's sensors read, and how that changes with its motion: angles t, rates v, accelerations a of the links.

    encoder          angle of a joint
    gyroscope        rate of a link
    accelerometer    R(t_b)' (acceleration of the point - gravity), in the axes of its link; at rest it reads 1 g upwards
    distance meter   along a beam from a point of a link to the ground: -height / (downward part of the beam's direction)
    contact switch   whether a foot touches; where it does, its height is a reading: zero

The acceleration of a point is sum_j R'(t_j) s_j a_j - R(t_j) s_j v_j^2, with s_j what link j contributes to the way to it.
(Printed with +v^2 in Dolinsky 2017, (4.45), and with gravity subtracted upwards in (3.27): a real sensor reads a + (0, g).)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.walking.planar import placed, turned
from bifilar.walking.walker import Walker


class Slope(NamedTuple):
    """How readings change with angles, rates and accelerations of the links, each (m, n).

    >>> Slope(np.ones((1, 2)), np.zeros((1, 2)), np.zeros((1, 2))).angle.shape
    (1, 2)
    """

    angle: Array
    rate: Array
    acceleration: Array


@dataclass(frozen=True, kw_only=True)
class Sensor:
    """What all sensors have: noise and bias of every channel.

    >>> Gyroscope("link3", noise=0.1).noise
    0.1
    """

    noise: float = 0.0  # standard deviation, in the unit of the reading
    bias: float = 0.0

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of its numbers.

        >>> Gyroscope("link3").channels
        ('gyroscope.link3',)
        """
        raise NotImplementedError

    def on(self, walker: Walker, stance: int) -> Mounted:
        """The sensor on a walker that stands on a foot.

        >>> Gyroscope("link3").on(Walker.load("walker3"), 0).body
        1
        """
        raise NotImplementedError

    def deviation(self, reading: Array) -> Array:
        """Standard deviations of readings.

        >>> Gyroscope("link3", noise=0.1).deviation(np.array([2.0]))
        array([0.1])
        """
        return np.full_like(reading, self.noise)


@dataclass(frozen=True)
class Encoder(Sensor):
    """The angle of a joint [rad].

    >>> Encoder("joint4").channels
    ('encoder.joint4',)
    """

    joint: str = ""

    def __init__(self, joint: str, *, noise: float = 0.0, bias: float = 0.0) -> None:
        _set(self, joint=joint, noise=noise, bias=bias)

    @property
    def channels(self) -> tuple[str, ...]:
        """One.

        >>> len(Encoder("joint4").channels)
        1
        """
        return (f"encoder.{self.joint}",)

    def on(self, walker: Walker, stance: int) -> Mounted:
        """The row of its joint.

        >>> Encoder("joint5").on(Walker.load("walker3"), 0).row
        array([ 0., -1.,  1.])
        """
        names = walker.pinned(stance).joint_names
        if self.joint not in names[1:]:
            raise RobotError("sensors.no_encoder/sensors", encoders=names[1:], name=walker.robot.name, joint=self.joint)
        planar = walker.planar(stance)
        k = names.index(self.joint)
        return Mounted(self, "angle", row=planar.joint[k], offset=float(planar.offset[k]))


@dataclass(frozen=True)
class Gyroscope(Sensor):
    """The rate of a link [rad/s].

    >>> Gyroscope("link3", bias=0.01).bias
    0.01
    """

    link: str = ""

    def __init__(self, link: str, *, noise: float = 0.0, bias: float = 0.0) -> None:
        _set(self, link=link, noise=noise, bias=bias)

    @property
    def channels(self) -> tuple[str, ...]:
        """One.

        >>> len(Gyroscope("link3").channels)
        1
        """
        return (f"gyroscope.{self.link}",)

    def on(self, walker: Walker, stance: int) -> Mounted:
        """The row of its link.

        >>> Gyroscope("foot1").on(Walker.load("walker3"), 0).row
        array([1., 0., 0.])
        """
        body, _ = walker.place(self.link, stance)
        return Mounted(self, "rate", row=np.eye(len(walker.planar(stance)))[body], body=body)


@dataclass(frozen=True)
class Accelerometer(Sensor):
    """Proper acceleration of a point (x, z) of a link, along the link's x and z axes, turned by `tilt`; with three axes y too.

    >>> Accelerometer("link3", (0.0, 0.1), axes=3).channels
    ('accelerometer.link3.x', 'accelerometer.link3.y', 'accelerometer.link3.z')
    """

    link: str = ""
    point: tuple[float, float] = (0.0, 0.0)  # [m] in the link's frame
    axes: int = 2  # 2: x and z; 3: x, y, z, of which y sees noise and bias only
    tilt: float = 0.0  # [rad] about +y, of its axes on the link

    def __init__(
        self,
        link: str,
        point: tuple[float, float] = (0.0, 0.0),
        *,
        axes: int = 2,
        tilt: float = 0.0,
        noise: float = 0.0,
        bias: float = 0.0,
    ) -> None:
        if axes not in (2, 3):
            raise RobotError("sensors.axes/sensors", axes=axes)
        _set(self, link=link, point=tuple(point), axes=axes, tilt=tilt, noise=noise, bias=bias)

    @property
    def channels(self) -> tuple[str, ...]:
        """Two or three.

        >>> len(Accelerometer("link3").channels)
        2
        """
        return tuple(f"accelerometer.{self.link}.{axis}" for axis in ("xz" if self.axes == 2 else "xyz"))

    def on(self, walker: Walker, stance: int) -> Mounted:
        """The way to its point.

        >>> Accelerometer("link3", (0.0, 0.1)).on(Walker.load("walker3"), 0).way[0]
        array([0.   , 0.535])
        """
        body, _ = walker.place(self.link, stance)
        way = walker.way(self.link, stance, self.point)
        return Mounted(self, "acceleration", way=way, body=body, gravity=walker.gravity, tilt=self.tilt, axes=self.axes)


@dataclass(frozen=True)
class DistanceMeter(Sensor):
    """Distance [m] from a point of a link to the ground, along a beam that leans by `beam` from the link's -z towards its +x.

    >>> DistanceMeter("link4", (0.0, -0.2), beam=0.6).channels
    ('distance.link4',)
    """

    link: str = ""
    point: tuple[float, float] = (0.0, 0.0)
    beam: float = 0.0  # [rad]
    growth: float = 0.0  # of the deviation, per metre of distance

    def __init__(
        self,
        link: str,
        point: tuple[float, float] = (0.0, 0.0),
        *,
        beam: float = 0.0,
        growth: float = 0.0,
        noise: float = 0.0,
        bias: float = 0.0,
    ) -> None:
        _set(self, link=link, point=tuple(point), beam=beam, growth=growth, noise=noise, bias=bias)

    @property
    def channels(self) -> tuple[str, ...]:
        """One.

        >>> len(DistanceMeter("link4").channels)
        1
        """
        return (f"distance.{self.link}",)

    def deviation(self, reading: Array) -> Array:
        """Grows with the distance.

        >>> DistanceMeter("link4", noise=0.001, growth=0.01).deviation(np.array([2.0])).round(3)
        array([0.021])
        """
        return np.asarray(self.noise + self.growth * np.abs(reading))

    def on(self, walker: Walker, stance: int) -> Mounted:
        """The way to its point and the beam's direction.

        >>> DistanceMeter("link4", beam=0.0).on(Walker.load("walker3"), 0).direction
        array([ 0., -1.])
        """
        body, _ = walker.place(self.link, stance)
        way = walker.way(self.link, stance, self.point)
        return Mounted(self, "distance", way=way, body=body, direction=np.array([np.sin(self.beam), -np.cos(self.beam)]))


@dataclass(frozen=True)
class ContactSwitch(Sensor):
    """Tells whether a foot touches; read as the height of the foot [m], which is zero then.

    >>> ContactSwitch("foot2").channels
    ('height.foot2',)
    """

    foot: str = ""

    def __init__(self, foot: str, *, noise: float = 0.0, bias: float = 0.0) -> None:
        _set(self, foot=foot, noise=noise, bias=bias)

    @property
    def channels(self) -> tuple[str, ...]:
        """One.

        >>> len(ContactSwitch("foot2").channels)
        1
        """
        return (f"height.{self.foot}",)

    def on(self, walker: Walker, stance: int) -> Mounted:
        """The way to the foot.

        >>> ContactSwitch("foot2").on(Walker.load("walker3"), 0).kind
        'height'
        """
        body, _ = walker.place(self.foot, stance)
        return Mounted(self, "height", way=walker.way(self.foot, stance), body=body)


@dataclass(frozen=True, eq=False)
class Mounted:
    """A sensor on a walker that stands on a foot: a function of the motion of the links, with its derivatives.

    >>> gyroscope = Gyroscope("link3").on(Walker.load("walker3"), 0)
    >>> gyroscope.reading(np.zeros(3), np.array([0.0, 2.0, 0.0]), np.zeros(3))
    array([2.])
    """

    sensor: Sensor
    kind: str
    row: Array = None  # type: ignore[assignment]
    offset: float = 0.0
    way: Array = None  # type: ignore[assignment]
    body: int = 0
    gravity: Array = None  # type: ignore[assignment]
    direction: Array = None  # type: ignore[assignment]
    tilt: float = 0.0
    axes: int = 2

    def reading(self, angles: Array, rates: Array, accelerations: Array) -> Array:
        """What it reads, without noise, its bias included: (m,), or (K, m) for K motions.

        >>> level = Accelerometer("link3").on(Walker.load("walker3"), 0)
        >>> level.reading(np.zeros(3), np.zeros(3), np.zeros(3)) + 0.0
        array([0.  , 9.81])
        """
        if self.kind == "angle":
            value = angles @ self.row[:, None] - self.offset
        elif self.kind == "rate":
            value = rates @ self.row[:, None]
        elif self.kind == "height":
            value = _down(angles, self.way)[..., None]
        elif self.kind == "distance":
            value = (-_down(angles, self.way) / self._beam(angles)[0])[..., None]
        else:
            value = self._felt(angles, rates, accelerations)
        return np.asarray(value + self.sensor.bias)

    def slope(self, angles: Array, rates: Array, accelerations: Array) -> Slope:
        """Derivatives of the readings, each (m, n), or (K, m, n) for K motions.

        >>> gyroscope = Gyroscope("link3").on(Walker.load("walker3"), 0)
        >>> gyroscope.slope(np.zeros(3), np.zeros(3), np.zeros(3)).rate
        array([[0., 1., 0.]])
        """
        zero = np.zeros((*angles.shape[:-1], 1, angles.shape[-1]))
        if self.kind == "angle":
            return Slope(zero + self.row, zero, zero)
        if self.kind == "rate":
            return Slope(zero, zero + self.row, zero)
        if self.kind == "height":
            return Slope(turned(angles, self.way)[..., None, :, 1], zero, zero)
        if self.kind == "distance":
            d, change = self._beam(angles)
            by = -turned(angles, self.way)[..., 1] / d[..., None]
            by[..., self.body] += _down(angles, self.way) * change / d**2
            return Slope(by[..., None, :], zero, zero)
        return self._felt_slope(angles, rates, accelerations)

    def _beam(self, angles: Array) -> tuple[Array, Array]:
        """Vertical part of the beam's direction, and how it changes with the link's angle."""
        t, (x, z) = angles[..., self.body], self.direction
        down, change = z * np.cos(t) - x * np.sin(t), -z * np.sin(t) - x * np.cos(t)
        return np.where(down < -1e-6, down, np.nan), change  # a beam that does not go down meets no ground

    def _felt(self, t: Array, v: Array, a: Array) -> Array:
        s, c = np.sin(t), np.cos(t)
        x, z = self.way[:, 0], self.way[:, 1]
        ahead, up = c * x + s * z, c * z - s * x  # R(t) s
        ax = (up * a - ahead * v**2).sum(axis=-1) - self.gravity[0]  # R'(t) s = (up, -ahead)
        az = (-ahead * a - up * v**2).sum(axis=-1) - self.gravity[1]
        angle = t[..., self.body] + self.tilt
        sb, cb = np.sin(angle), np.cos(angle)
        felt = [cb * ax - sb * az, sb * ax + cb * az]
        return np.stack(felt if self.axes == 2 else [felt[0], 0 * felt[0], felt[1]], axis=-1)

    def _felt_slope(self, t: Array, v: Array, a: Array) -> Slope:
        p, d = (np.moveaxis(x, -1, -2) for x in (placed(t, self.way), turned(t, self.way)))  # (..., 2, n): R s, R' s
        angle = t[..., self.body] + self.tilt
        sb, cb = np.sin(angle), np.cos(angle)
        frame = np.moveaxis(np.array([[cb, -sb], [sb, cb]]), (0, 1), (-2, -1))  # link from ground
        change = np.moveaxis(np.array([[-sb, -cb], [cb, -sb]]), (0, 1), (-2, -1))
        v, a = v[..., None, :], a[..., None, :]
        total = (d * a - p * v**2).sum(axis=-1) - self.gravity
        by_angle = frame @ (-p * a - d * v**2)  # R'' = -R
        by_angle[..., self.body] += (change @ total[..., None])[..., 0]
        parts = [by_angle, frame @ (-2 * p * v), frame @ d]
        if self.axes == 3:
            parts = [np.insert(part, 1, 0.0, axis=-2) for part in parts]
        return Slope(*parts)


def _down(angles: Array, way: Array) -> Array:
    """Height of a point: z of sum R(t) s."""
    return np.asarray((np.cos(angles) * way[:, 1] - np.sin(angles) * way[:, 0]).sum(axis=-1))


def _set(sensor: Sensor, **values: object) -> None:
    for name in ("noise", "bias"):
        value = values[name]
        if not (isinstance(value, (int, float)) and np.isfinite(value) and (value >= 0 or name == "bias")):
            raise RobotError("sensors.setting/set", name=name, value=value, kind=type(sensor).__name__.lower())
    for name, value in values.items():
        object.__setattr__(sensor, name, value)
