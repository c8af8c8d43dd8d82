"""Measured positions become a Fourier series again: a machine never moves exactly as told, but it moves periodically.

    min over q0, c of  sum_i | q(t_i) - q0 - Bq(t_i) c |^2

Velocity and acceleration then follow from the coefficients, without filters and differences (Swevers et al. 1997,
bargsten2013). Time stamps need not be equally spaced. Over whole periods with equal spacing, sine and cosine are orthogonal
and averaging the periods first gives the same coefficients; what differs between the periods is then noise by itself,
whatever the harmonics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.state import table
from bifilar.errors import MotionError, ShapeError, SolveError
from bifilar.experiment.checks import instants, named, positive, read_only
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.harmonics import FourierBasis
from bifilar.experiment.trajectory import Array

SLACK = 0.05  # of a period may be missing at its end
WORST_CONDITION = 1e6  # of the scaled columns; beyond it coefficients are noise times a million


@dataclass(frozen=True, eq=False)
class Refit:
    """A refitted motion and how well it fits; made by `refit`.

    >>> t = np.arange(100) / 50
    >>> bf.refit(t, np.sin(np.pi * t)[:, None], base_frequency=0.5, harmonics=1, joint_names=["elbow"]).periods
    1.0
    """

    trajectory: Fourier
    residual: Array  # (joints,) [rad] standard deviation of measured minus refitted position
    noise: Array | None  # (joints,) [rad] standard deviation between periods at the same phase, if periods were averaged
    deviation: Array  # (joints, 2 harmonics) [rad/s] standard deviation of the coefficients, residuals taken as white
    periods: float  # how many the samples cover
    samples: int  # that were fitted


@dataclass(frozen=True, eq=False)
class PeriodAverage:
    """One period as the mean of several; made by `period_average`.

    >>> bf.period_average(np.arange(40) / 10, np.tile([[0.0], [1.0]], (20, 1)), base_frequency=0.5).periods
    2
    """

    time: Array  # (M,) [s] from the beginning of the period
    mean: Array  # (M, columns)
    deviation: Array  # (M, columns) standard deviation of one period about the mean
    periods: int


def refit(
    time: ArrayLike,
    position: ArrayLike,
    *,
    base_frequency: float,
    harmonics: int | Sequence[int],
    joint_names: Sequence[str],
    start: float = 0.0,
    average: bool = False,
) -> Refit:
    """Fourier series closest to measured positions (samples, joints).

    `start`: the time stamp at which a period begins. Give samples of the periodic part only, not of fades. `average`: average
    whole periods first, which needs a whole number of samples per period.

    >>> t = np.arange(100) / 50
    >>> fit = bf.refit(t, 0.3 + np.sin(np.pi * t)[:, None], base_frequency=0.5, harmonics=2, joint_names=["elbow"])
    >>> (fit.trajectory.coefficients / np.pi).round(6) + 0.0, fit.trajectory.offset.round(6)
    (array([[1., 0., 0., 0.]]), array([0.3]))
    """
    names, t = named(joint_names), instants(time)
    q = table("position", position, names)[0]
    _same_length("position", q, t)
    series = FourierBasis(base_frequency=base_frequency, harmonics=harmonics)  # type: ignore[arg-type]
    t = _rising(t) - float(instants(start)[0])
    covered = _covered(t, series)
    noise = None
    if average:
        folded = period_average(t, q, base_frequency=series.base_frequency)
        t, q = folded.time, folded.mean
        noise = np.sqrt((folded.deviation**2).mean(axis=0)) if folded.periods > 1 else None
    offset, c, spread = _least_squares(t, q, series)
    residual = q - offset - series.basis(t).position @ c.T
    freedom = max(len(t) - series.size - 1, 1)
    sigma = np.sqrt((residual**2).sum(axis=0) / freedom)
    whole = FourierBasis(base_frequency=series.base_frequency, harmonics=series.harmonics, periods=max(int(covered + SLACK), 1))
    return Refit(
        trajectory=Fourier.of(whole, names, c, offset),
        residual=read_only(sigma),
        noise=None if noise is None else read_only(noise),
        deviation=read_only(sigma[:, None] * spread),
        periods=covered,
        samples=len(t),
    )


def period_average(time: ArrayLike, values: ArrayLike, *, base_frequency: float) -> PeriodAverage:
    """The mean of all whole periods of anything sampled in step with them: positions, torque.

    >>> folded = bf.period_average(np.arange(40) / 10, np.tile([[0.0], [1.0]], (20, 1)), base_frequency=0.5)
    >>> folded.mean.shape, folded.deviation.max()
    ((20, 1), np.float64(0.0))
    """
    t, period = _rising(instants(time)), 1 / positive("the base frequency", base_frequency, "Hz")
    array = np.asarray(values)
    x = table("values", values, [str(k) for k in range(array.shape[1] if array.ndim == 2 else 1)], "column")[0]
    _same_length("values", x, t)
    step = (t[-1] - t[0]) / (len(t) - 1)
    uneven = np.abs(t - t[0] - step * np.arange(len(t))).max()
    if uneven > 0.1 * step:
        raise MotionError("clock.uneven/refit", uneven=uneven / step)
    M = round(period / step)
    whole = len(t) // M if M else 0
    if not M or abs(M * step - period) * max(whole, 1) > 0.1 * step:
        near = M * step if M else step
        raise MotionError("period.samples/refit", period=period, period_2=period / step, near=1 / near)
    if not whole:
        raise MotionError("samples.too_few/refit", t_count=len(t), m=M)
    folded = x[: whole * M].reshape(whole, M, -1)
    deviation = folded.std(axis=0, ddof=1) if whole > 1 else np.zeros(folded.shape[1:])
    return PeriodAverage(read_only(t[:M].copy()), read_only(folded.mean(axis=0)), read_only(deviation), whole)


def _least_squares(t: Array, q: Array, series: FourierBasis) -> tuple[Array, Array, Array]:
    """Offset (joints,), coefficients (joints, 2K), and their deviation (2K,) for residuals of deviation 1."""
    unknowns = series.size + 1
    if len(t) < unknowns:
        raise SolveError(
            "samples.too_few/least_squares", t_count=len(t), unknowns=unknowns, harmonic_count=len(series.harmonics)
        )
    A = np.hstack([np.ones((len(t), 1)), series.basis(t).position])
    scale = np.linalg.norm(A, axis=0)
    U, s, V = decompose.svd(A / np.where(scale > 0, scale, 1.0), full_matrices=False)
    if s[-1] * WORST_CONDITION < s[0]:
        raise SolveError("harmonics.not_told")
    x = ((V.T / s) @ (U.T @ q)) / scale[:, None]
    spread = np.sqrt(((V.T / s) ** 2).sum(axis=1)) / scale
    return x[0], x[1:].T, spread[1:]


def _covered(t: Array, series: FourierBasis) -> float:
    """How many periods the samples cover, each standing for the time to the next."""
    step = (t[-1] - t[0]) / max(len(t) - 1, 1)
    covered = (t[-1] - t[0] + step) * series.base_frequency
    if len(t) > series.size and covered < 1 - SLACK:
        raise SolveError("period.samples/covered", covered=covered, period=series.period)
    return float(covered)


def _rising(t: Array) -> Array:
    if len(t) < 2:
        raise ShapeError("samples.too_few/rising", t_count=len(t))
    steps = np.diff(t)
    if (steps <= 0).any():
        k = int(np.argmax(steps <= 0))
        raise MotionError("clock.not_rising/refit", where=f"time[{k + 1}]", t=t[k], t_2=t[k + 1])
    return t


def _same_length(what: str, values: Array, t: Array) -> None:
    if len(values) != len(t):
        raise ShapeError("motion.length/refit", thing=what, value_count=len(values), t_count=len(t))
