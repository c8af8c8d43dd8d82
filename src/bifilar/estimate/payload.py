"""The load in a robot's hand: mass, centre of mass and inertia, with error bars that contain what is unsure of the arm.

    W x + W_link phi = torque          x   base parameters and friction of the arm, without the load
                                       phi ten parameters of the load, in the frame of the link that carries it

Both are solved together. What is known of x comes from an estimate of the arm (its values and their covariance P, as further
equations: x = x0 + P^(1/2) u, u = 0 +- 1) or from recordings without the load. The columns of a load are those of its link, so
no further pass over the data is needed. With C the inverse of the information of both, the covariance of the answer is

    C S C + jackknife over blocks of time         S: the equations of u, that is, what an error of the arm's estimate does

The jackknife holds for errors that follow each other. If the recording contradicts the arm's covariance (u larger than 1 in the
mean), P is scaled by that factor (the Birge ratio) and it is noted: an arm whose friction or offsets have changed is less well
known than its run says. The load that is returned is physically consistent: of all bodies, the one that costs the data least.

Where torque is a current times a gain that is not known, the ten parameters come out in that scale: a load of known mass tells
a gain common to all drives, `Payload.gain(mass)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.reduce import BlockFactor, merge_blocks
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.freedom import quantile
from bifilar.estimate.log_det import newton
from bifilar.estimate.physical_problem import PhysicalProblem
from bifilar.estimate.problem import Problem
from bifilar.estimate.sources import Data, listed
from bifilar.estimate.status import Status
from bifilar.robot.inertia import PARAMETERS, Inertia
from bifilar.robot.robot import Robot
from bifilar.robot.solve import TOUCHED

ROUNDS = 4  # of joint weights, and of the scale of the arm's covariance
GROUPS = 12  # of blocks, of either kind of runs, that are left out in turn
RADIUS = 0.05  # [m] of the ball that an unknown load is compared with
FAR = 0.5  # [m] from the link's origin: as far as the centre of a load whose mass is open is taken to be
BELIEF = 0.1  # bodies are known to 1/sqrt of it before the data
SEEN = 1e-9  # of the largest singular value
UNKNOWN = 1e3  # times its size: standard deviation of a parameter of the arm that its run left open
TWO_SIGMA = 0.9545  # probability of +-2 standard deviations
CLEAR = 2.0  # standard deviations from which a mass is significant
UNLIKELY = 29.6  # square of the distance, in standard deviations of ten parameters, that one case in a thousand exceeds
NOISY = 2.0  # times what errors of the torque explain: from there on the size of u says something about the arm
CONTRADICTED = 3.0  # scale of the arm's deviations from which it is noted; right covariances seldom reach it (study_payload)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Payload:
    """A physically consistent load, its error bars, and what least squares without that condition gives.

    >>> body = bf.Inertia.from_center_of_mass(2.0, [0.1, 0, 0], 0.01 * np.eye(3))
    >>> Payload(link="tool", values=body.vector, covariance=0.01 * np.eye(10), unconstrained=body.vector, noise=np.ones(1))
    Payload(2 +- 0.1 kg at tool, ok)
    """

    link: str
    values: Array  # (10,) mass, first moment, inertia about the link's origin, in the link's frame; physically consistent
    covariance: Array  # (10, 10) of the unconstrained values; infinite where the motion leaves a parameter open
    unconstrained: Array  # (10,) least squares, whether or not a body can have them
    noise: Array  # (joints,) standard deviation of a torque error
    status: Status = field(default_factory=Status)
    notes: tuple[Note, ...] = ()
    arm_scale: float = 1.0  # by which the standard deviations of the arm had to be multiplied

    @property
    def inertia(self) -> Inertia:
        """The load as a body, in the link's frame.

        >>> body = bf.Inertia.from_center_of_mass(2.0, [0.1, 0, 0], 0.01 * np.eye(3))
        >>> more = {"covariance": np.eye(10), "unconstrained": body.vector, "noise": np.ones(1)}
        >>> Payload(link="tool", values=body.vector, **more).inertia.is_consistent
        True
        """
        return Inertia.from_vector(self.values)

    @property
    def deviations(self) -> Array:
        """Standard deviations of the ten parameters.

        >>> more = {"covariance": 0.04 * np.eye(10), "unconstrained": np.ones(10), "noise": np.ones(1)}
        >>> Payload(link="tool", values=np.ones(10), **more).deviations[0]
        np.float64(0.2)
        """
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def mass(self) -> float:
        """[kg].

        >>> more = {"covariance": np.eye(10), "unconstrained": np.ones(10), "noise": np.ones(1)}
        >>> Payload(link="tool", values=np.full(10, 2.0), **more).mass
        2.0
        """
        return float(self.values[0])

    @property
    def centre(self) -> Array:
        """Centre of mass [m], in the link's frame.

        >>> more = {"covariance": np.eye(10), "unconstrained": np.ones(10), "noise": np.ones(1)}
        >>> Payload(link="tool", values=np.full(10, 2.0), **more).centre
        array([1., 1., 1.])
        """
        return np.asarray(self.values[1:4] / self.values[0])

    @property
    def centre_deviations(self) -> Array:
        """Standard deviations of the centre of mass [m], to first order; infinite where mass or first moment is open.

        >>> more = {"covariance": 0.04 * np.eye(10), "unconstrained": np.ones(10), "noise": np.ones(1)}
        >>> Payload(link="tool", values=np.append(2.0, np.zeros(9)), **more).centre_deviations
        array([0.1, 0.1, 0.1])
        """
        slope = np.hstack([-self.centre[:, None], np.eye(3)]) / self.mass
        part = self.covariance[:4, :4]
        lost = ~np.isfinite(np.diag(part))
        if lost[0]:
            return np.full(3, np.inf)
        known = slope @ np.where(lost[:, None] | lost, 0.0, part) @ slope.T
        return np.where(lost[1:], np.inf, np.sqrt(np.maximum(np.diag(known), 0.0)))

    def gain(self, mass: float) -> tuple[float, float]:
        """What recorded torque has to be multiplied by if the load's mass [kg] is known, and its standard deviation.

        >>> more = {"covariance": np.zeros((10, 10)), "unconstrained": np.ones(10), "noise": np.ones(1)}
        >>> Payload(link="tool", values=np.full(10, 2.0), **more).gain(3.0)
        (1.5, 0.0)
        """
        return mass / self.mass, float(mass * self.deviations[0] / self.mass**2)

    def __repr__(self) -> str:
        return f"Payload({self.mass:.4g} +- {self.deviations[0]:.2g} kg at {self.link}, {self.status.code})"

    def summary(self) -> str:
        """One line per parameter.

        >>> more = {"covariance": 0.01 * np.eye(10), "unconstrained": np.ones(10), "noise": np.ones(1)}
        >>> Payload(link="tool", values=np.ones(10), **more).summary().splitlines()[:2]
        ['load at tool: ok', 'mass           1 +- 0.1 kg']
        """
        lines = [f"load at {self.link}: {self.status}"]
        units = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
        for name, value, deviation, word in zip(PARAMETERS, self.values, self.deviations, units, strict=True):
            known = f"{value:>10.5g} +- {deviation:.2g} {word}" if np.isfinite(deviation) else "left open by the motion"
            lines.append(f"{name:<5} {known}")
        return "\n".join([*lines, *(f"note  {note}" for note in self.notes)])


def identify_payload(
    robot: Robot,
    without: BaseEstimate | Data | Iterable[Data],
    loaded: Data | Iterable[Data],
    *,
    link: str | None = None,
    **problem: Any,
) -> Payload:
    """A load from recordings with it, and an estimate of the arm or recordings without it; `link` carries it (else the last).

    With an estimate, the recordings are prepared as its own were and the arm's friction is the estimate's. With recordings,
    other settings are those of `Problem.of`; friction with a width predicts slow motion better.

    >>> robot = bf.Robot.load("two_link")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 300, 2))
    >>> heavy = robot.with_payload("link2", bf.Inertia.from_center_of_mass(2.0, [0.1, 0, 0], 0.01 * np.eye(3)))
    >>> free = q, v, a, robot.inverse_dynamics(q, v, a)
    >>> held = q, v, a, heavy.inverse_dynamics(q, v, a)
    >>> identify_payload(robot, free, held, friction=()).unconstrained[:2].round(6)
    array([2. , 0.2])
    >>> arm = bf.LeastSquares().fit(robot, free, friction=())
    >>> identify_payload(robot, arm, held).unconstrained[:2].round(6)
    array([2. , 0.2])
    """
    known = without if isinstance(without, BaseEstimate) else None
    if known is not None:
        if problem:
            raise SolveError("option.unknown/payload", first=next(iter(problem)))
        _same_robot(robot, known.described)
        how: dict[str, Any] = {"friction": known.described.friction, "recipe": known.recipe, "base": known.base}
        both, count = Problem.of(known.described, loaded, **how), 0
    else:
        first = listed(without)  # type: ignore[arg-type]
        both, count = Problem.of(robot, [*first, *listed(loaded)], **problem), len(first)
    carrier = carrier_column(both.robot, link)
    free = [k for k, owner in enumerate(both.owners) if owner < count]
    held = [k for k, owner in enumerate(both.owners) if owner >= count]
    with one_blas_thread():
        system, whole, drawn = _System.of(both, carrier, known).settled(free, held)
    return _payload(system, whole, drawn)


def neighbours(blocks: list[int]) -> list[list[int]]:
    """Neighbouring blocks, left out together.

    >>> neighbours(list(range(24)))[0]
    [0, 1]
    """
    return [part.tolist() for part in np.array_split(blocks, max(1, min(GROUPS, len(blocks)))) if len(part)]


def scatter(drawn: Array) -> Array:
    """Covariance by the jackknife, from answers (groups, values) without one group each; few groups make it wider.

    >>> scatter(np.zeros((12, 2))).shape
    (2, 2)
    """
    groups = max(len(drawn), 2)
    wider = (quantile(TWO_SIGMA, groups - 1) / 2.0) ** 2
    off = drawn - drawn.mean(axis=0)
    return np.asarray(wider * (groups - 1) / groups * off.T @ off)


def _same_robot(robot: Robot, other: Robot) -> None:
    if robot.joint_names != other.joint_names:
        raise SolveError("estimate.other_robot/payload", robot=robot.joint_names, estimate=other.joint_names)


def _values(triangle: Array) -> tuple[Array, bool]:
    """Least squares from a triangle of [unknowns right side], and whether something is left open."""
    left, sizes, right, size = _decomposed(triangle)
    kept = sizes > SEEN * sizes[0]
    return (right[kept].T / sizes[kept]) @ (left[:, kept].T @ triangle[:-1, -1]) / size, not bool(kept.all())


def _inverse(triangle: Array) -> Array:
    """C: the inverse of the information of all unknowns that are not open."""
    _, sizes, right, size = _decomposed(triangle)
    kept = sizes > SEEN * sizes[0]
    return np.asarray((right[kept].T / sizes[kept] ** 2) @ right[kept] / np.outer(size, size))


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
    left, sizes, right = decompose.svd(np.where(tiny, 0.0, r / size), full_matrices=False)
    return left, sizes, right, size


@dataclass(frozen=True)
class _Solved:
    values: Array  # all unknowns
    noise: Array  # (joints,)
    triangle: Array  # of [unknowns right side], rows weighted
    open: bool  # whether the data leave something open


@dataclass(frozen=True, eq=False)
class _System:
    """The stacked equations; unknowns are the arm's (base parameters, or u of an estimate), then the load's ten."""

    problem: Problem
    carrier: int  # place of the link's first column
    origin: Array  # (base parameters,) x0
    root: Array  # (base parameters, arm's unknowns) of the covariance; the identity where the arm is to be found as well
    known: bool  # whether an estimate of the arm is given
    scale: float = 1.0  # of the arm's standard deviations

    @classmethod
    def of(cls, problem: Problem, carrier: int, arm: BaseEstimate | None) -> _System:
        """With what is known of the arm; None: nothing."""
        count = len(problem.base)
        if arm is None:
            return cls(problem, carrier, np.zeros(count), np.eye(count), False)
        lost = ~np.isfinite(np.diag(arm.covariance))
        covariance = np.where(lost[:, None] | lost, 0.0, arm.covariance)
        sizes, directions = decompose.eigh(0.5 * (covariance + covariance.T))
        root = directions * np.sqrt(np.maximum(sizes, 0.0))
        wide = np.diag(np.where(lost, UNKNOWN * np.maximum(np.abs(arm.values), 1.0), 0.0))[:, lost]
        return cls(problem, carrier, arm.values, np.hstack([root[:, sizes > 0], wide]), True)

    @property
    def stated(self) -> Array:
        """The equations u = 0 +- 1, [unknowns right side]; none where nothing is known of the arm."""
        arm = self.root.shape[1]
        return np.eye(arm if self.known else 0, arm + 11)

    def settled(self, free: list[int], held: list[int]) -> tuple[_System, _Solved, Array]:
        """With joint weights, and a scale of the arm's covariance, that no longer change; and answers without each group."""
        system, weights = self, np.ones(len(self.problem.row_names))
        for _ in range(ROUNDS):
            whole = system.solve(free, held, weights)
            weights = 1.0 / np.maximum(whole.noise, 1e-12 * max(1.0, float(whole.noise.max())))
        for _ in range(ROUNDS if self.known else 0):
            system = system._scaled(system.solve(free, held, weights), system.without_each(free, held, weights))
        return system, system.solve(free, held, weights), system.without_each(free, held, weights)

    def without_each(self, free: list[int], held: list[int], weights: Array) -> Array:
        """All unknowns (groups, unknowns), each time without one group of neighbouring blocks."""
        parts = [self.triangle(part, [], weights)[0] for part in neighbours(free)]
        parts += [self.triangle([], part, weights)[0] for part in neighbours(held)]
        others = [np.vstack([*parts[:k], *parts[k + 1 :], self.stated]) for k in range(len(parts))]
        return np.array([_values(np.asarray(np.linalg.qr(other, mode="r")))[0] for other in others])

    def _scaled(self, whole: _Solved, drawn: Array) -> _System:
        """With the arm's covariance as large as the recording says it is, never smaller than stated.

        With M = 1 - C_uu, u comes out with the covariance scale^2 M M' + that of the torque's errors (the jackknife's).
        """
        arm = self.root.shape[1]
        told = np.eye(arm) - _inverse(whole.triangle)[:arm, :arm]
        noise = float(np.trace(scatter(drawn[:, :arm])))
        size, share = float(np.sum(whole.values[:arm] ** 2)), float(np.sum(told**2))
        if size < NOISY * noise or share <= 0:  # the log does not tell
            return self
        scale = max(1.0, self.scale * np.sqrt((size - noise) / share))
        return _System(self.problem, self.carrier, self.origin, self.root * (scale / self.scale), True, scale)

    def triangle(self, free: list[int], held: list[int], weights: Array) -> tuple[Array, list[Array], Array]:
        """Of [unknowns right side], rows weighted; rows of every joint, not weighted; and how many samples each joint has."""
        blocks = self.problem.reduction.blocks
        groups = [(merge_blocks([blocks[k] for k in ks]), loaded) for ks, loaded in ((free, False), (held, True)) if ks]
        rows = [self._row(block, e, loaded) for block, loaded in groups for e in range(len(weights))]
        tall = np.vstack([weights[e % len(weights)] * row for e, row in enumerate(rows)])
        counts = np.array([[block.rows[e].samples for e in range(len(weights))] for block, _ in groups]).sum(axis=0)
        return np.asarray(np.linalg.qr(tall, mode="r")), rows, counts

    def solve(self, free: list[int], held: list[int], weights: Array) -> _Solved:
        data, rows, counts = self.triangle(free, held, weights)
        triangle = np.asarray(np.linalg.qr(np.vstack([data, self.stated]), mode="r"))
        x, left_open = _values(triangle)
        errors = np.array([np.sum((row @ np.append(x, -1.0)) ** 2) for row in rows]).reshape(-1, len(weights)).sum(axis=0)
        return _Solved(x, np.sqrt(errors / np.maximum(counts, 1)), triangle, left_open)

    def _row(self, block: BlockFactor, e: int, loaded: bool) -> Array:
        """Equations of one joint, [unknowns right side]."""
        row, base = block.rows[e], self.problem.base.columns
        dense = np.zeros((len(row.triangle), len(self.problem.names)))
        dense[:, row.columns] = row.triangle[:, :-1]
        arm, link = dense[:, base], dense[:, self.carrier : self.carrier + 10] * loaded
        return np.hstack([arm @ self.root, link, row.triangle[:, -1:] - (arm @ self.origin)[:, None]])


