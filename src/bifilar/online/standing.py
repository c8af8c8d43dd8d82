"""Which joints stand: an error of their readings, static friction above all, is then the same in every sample.

    stands      it has not left its place by more than PLAY since it was slower than SLOW, or needed longer for PLAY than SLOW says
    moves       it has left that place; it stands again, at another one, as soon as it is slow

A stand has a number, the same as long as it lasts; 0: the joint moves. Places, not speeds, end it: noise of an encoder or of a
velocity is no motion, however many samples there are, and one that creeps begins a new stand once per PLAY of its way. So the
readings of a stand share one error, and what they say together is bounded, by the angle travelled and not by the time.

The functions are plain Python on arrays; where numba is, they are compiled as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import engine
from bifilar.robot.inertia import Array

PLAY = 0.01  # [rad, m] that a joint may be away from its place and still stands; encoders are better, motions are wider
SLOW = 0.02  # [rad/s, m/s] below which a joint stands
PLACE, SINCE, STAND, COUNT = range(4)  # rows of the memory: where, since when [s], the number of the stand, stands so far


def beginning(joints: int) -> Array:
    """The memory before the first sample, (4, joints).

    >>> beginning(2)[PLACE]
    array([inf, inf])
    """
    memory = np.zeros((4, joints))
    memory[PLACE] = np.inf
    return memory


def follow(time, q, v, limits, last, memory, stands):  # type: ignore[no-untyped-def]
    """Numbers of the stands (N, joints) of every sample; a sample that is not newer than `last` or beyond limits is skipped.

    >>> stands = np.zeros((3, 1))
    >>> limits = np.array([[-np.inf], [np.inf]])
    >>> follow(np.arange(3.0), np.array([[0.0], [0.001], [1.0]]), np.zeros((3, 1)), limits, -1.0, beginning(1), stands)
    >>> stands.ravel()
    array([1., 1., 2.])
    """
    joints = q.shape[1]
    for k in range(q.shape[0]):
        good = time[k] > last
        for j in range(joints):
            good = good and limits[0, j] <= q[k, j] <= limits[1, j] and abs(v[k, j]) < np.inf
        if good:
            last = time[k]
        for j in range(joints):
            if good:
                slow = abs(v[k, j]) < SLOW
                if abs(q[k, j] - memory[PLACE, j]) > PLAY:
                    memory[PLACE, j], memory[SINCE, j], memory[STAND, j] = q[k, j], time[k], 0.0
                elif time[k] - memory[SINCE, j] > PLAY / SLOW:
                    slow = True
                if slow and memory[STAND, j] == 0.0:
                    memory[COUNT, j] += 1.0
                    memory[PLACE, j], memory[SINCE, j], memory[STAND, j] = q[k, j], time[k], memory[COUNT, j]
            stands[k, j] = memory[STAND, j]


def follower() -> Any:
    """`follow`, compiled where numba is."""
    if engine.current().__name__.endswith("fast"):
        from bifilar.online.kernels.compiled import follow as compiled

        return compiled.compiled
    return follow


def together(stands: Array, owners: NDArray[np.int64]) -> Array:
    """Stands of errors (N, errors), from those of the joints: of one joint each, or (-1) of all of them at once.

    >>> together(np.array([[2.0, 3.0], [2.0, 0.0]]), np.array([1, -1]))
    array([[3., 5.],
           [0., 0.]])
    """
    if np.array_equal(owners, np.arange(stands.shape[1])):
        return stands
    whole = np.where((stands > 0).all(axis=1), stands.sum(axis=1), 0.0)  # grows whenever a joint begins another stand
    return np.where(owners < 0, whole[:, None], stands[:, owners])
