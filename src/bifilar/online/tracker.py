"""What every parameter filter does: takes samples in, never raises, never returns NaN, and can be asked what it believes.

A tracker changes: it belongs to one loop. What it gives out, beliefs and robots, never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics import engine
from bifilar.errors import RobotError, ShapeError
from bifilar.filters.belief import Belief
from bifilar.online.core import Core, no_limits
from bifilar.online.exact import Memory
from bifilar.online.incoming import _joint_rows, _limits, _table, _vector
from bifilar.online.measurements import Measurement, Torque, covariance_of
from bifilar.online.outcome import OUTCOMES, Outcome
from bifilar.online.space import Space
from bifilar.online.stack import stacked
from bifilar.online.tables import ACCEPTED, LAST, MALFORMED, NOT_FINITE, SIGMOID, SINGULAR, STARTED, SURPRISE, UNUSABLE, UPDATES
from bifilar.online.tuning import Tuning
from bifilar.robot.inertia import Array
from bifilar.robot.robot import Robot

CHUNK = 2048  # samples of a recording whose regressor is formed at once
EXCITED = 1e-12  # squared effect of a state on a reading, in their deviations, below which it has none
LEARNT = 0.9  # a state whose deviation is still above this share of what it would be without data has not been seen
TOGETHER = 8  # samples that wait to become rows of an exact filter's triangle
PERIOD = 1e-3  # [s] between samples that have no stamps


class Tracker:
    """A filter on some parameters of a robot; made by `ParameterFilter` and `attach`."""

    def __init__(
        self,
        robot: Robot,
        space: Space,
        measurements: Measurement | Sequence[Measurement],
        tuning: Tuning | None = None,
        *,
        limits: bool = True,
        general: bool = False,
    ) -> None:
        if robot.is_floating:
            raise RobotError("robot.floating/tracker")
        if robot.drive_columns.columns.needs_load:
            raise RobotError("friction.not_linear/tracker")
        self.robot_before, self.space, self.tuning = robot, space, tuning or Tuning()
        self.measurements: tuple[Measurement, ...] = (
            tuple(measurements) if isinstance(measurements, Sequence) else (measurements,)
        )
        if not self.measurements:
            raise ShapeError("measurements.none")
        self.row_names = tuple(name for each in self.measurements for name in each.row_names(robot))
        exact = self.tuning.exact
        exact = self.tuning.constant and not space.is_linear if exact is None else exact
        self._simple = not general and not exact and self._is_simple()
        self._limited = limits
        self._core = self._made(limits)
        self._memory = Memory(space, self._core.prior) if exact else None
        self._waiting: list[tuple[Array, ...]] = []  # samples that were looked at and are not yet in the memory
        self._later = exact and not general and all(not hasattr(each, "smallest") for each in self.measurements)
        self._out: tuple[bytes, Array] | None = None  # what was given out last, and for which belief
        self._one: Any = None
        self._buffers()

    def _is_simple(self) -> bool:
        """Torques alone with independent noise, nothing of the root: the regressor's own columns serve."""
        only = self.measurements[0]
        if len(self.measurements) > 1 or type(only) is not Torque:
            return False
        noise = covariance_of(only.noise, len(self.row_names))[0]
        return not np.any(noise - np.diag(np.diag(noise))) and all(block.column >= 10 for block in self.space.blocks)

    def _made(self, limits: bool) -> Core:
        n, m = len(self.robot_before.joint_names), len(self.row_names)
        bounds = _limits(self.robot_before, m, self._simple) if limits else no_limits(n, m)
        if self._simple:
            columns = [block.column - 10 for block in self.space.blocks]
            noise = np.diag(covariance_of(self.measurements[0].noise, m)[0])
            return Core(self.space, self.tuning, noise, columns, self.space.known[10:], bounds)
        for each in self.measurements:  # refuses a noise or a frame that cannot be
            covariance_of(each.noise, n if hasattr(each, "smallest") else len(each.row_names(self.robot_before)))
            each.known(self.robot_before, self.space.known)
        columns = [10 * k for k in range(len(self.space.blocks))]
        return Core(self.space, self.tuning, np.ones(m), columns, np.zeros(10 * len(columns)), bounds)

    def _buffers(self) -> None:
        """What one update needs, once."""
        n, m = len(self.robot_before.joint_names), len(self.row_names)
        self._shape_in, self._shape_out = (n,), (m,)
        self._time, self._reading, self._status = np.zeros(1), np.zeros((1, m)), np.zeros(1)
        if self._simple and engine.current().__name__.endswith("fast"):
            from bifilar.online.one_sample import OneSample

            self._one = one = OneSample(self.robot_before)
            core = self._core
            kept = np.zeros((0, len(core.x)))
            data = (self._time, one.q, one.v, one.a, core.limits, one.matrix.reshape(-1), self._reading)
            self._arguments = (*core.head, *data, *core.work, self._status, kept)
            self._kernel = core.kernel

    def generally(self) -> Tracker:
        """A fresh filter like this one that takes any noise with each sample.

        >>> bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1).generally().row_names
        ('joint1',)
        """
        same = (self.robot_before, self.space, self.measurements, self.tuning)
        return Tracker(*same, limits=self._limited, general=True)

    # ---- taking samples in

    def update(
        self, position: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, reading: ArrayLike, time: float | None = None
    ) -> Outcome:
        """Take in one sample: one number per joint, one per row of the measurements (`row_names`), its stamp [s].

        Never raises and never leaves NaN behind: a sample that cannot be used is refused, and the answer says why.

        >>> tracker = bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1)
        >>> print(tracker.update([0.5], [0.0], [0.0], [np.nan], 0.0), tracker.update([0.5], [0.0], [0.0], [5.0], 0.01))
        not finite accepted
        """
        one = self._one
        if one is None:
            return self._update_generally(position, velocity, acceleration, reading, time)
        try:
            shape = self._shape_in
            one.q[0] = position if position.shape == shape else _vector(position, shape)  # type: ignore[union-attr]
            one.v[0] = velocity if velocity.shape == shape else _vector(velocity, shape)  # type: ignore[union-attr]
            one.a[0] = acceleration if acceleration.shape == shape else _vector(acceleration, shape)  # type: ignore[union-attr]
            shape = self._shape_out
            self._reading[0] = reading if reading.shape == shape else _vector(reading, shape)  # type: ignore[union-attr]
            self._time[0] = self._core.memory[LAST] + PERIOD if time is None else time
        except Exception:  # whatever a foreign object raises: lists have no shape, others have worse
            if not self._fill(position, velocity, acceleration, reading, time):
                return OUTCOMES[MALFORMED]
        one.compute()
        self._kernel(*self._arguments)
        return OUTCOMES[int(self._status[0])]

    def _fill(self, position: object, velocity: object, acceleration: object, reading: object, time: float | None) -> bool:
        """The same for lists and numbers of other types."""
        try:
            for to, given in zip((self._one.q, self._one.v, self._one.a), (position, velocity, acceleration)):
                to[0] = _vector(given, self._shape_in)
            self._reading[0] = _vector(reading, self._shape_out)
            self._time[0] = self._core.memory[LAST] + PERIOD if time is None else float(time)
        except Exception:  # whatever a foreign object raises when it is asked for numbers
            return False
        return True

    def _update_generally(self, *given: Any) -> Outcome:
        """Any stack of measurements, or without compiled code."""
        position, velocity, acceleration, reading, time = given
        try:
            state = tuple(_vector(x, self._shape_in)[None] for x in (position, velocity, acceleration))
            rows = _vector(reading, self._shape_out)[None]
            now = np.array([self._core.memory[LAST] + PERIOD if time is None else float(time)])
            if self._later:
                return OUTCOMES[self._put_off(now, state, rows)]  # type: ignore[arg-type]
            return OUTCOMES[int(self._take(now, state, rows)[0])]  # type: ignore[arg-type]
        except Exception:
            return OUTCOMES[MALFORMED]

    def run(
        self, time: ArrayLike, position: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, reading: ArrayLike
    ) -> NDArray[np.int64]:
        """Take in many samples, (N, joints) and (N, rows); returns a status code each (see `outcome.OUTCOMES`).

        >>> tracker = bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1)
        >>> tracker.run([0.0, 0.1], [[0.5], [0.6]], np.zeros((2, 1)), np.zeros((2, 1)), [[5.0], [np.inf]])
        array([0, 2])
        """
        names = self.robot_before.joint_names
        t = np.asarray(time, dtype=float).reshape(-1)
        with np.errstate(all="ignore"):
            state = tuple(
                _table(k, x, len(names))
                for k, x in (("position", position), ("velocity", velocity), ("acceleration", acceleration))
            )
        rows = _table("reading", reading, len(self.row_names))
        if not len(t) == len(rows) == len(state[0]) == len(state[1]) == len(state[2]):
            raise ShapeError("shapes.differ/tracker", t_count=len(t), row_count=len(rows), state_count=len(state[0]))
        parts = [slice(k, min(k + CHUNK, len(t))) for k in range(0, len(t), CHUNK)]
        codes = [self._take(t[part], tuple(x[part] for x in state), rows[part]) for part in parts]  # type: ignore[arg-type]
        return np.concatenate(codes) if codes else np.zeros(0, dtype=np.int64)

    def _take(
        self, time: Array, state: tuple[Array, Array, Array], reading: Array, more_noise: Array | None = None
    ) -> NDArray[np.int64]:
        state = tuple(np.ascontiguousarray(x) for x in state)  # type: ignore[assignment]
        if self._simple and more_noise is None:
            matrix = _joint_rows(self.robot_before, *state)
            return self._core.run(time, *state, matrix, reading).astype(np.int64)
        if self._simple:
            raise ShapeError("filter.correlated_noise")
        finite = np.isfinite(np.concatenate([*state, reading], axis=1)).all(axis=1)
        q, v, a = (np.where(finite[:, None], x, 0.0) for x in state)
        rows = stacked(
            self.robot_before, self.space, self.measurements, (q, v, a), np.where(finite[:, None], reading, 0.0), more_noise
        )
        white = np.where((finite & rows.exists)[:, None], rows.reading, np.nan)
        codes = self._codes(time, state, rows.matrix, white)
        return np.where((codes == NOT_FINITE) & finite & ~rows.exists, SINGULAR, codes)

    def _codes(self, time: Array, state: tuple[Array, Array, Array], matrix: Array, white: Array) -> NDArray[np.int64]:
        """Rows into the filter, or into the memory of all readings."""
        if self._memory is None:
            return self._core.run(time, *state, matrix, white).astype(np.int64)
        codes = self._core.looked(time, *state, white)
        taken = np.flatnonzero(codes == ACCEPTED)
        good = self._core.usable(matrix[taken], white[taken])
        self._memory.add(matrix[taken][good], white[taken][good])
        codes[taken[~good]] = UNUSABLE
        return codes

    def _put_off(self, time: Array, state: tuple[Array, Array, Array], reading: Array) -> int:
        """One sample is looked at; what it says is kept until there are several, or until somebody asks."""
        code = int(self._core.looked(time, *state, reading)[0])
        if code == ACCEPTED:
            self._waiting.append((*state, reading))
            if len(self._waiting) >= TOGETHER:
                self._fold()
        return code

    def _fold(self) -> None:
        """What waits becomes rows of the triangle."""
        if self._memory is None or not self._waiting:
            return
        q, v, a, reading = (np.concatenate(parts) for parts in zip(*self._waiting))
        self._waiting.clear()
        with np.errstate(all="ignore"):
            rows = stacked(self.robot_before, self.space, self.measurements, (q, v, a), reading)
        good = self._core.usable(rows.matrix, rows.reading)
        self._memory.add(rows.matrix[good], rows.reading[good])

    def _settle(self) -> None:
        """The mode of all readings, before anything is told."""
        self._fold()
        core, memory = self._core, self._memory
        if memory is not None and memory.fresh:
            try:
                found = memory.mode(core.x)
                if np.isfinite(found[0]).all() and np.isfinite(found[1]).all():
                    core.put(*found)
            except (np.linalg.LinAlgError, ShapeError):  # the belief stays as it was
                pass

    def _shown(self) -> Array:
        """The state that is told: of bodies that can exist, where the filter itself does not see to it."""
        self._settle()
        core = self._core
        if not self.space.physical:
            return core.x
        key = core.x.tobytes() + core.u.tobytes() + core.d.tobytes()
        if self._out is None or self._out[0] != key:
            factors = core.factors
            root = np.linalg.inv(factors.u) / np.sqrt(factors.d)[:, None]
            self._out = key, self.space.given_out(core.x, root)
        return self._out[1]

    # ---- what it believes

    @property
    def time(self) -> float:
        """Stamp of the last sample that was taken in [s].

        >>> bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1).time
        0.0
        """
        return float(self._core.memory[LAST])

    @property
    def updates(self) -> int:
        """Samples that were taken in.

        >>> bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1).updates
        0
        """
        self._fold()
        return int(self._core.memory[UPDATES])

    @property
    def surprise(self) -> float:
        """Normalised squared innovation of the last sample, where there is a gate; as large as the rows are many on average.

        >>> bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1).surprise
        0.0
        """
        return float(self._core.memory[SURPRISE])

    @property
    def state(self) -> Belief:
        """The belief about the states: sigmoids' arguments, log-Cholesky numbers.

        >>> bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1).state
        Belief(link1.mass 0 +- 1)
        """
        self._settle()
        return Belief(self._core.x.copy(), self._core.factors.covariance, self.space.names, self.time)

    @property
    def belief(self) -> Belief:
        """The belief about the parameters; deviations by the derivative of the map where it is.

        >>> bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1).belief
        Belief(link1.mass 1 +- 0.5)
        """
        values, slope = self.space.parameters(self._shown())
        return Belief(values, slope @ self._core.factors.covariance @ slope.T, self.space.parameter_names, self.time)

    @property
    def never_excited(self) -> tuple[str, ...]:
        """States that have had no effect on any reading so far: their columns were zero all the time.

        >>> tracker = bf.ParameterFilter(bf.Robot.load("pendulum"), ("*.mass",), noise=0.1)
        >>> tracker.never_excited
        ('link1.mass',)
        """
        self._fold()
        return tuple(name for name, seen in zip(self.space.parameter_names, self._core.seen) if seen < EXCITED)

    @property
    def not_seen(self) -> tuple[str, ...]:
        """Parameters that the readings so far say next to nothing about: their deviation is still what it was.

        >>> bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1).not_seen
        ('link1.mass',)
        """
        self._settle()
        core = self._core
        slope = self.space.parameters(core.x)[1]  # the same for both: a load that has become heavy is not less known for it
        before = np.einsum("ij,j,ij->i", slope, core.prior, slope)
        after = np.einsum("ij,jk,ik->i", slope, core.factors.covariance, slope)
        unsure = np.sqrt(after) > LEARNT * np.sqrt(before)
        if (near := (self.space.kinds == SIGMOID) & (np.abs(core.x) > 0.5 * self.space.cap) & (core.seen >= EXCITED)).any():
            # a state at its bound is kept unsure so that it may return; the parameter is known all the same
            first = self.space.values(self.space.start)[1] * np.sqrt(core.prior)
            unsure &= ~(near & (np.sqrt(after) < LEARNT * first))
        return tuple(name for name, unseen in zip(self.space.parameter_names, unsure) if unseen)

    @property
    def robot(self) -> Robot:
        """The robot with the parameters as they are believed now.

        >>> bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1).robot.link("link1").inertia.mass
        1.0
        """
        columns = self.space.columns(self._shown())[0]
        bodies = 10 * len(self.robot_before.body_names)
        drives = dict(zip(self.robot_before.drive_columns.names, columns[bodies:].tolist()))
        changed = self.robot_before.with_body_parameters(columns[:bodies].reshape(-1, 10))
        return changed.with_parameters(drives) if drives else changed

    def reset(self, belief: Belief | None = None) -> None:
        """Back to the start, or to a belief about the states (`tracker.state` of another one).

        >>> tracker = bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.1)
        >>> tracker.update([0.5], [0.0], [0.0], [6.0], 0.0).word
        'accepted'
        >>> tracker.reset()
        >>> tracker.belief
        Belief(link1.mass 1 +- 0.5)
        """
        core = self._core
        self._waiting.clear()
        for array in (core.memory, core.owed, core.seen):
            array[:] = 0.0
        if self._memory is not None:
            self._memory.clear()
            self._memory.start_from(self.space.start, np.diag(core.prior))
        if belief is None:
            core.put(self.space.start, np.diag(core.prior))
            return
        if belief.names != self.space.names:
            raise ShapeError("belief.other_states", states=self.space.names[:12])
        core.put(belief.mean, belief.covariance)
        if self._memory is not None:
            self._memory.start_from(belief.mean, belief.covariance)
        core.memory[LAST], core.memory[STARTED] = belief.time, 1.0
