"""`design`: the motion that tells most about the base parameters, breaks no limit at any instant, and can prove it.

A Fourier series at rest at both ends of every period (Swevers et al. 1997) is chosen by an interior-point search with the exact
gradient of criterion and constraints, from several random starts. The search looks at a grid; what comes out is proven
for every instant (`proof`), where needed after a small step back on the way it came, and certified.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.certificate import Certificate
from bifilar.experiment.certify import certify, with_torque
from bifilar.experiment.compose import SPEEDS
from bifilar.experiment.constraints import Constraint
from bifilar.experiment.criteria import Criterion, Kind
from bifilar.experiment.envelope import Bounds
from bifilar.experiment.feasible import Poses, drawn_back, shaken
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.information import Others
from bifilar.experiment.interior import STOPPED, Climb, Optimum, Watch, maximise
from bifilar.experiment.problem import Problem
from bifilar.experiment.save_certified import save_certified
from bifilar.experiment.sweep_plan import SweepPlan, plan_sweeps
from bifilar.robot.robot import Robot

NOISE = 0.01  # of the effort limit, where no torque noise is given
RACING = 2  # random motions per start, of which the better one is followed to the end
FIRST, LAST = 0.01, 1e-5  # barriers: at which the better one shows, and where the search ends
HOPS, AGAIN = 3, 0.04  # neighbours of the best motion that are tried per start, and the barrier they begin with
SHAKEN = (0.25, 0.5, 0.8)  # sizes of a random change, over the mean coefficient
FEW = 3  # best motions of several starts that are taken to the proof, where some lose more than others
THEN = 0.002  # barrier that other criteria than D begin with
HIGHEST = 10.0  # [Hz] faster harmonics shake the structure instead of moving the arm


@dataclass(frozen=True)
class Progress:
    """Where a search is.

    >>> Progress(start=0, starts=3, iteration=12, value=540.0, room=0.02).value
    540.0
    """

    start: int
    starts: int
    iteration: int
    value: float  # of the criterion
    room: float  # least room on the grid, as a share of its range


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """A motion inside every limit, between the samples too, and what it promises.

    >>> design = bf.design(bf.Robot.load("two_link"), duration=5.0, seed=1)
    >>> bool(design.certificate.runs[0].margins[0].room >= 0), len(design.deviations)
    (True, 6)
    """

    robot: Robot
    motion: Fourier
    criterion: Criterion
    value: float  # of the criterion
    names: tuple[str, ...]  # of the parameters
    information: Array  # on them, of one period at `rate`, prior included
    rate: float  # [Hz] assumed for the recording
    margins: Array  # (4, joints) room left to each joint limit less its margin, proven for every instant
    constraints: tuple[Constraint, ...]
    torque: bool  # whether the effort limits were kept
    starts: tuple[Optimum, ...]  # what every start reached, best first

    def __repr__(self) -> str:
        return f"Design({self.motion!r}, {self.criterion.kind} {self.value:.6g}, {len(self.names)} parameters)"

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviation that every parameter will have, if torque noise is white and as stated.

        >>> all(deviation > 0 for deviation in bf.design(bf.Robot.load("two_link"), duration=5.0).deviations.values())
        True
        """
        return dict(zip(self.names, _deviations(self.information).tolist(), strict=True))

    @cached_property
    def certificate(self) -> Certificate:
        """Proof and second opinion for the whole speed ladder.

        >>> [run.speed for run in bf.design(bf.Robot.load("two_link"), duration=5.0).certificate.runs]
        [0.1, 0.25, 0.5, 1.0]
        """
        return self._certified(SPEEDS)

    def _certified(self, speeds: Sequence[float]) -> Certificate:
        return certify(self.robot, self.motion, constraints=self.constraints, torque=self.torque, speeds=speeds)

    def save(self, path: str | os.PathLike[str], *, ladder: bool = True) -> Certificate:
        """Write the motion (.csv, .parquet or .yaml), slower ones to try first, and the certificate of all of them.

        `excite.csv` comes with `excite_10.csv`, `excite_25.csv`, `excite_50.csv` and `excite.certificate.json`.

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> certificate = bf.design(bf.Robot.load("two_link"), duration=5.0).save(folder / "excite.csv")
        >>> sorted(file.name for file in folder.iterdir())[:2]
        ['excite.certificate.json', 'excite.csv']
        """
        return save_certified(path, self.robot, self.certificate if ladder else self._certified((1.0,)), self.rate)


@overload
def design(robot: Robot, *, kind: Literal["fourier"] = "fourier", **settings: Any) -> Design: ...


@overload
def design(robot: Robot, *, kind: Literal["sweep"], **settings: Any) -> SweepPlan: ...


