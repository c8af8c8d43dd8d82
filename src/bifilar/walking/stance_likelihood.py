"""`fit_stance`: maximum likelihood for walkers whose absolute angle no encoder sees, with noise in every signal.

    minimise over q(t) and theta   sum |Y(q, D q, D^2 q) theta - torque|^2 / sigma_tau^2
                                       + |q - encoder|^2 / sigma_q^2 + |h(q, D q, D^2 q) - reading|^2 / sigma^2

The motion is as unknown as the parameters (`estimate.true_motion`), which are eliminated in every step; work is linear in the
number of samples. The pivot's torque is zero without noise: its deviation is a small number that stands for what differences
miss. Begun with that number, the iterations end in local minima; so it is lowered in steps from one as large as the torques,
each begun where the last has ended (continuation). Without encoder at the pivot the first motion comes from other sensors.

Torques that are missed by more than their stated noise show a local minimum: torques with little noise are hard rows, too. Then
all rows are made loose, lowered together, and the better of both ends is taken. If torques are missed still, the result is
doubtful: another machine, or noise that is not as stated. Error bars take noises as white, and dry friction as resolved by
the clock: where a joint turns between two samples, differences miss its jump (docs/walking.md has how much).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from bifilar.dynamics.tree import Array
from bifilar.errors import Note, SolveError
from bifilar.estimate.banded import BandedSystem, Minimum, minimise
from bifilar.estimate.estimate import BaseEstimate
from bifilar.estimate.likelihood_bars import inverted_information
from bifilar.estimate.readings import Readings
from bifilar.estimate.status import Status
from bifilar.estimate.true_motion import Piece, TrueMotion
from bifilar.robot.base_parameters import BaseParameters, base_parameters
from bifilar.robot.robot import Robot
from bifilar.walking.stance import StanceLog, as_logs
from bifilar.walking.stance_rows import filled_noise, fit_rows

STEPS = (600.0, 200.0, 60.0, 20.0, 6.0, 2.0, 1.0)  # of the last deviation of a row that nothing drives
SURE = 1e-7  # [rad] an encoder without noise
LOOSE, EASIER = 0.1, 3.0  # of the torques, to begin with; from one step to the next
EVEN = 6.0  # times more for rows that nothing drives, whose usual noise is a tenth of the others'
MISSED = 2.0  # of a torque's stated deviation: more is left only by a model or a motion that is wrong


@dataclass(frozen=True, kw_only=True)
class StanceLikelihood:
    """Settings of the fit.

    >>> StanceLikelihood().steps[-1]
    1.0
    """

    row_noise: float | None = None  # [N m] last deviation of rows that nothing drives; None: a tenth of the torques' noise
    steps: tuple[float, ...] = STEPS  # times the last deviation, in this order
    stencil: int = 2  # samples to either side in a difference
    span: int = 1  # samples of the differences that the first parameters come from
    iterations: int = 40  # of each step
    between: int = 12  # of steps before the last

    def fit(
        self,
        pinned: Robot,
        logs: StanceLog | Sequence[StanceLog],
        *,
        motion: Sequence[Array] | None = None,
        start: Array | None = None,
        base: BaseParameters | None = None,
    ) -> BaseEstimate:
        """Base parameters of the pinned robot; `motion`: positions to begin with, a table per segment; `start`: parameters."""
        begun, several = perf_counter(), as_logs(logs)
        base = base_parameters(pinned) if base is None else base
        first = [log.position for log in several] if motion is None else [np.asarray(q, dtype=float) for q in motion]
        if motion is None and several[0].unseen.any():
            names = [name for name, hidden in zip(pinned.joint_names, several[0].unseen) if hidden]
            raise SolveError("stance.no_start", name=names[0])
        noise = filled_noise(several[0].torque_noise, self.row_noise)
        if start is None:
            loose = float(noise.max())
            moved = [log.with_position(q) for log, q in zip(several, first)]
            start = fit_rows(pinned, moved, base=base, span=self.span, row_noise=loose)
        likelihood = self._likelihood(pinned, base, several, noise)
        undriven = np.asarray(several[0].torque_noise == 0, dtype=bool)
        best = self._continued(likelihood, undriven, first, start)
        if not _missed(*best[:2], undriven) <= MISSED:
            again = self._continued(likelihood, undriven, first, start, _wider(likelihood, undriven))
            best = min(best, again, key=lambda end: float(end[1].costs[-1]))
        likelihood, found, system = best
        return self._estimate(likelihood, found, system, undriven, perf_counter() - begun)

    def _likelihood(self, pinned: Robot, base: BaseParameters, logs: tuple[StanceLog, ...], noise: Array) -> TrueMotion:
        pieces = tuple(Piece(np.ascontiguousarray(log.position), np.ascontiguousarray(log.torque), log.period) for log in logs)
        sensors = tuple(
            Readings(one.sensor, tuple(log.readings[k].values[0] for log in logs), one.noise)
            for k, one in enumerate(logs[0].readings)
        )
        known = np.maximum(logs[0].position_noise, SURE)
        return TrueMotion(pinned, base, pieces, known, noise, self.stencil, sensors)

    def _continued(
        self,
        likelihood: TrueMotion,
        undriven: NDArray[np.bool_],
        first: Sequence[Array],
        theta: Array,
        loosened: Iterable[float] = (),
    ) -> tuple[TrueMotion, Minimum, BandedSystem]:
        x, system = np.concatenate([q.ravel() for q in first]), likelihood.system()
        steps = self.steps if undriven.any() else (1.0,)
        for wide in loosened:
            easier = replace(likelihood, torque_noise=likelihood.torque_noise * np.where(undriven, EVEN * wide, wide))
            found = minimise(easier.fill, x, theta, system, most=self.between)
            x, theta = found.x, found.theta
        for step in steps:
            looser = replace(
                likelihood, torque_noise=np.where(undriven, step * likelihood.torque_noise, likelihood.torque_noise)
            )
            found = minimise(looser.fill, x, theta, system, most=self.iterations if step == steps[-1] else self.between)
            x, theta = found.x, found.theta
        return looser, found, system

    def _estimate(
        self, likelihood: TrueMotion, found: Minimum, system: BandedSystem, undriven: NDArray[np.bool_], seconds: float
    ) -> BaseEstimate:
        status = Status()
        if not found.converged:
            status = Status("not converged", Note("cost.falls/stance_likelihood", iterations=found.iterations))
        missed = _missed(likelihood, found, undriven)
        if not missed <= MISSED:
            status = status.worse(Status("doubtful", Note("torque.missed", missed=missed)))
        return BaseEstimate(
            described=likelihood.model,
            base=likelihood.base,
            values=found.theta,
            covariance=inverted_information(system.schur),
            noise=likelihood.torque_noise,
            status=status,
            method="maximum likelihood on one foot",
            rows=likelihood.equations,
            notes=(
                Note("bars.white/all"),
                *(
                    (Note("bars.dry_friction"),)
                    if any(name.endswith(".coulomb") for name in likelihood.base.independent)
                    else ()
                ),
            ),
            timings={"solve": seconds},
            tables={"cost": found.costs, "iterations": found.iterations, "motion": found.x.reshape(-1, likelihood.joints)},
        )


def _wider(likelihood: TrueMotion, undriven: NDArray[np.bool_]) -> Iterator[float]:
    """Times the noise of all rows, from a tenth of the torques down."""
    driven = np.concatenate([piece.torque for piece in likelihood.pieces])[:, ~undriven]
    wide = LOOSE * float((np.sqrt(np.mean(driven**2, axis=0)) / likelihood.torque_noise[~undriven]).max())
    while wide > 1.0:
        yield wide
        wide /= EASIER


def _missed(likelihood: TrueMotion, found: Minimum, undriven: NDArray[np.bool_]) -> float:
    """Residual of the worst driven row, root mean square, in its deviations; below 1 if all is as stated."""
    if undriven.all():
        return 0.0
    rows = np.concatenate([windows.residual for windows in likelihood.windows(found.x, found.theta)])
    return float(np.sqrt(np.mean(rows[:, ~undriven] ** 2, axis=0).max()))


def fit_stance(
    pinned: Robot,
    logs: StanceLog | Sequence[StanceLog],
    *,
    motion: Sequence[Array] | None = None,
    start: Array | None = None,
    base: BaseParameters | None = None,
    **settings: object,
) -> BaseEstimate:
    """`StanceLikelihood(**settings).fit(...)`."""
    chosen = StanceLikelihood(**settings)  # type: ignore[arg-type]
    return chosen.fit(pinned, logs, motion=motion, start=start, base=base)
