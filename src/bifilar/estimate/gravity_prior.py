"""Mass moments drawn to the description, wherever the data do not tell them better.

    torque = G n + F b + error,        n = described + share * scale * (standard normal numbers)

Single-joint sweeps tell some numbers well and others hardly at all: a joint whose axis stood nearly parallel to gravity gives
a sinusoid of noise, which ruins the torque at poses where it is not parallel. So a description is believed to a share of what
each number could be, its scale: all masses beyond the joint times all lengths between, whatever their directions (zero in the
description does not mean that it is known to be zero). One share holds for all joints, the one that makes the recorded torques
likeliest (evidence, MacKay 1992): wrong descriptions are believed little. None is believed to better than one per cent.

Errors of slow motion follow each other, because friction is not quite what the model says; a row counts as one over the
correlation time of its joint's errors (in rows, at least one), in the evidence and in the covariance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.tree import Array, Tree
from bifilar.errors import SolveError
from bifilar.robot.solve import inverted

SHARES = 10.0 ** np.arange(-2.0, 4.01, 0.1)  # that are tried
TOLD = 0.5  # of its deviation before the data: a number with a smaller one after them is told by the data
FEW = 20  # rows that tell no correlation time


class JointRows(NamedTuple):
    """Equations of one joint.

    >>> JointRows(np.ones((3, 1)), np.ones(3), 0.1).noise
    0.1
    """

    matrix: Array  # (rows, numbers and friction values)
    torque: Array  # (rows,)
    noise: float  # [N m] of one row


class Drawn(NamedTuple):
    """What the data and the description say together.

    >>> Drawn(np.ones(1), np.eye(1), 0.1, np.array([True])).share
    0.1
    """

    values: Array
    covariance: Array
    share: float  # how far off descriptions like this one are, of each number's scale
    told: NDArray[np.bool_]  # (numbers,) whether the data say more about it than the description


def drawn(rows: Sequence[JointRows], plain: Array, described: Array, scale: Array) -> Drawn:
    """Numbers and friction values; `plain`: all of them by the data alone, `described`, `scale`: of the numbers.

    >>> rng, n = np.random.default_rng(0), np.array([1.0, 5.0])
    >>> W = rng.normal(size=(50, 2)) * [1.0, 1e-6]  # hardly tells the second number
    >>> found = drawn([JointRows(W, W @ n + 0.01 * rng.normal(size=50), 0.01)], n, np.array([1.1, 5.1]), np.ones(2))
    >>> found.values.round(1), found.told
    (array([1. , 5.1]), array([ True, False]))
    """
    size, count = _positive(scale), len(described)
    weighted = [_weighted(joint, plain, described) for joint in rows]
    r = np.asarray(np.linalg.qr(np.vstack(weighted), mode="r"))
    G, F, y = r[:, :count], r[:, count:-1], r[:, -1]
    share = float(SHARES[np.argmax(_evidence(G * size, F, y))])
    prior = np.hstack([np.diag(1 / (share * size)), np.zeros((count, F.shape[1] + 1))])
    whole = np.asarray(np.linalg.qr(np.vstack([r, prior]), mode="r"))
    inverse, _ = inverted(whole[: r.shape[1] - 1, :-1])
    values = inverse @ whole[: r.shape[1] - 1, -1]
    covariance = inverse @ inverse.T
    told = np.sqrt(np.diag(covariance))[:count] < TOLD * share * size
    return Drawn(values + np.append(described, np.zeros(F.shape[1])), covariance, share, told)


def _positive(scale: Array) -> Array:
    if not np.any(scale > 0):
        raise SolveError("prior.no_masses")
    return np.where(scale > 0, scale, scale[scale > 0].min())


def _weighted(joint: JointRows, plain: Array, described: Array) -> Array:
    """Rows with their torque (less the description's) behind, divided by noise that counts correlation."""
    W, count = joint.matrix, len(described)
    size = joint.noise * np.sqrt(correlation_time(joint.torque - W @ plain))
    return np.column_stack([W, joint.torque - W[:, :count] @ described]) / size


def _evidence(G: Array, F: Array, y: Array) -> Array:
    """Log-likelihood of the torques for every share, friction values being anything; up to a constant."""
    left, sizes, _ = decompose.svd(F, full_matrices=False)
    known = left[:, sizes > 1e-12 * sizes.max(initial=0.0)] if F.size else np.zeros((len(y), 0))
    G, y = G - known @ (known.T @ G), y - known @ (known.T @ y)
    left, sizes, _ = decompose.svd(G, full_matrices=False)
    along = left.T @ y
    grown = 1 + np.outer(SHARES, sizes) ** 2  # variance along each direction, over the noise's
    return np.asarray(-0.5 * np.sum(along**2 / grown + np.log(grown), axis=1))


def correlation_time(error: Array) -> float:
    """How many rows of a sequence count as one: the sum of its autocorrelation, while pairs of it are positive (Geyer 1992).

    >>> noise = np.random.default_rng(0).normal(size=4000)
    >>> correlation_time(noise) < 1.2, correlation_time(np.repeat(noise, 5)) > 4
    (True, True)
    """
    n = len(error)
    around = error - error.mean() if n else error
    power = float(around @ around)
    if n < FEW or power == 0:
        return 1.0
    spectrum = np.abs(np.fft.rfft(around, 2 * n)) ** 2
    c = np.fft.irfft(spectrum)[: n // 2] / power
    pairs = c[1 : len(c) - 1 : 2] + c[2 : len(c) : 2][: len(c[1 : len(c) - 1 : 2])]
    stop = int(np.argmax(pairs < 0)) if np.any(pairs < 0) else len(pairs)
    return max(1.0, 1.0 + 2.0 * float(pairs[:stop].sum()))


def scales(tree: Tree, bodies: Array) -> Array:
    """What each number of a gravity model could be [kg m], [kg]: masses times lengths, from ten parameters per body.

    >>> robot = bf.Robot.load("pendulum")
    >>> scales(robot.tree, robot.body_parameters).round(3)
    array([0.25, 0.25])
    """
    mass, moment = bodies[1:, 0].copy(), np.linalg.norm(bodies[1:, 1:4], axis=1)
    for j in reversed(range(tree.n_joints)):
        parent = tree.parent[j] - 1
        if parent >= 0:
            mass[parent] += mass[j]
            moment[parent] += moment[j] + mass[j] * np.linalg.norm(tree.translation[j])
    parts = [[mass[j]] if tree.prismatic[j] else [moment[j]] * 2 for j in range(tree.n_joints)]
    return np.abs(np.concatenate(parts)) if parts else np.zeros(0)
