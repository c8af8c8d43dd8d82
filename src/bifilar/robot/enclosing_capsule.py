"""The smallest capsule around points: a segment and a radius that no point exceeds, of (nearly) the least volume.

For a line with unit direction u, a point has a place t along it and a distance d from it. A capsule of radius r on that line
holds the point if its segment [a, b] meets [t - w, t + w] with w = sqrt(r^2 - d^2), hence the shortest segment is

    a = min(t + w),   b = max(t - w)         (a >= b: a sphere will do)          volume = pi r^2 (b - a) + 4/3 pi r^3

which leaves one number r to search for each line. Lines start from the principal axes, the coordinate axes and the longest
diameter, and are moved by a pattern search over two angles and two offsets, the best two finely. Only points that are
outermost in some of many directions take part in the search; the radius returned is the distance of the farthest of all
points, so that whatever the search found, the capsule holds them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bifilar.dynamics import decompose
from bifilar.robot.inertia import Array

DIRECTIONS = 400  # in which the outermost points are looked for
RADII = np.linspace(0.0, 1.0, 25) ** 2  # shares of the way from the least radius of a line to the largest worth trying
ROUNDS = 120  # of the pattern search, each with up to eight lines
CHUNK = 100_000  # points looked at together


class Segment(NamedTuple):
    """A capsule without a name: everything within `radius` of the segment from `start` to `end`.

    >>> Segment(np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.5).volume.round(6)
    np.float64(1.308997)
    """

    start: Array
    end: Array
    radius: float

    @property
    def volume(self) -> float:
        """What it takes up [m^3].

        >>> Segment(np.zeros(3), np.zeros(3), 1.0).volume.round(6)
        np.float64(4.18879)
        """
        return _volume(np.linalg.norm(self.end - self.start), np.float64(self.radius))


class Line(NamedTuple):
    """A line through `at` along `direction`, and the volume of the smallest capsule on it.

    >>> Line(1.0, np.eye(3)[2], np.zeros(3)).volume
    1.0
    """

    volume: float
    direction: Array
    at: Array


def around_cylinder(radius: float, length: float) -> tuple[float, float]:
    """Half length of the segment and radius of the smallest coaxial capsule around a cylinder, rims inside.

    >>> half, radius = around_cylinder(1.0, 4.0)
    >>> bool(np.isclose(radius**2, 1.0 + (2.0 - half) ** 2)), half < 2.0
    (True, True)
    """
    rim = np.array([length / 2])
    low, high, found = _radius_for(np.concatenate([rim, -rim]), np.full(2, radius))
    return max(high - low, 0.0) / 2, found


def around_points(points: Array) -> Segment:
    """The smallest capsule around points (n, 3); all of them are inside to rounding.

    >>> corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 5)])
    >>> capsule = around_points(corners)
    >>> capsule.volume < 12, np.round(capsule.start[:2], 3)
    (np.True_, array([0.5, 0.5]))
    """
    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    size = float(np.abs(points - center).max())
    if size == 0.0:
        return Segment(center, center, 0.0)
    outer = (_outermost(points) - center) / size
    starts = [_searched(outer, _middle(outer, axis), 0.25, 0.05) for axis in _axes(outer)]
    promising = sorted(starts, key=lambda line: line.volume)[:2]
    _, u, at = min((_searched(outer, line, 0.1, 1e-4) for line in promising), key=lambda line: line.volume)
    d = np.sqrt(np.maximum(((outer - at) ** 2).sum(axis=1) - ((outer - at) @ u) ** 2, 0.0))
    low, high, _ = _radius_for((outer - at) @ u, d)
    low, high = (low, high) if high > low else ((low + high) / 2,) * 2
    start, end = (center + size * (at + s * u) for s in (low, high))
    farthest = max(float(distances(part, start, end).max()) for part in _parts(points))
    return Segment(start, end, farthest)


def distances(points: Array, start: Array, end: Array) -> Array:
    """How far points (n, 3) are from the segment.

    >>> distances(np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 5.0]]), np.zeros(3), np.array([0.0, 0.0, 1.0]))
    array([3., 4.])
    """
    along = end - start
    square = float(along @ along)
    share = np.clip((points - start) @ along / square, 0.0, 1.0) if square > 0 else np.zeros(len(points))
    return np.linalg.norm(points - start - share[:, None] * along, axis=1)


def _volume(length: Array | np.floating, radius: Array | np.floating) -> float:
    return np.pi * radius**2 * (np.maximum(length, 0.0) + 4 / 3 * radius)  # type: ignore[return-value]


def _parts(points: Array) -> list[Array]:
    return [points[k : k + CHUNK] for k in range(0, len(points), CHUNK)]


def _outermost(points: Array) -> Array:
    """Those points that lie farthest in some direction of an even set (Fibonacci's spiral) or along the axes."""
    k = np.arange(DIRECTIONS) + 0.5
    z, turn = 1 - 2 * k / DIRECTIONS, np.pi * (1 + 5**0.5) * k
    flat = np.sqrt(1 - z**2)
    u = np.concatenate([np.stack([flat * np.cos(turn), flat * np.sin(turn), z]).T, np.eye(3), -np.eye(3)])
    picked = np.concatenate([part[np.unique(np.argmax(u @ part.T, axis=1))] for part in _parts(points)])
    return picked[np.unique(np.argmax(u @ picked.T, axis=1))]


def _axes(points: Array) -> list[Array]:
    """Directions to begin with."""
    principal = decompose.svd(points - points.mean(axis=0), full_matrices=False)[2]
    between = points[:, None, :] - points[None, :, :]
    far = between.reshape(-1, 3)[np.argmax((between**2).sum(axis=2))]
    axes = [*principal, *np.eye(3), far / np.linalg.norm(far)]
    kept: list[Array] = []
    for axis in axes:
        if all(abs(axis @ other) < 0.999 for other in kept):
            kept.append(axis)
    return kept


def _radius_for(t: Array, d: Array) -> tuple[float, float, float]:
    """Segment and radius of least volume for one line: a grid of radii, refined twice around its best."""
    least = float(d.max())
    half = (t.max() - t.min()) / 2
    span = max(float(np.sqrt(least**2 + half**2)) - least, 0.0)  # at the end of it a sphere holds everything
    from_, to = 0.0, 1.0
    for _ in range(4):
        share = from_ + (to - from_) * RADII if from_ == 0.0 else np.linspace(from_, to, len(RADII))
        r = least + span * share
        w = np.sqrt(np.maximum(r[:, None] ** 2 - d**2, 0.0))
        low, high = (t + w).min(axis=1), (t - w).max(axis=1)
        k = int(np.argmin(_volume(high - low, r)))  # type: ignore[call-overload]
        from_, to = share[max(k - 1, 0)], share[min(k + 1, len(share) - 1)]
    return float(low[k]), float(high[k]), float(r[k])


def _quick_volume(points: Array, u: Array, at: Array) -> float:
    """Volume of the best capsule on a line, radius from the grid alone."""
    away = points - at
    t = away @ u
    square = np.maximum(np.einsum("ij,ij->i", away, away) - t * t, 0.0)
    least, half = np.sqrt(square.max()), (t.max() - t.min()) / 2
    r = least + (np.sqrt(least**2 + half**2) - least) * RADII
    w = np.sqrt(np.maximum(r[:, None] ** 2 - square, 0.0))
    return float(_volume((t - w).max(axis=1) - (t + w).min(axis=1), r).min())  # type: ignore[attr-defined]


def _middle(points: Array, axis: Array) -> Line:
    """The line along an axis through the middle of the points."""
    u = axis / np.linalg.norm(axis)
    across = points - (points @ u)[:, None] * u
    at = 0.5 * (across.min(axis=0) + across.max(axis=0))
    return Line(_quick_volume(points, u, at), u, at)


def _searched(points: Array, line: Line, step: float, finest: float) -> Line:
    """Pattern search: shift and tilt the line as long as that makes the capsule smaller, then in smaller steps."""
    best, u, at = line
    for _ in range(ROUNDS):
        x = np.cross(u, np.eye(3)[int(np.argmin(np.abs(u)))])
        x /= np.linalg.norm(x)
        before = best
        for side in (step * x, step * np.cross(u, x)):
            for direction, through in ((u, at + side), (u, at - side), (u + side, at), (u - side, at)):
                direction = direction / np.linalg.norm(direction)
                volume = _quick_volume(points, direction, through)
                if volume < best * (1 - 1e-9):
                    best, u, at = volume, direction, through - (through @ direction) * direction
        step = step / 2 if best == before else step
        if step < finest:
            break
    return Line(best, u, at)
