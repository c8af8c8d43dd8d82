"""What a motion tells about the base parameters: the information matrix, and how it changes with the motion.

    M = prior + sum over samples of  S W' diag(1/noise^2) W S          W the base columns of the regressor, S parameter scales

A change of M pulls on every entry of W (twice weight W G, G the derivative of a criterion by M), and the adjoint of the
regressor turns that into a pull on positions, velocities and accelerations, exactly and at the cost of a few regressors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.columns import ROTOR
from bifilar.dynamics.engine import current
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.criteria import Criterion
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.model import Model


@dataclass(frozen=True, eq=False)
class Information:
    """Turns motions into information on some base parameters, weighted by torque noise.

    >>> robot = bf.Robot.load("two_link")
    >>> seen = Information.on(robot, bf.base_parameters(robot), noise=0.1)
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 50, 2))
    >>> seen.matrix(q, v, a).shape
    (6, 6)
    """

    model: Model
    names: tuple[str, ...]  # of the parameters, base columns of the model
    columns: NDArray[np.int64]  # their places among the model's columns
    weight: Array  # (rows,) 1 / noise
    scale: Array  # (parameters,) sizes that make the parameters comparable
    prior: Array  # (parameters, parameters) information from earlier motions, scaled alike

    @classmethod
    def on(
        cls,
        model: Model,
        base: BaseParameters,
        *,
        noise: ArrayLike = 1.0,
        only: Sequence[str] = ("*",),
        scale: ArrayLike = 1.0,
        prior: ArrayLike | None = None,
    ) -> Information:
        """On all base parameters, or on those whose names match a pattern; `noise` [N m] for all rows or for each.

        >>> robot = bf.Robot.load("two_link").with_friction(bf.Viscous())
        >>> Information.on(robot, bf.base_parameters(robot), only=["*.viscous"]).names
        ('joint1.viscous', 'joint2.viscous')
        """
        if base.names != model.column_names(base.rows) or model.is_floating:
            raise MotionError("the base parameters do not belong to this robot", remedy="give base_parameters(robot)")
        kept = [k for k, name in enumerate(base.independent) if any(fnmatchcase(name, pattern) for pattern in only)]
        rows, count = len(model.joint_names), len(kept)
        sigma = np.broadcast_to(np.asarray(noise, dtype=float), (rows,))
        if not count or not np.all(sigma > 0):
            what = "the noise must be positive" if count else f"no base parameter matches {', '.join(only)}"
            raise MotionError(what, remedy="see base_parameters(robot).independent; noise in N m")
        return cls(
            model,
            tuple(base.independent[k] for k in kept),
            base.columns[kept],
            1 / sigma,
            np.array(np.broadcast_to(np.asarray(scale, dtype=float), (count,))),
            np.zeros((count, count)) if prior is None else np.asarray(prior, dtype=float),
        )

    def _rows(self, q: Array, v: Array, a: Array) -> Array:
        """Whitened, scaled base regressor, (samples, rows, parameters)."""
        return self.model.regressor(q, v, a)[:, :, self.columns] * self.weight[:, None] * self.scale

    def matrix(self, q: Array, v: Array, a: Array) -> Array:
        """M of a motion, with the prior.

        >>> robot = bf.Robot.load("pendulum")
        >>> seen = Information.on(robot, bf.base_parameters(robot), prior=np.eye(3))
        >>> seen.matrix(*np.zeros((3, 1, 1)))[2, 2]
        np.float64(1.0)
        """
        w = self._rows(q, v, a).reshape(-1, len(self.names))
        return self.prior + w.T @ w

    def judged(self, criterion: Criterion, q: Array, v: Array, a: Array) -> tuple[float, Array, Array, Array]:
        """The criterion and its gradients by positions, velocities and accelerations.

        >>> robot = bf.Robot.load("two_link")
        >>> seen = Information.on(robot, bf.base_parameters(robot))
        >>> value, *gradients = seen.judged(Criterion(), *np.random.default_rng(0).normal(size=(3, 50, 2)))
        >>> [g.shape for g in gradients]
        [(50, 2), (50, 2), (50, 2)]
        """
        w = self._rows(q, v, a)
        flat = w.reshape(-1, len(self.names))
        value, slope = criterion.value_and_slope(self.prior + flat.T @ flat)
        pull = np.zeros((len(q), w.shape[1], len(self.model.column_names())))
        pull[:, :, self.columns] = 2 * (flat @ slope).reshape(w.shape) * self.weight[:, None] * self.scale
        return value, *self._pulled(pull, q, v, a)

    def _pulled(self, pull: Array, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Gradients from a pull on every entry of the regressor."""
        model, columns = self.model, self.model.drive_columns.columns
        inertial = pull.shape[2] - columns.count
        root = model._root(None, len(q))
        weight = np.ascontiguousarray(pull[:, :, :inertial])
        by_q, by_v, by_a = current().regressor_adjoint(model.tree, q, v, a, root, "joints", weight)
        if columns.count:
            if columns.needs_load:
                raise MotionError("load-dependent friction cannot be designed for", remedy="leave the term away here")
            value = np.einsum("nrc,cr->nc", pull[:, :, inertial:], columns.effect)
            rotor = columns.kind == ROTOR
            by_v = by_v + np.where(rotor, 0.0, value * columns.slopes(v)) @ columns.drive
            by_a = by_a + np.where(rotor, value, 0.0) @ columns.drive
        return by_q, by_v, by_a
