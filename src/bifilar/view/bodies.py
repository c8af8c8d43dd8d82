"""A body's inertia as an ellipsoid one can look at.

The ellipsoid of even density with the same mass, centre and inertia: with C = tr(I)/2 1 - I about the centre of mass, its half
axes are sqrt(5 e / m) along the eigenvectors of C with eigenvalues e. A body that could not exist has a negative e; its
ellipsoid is drawn flat there, and told.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.robot.inertia import Inertia

THIN = 1e-3  # [m] of the thinnest half axis that is drawn
LIGHT = 1e-9  # [kg] that is no mass


class Equivalent(NamedTuple):
    """Centre, half axes and their directions (columns) in the body's frame, and whether such a body can exist.

    >>> equivalent(Inertia.from_center_of_mass(5.0, [0, 0, 0.1], np.diag([2.0, 2.0, 2.0]))).half_axes
    array([1., 1., 1.])
    """

    center: Array  # [m]
    half_axes: Array  # [m]
    rotation: Array
    possible: bool


def equivalent(inertia: Inertia) -> Equivalent | None:
    """The ellipsoid of a body; None if it has no mass.

    >>> rod = equivalent(Inertia.from_center_of_mass(1.0, [0, 0, 0], np.diag([0.2, 0.2, 0.0])))
    >>> rod.half_axes.round(3)
    array([0.001, 0.001, 1.   ])
    >>> equivalent(Inertia.zero()) is None
    True
    """
    if not inertia.mass > LIGHT:
        return None
    about = inertia.about_center_of_mass
    second = np.trace(about) / 2 * np.eye(3) - about
    values, axes = decompose.eigh(second)
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    squares = 5 * values / inertia.mass
    possible = bool(values[0] >= -1e-9 * max(float(np.abs(values).max()), 1e-12))
    return Equivalent(inertia.center_of_mass, np.sqrt(np.maximum(squares, THIN**2)), axes, possible)
