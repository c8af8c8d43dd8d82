"""Keeping links apart, and away from obstacles: distances between capsules.

A capsule is a segment with a radius. Two are r apart if their segments' nearest points are r + radius + radius apart, and

    d distance / d q = n . (J at the one nearest point - J at the other),      n the unit vector between them

since the nearest points are the best ones (their own change does not count). What fixed neighbours have in common is left out:
capsules are generous, so links joined by a joint always overlap near it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.engine import current
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError, Remedy
from bifilar.experiment.constraints import Room, Slopes, Wall
from bifilar.experiment.norms import Bodies, levers
from bifilar.experiment.recheck import Recheck
from bifilar.robot.capsules import Capsule, capsules
from bifilar.robot.robot import Robot

OWN_CAPSULES = Remedy(
    "own=[bf.Capsule(link, start, end, radius), ...]",
    cli="give the links <collision> shapes in the description; --above and --within need none",
)
TOUCHING = Remedy(
    "ignore=[('link5', 'hand')]",
    cli='ignore = [["link5", "hand"]] below [collision] in the --limits file',
    lead="links that always touch are left out by ",
)

POSES = 500  # random poses that are looked at before a pair of capsules is left out


@dataclass(frozen=True, eq=False)
class Clearance:
    """Pairs of capsules stay apart. `Clearance.of(robot)` finds the capsules and the pairs worth watching.

    >>> ball, wall = bf.Capsule("link1", [0, 0, -0.5], [0, 0, -0.5], 0.1), bf.Capsule("", [1, -1, 0], [1, 1, 0], 0.1)
    >>> bf.Clearance((ball, wall), ((0, 1),)).least
    0.0
    """

    capsules: tuple[Capsule, ...]  # on links; those of the world (link "") are obstacles
    pairs: tuple[tuple[int, int], ...]  # places in `capsules`
    least: float = 0.0  # [m] distance between the surfaces
    margin: float = 0.0  # [m] more than that when a motion is designed
    left_out: tuple[tuple[str, str], ...] = ()  # links that touch in every pose, or were to be ignored: not watched

    def __post_init__(self) -> None:
        object.__setattr__(self, "capsules", tuple(self.capsules))
        object.__setattr__(self, "pairs", tuple((int(a), int(b)) for a, b in self.pairs))
        numbers = all(isinstance(x, (int, float, np.number)) for x in (self.least, self.margin))
        wrong = [pair for pair in self.pairs if not all(0 <= k < len(self.capsules) for k in pair) or pair[0] == pair[1]]
        if wrong or not numbers or not np.isfinite(self.least) or not 0 <= self.margin < np.inf:
            raise MotionError(
                "clearance.setting/clearance" if wrong else "clearance.setting/post_init",
                capsules=len(self.capsules),
                wrong=wrong[:1],
                least=self.least,
                margin=self.margin,
            )

    @classmethod
    def of(
        cls,
        robot: Robot,
        *,
        obstacles: Sequence[Capsule] = (),
        own: Sequence[Capsule] | None = None,
        least: float = 0.0,
        margin: float = 0.01,
        ignore: Sequence[tuple[str, str]] = (),
    ) -> Self:
        """Every link against every other and against obstacles.

        Left out are links next to each other, pairs to `ignore`, and links that touch in every one of many random poses (parts
        of one housing); `left_out` names the latter two. An obstacle is never left out, but what does not move need not be
        watched. `own`: capsules of the links, from the description's shapes if left out.

        >>> robot = bf.Robot.load("panda")
        >>> len(bf.Clearance.of(robot, obstacles=[bf.Capsule("", [1, 0, 0], [1, 0, 1], 0.1)]).pairs) > 0
        True
        """
        mine = tuple(capsules(robot) if own is None else own)
        for name in {name for pair in ignore for name in pair}:
            robot._frame(name)
        every = mine + tuple(replace(obstacle, link="") for obstacle in obstacles)
        if not mine:
            raise MotionError("clearance.no_shapes", name=robot.name)
        pairs = _worth_watching(robot, every, {frozenset(pair) for pair in ignore})
        watched = _not_always_touching(robot, every, pairs)
        names = [(every[a].link, every[b].link) for a, b in pairs if (a, b) not in watched]
        names += [(one, other) for one, other in ignore]
        return cls(every, watched, least, margin, tuple(dict.fromkeys(names)))

    def on(self, robot: Robot) -> Wall:
        """The wall on a robot.

        >>> ball, wall = bf.Capsule("link1", [0, 0, -0.5], [0, 0, -0.5], 0.1), bf.Capsule("", [1, -1, 0], [1, 1, 0], 0.1)
        >>> bf.Clearance((ball, wall), ((0, 1),)).on(bf.Robot.load("pendulum")).watched[0].name
        'distance of link1 and obstacle 1'
        """
        if robot.is_floating:
            raise MotionError("robot.floating/clearance", name=robot.name)
        if not self.pairs:
            raise MotionError("clearance.no_pair")
        frames = [(0, None) if not c.link else robot._frame(c.link) for c in self.capsules]
        ends = np.array([
            [end if pose is None else pose.rotation @ end + pose.translation for end in (c.start, c.end)]
            for c, (_, pose) in zip(self.capsules, frames, strict=True)
        ])  # fmt: skip
        names = [c.link or f"obstacle {k}" for k, c in enumerate(self.capsules)]
        watched = tuple(Room(f"distance of {names[a]} and {names[b]}", self.least, "m", remedy=TOUCHING) for a, b in self.pairs)
        bodies = np.array([body for body, _ in frames])
        radius = np.array([c.radius for c in self.capsules])
        return _Distances(robot, self.capsules, bodies, ends, radius, np.array(self.pairs), self.least + self.margin, watched)

    def without_margin(self) -> Clearance:
        """The least distance itself.

        >>> bf.Clearance((), (), margin=0.1).without_margin().margin
        0.0
        """
        return replace(self, margin=0.0)


@dataclass(frozen=True, eq=False)
class _Distances(Wall):
    robot: Robot
    capsules: tuple[Capsule, ...]
    bodies: NDArray[np.int64]  # (capsules,)
    ends: Array  # (capsules, 2, 3) in the body's frame
    radius: Array
    pairs: NDArray[np.int64]  # (k, 2)
    least: float
    watched: tuple[Room, ...]

    def _ends(self, q: Array) -> tuple[Array, Array]:
        """Start and end of all capsules in the world, (samples, capsules, 3) each."""
        rotation, translation = current().poses(self.robot.tree, q)
        placed = np.einsum("ncij,cej->neci", rotation[:, self.bodies], self.ends) + translation[:, None, self.bodies]
        return placed[:, 0], placed[:, 1]

    def _nearest(self, q: Array) -> tuple[Array, Array, Array]:
        """Rooms, and the nearest points of both capsules of every pair."""
        start, end = self._ends(q)
        a, b = self.pairs.T
        one, other = nearest_points(start[:, a], end[:, a], start[:, b], end[:, b])
        gap = np.linalg.norm(one - other, axis=2)
        return gap - (self.radius[a] + self.radius[b]) - self.least, one, other

    def rooms(self, q: Array, v: Array, a: Array) -> Array:
        return self._nearest(q)[0]

    def sloped(self, q: Array, v: Array, a: Array) -> tuple[Array, Slopes]:
        rooms, one, other = self._nearest(q)
        tree, slope = self.robot.tree, np.zeros((*rooms.shape, q.shape[1]))
        gap = one - other
        n = gap / np.maximum(np.linalg.norm(gap, axis=2, keepdims=True), 1e-12)
        for body in np.unique(self.bodies[self.pairs]):
            if body == 0:
                continue
            jacobian = current().jacobian(tree, q, int(body), np.zeros(3))[:, :, 6:]
            origin = current().poses(tree, q)[1][:, body]
            for side, sign, point in ((0, 1.0, one), (1, -1.0, other)):
                k = np.flatnonzero(self.bodies[self.pairs[:, side]] == body)
                arm = np.cross(point[:, k] - origin[:, None], n[:, k])  # n . (w x r) = w . (r x n)
                slope[:, k] += sign * (n[:, k] @ jacobian[:, :3] + arm @ jacobian[:, 3:])
        return rooms, Slopes(slope)

    def second_opinion(self, second: Recheck, q: Array, v: Array, a: Array) -> Array:
        places = [(c.link or None, end) for c in self.capsules for end in (c.start, c.end)]
        ends = second.points(places, q).reshape(len(q), -1, 2, 3)
        one, other = ends[:, self.pairs[:, 0]], ends[:, self.pairs[:, 1]]
        touch = self.radius[self.pairs].sum(axis=1)
        return _gaps(one[:, :, 0], one[:, :, 1], other[:, :, 0], other[:, :, 1]) - touch - self.least

    def rates(self, bodies: Bodies) -> Array:
        tree = self.robot.tree
        excursion = np.array([float(np.max(joint[0])) for joint in bodies.joints])
        speed = np.stack([joint[1] for joint in bodies.joints], axis=1)  # (intervals, joints)
        far = np.linalg.norm(self.ends, axis=2).max(axis=1)
        arms = np.array([levers(tree, int(b), float(far[c]), excursion) for c, b in enumerate(self.bodies)])
        one, other = arms[self.pairs[:, 0]], arms[self.pairs[:, 1]]
        # A joint that moves both moves them alike.
        apart = np.where((one >= 0) & (other >= 0), 0.0, np.maximum(one, 0.0) + np.maximum(other, 0.0))
        return speed @ apart.T


def nearest_points(a0: Array, a1: Array, b0: Array, b1: Array) -> tuple[Array, Array]:
    """Nearest points of segments a0 a1 and b0 b1, (..., 3) each (Ericson 2005, 5.1.9).

    >>> one, other = nearest_points(*np.array([[[0.0, 0, 0]], [[1.0, 0, 0]], [[0.5, 1, 0]], [[0.5, 2, 0]]]))
    >>> one[0], other[0]
    (array([0.5, 0. , 0. ]), array([0.5, 1. , 0. ]))
    """
    u, w, r = a1 - a0, b1 - b0, a0 - b0
    uu, ww, uw = (np.einsum("...i,...i->...", x, y) for x, y in ((u, u), (w, w), (u, w)))
    ur, wr = np.einsum("...i,...i->...", u, r), np.einsum("...i,...i->...", w, r)
    tiny = 1e-18
    determinant = uu * ww - uw * uw
    parallel = determinant <= 1e-14 * uu * ww + tiny
    s = np.where(parallel, 0.0, np.clip((uw * wr - ur * ww) / np.where(parallel, 1.0, determinant), 0.0, 1.0))
    t = np.where(ww > tiny, (uw * s + wr) / np.where(ww > tiny, ww, 1.0), 0.0)
    t = np.clip(t, 0.0, 1.0)
    s = np.clip(np.where(uu > tiny, (uw * t - ur) / np.where(uu > tiny, uu, 1.0), 0.0), 0.0, 1.0)
    return a0 + s[..., None] * u, b0 + t[..., None] * w


def _gaps(a0: Array, a1: Array, b0: Array, b1: Array) -> Array:
    """Distance of segments in another way: the best of the four ends against the other segment, and of the two lines' feet."""

    def dot(x: Array, y: Array) -> Array:
        return np.sum(x * y, axis=-1)

    def to_segment(p: Array, start: Array, end: Array) -> Array:
        along = end - start
        share = np.clip(dot(p - start, along) / np.maximum(dot(along, along), 1e-300), 0.0, 1.0)
        return np.linalg.norm(p - start - share[..., None] * along, axis=-1)

    gap = np.minimum.reduce([to_segment(a0, b0, b1), to_segment(a1, b0, b1), to_segment(b0, a0, a1), to_segment(b1, a0, a1)])
    u, w = a1 - a0, b1 - b0
    normal = np.cross(u, w)
    square = dot(normal, normal)
    size = np.maximum(square, 1e-300)
    s, t = dot(np.cross(b0 - a0, w), normal) / size, dot(np.cross(b0 - a0, u), normal) / size
    crossing = (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1) & (square > 1e-14 * dot(u, u) * dot(w, w))
    return np.where(crossing, np.minimum(gap, np.abs(dot(b0 - a0, normal)) / np.sqrt(size)), gap)


