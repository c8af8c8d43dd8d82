"""Rows for the closed-loop methods: measured columns W, simulated columns Z and torque y, as triangular factors of [Z W y].

    least squares            W phi ~ y                      W from measured positions: noise in W biases it
    instrumental variables   Z' (y - W phi) = 0             Z from a simulation without noise: consistent
    direct inverse           Z phi ~ y                      only the torque is measured; right if controller and model are

One QR of [Z W y] gives all three, Z = Q Rzz, W = Q Rzw + ..., y = Q rzy + ...: phi = Rzw^-1 rzy is the solution of the second
without a product Z'W ever being formed. Factors are kept per joint: they are weighted by their noise without another pass.

What is assumed: both go through the filter and decimation of the samples, so that Z is as smooth as the true W. Noise of the
positions enters W through the same filter, linearly but for terms of its square: those are a bias that instruments do not
remove, v v and q a being products, of the order (deviation of the filtered velocity)^2 relative to the velocity^2. A lower
`cutoff` makes it small. The controller holds its torque from tick to tick: what accelerates around a stamp is the mean of
the torques before and after it (`held`); without that, half a period of delay would be taken for damping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, SolveError
from bifilar.estimate.closed_loop import Simulation, centred
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data, Weighted
from bifilar.filters.butterworth import Derived
from bifilar.filters.differences import central
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.robot.model import Model
from bifilar.robot.reduction import dense_rows
from bifilar.robot.robot import Robot
from bifilar.simulate.reference import Playable, Reference, reference

TARGETS = ("commanded", "target", "desired", "reference")  # words before _position in a recording's channels
LONGEST = 2048  # rows of a stretch whose errors are looked at together
SLOW = 5.0  # deviations of measured from simulated velocity: slower, the sign of the velocity is uncertain
TOUCHED = 0.1  # share of the filter's weights on slow samples that a row may have


def held(recording: Recording) -> Recording:
    """The recording with the torque that acts around each stamp, where a controller holds it from stamp to stamp.

    >>> swing = bf.Recording(joint_names=("hip",), time=[0.0, 0.1], position=[[0], [1]], torque=[[1.0], [3.0]])
    >>> held(swing).torque.ravel()
    array([1., 2.])
    """
    channel = recording.channels.get("torque")
    if channel is None:
        raise RecordingError("torque.missing/loop_rows", where=recording.name)
    mean = replace(channel, values=centred(np.asarray(channel.values)))
    words = ("joint_names", "time", "sliding", "clock", "mask", "name", "notes", "truth")
    return Recording(**{word: getattr(recording, word) for word in words}, channels={**recording.channels, "torque": mean})


def reference_of(robot: Robot, recording: Data, motion: Playable | None, rate: float | None = None) -> Reference:
    """What the controller was to follow, at its ticks, on the recording's clock: a given motion, or commanded positions.

    `rate` [Hz] of the controller; None: the recording's. A given motion begins at the recording's first stamp, for samples
    when their clock shows zero.

    >>> t = np.arange(5) / 100
    >>> swing = bf.Recording(joint_names=("joint1",), time=t + 7, position=t[:, None], commanded_position=t[:, None])
    >>> follow = reference_of(bf.Robot.load("pendulum"), swing, None)
    >>> follow.time[0], follow.velocity.ravel().round(6)
    (np.float64(7.0), array([1., 1., 1., 1., 1.]))
    """
    start = float(recording.time[0]) if isinstance(recording, Recording) else 0.0
    own = recording.rate if isinstance(recording, Recording) else None
    if isinstance(recording, Samples):
        clock = recording.fine[0].time
        own = (len(clock) - 1) / float(clock[-1] - clock[0])
    if motion is not None:
        if rate is None and own is None:
            raise SolveError("clock.missing/loop_rows")
        ticks = reference(robot, motion, float(rate or own or 0.0))
        return ticks._replace(time=ticks.time + start)
    if not isinstance(recording, Recording):
        raise RecordingError("command.missing")
    recording = recording.joints(robot.joint_names)
    found = next((word for word in TARGETS if recording.get(f"{word}_position") is not None), None)
    if found is None:
        raise RecordingError("reference.missing", where=recording.name, channels=recording.channels)
    q = recording.require(f"{found}_position")
    v, rate_of_change = recording.get(f"{found}_velocity"), central(q, rate=recording.rate)
    v = rate_of_change if v is None else v
    _agree(found, recording, v, rate_of_change)
    tick_rate = float(rate or recording.rate)
    ticks = reference(robot, (recording.time, q, v), tick_rate)
    return ticks._replace(time=recording.time[0] + np.arange(len(ticks.position)) / tick_rate)


def _agree(found: str, recording: Recording, v: Array, rate_of_change: Array) -> None:
    """Refuse commanded velocities that are not the rate of change of commanded positions."""
    power = np.maximum(np.sum(rate_of_change**2, axis=0), 1e-12)
    slope = np.where(power > 1e-9, np.sum(v * rate_of_change, axis=0) / power, 1.0)
    wrong = np.flatnonzero(np.abs(slope - 1) > 0.2)
    if len(wrong):
        raise RecordingError(
            "velocity.unit",
            where=recording.name,
            found=found,
            joint_name=recording.joint_names[wrong[0]],
            slope=slope[wrong[0]],
        )


def samples_of(source: Any) -> tuple[Samples, Array]:
    """Samples of a problem's source and the weights of their rows; a letter if it has no clock.

    >>> samples_of("nothing")
    Traceback (most recent call last):
    ...
    bifilar.errors.SolveError: closed-loop methods need a clock: str has none
      try     give a Recording, or what prepare makes of it
    """
    weight: Any = 1.0
    while isinstance(source, Weighted):
        own = np.asarray(source.weight, dtype=float)
        weight, source = weight * (own[:, None] if own.ndim == 1 else own), source.source
    if not isinstance(source, Samples):
        raise SolveError("clock.missing/samples_of", kind=type(source).__name__)
    return source, np.broadcast_to(weight, source.torque.shape)


def simulated(samples: Samples, run: Simulation) -> Samples:
    """The samples with the simulated motion in place of the measured one.

    >>> import inspect
    >>> list(inspect.signature(simulated).parameters)
    ['samples', 'run']
    """
    period = (run.time[-1] - run.time[0]) / (len(run.time) - 1)
    fine = []
    for stretch in samples.fine:
        at = (stretch.time - run.time[0]) / period
        if at[0] < -1e-3 or at[-1] > len(run.time) - 1 + 1e-3:
            raise RecordingError(
                "loop.runs_away/loop_rows",
                time=stretch.time[0],
                time_2=stretch.time[-1],
                time_3=run.time[0],
                time_4=run.time[-1],
            )
        motion = Derived(*(_taken(x, at) for x in (run.position, run.velocity, run.acceleration)))
        fine.append(replace(stretch, motion=motion))
    rows = [np.concatenate([stretch.motion[k][stretch.rows] for stretch in fine]) for k in range(3)]
    return replace(samples, fine=tuple(fine), position=rows[0], velocity=rows[1], acceleration=rows[2])


def _taken(x: Array, at: Array) -> Array:
    """Ticks, or values between them where the clocks differ."""
    nearest = np.clip(np.rint(at).astype(np.int64), 0, len(x) - 1)
    if np.abs(at - nearest).max(initial=0.0) < 1e-3:
        return np.ascontiguousarray(x[nearest])
    low = np.clip(np.floor(at).astype(np.int64), 0, len(x) - 2)
    share = (at - low)[:, None]
    return (1 - share) * x[low] + share * x[low + 1]


@dataclass(frozen=True, eq=False)
class Measured:
    """What does not change from iteration to iteration: columns, torques and weights of all rows."""

    problem: Problem
    samples: tuple[Samples, ...]
    columns: tuple[Array, ...]  # per recording (rows, joints, parameters)
    torque: tuple[Array, ...]  # (rows, joints)
    weight: tuple[Array, ...]  # (rows, joints) as asked for; what is slow is decided by the simulated motion

    @classmethod
    def of(cls, problem: Problem) -> Measured:
        """Dense rows of a problem, decimated as its samples are: 1 MB per 1,000 rows of a six-joint arm.

        >>> import inspect
        >>> list(inspect.signature(Measured.of).parameters)
        ['problem']
        """
        pairs = [samples_of(source) for source in problem.sources]
        chunks: list[list[Any]] = [[] for _ in pairs]
        for chunk in problem.rows():
            chunks[chunk.recording].append(chunk)
        columns, torque = (
            tuple(np.concatenate([getattr(chunk, name) for chunk in part]) for part in chunks) for name in ("columns", "torque")
        )
        return cls(problem, tuple(x for x, _ in pairs), columns, torque, tuple(w for _, w in pairs))

    def rows(self, model: Model, runs: Sequence[Simulation], fast: Sequence[Array] | None = None) -> LoopRows:
        """Factors of [Z W y] with the columns of simulated motions. `fast` (rows, joints): 0 where too slow for a sign.

        >>> import inspect
        >>> list(inspect.signature(Measured.rows).parameters)
        ['self', 'model', 'runs', 'fast']
        """
        stretches = []
        for k, run in enumerate(runs):
            motion = simulated(self.samples[k], run)
            z = instruments(self.problem, motion, model)
            weight = self.weight[k] * (certain_signs(self.samples[k], motion, model) if fast is None else fast[k])
            table = np.concatenate([z, self.columns[k], self.torque[k][..., None]], axis=2) * weight[..., None]
            for part in self.samples[k].segments:
                for first in range(part.start, part.stop, LONGEST):
                    rows = slice(first, min(first + LONGEST, part.stop))
                    stretches.append(Stretch(table[rows], weight[rows] > 0))
        return LoopRows.of(stretches)


def instruments(problem: Problem, samples: Samples, model: Model) -> Array:
    """Base columns of simulated samples at the rows, through their filter, (rows, joints, parameters).

    >>> import inspect
    >>> list(inspect.signature(instruments).parameters)
    ['problem', 'samples', 'model']
    """
    return np.concatenate([dense_rows(model, chunk, problem.base.columns) for chunk in samples.chunks(model)])


def certain_signs(measured: Samples, motion: Samples, model: Model) -> Array:
    """(rows, joints) 1 where the simulated motion is fast enough for a sign of the velocity, 0 elsewhere.

    Noise in the loop shakes the machine: near standstill the mean of its friction is not that of the steady simulation. The
    simulated velocity decides, not the measured one: rows chosen by their own noise would be biased.

    >>> import inspect
    >>> list(inspect.signature(certain_signs).parameters)
    ['measured', 'motion', 'model']
    """
    if not any(hasattr(term, "width") for term in model.friction):
        return np.ones(measured.torque.shape)
    seen, steady = (np.concatenate([part.motion.velocity for part in x.fine]) for x in (measured, motion))
    shaken = 1.4826 * np.median(np.abs(seen - steady), axis=0)  # of a normal law, the standard deviation
    return (motion.filter_columns(np.abs(steady) < SLOW * shaken) < TOUCHED).astype(float)


class Stretch(NamedTuple):
    """Uninterrupted rows of [Z W y], weighted.

    >>> Stretch(np.zeros((5, 2, 9)), np.ones((5, 2), dtype=bool)).table.shape
    (5, 2, 9)
    """

    table: Array  # (rows, joints, 2 p + 1)
    used: NDArray[np.bool_]  # (rows, joints)


@dataclass(frozen=True, eq=False)
class LoopRows:
    """Triangular factors of [Z W y], one per joint, and the rows they were made of.

    >>> table = np.random.default_rng(0).normal(size=(40, 1, 3))
    >>> rows = LoopRows.of([Stretch(table, np.ones((40, 1), dtype=bool))])
    >>> rows.triangles.shape, rows.counts
    ((1, 3, 3), array([40]))
    """

    triangles: Array  # (joints, 2 p + 1, 2 p + 1)
    counts: NDArray[np.int64]  # (joints,) rows with a weight
    stretches: tuple[Stretch, ...] = ()

    @classmethod
    def of(cls, stretches: Sequence[Stretch]) -> LoopRows:
        """From rows in the order of time.

        >>> LoopRows.of([Stretch(np.ones((8, 2, 3)), np.ones((8, 2), dtype=bool))]).counts
        array([8, 8])
        """
        joints, size = stretches[0].table.shape[1:]
        triangles = np.zeros((joints, size, size))
        with one_blas_thread():
            for stretch in stretches:
                for j in range(joints):
                    r = np.linalg.qr(np.vstack([triangles[j], stretch.table[:, j]]), mode="r")
                    triangles[j] = r
        return cls(triangles, np.sum([stretch.used.sum(axis=0) for stretch in stretches], axis=0), tuple(stretches))

    @property
    def p(self) -> int:
        """How many parameters.

        >>> LoopRows(np.zeros((2, 9, 9)), np.zeros(2, dtype=int)).p
        4
        """
        return self.triangles.shape[1] // 2

    @property
    def torque(self) -> Array:
        """(joints,) root mean square of the weighted torque.

        >>> LoopRows(np.full((1, 3, 3), 2.0), np.full(1, 3)).torque
        array([2.])
        """
        return np.linalg.norm(self.triangles[..., -1], axis=1) / np.sqrt(np.maximum(self.counts, 1))

    def triangle(self, weights: Array) -> Array:
        """Factor of all rows, joints multiplied by their weights, (2 p + 1, 2 p + 1).

        >>> abs(LoopRows(np.eye(3)[None], np.ones(1, dtype=int)).triangle(np.full(1, 2.0)).diagonal())
        array([2., 2., 2.])
        """
        with one_blas_thread():
            r = np.linalg.qr((self.triangles * weights[:, None, None]).reshape(-1, self.triangles.shape[2]), mode="r")
        return np.asarray(r)

    def residuals(self, values: Array, columns: str = "W") -> Array:
        """(joints,) norms of y - W values, or of y - Z values.

        >>> LoopRows(np.eye(3)[None], np.ones(1, dtype=int)).residuals(np.ones(1)).round(6)
        array([1.414214])
        """
        part = self.triangles[..., : self.p] if columns == "Z" else self.triangles[..., self.p : -1]
        return np.linalg.norm(self.triangles[..., -1] - part @ values, axis=1)
