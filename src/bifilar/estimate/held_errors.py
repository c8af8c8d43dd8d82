"""Errors of every rung on motion that it was not fitted to, from triangular factors: no second look at the data.

validation   another recording, whole or block by block             every rung of one ladder
blocks       stretches of the training data, each predicted by a ladder that was climbed on the others; rungs of equal size
             belong together, so the errors are those of choosing a size, not of one list of parameters
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from bifilar.dynamics.reduce import BlockFactor, merge_blocks
from bifilar.dynamics.tree import Array
from bifilar.estimate.inner_blocks import folds
from bifilar.estimate.problem import Problem, chosen_columns
from bifilar.estimate.rungs import Path
from bifilar.estimate.subset import Triangle

Judged = Literal["noise", "torque"]  # errors in units of each joint's noise, or of all torque together
CLEAR = 2.0  # deviations beyond which a difference is not called luck


class Ratio(NamedTuple):
    """An error over the full model's.

    >>> Ratio(0.97, 0.01).words, Ratio(0.99, 0.01).words
    ('better than the full model', 'as good as the full model, as far as these motions can tell')
    """

    value: float
    deviation: float  # infinite: one part cannot tell

    @property
    def text(self) -> str:
        """The number, how far to trust it, and what follows.

        >>> Ratio(0.97, 0.01).text
        "0.970 +- 0.010 of the full model's error: better than the full model"
        """
        spread = f" +- {self.deviation:.3f}" if np.isfinite(self.deviation) else ""
        return f"{self.value:.3f}{spread} of the full model's error: {self.words}"

    @property
    def words(self) -> str:
        """Better, worse, or not to be told.

        >>> Ratio(1.5, 0.1).words
        'worse than the full model'
        """
        if not abs(self.value - 1) > CLEAR * self.deviation:
            return "as good as the full model, as far as these motions can tell"
        return "better than the full model" if self.value < 1 else "worse than the full model"


@dataclass(frozen=True, eq=False)
class HeldErrors:
    """Squared torque errors of rungs (steps, parts, joints) on parts that they were not fitted to.

    >>> held = HeldErrors(("a",), np.array([[[4.0]], [[1.0]]]), np.full((1, 1), 100.0), np.full((1, 1), 4.0), np.ones(1))
    >>> held.relative, held.rms.ravel()
    (array([0.2, 0.1]), array([1. , 0.5]))
    """

    joint_names: tuple[str, ...]
    squares: Array  # (steps, parts, joints) sums of squared errors
    torque: Array  # (parts, joints) sums of squared torques
    rows: Array  # (parts, joints)
    weights: Array  # (joints,) 1/noise of the full model on the fitted data

    @property
    def relative(self) -> Array:
        """|error| / |torque| over all joints, for every step.

        >>> HeldErrors(("a",), np.full((1, 1, 1), 4.0), np.full((1, 1), 16.0), np.ones((1, 1)), np.ones(1)).relative
        array([0.5])
        """
        return np.sqrt(self.squares.sum(axis=(1, 2)) / max(float(self.torque.sum()), 1e-300))

    @property
    def in_noise(self) -> Array:
        """Root mean square in units of each joint's noise, for every step.

        >>> HeldErrors(("a",), np.full((1, 1, 1), 4.0), np.ones((1, 1)), np.ones((1, 1)), np.full(1, 0.5)).in_noise
        array([1.])
        """
        return np.sqrt((self.squares * self.weights**2).sum(axis=(1, 2)) / max(float(self.rows.sum()), 1.0))

    @property
    def rms(self) -> Array:
        """Root mean square error of every joint in its own unit, (steps, joints).

        >>> HeldErrors(("a",), np.full((1, 1, 1), 4.0), np.ones((1, 1)), np.full((1, 1), 4.0), np.ones(1)).rms
        array([[1.]])
        """
        return np.sqrt(self.squares.sum(axis=1) / np.maximum(self.rows.sum(axis=0), 1.0))

    def by(self, judged: Judged) -> Array:
        """The one number per step that is compared.

        >>> held = HeldErrors(("a",), np.full((1, 1, 1), 4.0), np.full((1, 1), 16.0), np.ones((1, 1)), np.ones(1))
        >>> held.by("torque"), held.by("noise")
        (array([0.5]), array([2.]))
        """
        return self.relative if judged == "torque" else self.in_noise

    def over_full(self, step: int, judged: Judged) -> Ratio:
        """A step's error over that of the full model, with a deviation: parts are left out one by one (a jackknife).

        >>> squares = np.array([[[4.0], [4.0]], [[1.0], [1.0]]])
        >>> HeldErrors(("a",), squares, np.ones((2, 1)), np.ones((2, 1)), np.ones(1)).over_full(1, "noise")
        Ratio(value=0.5, deviation=0.0)
        """
        weights = self.weights if judged == "noise" else np.ones(len(self.joint_names))
        full, taken = ((self.squares[k] * weights**2).sum(axis=1) for k in (0, step))  # (parts,)
        count = len(full)
        if not full.sum() > 0:
            return Ratio(1.0, np.inf)
        value = float(np.sqrt(taken.sum() / full.sum()))
        rest = full.sum() - full
        if count < 2 or not np.all(rest > 0):
            return Ratio(value, np.inf)
        without = np.sqrt(np.maximum(taken.sum() - taken, 0.0) / rest)  # zero, to rounding, if one part has it all
        return Ratio(value, float(np.sqrt((count - 1) / count * np.sum((without - without.mean()) ** 2))))


def on_recordings(problem: Problem, values: Sequence[Array], weights: Array) -> HeldErrors:
    """Of models with these base values, block by block of another problem.

    >>> robot = bf.Robot.load("pendulum")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 100, 1))
    >>> problem = Problem.of(robot, (q, v, a, robot.inverse_dynamics(q, v, a)), friction=(), blocks=2)
    >>> bool(on_recordings(problem, [problem.prior()], np.ones(1)).relative < 1e-12)
    True
    """
    blocks = [chosen_columns(block, problem.base.columns) for block in problem.reduction.blocks]
    squares = np.array([[_squares(block, each) for block in blocks] for each in values])
    return HeldErrors(problem.row_names, squares, *_sizes(blocks), weights)


Climbed = Callable[[BlockFactor, Sequence[BlockFactor], Sequence[int]], tuple[Triangle, Path]]  # blocks and whose they are


def on_blocks(problem: Problem, sizes: Sequence[int], climb: Climbed, weights: Array, parts: int) -> HeldErrors:
    """Of models of these sizes: every part is predicted by the ladder that `climb` makes of the other blocks."""
    small = [chosen_columns(block, problem.base.columns) for block in problem.reduction.blocks]
    squares, held = [], []
    for inside, outside in folds(problem, parts):
        blocks, owners = [small[k] for k in inside], [problem.owners[k] for k in inside]
        triangle, path = climb(merge_blocks(blocks), blocks, owners)
        held.append(merge_blocks([small[k] for k in outside]))
        solved = {size: triangle.solved(path.at(size).kept).values for size in sizes}
        squares.append([_squares(held[-1], solved[size]) for size in sizes])
    return HeldErrors(problem.row_names, np.array(squares).swapaxes(0, 1), *_sizes(held), weights)


def _squares(block: BlockFactor, values: Array) -> list[float]:
    return [row.residual(values) ** 2 for row in block.rows]


def _sizes(blocks: Sequence[BlockFactor]) -> tuple[Array, Array]:
    torque = [[float(np.sum(row.triangle[:, -1] ** 2)) for row in block.rows] for block in blocks]
    return np.array(torque), np.array([[float(row.samples) for row in block.rows] for block in blocks])
