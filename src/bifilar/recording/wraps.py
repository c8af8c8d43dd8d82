"""Angles that were counted modulo a turn, made continuous.

    turns_k = round((q_(k+1) - q_k) / 2 pi)        where what is left of the step goes with a step beside it

A step that is large because the joint is fast, or because it is the motor's, has neighbours that are as large: it is no
wrap. An angle that rests at the border jumps there and back: such steps have an opposite beside them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array

TURN = 2 * np.pi
ALIKE = 0.5  # [rad] by which neighbouring steps of a motion may differ


def whole_turns(position: Array) -> Array:
    """Whole turns between one sample and the next, (samples - 1, joints), of finite angles [rad].

    >>> whole_turns(np.array([[3.0], [3.1], [-3.1], [-3.0]]))[:, 0]
    array([ 0., -1.,  0.])
    """
    jumps = np.diff(position, axis=0)
    turns = np.round(jumps / TURN)
    if not turns.any():
        return turns
    rest = jumps - TURN * turns
    beside = np.zeros(turns.shape, dtype=bool)
    beside[1:] |= _goes_with(rest[1:], turns[1:], jumps[:-1], turns[:-1])
    beside[:-1] |= _goes_with(rest[:-1], turns[:-1], jumps[1:], turns[1:])
    if len(turns) == 1:
        beside |= np.abs(rest) < ALIKE
    return np.where(beside, turns, 0.0)


def continued(position: Array, turns: Array) -> Array:
    """The angles without these turns.

    >>> q = np.array([[3.0], [3.1], [-3.1], [-3.0]])
    >>> continued(q, whole_turns(q))[:, 0].round(2)
    array([3.  , 3.1 , 3.18, 3.28])
    """
    return position - TURN * np.concatenate([np.zeros((1, position.shape[1])), np.cumsum(turns, axis=0)])


def _goes_with(rest: Array, turns: Array, jumps: Array, others: Array) -> NDArray[np.bool_]:
    """Whether what is left of a step is like the step beside it, or the turn is taken back there."""
    alike = (others == 0) & (np.abs(rest - jumps) < ALIKE)
    return np.asarray(alike | ((others == -turns) & (np.abs(rest) < ALIKE)))
