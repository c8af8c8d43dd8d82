"""What is measured, in which unit, and how other units become SI.

A quantity is a word of a channel's name: 'position', 'motor_position' and 'target_position' are all positions. Each has two
units, one for a joint that rotates and one for a joint that slides. What has no quantity keeps its unit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bifilar.errors import RecordingError

# unit of a joint that rotates, and of one that slides
QUANTITIES = {
    "position": ("rad", "m"),
    "velocity": ("rad/s", "m/s"),
    "acceleration": ("rad/s^2", "m/s^2"),
    "torque": ("N m", "N"),
    "current": ("A", "A"),
    "temperature": ("degC", "degC"),
    "voltage": ("V", "V"),
}
SENSORS = {  # columns and units of channels that do not belong to joints
    "wrench": (("fx", "fy", "fz", "tx", "ty", "tz"), ("N", "N", "N", "N m", "N m", "N m")),
    "imu": (("gx", "gy", "gz", "ax", "ay", "az"), ("rad/s",) * 3 + ("m/s^2",) * 3),
    "pose": (("qx", "qy", "qz", "qw"), ("1",) * 4),  # of a tool or sensor, base_from_sensor
}
UNKNOWN = "unknown"  # a unit that nobody stated

_ANGLES = {"rad": 1.0, "deg": math.pi / 180, "rev": 2 * math.pi, "turn": 2 * math.pi, "mrad": 1e-3, "urad": 1e-6}
_ANGLES |= {"°": math.pi / 180, "degree": math.pi / 180, "degrees": math.pi / 180, "radian": 1.0, "radians": 1.0}
_LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60.0}
_TIMES |= {"sec": 1.0, "seconds": 1.0, "secs": 1.0, "msec": 1e-3, "usec": 1e-6, "nsec": 1e-9, "nanoseconds": 1e-9}
_PLAIN = {
    "N m": {"N m": 1.0, "Nm": 1.0, "N*m": 1.0, "N.m": 1.0, "mN m": 1e-3, "mNm": 1e-3, "kN m": 1e3, "kNm": 1e3, "N cm": 1e-2},
    "N": {"N": 1.0, "mN": 1e-3, "kN": 1e3},
    "A": {"A": 1.0, "mA": 1e-3, "ampere": 1.0, "amps": 1.0},
    "V": {"V": 1.0, "mV": 1e-3},
    "degC": {"degC": 1.0, "°C": 1.0, "celsius": 1.0, "C": 1.0},
    "1": {"1": 1.0, "%": 1e-2},
}


class Unit(NamedTuple):
    """What a stated unit means: value in SI = factor * stated value.

    >>> Unit("rad", 0.5).factor
    0.5
    """

    si: str
    factor: float


def _table() -> dict[str, Unit]:
    units = {name: Unit(si, factor) for si, names in _PLAIN.items() for name, factor in names.items()}
    units |= {name: Unit("rad", factor) for name, factor in _ANGLES.items()}
    units |= {name: Unit("m", factor) for name, factor in _LENGTHS.items()}
    units |= {name: Unit("s", factor) for name, factor in _TIMES.items()}
    for si, table in (("rad", _ANGLES), ("m", _LENGTHS)):
        for name, factor in table.items():
            for ending, times in (("/s", ""), ("/s^2", "^2"), ("/s2", "^2"), ("/s²", "^2"), ("/s/s", "^2")):
                units[name + ending] = Unit(f"{si}/s{times}", factor)
    units["rpm"] = Unit("rad/s", 2 * math.pi / 60)
    units["g0"] = Unit("m/s^2", 9.80665)
    return units


_UNITS = _table()


def unit(stated: str, where: str = "") -> Unit:
    """What a unit means, or a letter that lists those that are known.

    >>> unit("mm/s")
    Unit(si='m/s', factor=0.001)
    """
    if stated in ("", UNKNOWN):
        return Unit(UNKNOWN, 1.0)
    found = _UNITS.get(stated) or _UNITS.get(stated.strip().replace("·", " "))
    if found is None:
        known = "rad, deg, rev, m, mm (each also /s, /s^2), rpm, N m, mN m, N, A, mA, V, degC, s, ms, us, ns"
        raise RecordingError("unit.unknown/units", where=where, units=known, stated=stated[:40])
    return found


def is_unit(stated: str) -> bool:
    """Whether the unit is one that `unit` knows.

    >>> is_unit("furlong")
    False
    """
    return stated.strip() in _UNITS


def quantity(channel: str) -> str | None:
    """The quantity that a channel's name speaks of.

    >>> quantity("commanded_torque"), quantity("contact")
    ('torque', None)
    """
    return next((word for word in channel.split("_") if word in QUANTITIES), None)


def si_unit(channel: str, slides: bool = False) -> str:
    """The unit of a channel of a joint.

    >>> si_unit("motor_velocity"), si_unit("position", slides=True)
    ('rad/s', 'm')
    """
    kind = quantity(channel)
    return QUANTITIES[kind][slides] if kind else UNKNOWN
