"""Parameters of all columns from a state, in NumPy, from the tables that the compiled filter takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from bifilar.online import tables as t
from bifilar.online.maps import sigmoid, sigmoid_slope
from bifilar.online.space import Block
from bifilar.robot.inertia import Array


def columns_of(
    scalars: Array, kinds: Any, blocks: Any, slots: Any, constants: Array, known: Array, x: Array
) -> tuple[Array, Array]:
    """phi (columns,) and dphi/dx (columns, n).

    >>> from bifilar.online.states import space_of
    >>> space = space_of(bf.Robot.load("pendulum"), ("link1.*",))
    >>> tables = space.tables([10])
    >>> phi, slope = columns_of(space.scalars, space.kinds, *tables, space.known, space.start)
    >>> bool(np.allclose(phi, space.columns(space.start)[0]) and np.allclose(slope, space.columns(space.start)[1]))
    True
    """
    first, second, third = scalars.T
    bounded = kinds == t.SIGMOID
    p = np.where(bounded, sigmoid(x, first, second, third), first + second * x)
    dp = np.where(bounded, sigmoid_slope(x, first, second, third), second)
    phi, slope = known.copy(), np.zeros((len(known), len(x)))
    for (kind, column, moved), places, numbers in zip(blocks.tolist(), slots, constants):
        own = [-1 if place == t.FIXED else int(place) for place in places]
        if kind == t.SCALAR:
            phi[column] += p[own[0]]
            slope[column, own[0]] = dp[own[0]]
            continue
        axes, move = numbers[t.AXES : t.REST].reshape(3, 3), numbers[t.MOVE :].reshape(10, 10) if moved else None
        shape = {"axes": axes, "rest": numbers[t.REST : t.MOVE], "move": move}
        block = Block(name="", kind=kind, column=column, slots=tuple(own), fixed=numbers[:10], **shape)
        ten, by = block.ten(p)
        phi[column : column + 10] += ten
        for k, s in enumerate(own):
            if s >= 0:
                slope[column : column + 10, s] += by[:, k] * dp[s]
    return phi, slope
