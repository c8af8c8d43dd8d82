"""Motors that do not sit one to a joint: the matrix between motors and joints.

    motor motion = matrix @ joint motion          (positions, velocities, accelerations)
    joint torque = matrix' @ motor torque         (so that both sides have the same power)

On the TX40 the motor of joint 6 turns with joint 5 as well: its row has ones at joints 5 and 6 (Gautier, Janot and
Vandanjon 2013). A row may contain the gear ratio; motor torque, friction and rotor inertia are then those of the motor shaft.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError


@dataclass(frozen=True, eq=False, kw_only=True)
class Drivetrain:
    """Named motors and the matrix that says how joints turn them. Motors may be fewer than joints.

    >>> wrist = Drivetrain(joints=("joint5", "joint6"), motors=("motor5", "motor6"), matrix=[[45, 0], [32, 32]])
    >>> wrist.motor_from_joint([0.1, 0.0])
    array([4.5, 3.2])
    """

    joints: tuple[str, ...]  # names of the joints, in the order of the columns
    motors: tuple[str, ...]  # names of the motors, in the order of the rows; none may be a joint's
    matrix: Array  # (motors, joints) motor speed per joint speed

    def __post_init__(self) -> None:
        for name in ("joints", "motors"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        matrix = np.array(numbers("drivetrain matrix", self.matrix))
        if matrix.shape != (len(self.motors), len(self.joints)):
            raise ShapeError("drivetrain.shape", shape=matrix.shape, motor_count=len(self.motors), joint_count=len(self.joints))
        if not np.isfinite(matrix).all():
            raise ShapeError("drivetrain.not_finite")
        idle = [motor for motor, row in zip(self.motors, matrix) if not row.any()]
        if idle:
            raise RobotError("drivetrain.idle", idle=idle[0])
        twice = [name for name in self.joints + self.motors if (self.joints + self.motors).count(name) > 1]
        if twice:
            raise RobotError("name.twice/drivetrain", twice=twice[0])
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    def row(self, motor: str) -> Array:
        """How joint speeds add up to this motor's speed.

        >>> Drivetrain(joints=("a", "b"), motors=("m",), matrix=[[1, 1]]).row("m")
        array([1., 1.])
        """
        return self.matrix[self.motors.index(motor)]

    def motor_from_joint(self, motion: ArrayLike) -> Array:
        """Positions, velocities or accelerations of the motors from those of the joints, (..., joints).

        >>> Drivetrain(joints=("a", "b"), motors=("m",), matrix=[[1, 1]]).motor_from_joint([[1, 2], [3, 4]])
        array([[3.],
               [7.]])
        """
        return self._columns("joint motion", motion, self.joints) @ self.matrix.T

    def joint_from_motor(self, motion: ArrayLike) -> Array:
        """Positions, velocities or accelerations of the joints from those of the motors, (..., motors).

        >>> Drivetrain(joints=("a", "b"), motors=("m", "n"), matrix=[[2, 0], [1, 1]]).joint_from_motor([2.0, 3.0])
        array([1., 2.])
        """
        return self._columns("motor motion", motion, self.motors) @ self._inverse().T

    def joint_torque_from_motor(self, torque: ArrayLike) -> Array:
        """Joint torques from motor torques, (..., motors).

        >>> Drivetrain(joints=("a", "b"), motors=("m",), matrix=[[1, 1]]).joint_torque_from_motor([5.0])
        array([5., 5.])
        """
        return self._columns("motor torque", torque, self.motors) @ self.matrix

    def motor_torque_from_joint(self, torque: ArrayLike) -> Array:
        """Motor torques from joint torques, (..., joints).

        >>> Drivetrain(joints=("a", "b"), motors=("m", "n"), matrix=[[2, 0], [1, 1]]).motor_torque_from_joint([3.0, 1.0])
        array([1., 1.])
        """
        return self._columns("joint torque", torque, self.joints) @ self._inverse()

    def without(self, joints: set[str]) -> Drivetrain | None:
        """The drivetrain that is left when some joints are locked; None if no motor is.

        >>> Drivetrain(joints=("a", "b"), motors=("m",), matrix=[[1, 2]]).without({"b"}).matrix
        array([[1.]])
        """
        columns = [k for k, name in enumerate(self.joints) if name not in joints]
        rows = [k for k in range(len(self.motors)) if self.matrix[k, columns].any()]
        kept = tuple(self.joints[k] for k in columns)
        return (
            Drivetrain(joints=kept, motors=tuple(self.motors[k] for k in rows), matrix=self.matrix[np.ix_(rows, columns)])
            if rows
            else None
        )

    def in_order(self, joint_names: tuple[str, ...]) -> Drivetrain:
        """Columns in the order of a robot's joints; joints it does not know get none of its motors.

        >>> Drivetrain(joints=("b",), motors=("m",), matrix=[[2]]).in_order(("a", "b")).matrix
        array([[0., 2.]])
        """
        unknown = [name for name in self.joints if name not in joint_names]
        if unknown:
            raise RobotError("joint.unknown/drivetrain", joints=joint_names, unknown=unknown[0])
        matrix = np.zeros((len(self.motors), len(joint_names)))
        matrix[:, [joint_names.index(name) for name in self.joints]] = self.matrix
        return Drivetrain(joints=joint_names, motors=self.motors, matrix=matrix)

    def _inverse(self) -> Array:
        if len(self.motors) != len(self.joints) or decompose.rank(self.matrix) < len(self.joints):
            raise RobotError("drivetrain.singular", motor_count=len(self.motors), joint_count=len(self.joints))
        return np.asarray(np.linalg.inv(self.matrix), dtype=np.float64)

    def _columns(self, what: str, value: ArrayLike, names: tuple[str, ...]) -> Array:
        array = numbers(what, value)
        if array.ndim == 0 or array.shape[-1] != len(names):
            raise ShapeError("shape.wrong/drivetrain", thing=what, shape=array.shape, name_count=len(names), names=names)
        return array
