"""How far a model follows a stretch that it was not fitted to: simulated with the recorded torque over short windows.

A walker on one foot falls over by itself, and errors of state and torque grow with it: long simulations would measure those. So
windows are short, and each begins at the state that suits the encoders best, for every model alike (Gauss-Newton, exact
derivatives along the motion). What is left is the model's error, and the torque's noise where no command was recorded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.walking.planar import Planar
from bifilar.walking.stance import StanceLog

HORIZON = 0.3  # [s] of a window
ROUNDS = 15
LOST = np.pi  # [rad] a simulation that is further off is lost, and counts as this


class Followed(NamedTuple):
    """A simulated stretch.

    >>> Followed(0.1, np.zeros((3, 2))).rms
    0.1
    """

    rms: float  # [rad] of the joints with encoders
    position: Array  # (N, joints) simulated window by window, the pivot too; not numbers where there was no window


def follow(planar: Planar, log: StanceLog, motion: Array, *, held: Array | None = None, horizon: float = HORIZON) -> Followed:
    """The motion of a model along a stretch; `motion`: a first guess of the joints' positions.

    `held`: torques (N, joints) that act from a sample to the next, as commanded; left out, the mean of the measured ones.

    >>> from bifilar.walking.walker import Walker
    >>> planar, still = Walker.load("leg").planar(0), np.zeros((60, 2))
    >>> log = StanceLog(position=still, torque=still, period=0.01, position_noise=[np.inf, 1e-4], torque_noise=[0.0, 0.1])
    >>> follow(planar, log, still).rms
    0.0
    """
    joint, offset = np.asarray(planar.joint), np.asarray(planar.offset)
    links = np.linalg.solve(joint, (motion + offset).T).T
    count = max(3, min(round(horizon / log.period) + 1, len(log)))
    seen = np.isfinite(log.position_noise)
    acts = 0.5 * (log.torque + np.vstack([log.torque[1:], log.torque[-1:]])) if held is None else held
    position, errors = np.full(motion.shape, np.nan), []
    for start in range(0, len(log) - count + 1, count):
        part = slice(start, start + count)
        few = max(3, count // 4)
        slope = np.polyfit(log.period * np.arange(few), links[start : start + few], min(2, few - 1))  # of a noisy guess
        states = np.concatenate([slope[-1], slope[-2]])[None]
        for size in (few, max(3, count // 2), count):  # longer and longer, each begun where the last has ended
            now = slice(start, start + size)
            states = _best(planar, log.position[now], acts[now], log.period, seen, states[0])
        position[part] = states[:, : len(planar)] @ joint.T - offset
        off = (position[part] - log.position[part])[:, seen]
        errors.append(np.minimum(np.nan_to_num(np.abs(off), nan=LOST), LOST))
    return Followed(float(np.sqrt(np.mean(np.concatenate(errors) ** 2))), position)


def _best(planar: Planar, read: Array, torque: Array, period: float, seen: NDArray[np.bool_], first: Array) -> Array:
    """States of a window, from the first state that brings them closest to the encoders."""
    joint, offset, n = np.asarray(planar.joint), np.asarray(planar.offset), len(planar)
    x, least, damping = first, np.inf, 1e-4
    for _ in range(ROUNDS):
        tried, by = _run(planar, torque, period, x)
        error = (tried[:, :n] @ joint.T - offset - read)[:, seen]
        cost = float(np.sum(np.minimum(np.nan_to_num(np.abs(error), nan=LOST), LOST) ** 2))
        if cost < least:
            small = least - cost < 1e-6 * cost
            least, at, states, damping = cost, x, tried, damping / 10
            rows = np.nan_to_num(np.einsum("jn,knm->kjm", joint[seen], by[:, :n]).reshape(-1, 2 * n))
            normal, right = rows.T @ rows, rows.T @ np.nan_to_num(error).ravel()
            if small:
                break
        else:
            damping = 100 * damping
        x = at - np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-12), right)
    return states


def _run(planar: Planar, torque: Array, period: float, first: Array) -> tuple[Array, Array]:
    """States and their derivatives by the first one."""
    size = len(first)
    states, slopes = np.full((len(torque), size), np.nan), np.full((len(torque), size, size), np.nan)
    states[0], slopes[0] = first, np.eye(size)
    for k in range(len(torque) - 1):
        step = planar.flow_slopes(states[k], torque[k], period)
        if not np.abs(step.value).max() < 1e3:
            break
        states[k + 1], slopes[k + 1] = step.value, step.state @ slopes[k]
    return states, slopes