def design(  # type: ignore[misc]  # the overloads take all words
    robot: Robot,
    *,
    kind: Literal["fourier", "sweep"] = "fourier",
    duration: float | None = None,
    harmonics: int | Sequence[int] = 5,
    criterion: Kind | Criterion = "D",
    starts: int = 1,
    seed: int = 0,
    margin: float = 0.05,
    noise: ArrayLike | None = None,
    rate: float = 100.0,
    prior: ArrayLike | None = None,
    constraints: Sequence[Constraint] = (),
    torque: bool = True,
    start: ArrayLike | None = None,
    only: Sequence[str] = ("*",),
    others: Others = "known",
    highest: float = HIGHEST,
    watch: Callable[[Progress], None] | None = None,
    count: int = 9,
    hold: float = 1.5,
    both_sides: bool = True,
    at_stops: bool = False,
) -> Design | SweepPlan:
    """Design an exciting motion of one period [s]; `noise` [N m] of the joints' torque (1 % of their effort limit if left out).

    `margin` is the share of every joint's range (and torque) that stays unused, `constraints` are walls beyond the joints' own
    limits (`bf.Above`, `Within`, `SpeedBelow`, `TorqueWithin`, `Clearance`), `torque` keeps the effort limits if there are any.
    `start` is the pose to begin and end at. `only` names the parameters that matter ("*.viscous"); the `others` are known
    or unknown. `prior` is the information of earlier motions (`Design.information`). No harmonic is faster than `highest` [Hz].
    `watch(progress)` is told of every step. Ctrl-C keeps the best motion so far.

    kind="sweep" plans poses to hold for a gravity model instead: each joint through `count` poses, held for `hold` seconds,
    approached from `both_sides`, the others held where gravity bends it most (or, `at_stops`, on stops that they can be
    pressed on). It takes as long as it needs, and only `margin` and `seed` of the words above.

    >>> bf.design(bf.Robot.load("two_link"), duration=5.0, starts=2, seed=3).motion.duration
    5.0
    >>> bf.design(bf.Robot.load("ur10e"), kind="sweep", count=5, both_sides=False)
    SweepPlan(25 poses in ... s, not joint1)
    """
    if kind == "sweep":
        if duration is not None:
            raise MotionError("design.sweep_duration")
        return plan_sweeps(robot, count=count, hold=hold, both_sides=both_sides, at_stops=at_stops, margin=margin, seed=seed)
    if kind != "fourier" or duration is None:
        raise MotionError("design.kind/design" if kind == "fourier" else "design.kind/design_design", kind=kind)
    if not isinstance(seed, int) or seed < 0 or not isinstance(starts, int):
        raise MotionError("design.seed", seed=seed, starts=starts)
    Bounds.of(robot, margin=margin)  # what is missing there is asked for first
    walled = tuple(with_torque(robot, _listed(constraints), torque, margin))
    problem = Problem.of(
        robot,
        duration=duration,
        harmonics=harmonics,
        criterion=criterion if isinstance(criterion, Criterion) else Criterion(kind=criterion),
        margin=margin,
        noise=_noise(robot, noise),
        rate=rate,
        prior=prior,
        constraints=walled,
        start=start,
        only=only,
        others=others,
        highest=highest,
    )
    with one_blas_thread():  # small matrices: threads would wait for each other
        found, x = searched(problem, starts, seed, watch)
        motion, seen = problem.motion(x), problem.seen
        state = motion.sample(rate)
        information = seen.matrix(state.position[:-1], state.velocity[:-1], state.acceleration[:-1])
    value, _ = seen.judged_matrix(problem.criterion, information)
    if not np.isfinite(value):
        raise _open(seen.names, information)
    margins = problem.bounds.margins(motion)
    return Design(robot, motion, problem.criterion, value, seen.names, information, rate, margins, walled, torque, found)


def searched(
    problem: Problem, starts: int, seed: int, watch: Callable[[Progress], None] | None = None
) -> tuple[tuple[Optimum, ...], Array]:
    """Search from every start: what each reached, and the best result, proven.

    >>> problem = Problem.of(bf.Robot.load("two_link"), duration=5.0)
    >>> problem.is_proven(searched(problem, 1, 0)[1])
    True
    """
    count = max(starts, 1)
    poses, found = Poses(problem, np.random.default_rng(0)), []  # the same for all seeds
    try:
        for k in range(count):
            told = None if watch is None else partial(_tell, watch, problem, k, count)
            found.append(_climbed(problem, poses, np.random.default_rng(seed + k), told))  # n starts hold the first n seeds
            if found[-1].status == STOPPED:
                break
        else:
            _hop(problem, found, np.random.default_rng(seed), HOPS * count if count > 1 else 0)
    except KeyboardInterrupt:
        if not found:
            raise
    found.sort(key=lambda optimum: -optimum.value)
    try:
        return tuple(found), _proven(problem, found)
    except KeyboardInterrupt:  # the proof is short: it is not given up for one Ctrl-C
        return tuple(found), _proven(problem, found)


