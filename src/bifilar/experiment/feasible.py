"""Where a search can begin: a random motion strictly inside every limit, about a pose that is.

Every motion that begins at rest contains a still pose, its first; so there is a motion if and only if there is a pose with room
on every side. Poses are drawn at random; if none of many has room, the one with most is searched for, and if even that one
has none, it tells which limit is in the way and by how much.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError, Remedy
from bifilar.experiment.envelope import QUANTITIES
from bifilar.experiment.interior import STOPPED, Box, maximise
from bifilar.experiment.problem import RESERVE, Problem
from bifilar.experiment.proof import Path

DRAWS = 2000  # random poses looked at
ENOUGH = 1e-4  # room, in the wall's own scale, that a search can begin with
SHRINK = (1.0, 0.998, 0.995, 0.99, 0.98, 0.96, 0.92, 0.85)  # of amplitudes, tried in turn until a motion is proven
CANDIDATES = 12  # random motions of which the best one is the start


class Poses:
    """Poses with room on every side, found once per problem.

    >>> poses = Poses(Problem.of(bf.Robot.load("two_link"), duration=5.0), np.random.default_rng(0))
    >>> poses.inside
    array([[0., 0.]])
    """

    def __init__(self, problem: Problem, rng: np.random.Generator) -> None:
        self.problem = problem
        lower, upper = problem.bounds.lower[0], problem.bounds.upper[0]
        if problem.unknowns.start is not None:
            self.inside = problem.unknowns.start[None]
            if problem.walls and np.min(self._shares(self.inside)) < ENOUGH:
                raise self._letter(problem.unknowns.start, "the start pose")
            return
        middle = 0.5 * (lower + upper)
        if not problem.walls:
            self.inside = middle[None]
            return
        drawn = np.vstack([middle, rng.uniform(lower, upper, (DRAWS, len(lower)))])
        room = np.minimum(self._shares(drawn), np.minimum(upper - drawn, drawn - lower).min(axis=1))
        best = np.argsort(-room)
        if room[best[0]] < 0.01:
            found = [self._climb(drawn[k]) for k in best[:8]]
            drawn, room = np.array([pose for pose, _ in found]), np.array([least for _, least in found])
            best = np.argsort(-room)
            if room[best[0]] < ENOUGH:
                raise self._letter(drawn[best[0]], "")
        keep = best[: max(int((room > 0.5 * room[best[0]]).sum()), 1)]
        self.inside = drawn[keep]

    def _shares(self, q: Array) -> Array:
        """The least room of each pose over all walls, in their own scales, less what a search keeps in reserve."""
        still = np.zeros_like(q)
        shares = [(wall.rooms(q, still, still) / wall.scales).min(axis=1) for wall in self.problem.walls]
        return np.min(shares, axis=0) - RESERVE

    def _climb(self, pose: Array) -> tuple[Array, float]:
        """Towards more room on the narrowest side: a soft minimum, sharpened step by step."""
        bounds = self.problem.bounds
        off = 1e-3 * (bounds.upper[0] - bounds.lower[0])
        box = Box(np.ones((1, 1)), (bounds.lower[0])[:, None], (bounds.upper[0])[:, None])
        q = np.clip(pose, bounds.lower[0] + off, bounds.upper[0] - off)
        for sharp in (10.0, 100.0, 1000.0):
            soft, low = partial(self._soft, sharp=sharp), 1e-4 / sharp
            found = maximise(soft, box, q, barrier=1e3 * low, finish=low, accuracy=1e-5, most=60)
            if found.status == STOPPED:
                raise KeyboardInterrupt
            q = found.x
        return q, float(self._shares(q[None])[0])

    def _soft(self, pose: Array, sharp: float) -> tuple[float, Callable[[], Array]]:
        """-log(sum exp(-sharp room)) / sharp and its gradient."""
        state = pose[None], np.zeros((1, len(pose))), np.zeros((1, len(pose)))
        parts = [(wall.sloped(*state), wall.scales) for wall in self.problem.walls]
        rooms = np.concatenate([room[0] / scale for (room, _), scale in parts])
        slopes = np.vstack([by.position[0] / scale[:, None] for (_, by), scale in parts])
        share = np.exp(-sharp * (rooms - rooms.min()))
        value = rooms.min() - np.log(share.sum()) / sharp
        return float(value), lambda: (share / share.sum()) @ slopes

    def _letter(self, pose: Array, who: str) -> MotionError:
        """What is missing at a pose, and limits under which it would do; all of them at once, since they may be in conflict."""
        still = np.zeros((1, len(pose)))
        walls, watched = self.problem.walls, self.problem.watched
        rooms = np.concatenate([wall.rooms(pose[None], still, still)[0] for wall in walls])
        scales = np.concatenate([wall.scales for wall in walls])
        missing = (RESERVE + 2 * ENOUGH) * scales - rooms
        short = [k for k in np.argsort(-missing / scales).tolist() if missing[k] > 0]
        worst, lack = watched[short[0]], missing[short[0]]
        advice = [
            f"'{watched[k].name}' from {watched[k].limit:.4g} to {watched[k].relaxed(1.02 * missing[k]):.4g} {watched[k].unit}"
            for k in short
        ]
        more = f" and {len(short) - 5} others" if len(short) > 5 else ""
        others = {"in conflict with": ", ".join(f"'{watched[k].name}'" for k in short[1:5])} if len(short) > 1 else {}
        where = ", ".join(f"{name} {angle:.3f}" for name, angle in zip(self.problem.robot.joint_names, pose))
        relaxed = f"relax {', '.join(advice[:5])}{more}; or "
        remedy = Remedy("take off margins", cli="a smaller --margin or --clearance", lead=relaxed)
        return MotionError(
            "design.no_pose/who" if who else "design.no_pose",
            who=who,
            lack=float(lack),
            unit=worst.unit,
            name=worst.name,
            pose=where,
            remedy=remedy.followed_by(worst.remedy),
            **others,
        )

    def start(self, rng: np.random.Generator) -> Array:
        """A random motion about one of the poses, inside every limit: the most telling of some.

        >>> problem, rng = Problem.of(bf.Robot.load("two_link"), duration=5.0), np.random.default_rng(0)
        >>> problem.is_proven(Poses(problem, rng).start(rng))
        True
        """
        motions = [self._motion(rng) for _ in range(CANDIDATES)]
        values = [self.problem.judged(x)[0] for x in motions]
        return motions[int(np.argmax(values))]

    def _motion(self, rng: np.random.Generator) -> Array:
        problem, unknowns = self.problem, self.problem.unknowns
        still = unknowns.still(self.inside[rng.integers(len(self.inside))])
        table = rng.normal(size=(unknowns.joints, unknowns.each))
        if unknowns.start is None:
            table[:, -1] = 0.0
        above, below = problem.box.slacks(still)
        moved = table @ problem.box.rows.T
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(moved > 0, above / moved, np.where(moved < 0, -below / moved, np.inf))
        table *= 0.7 * room.min(axis=1, keepdims=True)
        step = table.ravel()
        if not problem.walls:
            return still + step
        for _ in range(60):
            if problem.rooms(still + step).min() > 0 and problem.rooms(still + 0.9 * step).min() > 0:
                break
            step = 0.8 * step
        return still + 0.9 * step


def shaken(problem: Problem, x: Array, size: float, rng: np.random.Generator) -> Array:
    """A random neighbour of a motion, drawn in until it is strictly inside every limit on the grid.

    >>> problem, rng = Problem.of(bf.Robot.load("two_link"), duration=5.0), np.random.default_rng(0)
    >>> neighbour = shaken(problem, Poses(problem, rng).start(rng), 0.5, rng)
    >>> bool(min(slack.min() for slack in problem.box.slacks(neighbour)) > 0)
    True
    """
    count = problem.unknowns.free.shape[1]
    table = x.reshape(problem.unknowns.joints, -1)
    moved = table[:, :count] + size * np.abs(table[:, :count]).mean() * rng.normal(size=(len(table), count))
    share = 0.8
    for _ in range(60):
        changed = table.copy()
        changed[:, :count] = share * moved
        inside = min(float(slack.min()) for slack in problem.box.slacks(changed.ravel())) > 0
        if inside and (not problem.walls or problem.rooms(changed.ravel()).min() > 0):
            return changed.ravel()
        share *= 0.9
    return x


def drawn_back(problem: Problem, path: tuple[Array, ...]) -> Array:
    """The last motion of a search if it is proven, or else as little as possible less of it.

    The search looks at a grid. Joints that stray beyond their limits between its points are given smaller amplitudes, then all
    of them, by fractions of a percent; if that does not help, earlier stations of the search, which kept more room, are tried.

    >>> robot = bf.Robot.load("two_link")
    >>> problem = Problem.of(robot, duration=5.0)
    >>> bool(problem.is_proven(drawn_back(problem, (problem.unknowns.still(np.zeros(2)),))))
    True
    """
    for outer in reversed(path):
        for share in SHRINK:
            x = fitted(problem, outer, share)
            if problem.is_proven(x):
                return x
    margins = problem.bounds.margins(problem.motion(path[0]))
    k, j = (int(i) for i in np.unravel_index(int(np.argmin(margins)), margins.shape))
    joint = problem.robot.joint_names[j]
    raise MotionError("design.not_proven", margin=margins[k, j], quantity=QUANTITIES[k], joint=joint)


def fitted(problem: Problem, x: Array, share: float = 1.0) -> Array:
    """A motion with amplitudes times `share`, less where a joint would stray beyond its limits between grid points.

    >>> problem = Problem.of(bf.Robot.load("two_link"), duration=5.0)
    >>> wild = problem.unknowns.still(np.zeros(2)) + 1.0
    >>> bool(np.all(problem.bounds.margins(problem.motion(fitted(problem, wild))) >= 0))
    True
    """
    motion, bounds, unknowns = problem.motion(x), problem.bounds, problem.unknowns
    low, high = Path(motion).ranges()
    centre = np.zeros_like(low)
    centre[0] = motion.offset if unknowns.start is None else unknowns.start  # what amplitudes are about
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = np.where(high > bounds.upper, (bounds.upper - centre) / (high - centre), 1.0)
        fall = np.where(low < bounds.lower, (centre - bounds.lower) / (centre - low), 1.0)
    factor = (
        share
        * np.clip(np.minimum(rise, fall).min(axis=0), 0.0, 1.0)
        * np.where(np.minimum(rise, fall).min(axis=0) < 1, 1 - 1e-9, 1.0)
    )
    table = x.reshape(unknowns.joints, -1).copy()
    table[:, : unknowns.free.shape[1]] *= factor[:, None]
    return table.ravel()
