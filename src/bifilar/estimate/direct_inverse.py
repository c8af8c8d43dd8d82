"""`DirectInverse` (DIDIM): only the torque is measured; the whole regressor comes from the simulated closed loop.

    minimise | y - W(simulated motion of phi) phi |            by Gauss-Newton with W itself for the derivative

The simulated machine is held on the reference by the same controller, so its motion hardly depends on phi and W is a good
derivative (Gautier, Janot, Vandanjon 2013): a few iterations. No noise of positions enters, which makes it the most precise of
the three, as long as controller and friction are as modelled: it has nothing to tell a wrong controller from a wrong mass.
So instrumental variables are solved on the same rows, and the lag behind the reference is compared with the measured one: if
either disagrees, the status is "doubtful".

Safeguards: a step is halved until the simulation reaches the end and the torque error does not rise; starts that cannot be
simulated are replaced (`loop_solve`). What is assumed: the controller as given, with its reference and the velocity it reads;
noise in the loop small enough for its square not to matter; the torque held between stamps unless held_torque=False.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from bifilar.dynamics.tree import Array
from bifilar.errors import Note
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.instrumental import contrast, loop_estimate, small_step, status_of
from bifilar.estimate.loop_rows import LoopRows
from bifilar.estimate.loop_settings import LoopSettings, references_of
from bifilar.estimate.loop_solve import FLOOR, Fitted, Loop, Runs
from bifilar.estimate.problem import Problem
from bifilar.estimate.status import Status
from bifilar.estimate.unbiased import controller_words, least_squares_words
from bifilar.simulate.reference import Reference

STALLED = 25.0  # times a step that no longer matters: half a deviation; less than that left is no failure
ROWS_CHOSEN = 2  # times that the rows too slow for a sign of the velocity are chosen: for the start, and for what it led to
HALVINGS = 8
RISE = 1e-3  # relative rise of the torque error that is let pass: W is not quite the derivative


@dataclass(frozen=True, kw_only=True, eq=False)
class DirectInverse(LoopSettings):
    """Settings; see the module for what is assumed.

    >>> time = np.arange(4001) / 500
    >>> swing = time, 0.8 * np.sin(3 * time)[:, None], 2.4 * np.cos(3 * time)[:, None]
    >>> machine = bf.VirtualRobot(bf.Robot.load("pendulum"), gains=([9.0], [0.9]))
    >>> recording = machine.play(swing, rate=500, control_rate=500)
    >>> from bifilar.estimate.closed_loop import JointController
    >>> method = DirectInverse(controller=JointController(kp=9.0, kd=0.9, feedforward=machine.robot), reference=swing)
    >>> method.fit(machine.robot, recording, friction=()).values.round(3) + 0.0
    array([0.25 , 0.   , 0.083])
    """

    iterations: int = 30  # at most

    def solve(
        self, problem: Problem, references: Sequence[Reference] | None = None, *, strict: bool = False, built: float = 0.0
    ) -> BaseEstimate:
        """Solve a problem that was built before, of recordings that went through `held` if the torque was.

        `references` left out are the settings' own motion, begun when the samples' clock shows zero.

        >>> import inspect
        >>> list(inspect.signature(DirectInverse.solve).parameters)
        ['self', 'problem', 'references', 'strict', 'built']
        """
        start = perf_counter()
        loop = Loop.of(problem, self.controller, references or references_of(self, problem), self.slip)
        prior = problem.prior()
        at, runs = loop.begin(None if self.start is None else np.asarray(self.start, dtype=float))
        rows = loop.rows(at, runs or loop.as_wanted())
        found = Fitted.of(rows, "Z", "Z", prior)
        if not runs:
            status = Status("infeasible", Note("simulation.no_start", last=loop.tried[-1].text))
        else:
            for _ in range(ROWS_CHOSEN):
                loop.choose_rows(at, runs)
                at, runs, rows, found, settled, rounds = self._iterated(loop, at, runs)
            status = status_of(problem, found, settled, rounds)
        instruments, least = Fitted.of(rows, "Z", "W", prior), Fitted.of(rows, "W", "W", prior)
        wrong, biased = contrast(problem, rows, found, instruments), contrast(problem, rows, least, instruments)
        lag = loop.tracking(runs)
        doubts = [note.text for note in (lag.words, controller_words(wrong)) if note] if runs else []
        if doubts:
            status = status.worse(Status("doubtful", Note("controller.wrong", reasons=doubts)))
        estimate = loop_estimate(
            problem,
            rows,
            found,
            status,
            "direct inverse of the simulated loop",
            (*dict.fromkeys(loop.tried), least_squares_words(biased)),
            {"instrumental variables": wrong, "least squares": biased, "tracking": lag},
            {"problem": built, "solve": perf_counter() - start},
        )
        if strict:
            estimate.status.insist()
        return estimate

    def _iterated(self, loop: Loop, at: Array, runs: Runs) -> tuple[Array, Runs, LoopRows, Fitted, bool, int]:
        """Gauss-Newton steps from simulated values until nothing changes any more, or no step makes the error fall."""
        prior, rows = loop.problem.prior(), loop.rows(at, runs)
        error, found = torque_error(rows, at), Fitted.of(rows, "Z", "Z", prior)
        for rounds in range(1, self.iterations + 1):
            step, small = found.values - at, small_step(rows, found)
            if np.all(np.abs(step) <= small):
                return at, runs, rows, found, True, rounds
            for halving in range(HALVINGS):
                trial = at + step / 2**halving
                tried, status = loop.simulate(trial)
                if not status.ok:
                    continue
                new = loop.rows(trial, tried)
                if torque_error(new, trial) < error + RISE * rows.counts.sum():
                    break
            else:
                return at, runs, rows, found, bool(np.all(np.abs(step) <= STALLED * small)), rounds
            at, runs, rows, error = trial, tried, new, torque_error(new, trial)
            found = Fitted.of(rows, "Z", "Z", prior)
        return at, runs, rows, found, False, self.iterations


def torque_error(rows: LoopRows, values: np.ndarray) -> float:
    """Sum over joints of rows times the logarithm of their mean torque error: falls whatever the joints' weights are.

    >>> torque_error(LoopRows(np.array([[[1.0, 0, 3.0], [0, 0, 0], [0, 0, 1.0]]]), np.ones(1, dtype=int)), np.full(1, 3.0))
    0.0
    """
    counts = np.maximum(rows.counts, 1)
    size = np.maximum(rows.residuals(values, "Z") / np.sqrt(counts), FLOOR * np.maximum(rows.torque, 1e-300))
    return float(np.sum(counts * np.log(size)))
