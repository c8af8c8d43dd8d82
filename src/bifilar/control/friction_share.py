"""Friction as a controller compensates it: what has a sign at the wanted velocity, what is viscous at the actual one.

The sign of a measured velocity is noise at standstill, and compensating it there would shake the arm; the wanted one is
smooth. Viscous friction taken at the actual velocity leaves the error dynamics as they were designed.
"""

from __future__ import annotations

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.robot.model import Model


def friction_to_compensate(model: Model, position: Array, actual: Array, wanted: Array) -> Array:
    """Of every joint [N m]; friction that depends on the load sees the load at rest.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Coulomb(), {"joint1.viscous": 0.5})
    >>> robot = robot.with_parameters({"joint1.coulomb": 2.0})
    >>> friction_to_compensate(robot, np.zeros(1), np.ones(1), np.full(1, -3.0))
    array([-1.5])
    """
    columns, values = model.drive_columns.columns, model._friction_values
    if not values.any():
        return np.zeros_like(position)
    speeds = np.stack([actual, wanted])
    load = np.tile(model.gravity_torque(position), (2, 1)) if columns.needs_load else None
    f = columns.values(speeds, np.zeros_like(speeds), load, np.tile(position, (2, 1)))
    return (np.where(columns.having(lambda law: law.is_linear), f[0], f[1]) * values) @ columns.effect


def viscous_matrix(model: Model, position: Array) -> Array:
    """Torque of viscous friction per unit speed of every joint at a pose [N m s/rad], (joints, joints).

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous() + bf.Coulomb(), {"joint1.viscous": 0.5})
    >>> viscous_matrix(robot, np.zeros(1))
    array([[0.5]])
    """
    still = np.zeros_like(position)
    rest = friction_to_compensate(model, position, still, still)
    columns = [friction_to_compensate(model, position, one, still) - rest for one in np.eye(len(position))]
    return np.stack(columns, axis=1)
