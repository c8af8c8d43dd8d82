"""A new motion for a smaller model, found from the old one: the condition number cannot rise.

    observation matrix W of the parameters that are left, rows over one period
    condition(W without a column) <= condition(W)           singular values interlace
    condition(new motion) <= condition(old motion)          the old one is among the candidates

so a ladder of models with a motion for each has condition numbers that only fall (Wang et al. 2018 report it; with searches
that begin anew for every model it does not hold). Limits are proven for every instant, as in `design`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from glob import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bifilar.dynamics import decompose
from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import MotionError
from bifilar.experiment.certify import with_torque
from bifilar.experiment.constraints import Constraint
from bifilar.experiment.criteria import Criterion
from bifilar.experiment.design import HIGHEST, LAST, THEN, searched
from bifilar.experiment.envelope import Unknowns
from bifilar.experiment.feasible import drawn_back, fitted, shaken
from bifilar.experiment.fourier import Fourier
from bifilar.experiment.interior import STOPPED, maximise
from bifilar.experiment.problem import Problem
from bifilar.robot.robot import Robot

DRAWN_IN = 0.97  # amplitudes of the old motion where a search begins: not at the limits it ended at
SHAKEN = (0.1, 0.25, 0.5)  # sizes of random changes, over the mean coefficient


@dataclass(frozen=True, eq=False)
class Redesign:
    """A motion for some of the parameters.

    >>> robot = bf.Robot.load("two_link")
    >>> first = redesign(robot, bf.base_parameters(robot).independent, duration=5.0)
    >>> fewer = redesign(robot, first.names[:-1], previous=first.motion)
    >>> fewer.condition <= fewer.before <= first.condition
    True
    """

    motion: Fourier
    names: tuple[str, ...]  # of the parameters it is for
    condition: float  # of their observation matrix
    before: float  # the same with the motion that was given; infinite if there was none


def redesign(
    robot: Robot,
    names: Sequence[str],
    *,
    previous: Fourier | None = None,
    duration: float | None = None,
    harmonics: int | Sequence[int] = 5,
    starts: int = 1,
    hops: int = 1,
    seed: int = 0,
    margin: float = 0.05,
    noise: ArrayLike = 1.0,
    rate: float = 100.0,
    constraints: Sequence[Constraint] = (),
    torque: bool = True,
) -> Redesign:
    """A motion of least condition number for the base parameters `names`, begun from the `previous` one if there is any.

    `hops` random neighbours of the previous motion are tried as well; `noise` weighs the joints' rows. Other words are those of
    `design`; with a previous motion, duration and harmonics are its own.

    >>> robot = bf.Robot.load("two_link")
    >>> redesign(robot, ["link1.Izz", "link2.mcx"], duration=5.0).motion.duration
    5.0
    """
    if previous is None and duration is None:
        raise MotionError("duration.missing/redesign")
    lasting = {"duration": duration, "harmonics": harmonics}
    if previous is not None:
        lasting = {"duration": previous.series.period, "harmonics": previous.harmonics}
    walled = tuple(with_torque(robot, tuple(constraints), torque, margin))
    settings: dict[str, Any] = {"margin": margin, "noise": noise, "rate": rate, "constraints": walled, "highest": HIGHEST}
    only = [escape(name) for name in names]
    problem = Problem.of(robot, criterion=Criterion(kind="condition"), only=only, **lasting, **settings)  # type: ignore[arg-type]
    with one_blas_thread():
        if previous is None:
            x = searched(problem, starts, seed)[1]
            return Redesign(problem.motion(x), problem.seen.names, condition_of(problem, problem.motion(x)), np.inf)
        return _continued(problem, previous, hops, np.random.default_rng(seed))


def condition_of(problem: Problem, motion: Fourier) -> float:
    """Condition number of the observation matrix over one period, at the rate of the recording.

    >>> problem = Problem.of(bf.Robot.load("two_link"), duration=5.0)
    >>> condition_of(problem, problem.motion(np.random.default_rng(0).normal(size=18))) > 1
    True
    """
    count = round(problem.rate * motion.series.period)
    state = motion.at(motion.fade + np.arange(count) * motion.series.period / count)
    rows = problem.seen._rows(state.position, state.velocity, state.acceleration)
    sizes = decompose.svd(rows.reshape(-1, rows.shape[2]), compute_uv=False)
    return float(sizes[0] / sizes[-1]) if sizes[-1] > 0 else np.inf


def unknowns_of(unknowns: Unknowns, motion: Fourier) -> Array:
    """The vector of a motion that rests at the ends of its period: the inverse of `Unknowns.motion`.

    >>> problem = Problem.of(bf.Robot.load("two_link"), duration=5.0)
    >>> x = np.random.default_rng(0).normal(size=18)
    >>> bool(np.allclose(unknowns_of(problem.unknowns, problem.motion(x)), x))
    True
    """
    free = motion.coefficients @ unknowns.free
    table = free if unknowns.start is not None else np.hstack([free, motion.offset[:, None]])
    return table.ravel()


def _continued(problem: Problem, previous: Fourier, hops: int, rng: np.random.Generator) -> Redesign:
    """The best of the old motion and of searches that begin at it and near it."""
    before = condition_of(problem, previous)
    motion, best = previous, before
    old = unknowns_of(problem.unknowns, previous)
    starts = [fitted(problem, old, DRAWN_IN)]
    starts += [shaken(problem, old, SHAKEN[k % len(SHAKEN)], rng) for k in range(hops)]
    fence = problem if problem.walls else None
    for start in starts:
        if not _inside(problem, start):
            continue
        found = maximise(problem.judged, problem.box, start, fence=fence, barrier=THEN, finish=LAST)
        if found.status == STOPPED:
            raise KeyboardInterrupt
        try:
            new = problem.motion(drawn_back(problem, (*found.path, found.x)))
        except MotionError:  # what the search saw on its grid cannot be proven between the points
            continue
        if (value := condition_of(problem, new)) < best:
            motion, best = new, value
    return Redesign(motion, problem.seen.names, best, before)


def _inside(problem: Problem, x: Array) -> bool:
    within = min(float(slack.min()) for slack in problem.box.slacks(x)) > 0
    return within and (not problem.walls or float(problem.rooms(x).min()) > 0)
