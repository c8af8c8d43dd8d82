"""Measurements as they are, on an even clock: what `MaximumLikelihood` eats, since it filters nothing beforehand.

The noise of the positions is read off their fastest half of the spectrum, where no machine moves: its level there times the
whole band is the variance of white noise. One run cannot tell this level from the torque's without such an assumption; readings
that a drive has filtered, or that are resampled from uneven stamps, show less noise there than they have, and what machine and
model differ by is slower. So this is where `noise_choice` begins, not what has to be believed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, ShapeError, SolveError
from bifilar.estimate.sources import Arrays, Data, Weighted, equations_of, listed
from bifilar.estimate.true_motion import Piece
from bifilar.filters.butterworth import impulse_response, low_pass
from bifilar.filters.spectrum import LEAST, spectrum
from bifilar.recording.prepare import prepare
from bifilar.recording.recipes import Recipe
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.robot.model import Model

RAW = Recipe(  # nothing but an even clock
    method="differences",
    motion_cutoff=np.finfo(float).max,
    filter_torque=False,
    filter_columns=False,
    decimate=False,
    edge=0.0,
)
BAND = 0.4  # of the slower clock is kept
SPOILT = 4  # samples of the slower clock at either end that the filter feels the end at
MEDIAN_OF_16 = 0.958  # of a mean of eight squared spectra, as a share of its expectation
LEAST_NOISE = 1e-12  # of a joint's range: rounding


class RawData(NamedTuple):
    """Pieces of all recordings, and the recordings as a first fit takes them.

    >>> RawData((), (), ()).pieces
    ()
    """

    pieces: tuple[Piece, ...]
    recordings: tuple[Data, ...]
    notes: tuple[Note, ...]


def raw_pieces(
    model: Model, recordings: Any, *, rate: float | None = None, weights: ArrayLike | None = None, held: bool = False
) -> RawData:
    """From recordings, samples that were not filtered, or (position, velocity, acceleration, torque) at a `rate` [Hz].

    `held`: a torque acts from its sample to the next, so that the one at a sample is the mean of its own and the last.

    >>> robot, t = bf.Robot.load("pendulum"), np.arange(300) / 100
    >>> swing = bf.Recording(joint_names=("joint1",), time=t, position=np.sin(t)[:, None], torque=np.cos(t)[:, None])
    >>> raw_pieces(robot, swing).pieces[0].position.shape
    (300, 1)
    """
    data = listed(recordings)
    shares = np.ones(len(data)) if weights is None else np.asarray(weights, dtype=float)
    if shares.shape != (len(data),) or not np.all(shares > 0):
        raise ShapeError("weights.wrong/raw_pieces", data_count=len(data), words=shares.ravel())
    pieces, starts, notes = [], [], []
    for one, share in zip(data, shares):
        own = _samples(model, one)
        parts = _of_arrays(own, rate) if isinstance(own, Arrays) else _of_samples(own)
        pieces += [Piece(q, centred(tau) if held else tau, h, float(share)) for q, tau, h in parts]
        starts += [one] if isinstance(one, Recording) else [_recorded(model, *part) for part in parts]
        notes += [note for note in getattr(own, "history", ()) if Note.of(note).code in ABOUT_TIME]
    return RawData(tuple(pieces), tuple(starts), tuple(dict.fromkeys(notes)))


ABOUT_TIME = ("clock.even", "clock.holes")


def centred(torque: Array) -> Array:
    """Mean of each row and the one before it; the first as it is.

    >>> centred(np.array([[1.0], [3.0]])).ravel()
    array([1., 2.])
    """
    return 0.5 * (torque + np.concatenate([torque[:1], torque[:-1]]))


def thinned(piece: Piece, every: int) -> Piece:
    """Every so many samples, after a low-pass that keeps what is faster from showing up as something slower.

    >>> thinned(Piece(np.zeros((100, 1)), np.zeros((100, 1)), 1e-3), 5).position.shape
    (12, 1)
    """
    if every <= 1 or len(piece.position) < (2 * SPOILT + 8) * every:
        return piece
    rate = 1.0 / piece.period
    both = (low_pass(x, rate=rate, cutoff=BAND * rate / every)[::every] for x in (piece.position, piece.torque))
    q, tau = (np.ascontiguousarray(x[SPOILT:-SPOILT]) for x in both)
    return Piece(q, tau, piece.period * every, piece.weight)


def blur(every: int) -> float:
    """Samples over which the low-pass of `thinned` smooths a jump: mean distance from it, weighted by its impulse response.

    >>> blur(1), bool(1.0 < blur(20) < 20.0)
    (0.0, True)
    """
    if every <= 1:
        return 0.0
    taps = impulse_response(rate=1.0, cutoff=BAND / every)
    return max(0.0, float(taps @ np.abs(np.arange(len(taps)) - len(taps) // 2)))


def position_noise(pieces: tuple[Piece, ...]) -> Array:
    """Standard deviation of the readings of every joint, from the faster half of their spectrum.

    >>> t, noise = np.arange(4000) / 1000, 1e-4 * np.random.default_rng(0).standard_normal((4000, 1))
    >>> found = position_noise((Piece(np.sin(5 * t)[:, None] + noise, noise, 1e-3),))
    >>> bool(abs(found[0] / 1e-4 - 1) < 0.05)
    True
    """
    longest = max(pieces, key=lambda piece: len(piece.position))
    if len(longest.position) < LEAST:
        raise SolveError("samples.too_few/raw_pieces", position_count=len(longest.position))
    rate = 1.0 / longest.period
    f, density = spectrum(longest.position, rate=rate)
    level = np.median(density[f > 0.25 * rate], axis=0) / MEDIAN_OF_16
    rounding = LEAST_NOISE * np.maximum(np.ptp(longest.position, axis=0), np.abs(longest.position).max(axis=0))
    return np.maximum(np.sqrt(level * 0.5 * rate), np.maximum(rounding, np.finfo(float).tiny))


def _samples(model: Model, data: Data) -> Samples | Arrays:
    """Unfiltered samples of one recording."""
    if isinstance(data, Recording):
        return prepare(data, RAW, robot=model)
    found = equations_of(data, model)
    while isinstance(found, Weighted):
        found = found.source
    if isinstance(found, Samples) and (found.filter is not None or any(len(s.rows) < len(s.time) for s in found.fine)):
        raise SolveError("recording.kind/raw_pieces")
    if not isinstance(found, (Samples, Arrays)):
        raise SolveError("recording.kind/samples", kind=type(found).__name__)
    return found


def _of_samples(samples: Samples) -> list[tuple[Array, Array, float]]:
    parts = zip(samples.fine, samples.segments)
    return [(np.ascontiguousarray(s.motion.position), samples.raw_torque[rows], 1.0 / samples.rate) for s, rows in parts]


def _of_arrays(arrays: Arrays, rate: float | None) -> list[tuple[Array, Array, float]]:
    if rate is None:
        raise SolveError("clock.missing/raw_pieces")
    return [(arrays.position, arrays.torque, 1.0 / rate)]


def _recorded(model: Model, position: Array, torque: Array, period: float) -> Recording:
    time = period * np.arange(len(position))
    return Recording(joint_names=model.joint_names, sliding=model.sliding, time=time, position=position, torque=torque)
