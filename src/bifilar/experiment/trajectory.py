"""What a motion is: joint positions over time, with velocity, acceleration and jerk that are their true derivatives.

A `Trajectory` is a function of time, a `Motion` what it gives at some instants. Every trajectory of this folder is a
`Curve`: a subclass writes down position and its analytic derivatives inside [0, duration], and the class adds the rest.
Before the start and after the end the joints stand still where the trajectory begins or ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.state import Array, states
from bifilar.errors import ShapeError
from bifilar.experiment.checks import instants, named, place, positive, read_only

Derivatives = tuple[Array, Array, Array, Array | None]  # position, velocity, acceleration, jerk; each (samples, joints)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Motion:
    """States at some instants, (samples, joints); arrays are read-only. `motion[10:20]` or `motion[mask]` keeps some.

    >>> motion = Motion(joint_names=["a"], time=[0, 1], position=[[0], [1]], velocity=[[0], [2]], acceleration=[[1], [2]])
    >>> motion[1:].position
    array([[1.]])
    """

    joint_names: tuple[str, ...]
    time: Array  # (N,) [s]
    position: Array  # (N, joints) [rad] or [m]
    velocity: Array
    acceleration: Array
    jerk: Array | None = None  # where it is known

    def __post_init__(self) -> None:
        names = named(self.joint_names)
        arrays: dict[str, Any] = {"position": self.position, "velocity": self.velocity, "acceleration": self.acceleration}
        arrays |= {} if self.jerk is None else {"jerk": self.jerk}
        rows = dict(zip(arrays, states(names, **arrays)[0]))
        time = instants(self.time)
        if len(time) != len(rows["position"]):
            raise ShapeError("motion.length/trajectory", time_count=len(time), position_count=len(rows["position"]))
        object.__setattr__(self, "joint_names", names)
        for name, array in (rows | {"time": time}).items():
            object.__setattr__(self, name, read_only(array))

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f", {self.time[0]:g} s to {self.time[-1]:g} s" if len(self) else ""
        return f"Motion({len(self)} samples of {', '.join(self.joint_names)}{span})"

    def __getitem__(self, rows: Any) -> Motion:
        keep = slice(rows, rows + 1 or None) if isinstance(rows, int) else rows
        jerk = None if self.jerk is None else self.jerk[keep]
        return Motion(
            joint_names=self.joint_names,
            time=self.time[keep],
            position=self.position[keep],
            velocity=self.velocity[keep],
            acceleration=self.acceleration[keep],
            jerk=jerk,
        )

    def joints(self, names: Sequence[str]) -> Motion:
        """These joints, in this order: by name, never by place.

        >>> bf.sample(bf.quintic(["a", "b"], [[0, 0], [1, 2]], [0, 1]), rate=1).joints(["b"]).position.ravel()
        array([0., 2.])
        """
        keep = [place(name, self.joint_names) for name in named(names)]
        jerk = None if self.jerk is None else self.jerk[:, keep]
        q, v, a = (array[:, keep] for array in (self.position, self.velocity, self.acceleration))
        return Motion(joint_names=tuple(names), time=self.time, position=q, velocity=v, acceleration=a, jerk=jerk)


class Trajectory(Protocol):
    """Whatever has joints, a duration and states.

    >>> trajectory: Trajectory = bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0])
    >>> trajectory.duration
    2.0
    """

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Columns of its states.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).joint_names
        ('elbow',)
        """

    @property
    def duration(self) -> float:
        """Length in seconds.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).duration
        2.0
        """

    def at(self, time: ArrayLike) -> Motion:
        """States at these instants.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).at(1.0).position
        array([[0.5]])
        """


class Window(NamedTuple):
    """A part of a motion: a hold, a stretch of constant speed, the periodic part.

    >>> Window(1.0, 2.0).contains([0.5, 1.5])
    array([False,  True])
    """

    start: float  # [s]
    stop: float

    def contains(self, time: ArrayLike) -> np.ndarray:
        """Which instants are inside, the ends included.

        >>> Window(1.0, 2.0).contains(2.0)
        np.True_
        """
        t = np.asarray(time, dtype=np.float64)
        return (t >= self.start) & (t <= self.stop)

    def slowed(self, factor: float) -> Window:
        """The same part of a motion that takes `factor` times as long.

        >>> Window(1.0, 2.0).slowed(10)
        Window(start=10.0, stop=20.0)
        """
        return Window(self.start * factor, self.stop * factor)


class Curve(ABC):
    """Base of the trajectories here; a subclass has `joint_names`, `duration` and `_derivatives` inside [0, duration].

    >>> isinstance(bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]), Curve)
    True
    """

    joint_names: tuple[str, ...]

    @property
    @abstractmethod
    def duration(self) -> float:
        """Length in seconds.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).duration
        2.0
        """

    @abstractmethod
    def _derivatives(self, time: Array) -> Derivatives:
        """Position, velocity, acceleration and jerk at instants within [0, duration]."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.duration:g} s of {', '.join(self.joint_names)})"

    def at(self, time: ArrayLike) -> Motion:
        """States at these instants; outside [0, duration] the joints stand still at the ends.

        >>> move = bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0])
        >>> move.at([1.0, 5.0]).velocity.ravel()
        array([0.9375, 0.    ])
        """
        t = instants(time)
        q, *rates = self._derivatives(np.clip(t, 0.0, self.duration))
        slack = 1e-12 * self.duration  # k / rate may miss the end by a rounding error
        outside = (t < -slack) | (t > self.duration + slack)
        v, a, j = (None if rate is None else np.where(outside[:, None], 0.0, rate) for rate in rates)
        for array in (q, v, a, j):
            if array is not None:
                array.flags.writeable = False
        assert v is not None and a is not None
        return Motion(joint_names=self.joint_names, time=t, position=q, velocity=v, acceleration=a, jerk=j)

    def sample(self, rate: float) -> Motion:
        """States `rate` times a second, the end included.

        >>> len(bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).sample(100))
        201
        """
        return sample(self, rate)

    def slowed(self, factor: float) -> Curve:
        """The same path in `factor` times the time: velocity / factor, acceleration / factor^2.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).slowed(4).duration
        8.0
        """
        from bifilar.experiment.compose import Slowed

        return Slowed(self, factor)

    def with_offset(self, offset: ArrayLike) -> Curve:
        """The same motion about another pose: `offset` is added to every position.

        >>> bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 2.0]).with_offset([0.5]).at(2.0).position
        array([[1.5]])
        """
        from bifilar.experiment.compose import Shifted

        return Shifted(self, offset)  # type: ignore[arg-type]


def sample(trajectory: Trajectory, rate: float) -> Motion:
    """States of any trajectory `rate` times a second, from 0 to the first instant that is not before the end.

    >>> bf.sample(bf.quintic(["elbow"], [[0.0], [1.0]], [0.0, 1.0]), rate=2).time
    array([0. , 0.5, 1. ])
    """
    positive("the sampling rate", rate, "Hz")
    count = int(np.ceil(trajectory.duration * rate * (1 - 1e-12) - 1e-9))
    return trajectory.at(np.arange(count + 1) / rate)
