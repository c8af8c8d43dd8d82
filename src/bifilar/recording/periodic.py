"""Recordings of a periodic motion: periods averaged, a Fourier series through the measured positions (bargsten2013).

A machine never moves exactly as told, but it moves periodically. What differs between the periods at the same phase is noise,
and averaging P of them divides its deviation by sqrt(P); the rest tells how noisy each joint's torque is. Derivatives of the
series need no filter, and its end is its beginning: there are no edges, and filters go round.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, RecordingError
from bifilar.filters.butterworth import Derived, impulse_response
from bifilar.filters.fir import Places
from bifilar.recording.cutoff import find_cutoff
from bifilar.recording.prepare import HIGHEST, MOST, Even, Plan, assemble, rows_of
from bifilar.recording.recipes import Recipe
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.recording.stretches import FEW_STEPS, Usable, resampled

if TYPE_CHECKING:
    from bifilar.experiment.fourier import Fourier

SLACK = 0.5  # samples that may be missing at the end of the last period
FEWEST = 16  # samples of a period
AROUND = 8  # samples before and after a period that a filter against aliases feels


class Periods(NamedTuple):
    """Whole periods on a clock that divides them evenly.

    >>> Periods(np.zeros((3, 100, 2)), np.zeros((3, 100, 2)), 0.0, 0.01).torque.shape
    (3, 100, 2)
    """

    position: Array  # (periods, samples of one, joints)
    torque: Array
    start: float  # [s] stamp at which one begins
    step: float  # [s]


def averaged(recording: Recording, rows: Usable, recipe: Recipe, motion: Fourier | None) -> Samples:
    """Samples of one period, the mean of all that were recorded without a hole.

    >>> swing = bf.Fourier(joint_names=["joint1"], base_frequency=1.0, harmonics=1, coefficients=[[1.0, 0.0]], periods=4)
    >>> t = np.arange(400) / 100
    >>> log = bf.Recording(joint_names=("joint1",), time=t, position=swing.at(t).position, torque=np.cos(6.28 * t)[:, None])
    >>> bf.prepare(log, motion=swing).history[0]
    'the mean of 3 periods of 1 s, each of 100 samples; the first was left out'
    """
    if motion is None:
        raise RecordingError("motion.no_period")
    history = list(rows.history)
    periods = _periods(recording, rows, recipe, motion, history)
    mean, rate = periods.position.mean(axis=0), 1 / periods.step
    found = find_cutoff(np.concatenate(list(periods.position)), rate=rate)
    cutoff = recipe.cutoff or min(found.value, HIGHEST * rate)
    plan = Plan(recipe, rate, cutoff, cutoff, found)
    if recipe.filter_torque and cutoff < motion.base_frequency:
        raise RecordingError("cutoff.too_low", cutoff=cutoff, base_frequency=motion.base_frequency)
    harmonics = _harmonics(recipe, cutoff, motion, len(mean))
    played = series(mean, periods.step, harmonics)
    reason = "as asked for" if recipe.cutoff else found.reason
    history += [Note("filter.cutoff", cutoff=cutoff, reason=reason)] if recipe.filter_torque else []
    history.append(Note("motion.fourier", harmonics=harmonics))
    torque = periods.torque.mean(axis=0)
    halo = _halo(plan)
    around = np.arange(-halo, len(mean) + halo) % len(mean)
    state = Derived(*(x[around] for x in played))
    clock: Array = periods.start + periods.step * np.arange(-halo, len(mean) + halo, dtype=float)
    even = Even(clock, state, torque[around], halo)
    samples = assemble(recording, plan, [even], history)
    return replace(samples, noise=_noise(periods, samples, around, rows_of(even, plan)))


def series(mean: Array, step: float, harmonics: int) -> Derived:
    """A Fourier series through one period (samples, joints) and its derivatives, at its samples.

    What `refit` finds by least squares: on evenly spaced samples of a whole period, sines and cosines are orthogonal.

    >>> t = np.arange(50) / 50
    >>> series(np.sin(2 * np.pi * t)[:, None], 0.02, 3).velocity[0].round(6)
    array([6.283185])
    """
    spectrum = np.fft.rfft(mean, axis=0)
    spectrum[harmonics + 1 :] = 0
    turns = 2j * np.pi * np.fft.rfftfreq(len(mean), step)[:, None]
    return Derived(*(np.fft.irfft(spectrum * turns**k, len(mean), axis=0) for k in range(3)))


def _harmonics(recipe: Recipe, cutoff: float, motion: Fourier, samples: int) -> int:
    if recipe.harmonics == "motion":
        wanted = max(motion.harmonics)
    else:
        wanted = recipe.harmonics or int(np.ceil(2 * cutoff / motion.base_frequency))
    return min(wanted, (samples - 1) // 2)


def _periods(recording: Recording, rows: Usable, recipe: Recipe, motion: Fourier, history: list[Note]) -> Periods:
    """All whole periods at full amplitude; the first of three or more is left to the machine to settle."""
    period, rate = 1 / motion.base_frequency, recipe.rate or 1 / rows.step
    count = round(period * min(rate, MOST / rows.step))
    if count < FEWEST:
        raise RecordingError("period.samples/periodic", period=period, count=count)
    step, origin = period / count, float(recording.time[np.isfinite(recording.time)][0])
    begin = origin + motion.steady.start
    whole = int((min(rows.time[-1], origin + motion.steady.stop) - begin + (1 + SLACK) * step) / period)
    if whole < 2:
        raise RecordingError("period.too_few/periodic", largest=max(whole, 0), period=period)
    gap = recipe.gap or 10 * max(FEW_STEPS / rate, period / 1000)
    holes = np.flatnonzero(np.diff(rows.time) > gap)
    first = 1 if whole > 2 else 0
    kept = []
    for k in range(first, whole):
        low, high = begin + k * period, begin + (k + 1) * period
        torn = rows.time[0] > low + gap or rows.time[-1] < high - gap
        torn = torn or bool(np.any((rows.time[holes] < high) & (rows.time[holes + 1] > low)))
        kept += [] if torn else [k]
    if len(kept) < 2:
        raise RecordingError("period.too_few/periods", kept_count=len(kept), whole=whole)
    key = "periods.mean/first_left_out" if first else "periods.mean"
    history.append(Note(key, periods=len(kept), period=period, samples=count))
    if len(kept) < whole - first:
        history.append(Note("clock.holes/periodic", whole=whole - first - len(kept)))
    finer = max(1, int(np.ceil(step / rows.step - 0.05)))
    around = AROUND if finer > 1 else 0  # samples that a filter against aliases feels

    def put(x: Array, k: int) -> Array:
        time: Array = begin + k * period + step * np.arange(-around, count + around, dtype=float)
        return resampled(rows.time, x, time, finer)[around : around + count]

    position, torque = (np.stack([put(x, k) for k in kept]) for x in (rows.position, rows.torque))
    return Periods(position, torque, float(begin), step)


def _halo(plan: Plan) -> int:
    """Samples that the filter asks for before and after the period."""
    if not plan.recipe.filter_torque or plan.cutoff >= HIGHEST * plan.rate:
        return 0
    return len(impulse_response(rate=plan.rate, cutoff=plan.cutoff, order=plan.recipe.order)) // 2


def _noise(periods: Periods, samples: Samples, around: Places, places: Places) -> Array:
    """Deviation of the averaged torque of a row, from what the periods differ by, through the same filter."""
    apart = periods.torque - periods.torque.mean(axis=0)
    count = len(apart)
    if samples.filter is None:
        rows = apart[:, around[places]]
    else:
        rows = np.stack([samples.filter.at(one[around], places) for one in apart])
    with np.errstate(over="ignore"):
        noise = np.sqrt((rows**2).sum(axis=0).mean(axis=0) / (count - 1) / count)
    noise.flags.writeable = False
    return noise
