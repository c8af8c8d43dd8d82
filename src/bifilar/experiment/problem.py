"""The design problem as numbers: a vector of unknowns, what it is judged by, and what it must keep to on a grid.

One `Problem` is made per design and shared by its starts. Criterion and limits are evaluated on grids over one period: the
criterion's integrals are exact to rounding on a coarse one, limits take a finer one so that little can happen in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.experiment.checks import positive
from bifilar.experiment.constraints import Constraint, Room, Slopes, Wall, walls
from bifilar.experiment.criteria import Criterion
from bifilar.experiment.envelope import QUANTITIES, Bounds, Unknowns
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.harmonics import FourierBasis
from bifilar.experiment.information import Information, Others, relative_sizes
from bifilar.experiment.interior import Box
from bifilar.experiment.proof import Path, proven_rooms
from bifilar.robot.base_parameters import base_parameters
from bifilar.robot.robot import Robot

RELATIVE = ("A", "E", "worst")  # criteria that compare deviations of parameters: over the robot's own values of them
JUDGED = 20  # samples per period of the highest harmonic that the criterion looks at
WATCHED = 32  # and the limits
RESERVE = 3e-3  # of a wall's scale, for what happens between the samples


@dataclass(frozen=True, eq=False)
class Problem:
    """Unknowns, bounds, walls, information and criterion of one design.

    >>> problem = Problem.of(bf.Robot.load("two_link"), duration=5.0)
    >>> problem.judged(np.random.default_rng(0).normal(size=18))[1]().shape
    (18,)
    """

    robot: Robot
    unknowns: Unknowns
    bounds: Bounds
    walls: tuple[Wall, ...]
    seen: Information
    criterion: Criterion
    rate: float  # [Hz] of the samples that will be recorded

    @classmethod
    def of(
        cls,
        robot: Robot,
        *,
        duration: float,
        harmonics: int | Sequence[int] = 5,
        criterion: Criterion | None = None,
        margin: float = 0.05,
        noise: ArrayLike = 1.0,
        rate: float = 100.0,
        prior: ArrayLike | None = None,
        constraints: Sequence[Constraint] = (),
        start: ArrayLike | None = None,
        only: Sequence[str] = ("*",),
        others: Others = "known",
        highest: float = np.inf,
    ) -> Problem:
        """From what a user says; see `design`.

        >>> Problem.of(bf.Robot.load("two_link"), duration=5.0).unknowns.size
        18
        """
        judge, bounds = criterion or Criterion(), Bounds.of(robot, margin=margin)
        series = FourierBasis.lasting(duration, harmonics=harmonics, highest=min(highest, positive("the rate", rate, "Hz") / 4))
        begin = None if start is None else bounds.holds(start, "the start pose")
        base = base_parameters(robot)
        scale = relative_sizes(base, robot) if judge.kind in RELATIVE else 1.0
        seen = Information.on(robot, base, noise=noise, only=only, others=others, scale=scale, prior=prior)
        unknowns = Unknowns.of(series, len(robot.joint_names), start=begin)
        return cls(robot, unknowns, bounds, walls(robot, constraints), seen, judge, rate)

    @cached_property
    def _judged_rows(self) -> Array:
        return self.unknowns.matrices(JUDGED * max(self.unknowns.series.harmonics))[:3]

    @cached_property
    def _watched_rows(self) -> Array:
        return self.unknowns.matrices(WATCHED * max(self.unknowns.series.harmonics))

    @cached_property
    def _seen(self) -> Information:
        """Every sample of the grid counts as the many samples of the recording that it stands for."""
        many = self.rate * self.unknowns.series.duration / self._judged_rows.shape[1]
        return replace(self.seen, weight=self.seen.weight * np.sqrt(many))

    @cached_property
    def box(self) -> Box:
        """Joint limits on the grid, without quantities that nobody limits.

        >>> Problem.of(bf.Robot.load("two_link"), duration=5.0).box.lower.shape[0]
        2
        """
        limited = [k for k in range(len(QUANTITIES)) if np.isfinite([self.bounds.lower[k], self.bounds.upper[k]]).any()]
        rows, samples = self._watched_rows[limited], self._watched_rows.shape[1]
        still = np.zeros((4, self.unknowns.joints))
        still[0] = 0.0 if self.unknowns.start is None else self.unknowns.start
        lower, upper = ((bound - still)[limited] for bound in (self.bounds.lower, self.bounds.upper))
        wide = (np.repeat(bound.T, samples, axis=1) for bound in (lower, upper))
        return Box(rows.reshape(-1, rows.shape[2]), *wide)

    def states(self, x: Array, rows: Array) -> Array:
        """Position, velocity, acceleration on a grid, (3, samples, joints).

        >>> problem = Problem.of(bf.Robot.load("two_link"), duration=5.0)
        >>> problem.states(np.zeros(18), problem.unknowns.matrices(10)).shape
        (3, 10, 2)
        """
        state = rows[:3] @ x.reshape(self.unknowns.joints, -1).T
        if self.unknowns.start is not None:
            state[0] += self.unknowns.start
        return state

    def judged(self, x: Array) -> tuple[float, Callable[[], Array]]:
        """Criterion, and a function that gives its gradient by the unknowns.

        >>> problem = Problem.of(bf.Robot.load("two_link"), duration=5.0)
        >>> problem.judged(np.zeros(18))[0]
        -inf
        """
        rows = self._judged_rows
        value, pulls = self._seen.judged(self.criterion, *self.states(x, rows))
        return value, lambda: sum(pull.T @ row for pull, row in zip(pulls(), rows)).ravel()  # type: ignore[union-attr]

    # ---- walls on the grid

    def rooms(self, x: Array) -> Array:
        """Rooms of all walls at all grid points, one after the other.

        >>> problem = Problem.of(bf.Robot.load("two_link"), duration=5.0, constraints=[bf.Above("link2", -9.0)])
        >>> problem.rooms(np.zeros(18)).shape
        (160,)
        """
        state = self.states(x, self._watched_rows)
        return np.concatenate([(wall.rooms(*state) - RESERVE * wall.scales).ravel() for wall in self.walls])

    def sloped(self, x: Array) -> tuple[Array, Array]:
        """Rooms and their slopes by the unknowns.

        >>> problem = Problem.of(bf.Robot.load("two_link"), duration=5.0, constraints=[bf.Above("link2", -9.0)])
        >>> problem.sloped(np.zeros(18))[1].shape
        (160, 18)
        """
        state, rows = self.states(x, self._watched_rows), self._watched_rows
        parts = [wall.sloped(*state) for wall in self.walls]
        rooms = [(room - RESERVE * wall.scales).ravel() for (room, _), wall in zip(parts, self.walls)]
        return np.concatenate(rooms), np.vstack([_by_unknowns(by, rows) for _, by in parts])

    def share(self, x: Array) -> float:
        """The least room of all on the grid, as a share of its range.

        >>> Problem.of(bf.Robot.load("two_link"), duration=5.0).share(np.zeros(18))
        0.5
        """
        above, below = self.box.slacks(x)
        with np.errstate(invalid="ignore", divide="ignore"):
            least = float(np.nanmin(np.minimum(above, below) / (above + below)))
        for wall in self.walls:
            least = min(least, float((wall.rooms(*self.states(x, self._watched_rows)) / wall.scales).min()))
        return least

    # ---- proof

    def motion(self, x: Array) -> Fourier:
        """The series of a vector.

        >>> Problem.of(bf.Robot.load("two_link"), duration=5.0).motion(np.zeros(18)).duration
        5.0
        """
        return self.unknowns.motion(x, self.robot.joint_names)

    def is_proven(self, x: Array) -> bool:
        """Whether all limits hold at every instant.

        >>> Problem.of(bf.Robot.load("two_link"), duration=5.0).is_proven(np.zeros(18))
        True
        """
        motion = self.motion(x)
        if np.any(self.bounds.margins(motion) < 0):
            return False
        path = Path(motion)
        return all(np.all(proven_rooms(self.robot, wall, path) >= 0) for wall in self.walls)

    @property
    def watched(self) -> Sequence[Room]:
        """What the walls watch.

        >>> Problem.of(bf.Robot.load("two_link"), duration=5.0).watched
        ()
        """
        return tuple(room for wall in self.walls for room in wall.watched)


def _by_unknowns(slopes: Slopes, rows: Array) -> Array:
    """Slopes by states (samples, rooms, joints), times the rows of the grid: (samples rooms, joints unknowns)."""
    total = 0.0
    for by, row in zip(slopes, rows):
        if by is not None:
            total = total + by[:, :, :, None] * row[:, None, None, :]
    assert isinstance(total, np.ndarray)
    return total.reshape(total.shape[0] * total.shape[1], -1)
