"""What a file by itself leaves unexplained: a format that cannot state a torque offset predicts without it.

The error of an identified robot is that of all its terms. Its URDF holds bodies, viscous friction, and Coulomb friction with a
hard sign; whoever uses that file has the error of these alone, which may be as large as the description's. So it is measured
on the same motion. MuJoCo's dry friction is a constraint; where a joint moves it is the hard sign, and is counted as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bifilar.estimate.estimate import Estimate
from bifilar.estimate.score import predicted
from bifilar.estimate.sources import Data, equations_of
from bifilar.export.carried_friction import as_stated, carried_columns, smooth_widths
from bifilar.export.formats import Format
from bifilar.robot.robot import Robot

FORMATS: tuple[Format, ...] = ("URDF", "MJCF")
NOTABLE = 1.1  # times the error of the whole model, from which on it is worth a sentence


def carried_errors(estimate: Estimate, recordings: Sequence[Data]) -> dict[str, float]:
    """|torque - predicted| / |torque| on recordings, of what each format can state of the identified robot.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset(), {"joint1.offset": 5.0})
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 300, 1))
    >>> data = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> found = carried_errors(bf.fit(robot, data), [data])
    >>> sorted(found), found["URDF"] > 0.3
    (['MJCF', 'URDF'], True)
    """
    robot = estimate.robot
    sources = [equations_of(data, estimate.described, estimate.recipe) for data in recordings]
    torque = [np.concatenate([np.asarray(chunk.torque) for chunk in source.chunks(robot)]) for source in sources]
    size = float(np.sqrt(sum(np.sum(tau**2) for tau in torque))) or 1.0
    found = {}
    for format in FORMATS:
        alone = as_stated(robot, format)
        errors = [tau - predicted(alone, source) for tau, source in zip(torque, sources, strict=True)]
        found[str(format)] = float(np.sqrt(sum(np.sum(error**2) for error in errors))) / size
    return found


def left_behind(robot: Robot, format: Format) -> tuple[str, ...]:
    """Names of the friction and drive parameters that a format cannot state and that are not zero.

    >>> values = {"joint1.offset": 5.0, "joint1.viscous": 1.0}
    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset() + bf.Viscous(), values)
    >>> left_behind(robot, "URDF")
    ('joint1.offset',)
    """
    kept = set(carried_columns(robot, format))
    return tuple(name for k, name in enumerate(robot.drive_columns.names) if k not in kept and robot.drive_values[k])


def alone_words(format: str, alone: float, whole: float, kinds: Iterable[str] = ()) -> str:
    """A sentence where the file by itself is notably worse than the whole model; else nothing.

    >>> alone_words("URDF", 0.345, 0.061, ["torque offset"])
    'the URDF by itself, without torque offset, misses 34.5 % on the motion that was judged, the whole model 6.1 %'
    >>> alone_words("URDF", 0.061, 0.06)
    ''
    """
    if not alone > NOTABLE * whole:
        return ""
    without = f", without {', '.join(kinds)}," if kinds else ""
    return (
        f"the {format} by itself{without} misses {100 * alone:.3g} % on the motion that was judged, "
        f"the whole model {100 * whole:.2g} %"
    )


def kinds_left_behind(robot: Robot, format: Format) -> tuple[str, ...]:
    """What a format cannot state of this robot, in words.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Offset(), {"joint1.offset": 5.0})
    >>> kinds_left_behind(robot, "MJCF")
    ('torque offset',)
    """
    names = set(left_behind(robot, format))
    columns = zip(robot.drive_columns.names, robot.drive_columns.columns.laws, strict=True)
    gone = dict.fromkeys(law.title for name, law in columns if name in names)
    return (*gone, *(["smooth sign of speed"] if smooth_widths(robot, format) else []))
