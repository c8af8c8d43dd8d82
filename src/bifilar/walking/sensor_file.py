"""Which sensors a walker carries, where, and how noisy they are: a TOML file that lies beside a log.

    format = "bifilar sensors 1"      # may be left out
    torque = 0.02                     # [N m] deviation of every motor's torque as it is recorded

    [[sensor]]
    kind = "accelerometer"            # encoder, gyroscope, accelerometer, distance, contact
    link = "link3"                    # of an encoder: joint = "joint4"; of a contact: foot = "foot1"
    point = [0.0, 0.1]                # [m] x and z in the link's frame
    noise = 0.1                       # deviation, in the unit of the reading

and as far as a kind has them: bias, axes and tilt (accelerometer), beam and growth (distance).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bifilar.errors import RobotError
from bifilar.formats import KEY, SENSORS
from bifilar.robot.table import Table, read_toml
from bifilar.robot.write_file import write_file
from bifilar.walking.sensor_set import KINDS, SensorSet, usual_sensors
from bifilar.walking.sensors import Accelerometer, ContactSwitch, DistanceMeter, Encoder, Gyroscope, Sensor
from bifilar.walking.walker import Walker

CLASSES: dict[str, type[Sensor]] = {
    "encoder": Encoder,
    "gyroscope": Gyroscope,
    "accelerometer": Accelerometer,
    "distance": DistanceMeter,
    "contact": ContactSwitch,
}
TORQUE = 0.02  # [N m] where nobody said
PLACES = ("joint", "link", "foot")  # what a sensor sits at
BEAM = 0.9  # [rad] of the usual distance meter, towards the front


@dataclass(frozen=True, eq=False)
class Carried:
    """Sensors of a walker, and the noise of its recorded torques.

    >>> carried(Walker.load("walker3"), "imu").torque
    0.02
    """

    sensors: SensorSet
    torque: float = TORQUE  # [N m] deviation

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file.

        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp(), "walk.sensors.toml")
        >>> carried(Walker.load("walker3"), "imu").save(file)
        >>> carried(Walker.load("walker3"), file).sensors.channels[-1]
        'accelerometer.link3.z'
        """
        write_file(path, self.text().encode())

    def text(self) -> str:
        """The file's text.

        >>> print(carried(Walker.load("leg"), "encoders").text())
        format = "bifilar sensors 1"
        torque = 0.02
        <BLANKLINE>
        [[sensor]]
        kind = "encoder"
        joint = "leg_2"
        noise = 1e-05
        <BLANKLINE>
        """
        kinds = {kind: word for word, kind in CLASSES.items()}
        blocks = [f'[[sensor]]\nkind = "{kinds[type(s)]}"\n{_lines(s)}' for s in self.sensors.sensors]
        return "\n".join([f'{KEY} = "{SENSORS.stamp}"\ntorque = {self.torque!r}\n', *blocks])


def carried(walker: Walker, source: str | os.PathLike[str]) -> Carried:
    """The sensors of a file, or one of the usual sets by name: encoders, gyroscope, accelerometer, imu, distance.

    >>> carried(Walker.load("walker3"), "distance").sensors.channels[-1]
    'distance.link4'
    """
    name = os.fspath(source)
    if name in KINDS:
        return Carried(usual_sensors(walker, name))
    if name == "distance":
        return Carried(_with_meter(walker))
    if not Path(name).suffix:
        raise RobotError("sensors.set_unknown/sensor_file", sets=f"{', '.join(KINDS)}, distance", name=name)
    table = Table(SENSORS.unstamped(read_toml(name), name), name)
    torque, rows = table.number("torque", TORQUE), table.tables("sensor")
    table.close()
    if not rows or torque <= 0:
        raise table.refuse("toml.value/sensor_file" if not rows else "toml.value/carried", torque=torque)
    try:
        return Carried(SensorSet(walker, tuple(map(_sensor, rows))), torque)
    except RobotError as error:
        error.where = error.where or name
        raise


def _with_meter(walker: Walker) -> SensorSet:
    """Encoders, and a beam from the middle of the first foot's link to the ground in front of it."""
    body = walker.planar(0).names[0]
    _, foot = walker.place(walker.feet[0], 0)
    _, hip = walker.place(body, 0)
    middle = 0.5 * (foot - hip)
    meter = DistanceMeter(body, (float(middle[0]), float(middle[1])), beam=BEAM, noise=5e-4, growth=1e-3)
    return SensorSet(walker, (*usual_sensors(walker, "encoders").sensors, meter))


def _lines(sensor: Sensor) -> str:
    """What differs from what is usual; where it sits, always."""
    every = {field.name: getattr(sensor, field.name) for field in fields(sensor)}
    usual = {field.name: field.default for field in fields(sensor)}
    first = [name for name in (*PLACES, "point") if name in every]
    kept = [*first, *(name for name in every if name not in first and every[name] != usual[name])]
    return "".join(f"{name} = {json.dumps(every[name])}\n" for name in kept)  # texts, numbers, lists: as in TOML


def _sensor(row: Table) -> Sensor:
    kind = CLASSES[row.choice("kind", "", tuple(CLASSES))]
    usual = {field.name: field.default for field in fields(kind)}
    place = next(name for name in PLACES if name in usual)
    given: dict[str, Any] = {key: row.number(key) for key in usual if key not in (place, "point", "axes") and key in row}
    if "axes" in usual:
        given["axes"] = int(row.number("axes", 2))
    if "point" in usual:
        given["point"] = tuple(float(x) for x in row.vector("point", 2, (0.0, 0.0)))
    at = row.text(place)
    row.close()
    if not at:
        raise row.refuse("toml.value/sensor", place=place)
    return kind(at, **given)  # type: ignore[call-arg, arg-type]
