"""Whether a model's mass matrix is positive definite in the range of the joints: without that it is no mass.

Base parameters fitted to noisy torque can give such a model, and a loop around it may push where it should brake. Poses spread
over the range are looked at, and from the worst of them the smallest eigenvalue is followed down. This finds a place where one
is to be found; it does not prove that there is none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError
from bifilar.robot.model import Model

POSES = 512  # spread over the range
WORST = 4  # of them, from which it goes down
TRIES = 32  # neighbours of each in every round
ROUNDS = 16  # each looks less far than the last
LEAST = 1e-9  # of the largest eigenvalue anywhere: less is no mass either


def indefinite_pose(model: Model, lower: ArrayLike, upper: ArrayLike, *, near: ArrayLike | None = None) -> Array | None:
    """A pose (joints,) between the limits at which the mass matrix is not positive definite; None if none is found.

    Joints without limits turn once around. `near`: a pose that is looked at first.

    >>> robot = bf.Robot.load("two_link")
    >>> indefinite_pose(robot, [-3.0, -3.0], [3.0, 3.0]) is None
    True
    """
    lower, upper = _range(lower, upper)
    rng = np.random.default_rng(0)
    poses = lower + (upper - lower) * rng.uniform(size=(POSES, len(lower)))
    if near is not None:
        poses = np.vstack([np.asarray(near, dtype=float), poses])
    least, most = _eigenvalues(model, poses)
    floor, reach = LEAST * most, 0.25
    for _ in range(ROUNDS):
        k = int(np.argmin(least))
        if least[k] <= floor:
            return np.array(poses[k])
        best = poses[np.argsort(least)[:WORST]]
        steps = reach * (upper - lower) * rng.normal(size=(len(best), TRIES, len(lower)))
        tried = np.clip(best[:, None] + steps, lower, upper).reshape(-1, len(lower))
        poses, reach = np.vstack([best, tried]), 0.7 * reach
        least, _ = _eigenvalues(model, poses)
    return None


def refuse_indefinite(model: Model, lower: ArrayLike, upper: ArrayLike, *, near: ArrayLike | None = None) -> None:
    """Raise with the pose if the mass matrix is not positive definite somewhere in the range.

    >>> robot = bf.Robot.load("pendulum")
    >>> model = robot.with_body_parameters(-robot.body_parameters)
    >>> refuse_indefinite(model, [-1.0], [1.0], near=[0.5])
    Traceback (most recent call last):
    bifilar.errors.RobotError: the mass matrix is not positive definite at joint1 = 0.5
      smallest -0.0834
      likely  base parameters fitted to a poor motion, or a description with wrong signs
      try     fit with PhysicallyConsistent, or record a motion that shows all joints
    """
    pose = indefinite_pose(model, lower, upper, near=near)
    if pose is None:
        return
    raise RobotError(
        "mass_matrix.not_positive/positive_mass",
        smallest=f"{decompose.eigvalsh(model.mass_matrix(pose))[0]:.3g}",
        place=[f"{name} = {x:.4g}" for name, x in zip(model.joint_names, pose, strict=True)],
    )


def _eigenvalues(model: Model, poses: Array) -> tuple[Array, float]:
    values: Array = decompose.eigvalsh(model.mass_matrix(poses))  # type: ignore[assignment]
    return values[:, 0], float(values[:, -1].max())


def _range(lower: ArrayLike, upper: ArrayLike) -> tuple[Array, Array]:
    low, high = np.array(lower, dtype=float), np.array(upper, dtype=float)
    return np.where(np.isfinite(low), low, -np.pi), np.where(np.isfinite(high), high, np.pi)
