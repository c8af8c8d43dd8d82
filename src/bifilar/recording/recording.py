"""A recording: what was measured, untouched. Joints by name, SI units, a clock, and where each channel came from.

Values may be missing (nan) and stamps may jump: a recording says what was logged, it does not judge it (`check` does). What
should not be used is masked, never deleted. One that comes from a virtual robot carries the truth.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Finding, RecordingError
from bifilar.recording.channel import CLOCKS, Channel, frozen
from bifilar.recording.truth import Truth as Truth
from bifilar.recording.units import QUANTITIES, SENSORS, si_unit, unit

if TYPE_CHECKING:
    from bifilar.recording.mapping import Mapping as ColumnMapping
    from bifilar.robot.robot import Robot

Path = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Recording:
    """Channels of named joints over time. Arrays of (samples, joints), or a `Channel` each.

    >>> swing = Recording(joint_names=("hip",), time=[0.0, 0.1, 0.2], position=[[0], [1], [2]], torque=np.zeros((3, 1)))
    >>> swing
    Recording(hip: 3 samples, 0.2 s at 10 Hz)
    >>> swing.channels["position"].units
    ('rad',)
    """

    joint_names: tuple[str, ...]
    time: Array  # (N,) [s] as stamped
    channels: Mapping[
        str, Channel
    ]  # by name: position, velocity, acceleration, torque, current, motor_position, wrench, imu, ...
    sliding: tuple[str, ...]  # those of the joints that are prismatic: m and N instead of rad and N m
    clock: str  # "recorded"; "assumed": from a declared rate; "none": rows have no order in time
    mask: NDArray[np.bool_]  # (N,) True: may be used
    name: str  # of the file, without its ending
    notes: tuple[Finding, ...]  # what reading it found: a line that was cut off, columns nobody asked for
    truth: Truth | None

    def __init__(
        self,
        *,
        joint_names: Iterable[str],
        time: ArrayLike,
        position: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        channels: Mapping[str, Channel | ArrayLike] | None = None,
        sliding: Iterable[str] = (),
        clock: str = "recorded",
        mask: ArrayLike | None = None,
        name: str = "",
        notes: Iterable[Finding] = (),
        truth: Truth | None = None,
        **more: ArrayLike,
    ) -> None:
        strange = [word for word in more if word.split("_")[-1] not in QUANTITIES and word not in SENSORS]
        if strange:
            raise TypeError(f"Recording() got an unexpected keyword argument '{strange[0]}'")
        given = {"position": position, "velocity": velocity, "torque": torque, **more}
        content = {**(channels or {}), **{word: value for word, value in given.items() if value is not None}}
        kept = {"joint_names": tuple(joint_names), "sliding": tuple(sliding), "time": frozen("time", time), "clock": clock}
        for word, value in {**kept, "name": name, "notes": tuple(notes), "truth": truth}.items():
            object.__setattr__(self, word, value)
        self._check_names()
        usable = np.ones(len(self.time), dtype=bool) if mask is None else np.array(mask, dtype=bool)
        usable.flags.writeable = False
        object.__setattr__(self, "mask", usable)
        object.__setattr__(self, "channels", MappingProxyType({word: self._channel(word, content[word]) for word in content}))
        if usable.shape != self.time.shape:
            raise RecordingError("shape.wrong/recording", shape=usable.shape, shape_2=self.time.shape)
        if truth is not None and len(truth.time) != len(self.time):
            raise RecordingError("truth.length", time_count=len(truth.time), time_count_2=len(self.time))

    def _check_names(self) -> None:
        if len(set(self.joint_names)) < len(self.joint_names):
            twice = next(name for k, name in enumerate(self.joint_names) if name in self.joint_names[:k])
            raise RecordingError("joint.twice", twice=twice)
        strangers = [name for name in self.sliding if name not in self.joint_names]
        if strangers:
            raise RecordingError("joint.not_recorded/recording", joints=self.joint_names, stranger=strangers[0])
        if self.time.ndim != 1:
            raise RecordingError("shape.wrong/check_names", shape=self.time.shape)
        if self.clock not in CLOCKS:
            raise RecordingError("clock.kind/recording", clock=self.clock)

    def _channel(self, name: str, value: Channel | ArrayLike) -> Channel:
        """A channel that fits the stamps; plain numbers are of all joints, or of a known sensor."""
        if not isinstance(value, Channel):
            sensor = SENSORS.get(name)
            columns = sensor[0] if sensor else self.joint_names
            units = sensor[1] if sensor else tuple(si_unit(name, joint in self.sliding) for joint in columns)
            array, shape = frozen(name, value), (len(self.time), len(columns))
            if array.shape != shape:
                raise RecordingError(
                    "shape.wrong/recording_channel",
                    joints=columns,
                    name=name,
                    shape=array.shape,
                    shape_2=shape[0],
                    shape_3=shape[1],
                    shape_4=shape,
                )
            return Channel(array, columns, units, clock=self.clock)
        if value.time is None and len(value) != len(self.time):
            raise RecordingError(
                "recording.length", where=value.origin, name=name, value_count=len(value), time_count=len(self.time)
            )
        return value

    def __repr__(self) -> str:
        names = ", ".join(self.joint_names[:8]) + (", ..." if len(self.joint_names) > 8 else "")
        span = f", {self.duration:g} s at {self.rate:.6g} Hz" if len(self) > 1 else ""
        return f"{type(self).__name__}({names or ', '.join(self.channels)}: {len(self)} samples{span})"

    def _repr_html_(self) -> str:
        from bifilar.recording.notebook import recording_table

        return recording_table(self)

    def __len__(self) -> int:
        return len(self.time)

    def get(self, name: str) -> Array | None:
        """(samples, joints) values of a channel in the order of `joint_names`, nan for a joint it lacks; None: no such channel.

        >>> swing = Recording(joint_names=("hip",), time=[0.0], channels={"target_position": [[0.5]]})
        >>> swing.get("target_position"), swing.get("torque")
        (array([[0.5]]), None)
        """
        channel = self.channels.get(name)
        if channel is None or channel.time is not None:
            return None
        return channel.table(self.joint_names)

    def require(self, name: str) -> Array:
        """As `get`, but a letter if there is no such channel.

        >>> Recording(joint_names=("hip",), time=[0.0], position=[[1.0]]).require("position")
        array([[1.]])
        """
        found = self.get(name)
        if found is None:
            raise RecordingError(
                "channel.missing", where=self.name, channels=", ".join(self.channels) or "none", name=name.replace("_", " ")
            )
        return found

    @property
    def position(self) -> Array | None:
        """(N, joints) [rad] or [m], or None.

        >>> Recording(joint_names=("hip",), time=[0.0], position=[[1.0]]).position
        array([[1.]])
        """
        return self.get("position")

    @property
    def velocity(self) -> Array | None:
        """(N, joints) [rad/s] or [m/s], or None.

        >>> Recording(joint_names=("hip",), time=[0.0], position=[[1.0]]).velocity is None
        True
        """
        return self.get("velocity")

    @property
    def acceleration(self) -> Array | None:
        """(N, joints) [rad/s^2] or [m/s^2], or None.

        >>> Recording(joint_names=("hip",), time=[0.0], acceleration=[[1.0]]).acceleration
        array([[1.]])
        """
        return self.get("acceleration")

    @property
    def torque(self) -> Array | None:
        """(N, joints) [N m] or [N], on the joint's side, or None.

        >>> Recording(joint_names=("hip",), time=[0.0], torque=[[1.0]]).torque
        array([[1.]])
        """
        return self.get("torque")

    @property
    def current(self) -> Array | None:
        """(N, joints) [A], or None.

        >>> Recording(joint_names=("hip",), time=[0.0], current=[[1.0]]).current
        array([[1.]])
        """
        return self.get("current")

    @property
    def motor_position(self) -> Array | None:
        """(N, joints) [rad] of the motors, or None.

        >>> Recording(joint_names=("hip",), time=[0.0], motor_position=[[100.0]]).motor_position
        array([[100.]])
        """
        return self.get("motor_position")

    @property
    def duration(self) -> float:
        """From the first stamp that is a number to the last [s].

        >>> Recording(joint_names=(), time=[1.0, 1.5]).duration
        0.5
        """
        known = self.time if len(self) and np.isfinite(self.time[[0, -1]]).all() else self.time[np.isfinite(self.time)]
        return float(known[-1] - known[0]) if len(known) else 0.0

    @property
    def rate(self) -> float:
        """Samples per second, by the median of the steps: gaps do not count [Hz].

        >>> Recording(joint_names=(), time=[0, 0.1, 0.2, 0.9]).rate
        10.0
        """
        if len(self) < 2:
            raise RecordingError("recording.too_short/recording", self_count=len(self))
        steps = np.diff(self.time)
        steps = steps[np.isfinite(steps)]
        step = float(np.median(steps)) if len(steps) else np.nan
        return 1.0 / step if step else np.inf

    def part(self, start: float | None = None, stop: float | None = None) -> Recording:
        """The samples stamped start <= time < stop [s]; parts that follow each other share none.

        >>> len(Recording(joint_names=(), time=[0, 1, 2, 3]).part(1, 3))
        2
        """
        low, high = -np.inf if start is None else start, np.inf if stop is None else stop

        def within(time: Array) -> NDArray[np.int64]:
            return np.flatnonzero((time >= low) & (time < high))

        chosen = within(self.time)
        content = {name: c.rows(chosen if c.time is None else within(c.time)) for name, c in self.channels.items()}
        truth = None if self.truth is None else self.truth.rows(chosen)
        return replace(self, time=self.time[chosen], mask=self.mask[chosen], channels=content, truth=truth)

    def joints(self, names: Iterable[str]) -> Recording:
        """Some of the joints, in the order given. Channels of sensors stay.

        >>> both = Recording(joint_names=("hip", "knee"), time=[0.0], position=[[1.0, 2.0]])
        >>> both.joints(["knee"]).position
        array([[2.]])
        """
        names = tuple(names)
        strangers = [name for name in names if name not in self.joint_names]
        if strangers:
            known = ", ".join(self.joint_names) or "none"
            raise RecordingError("joint.not_recorded/joints", where=self.name, joints=known, stranger=strangers[0])
        content = {}
        for name, channel in self.channels.items():
            if set(channel.columns) <= set(self.joint_names):
                picked = [joint for joint in names if joint in channel.columns]
                channel = channel.pick(picked) if picked else channel.pick(())
            content[name] = channel
        truth = None if self.truth is None else self.truth.pick([self.joint_names.index(name) for name in names])
        sliding = tuple(name for name in names if name in self.sliding)
        return replace(self, joint_names=names, sliding=sliding, channels=content, truth=truth)

    def with_channel(self, name: str, values: Channel | ArrayLike, *, stated_unit: str = "", **facts: Any) -> Recording:
        """A further channel, or one in place of another. Plain numbers are of all joints; `facts` as in `Channel`.

        >>> swing = Recording(joint_names=("hip",), time=[0.0], position=[[1.0]])
        >>> swing.with_channel("current", [[500.0]], stated_unit="mA").current
        array([[0.5]])
        """
        if not isinstance(values, Channel):
            factor = unit(stated_unit).factor
            columns = facts.pop("columns", SENSORS[name][0] if name in SENSORS else self.joint_names)
            units = SENSORS[name][1] if name in SENSORS else tuple(si_unit(name, c in self.sliding) for c in columns)
            facts = {"units": units, "clock": self.clock, **facts}
            values = Channel(frozen(name, values) * factor, columns, stated_unit=stated_unit, **facts)
        return replace(self, channels={**self.channels, name: values})

    def masked(self, mask: ArrayLike) -> Recording:
        """Fewer samples may be used: those that were usable and are True in `mask`, (samples,).

        >>> Recording(joint_names=(), time=[0, 1, 2]).masked([True, False, True]).mask.sum()
        np.int64(2)
        """
        chosen = np.asarray(mask)
        if chosen.dtype != bool or chosen.shape != self.time.shape:
            raise RecordingError("shape.wrong/masked", dtype=chosen.dtype, shape=chosen.shape, self_count=len(self))
        return replace(self, mask=self.mask & chosen)

    def with_clock(self, *, rate: float | None = None, time: ArrayLike | None = None) -> Recording:
        """The same samples at other times: evenly at a `rate` [Hz], which is then an assumption, or as stamped elsewhere.

        >>> Recording(joint_names=(), time=[0, 1, 2]).with_clock(rate=100).time
        array([0.  , 0.01, 0.02])
        """
        if (rate is None) == (time is None):
            raise RecordingError("clock.missing/recording")
        if rate is not None:
            if not 0 < rate < np.inf:
                raise RecordingError("rate.wrong/load", rate=rate)
            time = np.arange(len(self)) / rate
        clock = "recorded" if rate is None else "assumed"
        content = {name: c if c.time is not None else replace(c, clock=clock) for name, c in self.channels.items()}
        return replace(self, time=frozen("time", time), clock=clock, channels=content)

    @staticmethod
    def merge(*recordings: Recording, tolerance: float | None = None) -> Recording:
        """One recording from several that hold different channels or joints of the same time; see `merge.merged`.

        >>> position = Recording(joint_names=("hip",), time=[0, 1], position=[[1], [2]])
        >>> torque = Recording(joint_names=("hip",), time=[0, 1], torque=[[3], [4]])
        >>> Recording.merge(position, torque).torque
        array([[3.], [4.]])
        """
        from bifilar.recording.merge import merged

        return merged(recordings, tolerance)

    def check(self, robot: Robot | None = None, *, current: bool = False) -> Any:
        """What is wrong with it, as findings; see `bifilar.recording.check`. `current`: its torque is one, of unknown gains.

        >>> time = np.arange(0, 2, 0.01)
        >>> swing = Recording(joint_names=("hip",), time=time, position=np.sin(time)[:, None], torque=np.cos(time)[:, None])
        >>> findings = swing.check()
        """
        from bifilar.recording.check import check

        return check(self, robot, current=current)

    def save(self, path: Path) -> None:
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
    def load(
        cls,
        path: Path,
        robot: Robot | None = None,
        mapping: ColumnMapping | Path | None = None,
        by_position: bool = False,
        **declared: Any,
    ) -> Recording:
        """Read a log: what `save` wrote, text, NPZ, MAT, Parquet, HDF5, MCAP, ROS 2 bags; see `bifilar.recording.load`.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "swing.npz")
        >>> Recording(joint_names=("hip",), time=[0.5], position=[[1.0]], torque=[[2.0]]).save(file)
        >>> Recording.load(file).torque
        array([[2.]])
        """
        from bifilar.recording.load import load

        return load(path, robot, mapping, by_position, **declared)

    @classmethod
    def stream(
        cls,
        path: Path,
        robot: Robot | None = None,
        mapping: ColumnMapping | Path | None = None,
        by_position: bool = False,
        rows: int = 65536,
        **declared: Any,
    ) -> Iterator[Recording]:
        """As `load`, in pieces of at most so many samples: a log of any size in little memory.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "swing.csv")
        >>> Recording(joint_names=("hip",), time=[0, 1, 2], position=[[1], [2], [3]], torque=[[1], [2], [3]]).save(file)
        >>> [len(piece) for piece in Recording.stream(file, rows=2)]
        [2, 1]
        """
        from bifilar.recording.load import stream

        return stream(path, robot, mapping, by_position, rows, **declared)
