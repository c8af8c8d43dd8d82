"""A bias that wanders from sample to sample, beside white noise: whitening, likelihood, and where it ended.

    reading_k = model_k + b_k + e_k,      b_k = b_(k-1) + w_k,      variance of w = ratio times that of e

A Kalman filter of this one state turns a column of readings (and every column of a derivative) into innovations that are white,
in one pass; ratios are weighed by how likely they make the readings. A ratio of zero is a constant bias.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array

RATIOS = np.concatenate([[0.0], 10.0 ** np.arange(-5.0, 2.1, 0.5)])
BEYOND_LUCK = 6.0  # gain of log-likelihood that a wandering bias must bring to be believed


class Wander(NamedTuple):
    """How a channel's bias wanders; found by `wandering`.

    >>> Wander(0.0, 0.0).moves
    False
    """

    ratio: float  # variance of a step of the bias over that of the white noise
    gain: float  # of log-likelihood over a constant bias

    @property
    def moves(self) -> bool:
        """Whether the bias is not constant.

        >>> Wander(0.1, 20.0).moves
        True
        """
        return self.ratio > 0


class Innovations(NamedTuple):
    """White columns, their scale, and the state at the end.

    >>> whitened(np.ones((3, 1)), 0.0).scale.ravel()
    array([1., 1., 1.])
    """

    columns: Array  # (N, ...)
    scale: Array  # (N, ...) standard deviation of each innovation in units of the white noise; columns are divided by it
    last: Array  # (...) the wandering part after the last sample
    variance: Array  # (...) of the wandering part after the last sample, in units of the white noise's


def whitened(columns: Array, ratio: Array | float) -> Innovations:
    """Innovations of every column (N, ...) for given ratios (which broadcast against one sample).

    >>> whitened(np.array([[1.0], [1.0]]), 0.0).columns.ravel()
    array([1., 1.])
    """
    shape = columns.shape[1:]
    out, scale = np.empty_like(columns), np.empty_like(columns)
    state, variance, step = np.zeros(shape), np.zeros(shape), np.broadcast_to(ratio, shape)
    for k, row in enumerate(columns):
        variance = variance + step
        size = variance + 1.0
        surprise = row - state
        state = state + variance / size * surprise
        variance = variance / size
        scale[k] = np.sqrt(size)
        out[k] = surprise / scale[k]
    return Innovations(out, scale, state, variance)


def wandering(residual: Array, *, insist: bool = False) -> list[Wander]:
    """The ratio, averaged by likelihood, for every column (N, channels) of a fit with constant biases.

    Zero unless a wandering bias is beyond luck, or one was asked for (`insist`).

    >>> noise = np.random.default_rng(0).normal(size=(100, 2))
    >>> [found.moves for found in wandering(np.column_stack([noise[:, 0], np.cumsum(noise[:, 1])]))]
    [False, True]
    """
    count, channels = residual.shape
    both = np.stack([residual, np.ones_like(residual)], axis=2)  # (N, channels, 2)
    many = np.broadcast_to(both[:, None], (count, len(RATIOS), channels, 2))
    white = whitened(many, RATIOS[:, None, None])
    y, one = white.columns[..., 0], white.columns[..., 1]
    rest = y - one * (np.sum(one * y, axis=0) / np.sum(one * one, axis=0))
    spread = np.maximum(np.sum(rest**2, axis=0), 1e-300)
    restricted = 0.5 * np.log(np.sum(one * one, axis=0))  # the constant was fitted: without this, walks come out too small
    likelihood = (
        -0.5 * (count - 1) * np.log(spread) - np.log(white.scale[..., 0]).sum(axis=0) - restricted
    )  # (ratios, channels)
    gain = likelihood.max(axis=0) - likelihood[0]
    chance = np.exp(likelihood - likelihood.max(axis=0))
    mean = (RATIOS @ chance) / chance.sum(axis=0)  # the likeliest one alone is often zero where the true one is small
    believed = np.where(insist | (gain > BEYOND_LUCK), mean, 0.0)
    return [Wander(float(ratio), float(more)) for ratio, more in zip(believed, gain, strict=True)]
