"""States that excite everything, for questions about structure: what could a regressor see, whatever the motion?

Positions over the whole circle (or +-1 m), speeds of 2 rad/s and accelerations of 5 rad/s^2: entries of comparable size
beside gravity, so that a small singular value means structure and not a small number. Limits do not matter, because the
entries of a regressor are analytic in the state: what is dependent on a small range is dependent everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bifilar.dynamics.columns import Columns
from bifilar.dynamics.engine import current
from bifilar.dynamics.grouping import triangular_factor
from bifilar.dynamics.plan import Rows
from bifilar.dynamics.state import fixed_root
from bifilar.dynamics.tree import Array, Tree

SPEED, ACCELERATION, LOAD = 2.0, 5.0, 10.0  # [rad/s], [rad/s^2], [N m]: standard deviations
CHUNK = 2_000_000  # numbers of a regressor that are in memory at once


class RandomStates(NamedTuple):
    """Positions, velocities, accelerations, the root's nine numbers, load torques.

    >>> tree = Tree([0], [True], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
    >>> bool(abs(random_states(tree, Columns.none(1), 50, np.random.default_rng(0)).q).max() <= 1.0)
    True
    """

    q: Array
    v: Array
    a: Array
    root: Array
    load: Array


def random_states(tree: Tree, columns: Columns, samples: int, rng: np.random.Generator) -> RandomStates:
    """So many states. A floating root turns, accelerates and leans in every direction.

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
    >>> random_states(tree, Columns.none(1), 5, np.random.default_rng(0)).root.shape
    (1, 9)
    """
    slides = np.zeros(tree.n_coordinates, bool)
    slides[tree.coordinate] = tree.prismatic
    q = rng.uniform(-1, 1, (samples, tree.n_coordinates)) * np.where(slides, 1.0, np.pi)
    v = rng.normal(scale=SPEED, size=q.shape) * _slow(columns, samples, rng)
    a = rng.normal(scale=ACCELERATION, size=q.shape)
    load = rng.normal(scale=LOAD, size=q.shape)
    return RandomStates(q, v, a, _root(tree, samples, rng) if tree.floating else fixed_root(tree.gravity), load)


def random_factor(tree: Tree, columns: Columns, rows: Rows, *, seed: int = 0) -> tuple[Array, int]:
    """Triangular factor of the regressor at random states, divided by sqrt(samples), and how many samples those were.

    At least 100 samples and ten times as many rows as columns. An entry's size is a torque (RMS) per unit of a parameter.

    >>> tree = Tree([0], [False], [np.eye(3)], [[0, 0, 0]], [[0, 0, 1]])
    >>> R, samples = random_factor(tree, Columns.none(1), "joints")
    >>> R.shape, samples
    ((10, 10), 100)
    """
    above, root_columns = (0, 0) if rows == "joints" else (6, 10)
    height = above + (0 if rows == "base" else tree.n_coordinates)
    width = root_columns + 10 * tree.n_joints + columns.count
    samples = max(100, -(-10 * width // max(height, 1)))
    step = max(1, CHUNK // max(1, height * width))
    rng = np.random.default_rng(seed)

    def blocks() -> Iterator[Array]:
        for start in range(0, samples, step):
            state = random_states(tree, columns, min(step, samples - start), rng)
            yield current().regressor(tree, state.q, state.v, state.a, state.root, rows, columns, state.load)

    return triangular_factor(blocks() if height else (), width) / np.sqrt(samples), samples


def _slow(columns: Columns, samples: int, rng: np.random.Generator) -> Array:
    """Factors on the speed: half of the samples are slow where columns with a speed of their own would see none of them."""
    speed = columns.setting("speed")
    slow = np.unique(speed[np.isfinite(speed)]) / SPEED
    share = np.full(len(slow), 0.5 / max(len(slow), 1))
    return rng.choice(np.append(slow, 1.0), size=(samples, 1), p=np.append(share, 1.0 - share.sum()))


def _root(tree: Tree, samples: int, rng: np.random.Generator) -> Array:
    down = rng.normal(size=(samples, 3))
    down *= np.linalg.norm(tree.gravity) / np.linalg.norm(down, axis=1, keepdims=True)
    spin = rng.normal(scale=SPEED, size=(samples, 3))
    turn, push = rng.normal(scale=ACCELERATION, size=(2, samples, 3))
    return np.hstack([spin, turn, push - down])
