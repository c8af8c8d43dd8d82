"""The state of a parameter filter: which numbers it holds, how they become parameters, and how those enter the regressor.

A block is a body (or something it carries) or a single drive coefficient. Ten slots of a block are states or fixed numbers;
they become ten inertial parameters by one of the descriptions of `body_maps`, moved into the body's frame where needed. The
tables here are what `kernel_maps` eats; `parameters` and `columns` are the same in NumPy, for reports and tests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bifilar.errors import RobotError
from bifilar.online.body_maps import log_cholesky, principal
from bifilar.online.maps import sigmoid, sigmoid_slope
from bifilar.online.possible import nearest_possible
from bifilar.online.tables import (
    AXES,
    CONSTANTS,
    FIXED,
    LOG_CHOLESKY,
    MOVE,
    PRINCIPAL,
    REST,
    SCALAR,
    SECOND,
    SIGMOID,
    SLOTS,
    TEN,
)
from bifilar.robot.inertia import PARAMETERS, Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Block:
    """One body, or one drive coefficient.

    >>> Block(name="link1", kind=SCALAR, column=70, slots=(0,), fixed=np.zeros(10)).moved
    False
    """

    name: str  # of the body, the payload or the drive coefficient
    kind: int
    column: int  # its first column among all columns, the root's ten first
    slots: tuple[int, ...]  # states in its slots; -1: fixed
    fixed: Array  # (10,) numbers of the slots that are not states
    axes: Array | None = None  # of the moments
    rest: Array | None = None  # inertia beside the moments
    move: Array | None = None  # (10, 10) into the frame of the body
    link: str = ""  # that carries it

    @property
    def moved(self) -> bool:
        """Whether its numbers are of another frame than the body's.

        >>> Block(name="a", kind=SCALAR, column=0, slots=(0,), fixed=np.zeros(10), move=np.eye(10)).moved
        True
        """
        return self.move is not None

    def ten(self, p: Array) -> tuple[Array, Array]:
        """Ten numbers in the body's frame and their derivatives by the parameters in the slots (10, slots).

        >>> Block(name="a", kind=0, column=0, slots=tuple(range(10)), fixed=np.zeros(10)).ten(np.arange(10.0))[0][3]
        np.float64(3.0)
        """
        values = np.array([self.fixed[k] if s < 0 else p[s] for k, s in enumerate(self.slots)])
        if self.kind in (PRINCIPAL, SECOND):
            values, slope = self._principal(values)
        elif self.kind == LOG_CHOLESKY:
            values, slope = log_cholesky(values)
        else:
            slope = np.eye(len(values))
        return (values, slope) if self.move is None else (self.move @ values, self.move @ slope)

    def _principal(self, values: Array) -> tuple[Array, Array]:
        known = np.array([s < 0 for s in self.slots[4:7]])
        seven = values[:7].copy()
        seven[4:7] = np.where(known, values[0] * self.fixed[4:7], values[4:7])  # a known centre of mass: h = m c
        assert self.axes is not None
        ten, slope = principal(seven, self.axes, self.rest, second=self.kind == SECOND)
        slope[:, 0] += slope[:, 4:7] @ np.where(known, self.fixed[4:7], 0.0)
        return ten, np.pad(slope, ((0, 0), (0, 3)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Space:
    """States, maps and blocks; made by `states.space_of` or `payload.payload_space`.

    >>> from bifilar.online.states import space_of
    >>> space_of(bf.Robot.load("pendulum"), ("link1.mass",)).names
    ('link1.mass',)
    """

    names: tuple[str, ...]  # of the states
    start: Array  # (n,)
    kinds: NDArray[np.uint64]  # (n,)
    scalars: Array  # (n, 3)
    cap: Array  # (n,) the size a state never exceeds
    blocks: tuple[Block, ...]
    known: Array  # (columns,) what is taken as known, the root's ten first, zero where a block says it all
    physical: bool = False  # linear inside; given out as the nearest bodies that can exist, and inside the walls
    walls: tuple[tuple[int, float, float], ...] = ()  # place of a number, its bounds

    def __len__(self) -> int:
        return len(self.names)

    def values(self, x: Array) -> tuple[Array, Array]:
        """One number for each state, and its derivative.

        >>> from bifilar.online.states import space_of
        >>> space = space_of(bf.Robot.load("pendulum"), ("link1.mass",))
        >>> space.values(space.start)[0]
        array([1.])
        """
        first, second, third = self.scalars.T
        bounded = self.kinds == SIGMOID
        p = np.where(bounded, sigmoid(x, first, second, third), first + second * x)
        return p, np.where(bounded, sigmoid_slope(x, first, second, third), second)

    @property
    def is_linear(self) -> bool:
        """Whether readings are linear in the state: then every update is exact.

        >>> from bifilar.online.states import space_of
        >>> space_of(bf.Robot.load("pendulum"), ("link1.mass",)).is_linear
        False
        """
        return not (self.kinds == SIGMOID).any() and all(block.kind in (TEN, SCALAR) for block in self.blocks)

    def given_out(self, x: Array, root: Array) -> Array:
        """The state to show and to use: x itself, or that of the nearest bodies that can exist.

        `root`: a root of the inverse covariance of the state.

        >>> from bifilar.online.states import space_of
        >>> space = space_of(bf.Robot.load("pendulum"), ("link1.*",), form="ten", constraint="physical")
        >>> heavy = np.array([-3.0, *np.zeros(9)])  # a negative mass
        >>> bool(space.values(heavy)[0][0] < 0 < space.values(space.given_out(heavy, np.eye(10)))[0][0])
        True
        """
        if not self.physical:
            return x
        first, second = self.scalars[:, 0], self.scalars[:, 1]
        bodies = [block.slots for block in self.blocks if block.kind == TEN]
        return np.asarray((nearest_possible(first + second * x, root / second, bodies, self.walls) - first) / second)

    def columns(self, x: Array) -> tuple[Array, Array]:
        """Parameters of all columns, (columns,), and their derivatives by the state, (columns, n).

        >>> from bifilar.online.states import space_of
        >>> space = space_of(bf.Robot.load("pendulum"), ("link1.mass",))
        >>> bool(np.allclose(space.columns(space.start)[0], bf.Robot.load("pendulum").parameters("both").values))
        True
        """
        p, dp = self.values(x)
        phi, slope = self.known.copy(), np.zeros((len(self.known), len(x)))
        for block in self.blocks:
            if block.kind == SCALAR:
                phi[block.column] += p[block.slots[0]]
                slope[block.column, block.slots[0]] = dp[block.slots[0]]
                continue
            ten, by = block.ten(p)
            rows = slice(block.column, block.column + 10)
            phi[rows] += ten
            for k, s in enumerate(block.slots):
                if s >= 0:
                    slope[rows, s] += by[:, k] * dp[s]
        return phi, slope

    def gathered(self, x: Array) -> tuple[Array, Array]:
        """Ten numbers of each block, one after the other, and their derivatives by the state: what `stack` has columns for.

        >>> from bifilar.online.states import space_of
        >>> space = space_of(bf.Robot.load("pendulum"), ("link1.mass",))
        >>> space.gathered(space.start)[0][0]
        np.float64(1.0)
        """
        p, dp = self.values(x)
        tens, slope = np.zeros(10 * len(self.blocks)), np.zeros((10 * len(self.blocks), len(x)))
        for b, block in enumerate(self.blocks):
            if block.kind == SCALAR:
                tens[10 * b], slope[10 * b, block.slots[0]] = p[block.slots[0]], dp[block.slots[0]]
                continue
            tens[10 * b : 10 * b + 10], by = block.ten(p)
            for k, s in enumerate(block.slots):
                if s >= 0:
                    slope[10 * b : 10 * b + 10, s] = by[:, k] * dp[s]
        return tens, slope

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """What is reported: the states' own names, ten numbers for a block that is a log-Cholesky vector.

        >>> from bifilar.online.states import space_of
        >>> space_of(bf.Robot.load("pendulum"), ("link1.*",), form="log_cholesky").parameter_names[0]
        'link1.mass'
        """
        names = list(self.names)
        for block in self.blocks:
            if block.kind == LOG_CHOLESKY:
                for word, s in zip(PARAMETERS, block.slots):
                    names[s] = f"{block.name}.{word}"
        return tuple(names)

    def parameters(self, x: Array) -> tuple[Array, Array]:
        """Reported parameters and their derivatives by the state, (n, n).

        >>> from bifilar.online.states import space_of
        >>> space = space_of(bf.Robot.load("pendulum"), ("link1.*",), form="log_cholesky")
        >>> space.parameters(space.start)[0][0].round(12)
        np.float64(1.0)
        """
        p, dp = self.values(x)
        values, slope = p.copy(), np.diag(dp)
        for block in self.blocks:
            if block.kind == LOG_CHOLESKY:
                s = np.array(block.slots)
                ten, by = replace(block, move=None).ten(p)
                values[s] = ten
                slope[np.ix_(s, s)] = by * dp[s]
        return values, slope

    def tables(self, columns: list[int]) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Array]:
        """Blocks, slots and constants as the kernel takes them; `columns`: first column of each block there.

        >>> from bifilar.online.states import space_of
        >>> space_of(bf.Robot.load("pendulum"), ("link1.mass",)).tables([0])[1].shape
        (1, 10)
        """
        blocks = np.zeros((len(self.blocks), 3), dtype=np.uint64)
        slots = np.full((len(self.blocks), SLOTS), FIXED, dtype=np.uint64)
        constants = np.zeros((len(self.blocks), CONSTANTS))
        for k, (block, column) in enumerate(zip(self.blocks, columns, strict=True)):
            blocks[k] = block.kind, column, block.moved
            for place, s in enumerate(block.slots):
                if s >= 0:
                    slots[k, place] = s
            constants[k, : len(block.fixed)] = block.fixed
            constants[k, AXES:REST] = np.eye(3).ravel() if block.axes is None else block.axes.ravel()
            constants[k, REST:MOVE] = 0.0 if block.rest is None else block.rest
            constants[k, MOVE:] = np.eye(10).ravel() if block.move is None else block.move.ravel()
        return blocks, slots, constants


def refuse_outside(name: str, value: float, low: float, high: float) -> None:
    """A start that its bounds exclude gets a letter.

    >>> refuse_outside("link1.mass", 3.0, 0.0, 2.0)
    Traceback (most recent call last):
    ...
    bifilar.errors.RobotError: 'link1.mass' starts at 3, outside its bounds 0 and 2
      try     start inside: start={"link1.mass": 1}, or widen the bounds
    """
    if not low < value < high:
        raise RobotError("bounds.outside/space", name=name, value=value, low=low, high=high, low_2=low + high)
