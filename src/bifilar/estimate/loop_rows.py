"""Rows for the closed-loop methods: measured columns W, simulated columns Z and torque y, as triangular factors of [Z W y].

    least squares            W phi ~ y                      W from measured positions: noise in W biases it
    instrumental variables   Z' (y - W phi) = 0             Z from a simulation without noise: consistent
    direct inverse           Z phi ~ y                      only the torque is measured; right if controller and model are

One QR of [Z W y] gives all three, Z = Q Rzz, W = Q Rzw + ..., y = Q rzy + ...: phi = Rzw^-1 rzy is the solution of the second
without a product Z'W ever being formed. Factors are kept per joint and block of time: joints are weighted by their noise
without another pass, and the scores A_b' e_b of the blocks give covariances that hold for coloured noise.

What is assumed: both go through the filter and decimation of the samples, so that Z is as smooth as the true W. Noise of the
positions enters W through the same filter, linearly but for terms of its square: those are a bias that instruments do not
remove, v v and q a being products, of the order (deviation of the filtered velocity)^2 relative to the velocity^2. A lower
`cutoff` makes it small. The controller holds its torque from tick to tick: what accelerates around a stamp is the mean of
the torques before and after it (`held`); without that, half a period of delay would be taken for damping.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, SolveError
from bifilar.estimate.closed_loop import Simulation, centred
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data, Weighted, listed
from bifilar.filters.butterworth import Derived
from bifilar.filters.differences import central
from bifilar.recording.recording import Recording
from bifilar.recording.samples import Samples
from bifilar.robot.model import Model
from bifilar.robot.robot import Robot
from bifilar.simulate.reference import Playable, Reference, reference

TARGETS = ("commanded", "target", "desired", "reference")  # words before _position in a recording's channels
BLOCKS = 32  # of time, all recordings together
SHORTEST = 8  # rows of a block


def held(recording: Recording) -> Recording:
    """The recording with the torque that acts around each stamp, where a controller holds it from stamp to stamp.

    >>> swing = bf.Recording(joint_names=("hip",), time=[0.0, 0.1], position=[[0], [1]], torque=[[1.0], [3.0]])
    >>> held(swing).torque.ravel()
    array([1., 2.])
    """
    channel = recording.channels.get("torque")
    if channel is None:
        raise RecordingError("the recording holds no torque", where=recording.name)
    mean = replace(channel, values=centred(np.asarray(channel.values)))
    words = ("joint_names", "time", "sliding", "clock", "mask", "name", "notes", "truth")
    return Recording(
        **{word: getattr(recording, word) for word in words}, channels={**recording.channels, "torque": mean}
    )


def reference_of(robot: Robot, recording: Data, motion: Playable | None, rate: float | None = None) -> Reference:
    """What the controller was to follow, at its ticks, on the recording's clock: a given motion, or commanded positions.

    `rate` [Hz] of the controller; None: the recording's. A given motion begins at the recording's first stamp.

    >>> t = np.arange(5) / 100
    >>> swing = bf.Recording(joint_names=("joint1",), time=t + 7, position=t[:, None], commanded_position=t[:, None])
    >>> follow = reference_of(bf.Robot.load("pendulum"), swing, None)
    >>> follow.time[0], follow.velocity.ravel().round(6)
    (np.float64(7.0), array([1., 1., 1., 1., 1.]))
    """
    start = float(recording.time[0]) if isinstance(recording, Recording) else 0.0
    own = recording.rate if isinstance(recording, Recording) else None
    if motion is not None:
        if rate is None and own is None:
            raise RecordingError("samples do not tell the controller's rate", remedy="give control_rate=... [Hz]")
        ticks = reference(robot, motion, float(rate or own or 0.0))
        return ticks._replace(time=ticks.time + start)
    if not isinstance(recording, Recording):
        raise RecordingError("samples do not tell what was commanded", remedy="give reference=..., the motion that was played")
    recording = recording.joints(robot.joint_names)
    found = next((word for word in TARGETS if recording.get(f"{word}_position") is not None), None)
    if found is None:
        raise RecordingError(
            "the recording does not tell what the controller was to follow",
            where=recording.name,
            channels=", ".join(recording.channels),
            remedy="give reference=..., the motion that was played; or fit by LeastSquares, which needs no controller",
        )
    q = recording.require(f"{found}_position")
    v = recording.get(f"{found}_velocity")
    v = central(q, rate=recording.rate) if v is None else v
    return reference(robot, (recording.time, q, v), float(rate or recording.rate))._replace(
        time=recording.time[0] + np.arange(len(q)) / recording.rate
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
        what = f"closed-loop methods need a clock: {type(source).__name__} has none"
        raise SolveError(what, remedy="give a Recording, or what prepare makes of it")
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
            what = f"samples from {stretch.time[0]:.4g} to {stretch.time[-1]:.4g} s, the reference {run.time[0]:.4g} to"
            raise RecordingError(f"{what} {run.time[-1]:.4g} s", remedy="give the reference of the whole recording")
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
    """What does not change from iteration to iteration: columns, torques and weights of all rows, and their blocks.

    >>> Measured.of.__doc__.split(",")[0]
    'Dense rows of a problem'
    """

    problem: Problem
    samples: tuple[Samples, ...]
    columns: tuple[Array, ...]  # per recording (rows, joints, parameters)
    torque: tuple[Array, ...]  # (rows, joints)
    weight: tuple[Array, ...]
    blocks: tuple[NDArray[np.int64], ...]  # per recording, number of each row's block

    @classmethod
    def of(cls, problem: Problem, blocks: int = BLOCKS) -> Measured:
        """Dense rows of a problem, decimated as its samples are: 1 MB per 1,000 rows of a six-joint arm.

        >>> import inspect
        >>> list(inspect.signature(Measured.of).parameters)
        ['problem', 'blocks']
        """
        pairs = [samples_of(source) for source in problem.sources]
        chunks: list[list[Any]] = [[] for _ in pairs]
        for chunk in problem.rows():
            chunks[chunk.recording].append(chunk)
        columns, torque, weight = (
            tuple(np.concatenate([getattr(chunk, name) for chunk in part]) for part in chunks)
            for name in ("columns", "torque", "weight")
        )
        size = max(SHORTEST, -(-sum(map(len, torque)) // blocks))
        numbers, first = [], 0
        for part in torque:
            count = max(1, round(len(part) / size))
            numbers.append(first + np.arange(len(part)) * count // len(part))
            first += count
        return cls(problem, tuple(samples for samples, _ in pairs), columns, torque, weight, tuple(numbers))

    def rows(self, model: Model, runs: Sequence[Simulation]) -> LoopRows:
        """Factors of [Z W y] with the columns of simulated motions.

        >>> import inspect
        >>> list(inspect.signature(Measured.rows).parameters)
        ['self', 'model', 'runs']
        """
        tables = []
        for k, run in enumerate(runs):
            z = instruments(self.problem, simulated(self.samples[k], run), model)
            y = self.torque[k][..., None]
            table = np.concatenate([z, self.columns[k], y], axis=2) * self.weight[k][..., None]
            tables.append((table, self.blocks[k], self.weight[k] > 0))
        return LoopRows.of(tables, self.columns[0].shape[2])


def instruments(problem: Problem, samples: Samples, model: Model) -> Array:
    """Base columns of simulated samples at the rows, through their filter, (rows, joints, parameters).

    >>> import inspect
    >>> list(inspect.signature(instruments).parameters)
    ['problem', 'samples', 'model']
    """
    parts = []
    for chunk in samples.chunks(model):
        dense = model.regressor(chunk.position, chunk.velocity, chunk.acceleration)[..., problem.base.columns]
        if chunk.columns_filter is not None:
            flat = chunk.columns_filter(np.ascontiguousarray(dense.reshape(len(dense), -1)))
            dense = flat.reshape(len(flat), *dense.shape[1:])
        parts.append(dense)
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class LoopRows:
    """Triangular factors of [Z W y], one per block and joint.

    >>> table = np.random.default_rng(0).normal(size=(40, 1, 3))
    >>> rows = LoopRows.of([(table, np.arange(40) // 10, np.ones((40, 1), dtype=bool))], 1)
    >>> rows.triangles.shape, rows.counts.sum()
    ((4, 1, 3, 3), np.int64(40))
    """

    triangles: Array  # (blocks, joints, 2 p + 1, 2 p + 1)
    counts: NDArray[np.int64]  # (blocks, joints) rows with a weight

    @classmethod
    def of(cls, tables: Iterable[tuple[Array, NDArray[np.int64], NDArray[np.bool_]]], p: int) -> LoopRows:
        """From weighted tables (rows, joints, 2 p + 1), the block of each row and whether it counts.

        >>> LoopRows.of([(np.ones((8, 2, 3)), np.zeros(8, dtype=int), np.ones((8, 2), dtype=bool))], 1).counts
        array([[8, 8]])
        """
        found, counts = [], []
        with one_blas_thread():
            for table, blocks, used in tables:
                for b in range(int(blocks[0]), int(blocks[-1]) + 1):
                    part = table[blocks == b]
                    factor = np.zeros((part.shape[1], 2 * p + 1, 2 * p + 1))
                    for j in range(part.shape[1]):
                        r = np.linalg.qr(part[:, j], mode="r")
                        factor[j, : len(r)] = r
                    found.append(factor)
                    counts.append(used[blocks == b].sum(axis=0))
        return cls(np.array(found), np.array(counts))

    @property
    def p(self) -> int:
        """How many parameters.

        >>> LoopRows(np.zeros((1, 2, 9, 9)), np.zeros((1, 2), dtype=int)).p
        4
        """
        return self.triangles.shape[2] // 2

    def triangle(self, weights: Array) -> Array:
        """Factor of all rows, joints multiplied by their weights, (2 p + 1, 2 p + 1).

        >>> LoopRows(np.eye(3)[None, None], np.ones((1, 1), dtype=int)).triangle(np.full(1, 2.0)).diagonal()
        array([2., 2., 2.])
        """
        size = self.triangles.shape[2]
        with one_blas_thread():
            r = np.linalg.qr((self.triangles * weights[:, None, None]).reshape(-1, size), mode="r")
        return r * np.where(np.diag(r) < 0, -1.0, 1.0)[:, None]

    def residuals(self, values: Array, columns: str = "W") -> Array:
        """(joints,) norms of y - W values, or of y - Z values.

        >>> LoopRows(np.eye(3)[None, None], np.ones((1, 1), dtype=int)).residuals(np.ones(1)).round(6)
        array([1.414214])
        """
        return np.sqrt(np.sum(self._errors(values, columns) ** 2, axis=(0, 2)))

    def scores(self, values: Array, left: str, columns: str, weights: Array) -> Array:
        """(blocks, p): A' (y - B values) of each block, joints weighted; A and B are "Z" or "W".

        >>> LoopRows(np.eye(3)[None, None], np.ones((1, 1), dtype=int)).scores(np.ones(1), "W", "W", np.ones(1))
        array([[-1.]])
        """
        a = self.triangles[..., : self.p] if left == "Z" else self.triangles[..., self.p : -1]
        return np.einsum("bjkp,bjk,j->bp", a, self._errors(values, columns), weights**2)

    def _errors(self, values: Array, columns: str) -> Array:
        b = self.triangles[..., : self.p] if columns == "Z" else self.triangles[..., self.p : -1]
        return self.triangles[..., -1] - b @ values
