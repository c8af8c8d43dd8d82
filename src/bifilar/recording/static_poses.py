"""Poses at which an arm stood still, and the torque that held it there.

At rest torque is gravity, a sensor's offset, and stiction, whose sign is that of the motion before the rest: a pose that is
approached from both sides lets it cancel. Torques that were not measured are NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.state import numbers, table
from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError, ShapeError
from bifilar.recording.recording import Recording
from bifilar.recording.stretches import usable

STILL = 0.01  # [rad/s], [m/s] mean speed over a hold below which a joint stands
MOVED = 1e-3  # [rad], [m] a smaller step between two poses is none


@dataclass(frozen=True, eq=False, repr=False)
class StaticPoses:
    """Positions and holding torques, one row per pose.

    >>> poses = bf.StaticPoses(("hip",), [[0.0], [0.5]], [[0.0], [4.7]])
    >>> len(poses)
    2
    """

    joint_names: tuple[str, ...]
    position: Array  # (poses, joints) [rad] or [m]
    torque: Array  # (poses, joints) [N m] or [N]; NaN: not measured
    approach: Array = None  # type: ignore[assignment]  # (poses, joints) -1, 0, 1: which way the joint moved before; zeros if left out

    def __post_init__(self) -> None:
        names = tuple(self.joint_names)
        q = table("position", self.position, names)[0]
        tau = np.atleast_2d(numbers("torque", self.torque))
        before = np.zeros_like(q) if self.approach is None else table("approach", self.approach, names)[0]
        if tau.shape != q.shape or before.shape != q.shape:
            raise ShapeError("shape.wrong/static_poses", q_count=len(q), name_count=len(names), shape=tau.shape)
        if np.isinf(tau).any():
            raise ShapeError("not_finite/static_poses")
        for name, value in (("joint_names", names), ("position", q), ("torque", tau), ("approach", before)):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, recording: Recording, *, still: float = STILL, shortest: float = 0.5, settle: float = 0.2) -> StaticPoses:
        """Every rest of a recording that lasts at least `shortest` seconds after `settle` seconds, averaged.

        >>> t = np.arange(0, 10, 0.01)
        >>> q = np.where(t < 4, 0.0, np.minimum(t - 4, 1.0))[:, None]
        >>> log = bf.Recording(joint_names=("hip",), time=t, position=q, torque=np.ones_like(q))
        >>> bf.StaticPoses.of(log).approach.ravel()
        array([0., 1.])
        """
        rows = usable(recording)
        holds = _holds(rows.time, rows.position, still, shortest + settle)
        if not holds:
            raise RecordingError("poses.none/static_poses", where=recording.name, shortest=shortest + settle, still=still)
        wait = int(np.ceil(settle / rows.step))
        q, tau = (np.array([x[h.start + wait : h.stop].mean(axis=0) for h in holds]) for x in (rows.position, rows.torque))
        step = np.diff(q, axis=0, prepend=q[:1])
        return cls(recording.joint_names, q, tau, np.where(np.abs(step) > MOVED, np.sign(step), 0.0))

    def __len__(self) -> int:
        return len(self.position)

    def __getitem__(self, which: slice | ArrayLike) -> StaticPoses:
        chosen = which if isinstance(which, slice) else np.asarray(which)
        return replace(self, position=self.position[chosen], torque=self.torque[chosen], approach=self.approach[chosen])

    def __add__(self, other: StaticPoses) -> StaticPoses:
        if other.joint_names != self.joint_names:
            raise ShapeError("joints.other/static_poses", joints=self.joint_names)
        q, tau, before = (
            np.vstack([mine, its])
            for mine, its in ((self.position, other.position), (self.torque, other.torque), (self.approach, other.approach))
        )
        return StaticPoses(self.joint_names, q, tau, before)

    def __repr__(self) -> str:
        return f"StaticPoses({len(self)} of {', '.join(self.joint_names)})"

    def swept(self) -> NDArray[np.bool_]:
        """(poses, joints) whether the pose is part of a sweep of that joint: a neighbour differs from it in that joint alone.

        >>> poses = bf.StaticPoses(("a", "b"), [[0, 0], [1, 0], [1, 1]], np.zeros((3, 2)))
        >>> poses.swept().tolist()
        [[True, False], [True, True], [False, True]]
        """
        step = np.abs(np.diff(self.position, axis=0)) > MOVED
        alone = step & (step.sum(axis=1) == 1)[:, None]
        nothing = np.zeros((1, len(self.joint_names)), dtype=bool)
        return np.vstack([nothing, alone]) | np.vstack([alone, nothing])

    def own_sensors(self) -> StaticPoses:
        """Only the torque of the joint that sweeps, as if no other were logged.

        >>> poses = bf.StaticPoses(("a", "b"), [[0, 0], [1, 0]], np.zeros((2, 2)))
        >>> poses.own_sensors().torque[0]
        array([ 0., nan])
        """
        return replace(self, torque=np.where(self.swept(), self.torque, np.nan))


def _holds(time: Array, q: Array, still: float, shortest: float) -> Sequence[slice]:
    """Stretches in which no joint moves by more than `still` times their length."""
    step = float(np.median(np.diff(time))) if len(time) > 1 else 1.0
    width = max(round(0.1 / step), 1)
    drift = np.zeros(len(q))
    if len(q) > width:
        drift[: len(q) - width] = (np.abs(q[width:] - q[:-width]) / (width * step)).max(axis=1)
    gap = np.append(np.diff(time) > 5 * step, False)
    resting = (drift < still) & ~gap
    edges = np.flatnonzero(np.diff(np.concatenate([[False], resting, [False]]).astype(np.int8)))
    pairs = [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return [part for part in pairs if time[part.stop - 1] - time[part.start] >= shortest]
