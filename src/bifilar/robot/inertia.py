"""The ten numbers of one rigid body.

A body enters the equations of motion linearly through its mass m, its first moment h = m c and its rotational inertia I
*about the origin of its link frame*, all expressed in that frame (not about the centre of mass, as URDF writes it).

The same ten numbers fill the 4 x 4 pseudo-inertia

    J = [[S, h], [h', m]],   S = integral of r r' dm = tr(I)/2 1 - I

and a body can exist exactly when J is positive semi-definite (Wensing, Kim and Slotine 2018). With J = U U', U upper
triangular with positive diagonal, any real log-Cholesky vector is a body (Rucker and Wensing 2022; the factor's order
matters: only U U' makes the last column of U the centre of mass).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import decompose
from bifilar.errors import RobotError

Array = NDArray[np.float64]

PARAMETERS = ("mass", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
UNITS = ("kg", "kg m", "kg m", "kg m") + ("kg m^2",) * 6


def symmetric(six: ArrayLike) -> Array:
    """Matrix from its six numbers xx, xy, yy, xz, yz, zz.

    >>> symmetric([1, 2, 3, 4, 5, 6])[0]
    array([1., 2., 4.])
    """
    xx, xy, yy, xz, yz, zz = np.asarray(six, dtype=float)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six_of(matrix: ArrayLike) -> Array:
    """Six numbers xx, xy, yy, xz, yz, zz of a symmetric matrix.

    >>> six_of(symmetric([1, 2, 3, 4, 5, 6]))
    array([1., 2., 3., 4., 5., 6.])
    """
    a = np.asarray(matrix, dtype=float)
    return np.array([a[0, 0], a[0, 1], a[1, 1], a[0, 2], a[1, 2], a[2, 2]])


def skew(r: ArrayLike) -> Array:
    """Cross-product matrix: skew(r) @ x = r x x.

    >>> skew([0, 0, 1]) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    x, y, z = np.asarray(r, dtype=float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass, first moment and rotational inertia of one body, about its link origin, in its link frame.

    >>> ball = Inertia.from_center_of_mass(2.0, [0.0, 0.0, 0.5], 0.1 * np.eye(3))
    >>> ball.vector[[0, 3, 4, 9]]
    array([2. , 1. , 0.6, 0.1])
    >>> ball.is_consistent
    True
    """

    mass: float  # [kg]
    first_moment: Array  # [kg m] mass times centre of mass
    rotational: Array  # [kg m^2] 3 x 3, about the link origin, in the link frame

    def __post_init__(self) -> None:
        for name in ("first_moment", "rotational"):
            value = np.array(getattr(self, name), dtype=float)
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "mass", float(self.mass))

    @classmethod
    def zero(cls) -> Inertia:
        """A link without mass.

        >>> Inertia.zero().mass
        0.0
        """
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    @classmethod
    def from_vector(cls, ten: ArrayLike) -> Inertia:
        """From m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz.

        >>> float(Inertia.from_vector(np.arange(10.0)).rotational[0, 2])
        7.0
        """
        ten = np.asarray(ten, dtype=float)
        return cls(float(ten[0]), ten[1:4], symmetric(ten[4:]))

    @classmethod
    def from_center_of_mass(cls, mass: float, center: ArrayLike, rotational: ArrayLike) -> Inertia:
        """From mass, centre of mass and the inertia about the centre of mass (axes parallel to the link frame).

        >>> Inertia.from_center_of_mass(1.0, [0, 0, 2], np.zeros((3, 3))).rotational.diagonal()
        array([4., 4., 0.])
        """
        c = np.asarray(center, dtype=float)
        return cls(mass, mass * c, np.asarray(rotational, dtype=float) - mass * skew(c) @ skew(c))

    @classmethod
    def from_pseudo(cls, pseudo: ArrayLike) -> Inertia:
        """From the 4 x 4 pseudo-inertia.

        >>> Inertia.from_pseudo(np.eye(4)).rotational.diagonal()
        array([2., 2., 2.])
        """
        j = np.asarray(pseudo, dtype=float)
        return cls(float(j[3, 3]), j[:3, 3], np.trace(j[:3, :3]) * np.eye(3) - j[:3, :3])

    @classmethod
    def from_log_cholesky(cls, theta: Sequence[float] | Array) -> Inertia:
        """A body that can exist, from any ten real numbers (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3).

        >>> Inertia.from_log_cholesky(np.random.default_rng(0).normal(size=10)).is_consistent
        True
        """
        alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = np.asarray(theta, dtype=float)
        factor = np.array([[np.exp(d1), s12, s13, t1], [0, np.exp(d2), s23, t2], [0, 0, np.exp(d3), t3], [0, 0, 0, 1.0]])
        factor = np.exp(alpha) * factor
        return cls.from_pseudo(factor @ factor.T)

    @property
    def vector(self) -> Array:
        """The ten numbers in the order of `PARAMETERS`.

        >>> Inertia.zero().vector.shape
        (10,)
        """
        return np.concatenate([[self.mass], self.first_moment, six_of(self.rotational)])

    @property
    def center_of_mass(self) -> Array:
        """Centre of mass in the link frame [m]; the origin for a link without mass.

        >>> Inertia.from_vector([2, 0, 0, 1, 1, 0, 1, 0, 0, 1]).center_of_mass
        array([0. , 0. , 0.5])
        """
        return self.first_moment / self.mass if self.mass != 0 else np.zeros(3)

    @property
    def about_center_of_mass(self) -> Array:
        """Rotational inertia about the centre of mass, axes parallel to the link frame [kg m^2].

        >>> Inertia.from_center_of_mass(1.0, [1, 2, 3], np.eye(3)).about_center_of_mass.round(12)[0, 0]
        np.float64(1.0)
        """
        c = skew(self.center_of_mass)
        return self.rotational + self.mass * c @ c

    def pseudo(self) -> Array:
        """The 4 x 4 pseudo-inertia, positive definite for a body with volume.

        >>> Inertia.from_pseudo(np.diag([1.0, 2.0, 3.0, 4.0])).pseudo().diagonal()
        array([1., 2., 3., 4.])
        """
        second = 0.5 * np.trace(self.rotational) * np.eye(3) - self.rotational
        h = self.first_moment[:, None]
        return np.block([[second, h], [h.T, np.array([[self.mass]])]])

    def log_cholesky(self) -> Array:
        """Ten free numbers that give this body back through `from_log_cholesky`; needs a positive definite pseudo-inertia.

        >>> body = Inertia.from_pseudo(np.diag([1.0, 2.0, 3.0, 4.0]))
        >>> np.allclose(Inertia.from_log_cholesky(body.log_cholesky()).vector, body.vector)
        True
        """
        try:
            flipped = np.linalg.cholesky(self.pseudo()[::-1, ::-1])  # lower factor of the flipped matrix = upper factor
        except np.linalg.LinAlgError as error:
            raise RobotError("inertia.not_positive") from error
        u = flipped[::-1, ::-1]
        s = u / u[3, 3]
        logs = [np.log(s[0, 0]), np.log(s[1, 1]), np.log(s[2, 2])]
        return np.array([np.log(u[3, 3]), *logs, s[0, 1], s[1, 2], s[0, 2], s[0, 3], s[1, 3], s[2, 3]])

    @property
    def is_consistent(self) -> bool:
        """Whether a real body can have these ten numbers (pseudo-inertia positive semi-definite, to rounding).

        >>> Inertia.from_vector([1, 0, 0, 0, 1, 0, 1, 0, 0, 5]).is_consistent
        False
        """
        values = decompose.eigvalsh(self.pseudo())
        return bool(values[0] >= -1e-9 * max(values[-1], 0.0) and self.mass >= 0)

    def moved(self, rotation: ArrayLike, translation: ArrayLike) -> Inertia:
        """The same body seen from another frame: `rotation`, `translation` are new_from_old.

        >>> Inertia.from_vector([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]).moved(np.eye(3), [0, 0, 2]).rotational[0, 0]
        np.float64(4.0)
        """
        move = np.eye(4)
        move[:3, :3], move[:3, 3] = rotation, translation
        return Inertia.from_pseudo(move @ self.pseudo() @ move.T)
