"""Three ROS 2 messages from their bytes (CDR, OMG formal/02-06-51 15.3): JointState, WrenchStamped, Imu. No ROS is needed.

Numbers are aligned to their size, counted from behind the four bytes that say the order of bytes; a string is its length with
the closing NUL, and its letters.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

KINDS = {"sensor_msgs/msg/JointState": "joints", "geometry_msgs/msg/WrenchStamped": "wrench", "sensor_msgs/msg/Imu": "imu"}
MOST = 10000  # joints of one message


@dataclass(frozen=True)
class Message:
    """What one message says.

    >>> Message(1.5, "base", values=(1.0, 2.0)).stamp
    1.5
    """

    stamp: float  # [s] of the header; 0 where nobody set it
    frame: str
    names: tuple[str, ...] = ()  # of joints
    values: tuple[float, ...] = ()  # of a sensor
    tables: dict[str, tuple[float, ...]] = field(default_factory=dict)  # position, velocity, torque of the joints


class _Bytes:
    """Fields of a message, one after the other."""

    def __init__(self, data: bytes) -> None:
        if len(data) < 4 or data[0] != 0 or data[1] not in (0, 1, 6, 7):
            raise ValueError("the message is not CDR")
        self.data, self.place = data, 4
        self.order = "<" if data[1] in (1, 7) else ">"
        self.widest = 4 if data[1] in (6, 7) else 8  # XCDR2 aligns doubles to four bytes

    def take(self, kind: str, count: int = 1) -> tuple[float, ...]:
        if not count:  # an empty list is not aligned: there is nothing to align
            return ()
        size = struct.calcsize(kind)
        self._align(min(size, self.widest))
        values = struct.unpack_from(f"{self.order}{count}{kind}", self.data, self.place)
        self.place += size * count
        return values

    def count(self, size: int) -> int:
        number = int(self.take("I")[0])
        if number > (len(self.data) - self.place) // size:
            raise ValueError(f"a list of {number} does not fit the message")
        return number

    def text(self) -> str:
        length = self.count(1)
        word = self.data[self.place : self.place + length].rstrip(b"\0").decode("utf-8", "replace")
        self.place += length
        return word

    def _align(self, size: int) -> None:
        self.place += -(self.place - 4) % size


def message(kind: str, data: bytes) -> Message:
    """A message of 'joints', 'wrench' or 'imu'; ValueError or struct.error if it is none.

    >>> header = b"\\0\\1\\0\\0" + struct.pack("<iII", 5, 500_000_000, 5) + b"base\\0"
    >>> message("wrench", header + bytes(3 + 4) + struct.pack("<6d", 1, 2, 3, 4, 5, 6)[:48]).frame
    'base'
    """
    fields = _Bytes(data)
    seconds, nanoseconds = int(fields.take("i")[0]), int(fields.take("I")[0])
    stamp, frame = seconds + 1e-9 * nanoseconds, fields.text()
    if kind == "wrench":
        return Message(stamp, frame, values=fields.take("d", 6))
    if kind == "imu":
        fields.take("d", 4 + 9)  # orientation and its covariance
        turning = fields.take("d", 3)
        fields.take("d", 9)
        return Message(stamp, frame, values=turning + fields.take("d", 3))
    names = tuple(fields.text() for _ in range(min(fields.count(4), MOST)))
    tables = {name: fields.take("d", fields.count(8)) for name in ("position", "velocity", "torque")}
    for name, table in tables.items():
        if table and len(table) != len(names):
            raise ValueError(f"{len(names)} names and {len(table)} numbers of {name}")
    return Message(stamp, frame, names, tables=tables)
