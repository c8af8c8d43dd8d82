"""State and parameters in one extended Kalman filter (HEKF of Dolinsky 2017, 2.5): the classical rival of a fit.

    x' = f(x, u, theta),  theta' = 0        P' = A P + P A' + Q,   A = [[df/dx, df/dtheta], [0, 0]]
    acceleration by theta:  -D^-1 Y(q, v, acceleration)

Between samples the mean follows Runge-Kutta's second order and the covariance Euler's, in short steps. Linearised where it is,
it diverges from a poor start; that is why it stands beside `stance_likelihood`, not in its place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.robot.base_parameters import BaseParameters
from bifilar.robot.robot import Robot
from bifilar.walking.planar import Planar
from bifilar.walking.stance import StanceLog

STEPS = 5  # between two samples
FARTHEST = 1e6  # a state beyond is lost


@dataclass(frozen=True, eq=False, kw_only=True)
class JointFilter:
    """Settings: what is known before the first sample, and how far the model may be off.

    >>> JointFilter(theta=np.zeros(2), theta_deviation=np.ones(2)).rate_deviation
    0.3
    """

    theta: Array  # (parameters,) first guess
    theta_deviation: Array  # (parameters,) of it
    rate_deviation: float = 0.3  # [rad/s] of the first velocities
    angle_walk: float = 1e-4  # [rad/sqrt(s)] model error
    rate_walk: float = 0.03  # [rad/s/sqrt(s)]
    theta_walk: float = 1e-4  # of a parameter's first guess, per sqrt(s)
    sure: float = 1e-5  # [rad] an encoder without noise

    def fit(self, pinned: Robot, log: StanceLog, *, base: BaseParameters, velocity: Array | None = None) -> Array | None:
        """Parameters after the last sample; None if the filter was lost."""
        n, m = log.position.shape[1], len(self.theta)
        planar = Planar.of(pinned)
        to_joint = np.asarray(planar.joint)
        mean = np.concatenate([log.position[0], np.zeros(n) if velocity is None else velocity, self.theta])
        noise = np.maximum(log.position_noise, self.sure)
        spread = [np.where(np.isfinite(noise), noise, 0.3), np.full(n, self.rate_deviation), self.theta_deviation]
        p = np.diag(np.concatenate(spread) ** 2)
        walk = [np.full(n, self.angle_walk), np.full(n, self.rate_walk), self.theta_walk * np.abs(self.theta)]
        q_rate = np.diag(np.concatenate(walk) ** 2)
        seen = np.flatnonzero(np.isfinite(log.position_noise))
        h = np.eye(n, n + n + m)[seen]
        r = np.diag(noise[seen] ** 2)
        for k in range(len(log)):
            gain = np.linalg.solve(h @ p @ h.T + r, h @ p).T
            mean = mean + gain @ (log.position[k, seen] - h @ mean)
            keep = np.eye(len(mean)) - gain @ h
            p = keep @ p @ keep.T + gain @ r @ gain.T
            if k + 1 < len(log):
                flown = _flown(pinned, base, to_joint, mean, p, log.torque[k], log.period, q_rate)
                if flown is None:
                    return None
                mean, p = flown
        return mean[2 * n :]


def _flown(
    pinned: Robot, base: BaseParameters, to_joint: Array, mean: Array, p: Array, torque: Array, period: float, q_rate: Array
) -> tuple[Array, Array] | None:
    """Mean and covariance one sample later."""
    n, h = len(torque), period / STEPS
    with np.errstate(all="ignore"):
        model = base.model(pinned, mean[2 * n :])
        planar = Planar.of(model)  # type: ignore[arg-type]
        back: Array = np.asarray(np.linalg.inv(to_joint), dtype=float)
        for _ in range(STEPS):
            rate, a = _rate(model, base, planar, to_joint, back, mean, torque)
            if not np.isfinite(rate).all():
                return None
            middle = _rate(model, base, planar, to_joint, back, mean + 0.5 * h * rate, torque)[0]
            f = np.eye(len(mean)) + h * a
            mean, p = mean + h * middle, f @ p @ f.T + h * q_rate
            if not (np.isfinite(p).all() and np.abs(mean).max() < FARTHEST):
                return None
    return mean, p


def _rate(
    model: object, base: BaseParameters, planar: Planar, to_joint: Array, back: Array, mean: Array, torque: Array
) -> tuple[Array, Array]:
    """d/dt of the mean in joint coordinates, and its derivative."""
    n = len(torque)
    q, v = mean[:n], mean[n : 2 * n]
    angles, rates = back @ (q + planar.offset), back @ v
    slopes = planar.rate_slopes(np.concatenate([angles, rates]), torque)
    acceleration = to_joint @ slopes.value[n:]
    if not np.isfinite(acceleration).all():
        return np.full(len(mean), np.nan), np.eye(len(mean))
    a = np.zeros((len(mean), len(mean)))
    a[:n, n : 2 * n] = np.eye(n)
    a[n : 2 * n, :n] = to_joint @ slopes.state[n:, :n] @ back
    a[n : 2 * n, n : 2 * n] = to_joint @ slopes.state[n:, n:] @ back
    Y = base.regressor(model.regressor(q, v, acceleration))  # type: ignore[attr-defined]
    a[n : 2 * n, 2 * n :] = -to_joint @ slopes.torque[n:] @ Y
    return np.concatenate([v, acceleration, np.zeros(len(mean) - 2 * n)]), a
