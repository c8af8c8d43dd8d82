"""Velocity and acceleration from positions alone, now and with their covariance: one Kalman filter per joint, white jerk.

    x = (q, v, a),  F = [1 h h^2/2; 0 1 h; 0 0 1],  Q = s [h^5/20 h^4/8 h^3/6; h^4/8 h^3/3 h^2/2; h^3/6 h^2/2 h],  z = q + noise

It looks back only, so it lags and its acceleration is poor; for recordings `bifilar.filters.smoother` looks both ways.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bifilar.errors import ShapeError
from bifilar.filters.filtered_differences import LinearFilter
from bifilar.robot.inertia import Array

MOST = 100_000  # updates until a gain has settled
LONGEST = 10.0  # [s] without a reading, after which velocity and acceleration are unknown again
WIDE = 1e3  # deviations of velocity and acceleration at the start, in units of (1 rad/s, 1 rad/s^2)


class MotionFilter:
    """Follows positions of several joints.

    >>> follow = MotionFilter(1, noise=1e-4, jerk=50.0)
    >>> for k in range(300):
    ...     q, v, a = follow.update(k / 100, [np.sin(k / 100)])
    >>> bool(abs(v[0] - np.cos(2.99)) < 0.01)
    True
    """

    def __init__(self, joints: int, *, noise: ArrayLike, jerk: ArrayLike) -> None:
        for name, given in (("noise", noise), ("jerk", jerk)):
            if np.shape(given) not in ((), (1,), (joints,)):
                raise ShapeError("shape.wrong/motion", name=name, shape=np.shape(given), joints=joints)
        self.noise, self.jerk = (np.broadcast_to(np.asarray(x, dtype=float), (joints,)) for x in (noise, jerk))
        for name, value in (("noise", self.noise), ("jerk", self.jerk)):
            if not (np.isfinite(value).all() and (value > 0).all()):
                raise ShapeError("noise.not_positive/motion", name=name)
        self.state, self.covariance, self.time = np.zeros((joints, 3)), np.zeros((joints, 3, 3)), -np.inf
        self.step = 0.0  # [s] of the last update

    def update(self, time: float, position: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration after a reading; `covariance` (joints, 3, 3) belongs to them.

        >>> MotionFilter(1, noise=1e-4, jerk=50.0).update(0.0, [0.3])[0]
        array([0.3])
        """
        z = np.asarray(position, dtype=float).reshape(-1)
        if not 0 < time - self.time <= LONGEST:  # the first reading, or the first after a pause, or of another clock
            self.state = np.column_stack([z, np.zeros((len(z), 2))])
            self.covariance = np.zeros((len(z), 3, 3)) + np.diag([0.0, WIDE, WIDE]) ** 2
            self.covariance[:, 0, 0] = self.noise**2
        else:
            self._predict(time - self.time)
            p = self.covariance
            gain = p[:, :, 0] / (p[:, 0, 0] + self.noise**2)[:, None]
            self.state = self.state + gain * (z - self.state[:, 0])[:, None]
            left = np.eye(3) - gain[:, :, None] * np.eye(3)[0]
            spread = (self.noise**2)[:, None, None] * gain[:, :, None] * gain[:, None, :]
            self.covariance = left @ p @ left.swapaxes(1, 2) + spread
            self.step = time - self.time
        self.time = time
        return self.state[:, 0].copy(), self.state[:, 1].copy(), self.state[:, 2].copy()

    def _predict(self, h: float) -> None:
        f = np.array([[1.0, h, 0.5 * h * h], [0.0, 1.0, h], [0.0, 0.0, 1.0]])
        shape = [[h**5 / 20, h**4 / 8, h**3 / 6], [h**4 / 8, h**3 / 3, h**2 / 2], [h**3 / 6, h**2 / 2, h]]
        self.state = self.state @ f.T
        self.covariance = f @ self.covariance @ f.T + (self.jerk**2)[:, None, None] * np.array(shape)

    def linear(self, period: float, joint: int | None = None) -> LinearFilter:
        """What the filter does to the readings of one joint once its gain has settled; x is the state after the last reading.

        Left out, it is the joint whose filter is slowest: the one that a loop bears least.

        >>> MotionFilter(1, noise=1e-4, jerk=50.0).linear(1e-3).A.shape
        (3, 3)
        """
        joint = int(np.argmin(self.jerk / self.noise)) if joint is None else joint
        one = MotionFilter(1, noise=self.noise[joint], jerk=self.jerk[joint])
        settled = np.zeros(3)
        for k in range(MOST):
            one.update(k * period, [0.0])
            p = one.covariance[0]
            gain = p[:, 0] / self.noise[joint] ** 2  # of the update that led to p
            if k > 3 and np.abs(gain - settled).max() <= 1e-9 * np.abs(gain).max():
                break
            settled = gain
        h = period
        f = np.array([[1.0, h, 0.5 * h * h], [0.0, 1.0, h], [0.0, 0.0, 1.0]])
        A = f - np.outer(gain, f[0])
        return LinearFilter(A, gain, A[:2], gain[:2])

    @property
    def memory(self) -> Array:
        """How many samples an error lasts: the filter's time in samples, one at least.

        >>> follow = MotionFilter(1, noise=1e-4, jerk=50.0)
        >>> follow.step = 0.01
        >>> bool(follow.memory[0] > 1)
        True
        """
        return self.memory_at(self.step) if self.step > 0 else np.ones(len(self.noise))

    def memory_at(self, step: float) -> Array:
        """The same for samples that follow each other after `step` [s].

        >>> bool(MotionFilter(1, noise=1e-4, jerk=50.0).memory_at(0.01)[0] > 1)
        True
        """
        return np.maximum(1.0, 1.0 / (2.0 * self.cutoff_at(step) * step))

    def cutoff_at(self, step: float) -> Array:
        """Cut-off [Hz] of the low-pass that noise and jerk amount to, if one looks both ways (`filters.smoother`).

        >>> MotionFilter(1, noise=1e-4, jerk=50.0).cutoff_at(0.01).round(1)
        array([27.2])
        """
        return np.asarray((self.jerk**2 / (self.noise**2 * step)) ** (1 / 6) / (2 * np.pi))
