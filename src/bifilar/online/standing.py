"""Which joints stand: an error of their readings, static friction above all, is then the same in every sample.

    stands      it was slow, and has not left the place where it was by more than PLAY
    settled     it stands, and is slow and within NEAR of where it has been for SETTLE: its error is one number
    unsettled   it stands, but has just arrived, turns round or breaks away: friction may be anything, and the row says nothing
    moves       it has left its place; it stands again as soon as it is slow, or has needed longer for PLAY than SLOW says

A stand has a number, the same as long as it lasts; with a minus sign the joint is unsettled, and zero says that it moves.
Places end a stand, not speeds: noise of an encoder or of a velocity is no motion, however many samples there are, and a joint
that creeps begins another stand once per PLAY of its way. Readings of a stand share one error, so what they say together is
bounded, by the angle travelled and not by the time.

The functions are plain Python on arrays; where numba is, they are compiled as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import engine
from bifilar.robot.inertia import Array

PLAY = 0.01  # [rad, m] that a joint may be away from its place and still stands: teeth and grease give way, motions are wider
SLOW = 0.02  # [rad/s, m/s]
NEAR = 5e-4  # [rad, m] some deviations of an encoder
SETTLE = 0.5  # [s] a joint that turns round at 0.03 rad/s^2 stays within NEAR for less
PLACE, SPOT, SINCE, STAND, COUNT = range(5)  # of the memory: place of the stand, spot in it, since when [s], number, stands yet


def beginning(joints: int) -> Array:
    """The memory before the first sample, (5, joints).

    >>> beginning(2)[PLACE]
    array([inf, inf])
    """
    memory = np.zeros((5, joints))
    memory[PLACE] = np.inf
    return memory


def follow(time, q, v, limits, last, memory, stands):  # type: ignore[no-untyped-def]
    """Numbers of the stands (N, joints) of every sample; a sample that is not newer than `last` or beyond limits is skipped.

    >>> stands = np.zeros((4, 1))
    >>> t, q, limits = np.arange(4.0), np.array([[0.0], [0.0001], [0.5], [0.5]]), np.array([[-np.inf], [np.inf]])
    >>> follow(t, q, np.zeros((4, 1)), limits, -1.0, beginning(1), stands)
    >>> stands.ravel()
    array([ 1.,  1., -2.,  2.])
    """
    joints = q.shape[1]
    for k in range(q.shape[0]):
        good = time[k] > last
        for j in range(joints):
            good = good and limits[0, j] <= q[k, j] <= limits[1, j] and abs(v[k, j]) < np.inf
        if good:
            last = time[k]
        for j in range(joints):
            if not good:
                stands[k, j] = memory[STAND, j]
                continue
            now, place = time[k], q[k, j]
            slow = abs(v[k, j]) < SLOW
            first = memory[PLACE, j] == np.inf
            begins = slow
            if abs(place - memory[PLACE, j]) > PLAY:
                memory[PLACE, j], memory[SINCE, j], memory[STAND, j] = place, now, 0.0
            elif memory[STAND, j] == 0.0 and now - memory[SINCE, j] > PLAY / SLOW:
                begins = True
            if begins and memory[STAND, j] == 0.0:
                memory[COUNT, j] += 1.0
                memory[PLACE, j], memory[SPOT, j], memory[STAND, j] = place, place, memory[COUNT, j]
                memory[SINCE, j] = -np.inf if first else now  # what rests from the start has settled
            if memory[STAND, j] > 0.0 and abs(place - memory[SPOT, j]) > NEAR:
                memory[SPOT, j], memory[SINCE, j] = place, now
            settled = slow and now - memory[SINCE, j] >= SETTLE
            stands[k, j] = memory[STAND, j] if settled else -memory[STAND, j]


def follower() -> Any:
    """`follow`, compiled where numba is."""
    if engine.current().__name__.endswith("fast"):
        from bifilar.online.kernels.compiled import follow as compiled

        return compiled.compiled
    return follow


def together(stands: Array, owners: NDArray[np.int64]) -> Array:
    """Stands of errors (N, errors), from those of the joints: of one joint each, or (-1) of all of them at once.

    >>> together(np.array([[2.0, -3.0], [2.0, 0.0]]), np.array([1, -1]))
    array([[3., 5.],
           [0., 0.]])
    """
    numbers = np.abs(stands)
    whole = np.where((numbers > 0).all(axis=1), numbers.sum(axis=1), 0.0)  # grows whenever a joint begins another stand
    return np.where(owners < 0, whole[:, None], numbers[:, owners])
