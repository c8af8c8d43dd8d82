"""How far a model's accelerations carry positions away from the measured ones, within windows of a few periods.

    drift(t) = integral integral (B^-1 (tau - C v - g - friction) - a) dt dt,   less its straight line,   rms over a window

q, v and a are the measured positions through the cut-off's low-pass, tau is the measured torque. This is a simulation to
first order, begun at the best of all states and held on the measured motion: so stiff friction needs no small steps, and a
machine that is chaotic or unstable is not lost. Two integrals make little of what is fast. A torque error at the same motion
would judge otherwise: where positions err, it is least for inertias that are too small, as in regressions on noisy columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.estimate.true_motion import Piece
from bifilar.filters.butterworth import Derived, derived
from bifilar.robot.model import Model

PERIODS = 5.0  # of the cut-off in a window: at most one of the fastest motion
FELT = 1.0  # periods of the cut-off that are left out at the ends of a piece
HIGHEST = 0.45  # of the rate; a filter beyond is none


class Watched(NamedTuple):
    """The windows of one piece.

    >>> robot, still = bf.Robot.load("pendulum"), np.zeros((200, 1))
    >>> watched((Piece(still, still, 0.01),), cutoff=10.0)[0].first
    array([ 10,  60, 110])
    """

    motion: Derived  # (N, joints) each, smooth
    torque: Array  # (N, joints)
    period: float  # [s]
    first: NDArray[np.int64]  # (windows,) sample that each begins with
    size: int  # samples of each


def watched(pieces: Sequence[Piece], *, cutoff: float) -> tuple[Watched, ...]:
    """Windows one after another, away from the ends that the filter feels.

    >>> watched((Piece(np.zeros((20, 1)), np.zeros((20, 1)), 0.01),), cutoff=10.0)[0].first
    array([], dtype=int64)
    """
    parts = []
    for q, torque, period, _ in pieces:
        motion = derived(q, rate=1.0 / period, cutoff=min(cutoff, HIGHEST / period))
        count, end = max(3, round(PERIODS / (cutoff * period))), round(FELT / (cutoff * period))
        first = np.arange(end, len(q) - end - count + 1, count, dtype=np.int64)
        parts.append(Watched(motion, torque, period, first, count))
    return tuple(parts)


def drifts(model: Model, windows: Watched, chosen: NDArray[np.bool_]) -> Array:
    """Root mean square of the drift [rad] or [m] in those windows that are chosen, (windows, joints); inf where it overflows.

    >>> robot, t = bf.Robot.load("pendulum"), np.arange(500) / 100
    >>> q, v, a = np.sin(3 * t)[:, None], 3 * np.cos(3 * t)[:, None], -9 * np.sin(3 * t)[:, None]
    >>> seen = watched((Piece(q, robot.inverse_dynamics(q, v, a), 0.01),), cutoff=8.0)[0]
    >>> every = np.ones(len(seen.first), bool)
    >>> heavy = robot.with_body_parameters(1.2 * robot.body_parameters)
    >>> bool(drifts(robot, seen, every).max() < 1e-3 < drifts(heavy, seen, every).min())
    True
    """
    rows = (windows.first[chosen][:, None] + np.arange(windows.size)).ravel()
    q, v, a = (np.ascontiguousarray(x[rows]) for x in windows.motion)
    with np.errstate(all="ignore"):  # base parameters need not be physical; what overflows is far away
        ahead = model.forward_dynamics(q, v, windows.torque[rows]) - a
        away = _sums(_sums(ahead.reshape(-1, windows.size, q.shape[1]))) * windows.period**2
        line = np.linalg.qr(np.vander(np.linspace(-1.0, 1.0, windows.size), 2))[0]
        away = away - np.einsum("tk,sk,wsj->wtj", line, line, away, optimize=True)
        found = np.sqrt(np.mean(away**2, axis=1))
    return np.where(np.isfinite(found), found, np.inf)


def _sums(x: Array) -> Array:
    """Integral from the window's first sample on, by trapezia of width one."""
    inner = np.cumsum(0.5 * (x[:, 1:] + x[:, :-1]), axis=1)
    return np.concatenate([np.zeros_like(x[:, :1]), inner], axis=1)