def _hop(problem: Problem, found: list[Optimum], rng: np.random.Generator, hops: int) -> None:
    """From the best motion to neighbours of it: shaken, drawn in, climbed again. What is better takes its place in `found`."""
    fence = problem if problem.walls else None
    for k in range(hops):
        best = max(found, key=lambda optimum: optimum.value)
        start = shaken(problem, best.x, SHAKEN[k % len(SHAKEN)], rng)
        barrier = AGAIN if problem.criterion.kind == "D" else THEN
        again = maximise(problem.judged, problem.box, start, fence=fence, barrier=barrier, finish=LAST)
        if again.value > best.value:
            found[found.index(best)] = replace(
                again, path=(*best.path, *again.path), iterations=best.iterations + again.iterations
            )
        if again.status == STOPPED:
            return


def _proven(problem: Problem, found: list[Optimum]) -> Array:
    """The best motion once proven, of the best few before; of others only if none of those can be proven."""
    proven: list[Array] = []
    for k, optimum in enumerate(found):
        if k >= FEW and proven:
            break
        try:
            proven.append(drawn_back(problem, (*optimum.path, optimum.x)))
        except MotionError:
            if k + 1 == len(found) and not proven:
                raise
    return max(proven, key=lambda x: problem.judged(x)[0])


def _climbed(problem: Problem, poses: Poses, rng: np.random.Generator, told: Watch | None) -> Optimum:
    """One start: some random motions half of the way, the best of them to the end.

    Criteria other than D are flat or rough far from their optimum: they begin where D has been.
    """
    fence = problem if problem.walls else None
    judged = problem.judged if problem.criterion.kind == "D" else replace(problem, criterion=Criterion()).judged
    racing = []
    for _ in range(RACING):
        racing.append(Climb(judged, problem.box, poses.start(rng), fence=fence, watch=told))
        racing[-1].to(FIRST)
        if racing[-1].result.status == STOPPED:
            break
    best = max(racing, key=lambda climb: climb.result.value)
    if racing[-1].result.status == STOPPED:
        return replace(best.result, value=problem.judged(best.result.x)[0], status=STOPPED)
    if problem.criterion.kind == "D":
        best.to(LAST)
        return best.result
    first = best.result
    then = maximise(problem.judged, problem.box, first.x, fence=fence, barrier=THEN, finish=LAST, watch=told)
    return replace(then, path=(*first.path, *then.path), iterations=first.iterations + then.iterations)


def _tell(watch: Callable[[Progress], None], problem: Problem, k: int, count: int, i: int, value: float, x: Array) -> None:
    watch(Progress(k, count, i, value, problem.share(x)))


def _deviations(information: Array) -> Array:
    """Square roots of the covariance's diagonal; scaled first, since units differ by orders of magnitude."""
    size = np.sqrt(np.maximum(np.diag(information), 1e-300))
    return np.sqrt(np.diag(np.linalg.inv(information / np.outer(size, size)))) / size


def _open(names: tuple[str, ...], information: Array) -> MotionError:
    """The motion found leaves something open: which parameters, and why that may be."""
    size = np.sqrt(np.maximum(np.diag(information), 1e-300))
    values, vectors = decompose.eigh(information / np.outer(size, size))
    blurred = (vectors[:, values < 1e-13] ** 2).sum(axis=1)
    worst = [names[k] for k in np.argsort(-blurred)[:5] if blurred[k] > 1e-3]
    return MotionError("design.open_parameters", worst=", ".join(worst) or "all of them")


def _listed(constraints: object) -> Sequence[Constraint]:
    wanted: list[Any] = [constraints] if hasattr(constraints, "on") else list(constraints)  # type: ignore[call-overload]
    strange = [one for one in wanted if not hasattr(one, "on")]
    if strange:
        raise MotionError("constraint.unknown/design", strange=strange[0])
    return wanted


def _noise(robot: Robot, noise: ArrayLike | None) -> ArrayLike:
    if noise is not None:
        return noise
    effort = robot.limits.effort
    if not np.isfinite(effort).all():
        unknown = [name for name, limit in zip(robot.joint_names, effort, strict=True) if not np.isfinite(limit)]
        raise MotionError("noise.unknown/design", unknown=unknown)
    return NOISE * effort
