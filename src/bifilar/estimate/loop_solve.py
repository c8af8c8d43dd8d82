"""What instrumental variables and the direct inverse share: simulations of trial values, a start that works, solutions.

A trial may be no machine at all: a mass matrix that is not positive, a loop that runs away. The starts that are tried are the
one asked for, what the reference's own regressor tells (it is known without noise and the machine is near it), weighted least
squares, and the description. If none can be simulated, the reference itself serves as instrument: free of noise, only less like
the motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from bifilar.dynamics.blas import one_blas_thread
from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate.closed_loop import SLIP, Controller, Simulation, simulate_loop, smoothed
from bifilar.estimate.loop_rows import LoopRows, Measured, Stretch, certain_signs, simulated
from bifilar.estimate.loop_triangle import Solved, solve_triangle
from bifilar.estimate.problem import Problem
from bifilar.estimate.residual_spectrum import Lagged, doubled, room, roots, spectrum, transform
from bifilar.estimate.sandwich import bandwidth
from bifilar.estimate.status import Status
from bifilar.estimate.unbiased import Tracking
from bifilar.filters.differences import central
from bifilar.robot.model import Model
from bifilar.simulate.reference import Reference

FLOOR = 1e-9  # of the torque: what rounding and the integrator leave
SHORTEST = 8  # rows of a stretch that tells anything about how errors follow each other
FINE, FINEST = 8, 128  # a spectrum from so many lags: differentiated noise rises steeply with the frequency
Runs = tuple[Simulation, ...]


@dataclass(frozen=True, eq=False)
class Loop:
    """A problem, its controller and what was to be followed."""

    measured: Measured
    controllers: Sequence[Controller]  # one per recording
    references: Sequence[Reference]
    slip: float = SLIP
    tried: list[Note] = field(default_factory=list)  # what happened to starts that could not be simulated
    fast: list[Array] = field(
        default_factory=list
    )  # (rows, joints) per recording, 1: not too slow; empty: asked of each motion

    @classmethod
    def of(
        cls,
        problem: Problem,
        controller: Controller | Sequence[Controller],
        references: Sequence[Reference],
        slip: float = SLIP,
    ) -> Loop:
        """With one controller for all recordings, or one for each.

        >>> import inspect
        >>> list(inspect.signature(Loop.of).parameters)
        ['problem', 'controller', 'references', 'slip']
        """
        count = len(problem.sources)
        controllers = [controller] * count if isinstance(controller, Controller) else list(controller)
        if len(controllers) != count or len(references) != count:
            raise SolveError(
                "recordings.count/loop_solve", controller_count=len(controllers), reference_count=len(references), count=count
            )
        return cls(Measured.of(problem), controllers, references, slip)

    @property
    def problem(self) -> Problem:
        """Of the measured rows."""
        return self.measured.problem

    def model(self, values: Array) -> Model:
        """The model of base values, its signs of speed smooth.

        >>> import inspect
        >>> list(inspect.signature(Loop.model).parameters)
        ['self', 'values']
        """
        return smoothed(self.problem.base.model(self.problem.robot, values), self.slip)

    def simulate(self, values: Array) -> tuple[Runs, Status]:
        """All recordings with these values; the status of the first that fails.

        >>> import inspect
        >>> list(inspect.signature(Loop.simulate).parameters)
        ['self', 'values']
        """
        if not np.isfinite(values).all():
            return (), Status("infeasible", Note("parameters.not_finite/loop_solve"))
        model, runs = self.model(values), []
        for controller, reference in zip(self.controllers, self.references, strict=True):
            run = simulate_loop(model, controller, reference, slip=self.slip)
            if not run.ok:
                return (), run.status
            runs.append(run)
        return tuple(runs), Status()

    def rows(self, values: Array, runs: Runs) -> LoopRows:
        """Factors with the columns of simulated motions.

        >>> import inspect
        >>> list(inspect.signature(Loop.rows).parameters)
        ['self', 'values', 'runs']
        """
        return self.measured.rows(self.model(values), runs, self.fast or None)

    def choose_rows(self, values: Array, runs: Runs) -> None:
        """From now on, leave out the rows in which these motions are too slow.

        >>> import inspect
        >>> list(inspect.signature(Loop.choose_rows).parameters)
        ['self', 'values', 'runs']
        """
        model = self.model(values)
        pairs = zip(self.measured.samples, runs, strict=True)
        self.fast[:] = [certain_signs(samples, simulated(samples, run), model) for samples, run in pairs]

    def as_wanted(self) -> Runs:
        """The references themselves as motions: known without noise, and always there.

        >>> import inspect
        >>> list(inspect.signature(Loop.as_wanted).parameters)
        ['self']
        """
        runs = []
        for time, q, v in self.references:
            a = central(v, rate=(len(time) - 1) / (time[-1] - time[0]))
            runs.append(Simulation(time, q, v, a, np.zeros_like(q), len(time), 0, Status()))
        return tuple(runs)

    def tracking(self, runs: Runs) -> Tracking:
        """Lags behind the reference, measured against simulated, at the rows.

        >>> import inspect
        >>> list(inspect.signature(Loop.tracking).parameters)
        ['self', 'runs']
        """
        lags: list[tuple[Array, Array]] = []
        for samples, wanted, run in zip(self.measured.samples, self.as_wanted(), runs or self.as_wanted()):
            goal, steady, seen = (
                samples.filter_columns(np.concatenate([part.motion.position for part in each.fine]))
                for each in (simulated(samples, wanted), simulated(samples, run), samples)
            )
            lags.append((goal - seen, goal - steady))
        measured, steady = (np.concatenate(side) for side in zip(*lags))
        return Tracking.of(self.problem.row_names, measured, steady)

    def begin(self, start: Array | None) -> tuple[Array, Runs]:
        """Values that can be simulated, and their simulation; without any, those of the references and no simulation.

        >>> import inspect
        >>> list(inspect.signature(Loop.begin).parameters)
        ['self', 'start']
        """
        fallback: Array | None = None
        for name, values in self._starts(start):
            fallback = values if fallback is None and name != "start" else fallback
            runs, status = self.simulate(values)
            if status.ok:
                return values, runs
            self.tried.append(Note("start.not_simulated", name=name, thing=status.sentence))
        assert fallback is not None
        return fallback, ()

    def _starts(self, start: Array | None) -> Iterator[tuple[str, Array]]:
        problem = self.problem
        if start is not None:
            given = np.asarray(start, dtype=float)
            if given.shape != (len(problem.base),):
                raise SolveError("shape.wrong/loop_solve", shape=given.shape, base_count=len(problem.base))
            yield "the start", given
        prior = problem.prior()
        rows = self.rows(prior, self.as_wanted())
        yield "the fit along the reference", Fitted.of(rows, "Z", "Z", prior).values
        yield "least squares", Fitted.of(rows, "W", "W", prior).values
        yield "the description", prior


@dataclass(frozen=True, eq=False)
class Fitted:
    """A solution of A' (y - B phi) = 0 with joints weighted by their own noise; A and B are Z or W.

    >>> rows = LoopRows(np.array([[[2.0, 2.0, 6.0], [0, 0, 0.5], [0, 0, 0.1]]]), np.full(1, 9))
    >>> Fitted.of(rows, "Z", "W", np.zeros(1)).values
    array([3.])
    """

    solved: Solved
    noise: Array  # (joints,)
    right: str  # B

    @classmethod
    def of(cls, rows: LoopRows, left: str, right: str, prior: Array) -> Fitted:
        """Solve by the QR of [Z W y], weights settled at 1/noise; open directions keep the prior's value.

        >>> rows = LoopRows(np.array([[[2.0, 2.0, 6.0], [0, 0, 0.5], [0, 0, 0.1]]]), np.full(1, 9))
        >>> Fitted.of(rows, "Z", "Z", np.zeros(1)).values
        array([3.])
        """
        torque = rows.torque
        floor = FLOOR * np.where(torque > 0, torque, max(torque.max(initial=0.0), 1.0))
        free = np.maximum(rows.counts - rows.p / len(rows.counts), 1.0)
        noise = np.ones(len(rows.counts))
        for _ in range(20):
            solved = solve_triangle(rows.triangle(1 / noise), left, right, prior)
            found = np.maximum(rows.residuals(solved.values, right) / np.sqrt(free), floor)
            settled = np.all(np.abs(found / noise - 1) < 1e-3)
            noise = found
            if settled:
                break
        return cls(solved, noise, right)

    @property
    def values(self) -> Array:
        """(p,) base parameters."""
        return self.solved.values

    def parts(self, rows: LoopRows, stretch: Stretch) -> tuple[Array, Array, Array]:
        """Weighted errors (rows, joints); influence on the values and orthonormal columns, (rows, joints, p) each.

        >>> import inspect
        >>> list(inspect.signature(Fitted.parts).parameters)
        ['self', 'rows', 'stretch']
        """
        table, p = stretch.table / self.noise[:, None], rows.p
        b = table[..., :p] if self.right == "Z" else table[..., p:-1]
        both = table[..., :-1]
        return table[..., -1] - b @ self.values, both @ self.solved.pull.T, both @ self.solved.whiten


def covariance(rows: LoopRows, *fits: Fitted) -> Array:
    """Of a solution's values, or of the difference of two; errors may follow each other, go together, and differ by joint.

    The errors' law is taken to be the same all along (`residual_spectrum`): sums over blocks of time, which need not
    assume it, are several times too large here, because differentiated noise cancels over a block but for its ends.

    >>> table = np.random.default_rng(0).normal(size=(400, 1, 3))
    >>> rows = LoopRows.of([Stretch(table, np.ones((400, 1), dtype=bool))])
    >>> fit = Fitted.of(rows, "Z", "Z", np.zeros(1))
    >>> bool(0.03 < np.sqrt(covariance(rows, fit)[0, 0]) < 0.08)
    True
    """
    signs = (1.0, -1.0)
    pieces = []
    for stretch in rows.stretches:
        if len(stretch.table) < SHORTEST:
            continue
        parts = [fit.parts(rows, stretch) for fit in fits]
        errors, seen = np.hstack([part[0] for part in parts]), np.hstack([stretch.used.astype(float)] * len(parts))
        influence = np.concatenate([sign * part[1] for sign, part in zip(signs, parts)], axis=1)
        pieces.append((errors, seen, np.concatenate([part[2] for part in parts], axis=1), influence))
    if not pieces:
        return np.full((rows.p, rows.p), np.inf)
    with one_blas_thread():
        sums = [Lagged.of(errors, seen, columns, np.ones(rows.p)) for errors, seen, columns, _ in pieces]
        count = sum(len(piece[0]) for piece in pieces)
        law = spectrum(sum(sums[1:], sums[0]), max(bandwidth(count), min(count // FINE, FINEST)))
        total = np.sum([doubled(transform(part[3]), roots(law, room(len(part[3])))) for part in pieces], axis=0)
    lost = np.max([np.abs(fit.solved.open).max(axis=0, initial=0.0) for fit in fits], axis=0) > 1e-3
    total[lost, lost] = np.inf
    return total
