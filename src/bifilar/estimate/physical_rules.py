"""What else is known of a robot's bodies: total mass, where their mass lies, symmetry, bounds; as rows on all columns.

total mass      sum of the masses = M, or M to a deviation                   one equation, or one row of data
ellipsoid       tr(J_i Q_i) >= 0                                             one inequality per body
symmetric       a body is its own mirror image in a plane of its frame       three equations
alike           a body is the mirror image (or the same) of another          ten equations
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError, near_names
from bifilar.estimate.bodies import pseudo, ten_of
from bifilar.estimate.ellipsoids import Ellipsoid, described_ellipsoids
from bifilar.robot.robot import Robot

PLANES = {"": (1, 1, 1), "xy": (1, 1, -1), "xz": (1, -1, 1), "yz": (-1, 1, 1)}


@dataclass(frozen=True, eq=False)
class Rows:
    """Linear conditions on the values of all columns.

    >>> from bifilar.estimate.physical_rules import rules
    >>> rows = rules(bf.Robot.load("two_link"), total_mass=1.1)
    >>> rows.equal[0].shape, float(rows.equal[1][0])
    ((1, 20), 1.1)
    """

    equal: tuple[Array, Array]  # A, b
    above: tuple[Array, Array]  # G, g
    lower: Array
    upper: Array
    words: tuple[Note, ...] = field(default_factory=tuple)
    soft: tuple[Array, Array] | None = None  # rows and right sides in units of their deviation, beside the data

    def bounded(self, columns: NDArray[np.int64], lower: Array, upper: Array) -> Rows:
        """The same with bounds on some columns, but for those that have bounds already.

        >>> from bifilar.estimate.physical_rules import rules
        >>> rules(bf.Robot.load("pendulum")).bounded(np.array([0]), np.ones(1), np.full(1, 9.0)).upper[0]
        np.float64(9.0)
        """
        low, high = self.lower.copy(), self.upper.copy()
        free = np.isneginf(low[columns]) & np.isposinf(high[columns])
        low[columns[free]], high[columns[free]] = lower[free], upper[free]
        return replace(self, lower=low, upper=high)


def total_of(total_mass: float | tuple[float, float]) -> tuple[float, float]:
    """Total mass and its deviation [kg], 0 for a mass that is exact; checked.

    >>> from bifilar.estimate.physical_rules import total_of
    >>> total_of(16.0), total_of((16.0, 0.5))
    ((16.0, 0.0), (16.0, 0.5))
    """
    given = total_mass if isinstance(total_mass, (tuple, list)) else (total_mass, 0.0)
    numbers = [x for x in given if isinstance(x, (int, float)) and not isinstance(x, bool) and np.isfinite(x)]
    if len(given) != 2 or len(numbers) != 2 or numbers[0] <= 0 or numbers[1] < 0:
        raise SolveError("setting.mass/total_of", total_mass=total_mass)
    return float(numbers[0]), float(numbers[1])


def rules(
    robot: Robot,
    *,
    total_mass: float | tuple[float, float] | None = None,
    inside: str | Mapping[str, Ellipsoid] = "anywhere",
    symmetric: Mapping[str, str] | None = None,
    alike: Iterable[tuple[str, str, str]] = (),
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> Rows:
    """Rows for everything that is known; names of bodies are checked.

    >>> from bifilar.estimate.physical_rules import rules
    >>> robot = bf.Robot.load("two_link")
    >>> rules(robot, symmetric={"link1": "xz"}).equal[0].shape
    (3, 20)
    """
    parameters = robot.parameters()
    names = robot.body_names[0 if robot.is_floating else 1 :]
    width = len(parameters)
    equal: list[tuple[Array, float]] = []
    words: list[Note] = []
    soft = None
    if total_mass is not None:
        mass, deviation = total_of(total_mass)
        row = np.zeros(width)
        row[: 10 * len(names) : 10] = 1.0
        if deviation > 0:
            soft = row[None] / deviation, np.full(1, mass / deviation)
        else:
            equal.append((row, mass))
        words.append(Note("rule.total_mass/deviation" if deviation > 0 else "rule.total_mass", mass=mass, deviation=deviation))
    for name, plane in (symmetric or {}).items():
        k = _place(name, names)
        equal += [(row, 0.0) for row in _mirror_rows(width, k, k, plane) if np.abs(row).max() > 0]
        words.append(Note("rule.symmetric", link=name, plane=plane))
    for one, other, plane in alike:
        equal += [(row, 0.0) for row in _mirror_rows(width, _place(one, names), _place(other, names), plane)]
        words.append(Note("rule.alike/mirrored" if plane else "rule.alike", one=one, other=other, plane=plane))
    above = _ellipsoid_rows(robot, names, width, inside, words)
    lower, upper = _bounds(parameters.names, parameters.lower, parameters.upper, 10 * len(names), bounds or {})
    matrix = np.array([row for row, _ in equal]).reshape(-1, width)
    sides = np.array([side for _, side in equal])
    return Rows((matrix, sides), (above, np.zeros(len(above))), lower, upper, tuple(words), soft)


def _place(name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise SolveError("link.unknown/physical_rules", name=name, near=near_names(name, names))
    return names.index(name)


def _mirror_rows(width: int, one: int, other: int, plane: str) -> list[Array]:
    """Rows of: other = mirror image of one."""
    if plane not in PLANES:
        raise SolveError("plane.unknown/physical_rules", plane=plane)
    flip = np.diag([*PLANES[plane], 1.0])
    mirror = ten_of(flip @ pseudo(np.eye(10)) @ flip).T
    rows = []
    for k in range(10):
        row = np.zeros(width)
        row[10 * other + k] += 1.0
        row[10 * one : 10 * one + 10] -= mirror[k]
        rows.append(row)
    return rows


def _ellipsoid_rows(
    robot: Robot, names: tuple[str, ...], width: int, inside: str | Mapping[str, Ellipsoid], words: list[Note]
) -> Array:
    if isinstance(inside, str):
        if inside not in ("anywhere", "shapes"):
            raise SolveError("setting.inside/physical_rules", inside=inside)
        found = {k: e for k, e in described_ellipsoids(robot).items() if k in names} if inside == "shapes" else {}
        if inside == "shapes":
            words.append(Note("rule.inside/shapes", count=len(found), of=len(names)))
    else:
        found = dict(inside)
        words += [Note("rule.inside/given", count=len(found))] if found else []
    rows = np.zeros((len(found), width))
    for row, (name, ellipsoid) in zip(rows, found.items(), strict=True):
        k = _place(name, names)
        row[10 * k : 10 * k + 10] = ellipsoid.row()
    return rows


def _bounds(
    names: tuple[str, ...], lower: Array, upper: Array, inertial: int, given: Mapping[str, tuple[float, float]]
) -> tuple[Array, Array]:
    """Drives keep their physical bounds; bodies need none beside the matrix inequality; given ones are added."""
    low, high = np.array(lower), np.array(upper)
    low[:inertial], high[:inertial] = -np.inf, np.inf
    for pattern, (least, most) in given.items():
        hits = [k for k, name in enumerate(names) if fnmatchcase(name, pattern)]
        if not hits:
            raise SolveError("parameters.no_match/physical_rules", pattern=pattern, near=near_names(pattern, names))
        if not least <= most:
            raise SolveError("bounds.order/physical_rules", pattern=pattern, least=least, most=most)
        low[hits], high[hits] = np.maximum(low[hits], least), np.minimum(high[hits], most)
    return low, high
