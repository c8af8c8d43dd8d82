"""Least squares for walkers: all stretches at once, or recursively, sample by sample.

    minimise over theta   sum |(Y theta - torque) / sigma|^2

The row of a joint that nothing drives has no noise of its own: with a noisy Y its weight is a choice (`row_noise`), and since
its right side is zero, a weight too large shrinks every parameter. Noise in Y is not modelled here; `stance_likelihood` does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.robot import Robot
from bifilar.walking.stance import Derivatives, StanceLog, as_logs


def stance_rows(pinned: Robot, base: BaseParameters, motion: Derivatives, noise: Array) -> tuple[Array, Array]:
    """Y of the base parameters and torques, divided by the noise, (N, joints, parameters) and (N, joints).

    >>> robot = bf.Robot.load("pendulum")
    >>> stance_rows(robot, bf.base_parameters(robot), Derivatives(*np.zeros((4, 5, 1))), np.ones(1))[0].shape
    (5, 1, 3)
    """
    Y = base.regressor(pinned.regressor(motion.position, motion.velocity, motion.acceleration))
    return Y / noise[:, None], motion.torque / noise


def fit_rows(
    pinned: Robot,
    logs: StanceLog | Sequence[StanceLog],
    *,
    base: BaseParameters,
    span: int = 1,
    row_noise: float | None = None,
) -> Array:
    """Base parameters by weighted least squares on central differences over `span` samples.

    `row_noise` [N m] stands for the noise of joints that nothing drives; left out, a tenth of the others' mean.
    """
    several = as_logs(logs)
    noise = filled_noise(several[0].torque_noise, row_noise)
    return fit_motion(pinned, [log.differences(span) for log in several], noise, base=base)


def fit_motion(pinned: Robot, motions: Sequence[Derivatives], noise: Array, *, base: BaseParameters) -> Array:
    """The same from motions whose velocities and accelerations are known in some other way, such as from a gyroscope."""
    rows = [stance_rows(pinned, base, motion, noise) for motion in motions]
    matrix = np.concatenate([y.reshape(-1, y.shape[2]) for y, _ in rows])
    right = np.concatenate([tau.ravel() for _, tau in rows])
    values, _, rank, _ = decompose.lstsq(matrix, right, rcond=1e-12)
    if rank < matrix.shape[1]:
        raise SolveError("stance.no_effect", shape=matrix.shape[1] - rank, shape_2=matrix.shape[1])
    return np.asarray(values)


def fit_recursive(
    pinned: Robot,
    logs: StanceLog | Sequence[StanceLog],
    *,
    base: BaseParameters,
    start: Array,
    covariance: Array,
    span: int = 1,
    row_noise: float | None = None,
) -> Array:
    """Base parameters by recursive least squares from a first guess, in the form of Joseph."""
    several = as_logs(logs)
    noise = filled_noise(several[0].torque_noise, row_noise)
    theta, p = np.array(start, dtype=float), np.array(covariance, dtype=float)
    one = np.eye(len(theta))
    for log in several:
        for y, tau in zip(*stance_rows(pinned, base, log.differences(span), noise)):
            gain = np.linalg.solve(y @ p @ y.T + np.eye(len(y)), y @ p).T
            theta = theta + gain @ (tau - y @ theta)
            keep = one - gain @ y
            p = keep @ p @ keep.T + gain @ gain.T
    return theta


def filled_noise(noise: Array, row_noise: float | None) -> Array:
    """Deviations with something in the place of zero.

    >>> filled_noise(np.array([0.0, 0.5]), None)
    array([0.05, 0.5 ])
    """
    driven = noise[noise > 0]
    usual = 0.1 * float(driven.mean()) if len(driven) else 1.0
    return np.where(noise > 0, noise, usual if row_noise is None else row_noise)
