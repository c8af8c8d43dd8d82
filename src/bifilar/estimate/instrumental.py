"""`InstrumentalVariables`: consistent although the positions in the regressor are noisy and the noise is in the loop.

    Z' (y - W phi) = 0          Z = W(simulated motion), made with the current phi and the controller, without noise

Least squares on noisy positions are biased: W contains the noise, in closed loop y contains it too. Z is as much like the true
W as the model is like the machine, and knows nothing of the noise (Young 1984; Janot, Vandanjon, Gautier 2014). Rows are
filtered and decimated, Z like W and y; joints are whitened by their noise; simulation and solution are repeated until they
settle. A wrong controller or start makes the instruments weaker, not wrong: the answer stays consistent, its deviations grow.

What is assumed: noise of positions and torques independent of the reference; a filter low enough that the square of the
filtered noise is small (see `loop_rows`); a torque that is held from stamp to stamp unless held_torque=False; rows slower than
the machine is shaken by its own noise left out where friction has a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from bifilar.errors import Note
from bifilar.estimate.doubts import doubts
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.loop_rows import LoopRows
from bifilar.estimate.loop_settings import LoopSettings, references_of
from bifilar.estimate.loop_solve import Fitted, Loop, covariance
from bifilar.estimate.problem import Problem
from bifilar.estimate.status import Status
from bifilar.estimate.unbiased import Contrast, Tracking, controller_words, least_squares_words
from bifilar.robot.solve import unseen
from bifilar.simulate.reference import Reference

SETTLED = 0.02  # of a standard deviation: a smaller change of any value ends the iteration
ROWS_CHOSEN = 2  # simulations that may change which rows are too slow; for good afterwards, or nothing would settle
MORE = "a motion that excites more, friction terms that fit, or PhysicallyConsistent, whose links always exist"
HALVINGS = 6  # of a step towards values that cannot be simulated


@dataclass(frozen=True, kw_only=True, eq=False)
class InstrumentalVariables(LoopSettings):
    """Settings; see the module for what is assumed.

    >>> time = np.arange(4001) / 500
    >>> swing = time, 0.8 * np.sin(3 * time)[:, None], 2.4 * np.cos(3 * time)[:, None]
    >>> machine = bf.VirtualRobot(bf.Robot.load("pendulum"), gains=([9.0], [0.9]))
    >>> recording = machine.play(swing, rate=500, control_rate=500)
    >>> from bifilar.estimate.closed_loop import JointController
    >>> method = InstrumentalVariables(controller=JointController(kp=9.0, kd=0.9, feedforward=machine.robot), reference=swing)
    >>> method.fit(machine.robot, recording, friction=()).values.round(3) + 0.0
    array([0.25 , 0.   , 0.083])
    """

    iterations: int = 20  # simulations at most

    def solve(
        self, problem: Problem, references: Sequence[Reference] | None = None, *, strict: bool = False, built: float = 0.0
    ) -> BaseEstimate:
        """Solve a problem that was built before, of recordings that went through `held` if the torque was.

        `references` left out are the settings' own motion, begun when the samples' clock shows zero.

        >>> import inspect
        >>> list(inspect.signature(InstrumentalVariables.solve).parameters)
        ['self', 'problem', 'references', 'strict', 'built']
        """
        start = perf_counter()
        loop = Loop.of(problem, self.controller, references or references_of(self, problem), self.slip)
        prior = problem.prior()
        at, runs = loop.begin(None if self.start is None else np.asarray(self.start, dtype=float))
        followed = not runs
        rows = loop.rows(at, runs or loop.as_wanted())
        found, settled, odd = Fitted.of(rows, "Z", "W", prior), False, Status()
        for turn in range(self.iterations - 1):
            for halving in range(HALVINGS):
                trial = at + (found.values - at) / 2**halving if runs else found.values
                new, status = loop.simulate(trial)
                if status.ok:
                    break
            else:
                odd = Status("doubtful", Note("simulation.none", sentence=status.sentence))
                settled = True  # instruments of the last simulation are valid, if less like the motion
                break
            at, runs, followed = trial, new, False
            if turn < ROWS_CHOSEN:
                loop.choose_rows(at, runs)
            rows = loop.rows(at, runs)
            before, found = found, Fitted.of(rows, "Z", "W", prior)
            settled = bool(np.all(np.abs(found.values - before.values) <= small_step(rows, found))) and halving == 0
            if settled:
                break
        notes = _notes(loop, followed, found)
        least, direct = Fitted.of(rows, "W", "W", prior), Fitted.of(rows, "Z", "Z", prior)
        biased, wrong = contrast(problem, rows, least, found), contrast(problem, rows, direct, found)
        lag = loop.tracking(runs)
        words = [least_squares_words(biased), *([controller_words(wrong), lag.words] if runs else [])]
        estimate = loop_estimate(
            problem,
            rows,
            found,
            status_of(problem, found, settled, self.iterations).worse(odd),
            "instrumental variables",
            (*notes, *(word for word in words if word)),
            {"least squares": biased, "direct inverse": wrong, "tracking": lag},
            {"problem": built, "solve": perf_counter() - start},
        )
        if strict:
            estimate.status.insist()
        return estimate


def contrast(problem: Problem, rows: LoopRows, first: Fitted, second: Fitted) -> Contrast:
    """Whether two solutions of the same rows differ by more than chance.

    >>> import inspect
    >>> list(inspect.signature(contrast).parameters)
    ['problem', 'rows', 'first', 'second']
    """
    difference = first.values - second.values
    deviations, own = (np.sqrt(np.maximum(np.diag(covariance(rows, *fits)), 0.0)) for fits in ((first, second), (second,)))
    return Contrast.of(problem.base.independent, difference, deviations, own, second.values)


def small_step(rows: LoopRows, found: Fitted) -> np.ndarray:
    """Changes of the values that no longer matter.

    >>> import inspect
    >>> list(inspect.signature(small_step).parameters)
    ['rows', 'found']
    """
    deviations = np.sqrt(np.maximum(np.diag(covariance(rows, found)), 0.0))
    return SETTLED * deviations + 1e-7 * np.abs(found.values) + 1e-12


def status_of(problem: Problem, found: Fitted, settled: bool, simulations: int) -> Status:
    """How it ended.

    >>> import inspect
    >>> list(inspect.signature(status_of).parameters)
    ['problem', 'found', 'settled', 'simulations']
    """
    status = Status()
    if len(found.solved.open):
        letter = unseen(problem.base.independent, found.solved.open)
        status = Status("rank deficient", Note("parameters.open", thing=letter.what, remedy=letter.remedy, **letter.facts))
    if not settled:
        status = status.worse(Status("not converged", Note("values.change", simulations=simulations)))
    return status


def loop_estimate(
    problem: Problem,
    rows: LoopRows,
    found: Fitted,
    status: Status,
    method: str,
    notes: Sequence[Note],
    tables: dict[str, Contrast | Tracking],
    timings: dict[str, float],
) -> BaseEstimate:
    """The estimate of a closed-loop method.

    >>> import inspect
    >>> inspect.signature(loop_estimate).return_annotation
    'BaseEstimate'
    """
    return BaseEstimate(
        described=problem.robot,
        base=problem.base,
        values=found.values,
        covariance=covariance(rows, found),
        freedom=np.full(rows.p, max(float(np.min(rows.counts)) - rows.p / len(rows.counts), 0.0)),  # of the joint with least
        noise=found.noise,
        status=status.worse(doubts(problem)),
        method=method,
        rows=problem.reduction.samples,
        recipe=problem.recipe,
        notes=(*problem.notes, *notes),
        timings=timings,
        tables=dict(problem.tables) | tables,
    )


def _notes(loop: Loop, followed: bool, found: Fitted) -> list[Note]:
    notes = list(dict.fromkeys(loop.tried))
    if followed:
        notes.append(Note("instruments.reference"))
    if found.solved.weak:
        notes.append(Note("instruments.weak", weak=int(found.solved.weak), of=len(found.values)))
    return notes
