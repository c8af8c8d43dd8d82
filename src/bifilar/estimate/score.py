"""How well a model predicts recorded torque.

    relative = |torque - predicted| / |torque|       over all joints together, and per joint

Predictions go through the filter that the torque went through. A lower cut-off always looks better, so the error against
the torque as it was measured, of the prediction as it is, stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError, SolveError
from bifilar.estimate.sources import Data, Equations, Weighted, equations_of
from bifilar.recording.recipes import Recipe
from bifilar.recording.samples import Samples
from bifilar.robot.model import Model


@dataclass(frozen=True, eq=False)
class Score:
    """Torque errors of one recording.

    >>> Score.of(("a",), np.array([[3.0], [4.0]]), np.array([[0.3], [0.4]]))
    Score(10 % of the torque; a 10 %)
    """

    joint_names: tuple[str, ...]
    relative: float  # of all joints together
    per_joint: Array  # (joints,) relative
    rmse: Array  # (joints,) [N m] or [N]
    rows: int
    raw: float | None = None  # against the torque as it was measured

    @classmethod
    def of(
        cls,
        names: tuple[str, ...],
        torque: Array,
        errors: Array,
        raw: float | None = None,
        kept: NDArray[np.bool_] | None = None,
    ) -> Score:
        """From torques and their errors, (rows, joints); where some are left out, from those that are `kept`.

        >>> Score.of(("a",), np.array([[3.0], [4.0]]), np.array([[0.3], [0.4]])).rmse.round(3)
        array([0.354])
        """
        kept = np.ones(torque.shape, dtype=bool) if kept is None else np.broadcast_to(kept, torque.shape)
        if not kept.any():
            raise SolveError("rows.missing/score")
        torque, errors = np.where(kept, torque, 0.0), np.where(kept, errors, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            per_joint = np.linalg.norm(errors, axis=0) / np.linalg.norm(torque, axis=0)
            relative = float(np.linalg.norm(errors) / np.linalg.norm(torque))
            rmse = np.sqrt(np.sum(errors**2, axis=0) / kept.sum(axis=0))
        return cls(names, relative, per_joint, rmse, int(kept.any(axis=1).sum()), raw)

    def __repr__(self) -> str:
        joints = ", ".join(f"{name} {100 * x:.3g} %" for name, x in zip(self.joint_names, self.per_joint))
        raw = "" if self.raw is None else f", {100 * self.raw:.3g} % of it as measured"
        return f"Score({100 * self.relative:.3g} % of the torque{raw}; {joints})"


def predicted(model: Model, data: Equations) -> Array:
    """Torque of a model at the rows, (rows, joints), through their filter.

    >>> robot = bf.Robot.load("pendulum")
    >>> predicted(robot, equations_of(tuple(np.zeros((4, 3, 1))), robot)).shape
    (3, 1)
    """
    parts = []
    for chunk in data.chunks(model):
        torque = model.inverse_dynamics(chunk.position, chunk.velocity, chunk.acceleration, base=chunk.base)
        parts.append(torque if chunk.columns_filter is None else chunk.columns_filter(torque))
    return np.concatenate(parts)


def score(
    model: Model,
    recording: Data,
    *,
    recipe: str | Recipe = "default",
    masked: bool = False,
    mask: NDArray[np.bool_] | None = None,
) -> Score:
    """Errors of a model on a recording (prepared by the recipe), on samples, or on arrays.

    `masked` leaves out rows whose velocity is too slow for a sign, joint by joint; `mask` is one of your own.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 50, 2))
    >>> score(robot, (q, v, a, 1.1 * robot.inverse_dynamics(q, v, a))).relative.__round__(4)
    0.0909
    """
    data = equations_of(recording, model, recipe)
    while isinstance(data, Weighted):
        data = data.source
    torque = data.torque if isinstance(data, Samples) else np.concatenate([np.asarray(c.torque) for c in data.chunks(model)])
    errors = torque - predicted(model, data)
    kept = np.ones(torque.shape, dtype=bool) if mask is None else _mask(mask, torque)
    if masked and isinstance(data, Samples):
        kept = kept & data.mask
    raw = _raw(model, data, kept) if isinstance(data, Samples) and not model.is_floating else None
    return Score.of(model.row_names(), torque, errors, raw, kept)


def _mask(mask: NDArray[np.bool_], torque: Array) -> NDArray[np.bool_]:
    kept = np.asarray(mask, dtype=bool)
    if kept.shape not in (torque.shape, torque.shape[:1]):
        raise ShapeError("shape.wrong/score", shape=kept.shape, shape_2=torque.shape)
    return np.broadcast_to(kept[:, None] if kept.ndim == 1 else kept, torque.shape)


def raw_errors(model: Model, samples: Samples) -> Array:
    """Errors of the prediction as it is against the torque as it was measured, at the rows, (rows, joints).

    >>> t = np.arange(2000) / 200
    >>> swing = bf.Recording(joint_names=("joint1",), time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
    >>> raw_errors(bf.Robot.load("pendulum"), bf.prepare(swing, cutoff=5.0)).shape
    (94, 1)
    """
    states = [[x[stretch.rows] for x in stretch.motion] for stretch in samples.fine]
    torque = np.concatenate([model.inverse_dynamics(*map(np.ascontiguousarray, state)) for state in states])
    return samples.raw_torque - torque


def _raw(model: Model, samples: Samples, kept: NDArray[np.bool_]) -> float:
    errors = np.where(kept, raw_errors(model, samples), 0.0)
    return float(np.linalg.norm(errors) / np.linalg.norm(np.where(kept, samples.raw_torque, 0.0)))