def _payload(system: _System, whole: _Solved, drawn: Array) -> Payload:
    """The load's part of the answers, how sure it is, and the physically consistent body nearest to it."""
    covariance, arm = scatter(drawn[:, -10:]), system.root.shape[1]
    if system.known:
        moved = _inverse(whole.triangle)[-10:, :arm]
        covariance = covariance + moved @ moved.T
    values, status = whole.values[-10:], Status()
    if whole.open and (lost := _open(whole.triangle)[-10:]).any():
        covariance[lost, :] = covariance[:, lost] = 0.0
        covariance[lost, lost] = np.inf  # what the motion cannot tell is not known to be zero
        told = "the motion leaves some parameters of the load open"
        status = Status("rank deficient", told, "move all joints, in other poses", "payload.open")
    body = _body(whole.triangle[-11:-1, -11:], values, covariance)
    if _distance(body - values, covariance) > UNLIKELY:
        told = "no physically consistent load is within the error bars"
        remedy = "name the link that carries it; check torque signs, units and the arm's model without a load"
        status = status.worse(Status("doubtful", told, remedy, "payload.inconsistent"))
    return Payload(
        link=system.problem.names[system.carrier].rpartition(".")[0],
        values=body,
        covariance=covariance,
        unconstrained=values,
        noise=whole.noise,
        status=status,
        notes=tuple(_notes(system, values, covariance)),
        arm_scale=system.scale,
    )


