"""Whether a recording to be judged on was fitted: the same samples, or the same motion once more.

samples   rows (position, torque) of one that stand in the other, more of them than chance would put there: noise that two
          recordings share is one recording, whatever was cut off, stamped anew or written in another format
motion    pieces of the path, q(t), q(t + T), ... q(t + 3 T), that are within `NEAR` of a fitted piece (joints that move,
          in units of their spread): such a test shows how well the machine repeats itself, and a model that has only
          learnt these poses by heart passes it as well
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.recording.recording import Recording

SHARED = 0.1  # of the rows: beyond, and beyond chance, they are the same samples
DECIMALS = 6  # to which rows are compared: text that was rounded there is the same
NEAR = 0.05  # root mean square over joints and moments, in deviations of each joint: two passes of one trajectory are nearer
SPAN = (0.0, 0.25, 0.5, 0.75)  # [s] moments of a piece
PIECES = 20000  # fitted pieces, at most
ASKED = 400  # pieces of the test
STILL = 1e-3  # [rad or m], and of the liveliest joint: what moves less does not tell motions apart


def fitted_too(train: Recording, test: Recording) -> bool:
    """Whether a recording to be judged on holds samples that were fitted.

    >>> from bifilar.recording.check import example
    >>> recording, _ = example()
    >>> fitted_too(recording, recording.part(1.0, None)), fitted_too(recording.part(None, 4.0), recording.part(4.1, None))
    (True, False)
    """
    if train.joint_names != test.joint_names:
        return False
    first, second = _rows(train), _rows(test)
    if first is None or second is None or first.shape[1] != second.shape[1]:
        return False
    own, seen = set(map(bytes, first)), [bytes(row) for row in second]
    chance = 1 - len(own) / len(first)  # coarse encoders repeat their own rows
    return bool(np.mean([row in own for row in seen]) > SHARED + 2 * chance)


def repeated(train: Iterable[object], test: Iterable[object], near: float = NEAR) -> float:
    """Share of the test's motion that was fitted as well; entries that are not recordings are passed over.

    >>> from bifilar.recording.check import example
    >>> recording, _ = example()
    >>> repeated([recording], [recording]), repeated([recording.part(None, 4.0)], [recording.part(4.1, None)])
    (1.0, 0.0)
    """
    from scipy.spatial import cKDTree

    fitted, judged = ([one for one in group if isinstance(one, Recording) and _usable(one)] for group in (train, test))
    names = fitted[0].joint_names if fitted else ()
    if not judged or any(one.joint_names != names for one in (*fitted, *judged)):
        return 0.0
    path = np.concatenate([np.asarray(one.position) for one in fitted])
    moves = np.ptp(path, axis=0) > max(STILL, STILL * float(np.ptp(path, axis=0).max(initial=0.0)))
    if not moves.any():
        return 0.0
    scale = np.where(moves, 1 / np.maximum(path.std(axis=0), 1e-12), 0.0) / np.sqrt(moves.sum() * len(SPAN))
    known = np.concatenate([_pieces(one, scale, PIECES // len(fitted) + 1) for one in fitted])
    asked = np.concatenate([_pieces(one, scale, ASKED // len(judged) + 1) for one in judged])
    if not len(known) or not len(asked):
        return 0.0
    # steps between fitted pieces are not zero: half of one is no difference of the motion
    steps = np.linalg.norm(np.diff(known, axis=0), axis=1)
    distance, _ = cKDTree(known).query(asked, distance_upper_bound=near + 0.5 * float(np.median(steps)))
    return float(np.mean(np.isfinite(distance)))


def _usable(one: Recording) -> bool:
    if one.position is None or len(one.time) < 2:
        return False
    return bool(np.isfinite(one.position).all() and np.all(np.diff(one.time) > 0))


def _rows(recording: Recording) -> Array | None:
    if recording.position is None or len(recording.time) == 0:
        return None
    parts = [recording.position]
    if recording.torque is not None and len(recording.torque) == len(recording.position):
        parts.append(recording.torque)
    return np.ascontiguousarray(np.round(np.hstack(parts), DECIMALS) + 0.0)


def _pieces(recording: Recording, scale: Array, most: int) -> Array:
    """Pieces of the path, (pieces, moments * joints), evenly in time."""
    time, position = np.asarray(recording.time), np.asarray(recording.position) * scale
    last = float(time[-1]) - SPAN[-1]
    if last <= time[0]:
        return np.zeros((0, len(SPAN) * position.shape[1]))
    starts = np.linspace(float(time[0]), last, most)
    moments = starts[:, None] + np.array(SPAN)
    return np.stack([np.interp(moments, time, q) for q in position.T], axis=2).reshape(most, -1)
