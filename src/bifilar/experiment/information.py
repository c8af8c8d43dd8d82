"""What a motion tells about the base parameters: the information matrix, and how it changes with the motion.

    M = prior + sum over samples of  W' diag(1/noise^2) W          W the base columns of the regressor

A criterion judges S M S, with scales S that make the parameters comparable. A change of M pulls on every entry of W (twice
weight W G, G the derivative of a criterion by M), and the adjoint of the regressor turns that into a pull on positions,
velocities and accelerations, exactly and at the cost of a few regressors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.engine import current
from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError, Remedy
from bifilar.experiment.checks import row
from bifilar.experiment.criteria import Criterion
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.model import Model

NAMES = Remedy(
    "see base_parameters(robot).independent; noise in N m",
    cli="names are listed by 'bifilar inspect ROBOT --full'; patterns such as '*.viscous' or 'link7.*'",
)

Pulls = tuple[Array, Array, Array]  # by position, velocity, acceleration
Others = Literal["known", "unknown"]


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
    prior: Array  # (parameters, parameters) information from earlier motions, of the unscaled parameters
    interest: NDArray[np.int64]  # places among the parameters that a criterion judges; the others are unknown too

    @classmethod
    def on(
        cls,
        model: Model,
        base: BaseParameters,
        *,
        noise: ArrayLike = 1.0,
        only: Sequence[str] = ("*",),
        others: Others = "known",
        scale: ArrayLike = 1.0,
        prior: ArrayLike | None = None,
    ) -> Information:
        """On all base parameters, or on those whose names match a pattern; `noise` [N m] for all rows or for each.

        `others`: whether the parameters that do not match are known already, or must be identified beside the others.

        >>> robot = bf.Robot.load("two_link").with_friction(bf.Viscous())
        >>> Information.on(robot, bf.base_parameters(robot), only=["*.viscous"]).names
        ('joint1.viscous', 'joint2.viscous')
        """
        if base.names != model.column_names(base.rows) or model.is_floating:
            raise MotionError("parameters.other_robot/information")
        only = (only,) if isinstance(only, str) else tuple(only)
        if others not in ("known", "unknown"):
            raise MotionError("setting.wrong/information", others=others)
        matching = [k for k, name in enumerate(base.independent) if any(fnmatchcase(name, pattern) for pattern in only)]
        kept = matching if others == "known" else list(range(len(base.independent)))
        count = len(matching) and len(kept)
        sigma = row("the torque noise", noise, model.joint_names)
        if not count or not np.all(sigma > 0):
            raise MotionError("parameters.no_match/information" if count else "parameters.no_match/on", only=only)
        return cls(
            model,
            tuple(base.independent[k] for k in kept),
            base.columns[kept],
            1 / sigma,
            np.broadcast_to(np.asarray(scale, dtype=float), (len(base.independent),))[kept],
            _prior(prior, count),
            np.array([kept.index(k) for k in matching]),
        )

    def _rows(self, q: Array, v: Array, a: Array) -> Array:
        """Whitened base regressor, (samples, rows, parameters)."""
        return self.model.regressor(q, v, a)[:, :, self.columns] * self.weight[:, None]

    def matrix(self, q: Array, v: Array, a: Array) -> Array:
        """M of a motion, with the prior, of the unscaled parameters.

        >>> robot = bf.Robot.load("pendulum")
        >>> seen = Information.on(robot, bf.base_parameters(robot), prior=np.eye(3))
        >>> seen.matrix(*np.zeros((3, 1, 1)))[2, 2]
        np.float64(1.0)
        """
        w = self._rows(q, v, a).reshape(-1, len(self.names))
        return self.prior + w.T @ w

    def judged(self, criterion: Criterion, q: Array, v: Array, a: Array) -> tuple[float, Callable[[], Pulls]]:
        """The criterion, and a function that gives its gradients by positions, velocities and accelerations.

        >>> robot = bf.Robot.load("two_link")
        >>> seen = Information.on(robot, bf.base_parameters(robot))
        >>> value, gradients = seen.judged(Criterion(), *np.random.default_rng(0).normal(size=(3, 50, 2)))
        >>> [g.shape for g in gradients()]
        [(50, 2), (50, 2), (50, 2)]
        """
        w = self._rows(q, v, a)
        flat = w.reshape(-1, len(self.names))
        value, slope = self.judged_matrix(criterion, self.prior + flat.T @ flat)

        def pulls() -> Pulls:
            pull = np.zeros((len(q), w.shape[1], len(self.model.column_names())))
            pull[:, :, self.columns] = (flat @ (2 * slope())).reshape(w.shape) * self.weight[:, None]
            return self._pulled(pull, q, v, a)

        return value, pulls

    def judged_matrix(self, criterion: Criterion, matrix: Array) -> tuple[float, Callable[[], Array]]:
        """The criterion of an unscaled M, and a function that gives its derivative by M.

        Parameters that are unknown but of no interest are eliminated: what is left of M is T M T' with T = (1, -M_io M_oo^-1),
        and its change is T dM T', because T is the best choice.

        >>> robot = bf.Robot.load("two_link")
        >>> seen = Information.on(robot, bf.base_parameters(robot), only=["link2.*"], others="unknown")
        >>> seen.judged_matrix(Criterion(), np.diag([1.0, 2, 3, 4, 5, 6]))[1]().shape
        (6, 6)
        """
        scaled = self.scale[:, None] * matrix * self.scale
        if len(self.interest) < len(self.names):
            others = np.setdiff1d(np.arange(len(self.names)), self.interest)
            t = np.zeros((len(self.interest), len(self.names)))
            t[:, self.interest] = np.eye(len(self.interest))
            t[:, others] = -np.linalg.solve(scaled[np.ix_(others, others)], scaled[np.ix_(others, self.interest)]).T
            value, inner = criterion.judged(t @ scaled @ t.T)
            return value, lambda: self.scale[:, None] * (t.T @ inner() @ t) * self.scale
        value, inner = criterion.judged(scaled)
        return value, lambda: self.scale[:, None] * inner() * self.scale

    def _pulled(self, pull: Array, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Gradients from a pull on every entry of the regressor."""
        model, columns = self.model, self.model.drive_columns.columns
        inertial = pull.shape[2] - columns.count
        root = model._root(None, len(q))
        weight = np.ascontiguousarray(pull[:, :, :inertial])
        by_q, by_v, by_a = current().regressor_adjoint(model.tree, q, v, a, root, "joints", weight)
        if columns.count:
            if columns.needs_load:
                raise MotionError("friction.not_linear/information")
            value = np.einsum("nrc,cr->nc", pull[:, :, inertial:], columns.effect)
            rotor = columns.is_inertia
            by_v = by_v + np.where(rotor, 0.0, value * columns.slopes(v, position=q)) @ columns.drive
            if columns.needs_position:
                by_q = by_q + (value * columns.position_slopes(v, q)) @ columns.drive
            by_a = by_a + np.where(rotor, value, 0.0) @ columns.drive
        return by_q, by_v, by_a


