"""Sets of angles that say how a pinned walker stands: each a linear map onto the angles of its links, matrix q + offset.

A set is never a second model: D_q = T' D T, the regressor's rows T' Z, torques and covariances follow the same map. (Printed as
J' D J with J = dF/dq for qbar = F(q) in Dolinsky 2017, (6.80); right is J^-T D J^-1, which is T' D T with T = J^-1.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError


@dataclass(frozen=True, eq=False)
class Coordinates:
    """n numbers and what they mean for the n links.

    >>> relative = Coordinates(("a", "b"), [[1.0, 0.0], [1.0, 1.0]])
    >>> relative.angles(np.array([0.1, 0.2]))
    array([0.1, 0.3])
    """

    names: tuple[str, ...]
    matrix: Array  # (n, n) T
    offset: Array = None  # type: ignore[assignment]  # (n,) zeros if left out

    def __post_init__(self) -> None:
        t = np.array(self.matrix, dtype=float)
        n = len(self.names)
        c = np.zeros(n) if self.offset is None else np.array(self.offset, dtype=float)
        if t.shape != (n, n) or c.shape != (n,) or abs(np.linalg.det(t)) < 1e-9:
            raise ShapeError("walker.coordinates", n=n, shape=t.shape, shape_2=c.shape)
        inverse = np.linalg.inv(t)
        for array in (t, c, inverse):
            array.flags.writeable = False
        object.__setattr__(self, "matrix", t)
        object.__setattr__(self, "offset", c)
        object.__setattr__(self, "_inverse", inverse)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def inverse(self) -> Array:
        """T^-1: rates of these coordinates from the rates of the links.

        >>> Coordinates(("a",), [[2.0]]).inverse
        array([[0.5]])
        """
        return self._inverse  # type: ignore[attr-defined, no-any-return]

    def angles(self, values: Array) -> Array:
        """Angles of the links from values of these coordinates, (..., n).

        >>> Coordinates(("a",), [[1.0]], [np.pi]).angles(np.array([[0.0]])).round(3)
        array([[3.142]])
        """
        return np.asarray(values @ self.matrix.T + self.offset)

    def values(self, angles: Array) -> Array:
        """These coordinates from the angles of the links, (..., n).

        >>> Coordinates(("a",), [[1.0]], [np.pi]).values(np.array([np.pi]))
        array([0.])
        """
        return np.asarray((angles - self.offset) @ self.inverse.T)

    def links(self, states: Array) -> Array:
        """States of the links (angles, rates) from states in these coordinates (values, rates), (..., 2 n).

        >>> Coordinates(("a",), [[2.0]], [1.0]).links(np.array([0.0, 3.0]))
        array([1., 6.])
        """
        n = len(self)
        return np.concatenate([self.angles(states[..., :n]), states[..., n:] @ self.matrix.T], axis=-1)

    def states(self, links: Array) -> Array:
        """States in these coordinates from states of the links, (..., 2 n).

        >>> Coordinates(("a",), [[2.0]], [1.0]).states(np.array([1.0, 6.0]))
        array([0., 3.])
        """
        n = len(self)
        return np.concatenate([self.values(links[..., :n]), links[..., n:] @ self.inverse.T], axis=-1)

    @property
    def both(self) -> Array:
        """diag(T, T): states of the links by states in these coordinates.

        >>> Coordinates(("a",), [[2.0]]).both
        array([[2., 0.],
               [0., 2.]])
        """
        zero = np.zeros_like(self.matrix)
        return np.block([[self.matrix, zero], [zero, self.matrix]])

    @property
    def both_inverse(self) -> Array:
        """diag(T, T)^-1.

        >>> Coordinates(("a",), [[2.0]]).both_inverse[0, 0]
        np.float64(0.5)
        """
        zero = np.zeros_like(self.matrix)
        return np.block([[self.inverse, zero], [zero, self.inverse]])
