"""Error bars of maximum likelihood for errors that are not white: what the torque residuals themselves show.

With the motion x at its best for every theta, the slope of the cost by theta is Y' r, r the torque residuals in deviations. So

    theta - truth = S^-1 Y' r,      covariance = S^-1 (sum over rows s, t of Y(s)' G(t - s) Y(t)) S^-1,      S: `system.schur`

G is the covariance of residuals that lie t - s apart (White 1982). If both noises are white as assumed, the sum is S and the
covariance S^-1. G comes from the residuals' spectrum (`residual_spectrum`), as in `sandwich`; the positions' noise needs no law
of its own, since r holds what the motion could not take up of both. What theta has taken up of r is put back by the leverage of
V = Y - J dx/dtheta, the columns as the free motion leaves them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.estimate.banded import BandedSystem, kernels, resolved
from bifilar.estimate.freedom import PARZEN, Colour
from bifilar.estimate.residual_spectrum import Lagged, doubled, room, roots, spectrum, transform
from bifilar.estimate.sandwich import MOST_ROWS, bandwidth
from bifilar.estimate.true_motion import TrueMotion, Windows

FINE, FINEST = 8, 128  # a spectrum from so many lags: what the motion leaves of errors falls steeply with the frequency


class LikelihoodBars(NamedTuple):
    """How sure values are, and how much less than with white errors.

    >>> LikelihoodBars(np.eye(1), np.full(1, 50.0), 1.0).factor
    1.0
    """

    covariance: Array  # (parameters, parameters)
    freedom: Array  # (parameters,)
    factor: float  # deviations over those of white errors, median


def likelihood_bars(likelihood: TrueMotion, x: Array, theta: Array, system: BandedSystem) -> LikelihoodBars:
    """At the minimum, with the system that was left factored there."""
    inverse = inverted_information(system.schur)
    root = np.linalg.cholesky(inverse + 1e-14 * np.diag(np.diag(inverse)))
    follows = _motion_by_theta(system)
    whole, parts, tables = 0, [], []
    every = max(1, -(-likelihood.equations // MOST_ROWS))
    with one_blas_thread():
        for number, windows in enumerate(likelihood.windows(x, theta)):
            whole += len(windows.first)
            if number % every:
                continue
            columns = windows.border[:, :, :-1] @ root
            parts.append(_lagged(windows, columns, follows @ root))
            tables.append(columns)
        sums = sum(parts[1:], parts[0])
        count = sum(len(table) for table in tables)
        lags = max(bandwidth(count), min(count // FINE, FINEST))
        law = spectrum(sums, lags)
        half = {size: roots(law, size) for size in {room(len(table)) for table in tables}}
        total = sum(doubled(transform(table), half[room(len(table))]) for table in tables) * (whole / count)
    covariance = root @ total @ root.T
    colour = Colour.of(law, lags)
    told = max((count - len(theta) / likelihood.joints) / float(np.max(colour.slack + lags / PARZEN)), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = float(np.nanmedian(np.sqrt(np.diag(covariance) / np.diag(inverse))))
    return LikelihoodBars(0.5 * (covariance + covariance.T), np.full(len(theta), told), factor)


def inverted_information(information: Array) -> Array:
    """Inverse of the information, whose rows have different units; what is rounding in it counts as very little.

    >>> inverted_information(np.diag([4.0, 1e-6])).diagonal()
    array([2.5e-01, 1.0e+06])
    """
    scale, values, vectors = resolved(information)
    root = scale[:, None] * vectors / np.sqrt(values)
    return np.asarray(root @ root.T, dtype=float)


def _motion_by_theta(system: BandedSystem) -> Array:
    """H^-1 C: how the best motion follows theta, but for its sign, (unknowns, parameters)."""
    out = np.empty((len(system.band), system.side.shape[1] - 1))
    for k in range(out.shape[1]):
        column = np.ascontiguousarray(system.side[:, k])
        kernels().back(system.band, column)
        out[:, k] = column
    return out


def _lagged(windows: Windows, columns: Array, follows: Array) -> Lagged:
    """Sums over pairs of residuals, with the leverage of the columns that the free motion leaves."""
    left = columns - np.concatenate(list(_taken(windows, follows)))
    ones = np.ones(windows.residual.shape)
    return Lagged.of(windows.residual, ones, left, np.ones(columns.shape[2]))


def _taken(windows: Windows, follows: Array, some: int = 256) -> Iterator[Array]:
    """J H^-1 C of some windows at a time."""
    width = np.arange(windows.jacobian.shape[2])
    for low in range(0, len(windows.first), some):
        part = slice(low, low + some)
        yield windows.jacobian[part] @ follows[windows.first[part, None] + width]