def _prior(prior: ArrayLike | None, count: int) -> Array:
    if prior is None:
        return np.zeros((count, count))
    matrix = numbers("prior", prior)
    if matrix.shape != (count, count) or not np.isfinite(matrix).all():
        raise MotionError("shape.wrong/information", shape=matrix.shape, count=count)
    return matrix


def relative_sizes(base: BaseParameters, model: Model) -> Array:
    """Sizes of the base parameters by the model's own values: deviations over these are relative.

    A parameter that happens to be nearly zero has no relative deviation worth the name: no size is below a tenth of the largest
    of its kind (first moments, inertias, each kind of friction).

    >>> robot = bf.Robot.load("two_link")
    >>> relative_sizes(bf.base_parameters(robot), robot).shape
    (6,)
    """
    values = np.abs(base.from_full(model.parameters().values))
    kinds = np.array([_kind(name) for name in base.independent])
    floors = {kind: 0.1 * values[kinds == kind].max() for kind in set(kinds.tolist())}
    sizes = np.maximum(values, [floors[kind] for kind in kinds.tolist()])
    return np.where(sizes > 0, sizes, 1.0)


def _kind(name: str) -> str:
    word = name.rpartition(".")[2]
    return "moment" if word.startswith("mc") else "inertia" if word.startswith("I") else word
