"""`design`: the motion that tells most about the base parameters and stays inside the joint limits at every instant.

A Fourier series at rest at both ends of every period (Swevers et al. 1997) is chosen by an interior-point search with the
exact gradient of the criterion (`information`), from several random starts. What comes out is proven, not sampled, to keep its
position, velocity and acceleration limits (`envelope`): where the search ended between the grid points of its constraints, the
motion is drawn in until the proof holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.criteria import Criterion, Kind
from bifilar.experiment.envelope import QUANTITIES, Bounds, Unknowns
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.harmonics import FourierBasis
from bifilar.experiment.information import Information
from bifilar.experiment.interior import Box, Optimum, maximise
from bifilar.robot.base_parameters import base_parameters
from bifilar.robot.robot import Robot

NOISE = 0.01  # of the effort limit, where no torque noise is given


@dataclass(frozen=True, eq=False)
class Design:
    """A motion inside every joint limit, between the samples too, and what it promises.

    >>> found = bf.design(bf.Robot.load("two_link"), duration=5.0, seed=1)
    >>> bool(np.all(found.margins > 0))
    True
    """

    motion: Fourier
    criterion: Criterion
    value: float  # of the criterion on the information matrix, per motion sampled at `rate`
    names: tuple[str, ...]  # base parameters
    information: Array  # matrix of the whole motion at `rate`
    rate: float  # [Hz]
    margins: Array  # (3, joints) room left in position, velocity, acceleration beyond the margin asked for; proven
    starts: tuple[Optimum, ...]  # every search, the best first

    def __repr__(self) -> str:
        return f"Design({self.motion.duration:g} s, {self.criterion.kind} {self.value:.2f}, best of {len(self.starts)})"

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviation that least squares on this motion will give every base parameter, for the noise assumed.

        >>> found = bf.design(bf.Robot.load("two_link"), duration=5.0, seed=1)
        >>> sorted(found.deviations)[0]
        'link1.Izz'
        """
        return dict(zip(self.names, np.sqrt(np.diag(np.linalg.inv(self.information))).tolist(), strict=True))


def design(
    robot: Robot,
    *,
    duration: float,
    harmonics: int | Sequence[int] = 5,
    criterion: Kind | Criterion = "D",
    starts: int = 1,
    seed: int = 0,
    margin: float = 0.05,
    noise: ArrayLike | None = None,
    rate: float = 100.0,
    prior: ArrayLike | None = None,
    watch: Callable[[int, int, float], None] | None = None,
) -> Design:
    """Design an exciting motion of one period; `noise` [N m] of the joints' torque (1 % of their effort limit if left out).

    `margin` is the share of every joint's range that stays unused, `prior` the information of earlier motions
    (`Design.information`), `watch(start, iteration, value)` is told of every step. Ctrl-C keeps the best motion so far.

    >>> bf.design(bf.Robot.load("two_link"), duration=5.0, starts=2, seed=3).motion.duration
    5.0
    """
    judge = criterion if isinstance(criterion, Criterion) else Criterion(kind=criterion)
    bounds = Bounds.of(robot, margin=margin)
    unknowns = Unknowns.of(FourierBasis.lasting(duration, harmonics=harmonics), len(robot.joint_names))
    seen = Information.on(robot, base_parameters(robot), noise=_noise(robot, noise), prior=prior)
    search = _Search(unknowns, bounds, seen, judge, rate)
    rng = np.random.default_rng(seed)
    found: list[Optimum] = []
    for k in range(max(starts, 1)):
        told = None if watch is None else (lambda i, value, k=k: watch(k, i, value))
        found.append(maximise(search.judged, search.box, search.start(rng), watch=told))
        if found[-1].status == "stopped by the user":
            break
    found.sort(key=lambda optimum: -optimum.value)
    motion = drawn_in(unknowns.motion(found[0].x, robot.joint_names), bounds)
    state = motion.sample(rate)
    information = seen.matrix(state.position[:-1], state.velocity[:-1], state.acceleration[:-1])
    value = judge.value(information)
    return Design(motion, judge, value, seen.names, information, rate, bounds.margins(motion), tuple(found))


