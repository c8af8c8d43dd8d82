"""The equations of a model over symbols: torque, gravity, matrices, friction, regressor, residual and its Jacobian.

    C = 1/2 d(velocity torques)/dv        since those are quadratic in v and Christoffel's symbols symmetric in their last two

so Coriolis matrix and Jacobian are exact derivatives of what inverse dynamics already is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.export.code_frames import Arranged, as_given
from bifilar.export.derivative import Derivative
from bifilar.export.expression import Expression, Graph
from bifilar.export.trace_drives import drive_torque, drive_value
from bifilar.export.trace_mass import mass_matrix
from bifilar.export.trace_motion import Moved, joints_of, moved
from bifilar.export.trace_regressor import inertial_columns
from bifilar.export.trace_torque import to_coordinates, torques
from bifilar.export.trace_vectors import plus
from bifilar.robot.model import Model
from bifilar.robot.smooth import smoothed

Row = list[Expression]
WIDE = 1e6  # [rad/s] a slip that is wider than any sign: shows which signs it makes smooth


@dataclass(frozen=True, eq=False)
class Equations:
    """A model, the frames to compute in, and the graph that its expressions live in.

    >>> from bifilar.export.code_frames import arranged
    >>> robot = bf.Robot.load("pendulum")
    >>> equations = Equations(robot, arranged(robot.tree, robot.body_parameters), Graph())
    >>> len(equations.rigid(*(equations.symbols(letter) for letter in "qva")))
    1
    """

    model: Model
    given: Arranged
    graph: Graph

    def symbols(self, name: str, first: int = 0) -> Row:
        """One symbol per joint: elements of an array, from the first one."""
        return [self.graph.input(name, first + k) for k in range(len(self.model.joint_names))]

    def rigid(self, q: Row, v: Row | None = None, a: Row | None = None, *, gravity: bool = True) -> Row:
        """Torque of the bodies alone; at rest without v and a."""
        tree, joints = self.given.tree, joints_of(self.given.tree, q)
        base = Moved.still(self.graph, -self.model.gravity if gravity else np.zeros(3))
        return to_coordinates(tree, torques(self.given, joints, moved(tree, joints, base, v, a)))

    def torque(self, q: Row, v: Row, a: Row, slip: Expression | None = None) -> Row:
        """With friction and rotors."""
        rigid = self.rigid(q, v, a)
        columns = self.model.drive_columns.columns
        widths = None if slip is None else [slip if smooth else None for smooth in self._softened]
        return plus(rigid, drive_torque(columns, self.model.drive_values, q, v, a, rigid, widths))

    def friction(self, q: Row, v: Row, load: Row) -> Row:
        """Friction and offsets alone."""
        return drive_torque(self.model.drive_columns.columns, self.model.drive_values, q, v, None, load)

    def mass(self, q: Row) -> list[Row]:
        """Mass matrix with the rotors."""
        B = mass_matrix(self.given, joints_of(self.given.tree, q))
        return [[x + float(r) for x, r in zip(row, rotors)] for row, rotors in zip(B, self._rotors)]

    def coriolis(self, q: Row, v: Row) -> list[Row]:
        """Coriolis matrix."""
        velocity = self.rigid(q, v, gravity=False)
        columns = [Derivative(one).each(velocity) for one in v]
        return [[column[i] * 0.5 for column in columns] for i in range(len(q))]

    def regressor(self, q: Row, v: Row, a: Row) -> list[Row]:
        """In the model's own columns: ten per moving body, then the drives'."""
        tree, columns = as_given(self.model.tree, self.model.body_parameters).tree, self.model.drive_columns.columns
        joints = joints_of(tree, q)
        motion = moved(tree, joints, Moved.still(self.graph, -self.model.gravity), v, a)
        rows = inertial_columns(tree, joints, motion)
        load = self.rigid(q, v, a) if columns.needs_load else None
        for k in range(columns.count):
            value = drive_value(columns, k, q, v, a, load)
            rows = [[*row, value * float(effect)] for row, effect in zip(rows, columns.effect[k])]
        return rows

    def residual(self, q: Row, v: Row, moving: Row, a: Row, torque: Row, slip: Expression) -> Row:
        """h(s, s') = (v - q', inverse dynamics - torque), s = (q, v), as in `simulate.implicit_form`."""
        above = [one - rate for one, rate in zip(v, moving)]
        return above + [one - given for one, given in zip(self.torque(q, v, a, slip), torque)]

    def jacobian(self, q: Row, v: Row, a: Row, alpha: Expression, slip: Expression) -> list[Row]:
        """dh/ds + alpha dh/ds'."""
        n, torque, zero, one = len(q), self.torque(q, v, a, slip), self.graph.number(0.0), self.graph.number(1.0)
        by_q, by_v = ([Derivative(x).each(torque) for x in row] for row in (q, v))
        by_a = [Derivative(x).each(torque) for x in a] if self._feels_load else self.mass(q)  # symmetric: rows are columns
        above = [[-alpha if i == k else zero for k in range(n)] + [one if i == k else zero for k in range(n)] for i in range(n)]
        below = [[by_q[k][i] for k in range(n)] + [by_v[k][i] + alpha * by_a[k][i] for k in range(n)] for i in range(n)]
        return above + below

    @cached_property
    def _rotors(self) -> Array:
        """Rotor inertia, (joints, joints): what columns with an acceleration add."""
        return self.model._rotor

    @cached_property
    def _feels_load(self) -> bool:
        """Whether friction that counts depends on the load, and so on the acceleration."""
        columns, values = self.model.drive_columns.columns, self.model.drive_values
        return columns.needs_load and bool(np.any(values))

    @cached_property
    def _softened(self) -> list[bool]:
        """Which columns' signs a slip makes smooth."""
        return [bool(width == WIDE) for width in smoothed(self.model, WIDE).drive_columns.columns.width]