def _worth_watching(robot: Robot, every: tuple[Capsule, ...], ignored: set[frozenset[str]]) -> list[tuple[int, int]]:
    """Pairs of links that move against each other and are no neighbours."""
    body = [robot._frame(c.link)[0] if c.link else 0 for c in every]
    parent = [-1, *robot.tree.parent.tolist()]
    pairs = []
    for a in range(len(every)):
        for b in range(a + 1, len(every)):
            neighbours = parent[body[a]] == body[b] or parent[body[b]] == body[a]
            obstacle = not every[a].link or not every[b].link
            same = body[a] == body[b]
            skip = frozenset((every[a].link, every[b].link)) in ignored
            if not same and not skip and (obstacle or not neighbours):
                pairs.append((a, b))
    return pairs


def _not_always_touching(robot: Robot, every: tuple[Capsule, ...], pairs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Pairs with an obstacle, and those of links that are free of each other in some pose."""
    if not pairs:
        return ()
    lower = np.maximum(robot.limits.lower, -np.pi)
    upper = np.minimum(robot.limits.upper, np.pi)
    q = np.random.default_rng(0).uniform(lower, upper, (POSES, len(lower)))
    still = np.zeros_like(q)
    free = np.max(Clearance(every, tuple(pairs)).on(robot).rooms(q, still, still), axis=0).tolist()
    return tuple(p for p, some in zip(pairs, free, strict=True) if some > 0 or not every[p[0]].link or not every[p[1]].link)
