"""Kalman smoother for measured positions: velocity and acceleration, and how far each may be off, on any time stamps.

The jerk is taken as white noise of intensity s, the reading as position plus white noise of deviation r. Only their ratio
shapes the result. On even stamps the smoother is a low-pass without delay,

    G(f) = 1 / (1 + (f / f_c)^6),        (2 pi f_c)^6 = s / (r^2 h),

and between the stamps its best guess is a polynomial of fifth degree, so that nothing is lost by evaluating it there.
Left open, the ratio of each joint is the most likely one: innovations of a filter with the right ratio are white, and
their likelihood is highest there. Irregular stamps need no resampling; a hole is bridged with growing uncertainty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import engine
from bifilar.dynamics.state import numbers
from bifilar.errors import ShapeError
from bifilar.filters import smoother_steps
from bifilar.filters.butterworth import Derived

Array = NDArray[np.float64]
SLOWEST, FASTEST = 2e-4, 0.25  # of the rate: range of cut-offs that are searched
ENOUGH = 20_000  # samples tell the ratio
ENOUGH_PLAIN = 4_000  # without compiled code


@dataclass(frozen=True, eq=False)
class Smoothed:
    """What the smoother makes of measured positions; made by `smooth`.

    >>> t = np.arange(500) / 100
    >>> smooth(t, np.sin(t)[:, None], cutoff=5.0).position.shape
    (500, 1)
    """

    time: Array  # (N,) [s]
    position: Array  # (N, joints)
    velocity: Array
    acceleration: Array
    deviation: Derived  # (N, joints) each: standard deviations of the three
    noise: Array  # (joints,) standard deviation of the readings
    cutoff: Array  # (joints,) [Hz] of the low-pass that it amounts to

    def at(self, time: ArrayLike) -> Derived:
        """Position, velocity and acceleration at other instants, by the polynomial of fifth degree between two stamps.

        >>> t = np.arange(500) / 100
        >>> bool(abs(smooth(t, np.sin(t)[:, None], cutoff=5.0).at([2.505]).velocity[0, 0] - np.cos(2.505)) < 1e-4)
        True
        """
        return quintic(self.time, Derived(self.position, self.velocity, self.acceleration), np.asarray(time, dtype=float))


def smooth(time: ArrayLike, position: ArrayLike, *, cutoff: float | ArrayLike | None = None) -> Smoothed:
    """Smooth positions (samples, joints); `cutoff` [Hz] for all joints or each, left out: the most likely one of each.

    >>> t = np.sort(np.random.default_rng(0).uniform(0, 10, 2000))
    >>> noisy = np.sin(t)[:, None] + 1e-4 * np.random.default_rng(1).standard_normal((2000, 1))
    >>> found = smooth(t, noisy)
    >>> bool(abs(found.noise[0] - 1e-4) < 1e-5), bool(np.abs(found.acceleration[:, 0] + np.sin(t))[100:-100].max() < 0.05)
    (True, True)
    """
    t, y = numbers("time", time), numbers("position", position)
    if t.ndim != 1 or y.ndim != 2 or len(t) != len(y) or len(t) < 4:
        raise ShapeError("shapes.differ/smoother", shape=t.shape, shape_2=y.shape)
    steps = np.diff(t)
    if not np.isfinite(y).all() or not np.isfinite(t).all() or np.any(steps <= 0):
        raise ShapeError("clock.not_rising/smoother")
    step = np.float64(np.median(steps))  # not a plain float: the square of a large one would be an exception
    h = np.concatenate([[1.0], steps / step])
    line = y[:1] + (y[-1:] - y[:1]) * ((t - t[0]) / (t[-1] - t[0]))[:, None]  # a line passes unchanged
    bare, slope = np.ascontiguousarray((y - line).T), (y[-1] - y[0]) / (t[-1] - t[0])
    scale = np.maximum(np.abs(bare).max(axis=1), 1e-300)  # numbers near one, whatever the unit
    bare = bare / scale[:, None]
    ratio = _ratio(h, bare) if cutoff is None else _ratio_of(cutoff, step, y.shape[1])
    states, variances, squares = _run(h, bare, ratio)
    noise = np.sqrt(squares / max(len(t) - 3, 1)) * scale
    units = scale / np.array([1.0, step, step**2])[:, None]  # (3, joints)
    q, v, a = (np.ascontiguousarray(states[:, k].T) * units[k] for k in range(3))
    off = [np.sqrt(np.maximum(variances[:, k].T, 0.0)) * noise / np.array([1.0, step, step**2])[k] for k in range(3)]
    found = ratio ** (1 / 6) / (2 * np.pi * step)
    return Smoothed(t, q + line, v + slope, a, Derived(*off), noise, found)


def quintic(time: Array, motion: Derived, wanted: Array) -> Derived:
    """Polynomials of fifth degree between samples of position, velocity and acceleration, evaluated at other instants.

    >>> t = np.array([0.0, 1.0])
    >>> cube = Derived(*(x[:, None] for x in (t**3, 3 * t**2, 6 * t)))
    >>> quintic(t, cube, np.array([0.5])).acceleration.round(9)
    array([[3.]])
    """
    k = np.clip(np.searchsorted(time, wanted, side="right") - 1, 0, len(time) - 2)
    h = (time[k + 1] - time[k])[:, None]
    u = (wanted - time[k])[:, None] / h
    q, v, a = motion
    d0 = q[k + 1] - q[k] - h * v[k] - 0.5 * h * h * a[k]
    d1 = h * (v[k + 1] - v[k]) - h * h * a[k]
    d2 = h * h * (a[k + 1] - a[k])
    c3, c4, c5 = 10 * d0 - 4 * d1 + 0.5 * d2, -15 * d0 + 7 * d1 - d2, 6 * d0 - 3 * d1 + 0.5 * d2
    x = h * u
    return Derived(
        q[k] + x * (v[k] + 0.5 * x * a[k]) + u**3 * (c3 + u * (c4 + u * c5)),
        v[k] + x * a[k] + u**2 * (3 * c3 + u * (4 * c4 + u * 5 * c5)) / h,
        a[k] + u * (6 * c3 + u * (12 * c4 + u * 20 * c5)) / h**2,
    )


def _ratio_of(cutoff: float | ArrayLike, step: float, joints: int) -> Array:
    given = np.broadcast_to(np.asarray(cutoff, dtype=float), (joints,))
    if not (np.isfinite(given).all() and (given > 0).all()):
        raise ShapeError("cutoff.wrong/smoother", given=given)
    return (2 * np.pi * given * step) ** 6


def _ratio(h: Array, bare: Array) -> Array:
    """The most likely ratio of each joint: a coarse search over cut-offs, then a finer one around the best."""
    enough = ENOUGH if _compiled() else ENOUGH_PLAIN
    first = max(0, (len(h) - enough) // 2)
    part = slice(first, first + enough)
    y = np.ascontiguousarray(bare[:, part] - bare[:, first : first + 1])
    grid = np.geomspace(SLOWEST, FASTEST, 15)
    width = np.log(grid[1] / grid[0])
    values = np.stack([_unlikeliness(h[part], y, np.full(len(bare), f)) for f in grid])
    best = np.log(grid[np.argmin(values, axis=0)])
    for _ in range(3):  # a parabola through three points, ever closer
        around = np.stack([_unlikeliness(h[part], y, np.exp(best + x)) for x in (-width, 0.0, width)])
        curve = around[0] - 2 * around[1] + around[2]
        shift = np.where(curve > 0, 0.5 * (around[0] - around[2]) / np.where(curve > 0, curve, 1.0), 0.0)
        best, width = best + width * np.clip(shift, -1.0, 1.0), 0.4 * width
    return (2 * np.pi * np.exp(np.clip(best, np.log(SLOWEST), np.log(FASTEST)))) ** 6


def _unlikeliness(h: Array, y: Array, share: Array) -> Array:
    """Minus twice the logarithm of the likelihood, the noise chosen best, for cut-offs in shares of the rate."""
    sums = _forward_only(h, y, (2 * np.pi * share) ** 6)
    count = y.shape[1] - 3
    return count * np.log(np.maximum(sums[:, 1], 1e-300) / count) + sums[:, 0]


def _forward_only(h: Array, y: Array, ratio: Array) -> Array:
    sums = np.zeros((len(y), 2))
    if _compiled():
        run = _kernels()[0]
        nothing = np.zeros((0, 3)), np.zeros((0, 6))
        for k in range(len(y)):
            run(y[k], h, float(ratio[k]), *nothing, sums[k])
        return sums
    together = np.zeros((2, len(y)))
    smoother_steps.forward(y.T, h, ratio, np.zeros((0, 3)), np.zeros((0, 6)), together)
    return together.T


def _run(h: Array, y: Array, ratio: Array) -> tuple[Array, Array, Array]:
    """States and variances (joints, 3, N), and sums of squared innovations."""
    joints, count = y.shape
    if not _compiled():
        state, spread, variance = (np.zeros((count, k, joints)) for k in (3, 6, 3))
        together = np.zeros((2, joints))
        smoother_steps.forward(y.T, h, ratio, state, spread, together)
        smoother_steps.backward(y.T, h, state, spread, variance)
        return state.transpose(2, 1, 0), variance.transpose(2, 1, 0), together[1]
    run_forward, run_backward = _kernels()
    states, variances, squares = np.empty((joints, 3, count)), np.empty((joints, 3, count)), np.empty(joints)
    one, spread_of, spoilt = np.empty((count, 3)), np.empty((count, 6)), np.empty((count, 3))
    for k in range(joints):
        sums = np.zeros(2)
        run_forward(y[k], h, float(ratio[k]), one, spread_of, sums)
        run_backward(y[k], h, one, spread_of, spoilt)
        states[k], variances[k], squares[k] = one.T, spoilt.T, sums[1]
    return states, variances, squares


def _compiled() -> bool:
    return engine.current().__name__.endswith("fast")


@cache
def _kernels() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The recursions, compiled for one joint."""
    from numba import types

    from bifilar.dynamics.kernels.lanes import IN1, IN2, OUT1, OUT2, entry

    run_forward = entry(IN1, IN1, types.float64, OUT2, OUT2, OUT1)(smoother_steps.forward)
    return run_forward, entry(IN1, IN1, OUT2, IN2, OUT2)(smoother_steps.backward)
