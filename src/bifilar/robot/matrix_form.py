"""The equations of motion as controllers write them: four arrays instead of one torque.

    torque = B(q) a + C(q, v) v + g(q) + friction(v)         rate of B - 2 C is skew-symmetric

They come from any parameters that predict torques, base parameters included: the dependent ones are zero there, and B, C and g
are the same. B has the rotors in it. A floating base stands first, and its velocity counts as (0, angular velocity).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array


class MatrixForm(NamedTuple):
    """B, C, g and friction at some states; (N, ...), or without the first axis for a single state.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    >>> form = robot.matrix_form(q, v)
    >>> bool(np.allclose(form.mass @ a + form.coriolis @ v + form.gravity, robot.inverse_dynamics(q, v, a)))
    True
    """

    mass: Array  # (N, rows, rows) [kg m^2] B(q)
    coriolis: Array  # (N, rows, rows) [kg m^2/s] C(q, v)
    gravity: Array  # (N, rows) [N m] g(q)
    friction: Array  # (N, rows) [N m]
    velocity: Array  # (N, rows) [rad/s] or [m/s] at which it holds

    def torque(self, acceleration: ArrayLike) -> Array:
        """What moves the robot so; the same as inverse dynamics.

        >>> bf.Robot.load("pendulum").matrix_form([0.0], [1.0]).torque([0.0]).round(12)
        array([0.])
        """
        a = numbers("acceleration", acceleration)
        moved = np.einsum("...ij,...j->...i", self.mass, a)
        return moved + np.einsum("...ij,...j->...i", self.coriolis, self.velocity) + self.gravity + self.friction
