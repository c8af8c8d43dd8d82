"""The two swing phases of a walker, on one foot and on the other, as numbers: what simulation, touchdown and filters run on.

Legs need not be alike: each foot has its own constants, and a touchdown changes from one to the other. Where they are alike the
two are the same numbers, and changing over is renaming the legs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import RobotError, ShapeError
from bifilar.walking.planar import Planar, placed, turned
from bifilar.walking.walker import Walker


@dataclass(frozen=True, eq=False)
class Phases:
    """A pinned model per foot, and what joins them. States are of the links, in the order of the foot's own model.

    >>> phases = Phases.of(Walker.load("walker3"))
    >>> phases.swap[0], phases.encoder_rows[1]
    ((2, 1, 0), (2, 1))
    """

    planar: tuple[Planar, ...]  # per foot
    foot: tuple[Array, ...]  # (n, 2) per foot: ways to the swing foot
    swap: tuple[tuple[int, ...], ...]  # which link of this foot's model is link k of the other's
    encoder_rows: tuple[tuple[int, ...], ...]  # rows of `joint` in the robot's order of encoders
    encoders: tuple[str, ...]
    feet: tuple[str, ...]
    alike: bool  # whether both feet have the same constants

    @classmethod
    def of(cls, walker: Walker) -> Phases:
        """The phases of a walker with two feet.

        >>> Phases.of(Walker.load("walker5")).alike
        True
        """
        if len(walker.feet) != 2:
            raise RobotError("walker.needs_two_feet", name=walker.robot.name, feet_count=len(walker.feet))
        both = (0, 1)
        return cls(
            tuple(walker.planar(k) for k in both),
            tuple(walker.way(walker.feet[1 - k], k) for k in both),
            tuple(walker.swap(k) for k in both),
            tuple(walker.order(k) for k in both),
            walker.encoders,
            walker.feet,
            walker.is_symmetric,
        )

    def __len__(self) -> int:
        return len(self.planar[0])

    def with_planar(self, one: Planar, other: Planar | None = None) -> Phases:
        """The same machine with other constants (an estimate); one for both feet if the legs are alike.

        >>> phases = Phases.of(Walker.load("walker3"))
        >>> phases.with_planar(phases.planar[0]).alike
        True
        """
        if other is None and not self.alike:
            raise RobotError("walker.legs_differ")
        names = self.planar[1].names
        return replace(self, planar=(one, replace(one, names=names) if other is None else other))

    def torques(self, stance: int, torque: Array) -> Array:
        """Torques of the model's rows (..., n), zero at the pivot, from those of the encoders' joints (..., n - 1).

        >>> Phases.of(Walker.load("walker3")).torques(1, np.array([1.0, 2.0]))
        array([0., 2., 1.])
        """
        out = np.zeros((*torque.shape[:-1], len(self)))
        out[..., list(self.encoder_rows[stance])] = torque
        return out

    def state(self, values: ArrayLike) -> Array:
        """A state, checked: 2 n finite numbers.

        >>> Phases.of(Walker.load("walker3")).state(np.zeros(6)).shape
        (6,)
        """
        x = np.array(values, dtype=float)
        if x.shape != (2 * len(self),) or not np.isfinite(x).all():
            raise ShapeError(
                "state.shape/phases",
                shape=x.shape,
                words="" if np.isfinite(x).all() else " that are not all finite",
                self_count=len(self),
                names=self.planar[0].names,
            )
        return x

    def foot_position(self, stance: int, angles: Array) -> Array:
        """x and z of the swing foot, from the stance foot [m].

        >>> Phases.of(Walker.load("walker3")).foot_position(0, np.array([0.2, 0.0, -0.2])).round(3) + 0.0
        array([0.213, 0.   ])
        """
        return np.asarray(placed(angles, self.foot[stance]).sum(axis=0))

    def foot_jacobian(self, stance: int, angles: Array) -> Array:
        """(2, n) by the angles of the links.

        >>> Phases.of(Walker.load("walker3")).foot_jacobian(0, np.zeros(3)).shape
        (2, 3)
        """
        return turned(angles, self.foot[stance]).T