def _notes(system: _System, values: Array, covariance: Array) -> list[Note]:
    notes = []
    mass, deviation = float(values[0]), float(np.sqrt(covariance[0, 0]))
    if mass <= CLEAR * deviation < np.inf:
        notes.append(Note("payload.not_significant", mass=mass, deviation=deviation))
    if system.scale > CONTRADICTED:
        notes.append(Note("payload.arm_scale", scale=system.scale))
    return notes


def _distance(off: Array, covariance: Array) -> float:
    """Square of a difference of ten parameters in standard deviations; open parameters do not count."""
    kept = np.isfinite(np.diag(covariance))
    size = np.sqrt(np.maximum(np.diag(covariance)[kept], 1e-24))
    scaled = covariance[np.ix_(kept, kept)] / np.outer(size, size) + 1e-9 * np.eye(len(size))
    return float((off[kept] / size) @ np.linalg.solve(scaled, off[kept] / size))


def _body(triangle: Array, values: Array, covariance: Array) -> Array:
    """The body that costs the data least: the load is last in the triangle, so its last rows are all that is known of it."""
    deviation = float(np.sqrt(covariance[0, 0]))
    far = float(np.linalg.norm(values[1:4])) / FAR
    mass = max(float(values[0]), 0.1 * deviation if np.isfinite(deviation) else far, 1e-6)
    centre = values[1:4] / max(mass, far)
    about = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre)) + 0.4 * mass * RADIUS**2 * np.eye(3)
    ball = np.concatenate([[mass], mass * centre, about[np.triu_indices(3)][[0, 1, 3, 2, 4, 5]]])
    answer = newton(PhysicalProblem(factor=triangle[:, :10], target=triangle[:, 10], prior=ball[None], weight=BELIEF))
    return answer.values if answer.solved and Inertia.from_vector(answer.values).is_consistent else ball


def carrier_column(robot: Robot, link: str | None) -> int:
    """Place of the first column of the link that carries the load; the last link's if none is named.

    >>> carrier_column(bf.Robot.load("two_link"), "link2")
    10
    """
    names = robot.column_names()
    if link is None:
        return max(k for k, name in enumerate(names) if name.endswith(".mass"))
    if f"{link}.mass" not in names:
        raise SolveError(
            "link.unknown/payload",
            links=", ".join(name.removesuffix(".mass") for name in names if name.endswith(".mass")),
            link=link,
        )
    return names.index(f"{link}.mass")
