"""Derivatives of a model's torque with respect to position, velocity and acceleration, and their products with vectors.

Rigid-body part from the engine; friction adds F = effect' diag(value slope) drive to the velocity's, and if it depends on the
position, K of the same form to the position's; rotors add to the acceleration's, and load-dependent friction multiplies all
three by 1 + G with G = effect' diag(value load slope) effect, since its load is itself the rigid-body torque.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.engine import current
from bifilar.dynamics.state import BaseMotion, squeezed, table
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.robot.model_data import ModelData


class Slopes(ModelData):
    """Derivatives of the inverse dynamics of a model.

    >>> by_position, by_velocity, by_acceleration = bf.Robot.load("pendulum").derivatives([0.1], [0.2], [0.3])
    >>> by_position.shape
    (1, 1)
    """

    def derivatives(
        self, position: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, base: BaseMotion | None = None
    ) -> tuple[Array, Array, Array]:
        """Matrices (N, rows, joints) of the torque's derivatives by position, velocity and acceleration; friction included.

        >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous(), {"joint1.viscous": 0.5})
        >>> robot.derivatives([0.1], [0.2], [0.3])[1]
        array([[0.5]])
        """
        (q, v, a), root, single = self._states(base, position=position, velocity=velocity, acceleration=acceleration)
        by_q, by_v = current().derivatives(self.tree, self.body_parameters, q, v, a, root)
        by_a = np.array(current().mass_matrix(self.tree, self.body_parameters, q)[:, :, 6:])
        waves, damping, gain = self._drive_slopes(q, v, a, root)
        for matrix in (by_q, by_v, by_a) if gain is not None else ():
            matrix[:, 6:] += gain @ matrix[:, 6:]
        by_q[:, 6:] += waves
        by_v[:, 6:] += damping
        by_a[:, 6:] += self._rotor
        return tuple(squeezed(self._own(matrix), single) for matrix in (by_q, by_v, by_a))  # type: ignore[return-value]

    def tangent(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        along: tuple[ArrayLike, ArrayLike, ArrayLike],
        *,
        base: BaseMotion | None = None,
    ) -> Array:
        """Change of the torque along small changes of position, velocity and acceleration, without forming matrices.

        >>> bf.Robot.load("pendulum").tangent([0.1], [0.2], [0.3], ([1.0], [0.0], [0.0])).shape
        (1,)
        """
        (q, v, a), root, single = self._states(base, position=position, velocity=velocity, acceleration=acceleration)
        names = ("change of position", "change of velocity", "change of acceleration")
        dq, dv, da = (self._alike(table(n, x, self.joint_names)[0], n, len(q)) for n, x in zip(names, along, strict=True))
        change = current().tangent(self.tree, self.body_parameters, q, v, a, root, dq, dv, da)
        waves, damping, gain = self._drive_slopes(q, v, a, root)
        if gain is not None:
            change[:, 6:] += np.einsum("nij,nj->ni", gain, change[:, 6:])
        change[:, 6:] += np.einsum("nij,nj->ni", damping, dv) + da @ self._rotor.T
        change[:, 6:] += np.einsum("nij,nj->ni", waves, dq)
        return squeezed(self._own(change), single)

    def adjoint(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        weight: ArrayLike,
        *,
        base: BaseMotion | None = None,
    ) -> tuple[Array, Array, Array]:
        """Gradients of sum(weight * torque) by position, velocity and acceleration, each (N, joints).

        >>> robot = bf.Robot.load("pendulum")
        >>> gradient = robot.adjoint([0.1], [0.2], [0.3], [1.0])
        >>> bool(np.allclose(gradient[0], robot.derivatives([0.1], [0.2], [0.3])[0]))
        True
        """
        (q, v, a), root, single = self._states(base, position=position, velocity=velocity, acceleration=acceleration)
        given = self._alike(table("weight", weight, self.row_names(), "row")[0], "weight", len(q))
        w = given.copy() if self.tree.floating else np.pad(given, ((0, 0), (6, 0)))
        joints = w[:, 6:].copy()
        waves, damping, gain = self._drive_slopes(q, v, a, root)
        if gain is not None:
            w[:, 6:] += np.einsum("nij,ni->nj", gain, joints)
        by_q, by_v, by_a = current().adjoint(self.tree, self.body_parameters, q, v, a, root, w)
        by_q = by_q + np.einsum("nij,ni->nj", waves, joints)
        by_v = by_v + np.einsum("nij,ni->nj", damping, joints)
        by_a = by_a + joints @ self._rotor
        return squeezed(by_q, single), squeezed(by_v, single), squeezed(by_a, single)

    def _drive_slopes(self, q: Array, v: Array, a: Array, root: Array) -> tuple[Array, Array, Array | None]:
        """K, F, and G if friction depends on the load; all (N, joints, joints)."""
        columns, values = self.drive_columns.columns, self._friction_values
        none = np.zeros((len(q), len(self.joint_names), len(self.joint_names)))
        if not values.any():
            return none, none, None
        own, other = columns.effect, columns.drive
        load = None
        if columns.needs_load:
            load = current().inverse_dynamics(self.tree, self.body_parameters, q, v, a, root)[:, 6:]
        waves = none
        if columns.needs_position:
            waves = np.einsum("nk,ki,kj->nij", columns.position_slopes(v, q, load) * values, own, other)
        damping = np.einsum("nk,ki,kj->nij", columns.slopes(v, load, q) * values, own, other)
        if load is None:
            return waves, damping, None
        gain = np.einsum("nk,ki,kj->nij", columns.load_slopes(v, load, q) * values, own, own)
        return waves, damping, gain

    def _alike(self, rows: Array, name: str, samples: int) -> Array:
        if len(rows) != samples:
            raise ShapeError("shape.wrong/model_slopes", name=name, row_count=len(rows), samples=samples)
        return rows
