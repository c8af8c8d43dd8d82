"""The load in a robot's hand, from runs with it and runs without, of the same motion or another.

    without   W x                = torque          x   base parameters and friction of the robot
    with      W x + W_link phi   = torque          phi ten numbers of the load, in the frame of the link that carries it

Both are solved together: what the runs without it leave unsure of x, the others help to know. The columns of a load are those
of its link, so no further pass over the data is needed. Error bars come from leaving out one block of time after the other
(jackknife), which holds for errors that follow each other. Where torque is a current times a gain that is not known, the
ten numbers come out in that scale: a load of known mass tells a gain common to all drives, `Payload.gain(mass)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.reduce import BlockFactor, merge_blocks
from bifilar.dynamics.tree import Array
from bifilar.errors import SolveError
from bifilar.estimate.estimate import NOT_IDENTIFIED
from bifilar.estimate.log_det import newton
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data, listed
from bifilar.estimate.status import Status
from bifilar.robot.inertia import PARAMETERS, Inertia
from bifilar.robot.robot import Robot
from bifilar.robot.solve import TOUCHED

ROUNDS = 4  # of joint weights
GROUPS = 12  # of blocks, of either kind of runs, that are left out in turn
RADIUS = 0.05  # [m] of the ball that an unknown load is compared with
BELIEF = 0.1  # bodies are known to 1/sqrt of it before the data
SEEN = 1e-9  # of the largest singular value


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Payload:
    """Ten numbers of a load with their error bars, as least squares gives them, and a body that can exist nearest to them.

    >>> Payload(link="tool", values=np.ones(10), covariance=0.01 * np.eye(10), inertia=None,
    ...     noise=np.ones(1), status=bf.Status())
    Payload(1 +- 0.1 kg at tool, ok)
    """

    link: str
    values: Array  # (10,) mass, first moment, inertia about the link's origin, in the link's frame
    covariance: Array  # (10, 10)
    inertia: Inertia | None  # that can exist; None if there is none near
    noise: Array  # (joints,) standard deviation of a torque error
    status: Status

    @property
    def deviations(self) -> Array:
        """Standard deviations of the ten numbers."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def mass(self) -> float:
        """[kg]."""
        return float(self.values[0])

    @property
    def centre(self) -> Array:
        """Of mass [m], in the link's frame."""
        return np.asarray(self.values[1:4] / self.values[0])

    def gain(self, mass: float) -> tuple[float, float]:
        """What recorded torque has to be multiplied by if the load's mass [kg] is known, and its standard deviation.

        >>> Payload(link="tool", values=np.full(10, 2.0), covariance=np.zeros((10, 10)), inertia=None, noise=np.ones(1),
        ...     status=bf.Status()).gain(3.0)
        (1.5, 0.0)
        """
        return mass / self.mass, float(mass * self.deviations[0] / self.mass**2)

    def __repr__(self) -> str:
        return f"Payload({self.mass:.4g} +- {self.deviations[0]:.2g} kg at {self.link}, {self.status.code})"

    def summary(self) -> str:
        """One line per number."""
        lines = [f"load at {self.link}: {self.status}"]
        for name, value, deviation in zip(PARAMETERS, self.values, self.deviations, strict=True):
            unsure = "" if deviation <= NOT_IDENTIFIED * abs(value) else "  not identified"
            lines.append(f"{name:<5} {value:>10.5g} +- {deviation:.2g}{unsure}")
        return "\n".join(lines)


def identify_payload(
    robot: Robot,
    without: Data | Iterable[Data],
    loaded: Data | Iterable[Data],
    *,
    link: str | None = None,
    **problem: Any,
) -> Payload:
    """A load from recordings without it and with it; `link` carries it (the last one if left out).

    Other settings are those of `Problem.of`; friction with a width predicts slow motion better.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 300, 2))
    >>> heavy = robot.with_payload("link2", bf.Inertia.from_center_of_mass(2.0, [0.1, 0, 0], 0.01 * np.eye(3)))
    >>> free = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> held = q, v, a, heavy.inverse_dynamics(q, v, a)
    >>> load = identify_payload(robot, free, held, friction=())
    >>> load.values[:2].round(6)
    array([2. , 0.2])
    """
    runs = [*listed(without), *listed(loaded)]
    both = Problem.of(robot, runs, **problem)
    carrier = carrier_column(both.robot, link)
    count = len(listed(without))
    free = [k for k, owner in enumerate(both.owners) if owner < count]
    held = [k for k, owner in enumerate(both.owners) if owner >= count]
    system = _System(both, carrier)
    with one_blas_thread():
        weights, whole = system.settled(free, held)
        parts = [system.triangle(part, [], weights)[0] for part in neighbours(free)]
        parts += [system.triangle([], part, weights)[0] for part in neighbours(held)]
        others = [np.asarray(np.linalg.qr(np.vstack(parts[:k] + parts[k + 1 :]), mode="r")) for k in range(len(parts))]
        drawn = [_values(other)[0] for other in others]
    return _payload(system, whole, np.array(drawn))


def neighbours(blocks: list[int]) -> list[list[int]]:
    """Neighbouring blocks, left out together.

    >>> neighbours(list(range(24)))[0]
    [0, 1]
    """
    return [part.tolist() for part in np.array_split(blocks, min(GROUPS, len(blocks))) if len(part)]


def _values(triangle: Array) -> tuple[Array, bool]:
    """Least squares from a triangle of [unknowns right side], and whether something is left open."""
    left, sizes, right, size = _decomposed(triangle)
    kept = sizes > SEEN * sizes[0]
    return (right[kept].T / sizes[kept]) @ (left[:, kept].T @ triangle[:-1, -1]) / size, not bool(kept.all())


