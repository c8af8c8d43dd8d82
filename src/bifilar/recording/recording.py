"""A recording: what was measured, untouched. Joints by name, SI units, one clock.

The smallest form: positions, torques and, where the machine reports it, velocities. Values may be missing (nan) and stamps
may jump: a recording says what was logged, it does not judge it. One that comes from a virtual robot carries the truth.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.state import numbers
from bifilar.dynamics.tree import Array
from bifilar.errors import RecordingError
from bifilar.robot.parameters import Parameters


@dataclass(frozen=True, eq=False, kw_only=True)
class Truth:
    """What really happened at the recorded samples; only a virtual robot can tell. For tests, never for a fit.

    >>> Truth(time=[0.0], position=[[1.0]], velocity=[[0.0]], acceleration=[[0.0]], torque=[[2.0]]).position
    array([[1.]])
    """

    time: Array  # (N,) [s] when the samples were really taken
    position: Array  # (N, joints) [rad] or [m] of the links
    velocity: Array  # (N, joints)
    acceleration: Array  # (N, joints) under the torque that begins to act at this sample
    torque: Array  # (N, joints) [N m] or [N] that the motors put out, from this sample to the next
    motor_position: Array | None = None  # (N, joints) of the motor side, where joints are flexible
    motor_velocity: Array | None = None  # (N, joints)
    parameters: Parameters | None = None  # of the robot that was played

    def __post_init__(self) -> None:
        for name in _arrays(self):
            object.__setattr__(self, name, _frozen(name, getattr(self, name)))

    def rows(self, chosen: slice | NDArray[np.int64]) -> Truth:
        """Some of the samples.

        >>> still = np.zeros((5, 1))
        >>> Truth(time=range(5), position=still, velocity=still, acceleration=still, torque=still).rows(slice(3)).time
        array([0., 1., 2.])
        """
        return replace(self, **{name: getattr(self, name)[chosen] for name in _arrays(self)})


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """Positions, velocities and torques of named joints over time.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.1, 0.2], position=[[0], [1], [2]], torque=np.zeros((3, 1)))
    >>> swing
    Recording(hip: 3 samples, 0.2 s at 10 Hz)
    """

    joint_names: tuple[str, ...]
    time: Array  # (N,) [s] as stamped
    position: Array  # (N, joints) [rad] or [m]
    torque: Array  # (N, joints) [N m] or [N]
    velocity: Array | None = None  # (N, joints) [rad/s] or [m/s]; None: not measured
    sliding: tuple[str, ...] = ()  # those of the joints that are prismatic: m and N instead of rad and N m
    truth: Truth | None = None

    def __post_init__(self) -> None:
        for name in ("joint_names", "sliding"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if len(set(self.joint_names)) < len(self.joint_names):
            twice = next(name for k, name in enumerate(self.joint_names) if name in self.joint_names[:k])
            raise RecordingError(f"the joint '{twice}' is recorded twice", remedy="names must differ")
        strangers = [name for name in self.sliding if name not in self.joint_names]
        if strangers:
            raise RecordingError(f"the sliding joint '{strangers[0]}' is not recorded", joints=", ".join(self.joint_names))
        object.__setattr__(self, "time", _frozen("time", self.time))
        if self.time.ndim != 1:
            raise RecordingError(f"time has the shape {self.time.shape}", remedy="give one number per sample, (samples,)")
        shape = (len(self.time), len(self.joint_names))
        for name in ("position", "velocity", "torque"):
            if getattr(self, name) is None:
                continue
            array = _frozen(name, getattr(self, name))
            if array.shape != shape:
                what = f"{name} has the shape {array.shape}, {shape[0]} samples of {shape[1]} joints were stamped"
                raise RecordingError(what, joints=", ".join(self.joint_names), remedy=f"give {shape}")
            object.__setattr__(self, name, array)
        if self.truth is not None and len(self.truth.time) != len(self.time):
            raise RecordingError(f"the truth holds {len(self.truth.time)} samples, the recording {len(self.time)}")

    def __repr__(self) -> str:
        names = ", ".join(self.joint_names[:8]) + (", ..." if len(self.joint_names) > 8 else "")
        span = f", {self.duration:g} s at {self.rate:.6g} Hz" if len(self) > 1 else ""
        return f"{type(self).__name__}({names}: {len(self)} samples{span})"

    def __len__(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """From the first stamp to the last [s].

        >>> Recording(joint_names=(), time=[1.0, 1.5], position=np.zeros((2, 0)), torque=np.zeros((2, 0))).duration
        0.5
        """
        return float(self.time[-1] - self.time[0]) if len(self) else 0.0

    @property
    def rate(self) -> float:
        """Samples per second, by the median of the steps: gaps do not count [Hz].

        >>> nothing = np.zeros((4, 0))
        >>> Recording(joint_names=(), time=[0, 0.1, 0.2, 0.9], position=nothing, torque=nothing).rate
        10.0
        """
        if len(self) < 2:
            raise RecordingError(f"{len(self)} samples have no rate", remedy="give at least two")
        step = float(np.median(np.diff(self.time)))
        return 1.0 / step if step else np.inf

    def part(self, start: float | None = None, stop: float | None = None) -> Recording:
        """The samples stamped start <= time < stop [s]; parts that follow each other share none.

        >>> nothing = np.zeros((4, 0))
        >>> len(Recording(joint_names=(), time=[0, 1, 2, 3], position=nothing, torque=nothing).part(1, 3))
        2
        """
        low, high = -np.inf if start is None else start, np.inf if stop is None else stop
        chosen = np.flatnonzero((self.time >= low) & (self.time < high))
        part = {name: getattr(self, name)[chosen] for name in _arrays(self)}
        return replace(self, **part, truth=None if self.truth is None else self.truth.rows(chosen))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as .parquet or .npz (everything, the truth too) or .csv (what was measured), names and units in the columns.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "swing.csv")
        >>> Recording(joint_names=("hip",), time=[0.5], position=[[1.0]], torque=[[2.0]]).save(file)
        >>> print(file.read_text())
        time [s],hip.position [rad],hip.torque [N m]
        0.5,1.0,2.0
        """
        from bifilar.recording.store import written

        written(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recording:
        """Read a file that `save` wrote.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "swing.npz")
        >>> Recording(joint_names=("hip",), time=[0.5], position=[[1.0]], torque=[[2.0]]).save(file)
        >>> Recording.load(file).torque
        array([[2.]])
        """
        from bifilar.recording.store import read

        return read(path)


def _arrays(record: Truth | Recording) -> list[str]:
    """Names of the fields that hold one row per sample."""
    words = {"time", "position", "velocity", "acceleration", "torque", "motor_position", "motor_velocity"}
    return [field.name for field in fields(record) if field.name in words and getattr(record, field.name) is not None]


def _frozen(name: str, value: object) -> Array:
    array = np.array(numbers(name, value))
    array.flags.writeable = False
    return array
