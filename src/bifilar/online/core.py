"""The filter's private numbers, and one call that takes samples in: compiled where numba is, NumPy where not.

A `Belief` is a copy of these numbers; nothing outside changes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import engine
from bifilar.filters.factors import Factors, factored
from bifilar.online.space import Space
from bifilar.online.tables import (
    ACCEPTED,
    BEGAN,
    CLOCK,
    FOLDED,
    HUGE,
    LAST,
    LIMITS,
    LOG_CHOLESKY,
    MEMORY,
    NOT_FINITE,
    OLDER,
    REFUSED,
    SCALAR,
    SIGMOID,
    STALE,
    STARTED,
    UPDATES,
)
from bifilar.online.tuning import Tuning
from bifilar.robot.inertia import Array


def first_variances(space: Space, tuning: Tuning) -> Array:
    """Variances of the states at the start.

    >>> from bifilar.online.states import space_of
    >>> first_variances(space_of(bf.Robot.load("pendulum"), ("link1.mass",)), Tuning(relative=0.3)).round(4)
    array([0.36])
    """
    if tuning.relative is None:
        out = np.full(len(space), tuning.prior**2)
        if tuning.drives is not None:
            out[[block.slots[0] for block in space.blocks if block.kind == SCALAR]] = tuning.drives**2
        return out
    p, dp = space.values(space.start)
    size = np.abs(p)
    for block in space.blocks:
        if block.name + ".alpha" in space.names:  # logarithms of lengths and of the root of the mass; lengths
            s = np.array(block.slots)
            size[s] = np.where(dp[s] == 1.0, 0.5, dp[s])
    spread = space.scalars[:, 1] - np.where(space.kinds == SIGMOID, space.scalars[:, 0], 0.0)
    size = np.where(size > 1e-6 * np.abs(spread), size, 0.25 * np.abs(spread))  # a share of zero is nothing
    return np.asarray((tuning.relative * size / dp) ** 2)


class Core:
    """State and factors of a filter that reads `rows` numbers per sample; columns[k] is the first column of block k in W.

    >>> from bifilar.online.states import space_of
    >>> space = space_of(bf.Robot.load("pendulum"), ("link1.mass",))
    >>> core = Core(space, Tuning(), np.array([0.01]), [0], np.zeros(10))
    >>> one = np.zeros((1, 1))
    >>> w = np.zeros((1, 1, 10)); w[0, 0, 0] = 1.0
    >>> core.run(np.zeros(1), one, one, one, w, np.array([[1.1]]))
    array([0.])
    >>> space.values(core.x)[0].round(3)
    array([1.096])
    """

    def __init__(
        self, space: Space, tuning: Tuning, noise: Array, columns: list[int], known: Array, limits: Array | None = None
    ) -> None:
        n, m = len(space), len(noise)
        self.space, self.tuning, self.noise = space, tuning, np.array(noise, dtype=float)
        self.known = np.array(known, dtype=float)
        self.prior = first_variances(space, tuning)
        self.limits = limits
        change = tuning.change
        gate = (change.limit(m), float(change.patience)) if change is not None else (0.0, 0.0)
        self.settings = np.array([tuning.process, tuning.anneal or 0.0, tuning.forgetting, float(tuning.iterations), *gate])
        self.rates = np.ones(n)
        self.opened = self.prior * (0.0 if change is None else change.opening**2)
        self.blocks, self.slots, self.constants = space.tables(columns)
        self._sizes()
        self.x, self.u, self.d = space.start.copy(), np.zeros(n * n), self.prior.copy()
        self.owed, self.memory, self.seen = np.zeros(n), np.zeros(MEMORY), np.zeros(n)
        self._compiled = engine.current().__name__.endswith("fast")
        sizes = (n, n, len(known), max(20, m), 10 * n, m * n, m, n, m * n, m * m, n, n)
        self.work = tuple(np.zeros(size) for size in sizes)
        self.head = self._head()

    def _sizes(self) -> None:
        """First variances of the ten numbers of log-Cholesky blocks, in the place of numbers that they do not have."""
        slope = self.space.parameters(self.space.start)[1]
        variances = np.einsum("ij,j,ij->i", slope, self.prior, slope)
        for k, block in enumerate(self.space.blocks):
            if block.kind == LOG_CHOLESKY:
                self.constants[k, :10] = variances[np.array(block.slots)]

    def _head(self) -> tuple[Any, ...]:
        """Arguments of the kernel that stay the same."""
        space = self.space
        return (
            *(self.x, self.u, self.d, self.owed, self.memory, self.seen),
            *(space.scalars, space.kinds, self.blocks, self.slots, self.constants, self.known),
            *(self.settings, self.prior, self.rates, space.cap, self.opened, self.noise),
        )

    @property
    def kernel(self) -> Any:
        """What takes samples in."""
        if self._compiled:
            from bifilar.online.kernels.filter import run

            return run.compiled
        from bifilar.online.plain_steps import run_plain

        return run_plain

    def run(self, time: Array, q: Array, v: Array, a: Array, w: Array, reading: Array, history: Array | None = None) -> Array:
        """Take in samples; w (N, rows, columns), reading (N, rows). Returns a status code each.

        >>> from bifilar.online.states import space_of
        >>> core = Core(space_of(bf.Robot.load("pendulum"), ("link1.mass",)), Tuning(), np.ones(1), [0], np.zeros(10))
        >>> one = np.zeros((1, 1))
        >>> core.run(np.zeros(1), one, one, one, np.zeros((1, 1, 10)), np.full((1, 1), np.nan))
        array([2.])
        """
        status = np.empty(len(time))
        time, q, v, a, w, reading = (np.ascontiguousarray(x, dtype=float) for x in (time, q, v, a, w, reading))
        assert w.shape == (len(time), len(self.noise), len(self.known)), w.shape  # the kernel does not look
        limits = self._limits(q.shape[1], reading.shape[1])
        kept = np.zeros((0, len(self.x))) if history is None else history
        self.kernel(*self.head, time, q, v, a, limits, w.reshape(-1), reading, *self.work, status, kept)
        return status

    def looked(self, time: Array, q: Array, v: Array, a: Array, reading: Array) -> NDArray[np.int64]:
        """Status codes of samples that are looked at and counted, but not taken in."""
        limits, memory = self._limits(q.shape[1], reading.shape[1]), self.memory
        n, m = q.shape[1], reading.shape[1]
        codes = np.full(len(time), ACCEPTED)
        outside = (q < limits[0, :n]) | (q > limits[1, :n]) | (np.abs(v) > limits[2, :n])
        codes[outside.any(axis=1) | (np.abs(reading) > limits[3, :m]).any(axis=1)] = LIMITS
        codes[~np.isfinite(np.column_stack([time, q, v, a, reading])).all(axis=1)] = NOT_FINITE
        last = memory[LAST] if memory[STARTED] else -np.inf
        for k in range(len(time)):
            if codes[k] == ACCEPTED:
                codes[k], last = (ACCEPTED, time[k]) if self._newer(time[k], last) else (STALE, last)
        taken = codes == ACCEPTED
        if taken.any():
            memory[BEGAN] = memory[BEGAN] if memory[STARTED] else time[taken][0]
            memory[STARTED], memory[LAST], memory[UPDATES] = 1.0, last, memory[UPDATES] + taken.sum()
        return codes

    def usable(self, w: Array, reading: Array) -> NDArray[np.bool_]:
        """Which samples have numbers to compute with; the others are counted out, and these are remembered as excitation.

        Rows are white: sizes are in deviations of the reading.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            effect = np.abs(w @ self.space.gathered(self.x)[1]) * np.sqrt(self.prior)
            good = np.asarray((effect < FOLDED).all(axis=(1, 2)) & (np.abs(reading) < FOLDED).all(axis=1))
            good &= (np.abs(w) < HUGE).all(axis=(1, 2))
        self.memory[UPDATES] -= np.sum(~good)
        if not good.any():
            return good
        w, effect = w[good], effect[good] ** 2
        for k, block in enumerate(self.space.blocks):
            if block.kind == LOG_CHOLESKY:  # the ten numbers' own columns
                own = w[:, :, 10 * k : 10 * k + 10]
                own = own if block.move is None else own @ block.move
                effect[:, :, np.array(block.slots)] = own**2 * self.constants[k, :10]
        np.maximum(self.seen, effect.max(axis=(0, 1)), out=self.seen)
        return good

    def _newer(self, now: float, last: float) -> bool:
        """Whether a stamp is newer than the last; or the clock was set back (see `tables.CLOCK`)."""
        memory = self.memory
        if not now > last:
            memory[OLDER] = memory[OLDER] + 1.0 if memory[OLDER] > 0 and now > memory[REFUSED] else 1.0
            memory[REFUSED] = now
            if memory[OLDER] < CLOCK:
                return False
        memory[OLDER] = 0.0
        return True

    def _limits(self, joints: int, rows: int) -> Array:
        if self.limits is None:
            self.limits = no_limits(joints, rows)
        return self.limits

    @property
    def factors(self) -> Factors:
        """A copy of the covariance's factors."""
        n = len(self.x)
        return Factors(np.triu(self.u.reshape(n, n).T, 1) + np.eye(n), self.d.copy())

    def put(self, mean: Array, covariance: Array) -> None:
        """Other mean and covariance.

        >>> from bifilar.online.states import space_of
        >>> core = Core(space_of(bf.Robot.load("pendulum"), ("link1.mass",)), Tuning(), np.ones(1), [0], np.zeros(10))
        >>> core.put(np.ones(1), np.full((1, 1), 0.25))
        >>> core.x, core.d
        (array([1.]), array([0.25]))
        """
        factors = factored(covariance)
        self.x[:] = np.clip(mean, -self.space.cap, self.space.cap)
        self.u[:] = np.tril(factors.u.T, -1).ravel()
        self.d[:] = factors.d


def no_limits(joints: int, rows: int) -> Array:
    """Limits that nothing exceeds, (4, joints or rows).

    >>> no_limits(2, 3).shape
    (4, 3)
    """
    limits = np.full((4, max(joints, rows)), np.inf)
    limits[0] = -np.inf
    return limits
