"""A model: a tree and its parameters, physical or not. It computes torques, matrices, regressors; it has no file.

Controllers, simulators and code generation take a Model; a Robot is a Model that also remembers everything its file said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.engine import current
from bifilar.dynamics.state import BaseMotion, numbers, squeezed, table
from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.robot.model_data import Rows
from bifilar.robot.model_motion import Motion
from bifilar.robot.model_slopes import Slopes
from bifilar.robot.model_torque import Torque


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Model(Motion, Torque, Slopes):
    """Equations of motion with numbers in them. Arrays are (samples, joints), or (joints,) for a single state.

    >>> model = bf.Robot.load("pendulum").model()
    >>> type(model).__name__, model.joint_names
    ('Model', ('joint1',))
    """

    def regressor(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        rows: Rows | None = None,
        base: BaseMotion | None = None,
        load: ArrayLike | None = None,
        out: Array | None = None,
    ) -> Array:
        """Y with torque = Y parameters(rows), (N, rows, columns); named by `row_names(rows)` and `column_names(rows)`.

        `rows`: "joints", "base" (wrench on the base) or "both"; left out: "joints", "both" for a floating robot.
        `load` [N m] serves load-dependent friction (left out: this model's own rigid-body torque). `out` is a buffer for the
        result, C-contiguous float64; reusing it saves half the time.

        >>> robot = bf.Robot.load("pendulum")
        >>> Y = robot.regressor([0.3], [0.2], [1.0])
        >>> bool(np.allclose(Y @ robot.parameters().values, robot.inverse_dynamics([0.3], [0.2], [1.0])))
        True
        """
        (q, v, a), root, single = self._states(base, position=position, velocity=velocity, acceleration=acceleration)
        columns = self.drive_columns.columns
        rows = self._rows(rows)
        given = self._regressor_load(load, q, v, a, root)
        if out is not None:
            out = self._buffer(out, (len(q), len(self.row_names(rows)), len(self.column_names(rows))), single)
        return squeezed(current().regressor(self.tree, q, v, a, root, rows, columns, given, out), single)

    def parameter_gradient(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        weight: ArrayLike,
        *,
        rows: Rows | None = None,
        base: BaseMotion | None = None,
        load: ArrayLike | None = None,
    ) -> Array:
        """Gradient of sum(weight * torque) by the parameters, (columns,): what `adjoint` is for the motion. Y is not formed.

        >>> robot = bf.Robot.load("pendulum")
        >>> gradient = robot.parameter_gradient([0.3], [0.2], [1.0], [2.0])
        >>> bool(np.allclose(gradient, 2.0 * robot.regressor([0.3], [0.2], [1.0])))
        True
        """
        (q, v, a), root, _ = self._states(base, position=position, velocity=velocity, acceleration=acceleration)
        given = table("weight", weight, self.row_names(rows), "row")[0]
        if len(given) != len(q):
            raise ShapeError("shape.wrong/model", given_count=len(given), q_count=len(q))
        loads = self._regressor_load(load, q, v, a, root)
        columns = self.drive_columns.columns
        return current().parameter_gradient(self.tree, q, v, a, root, self._rows(rows), columns, loads, given)

    def _regressor_load(self, load: ArrayLike | None, q: Array, v: Array, a: Array, root: Array) -> Array | None:
        """What load-dependent friction columns see: the given load, or this model's own rigid-body torque."""
        if load is not None:
            return self._checked_load(load, len(q))
        if not self.drive_columns.columns.needs_load:
            return None
        return np.ascontiguousarray(current().inverse_dynamics(self.tree, self.body_parameters, q, v, a, root)[:, 6:])

    def with_body_parameters(self, values: ArrayLike) -> Model:
        """The same model with other body parameters, (bodies, 10).

        >>> model = bf.Robot.load("pendulum").model()
        >>> model.with_body_parameters(2 * model.body_parameters).gravity_torque([1.0]) / model.gravity_torque([1.0])
        array([2.])
        """
        return replace(self, body_parameters=numbers("body_parameters", values))

    def _buffer(self, out: Array, shape: tuple[int, ...], single: bool) -> Array:
        wanted = shape[1:] if single else shape
        fits = isinstance(out, np.ndarray) and out.shape == wanted and out.dtype == np.float64
        if not fits or not (out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
            kind = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
            raise ShapeError("buffer.shape/model", wanted=wanted, kind=kind)
        return out.reshape(shape)
