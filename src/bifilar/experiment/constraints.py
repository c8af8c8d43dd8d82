"""What a motion must not do, beyond the joints' own limits: the form every constraint has.

A constraint such as `Above("hand", 0.15)` is settings; `on(robot)` makes it a `Wall`, which answers for states how much
room is left (positive inside), how that changes with position, velocity and acceleration, exactly, and how fast it can change
in time at most (`norms`). The search needs the first two, the proof between the samples the first and the last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Remedy
from bifilar.experiment.norms import Bodies
from bifilar.experiment.recheck import Recheck
from bifilar.robot.robot import Robot


class Slopes(NamedTuple):
    """Derivatives of rooms by position, velocity, acceleration, (samples, rooms, joints) each; None where there are none.

    >>> Slopes(np.zeros((5, 1, 7))).velocity is None
    True
    """

    position: Array
    velocity: Array | None = None
    acceleration: Array | None = None


NOTHING = Remedy("")


@dataclass(frozen=True)
class Room:
    """One number a wall watches: what it is, of what, its limit.

    >>> print(Room("height of hand", 0.15, "m"))
    height of hand
    """

    name: str
    limit: float
    unit: str
    side: int = 1  # 1: the value stays above the limit; -1: below it
    gain: float = 1.0  # change of room per change of the limit; less than 1 where a margin is a share of the limit
    remedy: Remedy = NOTHING  # beside another limit

    def relaxed(self, missing: float) -> float:
        """The limit that gives so much more room, rounded to the generous side.

        >>> Room("height of hand", 0.15, "m").relaxed(0.0501), Room("speed of hand", 1.0, "m/s", side=-1).relaxed(0.1001)
        (0.09989, 1.101)
        """
        exact = self.limit - self.side * missing / self.gain
        unit = 10.0 ** (np.floor(np.log10(max(abs(exact), 1e-6))) - 3)
        return float(round((np.floor if self.side > 0 else np.ceil)(exact / unit) * unit, 9))

    def __str__(self) -> str:
        return self.name


class Wall(ABC):
    """A constraint on a particular robot; `rooms` of states is (samples, len(watched)), positive inside.

    >>> issubclass(type(bf.Above("link1", 0.0).on(bf.Robot.load("pendulum"))), Wall)
    True
    """

    watched: tuple[Room, ...]

    @abstractmethod
    def rooms(self, q: Array, v: Array, a: Array) -> Array:
        """Room left in every sample.

        >>> bf.Above("link1", -2.0).on(bf.Robot.load("pendulum")).rooms(*np.zeros((3, 1, 1))).shape
        (1, 1)
        """

    @abstractmethod
    def sloped(self, q: Array, v: Array, a: Array) -> tuple[Array, Slopes]:
        """Rooms and their derivatives.

        >>> bf.Above("link1", -2.0).on(bf.Robot.load("pendulum")).sloped(*np.zeros((3, 1, 1)))[1].position.shape
        (1, 1, 1)
        """

    @abstractmethod
    def rates(self, bodies: Bodies) -> Array:
        """Bounds of |d room / dt| in every interval of time, (intervals, rooms).

        >>> from bifilar.experiment.norms import Bodies, Span
        >>> robot = bf.Robot.load("pendulum")
        >>> bf.Above("link1", -2.0).on(robot).rates(Bodies(robot.tree, Span(*np.ones((4, 2, 1))))).shape
        (2, 1)
        """

    @abstractmethod
    def second_opinion(self, second: Recheck, q: Array, v: Array, a: Array) -> Array:
        """The rooms again, from kinematics and dynamics that are not ours.

        >>> from bifilar.experiment.recheck import Recheck
        >>> robot = bf.Robot.load("pendulum")
        >>> wall, state = bf.Above("link1", -2.0).on(robot), np.zeros((3, 1, 1))
        >>> bool(np.allclose(wall.second_opinion(Recheck(robot), *state), wall.rooms(*state)))
        True
        """

    @property
    def scales(self) -> Array:
        """A size of each room that makes different ones comparable.

        >>> bf.Above("link1", 0.15).on(bf.Robot.load("pendulum")).scales
        array([1.])
        """
        return np.ones(len(self.watched))


class Constraint(Protocol):
    """Anything that can be put up on a robot as a wall.

    >>> constraint: Constraint = bf.Above("link1", 0.0)
    """

    def on(self, robot: Robot) -> Wall:
        """The wall, its margin taken off.

        >>> bf.Above("link1", 0.0).on(bf.Robot.load("pendulum")).watched[0].name
        'link1 along +z'
        """

    def without_margin(self) -> Constraint:
        """The limit itself.

        >>> bf.Above("link1", 0.0, margin=0.1).without_margin().margin
        0.0
        """


def walls(robot: Robot, constraints: Sequence[Constraint]) -> tuple[Wall, ...]:
    """All constraints put up on a robot.

    >>> len(walls(bf.Robot.load("pendulum"), [bf.Above("link1", 0.0)]))
    1
    """
    return tuple(constraint.on(robot) for constraint in constraints)
