"""What comes into a filter: one vector or a table per signal, the regressor's rows, the limits that a sample may not exceed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import engine
from bifilar.errors import ShapeError
from bifilar.online.core import no_limits
from bifilar.robot.inertia import Array
from bifilar.robot.robot import Robot

BEYOND, FASTER, STRONGER = 0.05, 1.5, 1.5  # share of the range, times the speed, times the effort that are out of limits


def _vector(given: object, shape: tuple[int, ...]) -> Array:
    array = np.asarray(given, dtype=float)
    if array.shape != shape:
        raise ValueError(f"{array.shape}")
    return array


def _table(name: str, given: ArrayLike, width: int) -> Array:
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError("not_numbers/incoming", name=name, width=width) from None
    if array.ndim != 2 or array.shape[1] != width:
        raise ShapeError("shape.wrong/incoming", name=name, shape=array.shape, width=width)
    return array


def _joint_rows(robot: Robot, q: Array, v: Array, a: Array) -> Array:
    from bifilar.dynamics.state import fixed_root

    root, columns = fixed_root(robot.tree.gravity), robot.drive_columns.columns
    return np.asarray(engine.current().regressor(robot.tree, q, v, a, root, "joints", columns, None))


def _limits(robot: Robot, rows: int, torques: bool) -> Array:
    """Positions, speeds and torques that a sample may not exceed."""
    own, n = robot.limits, len(robot.joint_names)
    out = no_limits(n, rows)
    room = np.where(np.isfinite(own.upper - own.lower), BEYOND * (own.upper - own.lower), np.inf)
    out[0, :n], out[1, :n], out[2, :n] = own.lower - room, own.upper + room, FASTER * own.velocity
    if torques:
        out[3, :n] = STRONGER * own.effort
    return out
