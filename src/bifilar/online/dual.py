"""Noisy kinematics: two filters, one for the motion, one for the parameters. The paper leaves it as future work.

Positions only come in. `MotionFilter` gives velocity and acceleration with their covariance C; through the derivatives G of the
expected reading by the motion it becomes noise of the reading:

    R' = R + sum over joints of n_j G_j C_j G_j'             G_j = [d/dq_j, d/dv_j, d/da_j], at the parameters believed now

Errors of filtered motion last for some samples; n_j, that number, keeps the parameter filter from believing them one by one.

Over a recording (`run`) the motion is smoothed, looking both ways (Rauch, Tung and Striebel), under the same noise and jerk;
of its covariance the variances are used, of which the acceleration's is by far the largest part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.engine import current
from bifilar.dynamics.state import fixed_root, numbers
from bifilar.errors import ShapeError
from bifilar.filters.belief import Belief
from bifilar.filters.smoother import smooth
from bifilar.online.measurements import BaseWrench, Torque
from bifilar.online.motion import MotionFilter
from bifilar.online.outcome import OUTCOMES, Outcome
from bifilar.online.tables import BEGAN, CLOCK, LAST, MALFORMED, NOT_FINITE, STALE
from bifilar.online.tables import LIMITS as OUT_OF_LIMITS
from bifilar.online.tracker import Tracker
from bifilar.robot.inertia import Array
from bifilar.robot.robot import Robot

STALE_AFTER = 10  # updates after which the derivatives' parameters are taken anew


class DualFilter:
    """A parameter filter that is given positions and readings only.

    >>> robot = bf.Robot.load("two_link")
    >>> both = DualFilter(bf.ParameterFilter(robot, ("link2.mass",), noise=0.05), noise=1e-4, jerk=100.0)
    >>> both.update([0.1, 0.2], [1.0, 0.5], 0.0).word
    'accepted'
    """

    def __init__(self, parameters: Tracker, *, noise: ArrayLike, jerk: ArrayLike) -> None:
        for each in parameters.measurements:
            if type(each) not in (Torque, BaseWrench):
                raise ShapeError("derivative.missing", kind=type(each).__name__)
        self.parameters = parameters.generally()
        self.motion = MotionFilter(len(parameters.robot_before.joint_names), noise=noise, jerk=jerk)
        self._columns: Array | None = None
        self._fresh_until = 0
        self._older, self._refused = 0, -np.inf

    def update(self, position: ArrayLike, reading: ArrayLike, time: float) -> Outcome:
        """Take in one sample; refuses and answers as `ParameterFilter.update` does.

        >>> both = DualFilter(bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.05), noise=1e-4, jerk=1.0)
        >>> both.update([np.nan], [1.0], 0.0).word
        'not finite'
        """
        try:
            q, z = np.asarray(position, dtype=float), np.asarray(reading, dtype=float)
            if q.shape != (len(self.motion.noise),) or z.shape != (len(self.parameters.row_names),):
                return OUTCOMES[MALFORMED]
            if not (np.isfinite(q).all() and np.isfinite(z).all() and np.isfinite(time)):
                return OUTCOMES[NOT_FINITE]
            limits, n = self.parameters._core.limits, len(q)
            if limits is not None and ((q < limits[0, :n]) | (q > limits[1, :n])).any():
                return OUTCOMES[OUT_OF_LIMITS]  # before it can spoil the motion
            if not self._newer(float(time)):
                return OUTCOMES[STALE]
            state: Any = tuple(x[None] for x in self.motion.update(float(time), q))
            more = self.spread(state)[None]
            return OUTCOMES[int(self.parameters._take(np.array([float(time)]), state, z[None], more)[0])]
        except Exception:  # a control loop goes on
            return OUTCOMES[MALFORMED]

    def run(self, time: ArrayLike, position: ArrayLike, reading: ArrayLike) -> NDArray[np.int64]:
        """A whole recording, (N,), (N, joints), (N, rows), smoothed both ways; codes as of `ParameterFilter.run`.

        >>> both = DualFilter(bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.05), noise=1e-4, jerk=1.0)
        >>> t = np.arange(100) / 100
        >>> both.run(t, 0.1 * np.sin(t)[:, None], np.ones((100, 1)))[:3]
        array([0, 0, 0])
        """
        t, q, z = numbers("time", time), numbers("position", position), numbers("reading", reading)
        wanted = (len(t), len(self.motion.noise)), (len(t), len(self.parameters.row_names))
        if t.ndim != 1 or (q.shape, z.shape) != wanted:
            raise ShapeError(
                "shapes.differ/dual", shape=q.shape, shape_2=z.shape, shape_3=t.shape, wanted=wanted[0], wanted_2=wanted[1]
            )
        codes = np.full(len(t), NOT_FINITE, dtype=np.int64)
        kept = np.flatnonzero(np.isfinite(np.column_stack([t, q])).all(axis=1))
        step = float(np.median(np.diff(t[kept]))) if len(kept) > 1 else 1.0
        found = smooth(t[kept], q[kept], cutoff=self.motion.cutoff_at(step) if step > 0 else 1.0)
        state, last = (found.position, found.velocity, found.acceleration), self.motion.memory_at(step)
        sure = np.zeros((len(kept), q.shape[1], 3, 3))
        for k, off in enumerate(found.deviation):
            sure[:, :, k, k] = (off * self.motion.noise / found.noise) ** 2 * last
        for first in range(0, len(kept), STALE_AFTER):
            part = slice(first, first + STALE_AFTER)
            now: Any = tuple(x[part] for x in state)
            rows = kept[part]
            codes[rows] = self.parameters._take(t[rows], now, z[rows], self._spread(now, sure[part]))
        return codes

    def _newer(self, time: float) -> bool:
        """Whether a stamp is newer than the last; or the clock was set back (see `tables.CLOCK`), for both filters."""
        if time > self.motion.time:
            self._older = 0
            return True
        self._older = self._older + 1 if self._older and time > self._refused else 1
        self._refused = time
        if self._older < CLOCK:
            return False
        self._older, memory = 0, self.parameters._core.memory
        memory[BEGAN] += time - memory[LAST]
        memory[LAST] = np.nextafter(time, -np.inf)
        return True

    def spread(self, state: tuple[Array, Array, Array]) -> Array:
        """Covariance that the motion's errors give to the reading, (rows, rows).

        >>> both = DualFilter(bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.05), noise=1e-4, jerk=1.0)
        >>> both.spread(tuple(np.zeros((3, 1, 1)))).shape
        (1, 1)
        """
        return np.asarray(self._spread(state, (self.motion.covariance * self.motion.memory[:, None, None])[None])[0])

    def _spread(self, state: tuple[Array, Array, Array], motion: Array) -> Array:
        """Of several samples, (N, rows, rows), from covariances (N, joints, 3, 3) of their motion."""
        tracker = self.parameters
        if self._columns is None or tracker.updates >= self._fresh_until:  # parameters move slowly
            self._columns, self._fresh_until = tracker.space.columns(tracker._shown())[0], tracker.updates + STALE_AFTER
        g = motion_derivatives(tracker.robot_before, self._columns, *state)
        places = [slice(0, 6) if type(each) is BaseWrench else slice(6, None) for each in tracker.measurements]
        rows = np.concatenate([np.arange(g.shape[1])[place] for place in places])
        return np.asarray(np.einsum("nrjk,njkl,nsjl->nrs", g[:, rows], motion, g[:, rows]))

    @property
    def belief(self) -> Belief:
        """About the parameters.

        >>> DualFilter(bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.05), noise=1e-4, jerk=1.0).belief
        Belief(link1.mass 1 +- 0.5)
        """
        return self.parameters.belief

    @property
    def robot(self) -> Robot:
        """With the parameters as they are believed now.

        >>> tracker = bf.ParameterFilter(bf.Robot.load("pendulum"), ("link1.mass",), noise=0.05)
        >>> DualFilter(tracker, noise=1e-4, jerk=1.0).robot.joint_names
        ('joint1',)
        """
        return self.parameters.robot


def motion_derivatives(robot: Robot, columns: Array, q: Array, v: Array, a: Array) -> Array:
    """Derivatives of base wrench and torques by position, velocity and acceleration, (N, 6 + joints, joints, 3).

    `columns`: parameters of all columns, the root's ten first; of friction the viscous part counts.

    >>> robot, one = bf.Robot.load("pendulum"), np.zeros((1, 1))
    >>> motion_derivatives(robot, robot.parameters("both").values, one, one, one).shape
    (1, 7, 1, 3)
    """
    bodies = 10 * len(robot.body_names)
    phi = np.ascontiguousarray(columns[:bodies].reshape(-1, 10))
    root, drives = fixed_root(robot.tree.gravity), robot.drive_columns.columns
    dq, dv = current().derivatives(robot.tree, phi, q, v, a, root)
    da = current().mass_matrix(robot.tree, phi, q)[:, :, 6:]
    out = np.stack([dq, dv, da], axis=3)
    for value, law, drive, effect in zip(columns[bodies:], drives.laws, drives.drive, drives.effect):
        if law.is_linear or law.is_inertia:
            out[:, 6:, :, 1 if law.is_linear else 2] += value * np.outer(effect, drive)
    return np.asarray(out)