def _noise(robot: Robot, noise: ArrayLike | None) -> ArrayLike:
    if noise is not None:
        return noise
    effort = robot.limits.effort
    if not np.isfinite(effort).all():
        unknown = [name for name, limit in zip(robot.joint_names, effort, strict=True) if not np.isfinite(limit)]
        what = f"the torque noise is not known: {', '.join(unknown)} have no effort limit to take a share of"
        raise MotionError(what, remedy="give noise=... in N m, one number or one per joint")
    return NOISE * effort


class _Search:
    """The design problem as numbers: unknowns, bounds on a grid, criterion."""

    def __init__(self, unknowns: Unknowns, bounds: Bounds, seen: Information, criterion: Criterion, rate: float) -> None:
        self.unknowns, self.criterion = unknowns, criterion
        samples = 20 * max(unknowns.series.harmonics)  # per period: the criterion's integrals are then exact to rounding
        self.q, self.v, self.a = unknowns.matrices(samples)
        share = samples / (rate * unknowns.series.duration)  # samples here per sample of the motion
        self.seen = replace(seen, prior=seen.prior * share)
        rows = np.vstack([self.q, self.v, self.a])
        lower, upper = (np.repeat(bound.T, samples, axis=1) for bound in (bounds.lower, bounds.upper))
        self.box, self.bounds = Box(rows, lower, upper), bounds

    def states(self, x: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities, accelerations on the grid."""
        table = x.reshape(self.unknowns.joints, -1).T
        return self.q @ table, self.v @ table, self.a @ table

    def judged(self, x: Array) -> tuple[float, Array]:
        """Criterion and its gradient by the unknowns."""
        value, by_q, by_v, by_a = self.seen.judged(self.criterion, *self.states(x))
        return value, (by_q.T @ self.q + by_v.T @ self.v + by_a.T @ self.a).ravel()

    def start(self, rng: np.random.Generator) -> Array:
        """A random motion about the middle of the limits, drawn in until it is well inside."""
        middle = 0.5 * (self.bounds.lower[0] + self.bounds.upper[0])
        table = rng.normal(size=(self.unknowns.joints, self.unknowns.free.shape[1] + 1))
        table[:, -1] = 0.0
        moved = self.box.rows @ table.T  # (m, joints)
        room = np.minimum(self.box.upper.T - np.where(np.arange(len(moved))[:, None] < len(self.q), middle, 0.0), 1e9)
        table *= 0.5 * (room / np.maximum(np.abs(moved), 1e-12)).min(axis=0)[:, None]
        table[:, -1] = middle
        return table.ravel()


def drawn_in(motion: Fourier, bounds: Bounds) -> Fourier:
    """The motion with amplitudes made smaller, joint by joint, until its limits are proven at every instant.

    >>> robot = bf.Robot.load("two_link")
    >>> wild = bf.Fourier(joint_names=robot.joint_names, base_frequency=0.2, harmonics=3, coefficients=np.full((2, 6), 9.0))
    >>> from bifilar.experiment.envelope import Bounds
    >>> bounds = Bounds.of(robot)
    >>> bool(np.all(bounds.margins(wild) > 0)), bool(np.all(bounds.margins(drawn_in(wild, bounds)) >= 0))
    (False, True)
    """
    share = np.ones((len(motion.joint_names), 1))
    for _ in range(200):
        smaller = replace(motion, coefficients=share * motion.coefficients)
        worst = bounds.margins(smaller).min(axis=0)
        if np.all(worst >= 0):
            return smaller
        share[worst < 0] *= 0.995 if share.min() > 0.5 else 0.9
    broken = int(np.argmin(worst))
    quantity = QUANTITIES[int(np.argmin(bounds.margins(smaller)[:, broken]))]
    what = f"no motion of {motion.joint_names[broken]} about {motion.offset[broken]:.3g} keeps its {quantity} limit"
    raise MotionError(what, remedy="a smaller margin, or a longer duration")
