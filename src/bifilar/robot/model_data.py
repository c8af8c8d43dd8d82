"""What a model consists of, and the plumbing its equations share: rows, columns, names, checked states.

    torque = Y_bodies(q, v, a) phi + sum over drive columns of value * effect * f(drive . v)

phi are ten numbers per body (fixed links folded in), the drive columns are friction, offset and rotor inertia.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from bifilar.dynamics.state import BaseMotion, fixed_root, states, table
from bifilar.dynamics.tree import Array, Tree
from bifilar.errors import RobotError, ShapeError
from bifilar.robot.drivetrain import Drivetrain
from bifilar.robot.friction import DriveColumns, Friction, Term
from bifilar.robot.inertia import PARAMETERS, UNITS
from bifilar.robot.parameters import INERTIAL_LOWER, Parameters, kind_of

Rows = Literal["joints", "base", "both"]
BASE_ROWS = ("base.fx", "base.fy", "base.fz", "base.mx", "base.my", "base.mz")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ModelData:
    """A tree, its names and its numbers.

    >>> bf.Robot.load("pendulum").joint_names
    ('joint1',)
    """

    tree: Tree
    joint_names: tuple[str, ...]  # independent moving joints, in the file's order: columns of positions and torques
    body_names: tuple[str, ...]  # the root, then the moving links in the order of the tree
    body_parameters: Array  # (bodies, 10) about each body's origin, in its frame; fixed links folded in
    friction: Friction = field(default_factory=Friction)
    drivetrain: Drivetrain | None = None
    drive_values: Array = None  # type: ignore[assignment]  # coefficients of the drive columns; zeros if left out
    sliding: tuple[str, ...] = ()  # those of joint_names that are prismatic

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.joint_names[:8])}{', ...' if len(self.joint_names) > 8 else ''})"

    def __post_init__(self) -> None:
        if isinstance(self.friction, Term):
            object.__setattr__(self, "friction", Friction((self.friction,)))
        count = self.drive_columns.columns.count
        shapes = {"body_parameters": (len(self.body_names), 10), "drive_values": (count,)}
        if self.drive_values is None:
            object.__setattr__(self, "drive_values", np.zeros(count))
        for name, shape in shapes.items():
            array = np.array(getattr(self, name), dtype=np.float64, order="C")
            if array.shape != shape or not np.isfinite(array).all():
                raise ShapeError("shape.wrong/model_data", name=name, shape=shape, shape_2=array.shape)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @cached_property
    def drive_columns(self) -> DriveColumns:
        """Friction, offset and rotor columns: arrays, names, units, lower bounds.

        >>> bf.Robot.load("pendulum").with_friction(bf.Viscous()).drive_columns.names
        ('joint1.viscous',)
        """
        return self.friction.columns(self.joint_names, self.drivetrain, self.sliding)

    @property
    def is_floating(self) -> bool:
        """Whether the base moves freely; every call that needs its motion then takes `base=BaseMotion(...)`.

        >>> bf.Robot.load("pendulum", floating=True).is_floating
        True
        """
        return self.tree.floating

    @property
    def gravity(self) -> Array:
        """Gravity in the world frame [m/s^2].

        >>> bf.Robot.load("pendulum").with_gravity([0, 0, -1.62]).gravity
        array([ 0.  ,  0.  , -1.62])
        """
        return self.tree.gravity

    def row_names(self, rows: Rows | None = None) -> tuple[str, ...]:
        """What the rows of torques and regressors are: base force and moment (if asked for), then joints.

        >>> bf.Robot.load("pendulum").row_names("both")[-2:]
        ('base.mz', 'joint1')
        """
        rows = self._rows(rows)
        return (BASE_ROWS if rows != "joints" else ()) + (self.joint_names if rows != "base" else ())

    def column_names(self, rows: Rows | None = None) -> tuple[str, ...]:
        """What the columns of the regressor are: ten per body (the root's only with base rows), then the drive columns.

        >>> bf.Robot.load("pendulum").column_names()[:2]
        ('link1.mass', 'link1.mcx')
        """
        bodies = self.body_names[1 if self._rows(rows) == "joints" else 0 :]
        return tuple(f"{body}.{word}" for body in bodies for word in PARAMETERS) + self.drive_columns.names

    def parameters(self, rows: Rows | None = None) -> Parameters:
        """The values that belong to the columns: `regressor(...) @ parameters().values` is the torque.

        >>> bf.Robot.load("pendulum").parameters().names == bf.Robot.load("pendulum").column_names()
        True
        """
        bodies = self.body_parameters[1 if self._rows(rows) == "joints" else 0 :]
        return self._named(self.column_names(rows), bodies.ravel(), of_bodies=True)

    def _named(self, names: tuple[str, ...], inertial: Array, *, of_bodies: bool) -> Parameters:
        """Parameters from inertial values (ten per body or link), with the drive values behind them."""
        units = UNITS * (len(inertial) // 10) + self.drive_columns.units
        lower = np.concatenate([np.tile(INERTIAL_LOWER, len(inertial) // 10), self.drive_columns.lower_bounds])
        values = np.concatenate([inertial, self.drive_values])
        kinds = tuple(kind_of(name) for name in names)
        return Parameters(names, values, units, lower, np.full(len(values), np.inf), kinds, of_bodies)

    @cached_property
    def _rotor(self) -> Array:
        """(joints, joints) rotor inertia: what the drive columns add to the mass matrix."""
        columns = self.drive_columns.columns
        k = columns.is_inertia
        return np.einsum("k,ki,kj->ij", self.drive_values[k], columns.effect[k], columns.drive[k])

    @cached_property
    def _friction_values(self) -> Array:
        """Coefficients of the columns that are friction or offset; zero for rotors."""
        return np.where(self.drive_columns.columns.is_inertia, 0.0, self.drive_values)

    def _rows(self, rows: Rows | None) -> Rows:
        if rows is None:
            return "both" if self.tree.floating else "joints"
        if rows not in ("joints", "base", "both"):
            raise ShapeError("rows.unknown/model_data", rows=rows)
        return rows

    def _own(self, result: Array) -> Array:
        """Rows this robot has: a fixed base has no base rows."""
        return result if self.tree.floating else result[:, 6:]

    def _own_square(self, result: Array) -> Array:
        return result if self.tree.floating else np.ascontiguousarray(result[:, 6:, 6:])

    def _states(self, base: BaseMotion | None, **arrays: object) -> tuple[list[Array], Array, bool]:
        """Checked states, the root's nine numbers, and whether it was a single state."""
        checked, single = states(self.joint_names, floating=self.tree.floating, **arrays)
        return checked, self._root(base, len(checked[0])), single

    def _root(self, base: BaseMotion | None, samples: int) -> Array:
        if not self.tree.floating:
            if base is not None:
                raise RobotError("base.fixed")
            return fixed_root(self.tree.gravity)
        if base is None:
            raise RobotError("base.missing")
        if base.samples not in (1, samples):
            raise ShapeError("base.length", samples=base.samples, samples_2=samples)
        return np.ascontiguousarray(base.rows(self.tree.gravity))

    def _checked_load(self, load: object, samples: int) -> Array:
        rows, _ = table("load", load, self.joint_names)
        if len(rows) != samples:
            raise ShapeError("shape.wrong/checked_load", row_count=len(rows), samples=samples)
        return rows
