"""Pieces of `max_likelihood`: signs that are smooth, the motion to begin with, levels and weights as they were given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import ShapeError
from bifilar.estimate.raw_pieces import RawData
from bifilar.estimate.sources import Data, listed
from bifilar.estimate.true_motion import Piece
from bifilar.filters.butterworth import low_pass
from bifilar.recording.cutoff import HIGHEST, find_cutoff
from bifilar.robot.friction import Friction, Term
from bifilar.robot.robot import Robot

WIDER = 2.0  # cut-off of the first guess of the motion, in those of the torque
LEAST_SHARE = 1e-7  # of the torque: a smaller noise is rounding


def smooth_signs(robot: Robot, widths: Array) -> Robot:
    """The robot with every sign of speed at least so wide, joint by joint; columns keep their names and their order.

    >>> robot = bf.Robot.load("pendulum").with_friction(bf.Coulomb(), {"joint1.coulomb": 0.2})
    >>> smooth_signs(robot, np.full(1, 0.05)).friction.terms[0].width
    0.05
    """
    if not has_signs(robot):
        return robot
    of = dict(zip(robot.joint_names, map(float, widths)))
    terms: list[Term] = []
    for term in robot.friction:
        if not hasattr(term, "width"):
            terms.append(term)
            continue
        for place in robot.joint_names if term.at is None else term.at:
            width = max(term.width, of.get(term.driven_by or place, float(widths.max())))
            terms.append(replace(term, at=(place,), width=width))  # type: ignore[call-arg]
    return robot.with_friction(Friction(tuple(terms)))


def has_signs(robot: Robot) -> bool:
    """Whether friction depends on the sign of a speed.

    >>> has_signs(bf.Robot.load("pendulum"))
    False
    """
    return any(hasattr(term, "width") for term in robot.friction)


def first_motion(pieces: tuple[Piece, ...]) -> Array:
    """Positions to begin with, in one row: measured ones through a low-pass that leaves the motion alone.

    >>> first_motion((Piece(np.ones((50, 2)), np.ones((50, 2)), 0.01),)).shape
    (100,)
    """
    parts = []
    for piece in pieces:
        rate = 1.0 / piece.period
        cutoff = WIDER * cutoff_of(piece)
        smooth = piece.position if cutoff >= 0.45 * rate else low_pass(piece.position, rate=rate, cutoff=cutoff)
        parts.append(smooth.ravel())
    return np.concatenate(parts)


def cutoff_of(piece: Piece) -> float:
    """Where the motion of a piece sinks into noise [Hz].

    >>> cutoff_of(Piece(np.zeros((500, 1)), np.zeros((500, 1)), 0.01))  # nothing moves: a fifth of the rate
    20.0
    """
    found = find_cutoff(piece.position, rate=1.0 / piece.period)
    return min(found.widest, HIGHEST / piece.period)


def rounding(pieces: tuple[Piece, ...]) -> Array:
    """Torque noise below which it is rounding, (joints,).

    >>> rounding((Piece(np.zeros((5, 1)), np.ones((5, 1)), 0.01),)).round(9)
    array([1.e-07])
    """
    squares = [np.mean(piece.torque**2, axis=0) for piece in pieces]
    return LEAST_SHARE * np.sqrt(np.mean(squares, axis=0)) + np.finfo(float).tiny ** 0.25


def levels_of(name: str, given: ArrayLike, joints: int) -> Array:
    """One positive number for each joint, of a setting that gives one or all.

    >>> levels_of("torque_noise", 0.1, 2)
    array([0.1, 0.1])
    """
    word = ", or 'spectrum'" if name == "position_noise" else ""
    try:
        levels = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError("setting.wrong/likelihood_parts", name=name, given=given, joints=joints, word=word) from None
    if levels.shape not in ((), (joints,)) or not np.isfinite(levels).all() or np.any(levels <= 0):
        raise ShapeError("setting.wrong/levels_of", name=name, levels=levels, joints=joints, word=word)
    return np.array(np.broadcast_to(levels, (joints,)))


def with_weight(
    recordings: Data | Iterable[Data], weights: Sequence[float] | None
) -> tuple[Data | Iterable[Data], Sequence[float] | None]:
    """Without those whose weight is zero: they are not there.

    >>> still = bf.Recording(joint_names=("a",), time=np.arange(9.0), position=np.zeros((9, 1)))
    >>> len(with_weight([still, still], [1.0, 0.0])[0])
    1
    """
    data = listed(recordings)
    if weights is None or len(weights) != len(data) or np.all(np.asarray(weights) != 0) or not np.any(weights):
        return recordings if weights is None else list(data), weights
    kept = [k for k, weight in enumerate(weights) if weight != 0]
    return [data[k] for k in kept], [weights[k] for k in kept]


def shares(weights: Sequence[float] | None, data: RawData) -> list[float] | None:
    """One weight per recording of the start, which may have one for every stretch.

    >>> shares([2.0], RawData((), (None,), ()))
    [2.0]
    """
    if weights is None:
        return None
    return list(weights) if len(weights) == len(data.recordings) else [piece.weight for piece in data.pieces]
