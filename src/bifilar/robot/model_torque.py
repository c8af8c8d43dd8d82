"""The equations of motion of a model: torque from motion, motion from torque, and the matrices between them.

    torque = M(q) a + C(q, v) v + g(q) + friction(q, v),      M including the rotors,  C in Christoffel form

A floating base has six more rows, first: the force and moment that the world must apply to the base, in the base frame
about its origin; accelerations of the base are classical (see BaseMotion).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.engine import current
from bifilar.dynamics.state import BaseMotion, numbers, squeezed, states, table
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError, SolveError
from bifilar.robot.matrix_form import MatrixForm
from bifilar.robot.model_data import BASE_ROWS, ModelData


class Torque(ModelData):
    """Inverse and forward dynamics of a model.

    >>> bf.Robot.load("pendulum").inverse_dynamics([0.0], [0.0], [0.0]).shape
    (1,)
    """

    def inverse_dynamics(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        base: BaseMotion | None = None,
        load: ArrayLike | None = None,
        friction: bool = True,
    ) -> Array:
        """Torque that makes the robot move so, (N, joints); floating: base wrench first, (N, 6 + joints).

        `load` [N m] serves load-dependent friction; left out, it is the torque of this model without drives.
        `friction=False` leaves friction and offset away, not the rotors.

        >>> robot = bf.Robot.load("pendulum")
        >>> torque = robot.inverse_dynamics([[0.1], [0.2]], [[0.0], [0.0]], [[0.0], [1.0]])
        >>> torque.shape
        (2, 1)
        """
        (q, v, a), root, single = self._states(base, position=position, velocity=velocity, acceleration=acceleration)
        tau = current().inverse_dynamics(self.tree, self.body_parameters, q, v, a, root)
        drive = a @ self._rotor.T
        if friction and len(self.drive_values):
            drive += self._friction(q, v, tau[:, 6:] if load is None else self._checked_load(load, len(q)))
        tau[:, 6:] += drive
        return squeezed(self._own(tau), single)

    def _friction(self, q: Array | None, v: Array, load: Array | None) -> Array:
        columns = self.drive_columns.columns
        return (columns.values(v, np.zeros_like(v), load, q) * self._friction_values) @ columns.effect

    def friction_torque(self, velocity: ArrayLike, load: ArrayLike | None = None, position: ArrayLike | None = None) -> Array:
        """Friction and offset alone, (N, joints). `load` and `position` serve friction that depends on them.

        >>> robot = bf.Robot.load("pendulum").with_friction(bf.Viscous(), {"joint1.viscous": 0.5})
        >>> robot.friction_torque([2.0])
        array([1.])
        """
        (v,), single = states(self.joint_names, velocity=velocity)
        if load is None and self.drive_columns.columns.needs_load:
            raise RobotError("friction.needs_load/model_torque")
        if position is None and self.drive_columns.columns.needs_position:
            raise RobotError("friction.needs_position/model_torque")
        q = None if position is None else table("position", position, self.joint_names)[0]
        if q is not None and len(q) != len(v):
            raise ShapeError("shape.wrong/model_torque", q_count=len(q), v_count=len(v))
        return squeezed(self._friction(q, v, None if load is None else self._checked_load(load, len(v))), single)

    def gravity_torque(self, position: ArrayLike, *, base: BaseMotion | None = None) -> Array:
        """Torque that holds the robot still against gravity.

        >>> bf.Robot.load("pendulum").gravity_torque([[0.0], [0.1]]).shape
        (2, 1)
        """
        at_rest = np.zeros_like(numbers("position", position))
        base = None if base is None else base.at_rest()
        return self.inverse_dynamics(position, at_rest, at_rest, base=base, friction=False)

    def base_wrench(
        self, position: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, base: BaseMotion | None = None
    ) -> Array:
        """Force and moment the ground applies to the base, in the root frame about its origin, (N, 6).

        >>> robot = bf.Robot.load("pendulum")
        >>> weight = 9.81 * robot.body_parameters[:, 0].sum()
        >>> bool(np.isclose(robot.base_wrench([0.0], [0.0], [0.0])[2], weight))
        True
        """
        (q, v, a), root, single = self._states(base, position=position, velocity=velocity, acceleration=acceleration)
        return squeezed(current().inverse_dynamics(self.tree, self.body_parameters, q, v, a, root)[:, :6], single)

    def mass_matrix(self, position: ArrayLike) -> Array:
        """M(q) with the rotors, (N, joints, joints); floating: (N, 6 + joints, 6 + joints), base first.

        >>> bf.Robot.load("pendulum").mass_matrix([0.0]).shape
        (1, 1)
        """
        (q,), single = states(self.joint_names, position=position)
        matrix = current().mass_matrix(self.tree, self.body_parameters, q)
        matrix[:, 6:, 6:] += self._rotor
        return squeezed(self._own_square(matrix), single)

    def coriolis_matrix(self, position: ArrayLike, velocity: ArrayLike, *, base: BaseMotion | None = None) -> Array:
        """C(q, v) with rate of M - 2 C skew-symmetric and C v the velocity torque; floating: C (0, angular velocity, v).

        >>> bf.Robot.load("pendulum").coriolis_matrix([0.0], [1.0]).round(12)
        array([[0.]])
        """
        (q, v), root, single = self._states(base, position=position, velocity=velocity)
        return squeezed(self._own_square(current().coriolis_matrix(self.tree, self.body_parameters, q, v, root)), single)

    def matrix_form(
        self, position: ArrayLike, velocity: ArrayLike, *, base: BaseMotion | None = None, load: ArrayLike | None = None
    ) -> MatrixForm:
        """Mass matrix, Coriolis matrix, gravity torque and friction; `load` serves load-dependent friction.

        >>> form = bf.Robot.load("two_link").matrix_form(np.zeros((5, 2)), np.ones((5, 2)))
        >>> form.mass.shape, form.coriolis.shape, form.gravity.shape, form.friction.shape
        ((5, 2, 2), (5, 2, 2), (5, 2), (5, 2))
        """
        (q, v), root, single = self._states(base, position=position, velocity=velocity)
        friction = self.friction_torque(v, load, q) if len(self.drive_values) else np.zeros_like(v)
        matrices = self.mass_matrix(q), self.coriolis_matrix(q, v, base=base)
        if self.tree.floating:
            turning = np.broadcast_to(root[:, :3], (len(q), 3))
            v = np.hstack([np.zeros((len(q), 3)), turning, v])
            friction = np.pad(friction, ((0, 0), (6, 0)))
        parts = (*matrices, self.gravity_torque(q, base=base), friction, v)
        return MatrixForm(*(squeezed(part, single) for part in parts))

    def forward_dynamics(
        self, position: ArrayLike, velocity: ArrayLike, torque: ArrayLike, *, base: BaseMotion | None = None
    ) -> Array:
        """Acceleration that torques cause, (N, joints); floating: the base's classical acceleration first, (N, 6 + joints).

        A floating robot takes joint torques (no force on the base), or a base wrench before them, (N, 6 + joints).

        >>> robot = bf.Robot.load("pendulum")
        >>> torque = robot.inverse_dynamics([0.3], [0.2], [1.5])
        >>> robot.forward_dynamics([0.3], [0.2], torque).round(9)
        array([1.5])
        """
        (q, v), root, single = self._states(base, position=position, velocity=velocity)
        tau = self._applied(torque, len(q))
        if self.drive_columns.columns.needs_load:
            result = self._with_load_friction(q, v, tau, root)
        else:
            result = self._solve(q, v, self._less(tau, self._friction(q, v, None)), root)
        if base is not None:
            result[:, :3] += base.gravity(self.tree.gravity)
        return squeezed(result, single)

    def _solve(self, q: Array, v: Array, tau: Array, root: Array) -> Array:
        return current().forward_dynamics(self.tree, self.body_parameters, self._rotor, q, v, np.ascontiguousarray(tau), root)

    def _with_load_friction(self, q: Array, v: Array, tau: Array, root: Array) -> Array:
        """Friction depends on the load, the load on the acceleration: repeat until it no longer changes."""
        first = 6 if self.tree.floating else 0
        load = np.zeros_like(v)
        for _ in range(200):  # the error shrinks by the load coefficient each time; gears have 0.1 to 0.5
            result = self._solve(q, v, self._less(tau, self._friction(q, v, load)), root)
            newer = tau[:, first:] - self._friction(q, v, load) - result[:, first:] @ self._rotor.T
            if np.abs(newer - load).max(initial=0.0) <= 1e-13 * max(1.0, np.abs(newer).max(initial=0.0)):
                return result
            load = newer
        raise SolveError("friction.not_settled/model_torque")

    def _less(self, tau: Array, friction: Array) -> Array:
        return tau - (np.pad(friction, ((0, 0), (6, 0))) if self.tree.floating else friction)

    def _applied(self, torque: ArrayLike, samples: int) -> Array:
        """Torque with a base wrench for a floating robot, zero unless given."""
        array, labels = numbers("torque", torque), self.joint_names
        if self.tree.floating and array.ndim and array.shape[-1] != len(labels):
            labels = BASE_ROWS + self.joint_names
        rows, _ = table("torque", array, labels)
        if len(rows) != samples:
            raise ShapeError("shape.wrong/applied", row_count=len(rows), samples=samples)
        return np.pad(rows, ((0, 0), (6, 0))) if self.tree.floating and len(labels) == len(self.joint_names) else rows
