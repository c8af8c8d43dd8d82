"""Equations that know the load on the gears: what load-dependent friction presses with.

A description may have no masses at all, or those of another tool; the load is then taken from a first fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bifilar.estimate.sources import Equations
from bifilar.robot.model import Model
from bifilar.robot.reduction import Chunk


@dataclass(frozen=True, eq=False)
class Loaded:
    """Another source, with the torque of a model (without its friction) as the load.

    >>> from bifilar.estimate.sources import Arrays
    >>> robot = bf.Robot.load("pendulum")
    >>> source = Loaded(Arrays(*np.zeros((4, 3, 1))), robot)
    >>> next(iter(source.chunks(robot))).load.shape
    (3, 1)
    """

    source: Equations
    model: Model

    def __len__(self) -> int:
        return len(self.source)

    def chunks(self, model: Model) -> Iterator[Chunk]:
        """The chunks of the source, with loads.

        >>> from bifilar.estimate.sources import Arrays
        >>> robot = bf.Robot.load("pendulum")
        >>> len(list(Loaded(Arrays(*np.zeros((4, 3, 1))), robot).chunks(robot)))
        1
        """
        first = 6 if self.model.is_floating else 0
        for chunk in self.source.chunks(model):
            state = chunk.position, chunk.velocity, chunk.acceleration
            load = self.model.inverse_dynamics(*state, base=chunk.base, friction=False)
            yield chunk._replace(load=load[:, first:])
