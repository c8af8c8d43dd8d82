"""Figure 1 of Joukov et al.: a particle swings as sin(t); sigmoids bound its position to (-0.7, 0.7), its speed to (-10, 10).

With a process that carries the position on by the speed the filter follows inside the bounds and rests at them outside. With
the random walk of the paper's other figures the printed filter locks at a bound and never returns: the sigmoid's slope is zero
there, and so is the gain. Here the states of a bounded filter are capped, and one that leans against its bound keeps its
first variance: it returns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.filters.belief import Belief
from bifilar.filters.extended import predict_extended, update_extended
from bifilar.filters.kalman import predict
from bifilar.online.core import Core
from bifilar.online.maps import sigmoid, sigmoid_inverse, sigmoid_slope
from bifilar.online.space import Block, Space
from bifilar.online.tables import SCALAR, SIGMOID
from bifilar.online.tuning import Tuning
from bifilar.robot.inertia import Array

STEP, DURATION, NOISE, WALK = 0.01, 20.0, 0.02, 0.01
UPPER = np.array([0.7, 10.0])
INSIDE = 0.65  # where the particle counts as inside the bounds


class Swing(NamedTuple):
    """Position and speed, true and followed.

    >>> followed(0, "walk", 1.0).found.shape
    (100, 2)
    """

    time: Array
    true: Array
    found: Array

    @property
    def inside(self) -> float:
        """RMSE of the position where it is inside the bounds.

        >>> followed(0, "printed", 20.0).inside > 0.3
        True
        """
        there = (np.abs(self.true[:, 0]) < INSIDE) & (self.time > 1.0)
        return float(np.sqrt(np.mean((self.found[there, 0] - self.true[there, 0]) ** 2)))


def followed(seed: int, kind: str, duration: float = DURATION) -> Swing:
    """`kind`: "velocity" (position carried on by the speed), "printed" (random walk as printed), "walk" (random walk, ours).

    >>> bool(abs(followed(0, "velocity", 3.0).found[:, 0]).max() <= 0.7)
    True
    """
    rng = np.random.default_rng(seed)
    t = (np.arange(round(duration / STEP)) * STEP).astype(float)
    true = np.column_stack([np.sin(t), np.cos(t)])
    read = true + NOISE * rng.normal(size=true.shape)
    found = _ours(t, read) if kind == "walk" else _printed(read, moving=kind == "velocity")
    return Swing(t, true, found)


def _printed(read: Array, *, moving: bool) -> Array:
    belief, found = Belief(np.zeros(2), np.eye(2), ("position", "speed")), []

    def value(s: Array) -> Array:
        return sigmoid(s, -UPPER, UPPER)

    def slope(s: Array) -> Array:
        return np.diag(sigmoid_slope(s, -UPPER, UPPER))

    def on(s: Array) -> Array:
        p = value(s)
        p = p + np.array([STEP * p[1], 0.0])
        return sigmoid_inverse(np.clip(p, -UPPER * (1 - 1e-9), UPPER * (1 - 1e-9)), -UPPER, UPPER)

    def by(s: Array) -> Array:
        after = np.maximum(sigmoid_slope(on(s), -UPPER, UPPER), 1e-12)
        return np.asarray(np.array([[1.0, STEP], [0.0, 1.0]]) * sigmoid_slope(s, -UPPER, UPPER) / after[:, None])

    for z in read:
        if moving:
            belief = predict_extended(belief, on, by, WALK)
        else:
            belief = predict(belief, np.eye(2), WALK)
        belief = update_extended(belief, z, value, slope, NOISE**2).belief
        belief = belief.with_(np.clip(belief.mean, -60, 60), belief.covariance)
        found.append(value(belief.mean))
    return np.array(found)


def _ours(time: Array, read: Array) -> Array:
    blocks = tuple(Block(name=n, kind=SCALAR, column=k, slots=(k,), fixed=np.zeros(10)) for k, n in enumerate(("x", "v")))
    space = Space(
        names=("x", "v"),
        start=np.zeros(2),
        kinds=np.full(2, SIGMOID, dtype=np.uint64),
        scalars=np.column_stack([-UPPER, UPPER, np.ones(2)]),
        cap=np.full(2, 9.0),
        blocks=blocks,
        known=np.zeros(2),
    )
    core = Core(space, Tuning(process=WALK / STEP, iterations=5), np.full(2, NOISE**2), [0, 1], np.zeros(2))
    nothing, history = np.zeros((len(time), 1)), np.zeros((len(time), 2))
    core.run(time, nothing, nothing, nothing, np.tile(np.eye(2), (len(time), 1, 1)), read, history)
    return sigmoid(history, -UPPER, UPPER)