def _open(triangle: Array) -> NDArray[np.bool_]:
    """Which unknowns the data leave open, alone or in combination."""
    _, sizes, right, _ = _decomposed(triangle)
    return np.asarray(np.abs(right[sizes <= SEEN * sizes[0]]).max(axis=0, initial=0.0) > TOUCHED)


def _decomposed(triangle: Array) -> tuple[Array, Array, Array, Array]:
    """Singular vectors and values of the scaled columns, and their scales."""
    r = triangle[:-1, :-1]
    size = np.linalg.norm(r, axis=0)
    tiny = ~(size > SEEN * size.max(initial=0.0))  # columns of rounding are not made large
    size = np.where(tiny, 1.0, size)
    left, sizes, right = np.linalg.svd(np.where(tiny, 0.0, r / size), full_matrices=False)
    return left, sizes, right, size


@dataclass(frozen=True)
class _Solved:
    values: Array  # all unknowns
    noise: Array  # (joints,)
    triangle: Array  # of [unknowns right side], rows weighted
    open: bool  # whether the data leave something open


@dataclass(frozen=True, eq=False)
class _System:
    """The stacked equations; unknowns are base parameters, then the load."""

    problem: Problem
    carrier: int  # place of the link's first column

    def settled(self, free: list[int], held: list[int]) -> tuple[Array, _Solved]:
        """With joint weights that no longer change."""
        weights = np.ones(len(self.problem.row_names))
        for _ in range(ROUNDS):
            whole = self.solve(free, held, weights)
            weights = 1.0 / np.maximum(whole.noise, 1e-12 * max(1.0, float(whole.noise.max())))
        return weights, self.solve(free, held, weights)

    def triangle(self, free: list[int], held: list[int], weights: Array) -> tuple[Array, list[Array], Array]:
        """Of [unknowns right side], rows weighted; rows of every joint, not weighted; and how many samples each joint has."""
        blocks = self.problem.reduction.blocks
        groups = [(merge_blocks([blocks[k] for k in ks]), loaded) for ks, loaded in ((free, False), (held, True)) if ks]
        rows = [self._row(block, e, loaded) for block, loaded in groups for e in range(len(weights))]
        tall = np.vstack([weights[e % len(weights)] * row for e, row in enumerate(rows)])
        counts = np.array([[block.rows[e].samples for e in range(len(weights))] for block, _ in groups]).sum(axis=0)
        return np.asarray(np.linalg.qr(tall, mode="r")), rows, counts

    def solve(self, free: list[int], held: list[int], weights: Array) -> _Solved:
        triangle, rows, counts = self.triangle(free, held, weights)
        x, left_open = _values(triangle)
        errors = np.array([np.sum((row @ np.append(x, -1.0)) ** 2) for row in rows]).reshape(-1, len(weights)).sum(axis=0)
        return _Solved(x, np.sqrt(errors / np.maximum(counts, 1)), triangle, left_open)

    def _row(self, block: BlockFactor, e: int, loaded: bool) -> Array:
        """Equations of one joint, [unknowns right side]."""
        row, base = block.rows[e], self.problem.base.columns
        dense = np.zeros((len(row.triangle), len(self.problem.names)))
        dense[:, row.columns] = row.triangle[:, :-1]
        torque, link = row.triangle[:, -1:], dense[:, self.carrier : self.carrier + 10] * loaded
        return np.hstack([dense[:, base], link, torque])


def _payload(system: _System, whole: _Solved, drawn: Array) -> Payload:
    """The load's part of the answers, the scatter between them, and a body that can exist."""
    spread = (len(drawn) - 1) / len(drawn) * (drawn - drawn.mean(axis=0)).T @ (drawn - drawn.mean(axis=0))
    values, covariance = whole.values[-10:], spread[-10:, -10:].copy()
    status = Status()
    if whole.open:
        lost = _open(whole.triangle)[-10:]
        covariance[lost, lost] = np.inf  # what the motion cannot tell is not known to be zero
        status = Status("rank deficient", "the motion leaves some numbers of the load open", "move all joints, in other poses")
    inertia = None if whole.open else _body(whole.triangle[-11:-1, -11:], values)
    if inertia is None and not whole.open:
        status = status.worse(Status("doubtful", f"no body can be near these numbers: the mass is {values[0]:.3g} kg"))
    return Payload(
        link=system.problem.names[system.carrier].rpartition(".")[0],
        values=values,
        covariance=covariance,
        inertia=inertia,
        noise=whole.noise,
        status=status,
    )


def _body(triangle: Array, values: Array) -> Inertia | None:
    """The body that costs the data least: the load is last in the triangle, so its last rows are all that is known of it."""
    mass = float(values[0])
    if not mass > 0:
        return None
    centre = values[1:4] / mass
    far = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre)) + 0.4 * mass * RADIUS**2 * np.eye(3)
    ball = np.concatenate([[mass], values[1:4], far[np.triu_indices(3)][[0, 1, 3, 2, 4, 5]]])
    answer = newton(PhysicalProblem(factor=triangle[:, :10], target=triangle[:, 10], prior=ball[None], weight=BELIEF))
    return Inertia.from_vector(answer.values) if answer.solved else None


def carrier_column(robot: Robot, link: str | None) -> int:
    """Place of the first column of the link that carries the load; the last link's if none is named.

    >>> carrier_column(bf.Robot.load("two_link"), "link2")
    10
    """
    names = robot.column_names()
    if link is None:
        return max(k for k, name in enumerate(names) if name.endswith(".mass"))
    if f"{link}.mass" not in names:
        links = ", ".join(name.removesuffix(".mass") for name in names if name.endswith(".mass"))
        raise SolveError(
            f"no moving link is called '{link}'",
            code="link.unknown",
            links=links,
            remedy="name the moving link that carries the load",
        )
    return names.index(f"{link}.mass")
